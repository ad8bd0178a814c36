//! Equations and loops.

use super::{Atom, Elaborator, ForallInfo, Item, ItemKind, Region, Role, Slot, Source};
use crate::check::outcome::{fail, Fault, Outcome};
use crate::check::Dialect;
use crate::core::Type;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, Assign, Eqn, Exp, ExpKind, Ident, Opt, OptKind, Var};
use rustc_hash::FxHashMap;

/// After how many refused equations the rest of a node is passed over; loops repeat the same errors.
const MAX_REFUSED: usize = 1000;

/// One selection on the left-hand side of an equation.
pub(super) struct Target {
    pub variable: usize,
    pub atoms: Vec<u32>,
    pub span: Span,
}

impl<'a> Elaborator<'_, 'a> {
    /// Elaborates equations in textual order. Only limits make this fail; equations with errors are reported
    /// and passed over.
    pub(super) fn equations(&mut self, eqns: &'a [Eqn]) -> Outcome<()> {
        for eqn in eqns {
            let done = match eqn {
                Eqn::Define { pat, assign, exp, span, .. } => {
                    self.equation(pat, *assign, exp, *span).inspect_err(|_| self.poison(pat))
                }
                Eqn::Next { var, exp, span } => {
                    self.next_equation(var, exp, *span).inspect_err(|_| self.poison_next(var))
                }
                Eqn::Forall { options, iter, from, to, body, span } => self
                    .forall(options, iter, (from, to), body, *span)
                    .inspect_err(|_| self.poison_all(body)),
            };
            if let Err(fault) = done {
                self.refuse(fault);
            }
            if self.checker.exhausted() || self.out.refused > MAX_REFUSED {
                return Err(Fault::Told);
            }
        }
        Ok(())
    }

    fn equation(&mut self, pat: &[Var], assign: Assign, exp: &Exp, span: Span) -> Outcome<()> {
        self.checker.spend(1, span)?;
        let targets = self.targets(pat)?;
        let place = pat.iter().map(|v| v.span).reduce(Span::to).unwrap_or(span);
        self.assign(&targets, place, assign, exp, span)
    }

    /// Defines what stands on the left-hand side, at `place`.
    pub(super) fn assign(
        &mut self,
        targets: &[Target],
        place: Span,
        assign: Assign,
        exp: &Exp,
        span: Span,
    ) -> Outcome<()> {
        self.refuse_repetition(targets)?;
        let parts: Vec<Vec<Type>> = targets.iter().map(|t| self.types_of(t)).collect();
        let expected = parts.concat();
        let value = match assign {
            Assign::Define | Assign::Update => self.right_side(exp, &parts, &expected)?,
            Assign::UpdateWith(op) => {
                let mut old = Vec::new();
                for target in targets {
                    old.extend(self.read(target.variable, &target.atoms, target.span));
                }
                let right = self.value(exp, Some(&expected))?;
                self.binary(op, old, right.atoms, span)?
            }
        };
        self.same_types(&expected, &value, (place, "the left-hand side"), exp.span)?;
        let mut value = value.into_iter();
        for target in targets {
            for &atom in &target.atoms {
                let Some(atom_value) = value.next() else { return Err(Fault::Told) };
                self.define(target, atom, atom_value, assign)?;
            }
        }
        Ok(())
    }

    /// The value of a right-hand side. Where both sides are tuples of as many parts, they match part by part, so
    /// that each constant has the type of its counterpart.
    fn right_side(
        &mut self,
        exp: &Exp,
        parts: &[Vec<Type>],
        expected: &[Type],
    ) -> Outcome<Vec<Atom>> {
        let ExpKind::Tuple(elements) = &exp.kind else {
            return Ok(self.value(exp, Some(expected))?.atoms);
        };
        if elements.len() == 1 || elements.len() != parts.len() {
            return Ok(self.value(exp, Some(expected))?.atoms);
        }
        let mut atoms = Vec::new();
        for (element, part) in elements.iter().zip(parts) {
            atoms.extend(self.value(element, Some(part))?.atoms);
        }
        Ok(atoms)
    }

    fn targets(&mut self, pat: &[Var]) -> Outcome<Vec<Target>> {
        let mut targets = Vec::new();
        for var in pat {
            let (variable, selection) = self.selected(var)?;
            targets.push(Target { variable, atoms: selection.atoms, span: var.span });
        }
        Ok(targets)
    }

    /// No atom may stand twice on the left-hand side of one equation.
    fn refuse_repetition(&self, targets: &[Target]) -> Outcome<()> {
        let mut seen = FxHashMap::default();
        for target in targets {
            for &atom in &target.atoms {
                if let Some(first) = seen.insert((target.variable, atom), target.span) {
                    let name = self.out.variables[target.variable].show(atom);
                    return fail(self.defined_twice(name, target.span, first));
                }
            }
        }
        Ok(())
    }

    fn types_of(&self, target: &Target) -> Vec<Type> {
        vec![self.out.variables[target.variable].ty.atom; target.atoms.len()]
    }

    /// Defines one atom, or makes a new version of it.
    fn define(&mut self, target: &Target, atom: u32, value: Atom, assign: Assign) -> Outcome<()> {
        let variable = &self.out.variables[target.variable];
        if let Role::Register { .. } = variable.role {
            return fail(self.assigned_register(target));
        }
        let base = variable.first + atom;
        let sequential = self.dialect() == Dialect::Usubac;
        let slot = if assign == Assign::Define && !sequential {
            let slot = &self.out.slots[base as usize];
            match (variable.role, &slot.definition) {
                (Role::Input(_), _) => return fail(self.assigned_input(target)),
                (_, Some(definition)) if *definition != Source::Poison => {
                    let name = variable.show(atom);
                    let span = slot.span;
                    return fail(self.defined_twice(name, target.span, span));
                }
                _ => base,
            }
        } else {
            let current = self.out.current[base as usize];
            let defined = self.out.slots[current as usize].definition.is_some();
            match assign == Assign::Define && !defined {
                true => current,
                false => self.new_version(target.variable, atom),
            }
        };
        self.out.slots[slot as usize].definition = Some(value.source);
        self.out.slots[slot as usize].span = target.span;
        if let Role::Output(result) | Role::Next(result) = self.out.variables[target.variable].role
        {
            self.out.items.push(Item {
                kind: ItemKind::Store(result, atom),
                args: smallvec::smallvec![Source::Slot(slot)],
                results: Default::default(),
                span: target.span,
                region: self.region,
            });
        }
        Ok(())
    }

    fn new_version(&mut self, variable: usize, atom: u32) -> u32 {
        let slot = self.out.slots.len() as u32;
        let base = self.out.variables[variable].first + atom;
        let span = self.out.variables[variable].span;
        let variable = variable as u32;
        self.out.slots.push(Slot { variable, atom, definition: None, span, used: None });
        self.out.current[base as usize] = slot;
        slot
    }

    fn assigned_input(&self, target: &Target) -> Diagnostic {
        let variable = &self.out.variables[target.variable];
        let name = &variable.name;
        Diagnostic::error("E0223", target.span, format!("the input `{name}` can't be defined"))
            .label("defined here")
            .also(variable.span, "an input: its value comes from the caller")
            .help(format!("to go on with a new version of `{name}`, write `:=`"))
    }

    fn assigned_register(&self, target: &Target) -> Diagnostic {
        let variable = &self.out.variables[target.variable];
        let name = &variable.name;
        Diagnostic::error("E0228", target.span, format!("the register `{name}` can't be defined"))
            .label("defined here")
            .also(variable.span, "a register: it holds its value until the end of the tick")
            .help(format!("to give it another value for the next tick, write `next {name} = …`"))
    }

    fn defined_twice(&self, name: String, span: Span, first: Span) -> Diagnostic {
        let mut error = Diagnostic::error("E0221", span, format!("`{name}` is defined twice"))
            .label(format!("defined again here{}", self.statics.described()));
        if first != span {
            error = error.also(first, "first defined here");
        }
        error.help(match name.starts_with("next ") {
            true => "each atom of a register has one next value in each tick",
            false => "each atom has one defining equation; a sequential update is written `:=`",
        })
    }

    // ---- loops ----

    fn forall(
        &mut self,
        options: &[Opt],
        iter: &'a Ident,
        (from, to): (&AExp, &AExp),
        body: &'a [Eqn],
        span: Span,
    ) -> Outcome<()> {
        let (from, to) = (self.statics.eval(from)?, self.statics.eval(to)?);
        self.refuse_used_name(iter)?;
        let iterations = from.abs_diff(to).saturating_add(1);
        self.checker.spend(usize::try_from(iterations).unwrap_or(usize::MAX), span)?;
        let forall = self.out.foralls.len() as u32;
        let unroll = unrolling(options);
        let iterations = iterations as u32;
        self.out.foralls.push(ForallInfo { span, unroll, iterations });
        let parent = self.region;
        for iteration in 0..iterations {
            let offset = i128::from(iteration);
            let value = if from <= to { from + offset } else { from - offset };
            self.region = self.out.regions.len() as u32;
            self.out.regions.push(Region { parent, forall, iteration });
            self.statics.push(&iter.name, value);
            let done = self.equations(body);
            self.statics.pop();
            self.region = parent;
            done?;
        }
        Ok(())
    }

    /// An iterator has a name of its own; old files were free to reuse one.
    fn refuse_used_name(&self, iter: &Ident) -> Outcome<()> {
        if self.dialect() == Dialect::Usubac {
            return Ok(());
        }
        if self.statics.get(&iter.name).is_some() {
            return fail(
                Diagnostic::error("E0134", iter.span, format!("`{}` is already in use", iter.name))
                    .label("an iterator or `nat` parameter of this name is in scope")
                    .help("give the iterator another name"),
            );
        }
        if let Some(&variable) = self.names.get(iter.name.as_str()) {
            return fail(
                Diagnostic::error("E0134", iter.span, format!("`{}` is already in use", iter.name))
                    .label("an iterator needs a name of its own")
                    .also(self.out.variables[variable].span, "a variable of this name"),
            );
        }
        Ok(())
    }

    // ---- after errors ----

    /// Marks what a refused equation was meant to define, so that nothing more is said about it.
    fn poison(&mut self, pat: &[Var]) {
        for var in pat {
            let Some(&variable) = self.names.get(var.name.name.as_str()) else { continue };
            self.out.variables[variable].poisoned = true;
            let Ok((_, selection)) = self.selected(var) else { continue };
            for atom in selection.atoms {
                let current =
                    self.out.current[(self.out.variables[variable].first + atom) as usize];
                let slot = &mut self.out.slots[current as usize];
                if slot.definition.is_none() {
                    slot.definition = Some(Source::Poison);
                    slot.span = var.span;
                }
            }
        }
    }

    /// Likewise for the next value of a register.
    fn poison_next(&mut self, var: &Var) {
        let known = self.names.get(var.name.name.as_str());
        if let Some(Role::Register { next, .. }) = known.map(|&v| self.out.variables[v].role) {
            self.out.variables[next].poisoned = true;
        }
    }

    /// Likewise for a loop that can't be unrolled.
    fn poison_all(&mut self, body: &[Eqn]) {
        for eqn in body {
            match eqn {
                Eqn::Define { pat, .. } => {
                    for var in pat {
                        if let Some(&variable) = self.names.get(var.name.name.as_str()) {
                            self.out.variables[variable].poisoned = true;
                        }
                    }
                }
                Eqn::Next { var, .. } => self.poison_next(var),
                Eqn::Forall { body, .. } => self.poison_all(body),
            }
        }
    }
}

/// What the options before a `forall` ask for; the last one holds.
fn unrolling(options: &[Opt]) -> Option<bool> {
    options.iter().rev().find_map(|o| match o.kind {
        OptKind::Unroll => Some(true),
        OptKind::NoUnroll => Some(false),
        _ => None,
    })
}
