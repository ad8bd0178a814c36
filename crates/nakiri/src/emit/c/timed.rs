//! Entry points for measuring what a library does with messages.
//!
//! A file made by [`timed`](super::timed()) exports, beside the library's own functions:
//!
//! - `const struct measured *timed_functions(void)`: the rows of what can be called, as `bench/head.c` says; the last has no
//!   name;
//! - `size_t timed_largest(void)`: the most bytes that a call takes beside messages, or gives as a result;
//! - `int timed_self_test(void)`: 0 if all functions compute what their vectors say.

use super::bench::{bench, table};
use crate::emit::identifier;
use crate::emit::library::{Library, LibraryError};

/// The entry points.
///
/// # Errors
/// If the parts of an instance don't fit together.
pub(super) fn definitions(library: &Library) -> Result<String, LibraryError> {
    let all = bench(library)?;
    let largest = all.largest.max(1);
    let tests: Vec<String> = library
        .instances
        .iter()
        .map(|instance| format!("{}_self_test()", identifier(&instance.prefix)))
        .collect();
    let tests = if tests.is_empty() { "0".to_string() } else { tests.join(" | ") };
    Ok(format!(
        "\n{}const struct measured *timed_functions(void);\n\
         const struct measured *timed_functions(void)\n{{\n    return all;\n}}\n\n\
         size_t timed_largest(void);\n\
         size_t timed_largest(void)\n{{\n    return {largest};\n}}\n\n\
         int timed_self_test(void);\n\
         int timed_self_test(void)\n{{\n    return {tests};\n}}\n",
        table(&[all])
    ))
}
