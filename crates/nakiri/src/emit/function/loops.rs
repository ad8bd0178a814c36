//! Loops: carried values are variables, those of delay lines elements of an array.

use super::Printer;
use crate::core::delay::DelayLine;
use crate::core::{Carried, Func, Index, Loop, Op, Stmt, Type, ValueId};
use std::collections::BTreeSet;

/// The loads whose only use is to fill a delay line.
pub fn fills(func: &Func, uses: &[u32]) -> BTreeSet<ValueId> {
    let mut fills = BTreeSet::new();
    for stmt in &func.body {
        if let Stmt::Loop(l) = stmt {
            let taps = DelayLine::of(l).into_iter().flat_map(|line| line.taps);
            fills.extend(taps.map(|tap| l.carried[tap].init));
        }
    }
    let mut loads: BTreeSet<ValueId> = BTreeSet::new();
    for stmt in &func.body {
        match stmt {
            Stmt::Let(instr) if matches!(instr.op, Op::Load(..)) => loads.extend(&instr.results),
            _ => {}
        }
    }
    fills.into_iter().filter(|v| loads.contains(v) && uses[v.index()] == 1).collect()
}

impl Printer<'_> {
    pub(super) fn loop_(&mut self, l: &Loop) {
        let delayed = self.delay_lines(l);
        let variables = (0..).zip(&l.carried).filter(|(k, _)| !delayed.contains(k));
        let variables: Vec<_> = variables.map(|(_, carried)| *carried).collect();
        for carried in &variables {
            let (register, init) = (self.register(carried.inside), self.name(carried.init));
            let name = self.name(carried.inside);
            self.line(&self.signature.syntax.variable(&register, &name, &init));
            self.alias[carried.result.index()] = self.alias[carried.inside.index()];
        }
        self.line(&self.signature.syntax.repeat("unsigned", "i", l.count));
        self.indent += 1;
        self.stmts(&l.body);
        for (value, places) in std::mem::take(&mut self.enters) {
            let name = self.name(value);
            places.iter().for_each(|place| self.line(&format!("{place} = {name};")));
        }
        self.advance(&variables);
        self.indent -= 1;
        self.line("}");
        for carried in &variables {
            if self.uses[carried.inside.index()] + self.uses[carried.result.index()] == 0 {
                self.line(&self.signature.syntax.unused(&self.name(carried.inside)));
            }
        }
    }

    /// Makes an array of the delay lines of each type, with what they hold before the loop. The carried values that are taps.
    fn delay_lines(&mut self, l: &Loop) -> BTreeSet<usize> {
        let lines = DelayLine::of(l);
        let func = self.func;
        let ty = |line: &DelayLine| func.ty(l.carried[line.taps[0]].inside);
        let types: BTreeSet<Type> = lines.iter().map(ty).collect();
        for of in types {
            let lines: Vec<&DelayLine> = lines.iter().filter(|line| ty(line) == of).collect();
            let array = format!("line{}", l.carried[lines[0].taps[0]].inside.0);
            let elements: usize = lines.iter().map(|line| line.elements(l)).sum();
            let (register, zero) = (self.signature.register(of), self.signature.zero(of));
            let syntax = self.signature.syntax;
            self.line(&syntax.room(&register, &array, elements as u32, &zero));
            let mut first = 0;
            for line in lines {
                self.delay_line(l, line, &array, first);
                first += line.elements(l);
            }
        }
        lines.into_iter().flat_map(|line| line.taps).collect()
    }

    /// Puts a delay line into an array, from this element on.
    fn delay_line(&mut self, l: &Loop, line: &DelayLine, array: &str, first: usize) {
        let element = |printer: &Self, base: usize, step: i32| {
            format!("{array}[{}]", printer.index(Index { base: base as u32, step }, 1, 0))
        };
        for (element_before, &tap) in (first..).zip(&line.taps) {
            let carried = &l.carried[tap];
            let filled = element(self, element_before, 0);
            self.line(&format!("{filled} = {};", self.name(carried.init)));
            let moving = element(self, element_before, 1);
            self.places.insert(carried.inside, moving);
            let left = element(self, element_before + l.count as usize, 0);
            self.places.insert(carried.result, left);
        }
        let entered = element(self, first + line.taps.len(), 1);
        self.enters.entry(line.enters(l)).or_default().push(entered);
    }

    /// Assigns all carried variables at once: those that are the next value of another are kept aside first.
    fn advance(&mut self, variables: &[Carried]) {
        let carries = |value: ValueId| variables.iter().any(|c| c.inside == value);
        let mut kept = BTreeSet::new();
        for carried in variables.iter().filter(|c| c.next != c.inside && carries(c.next)) {
            if kept.insert(carried.next) {
                let (register, name) = (self.register(carried.next), self.name(carried.next));
                let kept = format!("{name}_");
                self.line(&self.signature.syntax.define(&register, &kept, &name));
            }
        }
        for carried in variables.iter().filter(|c| c.next != c.inside) {
            let mark = if kept.contains(&carried.next) { "_" } else { "" };
            let text =
                format!("{} = {}{mark};", self.name(carried.inside), self.name(carried.next));
            self.line(&text);
        }
    }
}
