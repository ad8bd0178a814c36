//! Every atom has a definition, and what is declared is used.

use super::elaborate::{Elaborated, Role, Variable};
use super::instances::Instance;
use super::select::plural;
use super::signature::{is_nat, names};
use super::{Checker, Dialect};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How many atoms a message lists.
const LISTED: usize = 4;

/// Reports undefined atoms and unused variables. True if all is defined.
pub(super) fn check(checker: &mut Checker, instance: &Instance, node: &Elaborated) -> bool {
    let mut fine = true;
    let several_instances =
        instance.def.is_array || names(&instance.def.params).any(|(_, g)| is_nat(g));
    let mut read = vec![false; node.variables.len()];
    node.slots.iter().for_each(|s| read[s.variable as usize] |= s.used.is_some());
    for (index, variable) in node.variables.iter().enumerate() {
        if variable.poisoned {
            continue;
        }
        let problem = undefined(node, index)
            .or_else(|| never_assigned(checker.options.dialect, node, variable));
        if let Some(problem) = problem {
            fine &= problem.severity == crate::diagnostic::Severity::Warning;
            checker.report(problem);
        } else if !several_instances && node.refused == 0 && !read[index] {
            if let Some(warning) = unused(variable) {
                checker.report(warning);
            }
        }
    }
    fine
}

/// Atoms that are read but defined nowhere.
fn undefined(node: &Elaborated, index: usize) -> Option<Diagnostic> {
    let variable = &node.variables[index];
    let first = variable.first as usize;
    let own = &node.slots[first..first + variable.ty.count() as usize];
    let missing = || own.iter().filter(|s| s.definition.is_none() && s.used.is_some());
    let slot = missing().next()?;
    let place = slot.used.unwrap_or(variable.span);
    let atoms: Vec<u32> = missing().map(|s| s.atom).collect();
    let list = listed(variable, &atoms);
    let mut error = Diagnostic::error("E0220", place, format!("{list} never defined"))
        .label("used here")
        .also(variable.span, "declared here");
    let update = node.current[first + slot.atom as usize] as usize;
    if update != first + slot.atom as usize {
        error = error.also(node.slots[update].span, "this update comes too late for the use");
    }
    let name = variable.show(slot.atom);
    error = error.help(format!("add an equation that defines it: `{name} = …`"));
    Some(error)
}

/// Atoms of outputs, or of locals that are defined in part, that have no definition.
fn never_assigned(dialect: Dialect, node: &Elaborated, variable: &Variable) -> Option<Diagnostic> {
    let first = variable.first as usize;
    let current = &node.current[first..first + variable.ty.count() as usize];
    let missing: Vec<u32> = current
        .iter()
        .filter(|s| node.slots[**s as usize].definition.is_none())
        .map(|s| node.slots[*s as usize].atom)
        .collect();
    if missing.is_empty() {
        return None;
    }
    let list = listed(variable, &missing);
    if let Role::Output(_) = variable.role {
        return Some(
            Diagnostic::error("E0222", variable.span, format!("{list} never assigned"))
                .label("an output: every atom of it needs a definition")
                .help(format!("add an equation: `{} = …`", variable.show(missing[0]))),
        );
    }
    if let Role::Next(_) = variable.role {
        let next = variable.show(missing[0]);
        let register = next.trim_start_matches("next ");
        return Some(
            Diagnostic::error("E0229", variable.span, format!("{list} never defined"))
                .label("a register: every atom of it needs a next value")
                .help(format!("add an equation; `{next} = {register}` keeps the value")),
        );
    }
    if missing.len() == current.len() {
        return None;
    }
    let message = format!("{list} never assigned, but other atoms of `{}` are", variable.name);
    let label = "each atom of a variable has one definition";
    Some(match dialect {
        Dialect::Nakiri => Diagnostic::error("E0225", variable.span, message)
            .label(label)
            .help("define all atoms, or declare the variable smaller"),
        Dialect::Usubac => Diagnostic::warning("E0225", variable.span, message).label(label),
    })
}

/// An input or local that nothing reads. A name that starts with `_` says that this is meant.
fn unused(variable: &Variable) -> Option<Diagnostic> {
    let what = match variable.role {
        Role::Output(_) | Role::Next(_) => return None,
        Role::Input(_) => "input",
        Role::Register { .. } => "register",
        Role::Local => "variable",
    };
    if variable.name.starts_with('_') {
        return None;
    }
    Some(never_used(what, &variable.name, variable.span))
}

/// That nothing reads what has this name.
pub(super) fn never_used(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning("E0241", span, format!("the {what} `{name}` is never used"))
        .label("nothing reads it")
        .help(format!("remove it, or call it `_{name}` if this is meant"))
}

/// `` `x[0]` is `` or `` `x[0]`, `x[1]` and 5 more are ``.
fn listed(variable: &Variable, atoms: &[u32]) -> String {
    if atoms.len() == variable.ty.count() as usize {
        return format!("`{}` is", variable.name);
    }
    let names: Vec<_> =
        atoms.iter().take(LISTED).map(|a| format!("`{}`", variable.show(*a))).collect();
    match atoms.len() - names.len() {
        0 if names.len() == 1 => format!("{} is", names[0]),
        0 => format!("{} and {} are", names[..names.len() - 1].join(", "), names[names.len() - 1]),
        more => format!("{} and {more} more atom{} are", names.join(", "), plural(more)),
    }
}
