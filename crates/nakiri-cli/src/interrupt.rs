//! Signals that end the program: Ctrl-C, and those by which a system or a terminal ends it. They end all that it has started
//! too, and no temporary folder stays. In long work the first one stops it at the next step, so that what was done is kept.

use crate::output::say;
use crate::session::Failure;
use nakiri_verify::process;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

static WATCHED: AtomicBool = AtomicBool::new(false);
static STOPS_PROGRAMS: AtomicBool = AtomicBool::new(false);
/// The number of the first signal that came; 0 if none has.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// What is added to the number of a signal to make an exit code of it.
const ENDED: u8 = 128;
/// The number of Ctrl-C.
const CTRL_C: u8 = 2;

/// From now on signals end what the program has started, too.
pub fn handle() {
    #[cfg(unix)]
    signals::handle();
    #[cfg(not(unix))]
    // Where that can't be had, Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(|| note(CTRL_C));
}

/// Ends the program, or notes that it is to end.
fn note(signal: u8) {
    let first = SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if first && WATCHED.load(Ordering::Relaxed) {
        say!("interrupted: it stops at the next step; once more ends it now");
        if STOPS_PROGRAMS.load(Ordering::Relaxed) {
            process::stop();
        }
        return;
    }
    say!("interrupted");
    process::abandon();
    std::process::exit(i32::from(ENDED + signal));
}

/// From now on the first signal is only noted.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// The same, and that one ends the programs that are running: what they would have found is not waited for.
pub fn watch_and_stop_programs() {
    STOPS_PROGRAMS.store(true, Ordering::Relaxed);
    watch();
}

/// Whether a signal came.
pub fn happened() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// The exit code of a program that the signal has ended which came; that of Ctrl-C if none has.
pub fn code() -> u8 {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => ENDED + CTRL_C,
        signal => ENDED + signal,
    }
}

/// That a signal has ended what was asked, with what came of it.
pub fn failure(message: &str) -> Failure {
    say!("error: {message}");
    Failure::Interrupted(code())
}

#[cfg(unix)]
mod signals {
    use nix::sys::signal::{SigSet, Signal};

    /// Waits for signals in a thread of its own; all other threads, which are started later, have them blocked. Programs that
    /// are started don't.
    pub fn handle() {
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGINT);
        signals.add(Signal::SIGTERM);
        // Under `nohup` the end of the terminal is nothing to this program.
        if !is_ignored(Signal::SIGHUP) {
            signals.add(Signal::SIGHUP);
        }
        if signals.thread_block().is_err() {
            return;
        }
        std::thread::spawn(move || {
            while let Ok(signal) = signals.wait() {
                super::note(signal as u8);
            }
        });
    }

    /// Whether a signal is ignored, where the system says so.
    fn is_ignored(signal: Signal) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal as u32 - 1) & 1 == 1)
    }
}
