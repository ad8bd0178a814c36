//! What the compiler does, from texts to kernels, as one program: each more would take seconds to compile.

mod common;
mod sboxes;

mod assembly;
mod binary_fields;
mod book;
mod chain;
mod circuit;
mod core;
mod cost;
mod damaged;
mod elaborate;
mod fields;
mod horner;
mod layers;
mod leap;
mod map;
mod modes;
mod offsets;
mod packed;
mod passes;
mod poly1305;
mod run;
mod semantic;
mod split;
mod syntax;
mod tower;
mod ui;
