//! How the parts of the checker fail.

use crate::diagnostic::Diagnostic;

/// Why something could not be checked.
pub(super) enum Fault {
    /// Not reported yet.
    New(Box<Diagnostic>),
    /// The reason has been reported elsewhere; a second message would only repeat it.
    Told,
}

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Fault {
        Fault::New(Box::new(diagnostic))
    }
}

/// What the parts of the checker return.
pub(super) type Outcome<T> = Result<T, Fault>;

/// Shorthand for a failed outcome.
pub(super) fn fail<T>(diagnostic: Diagnostic) -> Outcome<T> {
    Err(diagnostic.into())
}
