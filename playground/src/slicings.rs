//! In which slicings a node can be built for which targets, and what forbids the others.

use crate::document::Read;
use nakiri::compile::legality::{cell, Cell};
use nakiri::compile::Options;
use nakiri::core::Direction;
use nakiri::isa;
use serde_json::{json, Value};

/// A row for each target that is of use, with a cell for each slicing.
///
/// # Errors
/// That the program has errors.
pub fn table(read: &Read) -> Result<Value, String> {
    let program = read.program()?;
    let slicings = [Direction::B, Direction::V, Direction::H, Direction::P];
    let targets = isa::all().iter().filter(|target| target.serves(program));
    let rows = targets.map(|target| {
        let cells = slicings.map(|slicing| match cell(program, Options::new(slicing, target)) {
            Cell::Legal { blocks, direction } => {
                json!({ "blocks": blocks, "slicing": format!("{direction:?}") })
            }
            Cell::Forbidden(reasons) | Cell::Absent(reasons) => {
                json!({ "why": read.diagnostics(&reasons) })
            }
        });
        json!({ "target": target.name, "cells": cells })
    });
    Ok(json!({
        "entry": program.entry().name,
        "slicings": slicings.map(|slicing| format!("{slicing:?}")),
        "rows": rows.collect::<Vec<_>>(),
    }))
}
