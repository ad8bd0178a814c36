//! Random inputs for hardware: each instance has habits of its own, so that some run and others wait.

use crate::random::Rng;
use crate::simulate::{Signal, Values};
use crate::Error;
use nakiri::core::{interp, Program};

/// How often a control input changes, for a habit: once in so many ticks on average.
const PATIENCE: [usize; 5] = [1, 2, 5, 20, 100];

/// Inputs with one bit are control, those with more are data.
const CONTROL: usize = 1;

/// A signal that brings a design into a known state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// The input, counted from 0.
    pub input: usize,
    /// Its value while it is active.
    pub active: bool,
    /// For how many ticks it is active at first, while all other inputs are unknown.
    pub ticks: usize,
    /// Whether it is active later too, once in a while in some instances.
    pub again: bool,
}

/// What is assumed of the inputs of a tick, for those that never come.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// Bits by the names of inputs to one bit.
    pub program: Program,
    /// Values of inputs for which it holds, by name; all others are 0.
    pub example: Vec<(String, Vec<bool>)>,
}

/// How often random inputs are tried before an example is taken.
const TRIES: usize = 64;

impl Assumption {
    /// Whether it holds. What is unknown is 0.
    pub fn holds(&self, inputs: &[Signal], values: &Values) -> bool {
        let entry = self.program.entry();
        let given = entry.params.iter().map(|port| {
            let input = inputs.iter().position(|input| input.name == port.name);
            let bits = input.map_or(&[][..], |input| &values[input]);
            let bit = |bit: usize| u128::from(bits.get(bit) == Some(&Some(true)));
            (0..port.count() as usize).map(bit).collect()
        });
        let results = interp::run(&self.program, &given.collect::<Vec<_>>());
        results.iter().flatten().all(|bit| *bit == 1)
    }

    /// Makes it hold by other values of the inputs that are not fixed: random ones, or those of the example, with random bits
    /// turned round as long as it holds. Where it holds in no way that was tried, that is said.
    fn hold(&self, inputs: &[Signal], values: &mut Values, fixed: &[usize], rng: &mut Rng) -> bool {
        let free: Vec<usize> = (0..inputs.len()).filter(|input| !fixed.contains(input)).collect();
        for _ in 0..TRIES {
            if self.holds(inputs, values) {
                return true;
            }
            free.iter().for_each(|&input| values[input] = random(inputs[input].bits, rng));
        }
        for &input in &free {
            let example = self.example.iter().find(|(name, _)| *name == inputs[input].name);
            let bits = example.map(|(_, bits)| bits.iter().map(|bit| Some(*bit)).collect());
            values[input] = bits.unwrap_or_else(|| vec![Some(false); inputs[input].bits]);
        }
        if !self.holds(inputs, values) {
            return false;
        }
        for &input in &free {
            for bit in 0..inputs[input].bits {
                if rng.one_in(2) {
                    let before = values[input][bit];
                    values[input][bit] = before.map(|bit| !bit);
                    if !self.holds(inputs, values) {
                        values[input][bit] = before;
                    }
                }
            }
        }
        true
    }
}

/// Makes an assumption hold in some ticks, where inputs are fixed.
///
/// # Errors
/// [`Error::Blocks`] if no inputs were found for which it does.
pub(crate) fn assume(
    assumption: Option<&Assumption>,
    inputs: &[Signal],
    ticks: &mut [Values],
    fixed: &[usize],
    rng: &mut Rng,
) -> Result<(), Error> {
    let Some(assumption) = assumption else { return Ok(()) };
    for values in ticks {
        if !assumption.hold(inputs, values, fixed, rng) {
            let message = "no inputs were found for which the assumption holds and that are the same in all lanes where they \
                           have to be";
            return Err(Error::Blocks(message.to_string()));
        }
    }
    Ok(())
}

/// The inputs of an instance, tick by tick. Data is random; control is mostly as it was the tick before, and each instance
/// favours one value and a pace, so that long runs are tried as well as interruptions. What comes after a reset doesn't depend
/// on how long that is held.
pub fn stimuli(
    inputs: &[Signal],
    reset: Option<&Reset>,
    ticks: usize,
    rng: &mut Rng,
) -> Vec<Values> {
    let habits: Vec<Habit> = inputs.iter().map(|_| Habit::new(rng)).collect();
    let interrupted = rng.one_in(4);
    let mut values: Values = inputs.iter().map(|input| random(input.bits, rng)).collect();
    let first = reset.map_or(0, |reset| reset.ticks).min(ticks);
    let mut all: Vec<Values> = reset.map_or(Vec::new(), |reset| vec![held(inputs, reset); first]);
    for _ in first..ticks {
        for ((value, input), habit) in values.iter_mut().zip(inputs).zip(&habits) {
            if rng.one_in(habit.patience) {
                *value = match input.bits {
                    CONTROL => vec![Some(habit.favourite != rng.one_in(habit.exception))],
                    bits => random(bits, rng),
                };
            }
        }
        if let Some(reset) = reset {
            let active = reset.again && interrupted && rng.one_in(50);
            values[reset.input] = vec![Some(active == reset.active)];
        }
        all.push(values.clone());
    }
    all
}

/// The inputs while a reset is held: all others are unknown.
pub(crate) fn held(inputs: &[Signal], reset: &Reset) -> Values {
    let value = |(k, input): (usize, &Signal)| match k == reset.input {
        true => vec![Some(reset.active)],
        false => vec![None; input.bits],
    };
    inputs.iter().enumerate().map(value).collect()
}

/// How an input behaves.
struct Habit {
    favourite: bool,
    /// It is the other value once in so many changes.
    exception: usize,
    /// It changes once in so many ticks.
    patience: usize,
}

impl Habit {
    fn new(rng: &mut Rng) -> Habit {
        Habit {
            favourite: rng.one_in(2),
            exception: *rng.pick(&[2, 8, 60]),
            patience: *rng.pick(&PATIENCE),
        }
    }
}

/// Random bits; now and then all zeros or all ones, where carries and comparisons are.
fn random(bits: usize, rng: &mut Rng) -> Vec<Option<bool>> {
    match rng.below(12) {
        0 => vec![Some(false); bits],
        1 => vec![Some(true); bits],
        _ => (0..bits).map(|_| Some(rng.one_in(2))).collect(),
    }
}
