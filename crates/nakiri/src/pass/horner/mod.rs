//! Where a text is hashed by Horner's rule, x := (x + block)·h, several blocks need not wait for one another: x times the power of
//! h for all of them, the first block times the same, and so on to the last block times h. What stands behind the products,
//! a reduction, is linear and done once for their sum.
//!
//! Needs: as [`chain`](super::chain). Guarantees: the rule is taken where the product is bilinear over GF(2) by its form and
//! associative (see [`Product::is_associative`]); powers are a port of their own, which [`Horner::powers`] makes.

mod lanes;
mod product;
mod split;

use super::chain::{differing, Links};
use crate::core::{Func, Instr, Op, Program, Stmt, ValueId};
use product::Product;
pub use product::{is_linear, is_map, is_product};
use rustc_hash::FxHashSet;

/// A step of Horner's rule in the entry of a program.
#[derive(Clone, Debug)]
pub struct Horner {
    /// The parameter that is x, and the result that is it for the next block.
    carried: (usize, usize),
    /// The parameter that is h.
    multiplier: usize,
    /// From x the sums that lead to the left factor, each with what is added.
    sums: Vec<(ValueId, ValueId)>,
    product: Product,
}

impl Horner {
    /// The first in the entry of a program for which [`is_legal`](super::chain::is_legal) holds.
    pub fn find(program: &Program, links: &Links) -> Option<Horner> {
        let finder = Finder::new(program.entry(), links);
        links.carried.iter().find_map(|carried| finder.step(*carried))
    }

    /// The same with fewer carry-less products and more sums, if its product can be made so.
    pub fn karatsuba(&self, program: &mut Program) -> Option<Horner> {
        let func = &mut program.funcs[program.entry.index()];
        Some(Horner { product: self.product.karatsuba(func)?, ..self.clone() })
    }

    /// The parameter that is h.
    pub fn multiplier(&self) -> usize {
        self.multiplier
    }

    /// How many rows so many powers are.
    pub fn rows(&self, blocks: u32) -> u32 {
        self.product.multipliers().len() as u32 * blocks
    }
}

struct Finder<'a> {
    func: &'a Func,
    links: &'a Links,
    instrs: Vec<&'a Instr>,
    /// Whether blocks have their own, for each value.
    differs: Vec<bool>,
}

impl<'a> Finder<'a> {
    fn new(func: &'a Func, links: &'a Links) -> Finder<'a> {
        let instr = |stmt: &'a Stmt| match stmt {
            Stmt::Let(instr) => Some(instr),
            _ => None,
        };
        let instrs = func.body.iter().filter_map(instr).collect();
        Finder { func, links, instrs, differs: differing(func, &func.body, links) }
    }

    fn step(&self, (param, result): (usize, usize)) -> Option<Horner> {
        let before = self.load_of(param)?;
        let all = self.behind(before);
        let mut sums: Vec<(ValueId, ValueId)> = Vec::new();
        let mut left = before;
        while let Some((sum, added)) = self.sum(left, &all) {
            sums.push((sum, added));
            left = sum;
        }
        let own = self.behind(left);
        let mut stored = self.func.body.iter().filter_map(|stmt| match stmt {
            Stmt::Store { result, value, .. } if all.contains(value) => Some((*result, *value)),
            _ => None,
        });
        let (Some((to, after)), None) = (stored.next(), stored.next()) else { return None };
        if to as usize != result || sums.is_empty() {
            return None;
        }
        let (right, multiplier) = self.right(left, &own)?;
        let of_right = self.behind(right);
        let belongs = |value: &ValueId| {
            own.contains(value) || of_right.contains(value) && !self.differs[value.index()]
        };
        let needed = |instr: &&&Instr| {
            let is_const = matches!(instr.op, Op::Const(_));
            let made = instr.results[0];
            made != left && made != right && (is_const || belongs(&made))
        };
        let instrs = self.instrs.iter().filter(needed).map(|instr| (*instr).clone()).collect();
        let instrs = used(instrs, after);
        let product = Product::new(self.func, [left, right, after], instrs)?;
        let horner = Horner { carried: (param, result), multiplier, sums, product };
        horner.product.is_associative().then_some(horner)
    }

    /// The only load of a parameter that is one row.
    fn load_of(&self, param: usize) -> Option<ValueId> {
        let load = |instr: &&&Instr| matches!(instr.op, Op::Load(own, _) if own as usize == param);
        let mut loads = self.instrs.iter().filter(load);
        let (one, other) = (loads.next()?, loads.next());
        (other.is_none() && self.func.params[param].count() == 1).then(|| one.results[0])
    }

    /// A value and all that is made of it.
    fn behind(&self, value: ValueId) -> FxHashSet<ValueId> {
        let mut all = FxHashSet::from_iter([value]);
        for instr in &self.instrs {
            if instr.args.iter().any(|arg| all.contains(arg)) {
                all.extend(&instr.results);
            }
        }
        all
    }

    /// The sum that is all that a value is used for, with what is added, which is none of these.
    fn sum(&self, value: ValueId, all: &FxHashSet<ValueId>) -> Option<(ValueId, ValueId)> {
        let mut users = self.instrs.iter().filter(|instr| instr.args.contains(&value));
        let (Some(user), None) = (users.next(), users.next()) else { return None };
        let others: Vec<ValueId> = user.args.iter().copied().filter(|arg| *arg != value).collect();
        match (&user.op, &others[..]) {
            (Op::Xor, [added]) if !all.contains(added) => Some((user.results[0], *added)),
            _ => None,
        }
    }

    /// The one row, the same for all blocks, that values made of the left factor are made of beside it, and its parameter.
    fn right(&self, left: ValueId, own: &FxHashSet<ValueId>) -> Option<(ValueId, usize)> {
        let inside = |instr: &&&Instr| own.contains(&instr.results[0]) && instr.results[0] != left;
        let mut wanted: FxHashSet<ValueId> =
            self.instrs.iter().filter(inside).flat_map(|instr| instr.args.clone()).collect();
        let mut right = None;
        for instr in self.instrs.iter().rev().filter(|instr| !own.contains(&instr.results[0])) {
            if !wanted.contains(&instr.results[0]) {
                continue;
            }
            wanted.extend(&instr.args);
            if let Op::Load(param, _) = instr.op {
                let param = param as usize;
                let is_kept = self.links.kept.contains(&param) && !self.func.params[param].constant;
                let single = is_kept && right.is_none();
                let load = self.load_of(param).filter(|_| single)?;
                right = Some((load, param));
            }
        }
        right
    }
}

/// Those that a result is made of.
fn used(instrs: Vec<Instr>, result: ValueId) -> Vec<Instr> {
    let mut wanted = FxHashSet::from_iter([result]);
    let mut kept: Vec<Instr> = Vec::new();
    for instr in instrs.into_iter().rev() {
        if wanted.contains(&instr.results[0]) {
            wanted.extend(&instr.args);
            kept.push(instr);
        }
    }
    kept.reverse();
    kept
}
