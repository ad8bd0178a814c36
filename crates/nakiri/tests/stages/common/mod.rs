//! Reading of the data in `tests/core`.

pub mod source;

use nakiri::core::{Program, Width};
use std::path::PathBuf;

/// The folder of the data.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/core"))
}

/// One of its files.
pub fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Part of a file: a title after `====`, a text, and what is expected of it, each line after `----`.
pub struct Case {
    pub title: String,
    pub text: String,
    pub expected: Vec<String>,
}

/// The cases of a file; what comes before the first one is a comment.
pub fn cases(file: &str) -> Vec<Case> {
    let all = read(file);
    let cases: Vec<_> = all
        .split("==== ")
        .skip(1)
        .map(|case| {
            let (title, rest) = case.split_once('\n').expect("a case has a text");
            let (expected, text): (Vec<_>, Vec<_>) =
                rest.lines().partition(|line| line.starts_with("---- "));
            assert!(!expected.is_empty(), "{file}: {title}: nothing is expected");
            Case {
                title: title.to_string(),
                text: text.join("\n"),
                expected: expected.iter().map(|line| line[5..].to_string()).collect(),
            }
        })
        .collect();
    assert!(!cases.is_empty(), "{file} has no case");
    cases
}

/// Some inputs of the entry, always the same ones; none if its word sizes are open.
pub fn inputs(program: &Program, seed: u64) -> Option<Vec<Vec<u128>>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = || {
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            state ^= if left { state << shift } else { state >> shift };
        }
        u128::from(state)
    };
    let ports = program.entry().params.iter();
    ports
        .map(|port| {
            let Width::Bits(bits) = port.ty.width else { return None };
            let mask = nakiri::core::semantics::mask(bits);
            Some((0..port.count()).map(|_| (random() << 64 | random()) & mask).collect())
        })
        .collect()
}
