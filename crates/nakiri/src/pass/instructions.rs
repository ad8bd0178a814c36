//! Instructions made for cryptography that a target has, or that are written by others which it has.

use super::{products, turns};
use crate::core::Instruction;
use crate::isa::Target;

/// Whether calls of the node of an instruction are kept, for the instruction or for what takes its place.
pub fn can(target: &Target, instruction: Instruction) -> bool {
    target.has_instruction(instruction)
        || products::can(target, instruction)
        || turns::can(target, instruction)
}
