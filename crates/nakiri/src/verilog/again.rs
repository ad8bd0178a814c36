//! Whether two programs are one module.

use crate::circuit::random::Random;
use crate::core::{interp, Port, Program};

/// How often both are run.
const ROUNDS: u64 = 64;

/// A program whose registers begin as those of another do, if it has the same ports, no other registers, and gives the same
/// on random values of inputs and registers.
pub(super) fn with_resets(mut program: Program, like: &Program) -> Option<Program> {
    let shown = |ports: &[Port]| -> Vec<(String, Vec<u32>)> {
        ports.iter().map(|port| (port.name.clone(), port.shape.clone())).collect()
    };
    let (ours, theirs) = (program.entry(), like.entry());
    if shown(ours.inputs()) != shown(theirs.inputs())
        || shown(ours.outputs()) != shown(theirs.outputs())
    {
        return None;
    }
    let registers = shown(theirs.registers());
    let places = shown(ours.registers());
    let places = places.iter().map(|port| registers.iter().position(|other| other == port));
    let places = places.collect::<Option<Vec<usize>>>()?;
    if !agree(&program, like, &places) {
        return None;
    }
    let resets = places.iter().map(|&place| theirs.resets[place].clone()).collect();
    let entry = program.entry.index();
    program.funcs[entry].resets = resets;
    Some(program)
}

/// Whether both give the same; register `k` of the one is register `places[k]` of the other.
fn agree(program: &Program, like: &Program, places: &[usize]) -> bool {
    let entry = like.entry();
    (0..ROUNDS).all(|round| {
        let mut random = Random::new(round);
        let mut values = |port: &Port| -> Vec<u128> {
            (0..port.count()).map(|_| u128::from(random.next() >> 63)).collect()
        };
        let all: Vec<Vec<u128>> = entry.params.iter().map(&mut values).collect();
        let (inputs, registers) = all.split_at(entry.inputs().len());
        let ours: Vec<Vec<u128>> = places.iter().map(|&place| registers[place].clone()).collect();
        let expected = interp::run(like, &all);
        let (outputs, next) = expected.split_at(entry.outputs().len());
        let next = places.iter().map(|&place| next[place].clone());
        let expected: Vec<Vec<u128>> = outputs.iter().cloned().chain(next).collect();
        interp::run(program, &[inputs, &ours].concat()) == expected
    })
}
