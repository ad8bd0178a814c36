//! The operators of Rust on words of general-purpose registers, and what gives vectors other types.

use super::Rust;
use crate::emit::operators::{Form, Operators, Term, WordType};
use crate::isa::{Binary, Shift, Unary};

impl Operators for Rust {
    fn converted(&self, _: &str, term: Term) -> Term {
        term
    }

    fn retyped(&self, _: &str, vector: Term) -> Term {
        Term::primary(format!("cast({})", vector.text))
    }

    fn unary(&self, operator: Unary, operand: Term, ty: &WordType) -> Term {
        match operator {
            Unary::Not => Term::new(format!("!{}", operand.within(Form::Unary)), Form::Unary),
            Unary::Widen => Term::primary(format!("u128::from({})", operand.text)),
            Unary::Low => {
                Term::new(format!("{} as u64", operand.within(Form::Primary)), Form::Infix)
            }
            Unary::Negate => {
                let zero = Term::primary(format!("0{}", ty.unsigned));
                method(&zero, "wrapping_sub", &operand.text)
            }
        }
    }

    fn binary(&self, operator: Binary, left: Term, right: Term) -> Term {
        match operator {
            Binary::And => infix(&left, "&", &right),
            Binary::Or => infix(&left, "|", &right),
            Binary::Xor => infix(&left, "^", &right),
            Binary::Add => method(&left, "wrapping_add", &right.text),
            Binary::Sub => method(&left, "wrapping_sub", &right.text),
            Binary::Mul => method(&left, "wrapping_mul", &right.text),
            Binary::Whole => {
                let [left, right] = [left, right].map(|word| format!("u128::from({})", word.text));
                Term::new(format!("{left} * {right}"), Form::Product)
            }
        }
    }

    fn shift(&self, shift: Shift, word: Term, by: u32, ty: &WordType) -> Term {
        let amount = Term::primary(by.to_string());
        match shift {
            Shift::Left => infix(&word, "<<", &amount),
            Shift::Right => infix(&word, ">>", &amount),
            Shift::Rotate => method(&word, "rotate_left", &amount.text),
            Shift::Bit => {
                let text = format!("{} >> {by} & 1", word.within(Form::Unary));
                Term::new(text, Form::Infix)
            }
            Shift::Arithmetic => {
                let (word, WordType { unsigned, signed, .. }) = (word.within(Form::Primary), ty);
                Term::new(format!("({word} as {signed} >> {by}) as {unsigned}"), Form::Infix)
            }
        }
    }

    fn unsigned(&self, literal: &str, bits: u16) -> String {
        format!("{literal}_u{bits}")
    }

    fn signed(&self, literal: &str, bits: u16) -> String {
        format!("{literal}_u{bits} as i{bits}")
    }
}

fn infix(left: &Term, sign: &str, right: &Term) -> Term {
    let [left, right] = [left, right].map(|operand| operand.within(Form::Unary));
    Term::new(format!("{left} {sign} {right}"), Form::Infix)
}

fn method(word: &Term, name: &str, argument: &str) -> Term {
    Term::primary(format!("{}.{name}({argument})", word.within(Form::Primary)))
}
