//! Registers that begin unknown in a simulation, made known: hardware has 0 or 1 where a simulator has neither, and an `if`
//! on what is neither takes its `else`, as no hardware does.

use crate::simulate::Simulator;
use nakiri::verilog::netlist::Cell;
use nakiri::verilog::Netlist;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What some registers hold before a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The tick, from 0.
    pub tick: usize,
    /// The words in which they are.
    pub words: Vec<Word>,
}

/// A bit that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its value.
    pub value: bool,
    /// Whether it is given though the simulation knows the bit.
    pub always: bool,
}

/// A word of which some bits are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its name, with the names of the instances in which it is, as a synthesizer joins them: `core.state.count`.
    pub name: String,
    /// Its bits, the least significant first; none is given where it keeps its value.
    pub bits: Vec<Option<Given>>,
}

impl Preset {
    /// The words of the source that hold some registers, by the nets that carry these. A register that has no name which can
    /// be written in Verilog is left as it is.
    pub fn of(netlist: &Netlist, registers: &BTreeMap<u32, Given>, tick: usize) -> Preset {
        let names = netlist.names.iter().filter(|name| !name.hidden && is_path(&name.name));
        let words = names.map(|name| {
            let value = |net: u32| registers.get(&net).copied();
            let bits = name.bits.iter().map(|bit| bit.net().and_then(value));
            Word { name: name.name.clone(), bits: bits.collect() }
        });
        Preset { tick, words: words.filter(|word| word.bits.iter().any(Option::is_some)).collect() }
    }

    /// The statements that an event `preset` starts, for the instance `dut`.
    pub(crate) fn statements(&self, simulator: Simulator) -> String {
        let mut text = String::new();
        for (number, Word { name, bits }) in self.words.iter().enumerate() {
            let last = bits.len() - 1;
            let _ = write!(
                text,
                "            reg [{last}:0] word{number};\n            always @(preset) begin\n                \
                 word{number} = dut.{name};\n"
            );
            for (bit, value) in bits.iter().enumerate() {
                let Some(Given { value, always }) = value else { continue };
                let unknown = match always {
                    true => String::new(),
                    false => format!("if (word{number}[{bit}] === 1'bx) "),
                };
                let value = u8::from(*value);
                let _ =
                    writeln!(text, "                {unknown}word{number}[{bit}] = 1'b{value};");
            }
            // `$deposit` takes no words of memories, and Verilator doesn't know it.
            let _ = match name.ends_with(']') || simulator == Simulator::Verilator {
                true => writeln!(text, "                dut.{name} = word{number};"),
                false => writeln!(text, "                $deposit(dut.{name}, word{number});"),
            };
            text += "            end\n";
        }
        text
    }
}

/// The registers of a netlist, by the nets that carry them, as another one has them that has the same cells.
pub fn carried_over(
    registers: &BTreeMap<u32, Given>,
    from: &Netlist,
    to: &Netlist,
) -> BTreeMap<u32, Given> {
    let cells = from.cells.iter().filter_map(|cell| {
        let value = registers.get(&cell.stored()?)?;
        Some((cell.name.as_str(), *value))
    });
    let values: BTreeMap<&str, Given> = cells.collect();
    let value = |cell: &Cell| values.get(cell.name.as_str()).copied();
    to.cells.iter().filter_map(|cell| cell.stored().zip(value(cell))).collect()
}

/// Whether a name is one that Verilog writes without escaping it.
fn is_path(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_$[]".contains(c);
    let begins = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    name.split('.').all(|part| begins(part) && part.chars().all(plain))
}
