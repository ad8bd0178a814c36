//! Constants of rows as bytes of registers.

use super::Home;
use crate::core::{semantics, Op, Type};
use crate::isa::{Constant, Element, Target};

/// What a register holds: one bit in all, or bytes.
pub enum Bytes {
    /// Without memory.
    Home(Home),
    /// As many as a register has.
    Register(Vec<u8>),
}

impl Bytes {
    /// A pattern, again and again.
    pub fn repeated(pattern: &[u8], target: &Target) -> Bytes {
        match pattern {
            all if all.iter().all(|byte| *byte == 0) => Bytes::Home(Home::Zeros),
            all if all.iter().all(|byte| *byte == 0xff) => Bytes::Home(Home::Ones),
            _ => {
                let bytes = target.bits as usize / 8;
                Bytes::Register(pattern.iter().copied().cycle().take(bytes).collect())
            }
        }
    }

    /// A constant that a row reads for an operation.
    pub fn of_row(constant: Constant, op: &Op, ty: Type, target: &Target) -> Option<Bytes> {
        Some(match constant {
            Constant::Zeros => Bytes::Home(Home::Zeros),
            Constant::Ones => Bytes::Home(Home::Ones),
            Constant::Splat(splat, word) => {
                let (Element::Unsigned(bits) | Element::Signed(bits)) = splat.element;
                let bits = bits.of(ty.word());
                let word = word.value(op, ty)? & semantics::mask(bits);
                Bytes::repeated(&word.to_le_bytes()[..usize::from(bits) / 8], target)
            }
            Constant::Segment(bytes) => {
                Bytes::repeated(&bytes.values(op, ty)?.map(|byte| byte as u8), target)
            }
            Constant::Words(words) => {
                let words = words.values(op, ty.word())?.into_iter();
                Bytes::Register(words.flat_map(u64::to_le_bytes).collect())
            }
            Constant::Every(_) | Constant::Lanes(_) | Constant::FirstLane(_) => return None,
        })
    }
}
