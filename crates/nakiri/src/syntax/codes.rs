//! What `nakiri explain` says about each error code of the lexer and the parser.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[];
