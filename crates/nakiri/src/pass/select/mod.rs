//! Maps logic to the gates that the target has.
//!
//! The gates of each straight-line region, from loop to loop, become one network, which [`map::optimize`] makes
//! small: with three-input tables where the target has them (AVX-512), with two-input gates elsewhere. Complements
//! are folded into tables, and-not and or-not, or travel on to where they cancel. Where a target has some operations of three
//! inputs, they take the place of several gates. Horizontal shifts and rotations become
//! shuffles. Guarantees: every operation is an instance; no more gates than before.

mod fuse;
mod gates;
mod phases;
mod region;
mod trials;
mod writer;

use super::dead;
use crate::core::{Direction, Func, Instr, Op, OpKind, Program, Stmt, ValueId};
use crate::isa::Target;
use crate::map::{self, Basis};
use gates::Gates;
use region::Region;
use rustc_hash::FxHashMap;
use writer::Writer;

/// Maps the whole program.
pub fn run(program: &mut Program, target: &Target) {
    for func in &mut program.funcs {
        let mut uses = vec![0u32; func.values.len()];
        func.body.iter().for_each(|stmt| stmt.uses(&mut |v| uses[v.index()] += 1));
        let renamed = (0..func.values.len() as u32).map(ValueId).collect();
        let body = std::mem::take(&mut func.body);
        let complements = FxHashMap::default();
        let mut selector = Selector { func, target, uses, renamed, complements };
        func.body = selector.stmts(body);
        dead::run(func);
        fuse::run(func, target);
        dead::run(func);
    }
}

struct Selector<'a> {
    func: &'a mut Func,
    target: &'a Target,
    /// How often each value is read.
    uses: Vec<u32>,
    /// What each value is called after mapping.
    renamed: Vec<ValueId>,
    /// The complements written so far, and what they are complements of.
    complements: FxHashMap<ValueId, ValueId>,
}

impl Selector<'_> {
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut straight = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::Loop(mut l) => {
                    self.straight(std::mem::take(&mut straight), &mut out);
                    l.carried.iter_mut().for_each(|c| c.init = self.renamed[c.init.index()]);
                    l.body = self.stmts(l.body);
                    l.carried.iter_mut().for_each(|c| c.next = self.renamed[c.next.index()]);
                    out.push(Stmt::Loop(l));
                }
                Stmt::Let(instr) => straight.push(Stmt::Let(self.horizontal(instr))),
                stmt => straight.push(stmt),
            }
        }
        self.straight(straight, &mut out);
        out
    }

    fn straight(&mut self, mut stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        for stmt in &mut stmts {
            stmt.map_uses(&mut |value| self.renamed[value.index()]);
        }
        let mut region = Region::new(self.func, &stmts, &self.uses, &self.complements);
        let gates = Gates::new(self.target, region.types());
        // Where a target has some operations of three inputs, a multiplexer is one.
        if gates.basis == Basis::Two && self.target.some_tables().is_empty() {
            map::as_sums(&mut region.network, &mut region.outputs);
        }
        map::optimize(&mut region.network, &mut region.outputs, gates.basis);
        let mut writer = Writer::new(self.func, &stmts, &region, &gates);
        writer.write();
        let written = writer.finish(out);
        for (value, name) in written.names {
            self.renamed[value.index()] = name;
        }
        self.complements.extend(written.complements);
    }

    /// Shifts and rotations of a horizontal atom of M bits rearrange its bits, where that is an operation of the target.
    fn horizontal(&self, mut instr: Instr) -> Instr {
        let ty = match instr.results[..] {
            [result] if self.func.ty(result).direction() == Direction::H => self.func.ty(result),
            _ => return instr,
        };
        if self.target.instance(OpKind::Shuffle, Direction::H, ty.bits()).is_none() {
            return instr;
        }
        let m = ty.bits();
        let pick = |f: &dyn Fn(u16) -> Option<u16>| Op::Shuffle((0..m).map(f).collect());
        instr.op = match instr.op {
            Op::Shl(n) => pick(&|i| (i + n < m).then_some(i + n)),
            Op::Shr(n) => pick(&|i| i.checked_sub(n)),
            Op::Sar(n) => pick(&|i| Some(i.saturating_sub(n))),
            Op::Rotl(n) => pick(&|i| Some((i + n) % m)),
            Op::Bitmask(n) => pick(&|_| Some(m - 1 - n)),
            op => op,
        };
        instr
    }
}
