//! A core that executes a kernel, batch after batch.
//!
//! Instructions enter the reorder buffer in order, so many in a cycle; each starts when what it reads is ready and its
//! ports are free, and leaves the buffer when it and all older ones are done. What is stored and loaded again comes back
//! after the time that a store takes to be read.

use super::lower::{Carried, Code, Function, Node, Slot, Step, Work};
use super::totals::{Counting, Extent, Totals, LOOP};
use super::{ports, Busy, Estimate, Machine, Operation, Ports};
use crate::core::FuncId;
use crate::isa::Target;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// Bytes a cycle in which code comes that the op cache doesn't hold, whatever decoders could take: 15 to 20, seen on Zen 4, Zen 5 and
/// Redwood Cove with bitsliced kernels of 40 to 180 KB.
const FETCHED: f64 = 16.0;

/// How many instructions are executed at least before and while the time is taken.
const SETTLED: u64 = 2_000;

/// For which results of a run the parameters of the next one wait.
#[derive(Clone, Copy)]
pub enum Waits<'a> {
    /// Atoms of parameters, by their places in the list of all, each for the result that it is in the next run.
    For(&'a [(usize, usize)]),
    /// All for all.
    ForAll,
}

impl Waits<'_> {
    /// When so many atoms of parameters can be read, from the times of the results before.
    fn arguments(self, results: &[f64], atoms: usize) -> Vec<f64> {
        match self {
            Waits::ForAll => vec![results.iter().copied().fold(0.0, f64::max); atoms],
            Waits::For(carried) => {
                let mut args = vec![0.0; atoms];
                for &(param, result) in carried {
                    if let (Some(arg), Some(time)) = (args.get_mut(param), results.get(result)) {
                        *arg = *time;
                    }
                }
                args
            }
        }
    }
}

/// Executes a lowered program until it is in its stride.
pub fn execute(code: &Code, target: &Target, machine: &Machine, waits: Waits) -> Estimate {
    let mut counting = Counting::new(code, target, machine);
    let totals = counting.function(code.entry);
    let extent = counting.extent();
    let decoded = machine.op_cache.is_some_and(|op_cache| !extent.is_held(op_cache));
    let width = match decoded {
        true => beyond(&totals, extent, machine),
        false => machine.width,
    };
    let spent = |wanted: &dyn Fn(Work) -> bool| {
        let mut demand: BTreeMap<Ports, f64> = BTreeMap::new();
        for (work, count) in totals.work.iter().filter(|(work, _)| wanted(**work)) {
            let price = price(code, *work);
            for ports in price.into_iter().flat_map(|price| &price.uses) {
                *demand.entry(*ports).or_default() += *count as f64;
            }
        }
        demand.into_iter().collect::<Vec<_>>()
    };
    let bound = |wanted: &dyn Fn(Work) -> bool| ports::bound(&spent(wanted)).0;
    let cycles = {
        let busy = Busy::new(spent(&|_| true).into_iter());
        let mut core = Core::new(code, machine, width, busy);
        let settled = 1 + SETTLED / totals.instructions.max(1);
        let mut times = Vec::new();
        let params = &code.functions[code.entry.index()].params;
        let atoms = params.iter().map(|(atom, _)| *atom as usize + 1).max().unwrap_or(0);
        let mut args = vec![0.0; atoms];
        for _ in 0..2 * settled {
            let results = core.function(code.entry, &args);
            args = waits.arguments(&results, atoms);
            times.push(core.entered + core.skipped);
        }
        let (middle, end) = (times[settled as usize - 1], times[2 * settled as usize - 1]);
        (end - middle) / settled as f64
    };
    let memory = |work: Work| matches!(work, Work::Load | Work::Store);
    let missed = machine.cache.map_or(0.0, |cache| code.memory.cycles(cache));
    Estimate {
        cycles: cycles + missed + totals.mistaken,
        ports: bound(&|work| !memory(work)),
        loads: bound(&|work| work == Work::Load) + totals.mistaken,
        mistaken: totals.mistaken,
        stores: bound(&|work| work == Work::Store),
        front_end: totals.instructions as f64 / width,
        cache: missed,
        memory: code.memory.arrays + code.memory.places,
        code: extent.instructions,
        decoded,
        instructions: totals.instructions,
        spills: totals.spills,
        reloads: totals.reloads,
    }
}

/// Instructions that enter per cycle in the mean, if the op cache holds no more than loops.
fn beyond(totals: &Totals, extent: Extent, machine: &Machine) -> f64 {
    let fetched = machine.decode_bytes.min(FETCHED) * extent.instructions as f64 / extent.bytes;
    let new = (totals.instructions - totals.again) as f64;
    let cycles =
        new / machine.width.min(machine.decode).min(fetched) + totals.again as f64 / machine.width;
    totals.instructions as f64 / cycles
}

/// What an instruction costs beside its place in the front end.
fn price(code: &Code, work: Work) -> Option<&Operation> {
    match work {
        Work::Compute(price) => Some(&code.prices[price]),
        Work::Load => Some(&code.load),
        Work::Store => Some(&code.store),
        Work::Call(_) => Some(&code.branch),
        Work::Move => None,
    }
}

struct Core<'a> {
    code: &'a Code,
    machine: &'a Machine,
    width: f64,
    busy: Busy,
    /// When the next instruction can enter at the earliest: a cycle, and the part of it that is taken.
    entered: f64,
    /// When the instructions in the reorder buffer leave it.
    buffer: VecDeque<f64>,
    /// When the computations in the scheduler start.
    waiting: BinaryHeap<Reverse<u64>>,
    /// When everything so far is done.
    done: f64,
    /// The time of iterations that were not executed, since they take as long as those before.
    skipped: f64,
}

/// The values of a function: when each is ready, and when a copy in memory can be read.
struct Frame {
    ready: Vec<f64>,
    stored: Vec<f64>,
}

impl Frame {
    /// Hands values on, all at once: from the first slot to the second.
    fn pass(&mut self, carried: &[Carried], way: impl Fn(&Carried) -> (Slot, Slot)) {
        let from = |c: &Carried| way(c).0 as usize;
        let times: Vec<(f64, f64)> =
            carried.iter().map(|c| (self.ready[from(c)], self.stored[from(c)])).collect();
        for (c, (ready, stored)) in carried.iter().zip(times) {
            let into = way(c).1 as usize;
            (self.ready[into], self.stored[into]) = (ready, stored);
        }
    }
}

impl Core<'_> {
    fn new<'a>(code: &'a Code, machine: &'a Machine, width: f64, busy: Busy) -> Core<'a> {
        Core {
            code,
            machine,
            width,
            busy,
            entered: 0.0,
            buffer: VecDeque::new(),
            waiting: BinaryHeap::new(),
            done: 0.0,
            skipped: 0.0,
        }
    }

    /// Executes a function whose arguments can be read at these times; gives the times of its results.
    fn function(&mut self, id: FuncId, args: &[f64]) -> Vec<f64> {
        let code = self.code;
        let function: &Function = &code.functions[id.index()];
        let mut frame =
            Frame { ready: vec![0.0; function.slots], stored: vec![0.0; function.slots] };
        for (atom, slot) in &function.params {
            frame.stored[*slot as usize] = args.get(*atom as usize).copied().unwrap_or(0.0);
        }
        for node in &function.nodes {
            match node {
                Node::Straight(steps) => steps.iter().for_each(|step| self.step(step, &mut frame)),
                Node::Loop { count, carried, body, .. } => {
                    self.counted(*count, carried, body, &mut frame);
                }
            }
        }
        function
            .results
            .iter()
            .map(|slot| frame.ready[*slot as usize] + code.store.latency)
            .collect()
    }

    /// Executes a loop until it is in its stride; the other iterations take as long as the last of these.
    fn counted(&mut self, count: u32, carried: &[Carried], body: &[Step], frame: &mut Frame) {
        frame.pass(carried, |c| (c.init, c.inside));
        let reorder = self.machine.reorder.unwrap_or(0) as usize;
        let executed = (count as usize).min(4 + 4 * reorder / body.len().max(1));
        let settled = executed * 3 / 4;
        let mut start = self.entered;
        for iteration in 0..executed {
            if iteration == settled {
                start = self.entered;
            }
            if iteration > 0 {
                frame.pass(carried, |c| (c.next, c.inside));
            }
            body.iter().for_each(|step| self.step(step, frame));
            self.entered += LOOP as f64 / self.width;
        }
        let left = (count as usize - executed) as f64;
        self.skipped += (self.entered - start) / (executed - settled) as f64 * left;
        frame.pass(carried, |c| (c.next, c.result));
    }

    fn step(&mut self, step: &Step, frame: &mut Frame) {
        if matches!(step.work, Work::Compute(_)) {
            self.wait();
        }
        let from = self.enter(step.folded);
        let ready =
            |slots: &[Slot]| slots.iter().map(|s| frame.ready[*s as usize]).fold(from, f64::max);
        let done = match step.work {
            Work::Move => from,
            Work::Compute(price) => {
                let price = &self.code.prices[price];
                let start = self.start(&price.uses, ready(&step.args));
                self.waiting.push(Reverse(start as u64));
                start + price.latency
            }
            Work::Load => {
                let start = self.start(&self.code.load.uses, from);
                let slot = step.args[0] as usize;
                (start + self.code.load.latency).max(frame.stored[slot]).max(frame.ready[slot])
            }
            Work::Store => {
                let start = self.start(&self.code.store.uses, ready(&step.args));
                frame.stored[step.args[0] as usize] = start + self.code.store.latency;
                start
            }
            Work::Call(callee) => {
                let start = self.start(&self.code.branch.uses, from);
                let args: Vec<f64> =
                    step.args.iter().map(|slot| frame.stored[*slot as usize]).collect();
                let results = self.function(callee, &args);
                for (slot, time) in step.results.iter().zip(results) {
                    frame.stored[*slot as usize] = time;
                }
                return self.leave(start, step.folded);
            }
        };
        step.results.iter().for_each(|slot| frame.ready[*slot as usize] = done);
        self.leave(done, step.folded);
    }

    /// Waits until the scheduler has a place for a computation.
    fn wait(&mut self) {
        let Some(size) = self.machine.scheduler else { return };
        while self.waiting.len() >= size as usize {
            let Some(Reverse(start)) = self.waiting.pop() else { return };
            self.entered = self.entered.max(start as f64);
        }
    }

    /// The cycle in which the next instruction enters.
    fn enter(&mut self, folded: bool) -> f64 {
        let mut from = self.entered;
        if !folded {
            let full = self.machine.reorder.is_some_and(|size| self.buffer.len() >= size as usize);
            if full {
                from = from.max(self.buffer.pop_front().unwrap_or(0.0));
            }
            self.entered = from + 1.0 / self.width;
        }
        // The small number makes up for sums of parts.
        (from + 1e-9).floor()
    }

    /// When an operation starts whose arguments are ready.
    fn start(&mut self, uses: &[Ports], ready: f64) -> f64 {
        let start = self.busy.take(uses, ready);
        if self.machine.reorder.is_none() {
            self.entered = self.entered.max(start);
        }
        start
    }

    fn leave(&mut self, done: f64, folded: bool) {
        self.done = self.done.max(done);
        if !folded && self.machine.reorder.is_some() {
            self.buffer.push_back(self.done);
        }
    }
}
