//! What surrounds kernels, in no language: functions over bytes and lengths, with loops and calls of kernels. [`mode`] makes
//! them once for all languages, and `c::shell` and `rust::shell` print them, by one walk ([`printer`]).
//!
//! All numbers are sizes. Bytes are arrays on the stack, parameters, parts of a context, or constants. A function knows the
//! variant that runs, which its caller chose. Lengths may decide what is done; no value of a byte may.

mod batch;
mod block;
mod ends;
mod hmac;
mod in_place;
pub mod interface;
mod lanes;
pub mod mode;
mod parallel;
mod parts;
pub mod printer;
mod stretches;
mod tree;
mod values;
mod whole;

use crate::mode::Encoding;
use std::collections::BTreeMap;
use std::ops;

/// The functions of an instance, callees first, with what they share.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// The parts of the context: names, and sizes in bytes. It has the number of bytes that it took besides.
    pub context: Vec<(String, usize)>,
    /// What it takes beside streams.
    pub inputs: Vec<Input>,
    /// The parameters by which the streams come.
    pub streams: Vec<String>,
    /// The parameter by which the stream that it gives comes on the way back.
    pub given: Option<String>,
    /// Constant bytes.
    pub constants: Vec<(String, Vec<u8>)>,
    /// The functions.
    pub functions: Vec<Function>,
}

/// What a mode takes beside streams.
#[derive(Clone, Debug)]
pub struct Input {
    /// The parameter by which it comes.
    pub name: String,
    /// In bytes.
    pub size: usize,
    /// Whether it is the same for all messages of a batch.
    pub shared: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, without the instance's prefix.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// What it takes, beside the variant.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Size,
    /// The context, which is changed.
    Context,
    /// Bytes that are read, with their number.
    Input,
    /// So many bytes that are read.
    InputOf(usize),
    /// Bytes that are written, with their number.
    Output,
    /// So many bytes that are written.
    OutputOf(usize),
    /// A list of [`Kind::Input`], with their number.
    Inputs,
    /// Bytes that are changed, with their number.
    Text,
    /// A list of [`Kind::Text`], with their number.
    Texts,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// What is neither a condition nor a loop, and gives no number another value.
    Do(Action),
    /// The next value of a number.
    Set(String, Size),
    /// The next value of an element of [`Action::Sizes`].
    SetAt(String, Size, Size),
    /// If the condition holds, and if it doesn't.
    If(Condition, Vec<Stmt>, Vec<Stmt>),
    /// While it holds.
    While(Condition, Vec<Stmt>),
    /// For each number below a limit.
    For(String, Size, Vec<Stmt>),
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Action {
    /// A context on the stack, named so.
    Context(String),
    /// So many bytes on the stack, of any value.
    Bytes(String, usize),
    /// So many numbers on the stack, of any value.
    Sizes(String, usize),
    /// Zeros, in all of [`Action::Sizes`].
    ZeroSizes(String),
    /// Two elements of it, each to the other's place.
    SwapAt(String, Size, Size),
    /// A number with a name.
    Let(String, Size),
    /// Adds to the number of bytes that the context took.
    Took(Size),
    /// Sets it to zero.
    TookNothing,
    /// The bytes of the second place to the first, which is another.
    Copy(Place, Place),
    /// The same, for a run behind it in the same block, which reads there and writes where the second place is. Nobody else reads it.
    Aside(Place, Place),
    /// Images of the bytes of the second place to the first, by this function.
    Images(String, Place, Place),
    /// Bytes within an array: to, from, and how many.
    Move(String, Size, Size, Size),
    /// Zeros.
    Zero(Place),
    /// A byte at the beginning of a place.
    SetByte(Place, u8),
    /// The exclusive or of it and the first byte of a place, there.
    XorByte(Place, u8),
    /// The exclusive or of it and each byte of a place, there.
    XorAll(Place, u8),
    /// Zero to the byte of the first place unless the others have the same bytes; the time that takes does not depend on them.
    Compare(Place, Place, Place),
    /// Each byte of the first place and the byte of the second, there.
    Mask(Place, Place),
    /// The bytes of two parts of an array, each to the other's place: the array, where both begin, and how many.
    Swap(String, Size, Size, usize),
    /// Eight times a number, in all bytes of a place.
    StoreBits(Place, Length, ByteOrder),
    /// A number, in all bytes of a place.
    StoreBytes(Place, Size, ByteOrder),
    /// A sum of 64 bits, in the first 8 bytes of a place, the low one first; zeros behind them.
    StoreNumber(Place, Size, u64),
    /// A function of the instance on blocks.
    Run(Run),
    /// A function of the shell.
    Call(String, Vec<Argument>),
    /// One by the variant that takes a message alone.
    CallAlone(String, Vec<Argument>),
    /// Erases an array that is not needed any more, where that is wanted.
    Clear(String),
    /// Erases the context.
    Wipe,
    /// Ends the function.
    Return,
}

/// A run of a function of the instance.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its name.
    pub function: String,
    /// Which variant's it is.
    pub by: By,
    /// Where it writes.
    pub results: Vec<Place>,
    /// Where it reads.
    pub params: Vec<Place>,
    /// On how many blocks.
    pub blocks: Size,
}

/// By whom a function is run.
#[derive(Clone, Debug)]
pub enum By {
    /// The variant.
    Own,
    /// The one that takes many blocks side by side by this function where the variant takes a text, with what is the same for all of
    /// them.
    Beside(String, Option<Place>),
}

impl From<Action> for Stmt {
    fn from(action: Action) -> Stmt {
        Stmt::Do(action)
    }
}

/// Statements, some of which are actions.
macro_rules! stmts {
    ($($stmt:expr),* $(,)?) => {
        vec![$($crate::emit::shell::Stmt::from($stmt)),*]
    };
}
pub(super) use stmts;

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// For [`Kind::Size`].
    Size(Size),
    /// For [`Kind::Context`]: its name.
    Context(String),
    /// For bytes of fixed size, and those whose number is that of the place.
    Place(Place),
    /// For [`Kind::Input`]: an element of [`Kind::Inputs`] or [`Kind::Texts`].
    Element(String, Size),
    /// A parameter of the same kind.
    Same(String),
}

/// A length that is stored.
#[derive(Clone, Debug)]
pub enum Length {
    /// The number of bytes that the context took.
    Taken,
    /// A number.
    Of(Size),
}

/// A byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// That of an encoding.
    pub fn of(encoding: Encoding) -> ByteOrder {
        match encoding.big_endian {
            true => ByteOrder::Big,
            false => ByteOrder::Little,
        }
    }
}

/// Bytes at a place of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The array.
    pub of: Bytes,
    /// The first of them.
    pub from: Size,
    /// How many.
    pub count: Size,
}

/// An array of bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Bytes {
    /// On the stack, or a parameter.
    Named(String),
    /// A part of the context.
    Context(String),
    /// A constant.
    Constant(String),
    /// An element of [`Kind::Inputs`] or [`Kind::Texts`].
    Element(String, Box<Size>),
}

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// A constant.
    Number(usize),
    /// One with a name.
    Named(String),
    /// An element of [`Action::Sizes`].
    At(String, Box<Size>),
    /// How many bytes a parameter has, or how many elements.
    Count(String),
    /// How many bytes an element of [`Kind::Inputs`] or [`Kind::Texts`] has.
    CountOf(String, Box<Size>),
    /// How many blocks the variant processes at once.
    Lanes,
    /// How many blocks of a text alone the variant takes at once by this function, 0 if it has none.
    StretchAlone(String),
    /// How many blocks of each of many texts.
    StretchOfEach(String),
    /// How many blocks of a text alone are taken side by side by this function where the variant takes the text, 0 if none are.
    Parallel(String),
    /// The same where the variant takes many texts, but another one a text alone.
    ParallelAlone(String),
    /// The bytes of a message below which the variant takes it alone among many, there or back.
    AloneBelow(bool),
    /// The number of bytes that the context took, modulo this.
    Taken(usize),
    /// How often it has this many bytes.
    TakenWhole(usize),
    /// The same as [`Size::Taken`], but this itself where that is zero, once anything was taken.
    Kept(usize),
    /// The smaller one.
    Least(Box<Size>, Box<Size>),
    /// A sum, difference, product, quotient or remainder.
    Binary(Operator, Box<Size>, Box<Size>),
}

/// An operator of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// How languages write it.
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }
}

/// A condition on numbers.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The first is smaller.
    Less(Size, Size),
    /// The first is smaller, or they are equal.
    AtMost(Size, Size),
    /// They are equal.
    Equal(Size, Size),
    /// Both hold.
    Both(Box<Condition>, Box<Condition>),
    /// One holds.
    Either(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Whether both hold.
    pub fn and(self, other: Condition) -> Condition {
        Condition::Both(Box::new(self), Box::new(other))
    }
}

/// What is done if a condition holds.
pub fn if_(condition: Condition, body: Vec<Stmt>) -> Stmt {
    Stmt::If(condition, body, vec![])
}

impl Place {
    /// The first bytes of an array.
    pub fn first(of: Bytes, count: impl Into<Size>) -> Place {
        Place { of, from: Size::Number(0), count: count.into() }
    }

    /// Bytes of an array from one on.
    pub fn at(of: Bytes, from: impl Into<Size>, count: impl Into<Size>) -> Place {
        Place { of, from: from.into(), count: count.into() }
    }
}

impl From<usize> for Size {
    fn from(number: usize) -> Size {
        Size::Number(number)
    }
}

impl From<&str> for Size {
    fn from(name: &str) -> Size {
        Size::Named(name.to_string())
    }
}

impl Size {
    fn binary(operator: Operator, a: Size, b: Size) -> Size {
        match (operator, &a, &b) {
            (Operator::Add | Operator::Subtract, _, Size::Number(0))
            | (Operator::Multiply | Operator::Divide, _, Size::Number(1))
            | (Operator::Multiply, Size::Number(0), _) => a,
            (Operator::Divide, Size::Number(a), Size::Number(b)) if *b > 0 => Size::Number(a / b),
            (Operator::Add, Size::Number(0), _) | (Operator::Multiply, Size::Number(1), _) => b,
            _ => Size::Binary(operator, Box::new(a), Box::new(b)),
        }
    }
}

impl<T: Into<Size>> ops::Add<T> for Size {
    type Output = Size;

    fn add(self, other: T) -> Size {
        Size::binary(Operator::Add, self, other.into())
    }
}

impl<T: Into<Size>> ops::Sub<T> for Size {
    type Output = Size;

    fn sub(self, other: T) -> Size {
        Size::binary(Operator::Subtract, self, other.into())
    }
}

impl<T: Into<Size>> ops::Mul<T> for Size {
    type Output = Size;

    fn mul(self, other: T) -> Size {
        Size::binary(Operator::Multiply, self, other.into())
    }
}

impl<T: Into<Size>> ops::Div<T> for Size {
    type Output = Size;

    fn div(self, other: T) -> Size {
        Size::binary(Operator::Divide, self, other.into())
    }
}

impl<T: Into<Size>> ops::Rem<T> for Size {
    type Output = Size;

    fn rem(self, other: T) -> Size {
        Size::binary(Operator::Remainder, self, other.into())
    }
}

impl Shell {
    /// The most bytes that the arrays of a function and of those that it calls take.
    pub fn stack(&self) -> usize {
        // Callees stand first.
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for function in &self.functions {
            let (mut own, mut called) = (0, 0);
            function.actions(&mut |action| match action {
                Action::Bytes(_, count) => own += count,
                Action::Sizes(_, count) => own += 8 * count,
                Action::Context(_) => {
                    own += self.context.iter().map(|(_, size)| size).sum::<usize>() + 8;
                }
                Action::Call(callee, _) | Action::CallAlone(callee, _) => {
                    called = called.max(known.get(&**callee).copied().unwrap_or(0));
                }
                _ => {}
            });
            known.insert(&function.name, own + called);
        }
        known.into_values().max().unwrap_or(0)
    }

    /// Whether it has a function.
    pub fn has(&self, function: &str) -> bool {
        self.functions.iter().any(|known| known.name == function)
    }

    /// What a function takes.
    pub fn kinds(&self, function: &str) -> Vec<Kind> {
        let known = self.functions.iter().find(|known| known.name == function);
        known.map_or(vec![], |known| known.params.iter().map(|param| param.kind).collect())
    }
}

impl Function {
    /// What its parameter of this name is.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.params.iter().find(|param| param.name == name).map(|param| param.kind)
    }

    /// Whether its body gives a number another value.
    pub fn changes(&self, name: &str) -> bool {
        let mut changed = false;
        self.walk(&mut |stmt| changed |= matches!(stmt, Stmt::Set(own, _) if own == name));
        changed
    }

    /// Visits all that it does.
    fn actions(&self, visit: &mut dyn FnMut(&Action)) {
        self.walk(&mut |stmt| {
            if let Stmt::Do(action) = stmt {
                visit(action);
            }
        });
    }

    /// Visits all of its statements.
    fn walk(&self, visit: &mut dyn FnMut(&Stmt)) {
        fn all(body: &[Stmt], visit: &mut dyn FnMut(&Stmt)) {
            for stmt in body {
                visit(stmt);
                match stmt {
                    Stmt::If(_, body, other) => [body, other].iter().for_each(|b| all(b, visit)),
                    Stmt::While(_, body) | Stmt::For(_, _, body) => all(body, visit),
                    Stmt::Do(_) | Stmt::Set(..) | Stmt::SetAt(..) => {}
                }
            }
        }
        all(&self.body, visit);
    }
}
