//! One tick of a design, in whatever logic.

use super::cells::Logic;
use super::design::{Control, Design, Driver, Register};
use super::netlist::Bit;

/// A logic that knows the inputs and the registers before the tick.
pub(super) trait Source: Logic {
    /// A bit of an input.
    fn input(&mut self, port: usize, bit: usize) -> Self::Value;
    /// What a register holds before the tick.
    fn stored(&mut self, register: usize) -> Self::Value;
    /// The word of a table at an address, the least significant bits first.
    fn word(&mut self, rom: usize, address: &[Self::Value]) -> Vec<Self::Value>;
}

/// The values of the nets that have been computed.
pub(super) struct Evaluation<'d, S: Source> {
    pub(super) design: &'d Design<'d>,
    pub(super) source: S,
    values: Vec<Option<S::Value>>,
    /// What registers hold, where that is not what they held before the tick.
    held: Vec<Option<S::Value>>,
    /// What registers hold after the instant.
    after: Vec<(usize, S::Value)>,
}

impl<'d, S: Source> Evaluation<'d, S> {
    /// Nothing has been computed yet.
    pub(super) fn new(design: &'d Design<'d>, source: S) -> Evaluation<'d, S> {
        let (values, held) = (vec![None; design.drivers.len()], vec![None; design.registers.len()]);
        Evaluation { design, source, values, held, after: Vec::new() }
    }

    /// Goes on to the next instant: nothing of it has been computed yet but what registers hold.
    pub(super) fn instant(&mut self) {
        self.values.fill(None);
        for (register, value) in self.after.drain(..) {
            self.held[register] = Some(value);
        }
    }

    /// Computes a net, all that it needs having been computed.
    pub(super) fn net(&mut self, net: u32) {
        let design = self.design;
        let value = match design.drivers[net as usize] {
            Driver::None => self.source.constant(false),
            Driver::Input { port, bit } => self.source.input(port, bit),
            Driver::Gate(gate) => {
                let cell = &design.gates[gate];
                let pins: smallvec::SmallVec<[S::Value; 4]> =
                    cell.pins.iter().map(|pin| self.bit(*pin)).collect();
                cell.gate.evaluate(&mut self.source, &pins)
            }
            Driver::Register(number) => {
                let stored = self.held[number].unwrap_or_else(|| self.source.stored(number));
                self.overridden(&design.registers[number], stored)
            }
            Driver::Rom(rom) => return self.rom(rom),
        };
        self.values[net as usize] = Some(value);
    }

    /// Computes all that a table gives, at the first of its nets.
    fn rom(&mut self, number: usize) {
        let rom = &self.design.netlist.roms[number];
        let known = |bit: &Bit| bit.net().is_some_and(|net| self.values[net as usize].is_some());
        if rom.data.iter().any(known) {
            return;
        }
        let address: Vec<S::Value> = rom.address.iter().map(|bit| self.bit(*bit)).collect();
        let word = self.source.word(number, &address);
        for (bit, value) in rom.data.iter().zip(word) {
            if let Bit::Net(net) = bit {
                self.values[*net as usize] = Some(value);
            }
        }
    }

    /// A bit that has been computed.
    pub(super) fn bit(&mut self, bit: Bit) -> S::Value {
        match bit {
            Bit::Zero | Bit::Unknown => self.source.constant(false),
            Bit::One => self.source.constant(true),
            Bit::Net(net) => match self.values[net as usize] {
                Some(value) => value,
                None => unreachable!("the order computes what is read before it is read"),
            },
        }
    }

    /// Computes what a register holds after the instant, given whether it acts there.
    pub(super) fn after(&mut self, number: usize, acts: bool) {
        let value = self.next(number, acts);
        self.after.push((number, value));
    }

    /// What a register holds after the instant: one that does not act keeps what it shows.
    pub(super) fn next(&mut self, number: usize, acts: bool) -> S::Value {
        match acts {
            true => self.clocked(number),
            false => self.bit(Bit::Net(self.design.registers[number].q)),
        }
    }

    fn clocked(&mut self, number: usize) -> S::Value {
        let design = self.design;
        let register = &design.registers[number];
        let mut next = self.bit(register.d);
        if let Some((control, value, true)) = register.reset {
            next = self.controlled(control, value, next);
        }
        if let Some(enable) = register.enable {
            let (enabled, now) = (self.acts(enable), self.bit(Bit::Net(register.q)));
            next = self.source.mux(enabled, next, now);
        }
        if let Some((control, value, false)) = register.reset {
            next = self.controlled(control, value, next);
        }
        self.overridden(register, next)
    }

    /// The value that a register shows at once, given what it would be without.
    fn overridden(&mut self, register: &Register, value: S::Value) -> S::Value {
        let overrides = register.overrides.iter().rev();
        overrides.fold(value, |value, (control, by)| self.controlled(*control, *by, value))
    }

    fn controlled(&mut self, control: Control, by: Bit, otherwise: S::Value) -> S::Value {
        let (acts, by) = (self.acts(control), self.bit(by));
        self.source.mux(acts, by, otherwise)
    }

    fn acts(&mut self, (bit, level): Control) -> S::Value {
        let value = self.bit(bit);
        if level {
            value
        } else {
            self.source.not(value)
        }
    }
}
