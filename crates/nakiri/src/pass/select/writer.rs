//! A mapped network as statements.

use super::gates::Gates;
use super::phases::Phases;
use super::region::{is_gate, Region};
use crate::core::{semantics, Func, Instr, Op, Stmt, Type, ValueId};
use crate::map::Literal;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Writes the statements of a region in their old order, each gate where the value was defined that its node was made for,
/// or before the first that needs it.
pub(super) struct Writer<'a> {
    func: &'a mut Func,
    stmts: &'a [Stmt],
    region: &'a Region,
    phases: Phases<'a>,
    /// The literals of values after optimization, where they are known.
    outputs: FxHashMap<ValueId, Literal>,
    /// Whether the outputs need each node.
    live: Vec<bool>,
    stored: Vec<Option<ValueId>>,
    complements: FxHashMap<(u32, Type), ValueId>,
    done: Vec<bool>,
    out: Vec<Stmt>,
}

/// What the statements of a region define for others.
pub(super) struct Written {
    /// The new names of values that others read.
    pub(super) names: Vec<(ValueId, ValueId)>,
    /// Complements, and what they are complements of.
    pub(super) complements: Vec<(ValueId, ValueId)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        func: &'a mut Func,
        stmts: &'a [Stmt],
        region: &'a Region,
        gates: &'a Gates,
    ) -> Writer<'a> {
        let nodes = region.network.len();
        let mut live = vec![false; nodes];
        for node in region.network.order(&region.outputs) {
            live[node as usize] = true;
        }
        let outputs = region.values.iter().copied().zip(region.outputs.iter().copied()).collect();
        Writer {
            func,
            stmts,
            region,
            phases: Phases::new(region, stmts, gates),
            outputs,
            live,
            stored: vec![None; nodes],
            complements: FxHashMap::default(),
            done: vec![false; stmts.len()],
            out: Vec::with_capacity(stmts.len()),
        }
    }

    /// Writes everything.
    pub(super) fn write(&mut self) {
        for place in 0..self.stmts.len() {
            let is_needed = match &self.stmts[place] {
                Stmt::Let(instr) if is_gate(&instr.op) => self
                    .region
                    .literal(instr.results[0])
                    .is_some_and(|l| self.place_of(l.node()) == Some(place)),
                _ => true,
            };
            if is_needed {
                self.place(place);
            }
        }
    }

    /// The statements, and what they define.
    pub(super) fn finish(mut self, out: &mut Vec<Stmt>) -> Written {
        let values = self.region.values.clone();
        let names = values.into_iter().map(|value| (value, self.name(value))).collect();
        out.append(&mut self.out);
        let of_nodes = self.complements.iter().filter(|((node, _), _)| node >> 1 != 0);
        let complements = of_nodes.map(|((node, _), &value)| (value, self.stored(node >> 1)));
        Written { names, complements: complements.collect() }
    }

    /// The statement that a live node stands at.
    fn place_of(&self, node: u32) -> Option<usize> {
        let is_live = self.live[node as usize] || self.region.network.gate_of(node).is_none();
        self.region.origin(node).filter(|_| is_live)?.stmt
    }

    /// Writes a statement after what it needs.
    fn place(&mut self, place: usize) {
        let mut stack = vec![(place, false)];
        while let Some((place, is_ready)) = stack.pop() {
            if self.done[place] {
                continue;
            }
            if is_ready {
                self.done[place] = true;
                self.emit(place);
            } else {
                stack.push((place, true));
                let needs = self.needs(place);
                stack.extend(needs.into_iter().rev().map(|need| (need, false)));
            }
        }
    }

    fn needs(&self, place: usize) -> Vec<usize> {
        let stmt = &self.stmts[place];
        if let Some(node) = self.node_at(stmt) {
            let fanins = self.region.network.fanins(node).iter();
            return fanins.filter_map(|&fanin| self.place_of(fanin)).collect();
        }
        let mut needs = Vec::new();
        stmt.uses(&mut |value| {
            needs.extend(self.literal(value).and_then(|literal| self.place_of(literal.node())));
        });
        needs
    }

    /// The node of a gate.
    fn node_at(&self, stmt: &Stmt) -> Option<u32> {
        match stmt {
            Stmt::Let(instr) if is_gate(&instr.op) => {
                self.region.literal(instr.results[0]).map(Literal::node)
            }
            _ => None,
        }
    }

    /// What a value that others than gates read is now.
    fn literal(&self, value: ValueId) -> Option<Literal> {
        self.outputs.get(&value).copied().or_else(|| self.region.literal(value))
    }

    fn emit(&mut self, place: usize) {
        let stmts = self.stmts;
        match self.node_at(&stmts[place]) {
            Some(node) => self.gate(node, &stmts[place]),
            None => {
                let mut stmt = stmts[place].clone();
                stmt.map_uses(&mut |value| self.name(value));
                self.out.push(stmt);
            }
        }
    }

    fn gate(&mut self, node: u32, stmt: &Stmt) {
        let Stmt::Let(Instr { span, results, .. }) = stmt else { return };
        let fanins = self.region.network.fanins(node);
        let choice = self.phases.choice(node).expect("a gate's node");
        let ty = self.func.ty(results[0]);
        let args: Vec<ValueId> = choice.operands[..choice.arity]
            .iter()
            .map(|&(place, inverted)| self.value(Literal::new(fanins[place], inverted), ty, *span))
            .collect();
        self.stored[node as usize] = Some(self.define(choice.op, &args, ty, *span));
    }

    /// What a value is called now.
    fn name(&mut self, value: ValueId) -> ValueId {
        match self.outputs.get(&value) {
            Some(&literal) => self.value(literal, self.func.ty(value), self.func.span),
            None => value,
        }
    }

    /// The value of a literal whose node is written.
    fn value(&mut self, literal: Literal, ty: Type, span: Span) -> ValueId {
        let node = literal.node();
        if node != 0 && literal.is_inverted() == self.phases.stored[node as usize].negative {
            return self.stored(node);
        }
        let key = (literal.node() << 1 | u32::from(literal.is_inverted()), ty);
        if let Some(&value) = self.complements.get(&key) {
            return value;
        }
        let ones = if literal.is_inverted() { semantics::mask(ty.bits()) } else { 0 };
        let constant = match node {
            0 => Some(0),
            _ => self.region.constant(self.stmts, node),
        };
        let value = match constant {
            Some(bits) => self.define(Op::Const(bits ^ ones), &[], ty, span),
            None => {
                let stored = self.stored(node);
                self.define(Op::Not, &[stored], ty, span)
            }
        };
        self.complements.insert(key, value);
        value
    }

    fn stored(&self, node: u32) -> ValueId {
        let leaf = || self.region.origin(node).map(|origin| origin.value);
        self.stored[node as usize].or_else(leaf).expect("what is read was written")
    }

    fn define(&mut self, op: Op, args: &[ValueId], ty: Type, span: Span) -> ValueId {
        let result = self.func.value(ty);
        self.out.push(Stmt::Let(Instr {
            results: [result].into_iter().collect(),
            op,
            args: args.iter().copied().collect(),
            span,
        }));
        result
    }
}
