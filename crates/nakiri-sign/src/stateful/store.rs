//! The files of a stateful key. That of the key itself never changes, and is locked by who signs. Beside it are two records of the
//! index below which all are used: one is written before the other, so that who finds them apart knows which is older, and a record
//! that was copied back alone is older than the other.

use crate::file::{add, replace, Disk, Readers};
use crate::hash::sha256;
use crate::Error;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

const MARK: &[u8; 8] = b"nakiri.s";
const DIGEST: usize = 32;

/// A key's files, with the index from which on none is used.
pub struct Store<D> {
    disk: D,
    path: PathBuf,
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

/// Locks a key's file, until what this gives is dropped.
///
/// # Errors
/// If it is locked already, or there is none.
pub fn lock(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(|problem| Error::file(path, problem))?;
    file.try_lock().map_err(|problem| match problem {
        TryLockError::WouldBlock => Error::file(path, "another process signs with this key"),
        TryLockError::Error(problem) => Error::file(path, problem),
    })?;
    Ok(file)
}

impl<D: Disk> Store<D> {
    /// Writes the files of a new key, where there must be none.
    ///
    /// # Errors
    /// If there is one, or one can't be written; then none is left.
    pub fn create(disk: &D, path: &Path, key: &[u8]) -> Result<(), Error> {
        let marked = Zeroizing::new([MARK, key].concat());
        let sealed = sealed(&marked);
        let record = Record { key: sha256(&[&sealed]), next: 0 }.to_bytes();
        let files = [
            (beside(path, ".seen"), &record, Readers::Owner),
            (beside(path, ".state"), &record, Readers::Owner),
            (path.to_path_buf(), &sealed, Readers::Owner),
        ];
        for (done, (file, bytes, readers)) in files.iter().enumerate() {
            add(disk, file, bytes, *readers).map_err(|problem| {
                for (file, ..) in &files[..done] {
                    let _ = disk.remove(file);
                }
                Error::file(file, problem)
            })?;
        }
        Ok(())
    }

    /// The files of a key, and what that of the key itself holds. Whoever takes indices has it locked.
    ///
    /// # Errors
    /// If a file is missing, truncated, changed, older than another, or another key's.
    pub fn open(disk: D, path: &Path) -> Result<(Store<D>, Zeroizing<Vec<u8>>), Error> {
        let bytes = disk.read(path).map_err(|problem| Error::file(path, problem))?;
        let bytes = Zeroizing::new(bytes);
        let inner = opened(&bytes).and_then(|inner| inner.strip_prefix(MARK));
        let inner =
            inner.ok_or_else(|| Error::file(path, "no stateful key, or not as it was written"))?;
        let digest = sha256(&[&bytes]);
        let state = Record::read(&disk, &beside(path, ".state"), digest)?;
        let seen = Record::read(&disk, &beside(path, ".seen"), digest)?;
        if state.next < seen.next {
            let problem = format!(
                "it is older than the last signature: {} indices are used, not {}. An index that is used twice gives the key away",
                seen.next, state.next
            );
            return Err(Error::file(&beside(path, ".state"), problem));
        }
        let store = Store { disk, path: path.to_path_buf(), digest, next: state.next };
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
            replace(&self.disk, &file, &record, Readers::Owner)
                .map_err(|problem| Error::file(&file, problem))?;
        }
        self.next = end;
        Ok(())
    }

    /// What was kept with the key to save time, if it is whole and this key's.
    pub fn kept(&self) -> Option<Vec<u8>> {
        let bytes = self.disk.read(&beside(&self.path, ".trees")).ok()?;
        opened(&bytes)?.strip_prefix(&self.digest).map(<[u8]>::to_vec)
    }

    /// Keeps what saves time. If it can't be written, that costs time and nothing else.
    pub fn keep(&self, bytes: &[u8]) {
        let bytes = sealed(&[&self.digest, bytes].concat());
        let _ = replace(&self.disk, &beside(&self.path, ".trees"), &bytes, Readers::Owner);
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

    fn read(disk: &impl Disk, path: &Path, key: [u8; DIGEST]) -> Result<Record, Error> {
        let bytes = disk.read(path).map_err(|problem| Error::file(path, problem))?;
        let wrong = || Error::file(path, "truncated, or not as it was written");
        let (own, next) =
            opened(&bytes).and_then(|inner| inner.split_at_checked(DIGEST)).ok_or_else(wrong)?;
        if own != key {
            return Err(Error::file(path, "it is another key's"));
        }
        Ok(Record { key, next: u64::from_be_bytes(next.try_into().map_err(|_| wrong())?) })
    }
}
