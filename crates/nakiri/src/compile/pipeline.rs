//! The story of a kernel: the passes in the order in which they run.

use super::Options;
use crate::core::{Direction, Program};
use crate::pass::{
    bitslice, bytes, fields, inline, interleave, operands, pack, roll, schedule, select, simplify,
    stagger, tables,
};

/// A pass: its name (for `--emit after:NAME`) and what it does.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// One line for `nakiri explain passes`.
    pub purpose: &'static str,
    /// The pass itself.
    pub run: fn(&mut Program, &Options),
}

/// The first pass that depends on interleaving or order: those before it do the same for all of these choices.
pub const ORDERING: &str = "interleave";

/// The pass that makes loops of foralls.
pub const LOOPS: &str = "roll";

/// From the monomorphic program to the kernel.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "lookups",
        purpose: "lookups by bytes become one operation each, but under -B",
        run: |program, options| {
            if options.direction != Direction::B {
                bytes::lookups(program);
            }
        },
    },
    Pass {
        name: "inline",
        purpose: "calls become their callees' bodies",
        run: |program, options| {
            match options.direction {
                // Rows are found across calls.
                Direction::P => inline::all(program),
                _ => inline::run(program, options.inline.unwrap_or_default()),
            }
        },
    },
    Pass {
        name: "pack",
        purpose: "under -P the atoms of a row become one value",
        run: |program, options| {
            if options.direction == Direction::P {
                pack::run(program, options.circuits());
            }
        },
    },
    Pass {
        name: "roll",
        purpose: "foralls become loops with carried values, or straight-line code",
        run: |program, options| roll::run(program, options.unroll.unwrap_or_default()),
    },
    Pass {
        name: "bitslice",
        purpose: "under -B every atom becomes atoms of one bit",
        run: |program, options| {
            if options.direction == Direction::B {
                bitslice::run(program, options.unroll.unwrap_or_default());
            }
        },
    },
    Pass {
        name: "tables",
        purpose: "lookup tables become circuits",
        run: |program, options| tables::run(program, options.circuits()),
    },
    Pass {
        name: "simplify",
        purpose: "constants are folded, common and dead code removed",
        run: |program, _| simplify::run(program),
    },
    Pass {
        name: "fields",
        purpose: "shifts, rotations and masks of one word become one, where registers hold several",
        run: |program, options| fields::run(program, options.target),
    },
    Pass {
        name: "bytes",
        purpose:
            "what is computed of one byte becomes one table, where there are instructions for that",
        run: |program, options| bytes::run(program, options.target),
    },
    Pass {
        name: "select",
        purpose: "logic is mapped to the target's gates",
        run: |program, options| select::run(program, options.target),
    },
    Pass {
        name: "interleave",
        purpose: "several batches side by side in one kernel, if asked for",
        run: |program, options| interleave::run(program, options.interleave.unwrap_or_default()),
    },
    Pass {
        name: "schedule",
        purpose: "statements are put in the order asked for",
        run: |program, options| {
            schedule::run(program, options.schedule.unwrap_or_default(), options.target);
        },
    },
    Pass {
        name: "stagger",
        purpose: "each batch lags behind the one before, if asked for",
        run: |program, options| stagger::run(program, options.interleave.unwrap_or_default()),
    },
    Pass {
        name: "operands",
        purpose: "operands stand where their instruction may overwrite or load them",
        run: |program, options| operands::run(program, options.target),
    },
];
