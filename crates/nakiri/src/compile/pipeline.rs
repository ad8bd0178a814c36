//! The story of a kernel: the passes in the order in which they run.

use super::Options;
use crate::core::{Direction, Program};
use crate::pass::{
    bitslice, bytes, fields, halves, inline, interleave, nibbles, operands, pack, products, roll,
    rounds, schedule, select, simplify, stagger, tables, turns,
};

/// What a pass leads to. Passes stand in the order of their stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// No call is left that is to be none; under `P` every value is a row.
    Inlined,
    /// No forall is left; under `B` every value has one bit.
    Sliced,
    /// No table is left, and every operation but logic is one of the target's: circuits are chosen for a number of batches.
    Lowered,
    /// Logic is the target's gates, too.
    Mapped,
    /// So many batches are side by side, in the order of the kernel.
    Ordered,
}

/// A pass: its name (for `--emit after:NAME`) and what it does.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// One line for `nakiri explain passes`.
    pub purpose: &'static str,
    /// The stage that it is a part of.
    pub stage: Stage,
    /// The pass itself.
    pub run: fn(&mut Program, &Options),
}

/// The pass that has been run to see whether `-P` is legal.
pub const PACK: &str = "pack";

/// From the monomorphic program to the kernel.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "lookups",
        purpose: "lookups by bytes become one operation each, but under -B",
        stage: Stage::Inlined,
        run: |program, options| {
            if options.direction != Direction::B {
                bytes::lookups(program);
            }
        },
    },
    Pass {
        name: "inline",
        purpose: "calls become their callees' bodies",
        stage: Stage::Inlined,
        run: |program, options| {
            match options.direction {
                // Rows are found across calls.
                Direction::P => inline::all(program, options.target),
                _ => inline::run(program, options.inline.unwrap_or_default()),
            }
        },
    },
    Pass {
        name: PACK,
        purpose: "under -P the atoms of a row become one value",
        stage: Stage::Inlined,
        run: |program, options| {
            if options.direction == Direction::P {
                let packed = pack::run(program, options.circuits(), options.gather_rows);
                *program = packed.expect("rows were found before");
            }
        },
    },
    Pass {
        name: "roll",
        purpose: "foralls become loops with carried values, or straight-line code",
        stage: Stage::Sliced,
        run: |program, options| roll::run(program, options.unroll.unwrap_or_default()),
    },
    Pass {
        name: "bitslice",
        purpose: "under -B every atom becomes atoms of one bit",
        stage: Stage::Sliced,
        run: |program, options| {
            if options.direction == Direction::B {
                bitslice::run(program, options.unroll.unwrap_or_default());
            }
        },
    },
    Pass {
        name: "tables",
        purpose: "lookup tables become circuits",
        stage: Stage::Lowered,
        run: |program, options| tables::run(program, options.circuits()),
    },
    Pass {
        name: "nibbles",
        purpose: "tables of bytes become tables of sixteen entries, where a target has no wider ones",
        stage: Stage::Lowered,
        run: |program, options| nibbles::run(program, options.target),
    },
    Pass {
        name: "products",
        purpose: "carry-less products of rows become masks and sums, where there is no instruction",
        stage: Stage::Lowered,
        run: |program, options| products::run(program, options.target),
    },
    Pass {
        name: "turns",
        purpose: "turns of SHA-256 become those of four, where there are no instructions of two",
        stage: Stage::Lowered,
        run: |program, options| turns::run(program, options.target),
    },
    Pass {
        name: "simplify",
        purpose: "constants are folded, common and dead code removed",
        stage: Stage::Lowered,
        run: |program, _| simplify::run(program),
    },
    Pass {
        name: "rounds",
        purpose: "rounds of AES become instructions, where there are any",
        stage: Stage::Lowered,
        run: |program, options| rounds::run(program, options.target),
    },
    Pass {
        name: "fields",
        purpose: "shifts, rotations and masks of one word become one, where registers hold several",
        stage: Stage::Lowered,
        run: |program, options| fields::run(program, options.target),
    },
    Pass {
        name: "bytes",
        purpose:
            "what is computed of one byte becomes one table, where there are instructions for that",
        stage: Stage::Lowered,
        run: |program, options| bytes::run(program, options.target),
    },
    Pass {
        name: "halves",
        purpose: "products of what has no more than half a word become one instruction, where there is one",
        stage: Stage::Lowered,
        run: |program, options| halves::run(program, options.target),
    },
    Pass {
        name: "select",
        purpose: "logic is mapped to the target's gates",
        stage: Stage::Mapped,
        run: |program, options| select::run(program, options.target),
    },
    Pass {
        name: "interleave",
        purpose: "several batches side by side in one kernel, if asked for",
        stage: Stage::Ordered,
        run: |program, options| interleave::run(program, options.interleave.unwrap_or_default()),
    },
    Pass {
        name: "schedule",
        purpose: "statements are put in the order asked for",
        stage: Stage::Ordered,
        run: |program, options| {
            schedule::run(program, options.schedule.unwrap_or_default(), options.target);
        },
    },
    Pass {
        name: "stagger",
        purpose: "each batch lags behind the one before, if asked for",
        stage: Stage::Ordered,
        run: |program, options| stagger::run(program, options.interleave.unwrap_or_default()),
    },
    Pass {
        name: "operands",
        purpose: "operands stand where their instruction may overwrite or load them",
        stage: Stage::Ordered,
        run: |program, options| operands::run(program, options.target),
    },
];
