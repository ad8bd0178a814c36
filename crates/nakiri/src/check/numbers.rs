//! Static numbers that a whole program knows: `const n:nat = 24`, `const shifts:nat[4] = { 1, 3, 6, 11 }`.

use super::includes::Files;
use super::names::{defined_twice, Definitions};
use super::outcome::{fail, Fault, Outcome};
use super::select::plural;
use super::statics::Statics;
use super::types::MAX_ATOMS;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, Constant, ConstantValue, Entries, Entry, Ident};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A static number, or a list of them.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The sizes of its dimensions, outermost first; none for a single number.
    pub dims: Vec<u32>,
    /// The numbers in order.
    pub numbers: Vec<i128>,
    /// Where it is named.
    span: Span,
}

/// The static numbers of a program by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    known: BTreeMap<String, List>,
    /// The names of those that have been refused, and of constants that could not be read.
    refused: Vec<String>,
}

impl Numbers {
    /// The static numbers of these files, each made of those before it; what is wrong with others is reported.
    pub fn new(files: &Files, diagnostics: &mut Vec<Diagnostic>) -> Rc<Numbers> {
        let unread = files.trees().flat_map(|(_, tree)| &tree.unread);
        let refused = unread.map(|name| name.name.clone()).collect();
        let mut all = Rc::new(Numbers { refused, ..Numbers::default() });
        for constant in files.constants() {
            let list = match &constant.value {
                ConstantValue::Atoms(_) => continue,
                _ => list(constant, &Statics::of(all.clone())),
            };
            let name = &constant.name;
            let numbers = Rc::make_mut(&mut all);
            let first = numbers.find(&name.name).map(|list| list.span);
            match (first, list) {
                (Some(first), _) => diagnostics.push(defined_twice(name, first)),
                (None, Ok(list)) => {
                    numbers.known.insert(name.name.clone(), list);
                    continue;
                }
                (None, Err(Fault::New(error))) => diagnostics.push(*error),
                (None, Err(Fault::Told)) => {}
            }
            numbers.refused.push(name.name.clone());
        }
        all
    }

    /// Reports numbers that have the names of other definitions.
    pub fn report_defined(&self, definitions: &Definitions, diagnostics: &mut Vec<Diagnostic>) {
        for (name, list) in &self.known {
            let Some(index) = definitions.find(name) else { continue };
            let other = definitions.all[index].name.span;
            let second = Ident { name: name.clone(), span: list.span.max(other) };
            diagnostics.push(defined_twice(&second, list.span.min(other)));
        }
    }

    /// What a name stands for.
    pub fn find(&self, name: &str) -> Option<&List> {
        self.known.get(name)
    }

    /// Whether a name was meant to stand for a number, which has been reported.
    pub fn is_refused(&self, name: &str) -> bool {
        self.refused.iter().any(|refused| refused == name)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }
}

impl List {
    /// An element by its indices.
    pub fn element(&self, list: &Ident, indices: &[(i128, Span)], span: Span) -> Outcome<i128> {
        let name = &list.name;
        if indices.len() != self.dims.len() {
            let has = match self.dims.len() {
                0 => "it is a single number".to_string(),
                has => format!("it has {has} dimension{}", plural(has)),
            };
            let (given, have) = (indices.len(), if indices.len() == 1 { "is" } else { "are" });
            let message = format!("`{name}` is not indexed so");
            return fail(
                Diagnostic::error("E0137", span, message)
                    .label(format!("there {have} {given}, {has}"))
                    .also(self.span, format!("`{name}` is defined here"))
                    .help("a static number is one element, with an index for each dimension"),
            );
        }
        let mut at = 0;
        for (&(index, span), &size) in indices.iter().zip(&self.dims) {
            let Some(index) = u32::try_from(index).ok().filter(|index| *index < size) else {
                let message = format!("index {index} is out of bounds of `{name}`");
                return fail(
                    Diagnostic::error("E0140", span, message)
                        .label(format!("this is {index}"))
                        .also(self.span, format!("`{name}` is defined here"))
                        .help(format!(
                            "this dimension has size {size}: indices are 0 to {}",
                            size - 1
                        )),
                );
            };
            at = at * size as usize + index as usize;
        }
        Ok(self.numbers[at])
    }
}

/// The numbers of a constant.
fn list(constant: &Constant, statics: &Statics) -> Outcome<List> {
    let span = constant.name.span;
    let mut dims = Vec::new();
    for dim in &constant.ty.dims {
        match statics.eval(dim)? {
            n @ 1..=0xffff_ffff => dims.push(n as u32),
            n => {
                return fail(
                    Diagnostic::error("E0120", dim.span, "a dimension must be at least 1")
                        .label(format!("this is {n}")),
                )
            }
        }
    }
    let entries = match &constant.value {
        ConstantValue::Number(number) => {
            return Ok(List { dims, numbers: vec![statics.eval(number)?], span })
        }
        ConstantValue::Numbers(entries) => entries,
        ConstantValue::Atoms(_) => return Err(Fault::Told),
    };
    let mut numbers = Vec::new();
    each(entries, &mut statics.clone(), &mut |number, statics| {
        numbers.push(statics.eval(number)?);
        Ok(numbers.len())
    })?;
    let wanted = dims.iter().try_fold(1u64, |product, &n| product.checked_mul(n.into()));
    if wanted != Some(numbers.len() as u64) {
        let count = numbers.len();
        return fail(
            Diagnostic::error("E0138", entries.span, "the wrong number of static numbers")
                .label(format!("{count} number{} here", plural(count)))
                .also(
                    constant.ty.span,
                    match wanted {
                        Some(wanted) => format!("{wanted} belong to this type"),
                        None => "too many belong to this type".to_string(),
                    },
                ),
        );
    }
    Ok(List { dims, numbers, span })
}

/// The entries of a list as natural numbers, with their places.
pub(super) fn naturals(list: &Entries, statics: &Statics) -> Outcome<Vec<(BigUint, Span)>> {
    let mut naturals = Vec::new();
    each(list, &mut statics.clone(), &mut |number, statics| {
        naturals.push((statics.natural(number)?, number.span));
        Ok(naturals.len())
    })?;
    Ok(naturals)
}

/// Does something with each number of a list, in order; it says how many there are so far.
fn each<'a>(
    list: &'a Entries,
    statics: &mut Statics<'a>,
    act: &mut dyn FnMut(&AExp, &Statics) -> Outcome<usize>,
) -> Outcome<()> {
    for entry in &list.entries {
        match entry {
            Entry::Number(number) => {
                if act(number, statics)? as u64 > MAX_ATOMS {
                    return fail(
                        Diagnostic::error("E0135", list.span, "this list is too long")
                            .label(format!("more than {MAX_ATOMS} entries"))
                            .help("are the bounds of the loops as you meant them?"),
                    );
                }
            }
            Entry::Forall { iter, from, to, entries, span } => {
                let (from, to) = (statics.eval(from)?, statics.eval(to)?);
                let steps = from.abs_diff(to);
                if steps.to_u64().is_none_or(|steps| steps >= MAX_ATOMS) {
                    return fail(
                        Diagnostic::error("E0135", *span, "this list is too long")
                            .label(format!("more than {MAX_ATOMS} iterations")),
                    );
                }
                for step in 0..=steps as i128 {
                    let value = if from <= to { from + step } else { from - step };
                    statics.push(&iter.name, value);
                    let outcome = each(entries, statics, act);
                    statics.pop();
                    outcome?;
                }
            }
        }
    }
    Ok(())
}
