//! Straight-line code as a network of its gates.

use crate::core::{Func, Instr, Op, Stmt, Type, ValueId};
use crate::map::{self, Literal, Network};
use rustc_hash::FxHashMap;

/// The network of some statements.
pub(super) struct Region {
    pub(super) network: Network,
    /// The gates that something else than gates reads, as values and as literals.
    pub(super) values: Vec<ValueId>,
    pub(super) outputs: Vec<Literal>,
    literals: FxHashMap<ValueId, Literal>,
    /// For each node what it was made for; node 0 has nothing.
    origins: Vec<Option<Origin>>,
}

/// The value that a node was made for.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) value: ValueId,
    pub(super) ty: Type,
    /// The number of the statement that defines it, if it is among these.
    pub(super) stmt: Option<usize>,
}

impl Region {
    /// The network of the gates among `stmts`; `uses` says how often each value is read anywhere, `complements` which
    /// values from outside are complements of which.
    pub(super) fn new(
        func: &Func,
        stmts: &[Stmt],
        uses: &[u32],
        complements: &FxHashMap<ValueId, ValueId>,
    ) -> Region {
        let mut region = Region {
            network: Network::new(),
            values: Vec::new(),
            outputs: Vec::new(),
            literals: FxHashMap::default(),
            origins: vec![None],
        };
        let mut inside: FxHashMap<ValueId, u32> = FxHashMap::default();
        for (place, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Let(instr) if is_gate(&instr.op) => {
                    for &arg in &instr.args {
                        *inside.entry(arg).or_default() += 1;
                        region.outside(func, arg, complements);
                    }
                    region.gate(func, instr, place);
                }
                stmt => stmt.definitions(&mut |value| region.leaf(func, value, Some(place))),
            }
        }
        for stmt in stmts {
            let Stmt::Let(Instr { op, results, .. }) = stmt else { continue };
            let all = inside.get(&results[0]).copied().unwrap_or(0) == uses[results[0].index()];
            if is_gate(op) && !all {
                region.values.push(results[0]);
                region.outputs.push(region.literals[&results[0]]);
            }
        }
        region
    }

    /// The types of the gates.
    pub(super) fn types(&self) -> impl Iterator<Item = Type> + '_ {
        let is_gate = |node: &usize| !self.network.fanins(*node as u32).is_empty();
        let nodes = (0..self.origins.len()).filter(is_gate);
        nodes.filter_map(|node| self.origins[node]).map(|origin| origin.ty)
    }

    /// The constant that a node is.
    pub(super) fn constant(&self, stmts: &[Stmt], node: u32) -> Option<u128> {
        match &stmts[self.origin(node)?.stmt?] {
            Stmt::Let(Instr { op: Op::Const(value), .. }) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn origin(&self, node: u32) -> Option<Origin> {
        self.origins[node as usize]
    }

    /// The literal of a value that gates read or that was defined here, as it was before optimization.
    pub(super) fn literal(&self, value: ValueId) -> Option<Literal> {
        self.literals.get(&value).copied()
    }

    fn leaf(&mut self, func: &Func, value: ValueId, stmt: Option<usize>) {
        let literal = self.network.leaf();
        self.literals.insert(value, literal);
        self.origins.push(Some(Origin { value, ty: func.ty(value), stmt }));
    }

    /// Makes a value known that wasn't defined here.
    fn outside(&mut self, func: &Func, value: ValueId, complements: &FxHashMap<ValueId, ValueId>) {
        if self.literals.contains_key(&value) {
            return;
        }
        match complements.get(&value) {
            None => self.leaf(func, value, None),
            Some(&plain) => {
                self.outside(func, plain, &FxHashMap::default());
                self.literals.insert(value, self.literals[&plain].invert_if(true));
            }
        }
    }

    fn gate(&mut self, func: &Func, instr: &Instr, place: usize) {
        // The last argument is bit 0 of the table's index, as in `Op::Ternary`.
        let operands: Vec<Literal> = instr.args.iter().rev().map(|a| self.literals[a]).collect();
        let mut inputs = map::inputs()[..operands.len()].to_vec();
        inputs.reverse();
        let literal = self.network.gate(&operands, map::apply(&instr.op, &inputs));
        let value = instr.results[0];
        self.literals.insert(value, literal);
        if self.origins.len() < self.network.len() {
            self.origins.push(Some(Origin { value, ty: func.ty(value), stmt: Some(place) }));
        }
    }
}

pub(super) fn is_gate(op: &Op) -> bool {
    use Op::{And, AndNot, Not, Or, OrNot, Ternary, Xor};
    matches!(op, And | Or | Xor | Not | AndNot | OrNot | Ternary(_))
}
