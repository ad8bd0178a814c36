//! What the functions of a mode have in common: where its values lie, and runs of its pieces on them.

use super::{
    stmts, Action, Argument, By, ByteOrder, Bytes, Condition, Kind, Length, Param, Place, Run,
    Size, Stmt,
};
use crate::core::{interp, Port};
use crate::emit::identifier;
use crate::emit::library::{Instance, Parallel, Stretch};
use crate::layout::{port_bytes, to_memory};
use crate::mode::{more_digits, Each, Mode, Padding, Part, Piece, Prefix, Slot, MOST_DIGITS};

pub const OUT: &str = "out";
/// What should come out, on the way back.
pub const EXPECTED: &str = "expected";
/// Ones if it did, else zeros.
pub const VERDICT: &str = "verdict";

pub fn named(name: &str) -> Bytes {
    Bytes::Named(name.to_string())
}

/// The array of a value where each lane has one.
pub fn array_of(value: &Value) -> Bytes {
    named(&value.name)
}

/// The number of the lane at hand.
pub fn lane() -> Size {
    "lane".into()
}

/// For each of the lanes that are in use, as many as `now` says.
pub fn each_lane(body: Vec<Stmt>) -> Stmt {
    Stmt::For("lane".to_string(), "now".into(), body)
}

pub fn in_context(name: &str) -> Bytes {
    Bytes::Context(name.to_string())
}

pub fn param(name: &str, kind: Kind) -> Param {
    Param { name: name.to_string(), kind }
}

pub fn count(name: &str) -> Size {
    Size::Count(name.to_string())
}

pub fn at(name: &str, index: impl Into<Size>) -> Size {
    Size::At(name.to_string(), Box::new(index.into()))
}

pub fn least(a: impl Into<Size>, b: impl Into<Size>) -> Size {
    Size::Least(Box::new(a.into()), Box::new(b.into()))
}

pub fn less(a: impl Into<Size>, b: impl Into<Size>) -> Condition {
    Condition::Less(a.into(), b.into())
}

pub fn set(name: &str, value: impl Into<Size>) -> Stmt {
    Stmt::Set(name.to_string(), value.into())
}

pub fn let_(name: &str, value: impl Into<Size>) -> Action {
    Action::Let(name.to_string(), value.into())
}

/// A part of the state, an input, or a result.
pub struct Value {
    /// Its name in functions and contexts, unlike all others.
    pub name: String,
    /// The parameter by which it comes, if it is an input.
    pub given: String,
    /// Its size in bytes.
    pub size: usize,
}

impl Value {
    /// As it is for one of several blocks.
    pub fn lane(&self, of: String, lane: &str) -> Place {
        Place::at(Bytes::Named(of), Size::from(lane) * self.size, self.size)
    }

    /// As it is for one block alone.
    pub fn alone(&self, of: Bytes) -> Place {
        Place::first(of, self.size)
    }
}

/// Where values lie, for some blocks.
pub struct Homes<'h> {
    /// The array of a part of the state.
    pub state: &'h dyn Fn(&Value) -> Bytes,
    /// That of an input.
    pub input: &'h dyn Fn(&Value) -> Bytes,
    /// Where blocks lie.
    pub block: &'h dyn Fn(Slot) -> Place,
    /// Where results lie that are known before.
    pub known: &'h dyn Fn(usize) -> Place,
    /// How many blocks.
    pub blocks: Size,
    /// How many there is room for.
    pub room: usize,
    /// How many blocks of each text.
    pub stretch: usize,
}

impl<'h> Homes<'h> {
    /// Of one block.
    pub fn alone(
        state: &'h dyn Fn(&Value) -> Bytes,
        input: &'h dyn Fn(&Value) -> Bytes,
        block: &'h dyn Fn(Slot) -> Place,
    ) -> Homes<'h> {
        Homes { state, input, block, known: &|_| no_block(), blocks: 1.into(), room: 1, stretch: 1 }
    }

    /// A value for all blocks, in an array.
    fn all(&self, value: &Value, of: Bytes) -> Place {
        Place::first(of, self.blocks.clone() * value.size)
    }

    /// What is done for each block.
    fn each(&self, action: &dyn Fn(Size) -> Action) -> Vec<Stmt> {
        match self.room {
            1 => stmts![action(0.into())],
            _ => {
                let body = stmts![action("lane".into())];
                vec![Stmt::For("lane".to_string(), self.blocks.clone(), body)]
            }
        }
    }
}

/// Where a piece reads or writes, and what is done for that before it runs and after.
#[derive(Default)]
struct Places {
    places: Vec<Place>,
    before: Vec<Stmt>,
    after: Vec<Stmt>,
}

/// No block, for pieces that know none.
pub fn no_block() -> Place {
    Place::first(named("block"), 0)
}

/// A mode as functions over bytes.
pub struct Lowering<'a> {
    pub mode: &'a Mode,
    pub state: Vec<Value>,
    pub inputs: Vec<Value>,
    pub results: Vec<Value>,
    /// The parameters by which the streams come.
    pub streams: Vec<String>,
    /// That by which the stream that it gives comes on the way back.
    pub given: Option<String>,
    /// The most lanes of a batch.
    pub lanes: usize,
    /// What takes several blocks of each message at once.
    pub stretches: &'a [Stretch],
    /// What takes many blocks of a message alone side by side.
    pub parallels: &'a [Parallel],
    /// For each variant the bytes below which it takes a message alone among many, there and back.
    pub alone_below: [Vec<usize>; 2],
    /// The most lanes for which several blocks of each are done at once.
    pub stretched_lanes: usize,
}

impl<'a> Lowering<'a> {
    /// Of the mode of an instance, with so many lanes at most.
    pub fn new(instance: &'a Instance, mode: &'a Mode, most: usize) -> Lowering<'a> {
        let variants = instance.functions.iter().map(|function| function.variants.len());
        let lanes = (0..variants.max().unwrap_or(0)).map(|variant| instance.lanes(variant));
        let all = |ports: &[Port]| ports.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        let sizes = |ports: &[Port]| ports.iter().map(port_bytes).collect::<Vec<_>>();
        let (inputs, state) = (all(&mode.inputs), all(&mode.state));
        let back = mode.giving().and_then(|each| Some(&each.given.as_ref()?.stream));
        let given = given(inputs.iter().chain(&mode.streams).chain(back).map(|name| &**name));
        let (given, streams) = given.split_at(inputs.len());
        let (streams, back) = streams.split_at(mode.streams.len());
        let values = |first: usize, names: &[String], sizes: &[usize], given: &[String]| {
            let value = |k: usize| Value {
                name: format!("v{}_{}", first + k, plain(&names[k])),
                given: given.get(k).cloned().unwrap_or_default(),
                size: sizes[k],
            };
            (0..names.len()).map(value).collect::<Vec<_>>()
        };
        let (first, behind) = (state.len(), state.len() + inputs.len());
        Lowering {
            mode,
            state: values(0, &state, &sizes(&mode.state), &[]),
            inputs: values(first, &inputs, &sizes(&mode.inputs), given),
            results: values(behind, &all(&mode.results), &sizes(&mode.results), &[]),
            streams: streams.to_vec(),
            given: back.first().cloned(),
            lanes: lanes.max().unwrap_or(1).min(most),
            stretches: &instance.stretches,
            parallels: &instance.parallels,
            alone_below: [false, true].map(|back| instance.alone_below(back)),
            stretched_lanes: instance.stretched_lanes().min(most),
        }
    }

    /// The start, if it makes a constant.
    pub fn constant(&self) -> Option<&Piece> {
        self.mode.start().filter(|start| start.params.is_empty())
    }

    /// What pieces without parameters make, which is constant: the state with which messages begin, mostly.
    ///
    /// # Errors
    /// If a part of it can't lie in memory.
    pub fn constants(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let leaves = self.mode.trees().flat_map(|tree| &tree.leaf);
        let once = self.mode.parts.iter().chain(leaves).filter_map(|part| match part {
            Part::Once(name, piece) if piece.params.is_empty() => Some((name, piece)),
            _ => None,
        });
        let mut constants = Vec::new();
        for (name, piece) in once {
            let values = interp::run(&piece.program, &[]);
            let ports = piece.program.entry().results.iter().zip(values);
            for (slot, (port, atoms)) in piece.results.iter().zip(ports) {
                let bytes = to_memory(port, &atoms).ok_or("the state has no layout in memory")?;
                constants.extend(self.value(*slot).map(|value| (constant(name, value), bytes)));
            }
        }
        Ok(constants)
    }

    /// What is done for each message, there or back, but for a start that makes a constant.
    pub fn parts(&self, back: bool) -> impl Iterator<Item = &'a Part> {
        let constant = usize::from(self.constant().is_some());
        self.mode.order(back).into_iter().skip(constant)
    }

    /// Where the results of message `of` lie that are known: in the output or, on the way back, among what came with the text.
    pub fn known(&self, result: usize, back: bool, of: impl Into<Size>) -> Place {
        let before: usize = self.results[..result].iter().map(|value| value.size).sum();
        let from = of.into() * self.mode.result_bytes() + before;
        Place::at(named(if back { EXPECTED } else { OUT }), from, self.results[result].size)
    }

    /// The parameter by which the stream of a loop comes.
    pub fn stream(&self, each: &Each) -> &str {
        &self.streams[each.stream]
    }

    /// The streams whose lengths pieces take.
    pub fn lengths(&self) -> Vec<usize> {
        let pieces: Vec<&Piece> = self.mode.parts.iter().flat_map(Part::pieces).collect();
        let is_used = |k: &usize| pieces.iter().any(|piece| piece.lengths().any(|own| own == *k));
        (0..self.streams.len()).filter(is_used).collect()
    }

    /// How many blocks a stream of a loop has.
    pub fn blocks(&self, each: &Each, length: Size) -> Size {
        let size = each.block_bytes();
        let front = in_front(&each.padding, length.clone());
        let length = length + front + each.padding.suffix.len();
        let none = Size::from(1) - least(1, length.clone());
        match each.padding.first {
            _ if each.pads_short && each.is_certain() => (length + (size - 1)) / size + none,
            _ if each.pads_short => (length + (size - 1)) / size,
            Some(_) => (length + each.padding.reserved()) / size + 1,
            None => (length + (size - 1)) / size,
        }
    }

    /// What comes out beside a stream that is given; on the way back what is expected, and a byte for the verdict.
    pub fn result(&self, back: bool) -> Vec<Param> {
        let size = self.mode.result_bytes();
        match (self.mode.squeeze(), back) {
            (Some(_), _) => vec![param(OUT, Kind::Output)],
            (None, _) if size == 0 => vec![],
            (None, false) => vec![param(OUT, Kind::OutputOf(size))],
            (None, true) => {
                vec![param(VERDICT, Kind::OutputOf(1)), param(EXPECTED, Kind::InputOf(size))]
            }
        }
    }

    /// The inputs, each by a parameter of its own.
    pub fn input_params(&self) -> Vec<Param> {
        let param = |value: &Value| param(&value.given, Kind::InputOf(value.size));
        self.inputs.iter().map(param).collect()
    }

    /// Runs a piece. One without parameters is a constant.
    pub fn run(&self, function: &str, piece: &Piece, homes: &Homes, body: &mut Vec<Stmt>) {
        self.run_with(function, piece, homes, Vec::new(), body);
    }

    /// Runs a piece with more parameters than its own.
    pub fn run_with(
        &self,
        function: &str,
        piece: &Piece,
        homes: &Homes,
        more: Vec<Place>,
        body: &mut Vec<Stmt>,
    ) {
        if piece.params.is_empty() {
            return body.extend(self.settle_all(function, piece, homes));
        }
        let (params, results) =
            (self.arguments(function, piece, homes), self.outcomes(function, piece, homes));
        let blocks = homes.blocks.clone();
        let given = [params.places, more].concat();
        let function = function.to_string();
        let run = Run { function, by: By::Own, results: results.places, params: given, blocks };
        body.extend([params.before, results.before].concat());
        body.push(Action::Run(run).into());
        body.extend([results.after, params.after].concat());
    }

    /// Where what a piece reads or writes lies by itself.
    pub fn home(&self, piece: &Piece, slot: Slot, homes: &Homes) -> Place {
        match slot {
            Slot::State(k) => homes.all(&self.state[k], (homes.state)(&self.state[k])),
            Slot::Input(k) => homes.all(&self.inputs[k], (homes.input)(&self.inputs[k])),
            Slot::Result(k) => homes.all(&self.results[k], named(&self.results[k].name)),
            Slot::Length(k) => Place::first(named(&length(k)), homes.blocks.clone() * LENGTH),
            Slot::Block
            | Slot::Given
            | Slot::Present
            | Slot::Marker
            | Slot::Held
            | Slot::Made
            | Slot::Pair
            | Slot::Before(_) => (homes.block)(slot),
            Slot::Number(_) => {
                let count = homes.blocks.clone() * (homes.stretch * piece.bytes(slot));
                Place { count, ..(homes.block)(slot) }
            }
        }
    }

    /// Where a piece reads. What it changes is copied before, so that no result lies where a parameter does.
    fn arguments(&self, function: &str, piece: &Piece, homes: &Homes) -> Places {
        let mut all = Places::default();
        for (slot, port) in piece.params.iter().zip(&piece.program.entry().params) {
            let (own, bytes) = (self.input_size(*slot), port_bytes(port));
            let place = match *slot {
                _ if own.is_some_and(|own| own < bytes) => {
                    let wide = format!("wide_{function}_{}", plain(&port.name));
                    let from = self.home(piece, *slot, homes);
                    all.before.extend(widened(&wide, bytes, &from, own.unwrap_or(0), homes));
                    all.after.push(Action::Clear(wide.clone()).into());
                    Place::first(named(&wide), homes.blocks.clone() * bytes)
                }
                Slot::State(k) if piece.results.contains(slot) => {
                    let value = &self.state[k];
                    let before = format!("before_{function}_{}", value.name);
                    let own = homes.all(value, named(&before));
                    all.before.extend(stmts![
                        Action::Bytes(before.clone(), homes.room * value.size),
                        Action::Aside(own.clone(), self.home(piece, *slot, homes)),
                    ]);
                    all.after.push(Action::Clear(before).into());
                    own
                }
                Slot::Result(k) => (homes.known)(k),
                _ => self.home(piece, *slot, homes),
            };
            all.places.push(place);
        }
        all
    }

    /// Where a piece writes. A result that is a part of a row is copied from the row.
    fn outcomes(&self, function: &str, piece: &Piece, homes: &Homes) -> Places {
        let mut all = Places::default();
        for (slot, port) in piece.results.iter().zip(&piece.program.entry().results) {
            let (home, bytes) = (self.home(piece, *slot, homes), port_bytes(port));
            let place = match *slot {
                Slot::Result(k) if self.results[k].size < bytes => {
                    let (wide, own) =
                        (format!("wide_{function}_{}", plain(&port.name)), self.results[k].size);
                    all.before.push(Action::Bytes(wide.clone(), homes.room * bytes).into());
                    all.after.extend(homes.each(&|block: Size| {
                        let from = home.from.clone() + block.clone() * own;
                        let to = Place::at(home.of.clone(), from, own);
                        Action::Copy(to, Place::at(named(&wide), block * bytes, own))
                    }));
                    all.after.push(Action::Clear(wide.clone()).into());
                    Place::first(named(&wide), homes.blocks.clone() * bytes)
                }
                _ => home,
            };
            all.places.push(place);
        }
        all
    }

    /// The bytes of an input or of a length, as they come.
    fn input_size(&self, slot: Slot) -> Option<usize> {
        match slot {
            Slot::Input(k) => Some(self.inputs[k].size),
            Slot::Length(_) => Some(LENGTH),
            _ => None,
        }
    }

    /// The part of the state or the result that this is.
    fn value(&self, slot: Slot) -> Option<&Value> {
        match slot {
            Slot::State(k) => self.state.get(k),
            Slot::Result(k) => self.results.get(k),
            _ => None,
        }
    }

    /// What a piece without parameters makes, for all blocks.
    fn settle_all(&self, function: &str, piece: &Piece, homes: &Homes) -> Vec<Stmt> {
        let of = |slot, value: &Value| match slot {
            Slot::State(_) => (homes.state)(value),
            _ => named(&value.name),
        };
        match homes.room {
            1 => self.settle(function, piece, &|slot, value| value.alone(of(slot, value))),
            _ => {
                let lane = |slot, value: &Value| {
                    Place::at(of(slot, value), Size::from("lane") * value.size, value.size)
                };
                let copies = self.settle(function, piece, &lane);
                vec![Stmt::For("lane".to_string(), homes.blocks.clone(), copies)]
            }
        }
    }

    /// What a piece without parameters makes, to its places.
    pub fn settle(
        &self,
        function: &str,
        piece: &Piece,
        place: &dyn Fn(Slot, &Value) -> Place,
    ) -> Vec<Stmt> {
        let copy = |slot: &Slot| {
            let value = self.value(*slot)?;
            let from = value.alone(Bytes::Constant(constant(function, value)));
            Some(Action::Copy(place(*slot, value), from).into())
        };
        piece.results.iter().filter_map(copy).collect()
    }
}

/// How many bytes stand in front of a stream of so many.
pub fn in_front(padding: &Padding, length: Size) -> Size {
    match padding.prefix {
        Some(Prefix::Bits) => digits(length) + (padding.front.len() + 1),
        Some(Prefix::Bytes(_)) | None => padding.most_in_front().into(),
    }
}

/// In how many bytes the number of bits of so many bytes is written.
pub fn digits(length: Size) -> Size {
    let more = (1..MOST_DIGITS).map(|than| least(1, length.clone() / more_digits(than)));
    more.fold(Size::from(1), |all, more| all + more)
}

/// For each block what is a part of a row, with zeros up to its end, in an array of this name.
fn widened(name: &str, bytes: usize, from: &Place, own: usize, homes: &Homes) -> Vec<Stmt> {
    let array = Action::Bytes(name.to_string(), homes.room * bytes);
    let all = Place::first(named(name), homes.blocks.clone() * bytes);
    let copy = |lane: Size| {
        let to = Place::at(named(name), lane.clone() * bytes, own);
        let from = Place::at(from.of.clone(), from.from.clone() + lane * own, own);
        Action::Copy(to, from)
    };
    let mut body = stmts![array, Action::Zero(all)];
    body.extend(homes.each(&copy));
    body
}

/// The name of the piece that is done first.
pub const START: &str = "start";
/// The bytes of a length.
pub const LENGTH: usize = 8;

/// The constant that a piece without parameters makes of a value.
fn constant(piece: &str, value: &Value) -> String {
    format!("{piece}_{}", value.name)
}

/// The array of the length of a stream.
pub fn length(stream: usize) -> String {
    format!("length{stream}")
}

/// Stores a length.
pub fn store_length(stream: usize, at: Size, of: Size) -> Action {
    let place = Place::at(named(&length(stream)), at * LENGTH, LENGTH);
    Action::StoreBits(place, Length::Of(of), ByteOrder::Little)
}

/// A name of a source in what languages don't tell apart.
fn plain(name: &str) -> String {
    identifier(name).to_lowercase()
}

/// The parameters by which values of these names come, unlike each other.
fn given<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<String> = names.map(plain).collect();
    let name = |(place, own): (usize, &String)| match names.iter().filter(|n| *n == own).count() {
        1 => format!("in_{own}"),
        _ => format!("in{place}_{own}"),
    };
    names.iter().enumerate().map(name).collect()
}

/// A call of a function of the shell.
pub fn call(function: impl Into<String>, arguments: Vec<Argument>) -> Action {
    Action::Call(function.into(), arguments)
}
