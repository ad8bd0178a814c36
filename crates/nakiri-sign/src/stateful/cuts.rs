//! Power cuts: whatever was not synced is lost, or not, or half of it. No index is used twice, and no key is lost.

use super::store::Store;
use crate::file::{Disk, Readers};
use crate::Error;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

/// A disk in memory whose power can be cut.
struct Volatile {
    state: RefCell<State>,
    /// Whether it does what a sync asks for.
    syncs: bool,
}

#[derive(Default)]
struct State {
    numbers: fastrand::Rng,
    /// The bytes of files as they were written, and whether they were synced.
    files: Vec<(Vec<u8>, bool)>,
    names: BTreeMap<PathBuf, usize>,
    /// The names when the folder was synced, and what was done to names since.
    synced: BTreeMap<PathBuf, usize>,
    changes: Vec<Change>,
    trouble: Trouble,
}

/// What happens to operations.
#[derive(Clone, Copy, Default)]
enum Trouble {
    /// Nothing.
    #[default]
    None,
    /// So many are done until the power is cut.
    Cut(u32),
    /// One of so many fails.
    Full(u32),
}

/// A name of a file, or of none any more, and the name that it had.
type Change = (PathBuf, Option<usize>, Option<PathBuf>);

fn change(names: &mut BTreeMap<PathBuf, usize>, (name, file, before): &Change) {
    if let Some(before) = before {
        names.remove(before);
    }
    match file {
        Some(file) => names.insert(name.clone(), *file),
        None => names.remove(name),
    };
}

impl Volatile {
    fn new(seed: u64, syncs: bool) -> Volatile {
        let numbers = fastrand::Rng::with_seed(seed);
        Volatile { state: RefCell::new(State { numbers, ..State::default() }), syncs }
    }

    fn number(&self, below: u32) -> u32 {
        self.state.borrow_mut().numbers.u32(..below)
    }

    fn expect(&self, trouble: Trouble) {
        self.state.borrow_mut().trouble = trouble;
    }

    fn has_power(&self) -> bool {
        !matches!(self.state.borrow().trouble, Trouble::Cut(0))
    }

    /// Power comes back: of what was not synced, any part is there.
    fn restart(&self) {
        let state = &mut *self.state.borrow_mut();
        for (bytes, is_synced) in state.files.iter_mut().filter(|(_, synced)| !synced) {
            let whole = state.numbers.usize(..=bytes.len());
            match state.numbers.bool() {
                true => bytes.truncate(whole),
                false => bytes[whole..].fill(0),
            }
            *is_synced = true;
        }
        let changes = std::mem::take(&mut state.changes);
        for done in changes.iter().filter(|_| state.numbers.bool()) {
            change(&mut state.synced, done);
        }
        state.names = state.synced.clone();
        state.trouble = Trouble::None;
    }

    /// The next operation, if it is done.
    fn begin(&self) -> io::Result<std::cell::RefMut<'_, State>> {
        let mut state = self.state.borrow_mut();
        let trouble = state.trouble;
        match trouble {
            Trouble::Cut(0) => return Err(io::Error::other("the power is cut")),
            Trouble::Cut(left) => state.trouble = Trouble::Cut(left - 1),
            Trouble::Full(of) if state.numbers.u32(..of) == 0 => {
                return Err(io::ErrorKind::StorageFull.into());
            }
            _ => {}
        }
        Ok(state)
    }

    fn done(state: &mut State, done: Change) -> io::Result<()> {
        change(&mut state.names, &done);
        state.changes.push(done);
        Ok(())
    }
}

fn file_of(state: &State, path: &Path) -> io::Result<usize> {
    state.names.get(path).copied().ok_or(io::ErrorKind::NotFound.into())
}

impl Disk for &Volatile {
    type Open = usize;

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.begin()?;
        Ok(state.files[file_of(&state, path)?].0.clone())
    }

    fn create(&self, path: &Path, _: Readers) -> io::Result<usize> {
        let mut state = self.begin()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.files.push((vec![], false));
        let file = state.files.len() - 1;
        Volatile::done(&mut state, (path.to_path_buf(), Some(file), None))?;
        Ok(file)
    }

    fn append(&self, file: &mut usize, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.begin()?;
        state.files[*file].0.extend(bytes);
        state.files[*file].1 = false;
        Ok(())
    }

    fn sync(&self, file: &usize) -> io::Result<()> {
        self.begin()?.files[*file].1 |= self.syncs;
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        let file = file_of(&state, from)?;
        Volatile::done(&mut state, (to.to_path_buf(), Some(file), Some(from.to_path_buf())))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        let file = file_of(&state, from)?;
        match state.names.contains_key(to) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => Volatile::done(&mut state, (to.to_path_buf(), Some(file), None)),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        file_of(&state, path)?;
        Volatile::done(&mut state, (path.to_path_buf(), None, None))
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        if self.syncs {
            state.synced = state.names.clone();
            state.changes.clear();
        }
        Ok(())
    }
}

const KEY: &str = "folder/key";

/// Signs with a key through 20 troubles, each of which ends a process; whether all went well. Indices are used when they are taken,
/// a few at a time.
fn goes_well(disk: &Volatile, trouble: impl Fn() -> Trouble) -> bool {
    let path = Path::new(KEY);
    Store::create(&disk, path, b"secrets").expect("no trouble yet");
    let mut used = BTreeSet::new();
    for _ in 0..20 {
        let Ok((mut store, _)) = Store::open(disk, path) else { return false };
        let mut is_new = true;
        let mut sign = || {
            let (first, count) = (store.next(), 1 + u64::from(disk.number(3)));
            store.take_below(first + count)?;
            is_new &= (first..first + count).all(|index| used.insert(index));
            Ok::<(), Error>(())
        };
        // Nothing that was left of the trouble before is in the way.
        if sign().is_err() {
            return false;
        }
        disk.expect(trouble());
        while sign().is_ok() {}
        if !is_new {
            return false;
        }
        match disk.has_power() {
            true => disk.expect(Trouble::None),
            false => disk.restart(),
        }
    }
    true
}

#[test]
fn no_index_is_used_twice_whenever_the_power_is_cut() {
    let count = if std::env::var_os("NAKIRI_FULL").is_some() { 50_000 } else { 2000 };
    for seed in 0..count {
        let disk = Volatile::new(seed, true);
        assert!(goes_well(&disk, || Trouble::Cut(disk.number(60))), "seed {seed}");
    }
}

/// What is found on a disk that syncs nothing, whatever it says.
#[test]
fn power_cuts_lose_what_is_not_synced() {
    let goes_well = |seed| {
        let disk = Volatile::new(seed, false);
        goes_well(&disk, || Trouble::Cut(disk.number(60)))
    };
    assert!((0..20).filter(|seed| !goes_well(*seed)).count() > 15);
}

#[test]
fn no_index_is_used_twice_and_no_key_lost_on_a_full_disk() {
    for seed in 0..500 {
        let disk = Volatile::new(seed, true);
        assert!(goes_well(&disk, || Trouble::Full(2 + disk.number(40))), "seed {seed}");
    }
}

/// A key that was made is there; one that was not is not half there.
#[test]
fn a_key_is_there_as_soon_as_it_is_made() {
    let (path, mut made, mut found) = (Path::new(KEY), 0, 0);
    for seed in 0..500 {
        let disk = Volatile::new(seed, true);
        disk.expect(Trouble::Cut(disk.number(30)));
        let is_made = Store::create(&&disk, path, b"secrets").is_ok();
        disk.restart();
        let opened = Store::open(&disk, path);
        let is_whole = opened.as_ref().is_ok_and(|(store, _)| store.next() == 0);
        assert_eq!(disk.state.borrow().names.contains_key(path), is_whole, "seed {seed}");
        assert!(is_whole || !is_made, "seed {seed}");
        made += u32::from(is_made);
        found += u32::from(is_whole);
    }
    assert!(made > 50 && found > made && found < 500, "{made} made, {found} found");
}
