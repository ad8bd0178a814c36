//! Circuits for tables that are inversion in GF(2^8) but for affine maps, over GF(2^4).
//!
//! An element of GF(2^8) is `a u + b v` with `a` and `b` in GF(2^4) for any basis `u`, `v`, and its inverse is
//! `d a u^16 + d b v^16` with `1/d = u^17 a^2 + v^17 b^2 + (u v^16 + u^16 v) a b` (Itoh, Tsujii 1988; Canright 2005). A
//! product in GF(2^4) takes nine products of bits, whose factors are sums of the inputs; so the affine maps are part of
//! the sums before the first products and after the last ones, and these sums are made short.

mod brief;
mod circuit;
mod limits;
mod subfield;

use super::inversion::Inversion;
use super::linear::{self, Matrix};
use super::random::Random;
use super::search::{construct, Settings};
use super::{Circuit, Table};
use crate::circuit::field::Field;
pub use brief::brief;
use circuit::{Middle, Parts};
pub use limits::Limits;
use std::array::from_fn;
use subfield::{Multiplier, Subfield, PRODUCTS};

/// The inputs of the middle that are products; those before them are the bits of the index.
const LATE: u64 = ((1 << PRODUCTS) - 1) << 8;

/// Bases that are good for a table.
pub struct Towers {
    subfield: Subfield,
    inversion: Inversion,
    bases: Vec<Basis>,
}

/// A basis of GF(2^8) over GF(2^4) and a way to multiply in the latter.
#[derive(Clone)]
struct Basis {
    multiplier: Multiplier,
    /// `u` and `v`.
    elements: [u32; 2],
    /// The parts `a` and `b` of each input.
    parts: [[u32; 2]; 8],
}

impl Towers {
    /// The bases for a table; none if the table isn't inversion in GF(2^8) but for affine maps.
    pub fn of_table(table: &Table, seed: u64, limits: &Limits) -> Option<Towers> {
        let field = Field::new(8).filter(|_| table.inputs == 8)?;
        let inversion = Inversion::of_table(table)?;
        let subfield = Subfield::new(field);
        let mut random = Random::new(seed);
        let multipliers = subfield.multipliers();
        let mut towers = Towers { subfield, inversion, bases: Vec::new() };
        let mut ranked: Vec<(usize, Basis)> = Vec::new();
        while ranked.len() < limits.bases && !((limits.is_over)() && ranked.len() >= limits.kept) {
            let multiplier = multipliers[random.below(multipliers.len())].clone();
            let elements = from_fn(|_| 1 + random.below(255) as u32);
            let Some(basis) = towers.basis(elements, multiplier) else { continue };
            let layers = [towers.top(&basis), towers.bottom(&basis)];
            let layers = layers.iter().map(|m| linear::shared(m, &mut random).len());
            ranked.push((layers.sum(), basis));
        }
        ranked.sort_by_key(|(size, _)| *size);
        towers.bases = ranked.into_iter().take(limits.kept).map(|(_, basis)| basis).collect();
        Some(towers)
    }

    /// A basis, if these elements are one.
    fn basis(&self, [u, v]: [u32; 2], multiplier: Multiplier) -> Option<Basis> {
        let (field, elements) = (&self.subfield.field, &self.subfield.elements);
        let split = |x: u32| {
            elements.iter().find_map(|&a| {
                let rest = field.multiply(x ^ field.multiply(a, u), field.invert(v));
                elements.contains(&rest).then_some([a, rest])
            })
        };
        if elements.contains(&field.multiply(u, field.invert(v))) {
            return None;
        }
        let mut parts = [[0; 2]; 8];
        for (input, part) in parts.iter_mut().enumerate() {
            *part = split(self.inversion.before.columns[7 - input])?;
        }
        Some(Basis { multiplier, elements: [u, v], parts })
    }

    /// The factors of products with `a`, then with `b`, as sums of the inputs.
    fn top(&self, basis: &Basis) -> Matrix {
        let form = |side: usize, form: usize| {
            let value = |input: usize| self.subfield.value(form, basis.parts[input][side]);
            (0..8).map(|input| u64::from(value(input)) << input).sum()
        };
        let forms = basis.multiplier.forms;
        let rows = (0..2).flat_map(|side| forms.map(|number| form(side, number))).collect();
        Matrix { columns: 8, rows }
    }

    /// The outputs as sums of the products of `d` with `a`, then with `b`.
    fn bottom(&self, basis: &Basis) -> Matrix {
        let field = &self.subfield.field;
        let conjugates = basis.elements.map(|element| field.power(element, 16));
        let columns: Vec<u32> = conjugates
            .iter()
            .flat_map(|&by| basis.multiplier.constants.map(|constant| field.multiply(constant, by)))
            .map(|product| self.inversion.after.linear(product))
            .collect();
        let row = |output: usize| {
            let bits = columns.iter().enumerate();
            bits.map(|(k, column)| u64::from(column >> (7 - output) & 1) << k).sum()
        };
        Matrix { columns: 2 * PRODUCTS, rows: (0..8).map(row).collect() }
    }

    /// The factors and four forms of `1/d`, as sums of the inputs and of the products of `a` and `b`. Product `k` may have
    /// either factor added for nothing: that of `a` if bit 0 of `kinds[k]` is set, that of `b` if bit 1 is.
    fn middle(&self, basis: &Basis, kinds: &[u8; PRODUCTS], forms: &[usize; 4]) -> Matrix {
        let (field, subfield) = (&self.subfield.field, &self.subfield);
        let [u, v] = basis.elements;
        let conjugate = |x: u32| field.power(x, 16);
        let trace = field.multiply(u, conjugate(v)) ^ field.multiply(conjugate(u), v);
        let scaled = basis.multiplier.constants.map(|constant| field.multiply(constant, trace));
        let of_input = |&[a, b]: &[u32; 2]| {
            let square =
                |x: u32, element: u32| field.multiply(field.power(element, 17), field.power(x, 2));
            (0..PRODUCTS).fold(square(a, u) ^ square(b, v), |sum, k| {
                let [p, q] = [a, b].map(|x| subfield.value(basis.multiplier.forms[k], x) as u8);
                let extra = kinds[k] & p ^ kinds[k] >> 1 & q;
                sum ^ if extra & 1 == 1 { scaled[k] } else { 0 }
            })
        };
        let terms: Vec<u32> = basis.parts.iter().map(of_input).chain(scaled).collect();
        let row = |form: usize| -> u64 {
            let bits = terms.iter().enumerate();
            bits.map(|(place, &term)| u64::from(subfield.value(form, term)) << place).sum()
        };
        let mut rows = self.top(basis).rows;
        rows.extend(forms.map(row));
        Matrix { columns: 8 + PRODUCTS, rows }
    }

    /// A good first half: a walk over the kinds of products and forms, then one over its sums.
    fn search_middle(&self, basis: &Basis, limits: &Limits, random: &mut Random) -> Middle {
        let mut forms = [0; 4];
        while !self.separates(&forms) {
            forms = from_fn(|_| random.below(15));
        }
        let mut kinds: [u8; PRODUCTS] = from_fn(|_| random.below(4) as u8);
        let mut least = usize::MAX;
        for _ in 0..limits.choices {
            let (mut new_kinds, mut new_forms) = (kinds, forms);
            if random.below(3) == 0 {
                new_forms[random.below(4)] = random.below(15);
            }
            for _ in 0..random.below(3) {
                new_kinds[random.below(PRODUCTS)] = random.below(4) as u8;
            }
            if (limits.is_over)() || !self.separates(&new_forms) {
                continue;
            }
            let matrix = self.middle(basis, &new_kinds, &new_forms);
            let size = linear::shared(&matrix, random).len();
            if size <= least {
                (kinds, forms, least) = (new_kinds, new_forms, size);
            }
        }
        let matrix = self.middle(basis, &kinds, &forms);
        Middle { kinds, forms, sums: linear::program(&matrix, LATE, limits, random) }
    }

    /// Whether the forms tell all elements of GF(2^4) apart.
    fn separates(&self, forms: &[usize; 4]) -> bool {
        let nonzero = self.subfield.elements.iter().filter(|&&x| x != 0);
        nonzero.into_iter().all(|&x| forms.iter().any(|&form| self.subfield.value(form, x) == 1))
    }

    /// From the four forms of `1/d` to the nine of `d`.
    fn inverse(&self, basis: &Basis, middle: &Middle) -> Table {
        let mut entries = vec![0; 16];
        for &x in &self.subfield.elements {
            let bits = |x: u32, forms: &[usize]| {
                forms.iter().fold(0, |bits, &form| bits << 1 | self.subfield.value(form, x))
            };
            let inverse = self.subfield.field.invert(x);
            entries[bits(x, &middle.forms) as usize] = bits(inverse, &basis.multiplier.forms);
        }
        Table { inputs: 4, outputs: PRODUCTS as u8, entries }
    }

    /// A circuit over one of the bases; none if the search has to end first.
    pub fn build(&self, seed: u64, limits: &Limits) -> Option<Circuit> {
        let mut random = Random::new(seed);
        let basis = &self.bases[random.below(self.bases.len())];
        let bottom = linear::program(&self.bottom(basis), 0, limits, &mut random);
        let middle = self.search_middle(basis, limits, &mut random);
        let table = self.inverse(basis, &middle);
        let inverse = (0..limits.inversions).filter_map(|number| {
            let settings = Settings {
                seed: seed + number,
                steps: limits.steps,
                chain: 2,
                breadth: 3,
                uphill: 5,
                excess: 4,
            };
            if (limits.is_over)() {
                None
            } else {
                construct(&table, settings)
            }
        });
        let inverse = inverse.min_by_key(Circuit::size)?;
        Some(Parts { middle: &middle, inverse: &inverse, bottom: &bottom }.joined(&self.inversion))
    }
}
