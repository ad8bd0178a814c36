//! Definitions: tables, permutations, nodes, and the order in which they stand.

use super::body::{type_text, Writer};
use super::selection::{Static, Var};
use super::{Profile, Rng};

/// Something that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub name: String,
    pub kind: Kind,
    /// How many elements it has, if it is an array.
    pub elements: Option<usize>,
    pub params: Vec<Param>,
    pub result_dims: Vec<Vec<usize>>,
    /// The largest value of its `nat` parameter, which is its last, if it has one.
    pub nat: Option<usize>,
    /// How many operations a call is.
    pub cost: usize,
    /// Whether it can be called with any word size.
    pub generic: bool,
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Perm,
    Node,
    /// A table indexed by a word, with a word as entry.
    Lookup,
    /// A table indexed by a word, with half a word as entry.
    HalfLookup,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub dims: Vec<usize>,
    pub constant: bool,
}

impl Param {
    pub fn new(dims: &[usize]) -> Param {
        Param { dims: dims.to_vec(), constant: false }
    }

    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

impl Callable {
    /// The number of atoms that a call gives.
    pub fn results(&self) -> usize {
        self.result_dims.iter().map(|dims| dims.iter().product::<usize>()).sum()
    }
}

/// What is common to the definitions of a program.
struct Definitions<'a> {
    rng: &'a mut Rng,
    profile: &'static Profile,
    width: u16,
    /// The innermost dimension of all ports of the entry, if it is to have an instance in direction P.
    row: Option<usize>,
    callables: Vec<Callable>,
    texts: Vec<String>,
    /// How many perms there are as layouts.
    layouts: usize,
}

/// The most bits of a block whose layout is a perm: each moves by itself.
const LONGEST_LAYOUT: usize = 64;

/// How many words of some bits a row may have: some that fill a power of two up to a segment.
fn row(rng: &mut Rng, width: u16) -> Option<usize> {
    let fit = 128 / usize::from(width);
    let longest = [8, 16, 32, 64].contains(&width).then_some(fit.ilog2() as usize)?;
    rng.one_in(4).then(|| 1 << rng.range(1, longest))
}

/// The text of a program.
pub(super) fn program(rng: &mut Rng, profile: &'static Profile, width: u16) -> String {
    let row = row(rng, width);
    let mut definitions = Definitions {
        rng,
        profile,
        width,
        row,
        callables: Vec::new(),
        texts: Vec::new(),
        layouts: 0,
    };
    for _ in 0..definitions.rng.below(3) {
        definitions.table();
    }
    for _ in 0..definitions.rng.below(3) {
        definitions.perm();
    }
    if profile.mixed {
        definitions.lookup(Kind::Lookup);
        definitions.lookup(Kind::HalfLookup);
    }
    for _ in 0..definitions.rng.below(4) {
        definitions.node(false);
    }
    let mut texts = std::mem::take(&mut definitions.texts);
    definitions.rng.shuffle(&mut texts);
    definitions.node(true);
    texts.append(&mut definitions.texts);
    let head = format!("# {} at {width} bits\n", profile.name);
    head + &texts.join("\n")
}

impl Definitions<'_> {
    fn name(&self, letter: char) -> String {
        format!("{letter}{}", self.callables.len())
    }

    fn generic(&mut self) -> bool {
        self.profile.generic || self.rng.one_in(3)
    }

    fn group(&mut self, name: &str, generic: bool, dims: &[usize]) -> String {
        format!("{name}:{}", type_text(self.rng, self.width, generic, dims))
    }

    /// A list of atoms in one or two groups, whose total is `n`.
    fn ports(&mut self, names: [&str; 2], generic: bool, n: usize) -> String {
        let dims = |n: usize| if n == 1 { vec![] } else { vec![n] };
        if n > 1 && self.rng.one_in(4) {
            let first = self.rng.range(1, n - 1);
            let a = self.group(names[0], generic, &dims(first));
            return format!("{a}, {}", self.group(names[1], generic, &dims(n - first)));
        }
        self.group(names[0], generic, &dims(n))
    }

    fn table(&mut self) {
        let inputs = match self.rng.below(16) {
            0..=10 => self.rng.range(1, 4),
            11..=13 => 5,
            14 => 6,
            _ => self.rng.range(7, 8),
        };
        // One atom to one atom would be read as a lookup by the word's value.
        let low = if inputs == 1 { 2 } else { 1 };
        let outputs = self.rng.range(low, if inputs > 6 { 8 } else { 5 });
        let generic = self.generic();
        let elements = self.rng.one_in(3).then(|| self.rng.range(2, 3));
        let head = if self.rng.one_in(3) { "_lsb " } else { "" };
        let name = self.name('T');
        let params = self.ports(["x", "w"], generic, inputs);
        let returns = self.ports(["y", "z"], generic, outputs);
        let bodies = (0..elements.unwrap_or(1)).map(|_| self.entries(inputs, outputs)).collect();
        self.texts.push(format!(
            "{head}table{} {name} ({params}) returns ({returns}) {}\n",
            if elements.is_some() { "[]" } else { "" },
            listed(bodies, elements.is_some()),
        ));
        // A generous estimate of the size of its circuit.
        let cost = (1 << inputs) * outputs / 3 + 1;
        self.add(name, Kind::Table, elements, &[inputs], &[outputs], cost, generic);
    }

    fn entries(&mut self, inputs: usize, outputs: usize) -> String {
        let count = 1 << inputs;
        let mut entries: Vec<usize> = (0..count).map(|i| i % (1 << outputs)).collect();
        match self.rng.below(4) {
            0 => entries = (0..count).map(|_| self.rng.below(1 << outputs)).collect(),
            1 => self.rng.shuffle(&mut entries[count / 2..]),
            _ => self.rng.shuffle(&mut entries),
        }
        let hex = self.rng.one_in(2);
        let text = |e: &usize| if hex { format!("{e:#x}") } else { e.to_string() };
        format!("{{ {} }}", entries.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    fn perm(&mut self) {
        let inputs = self.rng.range(2, 16);
        let outputs = self.rng.range(1, 16);
        let generic = self.generic();
        let elements = self.rng.one_in(4).then_some(2);
        let name = self.name('P');
        let params = self.ports(["x", "w"], generic, inputs);
        let returns = self.ports(["y", "z"], generic, outputs);
        let bodies = (0..elements.unwrap_or(1))
            .map(|_| {
                let mut picks: Vec<usize> = (1..=inputs).collect();
                self.rng.shuffle(&mut picks);
                let picks: Vec<String> =
                    (0..outputs).map(|i| picks[i % inputs].to_string()).collect();
                format!("{{ {} }}", picks.join(", "))
            })
            .collect();
        self.texts.push(format!(
            "perm{} {name} ({params}) returns ({returns}) {}\n",
            if elements.is_some() { "[]" } else { "" },
            listed(bodies, elements.is_some()),
        ));
        self.add(name, Kind::Perm, elements, &[inputs], &[outputs], 0, generic);
    }

    fn lookup(&mut self, kind: Kind) {
        let width = self.width;
        let bits = if kind == Kind::HalfLookup { width / 2 } else { width };
        let name = self.name('L');
        let entries = self.entries(width.into(), bits.into());
        self.texts.push(format!("table {name} (x:u{width}) returns (y:u{bits}) {entries}\n"));
        let cost = (1 << width) / 2;
        self.add(name, kind, None, &[1], &[1], cost, false);
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        name: String,
        kind: Kind,
        elements: Option<usize>,
        params: &[usize],
        results: &[usize],
        cost: usize,
        generic: bool,
    ) {
        let dims = |n: &usize| if *n == 1 { vec![] } else { vec![*n] };
        let params = params.iter().map(|n| Param::new(&dims(n))).collect();
        let result_dims = results.iter().map(dims).collect();
        let nat = None;
        let callable = Callable { name, kind, elements, params, result_dims, nat, cost, generic };
        self.callables.push(callable);
    }

    /// A node; the entry is the last one and has a round key.
    fn node(&mut self, entry: bool) {
        let generic = if entry { self.profile.generic } else { self.generic() };
        let elements = (!entry && self.rng.one_in(5)).then_some(2);
        let nat = (!entry && self.rng.one_in(4)).then(|| self.rng.range(1, 4));
        let mut params: Vec<Param> =
            (0..self.rng.range(1, 3)).map(|_| Param::new(&self.dims(entry))).collect();
        if entry && self.rng.one_in(2) {
            let dims = match self.row {
                Some(row) => vec![self.rng.range(2, 6), row],
                None => {
                    let dims = [self.rng.range(4, 24), self.rng.range(2, 4)];
                    dims[..self.rng.range(1, 2)].to_vec()
                }
            };
            params.push(Param { dims, constant: true });
        } else if !entry && self.rng.one_in(8) {
            params.push(Param { dims: vec![self.rng.range(2, 4)], constant: true });
        }
        let result_dims: Vec<Vec<usize>> =
            (0..self.rng.range(1, 2)).map(|_| self.dims(entry)).collect();
        let budget = match entry {
            true => 60 + 3000 / usize::from(self.width) / if self.rng.one_in(4) { 1 } else { 4 },
            false => self.rng.range(5, 40),
        };
        let halves = match self.profile.mixed && entry {
            true => vec![Var::new("h", &[self.rng.range(2, 6)])],
            false => vec![],
        };
        let mut cost = 0;
        let bodies: Vec<String> = (0..elements.unwrap_or(1))
            .map(|_| {
                let (text, operations) =
                    self.body(&params, &result_dims, nat, &halves, generic, budget);
                cost = cost.max(operations);
                text
            })
            .collect();
        let head = self.node_head(entry, elements.is_some());
        let name = if entry { "Main".to_string() } else { self.name('F') };
        let params_text = self.params_text(&params, nat, &halves, generic, entry);
        let returns = self.results_text(&result_dims, generic, entry);
        self.texts.push(format!(
            "{head}{} {name} ({params_text}) returns ({returns})\n{}",
            if elements.is_some() { "[]" } else { "" },
            listed(bodies, elements.is_some()),
        ));
        let kind = Kind::Node;
        self.callables.push(Callable {
            name,
            kind,
            elements,
            params,
            result_dims,
            nat,
            cost,
            generic,
        });
    }

    fn node_head(&mut self, entry: bool, array: bool) -> &'static str {
        match self.rng.below(if entry || array { 1 } else { 4 }) {
            1 => "_inline node",
            2 => "_no_inline node",
            _ => "node",
        }
    }

    fn params_text(
        &mut self,
        params: &[Param],
        nat: Option<usize>,
        halves: &[Var],
        generic: bool,
        entry: bool,
    ) -> String {
        let mut groups = Vec::new();
        for (i, param) in params.iter().enumerate() {
            let constant = if param.constant { "const " } else { "" };
            let ty = type_text(self.rng, self.width, generic, &param.dims);
            let layout = self.layout(entry, generic, &param.dims);
            groups.push(format!("x{i}:{constant}{ty}{layout}"));
        }
        for half in halves {
            groups.push(format!("{}:u{}[{}]", half.name, self.width / 2, half.dims[0]));
        }
        groups.extend(nat.map(|_| "n:nat".to_string()));
        groups.join(", ")
    }

    fn results_text(&mut self, dims: &[Vec<usize>], generic: bool, entry: bool) -> String {
        let mut groups = Vec::new();
        for (i, dims) in dims.iter().enumerate() {
            let layout = self.layout(entry, generic, dims);
            groups.push(self.group(&format!("y{i}"), generic, dims) + &layout);
        }
        groups.join(", ")
    }

    /// The layout of a port, which only those of the entry have.
    fn layout(&mut self, entry: bool, generic: bool, dims: &[usize]) -> String {
        let count = dims.iter().product::<usize>();
        let bits = count * usize::from(self.width);
        let planes = !generic && self.width.is_multiple_of(8) && count.is_multiple_of(8);
        let perm = !generic && (2..=LONGEST_LAYOUT).contains(&bits);
        match self.rng.below(if entry { 6 } else { 1 }) {
            1 => " @be".to_string(),
            2 => " @le".to_string(),
            3 if planes => " @planes".to_string(),
            3 | 4 if perm => self.perm_layout(bits),
            _ => String::new(),
        }
    }

    /// A perm of all bits of a block, as a layout.
    fn perm_layout(&mut self, bits: usize) -> String {
        let mut picks: Vec<usize> = (1..=bits).collect();
        self.rng.shuffle(&mut picks);
        let picks: Vec<String> = picks.iter().map(usize::to_string).collect();
        self.layouts += 1;
        let name = format!("Q{}", self.layouts);
        let entries = picks.join(", ");
        self.texts.push(format!("perm {name} (x:b{bits}) returns (y:b{bits}) {{ {entries} }}\n"));
        format!(" @{name}")
    }

    fn dims(&mut self, entry: bool) -> Vec<usize> {
        if let (Some(row), true) = (self.row, entry) {
            return if self.rng.one_in(2) { vec![row] } else { vec![self.rng.range(2, 3), row] };
        }
        match self.rng.below(8) {
            0 => vec![],
            1..=5 => vec![self.rng.range(2, 8)],
            _ => vec![self.rng.range(2, 3), self.rng.range(2, 4)],
        }
    }

    /// The body of a node, and how many operations it is.
    fn body(
        &mut self,
        params: &[Param],
        result_dims: &[Vec<usize>],
        nat: Option<usize>,
        halves: &[Var],
        generic: bool,
        budget: usize,
    ) -> (String, usize) {
        let vars = params
            .iter()
            .enumerate()
            .map(|(i, p)| Var { constant: p.constant, ..Var::new(format!("x{i}"), &p.dims) });
        let outputs = result_dims.iter().enumerate();
        let outputs: Vec<Var> = outputs.map(|(i, d)| Var::new(format!("y{i}"), d)).collect();
        let mut writer = Writer {
            vars: vars.collect(),
            halves: halves.to_vec(),
            statics: nat.map(|high| Static { name: "n".into(), high }).into_iter().collect(),
            profile: self.profile,
            width: self.width,
            generic,
            callables: &self.callables,
            locals: Vec::new(),
            states: Vec::new(),
            chunks: Vec::new(),
            repeat: 1,
            cost: 0,
            budget,
            counter: 0,
            rng: self.rng,
        };
        let registers = writer.registers();
        for _ in 0..writer.rng.range(1, 6) {
            writer.statement();
        }
        writer.outputs(&outputs);
        writer.next_values(&registers);
        let vars = match writer.locals.is_empty() {
            true => String::new(),
            false => format!("vars {}\n", writer.locals.join(", ")),
        };
        let state = match writer.states.is_empty() {
            true => String::new(),
            false => format!("state {}\n", writer.states.join(", ")),
        };
        let equations = writer.equations();
        (format!("{vars}{state}let\n{equations}tel\n"), writer.cost)
    }
}

/// One element of a definition, or several in brackets.
fn listed(elements: Vec<String>, array: bool) -> String {
    match array {
        true => format!("[\n{}]\n", elements.join(";\n")),
        false => elements.concat(),
    }
}
