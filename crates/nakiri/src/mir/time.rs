//! How long a function takes whose registers are given out, on the core by which statements are ordered
//! ([`crate::pass::schedule`]).

use super::{Allocated, Base, Home, Line, Memory, Operand, Turn};
use crate::isa::Target;
use crate::pass::schedule::Core;
use rustc_hash::FxHashMap;

/// Cycles from when a value is stored until it can be read there.
const FORWARDED: usize = 5;

/// How many lines fill a core.
const WINDOW: usize = 512;

/// The cycles of one call, without those of the functions that it calls.
pub fn cycles(function: &Allocated, target: &Target) -> usize {
    let core = Core::new(target);
    let (ready, next) = (FxHashMap::default(), Vec::new());
    let mut timing = Timing { target, core, ready, next, accesses: 0, copies: 0, skipped: 0 };
    let mut lines = &function.lines[..];
    while let [line, rest @ ..] = lines {
        lines = rest;
        match line {
            Line::Begin { count, .. } => {
                let end = rest.iter().position(|line| *line == Line::End);
                let (body, after) = rest.split_at(end.expect("loops end"));
                timing.counted(*count as usize, body);
                lines = after;
            }
            line => timing.line(line),
        }
    }
    timing.cycles()
}

struct Timing<'a> {
    target: &'a Target,
    core: Core,
    /// When registers and memory have what was put into them.
    ready: FxHashMap<Operand, usize>,
    /// What was put into pairs for the next iteration.
    next: Vec<(u32, usize)>,
    accesses: usize,
    copies: usize,
    /// The time of iterations that were not executed, since they take as long as those before.
    skipped: usize,
}

impl Timing<'_> {
    /// The cycles so far; a copy takes a place in the core as an access does.
    fn cycles(&self) -> usize {
        self.skipped + self.core.cycles(self.accesses) + self.copies / 4
    }

    /// A loop, until it is in its stride; the other iterations take as long as the last of these.
    fn counted(&mut self, count: usize, body: &[Line]) {
        let executed = count.min(4 + 4 * WINDOW / body.len().max(1));
        let settled = executed * 3 / 4;
        let mut start = self.cycles();
        for iteration in 0..executed {
            if iteration == settled {
                start = self.cycles();
            }
            body.iter().for_each(|line| self.line(line));
            self.turn();
        }
        self.skipped += (self.cycles() - start) * (count - executed) / (executed - settled);
    }

    /// Places that take turns change.
    fn turn(&mut self) {
        for (pair, time) in self.next.drain(..) {
            self.ready.insert(Operand::Memory(Memory::pair(pair, Turn::Now)), time);
        }
    }

    /// When an operand can be read.
    fn read(&mut self, operand: &Operand) -> usize {
        self.accesses += usize::from(matches!(operand, Operand::Memory(_)));
        self.ready.get(operand).copied().unwrap_or(0)
    }

    fn line(&mut self, line: &Line) {
        match line {
            Line::Compute { result, operands, .. } => {
                let times = operands.iter().map(|operand| self.read(operand));
                let ready = times.max().unwrap_or(0);
                let finished = self.core.finish(ready, self.target.latency);
                self.ready.insert(Operand::Register(*result), finished);
            }
            Line::Copy { to, from } => {
                self.copies += 1;
                let ready = self.read(&Operand::Register(*from));
                self.ready.insert(Operand::Register(*to), ready);
            }
            Line::Load { to, from } => {
                let ready = match from {
                    Home::Memory(memory) => self.read(&Operand::Memory(*memory)),
                    Home::Zeros | Home::Ones => 0,
                };
                self.ready.insert(Operand::Register(*to), ready);
            }
            Line::Store { to, from } => {
                self.accesses += 1;
                let ready = self.read(&Operand::Register(*from)) + FORWARDED;
                if let Base::Pair(pair, Turn::Next) = to.base {
                    self.next.push((pair, ready));
                }
                self.ready.insert(Operand::Memory(*to), ready);
            }
            Line::Call { .. } | Line::Begin { .. } | Line::End => {}
        }
    }
}
