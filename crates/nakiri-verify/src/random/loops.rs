//! Loops: maps, recurrences, nests and sequential updates.

use super::body::Writer;
use super::selection::{Static, Var};

impl Writer<'_> {
    /// A loop of some kind that defines something new.
    pub fn some_loop(&mut self) {
        match self.rng.below(7) {
            0 => {
                let dims = [self.count(), self.rng.range(2, 4)];
                let dims = &dims[..self.rng.range(1, 2)];
                let var = self.local(dims);
                self.map(&var);
                self.vars.push(var);
            }
            1 => self.triangle(),
            2 => self.feistel(),
            3 => self.updates(),
            _ => self.recurrence(),
        }
    }

    /// How many iterations: few, or as many as the rounds of a cipher.
    fn count(&mut self) -> usize {
        match self.rng.below(4) {
            0 => self.rng.range(8, 32),
            _ => self.rng.range(2, 6),
        }
    }

    /// Writes a loop for the iterator `name` from 0 to `n - 1`, or the other way round.
    fn forall(
        &mut self,
        name: &str,
        n: usize,
        descending: bool,
        body: impl FnOnce(&mut Self) -> String,
    ) -> String {
        self.statics.push(Static { name: name.into(), high: n - 1 });
        self.repeat *= n;
        let body = body(self);
        self.repeat /= n;
        self.statics.pop();
        let option = *self.rng.pick(&["", "", "_unroll ", "_no_unroll "]);
        let (from, to) = if descending { (n - 1, 0) } else { (0, n - 1) };
        format!("{option}forall {name} in [{from},{to}] {{\n{body}  }}")
    }

    /// Defines each element of a list on its own.
    pub fn map(&mut self, var: &Var) {
        let (n, descending) = (var.dims[0], self.rng.one_in(2));
        let inner = var.dims[1..].to_vec();
        let name = var.name.clone();
        let text = self.forall("i", n, descending, |w| match inner[..] {
            [m] if w.rng.one_in(2) => {
                let nest = w.forall("j", m, false, |w| {
                    let value = w.top(1);
                    format!("      {name}[i][j] = {value}\n")
                });
                format!("    {nest}\n")
            }
            _ => {
                let value = w.top(inner.iter().product());
                format!("    {name}[i] = {value};\n")
            }
        });
        self.chunk(format!("  {text}"), false);
    }

    /// The bounds of the inner loop depend on the outer one.
    fn triangle(&mut self) {
        let n = self.rng.range(2, 4);
        let var = self.local(&[n, n]);
        let name = &var.name;
        let lower = self.forall("i", n, false, |w| {
            let value = w.top(1);
            format!("    forall j in [i,0] {{ {name}[i][j] = {value} }}\n")
        });
        self.chunk(format!("  {lower}"), false);
        let upper = self.forall("i", n - 1, true, |w| {
            let value = w.top(1);
            format!("    forall j in [i + 1, {} - 1] {{ {name}[i][j] = {value}; }}\n", n)
        });
        self.chunk(format!("  {upper}"), false);
        self.vars.push(var);
    }

    /// Each element is made from the one, two or three before it.
    fn recurrence(&mut self) {
        let (n, reach) = (self.count(), *self.rng.pick(&[1, 1, 2, 2, 3]));
        let inner = match self.rng.below(3) {
            0 => vec![],
            _ => vec![self.rng.range(2, 4)],
        };
        let mut dims = vec![n + reach];
        dims.extend(&inner);
        let var = self.local(&dims);
        let (name, atoms) = (var.name.clone(), inner.iter().product());
        let descending = self.rng.one_in(4);
        for k in 0..reach {
            let value = self.top(atoms);
            let at = if descending { n + k } else { k };
            self.chunk(format!("  {name}[{at}] = {value}"), false);
        }
        let text = self.forall("i", n, descending, |w| {
            let known = w.vars.len();
            let far = if descending { reach } else { 0 };
            for k in 0..reach {
                let offset = if descending { k + 1 } else { k };
                let at = if offset == 0 { "i".into() } else { format!("i + {offset}") };
                w.vars.push(Var::new(format!("{name}[{at}]"), &inner));
            }
            let oldest =
                format!("{name}[{}]", if far == 0 { "i".into() } else { format!("i + {far}") });
            let value = w.exp(atoms, 2);
            w.vars.truncate(known);
            w.spend(atoms);
            let op = *w.rng.pick(&["^", "^", "&", "|"]);
            let at = if descending { "i".into() } else { format!("i + {reach}") };
            format!("    {name}[{at}] = {oldest} {op} {value}\n")
        });
        self.chunk(format!("  {text}"), false);
        self.vars.push(var);
    }

    /// Two halves that change places.
    fn feistel(&mut self) {
        let n = self.count();
        let m = self.rng.range(2, 4);
        let (left, right) = (self.local(&[n + 1, m]), self.local(&[n + 1, m]));
        let (l, r) = (left.name.clone(), right.name.clone());
        let start = self.top(2 * m);
        self.chunk(format!("  ({l}[0], {r}[0]) = {start}"), false);
        let text = self.forall("i", n, false, |w| {
            let known = w.vars.len();
            w.vars.push(Var::new(format!("{r}[i]"), &[m]));
            let value = w.exp(m, 2);
            w.vars.truncate(known);
            w.spend(m);
            let mut lines = [
                format!("    {l}[i + 1] = {r}[i];\n"),
                format!("    {r}[i + 1] = {l}[i] ^ {value};\n"),
            ];
            w.rng.shuffle(&mut lines);
            lines.concat()
        });
        self.chunk(format!("  {text}"), false);
        self.vars.extend([left, right]);
    }

    /// A loop that goes on with new versions of a variable and keeps some of them.
    fn updates(&mut self) {
        let candidates: Vec<usize> = (0..self.vars.len())
            .filter(|&v| !self.vars[v].constant && !self.vars[v].register)
            .collect();
        if candidates.is_empty() {
            return self.recurrence();
        }
        let var = self.vars[*self.rng.pick(&candidates)].clone();
        let n = self.count();
        let mut dims = vec![n];
        dims.extend(&var.dims);
        let trace = self.local(&dims);
        let descending = self.rng.one_in(3);
        let text = self.forall("i", n, descending, |w| {
            let mut body = String::new();
            for _ in 0..w.rng.range(1, 2) {
                let update = w.update_of(&var);
                body += &format!("    {update};\n");
            }
            body + &format!("    {}[i] = {}\n", trace.name, var.name)
        });
        self.chunk(format!("  {text}"), true);
        self.vars.push(trace);
    }
}
