//! What a mode that hashes is as a message authentication code, HMAC (RFC 2104, FIPS 198-1), and as what makes keys, HKDF (RFC 5869).

use super::{evaluate, Mode};

/// What is added to the key before the message.
pub const INNER: u8 = 0x36;
/// What is added to the key before the digest of that.
pub const OUTER: u8 = 0x5c;

/// The most codes that HKDF's keys are made of: a byte counts them.
pub const MOST: usize = 255;

impl Mode {
    /// Whether it is a code by itself: what it gives has one size, and beside a message it takes a key, as an input or a stream.
    pub fn is_code(&self) -> bool {
        let is_keyed = !self.inputs.is_empty() || self.streams.iter().any(|name| name == "key");
        is_keyed && self.squeeze().is_none() && self.giving().is_none() && self.result_bytes() > 0
    }

    /// Whether it can be one by HMAC: it takes nothing but a message, which may come in parts, and gives no more than a block.
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

/// Keys of `length` bytes of a key, a salt and what they are for (RFC 5869, section 2). `None` if the mode has no HMAC, or they are longer
/// than [`MOST`] codes.
pub fn hkdf(mode: &Mode, salt: &[u8], key: &[u8], info: &[u8], length: usize) -> Option<Vec<u8>> {
    let size = mode.result_bytes();
    if length > MOST * size {
        return None;
    }
    let own = hmac(mode, salt, key, size)?;
    let (mut all, mut code) = (Vec::new(), Vec::new());
    for number in (1..=MOST as u8).take(length.div_ceil(size)) {
        code = hmac(mode, &own, &[&code, info, &[number]].concat(), size)?;
        all.extend(&code);
    }
    all.truncate(length);
    Some(all)
}
