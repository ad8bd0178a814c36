//! The story of a kernel: the passes in the order in which they run.

use super::{bitslice, inline, roll, select, simplify, tables};
use crate::core::{Direction, Program};
use crate::target::Target;

/// What the passes are told.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The direction that the program is sliced for.
    pub direction: Direction,
    /// The target that it is lowered to.
    pub target: &'static Target,
    /// Which foralls become loops.
    pub unroll: roll::Unroll,
}

/// A pass: its name (for `--emit after:NAME`) and what it does.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// One line for `nakiri explain passes`.
    pub purpose: &'static str,
    /// The pass itself.
    pub run: fn(&mut Program, &Settings),
}

/// From the monomorphic program to the kernel.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "inline",
        purpose: "calls become their callees' bodies",
        run: |program, _| inline::run(program),
    },
    Pass {
        name: "roll",
        purpose: "foralls become loops with carried values, or straight-line code",
        run: |program, settings| roll::run(program, settings.unroll),
    },
    Pass {
        name: "bitslice",
        purpose: "under -B every atom becomes atoms of one bit",
        run: |program, settings| {
            if settings.direction == Direction::B {
                bitslice::run(program);
            }
        },
    },
    Pass {
        name: "tables",
        purpose: "lookup tables become circuits",
        run: |program, _| tables::run(program),
    },
    Pass {
        name: "simplify",
        purpose: "constants are folded, common and dead code removed",
        run: |program, _| simplify::run(program),
    },
    Pass {
        name: "select",
        purpose: "logic is mapped to the target's gates",
        run: |program, settings| select::run(program, settings.target),
    },
];
