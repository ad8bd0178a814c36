//! Tables and permutations: their sizes, their entries, and in which order old files meant the bits.

use super::numbers::naturals;
use super::outcome::{fail, Outcome};
use super::signature::Signature;
use super::{Checker, Dialect};
use crate::core::{Op, Table, TableId, Type, Width};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Def, Entries, Listing, OptKind};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// S-boxes whose specifications number bits from the least significant, and that old files wrote without
/// saying so: Rectangle (ePrint 2014/084), Serpent S0 to S7, Clyde (Spook).
const LEAST_SIGNIFICANT_FIRST: [[u8; 16]; 10] = [
    [6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2],
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
    [0, 8, 1, 15, 2, 10, 7, 9, 4, 13, 5, 6, 14, 3, 11, 12],
];

/// The widest word that a table may be indexed by, in bits.
const MAX_INPUTS: u32 = 16;

impl<'a> Checker<'a> {
    /// The operation that applies one element of a table, with the table added to the program.
    pub fn table(
        &mut self,
        def: &'a Def,
        listing: &Listing,
        name: String,
        signature: &Signature,
    ) -> Outcome<Op> {
        match listing {
            Listing::Entries(list) => self.listed_table(def, list, name, signature),
            Listing::Inverse { of, element, span } => {
                let entries = self.inverse_table(def, of, element.as_ref(), *span)?;
                let shape = TableShape::of(def, Some(entries.len()), signature)?;
                if entries.len() != 1 << shape.inputs || shape.inputs != shape.outputs {
                    return fail(
                        Diagnostic::error("E0158", *span, "this inverse has another size")
                            .label(format!("`{}` has {} entries", of.name, entries.len()))
                            .also(
                                def.name.span,
                                format!(
                                    "this takes {} bits and gives {}",
                                    shape.inputs, shape.outputs
                                ),
                            ),
                    );
                }
                Ok(self.add_table(name, &shape, entries))
            }
        }
    }

    fn listed_table(
        &mut self,
        def: &'a Def,
        list: &Entries,
        name: String,
        signature: &Signature,
    ) -> Outcome<Op> {
        let values = naturals(list, &signature.statics)?;
        let shape = TableShape::of(def, Some(values.len()), signature)?;
        let expected = 1usize << shape.inputs;
        if values.len() != expected {
            let (count, k) = (values.len(), shape.inputs);
            return fail(
                Diagnostic::error("E0150", list.span, format!("this table has {count} entries"))
                    .label(format!("{k} input bits need {expected}"))
                    .also(def.name.span, format!("`{}` is declared here", def.name.name)),
            );
        }
        let mut entries = Vec::with_capacity(expected);
        for (value, span) in &values {
            entries.push(shape.entry(value, *span)?);
        }
        let lsb = def.options.iter().any(|o| o.kind == OptKind::Lsb)
            || (self.options.dialect == Dialect::Usubac && was_least_significant_first(&entries));
        if lsb && !shape.lookup {
            entries = least_significant_first(&entries, shape.inputs, shape.outputs);
        }
        Ok(self.add_table(name, &shape, entries))
    }

    /// Adds a table to the program and gives the operation that applies it.
    pub fn add_table(&mut self, name: String, shape: &TableShape, entries: Vec<u128>) -> Op {
        let (inputs, outputs) = (shape.inputs as u8, shape.outputs as u8);
        let (known, taken) = (Vec::new(), Vec::new());
        self.tables.push(Table { name, inputs, outputs, entries, known, taken });
        let id = TableId(self.tables.len() as u32 - 1);
        if shape.lookup {
            Op::Lookup(id)
        } else {
            Op::Table(id)
        }
    }

    /// Which input atom each output atom of one element of a permutation is.
    pub fn perm(&mut self, listing: &Listing, signature: &Signature) -> Outcome<Vec<usize>> {
        let inputs: Vec<Type> = signature.params.iter().flat_map(|p| p.ty.atoms()).collect();
        let outputs: Vec<Type> = signature.results.iter().flat_map(|r| r.ty.atoms()).collect();
        let (picks, places) = match listing {
            Listing::Entries(list) => {
                let values = naturals(list, &signature.statics)?;
                let places = values.iter().map(|(_, span)| *span).collect();
                (perm_entries(&values, inputs.len())?, places)
            }
            Listing::Inverse { of, element, span } => {
                let picks = self.inverse_perm(of, element.as_ref(), *span)?;
                let places = vec![*span; picks.len()];
                (picks, places)
            }
        };
        if picks.len() != outputs.len() || picks.iter().any(|pick| *pick >= inputs.len()) {
            return fail(
                Diagnostic::error(
                    "E0153",
                    listing.span(),
                    format!("this permutation has {} entries", picks.len()),
                )
                .label(format!("its results have {} atoms", outputs.len())),
            );
        }
        for (i, &pick) in picks.iter().enumerate() {
            if inputs[pick] != outputs[i] {
                let (from, to) = (inputs[pick], outputs[i]);
                let show = |ty| signature.scope.show(ty, true);
                return fail(
                    Diagnostic::error(
                        "E0152",
                        places[i],
                        "a permutation can't change the type of an atom",
                    )
                    .label(format!("from `{}` to `{}`", show(from), show(to))),
                );
            }
        }
        Ok(picks)
    }
}

/// The entries of a permutation of `inputs` atoms, counted from 0.
pub(super) fn perm_entries(values: &[(BigUint, Span)], inputs: usize) -> Outcome<Vec<usize>> {
    let mut picks = Vec::with_capacity(values.len());
    for (value, span) in values {
        match value.to_usize() {
            Some(n) if n >= 1 && n <= inputs => picks.push(n - 1),
            _ => {
                return fail(
                    Diagnostic::error("E0154", *span, format!("there is no input atom {value}"))
                        .label(format!("entries are from 1 to {inputs}")),
                )
            }
        }
    }
    Ok(picks)
}

/// How many bits a table takes and gives.
pub(super) struct TableShape {
    pub inputs: u32,
    pub outputs: u32,
    /// Whether the table is indexed by a word's value.
    pub lookup: bool,
}

impl TableShape {
    /// The shape of a table of so many entries; of as many as it takes, where that is not given.
    pub fn of(def: &Def, count: Option<usize>, signature: &Signature) -> Outcome<TableShape> {
        let inputs: Vec<Type> = signature.params.iter().flat_map(|p| p.ty.atoms()).collect();
        let outputs: Vec<Type> = signature.results.iter().flat_map(|r| r.ty.atoms()).collect();
        let span = def.name.span;
        if inputs.is_empty() || outputs.is_empty() {
            return fail(
                Diagnostic::error("E0152", span, "a table needs inputs and outputs")
                    .label("this has none"),
            );
        }
        if let (&[Type { dir: from, width: Width::Bits(m) }], &[Type { dir: to, width }]) =
            (&inputs[..], &outputs[..])
        {
            // One word: by its value, unless there are just the two entries of a table at each bit position.
            if m > 1 && (count != Some(2) || from != to || inputs != outputs) {
                let Width::Bits(n) = width else {
                    return fail(
                        Diagnostic::error("E0152", span, "the width of the entries is not known")
                            .help("write the word size of the result out"),
                    );
                };
                if u32::from(m) > MAX_INPUTS || from != to {
                    let message = format!("a word of {m} bits can't index this table");
                    return fail(
                        Diagnostic::error("E0152", span, message)
                            .label(format!("at most {MAX_INPUTS} bits, in the same direction")),
                    );
                }
                return Ok(TableShape { inputs: m.into(), outputs: n.into(), lookup: true });
            }
        }
        if let Some(odd) = inputs.iter().chain(&outputs).find(|ty| **ty != inputs[0]) {
            let show = |ty| signature.scope.show(ty, true);
            let message = "the inputs and outputs of a table must have the same type";
            return fail(
                Diagnostic::error("E0152", span, message)
                    .label(format!("here are `{}` and `{}`", show(inputs[0]), show(*odd)))
                    .help("a table is applied at each bit position of its atoms"),
            );
        }
        let (k, n) = (inputs.len() as u32, outputs.len() as u32);
        if k > MAX_INPUTS || n > 128 {
            return fail(
                Diagnostic::error(
                    "E0152",
                    span,
                    format!("a table from {k} to {n} atoms is too large"),
                )
                .label(format!("at most {MAX_INPUTS} inputs and 128 outputs")),
            );
        }
        Ok(TableShape { inputs: k, outputs: n, lookup: false })
    }

    fn entry(&self, value: &BigUint, span: Span) -> Outcome<u128> {
        let outputs = self.outputs;
        match value.to_u128() {
            Some(entry) if value.bits() <= u64::from(outputs) => Ok(entry),
            _ => fail(
                Diagnostic::error("E0151", span, format!("the entry {value} is too large"))
                    .label(format!("has {} bits, the result has {outputs}", value.bits())),
            ),
        }
    }
}

fn was_least_significant_first(entries: &[u128]) -> bool {
    LEAST_SIGNIFICANT_FIRST.iter().any(|s| {
        s.len() == entries.len() && s.iter().zip(entries).all(|(a, b)| u128::from(*a) == *b)
    })
}

/// Renumbers the bits of a table whose first atoms are the least significant ones.
fn least_significant_first(entries: &[u128], inputs: u32, outputs: u32) -> Vec<u128> {
    let reverse = |value: u128, bits: u32| value.reverse_bits() >> (128 - bits);
    (0..entries.len() as u128)
        .map(|i| reverse(entries[reverse(i, inputs) as usize], outputs))
        .collect()
}
