//! Constants.

use super::values::Value;
use super::{Atom, Elaborator, Source};
use crate::check::outcome::{fail, Fault, Outcome};
use crate::check::select::select;
use crate::core::{Type, Width, MAX_WIDTH};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Exp, Var};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

impl Elaborator<'_, '_> {
    /// A constant of its written type or else of the expected ones.
    pub(super) fn constant(
        &mut self,
        n: &BigUint,
        written: Option<&ast::Type>,
        expected: Option<&[Type]>,
        span: Span,
    ) -> Outcome<Value> {
        if let Some(written) = written {
            let ty = self.scope.resolve(written, &self.statics)?;
            let atoms = self.constant_atoms(n, &ty.atoms(), span)?;
            return Ok(Value { atoms, list: !ty.shape.is_empty() });
        }
        let help = || format!("write the type after the number: `{n}:u16`, say");
        self.constant_expected(n, expected, span, help)
    }

    /// A static number as a constant of the expected types.
    pub(super) fn number(&mut self, exp: &Exp, expected: Option<&[Type]>) -> Outcome<Value> {
        let number = self.statics.eval_number(exp)?;
        let Ok(n) = BigUint::try_from(number) else {
            return fail(
                Diagnostic::error("E0139", exp.span, "a negative number can't stand here")
                    .label(format!("this is {number}{}", self.statics.described()))
                    .help("values are words: add the modulus, as in `(i + 255) % 256` for a `u8`"),
            );
        };
        let help = || "define a variable of a type by it: `vars n:u16 let n = i; …`".to_string();
        self.constant_expected(&n, expected, exp.span, help)
    }

    fn constant_expected(
        &mut self,
        n: &BigUint,
        expected: Option<&[Type]>,
        span: Span,
        help: impl Fn() -> String,
    ) -> Outcome<Value> {
        let Some(types) = expected.filter(|types| !types.is_empty()) else {
            return fail(
                Diagnostic::error("E0204", span, "nothing gives this constant a type")
                    .label("its type can't be told from here")
                    .help(help()),
            );
        };
        let atoms = self.constant_atoms(n, types, span)?;
        Ok(Value { list: atoms.len() != 1, atoms })
    }

    /// Whether a selection is of a constant of the whole program.
    pub(super) fn is_constant(&self, var: &Var) -> bool {
        let name = var.name.name.as_str();
        let is_own = self.names.contains_key(name) || self.statics.get(name).is_some();
        !is_own && self.checker.definitions.constant(name).is_some()
    }

    /// The atoms of a constant of the whole program that a selection means.
    pub(super) fn constant_value(&mut self, var: &Var) -> Outcome<Value> {
        let index = self.checker.definitions.constant(&var.name.name).ok_or(Fault::Told)?;
        let numbers = self.checker.known(index)?;
        let def = self.checker.definitions.all[index];
        let ty = self.scope.resolve(&def.returns[0].ty, &self.statics.outermost())?;
        let selection = select(var, &ty, &self.statics, self.dialect())?;
        let mut atoms = Vec::with_capacity(selection.atoms.len());
        for atom in selection.atoms {
            atoms.extend(self.constant_atoms(&numbers[atom as usize], &[ty.atom], var.span)?);
        }
        Ok(Value { atoms, list: selection.list })
    }

    /// A constant as these atoms, most significant bit first if it is a list of bits.
    fn constant_atoms(&mut self, n: &BigUint, types: &[Type], span: Span) -> Outcome<Vec<Atom>> {
        self.checker.spend(types.len(), span)?;
        if types.iter().any(|ty| ty.is_element()) {
            return self.constant_elements(n, types, span);
        }
        if let &[ty] = types {
            let limit = match ty.width {
                Width::Bits(bits) | Width::Row(bits, _) => bits,
                Width::Field(_) | Width::Param(_) => MAX_WIDTH,
            };
            return match n.to_u128() {
                Some(value) if n.bits() <= u64::from(limit) => Ok(vec![self.const_atom(value, ty)]),
                _ => fail(self.too_wide(n, &self.scope.show(ty, false), limit.into(), span)),
            };
        }
        if n.is_zero() {
            return Ok(types.iter().map(|&ty| self.const_atom(0, ty)).collect());
        }
        if types.iter().any(|ty| ty.width != Width::Bits(1)) {
            let all = self.describe(types);
            return fail(
                Diagnostic::error("E0205", span, format!("{n} as {all} is ambiguous"))
                    .label("only 0 means the same in every order of words")
                    .help("write a tuple with one number for each atom: `(1, 2, 3, 4)`"),
            );
        }
        if n.bits() > types.len() as u64 {
            let name = format!("b{}", types.len());
            return fail(self.too_wide(n, &name, types.len() as u64, span));
        }
        let bits = types.iter().enumerate();
        let last = types.len() as u64 - 1;
        Ok(bits.map(|(i, &ty)| self.const_atom(n.bit(last - i as u64).into(), ty)).collect())
    }

    pub(super) fn const_atom(&mut self, value: u128, ty: Type) -> Atom {
        let index = match self.out.constants.last() {
            Some(last) if *last == (value, ty) => self.out.constants.len() - 1,
            _ => {
                self.out.constants.push((value, ty));
                self.out.constants.len() - 1
            }
        };
        Atom { source: Source::Const(index as u32), ty }
    }

    pub(super) fn too_wide(&self, n: &BigUint, ty: &str, limit: u64, span: Span) -> Diagnostic {
        let bits = n.bits();
        Diagnostic::error("E0203", span, format!("the constant {n} is too wide for `{ty}`"))
            .label(format!("has {bits} bits, at most {limit} fit"))
            .help("nothing is cut off silently: use a wider type or a smaller number")
    }
}
