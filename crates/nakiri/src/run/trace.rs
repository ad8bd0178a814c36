//! Through which registers something depends on data.

use super::fold::Folded;
use super::shape::Place;
use crate::core::{Func, Instr, Op, Port, Stmt, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each atom of a register that depends on data, what made it so.
#[derive(Default)]
pub struct Causes(FxHashMap<Place, Place>);

impl Causes {
    /// Notes what made a register depend on data in this tick.
    pub fn note(&mut self, folded: &Folded, register: Place, value: ValueId) {
        if let Some(source) = source(&folded.func, value) {
            self.0.insert(register, source);
        }
    }

    /// The ports through which a value of a tick depends on data: from registers, the last first, to an input.
    pub fn path<'a>(&self, folded: &Folded, value: ValueId, params: &'a [Port]) -> Vec<&'a Port> {
        let first = source(&folded.func, value);
        let mut seen = FxHashSet::default();
        let fresh = |place: &Place| seen.insert(*place);
        let places = std::iter::successors(first, |place| self.0.get(place).copied());
        let mut path: Vec<&Port> =
            places.take_while(fresh).map(|(param, _)| &params[param as usize]).collect();
        path.dedup_by(|a, b| std::ptr::eq(*a, *b));
        path
    }
}

/// The nearest atom of a parameter from which a value is computed.
fn source(func: &Func, value: ValueId) -> Option<Place> {
    let mut defined: FxHashMap<ValueId, &Instr> = FxHashMap::default();
    for stmt in &func.body {
        if let Stmt::Let(instr) = stmt {
            defined.extend(instr.results.iter().map(|&result| (result, instr)));
        }
    }
    let mut seen = FxHashSet::default();
    let mut waiting = std::collections::VecDeque::from([value]);
    while let Some(value) = waiting.pop_front() {
        let Some(instr) = defined.get(&value).filter(|_| seen.insert(value)) else { continue };
        if let Op::Load(param, index) = instr.op {
            return Some((param, index.base));
        }
        waiting.extend(&instr.args);
    }
    None
}
