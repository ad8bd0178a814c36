//! Published vectors, in Icarus Verilog, by the interpreter and by the compiled kernel.

use crate::design::{bits, Design, Vector};
use crate::{compiler, full, kernel, targets};
use nakiri::core::interp;
use nakiri_verify::exec::{run_ticks, Block};
use nakiri_verify::simulate::{simulate, Values};

/// What is given to a design tick by tick, and which bits of which output have to be there: tick, output, bits.
struct Played {
    inputs: Vec<Vec<Vec<bool>>>,
    outputs: Vec<(usize, usize, Vec<bool>)>,
}

fn played(design: &Design, vector: &Vector) -> Played {
    let hardware = &design.hardware;
    let mut now: Vec<Vec<bool>> = hardware.inputs.iter().map(|i| vec![false; i.bits]).collect();
    let mut played = Played { inputs: Vec::new(), outputs: Vec::new() };
    for step in &vector.steps {
        for (name, value) in &step.inputs {
            let input = hardware.inputs.iter().position(|signal| signal.name == *name);
            let input = input.unwrap_or_else(|| panic!("{}: no input {name}", design.name));
            now[input] = bits(value, &hardware.inputs[input]);
        }
        played.inputs.extend(std::iter::repeat_n(now.clone(), step.ticks));
        for (name, value) in &step.outputs {
            let output = hardware.outputs.iter().position(|signal| signal.name == *name);
            let output = output.unwrap_or_else(|| panic!("{}: no output {name}", design.name));
            let value = bits(value, &hardware.outputs[output]);
            played.outputs.push((played.inputs.len() - 1, output, value));
        }
    }
    played
}

impl Played {
    fn check(&self, what: &str, found: &[Vec<Vec<Option<bool>>>]) {
        for (tick, output, wanted) in &self.outputs {
            let wanted: Vec<Option<bool>> = wanted.iter().copied().map(Some).collect();
            assert_eq!(found[*tick][*output], wanted, "{what}: output {output}, tick {tick}");
        }
    }
}

fn block(values: &[Vec<bool>]) -> Block {
    values.iter().map(|bits| bits.iter().map(|&bit| u128::from(bit)).collect()).collect()
}

fn values(block: &Block) -> Values {
    block.iter().map(|bits| bits.iter().map(|&bit| Some(bit == 1)).collect()).collect()
}

/// The design answers as published.
pub fn check(design: &Design) {
    let name = &design.name;
    let program = design.program(false);
    let vectors: Vec<Played> = design.vectors.iter().map(|v| played(design, v)).collect();
    assert!(!vectors.is_empty(), "{name} has vectors");
    let ticks = vectors.iter().map(|played| played.inputs.len()).max().unwrap_or(0);
    for (vector, played) in design.vectors.iter().zip(&vectors) {
        let what = format!("{name}, {}", vector.origin);
        let given = played
            .inputs
            .iter()
            .map(|tick| tick.iter().map(|bits| bits.iter().copied().map(Some).collect()).collect());
        let simulated = simulate(&design.hardware, &[given.collect()], None).expect("it runs");
        played.check(&format!("{what}: Icarus Verilog"), &simulated[0]);
        let mut machine = interp::Machine::new(&program);
        let found = played.inputs.iter().map(|tick| values(&machine.step(&block(tick))));
        played.check(&format!("{what}: interpreter"), &found.collect::<Vec<_>>());
    }
    // A vector in each lane, one after another; those that end early go on as they were.
    for target in targets(if full() { &["gp64", "avx2", "avx512"] } else { &["avx2"] }) {
        let kernel = kernel(&program, target);
        let lanes = (0..kernel.blocks()).map(|lane| {
            let played = &vectors[lane % vectors.len()];
            let last = played.inputs.len() - 1;
            (0..ticks).map(|tick| block(&played.inputs[tick.min(last)])).collect()
        });
        let lanes: Vec<Vec<Block>> = lanes.collect();
        let found = run_ticks(&kernel, &compiler(), &lanes).expect("it runs");
        for (lane, found) in found.iter().enumerate() {
            let what = format!("{name}, {}, lane {lane}", target.name);
            let found: Vec<Values> = found.iter().map(values).collect();
            vectors[lane % vectors.len()].check(&what, &found);
        }
    }
}
