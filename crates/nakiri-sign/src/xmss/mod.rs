//! XMSS and XMSS^MT (RFC 8391; SP 800-208, section 5): stateful hash-based signatures.

mod parameters;
mod sign;
mod verify;

pub use parameters::Set;
pub(crate) use sign::Private;
pub use verify::VerifyingKey;
