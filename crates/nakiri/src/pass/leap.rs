//! Many steps at once of what goes from block to block, where a step is linear over GF(2): a mask times X, say.
//!
//! The map of so many steps is known by what it makes of each bit, because the step is linear by its form. Where it moves bytes up, and
//! adds a constant times those that leave the row, it is written so: two moves, a carry-less product and a sum.

use super::chain::Links;
use super::horner::is_linear;
use crate::core::clmul::Clmul;
use crate::core::{interp, Direction, Func, Index, Instruction, Op, Program, Stmt, Type, ValueId};
use crate::isa::Target;

/// The bytes of a row.
const BYTES: usize = 16;

/// So many steps of what is carried, a row of sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leap {
    /// How far bytes move, less than half of the row.
    bytes: usize,
    /// What is multiplied by the bytes that leave it.
    modulus: u64,
}

impl Leap {
    /// That of so many steps of the entry, if it takes what is carried alone. Needs: straight-line code on rows.
    pub fn of(program: &Program, links: &Links, steps: u32) -> Option<Leap> {
        let [(0, result)] = links.carried[..] else { return None };
        let (func, row) = (program.entry(), Type::row(8, BYTES as u16));
        let [param] = &func.params[..] else { return None };
        if param.ty != row || param.count() != 1 || !is_linear(func) {
            return None;
        }
        let bits = || (0..8 * BYTES).map(|bit| 1u128 << bit);
        let step: Vec<u128> =
            bits().map(|bit| interp::run(program, &[vec![bit]])[result][0]).collect();
        let image = |row: u128| {
            let own = (0..8 * BYTES).filter(|bit| row >> bit & 1 == 1);
            own.fold(0, |sum, bit| sum ^ step[bit])
        };
        let all: Vec<u128> = bits().map(|bit| (0..steps).fold(bit, |row, _| image(row))).collect();
        (1..BYTES / 2).find_map(|bytes| {
            let modulus = u64::try_from(all[8 * (BYTES - bytes)]).ok()?;
            let leap = Leap { bytes, modulus };
            bits().zip(&all).all(|(bit, made)| leap.apply(bit) == *made).then_some(leap)
        })
    }

    /// What it makes of a row.
    pub fn apply(&self, row: u128) -> u128 {
        let leaving = row >> (8 * (BYTES - self.bytes));
        (row << (8 * self.bytes)) ^ Clmul::LowLow.apply(leaving, self.modulus.into())
    }

    /// Whether a target can do it.
    pub fn is_legal(&self, target: &Target) -> bool {
        target.select(&Op::Permute(self.moved()), Direction::P, 8).is_some()
            && target.has_instruction(Instruction::Clmul(Clmul::LowLow))
    }

    fn moved(&self) -> Box<[Option<u16>]> {
        (0..BYTES).map(|k| k.checked_sub(self.bytes).map(|from| from as u16)).collect()
    }

    fn leaving(&self) -> Box<[Option<u16>]> {
        let first = BYTES - self.bytes;
        (0..BYTES).map(|k| (k < self.bytes).then_some((first + k) as u16)).collect()
    }

    /// Makes another result of a function on rows: what it makes of a parameter.
    pub fn append(&self, func: &mut Func, param: usize) {
        let port = func.params[param].clone();
        let (ty, span) = (port.ty, port.span);
        let mut make = |op: Op, args: &[ValueId]| func.append(op, args, ty, span);
        let row = make(Op::Load(param as u32, Index::fixed(0)), &[]);
        let moved = make(Op::Permute(self.moved()), &[row]);
        let leaving = make(Op::Permute(self.leaving()), &[row]);
        let modulus = make(Op::Const(self.modulus.into()), &[]);
        let clmul = Op::Instruction(Instruction::Clmul(Clmul::LowLow));
        let product = make(clmul, &[leaving, modulus]);
        let value = make(Op::Xor, &[moved, product]);
        func.results.push(port);
        let (result, index) = (func.results.len() as u32 - 1, Index::fixed(0));
        func.body.push(Stmt::Store { result, index, value, span });
    }
}
