//! What a random program is made of, and which slicings it must be legal for.

use nakiri::core::Direction::{self, *};
use nakiri::core::OpKind;
use nakiri::isa::Target;

/// A kind of random program.
#[derive(Debug)]
pub struct Profile {
    /// Its name, for messages.
    pub name: &'static str,
    /// The word sizes to choose from.
    pub widths: &'static [u16],
    /// Whether the entry is generic in its word size.
    pub generic: bool,
    /// Whether it has `+ - *`.
    pub arith: bool,
    /// Whether it has shifts of one atom and `Bitmask`.
    pub shift: bool,
    /// Whether it has `Shuffle`.
    pub shuffle: bool,
    /// Whether it has several word sizes, by `Pack` and lookups.
    pub mixed: bool,
    /// The directions in which it must compile, on every target that has them.
    pub legal: &'static [Direction],
}

const LOGIC: Profile = Profile {
    name: "logic",
    widths: &[8, 16],
    generic: false,
    arith: false,
    shift: false,
    shuffle: false,
    mixed: false,
    legal: &[B, V, H],
};

/// All profiles.
pub static PROFILES: &[Profile] = &[
    LOGIC,
    Profile { name: "shifts", shift: true, ..LOGIC },
    Profile { name: "shuffles", shift: true, shuffle: true, legal: &[B, H], ..LOGIC },
    Profile { name: "narrow", widths: &[2, 4], shift: true, legal: &[B, H], ..LOGIC },
    Profile { name: "wide", widths: &[32, 64], shift: true, legal: &[B, V], ..LOGIC },
    Profile {
        name: "sums",
        widths: &[8, 16, 32, 64],
        arith: true,
        shift: true,
        legal: &[V],
        ..LOGIC
    },
    Profile { name: "generic", generic: true, ..LOGIC },
    Profile { name: "bits", widths: &[1], legal: &[B], ..LOGIC },
    Profile {
        name: "odd",
        widths: &[3, 5, 13, 24, 100, 128],
        shift: true,
        shuffle: true,
        legal: &[B],
        ..LOGIC
    },
    Profile { name: "mixed", widths: &[4, 6, 8], shift: true, mixed: true, legal: &[B], ..LOGIC },
];

impl Profile {
    /// Whether a program of this profile must compile in a direction on a target.
    pub fn must_compile(&self, direction: Direction, target: &Target) -> bool {
        let has = |kind, width: &u16| target.instance(kind, V, *width).is_some();
        let word =
            |width: &u16| has(OpKind::Xor, width) && (!self.arith || has(OpKind::Mul, width));
        let held = match direction {
            B => target.holds(B, 1),
            V => self.widths.iter().all(word),
            H => target.instance(OpKind::Shuffle, H, 8).is_some(),
            P => true,
        };
        held && self.legal.contains(&direction)
    }
}
