//! Variables, and selections of their atoms.

use super::body::Writer;

/// Something that can be read.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// Its name, or the selection of a variable that is meant.
    pub name: String,
    /// Its dimensions, outermost first; none for one atom. None of them is 1.
    pub dims: Vec<usize>,
    /// Whether its value is the same in all blocks.
    pub constant: bool,
    /// Whether it is a register, of which there is no new version.
    pub register: bool,
    /// Whether it was read.
    pub used: bool,
}

impl Var {
    pub fn new(name: impl Into<String>, dims: &[usize]) -> Var {
        Var {
            name: name.into(),
            dims: dims.to_vec(),
            constant: false,
            register: false,
            used: false,
        }
    }

    /// The number of atoms.
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

/// A static name with the largest of its values; the smallest is 0.
#[derive(Clone, Debug)]
pub(super) struct Static {
    pub name: String,
    pub high: usize,
}

impl Writer<'_> {
    /// `n` atoms without an operation: one selection, or several in a tuple.
    pub fn atoms(&mut self, n: usize) -> String {
        if n == 1 {
            return self.atom();
        }
        let mut parts = Vec::new();
        let mut left = n;
        while left > 0 {
            let (text, count) = self.selection(left);
            parts.push(text);
            left -= count;
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => format!("({})", parts.join(", ")),
        }
    }

    /// One atom that is a word, and not a list of one.
    pub fn atom(&mut self) -> String {
        let v = self.some_variable();
        let dims = self.vars[v].dims.clone();
        let mut text = self.vars[v].name.clone();
        for dim in dims {
            text += &format!("[{}]", self.index(dim));
        }
        text
    }

    /// A selection of exactly `n` constant atoms, if there is one.
    pub fn constant_atoms(&mut self, n: usize) -> Option<String> {
        let whole = |v: &Var| v.constant && v.count() == n;
        let inner = |v: &Var| v.constant && v.dims.iter().skip(1).product::<usize>() == n;
        if let Some(v) = self.vars.iter().find(|v| whole(v)) {
            return Some(v.name.clone());
        }
        let v = self.vars.iter().find(|v| inner(v))?.clone();
        let index = self.index(*v.dims.first()?);
        Some(format!("{}[{index}]", v.name))
    }

    /// A selection of at most `most` atoms, and how many.
    fn selection(&mut self, most: usize) -> (String, usize) {
        for _ in 0..4 {
            let v = self.some_variable();
            let dims = self.vars[v].dims.clone();
            let (brackets, count) = self.brackets(&dims, most);
            if count <= most && (count == most || self.rng.one_in(2)) {
                return (self.vars[v].name.clone() + &brackets, count);
            }
        }
        (self.atom(), 1)
    }

    /// Some brackets after a variable of these dimensions, and how many atoms are left.
    fn brackets(&mut self, dims: &[usize], most: usize) -> (String, usize) {
        let mut text = String::new();
        let mut count = 1;
        let total: usize = dims.iter().product();
        if total == most || (total < most && self.rng.one_in(2)) {
            return (text, total);
        }
        for (level, &dim) in dims.iter().enumerate() {
            match self.rng.below(6) {
                0 if level > 0 => return (text, count * dims[level..].iter().product::<usize>()),
                1 => {
                    let (a, b) = (self.rng.below(dim), self.rng.below(dim));
                    text += &format!("[{a}..{b}]");
                    count *= a.abs_diff(b) + 1;
                }
                2 => {
                    let picks = self.rng.range(2, 3);
                    let list: Vec<String> = (0..picks).map(|_| self.index(dim)).collect();
                    text += &format!("[{}]", list.join(", "));
                    count *= picks;
                }
                _ => text += &format!("[{}]", self.index(dim)),
            }
        }
        (text, count)
    }

    /// A variable, preferably one that was not read yet, or a late one.
    fn some_variable(&mut self) -> usize {
        let last = self.vars.len() - 1;
        let v = match self.rng.below(4) {
            0 => self.vars.iter().rposition(|v| !v.used).unwrap_or(last),
            1 => last - self.rng.below(self.vars.len().min(3)),
            _ => self.rng.below(self.vars.len()),
        };
        self.vars[v].used = true;
        v
    }

    /// A static expression from 0 to `size - 1`.
    pub fn index(&mut self, size: usize) -> String {
        if self.statics.is_empty() || self.rng.one_in(3) {
            return self.number(size);
        }
        let s = self.rng.pick(&self.statics).clone();
        let name = &s.name;
        if s.high >= size || self.rng.one_in(6) {
            let (scale, shift) = (self.rng.range(1, 3), self.rng.below(9));
            return match self.rng.below(3) {
                0 => format!("{name} % {size}"),
                1 => format!("({shift} - {name}) % {size}"),
                _ => format!("({scale} * {name} + {shift}) % {size}"),
            };
        }
        let scale = match s.high {
            0 => 1,
            high => self.rng.range(1, ((size - 1) / high).clamp(1, 4)),
        };
        let room = size - 1 - scale * s.high;
        let shift = self.rng.below(room + 1);
        match (self.rng.below(3), scale) {
            (0, 1) => format!("{} - {name}", shift + s.high),
            (0, _) => format!("{} - {scale} * {name}", shift + scale * s.high),
            (_, 1) if shift == 0 => name.clone(),
            (_, 1) => format!("{name} + {shift}"),
            (1, _) => format!("{scale} * {name} + {shift}"),
            _ => format!("{name} * {scale} + {shift}"),
        }
    }

    /// A `nat` argument from 0 to `high`: an expression without quotients.
    pub fn argument(&mut self, high: usize) -> String {
        let name = self.statics.iter().find(|s| s.high <= high).map(|s| s.name.clone());
        let n = self.rng.below(high + 1);
        match (name, self.rng.below(3)) {
            (Some(name), 0 | 1) => name,
            (_, 2) => format!("2 * {n} - {n}"),
            _ => n.to_string(),
        }
    }

    /// A number from 0 to `size - 1`, now and then as a sum or quotient.
    fn number(&mut self, size: usize) -> String {
        let n = self.rng.below(size);
        match self.rng.below(20) {
            0 => format!("{} - {}", n + 3, 3),
            1 => format!("{} / 2", 2 * n + self.rng.below(2)),
            2 => format!("(2 * {n} + 1) / 2"),
            3 => format!("{:#x}", n),
            4 => format!("{:#b}", n),
            _ => n.to_string(),
        }
    }
}
