//! A matrix as a sequence of additions in place (Xiang, Zeng, Lin, Bao, Zhang 2020).

use super::Matrix;
use nakiri::circuit::linear::{Program, ZERO};
use nakiri::circuit::random::Random;

/// How many additions a decomposition may have for each row before it is given up.
const PATIENCE: usize = 16;

/// An addition of one row or column to another, `from` to `to`.
#[derive(Clone, Copy)]
struct Addition {
    from: usize,
    to: usize,
}

/// A program that adds rows to one another in place: additions of rows and of columns make the matrix lighter until it
/// is a permutation. None if the matrix isn't invertible.
pub(super) fn in_place(matrix: &Matrix, random: &mut Random) -> Option<Program> {
    let size = matrix.columns;
    if matrix.rows.len() != size {
        return None;
    }
    let mut rows = matrix.rows.clone();
    let mut columns = transposed(&rows);
    // What the rows are made of afterwards, and what the columns are made of before.
    let (mut after, mut before): (Vec<Addition>, Vec<Addition>) = (Vec::new(), Vec::new());
    while !is_permutation(&rows) {
        if after.len() + before.len() > PATIENCE * size {
            return None;
        }
        let (row_gain, row) = lightest(&rows, random)?;
        let (column_gain, column) = lightest(&columns, random)?;
        if row_gain > column_gain || row_gain == column_gain && random.below(2) == 0 {
            rows[row.to] ^= rows[row.from];
            columns = transposed(&rows);
            after.push(row);
        } else {
            columns[column.to] ^= columns[column.from];
            rows = transposed(&columns);
            before.push(column);
        }
    }
    let mut program = Program::new(size);
    let mut places: Vec<usize> = (1..=size).collect();
    // Adding column `from` to column `to` is undone by adding input `to` to input `from`.
    for addition in &before {
        places[addition.from] = added(&mut program, places[addition.from], places[addition.to]);
    }
    let mut places: Vec<usize> =
        rows.iter().map(|row| places[row.trailing_zeros() as usize]).collect();
    for addition in after.iter().rev() {
        places[addition.to] = added(&mut program, places[addition.to], places[addition.from]);
    }
    program.find_outputs(&matrix.rows);
    Some(program)
}

/// The place of the sum, which may be there already.
fn added(program: &mut Program, a: usize, b: usize) -> usize {
    let value = program.total(&[a, b]);
    let known = program.values.iter().position(|&other| other == value);
    known.unwrap_or_else(|| program.push([a, b, ZERO]))
}

/// Of the additions that make the rows lightest a random one, and by how much it does.
fn lightest(rows: &[u64], random: &mut Random) -> Option<(i32, Addition)> {
    let mut best: Option<(i32, Addition)> = None;
    let mut ties = 0;
    for to in 0..rows.len() {
        for from in (0..rows.len()).filter(|&from| from != to) {
            let gain = rows[to].count_ones() as i32 - (rows[to] ^ rows[from]).count_ones() as i32;
            match best.as_ref().map_or(i32::MIN, |best| best.0) {
                most if gain < most => continue,
                most if gain == most => ties += 1,
                _ => ties = 1,
            }
            if random.below(ties) == 0 {
                best = Some((gain, Addition { from, to }));
            }
        }
    }
    best
}

fn is_permutation(rows: &[u64]) -> bool {
    let union = rows.iter().fold(0, |union, row| union | row);
    rows.iter().all(|row| row.count_ones() == 1) && union.count_ones() as usize == rows.len()
}

fn transposed(rows: &[u64]) -> Vec<u64> {
    let bit = |row: usize, column: usize| (rows[row] >> column & 1) << row;
    (0..rows.len()).map(|column| (0..rows.len()).map(|row| bit(row, column)).sum()).collect()
}
