//! The functions of a kernel: one walk over its program.

mod loops;

use super::syntax::{Head, Parameter, Syntax};
use super::template::Fill;
use crate::compile::Kernel;
use crate::core::{Func, FuncId, Index, Instr, Op, Port, Stmt, Type, ValueId};
use crate::layout;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What of a kernel's ports and symbols its callers must know.
pub struct Signature<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The language.
    pub syntax: &'a dyn Syntax,
    /// The name of its entry.
    pub name: &'a str,
    /// The name of the function that reads 8 bytes as a word, where there is one.
    pub load64: &'a str,
    /// Whether all ports of the entry may lie at any address, and not only the registers of a state.
    pub at_any_address: bool,
}

impl<'a> Signature<'a> {
    /// The parameters that come in registers.
    pub fn inputs(&self) -> impl Iterator<Item = &'a Port> {
        self.kernel.program.entry().params.iter().filter(|port| !port.constant)
    }

    /// The results.
    pub fn outputs(&self) -> impl Iterator<Item = &'a Port> {
        self.kernel.program.entry().results.iter()
    }

    /// The type of a register that holds atoms of this type.
    pub fn register(&self, ty: Type) -> String {
        let fill = self.fill(ty, &[]);
        fill.text(fill.registers().register)
    }

    /// The type of registers in memory, at any address.
    pub fn memory(&self, ty: Type) -> String {
        format!("{}_memory_{}", self.name, super::type_name(ty).to_lowercase())
    }

    /// The definitions of these types.
    fn memory_types(&self) -> String {
        let entry = self.kernel.program.entry();
        let ports = match self.at_any_address {
            true => [&entry.params[..], &entry.results[..]].concat(),
            false => entry.registers().to_vec(),
        };
        let types: BTreeSet<Type> = ports.iter().map(|port| port.ty).collect();
        let define = |&ty: &Type| self.syntax.memory_type(&self.register(ty), &self.memory(ty));
        let text: String = types.iter().filter_map(define).collect();
        if text.is_empty() {
            text
        } else {
            text + "
"
        }
    }

    /// A register of zeros.
    pub fn zero(&self, ty: Type) -> String {
        self.fill(ty, &[]).constant(0)
    }

    /// The size of the images of its constant parameters, in bytes.
    pub fn image_bytes(&self) -> usize {
        let constants = self.kernel.program.entry().params.iter().filter(|port| port.constant);
        constants.map(|port| image_bytes(port.ty) * port.count() as usize).sum()
    }

    /// The definitions of the kernel's functions and tables of constants, entry last: the entry takes pointers to its
    /// results, to those of its parameters that are not constant, and to the images of those that are.
    pub fn definitions(&self) -> String {
        let mut out = self.memory_types() + &self.constant_tables();
        for id in callees_first(self.kernel) {
            out.push_str(&Printer::new(self, id).print());
            out.push('\n');
        }
        out
    }

    fn fill<'f>(&'f self, ty: Type, extra: &'f [(&'f str, &'f str)]) -> Fill<'f> {
        Fill { syntax: self.syntax, target: self.kernel.target, ty, extra }
    }

    fn function_name(&self, id: FuncId) -> String {
        if id == self.kernel.program.entry {
            return self.name.to_string();
        }
        let name = &self.kernel.program.funcs[id.index()].name;
        format!("{}_{}_{}", self.name, super::identifier(name), id.0)
    }

    fn table_name(&self, list: u32, ty: Type) -> String {
        format!("{}_constants{list}_{}", self.name, super::type_name(ty)).to_lowercase()
    }

    /// Images of the lists of constants that loops step through.
    fn constant_tables(&self) -> String {
        let mut used = BTreeSet::new();
        for id in callees_first(self.kernel) {
            let func = &self.kernel.program.funcs[id.index()];
            for stmt in &func.body {
                stmt.instrs(&mut |instr| {
                    if let Op::Constants(list, Index { step: 1.. | ..=-1, .. }) = instr.op {
                        used.extend(instr.results.iter().map(|r| (list, func.ty(*r))));
                    }
                });
            }
        }
        let mut out = String::new();
        for (list, ty) in used {
            let values = self.kernel.program.constants[list.index()].iter();
            let images: Vec<Vec<u8>> = values.map(|value| image(ty, *value)).collect();
            let table = self.syntax.table(&self.table_name(list.0, ty), &images);
            out.push_str(
                &(table.join(
                    "
",
                ) + "

"),
            );
        }
        out
    }
}

/// The size of the image of one constant atom, in bytes.
pub fn image_bytes(ty: Type) -> usize {
    layout::image::image_bytes(ty.direction(), ty.bits())
}

/// The image of a constant atom.
pub fn image(ty: Type, value: u128) -> Vec<u8> {
    layout::image::image(ty.direction(), ty.bits(), value)
}

/// The functions that the entry needs, each after those that it calls.
fn callees_first(kernel: &Kernel) -> Vec<FuncId> {
    fn visit(kernel: &Kernel, id: FuncId, order: &mut Vec<FuncId>) {
        if order.contains(&id) {
            return;
        }
        for stmt in &kernel.program.funcs[id.index()].body {
            stmt.instrs(&mut |instr| {
                if let Op::Call(callee, ..) = &instr.op {
                    visit(kernel, *callee, order);
                }
            });
        }
        order.push(id);
    }
    let mut order = Vec::new();
    visit(kernel, kernel.program.entry, &mut order);
    order
}

/// The most atoms that a called function takes as arguments: as many as calling conventions have vector registers for.
/// Where there are more it takes pointers to arrays of them.
const MOST_ARGUMENTS: u32 = 8;

/// Whether a called function takes its parameters themselves.
fn by_value(func: &Func) -> bool {
    let mut steps = false;
    for stmt in &func.body {
        stmt.instrs(&mut |instr| steps |= matches!(instr.op, Op::Load(_, at) if at.step != 0));
    }
    !steps && func.params.iter().map(Port::count).sum::<u32>() <= MOST_ARGUMENTS
}

/// Prints one function. Every value is a local `const`, but for those that loops carry.
struct Printer<'a> {
    signature: &'a Signature<'a>,
    id: FuncId,
    func: &'a Func,
    /// How often each value is read.
    uses: Vec<u32>,
    /// The value under whose name a value goes: a loop's result is its carried variable.
    alias: Vec<ValueId>,
    /// What stands for values that are no variables: taps of delay lines, loads that only fill these.
    places: BTreeMap<ValueId, String>,
    /// Loads that only fill delay lines: they stand where they do so.
    fills: BTreeSet<ValueId>,
    /// Where values are put that enter delay lines, as soon as they are made.
    enters: BTreeMap<ValueId, Vec<String>>,
    /// Which atoms of each parameter are read; of those in memory, all or none.
    read: Vec<Vec<bool>>,
    by_value: bool,
    body: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(signature: &'a Signature<'a>, id: FuncId) -> Printer<'a> {
        let func = &signature.kernel.program.funcs[id.index()];
        let mut uses = vec![0; func.values.len()];
        for stmt in &func.body {
            stmt.clone().map_uses(&mut |value| {
                uses[value.index()] += 1;
                value
            });
        }
        Printer {
            signature,
            id,
            func,
            alias: (0..func.values.len() as u32).map(ValueId).collect(),
            places: BTreeMap::new(),
            fills: loops::fills(func, &uses),
            enters: BTreeMap::new(),
            uses,
            read: func.params.iter().map(|port| vec![false; port.count() as usize]).collect(),
            by_value: id != signature.kernel.program.entry && by_value(func),
            body: String::new(),
            indent: 1,
        }
    }

    fn print(mut self) -> String {
        self.stmts(&self.func.body);
        let head = self.head();
        let mut unread = String::new();
        for k in self.unread() {
            let _ = writeln!(unread, "    {}", self.signature.syntax.unused(&k));
        }
        format!("{head}\n{{\n{unread}{}}}\n", self.body)
    }

    fn is_entry(&self) -> bool {
        self.id == self.signature.kernel.program.entry
    }

    fn is_image(&self, port: &Port) -> bool {
        self.is_entry() && port.constant
    }

    fn head(&self) -> String {
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
            parameters.push(Parameter::Results { ty, name, count });
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
        let name = self.signature.function_name(self.id);
        let (target, called) = (self.signature.kernel.target, !self.is_entry());
        self.signature.syntax.head(&Head { name: &name, target, called, parameters })
    }

    /// Parameters of the function that it doesn't read.
    fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
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
        unread
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.body.push_str("    ");
        }
        self.body.push_str(text);
        self.body.push('\n');
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
        self.signature.syntax.index(offset + size * at.base as usize, step)
    }

    /// Statements one after another. Those of long sequences stand in blocks, as many in each as the language wants, of which
    /// only what is used behind them is seen outside.
    fn stmts(&mut self, stmts: &[Stmt]) {
        let most = self.signature.syntax.longest_block();
        let stmts = written_out(stmts);
        if stmts.len() <= most {
            return stmts.into_iter().for_each(|stmt| self.stmt(stmt));
        }
        for run in stmts.chunk_by(|a, b| is_loop(a) == is_loop(b)) {
            match is_loop(run[0]) {
                true => run.iter().for_each(|stmt| self.stmt(stmt)),
                false => run.chunks(most).for_each(|block| self.block(block)),
            }
        }
    }

    fn block(&mut self, stmts: &[&Stmt]) {
        let mut inside = BTreeMap::new();
        let mut defined = vec![];
        for &stmt in stmts {
            stmt.clone().map_uses(&mut |value| {
                *inside.entry(value).or_insert(0) += 1;
                value
            });
            stmt.instrs(&mut |instr| defined.extend(&instr.results));
        }
        let outside = |value: &ValueId| {
            self.uses[value.index()] > inside.get(value).copied().unwrap_or(0)
                && !self.fills.contains(value)
        };
        let seen: Vec<String> =
            defined.iter().filter(|v| outside(v)).map(|v| self.name(*v)).collect();
        let (head, end) = self.signature.syntax.block(&seen);
        self.line(&head);
        self.indent += 1;
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        for line in end {
            self.indent = if line.starts_with('}') { self.indent - 1 } else { self.indent };
            self.line(&line);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(instr) => self.instr(instr),
            Stmt::Store { result, index: at, value, .. } => {
                let text =
                    format!("out{result}[{}] = {};", self.index(*at, 1, 0), self.name(*value));
                self.line(&text);
            }
            Stmt::Forall(forall) => {
                forall.iterations.iter().flatten().for_each(|stmt| self.stmt(stmt));
            }
            Stmt::Loop(l) => self.loop_(l),
        }
    }

    fn instr(&mut self, instr: &Instr) {
        if let Op::Call(callee, ..) = instr.op {
            return self.call(instr, callee);
        }
        for &result in &instr.results {
            let text = self.expression(instr, result);
            if self.fills.contains(&result) {
                self.places.insert(result, text);
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
    }

    fn expression(&mut self, instr: &Instr, result: ValueId) -> String {
        let ty = self.func.ty(result);
        let fill = self.signature.fill(ty, &[]);
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
                match self.signature.kernel.target.select(op, ty.direction(), ty.word()) {
                    Some(instance) => fill.operation(instance, op, &args),
                    // The verifier admits no such kernel; a C compiler won't either.
                    None => format!("no_instance_of_{:?}({})", op.kind(), args.join(", ")),
                }
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
        let offset = before.map(|port| image_bytes(port.ty) * port.count() as usize).sum();
        self.broadcast(port.ty, "constants", at, offset)
    }

    /// The image at a place of an array of images, which begin at an offset, in every lane.
    fn broadcast(&self, ty: Type, array: &str, at: Index, offset: usize) -> String {
        let address = self.index(at, image_bytes(ty), offset);
        let address = self.signature.syntax.bytes(array, &address);
        let place = match image_bytes(ty) {
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
        let syntax = self.signature.syntax;
        // Calls have results or are dead; the first result's number makes the arrays' names unique.
        let Some(first) = instr.results.first() else { return };
        let mut args = Vec::new();
        for (k, port) in target.results.iter().enumerate() {
            let (register, name) = (self.signature.register(port.ty), format!("r{}_{k}", first.0));
            let zero = self.signature.zero(port.ty);
            self.line(&syntax.room(&register, &name, port.count(), &zero));
            args.push(syntax.lend(&name, true));
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
            self.define(result, &place);
        }
    }

    /// The names of arrays of a call's arguments, one for each parameter, that are defined here.
    fn arrays(&mut self, params: &[Port], mut atoms: &[String], call: u32) -> Vec<String> {
        let mut names = Vec::new();
        for (k, port) in params.iter().enumerate() {
            let (these, others) = atoms.split_at(port.count() as usize);
            let (register, name) = (self.signature.register(port.ty), format!("a{call}_{k}"));
            let syntax = self.signature.syntax;
            self.line(&syntax.elements(&register, &name, these));
            names.push(syntax.lend(&name, false));
            atoms = others;
        }
        names
    }
}

/// Statements with the iterations that were written out in place of what they are from.
fn written_out(stmts: &[Stmt]) -> Vec<&Stmt> {
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

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Loop(_))
}
