//! Decomposition by one input after another, with all functions shared.

use super::super::boolean::Function;
use super::super::builder::Builder;
use super::super::network::{Literal, Network};

/// Functions of at most this many inputs are looked for as a gate of two existing signals.
const SMALL_SUPPORT: usize = 4;

/// Networks of at most this many nodes are searched for such a gate for every function.
const SMALL_NETWORK: usize = 200;

/// How a function is split by an input `x` into `low` (x = 0), `high` (x = 1) and their sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// By whichever two of the three seem the cheapest: decision diagrams of Shannon, positive
    /// Davio and negative Davio nodes (Drechsler and others 1994).
    Mixed,
    /// Always by `low` and `high`, as in a binary decision diagram.
    Shannon,
}

/// A network for `functions` that splits off the inputs in `order`, and its outputs.
pub(super) fn decompose(
    inputs: usize,
    functions: &[Function],
    order: &[usize],
    rule: Rule,
) -> (Builder, Vec<Literal>) {
    let mut decomposer = Decomposer { builder: Builder::new(inputs), order, rule };
    let outputs = functions.iter().map(|function| decomposer.realize(function)).collect();
    (decomposer.builder, outputs)
}

struct Decomposer<'a> {
    builder: Builder,
    order: &'a [usize],
    rule: Rule,
}

/// The two functions from which one is put together.
#[derive(Clone, Copy)]
enum Split {
    LowHigh,
    LowDifference,
    HighDifference,
}

impl Decomposer<'_> {
    /// A literal that computes `function`.
    fn realize(&mut self, function: &Function) -> Literal {
        if let Some(literal) = self.builder.find(function) {
            return literal;
        }
        let inputs = self.order.len();
        let mut support =
            self.order.iter().copied().filter(|&input| function.depends_on(inputs, input));
        let Some(input) = support.next() else { return Literal::FALSE };
        let rest = support.count();
        let limit = self.builder.network.nodes.len();
        if rest < SMALL_SUPPORT || limit <= SMALL_NETWORK {
            if let Some(pair) = self.builder.find_pair(function, limit) {
                return self.builder.add_pair(pair);
            }
        }
        let low = function.cofactor(inputs, input, false);
        let high = function.cofactor(inputs, input, true);
        self.join(Network::input(input), &low, &high)
    }

    /// A literal that computes `low` where `x` is zero and `high` where it is one.
    fn join(&mut self, x: Literal, low: &Function, high: &Function) -> Literal {
        let difference = low.xor(high);
        if let Some(value) = low.constant() {
            let high = self.realize(&high.invert_if(value));
            return self.builder.and(x, high).invert_if(value);
        }
        if let Some(value) = high.constant() {
            let low = self.realize(&low.invert_if(value));
            return self.builder.and(!x, low).invert_if(value);
        }
        if let Some(value) = difference.constant() {
            let low = self.realize(low);
            return if value { self.builder.xor(x, low) } else { low };
        }
        match self.split(low, high, &difference) {
            Split::LowDifference => {
                let (low, difference) = (self.realize(low), self.realize(&difference));
                let change = self.builder.and(x, difference);
                self.builder.xor(low, change)
            }
            Split::HighDifference => {
                let (high, difference) = (self.realize(high), self.realize(&difference));
                let change = self.builder.and(!x, difference);
                self.builder.xor(high, change)
            }
            Split::LowHigh => self.choose(x, low, high),
        }
    }

    /// The split whose parts cost the least, by a rough estimate.
    fn split(&self, low: &Function, high: &Function, difference: &Function) -> Split {
        if self.rule == Rule::Shannon {
            return Split::LowHigh;
        }
        let [low, high, difference] = [low, high, difference].map(|part| self.estimate(part));
        let splits = [
            (2 + low + difference, Split::LowDifference),
            (2 + high + difference, Split::HighDifference),
            (3 + low + high, Split::LowHigh),
        ];
        splits.into_iter().min_by_key(|split| split.0).map_or(Split::LowHigh, |split| split.1)
    }

    /// A rough number of gates that `function` takes on top of what there is.
    fn estimate(&self, function: &Function) -> usize {
        if self.builder.find(function).is_some() {
            return 0;
        }
        let inputs = self.order.len();
        1 << (0..inputs).filter(|&input| function.depends_on(inputs, input)).count()
    }

    /// A multiplexer, of two gates where one function implies the other.
    fn choose(&mut self, x: Literal, low: &Function, high: &Function) -> Literal {
        let upward = low.implies(false, high, false);
        let downward = high.implies(false, low, false);
        let (low, high) = (self.realize(low), self.realize(high));
        if upward {
            let part = self.builder.and(x, high);
            return self.builder.or(low, part);
        }
        if downward {
            let part = self.builder.and(!x, low);
            return self.builder.or(high, part);
        }
        let difference = self.builder.xor(low, high);
        let change = self.builder.and(x, difference);
        self.builder.xor(low, change)
    }
}
