//! Kernels made by hand, and values to run them on.

#![allow(dead_code)]

use nakiri::compile::Kernel;
use nakiri::core::*;
use nakiri::isa::Target;
use nakiri::source::Span;

pub fn port(name: &str, ty: Type, count: u32) -> Port {
    let (shape, span) = (vec![count], Span::default());
    Port { name: name.to_string(), ty, shape, constant: false, layout: Layout::Le, span }
}

/// A function with a body that is made by adding to it.
pub fn func(name: &str, params: Vec<Port>, results: Vec<Port>) -> Func {
    Func { params, results, ..Func::new(name.to_string(), Span::default()) }
}

/// Makes a value of this type, to be defined by [`let_`].
pub fn apply(func: &mut Func, body: &mut Vec<Stmt>, ty: Type, op: Op, args: &[ValueId]) -> ValueId {
    let result = func.value(ty);
    let_(body, &[result], op, args);
    result
}

pub fn let_(body: &mut Vec<Stmt>, results: &[ValueId], op: Op, args: &[ValueId]) {
    let (results, args) = (results.into(), args.into());
    body.push(Stmt::Let(Instr { results, op, args, span: Span::default() }));
}

pub fn store(body: &mut Vec<Stmt>, result: u32, index: Index, value: ValueId) {
    body.push(Stmt::Store { result, index, value, span: Span::default() });
}

/// A kernel whose last function is the entry.
pub fn kernel(target: &'static Target, funcs: Vec<Func>, constants: Vec<Vec<u128>>) -> Kernel {
    let entry = FuncId(funcs.len() as u32 - 1);
    let (params, results) =
        (funcs[entry.index()].params.clone(), funcs[entry.index()].results.clone());
    let direction = results[0].ty.direction();
    let program = Program { funcs, entry, tables: vec![], constants, fields: vec![] };
    Kernel {
        direction,
        target,
        params,
        results,
        program,
        interleave: 1,
        spill: Default::default(),
        rest: None,
    }
}

/// Reproducible numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn atom(&mut self, width: u16) -> u128 {
        (u128::from(self.next()) << 64 | u128::from(self.next())) & semantics::mask(width)
    }
}
