//! Definitions by name: duplicates, suggestions, recursion.

use super::graph::sorted;
use super::Dialect;
use crate::diagnostic::{suggestion, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{Body, Def, DefKind, Eqn, Exp, ExpKind, Ident, Listing, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// All definitions of a program.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    /// In textual order, those of included files where they are included.
    pub all: Vec<&'a Def>,
    /// Whether there may be more, which could not be read.
    pub is_partial: bool,
    index: FxHashMap<&'a str, usize>,
    /// Which of them are constants.
    constants: Range<usize>,
}

impl<'a> Definitions<'a> {
    /// Takes the definitions in textual order, those within the range as constants, and reports duplicates.
    pub fn new(
        defs: Vec<&'a Def>,
        constants: Range<usize>,
        dialect: Dialect,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Definitions<'a> {
        let mut definitions = Definitions { all: defs, constants, ..Definitions::default() };
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

    /// Whether a definition is a constant, as a node without parameters.
    pub fn is_constant(&self, index: usize) -> bool {
        self.constants.contains(&index)
    }

    /// The constant of a name.
    pub fn constant(&self, name: &str) -> Option<usize> {
        self.find(name).filter(|index| self.is_constant(*index))
    }

    /// Whether a later definition of the same name replaces this one.
    pub fn is_replaced(&self, index: usize) -> bool {
        self.find(&self.all[index].name.name) != Some(index)
    }

    /// The defined name that is nearest to a mistyped one.
    pub fn near(&self, name: &str) -> Option<&'a str> {
        // The nodes of modes can't be called.
        let called = self.all.iter().enumerate().filter(|(index, _)| !self.is_constant(*index));
        let names = called.map(|(_, def)| def.name.name.as_str());
        suggestion(name, names.filter(|name| !name.contains('.')))
    }

    /// The definitions in an order in which each comes after those that it calls; none, after a message, if some call each other.
    pub fn sorted(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<usize>> {
        let calls: Vec<Vec<(usize, Span)>> = self.all.iter().map(|def| self.callees(def)).collect();
        let edges: Vec<Vec<usize>> =
            calls.iter().map(|c| c.iter().map(|(callee, _)| *callee).collect()).collect();
        let cycle = match sorted(&edges) {
            Ok(order) => return Some(order),
            Err(cycle) => cycle,
        };
        let mut names: Vec<_> =
            cycle.iter().map(|(def, _)| self.all[*def].name.name.as_str()).collect();
        names.push(names[0]);
        let span = self.all[cycle[0].0].name.span;
        let mut error = Diagnostic::error("E0106", span, format!("`{}` is recursive", names[0]))
            .label(names.join(" → "))
            .help("nothing can be made of itself: repeat with `forall`");
        for (i, (def, call)) in cycle.iter().enumerate() {
            let place = calls[*def][*call].1;
            error = error.also(place, format!("`{}` calls `{}`", names[i], names[i + 1]));
        }
        diagnostics.push(error);
        None
    }

    /// The definitions that a definition calls, with the place of the call.
    fn callees(&self, def: &Def) -> Vec<(usize, Span)> {
        let mut found = Vec::new();
        let bodies = match &def.kind {
            DefKind::Node(bodies) => bodies,
            DefKind::Table(listings) | DefKind::Perm(listings) => {
                return listings.iter().filter_map(|listing| self.undone(listing)).collect()
            }
        };
        let own = declared(def, bodies);
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
                if let ExpKind::Var(Var { name, .. }) = &exp.kind {
                    let constant = self.constant(&name.name).filter(|_| !own.contains(&*name.name));
                    found.extend(constant.map(|constant| (constant, name.span)));
                }
                expressions.extend(exp.parts());
            }
        }
        found
    }

    fn undone(&self, listing: &Listing) -> Option<(usize, Span)> {
        match listing {
            Listing::Entries(_) => None,
            Listing::Inverse { of, .. } => self.find(&of.name).map(|undone| (undone, of.span)),
        }
    }
}

/// The names that a node declares, but for iterators, which are no values.
fn declared<'a>(def: &'a Def, bodies: &'a [Body]) -> FxHashSet<&'a str> {
    let groups = def.params.iter().chain(&def.returns);
    let groups = groups.chain(bodies.iter().flat_map(|body| &body.vars));
    let registers = bodies.iter().flat_map(|body| &body.state).map(|register| &register.name);
    let all = groups.flat_map(|group| &group.names).chain(registers);
    all.map(|name| name.name.as_str()).collect()
}

/// That a node, table, permutation or mode has the name of another.
pub(super) fn defined_twice(name: &Ident, first: Span) -> Diagnostic {
    Diagnostic::error("E0102", name.span, format!("`{}` is defined twice", name.name))
        .label("defined again here")
        .also(first, "first defined here")
        .help("rename or remove one of them")
}
