//! Algebraic normal forms with common sums shared: the strategy for tables that are mostly linear.

use super::super::boolean::Function;
use super::super::network::{Literal, Network};

/// Tables whose normal forms have more products than this in all are left to other strategies.
const MOST_TERMS: usize = 400;

/// A network of sums of products for `functions`, and its outputs, unless there are too many
/// products.
pub(super) fn sums_of_products(
    inputs: usize,
    functions: &[Function],
) -> Option<(Network, Vec<Literal>)> {
    let mut sums: Vec<Vec<usize>> = Vec::new();
    for function in functions {
        let products = products(inputs, function);
        sums.push((0..products.len()).filter(|&product| products[product]).collect());
    }
    if sums.iter().map(Vec::len).sum::<usize>() > MOST_TERMS {
        return None;
    }
    let mut network = Network::new(inputs);
    let mut terms: Vec<Literal> =
        (0..1 << inputs).map(|product| multiply(&mut network, inputs, product)).collect();
    share(&mut network, &mut terms, &mut sums);
    let outputs = sums
        .iter()
        .map(|sum| sum.iter().fold(Literal::FALSE, |total, &term| network.xor(total, terms[term])))
        .collect();
    Some((network, outputs))
}

/// Whether each product of inputs, numbered as the index where just these are one, is in the
/// normal form of `function`: its Möbius transform.
fn products(inputs: usize, function: &Function) -> Vec<bool> {
    let mut values: Vec<bool> = (0..1usize << inputs)
        .map(|index| function.words()[index / 64] >> (index % 64) & 1 == 1)
        .collect();
    for bit in 0..inputs {
        for index in (0..values.len()).filter(|index| index >> bit & 1 == 1) {
            values[index] ^= values[index & !(1 << bit)];
        }
    }
    values
}

/// The product of the inputs that are one in index `product`.
fn multiply(network: &mut Network, inputs: usize, product: usize) -> Literal {
    (0..inputs)
        .filter(|input| product >> (inputs - 1 - input) & 1 == 1)
        .fold(!Literal::FALSE, |total, input| network.and(total, Network::input(input)))
}

/// Replaces the pair of terms that most sums have in common by a new term, until no pair is
/// common to two (Paar 1997).
fn share(network: &mut Network, terms: &mut Vec<Literal>, sums: &mut [Vec<usize>]) {
    while let Some((a, b)) = most_common_pair(terms.len(), sums) {
        let sum = network.xor(terms[a], terms[b]);
        for list in sums.iter_mut().filter(|list| list.contains(&a) && list.contains(&b)) {
            list.retain(|&term| term != a && term != b);
            list.push(terms.len());
        }
        terms.push(sum);
    }
}

/// The pair of terms in the most sums, and at least in two; constant and repeated ones too.
fn most_common_pair(count: usize, sums: &[Vec<usize>]) -> Option<(usize, usize)> {
    let mut used: Vec<usize> = sums.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut place = vec![0; count];
    used.iter().enumerate().for_each(|(index, &term)| place[term] = index);
    let mut counts = vec![0u32; used.len() * used.len()];
    for list in sums {
        for (position, &a) in list.iter().enumerate() {
            for &b in &list[position + 1..] {
                let (a, b) = (place[a].min(place[b]), place[a].max(place[b]));
                counts[a * used.len() + b] += 1;
            }
        }
    }
    let mut best = (1, None);
    for (index, &count) in counts.iter().enumerate() {
        if count > best.0 {
            best = (count, Some((used[index / used.len()], used[index % used.len()])));
        }
    }
    best.1
}
