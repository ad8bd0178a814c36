//! One loop from groups of statements, if they are alike enough.

use super::hoist::Hoisted;
use crate::core::{
    Carried, ConstantsId, Func, Index, Instr, Loop, Op, Program, Stmt, Type, ValueId,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// How far back a value may come from, in iterations, unless values may move.
const MAX_DISTANCE: usize = 16;

/// A loop with what must stand before it, and the values that now have another name after it.
pub struct Rolled {
    pub stmts: Vec<Stmt>,
    pub renamed: FxHashMap<ValueId, ValueId>,
    /// How many iterations a turn of it is.
    pub period: usize,
}

impl Rolled {
    /// The same, with more before it.
    pub fn behind(self, mut before: Vec<Stmt>) -> Rolled {
        before.extend(self.stmts);
        Rolled { stmts: before, ..self }
    }

    /// The same, behind loads that were taken out of its iterations.
    pub fn behind_loads(mut self, loads: &Hoisted) -> Rolled {
        self.renamed.extend(&loads.renamed);
        self.behind(loads.before.clone())
    }
}

/// Which definition of a group: statement and result.
type Place = (usize, usize);

/// Where a value comes from, seen from an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// This definition of the same iteration.
    Same(Place),
    /// This definition, so many iterations ago.
    Earlier(usize, Place),
    /// A value from before the loop.
    Outside(ValueId),
}

/// What an operand is in the body.
#[derive(Clone, Copy)]
enum Operand {
    /// What this definition of the body makes.
    Made(Place),
    /// A value from before the loop.
    Outside(ValueId),
    /// What the iteration before left in this slot.
    Slot(usize),
}

/// Which values operands may have that earlier iterations made, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Those of one definition, the same few iterations back in each.
    Regular,
    /// Whatever moves from slot to slot, as the bits of a register that rotates: so many slots at most.
    Moving { most: usize },
}

/// The loop whose iterations are the groups, or nothing if they differ. `used_after` says whether a value is
/// used after the last group.
pub fn roll(
    groups: &[Vec<&Stmt>],
    operands: Operands,
    program: &mut Program,
    func: &mut Func,
    used_after: &dyn Fn(ValueId) -> bool,
    span: Span,
) -> Option<Rolled> {
    if groups[0].is_empty() {
        return None;
    }
    let definitions = Definitions::new(groups)?;
    let mut plan = Plan { groups, operands, definitions, slots: Slots::default() };
    let mut constants = Vec::new();
    let mut body = Vec::with_capacity(groups[0].len());
    for at in 0..groups[0].len() {
        body.push(plan.statement(at, &mut constants, program.constants.len())?);
    }
    plan.slots.close(&plan.definitions, operands)?;
    let kept = plan.kept_results(used_after)?;
    program.constants.extend(constants);
    Some(plan.build(body, kept, func, span))
}

/// Which group and place defines each value of the groups.
struct Definitions(FxHashMap<ValueId, (usize, Place)>);

impl Definitions {
    fn new(groups: &[Vec<&Stmt>]) -> Option<Definitions> {
        let mut map = FxHashMap::default();
        for (g, group) in groups.iter().enumerate() {
            if group.len() != groups[0].len() {
                return None;
            }
            for (at, stmt) in group.iter().enumerate() {
                match stmt {
                    Stmt::Let(instr) => {
                        for (r, &value) in instr.results.iter().enumerate() {
                            map.insert(value, (g, (at, r)));
                        }
                    }
                    Stmt::Store { .. } => {}
                    Stmt::Forall(_) | Stmt::Loop(_) => return None,
                }
            }
        }
        Some(Definitions(map))
    }

    /// Where group `g` finds `value`.
    fn source(&self, g: usize, value: ValueId) -> Source {
        match self.0.get(&value) {
            Some(&(defined, place)) if defined == g => Source::Same(place),
            Some(&(defined, place)) => Source::Earlier(g - defined, place),
            None => Source::Outside(value),
        }
    }
}

struct Plan<'a> {
    groups: &'a [Vec<&'a Stmt>],
    operands: Operands,
    definitions: Definitions,
    slots: Slots,
}

/// A statement of the body, operands by source.
enum Template {
    Let(Instr, Vec<Operand>),
    Store { result: u32, index: Index, value: Operand, span: Span },
}

impl Plan<'_> {
    fn statement(
        &mut self,
        at: usize,
        constants: &mut Vec<Vec<u128>>,
        first_constants: usize,
    ) -> Option<Template> {
        match self.groups[0][at] {
            Stmt::Let(first) => {
                let instrs: Vec<&Instr> = self
                    .groups
                    .iter()
                    .map(|group| match group[at] {
                        Stmt::Let(instr) => Some(instr),
                        _ => None,
                    })
                    .collect::<Option<_>>()?;
                if instrs.iter().any(|i| {
                    i.args.len() != first.args.len() || i.results.len() != first.results.len()
                }) {
                    return None;
                }
                let op = common_op(&instrs, constants, first_constants)?;
                let operands = (0..first.args.len())
                    .map(|k| self.operand(&instrs.iter().map(|i| i.args[k]).collect::<Vec<_>>()))
                    .collect::<Option<_>>()?;
                Some(Template::Let(Instr { op, ..first.clone() }, operands))
            }
            &Stmt::Store { result, span, .. } => {
                let stores: Vec<(u32, u32, ValueId)> = self
                    .groups
                    .iter()
                    .map(|group| match group[at] {
                        Stmt::Store { result, index, value, .. } => {
                            Some((*result, index.base, *value))
                        }
                        _ => None,
                    })
                    .collect::<Option<_>>()?;
                if stores.iter().any(|s| s.0 != result) {
                    return None;
                }
                let index = common_index(stores.iter().map(|s| s.1))?;
                let values: Vec<ValueId> = stores.iter().map(|s| s.2).collect();
                Some(Template::Store { result, index, value: self.operand(&values)?, span })
            }
            Stmt::Forall(_) | Stmt::Loop(_) => None,
        }
    }

    /// What an operand is in the body, given its value in each group.
    fn operand(&mut self, values: &[ValueId]) -> Option<Operand> {
        let source = |g: usize| self.definitions.source(g, values[g]);
        let last = values.len() - 1;
        let distance = match source(last) {
            Source::Same(_) | Source::Outside(_) => 0,
            Source::Earlier(distance, _) => distance,
        };
        let outside = |g: usize| matches!(source(g), Source::Outside(_));
        let regular = (distance..=last).all(|g| source(g) == source(last))
            && distance <= MAX_DISTANCE
            && (0..distance).all(outside);
        match source(last) {
            Source::Same(place) if regular => Some(Operand::Made(place)),
            Source::Outside(value) if regular => Some(Operand::Outside(value)),
            _ if regular || self.operands != Operands::Regular => {
                Some(Operand::Slot(self.slots.holding(values)))
            }
            _ => None,
        }
    }

    /// The definitions that are used after the loop: only the last group's can be.
    fn kept_results(&self, used_after: &dyn Fn(ValueId) -> bool) -> Option<Vec<Place>> {
        let last = self.groups.len() - 1;
        let mut kept = Vec::new();
        for (g, group) in self.groups.iter().enumerate() {
            for (at, stmt) in group.iter().enumerate() {
                let Stmt::Let(instr) = stmt else { continue };
                for (r, &value) in instr.results.iter().enumerate() {
                    if used_after(value) {
                        if g != last {
                            return None;
                        }
                        kept.push((at, r));
                    }
                }
            }
        }
        Some(kept)
    }

    fn defined(&self, group: usize, (at, r): Place) -> ValueId {
        match self.groups[group][at] {
            Stmt::Let(instr) => instr.results[r],
            _ => unreachable!("only instructions define values"),
        }
    }

    fn build(self, body: Vec<Template>, kept: Vec<Place>, func: &mut Func, span: Span) -> Rolled {
        let mut carried = Vec::new();
        let mut stmts = Vec::new();
        let mut renamed = FxHashMap::default();
        let last = self.groups.len() - 1;
        let held: Vec<ValueId> =
            self.slots.all.iter().map(|slot| func.value(func.ty(slot.values[0]))).collect();
        for at in self.slots.in_order() {
            let (slot, inside) = (&self.slots.all[at], held[at]);
            let next = match slot.next {
                Next::Made(place) => self.defined(0, place),
                Next::Slot(other) => held[other],
            };
            let c = Carried {
                init: slot.values[0],
                inside,
                next,
                result: func.value(func.ty(slot.values[0])),
            };
            carried.push(c);
            if let Next::Made(place) = slot.next {
                renamed.insert(self.defined(last, place), c.result);
            }
        }
        for place in kept {
            let value = self.defined(last, place);
            let Entry::Vacant(name) = renamed.entry(value) else { continue };
            let ty = func.ty(value);
            let init = zero(func, ty, span, &mut stmts);
            let next = self.defined(0, place);
            let c = Carried { init, inside: func.value(ty), next, result: func.value(ty) };
            carried.push(c);
            name.insert(c.result);
        }
        let resolve = |operand: Operand| match operand {
            Operand::Made(place) => self.defined(0, place),
            Operand::Outside(value) => value,
            Operand::Slot(slot) => held[slot],
        };
        let body = body
            .into_iter()
            .map(|template| match template {
                Template::Let(instr, operands) => {
                    let args = operands.into_iter().map(resolve).collect();
                    Stmt::Let(Instr { args, ..instr })
                }
                Template::Store { result, index, value, span } => {
                    Stmt::Store { result, index, value: resolve(value), span }
                }
            })
            .collect();
        stmts.push(Stmt::Loop(Loop { count: self.groups.len() as u32, carried, body, span }));
        Rolled { stmts, renamed, period: 1 }
    }
}

/// What a loop hands from one iteration to the next.
#[derive(Default)]
struct Slots {
    all: Vec<Slot>,
    /// The slots that hold a value first.
    by_first: FxHashMap<ValueId, Vec<usize>>,
}

struct Slot {
    /// What it holds in each group; what it holds in groups beyond matters to nobody.
    values: Vec<ValueId>,
    next: Next,
}

/// What a slot holds in the next group.
#[derive(Clone, Copy)]
enum Next {
    /// What this definition of the group makes.
    Made(Place),
    /// What that slot holds.
    Slot(usize),
}

impl Slots {
    /// The slot that holds these values in turn.
    fn holding(&mut self, values: &[ValueId]) -> usize {
        let same = self.by_first.entry(values[0]).or_default();
        let known = same.iter().copied().find(|slot| self.all[*slot].values.starts_with(values));
        known.unwrap_or_else(|| {
            let number = self.all.len();
            same.push(number);
            self.all.push(Slot { values: values.to_vec(), next: Next::Slot(number) });
            number
        })
    }

    /// Finds from where each slot has its values, by slots that hold them earlier. `None` if a value is made where the slot
    /// can't have it from, or too many move.
    fn close(&mut self, definitions: &Definitions, operands: Operands) -> Option<()> {
        let (mut at, mut moves) = (0, 0);
        while at < self.all.len() {
            let values = self.all[at].values.clone();
            if definitions.0.contains_key(&values[0])
                || matches!(operands, Operands::Moving { most } if moves > most)
            {
                return None;
            }
            let made = |(group, value): (usize, &ValueId)| match definitions.0.get(value) {
                Some((defined, place)) if *defined == group => Some(*place),
                _ => None,
            };
            let mut places = values[1..].iter().enumerate().map(made);
            self.all[at].next = match places.next() {
                None => Next::Slot(at),
                Some(Some(place)) if places.all(|other| other == Some(place)) => Next::Made(place),
                Some(_) => Next::Slot(self.holding(&values[1..])),
            };
            moves += usize::from(matches!(self.all[at].next, Next::Slot(_)));
            at += 1;
        }
        Some(())
    }

    /// All slots, each behind the one that it has its values from, where these form no ring.
    fn in_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.all.len());
        let mut seen = vec![false; self.all.len()];
        for at in 0..self.all.len() {
            let from = |slot: &usize| match self.all[*slot].next {
                Next::Slot(other) => Some(other),
                Next::Made(_) => None,
            };
            let unseen = |slot: &usize| !std::mem::replace(&mut seen[*slot], true);
            let chain: Vec<usize> =
                std::iter::successors(Some(at), from).take_while(unseen).collect();
            order.extend(chain.into_iter().rev());
        }
        order
    }
}

/// A value to start with where none is needed.
fn zero(func: &mut Func, ty: Type, span: Span, stmts: &mut Vec<Stmt>) -> ValueId {
    let value = func.value(ty);
    stmts.push(Stmt::Let(Instr {
        results: [value].into_iter().collect(),
        op: Op::Const(0),
        args: Default::default(),
        span,
    }));
    value
}

/// The operation of all these instructions, its constants and indices moving at a fixed step.
fn common_op(
    instrs: &[&Instr],
    constants: &mut Vec<Vec<u128>>,
    first_constants: usize,
) -> Option<Op> {
    let first = &instrs[0].op;
    if instrs.iter().all(|i| i.op == *first) {
        return Some(first.clone());
    }
    match first {
        Op::Const(_) => {
            let list = instrs
                .iter()
                .map(|i| match i.op {
                    Op::Const(c) => Some(c),
                    _ => None,
                })
                .collect::<Option<Vec<u128>>>()?;
            let known = constants.iter().position(|c| *c == list).unwrap_or_else(|| {
                constants.push(list);
                constants.len() - 1
            });
            let id = ConstantsId((first_constants + known) as u32);
            Some(Op::Constants(id, Index { base: 0, step: 1 }))
        }
        Op::Load(param, _) => {
            let indices = instrs
                .iter()
                .map(|i| match i.op {
                    Op::Load(p, index) if p == *param => Some(index.base),
                    _ => None,
                })
                .collect::<Option<Vec<u32>>>()?;
            Some(Op::Load(*param, common_index(indices.into_iter())?))
        }
        _ => None,
    }
}

/// The index that takes these values in turn; one value takes no step.
pub fn common_index(indices: impl Iterator<Item = u32>) -> Option<Index> {
    let indices: Vec<i64> = indices.map(i64::from).collect();
    let first = *indices.first()?;
    let step = indices.get(1).map_or(0, |second| second - first);
    indices
        .windows(2)
        .all(|pair| pair[1] - pair[0] == step)
        .then_some(Index { base: first as u32, step: step as i32 })
}
