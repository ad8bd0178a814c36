//! One loop from groups of statements, if they are alike enough.

use crate::core::{
    Carried, ConstantsId, Func, Index, Instr, Loop, Op, Program, Stmt, Type, ValueId,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// How far back a value may come from, in iterations.
const MAX_DISTANCE: usize = 16;

/// A loop with what must stand before it, and the values that now have another name after it.
pub struct Rolled {
    pub stmts: Vec<Stmt>,
    pub renamed: FxHashMap<ValueId, ValueId>,
}

/// Which definition of a group: statement and result.
type Place = (usize, usize);

/// Where an operand comes from, the same in every iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// This definition of the same iteration.
    Same(Place),
    /// This definition, so many iterations ago.
    Earlier(usize, Place),
    /// A value from before the loop.
    Outside(ValueId),
}

/// The loop whose iterations are the groups, or nothing if they differ. `used_after` says whether a value is
/// used after the last group.
pub fn roll(
    groups: &[Vec<&Stmt>],
    program: &mut Program,
    func: &mut Func,
    used_after: &dyn Fn(ValueId) -> bool,
    span: Span,
) -> Option<Rolled> {
    if groups[0].is_empty() {
        return None;
    }
    let definitions = Definitions::new(groups)?;
    let mut plan = Plan { groups, definitions, carried: FxHashMap::default(), order: Vec::new() };
    let mut constants = Vec::new();
    let mut body = Vec::with_capacity(groups[0].len());
    for at in 0..groups[0].len() {
        body.push(plan.statement(at, &mut constants, program.constants.len())?);
    }
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
    definitions: Definitions,
    /// The carried values: for a definition so many iterations ago, its values before the loop, nearest first.
    carried: FxHashMap<Place, Vec<ValueId>>,
    order: Vec<Place>,
}

/// A statement of the body, operands by source.
enum Template {
    Let(Instr, Vec<Source>),
    Store { result: u32, index: Index, value: Source, span: Span },
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
                let sources = (0..first.args.len())
                    .map(|k| self.operand(&instrs.iter().map(|i| i.args[k]).collect::<Vec<_>>()))
                    .collect::<Option<_>>()?;
                Some(Template::Let(Instr { op, ..first.clone() }, sources))
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

    /// The common source of one operand, given its value in each group.
    fn operand(&mut self, values: &[ValueId]) -> Option<Source> {
        let last = values.len() - 1;
        let source = self.definitions.source(last, values[last]);
        let distance = match source {
            Source::Same(_) | Source::Outside(_) => 0,
            Source::Earlier(distance, _) => distance,
        };
        if distance > MAX_DISTANCE {
            return None;
        }
        for (g, &value) in values.iter().enumerate().skip(distance) {
            if self.definitions.source(g, value) != source {
                return None;
            }
        }
        if let Source::Earlier(distance, place) = source {
            // In the first groups the value comes from before the loop: nearest last group first.
            let mut inits = Vec::with_capacity(distance);
            for &value in values[..distance].iter().rev() {
                match self.definitions.source(0, value) {
                    Source::Outside(value) => inits.push(value),
                    _ => return None,
                }
            }
            self.carry(place, &inits)?;
        }
        Some(source)
    }

    /// Notes that a definition is handed on, with its values before the loop; `None` on contradiction.
    ///
    /// The value from `d` iterations ago is, before the loop, what group `d − 1` sees; `inits[0]` belongs to one
    /// iteration ago as seen by group 0, so for distance d the list is seen by groups d−1, …, 0.
    fn carry(&mut self, place: Place, inits: &[ValueId]) -> Option<()> {
        let known = self.carried.entry(place).or_insert_with(|| {
            self.order.push(place);
            Vec::new()
        });
        for (i, &init) in inits.iter().enumerate() {
            match known.get(i) {
                Some(&k) if k != init => return None,
                Some(_) => {}
                None => known.push(init),
            }
        }
        Some(())
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
        let mut inside: FxHashMap<(Place, usize), ValueId> = FxHashMap::default();
        for &place in &self.order {
            let ty = func.ty(self.defined(0, place));
            let mut next = self.defined(0, place);
            for (i, &init) in self.carried[&place].iter().enumerate() {
                let c = Carried { init, inside: func.value(ty), next, result: func.value(ty) };
                next = c.inside;
                inside.insert((place, i + 1), c.inside);
                carried.push(c);
                if i == 0 {
                    renamed.insert(self.defined(last, place), c.result);
                }
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
        let resolve = |source: Source| match source {
            Source::Same(place) => self.defined(0, place),
            Source::Earlier(distance, place) => inside[&(place, distance)],
            Source::Outside(value) => value,
        };
        let body = body
            .into_iter()
            .map(|template| match template {
                Template::Let(instr, sources) => {
                    let args = sources.into_iter().map(resolve).collect();
                    Stmt::Let(Instr { args, ..instr })
                }
                Template::Store { result, index, value, span } => {
                    Stmt::Store { result, index, value: resolve(value), span }
                }
            })
            .collect();
        stmts.push(Stmt::Loop(Loop { count: self.groups.len() as u32, carried, body, span }));
        Rolled { stmts, renamed }
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

/// The index that takes these values in turn.
fn common_index(indices: impl Iterator<Item = u32>) -> Option<Index> {
    let indices: Vec<i64> = indices.map(i64::from).collect();
    let step = indices[1] - indices[0];
    indices
        .windows(2)
        .all(|pair| pair[1] - pair[0] == step)
        .then(|| Index { base: indices[0] as u32, step: step as i32 })
}
