//! LMS and HSS (RFC 8554; SP 800-208, section 4): stateful hash-based signatures.

mod parameters;
mod sign;
mod verify;

pub use parameters::{OneTime, Tree};
pub(crate) use sign::Private;
pub use verify::VerifyingKey;
