//! Text to syntax tree and back.

pub mod ast;
pub mod codes;
pub mod foreign;
pub mod lexer;
pub mod parser;
pub mod printer;

/// Which rules a source follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The language as this project defines it.
    #[default]
    Nakiri,
    /// Files written for the older compiler (`--compat usubac`): `state` and `next` are ordinary
    /// names, `x{…}` is a shuffle, `!` is `~`, `__END__` ends the file, and operators mixed without
    /// parentheses are only warned about.
    Usubac,
}
