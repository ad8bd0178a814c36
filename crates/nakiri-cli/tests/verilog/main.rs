//! Designs in Verilog: what the compiler makes of them is what their netlists are, by proof; what Icarus Verilog makes of
//! their sources, in every lane; and what is published. So are their runs.
//!
//! A sample; with `NAKIRI_FULL=1` more ticks and targets.

mod clocks;
mod design;
mod lanes;
mod proofs;
mod random;
mod records;
mod runs;
mod sanitized;
mod shared;
mod vectors;

use design::Design;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::isa::{self, Target};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec::runnable;
use nakiri_verify::simulate;
use std::process::Command;

/// Whether everything is tried.
fn full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

/// Whether Yosys and Icarus Verilog are there; without them nothing is tested, but with `CI=true` that is a failure.
fn tools() -> bool {
    let lack = simulate::available().err().map(|error| error.to_string());
    let yosys = Command::new("yosys").arg("-V").output().is_err();
    let lack = lack.or_else(|| yosys.then(|| "there is no Yosys".to_string()));
    if let Some(lack) = &lack {
        eprintln!("not tested: {lack}");
        assert!(!std::env::var("CI").is_ok_and(|v| v == "true"), "{lack}");
    }
    lack.is_none()
}

fn compiler() -> Compiler {
    Compiler::find().expect("a C compiler")
}

/// The targets of this name that this CPU runs.
fn targets(names: &[&str]) -> Vec<&'static Target> {
    let named = isa::all().iter().copied().filter(|target| names.contains(&target.name));
    named.filter(|target| runnable(target).is_ok()).collect()
}

fn kernel(program: &Program, target: &'static Target) -> Kernel {
    let options = Options::new(Direction::B, target);
    compile(program, &options, &mut |_, _| {}).expect("gates are on every target")
}

/// A test of each design.
macro_rules! designs {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            if !tools() {
                return;
            }
            let design = Design::load(stringify!($name));
            vectors::check(&design);
            random::check(&design);
            proofs::check(&design);
            runs::check(&design);
            sanitized::check(&design);
        })*

        #[test]
        fn no_design_is_forgotten() {
            assert_eq!(design::names(), [$(stringify!($name)),*]);
        }
    };
}

designs! {
    ace_ae128 ascon_aead128 ascon_p12 async_fifo chacha20 counter crc32 double_rate fifo gift128 gift_cofb gray handshake lfsr present80 prince
    regfile sha256 shift two_speeds uart wage_ae128
}
