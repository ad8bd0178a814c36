//! From throughputs to ports.
//!
//! Nothing says which port an operation took, but two kinds of operations run together tell whether they compete. If `p`
//! of one kind and `q` of another each take a cycle alone, together they take one cycle if they have no port in common,
//! and `(p + q) / n` cycles if there are only `n` ports for both. Sought are sets of ports for all kinds such that every
//! measured mix takes as long as it should. Names of ports mean nothing beyond that.

/// What is assigned: the same class at the same width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Operations per cycle when there are only these.
    pub throughput: f64,
    /// Whether an operation may take two ports: where a narrower one of the same class is so much faster that each of them
    /// may do half of it.
    pub halves: bool,
}

/// Two kinds run together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The kinds, by their numbers.
    pub kinds: [usize; 2],
    /// How many operations of each.
    pub counts: [u32; 2],
    /// Core cycles of all these together.
    pub cycles: f64,
}

/// The ports that a kind takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    /// The set, one bit for each port.
    pub ports: u32,
    /// How many of them an operation takes, or for how many cycles.
    pub times: u32,
}

/// Sets of ports for all kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// One for each kind.
    pub uses: Vec<Uses>,
    /// How many ports there are.
    pub ports: u32,
    /// The mixes that take at least a fifth more or less time than they should: by number, with the core cycles that
    /// they should take.
    pub unexplained: Vec<(usize, f64)>,
}

/// How much a figure may be off by chance.
const NOISE: f64 = 0.04;
/// How far a mix, or a kind alone, may be from what its ports allow and still count as explained: schedulers are not
/// ideal.
pub const EXPLAINED: f64 = 0.20;
/// Partial assignments that are kept at every step.
const KEPT: usize = 48;
const MOST_PORTS: u32 = 32;
/// Ports that one kind may have.
const MOST_SHARED: u32 = 12;

/// Finds sets of ports. `width` is what the front end delivers in a cycle.
///
/// Kinds are placed one after the other, and after each only those partial assignments are kept that contradict the
/// measured mixes least. Where mixes don't decide, because the front end limits them, kinds are taken to share no port:
/// what a machine model forbids must have been seen.
pub fn assign(kinds: &[Kind], mixes: &[Mix], width: f64) -> Assignment {
    let mut kept = vec![Partial::default()];
    for (kind, figures) in kinds.iter().enumerate() {
        let with: Vec<(usize, &Mix)> = mixes
            .iter()
            .filter(|mix| mix.kinds.iter().max() == Some(&kind))
            .map(|mix| (mix.kinds[0].min(mix.kinds[1]), mix))
            .collect();
        let mut next: Vec<Partial> = Vec::new();
        for partial in &kept {
            for uses in partial.placements(figures) {
                let mut grown = partial.clone();
                grown.uses.push(uses);
                grown.ports = grown.ports.max(u32::BITS - uses.ports.leading_zeros());
                grown.error += with
                    .iter()
                    .map(|(_, mix)| error(mix.cycles, cost(mix, kinds, &grown.uses, width)))
                    .sum::<f64>();
                next.push(grown);
            }
        }
        next.sort_by(Partial::compare);
        next.truncate(KEPT);
        kept = next;
    }
    let best = kept.into_iter().next().unwrap_or_default();
    let unexplained = mixes.iter().enumerate().filter_map(|(k, mix)| {
        let due = cost(mix, kinds, &best.uses, width);
        ((mix.cycles / due).ln().abs() > EXPLAINED).then_some((k, due))
    });
    Assignment { unexplained: unexplained.collect(), ports: best.ports, uses: best.uses }
}

/// The core cycles that a mix should take.
pub fn cost(mix: &Mix, kinds: &[Kind], uses: &[Uses], width: f64) -> f64 {
    let [a, b] = mix.kinds;
    let [p, q] = mix.counts.map(f64::from);
    let alone = (p / kinds[a].throughput).max(q / kinds[b].throughput);
    let work = p * f64::from(uses[a].times) + q * f64::from(uses[b].times);
    let common = (uses[a].ports | uses[b].ports).count_ones();
    alone.max(work / f64::from(common)).max((p + q) / width)
}

/// How badly a cost fits what was measured. Schedulers are not ideal, so that a mix may take longer than it should; if it
/// takes less, the ports are wrong, and a bound made of them would be.
fn error(measured: f64, due: f64) -> f64 {
    let off = (measured / due).ln();
    match off > 0.0 {
        true => (off - NOISE).max(0.0),
        false => 20.0 * (-off - NOISE).max(0.0),
    }
}

/// An assignment of the first kinds.
#[derive(Clone, Debug, Default)]
struct Partial {
    uses: Vec<Uses>,
    ports: u32,
    error: f64,
}

impl Partial {
    /// Smaller errors first, then operations that take fewer ports, then more ports, then as they were made.
    fn compare(&self, other: &Partial) -> std::cmp::Ordering {
        let coarse = |partial: &Partial| (partial.error * 200.0).round();
        let times = |partial: &Partial| partial.uses.iter().map(|uses| uses.times).sum::<u32>();
        coarse(self)
            .total_cmp(&coarse(other))
            .then(times(self).cmp(&times(other)))
            .then(other.ports.cmp(&self.ports))
    }

    /// What a kind of this throughput may use. Ports that the same kinds use are alike: only how many of them are taken
    /// makes a difference.
    fn placements(&self, kind: &Kind) -> Vec<Uses> {
        let mut cells: Vec<(Vec<bool>, Vec<u32>)> = Vec::new();
        for port in 0..self.ports {
            let users = self.uses.iter().map(|uses| uses.ports >> port & 1 == 1).collect();
            match cells.iter_mut().find(|(known, _)| *known == users) {
                Some((_, ports)) => ports.push(port),
                None => cells.push((users, vec![port])),
            }
        }
        cells.push((Vec::new(), (self.ports..MOST_PORTS).collect()));
        let mut all = Vec::new();
        for (times, size) in shapes(kind) {
            let mut sets = Vec::new();
            choose(&cells, size, 0, &mut sets);
            all.extend(sets.into_iter().map(|ports| Uses { ports, times }));
        }
        all
    }
}

/// How often a kind may take a port, and of how many: once, twice if an operation has two halves, or, if there is less
/// than one per cycle, always the same.
fn shapes(kind: &Kind) -> Vec<(u32, u32)> {
    // What is a little less than a whole number is a limit of its own.
    let enough = |rate: f64| whole(rate).unwrap_or(rate.ceil()).max(1.0) as u32;
    let mut shapes = vec![(1, enough(kind.throughput))];
    if kind.halves {
        shapes.push((2, enough(2.0 * kind.throughput)));
    }
    let long = whole(1.0 / kind.throughput).filter(|cycles| *cycles > 1.0);
    shapes.extend(long.map(|cycles| (cycles as u32, 1)));
    shapes.retain(|(_, ports)| *ports <= MOST_SHARED);
    shapes
}

/// The whole number that a figure is, but for noise.
pub fn whole(figure: f64) -> Option<f64> {
    let rounded = figure.round();
    (rounded >= 1.0 && (figure / rounded - 1.0).abs() <= NOISE).then_some(rounded)
}

/// All ways to take `size` ports from cells, of each cell the first ones.
fn choose(cells: &[(Vec<bool>, Vec<u32>)], size: u32, taken: u32, sets: &mut Vec<u32>) {
    let Some(((_, ports), rest)) = cells.split_first() else {
        if size == 0 {
            sets.push(taken);
        }
        return;
    };
    for count in 0..=size.min(ports.len() as u32) {
        let own = ports[..count as usize].iter().fold(0, |set, port| set | 1 << port);
        choose(rest, size - count, taken | own, sets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine: for each kind its ports and how often it takes one.
    fn measure(truth: &[Uses], width: f64, off: f64) -> (Vec<Kind>, Vec<Mix>) {
        let kinds: Vec<Kind> = truth
            .iter()
            .map(|uses| Kind {
                throughput: f64::from(uses.ports.count_ones()) / f64::from(uses.times),
                halves: uses.times == 2,
            })
            .collect();
        let mut mixes = Vec::new();
        for b in 0..kinds.len() {
            for a in 0..b {
                let counts = [a, b].map(|k| (2.0 * kinds[k].throughput).round() as u32);
                let mut mix = Mix { kinds: [a, b], counts, cycles: 0.0 };
                let wobble = 1.0 + off * f64::from((a * 7 + b * 3) as u32 % 5) / 4.0;
                mix.cycles = cost(&mix, &kinds, truth, width) * wobble;
                mixes.push(mix);
            }
        }
        (kinds, mixes)
    }

    fn uses(times: u32, ports: u32) -> Uses {
        Uses { ports, times }
    }

    /// Four vector ports with every kind of share in them, four general ones, three for addresses.
    fn machine() -> Vec<Uses> {
        [0b1111, 0b1111, 0b0011, 0b1100, 0b1110, 0b0110, 0b1111_0000, 0b110_0000, 0b10_0000]
            .into_iter()
            .map(|ports| uses(1, ports))
            .chain([uses(1, 0b111 << 8), uses(1, 0b11 << 8), uses(2, 0b1111), uses(2, 0b0011)])
            .collect()
    }

    #[test]
    fn every_mix_of_a_known_machine_is_explained_in_spite_of_noise() {
        for off in [0.0, 0.03] {
            let truth = machine();
            let (kinds, mixes) = measure(&truth, 8.0, off);
            let found = assign(&kinds, &mixes, 8.0);
            assert_eq!(found.unexplained, []);
            for a in 0..truth.len() {
                for b in 0..truth.len() {
                    let common = |uses: &[Uses]| (uses[a].ports & uses[b].ports).count_ones();
                    let short = kinds[a].throughput + kinds[b].throughput <= 8.0;
                    assert!(!short || common(&found.uses) == common(&truth), "{a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_kind_that_takes_two_ports_is_told_from_one_with_half_of_them() {
        for second in [uses(2, 0b1111), uses(1, 0b0011)] {
            let truth = [uses(1, 0b1111), second];
            let (mut kinds, mixes) = measure(&truth, 8.0, 0.0);
            kinds[1].halves = true;
            assert_eq!(assign(&kinds, &mixes, 8.0).uses[1].times, second.times);
        }
    }

    #[test]
    fn what_the_front_end_hides_is_not_taken_for_sharing() {
        let truth = [uses(1, 0b1111), uses(1, 0b1111_0000)];
        let (kinds, mixes) = measure(&truth, 5.0, 0.0);
        let found = assign(&kinds, &mixes, 5.0);
        assert_eq!(found.uses[0].ports & found.uses[1].ports, 0);
        assert_eq!(found.ports, 8);
    }

    #[test]
    fn a_mix_that_no_ports_explain_is_named() {
        let truth = machine();
        let (kinds, mut mixes) = measure(&truth, 8.0, 0.0);
        let odd = mixes.iter().position(|mix| mix.kinds == [0, 4]).expect("measured");
        mixes[odd].cycles *= 3.0;
        let found = assign(&kinds, &mixes, 8.0);
        assert_eq!(found.unexplained.iter().map(|(k, _)| *k).collect::<Vec<_>>(), [odd]);
    }
}
