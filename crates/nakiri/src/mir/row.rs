//! The instructions of a row: its expression, from the inside out.

use super::constants::Bytes;
use super::lower::Lowering;
use super::{Action, Bank, Base, Computation, Home, Memory, Step, Value};
use crate::core::{Op, Type};
use crate::isa::{Expression, Form, Instance, Operands, Word};
use smallvec::SmallVec;

/// What an expression is: a value, or a number in the instruction that reads it.
enum Term {
    Value(Value),
    Immediate(u8),
    /// A mask that keeps these elements.
    Kept(u64),
}

/// An operation whose row becomes steps.
pub struct Row<'a> {
    /// The operation.
    pub op: &'a Op,
    /// The type of its result.
    pub ty: Type,
    /// Its arguments.
    pub args: &'a [Value],
    /// Instructions that were made for it, each of which is made once.
    pub made: Vec<(Computation, SmallVec<[Value; 3]>, Value)>,
}

impl Row<'_> {
    /// The value that it is; its instructions are added to `out`.
    pub fn value(
        &mut self,
        row: &Instance,
        lowering: &mut Lowering,
        out: &mut Vec<Step>,
    ) -> Option<Value> {
        match self.term(&row.expression, lowering, out)? {
            Term::Value(value) => Some(value),
            _ => None,
        }
    }

    fn term(
        &mut self,
        expression: &Expression,
        lowering: &mut Lowering,
        out: &mut Vec<Step>,
    ) -> Option<Term> {
        let (op, ty) = (self.op, self.ty);
        Some(match expression {
            Expression::Argument(number) => Term::Value(*self.args.get(*number)?),
            Expression::As(_, inner) => self.term(inner, lowering, out)?,
            Expression::Constant(constant) => {
                let bytes = Bytes::of_row(*constant, op, ty, lowering.target)?;
                Term::Value(lowering.constant(bytes))
            }
            Expression::Number(number) => {
                Term::Immediate(u8::try_from(number.value(op, ty.word())?).ok()?)
            }
            Expression::Word(Word::Filled) => Term::Kept(Word::Filled.value(op, ty)? as u64),
            Expression::Word(word) => Term::Immediate(word.value(op, ty)? as u8),
            Expression::Call(intrinsic, arguments) => {
                let mut args: SmallVec<[Value; 3]> = SmallVec::new();
                let (mut immediate, mut kept) = (None, None);
                for argument in *arguments {
                    match self.term(argument, lowering, out)? {
                        Term::Value(value) => args.push(value),
                        Term::Immediate(number) => immediate = Some(number),
                        Term::Kept(elements) => kept = Some(elements),
                    }
                }
                if intrinsic.class.is_none() {
                    return args.first().map(|value| Term::Value(*value));
                }
                let form = self.masked(intrinsic.form?, kept, &mut args, lowering);
                let computation = Computation { form, width: ty.word(), immediate };
                Term::Value(self.computed(computation, args, lowering, out))
            }
            _ => return None,
        })
    }

    /// An instruction that keeps some elements: with a mask of them if they aren't all.
    fn masked(
        &self,
        form: Form,
        kept: Option<u64>,
        args: &mut SmallVec<[Value; 3]>,
        lowering: &mut Lowering,
    ) -> Form {
        let Some(kept) = kept else { return form };
        let elements = self.ty.bits();
        if kept == u64::MAX >> (64 - elements) {
            return form.on(Operands::Vectors);
        }
        let mut bytes = kept.to_le_bytes().to_vec();
        bytes.resize(lowering.target.bits as usize / 8, 0);
        let memory = Memory::whole(Base::Pool(lowering.in_pool(bytes)), 0);
        args.insert(0, lowering.constant_at(Bank::Mask, Home::Memory(memory)));
        form
    }

    fn computed(
        &mut self,
        computation: Computation,
        args: SmallVec<[Value; 3]>,
        lowering: &mut Lowering,
        out: &mut Vec<Step>,
    ) -> Value {
        let known = self.made.iter().find(|(by, of, _)| *by == computation && *of == args);
        if let Some((.., value)) = known {
            return *value;
        }
        let bank = match computation.form.operands {
            Operands::ToMask => Bank::Mask,
            _ => Bank::Vector,
        };
        let result = lowering.value(bank);
        self.made.push((computation, args.clone(), result));
        out.push(Step { action: Action::Compute(computation), args, result: Some(result) });
        result
    }
}
