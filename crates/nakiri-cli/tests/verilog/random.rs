//! Random inputs in every lane, beside Icarus Verilog.

use crate::design::{self, Design};
use crate::{compiler, full, kernel, targets};
use nakiri_verify::hardware::{Agreement, Run, Trial};

fn check(what: &str, agreement: &Agreement) {
    assert_eq!(agreement.difference, None, "{what}");
    assert!(agreement.compared > agreement.unknown, "{what}: {agreement:?}");
}

#[test]
fn every_lane_is_the_hardware() {
    let ticks = if full() { 300 } else { 60 };
    for (turn, name) in design::names().into_iter().enumerate() {
        let design = Design::load(&name);
        let targets = match full() {
            true => targets(&["gp64", "avx2", "avx512"]),
            false => targets(&[["gp64", "avx2"][turn % 2]]),
        };
        for (hidden, target) in
            [false, true].into_iter().flat_map(|h| targets.iter().map(move |t| (h, t)))
        {
            let program = design.program(hidden);
            let kernel = kernel(&program, target);
            let trial = Trial {
                design: &design.hardware,
                reset: design.reset(!hidden),
                lanes: kernel.blocks().min(if full() { usize::MAX } else { 64 }),
                ticks,
                seed: turn as u64,
            };
            let run = Run::simulate(&program, &trial).unwrap_or_else(|e| panic!("{name}: {e}"));
            let what = format!("{name}, {}, reset hidden: {hidden}", target.name);
            let compiled = run.compiled(&kernel, &compiler()).expect("it runs");
            check(&what, &compiled);
            if turn % 4 == 0 || full() {
                check(&format!("{what}, interpreter"), &run.interpreted(&program));
            }
        }
    }
}
