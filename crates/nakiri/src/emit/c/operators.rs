//! The operators of C.

use super::C11;
use crate::emit::operators::{Form, Operators, Term, WordType};
use crate::isa::{Binary, Shift, Unary};

impl Operators for C11 {
    fn converted(&self, ty: &str, term: Term) -> Term {
        Term::new(format!("({ty}){}", term.within(Form::Unary)), Form::Unary)
    }

    fn retyped(&self, ty: &str, vector: Term) -> Term {
        self.converted(ty, vector)
    }

    fn unary(&self, operator: Unary, operand: Term, _: &WordType) -> Term {
        match operator {
            Unary::Not => Term::new(format!("~{}", operand.within(Form::Unary)), Form::Unary),
            Unary::Widen => self.converted("uint128_t", operand),
            Unary::Low => self.converted("uint64_t", operand),
            Unary::Negate => infix(&Term::primary("0".to_string()), "-", &operand),
        }
    }

    fn binary(&self, operator: Binary, left: Term, right: Term) -> Term {
        let sign = match operator {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => return Term::new(infix(&left, "*", &right).text, Form::Product),
            Binary::Whole => {
                let left = self.converted("uint128_t", left);
                return Term::new(infix(&left, "*", &right).text, Form::Product);
            }
        };
        infix(&left, sign, &right)
    }

    fn shift(&self, shift: Shift, word: Term, by: u32, ty: &WordType) -> Term {
        let shifted = |sign, by: u32| infix(&word, sign, &Term::primary(by.to_string()));
        match shift {
            Shift::Left => shifted("<<", by),
            Shift::Right => shifted(">>", by),
            Shift::Rotate => infix(&shifted("<<", by), "|", &shifted(">>", ty.bits - by)),
            Shift::Bit => infix(&shifted(">>", by), "&", &Term::primary("1".to_string())),
            Shift::Arithmetic => {
                let by = Term::primary(by.to_string());
                infix(&self.converted(&ty.signed, word), ">>", &by)
            }
        }
    }

    fn unsigned(&self, literal: &str, bits: u16) -> String {
        format!("(uint{bits}_t){literal}")
    }

    fn signed(&self, literal: &str, bits: u16) -> String {
        let ty = match bits {
            8 => "char",
            16 => "short",
            32 => "int",
            _ => "long long",
        };
        format!("({ty}){literal}")
    }
}

/// An operator between operands, of which compilers want no parentheses around products.
fn infix(left: &Term, sign: &str, right: &Term) -> Term {
    let [left, right] = [left, right].map(|operand| operand.within(Form::Product));
    Term::new(format!("{left} {sign} {right}"), Form::Infix)
}
