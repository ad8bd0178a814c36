//! The traits of RustCrypto that a mode's type has: a module of the instance's file, for the feature that is named like their crate.

use super::Messages;
use crate::emit::indented;
use crate::emit::rust::instance::{erased, hidden, Api};
use crate::emit::shell::Input;

/// A crate with traits, and the feature of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its name.
    pub name: &'static str,
    /// What its traits are for.
    pub about: &'static str,
    /// What a manifest says of it as a dependency, but for its being optional.
    pub dependency: &'static str,
    /// Whether it has the feature `zeroize`.
    pub erases: bool,
}

/// Those of modes; that of ciphers is no feature.
pub const ALL: [Traits; 2] = [DIGEST, AEAD];

const DIGEST: Traits = Traits {
    name: "digest",
    about: "hash functions and authentication codes",
    dependency: "version = \"0.11\", default-features = false, features = [\"mac\"]",
    erases: true,
};

const AEAD: Traits = Traits {
    name: "aead",
    about: "authenticated encryption",
    dependency: "version = \"0.6\", default-features = false",
    erases: false,
};

/// What a mode is for these crates.
#[derive(Clone, Copy)]
pub enum Role<'a> {
    /// A message in parts, with a key or without.
    Digest(Option<&'a Input>),
    /// A text and data in front of it.
    Aead {
        /// The first input, the same for many texts.
        key: &'a Input,
        /// The second one, another for each.
        nonce: &'a Input,
        /// The parameter of what is not encrypted.
        data: &'a str,
    },
}

impl Messages<'_> {
    /// What the mode is for crates with traits, if it is anything.
    pub fn role(&self) -> Option<Role<'_>> {
        let (inputs, streams) = (&self.of.shell.inputs[..], &self.of.shell.streams[..]);
        if self.of.has_parts() {
            return match inputs {
                [] => Some(Role::Digest(None)),
                [key] => Some(Role::Digest(Some(key))),
                _ => None,
            };
        }
        let (key, nonce) = match inputs {
            [key, nonce] if key.shared && !nonce.shared => (key, nonce),
            _ => return None,
        };
        let data = match streams {
            [data, text] if self.of.giving(false) == Some(text) => data,
            _ => return None,
        };
        let seals = self.of.opens() && self.of.judges(true) && !self.of.has_own_context();
        seals.then_some(Role::Aead { key, nonce, data })
    }

    /// The crate whose traits its type has.
    pub fn traits(&self) -> Option<Traits> {
        self.role().map(|role| match role {
            Role::Digest(_) => DIGEST,
            Role::Aead { .. } => AEAD,
        })
    }

    /// The type that is there for traits alone, if there is one, and the feature that it needs.
    pub fn trait_export(&self, api: &Api) -> Option<(&'static str, String)> {
        let name = match self.role()? {
            Role::Digest(_) => self.of.mode.squeeze().map(|_| format!("{}Reader", api.name))?,
            Role::Aead { .. } => api.name.clone(),
        };
        Some((self.traits()?.name, name))
    }

    /// The module of the traits.
    pub fn trait_text(&self, api: &Api) -> String {
        let Some((role, traits)) = self.role().zip(self.traits()) else { return String::new() };
        let text = match role {
            Role::Digest(key) => self.digest(api, key),
            Role::Aead { key, nonce, data } => self.aead(api, key, nonce, data),
        };
        let head = HEAD.replace("$crate", traits.name);
        format!("{head}{}}}\n", indented(text.trim_end()))
    }

    fn digest(&self, api: &Api, key: Option<&Input>) -> String {
        let squeezes = self.of.mode.squeeze().is_some();
        let mut text = UPDATE.to_string();
        text.push_str(if squeezes { EXTENDABLE } else { FIXED });
        match key {
            Some(_) => text.push_str(KEYED),
            None => text.push_str(UNKEYED),
        }
        text.push_str(match (key, squeezes) {
            (Some(_), false) => CODE,
            (Some(_), true) => "",
            (None, false) => FIXED_RESET,
            (None, true) => EXTENDABLE_RESET,
        });
        if self.of.mode.has_hmac() {
            text.push_str(HMAC);
        }
        let key = key.map_or(0, |key| key.size).to_string();
        let block = self.of.mode.block_bytes().to_string();
        self.fill(api, &text, &[("$key_bytes", &key), ("$block", &block)])
    }

    fn aead(&self, api: &Api, key: &Input, nonce: &Input, data: &str) -> String {
        let sealed = match self.of.mode.refuses() {
            true => "tag.map(aead::Tag::<Self>::from).ok_or(aead::Error)",
            false => "Ok(tag.into())",
        };
        let refusals = indented(&self.refusals(false, "Err(aead::Error)"));
        let (key, nonce) = (key.size.to_string(), nonce.size.to_string());
        let more = [
            ("$key_bytes", &*key),
            ("$nonce_bytes", &*nonce),
            ("$data", data),
            ("$refusals", &*refusals),
            ("$sealed", sealed),
        ];
        let erased = erased("$T", "zeroize::Zeroize::zeroize(&mut self.key)");
        self.fill(api, &[AEAD_TEXT, &hidden("$T"), &erased].concat(), &more)
    }
}

const HEAD: &str = "
/// The traits of the crate `$crate`.
#[cfg(feature = \"$crate\")]
pub mod traits {
    use super::*;

";

const UPDATE: &str = "\
impl digest::common::BlockSizeUser for $T {
    type BlockSize = digest::consts::U$block;
}

impl digest::Update for $T {
    fn update(&mut self, message: &[u8]) {
        $T::update(self, message);
    }
}

";

const FIXED: &str = "\
impl digest::OutputSizeUser for $T {
    type OutputSize = digest::consts::U$size;
}

impl digest::FixedOutput for $T {
    fn finalize_into(self, out: &mut digest::Output<Self>) {
        out.0 = self.finalize();
    }
}

";

const FIXED_RESET: &str = "\
impl digest::FixedOutputReset for $T {
    fn finalize_into_reset(&mut self, out: &mut digest::Output<Self>) {
        out.0 = core::mem::take(self).finalize();
    }
}

";

const EXTENDABLE: &str = "\
/// What comes out of a message, in parts.
#[derive(Clone, Debug)]
pub struct $TReader {
    state: $T,
}

impl digest::XofReader for $TReader {
    fn read(&mut self, out: &mut [u8]) {
        squeeze($takes(Variant::chosen()), &mut self.state, out);
    }
}

impl digest::ExtendableOutput for $T {
    type Reader = $TReader;

    fn finalize_xof(mut self) -> $TReader {
        close($takes(Variant::chosen()), &mut self);
        $TReader { state: self }
    }
}

";

const EXTENDABLE_RESET: &str = "\
impl digest::ExtendableOutputReset for $T {
    fn finalize_xof_reset(&mut self) -> $TReader {
        digest::ExtendableOutput::finalize_xof(core::mem::take(self))
    }
}

";

const UNKEYED: &str = "\
impl digest::HashMarker for $T {}

impl digest::Reset for $T {
    fn reset(&mut self) {
        *self = Self::new();
    }
}

";

const KEYED: &str = "\
impl digest::common::KeySizeUser for $T {
    type KeySize = digest::consts::U$key_bytes;
}

impl digest::KeyInit for $T {
    fn new(key: &digest::Key<Self>) -> Self {
        $T::new(&key.0)
    }
}

";

const CODE: &str = "\
impl digest::MacMarker for $T {}

";

const HMAC: &str = "\
impl digest::common::KeySizeUser for $THmac {
    type KeySize = digest::consts::U$block;
}

impl digest::KeyInit for $THmac {
    fn new(key: &digest::Key<Self>) -> Self {
        $THmac::new(key)
    }

    /// With a key of any length.
    fn new_from_slice(key: &[u8]) -> Result<Self, digest::InvalidLength> {
        Ok($THmac::new(key))
    }
}

impl digest::Update for $THmac {
    fn update(&mut self, message: &[u8]) {
        $THmac::update(self, message);
    }
}

impl digest::OutputSizeUser for $THmac {
    type OutputSize = digest::consts::U$size;
}

impl digest::FixedOutput for $THmac {
    fn finalize_into(self, out: &mut digest::Output<Self>) {
        out.0 = self.finalize();
    }
}

impl digest::MacMarker for $THmac {}

";

const AEAD_TEXT: &str = "\
/// $title with a key of $key_bytes bytes, nonces of $nonce_bytes and tags of $size.
#[derive(Clone)]
pub struct $T {
    key: [u8; $key_bytes],
}

impl aead::KeySizeUser for $T {
    type KeySize = aead::consts::U$key_bytes;
}

impl aead::KeyInit for $T {
    fn new(key: &aead::Key<Self>) -> Self {
        Self { key: key.0 }
    }
}

impl aead::AeadCore for $T {
    type NonceSize = aead::consts::U$nonce_bytes;
    type TagSize = aead::consts::U$size;

    const TAG_POSITION: aead::TagPosition = aead::TagPosition::Postfix;
}

impl aead::AeadInOut for $T {
    fn encrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        $data: &[u8],
        text: aead::inout::InOutBuf<'_, '_, u8>,
    ) -> aead::Result<aead::Tag<Self>> {
$refusals        let tag = $snake_seal(text.into_out_with_copied_in(), &self.key, &nonce.0, $data);
        $sealed
    }

    /// If the tag is another, zeros are written.
    fn decrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        $data: &[u8],
        text: aead::inout::InOutBuf<'_, '_, u8>,
        tag: &aead::Tag<Self>,
    ) -> aead::Result<()> {
$refusals        match $snake_open(text.into_out_with_copied_in(), &tag.0, &self.key, &nonce.0, $data) {
            true => Ok(()),
            false => Err(aead::Error),
        }
    }
}

";
