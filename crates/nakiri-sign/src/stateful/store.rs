//! The files of a stateful key. That of the key itself never changes, and is locked by who signs. Beside it are two records of the
//! index below which all are used: one is written before the other, so that who finds them apart knows which is older, and a record
//! that was copied back alone is older than the other.

use crate::file::{write, write_new, Readers};
use crate::hash::sha256;
use crate::Error;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const MARK: &[u8; 8] = b"nakiri.s";
const DIGEST: usize = 32;

/// A key's file, locked, with the index from which on none is used.
pub struct Store {
    path: PathBuf,
    /// Holds the lock.
    _locked: File,
    digest: [u8; DIGEST],
    /// All indices below it are used, or lost.
    next: u64,
}

/// Bytes with their digest behind them.
fn sealed(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([bytes, &sha256(&[bytes])].concat())
}

/// What was sealed, if it is whole.
fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let (inner, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST)?)?;
    (sha256(&[inner]) == digest).then_some(inner)
}

/// A file beside another.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

impl Store {
    /// Writes the files of a new key, where there must be none.
    ///
    /// # Errors
    /// If there is one, or one can't be written; then none is left.
    pub fn create(path: &Path, key: &[u8]) -> Result<(), Error> {
        let marked = Zeroizing::new([MARK, key].concat());
        let sealed = sealed(&marked);
        let record = Record { key: sha256(&[&sealed]), next: 0 }.to_bytes();
        let files = [
            (beside(path, ".seen"), &record, Readers::Owner),
            (beside(path, ".state"), &record, Readers::Owner),
            (path.to_path_buf(), &sealed, Readers::Owner),
        ];
        for (done, (file, bytes, readers)) in files.iter().enumerate() {
            write_new(file, bytes, *readers).map_err(|problem| {
                for (file, ..) in &files[..done] {
                    let _ = std::fs::remove_file(file);
                }
                Error::file(file, problem)
            })?;
        }
        Ok(())
    }

    /// Locks a key's file, and gives what it holds.
    ///
    /// # Errors
    /// If it is locked already, or a file is missing, truncated, changed, older than another, or another key's.
    pub fn open(path: &Path) -> Result<(Store, Zeroizing<Vec<u8>>), Error> {
        let locked = File::open(path).map_err(|problem| Error::file(path, problem))?;
        locked.try_lock().map_err(|problem| match problem {
            TryLockError::WouldBlock => Error::file(path, "another process signs with this key"),
            TryLockError::Error(problem) => Error::file(path, problem),
        })?;
        let bytes =
            Zeroizing::new(std::fs::read(path).map_err(|problem| Error::file(path, problem))?);
        let inner = opened(&bytes).and_then(|inner| inner.strip_prefix(MARK));
        let inner =
            inner.ok_or_else(|| Error::file(path, "no stateful key, or not as it was written"))?;
        let digest = sha256(&[&bytes]);
        let state = Record::read(&beside(path, ".state"), digest)?;
        let seen = Record::read(&beside(path, ".seen"), digest)?;
        if state.next < seen.next {
            let problem = format!(
                "it is older than the last signature: {} indices are used, not {}. An index that is used twice gives the key away",
                seen.next, state.next
            );
            return Err(Error::file(&beside(path, ".state"), problem));
        }
        let store = Store { path: path.to_path_buf(), _locked: locked, digest, next: state.next };
        Ok((store, Zeroizing::new(inner.to_vec())))
    }

    /// The first index that is not used.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Takes all indices below `end`. When this returns they are on the disk, and nobody takes them again.
    ///
    /// # Errors
    /// If that can't be written. Indices may be lost then.
    pub fn take_below(&mut self, end: u64) -> Result<(), Error> {
        let record = Record { key: self.digest, next: end }.to_bytes();
        for ending in [".state", ".seen"] {
            let file = beside(&self.path, ending);
            write(&file, &record, Readers::Owner).map_err(|problem| Error::file(&file, problem))?;
        }
        self.next = end;
        Ok(())
    }

    /// What was kept with the key to save time, if it is whole and this key's.
    pub fn kept(&self) -> Option<Vec<u8>> {
        let bytes = std::fs::read(beside(&self.path, ".trees")).ok()?;
        opened(&bytes)?.strip_prefix(&self.digest).map(<[u8]>::to_vec)
    }

    /// Keeps what saves time.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<(), Error> {
        let file = beside(&self.path, ".trees");
        let bytes = sealed(&[&self.digest, bytes].concat());
        write(&file, &bytes, Readers::Owner).map_err(|problem| Error::file(&file, problem))
    }
}

/// Which index of a key is next.
struct Record {
    key: [u8; DIGEST],
    next: u64,
}

impl Record {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        sealed(&[&self.key[..], &self.next.to_be_bytes()].concat())
    }

    fn read(path: &Path, key: [u8; DIGEST]) -> Result<Record, Error> {
        let bytes = std::fs::read(path).map_err(|problem| Error::file(path, problem))?;
        let wrong = || Error::file(path, "truncated, or not as it was written");
        let (own, next) =
            opened(&bytes).and_then(|inner| inner.split_at_checked(DIGEST)).ok_or_else(wrong)?;
        if own != key {
            return Err(Error::file(path, "it is another key's"));
        }
        Ok(Record { key, next: u64::from_be_bytes(next.try_into().map_err(|_| wrong())?) })
    }
}
