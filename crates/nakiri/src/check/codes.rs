//! What `nakiri explain` says about each error code of the checker.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[];
