//! What the passes share that join several operations to one of a target.

use super::dead;
use crate::core::{Func, Op, OpKind, Program, Stmt, Type, ValueId};
use crate::isa::Target;

/// Joins in each function what can be joined to operations of one kind; nothing on targets without it.
pub fn run(
    program: &mut Program,
    target: &Target,
    kind: OpKind,
    join: fn(&mut Joiner<'_>, &mut [Stmt]),
) {
    if target.rows().all(|row| row.op != kind) {
        return;
    }
    for func in &mut program.funcs {
        let mut uses = vec![0; func.values.len()];
        func.body.iter().for_each(|stmt| stmt.uses(&mut |value| uses[value.index()] += 1));
        let mut body = std::mem::take(&mut func.body);
        let constants = vec![None; func.values.len()];
        join(&mut Joiner { func, target, uses, constants }, &mut body);
        func.body = body;
        dead::run(func);
    }
}

/// A function while its operations are joined.
pub struct Joiner<'a> {
    /// The function, without its body.
    pub func: &'a Func,
    /// What says which operations there are, and what they cost.
    pub target: &'a Target,
    /// How often each value is read.
    pub uses: Vec<u32>,
    /// The values that are constants.
    pub constants: Vec<Option<u128>>,
}

impl Joiner<'_> {
    /// The constant that a value is.
    pub fn constant(&self, value: ValueId) -> Option<u128> {
        self.constants[value.index()]
    }

    /// How many instructions an operation is.
    pub fn work(&self, op: &Op, ty: Type) -> usize {
        let row = self.target.select(op, ty.direction(), ty.word());
        row.map_or(0, |row| row.instructions())
    }
}
