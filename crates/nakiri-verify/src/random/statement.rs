//! Equations: definitions in one or in pieces, copies, updates, calls of several results.

use super::body::Writer;
use super::definitions::{Callable, Kind};
use super::selection::Var;

impl Writer<'_> {
    /// One or a few equations.
    pub fn statement(&mut self) {
        match self.rng.below(12) {
            0 | 1 => self.whole(),
            2 => self.pieces_of_local(),
            3 => self.call_statement(),
            4 => self.copy(),
            5 => self.duplicate(),
            6 => self.constants(),
            7 => self.update(),
            _ => self.some_loop(),
        }
    }

    fn whole(&mut self) {
        let dims = self.some_dims();
        let var = self.local(&dims);
        let value = self.top(var.count());
        self.chunk(format!("  {} = {value}", var.name), false);
        self.vars.push(var);
    }

    fn pieces_of_local(&mut self) {
        let dims = vec![self.rng.range(2, 6)];
        let var = self.local(&dims);
        self.pieces(&var);
        self.vars.push(var);
    }

    /// Defines a variable in several equations.
    fn pieces(&mut self, var: &Var) {
        let (name, n) = (&var.name, var.dims[0]);
        let inner: usize = var.dims[1..].iter().product();
        let cut = self.rng.range(1, n - 1);
        let descending = self.rng.one_in(3);
        for (low, high) in [(0, cut - 1), (cut, n - 1)] {
            let value = self.top((high - low + 1) * inner);
            let selection = match (low == high, descending) {
                (true, _) => format!("[{low}]"),
                (false, false) => format!("[{low}..{high}]"),
                (false, true) => format!("[{high}..{low}]"),
            };
            self.chunk(format!("  {name}{selection} = {value}"), false);
        }
    }

    /// A tuple on the left, often for a call with several results.
    fn call_statement(&mut self) {
        let fits = |c: &&Callable| {
            (!self.generic || c.generic) && c.kind != Kind::HalfLookup && self.affordable(c.cost)
        };
        let candidates: Vec<Callable> = self.callables.iter().filter(fits).cloned().collect();
        if candidates.is_empty() {
            return self.whole();
        }
        let callee = self.rng.pick(&candidates).clone();
        let Some(call) = self.call_to(&callee, 2) else { return self.whole() };
        let n = callee.results();
        let first = if n > 1 && self.rng.one_in(2) { self.rng.range(1, n - 1) } else { n };
        let dims = |n: usize| if n == 1 { vec![] } else { vec![n] };
        let mut vars = vec![self.local(&dims(first))];
        if first < n {
            vars.push(self.local(&dims(n - first)));
        }
        let names: Vec<&str> = vars.iter().map(|v| v.name.as_str()).collect();
        let pattern = match names.as_slice() {
            [one] => (*one).to_string(),
            several => format!("({})", several.join(", ")),
        };
        self.chunk(format!("  {pattern} = {call}"), false);
        self.vars.extend(vars);
    }

    fn copy(&mut self) {
        let from = self.rng.pick(&self.vars).clone();
        let n = from.count();
        let var = self.local(&if n == 1 { vec![] } else { vec![n] });
        self.chunk(format!("  {} = {}", var.name, from.name), false);
        self.vars.push(var);
    }

    /// The same expression twice.
    fn duplicate(&mut self) {
        let dims = self.some_dims();
        let (a, b) = (self.local(&dims), self.local(&dims));
        let value = self.top(a.count());
        self.spend(a.count());
        self.chunk(format!("  {} = {value}", a.name), false);
        self.chunk(format!("  {} = {value}", b.name), false);
        self.vars.extend([a, b]);
    }

    /// A list of constants, as rounds have them.
    fn constants(&mut self) {
        let n = self.rng.range(2, 24);
        let var = self.local(&[n]);
        let word = |writer: &mut Self| format!("{:#x}", writer.rng.word(writer.width));
        let words: Vec<String> = (0..n).map(|_| word(self)).collect();
        self.chunk(format!("  {} = ({})", var.name, words.join(", ")), false);
        self.vars.push(var);
    }

    /// A new version of something.
    fn update(&mut self) {
        let at = self.rng.below(self.vars.len());
        let var = self.vars[at].clone();
        if var.constant || var.register {
            return self.whole();
        }
        let update = self.update_of(&var);
        self.chunk(format!("  {update}"), true);
    }

    /// An equation that makes a new version of a variable or of some of its atoms.
    pub fn update_of(&mut self, var: &Var) -> String {
        let (selection, n) = match var.dims.first() {
            Some(&size) if self.rng.one_in(2) => {
                (format!("[{}]", self.index(size)), var.count() / size)
            }
            _ => (String::new(), var.count()),
        };
        let ops =
            if self.profile.arith { &["&", "|", "^", "+", "-"][..] } else { &["&", "|", "^"] };
        let op = if self.rng.one_in(2) { ":" } else { *self.rng.pick(ops) };
        let colon = if op != ":" && self.rng.one_in(4) { ":" } else { "" };
        let value = self.top(n);
        self.spend(n);
        format!("{}{selection} {op}{colon}= {value}", var.name)
    }

    /// Gives the registers their next values.
    pub fn next_values(&mut self, registers: &[Var]) {
        for register in registers {
            let next = Var { name: format!("next {}", register.name), ..register.clone() };
            match next.dims.len() {
                1.. if self.rng.one_in(3) => self.pieces(&next),
                _ => {
                    let value = self.top(next.count());
                    self.chunk(format!("  {} = {value}", next.name), false);
                }
            }
        }
    }

    /// Defines the outputs.
    pub fn outputs(&mut self, outputs: &[Var]) {
        if outputs.len() > 1 && self.rng.one_in(4) {
            let n = outputs.iter().map(Var::count).sum();
            let value = self.top(n);
            let names: Vec<&str> = outputs.iter().map(|v| v.name.as_str()).collect();
            self.chunk(format!("  ({}) = {value}", names.join(", ")), false);
            return;
        }
        for output in outputs {
            match output.dims.len() {
                1.. if self.rng.one_in(3) => self.pieces(output),
                1.. if self.rng.one_in(3) => self.map(output),
                _ => {
                    let value = self.top(output.count());
                    self.chunk(format!("  {} = {value}", output.name), false);
                }
            }
            self.vars.push(output.clone());
            if self.rng.one_in(6) {
                let update = self.update_of(output);
                self.chunk(format!("  {update}"), true);
            }
        }
    }
}
