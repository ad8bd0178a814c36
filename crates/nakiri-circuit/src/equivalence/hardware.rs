//! A netlist and the program that was made from it, or a run of that.

use super::netlist::{clocked, Nets};
use super::program::{leaves, symbols, Symbols};
use super::sweep::{sweep, Verdict};
use crate::effort::Effort;
use nakiri::core::{Port, Program};
use nakiri::map::{Literal, Network};
use nakiri::run::Run;
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
}

/// Compares a netlist with a kernel's program. That of several batches computes each batch as the first.
///
/// # Errors
/// The type of a cell that isn't known, or ports that are not those of the netlist.
pub fn prove(
    netlist: &Netlist,
    parts: &Correspondence,
    program: &Program,
    effort: &Effort,
) -> Result<Proof, String> {
    let entry = program.entry();
    let mut network = Network::new();
    let inputs = leaves(&entry.params, &mut network);
    let found = symbols(program, &inputs, &mut network);
    let hardware = Hardware::new(netlist, parts, entry.inputs())?;
    let batches = batches(netlist, program)?;
    let mut wanted: Symbols = vec![Vec::new(); found.len()];
    for batch in 0..batches {
        let own: Symbols = inputs.iter().map(|list| part(list, batch, batches)).collect();
        let (own, registers) = own.split_at(entry.inputs().len());
        let (outputs, next) = hardware.tick(own, registers, &mut network)?;
        let results = outputs.into_iter().chain(next);
        wanted.iter_mut().zip(results).for_each(|(wanted, result)| wanted.extend(result));
    }
    compared(&network, &inputs, &found, &wanted, effort)
}

/// Compares a netlist, stepped through the ticks of a run, with a kernel's program of the run: a verdict for each bit of
/// the results, for all data.
///
/// # Errors
/// Those of [`prove`].
pub fn prove_run(
    netlist: &Netlist,
    parts: &Correspondence,
    run: &Run,
    program: &Program,
    effort: &Effort,
) -> Result<Proof, String> {
    let entry = program.entry();
    let mut network = Network::new();
    let inputs = leaves(&entry.params, &mut network);
    let found = symbols(program, &inputs, &mut network);
    let hardware = Hardware::new(netlist, parts, run.hardware.entry().inputs())?;
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
    compared(&network, &inputs, &found, &wanted, effort)
}

/// The part of a port that belongs to a batch.
fn part(list: &[Literal], batch: usize, batches: usize) -> Vec<Literal> {
    let length = list.len() / batches;
    list[batch * length..][..length].to_vec()
}

/// Compares what was found, from some leaves, with what is wanted.
fn compared(
    network: &Network,
    inputs: &Symbols,
    found: &Symbols,
    wanted: &Symbols,
    effort: &Effort,
) -> Result<Proof, String> {
    if wanted.iter().map(Vec::len).ne(found.iter().map(Vec::len)) {
        return Err("the program's results are not those of the netlist".to_string());
    }
    let pairs: Vec<(Literal, Literal)> = wanted.concat().into_iter().zip(found.concat()).collect();
    let mut verdicts = sweep(network, &pairs, effort).into_iter();
    let verdicts = found.iter().map(|list| verdicts.by_ref().take(list.len()).collect()).collect();
    let atoms = inputs.iter().enumerate().flat_map(|(port, list)| {
        list.iter().enumerate().map(move |(atom, leaf)| (leaf.node(), (port, atom)))
    });
    Ok(Proof { verdicts, places: atoms.collect() })
}

/// A netlist as gates over literals.
struct Hardware<'a> {
    netlist: &'a Netlist,
    parts: &'a Correspondence,
    /// The inputs of its program.
    inputs: &'a [Port],
    /// For each instant of a tick the nets of the registers that act there.
    clocked: Vec<FxHashSet<u32>>,
}

impl<'a> Hardware<'a> {
    fn new(
        netlist: &'a Netlist,
        parts: &'a Correspondence,
        inputs: &'a [Port],
    ) -> Result<Hardware<'a>, String> {
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
        Ok(Hardware { netlist, parts, inputs, clocked: clocked.collect::<Result<_, _>>()? })
    }

    /// The outputs of a tick, before its first edge, and the registers after it.
    fn tick(
        &self,
        own: &[Vec<Literal>],
        registers: &[Vec<Literal>],
        network: &mut Network,
    ) -> Result<(Symbols, Symbols), String> {
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
