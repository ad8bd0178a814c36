//! Whether a program can be built in a slicing for a target.

use nakiri::compile::{self, Options};
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::pass::pack;

/// Whether a slicing is legal for a target.
#[derive(Clone, Debug)]
pub enum Cell {
    /// It is, and so many blocks are processed at once, in this direction.
    Legal {
        /// How many.
        blocks: u32,
        /// The direction that the program itself asks for, or else the one of the options.
        direction: Direction,
    },
    /// It is not.
    Forbidden(Vec<Diagnostic>),
    /// The target has no such slicing at all.
    Absent(Vec<Diagnostic>),
}

/// Whether a program can be built so.
pub fn cell(program: &Program, options: Options) -> Cell {
    match compile::specialize(program, &options) {
        Err(reasons) if options.target.has_direction(options.direction) => Cell::Forbidden(reasons),
        Err(reasons) => Cell::Absent(reasons),
        Ok(mono) => {
            let entry = mono.entry();
            let port = entry.params.iter().chain(&entry.results).next();
            let direction = port.map_or(options.direction, |port| port.ty.direction());
            let blocks = port.map_or(1, |port| match direction {
                Direction::P => pack::lanes(options.target, port),
                _ => options.target.lanes(direction, port.ty.bits()),
            });
            Cell::Legal { blocks, direction }
        }
    }
}
