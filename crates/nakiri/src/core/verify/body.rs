//! Scopes, stores and loops of one function.

use crate::core::text::statement_head;
use crate::core::{Func, Index, Instr, Loop, Program, Stmt, Type, ValueId};
use smallvec::SmallVec;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Undefined,
    Visible,
    /// Defined in a loop that has ended.
    Ended,
}

/// Walks through the body of a function.
pub(super) struct Checker<'a> {
    pub(super) program: &'a Program,
    pub(super) func: &'a Func,
    /// For each value.
    scopes: Vec<Scope>,
    /// For each atom of each result.
    stored: Vec<Vec<bool>>,
    /// How often the enclosing loop runs.
    pub(super) iterations: Option<u32>,
    /// The values defined so far, in order.
    defined: Vec<ValueId>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(program: &'a Program, func: &'a Func) -> Checker<'a> {
        Checker {
            program,
            func,
            scopes: vec![Scope::Undefined; func.values.len()],
            stored: func.results.iter().map(|p| vec![false; p.count() as usize]).collect(),
            iterations: None,
            defined: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), String> {
        self.stmts(&self.func.body)?;
        for (port, stored) in self.func.results.iter().zip(&self.stored) {
            if let Some(atom) = stored.iter().position(|stored| !stored) {
                return Err(format!("{}[{atom}] is not stored", port.name));
            }
        }
        Ok(())
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), String> {
        for stmt in stmts {
            let (program, func) = (self.program, self.func);
            let place = |e| format!("`{}`: {e}", statement_head(program, func, stmt));
            match stmt {
                Stmt::Let(instr) => self.instr(instr).map_err(place)?,
                Stmt::Store { result, index, value, .. } => {
                    self.store(*result, *index, *value).map_err(place)?;
                }
                Stmt::Forall(forall) => {
                    forall.iterations.iter().try_for_each(|body| self.stmts(body))?;
                }
                Stmt::Loop(l) => {
                    let outer_values = self.defined.len();
                    self.enter_loop(l).map_err(place)?;
                    self.stmts(&l.body)?;
                    self.leave_loop(l, outer_values).map_err(place)?;
                }
            }
        }
        Ok(())
    }

    fn instr(&mut self, instr: &Instr) -> Result<(), String> {
        // Most have few: they need no memory.
        type Types = SmallVec<[Type; 4]>;
        let args = instr.args.iter().map(|&a| self.read(a)).collect::<Result<Types, _>>()?;
        let results =
            instr.results.iter().map(|&r| self.define(r)).collect::<Result<Types, _>>()?;
        self.check_op(&instr.op, &args, &results)
    }

    fn store(&mut self, result: u32, index: Index, value: ValueId) -> Result<(), String> {
        let ty = self.read(value)?;
        let Some(port) = self.func.results.get(result as usize) else {
            return Err(format!("there is no result {result}"));
        };
        if ty != port.ty {
            return Err(format!("{value} has not the type of {}", port.name));
        }
        self.check_index(index, port.count() as usize)?;
        for iteration in 0..self.iterations.unwrap_or(1) {
            let atom = index.at(iteration);
            if std::mem::replace(&mut self.stored[result as usize][atom as usize], true) {
                return Err(format!("{}[{atom}] is stored twice", port.name));
            }
        }
        Ok(())
    }

    fn enter_loop(&mut self, l: &Loop) -> Result<(), String> {
        if self.iterations.is_some() {
            return Err("loops don't nest".into());
        }
        if l.count < 2 {
            return Err("a loop runs at least twice".into());
        }
        for carried in &l.carried {
            self.read(carried.init)?;
        }
        for carried in &l.carried {
            self.define(carried.inside)?;
        }
        self.iterations = Some(l.count);
        Ok(())
    }

    fn leave_loop(&mut self, l: &Loop, outer_values: usize) -> Result<(), String> {
        for carried in &l.carried {
            self.read(carried.next)?;
        }
        for value in self.defined.drain(outer_values..) {
            self.scopes[value.index()] = Scope::Ended;
        }
        for carried in &l.carried {
            let ty = self.define(carried.result)?;
            let others = [carried.init, carried.inside, carried.next];
            if let Some(other) = others.iter().find(|other| self.func.ty(**other) != ty) {
                return Err(format!("{} and {other} differ in type", carried.result));
            }
        }
        self.iterations = None;
        Ok(())
    }

    /// The type of a value that is used here.
    fn read(&self, value: ValueId) -> Result<Type, String> {
        match self.scopes.get(value.index()) {
            Some(Scope::Visible) => Ok(self.func.ty(value)),
            Some(Scope::Ended) => Err(format!("{value} is not visible outside of its loop")),
            Some(Scope::Undefined) => Err(format!("{value} is used before it is defined")),
            None => Err(format!("there is no value {value}")),
        }
    }

    /// The type of a value that is defined here.
    fn define(&mut self, value: ValueId) -> Result<Type, String> {
        match self.scopes.get_mut(value.index()) {
            Some(scope @ Scope::Undefined) => *scope = Scope::Visible,
            Some(_) => return Err(format!("{value} is defined twice")),
            None => return Err(format!("there is no value {value}")),
        }
        self.defined.push(value);
        Ok(self.func.ty(value))
    }

    /// Checks the index of an atom for all iterations of the enclosing loop.
    pub(super) fn check_index(&self, index: Index, count: usize) -> Result<(), String> {
        if index.step != 0 && self.iterations.is_none() {
            return Err("outside of a loop an index has no step".into());
        }
        let last = self.iterations.unwrap_or(1) - 1;
        let moved = i64::from(index.step) * i64::from(last);
        for atom in [i64::from(index.base), i64::from(index.base) + moved] {
            if !usize::try_from(atom).is_ok_and(|atom| atom < count) {
                return Err(format!("there is no atom {atom}, only {count}"));
            }
        }
        Ok(())
    }
}
