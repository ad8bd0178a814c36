//! Variables, their atoms and the versions of these.

use super::{Atom, Elaborator, Source};
use crate::check::outcome::{fail, Fault, Outcome};
use crate::check::select::{select, Selection};
use crate::check::signature::{is_nat, names};
use crate::check::types::VarType;
use crate::check::Dialect;
use crate::diagnostic::{suggestion, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{Body, DefKind, Ident, Selector, Var};
use crate::syntax::foreign::{find, VALUES};

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Role {
    /// An input, with its index.
    Input(u32),
    /// An output, with its index.
    Output(u32),
    /// A register: the index of its value before the step among the inputs, and the variable of its next value.
    Register { input: u32, next: usize },
    /// The next value of a register, with its index among the outputs.
    Next(u32),
    /// None of these.
    Local,
}

/// A variable of a node.
pub(in crate::check) struct Variable {
    pub name: String,
    pub span: Span,
    pub role: Role,
    pub ty: VarType,
    /// Where its atoms start in [`Elaborated::current`](super::Elaborated::current); its first versions are the
    /// slots with the same numbers.
    pub first: u32,
    /// Whether a refused equation may have been meant to define it.
    pub poisoned: bool,
}

/// One version of one atom of a variable.
pub(in crate::check) struct Slot {
    /// Index of the variable.
    pub variable: u32,
    /// Index of the atom in the variable.
    pub atom: u32,
    /// What it is, once defined.
    pub definition: Option<Source>,
    /// The place of the definition.
    pub span: Span,
    /// The place of the first use.
    pub used: Option<Span>,
}

impl Variable {
    /// An atom of the variable as it is written: `x`, `x[3]` or `x[1][2]`.
    pub fn show(&self, mut atom: u32) -> String {
        let mut indices = Vec::new();
        for &size in self.ty.shape.iter().rev() {
            indices.push(atom % size);
            atom /= size;
        }
        let mut shown = self.name.clone();
        indices.iter().rev().for_each(|i| shown += &format!("[{i}]"));
        shown
    }
}

impl<'a> Elaborator<'_, 'a> {
    /// Brings the inputs, outputs and local variables into scope.
    pub(super) fn declare_variables(&mut self, body: &'a Body) -> Outcome<()> {
        let signature = self.signature.clone();
        for (i, input) in signature.params.iter().enumerate() {
            self.declare(input.name, Role::Input(i as u32), input.ty.clone())?;
        }
        for (i, output) in signature.results.iter().enumerate() {
            self.declare(output.name, Role::Output(i as u32), output.ty.clone())?;
        }
        for (name, group) in names(&body.vars) {
            // Old files declare iterators so. What would read another one of them says that there is none.
            if is_nat(group) && self.checker.options.dialect == Dialect::Usubac {
                continue;
            }
            if let Some(layout) = &group.layout {
                return fail(
                    Diagnostic::error("E0125", layout.span, "a local variable has no layout")
                        .label("layouts are for inputs and outputs"),
                );
            }
            let ty = self.scope.resolve(&group.ty, &self.statics)?;
            self.declare(name, Role::Local, ty)?;
            debug_assert!(!is_nat(group));
        }
        Ok(())
    }

    pub(super) fn declare(&mut self, name: &'a Ident, role: Role, ty: VarType) -> Outcome<()> {
        let index = self.out.variables.len();
        if let Some(before) = self.names.insert(&name.name, index) {
            let first = self.out.variables[before].span;
            return fail(duplicate(name, first));
        }
        if self.statics.get(&name.name).is_some() {
            return fail(
                Diagnostic::error("E0107", name.span, format!("`{}` is declared twice", name.name))
                    .label("also a `nat` parameter of this node")
                    .help("rename one of them"),
            );
        }
        self.checker.spend(ty.count() as usize, name.span)?;
        self.statics.know_variable(&name.name);
        let (name, span) = (name.name.clone(), name.span);
        self.add_variable(Variable { name, span, role, ty, first: 0, poisoned: false });
        Ok(())
    }

    /// Adds a variable, with a slot for each of its atoms.
    pub(super) fn add_variable(&mut self, variable: Variable) {
        let first = self.out.slots.len() as u32;
        let index = self.out.variables.len() as u32;
        for atom in 0..variable.ty.count() {
            let definition = match variable.role {
                Role::Input(input) | Role::Register { input, .. } => {
                    Some(Source::Load(input, atom))
                }
                Role::Output(_) | Role::Next(_) | Role::Local => None,
            };
            let slot = Slot { variable: index, atom, definition, span: variable.span, used: None };
            self.out.current.push(self.out.slots.len() as u32);
            self.out.slots.push(slot);
        }
        self.out.variables.push(Variable { first, ..variable });
    }

    /// The variable that a selection names.
    pub(super) fn variable(&self, var: &Var) -> Outcome<usize> {
        let name = var.name.name.as_str();
        if let Some(&index) = self.names.get(name) {
            return Ok(index);
        }
        let is_static = self.statics.get(name).is_some() || self.statics.is_constant(name);
        if is_static || self.checker.definitions.constant(name).is_some() {
            let kind = if is_static { "static number" } else { "constant" };
            return fail(
                Diagnostic::error("E0123", var.span, format!("`{name}` is a {kind}"))
                    .label("it has its value already")
                    .help("declare a variable of another name under `vars`"),
            );
        }
        if let Some(index) = self.checker.definitions.find(name) {
            return fail(self.not_called(var, &self.checker.definitions.all[index].kind));
        }
        if self.checker.numbers.is_refused(name) {
            return Err(Fault::Told);
        }
        let near = suggestion(name, self.out.variables.iter().map(|v| v.name.as_str()));
        let help = match (find(VALUES, name), near) {
            (Some(row), _) => {
                format!("write `{}`: {}", row.instead.unwrap_or_default(), row.advice)
            }
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("declare it under `vars`, with its type: `{name} : u32`, say"),
        };
        fail(
            Diagnostic::error("E0104", var.name.span, format!("there is no variable `{name}`"))
                .label("not declared in this node")
                .help(help),
        )
    }

    /// That a definition stands where a variable belongs: `S[x]`, as arrays are looked up elsewhere.
    fn not_called(&self, var: &Var, kind: &DefKind) -> Diagnostic {
        let name = &var.name.name;
        let kind = match kind {
            DefKind::Node(_) => "node",
            DefKind::Table(_) => "table",
            DefKind::Perm(_) => "perm",
        };
        let argument = match &var.selectors[..] {
            [Selector::Index(index)] => self.checker.sources.text(index.span),
            _ => "x",
        };
        Diagnostic::error("E0104", var.name.span, format!("`{name}` is a {kind}, and no variable"))
            .label("its value depends on an argument")
            .help(format!("call it: `{name}({argument})`"))
    }

    /// The variable and the atoms that a selection means.
    pub(super) fn selected(&mut self, var: &Var) -> Outcome<(usize, Selection)> {
        let index = self.variable(var)?;
        let ty = &self.out.variables[index].ty;
        let selection = select(var, ty, &self.statics, self.checker.options.dialect)?;
        self.checker.spend(selection.atoms.len(), var.span)?;
        Ok((index, selection))
    }

    /// Reads atoms of a variable: the versions that are current here.
    pub(super) fn read(&mut self, variable: usize, atoms: &[u32], span: Span) -> Vec<Atom> {
        let (first, ty) = {
            let variable = &self.out.variables[variable];
            (variable.first, variable.ty.atom)
        };
        let mut read = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let current = self.out.current[(first + atom) as usize];
            let slot = &mut self.out.slots[current as usize];
            slot.used.get_or_insert(span);
            // Computed atoms stay references to variables, so that cycles can be told by name.
            let source = match slot.definition {
                Some(known @ (Source::Load(..) | Source::Const(_))) => known,
                _ => Source::Slot(current),
            };
            read.push(Atom { source, ty });
        }
        read
    }
}

/// That a name was declared before.
pub(in crate::check) fn duplicate(name: &Ident, first: Span) -> Diagnostic {
    Diagnostic::error("E0107", name.span, format!("`{}` is declared twice", name.name))
        .label("declared again here")
        .also(first, "first declared here")
        .help("each name of a node stands for one variable; rename one of them")
}
