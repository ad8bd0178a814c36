//! The expressions of targets' rows, as a language writes them.

use super::operators::{Term, WordType};
use super::template::{list, Fill};
use crate::core::Op;
use crate::isa::{
    Bits, Bytes, CType, Constant, Element, Expression, Instance, Number, Word, Words64,
};

/// An operation whose expression is written.
struct Operation<'a> {
    fill: &'a Fill<'a>,
    op: &'a Op,
    args: &'a [String],
}

/// The expression for an operation; none if its row needs parameters that the operation hasn't.
pub fn operation(fill: &Fill, row: &Instance, op: &Op, args: &[String]) -> Option<String> {
    let term = Operation { fill, op, args }.term(&row.expression)?;
    if fill.target.simd {
        return Some(term.text);
    }
    // C promotes narrow words to `int`.
    let register = fill.text(fill.registers().register);
    Some(fill.syntax.converted(&register, term).text)
}

impl Operation<'_> {
    fn term(&self, expression: &Expression) -> Option<Term> {
        let syntax = self.fill.syntax;
        Some(match expression {
            Expression::Unary(operator, operand) => {
                syntax.unary(*operator, self.term(operand)?, &self.word_type())
            }
            Expression::Binary(operator, [left, right]) => {
                syntax.binary(*operator, self.term(left)?, self.term(right)?)
            }
            Expression::Shift(shift, word, by) => {
                let by = u32::from(self.number(*by)?);
                syntax.shift(*shift, self.term(word)?, by, &self.word_type())
            }
            Expression::ShiftPositions(shift, word, by) => {
                let by = self.fill.lanes() * u32::from(self.number(*by)?);
                syntax.shift(*shift, self.term(word)?, by, &self.word_type())
            }
            Expression::As(ty, term) => {
                let (name, term) = (self.type_name(*ty), self.term(term)?);
                match ty {
                    CType::Register | CType::Vector(_) if self.fill.target.simd => {
                        syntax.retyped(&name, term)
                    }
                    _ => syntax.converted(&name, term),
                }
            }
            primary => Term::primary(self.primary(primary)?),
        })
    }

    /// What has no operator.
    fn primary(&self, expression: &Expression) -> Option<String> {
        Some(match expression {
            Expression::Argument(number) => self.args.get(*number)?.clone(),
            Expression::Call(intrinsic, arguments) => {
                let arguments = arguments.iter().map(|argument| Some(self.term(argument)?.text));
                let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
                format!("{}({})", self.fill.text(intrinsic.name), arguments.join(", "))
            }
            Expression::Constant(constant) => self.constant(*constant)?,
            Expression::Number(number) => self.number(*number)?.to_string(),
            Expression::Word(word) => self.word(*word, &|literal| literal)?,
            Expression::Shuffled(vector) => {
                let (vector, fill) = (self.term(vector)?.text, self.fill);
                fill.syntax.shuffled(&vector, &Bytes::Places.values(self.op, fill.ty)?, fill)
            }
            _ => return None,
        })
    }

    fn constant(&self, constant: Constant) -> Option<String> {
        let fill = self.fill;
        Some(match constant {
            Constant::Zeros => fill.text(fill.registers().zeros),
            Constant::Ones => fill.text(fill.registers().ones),
            Constant::Splat(splat, word) => {
                let width = fill.ty.word();
                let number = self.word(word, &|literal| match splat.element {
                    Element::Unsigned(bits) => fill.syntax.unsigned(&literal, bits.of(width)),
                    Element::Signed(bits) => fill.syntax.signed(&literal, bits.of(width)),
                })?;
                format!("{}({number})", fill.text(splat.name))
            }
            Constant::Segment(bytes) => fill.segment(&bytes.values(self.op, fill.ty)?),
            Constant::Words(words) => {
                let words = self.words(words)?;
                fill.registers().dialect.gather[3].replace("$d", &words)
            }
            Constant::Every(word) => fill.syntax.literal(fill.every(self.value(word)?)),
            Constant::Lanes(word) => {
                fill.syntax.literal(fill.spread(self.value(word)?, fill.lanes()))
            }
            Constant::FirstLane(word) => fill.syntax.literal(fill.spread(self.value(word)?, 1)),
        })
    }

    /// A word; one that the operation has is a literal, which may need a type.
    fn word(&self, word: Word, typed: &dyn Fn(String) -> String) -> Option<String> {
        Some(match word {
            Word::Decimal(value) => value.to_string(),
            Word::Hexadecimal(value, digits) => {
                let sign = if value < 0 { "-" } else { "" };
                format!("{sign}0x{:0digits$x}", value.unsigned_abs())
            }
            word => typed(self.fill.syntax.literal(self.value(word)?)),
        })
    }

    /// The words of a register, from the highest on.
    fn words(&self, words: Words64) -> Option<String> {
        let (syntax, bits) = (self.fill.syntax, self.fill.target.bits);
        let literal = |word: u64| match words {
            Words64::Places => syntax.literal(word.into()),
            Words64::Entries(_) => syntax.pattern(word, bits),
        };
        let values = words.values(self.op, self.fill.ty.word())?;
        Some(list(values.into_iter().rev().map(literal)))
    }

    fn number(&self, number: Number) -> Option<u16> {
        number.value(self.op, self.fill.ty.word())
    }

    fn value(&self, word: Word) -> Option<u128> {
        word.value(self.op, self.fill.ty)
    }

    fn type_name(&self, ty: CType) -> String {
        let [unsigned, signed] = self.fill.registers().word_types;
        match ty {
            CType::Register => self.fill.text(self.fill.registers().register),
            CType::Vector(Element::Unsigned(bits)) => self.vector(unsigned, bits),
            CType::Vector(Element::Signed(bits)) => self.vector(signed, bits),
            CType::Named(name) => name.to_string(),
        }
    }

    /// The type of a vector of elements of so many bits.
    fn vector(&self, template: &str, bits: Bits) -> String {
        let bits = u32::from(bits.of(self.fill.ty.word()));
        let (width, count) = (bits.to_string(), (self.fill.target.bits / bits).to_string());
        let extra = [("w", &*width), ("e", &*count)];
        Fill { extra: &extra, ..*self.fill }.text(template)
    }

    fn word_type(&self) -> WordType {
        let [unsigned, signed] = self.fill.registers().word_types.map(|ty| self.fill.text(ty));
        WordType { unsigned, signed, bits: self.fill.word_bits() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::aes::Aes;
    use crate::core::field::ByteMap;
    use crate::core::{Direction, Instruction, OpKind, Type};
    use crate::emit::{c::C11, rust::Rust, syntax::Syntax};
    use crate::isa;

    const LANGUAGES: [&dyn Syntax; 2] = [&C11, &Rust];

    fn example(kind: OpKind, width: u16) -> Op {
        match kind {
            OpKind::Shl => Op::Shl(1),
            OpKind::Shr => Op::Shr(1),
            OpKind::Sar => Op::Sar(1),
            OpKind::Rotl => Op::Rotl(1),
            OpKind::RotlAnd => Op::RotlAnd { by: 1, kept: 3 },
            OpKind::Bitmask => Op::Bitmask(1),
            OpKind::Shuffle => Op::Shuffle((0..width).rev().map(Some).collect()),
            OpKind::Ternary => Op::Ternary(0x96),
            OpKind::Substitute => Op::Substitute(Box::new([7; 256])),
            OpKind::Nibble => Op::Nibble(Box::new([7; 16])),
            OpKind::Affine => Op::Affine(ByteMap { columns: [7; 8], constant: 1 }),
            OpKind::Invert => Op::Invert(ByteMap { columns: [7; 8], constant: 1 }),
            OpKind::Instruction => Op::Instruction(Instruction::Aes(Aes::Round)),
            OpKind::Window => Op::Window(1),
            OpKind::Permute => Op::Permute((0..128 / width).rev().map(Some).collect()),
            _ => Op::And,
        }
    }

    #[test]
    fn every_row_can_be_written() {
        let args = ["x", "y", "z"].map(String::from);
        for target in isa::all() {
            for row in target.rows() {
                for &(direction, widths) in row.types {
                    for &width in widths {
                        let ty = match direction {
                            Direction::P => Type::row(width, 128 / width),
                            _ => Type::new(direction, width),
                        };
                        for syntax in LANGUAGES {
                            let fill = Fill { syntax, target, ty, extra: &[], names: None };
                            let text = operation(&fill, row, &example(row.op, width), &args);
                            let text = text.unwrap_or_else(|| panic!("{}: {row:?}", target.name));
                            // A brace before a space is one of the language.
                            let mut open = text.split('{').skip(1);
                            let left = open.any(|rest| !rest.starts_with(' '));
                            assert!(!left, "{}: {text}", target.name);
                        }
                    }
                }
            }
        }
    }
}
