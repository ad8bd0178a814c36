//! The `nakiri` command.
fn main() {}
