//! Tables that a source writes as multiplexers of constants: they become memories, which are compiled as tables.

mod truth;

use super::json::{self, JsonCell, Members, Words};
use nakiri::verilog::netlist::{Bit, MOST_ADDRESS};
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::collections::{BTreeSet, HashSet};
use truth::{Column, Cone};

/// The fewest bits that select a word: of fewer there are few gates anyway.
const LEAST_ADDRESS: usize = 4;
/// The most bits of a word.
const MOST_DATA: usize = 128;
/// The most cells of a table.
const MOST_CELLS: usize = 4096;

/// A multiplexer that reads constants alone.
struct Table {
    /// The name of its cell.
    cell: String,
    /// What selects, the least significant bit first.
    address: Vec<u32>,
    /// What is selected, a column each bit.
    columns: Vec<Column>,
}

/// The module of words `text` with memories for multiplexers whose data are constants; `None` if it has none.
pub fn with_memories(text: &str) -> Option<String> {
    let words = json::words(text)?;
    let tables = find(&words);
    if tables.is_empty() {
        return None;
    }
    let mut file: File = serde_json::from_str(text).ok()?;
    let cells = &mut file.modules.0.first_mut()?.1.cells.0;
    for (number, table) in tables.iter().enumerate() {
        let (_, cell) = cells.iter_mut().find(|(name, _)| *name == table.cell)?;
        let memory = table.memory(number, cell["connections"]["Y"].take());
        for (key, value) in memory.as_object()? {
            cell[key] = value.clone();
        }
    }
    serde_json::to_string(&file).ok()
}

/// A netlist of words as text, in which the order of ports is that of the source.
#[derive(Deserialize, Serialize)]
struct File {
    modules: Members<Module>,
}

#[derive(Deserialize, Serialize)]
struct Module {
    #[serde(default)]
    attributes: Value,
    #[serde(default)]
    ports: Members<Value>,
    cells: Members<Value>,
    #[serde(default)]
    netnames: Members<Value>,
}

impl Table {
    /// Its memory, as Yosys writes memories.
    fn memory(&self, number: usize, data: Value) -> Value {
        let (size, width) = (1usize << self.address.len(), self.columns.len());
        let digit =
            |at: usize| if truth::at(&self.columns[at % width], at / width) { '1' } else { '0' };
        let init: String = (0..size * width).rev().map(digit).collect();
        let count = |number: usize| format!("{number:032b}");
        let unknown = "x".repeat(width);
        json!({
            "type": "$mem_v2",
            "parameters": {
                "ABITS": count(self.address.len()), "INIT": init, "MEMID": format!("\\nakiri_table{number}"),
                "OFFSET": count(0), "RD_ARST_VALUE": unknown, "RD_CE_OVER_SRST": "0", "RD_CLK_ENABLE": "0",
                "RD_CLK_POLARITY": "0", "RD_COLLISION_X_MASK": "0", "RD_INIT_VALUE": unknown, "RD_PORTS": count(1),
                "RD_SRST_VALUE": unknown, "RD_TRANSPARENCY_MASK": "0", "RD_WIDE_CONTINUATION": "0",
                "SIZE": count(size), "WIDTH": count(width), "WR_CLK_ENABLE": "0", "WR_CLK_POLARITY": "0",
                "WR_PORTS": count(0), "WR_PRIORITY_MASK": "0", "WR_WIDE_CONTINUATION": "0",
            },
            "port_directions": {
                "RD_ADDR": "input", "RD_ARST": "input", "RD_CLK": "input", "RD_DATA": "output", "RD_EN": "input",
                "RD_SRST": "input", "WR_ADDR": "input", "WR_CLK": "input", "WR_DATA": "input", "WR_EN": "input",
            },
            "connections": {
                "RD_ADDR": self.address, "RD_ARST": ["0"], "RD_CLK": ["x"], "RD_DATA": data, "RD_EN": ["1"],
                "RD_SRST": ["0"], "WR_ADDR": [], "WR_CLK": [], "WR_DATA": [], "WR_EN": [],
            },
        })
    }
}

/// The multiplexers of constants that no other such multiplexer reads, in the order of the text.
fn find(words: &Words) -> Vec<Table> {
    let cone = Cone::new(words);
    let mut inner: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    // A multiplexer stands before what it reads as often as behind it.
    for (number, (name, cell)) in words.cells.iter().enumerate() {
        if !is_multiplexer(cell) || inner.contains(&number) {
            continue;
        }
        let Some(read) = Read::of(&cone, number) else { continue };
        inner.extend(read.cells.iter().filter(|cell| **cell != number));
        found.push((number, name, read));
    }
    found.retain(|(number, _, _)| !inner.contains(number));
    let tables = found.into_iter().filter_map(|(number, name, read)| {
        let columns = cone.columns(number, &read.address)?;
        Some(Table { cell: name.clone(), address: read.address, columns })
    });
    tables.collect()
}

/// What a multiplexer of constants is made of.
struct Read {
    address: Vec<u32>,
    /// It and all that it reads up to the address.
    cells: HashSet<usize>,
}

impl Read {
    /// What a multiplexer reads, if that are constants, selected by few bits.
    fn of(cone: &Cone, root: usize) -> Option<Read> {
        let width = cone.cell(root).pin("Y")?.len();
        if width > MOST_DATA {
            return None;
        }
        // Nets with whether they are data. What selects is followed through comparisons, and ends elsewhere.
        let mut open: Vec<(u32, bool)> =
            cone.cell(root).pin("Y")?.iter().filter_map(Bit::net).map(|net| (net, true)).collect();
        let mut seen: HashSet<(u32, bool)> = HashSet::new();
        let mut cells = HashSet::new();
        let mut selects: BTreeSet<u32> = BTreeSet::new();
        let mut data: BTreeSet<u32> = BTreeSet::new();
        let mut operands: Vec<Vec<u32>> = Vec::new();
        while let Some((net, is_data)) = open.pop() {
            if !seen.insert((net, is_data)) {
                continue;
            }
            let driver = cone.driver(net).filter(|cell| match is_multiplexer(cone.cell(*cell)) {
                true => is_data,
                false => is_comparison(cone.cell(*cell)),
            });
            let Some(number) = driver else {
                let leaves = if is_data { &mut data } else { &mut selects };
                leaves.insert(net);
                if leaves.len() > MOST_ADDRESS {
                    return None;
                }
                continue;
            };
            let cell = cone.cell(number);
            cells.insert(number);
            if cells.len() > MOST_CELLS {
                return None;
            }
            for (pin, bits) in cell.inputs() {
                let is_data = is_data && is_multiplexer(cell) && is_data_pin(cell, pin);
                let nets: Vec<u32> = bits.iter().filter_map(Bit::net).collect();
                open.extend(nets.iter().map(|net| (*net, is_data)));
                if !is_data {
                    operands.push(nets);
                }
            }
        }
        // Data may be what selects, where a constant of one bit each has become that.
        if !data.is_subset(&selects) || !(LEAST_ADDRESS..=MOST_ADDRESS).contains(&selects.len()) {
            return None;
        }
        // Tables are known by the order of their bits, which is that of the widest operand.
        operands.retain(|operand| operand.iter().all(|net| selects.contains(net)));
        let widest = operands.iter().max_by_key(|operand| operand.len());
        let mut address: Vec<u32> = Vec::new();
        for net in widest.into_iter().flatten().chain(&selects) {
            if !address.contains(net) {
                address.push(*net);
            }
        }
        Some(Read { address, cells })
    }
}

/// Whether a cell selects data.
fn is_multiplexer(cell: &JsonCell) -> bool {
    matches!(cell.kind.as_str(), "$mux" | "$pmux" | "$bmux" | "$shiftx" | "$shr")
}

/// Whether a pin of a multiplexer is what it selects from.
fn is_data_pin(cell: &JsonCell, pin: &str) -> bool {
    pin == "A" || pin == "B" && matches!(cell.kind.as_str(), "$mux" | "$pmux")
}

/// Whether a cell makes a bit of what selects.
fn is_comparison(cell: &JsonCell) -> bool {
    match cell.kind.as_str() {
        "$eq" | "$eqx" | "$ne" | "$nex" | "$logic_not" | "$logic_and" | "$logic_or"
        | "$reduce_and" | "$reduce_or" | "$reduce_bool" => true,
        "$not" | "$and" | "$or" => cell.pin("Y").is_some_and(|bits| bits.len() == 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with cells, each a kind, its pins, and parameters that say that its operands have no sign.
    fn module(cells: &[(&str, Value)]) -> String {
        let cells: serde_json::Map<String, Value> = cells
            .iter()
            .enumerate()
            .map(|(number, (kind, pins))| {
                let directions: serde_json::Map<String, Value> = pins
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(pin, _)| {
                        (pin.clone(), Value::from(if pin == "Y" { "output" } else { "input" }))
                    })
                    .collect();
                let cell =
                    json!({"type": kind, "port_directions": directions, "connections": pins});
                (format!("cell{number:03}"), cell)
            })
            .collect();
        json!({"modules": {"top": {"cells": cells}}}).to_string()
    }

    fn digits(number: u32, width: u32) -> Vec<String> {
        (0..width).map(|bit| (number >> bit & 1).to_string()).collect()
    }

    fn word(x: u32) -> u32 {
        (x * 7 + 3) & 15
    }

    /// The table of [`word`] over four bits, as comparisons and a multiplexer of each, with `last` where none holds.
    fn chain(last: Value) -> Vec<(&'static str, Value)> {
        let mut cells = Vec::new();
        let mut below = last;
        for x in (0..16).rev() {
            let (is, out) = (100 + x, 200 + 4 * x);
            let out: Vec<u32> = (out..out + 4).collect();
            cells.push(("$eq", json!({"A": [10, 11, 12, 13], "B": digits(x, 4), "Y": [is]})));
            cells.push((
                "$mux",
                json!({"A": below, "B": digits(word(x), 4), "S": [is], "Y": out.clone()}),
            ));
            below = json!(out);
        }
        cells
    }

    fn check(text: &str, address: &Value) {
        let made: Value =
            serde_json::from_str(&with_memories(text).expect("a table")).expect("JSON");
        let cells = made["modules"]["top"]["cells"].as_object().expect("cells");
        let memories: Vec<&Value> =
            cells.values().filter(|cell| cell["type"] == "$mem_v2").collect();
        assert_eq!(memories.len(), 1);
        assert_eq!(memories[0]["connections"]["RD_ADDR"], *address);
        let init: String = (0..16).rev().map(|x| format!("{:04b}", word(x))).collect();
        assert_eq!(memories[0]["parameters"]["INIT"], init);
    }

    #[test]
    fn chains_of_comparisons_are_tables() {
        check(&module(&chain(json!(["0", "0", "x", "x"]))), &json!([10, 11, 12, 13]));
        // What would select it never does.
        check(&module(&chain(json!(["0", "1", 13, "1"]))), &json!([10, 11, 12, 13]));
        assert_eq!(with_memories(&module(&chain(json!(["0", "1", 50, "1"])))), None);
    }

    #[test]
    fn parallel_multiplexers_and_shifts_are_tables() {
        let mut cells: Vec<(&str, Value)> = (0..16)
            .map(|x| ("$eq", json!({"A": [13, 12, 11, 10], "B": digits(x, 4), "Y": [100 + x]})))
            .collect();
        let data: Vec<String> = (0..16).flat_map(|x| digits(word(x), 4)).collect();
        let all: Vec<u32> = (100..116).collect();
        let out = [300, 301, 302, 303];
        cells.push((
            "$pmux",
            json!({"A": ["x", "x", "x", "x"], "B": data.clone(), "S": all, "Y": out}),
        ));
        check(&module(&cells), &json!([13, 12, 11, 10]));
        let shift = ("$shiftx", json!({"A": data, "B": ["0", "0", 10, 11, 12, 13], "Y": out}));
        check(&module(&[shift]), &json!([10, 11, 12, 13]));
    }

    #[test]
    fn multiplexers_of_data_are_none() {
        let mux = json!({"A": [20, 21, 22, 23], "B": [24, 25, 26, 27], "S": [10], "Y": [300, 301, 302, 303]});
        assert_eq!(with_memories(&module(&[("$mux", mux)])), None);
    }
}
