//! The text form of the core. It prints and parses back, so that a pass test is a text file.
//!
//! ```text
//! table SubColumn 4 4 { 6, 5, 0xc, 0xa, 1, 0xe, 7, 9, 0xb, 0, 3, 0xd, 8, 0xf, 4, 2 }
//! constants0 { 1, 2, 4 }
//! field0 F { 0xffffffffffffffed, 0xffffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff }
//!
//! entry func F(plain: u<V>16[4] @be, key: const u<V>16[26][4]) -> (cipher: u<V>16[4]) {
//!   %0 = load plain[0] : u<V>16            # the type of every result, or one for all
//!   %1, %2, %3, %4 = table SubColumn %0, %0, %0, %0 : u<V>16
//!   %5 = rotl 12 %1 : u<V>16
//!   loop 25 with %6 = %5 : u<V>16 {        # inside = before the loop
//!     %7 = load key[100 - 4i] : u<V>16     # i counts the iterations
//!     %8 = xor %6, %7 : u<V>16
//!     next %8                              # what %6 is in the next iteration
//!   } -> %9                                # after the loop
//!   forall unroll {
//!     store cipher[0] %9
//!   } {
//!     %10 = call Round<V; 16> %9 : u<V>16  # directions ; word sizes
//!     store cipher[1] %10
//!   }
//! }
//! ```
//!
//! Functions may come in any order, tables and fields before their use, a field as its prime, or as the exponents of its
//! `polynomial`; an element of a field is `u<V>field0`. A name that is not a word stands in quotes. A function with direction parameters `'D` and word-size parameters `'m` is headed `func F<'D; 'm>(…)`; other heads add
//! `inline`, `no_inline`, `instruction NAME` and `interleave 2` before `func`. Layouts are `@le` (left out), `@be`, `@planes` and
//! `@perm NAME(58, 50, …)`. Values are numbered freely. Places in the source are not in the text.

mod canonical;
mod cursor;
mod lex;
mod parse;
mod print;
mod statements;

pub use parse::{parse, TextError};
pub(super) use print::statement_head;

/// How an operation is called in the text, where it is one word with its operands.
static PLAIN_OPS: [(&str, super::Op); 21] = {
    use super::Op;
    [
        ("and", Op::And),
        ("or", Op::Or),
        ("xor", Op::Xor),
        ("not", Op::Not),
        ("andnot", Op::AndNot),
        ("ornot", Op::OrNot),
        ("add", Op::Add),
        ("sub", Op::Sub),
        ("mul", Op::Mul),
        ("mulhalves", Op::MulHalves),
        ("product", Op::Product),
        ("widen", Op::Widen),
        ("low", Op::Low),
        ("addlow52", Op::AddLow52),
        ("addhigh52", Op::AddHigh52),
        ("clmullow", Op::ClmulLow),
        ("clmulhigh", Op::ClmulHigh),
        ("element", Op::Element),
        ("number", Op::Number),
        ("choose", Op::Choose),
        ("pack", Op::Pack),
    ]
};
