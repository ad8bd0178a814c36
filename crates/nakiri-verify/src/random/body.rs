//! What is known while the body of a node is being written.

use super::definitions::Callable;
use super::selection::{Static, Var};
use super::{Profile, Rng};

/// Writes the body of one node.
pub(super) struct Writer<'a> {
    pub rng: &'a mut Rng,
    pub profile: &'static Profile,
    /// The bits of an atom; what a generic node is instantiated with.
    pub width: u16,
    /// Whether the node is generic in its word size.
    pub generic: bool,
    /// What can be called.
    pub callables: &'a [Callable],
    /// What can be read.
    pub vars: Vec<Var>,
    /// Inputs of half the word size.
    pub halves: Vec<Var>,
    /// Iterators and `nat` parameters in scope.
    pub statics: Vec<Static>,
    /// Declarations of local variables.
    pub locals: Vec<String>,
    /// Declarations of registers.
    pub states: Vec<String>,
    /// The equations so far.
    pub chunks: Vec<Chunk>,
    /// How often what is being written is repeated.
    pub repeat: usize,
    /// Operations on atoms, counted with repetitions.
    pub cost: usize,
    /// How many there should be at most.
    pub budget: usize,
    /// For new names.
    pub counter: usize,
}

/// Equations that stay together.
pub(super) struct Chunk {
    pub text: String,
    /// Whether it makes new versions of variables: then it keeps its place.
    pub updates: bool,
}

/// A type of atoms as it may be written.
pub(super) fn type_text(rng: &mut Rng, width: u16, generic: bool, dims: &[usize]) -> String {
    let dir = if rng.one_in(8) { "<'D>" } else { "" };
    let in_brackets = |dims: &[usize]| dims.iter().map(|d| format!("[{d}]")).collect::<String>();
    let word = match generic {
        true => format!("u{dir}'m"),
        false if width == 1 && rng.one_in(2) => format!("b{dir}1"),
        false => format!("u{dir}{width}"),
    };
    let Some((&last, outer)) = dims.split_last() else { return word };
    if rng.one_in(3) && !word.starts_with('b') {
        return word + &in_brackets(dims);
    }
    let list = match (generic, width) {
        (true, _) if rng.one_in(2) => format!("v{dir}{last}"),
        (true, _) => format!("u{dir}'m x{last}"),
        (false, 1) if rng.one_in(2) => format!("b{dir}{last}"),
        (false, _) => format!("u{dir}{width}x{last}"),
    };
    list + &in_brackets(outer)
}

impl Writer<'_> {
    /// A new local variable, not readable yet.
    pub fn local(&mut self, dims: &[usize]) -> Var {
        let name = self.fresh();
        let ty = type_text(self.rng, self.width, self.generic, dims);
        self.locals.push(format!("{name}:{ty}"));
        Var::new(name, dims)
    }

    /// Some registers, or none, which can be read.
    pub fn registers(&mut self) -> Vec<Var> {
        let mut registers = Vec::new();
        for i in 0..self.rng.below(5).saturating_sub(2) {
            let dims = self.some_dims();
            let register = Var { register: true, ..Var::new(format!("s{i}"), &dims) };
            let ty = type_text(self.rng, self.width, self.generic, &dims);
            let mut words = (0..register.count())
                .map(|_| format!("{:#x}", self.rng.word(self.width)))
                .collect::<Vec<_>>();
            let reset = match (self.rng.one_in(3), words.len()) {
                (true, _) => String::new(),
                (false, 1) => format!(" = {}", words.remove(0)),
                (false, _) => format!(" = ({})", words.join(", ")),
            };
            self.states.push(format!("{}:{ty}{reset}", register.name));
            registers.push(register);
        }
        self.vars.extend(registers.iter().cloned());
        registers
    }

    /// A new name.
    pub fn fresh(&mut self) -> String {
        const NAMES: [&str; 8] = ["t", "u", "b", "v", "H", "x'", "B", "state_"];
        self.counter += 1;
        format!("{}{}", self.rng.pick(&NAMES), self.counter)
    }

    /// Dimensions of a small variable.
    pub fn some_dims(&mut self) -> Vec<usize> {
        match self.rng.below(8) {
            0..=1 => vec![],
            2..=5 => vec![self.rng.range(2, 6)],
            6 => vec![self.rng.range(2, 4), self.rng.range(2, 4)],
            _ => vec![2, 2, self.rng.range(2, 3)],
        }
    }

    /// Whether operations may still be added.
    pub fn affordable(&self, operations: usize) -> bool {
        self.cost + operations * self.repeat <= self.budget
    }

    /// Accounts for operations.
    pub fn spend(&mut self, operations: usize) {
        self.cost += operations * self.repeat;
    }

    pub fn chunk(&mut self, text: String, updates: bool) {
        self.chunks.push(Chunk { text, updates });
    }

    /// The equations, those that may stand in any order out of order.
    pub fn equations(&mut self) -> String {
        let updates = |chunk: &Chunk| chunk.updates;
        let first = self.chunks.iter().position(updates).unwrap_or(self.chunks.len());
        let last = self.chunks.iter().rposition(updates).map_or(0, |at| at + 1);
        if self.rng.one_in(2) {
            self.rng.shuffle(&mut self.chunks[..first]);
        }
        if self.rng.one_in(2) && last > 0 {
            self.rng.shuffle(&mut self.chunks[last..]);
        }
        let mut text = String::new();
        for (i, chunk) in self.chunks.iter().enumerate() {
            text += &chunk.text;
            let loops = chunk.text.ends_with('}');
            let end = i + 1 == self.chunks.len();
            text += if loops || (end && self.rng.one_in(2)) { "\n" } else { ";\n" };
            if self.rng.one_in(20) {
                text += "  # a comment; with = signs\n";
            }
        }
        text
    }
}
