//! The operators of languages, of which rows of targets and their texts are made.

use crate::isa::{Binary, Shift, Unary};

/// How a language writes operators.
pub trait Operators {
    /// The same bits as a type that has this name in C.
    fn converted(&self, ty: &str, term: Term) -> Term;
    /// The same bits as a vector of another type.
    fn retyped(&self, ty: &str, vector: Term) -> Term;
    /// An operator with one operand.
    fn unary(&self, operator: Unary, operand: Term, ty: &WordType) -> Term;
    /// An operator with two operands.
    fn binary(&self, operator: Binary, left: Term, right: Term) -> Term;
    /// A shift by a number of bits.
    fn shift(&self, shift: Shift, word: Term, by: u32, ty: &WordType) -> Term;
    /// A literal as an unsigned integer of so many bits, where intrinsics take one.
    fn unsigned(&self, literal: &str, bits: u16) -> String;
    /// A literal as a signed integer of so many bits.
    fn signed(&self, literal: &str, bits: u16) -> String;
}

/// The type of the words that operators work on.
pub struct WordType {
    /// Its name, without sign.
    pub unsigned: String,
    /// The name of that with a sign.
    pub signed: String,
    /// Bits of a word.
    pub bits: u32,
}

/// A text, and what it is to operators around it.
pub struct Term {
    /// The text.
    pub text: String,
    form: Form,
}

/// What a term is, from what binds tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A name, a literal, a call, or what has parentheses.
    Primary,
    /// An operator before its operand.
    Unary,
    /// A product.
    Product,
    /// Any other operator between operands.
    Infix,
}

impl Term {
    /// A term that needs no parentheses.
    pub fn primary(text: String) -> Term {
        Term { text, form: Form::Primary }
    }

    /// A term of a form.
    pub fn new(text: String, form: Form) -> Term {
        Term { text, form }
    }

    /// Its text where what binds less tightly than `loosest` needs parentheses.
    pub fn within(&self, loosest: Form) -> String {
        match self.form > loosest {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }
}
