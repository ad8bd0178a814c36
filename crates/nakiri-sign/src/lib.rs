//! Hash-based signatures on batched hashing: chains, trees and few-time keys are hashed in the lanes of wide registers by kernels that
//! Nakiri compiles from Usuba.
//!
//! ```
//! use nakiri_sign::slh::{Message, Randomness, Set, SigningKey};
//! use nakiri_sign::Engine;
//!
//! let engine = Engine::default();
//! let key = SigningKey::generate(Set::named("SHA2-128f").unwrap(), &engine)?;
//! let message = Message::new(b"what is signed");
//! let signature = key.sign(&message, Randomness::Hedged, &engine)?;
//! assert!(key.verifying_key().verify(&message, &signature, &engine));
//! # Ok::<(), nakiri_sign::Error>(())
//! ```

mod chains;
mod climb;
mod engine;
mod error;
pub mod file;
mod forest;
mod hash;
mod kernels;
pub mod lms;
mod parallel;
mod pem;
mod public;
mod rows;
mod secrecy;
pub mod slh;
mod spot;
pub mod stateful;
mod tweak;
mod wots;
pub mod xmss;

use nakiri_sign_kernels::memory;

pub use engine::Engine;
pub use error::Error;
pub use hash::Function;
pub use public::PublicKey;
