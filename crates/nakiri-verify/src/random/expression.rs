//! Expressions.

use super::body::Writer;
use super::definitions::{Callable, Kind};

const BITWISE: [&str; 3] = ["&", "|", "^"];
const ARITH: [&str; 3] = ["+", "-", "*"];

impl Writer<'_> {
    /// The right-hand side of an equation of `n` atoms: operators may stand outside of parentheses.
    pub fn top(&mut self, n: usize) -> String {
        let depth = self.rng.range(1, 3);
        if !self.affordable(4 * n) {
            return self.atoms(n);
        }
        self.spend(n);
        let op = *self.rng.pick(&BITWISE);
        match self.rng.below(8) {
            0 => {
                let parts: Vec<String> = (0..3).map(|_| self.exp(n, depth - 1)).collect();
                self.spend(n);
                parts.join(&format!(" {op} "))
            }
            1 => {
                let (a, b) = (self.exp(n, 1), self.exp(n, depth - 1));
                format!("~{a} {op} {b}")
            }
            2 if n > 1 => {
                let (a, b) = (self.exp(n, 1), self.exp(n, 1));
                let (shift, amount) = self.list_shift(n);
                format!("{a} {op} {b} {shift} {amount}")
            }
            3 if n == 1 && self.profile.shift && !self.generic => {
                let (a, b) = (self.word(1), self.word(1));
                let (shift, amount) = self.word_shift();
                format!("{a} {op} {b} {shift} {amount}")
            }
            4 if self.profile.arith => {
                let (a, b, c) = (self.exp(n, 1), self.exp(n, 1), self.exp(n, 1));
                self.spend(2 * n);
                match self.rng.below(3) {
                    0 => format!("{a} + {b} * {c}"),
                    1 => format!("({a} {op} {b}) - {c}"),
                    _ => format!("{a} - {b} + {c}"),
                }
            }
            5 => self.constant(n, true),
            _ => self.exp(n, depth),
        }
    }

    /// An expression of `n` atoms that can stand anywhere.
    pub fn exp(&mut self, n: usize, depth: usize) -> String {
        if depth == 0 || !self.affordable(2 * n) {
            return self.atoms(n);
        }
        match self.rng.below(13) {
            0..=3 => self.binary(&BITWISE, n, depth),
            4 => {
                self.spend(n);
                format!("~{}", self.exp(n, depth - 1))
            }
            5 | 6 if n > 1 => {
                let (shift, amount) = self.list_shift(n);
                let inner = self.exp(n, depth - 1);
                format!("({inner} {shift} {amount})")
            }
            5 | 6 => self.word(depth),
            7 | 8 => self.call(n, depth).unwrap_or_else(|| self.atoms(n)),
            9 if n > 1 => {
                let left = self.rng.range(1, n - 1);
                let (a, b) = (self.exp(left, depth - 1), self.exp(n - left, depth - 1));
                format!("({a}, {b})")
            }
            10 => self.on_bits(n, depth),
            11 if self.profile.arith => self.binary(&ARITH, n, depth),
            12 if self.profile.mixed => self.packed(n),
            _ => self.atoms(n),
        }
    }

    /// An expression of one atom whose bits a shift would move.
    pub fn word(&mut self, depth: usize) -> String {
        if depth == 0 || !self.affordable(2) {
            return self.atom();
        }
        self.spend(1);
        match self.rng.below(6) {
            0 | 1 if self.profile.shift && !self.generic => {
                let inner = self.word(depth - 1);
                let (shift, amount) = self.word_shift();
                format!("({inner} {shift} {amount})")
            }
            2 => format!("~{}", self.word(depth - 1)),
            3 | 4 => {
                let op = *self.rng.pick(&BITWISE);
                let a = self.word(depth - 1);
                let constant = self.rng.one_in(4);
                let b = if constant { self.constant(1, true) } else { self.word(depth - 1) };
                format!("({a} {op} {b})")
            }
            _ => self.atom(),
        }
    }

    fn binary(&mut self, ops: &[&str], n: usize, depth: usize) -> String {
        let op = *self.rng.pick(ops);
        self.spend(n);
        let left = self.exp(n, depth - 1);
        let right = match self.rng.below(6) {
            0 => self.constant(n, true),
            1 => left.clone(),
            _ => self.exp(n, depth - 1),
        };
        match self.rng.below(4) {
            0 if right != left => format!("({right} {op} {left})"),
            _ => format!("({left} {op} {right})"),
        }
    }

    /// A constant of `n` atoms. `typed_by_others`: the place it stands in gives it a type.
    pub fn constant(&mut self, n: usize, typed_by_others: bool) -> String {
        let bits = if self.width == 1 { n.min(128) as u16 } else { self.width };
        if n > 1 && (self.generic || self.width != 1) {
            if typed_by_others && self.rng.one_in(3) {
                return "0".into();
            }
            let words: Vec<String> = (0..n).map(|_| self.typed_number(self.width)).collect();
            return format!("({})", words.join(", "));
        }
        if typed_by_others && self.rng.one_in(2) {
            return self.plain_number(bits);
        }
        if n > 1 {
            let number = self.plain_number(bits);
            return format!("{number}:b{n}");
        }
        self.typed_number(self.width)
    }

    fn plain_number(&mut self, bits: u16) -> String {
        let n = self.rng.word(bits);
        match self.rng.below(4) {
            0 => n.to_string(),
            1 => format!("{n:#b}"),
            _ => format!("{n:#x}"),
        }
    }

    /// A number with its type, unless there is no way to write that.
    fn typed_number(&mut self, bits: u16) -> String {
        let number = self.plain_number(bits);
        match self.generic {
            true => format!("({} & {number})", self.atom()),
            false => format!("{number}:u{bits}"),
        }
    }

    fn list_shift(&mut self, n: usize) -> (&'static str, String) {
        let shift = *self.rng.pick(&["<<<", ">>>", "<<", ">>"]);
        (shift, self.index(n))
    }

    fn word_shift(&mut self) -> (&'static str, String) {
        let shift = *self.rng.pick(&["<<<", ">>>", "<<", ">>", ">>!"]);
        (shift, self.index(self.width.into()))
    }

    /// An operation on the bits of each of `n` atoms.
    fn on_bits(&mut self, n: usize, depth: usize) -> String {
        if self.generic || self.width == 1 {
            return self.atoms(n);
        }
        self.spend(n);
        let inner = self.exp(n, depth - 1);
        let width = usize::from(self.width);
        if self.profile.shuffle && self.rng.one_in(2) {
            let mut picks: Vec<usize> = (0..width).collect();
            match self.rng.below(3) {
                0 => picks = (0..width).map(|_| self.rng.below(width)).collect(),
                _ => self.rng.shuffle(&mut picks),
            }
            let picks: Vec<String> = picks.iter().map(usize::to_string).collect();
            return format!("Shuffle({inner}, [{}])", picks.join(", "));
        }
        match self.profile.shift {
            true => format!("Bitmask({inner}, {})", self.index(width)),
            false => inner,
        }
    }

    /// Atoms put together from halves.
    fn packed(&mut self, n: usize) -> String {
        let (Some(half), false) = (self.halves.first().cloned(), self.generic) else {
            return self.atoms(n);
        };
        let narrow = self.callables.iter().find(|c| c.kind == Kind::HalfLookup);
        let narrow = narrow.map(|c| c.name.clone());
        let part = |writer: &mut Self| match &narrow {
            Some(narrow) if writer.rng.one_in(3) => {
                let word = writer.word(1);
                writer.spend(20);
                format!("{narrow}({word})")
            }
            _ => format!("{}[{}]", half.name, writer.index(half.dims[0])),
        };
        let side = |writer: &mut Self| {
            let parts: Vec<String> = (0..n).map(|_| part(writer)).collect();
            if n == 1 {
                parts.concat()
            } else {
                format!("({})", parts.join(", "))
            }
        };
        let (high, low) = (side(self), side(self));
        let ty = super::body::type_text(self.rng, self.width, false, &[n][usize::from(n == 1)..]);
        format!("(Pack({high}, {low}) : {ty})")
    }

    /// A call with `n` atoms of result.
    fn call(&mut self, n: usize, depth: usize) -> Option<String> {
        let fits = |c: &&Callable| {
            c.results() == n && (!self.generic || c.generic) && c.kind != Kind::HalfLookup
        };
        let candidates: Vec<Callable> = self.callables.iter().filter(fits).cloned().collect();
        let candidates: Vec<Callable> =
            candidates.into_iter().filter(|c| self.affordable(c.cost)).collect();
        if candidates.is_empty() {
            return None;
        }
        let callee = self.rng.pick(&candidates).clone();
        self.call_to(&callee, depth)
    }

    /// A call of this definition; `None` where a constant argument is missing.
    pub fn call_to(&mut self, callee: &Callable, depth: usize) -> Option<String> {
        let fixed = callee.nat.is_some() || callee.params.iter().any(|p| p.constant);
        let mut args = Vec::new();
        if fixed {
            for param in &callee.params {
                args.push(match param.constant {
                    true => self.constant_atoms(param.count())?,
                    false => self.exp(param.count(), depth.saturating_sub(1)),
                });
            }
            if let Some(high) = callee.nat {
                args.push(self.argument(high));
            }
        } else {
            let mut left: usize = callee.params.iter().map(|p| p.count()).sum();
            while left > 0 {
                let part = if self.rng.one_in(2) { left } else { self.rng.range(1, left) };
                args.push(self.exp(part, depth.saturating_sub(1)));
                left -= part;
            }
        }
        self.spend(callee.cost);
        let element = match callee.elements {
            None => String::new(),
            Some(elements) => format!("<{}>", self.index(elements)),
        };
        Some(format!("{}{element}({})", callee.name, args.join(", ")))
    }
}
