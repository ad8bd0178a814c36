//! A netlist as Verilog, a statement a cell, for a simulator: what a kernel is compared with where the source can't be simulated,
//! or is simulated as other hardware.
//!
//! It says what the netlist means to the compiler: what is unknown is 0, registers begin as they are told, and what acts on a
//! register at once does so by its level. Names are its own, but for those of the module and its ports.

use nakiri::verilog::netlist::{Bit, Cell, Direction, Netlist, Port, Rom};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Gates and their outputs, in which letters stand for pins.
const GATES: &[(&str, &str)] = &[
    ("$_BUF_", "A"),
    ("$_NOT_", "~A"),
    ("$_AND_", "A & B"),
    ("$_NAND_", "~(A & B)"),
    ("$_OR_", "A | B"),
    ("$_NOR_", "~(A | B)"),
    ("$_XOR_", "A ^ B"),
    ("$_XNOR_", "~(A ^ B)"),
    ("$_ANDNOT_", "A & ~B"),
    ("$_ORNOT_", "A | ~B"),
    ("$_MUX_", "S ? B : A"),
    ("$_NMUX_", "~(S ? B : A)"),
    ("$_AOI3_", "~(A & B | C)"),
    ("$_OAI3_", "~((A | B) & C)"),
    ("$_AOI4_", "~(A & B | C & D)"),
    ("$_OAI4_", "~((A | B) & (C | D))"),
];

/// What the letters at the end of a flip-flop's type say, after the first, which is the edge: the levels at which its pins act,
/// and `v`, the value that `R` gives.
const FLIP_FLOPS: &[(&str, &str)] = &[
    ("$_DFF", ""),
    ("$_DFF", "Rv"),
    ("$_DFFE", "E"),
    ("$_DFFE", "RvE"),
    ("$_SDFF", "Rv"),
    ("$_SDFFE", "RvE"),
    ("$_SDFFCE", "RvE"),
    ("$_DFFSR", "SR"),
    ("$_DFFSRE", "SRE"),
    ("$_ALDFF", "L"),
    ("$_ALDFFE", "LE"),
];

/// The module of a netlist that the compiler takes. Registers, known by the nets that carry them, begin with the values given, all
/// others with 0.
pub fn verilog(netlist: &Netlist, registers: &BTreeMap<u32, bool>) -> String {
    let mut text = String::new();
    let names = netlist.ports.iter().map(|port| format!("\\{} ", port.name));
    let _ = writeln!(text, "module \\{} ({});", netlist.name, names.collect::<Vec<_>>().join(", "));
    for port in &netlist.ports {
        let direction = if port.direction == Direction::Input { "input" } else { "output" };
        let last = port.bits.len().saturating_sub(1);
        let _ = writeln!(text, "  {direction} [{last}:0] \\{} ;", port.name);
    }
    let mut driven: Vec<u32> = Vec::new();
    let mut assignments = String::new();
    for port in &netlist.ports {
        let drives = assign_port(port, &mut assignments);
        driven.extend(drives);
    }
    for cell in &netlist.cells {
        driven.extend(assign_cell(cell, registers, &mut assignments));
    }
    for (number, rom) in netlist.roms.iter().enumerate() {
        driven.extend(assign_rom(number, rom, &mut assignments));
    }
    driven.sort_unstable();
    driven.dedup();
    for net in &driven {
        let _ = writeln!(text, "  wire n{net};");
    }
    // What nothing drives is 0.
    let mut others: Vec<u32> = (0..netlist.nets() as u32).collect();
    others.retain(|net| driven.binary_search(net).is_err());
    for net in others {
        let _ = writeln!(text, "  wire n{net} = 1'b0;");
    }
    format!("{text}{assignments}endmodule\n")
}

/// What a bit carries.
fn value(bit: Bit) -> String {
    match bit {
        Bit::Zero | Bit::Unknown => "1'b0".to_string(),
        Bit::One => "1'b1".to_string(),
        Bit::Net(net) => format!("n{net}"),
    }
}

/// Joins a port to its nets, and says which these are if the port drives them.
fn assign_port(port: &Port, text: &mut String) -> Vec<u32> {
    let mut driven = Vec::new();
    for (number, bit) in port.bits.iter().enumerate() {
        let name = format!("\\{} [{number}]", port.name);
        if port.direction != Direction::Input {
            let _ = writeln!(text, "  assign {name} = {};", value(*bit));
        } else if let Bit::Net(net) = bit {
            let _ = writeln!(text, "  assign n{net} = {name};");
            driven.push(*net);
        }
    }
    driven
}

/// Writes a gate or a flip-flop, and says which net it drives. Other cells compute nothing.
fn assign_cell(cell: &Cell, registers: &BTreeMap<u32, bool>, text: &mut String) -> Option<u32> {
    if let Some((_, function)) = GATES.iter().find(|(kind, _)| *kind == cell.kind) {
        let output = bit(cell, "Y").net()?;
        let mut logic = String::new();
        for sign in function.chars() {
            match sign.is_ascii_uppercase() {
                true => logic += &pin(cell, sign),
                false => logic.push(sign),
            }
        }
        let _ = writeln!(text, "  assign n{output} = {logic};");
        return Some(output);
    }
    let flip_flop = FlipFlop::of(cell)?;
    let output = cell.stored()?;
    let (stored, shown) = (format!("r{output}"), format!("n{output}"));
    let begins = u8::from(registers.get(&output).copied().unwrap_or(false));
    let edge = if flip_flop.rises { "posedge" } else { "negedge" };
    let now = flip_flop.overridden(&stored);
    let next = flip_flop.overridden(&flip_flop.next(&shown));
    let clock = pin(cell, 'C');
    let _ = writeln!(
        text,
        "  reg {stored} = 1'b{begins};\n  assign {shown} = {now};\n  always @({edge} {clock}) {stored} <= {next};"
    );
    Some(output)
}

/// The bit of a pin.
fn bit(cell: &Cell, name: &str) -> Bit {
    match cell.pins.iter().find(|(pin, _)| pin == name).map(|(_, bits)| &bits[..]) {
        Some([bit]) => *bit,
        _ => Bit::Unknown,
    }
}

/// What a pin carries whose name is a letter.
fn pin(cell: &Cell, letter: char) -> String {
    value(bit(cell, letter.encode_utf8(&mut [0; 4])))
}

/// A table as a function of its address, and the nets that it drives.
fn assign_rom(number: usize, rom: &Rom, text: &mut String) -> Vec<u32> {
    let (address, width) = (rom.address.len(), rom.data.len());
    let _ = writeln!(
        text,
        "  function [{}:0] table{number}(input [{}:0] at);\n    case (at)",
        width - 1,
        address - 1
    );
    for (at, word) in rom.words.iter().enumerate() {
        let _ = writeln!(text, "      {at}: table{number} = {width}'h{word:x};");
    }
    let at: Vec<String> = rom.address.iter().rev().map(|bit| value(*bit)).collect();
    let _ = writeln!(
        text,
        "      default: table{number} = {width}'h0;\n    endcase\n  endfunction\n  wire [{}:0] word{number} = table{number}({{{}}});",
        width - 1,
        at.join(", ")
    );
    let nets = rom.data.iter().enumerate().filter_map(|(bit, data)| Some((bit, data.net()?)));
    let nets: Vec<(usize, u32)> = nets.collect();
    for (bit, net) in &nets {
        let _ = writeln!(text, "  assign n{net} = word{number}[{bit}];");
    }
    nets.into_iter().map(|(_, net)| net).collect()
}

/// A flip-flop, as its type says.
struct FlipFlop<'a> {
    cell: &'a Cell,
    /// The name of its type without edges and levels.
    kind: &'static str,
    /// Whether the rising edge of the clock acts.
    rises: bool,
    /// What its other letters say: `P` and `1` are true.
    letters: Vec<(char, bool)>,
}

impl FlipFlop<'_> {
    fn of(cell: &Cell) -> Option<FlipFlop<'_>> {
        let (name, ends) = cell.kind.strip_suffix('_')?.rsplit_once('_')?;
        let says: Vec<bool> = ends.chars().map(|end| matches!(end, 'P' | '1')).collect();
        let (rises, levels) = says.split_first()?;
        let fits = |row: &&(&str, &str)| row.0 == name && row.1.len() == levels.len();
        let (kind, letters) = FLIP_FLOPS.iter().find(fits)?;
        let letters = letters.chars().zip(levels.iter().copied()).collect();
        Some(FlipFlop { cell, kind, rises: *rises, letters })
    }

    fn says(&self, letter: char) -> Option<bool> {
        self.letters.iter().find(|(other, _)| *other == letter).map(|(_, says)| *says)
    }

    /// What there is where a pin acts, and otherwise.
    fn chosen(&self, letter: char, by: &str, otherwise: String) -> String {
        let pin = || pin(self.cell, letter);
        match self.says(letter) {
            None => otherwise,
            Some(true) => format!("({} ? {by} : {otherwise})", pin()),
            Some(false) => format!("({} ? {otherwise} : {by})", pin()),
        }
    }

    fn reset(&self, otherwise: String) -> String {
        let by = format!("1'b{}", u8::from(self.says('v').unwrap_or(false)));
        self.chosen('R', &by, otherwise)
    }

    /// Whether the reset acts at the edge.
    fn is_synchronous(&self) -> bool {
        self.kind.starts_with("$_SD")
    }

    /// What it takes at the edge, if it shows some value.
    fn next(&self, shown: &str) -> String {
        let data = pin(self.cell, 'D');
        if self.kind == "$_SDFFCE" {
            return self.enabled(self.reset(data), shown);
        }
        let enabled = self.enabled(data, shown);
        if self.is_synchronous() {
            self.reset(enabled)
        } else {
            enabled
        }
    }

    fn enabled(&self, next: String, shown: &str) -> String {
        match self.says('E') {
            None => next,
            Some(true) => format!("({} ? {next} : {shown})", pin(self.cell, 'E')),
            Some(false) => format!("({} ? {shown} : {next})", pin(self.cell, 'E')),
        }
    }

    /// What acts at once makes of a value. A reset is stronger than a set.
    fn overridden(&self, held: &str) -> String {
        if self.is_synchronous() {
            return held.to_string();
        }
        let loaded = self.chosen('L', &value(bit(self.cell, "AD")), held.to_string());
        self.reset(self.chosen('S', "1'b1", loaded))
    }
}
