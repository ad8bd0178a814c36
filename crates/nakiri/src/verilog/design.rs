//! A netlist as a circuit: which cell drives each net.

use super::cells::{self, Gate, Timing};
use super::netlist::{Bit, Cell, Direction, Netlist};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What drives a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// Nothing.
    None,
    /// A bit of a port.
    Input { port: usize, bit: usize },
    /// A gate.
    Gate(usize),
    /// A register.
    Register(usize),
    /// A table.
    Rom(usize),
}

/// A gate with its inputs.
#[derive(Clone, Debug)]
pub(super) struct GateCell {
    pub(super) gate: Gate,
    pub(super) pins: SmallVec<[Bit; 4]>,
    pub(super) span: Span,
}

/// A control input with the level at which it acts.
pub(super) type Control = (Bit, bool);

/// A flip-flop with its inputs.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub(super) q: u32,
    pub(super) d: Bit,
    pub(super) clock: Bit,
    pub(super) rising: bool,
    pub(super) enable: Option<Control>,
    /// What overrides the value at once, the strongest first, and by what.
    pub(super) overrides: SmallVec<[(Control, Bit); 2]>,
    /// What resets at the edge, to what, and whether only if the register is enabled.
    pub(super) reset: Option<(Control, Bit, bool)>,
    /// The value when power comes, where the source says it.
    pub(super) init: Option<bool>,
    pub(super) span: Span,
}

/// A netlist of gates and flip-flops in which every net has one driver at most.
#[derive(Debug)]
pub(super) struct Design<'a> {
    pub(super) netlist: &'a Netlist,
    pub(super) drivers: Vec<Driver>,
    pub(super) gates: Vec<GateCell>,
    pub(super) registers: Vec<Register>,
}

impl<'a> Design<'a> {
    /// Finds the driver of each net.
    ///
    /// # Errors
    /// Ports and cells that can't be compiled, nets with two drivers.
    pub(super) fn new(netlist: &'a Netlist) -> Result<Design<'a>, Vec<Diagnostic>> {
        let mut design = Design {
            netlist,
            drivers: vec![Driver::None; netlist.nets()],
            gates: Vec::new(),
            registers: Vec::new(),
        };
        let mut wrong = design.ports();
        wrong.extend(refusals(netlist));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let inits = inits(netlist);
        let mut conflicts: Vec<Diagnostic> =
            netlist.cells.iter().filter_map(|cell| design.cell(cell, &inits).err()).collect();
        for (number, rom) in netlist.roms.iter().enumerate() {
            let nets = rom.data.iter().filter_map(Bit::net);
            let driven = nets.map(|net| design.drive(net, Driver::Rom(number), rom.span));
            conflicts.extend(driven.filter_map(Result::err));
        }
        match conflicts.is_empty() {
            true => Ok(design),
            false => Err(conflicts),
        }
    }

    /// Where a driver stands in the source.
    pub(super) fn span(&self, driver: Driver) -> Span {
        match driver {
            Driver::None => self.netlist.span,
            Driver::Input { port, .. } => self.netlist.ports[port].span,
            Driver::Gate(gate) => self.gates[gate].span,
            Driver::Register(register) => self.registers[register].span,
            Driver::Rom(rom) => self.netlist.roms[rom].span,
        }
    }

    /// What the source calls a net, and where it declares it.
    pub(super) fn name(&self, net: u32) -> (String, Span) {
        let found = self.netlist.name_of(net);
        found.unwrap_or_else(|| ("a net without a name".to_string(), self.netlist.span))
    }

    fn ports(&mut self) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        for (number, port) in self.netlist.ports.iter().enumerate() {
            let name = &port.name;
            if port.direction == Direction::Both {
                wrong.push(
                    Diagnostic::error("E0512", port.span, format!("the port `{name}` is an inout"))
                        .help("make an input, an output and an enable of it"),
                );
            } else if port.bits.is_empty() {
                let message = format!("the port `{name}` has no bits");
                wrong.push(
                    Diagnostic::error("E0520", port.span, message)
                        .help("a parameter made it so; leave the port out where it is not needed"),
                );
            } else if port.direction == Direction::Input {
                for (bit, net) in port.bits.iter().enumerate() {
                    let Bit::Net(net) = *net else { continue };
                    let driver = Driver::Input { port: number, bit };
                    if let Err(conflict) = self.drive(net, driver, port.span) {
                        wrong.push(conflict);
                        break;
                    }
                }
            }
        }
        if !self.netlist.ports.iter().any(|port| port.direction == Direction::Output) {
            let message = format!("the module `{}` has no output", self.netlist.name);
            wrong.push(
                Diagnostic::error("E0520", self.netlist.span, message)
                    .help("name the module to be compiled with `--top`, or give it an output"),
            );
        }
        wrong
    }

    /// Adds a gate or a flip-flop.
    fn cell(&mut self, cell: &Cell, inits: &[Option<bool>]) -> Result<(), Diagnostic> {
        if let Some((gate, names)) = cells::gate(&cell.kind) {
            let pins = names.iter().map(|name| pin(cell, name)).collect::<Result<_, _>>()?;
            self.gates.push(GateCell { gate, pins, span: cell.span });
            return match pin(cell, "Y")? {
                Bit::Net(y) => self.drive(y, Driver::Gate(self.gates.len() - 1), cell.span),
                _ => Ok(()),
            };
        }
        let Some(kind) = cells::flip_flop(&cell.kind) else { return Ok(()) };
        let Bit::Net(q) = pin(cell, "Q")? else { return Ok(()) };
        let constant = |value| if value { Bit::One } else { Bit::Zero };
        let mut register = Register {
            q,
            d: pin(cell, "D")?,
            clock: pin(cell, "C")?,
            rising: kind.rising,
            enable: kind.enable.map(|level| Ok((pin(cell, "E")?, level))).transpose()?,
            overrides: SmallVec::new(),
            reset: None,
            init: inits[q as usize],
            span: cell.span,
        };
        match kind.reset {
            Some((level, value, Timing::Asynchronous)) => {
                register.overrides.push(((pin(cell, "R")?, level), constant(value)));
            }
            Some((level, value, timing)) => {
                let control = (pin(cell, "R")?, level);
                register.reset = Some((control, constant(value), timing == Timing::Enabled));
            }
            None => {}
        }
        if let Some(level) = kind.set {
            register.overrides.push(((pin(cell, "S")?, level), Bit::One));
        }
        if let Some(level) = kind.load {
            register.overrides.push(((pin(cell, "L")?, level), pin(cell, "AD")?));
        }
        self.registers.push(register);
        self.drive(q, Driver::Register(self.registers.len() - 1), cell.span)
    }

    fn drive(&mut self, net: u32, driver: Driver, span: Span) -> Result<(), Diagnostic> {
        let before = std::mem::replace(&mut self.drivers[net as usize], driver);
        if before == Driver::None {
            return Ok(());
        }
        let (name, place) = match (before, driver) {
            // Two inputs that are one net: something else was assigned twice.
            (Driver::Input { .. }, Driver::Input { .. }) => self.assigned(net),
            _ => self.name(net),
        };
        let first = self.span(before);
        Err(two_drivers(&name, place, first, span))
    }

    /// What the source calls a net that joins inputs, if not by an input's name.
    fn assigned(&self, net: u32) -> (String, Span) {
        let inputs = self.netlist.ports.iter().filter(|port| port.direction == Direction::Input);
        let inputs: Vec<&str> = inputs.map(|port| port.name.as_str()).collect();
        let names = self.netlist.names.iter().filter(|name| {
            !inputs.contains(&name.name.as_str()) && name.bits.contains(&Bit::Net(net))
        });
        let found = names.min_by_key(|name| name.hidden);
        found.map_or_else(|| self.name(net), |name| (name.name.clone(), name.span))
    }
}

/// The bit of a pin.
fn pin(cell: &Cell, name: &str) -> Result<Bit, Diagnostic> {
    match cell.pins.iter().find(|(pin, _)| pin == name).map(|(_, bits)| &bits[..]) {
        Some([bit]) => Ok(*bit),
        _ => {
            let message = format!("the cell `{}` has no pin `{name}` of one bit", cell.name);
            Err(Diagnostic::error("E0510", cell.span, message)
                .label(format!("its type is `{}`", cell.kind))
                .help("is the netlist as Yosys wrote it?"))
        }
    }
}

/// How many cells that can't be compiled are reported.
const REPORTED: usize = 16;

/// Why cells can't be compiled: the first of each place, for the bits of a word say the same.
fn refusals(netlist: &Netlist) -> Vec<Diagnostic> {
    let known = |kind: &str| {
        cells::gate(kind).is_some() || cells::flip_flop(kind).is_some() || cells::is_remark(kind)
    };
    let mut seen = FxHashSet::default();
    let wrong = netlist.cells.iter().filter(|cell| !known(&cell.kind));
    let first = wrong.filter(|cell| seen.insert((cell.kind.as_str(), cell.span)));
    first.take(REPORTED).map(|cell| refusal(netlist, cell)).collect()
}

/// Why a cell can't be compiled.
fn refusal(netlist: &Netlist, cell: &Cell) -> Diagnostic {
    let kind = cell.kind.as_str();
    if cells::is_latch(kind) {
        let output = match pin(cell, "Q") {
            Ok(Bit::Net(net)) => netlist.name_of(net).map(|(name, _)| name),
            _ => None,
        };
        let output = output.unwrap_or_else(|| cell.name.clone());
        let word = output.split_once('[').map_or(&*output, |(word, _)| word);
        Diagnostic::error("E0511", cell.span, format!("`{word}` is a latch"))
            .label("on some way through this, it keeps its value")
            .help("assign it on every way, or at an edge: `always @(posedge clk)`")
    } else if cells::is_tristate(kind) {
        Diagnostic::error("E0512", cell.span, "a tri-state driver")
            .label("this is `z` at times")
            .help("choose between the drivers with a multiplexer")
    } else if cells::is_memory(kind) {
        let message = format!("the memory `{}` is not written at one edge of one clock", cell.name);
        Diagnostic::error("E0525", cell.span, message)
            .label("several clocks or edges write it, or none")
            .help("let one clock write it, with enables that say whose turn it is; any clock may read it")
    } else if kind.starts_with('$') && !kind.starts_with("$paramod") {
        operator(kind, cell.span)
    } else {
        missing_module(kind, &cell.name, cell.span)
    }
}

/// Why a cell of the synthesizer's own can't be compiled: it is no gate, and nothing has made gates of it.
fn operator(kind: &str, span: Span) -> Diagnostic {
    let (message, help) = match kind {
        "$pow" => (
            "`**` with a variable exponent isn't supported".to_string(),
            "let the exponent be a constant, or the base a constant power of 2 (`1 << n`); else multiply step by step",
        ),
        "$anyconst" | "$anyseq" | "$allconst" | "$allseq" | "$initstate" => (
            format!("`{kind}` is for formal verification"),
            "make it an input of the module",
        ),
        _ => (
            format!("the cell `{kind}` of Yosys is no gate"),
            "if it is of a netlist, let `techmap` or `synth` make gates of it; if Yosys made it of the source, it can't be synthesized",
        ),
    };
    Diagnostic::error("E0526", span, message).help(help)
}

/// What is said of a net with two drivers.
pub fn two_drivers(name: &str, place: Span, first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("E0513", place, format!("`{name}` has two drivers"))
        .also(first, "the first")
        .also(second, "the second")
        .help("let one of them drive it, or choose between them with a multiplexer")
}

/// That nothing defines the type of a cell.
pub fn missing_module(kind: &str, cell: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0510", span, format!("there is no module `{kind}`"))
        .label(format!("`{cell}` is an instance of it"))
        .help("name the file that defines it, too; what only a vendor has can't be compiled")
}

/// The value of each net when power comes, where the source says it.
fn inits(netlist: &Netlist) -> Vec<Option<bool>> {
    let mut inits = vec![None; netlist.nets()];
    for name in &netlist.names {
        for (bit, init) in name.bits.iter().zip(&name.init) {
            if let (Bit::Net(net), Some(value)) = (bit, init) {
                inits[*net as usize] = Some(*value);
            }
        }
    }
    inits
}
