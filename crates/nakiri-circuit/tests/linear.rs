//! Programs of exclusive-ors compute their matrices, and are as short as is known where the library holds them.

use nakiri::circuit::layers;
use nakiri_circuit::linear::{search, Matrix};
use nakiri_circuit::{Basis, Effort};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The product of polynomials modulo x^8 + x^4 + x^3 + x + 1.
fn multiply(a: u32, b: u32) -> u32 {
    (0..8).rev().fold(0, |sum, bit| {
        let doubled = sum << 1 ^ if sum & 0x80 == 0 { 0 } else { 0x11b };
        doubled ^ if b >> bit & 1 == 1 { a } else { 0 }
    })
}

/// The column map of AES (FIPS 197, section 5.1.3), its first byte first and bits from the most significant.
fn mix_columns() -> Matrix {
    let mut rows = vec![0; 32];
    for input in 0..32 {
        let (byte, bit) = (input / 8, 7 - input % 8);
        for (offset, factor) in [(0, 2), (3, 3), (2, 1), (1, 1)] {
            let product = multiply(1 << bit, factor);
            for output in (0..8).filter(|output| product >> (7 - output) & 1 == 1) {
                rows[(byte + offset) % 4 * 8 + output] |= 1u64 << input;
            }
        }
    }
    Matrix { columns: 32, rows }
}

fn found_in(matrix: &Matrix, basis: Basis, time: Duration) -> usize {
    let effort = Effort::new(Instant::now().checked_add(time), || false);
    let last = AtomicUsize::new(usize::MAX);
    let circuit = search(matrix, basis, 1, 2, &effort, &|circuit| {
        let before = last.swap(circuit.size(), Ordering::Relaxed);
        assert!(circuit.size() < before, "each is shorter than the one before");
    });
    assert!(matrix.is_computed_by(&circuit), "{}", basis.name());
    assert_eq!(circuit.size(), last.into_inner());
    circuit.size()
}

#[test]
fn matrices_of_all_shapes() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (columns, rows) in [(1, 1), (3, 7), (8, 18), (18, 8), (64, 64), (16, 16)] {
        let mask = u64::MAX >> (64 - columns);
        let rows = (0..rows).map(|_| rng.u64(..) & mask).collect();
        let matrix = Matrix { columns, rows };
        for basis in [Basis::Standard, Basis::Ternary] {
            found_in(&matrix, basis, Duration::from_millis(300));
        }
    }
}

#[test]
fn zeros_copies_and_equal_rows() {
    let matrix = Matrix { columns: 3, rows: vec![0, 1, 1, 7, 7, 0] };
    assert_eq!(found_in(&matrix, Basis::Standard, Duration::from_millis(50)), 2);
    assert_eq!(found_in(&matrix, Basis::Ternary, Duration::from_millis(50)), 1);
}

/// Maximov (2019) and Xiang et al. (2020) have 92 sums of two, Lin et al. (2021) 91.
#[test]
fn the_library_holds_short_programs() {
    let matrix = mix_columns();
    let mut least = [usize::MAX; 2];
    for entry in layers() {
        assert_eq!(entry.name, "aes_mix_columns");
        assert!(matrix.is_computed_by(&entry.circuit), "{}", entry.found);
        let size = entry.circuit.size();
        assert!(entry.found.starts_with(&format!("{size} ")), "{}: {size}", entry.found);
        let place = usize::from(entry.circuit.is_ternary());
        least[place] = least[place].min(size);
    }
    assert!(least[0] <= 90 && least[1] <= 55, "{least:?}");
    assert!(found_in(&matrix, Basis::Standard, Duration::ZERO) <= 90, "the library comes first");
}
