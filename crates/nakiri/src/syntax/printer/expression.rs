//! Expressions, types and variables as words.

use super::words::{List, Words};
use super::Printer;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::lexer::TokenKind;

impl Printer<'_> {
    pub(super) fn expression(&self, exp: &Exp) -> Words {
        let mut words = Words::default();
        match &exp.kind {
            ExpKind::Int(_, ty) => {
                words.push(self.number(exp.span));
                if let Some(ty) = ty {
                    words.push(&format!(":{}", self.type_(ty)));
                }
            }
            ExpKind::Var(var) => words.append(self.variable(var)),
            ExpKind::Tuple(elements) => {
                let places = elements.iter().map(|e| e.span);
                let elements = elements.iter().map(|e| self.expression(e));
                words.append(self.tuple(exp.span.start, elements.zip(places)));
            }
            ExpKind::Not(inner) => {
                words.push("~");
                words.append(self.expression(inner));
            }
            ExpKind::Bin(op, left, right) => {
                words.append(self.expression(left));
                words.space();
                words.push(op.symbol());
                words.push(" ");
                words.append(self.expression(right));
            }
            ExpKind::Shift(op, left, amount) => {
                words.append(self.expression(left));
                words.space();
                words.push(shift(*op));
                words.push(" ");
                words.push(&self.static_expression(amount));
            }
            ExpKind::Call { name, element, args } => {
                words.push(&name.name);
                if let Some(element) = element {
                    words.push(&format!("<{}>", self.static_expression(element)));
                }
                words.append(arguments(args.iter().map(|arg| self.expression(arg))));
            }
            ExpKind::Shuffle(inner, positions) => words.append(self.shuffle(inner, positions)),
            ExpKind::Bitmask(inner, position) => {
                words.push("Bitmask(");
                words.append(self.expression(inner));
                words.push(",");
                words.space();
                words.push(&self.static_expression(position));
                words.push(")");
            }
            ExpKind::Pack(first, second, ty) => {
                words.push("Pack(");
                words.append(self.expression(first));
                words.push(",");
                words.space();
                words.append(self.expression(second));
                words.push(&format!("):{}", self.type_(ty)));
            }
            ExpKind::Error => words.push(self.source(exp.span)),
        }
        words
    }

    /// Elements in parentheses, which begin at `start` in the source, with the line breaks that are between them there.
    fn tuple(&self, start: u32, elements: impl ExactSizeIterator<Item = (Words, Span)>) -> Words {
        let several = elements.len() > 1;
        let mut words = Words::one("(");
        let mut last = start;
        for (i, (element, place)) in elements.enumerate() {
            let on_new_line = self.source(self.span(last, place.start)).contains('\n');
            match i {
                0 if several => words.open(List::Tuple { on_new_line }),
                0 => {}
                _ => {
                    words.push(",");
                    words.next_element(on_new_line);
                }
            }
            words.append(element);
            last = place.end;
        }
        if several {
            words.close();
        }
        words.push(")");
        words
    }

    /// In the notation of the source: `Shuffle(x, [1,0])` or `x{1,0}`.
    fn shuffle(&self, inner: &Exp, positions: &Entries) -> Words {
        let is_old = self.source(positions.span).starts_with('{');
        let (before, open, close) = if is_old { ("", "{", "}") } else { ("Shuffle(", "[", "])") };
        let mut words = Words::one(before);
        words.append(self.expression(inner));
        if !is_old {
            words.push(",");
            words.space();
        }
        words.push(open);
        for (i, entry) in positions.entries.iter().enumerate() {
            if i > 0 {
                words.push(",");
                words.cut();
            }
            words.push(&self.entry(entry));
        }
        words.push(close);
        words
    }

    /// The left-hand side of the equation that begins at `start`.
    pub(super) fn pattern(&self, start: u32, pat: &[Var], in_parentheses: bool) -> Words {
        let mut variables = pat.iter().map(|var| self.variable(var));
        if in_parentheses {
            return self.tuple(start, variables.zip(pat.iter().map(|var| var.span)));
        }
        variables.next().unwrap_or_default()
    }

    pub(super) fn variable(&self, var: &Var) -> Words {
        let mut words = Words::one(&var.name.name);
        for selector in &var.selectors {
            words.push("[");
            match selector {
                Selector::Index(index) => words.push(&self.static_expression(index)),
                Selector::Range(first, last) => {
                    words.push(&self.static_expression(first));
                    words.push("..");
                    words.push(&self.static_expression(last));
                }
                Selector::List(indices) => {
                    for (i, index) in indices.iter().enumerate() {
                        if i > 0 {
                            words.push(",");
                            words.cut();
                        }
                        words.push(&self.static_expression(index));
                    }
                }
            }
            words.push("]");
        }
        words
    }

    pub(super) fn static_expression(&self, exp: &AExp) -> String {
        match &exp.kind {
            AExpKind::Int(_) | AExpKind::Error => self.source(exp.span).to_string(),
            AExpKind::Var(name) => name.clone(),
            AExpKind::Element(list, indices) => {
                let index = |index| format!("[{}]", self.static_expression(index));
                list.name.clone() + &indices.iter().map(index).collect::<String>()
            }
            AExpKind::Paren(inner) => format!("({})", self.static_expression(inner)),
            AExpKind::Bin(op, left, right) => {
                let mut text = self.static_expression(left);
                text.push_str(match op {
                    ABinOp::Add => "+",
                    ABinOp::Sub => "-",
                    ABinOp::Mul => "*",
                    ABinOp::Div => "/",
                    ABinOp::Rem => "%",
                });
                text.push_str(&self.static_expression(right));
                text
            }
        }
    }

    /// A formula; numbers in the spelling of the source.
    pub(super) fn formula(&self, formula: &Formula) -> String {
        match &formula.kind {
            FormulaKind::Number(_) => self.number(formula.span).to_string(),
            FormulaKind::Paren(inner) => format!("({})", self.formula(inner)),
            FormulaKind::Of(op, operands) => {
                let sign = match op {
                    FormulaOp::Sum => " + ",
                    FormulaOp::Difference => " - ",
                    FormulaOp::Product => "*",
                    FormulaOp::Power => "^",
                };
                let [left, right] = operands.each_ref().map(|operand| self.formula(operand));
                format!("{left}{sign}{right}")
            }
        }
    }

    /// A polynomial; numbers in the spelling of the source.
    pub(super) fn polynomial(&self, polynomial: &Polynomial) -> String {
        let term = |term: &Term| match (&term.variable, term.number) {
            (Some(variable), Some(exponent)) => {
                format!("{}^{}", variable.name, self.number(exponent))
            }
            (Some(variable), None) => variable.name.clone(),
            (None, _) => "1".to_string(),
        };
        polynomial.terms.iter().map(term).collect::<Vec<_>>().join(" + ")
    }

    pub(super) fn type_(&self, ty: &Type) -> String {
        let mut text = match &ty.base {
            BaseType::Nat => "nat".to_string(),
            BaseType::Bytes => "bytes".to_string(),
            BaseType::Node => "node".to_string(),
            BaseType::Field(name) => name.name.clone(),
            BaseType::Atoms { spelling, dir, width, count } => {
                let letter = match spelling {
                    Spelling::U => "u",
                    Spelling::B => "b",
                    Spelling::V => "v",
                };
                let direction = match dir {
                    Some((_, span)) => format!("<{}>", self.source(*span)),
                    None => String::new(),
                };
                let sizes = match (spelling, width, count) {
                    (Spelling::U, Width::Bits(bits), None) => bits.to_string(),
                    (Spelling::U, Width::Bits(bits), Some(count)) => format!("{bits}x{count}"),
                    (Spelling::U, Width::Var(name), None) => format!("'{name}"),
                    (Spelling::U, Width::Var(name), Some(count)) => format!("'{name}x{count}"),
                    (_, _, count) => count.as_ref().map(ToString::to_string).unwrap_or_default(),
                };
                format!("{letter}{direction}{sizes}")
            }
        };
        for dim in &ty.dims {
            text.push_str(&format!("[{}]", self.static_expression(dim)));
        }
        text
    }

    /// The first number under the span, in the spelling of the source.
    pub(super) fn number(&self, span: Span) -> &str {
        self.source(self.find(TokenKind::Number, span.start))
    }
}

/// The arguments of a call, in parentheses.
fn arguments(arguments: impl ExactSizeIterator<Item = Words>) -> Words {
    let several = arguments.len() > 1;
    let mut words = Words::one("(");
    for (i, argument) in arguments.enumerate() {
        match i {
            0 if several => words.open(List::Arguments),
            0 => {}
            _ => {
                words.push(",");
                words.next_element(false);
            }
        }
        words.append(argument);
    }
    if several {
        words.close();
    }
    words.push(")");
    words
}

fn shift(op: ShiftOp) -> &'static str {
    match op {
        ShiftOp::Shl => "<<",
        ShiftOp::Shr => ">>",
        ShiftOp::Sar => ">>!",
        ShiftOp::Rotl => "<<<",
        ShiftOp::Rotr => ">>>",
    }
}
