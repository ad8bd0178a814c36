//! Ctrl-C in long work: the first one stops it at the next step, so that what was done is kept; the second one ends the
//! program.

use std::sync::atomic::{AtomicBool, Ordering};

static HAPPENED: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that Ctrl-C has ended: 128 and the number of the signal.
const ENDED: i32 = 130;

/// From now on Ctrl-C is noted.
pub fn watch() {
    let note = || {
        if HAPPENED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED);
        }
        eprintln!("interrupted: it stops at the next step; once more ends it now");
    };
    // Where that can't be had, Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(note);
}

/// Whether Ctrl-C was pressed.
pub fn happened() -> bool {
    HAPPENED.load(Ordering::Relaxed)
}
