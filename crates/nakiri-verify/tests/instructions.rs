//! Each instruction that a prelude defines, on random rows: the definition as it is read, the definition compiled where there is no
//! instruction, and the instruction of each target that this CPU runs all do what the core says. `NAKIRI_FULL=1` takes a million.

mod common;

use common::Random;
use nakiri::check::{self, preludes, NoFiles, Options};
use nakiri::compile::{self, Kernel};
use nakiri::core::aes::Aes;
use nakiri::core::{interp, semantics, Direction, Instruction, Op, Program};
use nakiri::isa;
use nakiri::source::SourceMap;
use nakiri_verify::differential::elaborate;
use nakiri_verify::exec::{self, Block};
use nakiri_verify::{cc, Error};

/// How many rows are compared at once.
const AT_ONCE: usize = 5_000;

/// A node that calls an instruction.
fn caller(prelude: &str, instruction: Instruction) -> Program {
    let (name, (bits, count)) = (instruction.name(), instruction.row());
    let names = &["a", "b", "c"][..instruction.arity()].join(", ");
    let text = format!(
        "include \"{prelude}\"\nnode Call ({names}:u{bits}[{count}]) returns (y:u{bits}[{count}])\n\
         let y = {name}({names}) tel\n"
    );
    let mut sources = SourceMap::default();
    let root = sources.add("call.ua", text);
    let (checked, said) = check::check(&mut sources, root, &mut NoFiles, &Options::default());
    let said: Vec<String> = said.iter().map(|d| d.render(&sources, false)).collect();
    checked.unwrap_or_else(|| panic!("{}", said.join("\n"))).program
}

fn kernel(program: &Program, direction: Direction, target: &'static isa::Target) -> Kernel {
    let options = compile::Options::new(direction, target);
    compile::compile(program, &options, &mut |_, _| {}).expect("it is legal")
}

fn has(kernel: &Kernel, instruction: Instruction) -> bool {
    let mut found = false;
    for stmt in &kernel.program.entry().body {
        stmt.instrs(&mut |instr| found |= instr.op == Op::Instruction(instruction));
    }
    found
}

/// A kernel's results on rows: what is packed has one atom a row.
fn compiled(
    kernel: &Kernel,
    compiler: &cc::Compiler,
    (bits, count): (u16, u16),
    rows: &[Vec<u128>],
) -> Option<Vec<u128>> {
    let packed = kernel.direction == Direction::P;
    let unpack =
        |row: &u128| if packed { vec![*row] } else { semantics::unpack(*row, bits, count) };
    let blocks: Vec<Block> = rows.iter().map(|rows| rows.iter().map(unpack).collect()).collect();
    match exec::run_kernel(kernel, compiler, &blocks) {
        Err(Error::NotRunnable { .. }) => None,
        made => {
            let made = made.unwrap_or_else(|error| panic!("{error}"));
            let pack =
                |block: &Block| if packed { block[0][0] } else { semantics::pack(&block[0], bits) };
            Some(made.iter().map(pack).collect())
        }
    }
}

fn agrees(prelude: &str, instruction: Instruction, total: usize) {
    let (name, (bits, count)) = (instruction.name(), instruction.row());
    let program = caller(prelude, instruction);
    let everywhere = kernel(&program, Direction::V, isa::everywhere());
    assert!(!has(&everywhere, instruction));
    let have = isa::all().iter().filter(|target| target.has_instruction(instruction));
    let own: Vec<Kernel> = have.map(|target| kernel(&program, Direction::P, target)).collect();
    assert!(!own.is_empty(), "no target has {name}");
    assert!(own.iter().all(|kernel| has(kernel, instruction)), "{name}");
    let mut random = Random(u64::from(name.as_bytes()[name.len() - 1]));
    for start in (0..total).step_by(AT_ONCE) {
        let rows: Vec<Vec<u128>> = (start..total.min(start + AT_ONCE))
            .map(|_| (0..instruction.arity()).map(|_| random.atom(128)).collect())
            .collect();
        let want = rows.iter().map(|rows| instruction.apply(rows).expect("as many as it takes"));
        let want: Vec<u128> = want.collect();
        let read = rows.iter().map(|rows| {
            let atoms: Vec<_> =
                rows.iter().map(|row| semantics::unpack(*row, bits, count)).collect();
            semantics::pack(&interp::run(&program, &atoms)[0], bits)
        });
        assert!(read.eq(want.iter().copied()), "{name}: the definition read");
        for kernel in own.iter().chain([&everywhere]) {
            for compiler in cc::all_for(kernel.target).unwrap_or_default() {
                let Some(made) = compiled(kernel, &compiler, instruction.row(), &rows) else {
                    continue;
                };
                assert!(made == want, "{name} on {} by {}", kernel.target.name, compiler.machine());
            }
        }
    }
}

/// The names that `include "aes"` gives to rounds, and what each is of a state and a key: on every target with rounds it is found to
/// be that.
const ROUNDS: [(&str, Aes); 9] = [
    ("aesenc(a, b)", Aes::Round),
    ("aesenclast(a, b)", Aes::Last),
    ("aesdec(a, b)", Aes::InverseRound),
    ("aesdeclast(a, b)", Aes::InverseLast),
    ("aesimc(a) ^ b", Aes::Unmix),
    ("aese(a, b)", Aes::KeyedLast),
    ("aesd(a, b)", Aes::KeyedInverseLast),
    ("aesmc(aese(a, b))", Aes::KeyedRound),
    ("aesimc(aesd(a, b))", Aes::KeyedInverseRound),
];

#[test]
fn rounds_are_found_in_their_definitions() {
    let mut random = Random(11);
    let rows: Vec<Vec<u128>> =
        (0..200).map(|_| (0..2).map(|_| random.atom(128)).collect()).collect();
    let targets = || isa::all().iter().filter(|t| t.has_instruction(Instruction::Aes(Aes::Unmix)));
    for (call, aes) in ROUNDS {
        let text = format!(
            "include \"aes\"\nnode Call (a, b:u8[16]) returns (y:u8[16])\nlet y = {call} tel\n"
        );
        let program = elaborate(&text).expect("it is legal");
        let want = rows.iter().map(|rows| {
            let key = if aes == Aes::Unmix { 0 } else { rows[1] };
            let made = aes.apply(rows[0].to_le_bytes(), key.to_le_bytes());
            u128::from_le_bytes(made) ^ if aes == Aes::Unmix { rows[1] } else { 0 }
        });
        let want: Vec<u128> = want.collect();
        for target in targets() {
            let kernel = kernel(&program, Direction::P, target);
            let mut left = 0;
            for stmt in &kernel.program.entry().body {
                stmt.instrs(&mut |i| left += usize::from(matches!(i.op, Op::Invert(_))));
            }
            assert_eq!(left, 0, "{call} on {}: a table is left", target.name);
            for compiler in cc::all_for(target).unwrap_or_default() {
                let Some(made) = compiled(&kernel, &compiler, (8, 16), &rows) else { continue };
                assert!(made == want, "{call} on {} by {}", target.name, compiler.machine());
            }
        }
    }
}

#[test]
fn instructions_are_what_their_definitions_say() {
    let total = if std::env::var_os("NAKIRI_FULL").is_some() { 1_000_000 } else { AT_ONCE };
    let nodes = Instruction::all().filter_map(|known| Instruction::of_node(known.name()));
    for instruction in nodes {
        let marked = format!("_instruction node {} ", instruction.name());
        let prelude = preludes::ALL.iter().find(|(_, text)| text.contains(&marked));
        let (prelude, _) = prelude.unwrap_or_else(|| panic!("no prelude defines {marked}"));
        agrees(prelude, instruction, total);
    }
}

/// FIPS 197, appendix A.1: the last column of the key under `SubWord` and `RotWord`, with the first constant.
#[test]
fn a_step_of_the_key_schedule_is_that_of_the_standard() {
    let text = "include \"aes\"\nnode Call (a:u8[16]) returns (y:u8[16])\n\
                let y = aeskeygenassist(a, 1) tel\n";
    let program = elaborate(text).expect("it is legal");
    let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
    let made = interp::run(&program, &[key.map(u128::from).to_vec()]);
    assert_eq!(made[0][8..], [0x01, 0x8a, 0x84, 0xeb, 0x8b, 0x84, 0xeb, 0x01]);
}
