//! Tables and permutations that undo others: `inverse(S)`.

use super::instances::{Instance, Meaning};
use super::outcome::{fail, Fault, Outcome};
use super::Checker;
use crate::core::Op;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, Def, Ident, OptKind};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// The entries of the table that undoes another.
    pub fn inverse_table(
        &mut self,
        def: &Def,
        of: &Ident,
        element: Option<&AExp>,
        span: Span,
    ) -> Outcome<Vec<u128>> {
        if let Some(option) = def.options.iter().find(|option| option.kind == OptKind::Lsb) {
            return fail(
                Diagnostic::error("E0158", option.span, "an inverse has the order of its table")
                    .label("says nothing here")
                    .help("delete `_lsb`"),
            );
        }
        let undone = self.undone(of, element)?;
        let Meaning::Table(Op::Table(id) | Op::Lookup(id)) = undone.meaning else {
            return fail(not_so(of, "a table", &undone));
        };
        let entries: Vec<usize> = self.tables[id.index()]
            .entries
            .iter()
            .map(|&entry| usize::try_from(entry).unwrap_or(usize::MAX))
            .collect();
        let undoing =
            inverse(&entries).map_err(|problem| no_inverse(of, &problem, span, &undone))?;
        Ok(undoing.into_iter().map(|entry| entry as u128).collect())
    }

    /// Which input atom each output atom is of the permutation that undoes another.
    pub fn inverse_perm(
        &mut self,
        of: &Ident,
        element: Option<&AExp>,
        span: Span,
    ) -> Outcome<Vec<usize>> {
        let undone = self.undone(of, element)?;
        let Meaning::Perm(picks) = &undone.meaning else {
            return fail(not_so(of, "a permutation", &undone));
        };
        inverse(picks).map_err(|problem| no_inverse(of, &problem, span, &undone))
    }

    fn undone(&mut self, of: &Ident, element: Option<&AExp>) -> Outcome<Rc<Instance<'a>>> {
        let Some(index) = self.definitions.find(&of.name) else {
            let near = self.definitions.near(&of.name);
            let mut error =
                Diagnostic::error("E0103", of.span, format!("there is no `{}`", of.name))
                    .label("not defined");
            error.help = near.map(|near| format!("did you mean `{near}`?"));
            return fail(error);
        };
        let def = self.definitions.all[index];
        if def.is_faulty {
            return Err(Fault::Told);
        }
        let element = match element {
            Some(element) => self.statics().eval(element)?,
            None => 0,
        };
        let count = super::instances::elements(def);
        let place = usize::try_from(element).ok().filter(|element| *element < count);
        match place {
            Some(place) => self.instance(index, place, Vec::new()),
            None => fail(
                Diagnostic::error(
                    "E0155",
                    of.span,
                    format!("`{}` has no element {element}", of.name),
                )
                .label(format!("its elements are 0 to {}", count - 1)),
            ),
        }
    }
}

/// The numbers at which each number stands, or why some stands nowhere.
fn inverse(entries: &[usize]) -> Result<Vec<usize>, String> {
    let mut places = vec![None; entries.len()];
    for (place, &entry) in entries.iter().enumerate() {
        match places.get_mut(entry) {
            None => {
                return Err(format!(
                    "{entry} is an entry, but there are only {} entries",
                    entries.len()
                ))
            }
            Some(Some(first)) => {
                return Err(format!("the entries {first} and {place} are the same"))
            }
            Some(free) => *free = Some(place),
        }
    }
    Ok(places.into_iter().flatten().collect())
}

fn no_inverse(of: &Ident, problem: &str, span: Span, undone: &Instance) -> Fault {
    let message = format!("`{}` has no inverse", of.name);
    let error = Diagnostic::error("E0158", span, message)
        .label(problem.to_string())
        .also(undone.def.name.span, format!("`{}` is defined here", of.name))
        .help("only what takes each value to another one can be undone");
    Fault::from(error)
}

fn not_so(of: &Ident, wanted: &str, undone: &Instance) -> Diagnostic {
    Diagnostic::error("E0158", of.span, format!("`{}` is not {wanted}", of.name))
        .label(format!("{wanted} undoes {wanted}"))
        .also(undone.def.name.span, format!("`{}` is defined here", of.name))
}
