//! How many instructions, loads, stores and spills one call of a function executes.

use super::path::{in_frame, path, Path};
use crate::results::Code;
use crate::sequence::{Instruction, Registers};
use nakiri_verify::image::Image;
use std::collections::{BTreeSet, HashMap};

/// Counts what one call of a function of an object file executes. Its arguments are pointers.
///
/// # Errors
/// What is wrong with the object, or why what the function executes is not known.
pub fn count(object: &[u8], symbol: &str) -> Result<Code, String> {
    let image = Image::read(object)?;
    let path = path(&image, symbol, &[]).map_err(|error| error.to_string())?;
    Ok(of_path(&path))
}

/// Counts a path.
pub fn of_path(path: &Path) -> Code {
    let sequence = &path.sequence;
    let count = |part: fn(&Instruction) -> bool| {
        sequence.instructions().filter(|instruction| part(instruction)).count() as u64
    };
    Code {
        bytes: sequence.code_bytes(),
        instructions: sequence.steps.len() as u64,
        loads: count(|instruction| instruction.work.load.is_some()),
        stores: count(|instruction| instruction.work.store.is_some()),
        spills: spills(path),
    }
}

/// Values that were computed, then written to the stack frame, and read back to be computed with.
///
/// What `push` saves is not counted, nor a copy of memory: a value that was loaded and is only stored elsewhere, as
/// when an argument is copied to the frame.
fn spills(path: &Path) -> u64 {
    let mut frame = Frame {
        registers: [Held::Computed; Registers::COUNT],
        slots: HashMap::new(),
        spilled: BTreeSet::new(),
    };
    for (number, step) in path.sequence.steps.iter().enumerate() {
        let instruction = &path.sequence.code[step.code as usize];
        frame.step(
            number,
            instruction,
            step.address,
            path.code[step.code as usize].is_stack_instruction(),
        );
    }
    frame.spilled.len() as u64
}

/// What a register or a slot of the frame holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Held {
    /// A value that was computed.
    #[default]
    Computed,
    /// What memory outside of the frame held.
    Copied,
    /// What this step stored.
    Stored(usize),
}

struct Frame {
    registers: [Held; Registers::COUNT],
    slots: HashMap<u64, Held>,
    spilled: BTreeSet<usize>,
}

impl Frame {
    fn step(
        &mut self,
        number: usize,
        instruction: &Instruction,
        address: Option<u64>,
        stack: bool,
    ) {
        let slot = address.filter(|address| in_frame(*address));
        let loaded = instruction.work.load.map(|_| match slot {
            Some(slot) => self.slots.get(&slot).copied().unwrap_or(Held::Copied),
            None => Held::Copied,
        });
        let computes = instruction.work.compute.is_some();
        if computes {
            self.used(loaded.unwrap_or_default());
            instruction.data.iter().for_each(|register| self.used(self.registers[register]));
        }
        let held = if computes { Held::Computed } else { loaded.unwrap_or_default() };
        if instruction.work.store.is_some() {
            let value = match (computes, instruction.data.iter().next()) {
                (false, Some(register)) => self.registers[register],
                _ => Held::Computed,
            };
            if let Some(slot) = slot {
                let value = match value {
                    _ if stack => Held::Copied,
                    Held::Computed => Held::Stored(number),
                    copy => copy,
                };
                self.slots.insert(slot, value);
            }
        }
        instruction.written.iter().for_each(|register| self.registers[register] = held);
    }

    fn used(&mut self, held: Held) {
        if let Held::Stored(step) = held {
            self.spilled.insert(step);
        }
    }
}
