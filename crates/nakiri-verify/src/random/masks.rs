//! Random programs of what compilers undo: words that are made of one bit of data, and choices by them. Of
//! `(a & m) | (b & ~m)` they make a branch, or a load from a chosen address, if they see that `m` has two values.

use super::Rng;
use std::fmt::Write;

/// A program of masks for this seed, on words of so many bits.
pub fn masks(seed: u64, width: u16) -> String {
    let mut writer =
        Writer { rng: Rng::new(seed), width, data: vec![], masks: vec![], bits: vec![] };
    writer.program()
}

/// A program that is being written.
struct Writer {
    rng: Rng,
    width: u16,
    /// What can be chosen among.
    data: Vec<String>,
    /// Words of zeros or of ones.
    masks: Vec<String>,
    /// Words that are 0 or 1.
    bits: Vec<String>,
}

/// The statements of a program of this kind, between which it has loops.
const STATEMENTS: usize = 14;

impl Writer {
    fn program(&mut self) -> String {
        let width = self.width;
        let params = self.rng.range(2, 4);
        let count = self.rng.range(2, 4);
        let params: Vec<String> = (0..params).map(|k| format!("p{k}")).collect();
        for param in &params {
            self.data.extend((0..count).map(|k| format!("{param}[{k}]")));
        }
        let (mut variables, mut body) = (String::new(), String::new());
        // At least one of each kind, so that there is something to choose by.
        for k in 0..STATEMENTS {
            let kind = if k < 3 { k } else { self.rng.below(7) };
            let (name, text) = match kind {
                0 => (format!("m{k}"), self.mask()),
                1 => (format!("b{k}"), self.bit()),
                _ => (format!("d{k}"), self.choice()),
            };
            let _ = write!(variables, "{name}:u{width}, ");
            let _ = writeln!(body, "  {name} = {text};");
            match kind {
                0 => self.masks.push(name),
                1 => self.bits.push(name),
                _ => self.data.push(name),
            }
        }
        let sum = self.looped(&mut variables, &mut body);
        let last = self.data.last().cloned().unwrap_or_default();
        let bound: Vec<String> = params.iter().map(|p| format!("{p}:u{width}[{count}]")).collect();
        let (mask, bit) = (self.one_of(1), self.one_of(2));
        format!(
            "node Masks ({}) returns (y:u{width}[4])\nvars {}\nlet\n{body}  y[0] = {sum};\n  \
             y[1] = {last};\n  y[2] = {} ^ {mask};\n  y[3] = {} + {bit}\ntel\n",
            bound.join(", "),
            variables.trim_end_matches(", "),
            self.one_of(0),
            self.one_of(0),
        )
    }

    /// Data, a mask or a bit.
    fn one_of(&mut self, kind: usize) -> String {
        let list = [&self.data, &self.masks, &self.bits][kind];
        match self.rng.below(2) {
            0 => list.last().cloned().unwrap_or_default(),
            _ => self.rng.pick(list).clone(),
        }
    }

    /// A mask of a bit, of a sign, of a comparison or of other masks.
    fn mask(&mut self) -> String {
        let top = self.width - 1;
        let place = self.rng.below(usize::from(self.width));
        let x = self.one_of(0);
        let kinds = if self.masks.is_empty() { 3 } else { 6 };
        match self.rng.below(kinds) {
            0 => format!("Bitmask({x}, {place})"),
            1 => format!("({x} >>! {top})"),
            2 => format!("(({x} << {place}) >>! {top})"),
            3 => format!("~{}", self.one_of(1)),
            4 => format!("({} & {})", self.one_of(1), self.one_of(1)),
            _ if self.bits.is_empty() => format!("Bitmask({x}, {place})"),
            _ => format!("(0 - {})", self.one_of(2)),
        }
    }

    /// A bit of a word, of a carry, or whether a word is zero.
    fn bit(&mut self) -> String {
        let top = self.width - 1;
        let (x, y) = (self.one_of(0), self.one_of(0));
        match self.rng.below(4) {
            0 => format!("(({x} >> {}) & 1)", self.rng.below(usize::from(self.width))),
            1 => format!("({x} >> {top})"),
            2 => format!("((((~{x}) & {y}) | (((~{x}) | {y}) & ({x} - {y}))) >> {top})"),
            _ => format!("((({x} | (0 - {x})) >> {top}) ^ 1)"),
        }
    }

    /// A choice, or something that is done or not.
    fn choice(&mut self) -> String {
        let (x, y, m) = (self.one_of(0), self.one_of(0), self.one_of(1));
        let b = self.one_of(2);
        match self.rng.below(10) {
            0 => format!("(({x} & {m}) | ({y} & (~{m})))"),
            1 => format!("({y} ^ (({x} ^ {y}) & {m}))"),
            2 => format!("({x} + ({y} & {m}))"),
            3 => format!("({x} - ({m} & {y}))"),
            4 => format!("({x} * {b})"),
            5 => format!("(({x} & {m}) + ({y} & (~{m})))"),
            6 => format!("({x} ^ ({m} & {:#x}))", self.rng.word(self.width.min(8))),
            7 => {
                let (n, z) = (self.one_of(1), self.one_of(0));
                format!("(((({x} & {n}) | ({z} & (~{n}))) & {m}) | ({y} & (~{m})))")
            }
            8 => {
                let by = self.rng.range(1, usize::from(self.width) - 1);
                format!("((({x} <<< {by}) & {m}) | ({x} & (~{m})))")
            }
            _ => format!("({x} + ({y} * {b}) - {b})"),
        }
    }

    /// A loop over the bits of a word, each of which says whether something is added; gives its result.
    fn looped(&mut self, variables: &mut String, body: &mut String) -> String {
        let width = self.width;
        let last = self.rng.range(3, usize::from(width) - 1);
        let (x, y) = (self.one_of(0), self.one_of(0));
        let (mask, next) = match self.rng.below(3) {
            0 => (format!("Bitmask({x}, i)"), "(s[i] ^ (t[i] & m[i]))"),
            1 => (format!("((t[i] ^ {x}) >>! {})", width - 1), "(s[i] + (t[i] & m[i]))"),
            _ => (format!("Bitmask({x} ^ s[i], i)"), "((s[i] & m[i]) | (t[i] & (~m[i])))"),
        };
        let reduced = match self.rng.below(2) {
            0 => "(t[i] << 1)".to_string(),
            _ => format!("((t[i] << 1) ^ ((t[i] >>! {}) & 27))", width - 1),
        };
        let size = last + 2;
        let _ = write!(variables, "s:u{width}[{size}], t:u{width}[{size}], m:u{width}[{size}], ");
        let _ = write!(
            body,
            "  s[0] = {y};\n  t[0] = {};\n  forall i in [0,{last}] {{\n    m[i] = {mask};\n    \
             s[i + 1] = {next};\n    t[i + 1] = {reduced}\n  }}\n  m[{}] = t[{}];\n",
            self.one_of(0),
            last + 1,
            last + 1,
        );
        format!("s[{}] ^ m[{}]", last + 1, last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::elaborate;

    #[test]
    fn programs_are_legal() {
        for seed in 0..60 {
            let text = masks(seed, [8, 16, 32, 64][seed as usize % 4]);
            if let Err(messages) = elaborate(&text) {
                panic!("{messages}\n{text}");
            }
        }
    }
}
