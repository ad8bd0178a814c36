//! Whether two programs are one module.

use crate::circuit::random::Random;
use crate::core::{interp, Port, Program};

/// How often both are run.
const ROUNDS: u64 = 64;

/// A program whose registers begin as those of another do, if it has the same ports and registers, and gives the same on
/// random values of them.
pub(super) fn with_resets(mut program: Program, like: &Program) -> Option<Program> {
    let shown = |ports: &[Port]| -> Vec<(String, Vec<u32>)> {
        ports.iter().map(|port| (port.name.clone(), port.shape.clone())).collect()
    };
    let (ours, theirs) = (program.entry(), like.entry());
    if shown(&ours.params) != shown(&theirs.params)
        || shown(&ours.results) != shown(&theirs.results)
        || !(0..ROUNDS).all(|round| agree(&program, like, round))
    {
        return None;
    }
    let resets = theirs.resets.clone();
    let entry = program.entry.index();
    program.funcs[entry].resets = resets;
    Some(program)
}

/// Whether both give the same in one round.
fn agree(program: &Program, like: &Program, round: u64) -> bool {
    let mut random = Random::new(round);
    let values = |port: &Port| -> Vec<u128> {
        (0..port.count()).map(|_| u128::from(random.bits() >> 63)).collect()
    };
    let all: Vec<Vec<u128>> = like.entry().params.iter().map(values).collect();
    interp::run(program, &all) == interp::run(like, &all)
}
