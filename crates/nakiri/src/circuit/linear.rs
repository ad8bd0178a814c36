//! Straight-line programs of additions for several sums of the same variables.

use super::random::Random;

/// A program: value `i` is variable `i`, then each addition appends the sum of two values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sums {
    /// What each value is the sum of: bit `i` for variable `i`.
    pub values: Vec<u64>,
    /// The operands of value `variables + i`.
    pub additions: Vec<(usize, usize)>,
    /// The place of each target among the values.
    pub targets: Vec<usize>,
    variables: usize,
}

/// A short program for `targets`: greedy sharing (Paar 1997) with random ties, then `steps` of a
/// random walk that computes one value otherwise. No sum that has a bit of `late` is used for one
/// that has none. There is no program for more than 64 variables, for an empty sum, or for one of
/// a variable that does not exist.
pub fn sums(variables: usize, targets: &[u64], late: u64, steps: usize, seed: u64) -> Option<Sums> {
    let is_sum =
        |&target: &u64| target != 0 && target.checked_shr(variables as u32).unwrap_or(0) == 0;
    if variables > 64 || !targets.iter().all(is_sum) {
        return None;
    }
    let mut random = Random::new(seed);
    let mut current = greedy(variables, targets, &mut random);
    let mut best = current.clone();
    for _ in 0..steps {
        let slack = usize::from(current.len() <= best.len() && random.below(30) == 0);
        if let Some(next) = step(&current, late, slack, &mut random) {
            current = next;
        }
        if current.len() < best.len() {
            best = current.clone();
        }
    }
    Some(best)
}

impl Sums {
    /// The number of additions.
    pub fn len(&self) -> usize {
        self.additions.len()
    }

    /// Whether no addition is needed.
    pub fn is_empty(&self) -> bool {
        self.additions.is_empty()
    }

    fn add(&mut self, a: usize, b: usize) -> usize {
        self.values.push(self.values[a] ^ self.values[b]);
        self.additions.push((a, b));
        self.values.len() - 1
    }
}

/// Adds the pair of terms that most of the sums have in common, again and again.
fn greedy(variables: usize, targets: &[u64], random: &mut Random) -> Sums {
    let values = (0..variables).map(|variable| 1 << variable).collect();
    let mut sums = Sums { values, additions: vec![], targets: vec![], variables };
    let mut rests: Vec<Vec<usize>> = targets
        .iter()
        .map(|target| (0..variables).filter(|variable| target >> variable & 1 == 1).collect())
        .collect();
    while rests.iter().any(|rest| rest.len() > 1) {
        let count = sums.values.len();
        let mut pairs = vec![0usize; count * count];
        for rest in &rests {
            for (place, &a) in rest.iter().enumerate() {
                rest[place + 1..].iter().for_each(|&b| pairs[a * count + b] += 1);
            }
        }
        let most = pairs.iter().copied().max().unwrap_or(0);
        let ties: Vec<usize> = (0..pairs.len()).filter(|&pair| pairs[pair] == most).collect();
        let pair = ties[random.below(ties.len())];
        let (a, b) = (pair / count, pair % count);
        let sum = sums.add(a, b);
        for rest in rests.iter_mut().filter(|rest| rest.contains(&a) && rest.contains(&b)) {
            rest.retain(|&term| term != a && term != b);
            rest.push(sum);
        }
    }
    sums.targets = rests.iter().map(|rest| rest[0]).collect();
    sums
}

/// Computes a random sum otherwise, with at most `slack` more additions.
fn step(sums: &Sums, late: u64, slack: usize, random: &mut Random) -> Option<Sums> {
    let first = sums.variables;
    let chosen = first + random.below(sums.additions.len().max(1));
    let total = sums.values.len();
    if chosen >= total {
        return None;
    }
    let mut above = vec![false; total];
    above[chosen] = true;
    for (index, &(a, b)) in sums.additions.iter().enumerate() {
        above[first + index] |= above[a] || above[b];
    }
    let mut needed = vec![false; total];
    sums.targets.iter().for_each(|&target| needed[target] = true);
    for index in (first..total).rev().filter(|&index| index != chosen) {
        if needed[index] {
            let (a, b) = sums.additions[index - first];
            (needed[a], needed[b]) = (true, true);
        }
    }
    let serving = (first..total).filter(|&index| index == chosen || !needed[index]).count();
    let value = sums.values[chosen];
    let usable = |&index: &usize| {
        (index < first || needed[index])
            && !above[index]
            && (value & late != 0 || sums.values[index] & late == 0)
    };
    let pool: Vec<usize> = (0..total).filter(usable).collect();
    let chain = find(&sums.values, &pool, value, serving + slack, random)?;
    Some(replace(sums, chosen, &chain, &above, &needed))
}

/// At most `limit + 1` values of the pool, and at most three, whose sum is `value`.
fn find(
    values: &[u64],
    pool: &[usize],
    value: u64,
    limit: usize,
    random: &mut Random,
) -> Option<Vec<usize>> {
    if let Some(&index) = pool.iter().find(|&&index| values[index] == value) {
        return Some(vec![index]);
    }
    let start = random.below(pool.len());
    let pair = |value: u64| {
        (0..pool.len()).find_map(|offset| {
            let a = pool[(offset + start) % pool.len()];
            let b = pool.iter().find(|&&b| values[b] == values[a] ^ value)?;
            Some((a, *b))
        })
    };
    if limit >= 1 {
        // Now and then the long way round is taken although there is a short one.
        if let Some((a, b)) = pair(value).filter(|_| limit < 2 || random.below(8) > 0) {
            return Some(vec![a, b]);
        }
    }
    if limit >= 2 {
        let offset = random.below(pool.len());
        for index in 0..pool.len() {
            let c = pool[(index + offset) % pool.len()];
            if let Some((a, b)) = pair(value ^ values[c]).filter(|&(a, b)| a != c && b != c) {
                return Some(vec![a, b, c]);
            }
        }
    }
    None
}

/// The program with value `chosen` computed as the sum of `chain`, and dead values dropped.
fn replace(sums: &Sums, chosen: usize, chain: &[usize], above: &[bool], needed: &[bool]) -> Sums {
    let first = sums.variables;
    let values = sums.values[..first].to_vec();
    let mut next = Sums { values, additions: vec![], targets: vec![], variables: first };
    let mut places: Vec<usize> = (0..sums.values.len()).collect();
    let copy = |next: &mut Sums, places: &mut Vec<usize>, index: usize| {
        let (a, b) = sums.additions[index - first];
        let value = sums.values[index];
        let known = next.values.iter().position(|&other| other == value);
        places[index] = known.unwrap_or_else(|| next.add(places[a], places[b]));
    };
    for index in (first..sums.values.len()).filter(|&index| !above[index] && needed[index]) {
        copy(&mut next, &mut places, index);
    }
    let mut place = places[chain[0]];
    for &term in &chain[1..] {
        place = next.add(place, places[term]);
    }
    places[chosen] = place;
    for index in (first..sums.values.len()).filter(|&index| above[index] && index != chosen) {
        copy(&mut next, &mut places, index);
    }
    next.targets = sums.targets.iter().map(|&target| places[target]).collect();
    prune(next)
}

/// Drops additions that no target needs.
fn prune(sums: Sums) -> Sums {
    let first = sums.variables;
    let mut needed = vec![false; sums.values.len()];
    sums.targets.iter().for_each(|&target| needed[target] = true);
    for index in (first..sums.values.len()).rev().filter(|&index| index >= first) {
        if needed[index] {
            let (a, b) = sums.additions[index - first];
            (needed[a], needed[b]) = (true, true);
        }
    }
    let values = sums.values[..first].to_vec();
    let mut next = Sums { values, additions: vec![], targets: vec![], variables: first };
    let mut places: Vec<usize> = (0..sums.values.len()).collect();
    for (index, &(a, b)) in sums.additions.iter().enumerate() {
        if needed[first + index] {
            places[first + index] = next.add(places[a], places[b]);
        }
    }
    next.targets = sums.targets.iter().map(|&target| places[target]).collect();
    next
}
