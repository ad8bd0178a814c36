//! HKDF by a mode, in Rust.

use super::{literal, Messages};
use crate::emit::library::MessageVector;
use crate::emit::rust::instance::Api;

impl Messages<'_> {
    /// The tests of keys.
    pub(super) fn key_tests(&self, api: &Api, vectors: &[&MessageVector]) -> String {
        let keys = |vector: &&MessageVector| {
            let [salt, info] = vector.hkdf.as_ref()?;
            let (key, keys) = (literal(&vector.streams.concat()), literal(&vector.output));
            Some(format!("    [{}, {key}, {}, {keys}],\n", literal(salt), literal(info)))
        };
        let list: String = vectors.iter().filter_map(keys).collect();
        self.fill(api, TESTS, &[("$list", &list)])
    }
}

pub const TEXT: &str = "\
/// HKDF (RFC 5869): keys of a key, of a salt, which may be empty, and of what they are for. `false`, and nothing is written, if they are
/// longer than 255 codes of $size bytes.
#[must_use]
pub fn $snake_hkdf(out: &mut [u8], salt: &[u8], key: &[u8], info: &[u8]) -> bool {
    let fits = out.len() <= 255 * $size;
    if fits {
        hkdf_whole(alone(Variant::chosen()), out, salt, key, info);
    }
    fits
}

/// Its second half, for a key that is random; the first one is [`$snake_hmac`] with the salt as the key.
#[must_use]
pub fn $snake_hkdf_expand(out: &mut [u8], key: &[u8], info: &[u8]) -> bool {
    let fits = out.len() <= 255 * $size;
    if fits {
        hkdf_expanded(alone(Variant::chosen()), out, key, info);
    }
    fits
}

";

const TESTS: &str = "
/// Salt, key, what keys are for, and these.
const KEYS: &[[&[u8]; 4]] = &[
$list];

#[test]
fn hkdf_gives_its_keys() {
    for [salt, key, info, keys] in KEYS {
        for (variant, _) in VARIANTS.iter().copied().filter(|(_, runs)| runs()) {
            let mut out = std::vec![0; keys.len()];
            hkdf_whole(variant, &mut out, salt, key, info);
            assert_eq!(out, *keys, \"{variant:?}\");
        }
        let mut out = std::vec![0; keys.len()];
        assert!($snake_hkdf_expand(&mut out, &$snake_hmac(salt, key), info));
        assert_eq!(out, *keys);
    }
    let mut out = std::vec![0; 255 * $size + 1];
    assert!(!$snake_hkdf(&mut out, b\"\", b\"\", b\"\") && !$snake_hkdf_expand(&mut out, b\"\", b\"\"));
}
";
