//! Each call of a node with registers has registers of its own: its caller keeps them among its own.
//!
//! Afterwards a call is a function of its arguments like any other. Calls of one site, in the iterations of a loop, have
//! theirs in one list, so that what goes on in the loop can be one piece of code.

use super::emit::callees;
use super::outcome::Outcome;
use super::scheme::substitute;
use super::Checker;
use crate::core::{Dir, Func, FuncId, Index, Instr, Op, Port, Program, Stmt, ValueId, Width};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Hands the registers of every function up to its callers.
///
/// # Errors
/// If there are more than memory should be spent on.
pub(super) fn hand_up(checker: &mut Checker, program: &mut Program) -> Outcome<()> {
    for id in callees_first(program) {
        let stateful = |callee: &FuncId| !program.funcs[callee.index()].resets.is_empty();
        if !callees(&program.funcs[id.index()]).iter().any(stateful) {
            continue;
        }
        let mut func = program.funcs[id.index()].clone();
        let body = std::mem::take(&mut func.body);
        let mut caller = Caller { checker, program, func, sites: FxHashMap::default() };
        let body = caller.stmts(body)?;
        program.funcs[id.index()] = Func { body, ..caller.func };
    }
    Ok(())
}

/// All functions, each after those that it calls.
fn callees_first(program: &Program) -> Vec<FuncId> {
    let mut done = vec![false; program.funcs.len()];
    let mut order = Vec::with_capacity(done.len());
    for root in 0..done.len() as u32 {
        let mut path = vec![FuncId(root)];
        while let Some(&func) = path.last() {
            let waiting = callees(&program.funcs[func.index()]).into_iter();
            let before = path.len();
            path.extend(waiting.filter(|callee| !done[callee.index()]));
            if path.len() == before {
                path.pop();
                if !std::mem::replace(&mut done[func.index()], true) {
                    order.push(func);
                }
            }
        }
    }
    order
}

/// What all calls of one site have in common.
type Site = (Span, FuncId, Vec<Dir>, Vec<Width>);

struct Caller<'c, 'a> {
    checker: &'c mut Checker<'a>,
    program: &'c Program,
    func: Func,
    /// For each site the number of its first register among the caller's.
    sites: FxHashMap<Site, usize>,
}

impl Caller<'_, '_> {
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Outcome<Vec<Stmt>> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr, &mut out)?,
                Stmt::Forall(mut forall) => {
                    for iteration in &mut forall.iterations {
                        *iteration = self.stmts(std::mem::take(iteration))?;
                    }
                    out.push(Stmt::Forall(forall));
                }
                other => out.push(other),
            }
        }
        Ok(out)
    }

    /// A call gets the caller's registers as further arguments and gives their next values as further results.
    fn instr(&mut self, mut instr: Instr, out: &mut Vec<Stmt>) -> Outcome<()> {
        let Op::Call(id, dirs, widths) = &instr.op else {
            out.push(Stmt::Let(instr));
            return Ok(());
        };
        let program = self.program;
        let callee = &program.funcs[id.index()];
        let site = (instr.span, *id, dirs.clone(), widths.clone());
        let first = self.registers(callee, site)?;
        let span = instr.span;
        let mut stores = Vec::new();
        for (k, port) in callee.registers().iter().enumerate() {
            let (param, result) = self.places(first + k);
            let ty = self.func.params[param].ty;
            let start = self.func.params[param].count() - port.count();
            for atom in start..start + port.count() {
                let (before, after) = (self.func.value(ty), self.func.value(ty));
                let index = Index::fixed(atom);
                out.push(Stmt::Let(Instr {
                    results: [before].into(),
                    op: Op::Load(param as u32, index),
                    args: Default::default(),
                    span,
                }));
                instr.args.push(before);
                instr.results.push(after);
                stores.push(store(result as u32, index, after, span));
            }
        }
        out.push(Stmt::Let(instr));
        out.append(&mut stores);
        Ok(())
    }

    /// Where a register stands among the parameters and the results.
    fn places(&self, register: usize) -> (usize, usize) {
        (self.func.inputs().len() + register, self.func.outputs().len() + register)
    }

    /// Adds the registers of one call and gives the number of the first.
    fn registers(&mut self, callee: &Func, site: Site) -> Outcome<usize> {
        let atoms: u32 = callee.registers().iter().map(Port::count).sum();
        self.checker.spend(atoms as usize, site.0)?;
        let number = self.sites.len();
        if let Some(&first) = self.sites.get(&site) {
            for (k, reset) in callee.resets.iter().enumerate() {
                let (param, result) = self.places(first + k);
                self.func.params[param].shape[0] += 1;
                self.func.results[result].shape[0] += 1;
                self.func.resets[first + k].extend(reset);
            }
            return Ok(first);
        }
        let first = self.func.resets.len();
        for (port, reset) in callee.registers().iter().zip(&callee.resets) {
            let ty = substitute(port.ty, &site.2, &site.3);
            let name = format!("{}.{number}.{}", callee.name, port.name);
            let shape = [&[1], &port.shape[..]].concat();
            let port = Port { name, ty, shape, ..port.clone() };
            self.func.params.push(port.clone());
            self.func.results.push(port);
            self.func.resets.push(reset.clone());
        }
        self.sites.insert(site, first);
        Ok(first)
    }
}

fn store(result: u32, index: Index, value: ValueId, span: Span) -> Stmt {
    Stmt::Store { result, index, value, span }
}
