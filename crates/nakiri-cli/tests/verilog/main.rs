//! Designs in Verilog: what the compiler makes of them is what their netlists are, by proof; what Icarus Verilog makes of
//! their sources, in every lane; and what is published.
//!
//! A sample; with `NAKIRI_FULL=1` more ticks and targets.

mod design;
mod proofs;
mod random;
mod vectors;

use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::target::{self, Target};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec::runnable;

/// Whether everything is tried.
fn full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

fn compiler() -> Compiler {
    Compiler::find().expect("a C compiler")
}

/// The targets of this name that this CPU runs.
fn targets(names: &[&str]) -> Vec<&'static Target> {
    let named = target::all().iter().copied().filter(|target| names.contains(&target.name));
    named.filter(|target| runnable(target).is_ok()).collect()
}

fn kernel(program: &Program, target: &'static Target) -> Kernel {
    let options = Options::new(Direction::B, target);
    compile(program, &options, &mut |_, _| {}).expect("gates are on every target")
}
