//! Work that all cores share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Bytes of each stack: of what is nested deeply, as much as a main thread and more.
const STACK: usize = 64 << 20;

/// A core for a thread of its own. However maps are nested, no more threads work than there are cores.
struct Core;

impl Core {
    /// How many no thread has; the main one has its own.
    fn idle() -> &'static AtomicUsize {
        static IDLE: OnceLock<AtomicUsize> = OnceLock::new();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        IDLE.get_or_init(|| AtomicUsize::new(cores() - 1))
    }

    /// One, if any is idle.
    fn take() -> Option<Core> {
        let taken = |idle: usize| idle.checked_sub(1);
        Core::idle().fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok().map(|_| Core)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        Core::idle().fetch_add(1, Ordering::Relaxed);
    }
}

/// What some work makes of each of some things, in their order. The thread that asks works too.
pub fn map<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let turns = || loop {
        let k = next.fetch_add(1, Ordering::Relaxed);
        let Some(thing) = things.get(k) else { return };
        let result = work(thing);
        done.lock().unwrap_or_else(|poison| poison.into_inner()).push((k, result));
    };
    std::thread::scope(|scope| {
        let others = things.len().saturating_sub(1);
        for core in std::iter::from_fn(Core::take).take(others) {
            let turns = &turns;
            let work = move || {
                let _core = core;
                turns();
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("a thread can be started");
        }
        turns();
    });
    let mut done = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_stand_in_order() {
        let things: Vec<u32> = (0..100).collect();
        let squares: Vec<u32> = things.iter().map(|n| n * n).collect();
        assert_eq!(super::map(&things, |n| n * n), squares);
        assert!(super::map(&[0u32; 0], |n| n * n).is_empty());
    }

    #[test]
    fn no_more_work_than_there_are_cores() {
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let things = [0; 8];
        super::map(&things, |_| {
            super::map(&things, |_| {
                let now = 1 + working.fetch_add(1, Ordering::SeqCst);
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(1));
                working.fetch_sub(1, Ordering::SeqCst);
            })
        });
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert!(most.into_inner() <= cores);
        // Those of what panics are idle again.
        let idle = || super::Core::idle().load(Ordering::SeqCst);
        let caught = std::panic::catch_unwind(|| super::map(&things, |_| panic!("as it should")));
        assert!(caught.is_err());
        let again = |_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            idle() + 1 >= cores
        };
        assert!((0..60_000).any(again), "{} of {cores} are idle", idle());
    }
}
