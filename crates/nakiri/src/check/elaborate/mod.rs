//! The body of a node, written out: loops unrolled, lists flat, every atom and every version of it on its own.
//!
//! What is made is a pool of *items*, operations and stores, in textual order. Their operands may refer to
//! *slots*, one for each version of each atom of a variable, that are defined later in the text:
//! [`order`](super::order) follows them. An equation that only copies makes no item.

mod calls;
mod constants;
mod equations;
mod fields;
mod operators;
mod registers;
mod values;
mod variables;

use super::instances::Instance;
use super::outcome::{Fault, Outcome};
use super::signature::Signature;
use super::statics::Statics;
use super::types::Scope;
use super::{Checker, Dialect};
use crate::core::{Op, Port, Type};
use crate::source::Span;
use crate::syntax::ast::{Body, DefKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
pub(super) use variables::{duplicate, Role, Slot, Variable};

/// Where an atom comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A result of an item.
    Item(u32, u32),
    /// A version of an atom of a variable.
    Slot(u32),
    /// An atom of an input: index of the input, index of the atom.
    Load(u32, u32),
    /// A constant: index in [`Elaborated::constants`].
    Const(u32),
    /// It could not be computed; the reason has been reported.
    Poison,
}

/// An atom that an expression computes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub source: Source,
    pub ty: Type,
}

/// Something to be done: an operation, or defining an atom of an output.
pub(super) struct Item {
    pub kind: ItemKind,
    pub args: SmallVec<[Source; 2]>,
    pub results: SmallVec<[Type; 1]>,
    pub span: Span,
    /// The innermost iteration around it.
    pub region: u32,
}

pub(super) enum ItemKind {
    Op(Op),
    /// Index of the result or register, index of the atom. Only the last version of an atom is stored.
    Store(u32, u32),
}

/// One iteration of a `forall`; the first region is the whole body.
#[derive(Clone, Copy)]
pub(super) struct Region {
    /// The region around the `forall`.
    pub parent: u32,
    /// The `forall`: index in [`Elaborated::foralls`].
    pub forall: u32,
    /// Which iteration, from 0.
    pub iteration: u32,
}

/// A `forall` met while elaborating; one inside another is met once for each iteration.
pub(super) struct ForallInfo {
    pub span: Span,
    pub unroll: Option<bool>,
    pub iterations: u32,
}

/// A register of a node.
pub(super) struct Register {
    pub port: Port,
    /// The reset value of each atom.
    pub reset: Vec<u128>,
}

/// A node's body, written out.
pub(super) struct Elaborated {
    pub variables: Vec<Variable>,
    pub slots: Vec<Slot>,
    pub items: Vec<Item>,
    pub constants: Vec<(u128, Type)>,
    pub regions: Vec<Region>,
    pub foralls: Vec<ForallInfo>,
    /// The registers, in the order of their declarations.
    pub registers: Vec<Register>,
    /// For each atom of each variable, the slot of its last version.
    pub current: Vec<u32>,
    /// How many equations have been refused.
    pub refused: usize,
}

/// Writes out the body of a node. `None` if its variables can't be declared, which has been reported.
pub(super) fn node<'a>(checker: &mut Checker<'a>, instance: &Instance<'a>) -> Option<Elaborated> {
    let DefKind::Node(bodies) = &instance.def.kind else { return None };
    let body = &bodies[instance.element];
    let signature = instance.signature.clone();
    let mut elaborator = Elaborator {
        scope: signature.scope.clone(),
        statics: signature.statics.clone(),
        signature,
        checker,
        names: FxHashMap::default(),
        region: 0,
        out: Elaborated {
            variables: Vec::new(),
            slots: Vec::new(),
            items: Vec::new(),
            constants: Vec::new(),
            regions: vec![Region { parent: 0, forall: u32::MAX, iteration: 0 }],
            foralls: Vec::new(),
            registers: Vec::new(),
            current: Vec::new(),
            refused: 0,
        },
    };
    match elaborator.run(body) {
        Ok(()) => Some(elaborator.out),
        Err(fault) => {
            elaborator.checker.report(fault);
            None
        }
    }
}

struct Elaborator<'c, 'a> {
    checker: &'c mut Checker<'a>,
    signature: Rc<Signature<'a>>,
    scope: Scope,
    statics: Statics<'a>,
    /// The variables by name: index in [`Elaborated::variables`].
    names: FxHashMap<&'a str, usize>,
    /// The innermost iteration.
    region: u32,
    out: Elaborated,
}

impl<'a> Elaborator<'_, 'a> {
    fn run(&mut self, body: &'a Body) -> Outcome<()> {
        self.declare_variables(body)?;
        self.declare_registers(body)?;
        self.equations(&body.eqns)
    }

    fn dialect(&self) -> Dialect {
        self.checker.options.dialect
    }

    /// Adds an item and returns its results.
    fn push(&mut self, op: Op, args: &[Atom], results: &[Type], span: Span) -> Outcome<Vec<Atom>> {
        self.checker.spend(1 + args.len() + results.len(), span)?;
        if args.iter().any(|a| a.source == Source::Poison) {
            return Ok(results.iter().map(|&ty| Atom { source: Source::Poison, ty }).collect());
        }
        let item = self.out.items.len() as u32;
        self.out.items.push(Item {
            kind: ItemKind::Op(op),
            args: args.iter().map(|a| a.source).collect(),
            results: results.into(),
            span,
            region: self.region,
        });
        let result = |(i, &ty): (usize, &Type)| Atom { source: Source::Item(item, i as u32), ty };
        Ok(results.iter().enumerate().map(result).collect())
    }

    /// Reports why an equation was refused.
    fn refuse(&mut self, fault: Fault) {
        self.out.refused += 1;
        self.checker.report(fault);
    }
}
