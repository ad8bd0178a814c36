//! Checks of what Nakiri emits: compiled execution, object-code inspection.
pub mod random;
