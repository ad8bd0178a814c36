//! What a program has of its netlist, for proofs that it computes the same.

use super::clock::{Clocks, Edge};
use super::design::Design;
use super::order::Order;
use super::{lower, reset, Netlist, Options};
use crate::diagnostic::Diagnostic;

/// What the parameters of a module's program are in its netlist, where their names don't say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correspondence {
    /// For each register of the program the nets that carry its atoms.
    pub registers: Vec<Vec<u32>>,
    /// What the clocks do in a tick: instants, one after another, each with the edges that are there.
    pub instants: Vec<Vec<Edge>>,
    /// The reset that is no input: its port, counted from 0, and the level at which it doesn't act.
    pub reset: Option<(usize, bool)>,
    /// The nets of registers of which nothing says how they begin: neither that reset nor an initial value.
    pub unknown: Vec<u32>,
    /// The nets of registers with an initial value, which that reset doesn't hold: they run on during it.
    pub running: Vec<u32>,
}

impl Correspondence {
    /// That of the program which [`super::program`] makes with these options.
    ///
    /// # Errors
    /// Those of [`super::program`].
    pub fn of(netlist: &Netlist, options: &Options) -> Result<Correspondence, Vec<Diagnostic>> {
        let design = Design::new(netlist)?;
        let clocks = Clocks::new(&design, options.period.as_ref())?;
        let order = Order::new(&design, &clocks)?;
        let reset = options.reset.as_ref().map(|name| reset::find(&design, &order, name));
        let reset = reset.transpose().map_err(|wrong| vec![wrong])?;
        let nets = |registers: Vec<usize>| registers.into_iter().map(|r| design.registers[r].q);
        let held = |number: &usize| reset.as_ref().is_some_and(|reset| reset.known[*number]);
        let begins = |number: &usize| design.registers[*number].init.is_some();
        let free = (0..design.registers.len()).filter(|number| !held(number));
        let (given, unknown): (Vec<usize>, Vec<usize>) = free.partition(begins);
        let running = if reset.is_some() { given } else { Vec::new() };
        let groups = lower::groups(&design, &order).into_iter();
        Ok(Correspondence {
            registers: groups.map(|(.., registers)| nets(registers).collect()).collect(),
            unknown: nets(unknown).collect(),
            running: nets(running).collect(),
            instants: clocks.instants,
            reset: reset.map(|reset| (reset.port, reset.idle)),
        })
    }
}
