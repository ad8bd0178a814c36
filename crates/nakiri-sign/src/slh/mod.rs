//! SLH-DSA (FIPS 205): stateless hash-based signatures.

mod keys;
mod message;
mod parameters;
mod pem;
mod places;
mod sign;
mod traits;
mod verify;

pub use keys::{SigningKey, VerifyingKey};
pub use message::Message;
pub use parameters::Set;
pub use sign::Randomness;
pub use traits::Signature;
