//! Templates of targets: how their registers, and constants of programs in them, are written.

use super::syntax::Syntax;
use crate::core::{semantics, Direction, Type};
use crate::isa::{Target, C};
use std::cell::RefCell;

/// What a template is filled in for.
#[derive(Clone, Copy)]
pub struct Fill<'a> {
    /// The language.
    pub syntax: &'a dyn Syntax,
    /// The target whose template it is.
    pub target: &'static Target,
    /// The type of the values.
    pub ty: Type,
    /// Other placeholders and their texts.
    pub extra: &'a [(&'a str, &'a str)],
    /// What gives names to registers of bytes, if they have some.
    pub names: Option<&'a RefCell<Names>>,
}

/// The names of registers of bytes that a function's text has: such a constant is written once in a block.
#[derive(Debug, Default)]
pub struct Names {
    /// The bytes that have a name, its number, and how deep the block is in which it is defined.
    known: Vec<([i8; 16], usize, usize)>,
    /// How deep the block is that is written.
    depth: usize,
    /// How many there were.
    count: usize,
    /// Type, name and text of those that aren't defined yet.
    fresh: Vec<[String; 3]>,
}

impl Names {
    /// A block begins.
    pub fn enter(&mut self) {
        self.depth += 1;
    }

    /// A block ends: what was defined in it has no name any longer.
    pub fn leave(&mut self) {
        self.depth -= 1;
        self.known.retain(|(.., depth)| *depth <= self.depth);
    }

    /// Those that must be defined here.
    pub fn fresh(&mut self) -> Vec<[String; 3]> {
        std::mem::take(&mut self.fresh)
    }

    /// The name of these bytes, which have one from now on.
    fn of(&mut self, bytes: &[i8; 16], ty: String, text: impl FnOnce() -> String) -> String {
        if let Some((_, number, _)) = self.known.iter().find(|(known, ..)| known == bytes) {
            return format!("c{number}");
        }
        let name = format!("c{}", self.count);
        self.known.push((*bytes, self.count, self.depth));
        self.fresh.push([ty, name.clone(), text()]);
        self.count += 1;
        name
    }
}

impl Fill<'_> {
    /// A template, filled in.
    pub fn text(&self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() * 2);
        let mut rest = template;
        while let Some((before, inner)) = rest.split_once('{') {
            out.push_str(before);
            // A brace before a space is one of C.
            let placeholder = inner.split_once('}').filter(|_| !inner.starts_with(' '));
            let Some((key, after)) = placeholder else {
                out.push('{');
                rest = inner;
                continue;
            };
            let filled = self.placeholder(key);
            out.push_str(&filled.unwrap_or_else(|| format!("{{{key}}}")));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn placeholder(&self, key: &str) -> Option<String> {
        let extra = self.extra.iter().find(|(name, _)| *name == key);
        if let Some((_, text)) = extra {
            return Some(text.to_string());
        }
        Some(match key {
            "mm" => self.registers().mm.to_string(),
            "si" => self.registers().si.to_string(),
            "register" => self.text(self.registers().register),
            "w" => self.ty.word().to_string(),
            "e" => (self.target.bits / u32::from(self.ty.word())).to_string(),
            "r" => self.register_bits().to_string(),
            _ => return None,
        })
    }

    fn register_bits(&self) -> u32 {
        self.target.register_bits(self.ty.direction(), self.ty.bits())
    }

    /// Bits of a word that operators work on: an element of a vector, or a general-purpose register.
    pub fn word_bits(&self) -> u32 {
        if self.target.simd {
            self.ty.word().into()
        } else {
            self.register_bits()
        }
    }

    /// How the target's registers are written.
    pub fn registers(&self) -> C {
        self.syntax.registers(self.target)
    }

    /// A constant atom in every lane.
    pub fn constant(&self, value: u128) -> String {
        let c = self.registers();
        let (width, all) = (self.ty.word(), semantics::mask(self.ty.bits()));
        if value & all == 0 {
            return self.text(c.zeros);
        }
        if value & all == all {
            return self.text(c.ones);
        }
        match (self.ty.direction(), self.target.simd) {
            (Direction::H, true) => return self.horizontal_constant(value),
            (Direction::H, false) => {
                let literal = self.syntax.literal(self.spread(value, self.lanes()));
                return Fill { extra: &[("c", &literal)], ..*self }.text(c.splat[3]);
            }
            _ => {}
        }
        let atoms = semantics::unpack(value, width, self.ty.row_length());
        if atoms.iter().any(|atom| *atom != atoms[0]) {
            return self.row_constant(value);
        }
        let place = [8, 16, 32, 64].iter().position(|w| *w == width).unwrap_or(3);
        let literal = self.syntax.literal(atoms[0]);
        let signed = self.syntax.signed(&literal, width);
        let every = self.syntax.literal(self.every(atoms[0]));
        let extra = [("c", &*literal), ("signed c", &*signed), ("every c", &*every)];
        Fill { extra: &extra, ..*self }.text(c.splat[place])
    }

    /// A word in all words of a general-purpose register.
    pub fn every(&self, word: u128) -> u128 {
        let (bits, width) = (self.target.bits.min(128), usize::from(self.ty.word()));
        (0..bits).step_by(width).fold(0, |all, bit| all | word << bit)
    }

    /// Horizontal atoms in a general-purpose register.
    pub fn lanes(&self) -> u32 {
        self.target.lanes(self.ty.direction(), self.ty.bits())
    }

    /// The bits of a word, each repeated so many times in a position of horizontal atoms in a general-purpose register.
    pub fn spread(&self, word: u128, times: u32) -> u128 {
        let ones = (0..self.ty.bits()).filter(|bit| word >> bit & 1 == 1);
        let place = |bit: u16| semantics::mask(times as u16) << (u32::from(bit) * self.lanes());
        ones.fold(0, |all, bit| all | place(bit))
    }

    /// A row in every segment, as often as it fits.
    fn row_constant(&self, value: u128) -> String {
        let size = usize::from(self.ty.bits() / 8);
        self.segment(&std::array::from_fn(|byte| value.to_le_bytes()[byte % size] as i8))
    }

    fn horizontal_constant(&self, value: u128) -> String {
        let (c, width) = (self.registers(), self.ty.word());
        if width > 16 {
            let keep = self.syntax.literal(value.reverse_bits() >> (128 - width));
            let elements = c.elements[usize::from(width / 64)].unwrap_or("");
            return Fill { extra: &[("keep", &keep)], ..*self }.text(elements);
        }
        let element = 16 / width;
        let set = |byte: u16| value >> (width - 1 - byte / element) & 1 == 1;
        self.segment(&std::array::from_fn(|byte| if set(byte as u16) { -1 } else { 0 }))
    }

    /// A register with these bytes in every segment, or its name.
    pub fn segment(&self, bytes: &[i8; 16]) -> String {
        match (self.names, self.registers().segment_type) {
            (Some(names), Some(ty)) => {
                names.borrow_mut().of(bytes, ty.to_string(), || self.segment_text(bytes))
            }
            _ => self.segment_text(bytes),
        }
    }

    fn segment_text(&self, bytes: &[i8; 16]) -> String {
        let word = |bytes: &[i8]| {
            let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte as u8));
            self.syntax.literal(word)
        };
        let (low, high) = (word(&bytes[..8]), word(&bytes[8..]));
        let segments = vec![format!("{low}, {high}"); self.target.bits as usize / 128].join(", ");
        let bytes = list(bytes.iter().copied());
        let extra =
            [("bytes", &*bytes), ("low", &*low), ("high", &*high), ("segments", &*segments)];
        Fill { extra: &extra, ..*self }.text(self.registers().segment.unwrap_or(""))
    }
}

/// Items with commas between them.
pub fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
