//! Loops: carried values are variables, those of delay lines and of arguments in place elements of an array.

use super::{argument, written_out, Printer};
use crate::core::arguments::{Atom, InPlace};
use crate::core::delay::DelayLine;
use crate::core::{Carried, Func, Loop, Op, Stmt, Type, ValueId};
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
        let (delayed, windows) = self.delay_lines(l);
        let placed = self.arguments(l);
        let elsewhere = |k: &usize| delayed.contains(k) || placed.contains(k);
        for (_, carried) in (0..).zip(&l.carried).filter(|(k, _)| elsewhere(k)) {
            self.has_place(carried.inside);
            self.has_place(carried.result);
        }
        let variables = (0..).zip(&l.carried).filter(|(k, _)| !elsewhere(k));
        let variables: Vec<_> = variables.map(|(_, carried)| *carried).collect();
        let late = self.spilling.is_some().then(|| self.carry(l, &variables));
        for carried in variables.iter().filter(|_| late.is_none()) {
            let (register, init) = (self.register(carried.inside), self.name(carried.init));
            let name = self.name(carried.inside);
            let changes = carried.next != carried.inside;
            self.line(&self.signature.syntax.variable(&register, &name, &init, changes));
            self.alias[carried.result.index()] = self.alias[carried.inside.index()];
        }
        let (head, outer) = (self.body.len(), self.steps.replace(false));
        self.begin_block();
        windows.iter().for_each(|window| self.line(window));
        let behind: Vec<ValueId> = late.iter().flatten().map(|(value, _)| *value).collect();
        let stmts = written_out(&l.body);
        let outside = self.begin(&stmts, Some((l, &behind)));
        self.stmts(&stmts);
        for (value, places) in std::mem::take(&mut self.enters) {
            let name = self.name(value);
            places.iter().for_each(|place| self.line(&format!("{place} = {name};")));
        }
        match late {
            Some(late) => self.carry_late(&late),
            None => self.advance(&variables),
        }
        self.end(outside);
        self.end_block();
        self.line("}");
        // Delay lines move by it in any case.
        let read = self.steps.replace(outer) || !delayed.is_empty();
        let text = self.signature.syntax.repeat("unsigned", "i", l.count, read);
        self.body.insert_str(head, &self.indented(&text));
        for carried in &variables {
            if self.uses[carried.inside.index()] + self.uses[carried.result.index()] == 0 {
                self.line(&self.signature.syntax.unused(&self.name(carried.inside)));
            }
        }
        l.carried.iter().for_each(|carried| self.keep(carried.result));
    }

    /// Makes an array of the delay lines of each type, with what they hold before the loop. The carried values that are taps,
    /// and what each iteration begins with.
    fn delay_lines(&mut self, l: &Loop) -> (BTreeSet<usize>, Vec<String>) {
        let lines = DelayLine::of(l);
        let func = self.func;
        let ty = |line: &DelayLine| func.ty(l.carried[line.taps[0]].inside);
        let types: BTreeSet<Type> = lines.iter().map(ty).collect();
        let mut windows = Vec::new();
        for of in types {
            let lines: Vec<&DelayLine> = lines.iter().filter(|line| ty(line) == of).collect();
            let number = l.carried[lines[0].taps[0]].inside.0;
            let array = format!("line{number}");
            let elements: usize = lines.iter().map(|line| line.elements(l)).sum();
            let (register, zero) = (self.signature.register(of), self.signature.zero(of));
            let syntax = self.signature.syntax;
            self.line(&syntax.room(&register, &array, elements as u32, &zero));
            let window = format!("window{number}");
            let begin = syntax.window(&register, &window, &array);
            let moving = |at: usize| match &begin {
                Some(_) => format!("{window}[{at}]"),
                None => format!("{array}[{}]", syntax.index(at, 1)),
            };
            let mut first = 0;
            for line in lines {
                for (at, &tap) in (first..).zip(&line.taps) {
                    let carried = &l.carried[tap];
                    self.line(&format!("{array}[{at}] = {};", self.name(carried.init)));
                    self.places.insert(carried.inside, moving(at));
                    let left = at + l.count as usize;
                    self.places.insert(carried.result, format!("{array}[{left}]"));
                }
                let entered = moving(first + line.taps.len());
                self.enters.entry(line.enters(l)).or_default().push(entered);
                first += line.elements(l);
            }
            windows.extend(begin);
        }
        (lines.into_iter().flat_map(|line| line.taps).collect(), windows)
    }

    /// Makes the arrays of arguments in place, with what they hold before the loop. The carried values that are in them.
    fn arguments(&mut self, l: &Loop) -> BTreeSet<usize> {
        let arguments = InPlace::of(&self.signature.kernel.program, l);
        for InPlace { call, param, atoms } in &arguments {
            let array = argument(call.0, *param);
            let ty = match atoms[0] {
                Atom::Carried(number) => self.func.ty(l.carried[number].inside),
                Atom::Made(value) => self.func.ty(value),
            };
            self.array(ty, &array, atoms.len() as u32);
            for (k, atom) in atoms.iter().enumerate() {
                let place = format!("{array}[{k}]");
                let carried = match atom {
                    Atom::Carried(number) => l.carried[*number],
                    Atom::Made(value) => {
                        self.enters.entry(*value).or_default().push(place);
                        continue;
                    }
                };
                self.line(&format!("{place} = {};", self.name(carried.init)));
                self.places.insert(carried.inside, place.clone());
                self.places.insert(carried.result, place.clone());
                self.enters.entry(carried.next).or_default().push(place);
            }
            self.in_place.insert(array);
        }
        arguments.iter().flat_map(InPlace::carried).collect()
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
