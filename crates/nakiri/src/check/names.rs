//! Definitions by name: duplicates, suggestions, recursion.

use super::graph::sorted;
use super::Dialect;
use crate::diagnostic::{suggestion, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{Def, DefKind, Eqn, Exp, ExpKind, Ident};
use rustc_hash::FxHashMap;

/// All definitions of a program.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    /// In textual order, those of included files where they are included.
    pub all: Vec<&'a Def>,
    /// Whether there may be more, which could not be read.
    pub is_partial: bool,
    index: FxHashMap<&'a str, usize>,
}

impl<'a> Definitions<'a> {
    /// Takes the definitions in textual order and reports duplicates.
    pub fn new(
        defs: Vec<&'a Def>,
        dialect: Dialect,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Definitions<'a> {
        let mut definitions = Definitions { all: defs, ..Definitions::default() };
        for (i, def) in definitions.all.iter().enumerate() {
            let Some(before) = definitions.index.insert(&def.name.name, i) else { continue };
            let first = definitions.all[before].name.span;
            let message = format!("`{}` is defined twice", def.name.name);
            diagnostics.push(match dialect {
                Dialect::Usubac => Diagnostic::warning("E0102", def.name.span, message)
                    .label("this definition holds")
                    .also(first, "the first definition is ignored"),
                Dialect::Nakiri => defined_twice(&def.name, first),
            });
        }
        definitions
    }

    /// The index of the definition that holds for a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Whether a later definition of the same name replaces this one.
    pub fn is_replaced(&self, index: usize) -> bool {
        self.find(&self.all[index].name.name) != Some(index)
    }

    /// The defined name that is nearest to a mistyped one.
    pub fn near(&self, name: &str) -> Option<&'a str> {
        // The nodes of modes can't be called.
        let names = self.all.iter().map(|d| d.name.name.as_str());
        suggestion(name, names.filter(|name| !name.contains('.')))
    }

    /// Reports a cycle of definitions that call each other. True if there is one.
    pub fn report_recursion(&self, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let calls: Vec<Vec<(usize, Span)>> = self.all.iter().map(|def| self.callees(def)).collect();
        let edges: Vec<Vec<usize>> =
            calls.iter().map(|c| c.iter().map(|(callee, _)| *callee).collect()).collect();
        let Err(cycle) = sorted(&edges) else { return false };
        let mut names: Vec<_> =
            cycle.iter().map(|(def, _)| self.all[*def].name.name.as_str()).collect();
        names.push(names[0]);
        let span = self.all[cycle[0].0].name.span;
        let mut error = Diagnostic::error("E0106", span, format!("`{}` is recursive", names[0]))
            .label(names.join(" → "))
            .help("a node can't call itself: repeat with `forall`");
        for (i, (def, call)) in cycle.iter().enumerate() {
            let place = calls[*def][*call].1;
            error = error.also(place, format!("`{}` calls `{}`", names[i], names[i + 1]));
        }
        diagnostics.push(error);
        true
    }

    /// The definitions that a definition calls, with the place of the call.
    fn callees(&self, def: &Def) -> Vec<(usize, Span)> {
        let mut found = Vec::new();
        let DefKind::Node(bodies) = &def.kind else { return found };
        let mut equations: Vec<&Eqn> = bodies.iter().flat_map(|b| &b.eqns).rev().collect();
        let mut expressions: Vec<&Exp> = Vec::new();
        while let Some(eqn) = equations.pop() {
            match eqn {
                Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => expressions.push(exp),
                Eqn::Forall { body, .. } => equations.extend(body.iter().rev()),
            }
            while let Some(exp) = expressions.pop() {
                if let ExpKind::Call { name, .. } = &exp.kind {
                    found.extend(self.find(&name.name).map(|callee| (callee, name.span)));
                }
                expressions.extend(exp.parts());
            }
        }
        found
    }
}

/// That a node, table, permutation or mode has the name of another.
pub(super) fn defined_twice(name: &Ident, first: Span) -> Diagnostic {
    Diagnostic::error("E0102", name.span, format!("`{}` is defined twice", name.name))
        .label("defined again here")
        .also(first, "first defined here")
        .help("rename or remove one of them")
}
