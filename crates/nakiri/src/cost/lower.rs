//! From a program to the instructions of its target, before registers are given out.

use super::allocate::{self, Room};
use super::cache::Memory;
use super::{Lacking, Machine, Operation};
use crate::core::arguments::{Atom, InPlace};
use crate::core::delay::DelayLine;
use crate::core::{Func, FuncId, Index, Instr, Loop, Op, Program, Stmt, Type, ValueId};
use crate::isa::{Class, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How many general registers hold addresses at most: others are reached from these.
const POINTERS: usize = 3;

/// A place for a value: a register, memory, or one after the other.
pub type Slot = u32;

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// What it reads.
    pub args: SmallVec<[Slot; 3]>,
    /// What it makes.
    pub results: SmallVec<[Slot; 1]>,
    /// Whether it is part of the instruction after it and takes no place in the front end.
    pub folded: bool,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// A computation: the number of its price in [`Code::prices`].
    Compute(usize),
    /// A copy into another register.
    Move,
    /// A read of a value from memory.
    Load,
    /// A write of a value, to memory that is the result's or a place on the stack.
    Store,
    /// A call of a function: the arguments are those of all its parameters' atoms, which are in memory, the results likewise.
    Call(FuncId),
}

/// Statements between two loops, or a loop.
#[derive(Clone, Debug)]
pub enum Node {
    /// Straight-line code.
    Straight(Vec<Step>),
    /// A loop: how often, what passes from iteration to iteration, and its body.
    Loop {
        /// How often.
        count: u32,
        /// What passes from one iteration to the next, by slots.
        carried: Vec<Carried>,
        /// Values that are read from another place of memory in each iteration.
        moving: Vec<Slot>,
        /// Its body.
        body: Vec<Step>,
    },
}

/// A value that a loop hands on: slots of [`crate::core::Carried`].
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    pub init: Slot,
    pub inside: Slot,
    pub next: Slot,
    pub result: Slot,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its statements.
    pub nodes: Vec<Node>,
    /// How many slots it has.
    pub slots: usize,
    /// The slots of its parameters' atoms, which are in memory: by parameter and atom.
    pub params: Vec<(u32, Slot)>,
    /// The slot that is stored to each atom of the results.
    pub results: Vec<Slot>,
    /// Values stored and loaded for want of registers: in one execution.
    pub spills: u64,
    /// See `spills`.
    pub reloads: u64,
    /// The most values that wait in memory at once.
    pub places: u64,
    /// How many of these were spilled: they lie on the stack, at offsets from its pointer.
    pub spilled: u64,
}

/// A lowered program.
#[derive(Clone, Debug)]
pub struct Code {
    /// By the program's function numbers.
    pub functions: Vec<Function>,
    /// The entry.
    pub entry: FuncId,
    /// The memory that the entry works on.
    pub memory: Memory,
    /// What the computations cost.
    pub prices: Vec<Operation>,
    /// What a load costs.
    pub load: Operation,
    /// What a store costs.
    pub store: Operation,
    /// What a jump costs.
    pub branch: Operation,
}

/// Lowers every function, with registers given out.
///
/// # Errors
/// An operation that the machine lacks.
pub fn lower(program: &Program, target: &Target, machine: &Machine) -> Result<Code, Lacking> {
    let (load, store) = match target.simd {
        true => (Class::VectorLoad, Class::VectorStore),
        false => (Class::Load, Class::Store),
    };
    let mut prices = Prices { machine, width: target.bits, known: Vec::new(), rows: Vec::new() };
    let mut functions = Vec::with_capacity(program.funcs.len());
    for func in &program.funcs {
        functions.push(function(program, func, target, &mut prices)?);
    }
    let entry = program.entry();
    let Function { spills, reloads, .. } = functions[program.entry.index()];
    let register = entry.results.first().map_or(0, |port| target.register_bytes(port.ty) as u64);
    let memory = Memory {
        places: register * functions.iter().map(|function| function.places).sum::<u64>(),
        stored: register * spills,
        loaded: register * reloads,
        ..Memory::of_ports(entry, target)
    };
    Ok(Code {
        functions,
        memory,
        entry: program.entry,
        load: machine.price(load, target.bits)?,
        store: machine.price(store, target.bits)?,
        branch: machine.price(Class::Branch, 64)?,
        prices: prices.rows,
    })
}

/// Prices, each looked up once.
struct Prices<'a> {
    machine: &'a Machine,
    width: u32,
    known: Vec<Class>,
    rows: Vec<Operation>,
}

impl Prices<'_> {
    fn of(&mut self, class: Class) -> Result<usize, Lacking> {
        if let Some(known) = self.known.iter().position(|other| *other == class) {
            return Ok(known);
        }
        self.rows.push(self.machine.price(class, self.width)?);
        self.known.push(class);
        Ok(self.rows.len() - 1)
    }
}

fn function(
    program: &Program,
    func: &Func,
    target: &Target,
    prices: &mut Prices,
) -> Result<Function, Lacking> {
    let mut lowering = Lowering {
        program,
        func,
        target,
        prices,
        slots: func.values.len() as u32,
        constants: FxHashMap::default(),
        immediate: FxHashSet::default(),
        moving: Vec::new(),
        in_place: FxHashSet::default(),
        out: Function::default(),
    };
    let mut straight = Vec::new();
    for stmt in &func.body {
        match stmt {
            Stmt::Loop(l) => lowering.counted(l, std::mem::take(&mut straight))?,
            stmt => lowering.stmt(stmt, &mut straight)?,
        }
    }
    lowering.out.nodes.push(Node::Straight(straight));
    lowering.out.slots = lowering.slots as usize;
    let mut out = lowering.out;
    let pointers = func.params.len() + func.results.len();
    let registers =
        target.registers as usize - if target.simd { 0 } else { pointers.min(POINTERS) };
    let room = Room { registers, destructive: target.destructive, slots: out.slots };
    let mut places = 0;
    for node in &mut out.nodes {
        let count = match node {
            Node::Straight(_) => 1,
            Node::Loop { count, .. } => u64::from(*count),
        };
        let spilled = allocate::allocate(node, &room);
        out.spills += spilled.stores * count;
        out.reloads += spilled.loads * count;
        places = places.max(spilled.places);
    }
    (out.places, out.spilled) = (out.places + places, places);
    Ok(out)
}

struct Lowering<'a, 'b> {
    program: &'a Program,
    func: &'a Func,
    target: &'a Target,
    prices: &'a mut Prices<'b>,
    slots: u32,
    /// Constants that instructions read, such as the pattern of a shuffle.
    constants: FxHashMap<(Op, Type, usize), Slot>,
    /// Constants that are parts of instructions.
    immediate: FxHashSet<Slot>,
    /// The values of this loop that are read from another place in each iteration.
    moving: Vec<Slot>,
    /// Arguments that lie where the callee reads them.
    in_place: FxHashSet<Slot>,
    out: Function,
}

impl Lowering<'_, '_> {
    /// Adds a loop behind straight-line code. Delay lines and arguments in place are filled before it, and in it they are
    /// memory that moves.
    fn counted(&mut self, l: &Loop, mut before: Vec<Step>) -> Result<(), Lacking> {
        let (lines, arguments) = (DelayLine::of(l), InPlace::of(self.program, l));
        let placed: Vec<usize> = arguments.iter().flat_map(InPlace::carried).collect();
        let made = arguments.iter().flat_map(|argument| &argument.atoms);
        let made = made.filter_map(|atom| match atom {
            Atom::Carried(_) => None,
            Atom::Made(value) => Some(value.0),
        });
        let made: Vec<Slot> = made.collect();
        self.in_place.extend(&made);
        let places = placed.iter().map(|number| &l.carried[*number]);
        self.in_place.extend(places.clone().flat_map(|c| [c.inside.0, c.result.0]));
        let mut body = Vec::new();
        for stmt in &l.body {
            self.stmt(stmt, &mut body)?;
        }
        let entering = lines.iter().map(|line| line.enters(l).0);
        for entering in entering.chain(places.map(|c| c.next.0)).chain(made) {
            let made = body.iter().rposition(|step| step.results.contains(&entering));
            let at = made.map_or(body.len(), |made| made + 1);
            body.insert(at, step(Work::Store, [entering], []));
        }
        let elements: usize = lines.iter().map(|line| line.elements(l)).sum();
        self.out.places = self.out.places.max((elements + placed.len()) as u64);
        let taps = lines.into_iter().flat_map(|line| line.taps);
        let elsewhere: FxHashSet<usize> = taps.chain(placed).collect();
        let mut carried = Vec::new();
        for (k, c) in l.carried.iter().enumerate() {
            if elsewhere.contains(&k) {
                before.push(step(Work::Store, [c.init.0], []));
                self.moving.push(c.inside.0);
            } else {
                let (init, inside, next, result) = (c.init.0, c.inside.0, c.next.0, c.result.0);
                carried.push(Carried { init, inside, next, result });
            }
        }
        let moving = std::mem::take(&mut self.moving);
        self.out.nodes.push(Node::Straight(before));
        self.out.nodes.push(Node::Loop { count: l.count, carried, moving, body });
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Step>) -> Result<(), Lacking> {
        match stmt {
            Stmt::Let(instr) => self.instr(instr, out)?,
            Stmt::Store { result, index, value, .. } => {
                let atom = self.atom(*result, index.base);
                if self.out.results.len() <= atom {
                    self.out.results.resize(atom + 1, value.0);
                }
                self.out.results[atom] = value.0;
                out.push(step(Work::Store, [value.0], []));
            }
            Stmt::Forall(_) | Stmt::Loop(_) => {}
        }
        Ok(())
    }

    /// The place of an atom in the list of all results' atoms.
    fn atom(&self, result: u32, index: u32) -> usize {
        let before = &self.func.results[..result as usize];
        before.iter().map(|port| port.count()).sum::<u32>() as usize + index as usize
    }

    fn instr(&mut self, instr: &Instr, out: &mut Vec<Step>) -> Result<(), Lacking> {
        match &instr.op {
            Op::Const(_) if self.target.simd => {}
            Op::Const(_) => {
                self.immediate.insert(instr.results[0].0);
            }
            Op::Constants(_, index) => self.moves(*index, instr),
            Op::Load(param, index) => {
                self.moves(*index, instr);
                let before = &self.func.params[..*param as usize];
                let first: u32 = before.iter().map(|port| port.count()).sum();
                self.out.params.push((first + index.base, instr.results[0].0));
            }
            Op::Call(callee, ..) => {
                let slots = |values: &[ValueId]| values.iter().map(|v| v.0).collect::<Vec<_>>();
                let copied = instr.args.iter().map(|arg| arg.0);
                let copied = copied.filter(|slot| !self.in_place.contains(slot));
                out.extend(copied.map(|slot| step(Work::Store, [slot], [])));
                out.push(step(Work::Call(*callee), slots(&instr.args), slots(&instr.results)));
            }
            op => self.compute(op, instr, out)?,
        }
        Ok(())
    }

    /// Notes that a value that is read from memory is another one in each iteration.
    fn moves(&mut self, index: Index, instr: &Instr) {
        if index.step != 0 {
            self.moving.push(instr.results[0].0);
        }
    }

    /// The steps of an operation.
    fn compute(&mut self, op: &Op, instr: &Instr, out: &mut Vec<Step>) -> Result<(), Lacking> {
        let result = instr.results[0];
        let ty = self.func.ty(result);
        let Some(row) = self.target.select(op, ty.direction(), ty.word()) else { return Ok(()) };
        let mut args: SmallVec<[Slot; 3]> = SmallVec::new();
        for arg in instr.args.iter().map(|arg| arg.0) {
            if !args.contains(&arg) && !self.immediate.contains(&arg) {
                args.push(arg);
            }
        }
        let mut constants: SmallVec<[Slot; 3]> = SmallVec::new();
        for k in 0..row.constants() {
            let next = self.slots;
            let slot = *self.constants.entry((op.clone(), ty, k)).or_insert(next);
            self.slots += u32::from(slot == next);
            constants.push(slot);
        }
        let last = row.work.len().saturating_sub(1);
        for (k, classes) in row.work.iter().enumerate() {
            let mut made = SmallVec::new();
            for class in *classes {
                let made_here = if k == last { result.0 } else { self.slots };
                self.slots += u32::from(k != last);
                let mut reads = args.clone();
                reads.extend(constants.pop());
                out.push(step(Work::Compute(self.prices.of(*class)?), reads, [made_here]));
                made.push(made_here);
            }
            args = made;
        }
        Ok(())
    }
}

/// An instruction of its own.
pub fn step(
    work: Work,
    args: impl IntoIterator<Item = Slot>,
    results: impl IntoIterator<Item = Slot>,
) -> Step {
    let (args, results) = (args.into_iter().collect(), results.into_iter().collect());
    Step { work, args, results, folded: false }
}
