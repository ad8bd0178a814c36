//! Drops instructions and carried values that nobody uses, and numbers the rest afresh.

use crate::core::{Func, Loop, Stmt, ValueId};

/// Removes dead code and renumbers the values in order of definition.
pub fn run(func: &mut Func) {
    let mut live = vec![false; func.values.len()];
    let body = sweep(std::mem::take(&mut func.body), &mut live);
    let mut renumber = Renumber { func, new: vec![None; live.len()], types: Vec::new() };
    let body = renumber.stmts(body);
    let types = renumber.types;
    func.body = body;
    func.values = types;
}

/// Which values of a function somebody uses.
pub fn live(func: &Func) -> Vec<bool> {
    let mut live = vec![false; func.values.len()];
    sweep(func.body.clone(), &mut live);
    live
}

/// Keeps, from last to first, the statements whose results are live.
fn sweep(stmts: Vec<Stmt>, live: &mut [bool]) -> Vec<Stmt> {
    let mut kept = Vec::with_capacity(stmts.len());
    for stmt in stmts.into_iter().rev() {
        match stmt {
            Stmt::Let(instr) => {
                if instr.results.iter().any(|r| live[r.index()]) {
                    instr.args.iter().for_each(|a| live[a.index()] = true);
                    kept.push(Stmt::Let(instr));
                }
            }
            Stmt::Store { value, .. } => {
                live[value.index()] = true;
                kept.push(stmt);
            }
            Stmt::Forall(mut forall) => {
                let iterations = forall.iterations.into_iter().rev();
                forall.iterations = iterations.map(|i| sweep(i, live)).collect();
                forall.iterations.reverse();
                kept.push(Stmt::Forall(forall));
            }
            Stmt::Loop(l) => kept.extend(sweep_loop(l, live).map(Stmt::Loop)),
        }
    }
    kept.reverse();
    kept
}

/// A carried value lives if its result does or if the body needs it from one iteration to the next, which is
/// known only when the body has been swept: repeat until nothing is added.
fn sweep_loop(mut l: Loop, live: &mut [bool]) -> Option<Loop> {
    let stores = l.body.iter().any(|stmt| matches!(stmt, Stmt::Store { .. }));
    if !stores && !l.carried.iter().any(|c| live[c.result.index()]) {
        return None;
    }
    loop {
        let mut needed = live.to_vec();
        for c in l.carried.iter().filter(|c| live[c.result.index()] || live[c.inside.index()]) {
            needed[c.next.index()] = true;
        }
        sweep(l.body.clone(), &mut needed);
        let grew = l.carried.iter().any(|c| needed[c.inside.index()] && !live[c.inside.index()]);
        for c in &l.carried {
            live[c.inside.index()] |= needed[c.inside.index()];
        }
        if !grew {
            break;
        }
    }
    l.carried.retain(|c| live[c.result.index()] || live[c.inside.index()]);
    for c in &l.carried {
        live[c.next.index()] = true;
    }
    l.body = sweep(l.body, live);
    for c in &l.carried {
        live[c.init.index()] = true;
    }
    Some(l)
}

struct Renumber<'a> {
    func: &'a Func,
    new: Vec<Option<ValueId>>,
    types: Vec<crate::core::Type>,
}

impl Renumber<'_> {
    fn define(&mut self, value: &mut ValueId) {
        self.types.push(self.func.values[value.index()]);
        let new = ValueId(self.types.len() as u32 - 1);
        self.new[value.index()] = Some(new);
        *value = new;
    }

    fn rename(&self, value: &mut ValueId) {
        *value = self.new[value.index()].expect("values are defined before they are used");
    }

    fn stmts(&mut self, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
        for stmt in &mut stmts {
            match stmt {
                Stmt::Let(instr) => {
                    instr.args.iter_mut().for_each(|a| self.rename(a));
                    instr.results.iter_mut().for_each(|r| self.define(r));
                }
                Stmt::Store { value, .. } => self.rename(value),
                Stmt::Forall(forall) => {
                    for iteration in &mut forall.iterations {
                        *iteration = self.stmts(std::mem::take(iteration));
                    }
                }
                Stmt::Loop(l) => {
                    l.carried.iter_mut().for_each(|c| self.rename(&mut c.init));
                    l.carried.iter_mut().for_each(|c| self.define(&mut c.inside));
                    l.body = self.stmts(std::mem::take(&mut l.body));
                    l.carried.iter_mut().for_each(|c| self.rename(&mut c.next));
                    l.carried.iter_mut().for_each(|c| self.define(&mut c.result));
                }
            }
        }
        stmts
    }
}
