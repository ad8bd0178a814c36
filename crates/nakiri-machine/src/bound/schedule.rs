//! What a core does cycle by cycle: when each instruction starts and on which ports, which of them are on the longest chain of
//! results, and which registers are alive.

use super::costs::{costs, Cost, Costed};
use super::flow::{words, Flow};
use super::window::{self, Core};
use super::{core, Repeated};
use crate::machine::{Machine, MissingOperation};
use crate::sequence::{Registers, Sequence};
use nakiri::cost::Ports;
use std::collections::HashMap;
use std::ops::Range;

/// An instruction that was executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// In which execution of the sequence, counted from the one that is looked at: negative before it.
    pub run: isize,
    /// Its step in the sequence.
    pub step: usize,
    /// The cycle in which it was issued.
    pub issued: f64,
    /// The cycle in which its results are ready.
    pub done: f64,
    /// For each of its micro-operations that need a port the cycle in which it starts, and the port.
    pub started: Vec<(usize, Ports)>,
}

/// How a core executes a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// All that was executed, in the order of the program.
    pub executed: Vec<Executed>,
    /// From the cycle in which the execution that is looked at is issued to that in which the next one is.
    pub cycles: Range<usize>,
    /// For each step whether it is on the longest chain of results of an execution by itself.
    pub critical: Vec<bool>,
    /// For each step the registers whose values are read behind it.
    pub alive: Vec<Registers>,
}

impl Schedule {
    /// For each port the part of [`Schedule::cycles`] in which it is taken; those that nothing needs are left out.
    pub fn shares(&self, machine: &Machine) -> Vec<(usize, f64)> {
        let mut counts = vec![(false, 0usize); machine.ports.len()];
        for (cycle, port) in self.executed.iter().flat_map(|executed| &executed.started) {
            if *port != 0 {
                let (wanted, count) = &mut counts[port.trailing_zeros() as usize];
                *wanted = true;
                *count += usize::from(self.cycles.contains(cycle));
            }
        }
        let length = self.cycles.len().max(1) as f64;
        let counts = counts.into_iter().enumerate().filter(|(_, (wanted, _))| *wanted);
        counts.map(|(port, (_, count))| (port, count as f64 / length)).collect()
    }
}

/// One execution of a sequence with nothing before and after it, or, if it is repeated, one among many.
///
/// # Errors
/// An operation that the machine doesn't have.
pub fn schedule(
    machine: &Machine,
    sequence: &Sequence,
    repeated: Option<Repeated>,
) -> Result<Schedule, MissingOperation> {
    let costs = costs(machine, sequence)?;
    let (core, settled) = core(machine, sequence, true);
    let (run, runs) = match repeated {
        Some(_) => (settled, 2 * settled),
        None => (0, 1),
    };
    let (executed, cycles) = executed(&core, &costs, sequence, run, runs);
    Ok(Schedule {
        executed,
        cycles,
        critical: critical(&costs, sequence),
        alive: alive(sequence, repeated == Some(Repeated::Looped)),
    })
}

fn executed(
    core: &Core,
    costs: &[Costed],
    sequence: &Sequence,
    run: usize,
    runs: usize,
) -> (Vec<Executed>, Range<usize>) {
    let mut executed: Vec<Executed> = Vec::with_capacity(runs * sequence.steps.len());
    let mut current = -(run as isize) - 1;
    window::run(core, costs, sequence, runs, &mut |own| {
        current += isize::from(own.step == 0);
        let &window::Executed { step, issued, done, started } = own;
        executed.push(Executed { run: current, step, issued, done, started: started.to_vec() });
    });
    let begins = |run: isize| {
        let first = executed.iter().find(|own| own.run == run);
        first.map(|own| own.issued as usize)
    };
    let last = || executed.iter().map(|own| own.done.ceil() as usize + 1).max();
    let cycles = begins(0).unwrap_or(0)..begins(1).or_else(last).unwrap_or(0);
    (executed, cycles)
}

/// The steps that made what is in registers and memory.
struct Makers {
    registers: [Option<usize>; Registers::COUNT],
    memory: HashMap<u64, usize>,
}

/// The steps on the longest chain of results, each of which waits for the one before.
fn critical(costs: &[Costed], sequence: &Sequence) -> Vec<bool> {
    let mut flow = Flow::new(0.0);
    let mut makers = Makers { registers: [None; Registers::COUNT], memory: HashMap::new() };
    let mut before: Vec<Option<usize>> = Vec::with_capacity(sequence.steps.len());
    let mut last = (0.0, None);
    for (number, step) in sequence.steps.iter().enumerate() {
        let costed = &costs[step.code as usize];
        let own = costed.instruction;
        let loaded = costed.load.as_ref().map_or(0.0, |cost: &Cost| cost.latency);
        let from = |registers: Registers, more: f64| {
            let made = registers.iter().map(|r| (flow.registers[r] + more, makers.registers[r]));
            made.collect::<Vec<_>>()
        };
        let mut sources = [from(own.address, loaded), from(own.data, 0.0)].concat();
        let touched = || step.address.into_iter().flat_map(|at| words(at, own.memory));
        if costed.load.is_some() {
            let stored = touched().filter_map(|(word, _)| {
                let (_, time) = flow.memory.get(&word)?;
                Some((*time, makers.memory.get(&word).copied()))
            });
            sources.extend(stored);
        }
        let latest = sources.into_iter().filter(|(_, maker)| maker.is_some());
        before.push(latest.max_by(|a, b| a.0.total_cmp(&b.0)).and_then(|(_, maker)| maker));
        let done = flow.step(costed, step.address, 0.0, &mut |_, ready| ready);
        own.written.iter().for_each(|register| makers.registers[register] = Some(number));
        if costed.store.is_some() {
            makers.memory.extend(touched().map(|(word, _)| (word, number)));
        }
        if done >= last.0 {
            last = (done, Some(number));
        }
    }
    let mut critical = vec![false; sequence.steps.len()];
    let mut next = last.1;
    while let Some(step) = next {
        critical[step] = true;
        next = before[step];
    }
    critical
}

/// For each step the registers that are read behind it before they are written; behind a loop's last comes its first.
fn alive(sequence: &Sequence, looped: bool) -> Vec<Registers> {
    let mut alive = vec![Registers::default(); sequence.steps.len()];
    let mut behind = Registers::default();
    for _ in 0..if looped { 2 } else { 1 } {
        for (step, own) in sequence.steps.iter().zip(&mut alive).rev() {
            *own = behind;
            let instruction = &sequence.code[step.code as usize];
            let read = instruction.address.0 | instruction.data.0;
            behind = Registers(behind.0 & !instruction.written.0 | read);
        }
    }
    alive
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::*;
    use crate::machine;

    /// Two loads and their sum.
    const SUM: &str = "int32 a\nint32 b\nint32 c\na = mem32[START]\nc = 7\nb = mem32[START]\na += b\nmem32[END] = a\n";

    #[test]
    fn what_waits_is_on_the_chain() {
        let toy = machine::all().iter().find(|machine| machine.name == "toy").unwrap();
        let (sequence, names) = program::sequence(SUM, toy).unwrap();
        assert_eq!(names[3], "a += b");
        let made = schedule(toy, &sequence, None).unwrap();
        // The load that comes last would start in any case as early as the other: either is on the chain, and `c` is not.
        let chain: Vec<usize> = (0..5).filter(|step| made.critical[*step]).collect();
        assert_eq!(chain.len(), 3);
        assert!(!made.critical[1] && chain.ends_with(&[3, 4]), "{chain:?}");
        // A load a cycle, three cycles each; two for the sum.
        let issued: Vec<f64> = made.executed.iter().map(|own| own.issued).collect();
        assert_eq!(issued, [0.0, 0.0, 1.0, 4.0, 6.0]);
        let count = |step: usize| made.alive[step].iter().count();
        assert_eq!([0, 2, 3, 4].map(count), [1, 2, 1, 0]);
        let memory = made.shares(toy)[0];
        assert_eq!(memory.0, 0);
        assert!((memory.1 * made.cycles.len() as f64 - 3.0).abs() < 1e-9);
    }
}
