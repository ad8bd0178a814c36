//! Who hears what is said: standard error, or a program that calls the parts of the command and shows it in its own way.

use serde_json::Value;
use std::cell::RefCell;

/// Something that is said.
#[derive(Clone, Debug)]
pub enum Said {
    /// A line of text.
    Line(String),
    /// A diagnostic, as [`Session::json`](crate::session::Session::json) has it, and as people read it.
    Diagnostic(Value, String),
}

thread_local! {
    static HEARD: RefCell<Option<Vec<Said>>> = const { RefCell::new(None) };
}

/// Does something, and gives what it said on this thread meanwhile, of which nothing goes to standard error.
pub fn listened<T>(does: impl FnOnce() -> T) -> (T, Vec<Said>) {
    let before = HEARD.replace(Some(Vec::new()));
    let done = does();
    (done, HEARD.replace(before).unwrap_or_default())
}

/// Tells a listener of this thread, if there is one; whether there is.
pub(crate) fn told(said: impl FnOnce() -> Said) -> bool {
    if HEARD.with_borrow(Option::is_none) {
        return false;
    }
    let said = said();
    HEARD.with_borrow_mut(|heard| heard.get_or_insert_default().push(said));
    true
}
