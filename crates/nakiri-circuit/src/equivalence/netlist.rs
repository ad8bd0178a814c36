//! A netlist as a network, by a reading of Yosys' cell library that has nothing in common with the compiler's.

use super::program::function;
use nakiri::map::{self, Literal, Network};
use nakiri::verilog::netlist::{Bit, Cell, Netlist};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nets of a module as functions of its inputs and of what its registers hold.
pub struct Nets<'a> {
    netlist: &'a Netlist,
    /// For each net the cell that drives it.
    drivers: FxHashMap<u32, usize>,
    /// For each net that a table gives the table, and the bit of its words.
    tables: FxHashMap<u32, (usize, usize)>,
    values: FxHashMap<u32, Literal>,
    stored: &'a FxHashMap<u32, Literal>,
}

/// The output of a gate, for the values of its pins.
type Function = fn(&[bool]) -> bool;

/// The gates of Yosys' internal library: type, pins, output.
const GATES: &[(&str, &[&str], Function)] = &[
    ("$_BUF_", &["A"], |p| p[0]),
    ("$_NOT_", &["A"], |p| !p[0]),
    ("$_AND_", &["A", "B"], |p| p[0] && p[1]),
    ("$_NAND_", &["A", "B"], |p| !(p[0] && p[1])),
    ("$_OR_", &["A", "B"], |p| p[0] || p[1]),
    ("$_NOR_", &["A", "B"], |p| !(p[0] || p[1])),
    ("$_XOR_", &["A", "B"], |p| p[0] != p[1]),
    ("$_XNOR_", &["A", "B"], |p| p[0] == p[1]),
    ("$_ANDNOT_", &["A", "B"], |p| p[0] && !p[1]),
    ("$_ORNOT_", &["A", "B"], |p| p[0] || !p[1]),
    ("$_MUX_", &["A", "B", "S"], |p| if p[2] { p[1] } else { p[0] }),
    ("$_NMUX_", &["A", "B", "S"], |p| if p[2] { !p[1] } else { !p[0] }),
    ("$_AOI3_", &["A", "B", "C"], |p| !(p[0] && p[1] || p[2])),
    ("$_OAI3_", &["A", "B", "C"], |p| !((p[0] || p[1]) && p[2])),
    ("$_AOI4_", &["A", "B", "C", "D"], |p| !(p[0] && p[1] || p[2] && p[3])),
    ("$_OAI4_", &["A", "B", "C", "D"], |p| !((p[0] || p[1]) && (p[2] || p[3]))),
];

/// The names of flip-flops without edges and levels, how many letters these are, and what the letters after the first,
/// which is the clock's edge, say: the level of `R`, `S`, `L` or `E`, or the value `v` that `R` gives.
const FLIP_FLOPS: &[(&str, &str)] = &[
    ("DFF", ""),
    ("DFF", "Rv"),
    ("DFFE", "E"),
    ("DFFE", "RvE"),
    ("SDFF", "Rv"),
    ("SDFFE", "RvE"),
    ("SDFFCE", "RvE"),
    ("DFFSR", "SR"),
    ("DFFSRE", "SRE"),
    ("ALDFF", "L"),
    ("ALDFFE", "LE"),
];

impl<'a> Nets<'a> {
    /// The nets of a module. `inputs` has the literals of each net that is a bit of an input, and `stored` of each that a
    /// flip-flop drives.
    pub fn new(
        netlist: &'a Netlist,
        inputs: FxHashMap<u32, Literal>,
        stored: &'a FxHashMap<u32, Literal>,
    ) -> Nets<'a> {
        let mut drivers = FxHashMap::default();
        for (number, cell) in netlist.cells.iter().enumerate() {
            for (pin, bits) in &cell.pins {
                if let ("Y" | "Q", [Bit::Net(net)]) = (pin.as_str(), &bits[..]) {
                    drivers.insert(*net, number);
                }
            }
        }
        let mut tables = FxHashMap::default();
        for (number, rom) in netlist.roms.iter().enumerate() {
            for (bit, net) in rom.data.iter().enumerate() {
                if let Bit::Net(net) = net {
                    tables.insert(*net, (number, bit));
                }
            }
        }
        Nets { netlist, drivers, tables, values: inputs, stored }
    }

    /// What a bit carries during a tick. What nothing drives is 0.
    ///
    /// # Errors
    /// The type of a cell that isn't known.
    pub fn bit(&mut self, bit: Bit, network: &mut Network) -> Result<Literal, String> {
        let net = match bit {
            Bit::Zero | Bit::Unknown => return Ok(Literal::FALSE),
            Bit::One => return Ok(constant(true)),
            Bit::Net(net) => net,
        };
        // Chains of gates are longer than the stack is deep.
        let mut waiting = vec![net];
        while let Some(&net) = waiting.last() {
            let table = self.tables.get(&net).filter(|_| !self.values.contains_key(&net));
            if let Some(&(table, bit)) = table {
                if !self.missing(&self.netlist.roms[table].address, &mut waiting) {
                    let value = self.table(table, bit, network);
                    self.values.insert(net, value);
                    waiting.pop();
                }
                continue;
            }
            let Some(&driver) = self.drivers.get(&net) else {
                self.values.entry(net).or_insert(Literal::FALSE);
                waiting.pop();
                continue;
            };
            let cell = &self.netlist.cells[driver];
            let missing = self.read(cell, &mut waiting)?;
            if !missing && !self.values.contains_key(&net) {
                let value = self.driven(cell, net, network)?;
                self.values.insert(net, value);
            }
            if !missing {
                waiting.pop();
            }
        }
        Ok(self.values[&net])
    }

    /// What a register holds after the tick.
    ///
    /// # Errors
    /// Those of [`Nets::bit`].
    pub fn next(&mut self, q: u32, network: &mut Network) -> Result<Literal, String> {
        let driver = self.drivers.get(&q).ok_or("a register without a flip-flop")?;
        let cell = &self.netlist.cells[*driver];
        let (name, letters) = flip_flop(cell)?;
        // What it shows needs the pins that override its next value, too.
        let now = self.bit(Bit::Net(q), network)?;
        let mut next = self.pin(cell, "D", network)?;
        let value = |letter: char| letters.iter().find(|(l, _)| *l == letter).map(|(_, v)| *v);
        let reset = (name.starts_with('S')).then(|| value('R').zip(value('v'))).flatten();
        if let (Some((level, to)), "SDFFCE") = (reset, name) {
            next = self.controlled(cell, ("R", level), constant(to), next, network)?;
        }
        if let Some(level) = value('E') {
            let enabled = self.level(cell, ("E", level), network)?;
            next = choose(network, enabled, next, now);
        }
        if let (Some((level, to)), "SDFF" | "SDFFE") = (reset, name) {
            next = self.controlled(cell, ("R", level), constant(to), next, network)?;
        }
        self.overridden(cell, next, network)
    }

    /// Puts those of some nets that are not known on the stack, and says whether there are any.
    fn missing(&self, bits: &[Bit], waiting: &mut Vec<u32>) -> bool {
        let before = waiting.len();
        waiting
            .extend(bits.iter().filter_map(Bit::net).filter(|net| !self.values.contains_key(net)));
        waiting.len() > before
    }

    /// A bit of the word that a table has at an address that is known.
    fn table(&self, table: usize, bit: usize, network: &mut Network) -> Literal {
        let rom = &self.netlist.roms[table];
        let address: Vec<Literal> = rom.address.iter().map(|bit| self.carried(*bit)).collect();
        let value = |row: u32| rom.words[row as usize] >> bit & 1 == 1;
        function(network, &address, &value, 0)
    }

    /// What a bit carries whose net is known.
    fn carried(&self, bit: Bit) -> Literal {
        match bit {
            Bit::Net(net) => self.values[&net],
            Bit::One => constant(true),
            Bit::Zero | Bit::Unknown => Literal::FALSE,
        }
    }

    /// Puts the nets that a cell shows its output by, and that are not known, on the stack.
    fn read(&self, cell: &Cell, waiting: &mut Vec<u32>) -> Result<bool, String> {
        let pins: &[&str] = match gate(cell) {
            Some((pins, _)) => pins,
            // What acts at once.
            None if flip_flop(cell)?.0.starts_with('S') => &[],
            None => &["R", "S", "L", "AD"],
        };
        let nets = cell.pins.iter().filter(|(pin, _)| pins.contains(&pin.as_str()));
        let nets = nets.filter_map(|(_, bits)| match bits[..] {
            [Bit::Net(net)] if !self.values.contains_key(&net) => Some(net),
            _ => None,
        });
        let before = waiting.len();
        waiting.extend(nets);
        Ok(waiting.len() > before)
    }

    fn driven(&self, cell: &Cell, net: u32, network: &mut Network) -> Result<Literal, String> {
        let Some((pins, value)) = gate(cell) else {
            let stored = self.stored.get(&net).copied().unwrap_or(Literal::FALSE);
            return self.overridden(cell, stored, network);
        };
        let pins: Vec<Literal> = pins.iter().map(|pin| self.known(cell, pin)).collect();
        let bit = |row: u32| {
            let values: Vec<bool> = (0..pins.len()).map(|pin| row >> pin & 1 == 1).collect();
            value(&values)
        };
        Ok(function(network, &pins, &bit, 0))
    }

    /// The value of a pin whose net is known.
    fn known(&self, cell: &Cell, pin: &str) -> Literal {
        let bits = cell.pins.iter().find(|(name, _)| name == pin).map(|(_, bits)| &bits[..]);
        match bits {
            Some([bit]) => self.carried(*bit),
            _ => Literal::FALSE,
        }
    }

    fn pin(&mut self, cell: &Cell, pin: &str, network: &mut Network) -> Result<Literal, String> {
        let bits = cell.pins.iter().find(|(name, _)| name == pin).map(|(_, bits)| &bits[..]);
        match bits {
            Some([bit]) => self.bit(*bit, network),
            _ => Err(format!("a `{}` without a pin `{pin}`", cell.kind)),
        }
    }

    /// What asynchronous pins make of a value. They are known.
    fn overridden(
        &self,
        cell: &Cell,
        value: Literal,
        network: &mut Network,
    ) -> Result<Literal, String> {
        let (name, letters) = flip_flop(cell)?;
        if name.starts_with('S') {
            return Ok(value);
        }
        let to = letters.iter().find(|(letter, _)| *letter == 'v').is_some_and(|(_, to)| *to);
        let mut value = value;
        // A reset is stronger than a set.
        for (letter, pin) in [('L', "L"), ('S', "S"), ('R', "R")] {
            let Some((_, level)) = letters.iter().find(|(other, _)| *other == letter) else {
                continue;
            };
            let acts = self.known(cell, pin).invert_if(!level);
            let by = match letter {
                'L' => self.known(cell, "AD"),
                'S' => constant(true),
                _ => constant(to),
            };
            value = choose(network, acts, by, value);
        }
        Ok(value)
    }

    fn level(
        &mut self,
        cell: &Cell,
        (pin, level): (&str, bool),
        network: &mut Network,
    ) -> Result<Literal, String> {
        Ok(self.pin(cell, pin, network)?.invert_if(!level))
    }

    fn controlled(
        &mut self,
        cell: &Cell,
        control: (&str, bool),
        by: Literal,
        otherwise: Literal,
        network: &mut Network,
    ) -> Result<Literal, String> {
        let acts = self.level(cell, control, network)?;
        Ok(choose(network, acts, by, otherwise))
    }
}

/// Which of some registers act when clocks change, whose nets have these levels before and after.
///
/// # Errors
/// Those of [`Nets::bit`].
pub fn clocked(
    netlist: &Netlist,
    registers: &[u32],
    before: FxHashMap<u32, Literal>,
    after: FxHashMap<u32, Literal>,
) -> Result<FxHashSet<u32>, String> {
    let (mut network, nothing) = (Network::new(), FxHashMap::default());
    let [mut before, mut after] = [before, after].map(|level| Nets::new(netlist, level, &nothing));
    let mut acting = FxHashSet::default();
    for &q in registers {
        let driver = before.drivers.get(&q).ok_or("a register without a flip-flop")?;
        let cell = &netlist.cells[*driver];
        let rises = cell.kind.rsplit('_').nth(1).is_some_and(|ends| ends.starts_with('P'));
        let mut high = |nets: &mut Nets| {
            let level = nets.pin(cell, "C", &mut network)?;
            Ok::<bool, String>(level == constant(rises))
        };
        if !high(&mut before)? && high(&mut after)? {
            acting.insert(q);
        }
    }
    Ok(acting)
}

fn gate(cell: &Cell) -> Option<(&'static [&'static str], Function)> {
    let row = GATES.iter().find(|(kind, ..)| *kind == cell.kind);
    row.map(|(_, pins, value)| (*pins, *value))
}

/// The letters of a flip-flop's type with what they say: `P` and `1` are true.
type Letters = Vec<(char, bool)>;

/// The name of a flip-flop's type, and its letters behind the clock's.
fn flip_flop(cell: &Cell) -> Result<(&'static str, Letters), String> {
    let unknown = || format!("a cell `{}`", cell.kind);
    let inner = cell.kind.strip_prefix("$_").and_then(|rest| rest.strip_suffix('_'));
    let (name, ends) = inner.and_then(|inner| inner.split_once('_')).ok_or_else(unknown)?;
    let row = FLIP_FLOPS.iter().find(|(n, letters)| *n == name && letters.len() + 1 == ends.len());
    let (name, letters) = row.ok_or_else(unknown)?;
    let says = ends.chars().skip(1).map(|end| matches!(end, 'P' | '1'));
    Ok((name, letters.chars().zip(says).collect()))
}

fn constant(value: bool) -> Literal {
    Literal::FALSE.invert_if(value)
}

fn choose(network: &mut Network, select: Literal, one: Literal, zero: Literal) -> Literal {
    let [s, a, b] = map::inputs();
    network.gate(&[select, one, zero], s & a | !s & b)
}
