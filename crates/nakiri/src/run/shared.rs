//! Shared control: what of a tick is the same in all lanes, computed once beside them.
//!
//! Whoever steps a program may know that some inputs are the same in every lane: a start, a mode, a key for all. Then so is
//! every value that is computed from these alone, and every register whose next value is such a one, because all lanes begin
//! with the same reset. These are the largest set of registers that data does not reach. What they compute becomes a step
//! function of its own, and what is left reads of it no more than some *signals*, which are constant parameters.

use super::fold::{self, Folded, Value};
use super::plan;
use super::shape::Place;
use crate::core::{Func, FuncId, Index, Instr, Layout, Op, Port, Program, Stmt, Type, ValueId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{smallvec, SmallVec};
use std::collections::hash_map::Entry;

/// A step function in two: one call of `control`, with its results as the constant parameters of `lanes`, and one of `lanes`
/// are a tick.
#[derive(Clone, Debug)]
pub struct Shared {
    /// What is the same in all lanes. Its parameters are the inputs that were named, its results the signals.
    pub control: Program,
    /// What each lane computes. Its parameters are the other inputs, and then the signals; its results are all outputs.
    pub lanes: Program,
    /// For each input of the step function whether it is one of `control`.
    pub inputs: Vec<bool>,
    /// For each atom of each register whether it is one of `control`; registers keep their names and the order of atoms.
    pub registers: Vec<Vec<bool>>,
}

impl Shared {
    /// Divides a program whose inputs in `list`, separated by commas, are the same in all lanes, as constant ones are anyway; `span`
    /// is where that stands. An empty list leaves what depends on no other input.
    ///
    /// # Errors
    /// A name that is no input, nothing to share, a program without registers or with a word size that is not fixed.
    pub fn new(program: &Program, list: &str, span: Span) -> Result<Shared, Vec<Diagnostic>> {
        let entry = program.entry();
        plan::steps(entry, span, "--shared").map_err(|wrong| vec![wrong])?;
        let named = named(entry, list, span)?;
        let unknown: Vec<_> =
            entry.params.iter().map(|port| vec![None; port.count() as usize]).collect();
        let flat = Flat::new(distinct(fold::tick(program, &unknown)), &named);
        let signals = flat.signals();
        if !flat.computes(&signals) {
            let message = match list.trim() {
                "" => "no register is the same in all lanes".to_string(),
                _ => format!("no register and no operation depends on `{list}` alone"),
            };
            return Err(vec![Diagnostic::error("E0537", span, message)
                .label("nothing is shared")
                .help("name all inputs that are the same in every lane: a register is shared if data reaches none of its bits' next values")]);
        }
        let ports = grouped(&flat.folded.func, &signals);
        let outputs = ports.iter().map(|(port, values)| {
            (port.clone(), values.iter().copied().map(Value::Data).collect())
        });
        let control = flat.half(program, "_control", false, &[], outputs.collect());
        let outputs = entry.outputs().iter().cloned().zip(flat.folded.results.iter().cloned());
        let lanes = flat.half(program, "", true, &ports, outputs.collect());
        Ok(Shared { control, lanes, inputs: named, registers: flat.registers() })
    }

    /// The values of one of the step function's registers, or of its next ones, from those of the two halves.
    pub fn joined<T: Clone>(&self, register: usize, control: &[T], lanes: &[T]) -> Vec<T> {
        let (mut control, mut lanes) = (control.iter(), lanes.iter());
        let shared = self.registers[register].iter();
        let atoms = shared.map(|shared| if *shared { control.next() } else { lanes.next() });
        atoms.flatten().cloned().collect()
    }
}

/// For each input whether it is constant or in a list.
fn named(entry: &Func, list: &str, place: Span) -> Result<Vec<bool>, Vec<Diagnostic>> {
    let mut named: Vec<bool> = entry.inputs().iter().map(|port| port.constant).collect();
    let mut wrong = Vec::new();
    let mut start = place.start as usize;
    for item in list.split(',').filter(|_| !list.trim().is_empty()) {
        let (name, span) = (item.trim(), Span::new(place.file, start..start + item.len()));
        start += item.len() + 1;
        match entry.inputs().iter().position(|port| port.name == name) {
            Some(input) => named[input] = true,
            None => wrong.push(no_input(entry, name, span)),
        }
    }
    match wrong.is_empty() {
        true => Ok(named),
        false => Err(wrong),
    }
}

fn no_input(entry: &Func, name: &str, span: Span) -> Diagnostic {
    let message = match entry.outputs().iter().any(|port| port.name == name) {
        true => format!("`{name}` is an output"),
        false => format!("`{}` has no input `{name}`", entry.name),
    };
    let known: Vec<&str> = entry.inputs().iter().map(|port| &*port.name).collect();
    let help = match &known[..] {
        [] => "it has no inputs; the empty list shares what depends on none".to_string(),
        known => format!("the inputs are `{}`", known.join("`, `")),
    };
    Diagnostic::error("E0536", span, message).help(help)
}

/// Values of a type that lanes read, and the port in which they are.
type Signals = (Port, Vec<ValueId>);

/// A port for each type of signals.
fn grouped(func: &Func, signals: &[ValueId]) -> Vec<Signals> {
    let mut ports: Vec<Signals> = Vec::new();
    for &value in signals {
        let ty = func.ty(value);
        match ports.iter_mut().find(|(port, _)| port.ty == ty) {
            Some((_, values)) => values.push(value),
            None => ports.push((signal_port(func, ports.len(), ty), vec![value])),
        }
    }
    for (port, values) in &mut ports {
        port.shape = vec![values.len() as u32];
    }
    ports
}

fn signal_port(func: &Func, number: usize, ty: Type) -> Port {
    let taken = |name: &String| func.params.iter().chain(&func.results).any(|p| p.name == *name);
    let mut name = format!("signals{number}");
    while taken(&name) {
        name += "_";
    }
    Port { name, ty, shape: Vec::new(), constant: false, layout: Layout::Le, span: func.span }
}

/// A tick without operations that another one has done: each would be a signal of its own, and lanes could not know that they
/// are one.
fn distinct(mut folded: Folded) -> Folded {
    let mut known: FxHashMap<_, SmallVec<[ValueId; 1]>> = FxHashMap::default();
    let mut same: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let Func { body, values, .. } = &mut folded.func;
    body.retain_mut(|stmt| {
        let Stmt::Let(instr) = stmt else { return true };
        for arg in &mut instr.args {
            *arg = same.get(arg).copied().unwrap_or(*arg);
        }
        let types: Vec<Type> = instr.results.iter().map(|result| values[result.index()]).collect();
        match known.entry((instr.op.clone(), instr.args.to_vec(), types)) {
            Entry::Vacant(entry) => {
                entry.insert(instr.results.clone());
                true
            }
            Entry::Occupied(entry) => {
                same.extend(instr.results.iter().copied().zip(entry.get().iter().copied()));
                false
            }
        }
    });
    for value in folded.results.iter_mut().flatten() {
        if let Value::Data(id) = value {
            *id = same.get(id).copied().unwrap_or(*id);
        }
    }
    folded
}

/// A tick in one piece, of which it is known what data reaches.
struct Flat {
    folded: Folded,
    /// The value of each atom of a parameter.
    loads: FxHashMap<Place, ValueId>,
    /// For each value whether it may differ from lane to lane.
    data: Vec<bool>,
    constants: FxHashMap<ValueId, u128>,
    /// What complements are of: lanes have gates with complemented inputs, and read one signal for both.
    complements: FxHashMap<ValueId, ValueId>,
}

impl Flat {
    /// A tick with some inputs `named` as the same in all lanes.
    fn new(folded: Folded, named: &[bool]) -> Flat {
        let (mut loads, mut constants) = (FxHashMap::default(), FxHashMap::default());
        let mut complements = FxHashMap::default();
        for instr in instrs(&folded) {
            match instr.op {
                Op::Load(param, index) => {
                    loads.insert((param, index.base), instr.results[0]);
                }
                Op::Const(number) => {
                    constants.insert(instr.results[0], number);
                }
                Op::Not => {
                    complements.insert(instr.results[0], instr.args[0]);
                }
                _ => {}
            }
        }
        let data = reached(&folded, &loads, named);
        Flat { folded, loads, data, constants, complements }
    }

    /// For each atom of each register whether it is shared.
    fn registers(&self) -> Vec<Vec<bool>> {
        let func = &self.folded.func;
        let first = func.inputs().len() as u32;
        let shared = |place: Place| !self.data[self.loads[&place].index()];
        let registers = (first..).zip(func.registers());
        registers
            .map(|(param, port)| (0..port.count()).map(|a| shared((param, a))).collect())
            .collect()
    }

    /// What lanes read of what is shared, each once.
    fn signals(&self) -> Vec<ValueId> {
        let of_lanes = instrs(&self.folded).filter(|instr| self.data[instr.results[0].index()]);
        let read = of_lanes.flat_map(|instr| instr.args.iter().copied());
        let outputs = self.folded.func.outputs().len();
        let stored =
            self.folded.results[..outputs].iter().flatten().filter_map(|value| match value {
                Value::Data(value) => Some(*value),
                Value::Known(_) => None,
            });
        let mut seen = FxHashSet::default();
        let shared = |value: &ValueId| {
            !self.data[value.index()] && !self.constants.contains_key(value) && seen.insert(*value)
        };
        let plain = |value| self.complements.get(&value).copied().unwrap_or(value);
        read.chain(stored).map(plain).filter(shared).collect()
    }

    /// Whether there is something to compute for these signals: they are not all inputs.
    fn computes(&self, signals: &[ValueId]) -> bool {
        let inputs = self.folded.func.inputs().len();
        let is_input = |(&(param, _), value): (&Place, &ValueId)| {
            ((param as usize) < inputs).then_some(*value)
        };
        let inputs: FxHashSet<ValueId> = self.loads.iter().filter_map(is_input).collect();
        signals.iter().any(|signal| !inputs.contains(signal))
    }

    /// The program of what is data, or of what is not. It has `signals` as further parameters.
    fn half(
        &self,
        program: &Program,
        ending: &str,
        data: bool,
        signals: &[Signals],
        outputs: Vec<(Port, Vec<Value>)>,
    ) -> Program {
        let flat = &self.folded.func;
        let (ports, mut results): (Vec<Port>, Vec<Vec<Value>>) = outputs.into_iter().unzip();
        let func = Func {
            name: format!("{}{ending}", flat.name),
            params: Vec::new(),
            results: ports,
            resets: Vec::new(),
            values: Vec::new(),
            body: Vec::new(),
            ..flat.clone()
        };
        let mut half = Half { flat: self, func, values: FxHashMap::default() };
        let inputs = flat.inputs().len();
        (0..inputs).for_each(|input| drop(half.param(input, data)));
        for (port, values) in signals {
            half.load(Port { constant: true, ..port.clone() }, values);
        }
        for (register, resets) in flat.resets.iter().enumerate() {
            let Some((port, atoms)) = half.param(inputs + register, data) else { continue };
            let next = &self.folded.results[flat.outputs().len() + register];
            results.push(atoms.iter().map(|&atom| next[atom as usize]).collect());
            half.func.results.push(port);
            half.func.resets.push(atoms.iter().map(|&atom| resets[atom as usize]).collect());
        }
        for instr in instrs(&self.folded) {
            let is_own = self.data[instr.results[0].index()] == data;
            if is_own && !matches!(instr.op, Op::Load(..) | Op::Const(_)) {
                half.copy(instr);
            }
        }
        half.store(&results);
        let tables = program.tables.clone();
        Program {
            funcs: vec![half.func],
            entry: FuncId(0),
            tables,
            constants: Vec::new(),
            fields: Vec::new(),
        }
    }
}

fn instrs(folded: &Folded) -> impl Iterator<Item = &Instr> {
    folded.func.body.iter().filter_map(|stmt| match stmt {
        Stmt::Let(instr) => Some(instr),
        _ => None,
    })
}

/// For each value whether it is computed from an input that is not named, in this tick or through registers.
fn reached(folded: &Folded, loads: &FxHashMap<Place, ValueId>, named: &[bool]) -> Vec<bool> {
    let func = &folded.func;
    let mut users: Vec<SmallVec<[ValueId; 2]>> = vec![SmallVec::new(); func.values.len()];
    for instr in instrs(folded) {
        for arg in &instr.args {
            users[arg.index()].extend(instr.results.iter().copied());
        }
    }
    let (inputs, outputs) = (func.inputs().len(), func.outputs().len());
    for (register, atoms) in (inputs as u32..).zip(&folded.results[outputs..]) {
        for (atom, next) in (0..).zip(atoms) {
            if let Value::Data(next) = next {
                users[next.index()].push(loads[&(register, atom)]);
            }
        }
    }
    let mut data = vec![false; func.values.len()];
    let is_data = |&(param, _): &Place| named.get(param as usize) == Some(&false);
    let from = loads.iter().filter(|(place, _)| is_data(place));
    let mut waiting: Vec<ValueId> = from.map(|(_, value)| *value).collect();
    while let Some(value) = waiting.pop() {
        if !std::mem::replace(&mut data[value.index()], true) {
            waiting.extend(&users[value.index()]);
        }
    }
    data
}

/// One of the two functions, being written.
struct Half<'a> {
    flat: &'a Flat,
    func: Func,
    /// Its value for each of the flat function's that it has.
    values: FxHashMap<ValueId, ValueId>,
}

impl Half<'_> {
    /// Makes those atoms of a parameter that are data, or those that are not, a parameter. That, and which they are.
    fn param(&mut self, param: usize, data: bool) -> Option<(Port, Vec<u32>)> {
        let port = &self.flat.folded.func.params[param];
        let value = |atom: u32| self.flat.loads[&(param as u32, atom)];
        let is_own = |atom: &u32| self.flat.data[value(*atom).index()] == data;
        let atoms: Vec<u32> = (0..port.count()).filter(is_own).collect();
        if atoms.is_empty() {
            return None;
        }
        let values: Vec<ValueId> = atoms.iter().map(|&atom| value(atom)).collect();
        // To the control constants are inputs like others.
        let port = Port { constant: false, ..port.clone() };
        let port = match atoms.len() == port.count() as usize {
            true => port,
            false => Port { shape: vec![atoms.len() as u32], layout: Layout::Le, ..port },
        };
        self.load(port.clone(), &values);
        Some((port, atoms))
    }

    /// A parameter whose atoms are these values of the flat function.
    fn load(&mut self, port: Port, values: &[ValueId]) {
        let param = self.func.params.len() as u32;
        for (atom, &value) in (0..).zip(values) {
            let own =
                self.instr(Op::Load(param, Index::fixed(atom)), smallvec![], port.ty, port.span);
            self.values.insert(value, own);
        }
        self.func.params.push(port);
    }

    fn instr(&mut self, op: Op, args: SmallVec<[ValueId; 3]>, ty: Type, span: Span) -> ValueId {
        let value = self.func.value(ty);
        self.func.body.push(Stmt::Let(Instr { results: [value].into(), op, args, span }));
        value
    }

    /// Writes an instruction of the flat function.
    fn copy(&mut self, instr: &Instr) {
        let args = instr.args.iter().map(|&arg| self.value(arg, instr.span)).collect();
        let own = |&value: &ValueId| {
            let own = self.func.value(self.flat.folded.func.ty(value));
            self.values.insert(value, own);
            own
        };
        let results = instr.results.iter().map(own).collect();
        self.func.body.push(Stmt::Let(Instr { results, args, ..instr.clone() }));
    }

    fn value(&mut self, value: ValueId, span: Span) -> ValueId {
        if let Some(&own) = self.values.get(&value) {
            return own;
        }
        let (op, args) = match self.flat.constants.get(&value) {
            Some(&number) => (Op::Const(number), smallvec![]),
            None => {
                let complemented = self.value(self.flat.complements[&value], span);
                (Op::Not, smallvec![complemented])
            }
        };
        let own = self.instr(op, args, self.flat.folded.func.ty(value), span);
        self.values.insert(value, own);
        own
    }

    /// Stores all results.
    fn store(&mut self, results: &[Vec<Value>]) {
        for (result, atoms) in results.iter().enumerate() {
            let Port { ty, span, .. } = self.func.results[result];
            for (atom, value) in (0..).zip(atoms) {
                let value = match *value {
                    Value::Data(value) => self.value(value, span),
                    Value::Known(known) => {
                        self.instr(Op::Const(known.number), smallvec![], ty, span)
                    }
                };
                let (result, index) = (result as u32, Index::fixed(atom));
                self.func.body.push(Stmt::Store { result, index, value, span });
            }
        }
    }
}
