//! Hardware: from the netlist of a synchronous module to a step function, one call of which is one tick of its clock.
//!
//! Parsing and synthesis are a synthesizer's ([Yosys](https://yosyshq.net/yosys/)); what comes here are gates and flip-flops of
//! one bit, which [`design`] joins, [`order`] orders and [`lower`] writes as a program of one-bit atoms under B. Data and
//! control become logic alike, so that each lane is an instance of the hardware that does what it wants, in constant time
//! ("Parallel synchronous programming", 2020).
//!
//! A tick takes the inputs as they are just before the clock's edge, gives the outputs as they are then, and the registers as
//! they are behind it.

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
mod place;
mod reset;

pub use correspondence::Correspondence;
pub use design::missing_module;
pub use netlist::Netlist;
pub use place::range;

use crate::core::Program;
use crate::diagnostic::Diagnostic;
use design::Design;
use order::Order;
use rustc_hash::FxHashSet;

/// What is known of a module beside its netlist.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The clocks, all of which tick together; without any the one clock is found.
    pub clocks: Vec<String>,
    /// The reset, which is not an input then: a reset of the step function is one of the module.
    pub reset: Option<String>,
}

/// The program of a module: a step function if it has registers.
///
/// # Errors
/// What can't be compiled: other cells than gates and flip-flops, nets without a driver or with two, combinational loops,
/// clocks that are not clear.
pub fn program(netlist: &Netlist, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let design = Design::new(netlist).map_err(distinct)?;
    let clocks = clock::ports(&design, &options.clocks)?;
    let order = Order::new(&design, &clocks)?;
    let reset = match &options.reset {
        Some(name) => Some(reset::find(&design, &order, name).map_err(|wrong| vec![wrong])?),
        None => None,
    };
    lower::program(&design, &order, &clocks, reset.as_ref())
}

/// The first message about each place: the bits of a word say the same.
fn distinct(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = FxHashSet::default();
    diagnostics.into_iter().filter(|d| seen.insert((d.code, d.span()))).collect()
}
