//! In which order nets are computed.

use super::clock::Clocks;
use super::design::{Design, Driver};
use super::netlist::{Bit, Direction};
use crate::diagnostic::Diagnostic;
use smallvec::SmallVec;

/// What is computed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A net, from its driver.
    Net(u32),
    /// A bit of an output.
    Output { port: usize, bit: usize },
    /// What a register holds after the instant: its next value, or what it shows if it does not act there.
    After { register: usize, acts: bool },
    /// What a register holds after the tick, which is what it holds after the last instant.
    Next { register: usize, acts: bool },
    /// The next instant: all registers hold what was computed for them, and nets are computed afresh.
    Instant,
}

/// The steps of a tick, each after those that it needs, and what belongs together side by side: nets live shortly so. Outputs
/// are those of the first instant, before its edges.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
}

/// How many undriven nets are reported.
const REPORTED: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

struct Walk<'d> {
    design: &'d Design<'d>,
    clocks: &'d Clocks,
    states: Vec<State>,
    steps: Vec<Step>,
    /// The registers that something needs, in the order in which they were met.
    needed: Vec<usize>,
    wrong: Vec<Diagnostic>,
}

impl Order {
    /// The steps that the outputs need, over all ticks.
    ///
    /// # Errors
    /// Nets that are read and have no driver, combinational loops, and clocks that are read as data.
    pub(super) fn new(design: &Design, clocks: &Clocks) -> Result<Order, Vec<Diagnostic>> {
        let mut walk = Walk::new(design, clocks);
        walk.outputs();
        let mut next = 0;
        while let Some(&register) = walk.needed.get(next) {
            walk.next(register, true);
            next += 1;
        }
        if !walk.wrong.is_empty() {
            return Err(walk.wrong);
        }
        Ok(match clocks.instants.len() {
            1 => Order { steps: walk.steps },
            _ => Order::of_instants(design, clocks, &walk.needed),
        })
    }

    /// The steps of several instants, of each those that the ones behind it need. All `registers` are needed after the last.
    fn of_instants(design: &Design, clocks: &Clocks, registers: &[usize]) -> Order {
        let mut needed = vec![false; design.registers.len()];
        registers.iter().for_each(|register| needed[*register] = true);
        let mut instants = Vec::new();
        for instant in (0..clocks.instants.len()).rev() {
            let mut walk = Walk::new(design, clocks);
            if instant == 0 {
                walk.outputs();
            }
            let last = instant + 1 == clocks.instants.len();
            for &register in registers.iter().filter(|register| needed[**register]) {
                let acts = clocks.acts(register, instant);
                match last {
                    true => walk.next(register, acts),
                    false => walk.after(register, acts),
                }
            }
            registers.iter().filter(|r| clocks.acts(**r, instant)).for_each(|r| needed[*r] = false);
            walk.needed.iter().for_each(|register| needed[*register] = true);
            if !last {
                walk.steps.push(Step::Instant);
            }
            instants.push(walk.steps);
        }
        Order { steps: instants.into_iter().rev().flatten().collect() }
    }

    /// The registers that the outputs need, in order.
    pub(super) fn registers(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().filter_map(|step| match step {
            Step::Next { register, .. } => Some(*register),
            _ => None,
        })
    }
}

/// All that the next value of a register depends on.
fn inputs(design: &Design, register: usize) -> Vec<Bit> {
    let register = &design.registers[register];
    let mut bits = vec![register.d];
    bits.extend(register.enable.map(|_| Bit::Net(register.q)));
    bits.extend(register.enable.map(|(bit, _)| bit));
    bits.extend(register.reset.map(|((bit, _), ..)| bit));
    bits.extend(register.overrides.iter().flat_map(|((control, _), value)| [*control, *value]));
    bits
}

impl<'d> Walk<'d> {
    fn new(design: &'d Design<'d>, clocks: &'d Clocks) -> Walk<'d> {
        let states = vec![State::New; design.drivers.len()];
        Walk { design, clocks, states, steps: vec![], needed: vec![], wrong: vec![] }
    }

    /// Computes all outputs.
    fn outputs(&mut self) {
        for (number, port) in self.design.netlist.ports.iter().enumerate() {
            if port.direction == Direction::Output {
                for (bit, &value) in port.bits.iter().enumerate() {
                    self.visit(value);
                    self.steps.push(Step::Output { port: number, bit });
                }
            }
        }
    }

    /// Computes what a register holds after the last instant, given whether it acts there.
    fn next(&mut self, register: usize, acts: bool) {
        self.register(register, acts);
        self.steps.push(Step::Next { register, acts });
    }

    /// Computes what a register holds after an instant, if that is not what it held before.
    fn after(&mut self, register: usize, acts: bool) {
        if acts || !self.design.registers[register].overrides.is_empty() {
            self.register(register, acts);
            self.steps.push(Step::After { register, acts });
        }
    }

    /// Computes what a register needs at an instant.
    fn register(&mut self, register: usize, acts: bool) {
        match acts {
            true => inputs(self.design, register).into_iter().for_each(|bit| self.visit(bit)),
            false => self.visit(Bit::Net(self.design.registers[register].q)),
        }
    }

    /// Computes a bit, and before it all that it needs.
    fn visit(&mut self, bit: Bit) {
        let Bit::Net(root) = bit else { return };
        if self.states[root as usize] != State::New {
            return;
        }
        let mut path: Vec<(u32, SmallVec<[Bit; 4]>)> = vec![(root, self.open(root, None))];
        while let Some((net, waiting)) = path.last_mut() {
            let net = *net;
            let Some(bit) = waiting.pop() else {
                self.states[net as usize] = State::Done;
                self.steps.push(Step::Net(net));
                path.pop();
                continue;
            };
            let Bit::Net(operand) = bit else { continue };
            match self.states[operand as usize] {
                State::Done => {}
                State::New => path.push((operand, self.open(operand, Some(net)))),
                State::Open => {
                    let start = path.iter().position(|(net, _)| *net == operand).unwrap_or(0);
                    let cycle: Vec<u32> = path[start..].iter().map(|(net, _)| *net).collect();
                    self.report_loop(&cycle);
                }
            }
        }
    }

    /// What a net needs at once, the last first.
    fn open(&mut self, net: u32, reader: Option<u32>) -> SmallVec<[Bit; 4]> {
        self.states[net as usize] = State::Open;
        let design = self.design;
        match design.drivers[net as usize] {
            Driver::None => {
                self.report_undriven(net, reader);
                SmallVec::new()
            }
            Driver::Input { port, .. } => {
                if self.clocks.has(port) {
                    self.report_clock(port, reader);
                }
                SmallVec::new()
            }
            Driver::Gate(gate) => design.gates[gate].pins.iter().rev().copied().collect(),
            Driver::Rom(rom) => design.netlist.roms[rom].address.iter().copied().collect(),
            Driver::Register(number) => {
                self.needed.push(number);
                let overrides = design.registers[number].overrides.iter();
                overrides.flat_map(|((control, _), value)| [*value, *control]).collect()
            }
        }
    }

    fn report_undriven(&mut self, net: u32, reader: Option<u32>) {
        let (name, span) = self.design.name(net);
        let known = self.wrong.iter().any(|d| d.code == "E0514" && d.span() == span);
        if known || self.wrong.len() >= REPORTED {
            return;
        }
        // Yosys takes a function of simulators for the name of a net.
        let name = name.trim_start_matches('\\');
        if name.starts_with('$') {
            let message = format!("`{name}` has no value in hardware");
            let diagnostic = Diagnostic::error("E0514", span, message);
            self.wrong.push(
                diagnostic.help("functions of the system are for simulation: make it an input"),
            );
            return;
        }
        let mut diagnostic =
            Diagnostic::error("E0514", span, format!("nothing drives `{name}`")).label("");
        if let Some(reader) = reader {
            let reader = self.design.drivers[reader as usize];
            diagnostic = diagnostic.also(self.design.span(reader), "it is read here");
        }
        self.wrong.push(
            diagnostic.help("assign it, or connect the port of the instance that should drive it; `--undriven 0` takes it for 0"),
        );
    }

    fn report_clock(&mut self, port: usize, reader: Option<u32>) {
        let port = &self.design.netlist.ports[port];
        let message = format!("the clock `{}` is read as data", port.name);
        let mut diagnostic = Diagnostic::error("E0517", port.span, message);
        if let Some(reader) = reader {
            let reader = self.design.drivers[reader as usize];
            diagnostic = diagnostic.also(self.design.span(reader), "it is read here");
        }
        self.wrong
            .push(diagnostic.help("a tick is a whole cycle, in which the clock has no one value"));
    }

    fn report_loop(&mut self, cycle: &[u32]) {
        let already = |d: &Diagnostic| d.code == "E0515";
        if self.wrong.iter().any(already) {
            return;
        }
        let named: Vec<(String, u32)> = cycle
            .iter()
            .filter_map(|net| {
                let name = self
                    .design
                    .netlist
                    .names
                    .iter()
                    .find(|name| !name.hidden && name.bits.contains(&Bit::Net(*net)));
                name.map(|_| (self.design.name(*net).0, *net))
            })
            .collect();
        let shown: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
        let (message, place) = match named.first() {
            Some((name, net)) => (format!("`{name}` depends on itself"), self.design.name(*net).1),
            None => {
                let driver = self.design.drivers[cycle[0] as usize];
                ("a combinational loop".to_string(), self.design.span(driver))
            }
        };
        let mut diagnostic = Diagnostic::error("E0515", place, message);
        if shown.len() > 1 {
            let way = [&shown[..], &shown[..1]].concat();
            let way: Vec<&str> = way.iter().map(String::as_str).take(12).collect();
            diagnostic = diagnostic.label(format!("it needs {}", way[1..].join(", which needs ")));
        }
        let mut places = vec![place];
        for net in cycle {
            let span = self.design.span(self.design.drivers[*net as usize]);
            if !places.contains(&span) && places.len() < 5 {
                places.push(span);
                diagnostic = diagnostic.also(span, "on the way");
            }
        }
        self.wrong.push(diagnostic.help("break the loop with a register; what never loops at run time must not loop in the text"));
    }
}
