//! The form of a tick: a function of what it reads, the same for all ticks that differ in constants alone.

use super::fold::{Folded, Value};
use crate::core::{Dir, Func, FuncId, Index, Instr, Layout, Op, Port, Stmt, Type, ValueId};
use crate::pass::dead;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An atom of a parameter of the entry: of an input, or of a register.
pub type Place = (u32, u32);

/// Where a value that depends on data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// It is as it was before the tick.
    Place(Place),
    /// The result of the tick's function with this number.
    Result(usize),
}

/// A value after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The same in every lane.
    Known(u128),
    /// It depends on data.
    Data(From),
}

/// What a tick computes, without its constants: these are 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    func: Func,
    /// The places of the function's arguments.
    pub reads: Vec<Place>,
}

impl Shape {
    /// Whether it has any result.
    pub fn computes(&self) -> bool {
        !self.func.results.is_empty()
    }
}

/// A tick of some shape.
#[derive(Clone, Debug)]
pub struct Tick {
    pub shape: Shape,
    /// The constants of the function's body, in order.
    pub constants: Vec<u128>,
    /// The results that were asked for.
    pub after: Vec<Vec<After>>,
}

/// The shape of a tick that computes some results of the entry.
pub fn of(folded: Folded, wanted: &[usize]) -> Tick {
    let Folded { mut func, results } = folded;
    let loads: FxHashMap<ValueId, Place> = func.body.iter().filter_map(load).collect();
    let mut slots: Vec<ValueId> = Vec::new();
    for &result in wanted {
        for value in &results[result] {
            if let Value::Data(value) = value {
                slots.push(*value);
            }
        }
    }
    slots.retain(|value| !loads.contains_key(value));
    let (ports, slots) = grouped(slots, &func, "out");
    func.results = ports.iter().map(|(port, _)| port.clone()).collect();
    for (k, (_, values)) in ports.iter().enumerate() {
        for (at, &value) in values.iter().enumerate() {
            let (result, index, span) = (k as u32, Index::fixed(at as u32), func.span);
            func.body.push(Stmt::Store { result, index, value, span });
        }
    }
    let after = |value: &Value| match value {
        Value::Known(known) => After::Known(known.number),
        Value::Data(value) => After::Data(match loads.get(value) {
            Some(&place) => From::Place(place),
            None => From::Result(slots[value]),
        }),
    };
    let after = wanted.iter().map(|&result| results[result].iter().map(after).collect()).collect();
    func.resets = Vec::new();
    dead::run(&mut func);
    let reads = pack_loads(&mut func);
    let mut constants = Vec::new();
    for stmt in &mut func.body {
        if let Stmt::Let(Instr { op: Op::Const(number), .. }) = stmt {
            constants.push(std::mem::take(number));
        }
    }
    Tick { shape: Shape { func, reads }, constants, after }
}

fn load(stmt: &Stmt) -> Option<(ValueId, Place)> {
    match stmt {
        Stmt::Let(Instr { op: Op::Load(param, index), results, .. }) => {
            Some((results[0], (*param, index.base)))
        }
        _ => None,
    }
}

/// Ports with the values of their atoms.
type Ports = Vec<(Port, Vec<ValueId>)>;

/// Values in ports, one for each type, and the number of each among all.
fn grouped(values: Vec<ValueId>, func: &Func, name: &str) -> (Ports, FxHashMap<ValueId, usize>) {
    let mut ports: Ports = Vec::new();
    let mut seen = FxHashMap::default();
    for value in values {
        if seen.insert(value, 0).is_some() {
            continue;
        }
        let ty = func.ty(value);
        let number = ports.len();
        let at = ports.iter().position(|(port, _)| port.ty == ty).unwrap_or_else(|| {
            ports.push((port(&format!("{name}{number}"), ty, func), Vec::new()));
            number
        });
        ports[at].1.push(value);
    }
    for (port, values) in &mut ports {
        port.shape = vec![values.len() as u32];
    }
    let all = ports.iter().flat_map(|(_, values)| values);
    let numbers = all.enumerate().map(|(number, value)| (*value, number)).collect();
    (ports, numbers)
}

fn port(name: &str, ty: Type, func: &Func) -> Port {
    let (name, layout) = (name.to_string(), Layout::Le);
    Port { name, ty, shape: Vec::new(), constant: false, layout, span: func.span }
}

/// Makes parameters of what is loaded; their places, in order.
fn pack_loads(func: &mut Func) -> Vec<Place> {
    let loads: Vec<(ValueId, Place)> = func.body.iter().filter_map(load).collect();
    let (ports, numbers) = grouped(loads.iter().map(|(value, _)| *value).collect(), func, "in");
    func.params = ports.iter().map(|(port, _)| port.clone()).collect();
    let mut at = FxHashMap::default();
    for (param, (_, values)) in ports.iter().enumerate() {
        at.extend(values.iter().enumerate().map(|(k, value)| (*value, (param as u32, k as u32))));
    }
    for stmt in &mut func.body {
        if let Stmt::Let(Instr { op: op @ Op::Load(..), results, .. }) = stmt {
            let (param, k) = at[&results[0]];
            *op = Op::Load(param, Index::fixed(k));
        }
    }
    let mut places = vec![(0, 0); loads.len()];
    loads.into_iter().for_each(|(value, place)| places[numbers[&value]] = place);
    places
}

/// The function of a shape, and how it is called: constants that differ from call to call are parameters.
pub struct Form {
    pub func: Func,
    id: FuncId,
    /// The types of the constants that are parameters, and their numbers among those of a tick, in the order of the arguments.
    parameters: Vec<(Type, usize)>,
}

impl Form {
    /// The form of ticks of one shape, by their constants; the number of its function.
    pub fn new(shape: &Shape, constants: &[&[u128]], id: FuncId) -> Form {
        let name = format!("tick{}", id.0);
        let mut func =
            Func { name, inline: None, interleave: None, instruction: None, ..shape.func.clone() };
        let varies = |k: usize| constants.iter().any(|list| list[k] != constants[0][k]);
        let (mut number, mut varying) = (0, Vec::new());
        for stmt in &mut func.body {
            let Stmt::Let(Instr { op: op @ Op::Const(_), results, .. }) = stmt else { continue };
            match varies(number) {
                true => varying.push((results[0], number)),
                false => *op = Op::Const(constants[0][number]),
            }
            number += 1;
        }
        let values = varying.iter().map(|(value, _)| *value).collect();
        let (ports, _) = grouped(values, &func, "constant");
        let numbers: FxHashMap<ValueId, usize> = varying.into_iter().collect();
        let first = func.params.len();
        let mut at = FxHashMap::default();
        let mut parameters = Vec::new();
        for (k, (port, values)) in ports.into_iter().enumerate() {
            for (index, value) in values.into_iter().enumerate() {
                at.insert(value, ((first + k) as u32, index as u32));
                parameters.push((port.ty, numbers[&value]));
            }
            func.params.push(port);
        }
        for stmt in &mut func.body {
            let Stmt::Let(Instr { op, results, .. }) = stmt else { continue };
            if let Some(&(param, index)) = results.first().and_then(|value| at.get(value)) {
                *op = Op::Load(param, Index::fixed(index));
            }
        }
        Form { func, id, parameters }
    }

    /// Appends a call to the body of a function: the constants, and the call. Its results.
    pub fn call(
        &self,
        read: Vec<ValueId>,
        constants: &[u128],
        caller: &mut Func,
        body: &mut Vec<Stmt>,
    ) -> SmallVec<[ValueId; 1]> {
        let span = caller.span;
        let mut args: SmallVec<[ValueId; 3]> = read.into_iter().collect();
        for &(ty, number) in &self.parameters {
            let value = caller.value(ty);
            let (results, op) = ([value].into(), Op::Const(constants[number]));
            body.push(Stmt::Let(Instr { results, op, args: SmallVec::new(), span }));
            args.push(value);
        }
        let types =
            self.func.results.iter().flat_map(|p| std::iter::repeat_n(p.ty, p.count() as usize));
        let results: SmallVec<[ValueId; 1]> = types.map(|ty| caller.value(ty)).collect();
        let dirs = (0..caller.dir_params.len() as u8).map(Dir::Param).collect();
        let op = Op::Call(self.id, dirs, Vec::new());
        body.push(Stmt::Let(Instr { results: results.clone(), op, args, span }));
        results
    }
}
