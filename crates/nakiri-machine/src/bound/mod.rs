//! How fast a machine could at best execute some code, and what it is that limits it.
//!
//! What is *proven*, that is, smaller than any time that a machine with the model's figures takes:
//! - [`Limit::Ports`], [`Limit::Loads`], [`Limit::Stores`]: the operations have to be shared out among the ports ([`nakiri::cost::ports`]),
//!   and some classes have a throughput of their own.
//! - [`Limit::FrontEnd`]: so many instructions enter per cycle. Of N instructions of code, an op cache of C can't hold
//!   N − C, whatever it replaces; these are decoded each time.
//! - [`Limit::Window`]: results wait for arguments, and of the instructions no more than the reorder buffer holds can be
//!   under way at once ([`window`]).
//! - [`Limit::Recurrence`]: what an iteration needs from the one before ([`recurrence`]). Batches of a cipher need nothing
//!   from each other; where they do, as in chaining modes, it is the latency divided by the number of messages that are
//!   interleaved.
//! - [`Bound::latency`], for a single batch with nothing before and after it.
//!
//! What is *estimated*: [`Bound::predicted`], a simulation of the core with its ports, in which code that is larger than the
//! op cache is decoded anew in every execution.

pub mod costs;
pub mod flow;
pub mod kernel;
pub mod picture;
pub mod program;
pub mod recurrence;
pub mod schedule;
pub mod table;
pub mod window;

use crate::machine::{Class, Machine, MissingOperation};
use crate::sequence::{Micro, Sequence};
use costs::Costed;
use nakiri::cost::Ports;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use window::{Core, Times};

/// What can limit a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The ports, or the throughput of a class of operations.
    Ports,
    /// Reads of memory.
    Loads,
    /// Writes of memory.
    Stores,
    /// The number of instructions, or their bytes.
    FrontEnd,
    /// What one execution needs from the one before.
    Recurrence,
    /// Latency, as far as the reorder buffer can't hide it.
    Window,
}

impl Limit {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Ports => "ports",
            Limit::Loads => "loads",
            Limit::Stores => "stores",
            Limit::FrontEnd => "front end",
            Limit::Window => "window",
            Limit::Recurrence => "recurrence",
        }
    }
}

/// Operations of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Operations {
    /// Which.
    #[serde(with = "crate::machine::class")]
    pub class: Class,
    /// Bits of their registers.
    pub width: u32,
    /// How many.
    pub count: u64,
}

/// A lower bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// The machine model.
    pub machine: String,
    /// What is executed.
    pub operations: Vec<Operations>,
    /// Instructions that the front end handles.
    pub instructions: u64,
    /// Core cycles that each limit asks for.
    pub limits: BTreeMap<Limit, f64>,
    /// The ports, or the class of operations, that bind among the ports.
    pub bottleneck: String,
    /// Core cycles of one execution by itself, if the order of execution is known.
    pub latency: Option<f64>,
    /// Core cycles of one execution among many, as simulated, if the order of execution is known.
    pub predicted: Option<f64>,
}

impl Bound {
    /// The largest of the limits, in core cycles, and which it is.
    pub fn binds(&self) -> (Limit, f64) {
        let limits = self.limits.iter().map(|(limit, cycles)| (*limit, *cycles));
        // The window covers the front end and the recurrence: the simpler reason is told.
        limits.fold(
            (Limit::Ports, 0.0),
            |best, next| {
                if next.1 > best.1 * 1.0001 {
                    next
                } else {
                    best
                }
            },
        )
    }

    /// In short, for executions that process so many bytes.
    pub fn row(&self, bytes: f64) -> BoundRow {
        let (limit, cycles) = self.binds();
        let machine = self.machine.clone();
        BoundRow { machine, cost: cycles / bytes, binds: limit.name().to_string() }
    }
}

/// A bound, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundRow {
    /// The machine model.
    pub machine: String,
    /// Core cycles per byte.
    pub cost: f64,
    /// What binds, such as `ports` or `latency`.
    pub binds: String,
}

/// How executions of a sequence depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    /// Not at all.
    Independently,
    /// Each needs the results of the one before, and so many chains are interleaved.
    Chained(u32),
    /// It is the body of a loop: through registers and memory.
    Looped,
}

/// The bound of an executed sequence.
///
/// # Errors
/// An operation that the machine doesn't have.
pub fn of_sequence(
    machine: &Machine,
    sequence: &Sequence,
    repeated: Repeated,
) -> Result<Bound, MissingOperation> {
    let costs = costs::costs(machine, sequence)?;
    let mut operations: BTreeMap<Micro, u64> = BTreeMap::new();
    let mut executed = vec![0u64; sequence.code.len()];
    sequence.steps.iter().for_each(|step| executed[step.code as usize] += 1);
    let (mut instructions, mut entered) = (0, 0);
    for (instruction, times) in sequence.code.iter().zip(&executed) {
        let mut work = instruction.work;
        if instruction.fused {
            work.compute = None;
        } else if instruction.issued {
            instructions += times;
        }
        if machine.front_end.enters(instruction) {
            entered += times;
        }
        work.parts().for_each(|micro| *operations.entry(micro).or_default() += times);
    }
    let mut bound = of_operations(machine, &operations, instructions)?;
    let front_end = front_end(machine, sequence, entered);
    bound.limits.insert(Limit::FrontEnd, front_end);
    let latency = latency(machine, &costs, sequence);
    bound.latency = Some(latency);
    bound.limits.insert(Limit::Window, steady(machine, &costs, sequence, false));
    let recurrence = match repeated {
        Repeated::Independently => 0.0,
        Repeated::Chained(streams) => latency / f64::from(streams.max(1)),
        Repeated::Looped => recurrence::recurrence(&costs, sequence),
    };
    bound.limits.insert(Limit::Recurrence, recurrence);
    // The simulation knows nothing of throughputs that are below those of the ports.
    let simulated = steady(machine, &costs, sequence, true);
    bound.predicted = Some(simulated.max(bound.binds().1));
    Ok(bound)
}

/// The bound of operations in no particular order, so many instructions of them.
///
/// # Errors
/// An operation that the machine doesn't have.
pub fn of_operations(
    machine: &Machine,
    operations: &BTreeMap<Micro, u64>,
    instructions: u64,
) -> Result<Bound, MissingOperation> {
    let is_load = |micro: &Micro| matches!(micro.class, Class::Load | Class::VectorLoad);
    let is_store = |micro: &Micro| matches!(micro.class, Class::Store | Class::VectorStore);
    let (all, bottleneck) = shared(machine, operations, |_| true)?;
    let (loads, _) = shared(machine, operations, is_load)?;
    let (stores, _) = shared(machine, operations, is_store)?;
    let limits = BTreeMap::from([
        (Limit::Ports, all),
        (Limit::Loads, loads),
        (Limit::Stores, stores),
        (Limit::FrontEnd, instructions as f64 / machine.front_end.width),
    ]);
    let operations = operations.iter().map(|(micro, count)| Operations {
        class: micro.class,
        width: micro.width,
        count: *count,
    });
    Ok(Bound {
        machine: machine.name.clone(),
        operations: operations.collect(),
        instructions,
        limits,
        bottleneck,
        latency: None,
        predicted: None,
    })
}

/// The smallest time for some of the operations by ports and throughputs, and what binds.
fn shared(
    machine: &Machine,
    operations: &BTreeMap<Micro, u64>,
    wanted: impl Fn(&Micro) -> bool,
) -> Result<(f64, String), MissingOperation> {
    let mut demand: BTreeMap<Ports, f64> = BTreeMap::new();
    // By row of the machine file, which may stand for several widths.
    let mut throughputs: BTreeMap<usize, (f64, String)> = BTreeMap::new();
    for (micro, count) in operations.iter().filter(|(micro, _)| wanted(micro)) {
        let row = machine.cost(micro.class, micro.width)?;
        for names in &row.uses {
            *demand.entry(machine.port_set(names)).or_default() += *count as f64;
        }
        if let Some(throughput) = row.throughput {
            let place = machine.operations.iter().position(|other| other == row).unwrap_or(0);
            let name = micro.class.name().to_string();
            throughputs.entry(place).or_insert((0.0, name)).0 += *count as f64 / throughput;
        }
    }
    let demand: Vec<_> = demand.into_iter().collect();
    let (time, bound) = nakiri::cost::ports::bound(&demand);
    let names = machine.ports.iter().enumerate().filter(|(bit, _)| bound >> bit & 1 == 1);
    let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    let best = (time, names.join(" "));
    Ok(throughputs.into_values().fold(best, |best, next| if next.0 > best.0 { next } else { best }))
}

/// Core cycles that the front end needs at least for one execution among many.
fn front_end(machine: &Machine, sequence: &Sequence, entered: u64) -> f64 {
    let front = &machine.front_end;
    let Some(missed) = missed(machine, sequence) else {
        return entered as f64 / front.width;
    };
    let bytes: f64 = missed.iter().map(|bytes| f64::from(*bytes)).sum();
    let decoded = (missed.len() as f64 / front.decode).max(bytes / front.decode_bytes);
    decoded.max(entered as f64 / front.width)
}

/// The lengths of the instructions that no op cache of the machine's size can hold from one execution to the next: the
/// shortest ones, as which they are is not known. `None` if all fit.
fn missed(machine: &Machine, sequence: &Sequence) -> Option<Vec<u32>> {
    let held = machine.front_end.op_cache.unwrap_or(0) as usize;
    let mut lengths: Vec<u32> =
        sequence.code.iter().filter(|i| machine.front_end.enters(i)).map(|i| i.bytes).collect();
    let missed = lengths.len().checked_sub(held).filter(|missed| *missed > 0)?;
    lengths.sort_unstable();
    lengths.truncate(missed);
    Some(lengths)
}

/// The time of one execution by itself, for its dependences alone.
fn latency(machine: &Machine, costs: &[Costed], sequence: &Sequence) -> f64 {
    let core = Core {
        width: f64::INFINITY,
        bytes: f64::INFINITY,
        reorder: Some(usize::MAX),
        ports: false,
        front_end: &machine.front_end,
    };
    let times = window::run(&core, costs, sequence, 1, &mut |_| {});
    times.last().map_or(0.0, |times| times.done)
}

/// The core in which a sequence is executed many times, and after how many it is in its stride: short ones are executed often enough
/// to fill the window several times over.
fn core<'m>(machine: &'m Machine, sequence: &Sequence, ports: bool) -> (Core<'m>, usize) {
    const SHORT: usize = 2_000;
    let front = &machine.front_end;
    // In a prediction, what doesn't fit the op cache as a whole misses it as a whole.
    let decoded = ports && missed(machine, sequence).is_some();
    let core = Core {
        width: if decoded { front.decode.min(front.width) } else { front.width },
        bytes: if decoded { front.decode_bytes } else { f64::INFINITY },
        reorder: machine.reorder.map(|size| size as usize),
        ports,
        front_end: front,
    };
    (core, 2 + SHORT / sequence.steps.len().max(1))
}

/// The time of one execution among many: as a bound without ports, or as a prediction with them.
fn steady(machine: &Machine, costs: &[Costed], sequence: &Sequence, ports: bool) -> f64 {
    let (core, settled) = core(machine, sequence, ports);
    let times = window::run(&core, costs, sequence, 2 * settled, &mut |_| {});
    let at = |k: usize| times.get(k).map_or(0.0, |times: &Times| times.done);
    (at(2 * settled - 1) - at(settled - 1)) / settled as f64
}
