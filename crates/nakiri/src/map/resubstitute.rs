//! Computes nodes from others that are there already, where that lets gates go.
//!
//! The functions are compared on all values of a window's leaves, so that a replacement is proved as it is found.

use super::network::{Gate, Literal, Network};
use super::window::{table_of, Readers, Values};
use super::Basis;
use smallvec::SmallVec;

/// Looks at every gate once; whether any was replaced.
pub(super) fn run(network: &mut Network, outputs: &[Literal], basis: Basis) -> bool {
    let order = network.order(outputs);
    let mut readers = Readers::new(network, outputs, &order);
    let mut changed = false;
    for node in order {
        if !readers.is_live(node) || readers.network.fanins(node).is_empty() {
            continue;
        }
        if let Some(gate) = replacement(&readers, node, basis) {
            readers.replace(node, gate);
            changed = true;
        }
    }
    changed
}

/// A gate for the node that makes the network smaller.
fn replacement(readers: &Readers, node: u32, basis: Basis) -> Option<Gate> {
    let freed = readers.freed(node);
    let (divisors, own) = readers.window(node);
    // A copy of another node is no gate; a new gate must let two go.
    let arity = if freed.len() < 2 { 1 } else { basis.arity() };
    let search = Search { network: readers.network, divisors: &divisors, freed: &freed, arity };
    let mut chosen = SmallVec::new();
    let all = (own, own.map(|word| !word));
    let places = search.find(&mixed([all]), &mut chosen)?;
    let mut places = places.to_vec();
    places.sort_unstable_by_key(|&place| divisors[place].0);
    let fanins: Vec<u32> = places.iter().map(|&place| divisors[place].0).collect();
    let values: Vec<Values> = places.iter().map(|&place| divisors[place].1).collect();
    Some(Gate::new(&fanins, table_of(&own, &values)))
}

/// Where some divisors agree: the places where the function is one and those where it is zero.
type Class = (Values, Values);

struct Search<'a> {
    network: &'a Network,
    divisors: &'a [(u32, Values)],
    freed: &'a [u32],
    arity: usize,
}

impl Search<'_> {
    /// Divisors that tell ones and zeros of the function apart, which those chosen so far leave together in `classes`.
    fn find(
        &self,
        classes: &[Class],
        chosen: &mut SmallVec<[usize; 3]>,
    ) -> Option<SmallVec<[usize; 3]>> {
        let Some((ones, zeros)) = classes.first() else {
            return self.is_smaller(chosen).then(|| chosen.clone());
        };
        let (one, zero) = (first(ones), first(zeros));
        let bit = |values: &Values, place: usize| values[place / 64] >> (place % 64) & 1;
        for (place, (_, values)) in self.divisors.iter().enumerate() {
            // One of the divisors must tell these two places apart.
            if bit(values, one) == bit(values, zero) {
                continue;
            }
            let is_last = chosen.len() + 1 == self.arity;
            if is_last && !classes.iter().all(|class| separates(values, class)) {
                continue;
            }
            chosen.push(place);
            let rest = split(classes, values);
            let found = self.find(&rest, chosen);
            chosen.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether more gates go than come if the node is computed from these.
    fn is_smaller(&self, chosen: &[usize]) -> bool {
        let mut kept: SmallVec<[u32; 16]> = SmallVec::new();
        let mut pending: SmallVec<[u32; 16]> =
            chosen.iter().map(|&place| self.divisors[place].0).collect();
        while let Some(node) = pending.pop() {
            if self.freed.contains(&node) && !kept.contains(&node) {
                kept.push(node);
                pending.extend(self.network.fanins(node).iter().copied());
            }
        }
        let new = usize::from(chosen.len() > 1);
        kept.len() + new < self.freed.len()
    }
}

fn first(values: &Values) -> usize {
    let word = values.iter().position(|&word| word != 0).expect("the class has both");
    word * 64 + values[word].trailing_zeros() as usize
}

fn and(a: &Values, b: &Values, invert: bool) -> Values {
    let mask = if invert { u64::MAX } else { 0 };
    std::array::from_fn(|word| a[word] & (b[word] ^ mask))
}

fn is_empty(values: &Values) -> bool {
    values.iter().all(|&word| word == 0)
}

fn separates(values: &Values, (ones, zeros): &Class) -> bool {
    [false, true].iter().any(|&invert| {
        is_empty(&and(ones, values, !invert)) && is_empty(&and(zeros, values, invert))
    })
}

/// The classes with places of both kinds when a divisor is known too.
fn split(classes: &[Class], values: &Values) -> SmallVec<[Class; 4]> {
    mixed(classes.iter().flat_map(|(ones, zeros)| {
        [false, true].map(|invert| (and(ones, values, invert), and(zeros, values, invert)))
    }))
}

/// The classes that have both ones and zeros.
fn mixed(classes: impl IntoIterator<Item = Class>) -> SmallVec<[Class; 4]> {
    classes.into_iter().filter(|(ones, zeros)| !is_empty(ones) && !is_empty(zeros)).collect()
}
