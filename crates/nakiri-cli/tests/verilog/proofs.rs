//! Proofs that kernels are their netlists.

use crate::design::Design;
use crate::{full, kernel, tools};
use nakiri::core::{Op, Program, Stmt};
use nakiri::run::Shared;
use nakiri::source::{FileId, Span};
use nakiri::target;
use nakiri::verilog::Correspondence;
use nakiri_circuit::equivalence::{prove, prove_divided, Divided, Verdict};
use nakiri_circuit::Effort;

/// Every bit that a tick computes is the netlist's, for all inputs and states.
pub fn check(design: &Design) {
    for hidden in [false, true] {
        let parts = Correspondence::of(&design.netlist, &design.options(hidden));
        let parts = parts.expect("it is well formed");
        let program = design.program(hidden);
        let names: &[&str] = if full() { &["gp32", "gp64", "avx512"] } else { &["gp64"] };
        for target in target::all().iter().filter(|target| names.contains(&target.name)) {
            let kernel = kernel(&program, target);
            let proof = prove(&design.netlist, &parts, &kernel.program, &Effort::unlimited());
            let verdicts = proof.expect("cells that are known").verdicts.concat();
            let equal = verdicts.iter().filter(|v| **v == Verdict::Equal).count();
            assert_eq!(equal, verdicts.len(), "{}, {}", design.name, target.name);
        }
    }
}

/// An exclusive-or that becomes an and is found. As an or it would be right in sums of which one term is one.
#[test]
fn a_wrong_gate_is_found() {
    if !tools() {
        return;
    }
    let design = Design::load("counter");
    let parts = Correspondence::of(&design.netlist, &design.options(false));
    let parts = parts.expect("it is well formed");
    let target = target::all().iter().find(|target| target.name == "gp64").expect("a target");
    let right = kernel(&design.program(false), target).program;
    let body = &right.entry().body;
    let is_xor = |stmt: &Stmt| matches!(stmt, Stmt::Let(instr) if instr.op == Op::Xor);
    let gates: Vec<usize> = (0..body.len()).filter(|&place| is_xor(&body[place])).collect();
    let found = gates.iter().filter(|&&place| {
        let mut wrong = right.clone();
        if let Stmt::Let(instr) = &mut wrong.funcs[right.entry.index()].body[place] {
            instr.op = Op::And;
        }
        let proof = prove(&design.netlist, &parts, &wrong, &Effort::unlimited());
        let verdicts = proof.expect("cells that are known").verdicts.concat();
        verdicts.iter().any(|verdict| matches!(verdict, Verdict::Different(_)))
    });
    let (found, all) = (found.count(), gates.len());
    assert!(2 * found > all, "{found} of {all}");
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
    let target = target::all().iter().find(|target| target.name == "gp64").expect("a target");
    let [control, lanes] =
        [&shared.control, &shared.lanes].map(|half| kernel(half, target).program);
    let wrong = |control: &Program, lanes: &Program| {
        let divided = Divided { whole: &whole, shared: &shared, control, lanes };
        let proof = prove_divided(&design.netlist, &parts, &divided, &Effort::unlimited());
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
