//! Loops of machine code: what one iteration executes.

use crate::object::decode::{fuses, Decoder, STACK_POINTER};
use crate::object::path::Error;
use crate::sequence::{Sequence, Step};
use iced_x86::{FlowControl, Instruction, Register};
use nakiri_verify::image::{Destination, Image};

/// The place of the stack in addresses of slots: any will do.
const STACK: u64 = 1 << 40;

/// A loop of a function.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The address of its first instruction in its section.
    pub start: u64,
    /// The address of the jump back.
    pub end: u64,
    /// One iteration, from the first to the last instruction; jumps inside it are taken to fall through.
    pub sequence: Sequence,
    /// The machine instruction of each of [`Sequence::code`].
    pub code: Vec<Instruction>,
}

/// The innermost loops of a function, in the order of their code: every jump back with no other jump back between it
/// and its destination.
///
/// # Errors
/// If there is no such function, or a loop has instructions that are not modelled.
pub fn loops(image: &Image, name: &str) -> Result<Vec<Loop>, Error> {
    let start = image.function(name).ok_or_else(|| Error::NoFunction(name.to_string()))?;
    let (section, mut address) = start;
    let end = image.end(start);
    let mut instructions: Vec<Instruction> = Vec::new();
    while address < end {
        let Some(instruction) = image.instruction((section, address)) else { break };
        address = instruction.next_ip();
        instructions.push(instruction);
    }
    let jumps = instructions.iter().filter_map(|instruction| {
        let jumps = matches!(
            instruction.flow_control(),
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        );
        match image.destination(section, instruction) {
            Destination::Inside((to, at)) if jumps && to == section => Some((at, instruction.ip())),
            _ => None,
        }
    });
    let back: Vec<(u64, u64)> = jumps.filter(|(to, from)| *to >= start.1 && to <= from).collect();
    let inner = |outer: &&(u64, u64)| {
        !back.iter().any(|other| other != *outer && other.0 >= outer.0 && other.1 <= outer.1)
    };
    back.iter()
        .filter(inner)
        .map(|&(from, to)| {
            let body = instructions.iter().filter(|i| (from..=to).contains(&i.ip()));
            let code: Vec<Instruction> = body.copied().collect();
            Ok(Loop { start: from, end: to, sequence: iteration(&code)?, code })
        })
        .collect()
}

/// One iteration of a loop.
fn iteration(body: &[Instruction]) -> Result<Sequence, Error> {
    let mut decoder = Decoder::default();
    let mut sequence = Sequence::default();
    let mut not_modelled = Vec::new();
    for (k, instruction) in body.iter().enumerate() {
        match decoder.decode(instruction) {
            Ok(mut decoded) => {
                decoded.fused = body.get(k + 1).is_some_and(|next| fuses(instruction, next));
                sequence.code.push(decoded);
            }
            Err(text) => not_modelled.push(text),
        }
    }
    if !not_modelled.is_empty() {
        return Err(Error::NotModelled(not_modelled));
    }
    let moves = |instruction: &crate::sequence::Instruction| {
        instruction.written.iter().any(|register| register == STACK_POINTER)
    };
    // Slots of the stack are known relative to a stack pointer that stays the same; other addresses are not.
    let fixed = !sequence.code.iter().any(moves)
        && !body.iter().any(|instruction| instruction.is_stack_instruction());
    for (k, instruction) in body.iter().enumerate() {
        let slot = instruction.memory_base() == Register::RSP
            && instruction.memory_index() == Register::None;
        let address = STACK.wrapping_add(instruction.memory_displacement64());
        let address = (fixed && slot && sequence.code[k].memory != 0).then_some(address);
        sequence.steps.push(Step { code: k as u32, address });
        if instruction.flow_control() == FlowControl::Call {
            sequence.left_out.push("what is called".to_string());
        }
    }
    sequence.left_out.dedup();
    Ok(sequence)
}
