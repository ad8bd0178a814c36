//! Runs: published vectors, proofs that their kernels are the netlists stepped, and Icarus Verilog.

use crate::design::{bits, Design, Vector};
use crate::proofs::wanted;
use crate::{compiler, full, kernel, targets, tools};
use nakiri::compile::Kernel;
use nakiri::core::{interp, Op, Program, Stmt};
use nakiri::run::{Run, Schedule};
use nakiri::source::FileId;
use nakiri::verilog::Correspondence;
use nakiri_circuit::equivalence::{prove_run, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::scheduled;
use nakiri_verify::simulate::Signal;
use std::collections::{BTreeMap, BTreeSet};

/// Designs whose runs are too much work for each test: proofs of hundreds of thousands of gates.
const LARGE: [&str; 2] = ["chacha20", "sha256"];

/// Beyond so many instructions a C compiler takes too long for each test.
const LONG: usize = 12_000;

fn run(design: &Design, schedule: &str) -> Run {
    let schedule = Schedule::parse(schedule, FileId(0)).expect("a schedule");
    Run::new(&design.program(true), &schedule).unwrap_or_else(|e| panic!("{}: {e:?}", design.name))
}

/// The run of a design, if it has one, gives the vectors, and its kernels are the hardware.
pub fn check(design: &Design) {
    let Some(schedule) = &design.run else { return };
    let run = run(design, schedule);
    let agreed = design.vectors.iter().filter(|vector| gives(design, &run, vector)).count();
    // A whole message has no vector of these lengths.
    assert!(agreed > 0 || run.program.entry().results.len() > 1, "{}", design.name);
    let names: &[&str] = if full() { &["gp64", "avx2", "avx512"] } else { &["gp64"] };
    for target in targets(names) {
        let kernel = kernel(&run.program, target);
        if full() || !LARGE.contains(&&*design.name) {
            let verdicts = proved(design, &run, &kernel.program);
            let equal = verdicts.iter().filter(|v| **v == Verdict::Equal).count();
            assert_eq!(equal, verdicts.len(), "{}, {}", design.name, target.name);
        }
        if full() || kernel.program.entry().body.len() < LONG {
            simulated(design, &run, &kernel);
        }
    }
}

/// Compares a vector of one run, if it says what the data and all results are: data as they are given first, results as they
/// are at the end. In a vector of several runs an input that controls them is set twice.
fn gives(design: &Design, run: &Run, vector: &Vector) -> bool {
    let entry = run.program.entry();
    let is_data = |name: &str| entry.params.iter().any(|port| port.name == name);
    let (mut given, mut wanted, mut started) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for step in &vector.steps {
        for (name, value) in &step.inputs {
            if !is_data(name) && value != "0" && !started.insert(name) {
                return false;
            }
            given.entry(name.clone()).or_insert(value.clone());
        }
        wanted.extend(step.outputs.clone());
    }
    let atoms = |values: &BTreeMap<String, String>, signals: &[Signal], name: &str| {
        let signal = signals.iter().find(|signal| signal.name == name)?;
        let bits = bits(values.get(name)?, signal);
        Some(bits.into_iter().map(u128::from).collect::<Vec<u128>>())
    };
    let hardware = &design.hardware;
    let data = entry.params.iter().map(|port| atoms(&given, &hardware.inputs, &port.name));
    let results = entry.results.iter().map(|port| atoms(&wanted, &hardware.outputs, &port.name));
    let (data, results): (Option<Vec<_>>, Option<Vec<_>>) = (data.collect(), results.collect());
    let (Some(data), Some(results)) = (data, results) else { return false };
    assert_eq!(interp::run(&run.program, &data), results, "{}, {}", design.name, vector.origin);
    true
}

fn proved(design: &Design, run: &Run, program: &Program) -> Vec<Verdict> {
    let parts = Correspondence::of(&design.netlist, &design.options(true));
    let parts = parts.expect("it is well formed");
    let proof = prove_run(&wanted(design, &parts), run, program, &Effort::unlimited());
    proof.expect("cells that are known").verdicts.concat()
}

fn simulated(design: &Design, run: &Run, kernel: &Kernel) {
    let trial = nakiri_verify::hardware::Trial {
        design: &design.hardware,
        shared: &[],
        assumption: None,
        reset: design.reset(false),
        lanes: if full() { kernel.blocks() } else { 16 },
        first: 0,
        ticks: run.ticks(),
        seed: 1,
        limit: None,
    };
    let found = scheduled::compare(run, kernel, &compiler(), &trial).expect("it runs");
    let what = format!("{}, {}", design.name, kernel.target.name);
    assert_eq!((found.difference, found.unknown), (None, 0), "{what}");
    assert!(found.compared >= 64, "{what}");
}

/// Each of these rounds takes other bits of a key register that rotates.
#[test]
fn rounds_are_loops_though_keys_rotate() {
    if !tools() {
        return;
    }
    for name in ["gift128", "present80"] {
        let design = Design::load(name);
        let run = run(&design, design.run.as_deref().expect("it has a run"));
        let kernel = kernel(&run.program, targets(&["gp64"])[0]);
        let body = &kernel.program.entry().body;
        let rounds = |stmt: &Stmt| matches!(stmt, Stmt::Loop(l) if l.count >= 15);
        assert!(body.iter().any(rounds), "{name}");
        assert!(body.len() < 1000, "{name}: {}", body.len());
    }
}

/// An exclusive-or of a run that becomes an or is found.
#[test]
fn a_wrong_gate_of_a_run_is_found() {
    if !tools() {
        return;
    }
    let design = Design::load("present80");
    let run = run(&design, design.run.as_deref().expect("it has a run"));
    let right = kernel(&run.program, targets(&["gp64"])[0]).program;
    let body = &right.entry().body;
    let is_xor = |stmt: &Stmt| matches!(stmt, Stmt::Let(instr) if instr.op == Op::Xor);
    let gates: Vec<usize> = (0..body.len()).filter(|&place| is_xor(&body[place])).collect();
    for place in gates.into_iter().step_by(1000) {
        let mut wrong = right.clone();
        if let Stmt::Let(instr) = &mut wrong.funcs[right.entry.index()].body[place] {
            instr.op = Op::Or;
        }
        let verdicts = proved(&design, &run, &wrong);
        let found = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Different(_)));
        assert!(found, "the gate at {place}");
    }
}
