//! Ctrl-C: it ends the program with all that it has started, and no temporary folder stays. In long work the first one stops it
//! at the next step, so that what was done is kept.

use crate::output::say;
use nakiri_verify::process;
use std::sync::atomic::{AtomicBool, Ordering};

static WATCHED: AtomicBool = AtomicBool::new(false);
static HAPPENED: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that Ctrl-C has ended: 128 and the number of the signal.
const ENDED: i32 = 130;

/// From now on Ctrl-C ends what the program has started, too.
pub fn handle() {
    let note = || {
        if !WATCHED.load(Ordering::Relaxed) || HAPPENED.swap(true, Ordering::Relaxed) {
            process::abandon();
            std::process::exit(ENDED);
        }
        say!("interrupted: it stops at the next step; once more ends it now");
    };
    // Where that can't be had, Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(note);
}

/// From now on the first Ctrl-C is only noted.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// Whether Ctrl-C was pressed.
pub fn happened() -> bool {
    HAPPENED.load(Ordering::Relaxed)
}
