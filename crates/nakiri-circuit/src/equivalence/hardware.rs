//! A netlist and the program that was made from it, or a run of that.

use super::netlist::Nets;
use super::program::{leaves, symbols, Symbols};
use super::sweep::{sweep, Verdict};
use crate::effort::Effort;
use nakiri::core::{Port, Program};
use nakiri::map::{Literal, Network};
use nakiri::run::Run;
use nakiri::verilog::netlist::{Bit, Direction, Netlist};
use nakiri::verilog::Correspondence;
use rustc_hash::FxHashMap;

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
    let hardware = Hardware { netlist, parts, inputs: entry.inputs() };
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
    let hardware = Hardware { netlist, parts, inputs: run.hardware.entry().inputs() };
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
}

impl Hardware<'_> {
    /// The outputs of a tick, and the registers after it.
    fn tick(
        &self,
        own: &[Vec<Literal>],
        registers: &[Vec<Literal>],
        network: &mut Network,
    ) -> Result<(Symbols, Symbols), String> {
        let stored = self.parts.registers.iter().flatten().copied();
        let stored: FxHashMap<u32, Literal> =
            stored.zip(registers.iter().flatten().copied()).collect();
        let given = given(self.netlist, self.parts, own, self.inputs)?;
        let mut nets = Nets::new(self.netlist, given, &stored);
        let ports = self.netlist.ports.iter();
        let outputs = ports.filter(|port| port.direction == Direction::Output);
        let mut bit = |bit: &Bit| nets.bit(*bit, network);
        let outputs: Result<Symbols, String> =
            outputs.map(|port| port.bits.iter().map(&mut bit).collect()).collect();
        let mut next = |net: &u32| nets.next(*net, network);
        let registers = self.parts.registers.iter();
        let next: Result<Symbols, String> =
            registers.map(|list| list.iter().map(&mut next).collect()).collect();
        Ok((outputs?, next?))
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
