//! A random walk over programs of the same outputs.

use super::program::{Program, Terms, ZERO};
use crate::circuit::random::Random;

/// How many sums more than the shortest program a walk may have.
const EXCESS: usize = 2;

/// One in how many steps may make the program longer.
const UPHILL: usize = 60;

/// One in how many steps is an expression of other signals; the rest regroup terms.
const OTHERWISE: usize = 2;

/// A walk and the shortest program on it.
pub struct Walk {
    current: Program,
    best: Program,
    places: Places,
    arity: usize,
    late: u64,
    random: Random,
}

impl Walk {
    /// The walk from `start` over sums of at most `arity` terms; none with an input of `late` is used for one that has
    /// none.
    pub fn new(start: Program, arity: usize, late: u64, random: Random) -> Walk {
        let places = Places::of(&start.values);
        let mut walk = Walk { best: start.clone(), current: start, places, arity, late, random };
        walk.current = walk.rebuilt(None);
        walk.places = Places::of(&walk.current.values);
        walk.best = walk.current.clone();
        walk
    }

    /// The shortest program so far.
    pub fn best(&self) -> &Program {
        &self.best
    }

    /// Takes so many steps; `improved` is told of each shorter program.
    pub fn run(
        &mut self,
        steps: u64,
        is_over: &dyn Fn() -> bool,
        improved: &mut dyn FnMut(&Program),
    ) {
        improved(&self.best);
        for number in 0..steps {
            if self.current.is_empty() || number % 256 == 0 && is_over() {
                return;
            }
            let Some(next) = self.step() else { continue };
            let longest = match self.random.below(UPHILL) {
                0 => self.best.len() + EXCESS,
                _ => self.current.len(),
            };
            if next.len() > longest {
                continue;
            }
            self.places = Places::of(&next.values);
            self.current = next;
            if self.current.len() < self.best.len() {
                self.best = self.current.clone();
                improved(&self.best);
            }
        }
    }

    /// The program with a random sum computed otherwise.
    fn step(&mut self) -> Option<Program> {
        let signal = self.current.first() + self.random.below(self.current.len());
        let terms = match self.random.below(OTHERWISE) {
            0 => self.otherwise(signal)?,
            _ => self.regrouped(signal),
        };
        Some(self.rebuilt(Some((signal, terms))))
    }

    /// Signals that don't depend on `signal` and add up to its value: a random choice of two, or of two and another.
    fn otherwise(&mut self, signal: usize) -> Option<Vec<usize>> {
        let (above, late) = (self.above(signal), self.late);
        let (program, random) = (&self.current, &mut self.random);
        let may_be_late = program.values[signal] & late != 0;
        let serves =
            |other: usize| !above[other] && (may_be_late || program.values[other] & late == 0);
        let own = program.sums[signal - program.first()];
        let mut extra = ZERO;
        if self.arity == 3 || random.below(4) == 0 {
            extra = random.below(program.values.len());
            if !serves(extra) {
                return None;
            }
        }
        let value = program.values[signal] ^ program.values[extra];
        let (mut found, mut ties) = (None, 0);
        for (a, &rest) in program.values.iter().enumerate() {
            let Some(b) = self.places.find(&program.values, value ^ rest) else { continue };
            let is_new = !(own.contains(&a) && own.contains(&b) && own.contains(&extra));
            if a < b && is_new && serves(a) && serves(b) {
                ties += 1;
                if random.below(ties) == 0 {
                    found = Some(vec![a, b, extra]);
                }
            }
        }
        found
    }

    /// The terms of `signal` with one or two operands replaced by what they are sums of, in a random order.
    fn regrouped(&mut self, signal: usize) -> Vec<usize> {
        let (program, random) = (&self.current, &mut self.random);
        let first = program.first();
        let mut terms = program.sums[signal - first].to_vec();
        for _ in 0..1 + random.below(2) {
            let place = random.below(terms.len());
            if terms[place] >= first {
                let inner = program.sums[terms.swap_remove(place) - first];
                terms.extend(inner);
            }
        }
        random.shuffle(&mut terms);
        terms
    }

    /// For each signal, whether it depends on `signal`, which does itself.
    fn above(&self, signal: usize) -> Vec<bool> {
        let program = &self.current;
        let first = program.first();
        let mut above = vec![false; program.values.len()];
        above[signal] = true;
        for (place, terms) in program.sums.iter().enumerate().skip(signal + 1 - first) {
            above[first + place] = terms.iter().any(|&term| above[term]);
        }
        above
    }

    /// The program with the terms of a signal changed, in order and without what serves nothing.
    fn rebuilt(&self, change: Option<(usize, Vec<usize>)>) -> Program {
        let old = &self.current;
        let mut rebuild = Rebuild {
            old,
            change,
            places: vec![None; old.values.len()],
            arity: self.arity,
            known: &self.places,
            next: Program {
                inputs: old.inputs,
                sums: Vec::with_capacity(old.len() + 4),
                values: Vec::with_capacity(old.values.len() + 4),
                outputs: Vec::with_capacity(old.outputs.len()),
            },
        };
        rebuild.next.values.extend(&old.values[..old.first()]);
        for place in 0..old.first() {
            rebuild.places[place] = Some(place);
        }
        for &output in &old.outputs {
            let output = rebuild.visit(output);
            rebuild.next.outputs.push(output);
        }
        rebuild.next
    }
}

/// A program that is put together anew.
struct Rebuild<'a> {
    old: &'a Program,
    change: Option<(usize, Vec<usize>)>,
    /// Where the signals of the old program are in the new one.
    places: Vec<Option<usize>>,
    arity: usize,
    known: &'a Places,
    next: Program,
}

impl Rebuild<'_> {
    fn visit(&mut self, signal: usize) -> usize {
        if let Some(place) = self.places[signal] {
            return place;
        }
        let place = match self.change.take_if(|(changed, _)| *changed == signal) {
            Some((_, terms)) => {
                let terms = terms.into_iter().map(|term| self.visit(term)).collect();
                self.chain(terms)
            }
            None => {
                let terms = self.old.sums[signal - self.old.first()];
                let terms = terms.map(|term| self.visit(term));
                self.sum(&terms)
            }
        };
        self.places[signal] = Some(place);
        place
    }

    /// The sum of any number of signals.
    fn chain(&mut self, mut terms: Vec<usize>) -> usize {
        cancel(&mut terms);
        while terms.len() > self.arity {
            let inner = terms.split_off(terms.len() - self.arity);
            let inner = self.sum(&inner);
            terms.push(inner);
            cancel(&mut terms);
        }
        self.sum(&terms)
    }

    /// The sum of as many signals as a gate may have, which may be there already.
    fn sum(&mut self, terms: &[usize]) -> usize {
        let value = self.next.total(terms);
        // Values of the old program are found by their place there, those new to it by looking.
        let old = self.known.find(&self.old.values, value);
        if let Some(place) = old.and_then(|old| self.places[old]) {
            return place;
        }
        if old.is_none() {
            if let Some(place) = self.next.values.iter().position(|&other| other == value) {
                return place;
            }
        }
        let mut kept: Terms = [ZERO; 3];
        let present = terms.iter().filter(|&&term| term != ZERO);
        kept.iter_mut().zip(present).for_each(|(kept, &term)| *kept = term);
        let place = self.next.push(kept);
        if let Some(old) = old {
            self.places[old] = Some(place);
        }
        place
    }
}

/// Drops terms that are there twice, and zeros.
fn cancel(terms: &mut Vec<usize>) {
    let all = std::mem::take(terms);
    for term in all.into_iter().filter(|&term| term != ZERO) {
        match terms.iter().position(|&other| other == term) {
            Some(twice) => drop(terms.remove(twice)),
            None => terms.push(term),
        }
    }
}

/// Where values are: a table of places, hashed by value.
struct Places {
    slots: Vec<u16>,
    shift: u32,
}

/// The mark of an empty slot.
const EMPTY: u16 = u16::MAX;

impl Places {
    fn of(values: &[u64]) -> Places {
        let size = (4 * values.len()).next_power_of_two();
        let mut places = Places { slots: vec![EMPTY; size], shift: 64 - size.ilog2() };
        for (place, &value) in values.iter().enumerate() {
            let mut slot = places.slot(value);
            while places.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            places.slots[slot] = place as u16;
        }
        places
    }

    fn slot(&self, value: u64) -> usize {
        (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn find(&self, values: &[u64], value: u64) -> Option<usize> {
        let mut slot = self.slot(value);
        loop {
            match self.slots[slot] {
                EMPTY => return None,
                place if values[usize::from(place)] == value => return Some(place.into()),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }
}
