//! When values are ready: the flow of data through registers, flags and memory.

use super::costs::{Cost, Costed};
use crate::sequence::{Instruction, Registers};
use std::collections::HashMap;

/// When each register and each word of memory that was written holds its value, in core cycles.
#[derive(Clone, Debug)]
pub struct Flow {
    /// By register.
    pub registers: [f64; Registers::COUNT],
    /// By address divided by 8: which of the 8 bytes were written, and when they can be read.
    pub memory: HashMap<u64, (u8, f64)>,
}

impl Flow {
    /// Everything is ready since this time.
    pub fn new(time: f64) -> Flow {
        Flow { registers: [time; Registers::COUNT], memory: HashMap::new() }
    }

    fn ready(&self, registers: Registers) -> f64 {
        registers.iter().map(|r| self.registers[r]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// When all registers that an instruction reads are ready.
    pub fn arguments(&self, instruction: &Instruction) -> f64 {
        self.ready(instruction.address).max(self.ready(instruction.data))
    }

    /// Executes an instruction that can't start before the time `from`: `issue` says when an operation starts whose
    /// arguments are ready at a time. Gives the time when all of it is done.
    pub fn step(
        &mut self,
        costed: &Costed,
        address: Option<u64>,
        from: f64,
        issue: &mut dyn FnMut(&Cost, f64) -> f64,
    ) -> f64 {
        let instruction = costed.instruction;
        let addressed = from.max(self.ready(instruction.address));
        let mut value = from.max(self.ready(instruction.data));
        if let Some(cost) = &costed.load {
            let loaded = issue(cost, addressed) + cost.latency;
            value = value.max(loaded).max(self.stored(address, instruction.memory));
        }
        if let Some(cost) = &costed.compute {
            value = issue(cost, value) + cost.latency;
        }
        let mut done = value;
        if let Some(cost) = &costed.store {
            let start = issue(cost, value.max(addressed));
            self.store(address, instruction.memory, start + cost.latency);
            done = done.max(start);
        }
        instruction.written.iter().for_each(|register| self.registers[register] = value);
        done
    }

    /// When what was stored in these bytes can be read.
    fn stored(&self, address: Option<u64>, bytes: u32) -> f64 {
        let Some(address) = address.filter(|_| !self.memory.is_empty()) else {
            return f64::NEG_INFINITY;
        };
        let read = |(word, mask): (u64, u8)| {
            self.memory.get(&word).filter(|(written, _)| written & mask != 0).map(|(_, time)| *time)
        };
        words(address, bytes).filter_map(read).fold(f64::NEG_INFINITY, f64::max)
    }

    fn store(&mut self, address: Option<u64>, bytes: u32, time: f64) {
        let Some(address) = address else { return };
        for (word, mask) in words(address, bytes) {
            let entry = self.memory.entry(word).or_insert((mask, time));
            *entry = match *entry {
                (old, _) if old & !mask == 0 => (mask, time),
                // Bytes of two stores in one word: the earlier time is never too late.
                (old, before) => (old | mask, before.min(time)),
            };
        }
    }
}

/// The words of 8 bytes that an access touches, and which bytes of them.
pub fn words(address: u64, bytes: u32) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(bytes.into());
    (address >> 3..end.div_ceil(8)).map(move |word| {
        let first = address.saturating_sub(word << 3).min(7) as u32;
        let last = (end - (word << 3)).min(8) as u32;
        (word, ((0xffu32 >> (8 - last)) & (0xff << first)) as u8)
    })
}
