//! Random inputs for hardware: each instance has habits of its own, so that some run and others wait.

use crate::random::Rng;
use crate::simulate::{Signal, Values};

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
