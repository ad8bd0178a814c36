//! A netlist and the program that was made from it.

use super::netlist::Nets;
use super::program::{leaves, symbols, Symbols};
use super::sweep::{sweep, Verdict};
use crate::effort::Effort;
use nakiri::core::Program;
use nakiri::map::{Literal, Network};
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
    let (own, registers) = inputs.split_at(entry.inputs().len());
    let batches = batches(netlist, program)?;
    let mut wanted: Symbols = vec![Vec::new(); found.len()];
    for batch in 0..batches {
        let part = |list: &Vec<Literal>| -> Vec<Literal> {
            let length = list.len() / batches;
            list[batch * length..][..length].to_vec()
        };
        let own: Symbols = own.iter().map(part).collect();
        let stored = parts.registers.iter().flatten().copied();
        let stored: FxHashMap<u32, Literal> = stored.zip(registers.iter().flat_map(part)).collect();
        let given = given(netlist, parts, &own, program)?;
        let mut nets = Nets::new(netlist, given, &stored);
        let outputs = netlist.ports.iter().filter(|port| port.direction == Direction::Output);
        for (wanted, port) in wanted.iter_mut().zip(outputs) {
            for bit in &port.bits {
                wanted.push(nets.bit(*bit, &mut network)?);
            }
        }
        for (wanted, nets_of) in wanted[entry.outputs().len()..].iter_mut().zip(&parts.registers) {
            for net in nets_of {
                wanted.push(nets.next(*net, &mut network)?);
            }
        }
    }
    if wanted.iter().map(Vec::len).ne(found.iter().map(Vec::len)) {
        return Err("the program's results are not those of the netlist".to_string());
    }
    let pairs: Vec<(Literal, Literal)> = wanted.concat().into_iter().zip(found.concat()).collect();
    let mut verdicts = sweep(&network, &pairs, effort).into_iter();
    let verdicts = found.iter().map(|list| verdicts.by_ref().take(list.len()).collect()).collect();
    let atoms = inputs.iter().enumerate().flat_map(|(port, list)| {
        list.iter().enumerate().map(move |(atom, leaf)| (leaf.node(), (port, atom)))
    });
    Ok(Proof { verdicts, places: atoms.collect() })
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
    program: &Program,
) -> Result<FxHashMap<u32, Literal>, String> {
    let mut given = FxHashMap::default();
    let names = program.entry().inputs().iter().map(|port| &port.name);
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
