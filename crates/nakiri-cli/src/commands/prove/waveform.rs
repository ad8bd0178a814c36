//! A difference as a waveform.

use crate::output;
use crate::session::Failure;
use crate::vcd::{self, Scope, Variable};
use nakiri_verify::hardware::Difference;
use nakiri_verify::simulate::{Design, Signal, Values};
use std::path::Path;

/// Writes what led to a difference: the inputs of the lane, and the outputs of the simulation and of the kernel.
///
/// # Errors
/// [`Failure::Usage`] if it can't be written.
pub fn write(path: &Path, design: &Design, difference: &Difference) -> Result<(), Failure> {
    let Difference { lane, inputs, outputs: [simulation, kernel], .. } = difference;
    let mut all = variables("", &design.inputs, inputs);
    all.extend(variables("simulation.", &design.outputs, simulation));
    all.extend(variables("kernel.", &design.outputs, kernel));
    let scope = Scope { name: format!("lane{lane}"), variables: all };
    output::write(path, &vcd::text(&[scope]))
}

/// Writes what stands at inputs and registers of a tick, by name, each with its bits from the lowest.
///
/// # Errors
/// Those of [`write`].
pub fn write_tick(path: &Path, values: &[(&str, Vec<Option<bool>>)]) -> Result<(), Failure> {
    let variable = |(name, bits): &(&str, Vec<Option<bool>>)| Variable {
        name: (*name).to_string(),
        bits: bits.len(),
        ascending: false,
        ticks: vec![bits.clone()],
    };
    let scope =
        Scope { name: "proof".to_string(), variables: values.iter().map(variable).collect() };
    output::write(path, &vcd::text(&[scope]))
}

fn variables(scope: &str, signals: &[Signal], ticks: &[Values]) -> Vec<Variable> {
    let variable = |(number, signal): (usize, &Signal)| Variable {
        name: format!("{scope}{}", signal.name),
        bits: signal.bits,
        ascending: false,
        ticks: ticks.iter().map(|values| values[number].clone()).collect(),
    };
    let signals = signals.iter().enumerate().filter(|_| !ticks.is_empty());
    signals.map(variable).collect()
}
