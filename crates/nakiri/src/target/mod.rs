//! What a target says: its registers and, for each operation, direction and word size, the instruction that
//! computes it. One table file per target; no other module asks which target it is.

use crate::core::{Direction, OpKind};
use crate::layout;

/// A target.
#[derive(Debug)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for `nakiri targets`.
    pub title: &'static str,
    /// Bits of a register.
    pub bits: u32,
    /// Number of registers that a kernel can use.
    pub registers: u32,
    /// CPU features that it needs beyond x86-64, as `__builtin_cpu_supports` names them.
    pub features: &'static [&'static str],
    /// Whether vertical atoms lie several to a register; otherwise one atom fills one register of its own width.
    pub simd: bool,
    /// How its registers are written in C.
    pub c: C,
    /// Its operations.
    pub instances: &'static [Instance],
}

/// How a target's registers are written in C.
#[derive(Debug)]
pub struct C {
    /// The argument of `__attribute__((target(…)))`, if one is needed.
    pub attribute: Option<&'static str>,
}

/// An operation that a target has.
#[derive(Debug)]
pub struct Instance {
    /// Which.
    pub op: OpKind,
    /// For atoms of this direction.
    pub direction: Direction,
    /// For atoms of these widths.
    pub widths: &'static [u16],
    /// The C expression.
    pub c: &'static str,
}

impl Target {
    /// The instruction for an operation on atoms of a direction and width.
    pub fn instance(
        &self,
        op: OpKind,
        direction: Direction,
        width: u16,
    ) -> Option<&'static Instance> {
        self.instances
            .iter()
            .find(|i| i.op == op && i.direction == direction && i.widths.contains(&width))
    }

    /// How many blocks a kernel processes at once.
    pub fn lanes(&self, direction: Direction, width: u16) -> u32 {
        let scalar = !self.simd && direction != Direction::B;
        layout::lanes(direction, width, if scalar { u32::from(width) } else { self.bits })
    }
}

/// All targets, narrowest first.
pub fn all() -> &'static [&'static Target] {
    &[]
}

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    all().iter().copied().find(|target| target.name == name)
}
