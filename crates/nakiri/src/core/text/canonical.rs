//! Equality of programs up to numbering of values and places in the source.

use crate::core::{Func, Program, Stmt, ValueId};
use crate::source::{FileId, Span};
use rustc_hash::FxHashMap;

impl Program {
    /// The same program with every span empty, and in every function the values numbered in the order of their
    /// definitions and no others. Two programs have the same text, up to the numbers of values, just if these are
    /// equal; what [`super::parse`] gives is so already, if the values are defined before use.
    pub fn canonical(&self) -> Program {
        self.renumbered(None)
    }

    /// The same for all programs that differ in nothing but the name of the entry and where they stand in a source: as
    /// [`Program::canonical`], but that each place is a number, by which statements of one place are known.
    pub fn placeless(&self) -> Program {
        let mut program = self.renumbered(Some(FxHashMap::default()));
        program.funcs[self.entry.index()].name.clear();
        program
    }

    fn renumbered(&self, places: Option<Places>) -> Program {
        let mut program = self.clone();
        program.funcs.iter_mut().for_each(|func| renumber(func, places.clone()));
        program
    }
}

/// The numbers of places in the source.
type Places = FxHashMap<Span, u32>;

fn renumber(func: &mut Func, places: Option<Places>) {
    func.span = Span::default();
    for port in func.params.iter_mut().chain(&mut func.results) {
        port.span = Span::default();
    }
    let mut numbers = Numbers { new: vec![None; func.values.len()], defined: Vec::new(), places };
    func.body.iter_mut().for_each(|stmt| numbers.stmt(stmt));
    func.values = numbers.defined.iter().map(|value| func.values[value.index()]).collect();
}

struct Numbers {
    /// For each old number, the new one.
    new: Vec<Option<ValueId>>,
    /// The old numbers in the order of the new ones.
    defined: Vec<ValueId>,
    /// The numbers of places, if they get some.
    places: Option<Places>,
}

impl Numbers {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Let(instr) => {
                instr.span = self.place(instr.span);
                instr.args.iter_mut().for_each(|arg| self.number(arg));
                instr.results.iter_mut().for_each(|result| self.number(result));
            }
            Stmt::Store { value, span, .. } => {
                *span = self.place(*span);
                self.number(value);
            }
            Stmt::Forall(forall) => {
                forall.span = self.place(forall.span);
                forall.iterations.iter_mut().flatten().for_each(|s| self.stmt(s));
            }
            Stmt::Loop(l) => {
                l.span = self.place(l.span);
                for carried in &mut l.carried {
                    self.number(&mut carried.inside);
                    self.number(&mut carried.init);
                }
                l.body.iter_mut().for_each(|s| self.stmt(s));
                l.carried.iter_mut().for_each(|c| self.number(&mut c.next));
                l.carried.iter_mut().for_each(|c| self.number(&mut c.result));
            }
        }
    }

    fn place(&mut self, span: Span) -> Span {
        let Some(places) = &mut self.places else { return Span::default() };
        let next = places.len() as u32;
        let number = *places.entry(span).or_insert(next);
        Span { file: FileId::default(), start: number, end: number }
    }

    /// Renumbers a value; of a value without a type nothing is known.
    fn number(&mut self, value: &mut ValueId) {
        let Some(new) = self.new.get_mut(value.index()) else { return };
        *value = *new.get_or_insert_with(|| {
            self.defined.push(*value);
            ValueId(self.defined.len() as u32 - 1)
        });
    }
}
