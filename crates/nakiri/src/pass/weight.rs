//! How much code something becomes, before it is known exactly.

use crate::core::{Direction, Func, Op, Port, Stmt, Type};

/// How much code a statement becomes, in instructions, roughly: a table of k inputs costs a quarter of its entries
/// for each output, and bitslicing does everything once for each bit of an atom: a table of a word is one of its bits.
pub fn weight(stmt: &Stmt, func: &Func) -> usize {
    let mut weight = 0;
    stmt.instrs(&mut |instr| {
        let registers = instr.results.first().map_or(0, |result| registers(func.ty(*result)));
        weight += match instr.op {
            Op::Table(_) => registers * table(instr.args.len(), instr.results.len()),
            Op::Lookup(_) => table(registers, registers),
            Op::Load(..) | Op::Const(_) => 0,
            _ => registers,
        };
    });
    weight
}

/// How much code a table of so many inputs and outputs becomes.
fn table(inputs: usize, outputs: usize) -> usize {
    outputs << inputs.saturating_sub(2).min(16)
}

/// How many registers the ports of a function take.
pub fn interface(func: &Func) -> usize {
    let port = |port: &Port| port.count() as usize * registers(port.ty);
    func.params.iter().chain(&func.results).map(port).sum()
}

/// How many registers an atom takes.
fn registers(ty: Type) -> usize {
    usize::from(if ty.direction() == Direction::B { ty.bits() } else { 1 })
}
