//! A netlist and the program that was made from it, or a run of that.

use super::netlist::{clocked, Nets};
use super::program::{leaves, symbols, Symbols};
use super::sweep::{sweep, End, Verdict};
use crate::effort::Effort;
use nakiri::core::{Port, Program};
use nakiri::map::{self, Literal, Network};
use nakiri::run::{Run, Shared};
use nakiri::verilog::netlist::{Bit, Direction, Netlist};
use nakiri::verilog::{Correspondence, Edge};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a tick computes: for each output and behind them for each register, bit by bit, whether the program agrees with the
/// netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A list for each result of the program, a verdict for each of its atoms.
    pub verdicts: Vec<Vec<Verdict>>,
    /// The atoms of the parameters by the numbers that [`Verdict::Different`] names: parameter and atom.
    pub places: FxHashMap<u32, (usize, usize)>,
    /// How it ended.
    pub end: End,
}

/// What a program has to compute.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The hardware.
    pub netlist: &'a Netlist,
    /// What the program has of it.
    pub parts: &'a Correspondence,
    /// Gates with inputs of the same names and one output: it is one in each tick.
    pub assumed: Option<&'a Netlist>,
}

/// Compares a netlist with a kernel's program. That of several batches computes each batch as the first.
///
/// # Errors
/// The type of a cell that isn't known, or ports that are not those of the netlist.
pub fn prove(wanted: &Wanted, program: &Program, effort: &Effort) -> Result<Proof, String> {
    let entry = program.entry();
    let mut network = Network::new();
    let inputs = leaves(&entry.params, &mut network);
    let found = symbols(program, &inputs, &mut network);
    let mut hardware = Hardware::new(wanted, entry.inputs())?;
    let batches = batches(wanted.netlist, program)?;
    let own = |batch| inputs.iter().map(|list| part(list, batch, batches)).collect();
    let own: Vec<Symbols> = (0..batches).map(own).collect();
    let wanted = hardware.ticks(&own, &mut network)?;
    compared(&network, &inputs, (&found, &wanted), hardware.assumed, effort)
}

/// A tick in two programs of kernels: what all lanes share, and what each computes.
#[derive(Clone, Copy, Debug)]
pub struct Divided<'a> {
    /// The step function.
    pub whole: &'a Program,
    /// How it is divided.
    pub shared: &'a Shared,
    /// The kernel's program of what is shared.
    pub control: &'a Program,
    /// The kernel's program of the lanes, which reads what that one computes.
    pub lanes: &'a Program,
}

/// Compares a netlist with both programs together: the verdicts are of the results of the step function.
///
/// # Errors
/// Those of [`prove`].
pub fn prove_divided(wanted: &Wanted, divided: &Divided, effort: &Effort) -> Result<Proof, String> {
    let Divided { whole, control, lanes, .. } = divided;
    let mut network = Network::new();
    let once = leaves(&control.entry().params, &mut network);
    let controlled = symbols(control, &once, &mut network);
    let (signals, _) = controlled.split_at(control.entry().outputs().len());
    let each = divided.leaves_of_lanes(signals, &mut network);
    let computed = symbols(lanes, &each, &mut network);
    let batches = batches(wanted.netlist, lanes)?;
    let (entry, once) = (whole.entry(), named(&control.entry().params, &once));
    let each = named(&lanes.entry().params, &each);
    let params = |batch| -> Symbols {
        let input = |(port, shared): (&Port, &bool)| match shared {
            true => once[&*port.name].to_vec(),
            false => part(each[&*port.name], batch, batches),
        };
        let inputs = entry.inputs().iter().zip(&divided.shared.inputs).map(input);
        inputs.chain(divided.registers(&once, &each, (batch, batches))).collect()
    };
    let params: Vec<Symbols> = (0..batches).map(params).collect();
    let next =
        (named(&control.entry().results, &controlled), named(&lanes.entry().results, &computed));
    let mut found: Symbols = vec![Vec::new(); entry.results.len()];
    for batch in 0..batches {
        let outputs = computed[..entry.outputs().len()].iter();
        let outputs = outputs.map(|list| part(list, batch, batches));
        let results = outputs.chain(divided.registers(&next.0, &next.1, (batch, batches)));
        found.iter_mut().zip(results).for_each(|(found, result)| found.extend(result));
    }
    let mut hardware = Hardware::new(wanted, entry.inputs())?;
    let wanted = hardware.ticks(&params, &mut network)?;
    let mut inputs: Symbols = vec![Vec::new(); entry.params.len()];
    for params in params {
        inputs.iter_mut().zip(params).for_each(|(input, list)| input.extend(list));
    }
    compared(&network, &inputs, (&found, &wanted), hardware.assumed, effort)
}

/// The literals of some ports by their names.
fn named<'a>(ports: &'a [Port], symbols: &'a Symbols) -> FxHashMap<&'a str, &'a [Literal]> {
    ports.iter().map(|port| &*port.name).zip(symbols.iter().map(|list| &list[..])).collect()
}

impl Divided<'_> {
    /// The parameters of the lanes: signals, and leaves for all others.
    fn leaves_of_lanes(&self, signals: &[Vec<Literal>], network: &mut Network) -> Symbols {
        let entry = self.lanes.entry();
        let mut params = leaves(&entry.params, network);
        let inputs = entry.inputs().len();
        params[inputs - signals.len()..inputs].clone_from_slice(signals);
        params
    }

    /// The registers, or the next ones, of a batch of so many, from those of both programs.
    fn registers(
        &self,
        control: &FxHashMap<&str, &[Literal]>,
        lanes: &FxHashMap<&str, &[Literal]>,
        (batch, batches): (usize, usize),
    ) -> Symbols {
        let of = |(register, port): (usize, &Port)| {
            let shared = control.get(&*port.name).copied().unwrap_or_default();
            let own = lanes.get(&*port.name).copied().unwrap_or_default();
            self.shared.joined(register, shared, &part(own, batch, batches))
        };
        self.whole.entry().registers().iter().enumerate().map(of).collect()
    }
}

/// Compares a netlist, stepped through the ticks of a run, with a kernel's program of the run: a verdict for each bit of
/// the results, for all data.
///
/// # Errors
/// Those of [`prove`].
pub fn prove_run(
    wanted: &Wanted,
    run: &Run,
    program: &Program,
    effort: &Effort,
) -> Result<Proof, String> {
    let entry = program.entry();
    let mut network = Network::new();
    let inputs = leaves(&entry.params, &mut network);
    let found = symbols(program, &inputs, &mut network);
    let mut hardware = Hardware::new(wanted, run.hardware.entry().inputs())?;
    let declared = run.program.entry();
    let batches = entry.results[0].count() as usize / declared.results[0].count().max(1) as usize;
    let known = |number: u128| Literal::FALSE.invert_if(number == 1);
    let resets = run.hardware.entry().resets.iter();
    let resets: Symbols = resets.map(|bits| bits.iter().map(|&bit| known(bit)).collect()).collect();
    let mut wanted: Symbols = vec![Vec::new(); found.len()];
    for batch in 0..batches {
        let data = declared.params.iter().zip(&inputs).map(|(port, list)| match port.constant {
            true => list.clone(),
            false => part(list, batch, batches),
        });
        let data: Symbols = data.collect();
        let (mut state, mut outputs) = (resets.clone(), Vec::new());
        for inputs in run.inputs(&data, known) {
            let (now, next) = hardware.tick(&inputs, &state, &mut network)?;
            outputs.push(now);
            state = next;
        }
        let results = run.results(&outputs);
        wanted.iter_mut().zip(results).for_each(|(wanted, result)| wanted.extend(result));
    }
    compared(&network, &inputs, (&found, &wanted), hardware.assumed, effort)
}

/// The part of a port that belongs to a batch.
fn part(list: &[Literal], batch: usize, batches: usize) -> Vec<Literal> {
    let length = list.len() / batches;
    list[batch * length..][..length].to_vec()
}

/// Compares what was found, from some leaves, with what is wanted, where what is assumed is true.
fn compared(
    network: &Network,
    inputs: &Symbols,
    (found, wanted): (&Symbols, &Symbols),
    assumed: Literal,
    effort: &Effort,
) -> Result<Proof, String> {
    if wanted.iter().map(Vec::len).ne(found.iter().map(Vec::len)) {
        return Err("the program's results are not those of the netlist".to_string());
    }
    let pairs: Vec<(Literal, Literal)> = wanted.concat().into_iter().zip(found.concat()).collect();
    let verdicts = sweep(network, &pairs, assumed, effort);
    let end = End::of(&verdicts, effort);
    let mut verdicts = verdicts.into_iter();
    let verdicts = found.iter().map(|list| verdicts.by_ref().take(list.len()).collect()).collect();
    let atoms = inputs.iter().enumerate().flat_map(|(port, list)| {
        list.iter().enumerate().map(move |(atom, leaf)| (leaf.node(), (port, atom)))
    });
    Ok(Proof { verdicts, places: atoms.collect(), end })
}

/// A netlist as gates over literals.
struct Hardware<'a> {
    netlist: &'a Netlist,
    parts: &'a Correspondence,
    /// The inputs of its program.
    inputs: &'a [Port],
    /// For each instant of a tick the nets of the registers that act there.
    clocked: Vec<FxHashSet<u32>>,
    assumption: Option<&'a Netlist>,
    /// What is assumed of the inputs of all ticks so far.
    assumed: Literal,
}

impl<'a> Hardware<'a> {
    fn new(wanted: &Wanted<'a>, inputs: &'a [Port]) -> Result<Hardware<'a>, String> {
        let Wanted { netlist, parts, assumed: assumption } = *wanted;
        let registers: Vec<u32> = parts.registers.iter().flatten().copied().collect();
        let levels = |edges: &[Edge], after: bool| -> FxHashMap<u32, Literal> {
            let bits = edges.iter().flat_map(|edge| {
                let level = Literal::FALSE.invert_if(edge.rises == after);
                netlist.ports[edge.port].bits.iter().map(move |bit| (bit.net(), level))
            });
            bits.filter_map(|(net, level)| Some((net?, level))).collect()
        };
        let clocked = parts.instants.iter().map(|edges| {
            let [before, after] = [false, true].map(|after| levels(edges, after));
            clocked(netlist, &registers, before, after)
        });
        let clocked = clocked.collect::<Result<_, _>>()?;
        let assumed = Literal::FALSE.invert_if(true);
        Ok(Hardware { netlist, parts, inputs, clocked, assumption, assumed })
    }

    /// The outputs of a tick and the registers after it, of several batches one behind the other in each port.
    fn ticks(&mut self, batches: &[Symbols], network: &mut Network) -> Result<Symbols, String> {
        let mut all = Symbols::new();
        for params in batches {
            let (own, registers) = params.split_at(self.inputs.len());
            let (outputs, next) = self.tick(own, registers, network)?;
            let results: Symbols = outputs.into_iter().chain(next).collect();
            all.resize(results.len(), Vec::new());
            all.iter_mut().zip(results).for_each(|(all, result)| all.extend(result));
        }
        Ok(all)
    }

    /// The outputs of a tick, before its first edge, and the registers after it.
    fn tick(
        &mut self,
        own: &[Vec<Literal>],
        registers: &[Vec<Literal>],
        network: &mut Network,
    ) -> Result<(Symbols, Symbols), String> {
        self.assume(own, network)?;
        let known = self.parts.registers.iter().flatten().copied();
        let mut stored: FxHashMap<u32, Literal> =
            known.zip(registers.iter().flatten().copied()).collect();
        let given = given(self.netlist, self.parts, own, self.inputs)?;
        let mut outputs = None;
        for clocked in &self.clocked {
            let mut nets = Nets::new(self.netlist, given.clone(), &stored);
            if outputs.is_none() {
                let ports = self.netlist.ports.iter();
                let ports = ports.filter(|port| port.direction == Direction::Output);
                let mut bit = |bit: &Bit| nets.bit(*bit, network);
                let found: Result<Symbols, String> =
                    ports.map(|port| port.bits.iter().map(&mut bit).collect()).collect();
                outputs = Some(found?);
            }
            let after = self.parts.registers.iter().flatten().map(|&net| {
                // One that does not act keeps what it shows, which a reset may have overridden.
                let value = match clocked.contains(&net) {
                    true => nets.next(net, network),
                    false => nets.bit(Bit::Net(net), network),
                };
                value.map(|value| (net, value))
            });
            stored = after.collect::<Result<_, _>>()?;
        }
        let next = self.parts.registers.iter();
        let next = next.map(|list| list.iter().map(|net| stored[net]).collect()).collect();
        Ok((outputs.unwrap_or_default(), next))
    }
}

impl Hardware<'_> {
    /// Assumes of the inputs of a tick what is assumed of all.
    fn assume(&mut self, own: &[Vec<Literal>], network: &mut Network) -> Result<(), String> {
        let Some(netlist) = self.assumption else { return Ok(()) };
        let mut given = FxHashMap::default();
        for (port, literals) in self.inputs.iter().zip(own) {
            let bits = netlist.ports.iter().find(|other| other.name == port.name);
            let nets = bits.into_iter().flat_map(|port| &port.bits).map(Bit::net);
            given.extend(nets.zip(literals).filter_map(|(net, literal)| Some((net?, *literal))));
        }
        let output = netlist.ports.iter().find(|port| port.direction == Direction::Output);
        let output = output.and_then(|port| port.bits.first()).ok_or("nothing is assumed")?;
        let stored = FxHashMap::default();
        let holds = Nets::new(netlist, given, &stored).bit(*output, network)?;
        let [a, b, _] = map::inputs();
        self.assumed = network.gate(&[self.assumed, holds], a & b);
        Ok(())
    }
}

/// How many batches the program computes side by side.
fn batches(netlist: &Netlist, program: &Program) -> Result<usize, String> {
    let port = netlist.ports.iter().find(|port| port.direction == Direction::Output);
    let result = program.entry().outputs().first();
    match port.zip(result) {
        Some((port, result)) => Ok(result.count() as usize / port.bits.len().max(1)),
        None => Err("the netlist has no output".to_string()),
    }
}

/// The literals of the nets that are bits of inputs: clocks are no parameters, nor is a reset, which doesn't act.
fn given(
    netlist: &Netlist,
    parts: &Correspondence,
    own: &[Vec<Literal>],
    inputs: &[Port],
) -> Result<FxHashMap<u32, Literal>, String> {
    let mut given = FxHashMap::default();
    let names = inputs.iter().map(|port| &port.name);
    for (name, literals) in names.zip(own) {
        let is_port = |port: &&nakiri::verilog::netlist::Port| {
            port.name == *name && port.direction == Direction::Input
        };
        let port = netlist.ports.iter().find(is_port);
        let port = port.ok_or_else(|| format!("the netlist has no input `{name}`"))?;
        for (bit, literal) in port.bits.iter().zip(literals) {
            if let Bit::Net(net) = bit {
                given.insert(*net, *literal);
            }
        }
    }
    if let Some((port, idle)) = parts.reset {
        for bit in &netlist.ports[port].bits {
            if let Bit::Net(net) = bit {
                given.insert(*net, Literal::FALSE.invert_if(idle));
            }
        }
    }
    Ok(given)
}
