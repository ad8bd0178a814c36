//! Proofs that kernels are their netlists.

use crate::design::Design;
use crate::{full, kernel, tools};
use nakiri::core::{interp, Op, Port, Program, Stmt};
use nakiri::isa;
use nakiri::run::Shared;
use nakiri::source::{FileId, Span};
use nakiri::verilog::Correspondence;
use nakiri_circuit::equivalence::{prove, prove_divided, Divided, Verdict, Wanted};
use nakiri_circuit::Effort;
use nakiri_verify::random::Rng;

/// What a design's kernel has to compute.
pub fn wanted<'a>(design: &'a Design, parts: &'a Correspondence) -> Wanted<'a> {
    Wanted { netlist: &design.netlist, parts, assumed: None }
}

/// Every bit that a tick computes is the netlist's, for all inputs and states.
pub fn check(design: &Design) {
    for hidden in [false, true] {
        let parts = Correspondence::of(&design.netlist, &design.options(hidden));
        let parts = parts.expect("it is well formed");
        let program = design.program(hidden);
        let names: &[&str] = if full() { &["gp32", "gp64", "avx512"] } else { &["gp64"] };
        for target in isa::all().iter().filter(|target| names.contains(&target.name)) {
            let kernel = kernel(&program, target);
            let proof = prove(&wanted(design, &parts), &kernel.program, &Effort::unlimited());
            let verdicts = proof.expect("cells that are known").verdicts.concat();
            let equal = verdicts.iter().filter(|v| **v == Verdict::Equal).count();
            assert_eq!(equal, verdicts.len(), "{}, {}", design.name, target.name);
        }
    }
}

/// An exclusive-or that becomes another gate is found, wherever that computes something else: all of those that become ands, and
/// those that become ors but in sums of which at most one term is one.
#[test]
fn a_wrong_gate_is_found() {
    if !tools() {
        return;
    }
    let design = Design::load("counter");
    let parts = Correspondence::of(&design.netlist, &design.options(false));
    let parts = parts.expect("it is well formed");
    let target = isa::all().iter().find(|target| target.name == "gp64").expect("a target");
    let right = kernel(&design.program(false), target).program;
    let body = &right.entry().body;
    let is_xor = |stmt: &Stmt| matches!(stmt, Stmt::Let(instr) if instr.op == Op::Xor);
    let gates: Vec<usize> = (0..body.len()).filter(|&place| is_xor(&body[place])).collect();
    let inputs = random_inputs(&right);
    let results: Vec<_> = inputs.iter().map(|inputs| interp::run(&right, inputs)).collect();
    let found = |op: Op| {
        let differs = |place: &&usize| {
            let mut wrong = right.clone();
            if let Stmt::Let(instr) = &mut wrong.funcs[right.entry.index()].body[**place] {
                instr.op = op.clone();
            }
            let proof = prove(&wanted(&design, &parts), &wrong, &Effort::unlimited());
            let verdicts = proof.expect("cells that are known").verdicts.concat();
            let found = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Different(_)));
            let mut runs = inputs.iter().zip(&results);
            let wrong = runs.any(|(inputs, result)| interp::run(&wrong, inputs) != *result);
            assert_eq!(found, wrong, "{op:?} in statement {place}");
            found
        };
        gates.iter().filter(differs).count()
    };
    assert_eq!(found(Op::And), gates.len());
    assert!(found(Op::Or) > 0);
}

/// Inputs and states of a program of bits.
fn random_inputs(program: &Program) -> Vec<Vec<Vec<u128>>> {
    // What is rarest is a carry through all eight bits of a counter.
    const COUNT: usize = 30_000;
    let mut rng = Rng::new(1);
    let mut port = |port: &Port| (0..port.count()).map(|_| rng.word(1)).collect();
    (0..COUNT).map(|_| program.entry().params.iter().map(&mut port).collect()).collect()
}

/// An exclusive-or of what all lanes share, or of what each computes, that becomes an or is found.
#[test]
fn a_wrong_gate_beside_shared_control_is_found() {
    if !tools() {
        return;
    }
    let design = Design::load("present80");
    let parts = Correspondence::of(&design.netlist, &design.options(true));
    let parts = parts.expect("it is well formed");
    let whole = design.program(true);
    let shared =
        Shared::new(&whole, "load,key", Span::new(FileId(0), 0..0)).expect("it has control");
    let target = isa::all().iter().find(|target| target.name == "gp64").expect("a target");
    let [control, lanes] =
        [&shared.control, &shared.lanes].map(|half| kernel(half, target).program);
    let wrong = |control: &Program, lanes: &Program| {
        let divided = Divided { whole: &whole, shared: &shared, control, lanes };
        let proof = prove_divided(&wanted(&design, &parts), &divided, &Effort::unlimited());
        let verdicts = proof.expect("cells that are known").verdicts.concat();
        verdicts.iter().filter(|verdict| **verdict != Verdict::Equal).count()
    };
    assert_eq!(wrong(&control, &lanes), 0);
    let ored = |program: &Program| {
        let mut wrong = program.clone();
        let body = &mut wrong.funcs[program.entry.index()].body;
        let gate = body.iter_mut().find_map(|stmt| match stmt {
            Stmt::Let(instr) if instr.op == Op::Xor => Some(instr),
            _ => None,
        });
        gate.expect("an exclusive-or").op = Op::Or;
        wrong
    };
    assert_ne!(wrong(&ored(&control), &lanes), 0);
    assert_ne!(wrong(&control, &ored(&lanes)), 0);
}
