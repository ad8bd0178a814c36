//! Replaces calls by the bodies of their callees.
//!
//! Needs: a monomorphic program without loops (foralls are written out). Guarantees: calls remain only where
//! `_no_inline`, the size limit or [`Inline::Small`] asks for it; functions that nobody calls are gone. An argument that is a load is
//! loaded again at each use, so that round keys handed down still are read where they are needed.

use super::bitslice;
use super::weight::{interface, weight};
use super::{instructions, outline};
use crate::core::{Direction, Func, FuncId, Index, Instr, Op, Port, Program, Stmt, Type, ValueId};
use crate::isa::Target;
use rustc_hash::FxHashMap;

/// A function is not inlined when its caller would grow beyond this many instructions.
pub const LIMIT: usize = 50_000;

/// The same under P, where the instructions of many atoms become one.
pub const LIMIT_OF_ROWS: usize = 200_000;

/// The same under B, where an instruction becomes one for each bit.
const LIMIT_OF_BITS: usize = 400_000;

/// How much code a function must be, in instructions, to be kept by [`Inline::Small`].
const LARGE: usize = 32;

/// How much more code than registers in its interface, each of which costs a call a store or a load.
const WORTH: usize = 6;

/// The same for what is done at each of many bit positions alike, which becomes a loop: its values have no registers anyway.
const WORTH_A_LOOP: usize = 2;

/// Which calls become their callees' bodies, where the source doesn't say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inline {
    /// All.
    #[default]
    All,
    /// All but those of functions that are called more than once, are much code, and compute long between few parameters
    /// and results: tables, most of all, which count as functions. The code is smaller, which the op cache may reward. What
    /// under B is the same at each bit position, and becomes a loop, may compute less.
    Small,
}

named!(Inline, "choice of inlining", "all" => Inline::All, "small" => Inline::Small);

/// Inlines every call, whatever the source says of it, but those of instructions that a target has on rows, or is written without.
pub fn all(program: &mut Program, target: &Target) {
    let row = program.entry().results.first().map(Port::row);
    let is_one =
        |func: &Func| func.instruction.is_some_and(|i| i.fits(row) && instructions::can(target, i));
    program.funcs.iter_mut().for_each(|func| func.inline = Some(!is_one(func)));
    run_up_to(program, Inline::All, LIMIT_OF_ROWS);
}

/// Inlines, callees before callers.
pub fn run(program: &mut Program, inline: Inline) {
    run_up_to(program, inline, LIMIT);
}

fn run_up_to(program: &mut Program, inline: Inline, limit: usize) {
    if inline == Inline::Small {
        outline::tables(program);
    }
    let order = callees_first(program);
    let calls = calls(program, &order);
    let mut kept = vec![false; program.funcs.len()];
    for id in order {
        let mut func = program.funcs[id.index()].clone();
        let mut inliner = Inliner {
            program,
            kept: &kept,
            size: size(&func),
            limit: if is_of_bits(&func) { LIMIT_OF_BITS } else { limit },
            values: std::mem::take(&mut func.values),
            renamed: FxHashMap::default(),
            loads: FxHashMap::default(),
        };
        func.body = inliner.stmts(func.body);
        let renamed = inliner.renamed;
        func.values = inliner.values;
        for stmt in &mut func.body {
            stmt.map_uses(&mut |value| final_name(&renamed, value));
        }
        kept[id.index()] = inline == Inline::Small && calls[id.index()] > 1 && is_large(&func);
        program.funcs[id.index()] = func;
    }
    drop_unreachable(program);
}

fn is_large(func: &Func) -> bool {
    let weight: usize = func.body.iter().map(|stmt| weight(stmt, func)).sum();
    let worth = if bitslice::is_alike(func) { WORTH_A_LOOP } else { WORTH };
    weight >= LARGE.max(worth * interface(func))
}

/// How often each function is called in one run of the entry.
fn calls(program: &Program, callees_first: &[FuncId]) -> Vec<usize> {
    let mut calls = vec![0usize; program.funcs.len()];
    calls[program.entry.index()] = 1;
    for caller in callees_first.iter().rev() {
        let times = calls[caller.index()];
        for callee in callees(&program.funcs[caller.index()]) {
            calls[callee.index()] = calls[callee.index()].saturating_add(times);
        }
    }
    calls
}

/// The functions that the entry reaches, callees first.
fn callees_first(program: &Program) -> Vec<FuncId> {
    fn visit(program: &Program, id: FuncId, seen: &mut [bool], order: &mut Vec<FuncId>) {
        if std::mem::replace(&mut seen[id.index()], true) {
            return;
        }
        for callee in callees(&program.funcs[id.index()]) {
            visit(program, callee, seen, order);
        }
        order.push(id);
    }
    let mut order = Vec::new();
    visit(program, program.entry, &mut vec![false; program.funcs.len()], &mut order);
    order
}

fn callees(func: &Func) -> Vec<FuncId> {
    let mut callees = Vec::new();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if let Op::Call(callee, ..) = instr.op {
                callees.push(callee);
            }
        });
    }
    callees
}

/// The instructions of a function once it is sliced; loads of parameters are the arguments themselves.
fn size(func: &Func) -> usize {
    func.body.iter().map(|stmt| weight(stmt, func)).sum()
}

fn is_of_bits(func: &Func) -> bool {
    func.params.iter().chain(&func.results).any(|port| port.ty.direction() == Direction::B)
}

/// The value that stands for a call's result after all inlining.
fn final_name(renamed: &FxHashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&next) = renamed.get(&value) {
        value = next;
    }
    value
}

struct Inliner<'a> {
    program: &'a Program,
    /// The functions whose calls remain.
    kept: &'a [bool],
    size: usize,
    limit: usize,
    values: Vec<Type>,
    renamed: FxHashMap<ValueId, ValueId>,
    /// The caller's values that are loads of its parameters.
    loads: FxHashMap<ValueId, Instr>,
}

impl Inliner<'_> {
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Let(Instr { op: Op::Call(callee, ..), ref args, ref results, .. })
                    if self.wanted(callee) =>
                {
                    self.call(callee, args, results, &mut out);
                }
                Stmt::Forall(mut forall) => {
                    forall.iterations =
                        forall.iterations.into_iter().map(|i| self.stmts(i)).collect();
                    out.push(Stmt::Forall(forall));
                }
                stmt => {
                    if let Stmt::Let(instr @ Instr { op: Op::Load(..), .. }) = &stmt {
                        self.loads.insert(instr.results[0], instr.clone());
                    }
                    out.push(stmt);
                }
            }
        }
        out
    }

    fn wanted(&self, callee: FuncId) -> bool {
        let func = &self.program.funcs[callee.index()];
        match func.inline {
            Some(choice) => choice,
            None => !self.kept[callee.index()] && self.size + size(func) <= self.limit,
        }
    }

    /// Appends the callee's body: loads of its parameters become the arguments, stores of its results define the
    /// call's results.
    fn call(&mut self, id: FuncId, args: &[ValueId], results: &[ValueId], out: &mut Vec<Stmt>) {
        let callee = &self.program.funcs[id.index()];
        self.size += size(callee);
        let mut copy = Copy {
            param_starts: starts(callee.params.iter().map(|p| p.count())),
            result_starts: starts(callee.results.iter().map(|p| p.count())),
            args,
            map: vec![None; callee.values.len()],
            values: &mut self.values,
            loads: &mut self.loads,
            callee,
        };
        out.extend(copy.stmts(&callee.body));
        for (&result, stored) in results.iter().zip(stored(callee, &copy.result_starts)) {
            let value = copy.value(stored);
            self.renamed.insert(result, value);
        }
    }
}

fn starts(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    counts
        .scan(0, |sum, count| {
            let start = *sum;
            *sum += count;
            Some(start)
        })
        .collect()
}

/// The value stored to each atom of the results.
fn stored(callee: &Func, result_starts: &[u32]) -> Vec<ValueId> {
    fn collect(stmts: &[Stmt], starts: &[u32], found: &mut [ValueId]) {
        for stmt in stmts {
            match stmt {
                Stmt::Store { result, index, value, .. } => {
                    found[(starts[*result as usize] + index.base) as usize] = *value;
                }
                Stmt::Forall(f) => f.iterations.iter().for_each(|i| collect(i, starts, found)),
                Stmt::Let(_) | Stmt::Loop(_) => {}
            }
        }
    }
    let count: u32 = callee.results.iter().map(|p| p.count()).sum();
    let mut found = vec![ValueId(0); count as usize];
    collect(&callee.body, result_starts, &mut found);
    found
}

struct Copy<'a> {
    callee: &'a Func,
    param_starts: Vec<u32>,
    result_starts: Vec<u32>,
    args: &'a [ValueId],
    map: Vec<Option<ValueId>>,
    values: &'a mut Vec<Type>,
    loads: &'a mut FxHashMap<ValueId, Instr>,
}

impl Copy<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Let(Instr { op: Op::Load(param, index), results, .. }) => {
                    let Index { base, .. } = *index;
                    let arg = self.args[(self.param_starts[*param as usize] + base) as usize];
                    let arg = self.argument(arg, &mut out);
                    self.map[results[0].index()] = Some(arg);
                }
                Stmt::Let(instr) => {
                    let mut instr = instr.clone();
                    instr.args.iter_mut().for_each(|a| *a = self.value(*a));
                    instr.results.iter_mut().for_each(|r| *r = self.value(*r));
                    out.push(Stmt::Let(instr));
                }
                Stmt::Store { .. } => {}
                Stmt::Forall(forall) => {
                    let mut forall = forall.clone();
                    for iteration in &mut forall.iterations {
                        *iteration = self.stmts(iteration);
                    }
                    out.push(Stmt::Forall(forall));
                }
                Stmt::Loop(_) => unreachable!("loops are made after inlining"),
            }
        }
        out
    }

    /// The value of an argument, loaded afresh if it is a load.
    fn argument(&mut self, arg: ValueId, out: &mut Vec<Stmt>) -> ValueId {
        let Some(load) = self.loads.get(&arg) else { return arg };
        self.values.push(self.values[arg.index()]);
        let again = ValueId(self.values.len() as u32 - 1);
        let load = Instr { results: [again].into_iter().collect(), ..load.clone() };
        out.push(Stmt::Let(load.clone()));
        self.loads.insert(again, load);
        again
    }

    /// The caller's value for one of the callee.
    fn value(&mut self, value: ValueId) -> ValueId {
        *self.map[value.index()].get_or_insert_with(|| {
            self.values.push(self.callee.ty(value));
            ValueId(self.values.len() as u32 - 1)
        })
    }
}

fn drop_unreachable(program: &mut Program) {
    let kept = callees_first(program);
    let mut new_id = vec![FuncId(u32::MAX); program.funcs.len()];
    for (new, old) in kept.iter().enumerate() {
        new_id[old.index()] = FuncId(new as u32);
    }
    let mut funcs: Vec<Func> = kept.iter().map(|id| program.funcs[id.index()].clone()).collect();
    for func in &mut funcs {
        for stmt in &mut func.body {
            stmt.instrs_mut(&mut |instr| {
                if let Op::Call(callee, ..) = &mut instr.op {
                    *callee = new_id[callee.index()];
                }
            });
        }
    }
    program.funcs = funcs;
    program.entry = new_id[program.entry.index()];
}
