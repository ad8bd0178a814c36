//! What equations read and define.

use crate::syntax::ast::{Assign, Eqn, ExpKind};
use rustc_hash::FxHashSet;

/// What equations define or change, each once.
pub fn defined(equations: &[Eqn]) -> Vec<&str> {
    let mut names = Vec::new();
    for equation in equations {
        let own: Vec<&str> = match equation {
            Eqn::Define { pat, .. } => pat.iter().map(|var| &*var.name.name).collect(),
            Eqn::Next { var, .. } => vec![&var.name.name],
            Eqn::Forall { body, .. } => defined(body),
        };
        own.into_iter().for_each(|name| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
    }
    names
}

/// What equations define by `=`: that has nothing of what it was before.
pub fn defined_anew(equations: &[Eqn]) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for equation in equations {
        match equation {
            Eqn::Define { pat, assign: Assign::Define, .. } => {
                names.extend(pat.iter().map(|var| &*var.name.name));
            }
            Eqn::Define { .. } | Eqn::Next { .. } => {}
            Eqn::Forall { body, .. } => names.extend(defined_anew(body)),
        }
    }
    names
}

/// The variables that equations read; iterators may be among them.
pub fn read(equations: &[Eqn]) -> FxHashSet<&str> {
    let (mut found, mut expressions) = (FxHashSet::default(), Vec::new());
    let mut equations: Vec<&Eqn> = equations.iter().collect();
    while let Some(equation) = equations.pop() {
        match equation {
            Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => expressions.push(exp),
            Eqn::Forall { body, .. } => equations.extend(body),
        }
    }
    while let Some(exp) = expressions.pop() {
        if let ExpKind::Var(var) = &exp.kind {
            found.insert(&*var.name.name);
        }
        expressions.extend(exp.parts());
    }
    found
}
