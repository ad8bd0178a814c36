//! Work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What a function makes of each number below `count`, in order, on at most so many threads.
pub fn map<R: Send>(threads: usize, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = threads.min(count);
    if threads <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take_all = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        taken.take_while(|k| *k < count).map(|k| (k, work(k))).collect::<Vec<_>>()
    };
    let mut results: Vec<Option<R>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take_all)).collect();
        for worker in workers {
            for (k, result) in worker.join().expect("work doesn't panic") {
                results[k] = Some(result);
            }
        }
    });
    results.into_iter().map(|result| result.expect("all numbers were taken")).collect()
}

/// What a function makes of each so many items, one after another, on at most so many threads.
pub fn of_chunks<T: Sync, R: Send + Clone>(
    threads: usize,
    items: &[T],
    size: usize,
    work: impl Fn(&[T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let chunks: Vec<&[T]> = items.chunks(size).collect();
    map(threads, chunks.len(), |k| work(chunks[k])).concat()
}
