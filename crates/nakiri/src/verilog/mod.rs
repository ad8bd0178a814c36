//! Hardware: from the netlist of a synchronous module to a step function, one call of which is one tick of its clock.
//!
//! Parsing and synthesis are a synthesizer's ([Yosys](https://yosyshq.net/yosys/)); what comes here are gates and flip-flops of
//! one bit, which [`design`] joins, [`order`] orders and [`lower`] writes as a program of one-bit atoms under B. Data and
//! control become logic alike, so that each lane is an instance of the hardware that does what it wants, in constant time
//! ("Parallel synchronous programming", 2020).
//!
//! A tick takes the inputs as they are just before the clock's edge, gives the outputs as they are then, and the registers as
//! they are behind it. Where there are several clocks, or both edges of one, a tick is a [`Period`] of several instants: the
//! logic is evaluated once for each, one after another, so that what comes of it is a step function like any other.

mod again;
pub mod blif;
mod cells;
mod clock;
pub mod codes;
mod correspondence;
mod design;
mod evaluate;
mod lower;
pub mod netlist;
mod order;
mod period;
mod place;
mod reset;

pub use clock::Edge;
pub use correspondence::Correspondence;
pub use design::{missing_module, two_drivers};
pub use netlist::Netlist;
pub use period::Period;
pub use place::range;

use crate::core::Program;
use crate::diagnostic::Diagnostic;
use clock::Clocks;
use design::Design;
use order::Order;
use reset::Reset;
use rustc_hash::FxHashSet;

/// What is known of a module beside its netlist.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the clocks do in a tick; without it the one clock is found, and a tick is an edge of it.
    pub period: Option<Period>,
    /// The reset, which is not an input then: a reset of the step function is one of the module.
    pub reset: Option<String>,
}

/// A module as a program.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its program: a step function if it has registers.
    pub program: Program,
    /// The level at which the reset that was named doesn't act.
    idle: Option<bool>,
}

/// The program of a netlist: that of [`Module::new`].
///
/// # Errors
/// Those of [`Module::new`].
pub fn program(netlist: &Netlist, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    Module::new(netlist, options).map(|module| module.program)
}

impl Module {
    /// The program of a netlist.
    ///
    /// # Errors
    /// What can't be compiled: other cells than gates and flip-flops, nets without a driver or with two, combinational
    /// loops, clocks that are not clear.
    pub fn new(netlist: &Netlist, options: &Options) -> Result<Module, Vec<Diagnostic>> {
        let design = Design::new(netlist).map_err(distinct)?;
        let clocks = Clocks::new(&design, options.period.as_ref())?;
        let order = Order::new(&design, &clocks)?;
        let reset = match &options.reset {
            Some(name) => Some(reset::find(&design, &order, name).map_err(|wrong| vec![wrong])?),
            None => None,
        };
        let program = lower::program(&design, &order, &clocks, reset.as_ref())?;
        Ok(Module { program, idle: reset.map(|reset| reset.idle) })
    }

    /// The program of another netlist of the same module, which was made from this one's by optimizing its gates. `None` if
    /// it is not that: if ports or registers are others, or if it gives something else on random values.
    pub fn optimized(&self, netlist: &Netlist, options: &Options) -> Option<Program> {
        let design = Design::new(netlist).ok()?;
        let clocks = Clocks::new(&design, options.period.as_ref()).ok()?;
        let order = Order::new(&design, &clocks).ok()?;
        let reset = match (&options.reset, self.idle) {
            (Some(name), Some(idle)) => {
                let port = netlist.ports.iter().position(|port| port.name == *name)?;
                let none = vec![false; design.registers.len()];
                Some(Reset { port, idle, values: none.clone(), known: none })
            }
            _ => None,
        };
        let program = lower::program(&design, &order, &clocks, reset.as_ref()).ok()?;
        again::with_resets(program, &self.program)
    }
}

/// The first message about each place: the bits of a word say the same.
fn distinct(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    diagnostics.into_iter().filter(|d| seen.insert((d.code, d.span()))).collect()
}
