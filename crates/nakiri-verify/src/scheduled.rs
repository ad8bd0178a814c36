//! The kernel of a run beside the hardware: the same data in every lane, the same results at the end.

use crate::cc::Compiler;
use crate::exec::{self, Block};
use crate::hardware::{Agreement, Difference, Trial};
use crate::random::Rng;
use crate::simulate::{simulate, Values};
use crate::stimuli;
use crate::Error;
use nakiri::compile::Kernel;
use nakiri::run::Run;

/// Simulates the hardware as the schedule of a run drives it, with random data in each lane, and compares what the kernel
/// makes of the same data. A reset of the trial is held first; [`Trial::ticks`] says nothing here.
///
/// # Errors
/// Those of [`simulate`] and [`exec::run_kernel`].
pub fn compare(
    run: &Run,
    kernel: &Kernel,
    compiler: &Compiler,
    trial: &Trial,
) -> Result<Agreement, Error> {
    let data = data(run, trial)?;
    let first = trial.reset.map_or(0, |reset| reset.ticks);
    let given: Vec<Vec<Values>> = data.iter().map(|data| given(run, trial, data)).collect();
    let answered = simulate(trial.design, &given, trial.limit)?;
    let simulated = answered.len();
    let data: Vec<Block> = data.into_iter().take(simulated).cycle().take(trial.lanes).collect();
    let found = exec::run_kernel(kernel, compiler, &data)?;
    let mut agreement = Agreement::of(simulated, run.program.entry().results.iter());
    for (lane, (found, answered)) in found.iter().zip(answered.iter().cycle()).enumerate() {
        let wanted = run.results(&answered[first..]);
        let answers = found.iter().zip(wanted).zip(run.taken()).zip(&mut agreement.known);
        for (((found, wanted), &(tick, output)), known) in answers {
            for (bit, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                let Some(wanted) = wanted else {
                    agreement.unknown += 1;
                    continue;
                };
                agreement.compared += 1;
                known[bit] = true;
                if (*found == 1) != wanted && agreement.difference.is_none() {
                    let tick = first + tick;
                    let inputs = given[lane % simulated][..=tick].to_vec();
                    let outputs = [answered[..=tick].to_vec(), Vec::new()];
                    let different = Difference { lane, tick, output, bit, wanted, inputs, outputs };
                    agreement.difference = Some(different);
                }
            }
        }
    }
    Ok(agreement)
}

/// How often random data is tried until what is assumed holds in all ticks.
const TRIES: usize = 1000;

/// Random data for each lane; what is constant is the same in all.
///
/// # Errors
/// [`Error::Blocks`] if none was found for which holds what is assumed.
fn data(run: &Run, trial: &Trial) -> Result<Vec<Block>, Error> {
    let mut rng = Rng::new(trial.seed);
    let params = &run.program.entry().params;
    let mut lanes: Vec<Block> = Vec::new();
    let first = trial.reset.map_or(0, |reset| reset.ticks);
    for _ in 0..trial.lanes {
        let mut random = || {
            let mut block: Block = Vec::new();
            for (param, port) in params.iter().enumerate() {
                block.push(match lanes.first().filter(|_| port.constant) {
                    Some(lane) => lane[param].clone(),
                    None => (0..port.count()).map(|_| rng.word(port.ty.bits())).collect(),
                });
            }
            block
        };
        let holds = |block: &Block| {
            let ticks = given(run, trial, block);
            let mut ticks = ticks[first..].iter();
            let inputs = &trial.design.inputs;
            trial.assumption.is_none_or(|it| ticks.all(|values| it.holds(inputs, values)))
        };
        let found = (0..TRIES).map(|_| random()).find(holds);
        let message =
            || "no data was found for which the assumption holds in all ticks".to_string();
        lanes.push(found.ok_or_else(|| Error::Blocks(message()))?);
    }
    lanes.rotate_left(trial.first % trial.lanes.max(1));
    Ok(lanes)
}

/// The inputs of the hardware: a reset, everything else unknown, and then what the schedule says.
fn given(run: &Run, trial: &Trial, data: &Block) -> Vec<Values> {
    let names: Vec<&String> = run.hardware.entry().inputs().iter().map(|port| &port.name).collect();
    let inputs = &trial.design.inputs;
    let reset = trial.reset.as_ref();
    let mut ticks =
        reset.map_or(Vec::new(), |reset| vec![stimuli::held(inputs, reset); reset.ticks]);
    let own = run.inputs(data, |number| number).map(|tick| {
        let input = |input: &crate::simulate::Signal| {
            match names.iter().position(|name| **name == input.name) {
                Some(known) => tick[known].iter().map(|&bit| Some(bit == 1)).collect(),
                // The reset, which is no input of the program.
                None => vec![trial.reset.map(|reset| !reset.active); input.bits],
            }
        };
        inputs.iter().map(input).collect()
    });
    ticks.extend(own);
    ticks
}
