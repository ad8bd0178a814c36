//! The placeholders of the targets' templates.

use super::syntax::Syntax;
use crate::core::aes::{unsubstituted, UNSHIFT_ROWS};
use crate::core::field::{inverse, ByteMap};
use crate::core::{semantics, Direction, Op, Type};
use crate::isa::{Instance, Target, C};

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
}

impl Fill<'_> {
    /// The expression for an operation.
    pub fn operation(&self, instance: &'static Instance, op: &Op, args: &[String]) -> String {
        self.expand(self.syntax.operation(instance), &|key| match key {
            "0" | "1" | "2" => args.get(key.parse::<usize>().ok()?).cloned(),
            _ => operation_placeholder(self, op, key),
        })
    }

    /// A template without an operation.
    pub fn text(&self, template: &str) -> String {
        self.expand(template, &|_| None)
    }

    fn expand(&self, template: &str, own: &dyn Fn(&str) -> Option<String>) -> String {
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
            let filled = own(key).or_else(|| self.common(key));
            let filled = filled.unwrap_or_else(|| format!("{{{key}}}"));
            self.syntax.append(&mut out, &filled);
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn common(&self, key: &str) -> Option<String> {
        let extra = self.extra.iter().find(|(name, _)| *name == key);
        if let Some((_, text)) = extra {
            return Some(text.to_string());
        }
        Some(match key {
            "mm" => self.registers().mm.to_string(),
            "si" => self.registers().si.to_string(),
            "register" => self.text(self.registers().register),
            "w" => self.ty.word().to_string(),
            "w-1" => (self.ty.word() - 1).to_string(),
            "e" => (self.target.bits / u32::from(self.ty.word())).to_string(),
            "r" => self.target.register_bits(self.ty.direction(), self.ty.bits()).to_string(),
            _ => return None,
        })
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
        let every = self.syntax.literal(self.every(atoms[0]));
        Fill { extra: &[("c", &literal), ("every c", &every)], ..*self }.text(c.splat[place])
    }

    /// A word in all words of a general-purpose register.
    fn every(&self, word: u128) -> u128 {
        let (bits, width) = (self.target.bits.min(128), usize::from(self.ty.word()));
        (0..bits).step_by(width).fold(0, |all, bit| all | word << bit)
    }

    /// Horizontal atoms in a general-purpose register.
    fn lanes(&self) -> u32 {
        self.target.lanes(self.ty.direction(), self.ty.bits())
    }

    /// The bits of a word, each repeated so many times in a position of horizontal atoms in a general-purpose register.
    fn spread(&self, word: u128, times: u32) -> u128 {
        let ones = (0..self.ty.bits()).filter(|bit| word >> bit & 1 == 1);
        let place = |bit: u16| semantics::mask(times as u16) << (u32::from(bit) * self.lanes());
        ones.fold(0, |all, bit| all | place(bit))
    }

    /// A row in every segment, as often as it fits.
    fn row_constant(&self, value: u128) -> String {
        let size = usize::from(self.ty.bits() / 8);
        let byte = |byte: usize| i32::from(value.to_le_bytes()[byte % size] as i8);
        self.segment(&(0..16).map(byte).collect::<Vec<_>>())
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
        let bytes: Vec<i32> = (0..16).map(|byte| if set(byte) { -1 } else { 0 }).collect();
        self.segment(&bytes)
    }

    /// A register with these bytes in every segment.
    fn segment(&self, bytes: &[i32]) -> String {
        let word = |bytes: &[i32]| {
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

fn operation_placeholder(fill: &Fill, op: &Op, key: &str) -> Option<String> {
    let width = fill.ty.word();
    let hex = |value| fill.syntax.literal(value);
    if let Some(value) = key.strip_prefix("every ").and_then(|key| word(op, width, key)) {
        return Some(hex(fill.every(value)));
    }
    if let Some(value) = key.strip_prefix("lanes ").and_then(|key| word(op, width, key)) {
        return Some(hex(fill.spread(value, fill.lanes())));
    }
    if let Some(value) = key.strip_prefix("lane 0 ").and_then(|key| word(op, width, key)) {
        return Some(hex(fill.spread(value, 1)));
    }
    if let Some(value) = word(op, width, key) {
        return Some(hex(value));
    }
    let amount = || amount(op);
    Some(match key {
        "n" => amount()?.to_string(),
        "w-n" => (width - amount()?).to_string(),
        "l*n" => (fill.lanes() * u32::from(amount()?)).to_string(),
        "l*(w-n)" => (fill.lanes() * u32::from(width - amount()?)).to_string(),
        "l*(w-1)" => (fill.lanes() * u32::from(width - 1)).to_string(),
        "w-1-n" => (width - 1 - amount()?).to_string(),
        "lut" => match op {
            Op::Ternary(lut) => hex(u128::from(*lut)),
            _ => return None,
        },
        key if key.starts_with("segment ") => fill.segment(&bytes(op, key)?),
        "segment" => fill.segment(&byte_pattern(op, fill.ty)?),
        "picks" => {
            let pattern = byte_pattern(op, fill.ty)?;
            let bytes = fill.target.bits as i32 / 8;
            let segment = |segment: i32| {
                let pick = move |byte: &i32| if *byte < 0 { bytes } else { 16 * segment + byte };
                pattern.iter().map(pick).collect::<Vec<_>>()
            };
            list((0..bytes / 16).flat_map(segment))
        }
        "quads" => {
            let bytes = byte_pattern(op, fill.ty)?;
            let field = |i: usize| (bytes[4 * i] as u128 / 4) << (2 * i);
            hex((0..4).map(field).sum())
        }
        "words" => {
            let (picks, bits) = (picks(op, width)?, 512 / width);
            let put = |word: u128, pick: &Option<u16>| word << bits | u128::from(pick.unwrap_or(0));
            let words = picks.chunks(usize::from(64 / bits)).rev();
            list(words.map(|picks| hex(picks.iter().rev().fold(0, put))))
        }
        "matrix" => hex(ByteMap::of_operation(op)?.matrix().into()),
        "sum" => hex(ByteMap::of_operation(op)?.constant.into()),
        key if key.starts_with("entries ") => {
            let pattern = |word: u64| fill.syntax.pattern(word, fill.target.bits);
            list(entries(op, key)?.into_iter().rev().map(pattern))
        }
        "keep" => {
            let picks = picks(op, width)?;
            let set = picks.iter().enumerate().filter(|(_, pick)| pick.is_some());
            hex(set.fold(0, |sum, (p, _)| sum | 1 << p))
        }
        _ => return None,
    })
}

fn amount(op: &Op) -> Option<u16> {
    match op {
        Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Bitmask(n) => Some(*n),
        Op::RotlAnd { by, .. } => Some(*by),
        _ => None,
    }
}

fn kept(op: &Op) -> Option<u128> {
    match op {
        Op::RotlAnd { kept, .. } => Some(*kept),
        _ => None,
    }
}

/// The word that a placeholder stands for.
fn word(op: &Op, width: u16, key: &str) -> Option<u128> {
    let (ones, amount) = (semantics::mask(width), || amount(op));
    Some(match key {
        "1" => 1,
        "ones" => ones,
        "top" => 1 << (width - 1),
        "1<<n" => 1 << amount()?,
        "ones>>1" => ones >> 1,
        "ones<<n" => ones << amount()? & ones,
        "ones<<w-n" => ones << (width - amount()?) & ones,
        "ones>>n" => ones >> amount()?,
        "ones>>w-n" => ones >> (width - amount()?),
        "kept" => kept(op)?,
        "kept&ones<<n" => kept(op)? & ones << amount()?,
        "kept&ones>>w-n" => kept(op)? & ones >> (width - amount()?),
        "sign>>n" => 1 << (width - 1 - amount()?),
        _ => return None,
    })
}

/// For an operation that moves the bits of one atom: which input position each output position takes, position 0
/// the most significant.
pub(super) fn picks(op: &Op, width: u16) -> Option<Vec<Option<u16>>> {
    let pick = |p: u16| match op {
        Op::Shl(n) => Some(p + n).filter(|q| *q < width),
        Op::Shr(n) => p.checked_sub(*n),
        Op::Sar(n) => Some(p.saturating_sub(*n)),
        Op::Rotl(n) => Some((p + n) % width),
        Op::Bitmask(n) => Some(width - 1 - n),
        Op::Shuffle(picks) => picks.get(usize::from(p)).copied().flatten(),
        _ => None,
    };
    let moves = matches!(
        op,
        Op::Shl(_) | Op::Shr(_) | Op::Sar(_) | Op::Rotl(_) | Op::Bitmask(_) | Op::Shuffle(_)
    );
    moves.then(|| (0..width).map(pick).collect())
}

/// The sixteen bytes that a placeholder stands for.
fn bytes(op: &Op, key: &str) -> Option<Vec<i32>> {
    let after = |map: ByteMap| ByteMap::of(|y| Some(map.apply(inverse(unsubstituted(y)))));
    let byte: Box<dyn Fn(u8) -> u8> = match (key, op) {
        ("segment unshift", _) => Box::new(|i| UNSHIFT_ROWS[usize::from(i)] as u8),
        ("segment low" | "segment high", _) => half(ByteMap::of_operation(op)?, key),
        ("segment after low" | "segment after high", Op::Invert(map)) => half(after(*map)?, key),
        (_, Op::Substitute(table)) => {
            let part: u8 = key.strip_prefix("segment entries ")?.parse().ok()?;
            Box::new(move |i| table[usize::from(16 * part + i)])
        }
        _ => return None,
    };
    Some((0..16).map(|i| i32::from(byte(i) as i8)).collect())
}

/// An affine map of one half of a byte, the constant with the low one.
fn half(map: ByteMap, key: &str) -> Box<dyn Fn(u8) -> u8> {
    match key.ends_with("low") {
        true => Box::new(move |i| map.apply(i)),
        false => Box::new(move |i| map.apply(i << 4) ^ map.constant),
    }
}

/// A quarter of a table of bytes as words, each with its first entry in the lowest byte.
fn entries(op: &Op, key: &str) -> Option<Vec<u64>> {
    let Op::Substitute(table) = op else { return None };
    let quarter: usize = key.split(' ').nth(1)?.parse().ok()?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    Some(table.chunks(64).nth(quarter)?.chunks(8).map(word).collect())
}

/// The byte shuffle of a 128-bit segment that an operation is: for each output byte the number of an input byte, or
/// −128 for zero.
fn byte_pattern(op: &Op, ty: Type) -> Option<Vec<i32>> {
    let width = ty.word();
    if ty.direction() == Direction::H {
        let (picks, size) = (picks(op, width)?, 16 / width);
        let pick = |byte: u16| match picks[usize::from(byte / size)] {
            Some(p) => i32::from(p * size + byte % size),
            None => -128,
        };
        return Some((0..16).map(pick).collect());
    }
    let size = width / 8;
    if let Op::Permute(picks) = op {
        let length = picks.len() as u16;
        let pick = |byte: u16| {
            let (row, atom) = (byte / size / length, byte / size % length);
            picks[usize::from(atom)]
                .map_or(-128, |p| i32::from((row * length + p) * size + byte % size))
        };
        return Some((0..16).map(pick).collect());
    }
    let Op::Rotl(n) = op else { return None };
    let by = n / 8;
    let pick = |byte: u16| i32::from(byte / size * size + (byte % size + size - by) % size);
    Some((0..16).map(pick).collect())
}

fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::aes::Aes;
    use crate::core::OpKind;
    use crate::isa;

    fn example(kind: OpKind, width: u16) -> Op {
        match kind {
            OpKind::Shl => Op::Shl(1),
            OpKind::Shr => Op::Shr(1),
            OpKind::Sar => Op::Sar(1),
            OpKind::Rotl => Op::Rotl(1),
            OpKind::RotlAnd => Op::RotlAnd { by: 1, kept: 3 },
            OpKind::Bitmask => Op::Bitmask(1),
            OpKind::Shuffle => Op::Shuffle((0..width).rev().map(Some).collect()),
            OpKind::Ternary => Op::Ternary(0x96),
            OpKind::Substitute => Op::Substitute(Box::new([7; 256])),
            OpKind::Affine => Op::Affine(ByteMap { columns: [7; 8], constant: 1 }),
            OpKind::Invert => Op::Invert(ByteMap { columns: [7; 8], constant: 1 }),
            OpKind::Aes => Op::Aes(Aes::Round),
            OpKind::Permute => Op::Permute((0..128 / width).rev().map(Some).collect()),
            _ => Op::And,
        }
    }

    #[test]
    fn every_placeholder_is_known() {
        let args = ["x", "y", "z"].map(String::from);
        for target in isa::all() {
            for row in target.rows() {
                for &(direction, widths) in row.types {
                    for &width in widths {
                        let ty = match direction {
                            Direction::P => Type::row(width, 128 / width),
                            _ => Type::new(direction, width),
                        };
                        let fill = Fill { syntax: &crate::emit::c::C11, target, ty, extra: &[] };
                        let text = fill.operation(row, &example(row.op, width), &args);
                        let text = text.replace("{ 0 }", "");
                        assert!(!text.contains(['{', '}']), "{}: {text}", target.name);
                    }
                }
            }
        }
    }
}
