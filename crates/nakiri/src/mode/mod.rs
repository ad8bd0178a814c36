//! Modes: programs around streams of bytes. A stream is padded and cut into blocks; what goes from block to block, the
//! *state*, is variables of fixed size. So a mode is a few programs without streams, its *pieces*, and this description of
//! what is done with them. It is the same for every language: emitters print it, and [`evaluate`] is what it means.
//!
//! ```text
//! state = start(inputs)
//! for block in pad(stream): state, given = body(state, block)       the last one by a piece of its own, if there is one
//! results = finish(state)
//! loop: block = output(state); if more is wanted: state = advance(state)
//! ```
//!
//! A [`Tree`] stands where a loop does: it makes a part of the state, a *vertex*, of each chunk of a stream, and one of each two.

mod evaluate;
pub mod hmac;
mod padding;
mod tree;

use crate::core::{Layout, Port, Program};
use crate::layout::port_bytes;
pub use evaluate::{evaluate, open};
pub use padding::{more_digits, Encoding, Last, Padding, Prefix, MOST_DIGITS};
pub use tree::Tree;

/// A mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its name in the source.
    pub name: String,
    /// What it takes beside streams: a key, say.
    pub inputs: Vec<Port>,
    /// Whether each of these is the same for all messages of a batch.
    pub shared: Vec<bool>,
    /// The names of the streams that it takes.
    pub streams: Vec<String>,
    /// The most bytes that each of them may have, if it says so.
    pub most: Vec<Option<u64>>,
    /// What it gives beside a stream.
    pub results: Vec<Port>,
    /// What goes from block to block and from piece to piece.
    pub state: Vec<Port>,
    /// What is done, in order.
    pub parts: Vec<Part>,
}

/// A part of a mode.
#[derive(Clone, Debug)]
pub enum Part {
    /// A piece, once; with its name.
    Once(String, Piece),
    /// A loop over a stream that it takes.
    Each(Box<Each>),
    /// A tree over one.
    Tree(Box<Tree>),
    /// The loop that makes a stream of the state.
    Squeeze(Box<Squeeze>),
}

/// A loop over a stream.
#[derive(Clone, Debug)]
pub struct Each {
    /// What follows the names of its pieces: its number, if there are several loops.
    pub number: String,
    /// Which of the streams.
    pub stream: usize,
    /// Whether it is over what another loop gives of this stream, there and back.
    pub over_given: bool,
    /// How the stream ends.
    pub padding: Padding,
    /// The stream that it gives, if it gives one.
    pub given: Option<Given>,
    /// Nothing is done for a stream without bytes.
    pub unless_empty: bool,
    /// Only a last block that is not whole is padded; a stream without bytes is such a block.
    pub pads_short: bool,
    /// Every block is whole: a stream of another length is refused.
    pub whole: bool,
    /// From the state and a block to the state, and to a block of another stream if it gives one.
    pub blocks: Blocks,
    /// The way back, if a stream is given of which each block is the sum of a block and what doesn't depend on it, or if it is
    /// written: it takes the stream that is given, and gives the one that is taken.
    pub opened: Option<Blocks>,
}

/// A stream that a loop gives.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its name.
    pub stream: String,
    /// What stands behind its end where the loop reads a block.
    pub padding: Padding,
}

/// What is done with the blocks of a stream.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// With each.
    pub body: Piece,
    /// With the last one instead.
    pub last: Option<Piece>,
    /// With a last one that is not whole, if that is something else.
    pub short: Option<Piece>,
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
    /// The same, as it is before the block: a list of those of several blocks.
    Before(usize),
    /// This input of the mode.
    Input(usize),
    /// What is made of a block without the state, for what waits for that.
    Made,
    /// A block of the stream that is taken, with its padding, or squeezed.
    Block,
    /// Two vertices of a tree, one after the other.
    Pair,
    /// A block of the stream that is given for each of the one that is taken, with its padding.
    Given,
    /// Ones where a block has bytes of its stream.
    Present,
    /// What the padding adds to the block that is made.
    Marker,
    /// How many bits of the stream the block has, a number of any size.
    Held,
    /// The length of this stream in bits, a number of 64 bits.
    Length(usize),
    /// The number of the block, of 64 bits, where the first one has this.
    Number(u64),
    /// This result of the mode; as a parameter, that which is known already or, on the way back, came with the text.
    Result(usize),
}

/// The lengths that a stream may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// In bytes, at most; any without it.
    pub most: Option<u64>,
    /// A multiple of so many bytes.
    pub unit: usize,
}

/// The least common multiple of two sizes.
fn common_multiple(a: usize, b: usize) -> usize {
    (1..b).map(|k| k * a).find(|multiple| multiple.is_multiple_of(b)).unwrap_or(a * b)
}

impl Limit {
    /// Whether a stream may have so many bytes.
    pub fn allows(&self, bytes: usize) -> bool {
        bytes.is_multiple_of(self.unit) && self.most.is_none_or(|most| bytes as u64 <= most)
    }

    /// What is allowed, in words, of a stream of this name.
    pub fn told(&self, stream: &str) -> String {
        match (self.unit, self.most) {
            (1, Some(most)) => format!("{stream} has at most {most} bytes"),
            (unit, Some(most)) => {
                format!("{stream} has a multiple of {unit} bytes, at most {most}")
            }
            (unit, None) => format!("{stream} has a multiple of {unit} bytes"),
        }
    }

    /// Whether some lengths are refused.
    pub fn refuses(&self) -> bool {
        self.unit > 1 || self.most.is_some()
    }
}

/// A mode that takes one stream, and doesn't know its length: its message may come in parts.
#[derive(Clone, Copy, Debug)]
pub struct Hash<'a> {
    /// From the inputs to the state. Without a parameter it is a constant; all of the state is inputs without it.
    pub start: Option<&'a Piece>,
    /// The loop over it.
    pub each: &'a Each,
    /// Pieces from the state to the results, or to the state from which blocks are squeezed: several if there are views among them.
    pub finish: &'a [Part],
    /// How the result is made, if it is a stream.
    pub squeeze: Option<&'a Squeeze>,
}

impl Mode {
    /// The mode as one whose message may come in parts, if it is such.
    pub fn hash(&self) -> Option<Hash<'_>> {
        let (start, rest) = match &self.parts[..] {
            [Part::Once(_, start), rest @ ..] => (Some(start), rest),
            rest => (None, rest),
        };
        let (Part::Each(each), rest) = rest.split_first()? else { return None };
        let (squeeze, finish) = match rest {
            [finish @ .., Part::Squeeze(squeeze)] => (Some(&**squeeze), finish),
            finish => (None, finish),
        };
        let counts = |slot: &Slot| matches!(slot, Slot::Length(_) | Slot::Number(_));
        let mut pieces = self.parts.iter().flat_map(Part::pieces);
        let known = pieces.all(|piece| !piece.params.iter().any(counts));
        let around = each.padding.has_front() || !each.padding.suffix.is_empty();
        let any = !around && !self.refuses();
        let plain = any && !each.gives() && !each.unless_empty;
        let alone = known && plain && finish.iter().all(|part| part.once().is_some());
        alone.then_some(Hash { start, each, finish, squeeze })
    }

    /// What is done first, if no loop is.
    pub fn start(&self) -> Option<&Piece> {
        self.parts.first().and_then(Part::once)
    }

    /// The lengths that a stream may have.
    pub fn limit(&self, stream: usize) -> Limit {
        let own = || self.loops().filter(|each| each.stream == stream);
        let prefix = own().find_map(|each| each.padding.prefix);
        let fits = prefix.and_then(Prefix::most);
        let most = [self.most[stream], fits].into_iter().flatten().min();
        let units = own().filter(|each| each.whole).map(Each::block_bytes);
        Limit { most, unit: units.fold(1, common_multiple) }
    }

    /// Whether it refuses some lengths.
    pub fn refuses(&self) -> bool {
        (0..self.streams.len()).any(|stream| self.limit(stream).refuses())
    }

    /// The loops over streams that it takes.
    pub fn loops(&self) -> impl Iterator<Item = &Each> {
        let leaves = self.parts.iter().flat_map(|part| match part {
            Part::Tree(tree) => &tree.leaf[..],
            other => std::slice::from_ref(other),
        });
        leaves.filter_map(|part| match part {
            Part::Each(each) => Some(&**each),
            Part::Once(..) | Part::Tree(_) | Part::Squeeze(_) => None,
        })
    }

    /// Its trees.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.parts.iter().filter_map(|part| match part {
            Part::Tree(tree) => Some(&**tree),
            Part::Once(..) | Part::Each(_) | Part::Squeeze(_) => None,
        })
    }

    /// Whether it has any.
    pub fn has_trees(&self) -> bool {
        self.trees().next().is_some()
    }

    /// Whether its message may come in parts: it takes one stream, from its first byte to its last, and doesn't know its length.
    pub fn has_parts(&self) -> bool {
        let is_tree = self.trees().count() == 1 && self.streams.len() == 1 && !self.refuses();
        self.hash().is_some() || is_tree
    }

    /// The parts in the order in which they are done. If a stream is gone over twice, the second loop makes the text on the way back,
    /// which the first one and the results need. Where what is given is gone over, that is done first there.
    pub fn order(&self, back: bool) -> Vec<&Part> {
        let is_over = |part: &Part| matches!(part, Part::Each(each) if each.over_given);
        if let Some(over) = self.parts.iter().position(is_over).filter(|_| back) {
            let gives = |part: &&Part| matches!(part, Part::Each(each) if each.gives());
            let (before, behind) = self.parts.split_at(over + 1);
            let others = before.iter().filter(|part| !gives(part));
            return others.chain(before.iter().filter(gives)).chain(behind).collect();
        }
        let is_first = |part: &&Part| matches!(part, Part::Each(each) if self.is_repeated(each));
        let first = self.parts.iter().position(|part| is_first(&part)).filter(|_| back);
        let Some(first) = first else { return self.parts.iter().collect() };
        let (before, rest) = self.parts.split_at(first);
        let (results, again) = rest.split_at(2.min(rest.len()));
        [before, again, results].into_iter().flatten().collect()
    }

    /// Whether another loop over its stream follows a loop, which gives a stream beside it.
    pub fn is_repeated(&self, each: &Each) -> bool {
        let beside = |giving: &Each| giving.stream == each.stream;
        !each.gives() && !each.over_given && self.giving().is_some_and(beside)
    }

    /// The loop that gives a stream, if there is one.
    pub fn giving(&self) -> Option<&Each> {
        self.loops().find(|each| each.gives())
    }

    /// How its result is made, if that is a stream that is no longer than wanted.
    pub fn squeeze(&self) -> Option<&Squeeze> {
        self.parts.iter().find_map(Part::squeeze)
    }

    /// The size of a block of the stream that it goes over first, in bytes.
    pub fn block_bytes(&self) -> usize {
        self.loops().next().map_or(0, Each::block_bytes)
    }

    /// The size of a block of the stream that it squeezes, in bytes; 0 if it gives none.
    pub fn output_bytes(&self) -> usize {
        self.squeeze().map_or(0, |squeeze| squeeze.output.bytes(Slot::Block))
    }

    /// The size of its results, in bytes, without streams.
    pub fn result_bytes(&self) -> usize {
        self.results.iter().map(port_bytes).sum()
    }

    /// The size of what it takes beside streams, in bytes.
    pub fn input_bytes(&self) -> usize {
        self.inputs.iter().map(port_bytes).sum()
    }

    /// Its loops, that which counts most first: the message is the last stream. Of two loops over it that is the first, because a
    /// code is not cheap in as many slicings as what encrypts; of what is given a code may be in any.
    fn by_weight(&self) -> Vec<&Each> {
        let mut loops: Vec<&Each> = self.loops().collect();
        loops.reverse();
        loops.sort_by_key(|each| (each.over_given, !self.is_repeated(each)));
        loops
    }

    /// Its programs with their names, the main one first. One without parameters is none: it is a constant.
    pub fn pieces(&self) -> Vec<(String, &Piece)> {
        let mut pieces: Vec<_> = self.by_weight().into_iter().flat_map(Each::pieces).collect();
        for part in &self.parts {
            match part {
                Part::Once(name, piece) => pieces.push((name.clone(), piece)),
                Part::Each(_) => {}
                Part::Tree(tree) => pieces.extend(tree.around()),
                Part::Squeeze(squeeze) => {
                    pieces.push(("output".to_string(), &squeeze.output));
                    pieces.push(("advance".to_string(), &squeeze.advance));
                }
            }
        }
        pieces.retain(|(_, piece)| !piece.params.is_empty());
        pieces
    }

    /// The program whose price decides for all: what takes the blocks of the message.
    pub fn main(&self) -> Option<&Program> {
        self.by_weight().first().map(|each| &each.blocks.body.program)
    }
}

impl Part {
    /// All of its pieces.
    pub fn pieces(&self) -> Vec<&Piece> {
        match self {
            Part::Once(_, piece) => vec![piece],
            Part::Tree(tree) => {
                tree.leaf.iter().flat_map(Part::pieces).chain([&tree.pair]).collect()
            }
            Part::Each(each) => {
                let blocks = [Some(&each.blocks), each.opened.as_ref()].into_iter().flatten();
                blocks.flat_map(Blocks::pieces).collect()
            }
            Part::Squeeze(squeeze) => vec![&squeeze.output, &squeeze.advance],
        }
    }

    /// The same, to be changed.
    pub fn pieces_mut(&mut self) -> Vec<&mut Piece> {
        match self {
            Part::Once(_, piece) => vec![piece],
            Part::Tree(tree) => {
                let leaf = tree.leaf.iter_mut().flat_map(Part::pieces_mut);
                leaf.chain([&mut tree.pair]).collect()
            }
            Part::Each(each) => {
                let ways = [Some(&mut each.blocks), each.opened.as_mut()].into_iter().flatten();
                ways.flat_map(Blocks::pieces_mut).collect()
            }
            Part::Squeeze(squeeze) => vec![&mut squeeze.output, &mut squeeze.advance],
        }
    }

    fn once(&self) -> Option<&Piece> {
        match self {
            Part::Once(_, piece) => Some(piece),
            Part::Each(_) | Part::Tree(_) | Part::Squeeze(_) => None,
        }
    }

    fn squeeze(&self) -> Option<&Squeeze> {
        match self {
            Part::Squeeze(squeeze) => Some(squeeze),
            Part::Once(..) | Part::Each(_) | Part::Tree(_) => None,
        }
    }
}

impl Each {
    /// Whether it gives a stream.
    pub fn gives(&self) -> bool {
        self.given.is_some()
    }

    /// The size of a block, in bytes.
    pub fn block_bytes(&self) -> usize {
        self.blocks.body.bytes(Slot::Block)
    }

    /// The paddings of the stream that is read and of the one that is made, there or back.
    pub fn paddings(&self, back: bool) -> (Padding, Padding) {
        let given = self.given.as_ref().map_or(Padding::NONE, |given| given.padding.clone());
        let own = self.padding.clone();
        match back {
            false => (own, given),
            true => (given, own),
        }
    }

    /// Whether every stream has a block.
    pub fn is_certain(&self) -> bool {
        let Padding { suffix, first, .. } = &self.padding;
        let adds = self.padding.has_front() || !suffix.is_empty() || first.is_some();
        !self.unless_empty && (self.pads_short || adds)
    }

    /// The blocks of a stream, of which the last is filled up.
    pub fn padded(&self, stream: &[u8]) -> Vec<u8> {
        let size = self.block_bytes();
        if self.unless_empty && stream.is_empty() {
            return Vec::new();
        }
        match self.pads_short {
            true if !stream.is_empty() && stream.len().is_multiple_of(size) => stream.to_vec(),
            true => self.padding.padded(stream, stream.len().div_ceil(size).max(1) * size),
            false => self.padding.padded(stream, self.padding.blocks(stream.len(), size) * size),
        }
    }

    /// What is done with blocks there, or on the way back, and the names of the pieces.
    pub fn way(&self, back: bool) -> Option<(&Blocks, [String; 3])> {
        let back = back && self.gives();
        let names = if back { ["open", "end", "tail"] } else { ["absorb", "last", "short"] };
        let blocks = if back { self.opened.as_ref() } else { Some(&self.blocks) };
        blocks.map(|blocks| (blocks, names.map(|name| format!("{name}{}", self.number))))
    }

    fn pieces(&self) -> impl Iterator<Item = (String, &Piece)> {
        let ways = [false, true].into_iter().filter(|back| !back || self.gives());
        let ways = ways.filter_map(|back| self.way(back));
        ways.flat_map(|(blocks, names)| {
            let all = [Some(&blocks.body), blocks.last.as_ref(), blocks.short.as_ref()];
            names.into_iter().zip(all).filter_map(|(name, piece)| Some((name, piece?)))
        })
    }
}

impl Blocks {
    /// All of its pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        [Some(&self.body), self.last.as_ref(), self.short.as_ref()].into_iter().flatten()
    }

    fn pieces_mut(&mut self) -> impl Iterator<Item = &mut Piece> {
        let ends = [self.last.as_mut(), self.short.as_mut()];
        std::iter::once(&mut self.body).chain(ends.into_iter().flatten())
    }

    /// What is done with the last block, and which of the pieces that is: the body, `last` or `short`.
    pub fn end(&self, whole: bool) -> (usize, &Piece) {
        match (&self.last, &self.short) {
            (_, Some(short)) if !whole => (2, short),
            (Some(last), _) => (1, last),
            (None, _) => (0, &self.body),
        }
    }
}

impl Piece {
    /// Gives it whole rows, so that it is legal under -P where nothing but inputs, lengths, numbers and results end within a row: zeros
    /// follow these up to its end.
    pub fn fill_rows(&mut self) {
        let func = &mut self.program.funcs[self.program.entry.index()];
        let is_input =
            |slot: &Slot| matches!(slot, Slot::Input(_) | Slot::Length(_) | Slot::Number(_));
        let is_result = |slot: &Slot| matches!(slot, Slot::Result(_));
        let params = self.params.iter().zip(&func.params).filter(|(slot, _)| !is_input(slot));
        let results = self.results.iter().zip(&func.results).filter(|(slot, _)| !is_result(slot));
        let row = |(_, port): (_, &Port)| (port.ty, port.shape.last().copied());
        let mut rows = params.chain(results).map(row);
        let Some((ty, Some(length))) = rows.next() else { return };
        if rows.any(|other| other != (ty, Some(length))) {
            return;
        }
        let is_part = |port: &Port| {
            let part = port.ty == ty && matches!(port.shape[..], [own] if own != length);
            part && matches!(port.layout, Layout::Le | Layout::Be)
        };
        for (slot, port) in self.params.iter().zip(&mut func.params) {
            if is_input(slot) && is_part(port) {
                let rows = port.shape[0].div_ceil(length);
                port.shape = if rows > 1 { vec![rows, length] } else { vec![length] };
            }
        }
        for (k, slot) in self.results.iter().enumerate() {
            // Longer rows are no register anywhere.
            let is_register = u64::from(ty.bits()) * u64::from(length) == 128;
            let is_short = matches!(func.results[k].shape[..], [own] if own < length);
            if is_result(slot) && is_register && is_short && is_part(&func.results[k]) {
                func.fill_result(k, length);
            }
        }
    }

    /// The size of what a parameter or result is, in bytes; 0 if none is that.
    pub fn bytes(&self, slot: Slot) -> usize {
        self.ports().find(|(own, _)| *own == slot).map_or(0, |(_, port)| port_bytes(port))
    }

    /// Whether it has such a parameter or result.
    pub fn has(&self, slot: Slot) -> bool {
        self.params.contains(&slot) || self.results.contains(&slot)
    }

    /// The streams whose length it takes.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.params.iter().filter_map(|slot| match slot {
            Slot::Length(stream) => Some(*stream),
            _ => None,
        })
    }

    /// The numbers of the block that it takes: those that the first one has.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.numbered().map(|(_, first)| first)
    }

    /// The parameters that are these, with them.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.params.iter().enumerate().filter_map(|(param, slot)| match slot {
            Slot::Number(first) => Some((param, *first)),
            _ => None,
        })
    }

    /// Its parameters and results, with what they are.
    pub fn ports(&self) -> impl Iterator<Item = (Slot, &Port)> {
        let entry = self.program.entry();
        let params = self.params.iter().copied().zip(&entry.params);
        params.chain(self.results.iter().copied().zip(&entry.results))
    }
}
