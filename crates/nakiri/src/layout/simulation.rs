//! The meaning of a network: what its passes do with bytes.

use super::network::{Array, Gate, Local, Network, Step, ZERO};

impl Network {
    /// Runs a network from memory to registers on a batch. The registers are little-endian images.
    pub fn load(&self, memory: &[u8]) -> Vec<Vec<u8>> {
        self.counters(memory, &[])
    }

    /// Runs a network that makes counters from what is in memory and what all batches share.
    pub fn counters(&self, memory: &[u8], low: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut machine = Simulation::new(self);
        machine.memory.copy_from_slice(&memory[..self.bytes]);
        machine.low.clone_from_slice(&low[..self.low as usize]);
        machine.run(self);
        machine.registers
    }

    /// Runs a network that changes registers in place.
    pub fn advance(&self, registers: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut machine = Simulation::new(self);
        machine.registers.clone_from_slice(registers);
        machine.run(self);
        machine.registers
    }

    /// Runs a network from registers to memory.
    pub fn store(&self, registers: &[Vec<u8>]) -> Vec<u8> {
        self.add(registers, &vec![0; self.bytes])
    }

    /// Runs a network that adds registers to a text, in place.
    pub fn add(&self, registers: &[Vec<u8>], text: &[u8]) -> Vec<u8> {
        let mut machine = Simulation::new(self);
        machine.memory.copy_from_slice(&text[..self.bytes]);
        machine.registers.clone_from_slice(&registers[..self.registers as usize]);
        machine.run(self);
        machine.memory
    }
}

/// The state of a simulated machine.
struct Simulation {
    bytes: usize,
    memory: Vec<u8>,
    registers: Vec<Vec<u8>>,
    scratch: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    low: Vec<Vec<u8>>,
    locals: Vec<Vec<u8>>,
}

impl Simulation {
    fn new(network: &Network) -> Simulation {
        let bytes = network.bits as usize / 8;
        let array = |count: u32| vec![vec![0; bytes]; count as usize];
        Simulation {
            bytes,
            memory: vec![0; network.bytes],
            registers: array(network.registers),
            scratch: array(network.scratch),
            words: array(network.words),
            low: array(network.low),
            locals: Vec::new(),
        }
    }

    fn run(&mut self, network: &Network) {
        for pass in &network.passes {
            self.locals = vec![Vec::new(); pass.locals as usize];
            let mut iteration = vec![0; pass.loops.len()];
            loop {
                pass.steps.iter().for_each(|step| self.step(step, &iteration));
                if !advance(&mut iteration, &pass.loops) {
                    break;
                }
            }
        }
    }

    fn array(&mut self, array: Array) -> &mut Vec<Vec<u8>> {
        match array {
            Array::Registers => &mut self.registers,
            Array::Scratch => &mut self.scratch,
            Array::Words => &mut self.words,
            Array::Low => &mut self.low,
        }
    }

    fn local(&self, local: Local) -> &[u8] {
        &self.locals[local as usize]
    }

    fn step(&mut self, step: &Step, iteration: &[u32]) {
        match step {
            Step::Load { to, at, piece, pieces } => {
                let at = at.at(iteration) as i32;
                let piece = *piece as usize;
                let part = |offset: &i32| {
                    let from = (at + offset) as usize;
                    self.memory[from..from + piece].to_vec()
                };
                self.locals[*to as usize] = pieces.iter().flat_map(part).collect();
            }
            Step::Store { from, at, piece, pieces } => {
                let at = at.at(iteration) as i32;
                let parts = self.locals[*from as usize].chunks(*piece as usize);
                for (offset, part) in pieces.iter().zip(parts) {
                    let to = (at + offset) as usize;
                    self.memory[to..to + part.len()].copy_from_slice(part);
                }
            }
            Step::Read { to, array, at } => {
                let value = self.array(*array)[at.at(iteration)].clone();
                self.locals[*to as usize] = value;
            }
            Step::Write { from, array, at } => {
                let value = self.local(*from).to_vec();
                self.array(*array)[at.at(iteration)] = value;
            }
            _ => self.compute(step),
        }
    }

    fn compute(&mut self, step: &Step) {
        match step {
            Step::Exchange { to, from: [a, b], shift, mask } => {
                let (a, b) = (words(self.local(*a)), words(self.local(*b)));
                let differ = zip(&a, &b, |a, b| ((a >> shift) ^ b) & mask);
                let first = zip(&a, &differ, |a, d| a ^ (d << shift));
                let second = zip(&b, &differ, |b, d| b ^ d);
                self.locals[to[0] as usize] = bytes(&first, self.bytes);
                self.locals[to[1] as usize] = bytes(&second, self.bytes);
            }
            Step::Zero { to } => self.locals[*to as usize] = vec![0; self.bytes],
            Step::Swap { to, from, shift, mask } => {
                let swap = |x: u64| {
                    let differ = (x ^ (x >> shift)) & mask;
                    x ^ differ ^ (differ << shift)
                };
                let result: Vec<u64> = words(self.local(*from)).into_iter().map(swap).collect();
                self.locals[*to as usize] = bytes(&result, self.bytes);
            }
            Step::Unpack { to, from: [a, b], element, high } => {
                let size = *element as usize / 8;
                let (a, b) = (self.local(*a), self.local(*b));
                let pick = |i: usize| {
                    let (segment, element) = (i / 16 * 16, i % 16 / size);
                    let at = segment + usize::from(*high) * 8 + element / 2 * size + i % size;
                    if element % 2 == 0 {
                        a[at]
                    } else {
                        b[at]
                    }
                };
                self.locals[*to as usize] = (0..self.bytes).map(pick).collect();
            }
            Step::Segments { to, from: [a, b], pick } => {
                let both = [self.local(*a), self.local(*b)].concat();
                let part = |&p: &u8| both[usize::from(p) * 16..][..16].to_vec();
                self.locals[*to as usize] = pick.iter().flat_map(part).collect();
            }
            Step::Quads { to, from, pick } => {
                let part = |&p: &u8| self.local(*from)[usize::from(p) * 8..][..8].to_vec();
                self.locals[*to as usize] = pick.iter().flat_map(part).collect();
            }
            Step::Bytes { to, from, pick } => {
                let value = self.local(*from);
                let byte = |(i, &p): (usize, &u8)| match p {
                    ZERO => 0,
                    p => value[i / 16 * 16 + usize::from(p)],
                };
                self.locals[*to as usize] = pick.iter().enumerate().map(byte).collect();
            }
            Step::Permute { to, from: [a, b], pick } => {
                let both = [self.local(*a), self.local(*b)].concat();
                let byte = |&p: &u8| both[usize::from(p)];
                self.locals[*to as usize] = pick.iter().map(byte).collect();
            }
            Step::Transpose { to, from } => {
                let transposed = |bytes: &[u8]| {
                    let byte = |j| {
                        let bit = |(i, byte): (usize, &u8)| (byte >> j & 1_u8) << i;
                        bytes.iter().rev().enumerate().map(bit).sum()
                    };
                    (0..8).map(byte).collect::<Vec<u8>>()
                };
                self.locals[*to as usize] =
                    self.local(*from).chunks(8).flat_map(transposed).collect();
            }
            Step::Deposit { to, onto, from, shift, mask } => {
                let moved = |x: u64| mask & if *shift < 0 { x >> -shift } else { x << shift };
                let mut result: Vec<u64> =
                    words(self.local(*from)).into_iter().map(moved).collect();
                if let Some(onto) = onto {
                    result = zip(&result, &words(self.local(*onto)), |a, b| a | b);
                }
                self.locals[*to as usize] = bytes(&result, self.bytes);
            }
            Step::Logic { to, gate, from: [a, b] } => {
                let operation = |(a, b): (&u8, &u8)| match gate {
                    Gate::And => a & b,
                    Gate::Or => a | b,
                    Gate::Xor => a ^ b,
                };
                let result = self.local(*a).iter().zip(self.local(*b)).map(operation).collect();
                self.locals[*to as usize] = result;
            }
            Step::Constant { to, bytes } => self.locals[*to as usize] = bytes.clone(),
            Step::Fill { to, from, element, bit } => {
                let size = *element as usize / 8;
                let fill = |element: &[u8]| {
                    vec![all_or_none(element[*bit as usize / 8] >> (bit % 8) & 1 != 0); size]
                };
                self.locals[*to as usize] = self.local(*from).chunks(size).flat_map(fill).collect();
            }
            Step::Test { to, from, masks } => {
                let bytes = self.local(*from).iter().zip(masks);
                self.locals[*to as usize] =
                    bytes.map(|(byte, mask)| all_or_none(byte & mask != 0)).collect();
            }
            Step::Load { .. } | Step::Store { .. } | Step::Read { .. } | Step::Write { .. } => {}
        }
    }
}

/// Moves to the next iteration of a loop nest; false after the last one.
fn advance(iteration: &mut [u32], loops: &[u32]) -> bool {
    for (i, count) in iteration.iter_mut().zip(loops) {
        *i += 1;
        if *i < *count {
            return true;
        }
        *i = 0;
    }
    false
}

/// The 64-bit words of a register image; a narrower register is extended by zeros.
fn words(image: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    image.chunks(8).map(word).collect()
}

fn bytes(words: &[u64], count: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(count).collect()
}

fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn all_or_none(bit: bool) -> u8 {
    if bit {
        0xff
    } else {
        0
    }
}
