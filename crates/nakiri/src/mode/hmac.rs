//! What a mode that hashes is as a message authentication code: HMAC (RFC 2104, FIPS 198-1).

use super::{evaluate, Mode};

/// What is added to the key before the message.
pub const INNER: u8 = 0x36;
/// What is added to the key before the digest of that.
pub const OUTER: u8 = 0x5c;

impl Mode {
    /// Whether it can be one: it takes nothing but a message, which may come in parts, and gives no more than a block.
    pub fn has_hmac(&self) -> bool {
        let hashes = self.hash().is_some_and(|hash| hash.squeeze.is_none());
        hashes && self.inputs.is_empty() && self.result_bytes() <= self.block_bytes()
    }
}

/// HMAC of a message. `None` if the mode has none, or `length` is not that of its results.
pub fn hmac(mode: &Mode, key: &[u8], message: &[u8], length: usize) -> Option<Vec<u8>> {
    if !mode.has_hmac() {
        return None;
    }
    let block = mode.block_bytes();
    let mut key = match key.len() <= block {
        true => key.to_vec(),
        false => evaluate(mode, &[], &[key], length)?,
    };
    key.resize(block, 0);
    let padded = |pad: u8| key.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
    let keyed =
        |pad, message: &[u8]| evaluate(mode, &[], &[&[&padded(pad)[..], message].concat()], length);
    keyed(OUTER, &keyed(INNER, message)?)
}
