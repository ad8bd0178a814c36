//! The library of each design under the C compiler's sanitizers: its self test gives what the interpreter gives.

use crate::design::{names, Design};
use crate::{compiler, full};
use nakiri::core::interp::Machine;
use nakiri::core::{Direction, Port, Program};
use nakiri::emit::c::{self, Instance, Library, Run, TickVector};
use nakiri::isa;
use nakiri::layout::to_memory;
use nakiri_cli::choice::TargetChoice;
use nakiri_cli::library::{of_entry, Settings};
use nakiri_verify::cc::Work;
use nakiri_verify::random::Rng;
use std::process::Command;

/// How many ticks a vector has.
const TICKS: usize = 6;

/// What the C compiler is told.
const FLAGS: [&str; 3] = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Of so many designs, one is tried unless `NAKIRI_FULL` is set.
const ONE_OF: usize = 3;

/// Neither sanitizer has anything to say, and the outputs of random ticks are right.
pub fn check(design: &Design) {
    let turn = names().iter().position(|name| *name == design.name);
    if !full() && !turn.is_some_and(|turn| turn.is_multiple_of(ONE_OF)) {
        return;
    }
    let program = design.program(design.reset.is_some());
    let target = if full() { "avx2" } else { "gp64" };
    let settings = Settings {
        targets: vec![TargetChoice::plain(isa::find(target).expect("a target"))],
        direction: Some(Direction::B),
        choices: Vec::new(),
    };
    let instance = of_entry(&program, &design.name, &settings).expect("gates are on every target");
    let tick_vectors = vec![random(&program, 1), random(&program, 2)];
    let library = Library {
        name: design.name.clone(),
        title: design.name.clone(),
        specification: "tests/verilog".to_string(),
        command_line: String::new(),
        version: String::new(),
        source_hash: String::new(),
        evidence: Vec::new(),
        instances: vec![Instance { tick_vectors, ..instance }],
    };
    let files = c::library(&library).expect("a library");
    let work = Work::new().expect("a folder");
    let (name, write) = (&design.name, |file: &str, text: &str| {
        work.write(file, text.as_bytes()).expect("it can be written")
    });
    write(&format!("{name}.h"), &files.h);
    let library = write(&format!("{name}.c"), &files.c);
    let main = format!(
        "#include \"{name}.h\"\n\nint main(void)\n{{\n    return {name}_self_test();\n}}\n"
    );
    let main = write("main.c", &main);
    let executable = work.path("sanitized");
    compiler().compile(&[&main, &library], &FLAGS, &executable).expect("it compiles");
    let done = Command::new(&executable).output().expect("it runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.is_empty(), "{name}: {}\n{said}", done.status);
}

/// Ticks with random inputs, as the interpreter has them.
fn random(program: &Program, seed: u64) -> TickVector {
    let (mut rng, mut machine) = (Rng::new(seed), Machine::new(program));
    let entry = program.entry();
    let memory = |ports: &[Port], values: &[Vec<u128>]| -> Vec<u8> {
        let bytes = ports.iter().zip(values).map(|(port, atoms)| to_memory(port, atoms));
        bytes.flat_map(|bytes| bytes.expect("bits lie in order")).collect()
    };
    let runs = (0..TICKS).map(|_| {
        let word = |port: &Port| (0..port.count()).map(|_| rng.word(1)).collect();
        let inputs: Vec<Vec<u128>> = entry.inputs().iter().map(word).collect();
        let outputs = machine.step(&inputs);
        let (input, output) = (memory(entry.inputs(), &inputs), memory(entry.outputs(), &outputs));
        Run { ticks: 1, input, output }
    });
    TickVector { key: Vec::new(), runs: runs.collect() }
}
