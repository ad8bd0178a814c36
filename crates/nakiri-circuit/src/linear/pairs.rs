//! Sums that share pairs of terms (Paar 1997).

use super::program::{Program, ZERO};
use super::Matrix;
use fastrand::Rng;

/// The program that adds the pair of terms which most of the sums have in common, of equals a random one, again and again.
pub(super) fn shared(matrix: &Matrix, rng: &mut Rng) -> Program {
    let mut program = Program::new(matrix.columns);
    let mut sums: Vec<Vec<usize>> = matrix
        .targets()
        .iter()
        .map(|row| (0..matrix.columns).filter(|j| row >> j & 1 == 1).map(|j| j + 1).collect())
        .collect();
    while sums.iter().any(|terms| terms.len() > 1) {
        let count = program.values.len();
        let mut pairs = vec![0u16; count * count];
        for terms in &sums {
            for (place, &a) in terms.iter().enumerate() {
                terms[place + 1..].iter().for_each(|&b| pairs[a * count + b] += 1);
            }
        }
        let most = pairs.iter().copied().max().unwrap_or(0);
        let ties: Vec<usize> = (0..pairs.len()).filter(|&pair| pairs[pair] == most).collect();
        let pair = ties[rng.usize(..ties.len())];
        let (a, b) = (pair / count, pair % count);
        let sum = program.push([a, b, ZERO]);
        // Terms stay in ascending order: the new sum is the last signal.
        for terms in sums.iter_mut().filter(|terms| terms.contains(&a) && terms.contains(&b)) {
            terms.retain(|&term| term != a && term != b);
            terms.push(sum);
        }
    }
    program.find_outputs(&matrix.rows);
    program
}
