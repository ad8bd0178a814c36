//! HMAC by a mode, in Rust.

use super::{literal, Messages};
use crate::emit::library::MessageVector;
use crate::emit::rust::instance::Api;

impl Messages<'_> {
    /// The tests of codes.
    pub(super) fn code_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let code = |vector: &&MessageVector| {
            let key = literal(vector.hmac.as_deref().unwrap_or(&[]));
            let (message, code) = (literal(&vector.streams.concat()), literal(&vector.output));
            format!("    ({key}, {message}, {code}),\n")
        };
        let list: String = vectors.iter().map(code).collect();
        self.fill(api, TESTS, &[("$list", &list)])
    }
}

pub const TEXT: &str = "\
/// HMAC (RFC 2104) of a message of which a part was taken.
#[derive(Clone, Debug)]
pub struct $THmac {
    inner: $T,
    outer: $T,
}

impl $THmac {
    /// With a key of any length, for a message of which nothing is taken yet.
    pub fn new(key: &[u8]) -> Self {
        let mut state = Self { inner: $T::empty(), outer: $T::empty() };
        hmac_begin(alone(Variant::chosen()), &mut state.inner, &mut state.outer, key);
        state
    }

    /// Takes bytes of the message.
    pub fn update(&mut self, message: &[u8]) {
        self.inner.update(message);
    }

    /// The message's code.
    pub fn finalize(mut self) -> [u8; $size] {
        let mut out = [0; $size];
        hmac_end(alone(Variant::chosen()), &mut self.inner, &mut self.outer, &mut out);
        out
    }

    /// Whether this is the message's code. The time that takes does not depend on where they differ.
    pub fn verify(self, code: &[u8; $size]) -> bool {
        let own = core::hint::black_box(self.finalize());
        own.iter().zip(code).fold(0, |different, (a, b)| different | (a ^ b)) == 0
    }
}

/// HMAC (RFC 2104) of a whole message, with a key of any length.
pub fn $snake_hmac(key: &[u8], message: &[u8]) -> [u8; $size] {
    let mut out = [0; $size];
    hmac_whole(alone(Variant::chosen()), &mut out, key, message);
    out
}

";

const TESTS: &str = "
/// Key, message and code.
type Code = (&'static [u8], &'static [u8], &'static [u8]);
const CODES: &[Code] = &[
$list];

#[test]
fn hmac_gives_its_codes() {
    for (key, message, code) in CODES {
        for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
            let mut out = [0; $size];
            hmac_whole(variant, &mut out, key, message);
            assert_eq!(out, **code, \"{variant:?}\");
        }
        let mut state = $THmac::new(key);
        state.update(&message[..message.len() / 2]);
        state.update(&message[message.len() / 2..]);
        let mut code: [u8; $size] = (*code).try_into().unwrap();
        assert!(state.clone().verify(&code));
        code[0] ^= 1;
        assert!(!state.verify(&code));
    }
}

#[cfg(feature = \"digest\")]
#[test]
fn traits_give_the_codes() {
    for (key, message, code) in CODES {
        let mut state = <$THmac as digest::KeyInit>::new_from_slice(key).unwrap();
        digest::Update::update(&mut state, message);
        let mut code = code.to_vec();
        assert!(digest::Mac::verify_slice(state.clone(), &code).is_ok());
        code[0] ^= 1;
        assert!(digest::Mac::verify_slice(state, &code).is_err());
    }
}
";
