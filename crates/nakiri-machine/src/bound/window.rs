//! A core that executes a sequence again and again, cycle by cycle.
//!
//! Out of order: instructions enter the reorder buffer in order, so many in a cycle; each operation starts when its
//! arguments are ready; an instruction leaves the buffer when it and all older ones are done. Without ports every
//! operation starts as early as any core with this buffer could start it, so that the time is a lower bound. With ports,
//! of which an operation takes the first that is free, older instructions first, it is a prediction.
//!
//! In order: an instruction starts when its arguments are ready, a port is free, and the one before has started.

use super::costs::Costed;
use super::flow::Flow;
use crate::machine::FrontEnd;
use crate::sequence::Sequence;
use nakiri::cost::{Busy, Ports};
use std::collections::VecDeque;

/// What a core has.
#[derive(Clone, Copy, Debug)]
pub struct Core<'a> {
    /// Instructions that can enter per cycle; infinite for the flow of data alone.
    pub width: f64,
    /// Bytes of code per cycle.
    pub bytes: f64,
    /// Instructions in the reorder buffer; `None` for a core that executes in order.
    pub reorder: Option<usize>,
    /// Whether an operation needs a free port.
    pub ports: bool,
    /// Of which only how jumps end a cycle matters here.
    pub front_end: &'a FrontEnd,
}

/// Times of one execution of a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// When the last instruction has entered the core, or, in order, started.
    pub issued: f64,
    /// When everything is done.
    pub done: f64,
}

/// An instruction as a core executed it.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'a> {
    /// Its step in the sequence.
    pub step: usize,
    /// When it was issued.
    pub issued: f64,
    /// When its results are ready.
    pub done: f64,
    /// For each of its micro-operations that need one the cycle in which it starts, and its port.
    pub started: &'a [(usize, Ports)],
}

/// Executes a sequence some times; gives the times at the end of each. `observe` is told of each instruction.
pub fn run(
    core: &Core,
    costs: &[Costed],
    sequence: &Sequence,
    repetitions: usize,
    observe: &mut dyn FnMut(&Executed),
) -> Vec<Times> {
    let mut state = State {
        core: *core,
        flow: Flow::new(0.0),
        ports: busy(costs, sequence),
        entered: 0.0,
        buffer: VecDeque::new(),
        done: 0.0,
        started: Vec::new(),
    };
    let mut times = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let mut issued = 0.0;
        for (number, step) in sequence.steps.iter().enumerate() {
            let costed = &costs[step.code as usize];
            state.started.clear();
            let (start, done) = match core.reorder {
                Some(size) => state.out_of_order(costed, step.address, size),
                None => state.in_order(costed, step.address),
            };
            issued = start;
            observe(&Executed { step: number, issued, done, started: &state.started });
        }
        times.push(Times { issued, done: state.done });
    }
    times
}

struct State<'a> {
    core: Core<'a>,
    flow: Flow,
    ports: Busy,
    /// When the next instruction can enter at the earliest: a cycle, and the part of it that is taken.
    entered: f64,
    /// When the instructions in the reorder buffer leave it.
    buffer: VecDeque<f64>,
    /// When everything so far is done.
    done: f64,
    /// What the instruction that was executed last took.
    started: Vec<(usize, Ports)>,
}

impl State<'_> {
    fn enters(&self, costed: &Costed) -> bool {
        self.core.front_end.enters(costed.instruction)
    }

    /// When an instruction is issued, and when it is done.
    fn out_of_order(&mut self, costed: &Costed, address: Option<u64>, size: usize) -> (f64, f64) {
        let mut from = self.entered;
        if self.enters(costed) {
            if self.buffer.len() == size {
                from = from.max(self.buffer.pop_front().unwrap_or(0.0));
            }
            let bytes = f64::from(costed.instruction.bytes);
            self.entered = from + (1.0 / self.core.width).max(bytes / self.core.bytes);
        }
        // An instruction starts in a whole cycle; the small number makes up for sums of parts.
        let start = (from + 1e-9).floor();
        let (busy, started) = (&mut self.ports, &mut self.started);
        let done = match self.core.ports {
            true => self.flow.step(costed, address, start, &mut |cost, ready| {
                let before = started.len();
                started.extend(busy.places(&cost.uses, ready));
                last_of(&started[before..], ready)
            }),
            false => self.flow.step(costed, address, start, &mut |_, ready| ready),
        };
        self.done = self.done.max(done);
        if self.enters(costed) {
            self.buffer.push_back(self.done);
        }
        (start, done)
    }

    fn in_order(&mut self, costed: &Costed, address: Option<u64>) -> (f64, f64) {
        let from = (self.entered + 1e-9).floor().max(self.flow.arguments(costed.instruction));
        self.entered = self.entered.max(from);
        let parts = [&costed.load, &costed.compute, &costed.store];
        for cost in parts.into_iter().flatten() {
            self.started.extend(self.ports.places(&cost.uses, from));
        }
        let start = last_of(&self.started, from);
        self.entered = self.entered.max(start) + 1.0 / self.core.width;
        if costed.instruction.branch && self.core.front_end.branch_ends_cycle {
            self.entered = start + 1.0;
        }
        let done = self.flow.step(costed, address, start, &mut |_, ready| ready);
        self.done = self.done.max(done);
        (start, done)
    }
}

/// When the last of some micro-operations starts that can't before a time.
fn last_of(started: &[(usize, Ports)], from: f64) -> f64 {
    started.iter().fold(from.ceil(), |last, (start, _)| last.max(*start as f64))
}

/// The ports of a core that will execute a sequence.
fn busy(costs: &[Costed], sequence: &Sequence) -> Busy {
    let executed = sequence.steps.iter().map(|step| &costs[step.code as usize]);
    let parts = executed.flat_map(|costed| [&costed.load, &costed.compute, &costed.store]);
    Busy::new(parts.flatten().flat_map(|cost| &cost.uses).map(|ports| (*ports, 1.0)))
}
