//! Operators: atom by atom, except that shifts of lists only rename.

use super::values::Value;
use super::{Atom, Elaborator};
use crate::check::numbers::naturals;
use crate::check::outcome::{fail, Outcome};
use crate::check::select::plural;
use crate::core::{Op, Type, Width, MAX_WIDTH};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, AExp, BinOp, Entries, Exp, ShiftOp};
use num_traits::ToPrimitive;

/// `a / b` or `a % b` where a value is needed.
fn division(span: Span) -> Diagnostic {
    Diagnostic::error("E0136", span, "values can't be divided")
        .label("`/` and `%` are for static numbers")
        .help("they stand in indices, bounds, shift amounts and `nat` arguments; a quotient by 2^n is `>> n`")
}

/// An operation on bits of what has none.
fn no_bits(span: Span) -> Diagnostic {
    Diagnostic::error("E0214", span, "an element of a field has no bits")
        .label("this is for words")
        .help(
            "elements have `+`, `-`, `*`, `inverse` and `choose`; `number(x)` are the words of one",
        )
}

impl Elaborator<'_, '_> {
    /// One operation with one result of the same type for each atom.
    fn each(&mut self, op: &Op, atoms: &[Atom], span: Span) -> Outcome<Vec<Atom>> {
        let mut results = Vec::with_capacity(atoms.len());
        for &atom in atoms {
            results.extend(self.push(op.clone(), &[atom], &[atom.ty], span)?);
        }
        Ok(results)
    }

    pub(super) fn complement(&mut self, value: Value, span: Span) -> Outcome<Value> {
        if value.atoms.iter().any(|atom| atom.ty.is_element()) {
            return fail(no_bits(span));
        }
        Ok(Value { atoms: self.each(&Op::Not, &value.atoms, span)?, list: value.list })
    }

    /// A binary operator, atom by atom.
    pub(super) fn binary(
        &mut self,
        op: BinOp,
        left: Vec<Atom>,
        right: Vec<Atom>,
        span: Span,
    ) -> Outcome<Vec<Atom>> {
        let op = match op {
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            BinOp::Xor => Op::Xor,
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::Div | BinOp::Rem => return fail(division(span)),
        };
        self.same_operands(&op, &left, &right, span)?;
        let is_bitwise = matches!(op, Op::And | Op::Or | Op::Xor);
        if is_bitwise && left.iter().any(|atom| atom.ty.is_element()) {
            return fail(no_bits(span));
        }
        let mut results = Vec::with_capacity(left.len());
        for (a, b) in left.into_iter().zip(right) {
            results.extend(self.push(op.clone(), &[a, b], &[a.ty], span)?);
        }
        Ok(results)
    }

    fn same_operands(&self, op: &Op, left: &[Atom], right: &[Atom], span: Span) -> Outcome<()> {
        let symbol = op.kind().symbol();
        let types = |atoms: &[Atom]| atoms.iter().map(|a| a.ty).collect::<Vec<Type>>();
        let (left, right) = (types(left), types(right));
        if left.len() != right.len() {
            let (l, r) = (self.describe(&left), self.describe(&right));
            return fail(
                Diagnostic::error(
                    "E0200",
                    span,
                    format!("the operands of `{symbol}` differ in length"),
                )
                .label(format!("{l} {symbol} {r}"))
                .help("operators work atom by atom on flat lists of the same length"),
            );
        }
        let Some(i) = left.iter().zip(&right).position(|(a, b)| a != b) else { return Ok(()) };
        let by_direction = left[i].width == right[i].width;
        let show = |ty| self.scope.show(ty, by_direction);
        let label = format!("`{}` {symbol} `{}`", show(left[i]), show(right[i]));
        fail(match by_direction {
            true => Diagnostic::error(
                "E0202",
                span,
                format!("the directions of `{symbol}`'s operands clash"),
            )
            .label(label)
            .help("give both the same direction, or leave it out on both sides"),
            false => Diagnostic::error(
                "E0201",
                span,
                format!("the word sizes of `{symbol}`'s operands differ"),
            )
            .label(label)
            .help("atoms keep their word size; `Pack` joins two into a wider one"),
        })
    }

    // ---- shifts ----

    pub(super) fn shift(
        &mut self,
        op: ShiftOp,
        value: Value,
        amount: &AExp,
        span: Span,
    ) -> Outcome<Value> {
        let n = self.statics.eval(amount)?;
        let Ok(n) = u64::try_from(n) else {
            return fail(
                Diagnostic::error("E0132", amount.span, "a shift amount can't be negative")
                    .label(format!("this is {n}{}", self.statics.described()))
                    .help("shift in the other direction instead"),
            );
        };
        match &value.atoms[..] {
            &[atom] if !value.list => {
                let op = self.bit_shift(op, atom.ty, n, amount.span)?;
                Ok(Value { atoms: self.each(&op, &[atom], span)?, list: false })
            }
            _ => self.list_shift(op, value, n, amount.span, span),
        }
    }

    /// The operation that shifts the bits of an atom.
    fn bit_shift(&self, op: ShiftOp, ty: Type, n: u64, span: Span) -> Outcome<Op> {
        let width = match ty.width {
            Width::Bits(bits) | Width::Row(bits, _) => Some(bits),
            Width::Field(_) => return fail(no_bits(span)),
            Width::Param(_) => None,
        };
        let limit = width.unwrap_or(MAX_WIDTH);
        let amount = match u16::try_from(n) {
            Ok(amount) if amount < limit => amount,
            _ => return fail(self.past_width(op, ty, n, limit, span)),
        };
        Ok(match (op, width) {
            (ShiftOp::Shl, _) => Op::Shl(amount),
            (ShiftOp::Shr, _) => Op::Shr(amount),
            (ShiftOp::Sar, _) => Op::Sar(amount),
            (ShiftOp::Rotl, _) => Op::Rotl(amount),
            (ShiftOp::Rotr, Some(width)) => Op::Rotl((width - amount) % width),
            (ShiftOp::Rotr, None) => Op::Rotr(amount),
        })
    }

    fn past_width(&self, op: ShiftOp, ty: Type, n: u64, limit: u16, span: Span) -> Diagnostic {
        let name = self.scope.show(ty, false);
        let with = self.statics.described();
        let (what, consequence) = match op {
            ShiftOp::Rotl | ShiftOp::Rotr => {
                ("rotation", "a full turn or more: did you mean another amount?".to_string())
            }
            ShiftOp::Shl | ShiftOp::Shr => ("shift", "the result is always zero".to_string()),
            ShiftOp::Sar => ("shift", "every bit of the result is the sign".to_string()),
        };
        let error = Diagnostic::error("E0206", span, format!("{what} past the width of `{name}`"))
            .label(format!("by {n}{with}: {consequence}"));
        if limit == 1 {
            return error.help("this is one atom of one bit; shifts of lists move whole atoms");
        }
        error.help(format!("amounts are from 0 to {}", limit - 1))
    }

    /// A shift of a list: atoms get other places.
    fn list_shift(
        &mut self,
        op: ShiftOp,
        value: Value,
        n: u64,
        amount: Span,
        span: Span,
    ) -> Outcome<Value> {
        let count = value.atoms.len();
        if op == ShiftOp::Sar {
            return fail(
                Diagnostic::error("E0207", span, "`>>!` shifts the bits of one atom, not a list")
                    .label(self.describe(&value.types()))
                    .help(
                        "repeat the first atom in a tuple instead: `(x[0], x[0..2])` for 4 atoms",
                    ),
            );
        }
        let n = match usize::try_from(n) {
            Ok(n) if n <= count => n,
            _ => {
                return fail(
                    Diagnostic::error("E0206", amount, "shift past the end of the list")
                        .label(format!("by {n}{}", self.statics.described()))
                        .help(format!("this list has {count} atom{}", plural(count))),
                )
            }
        };
        let mut atoms = value.atoms;
        match op {
            ShiftOp::Rotl => atoms.rotate_left(n),
            ShiftOp::Rotr => atoms.rotate_right(n),
            ShiftOp::Shl => {
                atoms.rotate_left(n);
                self.clear(&mut atoms[count - n..]);
            }
            ShiftOp::Shr | ShiftOp::Sar => {
                atoms.rotate_right(n);
                self.clear(&mut atoms[..n]);
            }
        }
        Ok(Value { atoms, list: true })
    }

    fn clear(&mut self, atoms: &mut [Atom]) {
        for atom in atoms {
            *atom = self.const_atom(0, atom.ty);
        }
    }

    // ---- bits of atoms ----

    pub(super) fn shuffle(&mut self, value: Value, list: &Entries, span: Span) -> Outcome<Value> {
        let positions = naturals(list, &self.statics)?;
        let count = positions.len();
        for atom in &value.atoms {
            let fits = match atom.ty.width {
                Width::Bits(bits) | Width::Row(bits, _) => count == usize::from(bits),
                Width::Field(_) => return fail(no_bits(span)),
                Width::Param(_) => (1..=usize::from(MAX_WIDTH)).contains(&count),
            };
            if !fits {
                let name = self.scope.show(atom.ty, false);
                return fail(
                    Diagnostic::error("E0208", list.span, "the wrong number of positions")
                        .label(format!("{count} position{} for an atom of `{name}`", plural(count)))
                        .help("`Shuffle` needs one position for each bit of the atom"),
                );
            }
        }
        let mut picks = Vec::with_capacity(count);
        for (position, place) in &positions {
            match position.to_u16() {
                Some(p) if usize::from(p) < count => picks.push(Some(p)),
                _ => {
                    return fail(
                        Diagnostic::error("E0208", *place, format!("there is no bit {position}"))
                            .label(format!(
                                "positions are 0 to {}, 0 the most significant",
                                count - 1
                            )),
                    )
                }
            }
        }
        let op = Op::Shuffle(picks.into());
        Ok(Value { atoms: self.each(&op, &value.atoms, span)?, list: value.list })
    }

    pub(super) fn bitmask(&mut self, value: Value, bit: &AExp, span: Span) -> Outcome<Value> {
        let n = self.statics.eval(bit)?;
        for atom in &value.atoms {
            let limit = match atom.ty.width {
                Width::Bits(bits) | Width::Row(bits, _) => bits,
                Width::Field(_) => return fail(no_bits(span)),
                Width::Param(_) => MAX_WIDTH,
            };
            if !(0..i128::from(limit)).contains(&n) {
                let name = self.scope.show(atom.ty, false);
                return fail(
                    Diagnostic::error("E0209", bit.span, format!("`{name}` has no bit {n}"))
                        .label(format!("this is {n}{}", self.statics.described()))
                        .help(format!("bits are 0 to {}, 0 the least significant", limit - 1)),
                );
            }
        }
        let op = Op::Bitmask(n as u16);
        Ok(Value { atoms: self.each(&op, &value.atoms, span)?, list: value.list })
    }

    /// `Pack(a, b) : type`: pairs of atoms become one of the bits of both.
    pub(super) fn pack(&mut self, a: &Exp, b: &Exp, ty: &ast::Type, span: Span) -> Outcome<Value> {
        let target = self.scope.resolve(ty, &self.statics)?;
        let (high, low) = self.pack_operands(a, b)?;
        if high.iter().chain(&low).any(|atom| atom.ty.is_element()) || target.atom.is_element() {
            return fail(no_bits(span));
        }
        let count = target.count() as usize;
        if high.len() != count || low.len() != count {
            let types = |atoms: &[Atom]| atoms.iter().map(|a| a.ty).collect::<Vec<_>>();
            let (h, l) = (self.describe(&types(&high)), self.describe(&types(&low)));
            return fail(
                Diagnostic::error("E0210", span, "`Pack` joins lists of the same length")
                    .label(format!("{h} and {l}"))
                    .also(ty.span, format!("{count} atom{} wanted", plural(count))),
            );
        }
        let mut atoms = Vec::with_capacity(count);
        for (h, l) in high.into_iter().zip(low) {
            let bits = match (h.ty.width, l.ty.width, target.atom.width) {
                (Width::Bits(h), Width::Bits(l), Width::Bits(t)) => Some((h + l, t)),
                _ => None,
            };
            let fits = bits.is_none_or(|(sum, wanted)| sum == wanted);
            if !fits || h.ty.dir != l.ty.dir || h.ty.dir != target.atom.dir {
                let show = |ty| self.scope.show(ty, fits);
                let (h, l, t) = (show(h.ty), show(l.ty), show(target.atom));
                return fail(
                    Diagnostic::error("E0210", span, format!("`Pack` can't make `{t}` of this"))
                        .label(format!("`{h}` and `{l}`"))
                        .also(ty.span, format!("`{t}` wanted"))
                        .help("the result has the bits of both operands, in the same direction"),
                );
            }
            atoms.extend(self.push(Op::Pack, &[h, l], &[target.atom], span)?);
        }
        Ok(Value { atoms, list: !target.shape.is_empty() })
    }

    /// A constant operand without a type takes that of the other one.
    fn pack_operands(&mut self, a: &Exp, b: &Exp) -> Outcome<(Vec<Atom>, Vec<Atom>)> {
        if self.needs_type(a) && !self.needs_type(b) {
            let low = self.value(b, None)?;
            let high = self.value(a, Some(&low.types()))?;
            return Ok((high.atoms, low.atoms));
        }
        let high = self.value(a, None)?;
        let low = self.value(b, Some(&high.types()))?;
        Ok((high.atoms, low.atoms))
    }
}
