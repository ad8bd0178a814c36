//! The words and signs of the language, each with a line about it.

use crate::syntax::lexer::{Keyword, Symbol};

/// What a keyword is for.
pub fn keyword(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Node => "defines a node: a system of equations from inputs to outputs",
        Keyword::Table => "defines a lookup table, one entry for each value of the input",
        Keyword::Perm => "defines a permutation of atoms: for each output the input that it is, from 1",
        Keyword::Returns => "before the outputs of a definition",
        Keyword::Vars => "before the local variables of a node or a mode",
        Keyword::State => "before the registers of a node, each with its reset value",
        Keyword::Let => "begins the equations",
        Keyword::Tel => "ends the equations",
        Keyword::Forall => "repeats equations, once for each number of `[first,last]`; in a mode, once for each block of a stream",
        Keyword::Nat => "the type of a parameter that is a static number",
        Keyword::Const => "before a type: the same value for all blocks that are processed together; before a name: a constant of all that is defined",
        Keyword::Include => "takes the definitions of another file, once",
        Keyword::Next => "defines a register's value after the tick",
        Keyword::Shuffle => "`Shuffle(x, [p, …])`: bit i of the result is bit p of the atom, position 0 the most significant",
        Keyword::Bitmask => "`Bitmask(x, n)`: all bits of the result are bit n of the atom, 0 the least significant",
        Keyword::Pack => "`Pack(a, b):t`: two values as one of the type, `a` the more significant",
        Keyword::Inline => "the node is written out wherever it is called",
        Keyword::NoInline => "the node stays a function",
        Keyword::Unroll => "the loop is written out",
        Keyword::NoUnroll => "the loop stays a loop",
        Keyword::Interleave => "`_interleave(n)`: so many batches are processed side by side",
        Keyword::TableOption => "the node is computed for all inputs while the program is checked, and is a table then",
        Keyword::Lsb => "the first input and the first output of the table are the least significant bits",
        Keyword::Instruction => "the node defines an instruction, which stands for it where a target has one",
        Keyword::LazyLift | Keyword::NoOpt | Keyword::Pipelined | Keyword::SafeExit => {
            "has no effect; accepted for old files"
        }
    }
}

/// What a sign does to values; nothing for brackets and separators.
pub fn symbol(symbol: Symbol) -> Option<&'static str> {
    Some(match symbol {
        Symbol::RotateLeft => "rotates to the left by a static number: the bits of one atom, or the atoms of several",
        Symbol::RotateRight => "rotates to the right by a static number: the bits of one atom, or the atoms of several",
        Symbol::ShiftRightArithmetic => "shifts one atom to the right by a static number, filled with its sign",
        Symbol::ShiftLeft => "shifts to the left by a static number, filled with zeros: the bits of one atom, or the atoms of several",
        Symbol::ShiftRight => "shifts to the right by a static number, filled with zeros: the bits of one atom, or the atoms of several",
        Symbol::DotDot => "`x[a..b]`: atoms a to b, both included; may descend",
        Symbol::At => "how a block in memory becomes atoms: `@le`, `@be`, `@planes`, or a permutation's name",
        Symbol::And => "and, bit by bit",
        Symbol::Or => "or, bit by bit",
        Symbol::Xor => "exclusive or, bit by bit",
        Symbol::Not => "not, bit by bit",
        Symbol::Plus => "sum of each two atoms, modulo 2^M",
        Symbol::Minus => "difference of each two atoms, modulo 2^M",
        Symbol::Star => "product of each two atoms, modulo 2^M",
        Symbol::Slash => "quotient of static numbers",
        Symbol::Percent => "remainder of static numbers, never negative",
        Symbol::Equals => "defines what stands on its left; with `:` or an operator before it, updates it",
        Symbol::Less
        | Symbol::Greater
        | Symbol::OpenParen
        | Symbol::CloseParen
        | Symbol::OpenBracket
        | Symbol::CloseBracket
        | Symbol::OpenBrace
        | Symbol::CloseBrace
        | Symbol::Comma
        | Symbol::Semicolon
        | Symbol::Colon => return None,
    })
}

/// The layouts that need no definition.
pub const LAYOUTS: &[(&str, &str)] = &[
    ("le", "one atom after another, each with its least significant byte or bit first"),
    ("be", "one atom after another, each with its most significant byte or bit first"),
    ("planes", "bit by bit: atom j holds bit 7 - j of every byte"),
];

/// Words that mean something at certain places, and are names everywhere else.
pub const CONTEXTUAL: &[(&str, &str)] = &[
    ("in", "before the bounds of a `forall`, or before the stream that a loop goes over"),
    ("mode", "defines a mode: nodes around streams of bytes; `mode id = family(n)`: one of a family"),
    ("bytes", "a stream of bytes; in `pad`, the number of bytes before it"),
    (
        "pad",
        "`pad(stream, first, last)`: what is put around a stream before it is cut into blocks",
    ),
    ("field", "defines a field: `field F = 2^255 - 19`, `field G = 2^8 by x^8 + x^4 + x^3 + x + 1`; its elements have `+`, `-` and `*`"),
    ("by", "`field G = 2^8 by x^8 + x^4 + x^3 + x + 1`: polynomials over GF(2) modulo this one"),
    ("choose", "`choose(word, a, b)`: the element `a` if the word is odd, otherwise `b`"),
    ("inverse", "`inverse(x)`: the element that times `x` is 1; 0 of 0"),
    ("whole", "`whole(stream)`: a stream of nothing but whole blocks"),
    ("length", "the length of a stream, or of what a block has of one, in bits"),
    ("left", "`length:left` in front of a stream: its length in bits, in as few bytes as that needs, behind their number"),
    ("number", "`number(block)`: how many blocks came before; `number(x)`: the words of an element of a field"),
    ("view", "`words = view(bytes)`: a variable that is another one, in words of another size"),
    ("unless", "`unless empty`: nothing is done for a stream without bytes"),
    ("empty", "`unless empty`: nothing is done for a stream without bytes"),
    ("last", "what is done with the last block instead"),
    ("short", "what is done with a last block that is not whole"),
    ("back", "what makes the block that is taken of the one that is given"),
    ("pair", "`pair left, right in top`: what makes one vertex of a tree of two"),
    ("refresh", "the identity, for masked code"),
];

/// What is said about a word that is no name here, or about a layout.
pub fn contextual(word: &str) -> Option<&'static str> {
    let all = CONTEXTUAL.iter().chain(LAYOUTS);
    all.clone().find(|(known, _)| *known == word).map(|(_, about)| *about)
}
