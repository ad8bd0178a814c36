//! The answers to requests, a file each.

pub mod completion;
pub mod format;
pub mod hints;
pub mod hover;
pub mod lenses;
pub mod navigation;
pub mod outline;
pub mod rename;
pub mod tokens;
