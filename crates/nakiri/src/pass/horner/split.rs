//! Several steps of Horner's rule as a sum of products, and the powers that it takes.

use super::product::Names;
use super::Horner;
use crate::core::{Func, Index, Instr, Op, Port, Program, Stmt, ValueId};
use crate::pass::chain::{self, Links};
use crate::pass::dead;
use crate::pass::interleave::repeat;

/// The name of the port of powers.
const POWERS: &str = "powers";

/// Statements behind those of a function.
struct Writer<'a> {
    func: &'a mut Func,
    names: Names,
}

impl Writer<'_> {
    /// A copy of an instruction on what its values are called here.
    fn copy(&mut self, instr: &Instr) -> ValueId {
        let args: Vec<ValueId> =
            instr.args.iter().map(|arg| *self.names.get(arg).unwrap_or(arg)).collect();
        let made =
            self.func.append(instr.op.clone(), &args, self.func.ty(instr.results[0]), instr.span);
        self.names.insert(instr.results[0], made);
        made
    }

    fn copy_all<'i>(&mut self, instrs: impl Iterator<Item = &'i Instr>) {
        for instr in instrs {
            self.copy(instr);
        }
    }
}

impl Horner {
    /// The program that makes the powers of h: for each map of the right factor that the product takes those of h, h², …
    pub fn powers(&self, program: &Program, blocks: u32) -> Program {
        let mut program = program.clone();
        let func = &mut program.funcs[program.entry.index()];
        func.params = vec![func.params[self.multiplier].clone()];
        func.results = func.params.clone();
        self.make_port(&mut func.results[0], blocks);
        func.body.clear();
        for (exponent, maps) in self.raise(func, blocks).into_iter().enumerate() {
            for (map, value) in maps.into_iter().enumerate() {
                let index = Index::fixed(map as u32 * blocks + exponent as u32);
                func.body.push(Stmt::Store { result: 0, index, value, span: func.span });
            }
        }
        dead::run(func);
        program
    }

    /// Of h, the only parameter, and so many powers each map.
    pub(super) fn raise(&self, func: &mut Func, count: u32) -> Vec<Vec<ValueId>> {
        let (product, span) = (&self.product, func.span);
        let row = func.ty(product.right);
        let mut writer = Writer { func, names: Names::default() };
        let first = writer.func.append(Op::Load(0, Index::fixed(0)), &[], row, span);
        writer.copy_all(product.constants());
        let mut powers = vec![first];
        for exponent in 2..=count as usize {
            let (left, right) = (exponent - exponent / 2, exponent / 2);
            writer.names.insert(product.left, powers[left - 1]);
            writer.names.insert(product.right, powers[right - 1]);
            writer.copy_all(product.instrs.iter().filter(|instr| !instr.args.is_empty()));
            powers.push(writer.names[&product.result]);
        }
        let maps = |power| {
            writer.names.insert(product.right, power);
            writer.copy_all(product.of_right());
            product.multipliers().iter().map(|map| writer.names[map]).collect()
        };
        powers.into_iter().map(maps).collect()
    }

    /// Makes of a parameter that is h one that is so many powers.
    pub fn make_port(&self, port: &mut Port, blocks: u32) {
        repeat(port, self.rows(blocks));
        port.name = POWERS.to_string();
    }

    /// Chains so many blocks of the entry, as [`chain::run`] does, with the powers as a last parameter.
    pub fn chain(&self, program: &mut Program, blocks: u32, links: &Links) {
        let result = program.entry().results[self.carried.1].clone();
        self.unchained(program, blocks, links);
        let func = &mut program.funcs[program.entry.index()];
        func.results[self.carried.1] = result;
        let mut powers = func.params[self.multiplier].clone();
        self.make_port(&mut powers, blocks);
        func.params.push(powers);
        let port = func.params.len() as u32 - 1;
        self.add(func, blocks, &|map, block| (port, map * blocks + blocks - 1 - block));
        dead::run(func);
    }

    /// Chains so many blocks, each with what it adds to x as a result.
    pub(super) fn unchained(&self, program: &mut Program, blocks: u32, links: &Links) {
        self.keep_sums(program);
        let mut links = links.clone();
        links.carried.retain(|carried| *carried != self.carried);
        links.kept.push(self.carried.0);
        chain::run(program, blocks, &links);
    }

    /// Leaves of the step what a block adds to x, as the result that is x for the next block.
    fn keep_sums(&self, program: &mut Program) {
        let func = &mut program.funcs[program.entry.index()];
        let ((first, added), last) = (self.sums[0], self.product.left);
        for stmt in &mut func.body {
            match stmt {
                Stmt::Let(instr) => {
                    let own = instr.args.iter_mut().filter(|arg| **arg == first);
                    own.for_each(|arg| *arg = added);
                }
                Stmt::Store { result, value, .. } if *result as usize == self.carried.1 => {
                    *value = if last == first { added } else { last };
                }
                _ => {}
            }
        }
    }

    /// Makes of what each block adds to x what x is behind all of them. `power` tells where what a map makes of the power for a block
    /// is read: a parameter, and a row of it.
    pub(super) fn add(&self, func: &mut Func, blocks: u32, power: &dyn Fn(u32, u32) -> (u32, u32)) {
        let body = std::mem::take(&mut func.body);
        let product = &self.product;
        let row = func.ty(product.left);
        let multipliers = product.multipliers();
        let mut writer = Writer { func, names: Names::default() };
        let mut sums: Names = Names::default();
        let mut block = 0;
        for stmt in body {
            let Stmt::Store { result, value, span, .. } = stmt else {
                writer.func.body.push(stmt);
                continue;
            };
            if result as usize != self.carried.1 {
                writer.func.body.push(stmt);
                continue;
            }
            let left = match block {
                0 => {
                    let load = Op::Load(self.carried.0 as u32, Index::fixed(0));
                    let before = writer.func.append(load, &[], row, span);
                    writer.func.append(Op::Xor, &[before, value], row, span)
                }
                _ => value,
            };
            writer.names.insert(product.left, left);
            for (map, multiplier) in multipliers.iter().enumerate() {
                let (port, index) = power(map as u32, block);
                let load = Op::Load(port, Index::fixed(index));
                let power = writer.func.append(load, &[], row, span);
                writer.names.insert(*multiplier, power);
            }
            writer.copy_all(product.of_left());
            for instr in product.meetings() {
                let made = writer.copy(instr);
                let sum = match sums.get(&instr.results[0]) {
                    Some(sum) => writer.func.append(Op::Xor, &[*sum, made], row, span),
                    None => made,
                };
                sums.insert(instr.results[0], sum);
            }
            block += 1;
            if block == blocks {
                writer.names.extend(&sums);
                writer.copy_all(product.behind());
                let (index, value) = (Index::fixed(0), writer.names[&product.result]);
                writer.func.body.push(Stmt::Store { result, index, value, span });
            }
        }
    }
}
