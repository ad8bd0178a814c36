//! The text of one function: one walk over its statements.

mod loops;
mod spill;

use super::barrier;
use super::expression::operation;
use super::function::Signature;
use super::images;
use super::parts::{Home, Parts};
use super::ports::image_bytes;
use super::syntax::{Front, Head, Parameter};
use super::template::{Fill, Names};
use crate::core::arguments::MOST_BY_VALUE;
use crate::core::{Direction, Func, FuncId, Index, Instr, Op, Port, Stmt, Type, ValueId};
use crate::registers::Spill;
use spill::Spilling;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Whether a called function takes its parameters themselves.
fn by_value(func: &Func) -> bool {
    let mut steps = false;
    for stmt in &func.body {
        stmt.instrs(&mut |instr| steps |= matches!(instr.op, Op::Load(_, at) if at.step != 0));
    }
    !steps && func.params.iter().map(Port::count).sum::<u32>() <= MOST_BY_VALUE
}

/// Prints one function. Every value is a local `const`, but for those that loops carry.
pub(super) struct Printer<'a> {
    signature: &'a Signature<'a>,
    id: FuncId,
    func: &'a Func,
    /// How often each value is read.
    uses: Vec<u32>,
    /// The value under whose name a value goes: a loop's result is its carried variable.
    alias: Vec<ValueId>,
    /// What stands for values that are no variables: taps of delay lines, loads that only fill these, arguments in place.
    places: BTreeMap<ValueId, String>,
    /// Loads that only fill delay lines: they stand where they do so.
    fills: BTreeSet<ValueId>,
    /// Where values are put that enter delay lines or arguments, as soon as they are made.
    enters: BTreeMap<ValueId, Vec<String>>,
    /// The arrays of arguments that stay in place.
    in_place: BTreeSet<String>,
    /// Which atoms of each parameter are read; of those in memory, all or none.
    read: Vec<Vec<bool>>,
    by_value: bool,
    /// Which values stand behind a barrier.
    barriers: Vec<bool>,
    /// Whether the text spills by itself.
    explicit: bool,
    /// What is where, if it does.
    spilling: Option<Spilling>,
    /// What of the function is printed, if not all.
    part: Option<Part<'a>>,
    body: String,
    indent: usize,
    /// The names of constants.
    names: RefCell<Names>,
    /// Whether an index within the loop that is printed steps.
    steps: Cell<bool>,
}

/// A part of a function.
pub(super) struct Part<'a> {
    of: &'a Parts<'a>,
    number: usize,
    /// The values that it has: those that it defines, and those that it has fetched.
    has: BTreeSet<ValueId>,
    /// The types of values that it keeps or fetches.
    kept: BTreeSet<Type>,
    /// The results that it writes.
    written: BTreeSet<u32>,
}

impl<'a> Part<'a> {
    pub(super) fn new(of: &'a Parts<'a>, number: usize) -> Part<'a> {
        Part { of, number, has: BTreeSet::new(), kept: BTreeSet::new(), written: BTreeSet::new() }
    }
}

/// The name of the array in which values of a type lie from part to part.
fn kept(ty: Type) -> String {
    format!("kept_{}", super::type_name(ty)).to_lowercase()
}

impl<'a> Printer<'a> {
    pub(super) fn new(signature: &'a Signature<'a>, id: FuncId) -> Printer<'a> {
        let func = &signature.kernel.program.funcs[id.index()];
        let mut uses = vec![0; func.values.len()];
        for stmt in &func.body {
            stmt.uses(&mut |value| uses[value.index()] += 1);
        }
        Printer {
            signature,
            id,
            func,
            alias: (0..func.values.len() as u32).map(ValueId).collect(),
            places: BTreeMap::new(),
            fills: loops::fills(func, &uses),
            enters: BTreeMap::new(),
            in_place: BTreeSet::new(),
            uses,
            read: func.params.iter().map(|port| vec![false; port.count() as usize]).collect(),
            barriers: barrier::needed(func, signature.kernel.target),
            by_value: id != signature.kernel.program.entry && by_value(func),
            explicit: signature.kernel.spill != Spill::Compiler,
            spilling: None,
            part: None,
            body: String::new(),
            indent: 1,
            names: RefCell::default(),
            steps: Cell::new(false),
        }
    }

    pub(super) fn print(mut self) -> String {
        self.body(&written_out(&self.func.body));
        let (signature, id) = (self.signature, self.id);
        let little = self.spilling.as_ref().is_some_and(Spilling::is_little);
        if little && signature.kernel.spill == Spill::Explicit {
            return Printer { explicit: false, ..Printer::new(signature, id) }.print();
        }
        self.finish(&self.function_name(), !self.is_entry(), self.parameters())
    }

    /// What callers must know of the function.
    pub(super) fn signature_head(&self) -> Head<'a> {
        let name = self.signature.name;
        Head {
            name,
            target: self.signature.kernel.target,
            called: false,
            parameters: self.parameters(),
        }
    }

    /// Prints a part, which takes the arrays of what is kept after the function's own parameters.
    pub(super) fn print_part(mut self, part: Part<'a>) -> String {
        let (of, number) = (part.of, part.number);
        self.part = Some(part);
        self.body(&of.parts[number]);
        let mut parameters = self.parameters();
        for (&ty, &count) in &of.kept {
            let (ty, name) = (self.signature.register(ty), kept(ty));
            parameters.push(Parameter::Results { ty, name, count });
        }
        self.finish(&self.part_name(number), true, parameters)
    }

    /// Prints the statements of the function or of the part.
    fn body(&mut self, stmts: &[&Stmt]) {
        let target = self.signature.kernel.target;
        self.spilling = self.explicit.then(|| Spilling::new(self.func.values.len(), target));
        let outer = self.begin(stmts, None);
        self.stmts(stmts);
        self.end(outer);
    }

    /// Prints the function that calls the parts.
    pub(super) fn print_calls(mut self, parts: &Parts) -> String {
        let parameters = self.parameters();
        let mut args: Vec<String> = parameters.iter().map(|p| p.name().to_string()).collect();
        for (&ty, &count) in &parts.kept {
            self.array(ty, &kept(ty), count);
            args.push(kept(ty));
        }
        for number in 0..parts.parts.len() {
            self.line(&format!("{}({});", self.part_name(number), args.join(", ")));
        }
        let head = self.head(&self.function_name(), !self.is_entry(), parameters);
        format!("{head}\n{{\n{}}}\n", self.body)
    }

    fn finish(&self, name: &str, called: bool, parameters: Vec<Parameter>) -> String {
        let head = self.head(name, called, parameters);
        let mut unread = String::new();
        for k in self.unread() {
            let _ = writeln!(unread, "    {}", self.signature.syntax.unused(&k));
        }
        let rooms: String = self.rooms().iter().map(|room| format!("    {room}\n")).collect();
        format!("{head}\n{{\n{unread}{rooms}{}}}\n", self.body)
    }

    fn is_entry(&self) -> bool {
        self.id == self.signature.kernel.program.entry
    }

    fn function_name(&self) -> String {
        self.signature.function_name(self.id)
    }

    fn part_name(&self, number: usize) -> String {
        format!("{}_part{number}", self.function_name())
    }

    fn is_image(&self, port: &Port) -> bool {
        self.is_entry() && port.constant
    }

    fn head(&self, name: &str, called: bool, parameters: Vec<Parameter>) -> String {
        let target = self.signature.kernel.target;
        self.signature.syntax.head(&Head { name, target, called, parameters })
    }

    fn parameters(&self) -> Vec<Parameter> {
        let register = |port: &Port, number: usize, others: usize| match self.is_entry() {
            true if number >= others || self.signature.at_any_address => {
                self.signature.memory(port.ty)
            }
            _ => self.signature.register(port.ty),
        };
        let mut parameters = Vec::new();
        for (k, port) in self.func.results.iter().enumerate() {
            let ty = register(port, k, self.func.outputs().len());
            let (name, count) = (format!("out{k}"), port.count());
            let bytes = image_bytes(self.signature.kernel.target, port);
            parameters.push(match self.is_image(port) {
                true => Parameter::Made { name, bytes },
                false => Parameter::Results { ty, name, count },
            });
        }
        for (k, port) in self.func.params.iter().enumerate() {
            let (ty, count) = (register(port, k, self.func.inputs().len()), port.count());
            let value = |j| Parameter::Value { ty: ty.clone(), name: format!("in{k}_{j}") };
            match self.is_image(port) {
                true => {}
                false if self.by_value => parameters.extend((0..count).map(value)),
                false => parameters.push(Parameter::Array { ty, name: format!("in{k}"), count }),
            }
        }
        if self.is_entry() {
            parameters.push(Parameter::Images { bytes: self.signature.image_bytes() });
        }
        parameters
    }

    /// Parameters of the function that it neither reads nor writes.
    fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
        if let Some(part) = &self.part {
            let results = 0..self.func.results.len() as u32;
            let others = results.filter(|k| !part.written.contains(k));
            unread.extend(others.map(|k| format!("out{k}")));
        }
        for (k, read) in self.read.iter().enumerate() {
            match self.is_image(&self.func.params[k]) {
                true => {}
                false if self.by_value => {
                    let atoms = (0..read.len()).filter(|j| !read[*j]);
                    unread.extend(atoms.map(|j| format!("in{k}_{j}")));
                }
                false => unread.extend((!read[0]).then(|| format!("in{k}"))),
            }
        }
        let mut ports = self.func.params.iter().zip(&self.read);
        if self.is_entry() && !ports.any(|(port, read)| read[0] && self.is_image(port)) {
            unread.push("constants".to_string());
        }
        if let Some(part) = &self.part {
            let others = part.of.kept.keys().filter(|ty| !part.kept.contains(ty));
            unread.extend(others.map(|ty| kept(*ty)));
        }
        unread
    }

    /// Begins a block.
    fn begin_block(&mut self) {
        self.indent += 1;
        self.names.get_mut().enter();
    }

    /// Ends it.
    fn end_block(&mut self) {
        self.indent -= 1;
        self.names.get_mut().leave();
    }

    fn line(&mut self, text: &str) {
        let line = self.indented(text);
        self.body.push_str(&line);
    }

    fn indented(&self, text: &str) -> String {
        format!("{}{text}\n", "    ".repeat(self.indent))
    }

    fn name(&self, value: ValueId) -> String {
        match self.places.get(&value) {
            Some(place) => place.clone(),
            None => format!("v{}", self.alias[value.index()].0),
        }
    }

    fn register(&self, value: ValueId) -> String {
        self.signature.register(self.func.ty(value))
    }

    /// `offset + size · at`, in the iterations of a loop.
    fn index(&self, at: Index, size: usize, offset: usize) -> String {
        let step = size as isize * at.step as isize;
        self.steps.set(self.steps.get() || step != 0);
        self.signature.syntax.index(offset + size * at.base as usize, step)
    }

    /// Statements one after another. Those of long sequences stand in blocks, as many in each as the language wants, of which
    /// only what is used behind them is seen outside.
    fn stmts(&mut self, stmts: &[&Stmt]) {
        let most = self.signature.syntax.longest_block();
        if stmts.len() <= most {
            return stmts.iter().for_each(|stmt| self.stmt(stmt));
        }
        for run in stmts.chunk_by(|a, b| stands_alone(a) == stands_alone(b)) {
            match stands_alone(run[0]) {
                true => run.iter().for_each(|stmt| self.stmt(stmt)),
                false => run.chunks(most).for_each(|block| self.block(block)),
            }
        }
    }

    fn block(&mut self, stmts: &[&Stmt]) {
        let mut inside = BTreeMap::new();
        let mut defined = vec![];
        for &stmt in stmts {
            stmt.uses(&mut |value| *inside.entry(value).or_insert(0) += 1);
            stmt.instrs(&mut |instr| defined.extend(&instr.results));
        }
        let outside = |value: &ValueId| {
            let entered = self.enters.get(value).map_or(0, |places| places.len() as u32);
            let inside = inside.get(value).copied().unwrap_or(0);
            self.uses[value.index()] > inside + entered && !self.fills.contains(value)
        };
        let seen = defined.iter().filter(|v| self.spilling.is_none() && outside(v));
        let seen: Vec<String> = seen.map(|v| self.name(*v)).collect();
        let (head, end) = self.signature.syntax.block(&seen);
        self.line(&head);
        self.begin_block();
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.flush();
        for line in end {
            if line.starts_with('}') {
                self.end_block();
            }
            self.line(&line);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.fetch(stmt);
        self.before(stmt);
        match stmt {
            Stmt::Let(instr) if self.is_made_anew(instr) => {}
            Stmt::Let(instr) => self.instr(instr),
            Stmt::Store { result, index: at, value, .. } => {
                if let Some(part) = &mut self.part {
                    part.written.insert(*result);
                }
                let port = &self.func.results[*result as usize];
                let text = match self.is_image(port) {
                    true => self.store_image(*result, port.ty, *at, *value),
                    false => {
                        format!("out{result}[{}] = {};", self.index(*at, 1, 0), self.name(*value))
                    }
                };
                self.line(&text);
            }
            Stmt::Forall(forall) => {
                forall.iterations.iter().flatten().for_each(|stmt| self.stmt(stmt));
            }
            Stmt::Loop(l) => self.loop_(l),
        }
        self.after(stmt);
    }

    /// Whether each part that reads a value makes it, this one too.
    fn is_made_anew(&self, instr: &Instr) -> bool {
        let (Some(part), Some(value)) = (&self.part, instr.results.first()) else { return false };
        matches!(part.of.home(*value), Home::Anew(_))
    }

    /// Defines what a statement reads that other parts define or every part makes.
    fn fetch(&mut self, stmt: &Stmt) {
        let Some(part) = &mut self.part else { return };
        let mut fetched = Vec::new();
        stmt.uses(&mut |value| match part.of.home(value) {
            Home::Nowhere => {}
            home => fetched.extend(part.has.insert(value).then_some((value, home))),
        });
        for (value, home) in fetched {
            let text = match home {
                Home::Anew(instr) => self.expression(instr, value),
                Home::Kept(place) => self.kept(value, place),
                Home::Nowhere => continue,
            };
            if self.spilling.is_some() {
                self.places.insert(value, text);
                self.has_place(value);
                continue;
            }
            let (register, name) = (self.register(value), self.name(value));
            self.line(&self.signature.syntax.define(&register, &name, &text));
        }
    }

    /// Keeps a value that has been defined, if other parts read it.
    fn keep(&mut self, value: ValueId) {
        let Some(part) = &mut self.part else { return };
        part.has.insert(value);
        if let Some(place) = self.kept_in(value) {
            let text = format!("{place} = {};", self.name(value));
            self.line(&text);
        }
    }

    /// Where a value is kept for other parts.
    fn kept_in(&mut self, value: ValueId) -> Option<String> {
        match self.part.as_ref()?.of.home(value) {
            Home::Kept(place) => Some(self.kept(value, place)),
            _ => None,
        }
    }

    /// Where a value lies that is kept.
    fn kept(&mut self, value: ValueId, place: u32) -> String {
        let ty = self.func.ty(value);
        if let Some(part) = &mut self.part {
            part.kept.insert(ty);
        }
        format!("{}[{place}]", kept(ty))
    }

    fn instr(&mut self, instr: &Instr) {
        if let Op::Call(callee, ..) = instr.op {
            return self.call(instr, callee);
        }
        // What costs no more to have anew has no variable, if variables are registers.
        let anew = self.spilling.is_some()
            && matches!(instr.op, Op::Load(..) | Op::Const(_) | Op::Constants(..));
        for &result in &instr.results {
            let text = self.expression(instr, result);
            if anew {
                self.stands_at(result, text);
            } else if self.fills.contains(&result) {
                self.places.insert(result, text);
                self.keep(result);
            } else {
                self.define(result, &text);
            }
        }
    }

    fn define(&mut self, value: ValueId, text: &str) {
        let (syntax, name) = (self.signature.syntax, self.name(value));
        self.line(&syntax.define(&self.register(value), &name, text));
        if self.uses[value.index()] == 0 {
            self.line(&syntax.unused(&name));
        }
        for place in self.enters.remove(&value).unwrap_or_default() {
            self.line(&format!("{place} = {name};"));
        }
        self.keep(value);
        self.made(value);
    }

    /// What a call has left in memory is read where it is used: its callers need registers for other values until then.
    fn stands_at(&mut self, value: ValueId, place: String) {
        for other in self.enters.remove(&value).unwrap_or_default() {
            self.line(&format!("{other} = {place};"));
        }
        self.places.insert(value, place);
        self.keep(value);
        self.has_place(value);
    }

    fn expression(&mut self, instr: &Instr, result: ValueId) -> String {
        let text = self.computed(instr, result);
        for [ty, name, constant] in self.names.get_mut().fresh() {
            self.line(&self.signature.syntax.define(&ty, &name, &constant));
        }
        match self.barriers[result.index()] {
            true => {
                let ty = self.func.ty(result);
                self.signature.syntax.barrier(u32::from(ty.bits()), &text)
            }
            false => text,
        }
    }

    fn computed(&mut self, instr: &Instr, result: ValueId) -> String {
        let ty = self.func.ty(result);
        // Rows are what long texts have so many of. Elsewhere gcc would keep them in registers and spill more than it saves; where
        // variables are registers a name would take one.
        let named = ty.direction() == Direction::P && self.spilling.is_none();
        let names = named.then_some(&self.names);
        let fill = Fill { names, ..self.signature.fill(ty, &[]) };
        match &instr.op {
            Op::Const(value) => fill.constant(*value),
            Op::Constants(list, Index { base, step: 0 }) => {
                let list = &self.signature.kernel.program.constants[list.index()];
                fill.constant(list.get(*base as usize).copied().unwrap_or(0))
            }
            Op::Constants(list, at) => {
                let name = self.signature.table_name(list.0, ty);
                self.broadcast(ty, &name, *at, 0)
            }
            Op::Load(param, at) => self.load(*param, *at),
            Op::Shl(0) | Op::Shr(0) | Op::Sar(0) | Op::Rotl(0) => self.name(instr.args[0]),
            op => {
                let args: Vec<String> = instr.args.iter().map(|a| self.name(*a)).collect();
                let row = self.signature.kernel.target.select(op, ty.direction(), ty.word());
                // The verifier admits no kernel without; a C compiler won't either.
                row.and_then(|row| operation(&fill, row, op, &args)).unwrap_or_else(|| {
                    format!("no_instance_of_{:?}({})", op.kind(), args.join(", "))
                })
            }
        }
    }

    fn load(&mut self, param: u32, at: Index) -> String {
        let func = self.func;
        let port = &func.params[param as usize];
        if self.by_value {
            self.read[param as usize][at.base as usize] = true;
            return format!("in{param}_{}", at.base);
        }
        self.read[param as usize].fill(true);
        if !self.is_image(port) {
            return format!("in{param}[{}]", self.index(at, 1, 0));
        }
        let before = func.params[..param as usize].iter().filter(|port| port.constant);
        let offset = before.map(|port| image_bytes(self.signature.kernel.target, port)).sum();
        self.broadcast(port.ty, "constants", at, offset)
    }

    /// The statement that stores a value, the same in all lanes, as its image.
    fn store_image(&self, result: u32, ty: Type, at: Index, value: ValueId) -> String {
        let (syntax, target) = (self.signature.syntax, self.signature.kernel.target);
        let (array, bytes) = (format!("out{result}"), target.image_bytes(ty));
        let (offset, value) = (self.index(at, bytes, 0), self.name(value));
        let register = self.signature.register(ty);
        let size = target.register_bytes(ty);
        if target.simd {
            let (array, offset, value, register) = (&*array, &*offset, &*value, &*register);
            return syntax.store_front(&Front { array, offset, bytes, value, register, size });
        }
        let prefix = self.signature.word_prefix();
        images::store_register(syntax, prefix, (&array, &offset), (&value, size))
    }

    /// The image at a place of an array of images, which begin at an offset, in every lane.
    fn broadcast(&self, ty: Type, array: &str, at: Index, offset: usize) -> String {
        let bytes = self.signature.kernel.target.image_bytes(ty);
        let address = self.index(at, bytes, offset);
        let address = self.signature.syntax.bytes(array, &address);
        let place = match bytes {
            8 => 0,
            16 => 1,
            _ => 2,
        };
        let extra = [("p", &*address), ("load64", self.signature.load64)];
        let fill = self.signature.fill(ty, &extra);
        fill.text(fill.registers().broadcast[place].unwrap_or(""))
    }

    fn call(&mut self, instr: &Instr, callee: FuncId) {
        let target = &self.signature.kernel.program.funcs[callee.index()];
        // Calls have results or are dead; the first result's number makes the arrays' names unique.
        let Some(first) = instr.results.first() else { return };
        let mut args = Vec::new();
        for (k, port) in target.results.iter().enumerate() {
            let name = format!("r{}_{k}", first.0);
            self.array(port.ty, &name, port.count());
            args.push(name);
        }
        let atoms: Vec<String> = instr.args.iter().map(|arg| self.name(*arg)).collect();
        args.extend(match by_value(target) {
            true => atoms,
            false => self.arrays(&target.params, &atoms, first.0),
        });
        self.line(&format!("{}({});", self.signature.function_name(callee), args.join(", ")));
        let places =
            target.results.iter().enumerate().flat_map(|(k, port)| {
                (0..port.count()).map(move |j| format!("r{}_{k}[{j}]", first.0))
            });
        for (&result, place) in instr.results.iter().zip(places) {
            self.stands_at(result, place);
        }
    }

    /// An array for what a called function reads or makes. A core that renames memory takes for one what was stored and what is
    /// loaded in general-purpose registers, if their offsets from the same register are equal modulo 1,024 (Zen 5 does, and
    /// loses 18 cycles each time). So each of their arrays has a register of its own.
    fn array(&mut self, ty: Type, name: &str, count: u32) {
        let (syntax, target) = (self.signature.syntax, self.signature.kernel.target);
        let (register, zero) = (self.signature.register(ty), self.signature.zero(ty));
        self.line(&syntax.array(&register, name, count, &zero, !target.simd));
    }

    /// The names of arrays of a call's arguments, one for each parameter, that are defined here unless they stay in place.
    fn arrays(&mut self, params: &[Port], mut atoms: &[String], call: u32) -> Vec<String> {
        let mut names = Vec::new();
        for (k, port) in params.iter().enumerate() {
            let (these, others) = atoms.split_at(port.count() as usize);
            let name = argument(call, k);
            names.push(match self.standing(these) {
                Some(array) => array.to_string(),
                None if self.in_place.contains(&name) => name,
                None => {
                    self.array(port.ty, &name, port.count());
                    for (j, atom) in these.iter().enumerate() {
                        self.line(&format!("{name}[{j}] = {atom};"));
                    }
                    name
                }
            });
            atoms = others;
        }
        names
    }

    /// The array in place of which these are all elements in their order, as those that a loop has left there.
    fn standing(&self, atoms: &[String]) -> Option<&str> {
        let array = self.in_place.get(atoms.first()?.strip_suffix("[0]")?)?;
        let stands = |(k, atom): (usize, &String)| *atom == format!("{array}[{k}]");
        atoms.iter().enumerate().all(stands).then_some(array)
    }
}

/// The name of the array of a call's arguments for a parameter; the number of the first result makes it unique.
fn argument(call: u32, param: usize) -> String {
    format!("a{call}_{param}")
}

/// Statements with the iterations that were written out in place of what they are from.
pub(super) fn written_out(stmts: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::Forall(forall) => {
                all.extend(forall.iterations.iter().flat_map(|iteration| written_out(iteration)));
            }
            _ => all.push(stmt),
        }
    }
    all
}

/// Whether a statement is in no block: a loop, or a call, whose results are elements of its arrays.
fn stands_alone(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Loop(_) | Stmt::Let(Instr { op: Op::Call(..), .. }))
}
