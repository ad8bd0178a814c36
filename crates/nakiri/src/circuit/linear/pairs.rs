//! Sums that share pairs of terms (Paar 1997).

use super::program::{Program, ZERO};
use super::{Matrix, Random};

/// The program that adds the pair of terms which most of the sums have in common, of equals a random one, again and again.
pub fn shared(matrix: &Matrix, random: &mut Random) -> Program {
    let mut program = Program::new(matrix.columns);
    let targets = matrix.targets();
    let mut sums: Vec<Vec<usize>> = targets.iter().map(|row| terms(*row)).collect();
    let mut counts = Counts::default();
    sums.iter().for_each(|terms| counts.add(terms, 1));
    while let Some((a, b)) = counts.most_frequent(random) {
        let sum = program.push([a, b, ZERO]);
        // Terms stay in ascending order: the new sum is the last signal.
        for terms in sums.iter_mut().filter(|terms| terms.contains(&a) && terms.contains(&b)) {
            counts.add(terms, -1);
            terms.retain(|&term| term != a && term != b);
            terms.push(sum);
            counts.add(terms, 1);
        }
    }
    program.find_outputs(&matrix.rows);
    program
}

/// The signals of the inputs of a row.
fn terms(row: u64) -> Vec<usize> {
    (0..64).filter(|j| row >> j & 1 == 1).map(|j| j + 1).collect()
}

/// How many sums have each pair of terms: those of the second signal, then of the third, and so on.
#[derive(Default)]
struct Counts(Vec<i16>);

/// The place of a pair of which `a` is the earlier.
fn place(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}

impl Counts {
    /// Adds to the counts of all pairs of a sum's terms.
    fn add(&mut self, terms: &[usize], by: i16) {
        for (count, &b) in terms.iter().enumerate() {
            if self.0.len() < place(0, b + 1) {
                self.0.resize(place(0, b + 1), 0);
            }
            terms[..count].iter().for_each(|&a| self.0[place(a, b)] += by);
        }
    }

    /// The most frequent pair, of equals a random one; none if no sum has a pair.
    fn most_frequent(&self, random: &mut Random) -> Option<(usize, usize)> {
        let most = self.0.iter().copied().max().filter(|most| *most > 0)?;
        let ties = self.0.iter().filter(|&&count| count == most).count();
        let mut places = (0..self.0.len()).filter(|&place| self.0[place] == most);
        let found = places.nth(random.below(ties))?;
        let b = (1..).find(|b| place(0, b + 1) > found)?;
        Some((found - place(0, b), b))
    }
}
