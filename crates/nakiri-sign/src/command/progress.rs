//! How far the hashing of a tree is, on standard error.

use nakiri_sign::Engine;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::Duration;

/// How long it takes until something is said, and said again.
const INTERVAL: Duration = Duration::from_millis(100);

static LEAVES: AtomicU64 = AtomicU64::new(0);

/// Does work that hashes so many leaves, by an engine that counts them, and says how far it is if standard error is a terminal or
/// somebody asked: in one line of a terminal, or a line whenever there is more to say. Only one thread writes.
pub fn told<R>(leaves: u64, is_asked: bool, engine: Engine, work: impl FnOnce(Engine) -> R) -> R {
    let is_terminal = std::io::stderr().is_terminal();
    if !is_terminal && !is_asked {
        return work(engine);
    }
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut last = None;
            while is_done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                tell(leaves, is_terminal, &mut last);
            }
            if is_asked || last.is_some() {
                tell(leaves, is_terminal, &mut last);
            }
            if is_terminal && last.is_some() {
                let _ = writeln!(std::io::stderr());
            }
        });
        let result = work(engine.counting(&LEAVES));
        drop(done);
        result
    })
}

/// Says how far it is, unless that is what was said last. If nobody can be told, that is no reason to stop.
fn tell(leaves: u64, is_terminal: bool, last: &mut Option<u64>) {
    let percent = 100 * LEAVES.load(Ordering::Relaxed) / leaves;
    if last.replace(percent) != Some(percent) {
        let (begin, end) = if is_terminal { ("\r", "") } else { ("", "\n") };
        let mut stream = std::io::stderr();
        let _ = write!(stream, "{begin}{percent:>3} % of {leaves} leaves{end}");
        let _ = stream.flush();
    }
}
