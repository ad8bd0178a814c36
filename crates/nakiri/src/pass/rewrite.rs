//! What the passes share that write several operations in place of one.

use crate::core::{Func, Instr, Op, Stmt, Type, ValueId};
use crate::source::Span;
use smallvec::smallvec;

/// Where operations are written, in a function without its body.
pub struct Writer<'a> {
    /// The function.
    pub func: &'a mut Func,
    out: Vec<Stmt>,
    ty: Type,
    span: Span,
}

/// Writes a function anew: `expand` writes what takes the place of an instruction of one result, the last of which is that, or says
/// that it stays.
pub fn run(func: &mut Func, expand: &mut dyn FnMut(&mut Writer, &Instr) -> bool) {
    let body = std::mem::take(&mut func.body);
    let (ty, span) = (Type::row(8, 1), func.span);
    let mut writer = Writer { func, out: Vec::new(), ty, span };
    let body = writer.all(body, expand);
    func.body = body;
}

impl Writer<'_> {
    fn all(
        &mut self,
        stmts: Vec<Stmt>,
        expand: &mut dyn FnMut(&mut Writer, &Instr) -> bool,
    ) -> Vec<Stmt> {
        let before = std::mem::take(&mut self.out);
        for mut stmt in stmts {
            match &mut stmt {
                Stmt::Let(instr) if instr.results.len() == 1 => {
                    (self.ty, self.span) = (self.func.ty(instr.results[0]), instr.span);
                    if expand(self, instr) {
                        let Some(Stmt::Let(last)) = self.out.last_mut() else { continue };
                        last.results = instr.results.clone();
                        continue;
                    }
                }
                Stmt::Loop(l) => l.body = self.all(std::mem::take(&mut l.body), expand),
                _ => {}
            }
            self.out.push(stmt);
        }
        std::mem::replace(&mut self.out, before)
    }

    /// What was written, and what stands before it in the same block.
    pub fn written(&self) -> &[Stmt] {
        &self.out
    }

    /// Of the type of what is replaced.
    pub fn write(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        let value = self.func.value(self.ty);
        let (results, args) = (smallvec![value], args.iter().copied().collect());
        self.out.push(Stmt::Let(Instr { results, op, args, span: self.span }));
        value
    }

    /// A byte in all elements.
    pub fn constant(&mut self, byte: u8) -> ValueId {
        let row = (0..self.ty.row_length()).fold(0, |row, _| row << 8 | u128::from(byte));
        self.write(Op::Const(row), &[])
    }

    /// The exclusive or of two values.
    pub fn sum(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.write(Op::Xor, &[a, b])
    }

    /// That of all values, side by side; none without any.
    pub fn sums(&mut self, mut values: Vec<ValueId>) -> Option<ValueId> {
        while values.len() > 1 {
            let pair = |pair: &[ValueId]| match *pair {
                [a, b] => self.sum(a, b),
                _ => pair[0],
            };
            values = values.chunks(2).map(pair).collect();
        }
        values.first().copied()
    }
}
