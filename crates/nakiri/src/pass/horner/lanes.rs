//! Horner's rule in the lanes of registers that hold several blocks.
//!
//! Lane l of L takes the blocks l, l + L, … of a text and multiplies by h^L: so none waits for another lane. The last blocks are
//! multiplied by the power that their place in the text asks for, and then x is the sum over all lanes.

use super::Horner;
use crate::core::{Index, Op, Program, Stmt};
use crate::pass::chain::Links;
use crate::pass::dead;
use crate::pass::interleave::repeat;

impl Horner {
    /// How many rows a power is.
    pub fn maps(&self) -> u32 {
        self.rows(1)
    }

    /// Makes of the entry one that takes so many registers of blocks: the ports of blocks, of x and of the powers, which are the last
    /// parameters, one for each row of a power, are batch after batch. What is the same for all blocks is constant. x is that of each lane
    /// in the first batch, with zeros behind it.
    pub fn in_lanes(&self, program: &mut Program, batches: u32, links: &Links) {
        let (before, after) = self.carried;
        self.unchained(program, batches, links);
        let func = &mut program.funcs[program.entry.index()];
        let first = func.params.len() as u32;
        for map in 0..self.maps() {
            let mut power = func.params[self.multiplier].clone();
            power.name = format!("power{map}");
            repeat(&mut power, batches);
            func.params.push(power);
        }
        links.kept.iter().for_each(|param| func.params[*param].constant = true);
        repeat(&mut func.params[before], batches);
        self.add(func, batches, &|map, batch| (first + map, batch));
        let (ty, span) = (func.ty(self.product.left), func.span);
        let zero = func.append(Op::Const(0), &[], ty, span);
        func.body.extend((1..batches).map(|batch| Stmt::Store {
            result: after as u32,
            index: Index::fixed(batch),
            value: zero,
            span,
        }));
        dead::run(func);
    }

    /// The program that makes the powers for so many registers of so many lanes, block by block: for each row of a power first those
    /// for blocks behind which as many follow, then, for each row again, those for the last ones.
    pub fn powers_in_lanes(&self, program: &Program, lanes: u32, batches: u32) -> Program {
        let mut program = program.clone();
        let func = &mut program.funcs[program.entry.index()];
        let blocks = lanes * batches;
        func.params = vec![func.params[self.multiplier].clone()];
        func.results = func.params.clone();
        self.make_port(&mut func.results[0], 2 * blocks);
        func.body.clear();
        let powers = self.raise(func, blocks);
        for map in 0..self.maps() {
            for block in 0..blocks {
                let ends = [blocks - block / lanes * lanes, blocks - block];
                for (set, exponent) in (0..).zip(ends) {
                    let index = Index::fixed((set * self.maps() + map) * blocks + block);
                    let value = powers[exponent as usize - 1][map as usize];
                    func.body.push(Stmt::Store { result: 0, index, value, span: func.span });
                }
            }
        }
        dead::run(func);
        program
    }
}
