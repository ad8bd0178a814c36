//! One tick of a design, in whatever logic.

use super::cells::Logic;
use super::design::{Control, Design, Driver, Register};
use super::netlist::Bit;

/// A logic that knows the inputs and the registers before the tick.
pub(super) trait Source: Logic {
    /// A bit of an input.
    fn input(&mut self, port: usize, bit: usize) -> Self::Value;
    /// What a register holds.
    fn stored(&mut self, register: usize) -> Self::Value;
}

/// The values of the nets that have been computed.
pub(super) struct Evaluation<'d, S: Source> {
    pub(super) design: &'d Design<'d>,
    pub(super) source: S,
    values: Vec<Option<S::Value>>,
}

impl<'d, S: Source> Evaluation<'d, S> {
    /// Nothing has been computed yet.
    pub(super) fn new(design: &'d Design<'d>, source: S) -> Evaluation<'d, S> {
        Evaluation { design, source, values: vec![None; design.drivers.len()] }
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
                let stored = self.source.stored(number);
                self.overridden(&design.registers[number], stored)
            }
        };
        self.values[net as usize] = Some(value);
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

    /// The value of a register after the tick.
    pub(super) fn next(&mut self, number: usize) -> S::Value {
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
