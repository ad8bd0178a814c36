//! Printers of kernels, and what is counted of them.

pub mod assembly;
mod barrier;
pub mod c;
mod check;
pub mod count;
mod expression;
pub mod facts;
mod function;
pub mod handshake;
mod images;
pub mod keys;
pub mod library;
mod names;
pub mod network;
pub mod operators;
mod parts;
pub(crate) mod ports;
mod printer;
pub mod rust;
pub mod shell;
pub mod stack;
pub mod syntax;
mod template;
mod transport;

use crate::core::Type;

/// A name of the source as a part of an identifier.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// What is done for each of so many, by its number.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// The lines one step further to the right, but for empty ones and those of C's preprocessor.
fn indented(text: &str) -> String {
    let stays = |line: &str| {
        let is_attribute = line.starts_with("#[");
        line.is_empty() || line.starts_with('#') && !is_attribute
    };
    let step = |line: &str| if stays(line) { "" } else { "    " };
    text.lines().map(|line| format!("{}{line}\n", step(line))).collect()
}

/// A type as a part of an identifier.
fn type_name(ty: Type) -> String {
    match ty.row_length() {
        1 => format!("{:?}{}", ty.direction(), ty.bits()),
        count => format!("{:?}{}x{count}", ty.direction(), ty.word()),
    }
}
