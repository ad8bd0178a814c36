//! What a mode means.

use super::{Each, Mode, Part, Piece, Slot, Squeeze, Tree};
use crate::core::{interp, Port};
use crate::layout::{from_memory, port_bytes, to_memory};

/// The stream that a mode gives, of which the first `length` bytes are wanted if it is squeezed, and its results in memory, one
/// after another. `None` if the inputs, one after another in memory, have another size, there are not as many streams, or
/// `length` is not that of all that comes out.
pub fn evaluate(mode: &Mode, inputs: &[u8], streams: &[&[u8]], length: usize) -> Option<Vec<u8>> {
    run(mode, None, inputs, streams, length)
}

/// The same on the way back, with the stream that the mode gives for that which it takes, and the results that came with it.
pub fn open(
    mode: &Mode,
    inputs: &[u8],
    streams: &[&[u8]],
    results: &[u8],
    length: usize,
) -> Option<Vec<u8>> {
    run(mode, Some(results), inputs, streams, length)
}

fn run(
    mode: &Mode,
    back: Option<&[u8]>,
    inputs: &[u8],
    streams: &[&[u8]],
    length: usize,
) -> Option<Vec<u8>> {
    let mut values = Values::new(mode, inputs, streams)?;
    if let Some(results) = back {
        values.results = atoms(&mode.results, results)?;
    }
    let allowed = |(k, stream): (usize, &&[u8])| mode.limit(k).allows(stream.len());
    if streams.len() != mode.streams.len() || !streams.iter().enumerate().all(allowed) {
        return None;
    }
    for part in mode.order(back.is_some()) {
        match part {
            Part::Once(_, piece) => values.run(piece)?,
            Part::Each(each) => {
                let made = values.stream.clone();
                let is_made = match back {
                    Some(_) => mode.is_repeated(each),
                    None => each.over_given,
                };
                let stream = if is_made { &made } else { streams[each.stream] };
                values.go_over(each, back.is_some(), stream)?;
            }
            Part::Tree(tree) => values.grow(tree, streams[tree.stream])?,
            Part::Squeeze(squeeze) => values.squeeze(squeeze, length)?,
        }
    }
    let results = mode.results.iter().zip(&values.results);
    let bytes: Option<Vec<_>> = results.map(|(port, atoms)| to_memory(port, atoms)).collect();
    Some([values.stream, bytes?.concat()].concat()).filter(|bytes| bytes.len() == length)
}

/// What ports have, one after another in memory.
fn atoms(ports: &[Port], memory: &[u8]) -> Option<Vec<Vec<u128>>> {
    let (mut rest, mut atoms) = (memory, Vec::new());
    for port in ports {
        let (own, after) = rest.split_at_checked(port_bytes(port))?;
        atoms.push(from_memory(port, own)?);
        rest = after;
    }
    rest.is_empty().then_some(atoms)
}

/// A number of 64 bits as it lies in a port.
fn number(port: &Port, number: u64) -> Option<Vec<u128>> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(port_bytes(port), 0);
    from_memory(port, &bytes)
}

struct Values {
    inputs: Vec<Vec<u128>>,
    /// With the ports that they came from.
    state: Vec<Option<(Port, Vec<u128>)>>,
    results: Vec<Vec<u128>>,
    /// The atoms of each result.
    sizes: Vec<usize>,
    /// Of the streams, in bits.
    lengths: Vec<u64>,
    /// Two vertices of a tree.
    pair: Vec<u128>,
    /// In memory, as what follows.
    block: Vec<u8>,
    given: Vec<u8>,
    present: Vec<u8>,
    marker: Vec<u8>,
    /// How many bits of a stream the block has.
    held: u128,
    /// How many blocks came before it.
    number: u64,
    /// What is given of a stream.
    stream: Vec<u8>,
}

impl Values {
    fn new(mode: &Mode, inputs: &[u8], streams: &[&[u8]]) -> Option<Values> {
        let inputs = atoms(&mode.inputs, inputs)?;
        let (state, results) = (vec![None; mode.state.len()], vec![vec![]; mode.results.len()]);
        let sizes = mode.results.iter().map(|port| port.count() as usize).collect();
        let lengths = streams.iter().map(|stream| 8 * stream.len() as u64).collect();
        let (block, given, present, marker, stream) = Default::default();
        Some(Values {
            inputs,
            state,
            results,
            sizes,
            lengths,
            pair: Vec::new(),
            block,
            given,
            present,
            marker,
            held: 0,
            number: 0,
            stream,
        })
    }

    /// Each block of a stream.
    fn go_over(&mut self, each: &Each, back: bool, stream: &[u8]) -> Option<()> {
        let (blocks, _) = each.way(back)?;
        let size = each.block_bytes();
        let padded = each.padded(stream);
        for (k, block) in padded.chunks(size).enumerate() {
            let own = &stream[(k * size).min(stream.len())..((k + 1) * size).min(stream.len())];
            let ahead = own.len();
            let (taken, made) = each.paddings(back && each.gives());
            self.present = [vec![0xff; ahead], vec![0; size - ahead]].concat();
            self.marker = made.filled(&vec![0; ahead], size);
            match back && each.gives() {
                true => self.given = taken.filled(own, size),
                false => self.block = block.to_vec(),
            }
            (self.held, self.number) = (8 * ahead as u128, k as u64);
            let is_last = (k + 1) * size == padded.len();
            self.run(if is_last { blocks.end(ahead == size).1 } else { &blocks.body })?;
            if each.gives() {
                let given = if back { &self.block } else { &self.given };
                self.stream.extend_from_slice(&given[..own.len()]);
            }
        }
        Some(())
    }

    /// The root of a tree.
    fn grow(&mut self, tree: &Tree, stream: &[u8]) -> Option<()> {
        let chunks = match stream.is_empty() {
            true => vec![stream],
            false => stream.chunks(tree.chunk).collect(),
        };
        let leaf = |(number, chunk): (usize, &&[u8])| self.leaf(tree, number, chunk);
        let vertices: Option<Vec<_>> = chunks.iter().enumerate().map(leaf).collect();
        let root = self.root(tree, &vertices?)?;
        self.state[tree.vertex] = Some(root);
        Some(())
    }

    /// The vertex of a chunk.
    fn leaf(&mut self, tree: &Tree, number: usize, chunk: &[u8]) -> Option<(Port, Vec<u128>)> {
        if let Some(counted) = tree.counted {
            let mut ports = tree.leaf.iter().flat_map(Part::pieces).flat_map(Piece::ports);
            let (_, port) = ports.find(|(slot, _)| *slot == Slot::State(counted))?;
            self.state[counted] = Some((port.clone(), self::number(port, number as u64)?));
        }
        for part in &tree.leaf {
            match part {
                Part::Once(_, piece) => self.run(piece)?,
                Part::Each(each) => self.go_over(each, false, chunk)?,
                Part::Tree(_) | Part::Squeeze(_) => return None,
            }
        }
        self.state[tree.vertex].clone()
    }

    /// The vertex of these.
    fn root(&mut self, tree: &Tree, vertices: &[(Port, Vec<u128>)]) -> Option<(Port, Vec<u128>)> {
        if let [vertex] = vertices {
            return Some(vertex.clone());
        }
        let (left, right) = vertices.split_at(Tree::left(vertices.len()));
        let [left, right] = [self.root(tree, left)?, self.root(tree, right)?];
        self.pair = [left, right].into_iter().flat_map(|(_, atoms)| atoms).collect();
        self.run(&tree.pair)?;
        self.state[tree.vertex].clone()
    }

    /// The first bytes of a stream.
    fn squeeze(&mut self, squeeze: &Squeeze, length: usize) -> Option<()> {
        while self.stream.len() < length {
            if !self.stream.is_empty() {
                self.run(&squeeze.advance)?;
            }
            self.run(&squeeze.output)?;
            self.stream.extend_from_slice(&self.block);
        }
        self.stream.truncate(length);
        Some(())
    }

    /// A part of the state as a port reads it: in memory it may have words of another size.
    fn state(&self, state: usize, port: &Port) -> Option<Vec<u128>> {
        let (from, atoms) = self.state[state].as_ref()?;
        match from.ty == port.ty {
            true => Some(atoms.clone()),
            false => from_memory(port, &to_memory(from, atoms)?),
        }
    }

    fn run(&mut self, piece: &Piece) -> Option<()> {
        let entry = piece.program.entry();
        let argument = |(slot, port): (&Slot, &Port)| match *slot {
            Slot::State(k) => self.state(k, port),
            Slot::Input(k) => {
                let mut atoms = self.inputs[k].clone();
                atoms.resize(port.count() as usize, 0);
                Some(atoms)
            }
            Slot::Pair => Some(self.pair.clone()),
            Slot::Block => from_memory(port, &self.block),
            Slot::Given => from_memory(port, &self.given),
            Slot::Present => from_memory(port, &self.present),
            Slot::Marker => from_memory(port, &self.marker),
            Slot::Length(k) => number(port, self.lengths[k]),
            Slot::Number(first) => number(port, first + self.number),
            Slot::Held => Some(vec![self.held]),
            Slot::Before(_) | Slot::Made => None,
            Slot::Result(k) => Some(self.results[k].clone()),
        };
        let arguments: Option<Vec<_>> =
            piece.params.iter().zip(&entry.params).map(argument).collect();
        let results = interp::run(&piece.program, &arguments?);
        for ((slot, port), atoms) in piece.results.iter().zip(&entry.results).zip(results) {
            match *slot {
                Slot::State(k) => self.state[k] = Some((port.clone(), atoms)),
                Slot::Result(k) => {
                    self.results[k] = atoms;
                    self.results[k].truncate(self.sizes[k]);
                }
                Slot::Block => self.block = to_memory(port, &atoms)?,
                Slot::Given => self.given = to_memory(port, &atoms)?,
                Slot::Input(_)
                | Slot::Pair
                | Slot::Present
                | Slot::Marker
                | Slot::Held
                | Slot::Before(_)
                | Slot::Made
                | Slot::Length(_)
                | Slot::Number(_) => return None,
            }
        }
        Some(())
    }
}
