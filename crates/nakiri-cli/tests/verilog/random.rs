//! Random inputs in every lane, beside Icarus Verilog.

use crate::design::Design;
use crate::{compiler, full, kernel, targets};
use nakiri_verify::hardware::{Agreement, Run, Trial};

/// The lanes and ticks of the sample; the interpreter has fewer lanes.
const SAMPLE: (usize, usize) = (64, 50);
const INTERPRETED: usize = 4;

/// Every lane is the hardware, with the reset as an input and as where it starts from.
pub fn check(design: &Design) {
    let targets = targets(if full() { &["gp64", "avx2", "avx512"] } else { &["gp64"] });
    for (hidden, target) in targets.iter().flat_map(|target| [(false, target), (true, target)]) {
        let program = design.program(hidden);
        let kernel = kernel(&program, target);
        let trial = Trial {
            design: &design.hardware,
            shared: &[],
            assumption: None,
            reset: design.reset(!hidden),
            lanes: match (full(), hidden) {
                (true, _) => kernel.blocks(),
                (false, true) => INTERPRETED,
                (false, false) => SAMPLE.0,
            },
            first: 0,
            ticks: if full() { 6 * SAMPLE.1 } else { SAMPLE.1 },
            seed: 1,
            limit: None,
        };
        let what = format!("{}, {}, reset hidden: {hidden}", design.name, target.name);
        let run = Run::simulate(&program, &trial).unwrap_or_else(|e| panic!("{what}: {e}"));
        let found = match hidden && !full() {
            true => run.interpreted(&program),
            false => run.compiled(&kernel, &compiler()).expect("it runs"),
        };
        agrees(&what, &found);
    }
}

fn agrees(what: &str, found: &Agreement) {
    assert_eq!(found.difference, None, "{what}");
    // A digest is unknown until there was a message.
    assert!(4 * found.compared > found.unknown, "{what}: {found:?}");
}
