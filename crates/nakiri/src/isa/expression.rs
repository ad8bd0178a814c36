//! What an operation is on a target: an expression of its arguments. Languages write it, and prices count what is in it.

use super::constant::{Bits, Bytes, Constant, Element, Number, Word};
use super::{Class, Form};

/// An expression of an operation's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// An argument, the first being 0.
    Argument(usize),
    /// A call of an intrinsic.
    Call(Intrinsic, &'static [Expression]),
    /// An operator with one operand.
    Unary(Unary, &'static Expression),
    /// An operator with two operands.
    Binary(Binary, &'static [Expression; 2]),
    /// A shift of words by a number of bits.
    Shift(Shift, &'static Expression, Number),
    /// A shift of horizontal atoms in a general-purpose register by a number of positions, each as many bits as there are lanes.
    ShiftPositions(Shift, &'static Expression, Number),
    /// The same bits as another type of C; what has no types of its own needs none.
    As(CType, &'static Expression),
    /// A constant in a register or in memory.
    Constant(Constant),
    /// A number in an instruction.
    Number(Number),
    /// A word in an instruction.
    Word(Word),
    /// The bytes of each segment of a vector that the operation puts in each of its places, by a shuffle for which compilers find an
    /// instruction where their language has one.
    Shuffled(&'static Expression),
}

/// The first argument.
pub const X: Expression = Expression::Argument(0);
/// The second one.
pub const Y: Expression = Expression::Argument(1);
/// The third one.
pub const Z: Expression = Expression::Argument(2);
/// The first argument as a vector of elements of the atoms' width.
pub const X_WORDS: Expression = Expression::As(WORDS, &X);
/// The second one, likewise.
pub const Y_WORDS: Expression = Expression::As(WORDS, &Y);
const WORDS: CType = CType::Vector(Element::Unsigned(Bits::Atom));
/// The operation's amount.
pub const AMOUNT: Expression = Expression::Number(Number::Amount);
/// The width without the amount.
pub const REST: Expression = Expression::Number(Number::Rest);
/// The bytes that the operation puts in each place of a segment.
pub const PLACES: Expression = Expression::Constant(Constant::Segment(Bytes::Places));
/// All bits 0.
pub const ZEROS: Expression = Expression::Constant(Constant::Zeros);

/// A call of an intrinsic.
macro_rules! call {
    ($intrinsic:expr, $($argument:expr),+ $(,)?) => {
        $crate::isa::Expression::Call($intrinsic, &[$($argument),+])
    };
}
pub(super) use call;

/// An intrinsic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrinsic {
    /// Its name, in which `{mm}` and `{si}` are those of [`C`](super::C), and `{w}` is the width of the atoms.
    pub name: &'static str,
    /// What it executes; nothing if it only gives a register another type.
    pub class: Option<Class>,
    /// How it is written in assembly, where that is known.
    pub form: Option<Form>,
}

impl Intrinsic {
    /// An intrinsic that is one instruction.
    pub const fn new(name: &'static str, class: Class) -> Intrinsic {
        Intrinsic { name, class: Some(class), form: None }
    }

    /// The same with its form in assembly.
    pub const fn assembled(self, form: Form) -> Intrinsic {
        Intrinsic { form: Some(form), ..self }
    }

    /// One that gives a register another type.
    pub const fn retyping(name: &'static str) -> Intrinsic {
        Intrinsic { name, class: None, form: None }
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Bitwise complement.
    Not,
    /// The difference of zero and a word.
    Negate,
    /// A word of 64 bits as one of 128.
    Widen,
    /// The lower half of a word of 128 bits.
    Low,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// The whole product of words of 64 bits.
    Whole,
}

/// A shift of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Towards the most significant bit.
    Left,
    /// Towards the least significant bit.
    Right,
    /// The same, filled by the sign.
    Arithmetic,
    /// A rotation towards the most significant bit.
    Rotate,
    /// Towards the least significant bit, the only one that is kept.
    Bit,
}

/// A type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CType {
    /// That of a register.
    Register,
    /// A vector of elements.
    Vector(Element),
    /// The type of this name.
    Named(&'static str),
}

impl Expression {
    /// Its direct parts.
    pub fn operands(&self) -> &'static [Expression] {
        match *self {
            Expression::Call(_, arguments) => arguments,
            Expression::Binary(_, pair) => pair,
            Expression::Unary(_, operand)
            | Expression::Shift(_, operand, _)
            | Expression::ShiftPositions(_, operand, _)
            | Expression::As(_, operand)
            | Expression::Shuffled(operand) => std::slice::from_ref(operand),
            Expression::Argument(_)
            | Expression::Constant(_)
            | Expression::Number(_)
            | Expression::Word(_) => &[],
        }
    }

    /// How many constants it reads.
    pub fn constants(&self) -> usize {
        match self {
            // Words of horizontal atoms count as parts of the instructions that read them.
            Expression::Constant(Constant::Lanes(_) | Constant::FirstLane(_)) => 0,
            Expression::Constant(_) => 1,
            Expression::Shuffled(vector) => 1 + vector.constants(),
            _ => self.operands().iter().map(Expression::constants).sum(),
        }
    }

    /// Whether each of its instructions has a form in assembly.
    pub fn is_assembled(&self) -> bool {
        let own = match self {
            Expression::Call(intrinsic, _) => intrinsic.class.is_none() || intrinsic.form.is_some(),
            Expression::Argument(_)
            | Expression::As(..)
            | Expression::Constant(_)
            | Expression::Number(_)
            | Expression::Word(_) => true,
            _ => false,
        };
        own && self.operands().iter().all(Expression::is_assembled)
    }
}
