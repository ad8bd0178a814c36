//! What a synthesizer leaves of a module: ports, cells and names of nets, each net one bit.

use crate::source::Span;
use std::collections::BTreeSet;

/// A bit of a port or pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bit {
    /// Always 0.
    Zero,
    /// Always 1.
    One,
    /// Nothing depends on it; it is taken for 0.
    Unknown,
    /// What the net of this number carries.
    Net(u32),
}

impl Bit {
    /// The number of its net, if it is no constant.
    pub fn net(&self) -> Option<u32> {
        match self {
            Bit::Net(net) => Some(*net),
            _ => None,
        }
    }
}

/// Where the bits of a port go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
    /// Both.
    Both,
}

/// A port of the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its direction.
    pub direction: Direction,
    /// Its bits, the least significant first.
    pub bits: Vec<Bit>,
    /// Where it is declared.
    pub span: Span,
}

/// An instance of a gate, a flip-flop, or of something that is neither.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its type, as Yosys names it: `$_AND_`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its pins with their bits, the least significant first.
    pub pins: Vec<(String, Vec<Bit>)>,
    /// The source that it was made from.
    pub span: Span,
}

impl Cell {
    /// The net that carries what a flip-flop holds.
    pub fn stored(&self) -> Option<u32> {
        match self.pins.iter().find(|(pin, _)| pin == "Q").map(|(_, bits)| &bits[..]) {
            Some([bit]) => bit.net(),
            _ => None,
        }
    }
}

/// A memory that is read at once and never written: a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rom {
    /// Its name.
    pub name: String,
    /// The address, the least significant bit first; at most [`MOST_ADDRESS`] bits.
    pub address: Vec<Bit>,
    /// What is read, the least significant bit first; at most 128 bits.
    pub data: Vec<Bit>,
    /// The word at each address.
    pub words: Vec<u128>,
    /// The source that it was made from.
    pub span: Span,
}

/// The most bits of a table's address.
pub const MOST_ADDRESS: usize = 8;

/// The most cells of a netlist, and the most names: of more a program would take memory and hours, and no C compiler would
/// take that.
pub const MOST_CELLS: usize = 1 << 20;

/// The name of some bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name.
    pub name: String,
    /// Whether it is the synthesizer's own.
    pub hidden: bool,
    /// The bits, the least significant first.
    pub bits: Vec<Bit>,
    /// What the bits are when power comes, where the source says it.
    pub init: Vec<Option<bool>>,
    /// Where it is declared.
    pub span: Span,
}

/// A module without modules inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Netlist {
    /// The module's name.
    pub name: String,
    /// Where it is defined.
    pub span: Span,
    /// Its ports, in the order of the source.
    pub ports: Vec<Port>,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Its tables.
    pub roms: Vec<Rom>,
    /// The names of its nets.
    pub names: Vec<Name>,
}

impl Netlist {
    /// One more than the greatest number of a net.
    pub fn nets(&self) -> usize {
        let ports = self.ports.iter().flat_map(|port| &port.bits);
        let pins = self.cells.iter().flat_map(|cell| &cell.pins).flat_map(|(_, bits)| bits);
        let names = self.names.iter().flat_map(|name| &name.bits);
        let roms = self.roms.iter().flat_map(|rom| rom.address.iter().chain(&rom.data));
        let nets = ports.chain(pins).chain(roms).chain(names).map(|bit| match bit {
            Bit::Net(net) => *net as usize + 1,
            _ => 0,
        });
        nets.max().unwrap_or(0)
    }

    /// For each net whether something drives it.
    pub fn driven(&self) -> Vec<bool> {
        let inputs = self.ports.iter().filter(|port| port.direction != Direction::Output);
        let outputs = self.cells.iter().flat_map(|cell| &cell.pins);
        let outputs = outputs.filter(|(pin, _)| matches!(pin.as_str(), "Y" | "Q"));
        let bits = inputs.map(|port| &port.bits).chain(outputs.map(|(_, bits)| bits));
        let mut driven = vec![false; self.nets()];
        for net in bits.chain(self.roms.iter().map(|rom| &rom.data)).flatten().filter_map(Bit::net)
        {
            driven[net as usize] = true;
        }
        driven
    }

    /// Puts something in place of nets, wherever they are read.
    pub fn replace(&mut self, with: &dyn Fn(u32) -> Option<Bit>) {
        let pins = self.cells.iter_mut().flat_map(|cell| &mut cell.pins).map(|(_, bits)| bits);
        let ports = self.ports.iter_mut().map(|port| &mut port.bits);
        let addresses = self.roms.iter_mut().map(|rom| &mut rom.address);
        for bit in pins.chain(ports).chain(addresses).flatten() {
            *bit = bit.net().and_then(with).unwrap_or(*bit);
        }
    }

    /// Takes what nothing drives for a constant, and gives the names of it with the places where they are declared. Functions of
    /// simulators, which a synthesizer takes for nets, stay.
    pub fn tie_undriven(&mut self, value: Bit) -> Vec<(String, Span)> {
        let driven = self.driven();
        let read = self.cells.iter().flat_map(|cell| &cell.pins).flat_map(|(_, bits)| bits);
        let read = read.chain(self.ports.iter().flat_map(|port| &port.bits));
        let read = read.chain(self.roms.iter().flat_map(|rom| &rom.address));
        let free: BTreeSet<u32> =
            read.filter_map(Bit::net).filter(|net| !driven[*net as usize]).collect();
        let mut tied = BTreeSet::new();
        let mut names: Vec<(String, Span)> = Vec::new();
        for net in free {
            let (name, span) =
                self.name_of(net).unwrap_or_else(|| (format!("net {net}"), self.span));
            if name.trim_start_matches('\\').starts_with('$') {
                continue;
            }
            tied.insert(net);
            let word = name.split_once('[').map_or(&*name, |(word, _)| word).to_string();
            if !names.iter().any(|(known, _)| *known == word) {
                names.push((word, span));
            }
        }
        self.replace(&|net| tied.contains(&net).then_some(value));
        names
    }

    /// What the source calls a net, and where it declares it: by a name of its own before one of the synthesizer's.
    pub fn name_of(&self, net: u32) -> Option<(String, Span)> {
        let place = |name: &Name| name.bits.iter().position(|bit| *bit == Bit::Net(net));
        let found = self.names.iter().filter_map(|name| place(name).map(|bit| (name, bit)));
        let (name, bit) = found.min_by_key(|(name, _)| name.hidden)?;
        Some(match name.bits.len() {
            1 => (name.name.clone(), name.span),
            _ => (format!("{}[{bit}]", name.name), name.span),
        })
    }
}
