//! What a mode means.

use super::{Mode, Piece, Slot};
use crate::core::interp;
use crate::layout::{from_memory, port_bytes, to_memory};

/// The results of a mode in memory, one after another, or the first `length` bytes of the stream that it gives. `None` if the
/// inputs, one after another in memory, have another size, or `length` is not that of the results.
pub fn evaluate(mode: &Mode, inputs: &[u8], message: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut values = Values::new(mode, inputs)?;
    if let Some(start) = &mode.start {
        values.run(start)?;
    }
    let size = mode.block_bytes();
    for block in mode.padding.padded(message, size).chunks(size) {
        values.block = block.to_vec();
        values.run(&mode.absorb)?;
    }
    if let Some(finish) = &mode.finish {
        values.run(finish)?;
    }
    let Some(squeeze) = &mode.squeeze else {
        let results = mode.results.iter().zip(&values.results);
        let bytes: Option<Vec<_>> = results.map(|(port, atoms)| to_memory(port, atoms)).collect();
        return bytes.map(|bytes| bytes.concat()).filter(|bytes| bytes.len() == length);
    };
    let mut stream = Vec::new();
    while stream.len() < length {
        if !stream.is_empty() {
            values.run(&squeeze.advance)?;
        }
        values.run(&squeeze.output)?;
        stream.extend_from_slice(&values.block);
    }
    stream.truncate(length);
    Some(stream)
}

struct Values {
    inputs: Vec<Vec<u128>>,
    state: Vec<Vec<u128>>,
    results: Vec<Vec<u128>>,
    /// In memory.
    block: Vec<u8>,
}

impl Values {
    fn new(mode: &Mode, inputs: &[u8]) -> Option<Values> {
        let (mut rest, mut atoms) = (inputs, Vec::new());
        for port in &mode.inputs {
            let (own, after) = rest.split_at_checked(port_bytes(port))?;
            atoms.push(from_memory(port, own)?);
            rest = after;
        }
        let (state, results) = (vec![vec![]; mode.state.len()], vec![vec![]; mode.results.len()]);
        rest.is_empty().then_some(Values { inputs: atoms, state, results, block: vec![] })
    }

    fn run(&mut self, piece: &Piece) -> Option<()> {
        let entry = piece.program.entry();
        let argument = |(slot, port)| match slot {
            &Slot::State(k) => Some(self.state[k].clone()),
            &Slot::Input(k) => Some(self.inputs[k].clone()),
            Slot::Block => from_memory(port, &self.block),
            Slot::Result(_) => None,
        };
        let arguments: Option<Vec<_>> =
            piece.params.iter().zip(&entry.params).map(argument).collect();
        let results = interp::run(&piece.program, &arguments?);
        for ((slot, port), atoms) in piece.results.iter().zip(&entry.results).zip(results) {
            match *slot {
                Slot::State(k) => self.state[k] = atoms,
                Slot::Result(k) => self.results[k] = atoms,
                Slot::Block => self.block = to_memory(port, &atoms)?,
                Slot::Input(_) => return None,
            }
        }
        Some(())
    }
}
