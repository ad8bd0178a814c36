//! GF(2^4) in GF(2^8), and products in it.

use crate::circuit::field::Field;
use std::array::from_fn;

/// How many products of bits a product takes (Karatsuba).
pub(super) const PRODUCTS: usize = 9;

/// GF(2^4) in GF(2^8) and its 15 nonzero linear forms, in five groups of three that are multiples over GF(2^2).
pub(super) struct Subfield {
    /// GF(2^8).
    pub(super) field: Field,
    /// The elements.
    pub(super) elements: Vec<u32>,
    /// Bit `f` is the value of form `f`, for each element of GF(2^8) that is one of GF(2^4).
    forms: Vec<u16>,
}

/// Three groups of forms, and the constants of the product: `x y` is the sum of `c_k f_k(x) f_k(y)`.
#[derive(Clone)]
pub(super) struct Multiplier {
    /// The forms.
    pub(super) forms: [usize; PRODUCTS],
    /// The constants.
    pub(super) constants: [u32; PRODUCTS],
}

impl Subfield {
    pub(super) fn new(field: Field) -> Subfield {
        let elements: Vec<u32> = (0..256).filter(|&x| field.power(x, 16) == x).collect();
        let generates = |x: &u32| field.power(*x, 3) != 1 && field.power(*x, 5) != 1;
        let generator = elements[1..].iter().copied().find(generates).unwrap_or(1);
        let trace = |x: u32| (0..4).fold(0, |sum, k| sum ^ field.power(x, 1 << k)) & 1;
        let mut forms = vec![0; 256];
        for &x in &elements {
            for form in 0..15 {
                // Powers of the generator that are five apart are multiples by elements of GF(2^2).
                let factor = field.power(generator, form / 3 + 5 * (form % 3));
                forms[x as usize] |= (trace(field.multiply(factor, x)) as u16) << form;
            }
        }
        Subfield { field, elements, forms }
    }

    /// The value of a form.
    pub(super) fn value(&self, form: usize, x: u32) -> u32 {
        u32::from(self.forms[x as usize] >> form & 1)
    }

    /// The ways to multiply: all but two of the groups of forms.
    pub(super) fn multipliers(&self) -> Vec<Multiplier> {
        let pairs = (0..5).flat_map(|a| (0..a).map(move |b| [a, b]));
        let multiplier = |left_out: [usize; 2]| {
            let groups: Vec<usize> = (0..5).filter(|group| !left_out.contains(group)).collect();
            let forms = from_fn(|k| 3 * groups[k / 3] + k % 3);
            self.constants(&forms).map(|constants| Multiplier { forms, constants })
        };
        pairs.filter_map(multiplier).collect()
    }

    /// The constants that go with these forms. Each bit of them solves 256 equations.
    fn constants(&self, forms: &[usize; PRODUCTS]) -> Option<[u32; PRODUCTS]> {
        let mut constants = [0u32; PRODUCTS];
        for bit in 0..8 {
            let mut rows: Vec<u32> = Vec::new();
            for &x in &self.elements {
                for &y in &self.elements {
                    let product = |k: usize| self.value(forms[k], x) & self.value(forms[k], y);
                    let left: u32 = (0..PRODUCTS).map(|k| product(k) << k).sum();
                    rows.push(left | (self.field.multiply(x, y) >> bit & 1) << PRODUCTS);
                }
            }
            let solution = solve(rows)?;
            (0..PRODUCTS).for_each(|k| constants[k] |= (solution >> k & 1) << bit);
        }
        Some(constants)
    }
}

/// Solves equations in as many unknowns as there are products; the right-hand side is the bit above these.
fn solve(mut rows: Vec<u32>) -> Option<u32> {
    let mut pivots: Vec<(usize, u32)> = Vec::new();
    for k in 0..PRODUCTS {
        let Some(place) = rows.iter().position(|row| row >> k & 1 == 1) else { continue };
        let pivot = rows.swap_remove(place);
        let others = rows.iter_mut().chain(pivots.iter_mut().map(|(_, row)| row));
        others.filter(|row| **row >> k & 1 == 1).for_each(|row| *row ^= pivot);
        pivots.push((k, pivot));
    }
    let solved = rows.iter().all(|&row| row == 0);
    solved.then(|| pivots.iter().map(|&(k, row)| (row >> PRODUCTS & 1) << k).sum())
}
