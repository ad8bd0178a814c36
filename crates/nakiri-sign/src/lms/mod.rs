//! LMS and HSS (RFC 8554; SP 800-208, section 4): stateful hash-based signatures.

mod parameters;
mod verify;

pub use parameters::{OneTime, Tree};
pub use verify::VerifyingKey;
