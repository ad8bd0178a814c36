//! Modes: programs around a stream of bytes. A stream is padded and cut into blocks; what goes from block to block, the
//! *state*, is variables of fixed size. So a mode is a few programs without streams, its *pieces*, and this description of
//! what is done with them. It is the same for every language: emitters print it, and [`evaluate`] is what it means.
//!
//! ```text
//! state = start(inputs)
//! for block in pad(message): state = absorb(state, block)
//! results = finish(state)                     or, if the result is a stream,
//! state = finish(state); loop: block = squeeze(state); if more is wanted: state = advance(state)
//! ```

mod evaluate;
pub mod hmac;
mod padding;

use crate::core::{Port, Program};
use crate::layout::port_bytes;
pub use evaluate::evaluate;
pub use padding::{Last, Padding};

/// A mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its name in the source.
    pub name: String,
    /// What it takes beside the stream: a key, say.
    pub inputs: Vec<Port>,
    /// What it gives, if that is no stream.
    pub results: Vec<Port>,
    /// What goes from block to block and from piece to piece.
    pub state: Vec<Port>,
    /// How the stream ends.
    pub padding: Padding,
    /// From the inputs to the state. Without a parameter it is a constant; all of the state is inputs without it.
    pub start: Option<Piece>,
    /// From the state and a block to the state.
    pub absorb: Piece,
    /// From the state to the results, or to the state from which blocks are squeezed; nothing has to be done without it.
    pub finish: Option<Piece>,
    /// How the result is made, if it is a stream.
    pub squeeze: Option<Squeeze>,
}

/// How a stream is made of a state.
#[derive(Clone, Debug)]
pub struct Squeeze {
    /// From the state to a block.
    pub output: Piece,
    /// From the state to the next one.
    pub advance: Piece,
}

/// A program of a mode.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The program.
    pub program: Program,
    /// What each of its parameters is.
    pub params: Vec<Slot>,
    /// What each of its results is.
    pub results: Vec<Slot>,
}

/// What a parameter or result of a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// This part of the state.
    State(usize),
    /// This input of the mode.
    Input(usize),
    /// A block of a stream.
    Block,
    /// This result of the mode.
    Result(usize),
}

impl Mode {
    /// The size of a block of the stream that it takes, in bytes.
    pub fn block_bytes(&self) -> usize {
        let entry = self.absorb.program.entry();
        let block = self.absorb.params.iter().zip(&entry.params).find(|(s, _)| **s == Slot::Block);
        block.map_or(0, |(_, port)| port_bytes(port))
    }

    /// The size of a block of the stream that it gives, in bytes; 0 if it gives none.
    pub fn output_bytes(&self) -> usize {
        let results = self.squeeze.as_ref().map(|squeeze| &squeeze.output.program.entry().results);
        results.and_then(|results| results.first()).map_or(0, port_bytes)
    }

    /// The size of its results, in bytes; 0 if it gives a stream.
    pub fn result_bytes(&self) -> usize {
        self.results.iter().map(port_bytes).sum()
    }

    /// The size of what it takes beside the stream, in bytes.
    pub fn input_bytes(&self) -> usize {
        self.inputs.iter().map(port_bytes).sum()
    }

    /// Its programs, that which is run most often first.
    pub fn pieces(&self) -> impl Iterator<Item = (&'static str, &Piece)> {
        let start = self.start.as_ref().filter(|start| !start.params.is_empty());
        let start = start.map(|start| ("start", start));
        let finish = self.finish.as_ref().map(|finish| ("finish", finish));
        let squeeze = self.squeeze.iter();
        let squeeze = squeeze.flat_map(|s| [("output", &s.output), ("advance", &s.advance)]);
        [("absorb", &self.absorb)].into_iter().chain(start).chain(finish).chain(squeeze)
    }
}

impl Piece {
    /// Its parameters and results, with what they are.
    pub fn ports(&self) -> impl Iterator<Item = (Slot, &Port)> {
        let entry = self.program.entry();
        let params = self.params.iter().copied().zip(&entry.params);
        params.chain(self.results.iter().copied().zip(&entry.results))
    }
}
