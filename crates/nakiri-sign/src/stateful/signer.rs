//! Signers: keys with files that know which indices are used.

use super::scheme::Private;
use super::store::{lock, Store};
use super::{Scheme, Trees};
use crate::file::System;
use crate::slh::Message;
use crate::{Engine, Error, PublicKey};
use std::fs::File;
use std::path::Path;
use zeroize::Zeroizing;

/// A stateful private key that signs. There is one signer of a key at a time, on any process: it is no value that can be copied.
pub struct Signer {
    /// Keeps others from the key.
    _lock: File,
    store: Store<System>,
    scheme: Scheme,
    private: Private,
    public: PublicKey,
    trees: Trees,
    engine: Engine,
    /// The index of the next signature.
    next: u64,
    /// How many indices are taken at once.
    ahead: u64,
}

impl Signer {
    /// Makes a key and its files: `path` itself, and with endings `.state`, `.seen` and `.trees`.
    ///
    /// # Errors
    /// If one of them is there, or can't be written, or there are no random numbers.
    pub fn create(path: &Path, scheme: &Scheme, engine: &Engine) -> Result<Signer, Error> {
        let mut secrets = Zeroizing::new(vec![0; scheme.secret_bytes()]);
        getrandom::fill(&mut secrets).map_err(|_| Error::NoRandomness)?;
        let mut trees = Trees::default();
        let public = scheme.private(&secrets).public(&mut trees, engine);
        let name = scheme.name();
        let length = [u8::try_from(name.len()).unwrap_or(u8::MAX)];
        let key = Zeroizing::new([&length[..], name.as_bytes(), &secrets, &public].concat());
        Store::create(&System, path, &key)?;
        let mut signer = Signer::open(path, engine)?;
        signer.trees = trees;
        signer.store.keep(&signer.trees.to_bytes());
        Ok(signer)
    }

    /// Takes a key from its files.
    ///
    /// # Errors
    /// If another process has it, or a file is missing, changed, or older than another.
    pub fn open(path: &Path, engine: &Engine) -> Result<Signer, Error> {
        let lock = lock(path)?;
        let (store, key) = Store::open(System, path)?;
        let other = || Error::file(path, "a key of another version");
        let (length, rest) = key.split_first().ok_or_else(other)?;
        let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(other)?;
        let scheme = std::str::from_utf8(name).ok().and_then(Scheme::named).ok_or_else(other)?;
        let (secrets, public) = rest.split_at_checked(scheme.secret_bytes()).ok_or_else(other)?;
        let (private, public) = (scheme.private(secrets), scheme.public(public)?);
        let trees = store.kept().map_or_else(Trees::default, Trees::of_bytes);
        let (next, engine) = (store.next(), *engine);
        Ok(Signer { _lock: lock, store, scheme, private, public, trees, engine, next, ahead: 1 })
    }

    /// Takes so many indices at once from now on, so that fewer signatures wait for the disk. Those that are taken and not used when
    /// the signer ends are lost.
    pub fn take_ahead(&mut self, indices: std::num::NonZero<u64>) {
        self.ahead = indices.get();
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// What the key is made of.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// How many signatures are left.
    pub fn remaining(&self) -> u64 {
        self.scheme.signatures().saturating_sub(self.next)
    }

    /// Signs a message by the next index, which is on the disk as used before.
    ///
    /// # Errors
    /// If all indices are used, if that can't be written, or if the key is not that of its seeds. An index is used or lost, never
    /// given back.
    pub fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let all = self.scheme.signatures();
        if self.next >= all {
            return Err(Error::Exhausted);
        }
        if self.next >= self.store.next() {
            self.store.take_below(self.next.saturating_add(self.ahead).min(all))?;
        }
        let index = self.next;
        self.next += 1;
        let signature = self.private.sign(&mut self.trees, index, message, &self.engine);
        // Nodes that were kept may be wrong, and a fault would give secrets away.
        if !self.public.verify(&Message::new(message), &signature, &self.engine) {
            return Err(Error::WrongRoot);
        }
        if self.trees.has_grown() {
            self.store.keep(&self.trees.to_bytes());
        }
        Ok(signature)
    }
}
