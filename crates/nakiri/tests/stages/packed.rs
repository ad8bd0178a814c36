//! Direction P: packed kernels compute what the source says, and move rows as rarely as people do.

use crate::common;

use common::{inputs, source};
use nakiri::check;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{interp, Direction, Op, Port, Program};
use nakiri::emit::c;
use nakiri::isa;
use nakiri::source::SourceMap;
use std::path::Path;

fn cipher(name: &str) -> Program {
    let path = format!("{}/../../ciphers/{name}/{name}.ua", env!("CARGO_MANIFEST_DIR"));
    let (mut sources, file, options, mut folder) = source::open(Path::new(&path));
    let (checked, diagnostics) = check::check(&mut sources, file, &mut folder, &options);
    checked.unwrap_or_else(|| panic!("{name}: {diagnostics:?}")).program
}

/// The program of a text.
fn program(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("text.ua", text);
    let mut none = source::Folder::none();
    let (checked, said) = check::check(&mut sources, file, &mut none, &check::Options::default());
    checked.unwrap_or_else(|| panic!("{text}{said:?}")).program
}

/// Its kernel.
fn kernel(program: &Program, options: &str) -> Kernel {
    let options: Options = options.parse().expect("options");
    compile(program, &options, &mut |_, _| {}).unwrap_or_else(|said| panic!("{said:?}"))
}

fn sliced(atoms: &[Vec<u128>], declared: &[Port], sliced: &[Port]) -> Vec<Vec<u128>> {
    let ports = declared.iter().zip(sliced).zip(atoms);
    ports.map(|((from, to), atoms)| interp::slice(atoms, from.ty, to.ty)).collect()
}

/// Compares a kernel with its program on a few inputs.
fn means_the_same(program: &Program, kernel: &Kernel, name: &str) {
    let entry = kernel.program.entry();
    for seed in 0..8 {
        let input = inputs(program, seed).expect("words");
        let want = sliced(&interp::run(program, &input), &kernel.results, &entry.results);
        let input = sliced(&input, &kernel.params, &entry.params);
        assert_eq!(interp::run(&kernel.program, &input), want, "{name}");
    }
}

/// Checks a cipher on each target with vectors. Its kernel has this many permutations, all loops written out.
fn check_cipher(name: &str, permutations: usize) {
    let program = cipher(name);
    for target in ["ssse3", "avx", "avx2", "avx512", "neon"] {
        let target = isa::find(target).expect("a target");
        let options = Options::new(Direction::P, target);
        let mut written_out = 0;
        let mut observe = |pass: &str, program: &Program| {
            if pass == "pack" {
                let body = &program.entry().body;
                body.iter().for_each(|stmt| {
                    stmt.instrs(&mut |i| {
                        written_out += usize::from(matches!(i.op, Op::Permute(_)))
                    });
                });
            }
        };
        let kernel = compile(&program, &options, &mut observe).unwrap_or_else(|d| panic!("{d:?}"));
        assert_eq!(kernel.lanes() as u32, target.bits / 128, "{name} {}", target.name);
        assert_eq!(written_out, permutations, "{name} {}", target.name);
        means_the_same(&program, &kernel, &format!("{name} {}", target.name));
        if let Some(folder) = std::env::var_os("NAKIRI_PACKED_C") {
            let path = Path::new(&folder).join(format!("{name}_{}.c", target.name));
            std::fs::write(path, c::kernel_file(&kernel)).expect("the folder exists");
        }
    }
}

/// Three rows move before each half of a double round and after the last.
#[test]
fn chacha20() {
    check_cipher("chacha20", 60);
}

/// The first row is shuffled in every second round.
#[test]
fn gimli() {
    check_cipher("gimli", 12);
}

/// Four a round, where three would do: theta, rho west and rho east move one plane each.
#[test]
fn xoodoo() {
    check_cipher("xoodoo", 48);
}

/// Rows are gathered from `v` in each of many turns: no atom may be looked for in all of them.
#[test]
fn rows_gathered_over_and_over_are_found_in_few_steps() {
    let text = "node Main (v:u16x8, x:u16x8) returns (z:u16x8)\nlet\n  \
                forall i in [0,400] { x[i%8] := v[0] ^ x[(i+1)%8]; x ^= x <<< 1 }\n  z = x\ntel\n";
    let kernel = kernel(&program(text), "P avx2 gather-rows");
    assert!(kernel.program.entry().values.len() > 800);
}

/// Operations on any atoms of rows, few of which are one on whole rows.
fn scattered(mut random: impl FnMut(usize) -> usize) -> String {
    let (bits, length) = [(8, 16), (32, 4), (32, 2), (64, 2)][random(4)];
    let count = 2 + random(2 * length);
    let mut names: Vec<String> =
        ["a", "b"].iter().flat_map(|row| (0..length).map(move |k| format!("{row}[{k}]"))).collect();
    let mut equations = String::new();
    for k in 0..count {
        let mut operand = || names[random(names.len())].clone();
        let (x, y) = (operand(), operand());
        let exp = match random(10) {
            0 => format!("~{x}"),
            1 => format!("{x} <<< {}", 1 + random(bits - 1)),
            2 => format!("{x} >> {}", 1 + random(bits - 1)),
            3 => format!("{x} ^ {}", random(128)),
            op => format!("{x} {} {y}", ["^", "|", "&", "+", "-", "-"][op - 4]),
        };
        equations.push_str(&format!("  t[{k}] = {exp};\n"));
        names.push(format!("t[{k}]"));
    }
    for k in 0..length {
        equations.push_str(&format!("  y[{k}] = {};\n", names[random(names.len())]));
    }
    let row = format!("u{bits}[{length}]");
    format!(
        "node Main (a, b:{row}) returns (y:{row})\nvars t:u{bits}[{count}]\nlet\n{equations}tel\n"
    )
}

/// A node of rows that is called several times, with some of the same atoms.
fn called(mut random: impl FnMut(usize) -> usize) -> String {
    let (bits, length) = [(8, 16), (32, 4), (16, 8)][random(3)];
    let mut equations = String::new();
    for k in 0..1 + random(4) {
        let mut operand = || {
            let row = ["x", "k", "t[0]", "t[1]", "t[2]"][random(2 + k)];
            let place = |place: usize| match random(4) {
                0 => random(length).to_string(),
                _ => ((place + 1) % length).to_string(),
            };
            let places: Vec<String> = (0..length).map(place).collect();
            match random(2) {
                0 => row.to_string(),
                _ => format!("({row}[{}])", places.join(",")),
            }
        };
        let (x, y) = (operand(), operand());
        equations.push_str(&format!("  t[{k}] = {x} {} {y};\n", ["^", "+", "&", "-"][random(4)]));
    }
    let last = equations.lines().count() - 1;
    let mut calls = String::new();
    let shared: Vec<String> = (0..length).map(|place| format!("a[{place}]")).collect();
    let count = 2 + random(2);
    for call in 0..count {
        let mut atoms = shared.clone();
        for _ in 0..random(4) {
            atoms[random(length)] = random(3).to_string();
        }
        calls.push_str(&format!("  y[{call}] = F(({}), b);\n", atoms.join(",")));
    }
    let row = format!("u{bits}x{length}");
    format!(
        "node F (x, k:{row}) returns (y:{row})\nvars t:{row}[{}]\nlet\n{equations}  y = t[{last}];\ntel\n\
         node Main (a, b:{row}) returns (y:{row}[{count}])\nlet\n{calls}tel\n",
        last + 1
    )
}

/// A node of four operations on rows.
const ROTATED: &str = "node F (x, k:u8x16) returns (y:u8x16)\nvars s, t:u8x16\nlet\n  s = x ^ k;\n  \
    t = s + s[15,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14];\n  y = t + t[15,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14]\ntel\n";

/// Calls of an instruction at one place in the source are no atoms of a row.
#[test]
fn as_many_instructions_as_a_row_has_atoms_are_rows_each() {
    let text = format!(
        "include \"clmul\"\n{ROTATED}\
        node Main (a, b:u8x16) returns (y:u8x16[2])\nvars x:u8x16[17]\nlet\n  \
        x[0] = F((0, a[1..15]), b);\n  y[1] = F((1, a[1..15]), b);\n  \
        forall i in [0,15] {{\n    x[i+1] = clmul_low_high(x[i], b);\n  }}\n  y[0] = x[16]\ntel\n"
    );
    let program = program(&text);
    means_the_same(&program, &kernel(&program, "P ssse3+aes gather-rows"), &text);
}

/// What two calls of a node have in common is a part of a row in either: rows stay those of the source.
#[test]
fn rows_that_share_atoms_are_rows_of_their_own() {
    let text = format!(
        "{ROTATED}\
        node Main (a, b:u8x16) returns (y:u8x16[2])\nlet\n  \
        y[0] = F((0, a[1..15]), b);\n  y[1] = F((1, a[1..15]), b)\ntel\n"
    );
    let program = program(&text);
    let kernel = kernel(&program, "P ssse3 gather-rows");
    let count = kernel.program.entry().values.len();
    assert!(count <= 20, "{count} values: {}", kernel.program);
    means_the_same(&program, &kernel, &text);
}

#[test]
fn operations_on_some_atoms_of_rows_mean_what_the_source_says() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for turn in 0..600 {
        let text = if turn % 3 == 2 { called(&mut random) } else { scattered(&mut random) };
        let program = program(&text);
        for options in ["P ssse3 gather-rows", "P neon gather-rows"] {
            means_the_same(&program, &kernel(&program, options), &text);
        }
    }
}

/// What of a CPU's optional features a build adds to a target: all that the program's tables gain by, or those whose instructions it
/// calls.
#[test]
fn features_that_a_program_gains_by_are_added() {
    let added = |program: &Program, base: &str, features: &[&str]| {
        let runs = |target: &isa::Target| target.features.iter().all(|f| features.contains(f));
        isa::find(base).expect("a target").extended(&[program], &runs).name
    };
    let (tables, none) = (cipher("aes128_bytes"), cipher("chacha20"));
    let vaes = ["avx2", "aes", "vaes", "pclmulqdq", "vpclmulqdq"];
    assert_eq!(added(&tables, "avx2", &vaes), "avx2+vaes");
    assert_eq!(added(&tables, "avx2", &[&vaes[..], &["gfni"]].concat()), "avx2+gfni+vaes");
    assert_eq!(added(&tables, "avx2", &["avx2", "gfni"]), "avx2");
    assert_eq!(added(&none, "avx2", &[&vaes[..], &["gfni"]].concat()), "avx2");
    assert_eq!(added(&tables, "ssse3", &["ssse3", "sha", "aes", "pclmulqdq"]), "ssse3+aes");
}
