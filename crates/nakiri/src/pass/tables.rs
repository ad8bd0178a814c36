//! Replaces tables by circuits, from the library or synthesized.
//!
//! Guarantees: no `table` is left; each circuit was checked against its table on every input.

use crate::circuit::{self, Circuit, Gate, Origin, Output};
use crate::core::{Direction, Func, Instr, Op, OpKind, Program, Stmt, Table, Taken, Type, ValueId};
use crate::isa::Target;
use crate::map::{self, Basis};
use std::collections::BTreeSet;

/// The most outputs that one circuit has; wider tables become several.
const MAX_OUTPUTS: u8 = 32;

/// What circuits are chosen for.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The target.
    pub target: &'static Target,
    /// How many batches are side by side.
    pub copies: usize,
}

/// Expands every table of the program.
pub fn run(program: &mut Program, goal: Goal) {
    let mut circuits: Vec<Option<Vec<Part>>> = vec![None; program.tables.len()];
    for func in &mut program.funcs {
        let body = std::mem::take(&mut func.body);
        func.body = expand(body, func, &program.tables, goal, &mut circuits);
    }
    let taken = |(circuit, origin): &Part| Taken { origin: *origin, gates: circuit.size() };
    for (table, parts) in program.tables.iter_mut().zip(&circuits) {
        table.taken = parts.iter().flatten().map(taken).collect();
    }
}

/// A circuit of a table, or of some of its outputs, and where it comes from.
type Part = (Circuit, Origin);

fn expand(
    stmts: Vec<Stmt>,
    func: &mut Func,
    tables: &[Table],
    goal: Goal,
    circuits: &mut [Option<Vec<Part>>],
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        match stmt {
            Stmt::Let(Instr { op: Op::Table(id), ref results, ref args, span }) => {
                let parts = circuits[id.index()].get_or_insert_with(|| {
                    synthesize(&tables[id.index()], func.ty(results[0]), goal)
                });
                let mut emit = |op, args: &[ValueId], result| {
                    out.push(Stmt::Let(Instr {
                        results: [result].into_iter().collect(),
                        op,
                        args: args.iter().copied().collect(),
                        span,
                    }));
                };
                for ((part, _), results) in
                    parts.iter().zip(results.chunks(usize::from(MAX_OUTPUTS)))
                {
                    place(part, args, results, func, &mut emit);
                }
            }
            Stmt::Loop(mut l) => {
                l.body = expand(l.body, func, tables, goal, circuits);
                out.push(Stmt::Loop(l));
            }
            Stmt::Forall(mut forall) => {
                for body in &mut forall.iterations {
                    *body = expand(std::mem::take(body), func, tables, goal, circuits);
                }
                out.push(Stmt::Forall(forall));
            }
            stmt => out.push(stmt),
        }
    }
    out
}

/// The circuits of a table, one for each group of outputs.
fn synthesize(table: &Table, ty: Type, goal: Goal) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut left = table.outputs;
    while left > 0 {
        let outputs = left.min(MAX_OUTPUTS);
        left -= outputs;
        let entry = |e: &u128| (e >> left) as u32 & (u32::MAX >> (32 - outputs));
        let entries = table.entries.iter().map(entry).collect();
        let part = circuit::Table { inputs: table.inputs, outputs, entries };
        let (circuit, origin) = choose(&part, &table.known, ty, goal);
        assert!(circuit.computes(&part), "the circuit for `{}` is wrong", table.name);
        parts.push((circuit, origin));
    }
    parts
}

/// How many computations a core holds that wait for others: so many vector operations on Zen 5, 97 on Skylake.
const WAITING: usize = 114;

/// The circuit that is the fastest on the target: that takes the fewest places of its instructions, waiting included.
///
/// Under B one copy follows the other, and as many are under way as the core can hold: with depths of 40, gates alone don't
/// fill the waiting for one. Otherwise a core does nothing but the interleaved copies of this circuit.
fn choose(table: &circuit::Table, known: &[Circuit], ty: Type, goal: Goal) -> Part {
    let Goal { target, copies } = goal;
    let has = |kind| target.instance(kind, ty.direction(), ty.word()).is_some();
    let basis = if has(OpKind::Ternary) { Basis::Three } else { Basis::Two };
    let cost = |circuit: &Circuit| {
        let mut mapped = map::mapped(circuit, basis);
        if basis == Basis::Two && !has(OpKind::AndNot) {
            mapped.gates += complements(circuit);
        }
        let longest = mapped.depth * (target.latency * target.issue) as usize;
        let waiting = match ty.direction() {
            Direction::B => longest * mapped.gates / mapped.gates.max(WAITING),
            _ => longest,
        };
        (waiting.max(mapped.gates * copies), mapped.gates, mapped.depth)
    };
    let known = known.iter().filter(|circuit| circuit.computes(table));
    let known = known.map(|circuit| (circuit.clone(), Origin::Known));
    let all = circuit::circuits_for(table).into_iter().chain(known);
    let usable = all.filter(|(circuit, _)| basis == Basis::Three || !circuit.is_ternary());
    usable.min_by_key(|(circuit, _)| cost(circuit)).expect("there is one of two-input gates")
}

/// How many signals a circuit complements, where no gate does that to an operand.
fn complements(circuit: &Circuit) -> usize {
    let complemented = circuit.gates.iter().filter_map(|gate| match gate {
        Gate::Not(a) | Gate::AndNot(a, _) | Gate::OrNot(a, _) => Some(*a),
        _ => None,
    });
    complemented.collect::<BTreeSet<_>>().len()
}

/// Lays a circuit down on these inputs, its outputs becoming these results.
fn place(
    circuit: &Circuit,
    args: &[ValueId],
    results: &[ValueId],
    func: &mut Func,
    emit: &mut dyn FnMut(Op, &[ValueId], ValueId),
) {
    let ty: Type = func.ty(results[0]);
    let mut signals: Vec<ValueId> = args.to_vec();
    // A gate whose signal is an output defines the first such result; other results copy it.
    let first_gate = signals.len();
    let mut named: Vec<Option<ValueId>> = vec![None; first_gate + circuit.gates.len()];
    for (output, &result) in circuit.outputs.iter().zip(results) {
        if let Output::Signal(signal) = output {
            let name = &mut named[signal.0 as usize];
            if signal.0 as usize >= first_gate && name.is_none() {
                *name = Some(result);
            }
        }
    }
    for (i, gate) in circuit.gates.iter().enumerate() {
        let result = named[first_gate + i].unwrap_or_else(|| func.value(ty));
        let (op, operands) = operation(gate);
        let args: Vec<ValueId> = operands.iter().map(|s| signals[s.0 as usize]).collect();
        emit(op, &args, result);
        signals.push(result);
    }
    for (output, &result) in circuit.outputs.iter().zip(results) {
        match output {
            Output::Constant(bit) => {
                let value = if *bit { crate::core::semantics::mask(ty.bits()) } else { 0 };
                emit(Op::Const(value), &[], result);
            }
            Output::Signal(s) if signals[s.0 as usize] != result => {
                // An input or another result passed through: `x & x`, which simplification removes.
                let value = signals[s.0 as usize];
                emit(Op::And, &[value, value], result);
            }
            Output::Signal(_) => {}
        }
    }
}

fn operation(gate: &Gate) -> (Op, Vec<circuit::Signal>) {
    match *gate {
        Gate::And(a, b) => (Op::And, vec![a, b]),
        Gate::Or(a, b) => (Op::Or, vec![a, b]),
        Gate::Xor(a, b) => (Op::Xor, vec![a, b]),
        Gate::AndNot(a, b) => (Op::AndNot, vec![a, b]),
        Gate::OrNot(a, b) => (Op::OrNot, vec![a, b]),
        Gate::Not(a) => (Op::Not, vec![a]),
        Gate::Ternary(table, operands) => (Op::Ternary(table), operands.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa;

    /// A long way through few gates is waited for where the core can't hold enough of what follows.
    #[test]
    fn depth_counts_as_far_as_it_is_waited_for() {
        let entries = circuit::entries();
        let aes = entries.iter().filter(|entry| entry.name == "aes");
        let smallest = aes
            .map(|entry| &entry.circuit)
            .filter(|circuit| !circuit.is_ternary())
            .min_by_key(|circuit| circuit.size())
            .expect("a circuit");
        let value = |index: u32| {
            let inputs: Vec<bool> = (0..8).rev().map(|bit| index >> bit & 1 == 1).collect();
            smallest.eval(&inputs).iter().fold(0, |value, bit| value << 1 | u32::from(*bit))
        };
        let table =
            circuit::Table { inputs: 8, outputs: 8, entries: (0..256).map(value).collect() };
        let chosen = |target| {
            let goal = Goal { target: isa::find(target).expect("a target"), copies: 1 };
            choose(&table, &[], Type::new(Direction::B, 1), goal).0
        };
        let [in_order, out_of_order] = ["gp32", "avx2"].map(chosen);
        assert_eq!(in_order.size(), smallest.size());
        assert!(out_of_order.size() > smallest.size() && out_of_order.depth() < smallest.depth());
    }
}
