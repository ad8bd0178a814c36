//! Static numbers: `nat` parameters, iterators and the expressions over them.

use super::numbers::Numbers;
use super::outcome::{fail, Fault, Outcome};
use crate::diagnostic::suggestion;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{ABinOp, AExp, AExpKind, BinOp, Exp, ExpKind, Ident, Selector};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::rc::Rc;

/// The static names in scope, innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Statics<'a> {
    names: Vec<(&'a str, i128)>,
    /// Variables, which are no static numbers.
    variables: Vec<&'a str>,
    /// Those of the whole program, where nothing else has their names.
    constants: Rc<Numbers>,
}

impl<'a> Statics<'a> {
    /// Those of a whole program.
    pub fn of(constants: Rc<Numbers>) -> Statics<'a> {
        Statics { constants, ..Statics::default() }
    }

    /// Those of the whole program that these belong to.
    pub fn outermost(&self) -> Statics<'a> {
        Statics::of(self.constants.clone())
    }

    /// Brings a name into scope.
    pub fn push(&mut self, name: &'a str, value: i128) {
        self.names.push((name, value));
    }

    /// Tells of a variable, for messages.
    pub fn know_variable(&mut self, name: &'a str) {
        self.variables.push(name);
    }

    /// Removes the innermost name.
    pub fn pop(&mut self) {
        self.names.pop();
    }

    /// The value of an iterator or a `nat` parameter.
    pub fn get(&self, name: &str) -> Option<i128> {
        self.names.iter().rev().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    /// Whether a name stands for static numbers of the whole program.
    pub fn is_constant(&self, name: &str) -> bool {
        self.constants.find(name).is_some()
    }

    /// ` (with i = 3, j = 0)` for messages; empty where nothing is in scope.
    pub fn described(&self) -> String {
        if self.names.is_empty() {
            return String::new();
        }
        let all: Vec<_> = self.names.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        format!(" (with {})", all.join(", "))
    }

    /// The value of a static expression.
    pub fn eval(&self, e: &AExp) -> Outcome<i128> {
        match &e.kind {
            AExpKind::Int(n) => small(n, e.span),
            AExpKind::Var(name) => self.named(name, e.span),
            AExpKind::Element(list, indices) => self.element(list, indices, e.span),
            AExpKind::Paren(inner) => self.eval(inner),
            AExpKind::Bin(op, a, b) => {
                let (x, y) = (self.eval(a)?, self.eval(b)?);
                self.apply(*op, x, y, e.span, b.span)
            }
            AExpKind::Error => Err(Fault::Told),
        }
    }

    /// The value of a static expression that is a natural number, of any size where it is written as digits.
    pub fn natural(&self, e: &AExp) -> Outcome<BigUint> {
        if let AExpKind::Int(n) = &e.kind {
            return Ok(n.clone());
        }
        let value = self.eval(e)?;
        BigUint::try_from(value).map_or_else(
            |_| {
                fail(
                    Diagnostic::error("E0139", e.span, "a negative number can't stand here")
                        .label(format!("this is {value}{}", self.described())),
                )
            },
            Ok,
        )
    }

    /// The value of a name.
    fn named(&self, name: &str, span: Span) -> Outcome<i128> {
        match (self.get(name), self.constants.find(name)) {
            (Some(value), _) => Ok(value),
            (None, Some(list)) if !self.variables.contains(&name) => {
                list.element(&Ident { name: name.to_string(), span }, &[], span)
            }
            _ => self.unknown(name, span),
        }
    }

    /// An element of a list of the whole program.
    fn element(&self, list: &Ident, indices: &[AExp], span: Span) -> Outcome<i128> {
        let name = list.name.as_str();
        if self.get(name).is_some() || self.variables.contains(&name) {
            return self.no_list(list);
        }
        let Some(known) = self.constants.find(name) else {
            return if self.constants.is_refused(name) {
                Err(Fault::Told)
            } else {
                self.no_list(list)
            };
        };
        let indices: Vec<(i128, Span)> = indices
            .iter()
            .map(|index| Ok((self.eval(index)?, index.span)))
            .collect::<Outcome<_>>()?;
        known.element(list, &indices, span)
    }

    fn no_list<T>(&self, list: &Ident) -> Outcome<T> {
        let name = &list.name;
        let error =
            Diagnostic::error("E0137", list.span, format!("`{name}[…]` is no static number"));
        let near = suggestion(name, self.constants.names());
        fail(match self.variables.contains(&name.as_str()) {
            true => error.label("this is data: its value is known only at run time").help(
                "a list of static numbers is defined outside of nodes, `const shifts:nat[4] = { 1, 3, 6, 11 }`; values are \
                 looked up in a `table`",
            ),
            false => error.label("there is no list of static numbers of this name").help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("define it outside of nodes: `const {name}:nat[4] = {{ 1, 3, 6, 11 }}`, say"),
            }),
        })
    }

    fn apply(&self, op: ABinOp, x: i128, y: i128, span: Span, right: Span) -> Outcome<i128> {
        let value = match op {
            ABinOp::Add => x.checked_add(y),
            ABinOp::Sub => x.checked_sub(y),
            ABinOp::Mul => x.checked_mul(y),
            ABinOp::Div | ABinOp::Rem if y == 0 => {
                return fail(
                    Diagnostic::error("E0130", right, "division by zero in a static expression")
                        .label(format!("this is 0{}", self.described())),
                )
            }
            ABinOp::Div => x.checked_div_euclid(y),
            ABinOp::Rem => x.checked_rem_euclid(y),
        };
        value.map_or_else(|| too_large(span), Ok)
    }

    /// Whether an expression where a value is needed is a static number: made of such, a name or a quotient of them among them.
    pub fn is_number(&self, e: &Exp) -> bool {
        self.named_in(e) == Some(true)
    }

    /// Whether a name or a quotient stands in an expression; `None` if it is not made of static numbers alone.
    fn named_in(&self, e: &Exp) -> Option<bool> {
        let (mut e, mut is_named) = (e, false);
        // Chains of hundreds of operators are common.
        while let ExpKind::Bin(op, left, right) = &e.kind {
            let op = static_operator(*op)?;
            is_named |= self.named_in(right)? || matches!(op, ABinOp::Div | ABinOp::Rem);
            e = left;
        }
        let own = match &e.kind {
            ExpKind::Int(_, None) => false,
            ExpKind::Var(var) => self.is_static(&var.name.name).then_some(true)?,
            ExpKind::Tuple(inner) if inner.len() == 1 => self.named_in(&inner[0])?,
            _ => return None,
        };
        Some(is_named || own)
    }

    /// Whether a name stands for a static number, or a list of them, where a value is needed: variables come first, since iterators of
    /// old files may have their names.
    fn is_static(&self, name: &str) -> bool {
        let is_known = self.get(name).is_some() || self.is_constant(name);
        is_known && !self.variables.contains(&name)
    }

    /// The value of an expression that is a static number, as a `nat` argument is.
    pub fn eval_number(&self, e: &Exp) -> Outcome<i128> {
        match &e.kind {
            ExpKind::Int(n, None) => small(n, e.span),
            ExpKind::Var(var) if var.selectors.is_empty() => self.named(&var.name.name, e.span),
            ExpKind::Var(var) if self.is_static(&var.name.name) => {
                let index = |selector: &Selector| match selector {
                    Selector::Index(index) => Ok(index.clone()),
                    Selector::Range(..) | Selector::List(_) => run_time(e.span),
                };
                let indices: Vec<AExp> = var.selectors.iter().map(index).collect::<Outcome<_>>()?;
                self.element(&var.name, &indices, e.span)
            }
            ExpKind::Tuple(inner) if inner.len() == 1 => self.eval_number(&inner[0]),
            ExpKind::Bin(op, a, b) => {
                let Some(op) = static_operator(*op) else { return run_time(e.span) };
                let (x, y) = (self.eval_number(a)?, self.eval_number(b)?);
                self.apply(op, x, y, e.span, b.span)
            }
            ExpKind::Error => Err(Fault::Told),
            _ => run_time(e.span),
        }
    }

    fn unknown<T>(&self, name: &str, span: Span) -> Outcome<T> {
        if self.variables.contains(&name) {
            return data(name, span);
        }
        if self.constants.is_refused(name) {
            return Err(Fault::Told);
        }
        let mut error = Diagnostic::error(
            "E0105",
            span,
            format!("there is no iterator, `nat` parameter or constant `{name}` here"),
        )
        .label("not a static number");
        let own = self.names.iter().map(|(n, _)| *n);
        let near = suggestion(name, own.chain(self.constants.names()));
        error.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "indices, bounds and shift amounts are static: they are made of numbers, \
                     constants, iterators and `nat` parameters"
                .to_string(),
        });
        fail(error)
    }
}

/// That an index, a bound or an amount is a variable.
fn data<T>(name: &str, span: Span) -> Outcome<T> {
    fail(
        Diagnostic::error("E0105", span, format!("`{name}` is data, and no static number"))
            .label("its value is known only at run time")
            .help(format!(
                "no address and no time depends on data: choose by a mask for each bit, `(a & ~m) | (b & m)` with \
                 `m = Bitmask({name}, 0)`, or look the value up in a `table`"
            )),
    )
}

/// The operator on static numbers that is written so.
fn static_operator(op: BinOp) -> Option<ABinOp> {
    Some(match op {
        BinOp::Add => ABinOp::Add,
        BinOp::Sub => ABinOp::Sub,
        BinOp::Mul => ABinOp::Mul,
        BinOp::Div => ABinOp::Div,
        BinOp::Rem => ABinOp::Rem,
        BinOp::And | BinOp::Or | BinOp::Xor => return None,
    })
}

fn run_time<T>(span: Span) -> Outcome<T> {
    fail(
        Diagnostic::error("E0133", span, "a `nat` argument must be a static number")
            .label("this is known only at run time")
            .help("static numbers are made of literals, iterators and `nat` parameters by `+ - * / %`"),
    )
}

fn small(n: &BigUint, span: Span) -> Outcome<i128> {
    n.to_i128().map_or_else(|| too_large(span), Ok)
}

fn too_large<T>(span: Span) -> Outcome<T> {
    fail(
        Diagnostic::error("E0131", span, "this static number is too large")
            .label("must fit in 127 bits"),
    )
}
