//! The sub-commands, one file each.

pub mod audit;
pub mod bench;
pub mod bound;
pub mod build;
pub mod calibrate;
pub mod check;
pub mod ciphers;
pub mod circuit;
pub mod completions;
pub mod doctor;
pub mod explain;
pub mod fmt;
pub mod library;
pub mod lsp;
pub mod man;
pub mod metrics;
pub mod new;
pub mod prove;
pub mod report;
pub mod run;
pub mod targets;
pub mod test;
pub mod tune;
