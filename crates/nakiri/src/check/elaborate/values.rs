//! Expressions.

use super::{Atom, Elaborator};
use crate::check::outcome::{fail, Fault, Outcome};
use crate::check::select::plural;
use crate::core::{Dir, Type};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{BinOp, Exp, ExpKind};

/// The value of an expression: a flat list of atoms.
pub(super) struct Value {
    pub atoms: Vec<Atom>,
    /// Whether it is a list, which shifts rename, and not one atom, whose bits they move.
    pub list: bool,
}

impl Value {
    pub fn types(&self) -> Vec<Type> {
        self.atoms.iter().map(|a| a.ty).collect()
    }
}

impl Elaborator<'_, '_> {
    /// The value of an expression. `expected` are the types of the atoms that are needed, where that is known:
    /// untyped constants take them, other expressions have types of their own.
    pub(super) fn value(&mut self, exp: &Exp, expected: Option<&[Type]>) -> Outcome<Value> {
        if self.statics.is_number(exp) {
            return self.number(exp, expected);
        }
        match &exp.kind {
            ExpKind::Int(n, ty) => self.constant(n, ty.as_ref(), expected, exp.span),
            ExpKind::Var(var) if self.is_constant(var) => self.constant_value(var),
            ExpKind::Var(var) => {
                let (variable, selection) = self.selected(var)?;
                let atoms = self.read(variable, &selection.atoms, var.span);
                Ok(Value { atoms, list: selection.list })
            }
            ExpKind::Tuple(elements) => match &elements[..] {
                [inner] => self.value(inner, expected),
                _ => self.tuple(elements, expected, exp.span),
            },
            ExpKind::Not(inner) => {
                let value = self.value(inner, expected)?;
                self.complement(value, exp.span)
            }
            ExpKind::Bin(..) => self.chain(exp, expected),
            ExpKind::Shift(op, inner, amount) => {
                let value = self.value(inner, expected)?;
                self.shift(*op, value, amount, exp.span)
            }
            ExpKind::Call { name, element, args } => {
                self.call(name, element.as_ref(), args, expected, exp.span)
            }
            ExpKind::Shuffle(inner, positions) => {
                let value = self.value(inner, expected)?;
                self.shuffle(value, positions, exp.span)
            }
            ExpKind::Bitmask(inner, bit) => {
                let value = self.value(inner, expected)?;
                self.bitmask(value, bit, exp.span)
            }
            ExpKind::Pack(a, b, ty) => self.pack(a, b, ty, exp.span),
            ExpKind::Error => Err(Fault::Told),
        }
    }

    /// Binary operators, left operands in a loop: chains of hundreds of operators are common.
    fn chain(&mut self, exp: &Exp, expected: Option<&[Type]>) -> Outcome<Value> {
        let mut pending: Vec<(BinOp, &Exp, &Exp)> = Vec::new();
        let mut left = exp;
        while let ExpKind::Bin(op, a, b) = &left.kind {
            if self.statics.is_number(left) {
                break;
            }
            pending.push((*op, b, left));
            left = a;
        }
        // Constants at the start of the chain take the type of the first operand that has one.
        let first_typed = match self.needs_type(left) {
            true => pending.iter().rposition(|(_, b, _)| !self.needs_type(b)),
            false => None,
        };
        let mut ready = None;
        let mut value = match first_typed {
            Some(index) => {
                let typed = self.value(pending[index].1, expected)?;
                let types = typed.types();
                ready = Some((index, typed));
                let start = self.value(left, Some(&types))?;
                self.constants_between(start, &mut pending, index, &types)?
            }
            None => self.value(left, expected)?,
        };
        while let Some((op, right, whole)) = pending.pop() {
            let right_value = match ready.take_if(|(index, _)| *index == pending.len()) {
                Some((_, typed)) => typed,
                None => self.value(right, Some(&value.types()))?,
            };
            let list = value.list || right_value.list;
            let atoms = self.binary(op, value.atoms, right_value.atoms, whole.span)?;
            value = Value { atoms, list };
        }
        Ok(value)
    }

    /// Applies the operators before the first operand with a type of its own.
    fn constants_between(
        &mut self,
        mut value: Value,
        pending: &mut Vec<(BinOp, &Exp, &Exp)>,
        typed: usize,
        types: &[Type],
    ) -> Outcome<Value> {
        while pending.len() > typed + 1 {
            let Some((op, right, whole)) = pending.pop() else { break };
            let right = self.value(right, Some(types))?;
            let list = value.list || right.list;
            value = Value { atoms: self.binary(op, value.atoms, right.atoms, whole.span)?, list };
        }
        Ok(value)
    }

    /// A tuple: the lists of its elements, one after another.
    pub(super) fn tuple(
        &mut self,
        elements: &[Exp],
        expected: Option<&[Type]>,
        span: Span,
    ) -> Outcome<Value> {
        let mut values = Vec::new();
        for element in elements {
            values.push(match self.needs_type(element) {
                true => None,
                false => Some(self.value(element, None)?),
            });
        }
        let known: usize = values.iter().flatten().map(|v| v.atoms.len()).sum();
        let open = values.iter().filter(|v| v.is_none()).count();
        let share = if open == 0 { 0 } else { self.share(expected, known, open, span)? };
        let mut atoms: Vec<Atom> = Vec::new();
        for (element, value) in elements.iter().zip(values) {
            let value = match value {
                Some(value) => value,
                None => {
                    let types = expected.unwrap_or_default();
                    self.value(element, Some(&types[atoms.len()..atoms.len() + share]))?
                }
            };
            atoms.extend(value.atoms);
        }
        Ok(Value { atoms, list: true })
    }

    /// How many atoms each of several constants in a tuple stands for.
    fn share(
        &self,
        expected: Option<&[Type]>,
        known: usize,
        open: usize,
        span: Span,
    ) -> Outcome<usize> {
        let Some(expected) = expected else {
            return fail(
                Diagnostic::error(
                    "E0204",
                    span,
                    "nothing gives the constants in this tuple a type",
                )
                .label("their type can't be told from here")
                .help("write the type after each number: `5:u16`"),
            );
        };
        let left = expected.len().saturating_sub(known);
        if left >= open && left % open == 0 {
            return Ok(left / open);
        }
        let (needed, found) = (expected.len(), known + open);
        fail(
            Diagnostic::error("E0200", span, "the elements of this tuple don't fit what it defines")
                .label(format!("{needed} atom{} needed, {found} given", plural(needed)))
                .help("a constant in a tuple stands for one atom, or for an equal share of what the others leave"),
        )
    }

    /// Requires that what is given has the number and types of atoms that are needed.
    pub(super) fn same_types(
        &self,
        needed: &[Type],
        given: &[Atom],
        (place, role): (Span, &str),
        span: Span,
    ) -> Outcome<()> {
        let types: Vec<Type> = given.iter().map(|a| a.ty).collect();
        if needed.len() != types.len() {
            let error = Diagnostic::error("E0200", span, "the numbers of atoms differ")
                .label(self.describe(&types))
                .also(place, format!("{role} is {}", self.describe(needed)));
            return fail(
                error.help("both sides are flat lists of atoms; their lengths must agree"),
            );
        }
        match needed.iter().zip(&types).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(i) => fail(self.mismatch(needed[i], types[i], (place, role), span)),
        }
    }

    /// Two atoms that meet have different types.
    pub(super) fn mismatch(
        &self,
        needed: Type,
        given: Type,
        (place, role): (Span, &str),
        span: Span,
    ) -> Diagnostic {
        if needed.width == given.width {
            let (needed, given) = (needed.dir, given.dir);
            let (n, g) = (self.scope.show_dir(needed), self.scope.show_dir(given));
            return Diagnostic::error("E0202", span, format!("directions clash: `{n}` and `{g}`"))
                .label(format!("this has direction `{g}`"))
                .also(place, format!("{role} has direction `{n}`"))
                .help(self.direction_help(needed, given));
        }
        let (n, g) = (self.scope.show(needed, false), self.scope.show(given, false));
        Diagnostic::error("E0201", span, format!("word sizes differ: `{n}` and `{g}`"))
            .label(format!("this has atoms of `{g}`"))
            .also(place, format!("{role} has atoms of `{n}`"))
            .help("atoms keep their word size; `Pack` joins two into a wider one")
    }

    fn direction_help(&self, a: Dir, b: Dir) -> String {
        match (a, b) {
            (Dir::Fixed(d), Dir::Param(_)) | (Dir::Param(_), Dir::Fixed(d)) => format!(
                "one side is fixed to `{d:?}`, the other is generic: write `<{d:?}>` there as well, \
                 or leave the direction out on both sides"
            ),
            _ => "give both the same direction, or leave it out on both sides".into(),
        }
    }

    /// Atoms for messages: `16 atoms of u16`, ``one `u32` ``, `10 atoms`.
    pub(super) fn describe(&self, types: &[Type]) -> String {
        let Some(first) = types.first() else { return "no atom".into() };
        let name = self.scope.show(*first, false);
        let same = types.iter().all(|ty| ty.width == first.width);
        match (types.len(), same) {
            (1, _) => format!("1 atom of `{name}`"),
            (n, true) => format!("{n} atoms of `{name}`"),
            (n, false) => format!("{n} atoms"),
        }
    }

    /// Whether an expression has no type of its own because constants decide it.
    pub(super) fn needs_type(&self, exp: &Exp) -> bool {
        if self.statics.is_number(exp) {
            return true;
        }
        match &exp.kind {
            ExpKind::Int(_, ty) => ty.is_none(),
            ExpKind::Tuple(elements) => elements.iter().any(|element| self.needs_type(element)),
            ExpKind::Not(inner)
            | ExpKind::Shift(_, inner, _)
            | ExpKind::Shuffle(inner, _)
            | ExpKind::Bitmask(inner, _) => self.needs_type(inner),
            ExpKind::Bin(_, a, b) => {
                let mut left = &**a;
                let mut open = self.needs_type(b);
                while let (true, ExpKind::Bin(_, a, b)) = (open, &left.kind) {
                    open = self.needs_type(b);
                    left = a;
                }
                open && self.needs_type(left)
            }
            ExpKind::Var(_) | ExpKind::Call { .. } | ExpKind::Pack(..) | ExpKind::Error => false,
        }
    }
}
