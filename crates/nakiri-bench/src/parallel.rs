//! Work that all cores share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Bytes of each stack: of what is nested deeply, as much as a main thread and more.
const STACK: usize = 64 << 20;

/// What some work makes of each of some things, in their order. One thing alone is worked on by the thread that asks.
pub fn map<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if let [thing] = things {
        return vec![work(thing)];
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(things.len());
    std::thread::scope(|scope| {
        let turns = || loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(k) else { return };
            let result = work(thing);
            done.lock().unwrap_or_else(|poison| poison.into_inner()).push((k, result));
        };
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, turns).expect("a thread can be started");
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_stand_in_order() {
        let things: Vec<u32> = (0..100).collect();
        let squares: Vec<u32> = things.iter().map(|n| n * n).collect();
        assert_eq!(super::map(&things, |n| n * n), squares);
        assert!(super::map(&[0u32; 0], |n| n * n).is_empty());
    }
}
