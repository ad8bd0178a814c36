//! Modes as functions: of a whole message, of one that comes in parts, and of many at once.
//!
//! | function | what it does |
//! |---|---|
//! | `begin` | a context, from the inputs |
//! | `step` | one block into the context |
//! | `take` | bytes of the message into the context |
//! | `end` | the last blocks into the context, and the result |
//! | `whole` | these, one after another |
//! | `block` | a block of a padded message, by its number |
//! | `batch` | many messages, each in a lane of its own; a lane whose message ends takes the next one |

use super::{
    hmac, if_, stmts, Action, Argument, ByteOrder, Bytes, Condition, Function, Kind, Length, Param,
    Place, Shell, Size, Stmt,
};
use crate::compile::Kernel;
use crate::core::{interp, Port};
use crate::emit::identifier;
use crate::emit::library::Instance;
use crate::layout::{port_bytes, to_memory};
use crate::mode::{Last, Mode, Piece, Slot};

/// The most lanes of a batch: what they hold lies on the stack.
pub const MOST_LANES: usize = 64;
/// How many messages tests give a batch: they fill all lanes more than twice.
pub const TESTED: usize = 2 * MOST_LANES + 3;

const MESSAGE: &str = "message";
pub(super) const OUT: &str = "out";
const CONTEXT: &str = "state";
/// The part of the context that is a block yet to be filled.
const BLOCK: &str = "block";

/// The functions of an instance's mode, if it has one.
///
/// # Errors
/// If a part of its state can't lie in memory.
pub fn of(instance: &Instance) -> Result<Option<Shell>, String> {
    let Some(mode) = &instance.mode else { return Ok(None) };
    let kernels = instance.functions.iter().flat_map(|function| &function.variants);
    let lanes = kernels.map(Kernel::blocks).max().unwrap_or(1);
    let lowering = Lowering::new(mode, lanes.min(MOST_LANES));
    let parts = lowering.state.iter().chain(&lowering.inputs);
    let mut context: Vec<(String, usize)> = parts.map(|v| (v.name.clone(), v.size)).collect();
    context.push((BLOCK.to_string(), lowering.block));
    let functions = vec![
        lowering.begin(),
        lowering.step(),
        lowering.take(),
        lowering.end(),
        lowering.whole(),
        lowering.block(),
        lowering.batch(),
    ];
    let mut shell = Shell { context, constants: lowering.constants()?, functions };
    hmac::add(&mut shell, mode);
    Ok(Some(shell))
}

pub(super) fn named(name: &str) -> Bytes {
    Bytes::Named(name.to_string())
}

fn in_context(name: &str) -> Bytes {
    Bytes::Context(name.to_string())
}

pub(super) fn param(name: &str, kind: Kind) -> Param {
    Param { name: name.to_string(), kind }
}

pub(super) fn count(name: &str) -> Size {
    Size::Count(name.to_string())
}

pub(super) fn at(name: &str, index: impl Into<Size>) -> Size {
    Size::At(name.to_string(), Box::new(index.into()))
}

pub(super) fn least(a: impl Into<Size>, b: impl Into<Size>) -> Size {
    Size::Least(Box::new(a.into()), Box::new(b.into()))
}

pub(super) fn less(a: impl Into<Size>, b: impl Into<Size>) -> Condition {
    Condition::Less(a.into(), b.into())
}

pub(super) fn set(name: &str, value: impl Into<Size>) -> Stmt {
    Stmt::Set(name.to_string(), value.into())
}

pub(super) fn let_(name: &str, value: impl Into<Size>) -> Action {
    Action::Let(name.to_string(), value.into())
}

/// A part of the state, an input, or a result.
pub(super) struct Value {
    /// Its name in functions and contexts, unlike all others.
    pub name: String,
    /// The parameter that it comes by, if it is an input.
    pub given: String,
    /// Its size in bytes.
    pub size: usize,
}

impl Value {
    /// Ports whose places are counted from `first`: names of the source may differ in what languages don't tell apart.
    fn of(ports: &[Port], first: usize) -> Vec<Value> {
        let plain = |port: &Port| identifier(port.name.trim_end_matches('\'')).to_lowercase();
        let value = |(k, port): (usize, &Port)| {
            let (own, place) = (plain(port), first + k);
            let same = ports.iter().filter(|other| plain(other) == own).count();
            let given = if same == 1 { own.clone() } else { format!("{own}_{place}") };
            let name = format!("v{place}_{own}");
            Value { name, given: format!("in_{given}"), size: port_bytes(port) }
        };
        ports.iter().enumerate().map(value).collect()
    }

    /// What it is when a message begins.
    pub fn initial(&self) -> String {
        format!("initial_{}", self.name)
    }

    /// What it is for messages that have ended.
    pub fn ended(&self) -> String {
        format!("ended_{}", self.name)
    }

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
pub(super) struct Homes<'h> {
    /// The array of a part of the state.
    pub state: &'h dyn Fn(&Value) -> Bytes,
    /// That of an input.
    pub input: &'h dyn Fn(&Value) -> Bytes,
    /// That of blocks.
    pub block: Place,
    /// How many blocks.
    pub blocks: Size,
    /// How many there is room for.
    pub room: usize,
}

pub(super) struct Lowering<'a> {
    pub mode: &'a Mode,
    pub state: Vec<Value>,
    pub inputs: Vec<Value>,
    results: Vec<Value>,
    pub lanes: usize,
    /// The size of a block.
    pub block: usize,
}

impl<'a> Lowering<'a> {
    fn new(mode: &'a Mode, lanes: usize) -> Lowering<'a> {
        let state = Value::of(&mode.state, 0);
        let inputs = Value::of(&mode.inputs, state.len());
        let results = Value::of(&mode.results, state.len() + inputs.len());
        Lowering { mode, state, inputs, results, lanes, block: mode.block_bytes() }
    }

    /// What messages begin with: the state that the start makes.
    pub(super) fn started(&self) -> impl Iterator<Item = &Value> {
        let slots = self.mode.start.iter().flat_map(|start| &start.results);
        slots.filter_map(|slot| match slot {
            Slot::State(k) => self.state.get(*k),
            _ => None,
        })
    }

    /// The state with which messages begin, if that is a constant.
    pub(super) fn constants(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let Some(start) = self.constant() else { return Ok(vec![]) };
        let values = interp::run(&start.program, &[]);
        let ports = start.program.entry().results.iter().zip(values);
        let bytes = self.started().zip(ports).map(|(value, (port, atoms))| {
            let bytes = to_memory(port, &atoms).ok_or("the state has no layout in memory")?;
            Ok((value.initial(), bytes))
        });
        bytes.collect()
    }

    pub(super) fn constant(&self) -> Option<&Piece> {
        self.mode.start.as_ref().filter(|start| start.params.is_empty())
    }

    /// Where what a message begins with lies.
    pub(super) fn beginning(&self, value: &Value) -> Bytes {
        match self.constant() {
            Some(_) => Bytes::Constant(value.initial()),
            None => Bytes::Named(value.initial()),
        }
    }

    pub(super) fn given(&self) -> Vec<Param> {
        let param = |value: &Value| param(&value.given, Kind::InputOf(value.size));
        self.inputs.iter().map(param).collect()
    }

    fn result(&self) -> Param {
        match self.mode.squeeze {
            Some(_) => param(OUT, Kind::Output),
            None => param(OUT, Kind::OutputOf(self.mode.result_bytes())),
        }
    }

    /// Runs a piece. What it changes is copied before, so that no result lies where a parameter does.
    pub(super) fn run(&self, function: &str, piece: &Piece, homes: &Homes, body: &mut Vec<Stmt>) {
        let all = |value: &Value, of| Place::first(of, homes.blocks.clone() * value.size);
        let home = |slot: &Slot| match *slot {
            Slot::State(k) => all(&self.state[k], (homes.state)(&self.state[k])),
            Slot::Input(k) => all(&self.inputs[k], (homes.input)(&self.inputs[k])),
            Slot::Result(k) => all(&self.results[k], named(&self.results[k].name)),
            Slot::Block => homes.block.clone(),
        };
        let (mut params, mut after) = (Vec::new(), Vec::new());
        for slot in &piece.params {
            params.push(match *slot {
                Slot::State(k) if piece.results.contains(slot) => {
                    let value = &self.state[k];
                    let before = format!("before_{}", value.name);
                    body.extend(stmts![
                        Action::Bytes(before.clone(), homes.room * value.size),
                        Action::Copy(all(value, named(&before)), home(slot)),
                    ]);
                    after.push(Action::Clear(before.clone()).into());
                    all(value, named(&before))
                }
                _ => home(slot),
            });
        }
        let results = piece.results.iter().map(home).collect();
        let run = Action::Run(function.to_string(), results, params, homes.blocks.clone());
        body.push(run.into());
        body.extend(after);
    }

    /// Runs a piece on the context.
    fn run_here(&self, function: &str, piece: &Piece, block: Place, body: &mut Vec<Stmt>) {
        let here = |value: &Value| in_context(&value.name);
        let homes = Homes { state: &here, input: &here, block, blocks: 1.into(), room: 1 };
        self.run(function, piece, &homes, body);
    }

    pub(super) fn no_block(&self) -> Place {
        Place::first(named(BLOCK), 0)
    }

    fn begin(&self) -> Function {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.given());
        let copy = |value: &Value, from: Bytes| {
            Action::Copy(value.alone(in_context(&value.name)), value.alone(from)).into()
        };
        let inputs = self.inputs.iter();
        let mut body: Vec<Stmt> = inputs.map(|value| copy(value, named(&value.given))).collect();
        match (self.constant(), &self.mode.start) {
            (Some(_), _) => {
                body.extend(self.started().map(|value| copy(value, self.beginning(value))));
            }
            (None, Some(start)) => self.run_here("start", start, self.no_block(), &mut body),
            (None, None) => {}
        }
        body.push(Action::TookNothing.into());
        let about = "A context for a message of which nothing is taken yet.".to_string();
        Function { name: "begin", about, params, body }
    }

    fn step(&self) -> Function {
        let params = vec![param(CONTEXT, Kind::Context), param("input", Kind::InputOf(self.block))];
        let mut body = Vec::new();
        let block = Place::first(named("input"), self.block);
        self.run_here("absorb", &self.mode.absorb, block, &mut body);
        Function { name: "step", about: "Takes a block.".to_string(), params, body }
    }

    fn step_with(&self, block: Place) -> Action {
        Action::Call("step", vec![Argument::Context(CONTEXT.to_string()), Argument::Place(block)])
    }

    fn take(&self) -> Function {
        let block = self.block;
        let params = vec![param(CONTEXT, Kind::Context), param(MESSAGE, Kind::Input)];
        let part = Size::from("part");
        let fill = stmts![
            set("part", least(Size::from(block) - "used", count(MESSAGE))),
            Action::Copy(
                Place::at(in_context(BLOCK), "used", part.clone()),
                Place::first(named(MESSAGE), part.clone()),
            ),
            if_(
                Condition::Equal(Size::from("used") + "part", block.into()),
                stmts![
                    Action::Bytes("full".to_string(), block),
                    Action::Copy(
                        Place::first(named("full"), block),
                        Place::first(in_context(BLOCK), block),
                    ),
                    self.step_with(Place::first(named("full"), block)),
                    Action::Clear("full".to_string()),
                ],
            ),
        ];
        let left = count(MESSAGE) - "part";
        let body = stmts![
            let_("used", Size::Taken(block)),
            let_("part", 0),
            Action::Took(count(MESSAGE)),
            if_(less(0, "used"), fill),
            Stmt::While(
                Condition::AtMost(block.into(), left.clone()),
                stmts![
                    self.step_with(Place::at(named(MESSAGE), "part", block)),
                    set("part", part.clone() + block),
                ],
            ),
            if_(
                less("part", count(MESSAGE)),
                stmts![Action::Copy(
                    Place::first(in_context(BLOCK), left.clone()),
                    Place::at(named(MESSAGE), part, left),
                )],
            ),
        ];
        Function { name: "take", about: "Takes bytes of the message.".to_string(), params, body }
    }

    /// What ends the last block.
    fn ending(&self, of: &Bytes, length: Length) -> Option<Action> {
        let block = self.block;
        match self.mode.padding.last {
            Last::Zeros => None,
            Last::Byte(last) => Some(Action::XorByte(Place::at(of.clone(), block - 1, 1), last)),
            Last::Length { bytes, big_endian } => {
                let order = if big_endian { ByteOrder::Big } else { ByteOrder::Little };
                Some(Action::StoreBits(Place::at(of.clone(), block - bytes, bytes), length, order))
            }
        }
    }

    fn end(&self) -> Function {
        let (block, padding) = (self.block, self.mode.padding);
        let params = vec![param(CONTEXT, Kind::Context), self.result()];
        let last = || Place::first(named("last"), block);
        let mut body = stmts![
            let_("used", Size::Taken(block)),
            Action::Bytes("last".to_string(), block),
            Action::Zero(last()),
            Action::Copy(
                Place::first(named("last"), "used"),
                Place::first(in_context(BLOCK), "used"),
            ),
            Action::SetByte(Place::at(named("last"), "used", 1), padding.first),
        ];
        if padding.reserved() > 0 {
            body.push(if_(
                Condition::AtMost(block.into(), Size::from("used") + padding.reserved()),
                stmts![self.step_with(last()), Action::Zero(last())],
            ));
        }
        body.extend(self.ending(&named("last"), Length::Taken).map(Stmt::Do));
        body.extend(stmts![self.step_with(last()), Action::Clear("last".to_string())]);
        let here = |value: &Value| in_context(&value.name);
        let homes = |block| Homes { state: &here, input: &here, block, blocks: 1.into(), room: 1 };
        self.results(&homes, &mut body);
        body.push(Action::Wipe.into());
        let about =
            "Takes the end of the message, gives the result and erases the context.".to_string();
        Function { name: "end", about, params, body }
    }

    /// From the state behind the last block of some messages to their results, in the output. `homes` are those of a piece
    /// whose blocks lie at a place.
    pub(super) fn results<'h>(&self, homes: &dyn Fn(Place) -> Homes<'h>, body: &mut Vec<Stmt>) {
        let Homes { blocks, room, .. } = homes(self.no_block());
        for result in &self.results {
            body.push(Action::Bytes(result.name.clone(), room * result.size).into());
        }
        if let Some(finish) = &self.mode.finish {
            self.run("finish", finish, &homes(self.no_block()), body);
        }
        let Some(squeeze) = &self.mode.squeeze else {
            return body.extend(self.give_results(room));
        };
        let size = self.mode.output_bytes();
        let output = Place::first(named("output"), blocks * size);
        body.extend(stmts![Action::Bytes("output".to_string(), room * size), let_("made", 0)]);
        let mut advance = Vec::new();
        self.run("advance", &squeeze.advance, &homes(self.no_block()), &mut advance);
        let mut turn = vec![if_(less(0, "made"), advance)];
        self.run("output", &squeeze.output, &homes(output), &mut turn);
        let wanted = self.wanted(room);
        turn.push(let_("more", least(size, wanted.clone() - "made")).into());
        turn.push(self.give(room, size));
        turn.push(set("made", Size::from("made") + "more"));
        body.push(Stmt::While(less("made", wanted), turn));
        body.push(Action::Clear("output".to_string()).into());
    }

    /// How many bytes of a stream each message gives.
    fn wanted(&self, room: usize) -> Size {
        if room == 1 {
            count(OUT)
        } else {
            "length".into()
        }
    }

    /// The results of each message to their place in the output.
    fn give_results(&self, room: usize) -> Vec<Stmt> {
        let (mut place, all) = (0, self.mode.result_bytes());
        let mut give = Vec::new();
        for result in &self.results {
            let (to, from) = match room {
                1 => (place.into(), 0.into()),
                _ => (at("of_ended", "lane") * all + place, Size::from("lane") * result.size),
            };
            let from = Place::at(named(&result.name), from, result.size);
            give.push(Action::Copy(Place::at(named(OUT), to, result.size), from).into());
            place += result.size;
        }
        match room {
            1 => give,
            _ => vec![Stmt::For("lane".to_string(), "ended".into(), give)],
        }
    }

    /// `more` bytes of an output block of each message to their place in the output.
    fn give(&self, room: usize, size: usize) -> Stmt {
        if room == 1 {
            let to = Place::at(named(OUT), "made", "more");
            return Action::Copy(to, Place::first(named("output"), "more")).into();
        }
        let to = at("of_ended", "lane") * "length" + "made";
        let copy = Action::Copy(
            Place::at(named(OUT), to, "more"),
            Place::at(named("output"), Size::from("lane") * size, "more"),
        );
        Stmt::For("lane".to_string(), "ended".into(), stmts![copy])
    }

    fn whole(&self) -> Function {
        let mut params = vec![self.result()];
        params.extend(self.given());
        params.push(param(MESSAGE, Kind::Input));
        let context = || Argument::Context(CONTEXT.to_string());
        let same = |name: &str| Argument::Same(name.to_string());
        let mut begin = vec![context()];
        begin.extend(self.given().iter().map(|input| same(&input.name)));
        let body = stmts![
            Action::Context(CONTEXT.to_string()),
            Action::Call("begin", begin),
            Action::Call("take", vec![context(), same(MESSAGE)]),
            Action::Call("end", vec![context(), same(OUT)]),
        ];
        Function { name: "whole", about: "Of a whole message.".to_string(), params, body }
    }

    /// How many blocks a message of `length` bytes has.
    pub(super) fn blocks(&self, length: Size) -> Size {
        (length + self.mode.padding.reserved()) / self.block + 1
    }

    fn block(&self) -> Function {
        let (block, padding) = (self.block, self.mode.padding);
        let params = vec![
            param("to", Kind::OutputOf(block)),
            param(MESSAGE, Kind::Input),
            param("number", Kind::Size),
        ];
        let from = Size::from("from");
        let whole = stmts![
            Action::Copy(
                Place::first(named("to"), block),
                Place::at(named(MESSAGE), "from", block)
            ),
            Action::Return,
        ];
        let rest = stmts![
            let_("rest", count(MESSAGE) - "from"),
            Action::Copy(
                Place::first(named("to"), "rest"),
                Place::at(named(MESSAGE), "from", "rest"),
            ),
            Action::SetByte(Place::at(named("to"), "rest", 1), padding.first),
        ];
        let mut body = stmts![
            let_("from", Size::from("number") * block),
            if_(Condition::AtMost(from.clone() + block, count(MESSAGE)), whole),
            Action::Zero(Place::first(named("to"), block)),
            if_(Condition::AtMost(from, count(MESSAGE)), rest),
        ];
        if let Some(ending) = self.ending(&named("to"), Length::Of(count(MESSAGE))) {
            let is_last = Condition::Equal(Size::from("number") + 1, self.blocks(count(MESSAGE)));
            body.push(if_(is_last, stmts![ending]));
        }
        let about = "A block of a message with its padding.".to_string();
        Function { name: "block", about, params, body }
    }
}
