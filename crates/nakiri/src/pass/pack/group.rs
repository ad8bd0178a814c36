//! Which atoms make a row.
//!
//! The rows of the parameters are given. Statements that do the same to atoms of the same rows are collected, and where there
//! is one for each atom of a row they are one statement on rows, whose results are a row again. Where no such
//! group is left, an operation on some atoms of a row with constants is one on all, with constants that change nothing
//! for the others; then one on some atoms of a row, with those of another or alone; and at last rows are put together of atoms of
//! several, which takes more than one shuffle.

use super::plan::{Operand, Plan, Row, Source, Store};
use crate::core::{semantics, Func, Index, Instr, Op, Program, Stmt, ValueId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The most rows in which an atom is looked for: it is found in the first of them. Programs that go on gathering rows of the
/// same atoms would be searched longer with each.
const MOST_HOMES: usize = 8;

/// After how many atoms the window of two rows begins that these parts are, each in the order of its atoms.
fn window(parts: &[Operand]) -> Option<u16> {
    match parts {
        [Operand::Row(_, first), Operand::Row(_, second)] => begins(first, second),
        _ => None,
    }
}

/// After how many of its atoms a window of two rows begins, of which these atoms are of the first and the second.
pub fn begins(first: &[Option<usize>], second: &[Option<usize>]) -> Option<u16> {
    let length = first.len();
    let is_window = |n: &usize| {
        (0..length).all(|place| match place + n {
            from if from < length => (first[place], second[place]) == (Some(from), None),
            from => (first[place], second[place]) == (None, Some(from - length)),
        })
    };
    (1..length).find(is_window).map(|n| n as u16)
}

/// Why a row that is made of these parts is refused.
fn not_one_shuffle(parts: &[Operand], span: Span) -> Diagnostic {
    let rows = parts.iter().filter(|part| matches!(part, Operand::Row(..))).count();
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let from = plural(rows, "row");
    let cost = format!("{} and {} `|`", plural(rows, "shuffle"), parts.len() - 1);
    Diagnostic::error("E0313", span, format!("under -P this takes atoms of {from} at once"))
        .label(format!("no single shuffle: {cost} for one row"))
        .help("--gather-rows allows it; or let each row be a permutation of another, or use -V")
}

/// A statement with one result, or an instruction on rows, with the atoms of them all.
struct Statement {
    op: Op,
    args: Vec<ValueId>,
    results: SmallVec<[ValueId; 1]>,
    place: usize,
    span: Span,
}

impl Statement {
    /// Its result, or the first.
    fn result(&self) -> ValueId {
        self.results[0]
    }
}

/// What statements have in common that can be one: the operation, and for each operand its row.
type Key = (Op, Vec<Option<usize>>);

/// Where a value is: a row, and which member of it.
type Home = (usize, usize);

/// The statement that takes an atom of a row, and the atoms that it takes.
type Slot = Option<(usize, Vec<usize>)>;

/// Statements with the same key: for each atom of the first row the statement that takes it.
struct Group {
    key: Key,
    slots: Vec<Slot>,
    /// The first of its statements.
    first: usize,
}

/// The groups of one key. A statement joins the first in which its atom is free: for each atom, so many groups have it.
struct Alike {
    groups: Vec<usize>,
    filled: Vec<usize>,
}

/// What finds the rows of a plan.
pub struct Grouper<'a> {
    func: &'a Func,
    length: usize,
    pub plan: Plan,
    statements: Vec<Statement>,
    /// The value that stands for one: the first load of the same atom, or the first result of the same operation.
    same: FxHashMap<ValueId, ValueId>,
    computed: FxHashMap<(Op, Vec<ValueId>), ValueId>,
    loaded: FxHashMap<(u32, u32), ValueId>,
    /// The row of each row of a parameter.
    loaded_rows: FxHashMap<(u32, u32), usize>,
    constants: FxHashMap<ValueId, u128>,
    /// The rows that a value is in, and which member it is there.
    homes: Vec<Vec<Home>>,
    users: Vec<Vec<usize>>,
    known: FxHashMap<Vec<Option<ValueId>>, usize>,
    groups: Vec<Group>,
    by_key: FxHashMap<Key, Alike>,
    /// The groups that can do without some statements, by the first that they have.
    open: BTreeSet<(usize, usize)>,
    /// Those that have no constants, and may be of some atoms alone.
    partial: BTreeSet<(usize, usize)>,
    tried: FxHashSet<(usize, Vec<Option<Home>>)>,
    queue: BTreeSet<usize>,
    stored: Vec<(u32, u32, ValueId, usize, Span)>,
    /// The rows of results that a value is stored in.
    results_of: FxHashMap<ValueId, Vec<(u32, u32)>>,
    places: usize,
    /// Statements whose operands are known; their own values may be, too.
    ready: BTreeSet<usize>,
    /// Whether a row may be made of atoms of several.
    pub gather: bool,
    /// Whether what the source does at once is a row, though some of its atoms be computed elsewhere, or be others unchanged.
    pub as_written: bool,
    /// The statements of a place in the source that are in no run yet.
    begun: FxHashMap<(Op, Span), Vec<usize>>,
    /// So many of them as a row has atoms.
    runs: Vec<Vec<usize>>,
    /// Their statements.
    in_run: FxHashSet<usize>,
    /// Whether atoms were merged.
    merged: bool,
    /// Why the first row that may not be there is refused.
    refused: Option<Diagnostic>,
}

impl<'a> Grouper<'a> {
    /// For rows of so many atoms.
    pub fn new(func: &'a Func, length: usize) -> Grouper<'a> {
        let count = func.values.len();
        Grouper {
            func,
            length,
            plan: Plan { length, windows: false, rows: Vec::new(), stores: Vec::new() },
            statements: Vec::new(),
            same: FxHashMap::default(),
            computed: FxHashMap::default(),
            loaded: FxHashMap::default(),
            loaded_rows: FxHashMap::default(),
            constants: FxHashMap::default(),
            homes: vec![Vec::new(); count],
            users: vec![Vec::new(); count],
            known: FxHashMap::default(),
            groups: Vec::new(),
            by_key: FxHashMap::default(),
            open: BTreeSet::new(),
            partial: BTreeSet::new(),
            tried: FxHashSet::default(),
            queue: BTreeSet::new(),
            stored: Vec::new(),
            results_of: FxHashMap::default(),
            places: 0,
            ready: BTreeSet::new(),
            gather: false,
            as_written: false,
            begun: FxHashMap::default(),
            runs: Vec::new(),
            in_run: FxHashSet::default(),
            merged: false,
            refused: None,
        }
    }

    /// The plan, and whether atoms were merged; else the first row that may not be there. Of some values is known that they are used.
    pub fn grouped(mut self, program: &Program, live: &[bool]) -> Result<(Plan, bool), Diagnostic> {
        self.read(program, &self.func.body, live);
        self.group();
        self.results();
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok((self.plan, self.merged)),
        }
    }

    /// Reads the statements, and makes the rows of the parameters.
    fn read(&mut self, program: &Program, stmts: &[Stmt], live: &[bool]) {
        for stmt in stmts {
            match stmt {
                Stmt::Forall(forall) => {
                    forall.iterations.iter().for_each(|body| self.read(program, body, live));
                    continue;
                }
                Stmt::Loop(_) => unreachable!("loops are made later"),
                Stmt::Store { result, index, value, span } => {
                    let value = self.value(*value);
                    self.stored.push((*result, index.base, value, self.places, *span));
                    let row = (*result, index.base / self.length as u32);
                    self.results_of.entry(value).or_default().push(row);
                }
                // What nobody takes may be what makes a row of the source whole.
                Stmt::Let(instr)
                    if !self.as_written && !instr.results.iter().any(|r| live[r.index()]) => {}
                Stmt::Let(instr) => {
                    let result = instr.results[0];
                    match &instr.op {
                        Op::Const(value) => {
                            self.constants.insert(result, *value);
                        }
                        Op::Constants(list, Index { base, .. }) => {
                            let list = &program.constants[list.index()];
                            self.constants.insert(result, list[*base as usize]);
                        }
                        Op::Load(param, at) => self.load(*param, at.base, result, instr.span),
                        Op::Call(callee, ..) => {
                            let instruction = program.funcs[callee.index()].instruction;
                            let op = Op::Instruction(instruction.expect("others are inlined"));
                            self.statement(op, instr);
                        }
                        op => self.statement(op.clone(), instr),
                    }
                }
            }
            self.places += 1;
        }
    }

    fn value(&self, value: ValueId) -> ValueId {
        self.same.get(&value).copied().unwrap_or(value)
    }

    fn load(&mut self, param: u32, atom: u32, result: ValueId, span: Span) {
        if let Some(&first) = self.loaded.get(&(param, atom)) {
            self.same.insert(result, first);
            return;
        }
        self.loaded.insert((param, atom), result);
        let (index, member) = (atom / self.length as u32, atom as usize % self.length);
        let rows = &mut self.plan.rows;
        let row = *self.loaded_rows.entry((param, index)).or_insert_with(|| {
            let members = vec![None; self.length];
            let source = Source::Load(param, index);
            rows.push(Row { members, source, place: self.places, span });
            rows.len() - 1
        });
        self.plan.rows[row].members[member] = Some(result);
        self.homes[result.index()].push((row, member));
    }

    fn statement(&mut self, op: Op, Instr { args, results, span, .. }: &Instr) {
        let args: Vec<ValueId> = args.iter().map(|&arg| self.value(arg)).collect();
        let number = self.statements.len();
        let on_atoms = !matches!(op, Op::Instruction(_));
        if self.as_written && on_atoms {
            let begun = self.begun.entry((op.clone(), *span)).or_default();
            begun.push(number);
            if begun.len() == self.length {
                self.in_run.extend(begun.iter().copied());
                self.runs.push(std::mem::take(begun));
            }
        }
        // What is computed twice would be of two rows.
        let twice = || self.computed.get(&(op.clone(), args.clone())).copied();
        let same = match self.as_written {
            true => None,
            false => self.unchanged(&op, &args).or_else(twice),
        };
        if let Some(same) = same {
            self.merged = true;
            self.same.insert(results[0], same);
            return;
        }
        if let [result] = results[..] {
            self.computed.insert((op.clone(), args.clone()), result);
        }
        for arg in &args {
            self.users[arg.index()].push(number);
        }
        self.queue.insert(number);
        let (results, place, span) = (results.clone(), self.places, *span);
        self.statements.push(Statement { op, args, results, place, span });
    }

    /// The operand that an operation gives as it is, if the other one is the constant that changes nothing.
    fn unchanged(&self, op: &Op, args: &[ValueId]) -> Option<ValueId> {
        let [a, b] = args else { return None };
        let neutral = neutral(op, self.func.ty(*a).word())?;
        let is_neutral = |value: &ValueId| self.constants.get(value) == Some(&neutral);
        match (is_neutral(a) && *op != Op::Sub, is_neutral(b)) {
            (_, true) => Some(*a),
            (true, _) => Some(*b),
            _ => None,
        }
    }

    /// Finds rows until every statement is in one.
    fn group(&mut self) {
        loop {
            while let Some(statement) = self.queue.pop_first() {
                self.try_statement(statement);
            }
            if self.refused.is_some() {
                return;
            }
            let progress = self.complete_runs()
                || self.complete_with_constants()
                || self.gather_statements(true)
                || self.complete_partial()
                || self.gather_statements(false);
            if !progress {
                return;
            }
        }
    }

    fn is_known(&self, value: ValueId) -> bool {
        self.constants.contains_key(&value) || !self.homes[value.index()].is_empty()
    }

    fn is_ready(&self, statement: usize) -> bool {
        self.statements[statement].args.iter().all(|&arg| self.is_known(arg))
    }

    /// Adds a statement whose operands are known to the groups that it fits.
    fn try_statement(&mut self, number: usize) {
        if !self.is_ready(number) {
            return;
        }
        self.ready.insert(number);
        if self.fold(number) || self.in_run.contains(&number) {
            return;
        }
        if matches!(self.statements[number].op, Op::Instruction(_)) {
            return self.instruction(number);
        }
        let args = self.statements[number].args.clone();
        let mut combinations: Vec<Vec<Option<Home>>> = vec![Vec::new()];
        for arg in args {
            let homes: Vec<Option<Home>> = match self.constants.contains_key(&arg) {
                true => vec![None],
                false => self.homes[arg.index()].iter().copied().map(Some).collect(),
            };
            let longer = |front: Vec<_>| {
                homes.iter().map(move |home| front.iter().copied().chain([*home]).collect())
            };
            combinations = combinations.into_iter().flat_map(longer).collect();
        }
        for combination in combinations {
            if self.tried.insert((number, combination.clone())) {
                self.join(number, &combination);
            }
        }
    }

    /// Makes a row of what an instruction makes of its own.
    fn instruction(&mut self, number: usize) {
        let Statement { op, args, results, span, .. } = &self.statements[number];
        let (op, args, span) = (op.clone(), args.clone(), *span);
        let members = results.iter().copied().map(Some).collect();
        let rows = args.chunks(self.length);
        let operands = rows.map(|atoms| self.operand(atoms, &[number], span)).collect();
        self.row(members, Source::Apply(op, operands), &[number]);
    }

    /// A statement on constants is a constant.
    fn fold(&mut self, number: usize) -> bool {
        let Statement { op, args, .. } = &self.statements[number];
        let result = &self.statements[number].result();
        let args: Option<Vec<u128>> =
            args.iter().map(|arg| self.constants.get(arg).copied()).collect();
        let width = self.func.ty(*result).word();
        let Some(value) = args.and_then(|args| semantics::eval(op, width, &args)) else {
            return false;
        };
        let result = *result;
        self.constants.insert(result, value);
        self.queue.extend(&self.users[result.index()]);
        true
    }

    fn join(&mut self, number: usize, homes: &[Option<Home>]) {
        let op = self.statements[number].op.clone();
        let key: Key = (op, homes.iter().map(|home| home.map(|(row, _)| row)).collect());
        let members: Vec<usize> = homes.iter().map(|home| home.map_or(0, |(_, m)| m)).collect();
        let Some(slot) = homes.iter().flatten().map(|(_, member)| *member).next() else { return };
        let (length, new) = (self.length, self.groups.len());
        let none = || Alike { groups: Vec::new(), filled: vec![0; length] };
        let alike = self.by_key.entry(key.clone()).or_insert_with(none);
        let place = alike.filled[slot];
        alike.filled[slot] += 1;
        if place == alike.groups.len() {
            alike.groups.push(new);
            self.groups.push(Group { key, slots: vec![None; length], first: usize::MAX });
        }
        let group = alike.groups[place];
        let first = self.groups[group].first;
        if number < first {
            let open = match self.groups[group].left_out() {
                Some(LeftOut::Constant) => Some(&mut self.open),
                Some(LeftOut::Zeros | LeftOut::Anything) => Some(&mut self.partial),
                None => None,
            };
            if let Some(open) = open {
                open.remove(&(first, group));
                open.insert((number, group));
            }
        }
        self.groups[group].first = first.min(number);
        self.groups[group].slots[slot] = Some((number, members));
        if self.groups[group].slots.iter().all(Option::is_some) {
            self.complete(group);
        }
    }

    /// Makes a group the row of its results. Where it has no statement, an operation with constants is one with a constant
    /// that changes nothing, one with another row takes zeros for what is not there: of either row the atoms may be wanted.
    fn complete(&mut self, group: usize) {
        let (op, rows) = &self.groups[group].key;
        let anchor = rows.iter().position(Option::is_some).unwrap_or(0);
        let both = *op != Op::Sub && self.groups[group].left_out() == Some(LeftOut::Zeros);
        // Nothing less than an atom is not that atom. What is added to comes last: of equal rows the newest is taken.
        if let Some(slots) = both.then(|| self.groups[group].slots_of(1)).flatten() {
            self.complete_around(group, 1, &slots);
        }
        self.complete_around(group, anchor, &self.groups[group].slots.clone());
    }

    /// The row of a group's results in which an operand, whose atoms the slots are, is left as it is where there is no statement.
    fn complete_around(&mut self, group: usize, anchor: usize, slots: &[Slot]) {
        let left_out = self.groups[group].left_out();
        let (op, rows) = self.groups[group].key.clone();
        let neutral = neutral(&op, self.func.values[0].word()).unwrap_or(0);
        let base = rows[anchor].unwrap_or(0);
        let mut members = Vec::new();
        for (slot, filled) in slots.iter().enumerate() {
            members.push(match filled {
                Some((number, _)) => Some(self.statements[*number].result()),
                None if left_out == Some(LeftOut::Anything) => None,
                None => self.plan.rows[base].members[slot],
            });
        }
        let operand = |(position, row): (usize, &Option<usize>)| match row {
            Some(row) => {
                let member = |(slot, filled): (usize, &Slot)| match filled {
                    Some((_, members)) => Some(members[position]),
                    None => (position == anchor).then_some(slot),
                };
                Operand::Row(*row, slots.iter().enumerate().map(member).collect())
            }
            None => {
                let constant = |filled: &Slot| match filled {
                    Some((number, _)) => self.constants[&self.statements[*number].args[position]],
                    None => neutral,
                };
                Operand::Constants(slots.iter().map(constant).collect())
            }
        };
        let operands: Vec<Operand> = rows.iter().enumerate().map(operand).collect();
        let statements: Vec<usize> = slots.iter().flatten().map(|(number, _)| *number).collect();
        self.row(members, Source::Apply(op, operands), &statements);
    }

    /// Adds a row, unless there is one of the same members.
    fn row(
        &mut self,
        members: Vec<Option<ValueId>>,
        source: Source,
        statements: &[usize],
    ) -> usize {
        let mut set = members.clone();
        set.sort_unstable();
        let number = self.plan.rows.len();
        if let Some(&known) = self.known.get(&set) {
            return known;
        }
        self.known.insert(set, number);
        let own = statements.iter().map(|&s| self.statements[s].place);
        let span = statements.first().map_or(self.func.span, |&s| self.statements[s].span);
        let mut row = Row { members, source, place: 0, span };
        let made_of = row.operands().iter().filter_map(|operand| match operand {
            Operand::Row(from, _) => Some(self.plan.rows[*from].place),
            Operand::Constants(_) => None,
        });
        row.place = own.chain(made_of).max().unwrap_or(0);
        for (member, value) in row.members.iter().enumerate() {
            let Some(value) = value else { continue };
            let homes = &mut self.homes[value.index()];
            if homes.len() < MOST_HOMES {
                homes.push((number, member));
                self.queue.extend(&self.users[value.index()]);
            }
        }
        self.plan.rows.push(row);
        number
    }

    /// Makes rows of the runs whose operands are known. Whether there was one.
    fn complete_runs(&mut self) -> bool {
        let mut progress = false;
        for run in std::mem::take(&mut self.runs) {
            let made = |&statement: &usize| self.is_known(self.statements[statement].result());
            if run.iter().all(made) {
                continue;
            }
            if !run.iter().all(|&statement| self.is_ready(statement)) {
                self.runs.push(run);
                continue;
            }
            self.complete_run(&run);
            progress = true;
        }
        progress
    }

    /// Makes a row of statements whose operands are known.
    fn complete_run(&mut self, run: &[usize]) {
        let Statement { op, args, span, .. } = &self.statements[run[0]];
        let (op, count, span) = (op.clone(), args.len(), *span);
        let atoms = |position: usize| -> Vec<ValueId> {
            run.iter().map(|&statement| self.statements[statement].args[position]).collect()
        };
        let atoms: Vec<Vec<ValueId>> = (0..count).map(atoms).collect();
        let operands = atoms.iter().map(|atoms| self.operand(atoms, run, span)).collect();
        let members = run.iter().map(|&s| Some(self.statements[s].result())).collect();
        self.row(members, Source::Apply(op, operands), run);
    }

    /// Completes the first group that lacks statements and can do without them, by constants. Whether there was one.
    fn complete_with_constants(&mut self) -> bool {
        while let Some((_, group)) = self.open.pop_first() {
            if self.complete_if_open(group) {
                return true;
            }
        }
        false
    }

    /// The same with zeros of another row or with nothing: of those that begin alike the fullest, and of these that whose other atoms
    /// are taken as what it makes is.
    fn complete_partial(&mut self) -> bool {
        while let Some(&(first, _)) = self.partial.first() {
            let filled = |group: usize| self.groups[group].slots.iter().flatten().count();
            let alike = self.partial.range((first, 0)..(first + 1, 0)).map(|&(_, group)| group);
            let most = alike.clone().map(filled).max().expect("there is one that begins so");
            let fullest: Vec<usize> = alike.filter(|&group| filled(group) == most).collect();
            let group = match fullest[..] {
                [group] => group,
                _ => {
                    let companions = |&group: &usize| (self.companions(group), group);
                    fullest.into_iter().max_by_key(companions).expect("there is one")
                }
            };
            self.partial.remove(&(first, group));
            if self.complete_if_open(group) {
                return true;
            }
        }
        false
    }

    /// How much the atoms that stay as they are in the row that a group becomes are used for what its results are used for, too: a row
    /// of all of these will be wanted.
    fn companions(&self, group: usize) -> usize {
        let Group { key: (_, rows), slots, .. } = &self.groups[group];
        let Some(base) = rows.iter().flatten().next() else { return 0 };
        let statements = slots.iter().flatten().map(|(number, _)| *number);
        let results = statements.map(|number| self.statements[number].result());
        let wanted: FxHashSet<Use> = results.flat_map(|result| self.uses(result)).collect();
        let members = self.plan.rows[*base].members.iter().zip(slots);
        let others = members.filter(|(_, slot)| slot.is_none()).filter_map(|(member, _)| *member);
        let shared = |member| self.uses(member).filter(|own| wanted.contains(own));
        others.map(|member| shared(member).collect::<FxHashSet<Use>>().len()).sum()
    }

    /// What a value is used for.
    fn uses(&self, value: ValueId) -> impl Iterator<Item = Use<'_>> {
        let users = self.users[value.index()].iter().map(|&user| &self.statements[user]);
        let taken = users.flat_map(move |user| {
            let own = user.args.iter().enumerate().filter(move |(_, arg)| **arg == value);
            own.map(|(position, _)| Use::Taken(&user.op, position))
        });
        let stored = self.results_of.get(&value).into_iter().flatten();
        taken.chain(stored.map(|(result, row)| Use::Stored(*result, *row)))
    }

    /// Completes a group if none of its statements is in a row.
    fn complete_if_open(&mut self, group: usize) -> bool {
        let mut statements = self.groups[group].slots.iter().flatten();
        let is_open = |s: usize| self.homes[self.statements[s].result().index()].is_empty();
        let open = statements.all(|(number, _)| is_open(*number));
        if open {
            self.complete(group);
        }
        open
    }

    /// Makes a row of the first statements of a kind that are in none, whatever rows their operands are in; or if they are a whole
    /// row, and each operand is one shuffle. Whether there was one.
    fn gather_statements(&mut self, whole: bool) -> bool {
        let mut ready = std::mem::take(&mut self.ready);
        ready.retain(|&s| !self.is_known(self.statements[s].result()));
        self.ready = ready;
        let Some(&first) = self.ready.first() else { return false };
        let op = &self.statements[first].op;
        let alike = self.ready.iter().copied().filter(|&s| self.statements[s].op == *op);
        let mut chosen: Vec<usize> = alike.take(self.length).collect();
        if whole && chosen.len() < self.length {
            return false;
        }
        chosen.resize(self.length, first);
        let atoms = |position: usize| -> Vec<ValueId> {
            chosen.iter().map(|&s| self.statements[s].args[position]).collect()
        };
        let count = self.statements[first].args.len();
        let atoms: Vec<Vec<ValueId>> = (0..count).map(atoms).collect();
        if whole && !atoms.iter().all(|atoms| self.is_one_shuffle(&self.parts(atoms))) {
            return false;
        }
        self.complete_run(&chosen);
        true
    }

    /// Some known atoms as an operand: of one row, if there is one with all of them.
    fn operand(&mut self, atoms: &[ValueId], statements: &[usize], span: Span) -> Operand {
        let mut parts = self.parts(atoms);
        match &parts[..] {
            [Operand::Constants(_)] => return parts.remove(0),
            [Operand::Row(_, members)] if members.iter().all(Option::is_some) => {
                return parts.remove(0);
            }
            _ => {}
        }
        if !self.gather && !self.is_one_shuffle(&parts) && self.refused.is_none() {
            self.refused = Some(not_one_shuffle(&parts, span));
        }
        let members = atoms.iter().map(|&atom| Some(atom)).collect();
        let row = self.row(members, Source::Gather(parts), statements);
        self.plan.rows[row].span = span;
        let own = &self.plan.rows[row].members;
        let member = |atom: &ValueId| own.iter().position(|member| *member == Some(*atom));
        Operand::Row(row, atoms.iter().map(member).collect())
    }

    /// Whether so many parts of a row are one shuffle.
    fn is_one_shuffle(&self, parts: &[Operand]) -> bool {
        parts.len() == 1 || self.plan.windows && window(parts).is_some()
    }

    /// The rows that some known atoms are of, as few as there are, and the constants among them.
    fn parts(&self, atoms: &[ValueId]) -> Vec<Operand> {
        if let Some(constants) =
            atoms.iter().map(|atom| self.constants.get(atom).copied()).collect()
        {
            return vec![Operand::Constants(constants)];
        }
        let in_row = |row: usize| -> Vec<Option<usize>> {
            let member = |atom: &ValueId| {
                let homes = self.homes[atom.index()].iter();
                homes.copied().find(|home| home.0 == row).map(|home| home.1)
            };
            atoms.iter().map(member).collect()
        };
        let mut parts = Vec::new();
        let mut left: Vec<usize> =
            (0..atoms.len()).filter(|&i| !self.constants.contains_key(&atoms[i])).collect();
        let constants: Vec<u128> =
            atoms.iter().map(|atom| self.constants.get(atom).copied().unwrap_or(0)).collect();
        while let Some(&atom) = left.first() {
            let homes = self.homes[atoms[atom].index()].iter().map(|home| home.0);
            let covers = |row: &usize| {
                let members = in_row(*row);
                left.iter().filter(|&&i| members[i].is_some()).count()
            };
            let row = homes.max_by_key(covers).expect("an atom is constant or in a row");
            let mut members = in_row(row);
            for (i, member) in members.iter_mut().enumerate() {
                member.take_if(|_| !left.contains(&i));
            }
            left.retain(|&i| members[i].is_none());
            parts.push(Operand::Row(row, members));
        }
        if constants.iter().any(|&constant| constant != 0) {
            parts.push(Operand::Constants(constants));
        }
        parts
    }

    /// Makes the rows of the results.
    fn results(&mut self) {
        let mut stored = std::mem::take(&mut self.stored);
        stored.sort_by_key(|(result, atom, ..)| (*result, *atom));
        for atoms in stored.chunks(self.length) {
            if self.refused.is_some() {
                return;
            }
            let (result, first, _, _, span) = atoms[0];
            let values: Vec<ValueId> = atoms.iter().map(|store| store.2).collect();
            let operand = self.operand(&values, &[], span);
            let own = atoms.iter().map(|store| store.3).max().unwrap_or(0);
            let made = match &operand {
                Operand::Row(row, _) => self.plan.rows[*row].place,
                Operand::Constants(_) => 0,
            };
            let (index, place) = (first / self.length as u32, own.max(made));
            self.plan.stores.push(Store { result, index, operand, place, span });
        }
    }
}

/// What an atom is used for: as an operand of an operation, by its position, or in a row of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Use<'a> {
    Taken(&'a Op, usize),
    Stored(u32, u32),
}

/// What an operation on rows does for atoms for which there is no statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    /// Nothing, by a constant that changes nothing.
    Constant,
    /// Nothing, since zeros of the second row change nothing.
    Zeros,
    /// What nobody wants.
    Anything,
}

impl Group {
    /// Its statements by the atoms of another operand, if each takes one of its own.
    fn slots_of(&self, operand: usize) -> Option<Vec<Slot>> {
        let mut slots = vec![None; self.slots.len()];
        for statement in self.slots.iter().flatten() {
            let slot = &mut slots[statement.1[operand]];
            if slot.replace(statement.clone()).is_some() {
                return None;
            }
        }
        Some(slots)
    }

    /// How it can do without statements for some atoms, if it can.
    fn left_out(&self) -> Option<LeftOut> {
        let (op, rows) = &self.key;
        match rows[..] {
            [Some(_), None] if neutral(op, 1).is_some() => Some(LeftOut::Constant),
            [None, Some(_)] if neutral(op, 1).is_some() && *op != Op::Sub => {
                Some(LeftOut::Constant)
            }
            [Some(_), Some(_)] if neutral(op, 1) == Some(0) => Some(LeftOut::Zeros),
            [Some(_), Some(_)] if *op == Op::And => Some(LeftOut::Anything),
            [Some(_)] => Some(LeftOut::Anything),
            _ => None,
        }
    }
}

/// The constant with which an operation changes nothing, if there is one.
fn neutral(op: &Op, width: u16) -> Option<u128> {
    match op {
        Op::Xor | Op::Or | Op::Add | Op::Sub => Some(0),
        Op::And => Some(semantics::mask(width)),
        _ => None,
    }
}
