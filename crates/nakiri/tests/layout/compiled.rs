//! The C of the networks, compiled and run, against the definition.

use crate::cases::{self, Case, Random};
use nakiri::emit::c::{word_functions, BARRIERS, C11};
use nakiri::emit::network;
use nakiri::isa::{self, Target};
use nakiri::layout::{self, Machine};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STRICT: [&str; 5] = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Where a target's programs run: on this CPU, or compiled by the target's own compiler under its emulator.
#[derive(PartialEq)]
enum Place {
    Here,
    Emulated,
    Nowhere,
}

fn place(target: &Target) -> Place {
    let has = |feature: &&&str| match **feature {
        "ssse3" => is_x86_feature_detected!("ssse3"),
        "avx" => is_x86_feature_detected!("avx"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        "avx512ifma" => is_x86_feature_detected!("avx512ifma"),
        "avx512vbmi" => is_x86_feature_detected!("avx512vbmi"),
        "avx512vbmi2" => is_x86_feature_detected!("avx512vbmi2"),
        "aes" => is_x86_feature_detected!("aes"),
        "vaes" => is_x86_feature_detected!("vaes"),
        "pclmulqdq" => is_x86_feature_detected!("pclmulqdq"),
        "vpclmulqdq" => is_x86_feature_detected!("vpclmulqdq"),
        "sha" => is_x86_feature_detected!("sha"),
        "gfni" => is_x86_feature_detected!("gfni"),
        other => panic!("{other} is not known to this test"),
    };
    let architecture = target.architecture;
    let (compiler, emulator) = (architecture.compiler.program, architecture.emulator.program);
    if target.guard().is_none() || architecture.name == std::env::consts::ARCH {
        match target.features.iter().all(|feature| has(&feature)) {
            true => Place::Here,
            false => Place::Nowhere,
        }
    } else if works(compiler) && works(emulator) {
        Place::Emulated
    } else {
        eprintln!("not run: {} needs {compiler} and {emulator}", target.name);
        Place::Nowhere
    }
}

fn works(program: &str) -> bool {
    let command = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    command.is_ok_and(|status| status.success())
}

/// The C compilers that are installed.
pub fn compilers() -> Vec<&'static str> {
    let found: Vec<_> = ["gcc", "clang-19"].into_iter().filter(|name| works(name)).collect();
    assert!(!found.is_empty(), "no C compiler found: install gcc or clang");
    found
}

/// A program that, for each case, reads a batch and writes its registers and the batch made from them.
fn program(cases: &[&Case], target: &'static Target) -> String {
    let mut text = target.guard().map_or(String::new(), |_| target.c.prelude.concat());
    text += "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
    let attribute = target.c.attribute;
    let attribute =
        attribute.map_or(String::new(), |a| format!("__attribute__((target(\"{a}\")))"));
    text += &word_functions("test_");
    text += BARRIERS;
    let mut main = String::from("int main(void)\n{\n");
    for case in cases {
        let name = case.name();
        for (way, network) in [("load", case.load()), ("store", case.store())] {
            let name = format!("{way}_{name}");
            let function = network::Function { syntax: &C11, name: &name, target, prefix: "test_" };
            text += &network::function(&network, function);
            text += "\n";
        }
        let load = case.load();
        let register = target.c.register.replace("{r}", &load.bits.to_string());
        let (registers, bytes) = (load.registers, load.bytes);
        // Exactly as long as needed, so that the sanitizer sees an access beyond the end.
        let _ = write!(
            text,
            "{attribute}\nstatic int run_{name}(void)\n{{\n    {register} r[{registers}];\n    \
             uint8_t *in = malloc({bytes}), *out = malloc({bytes});\n    \
             if (!in || !out || fread(in, 1, {bytes}, stdin) != {bytes}) return 1;\n    \
             load_{name}(r, in);\n    store_{name}(out, r);\n    \
             fwrite(r, sizeof r, 1, stdout);\n    fwrite(out, {bytes}, 1, stdout);\n    \
             free(in);\n    free(out);\n    return 0;\n}}\n\n"
        );
        let _ = writeln!(main, "    if (run_{name}()) return 1;");
    }
    text + &main + "    return 0;\n}\n"
}

pub fn compile(compiler: &str, source: &Path, options: &[&str]) -> PathBuf {
    let binary = source.with_extension("bin");
    let run = Command::new(compiler)
        .args(STRICT)
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("the compiler runs");
    let messages = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{compiler} {}:\n{messages:.4000}", source.display());
    binary
}

pub fn run(mut command: Command, input: Vec<u8>) -> Vec<u8> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends").expect("the program reads all");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    output.stdout
}

/// Compiles the cases of each target that runs at one of these places with one compiler, or the target's own, runs them, and
/// compares. Targets whose registers are alike have the same networks: at each place these take the cases in turn, so that each
/// case is one's; with `NAKIRI_FULL=1` each takes all.
fn check(cases: &[Case], compiler: &str, options: &[&str], label: &str, places: &[Place]) {
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let placed = isa::all().iter().map(|target| (*target, place(target)));
    let placed: Vec<_> = placed.filter(|(_, place)| places.contains(place)).collect();
    let alike = |a: &(&'static Target, Place), b: &(&'static Target, Place)| {
        a.1 == b.1 && Machine::from(a.0) == Machine::from(b.0)
    };
    let own = |one: &(&'static Target, Place)| -> Vec<&Case> {
        let turns = if full { 1 } else { placed.iter().filter(|other| alike(one, other)).count() };
        let turn = placed.iter().take_while(|other| other.0.name != one.0.name);
        let turn = turn.filter(|other| alike(one, other)).count();
        let machine = Machine::from(one.0);
        let cases = cases.iter().filter(|case| case.machine == machine);
        cases.skip(turn % turns).step_by(turns).collect()
    };
    std::thread::scope(|scope| {
        for threads in placed.chunks(2) {
            let run = |one: &(&'static Target, Place)| {
                let (target, emulated, cases) = (one.0, one.1 == Place::Emulated, own(one));
                scope
                    .spawn(move || check_target(&cases, compiler, options, label, target, emulated))
            };
            let running: Vec<_> = threads.iter().map(run).collect();
            for running in running {
                running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        }
    });
}

/// The same for one target.
fn check_target(
    cases: &[&Case],
    compiler: &str,
    options: &[&str],
    label: &str,
    target: &'static Target,
    emulated: bool,
) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join(format!("layout-{label}-{compiler}-{}.c", target.name));
    std::fs::write(&source, program(cases, target)).expect("the folder is writable");
    let command = match emulated {
        false => Command::new(compile(compiler, &source, options)),
        true => {
            let (compiler, emulator) = (target.architecture.compiler, target.architecture.emulator);
            let (flags, told) = target
                .extension
                .map_or((&[][..], &[][..]), |extension| (extension.flags, extension.emulator));
            let linking = target.architecture.linking;
            let options = [compiler.arguments, flags, linking, &["-O0"]].concat();
            let program = compile(compiler.program, &source, &options);
            let mut command = Command::new(emulator.program);
            command.args(emulator.arguments).args(told).arg(program);
            command
        }
    };
    let mut random = Random(2);
    let batches: Vec<Vec<u8>> = cases.iter().map(|case| case.random_memory(&mut random)).collect();
    let output = run(command, batches.concat());
    let mut rest = &output[..];
    for (case, batch) in cases.iter().zip(&batches) {
        let registers = case.registers(batch).concat();
        let (seen, after) = rest.split_at(registers.len());
        assert!(seen == registers, "{}: load in C", case.name());
        let (seen, after) = after.split_at(batch.len());
        assert!(seen == batch, "{}: store in C", case.name());
        rest = after;
    }
    assert!(rest.is_empty());
}

#[test]
fn c_moves_every_bit_to_its_place() {
    let mut cases = cases::all();
    cases.retain(Case::is_short);
    check(&cases, compilers()[0], &["-O0"], "all", &[Place::Here, Place::Emulated]);
}

#[test]
fn c_is_clean_under_sanitizers_and_optimization() {
    // Apart: compilers take minutes for both at once.
    let sanitized = ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    for (turn, compiler) in compilers().into_iter().enumerate() {
        let mut cases = cases::selected();
        if std::env::var_os("NAKIRI_FULL").is_none() {
            cases = cases.into_iter().skip(turn).step_by(compilers().len()).collect();
        }
        check(&cases, compiler, &sanitized, "sanitized", &[Place::Here]);
        check(&cases, compiler, &["-O2"], "optimized", &[Place::Here]);
    }
}

#[test]
fn registers_of_other_kinds_are_refused() {
    use nakiri::core::{Direction, Layout};
    let [gp32, _, gp64, swar, ssse3, ..] = cases::MACHINES;
    for (machine, direction, width, layout) in [
        (gp32, Direction::H, 32, Layout::Le),
        (gp64, Direction::H, 4, Layout::Le),
        (gp64, Direction::H, 64, Layout::Le),
        (swar, Direction::H, 8, Layout::Le),
        (ssse3, Direction::H, 32, Layout::Le),
        (ssse3, Direction::V, 24, Layout::Le),
        (ssse3, Direction::P, 8, Layout::Le),
        (ssse3, Direction::V, 8, Layout::Planes),
        (ssse3, Direction::B, 2, Layout::Perm { name: "p".into(), entries: vec![0, 1] }),
        (ssse3, Direction::B, 2, Layout::Perm { name: "p".into(), entries: vec![1, 1] }),
    ] {
        assert!(layout::load(machine, direction, width, 1, &layout).is_err());
        assert!(layout::store(machine, direction, width, 1, &layout).is_err());
    }
}
