//! Messages that come in parts, for modes that take one stream: a context, bytes into it, and the end.
//!
//! | function | what it does |
//! |---|---|
//! | `begin` | a context, from the inputs |
//! | `step` | one block into the context |
//! | `take` | bytes of the message into the context |
//! | `end` | the last blocks into the context, and the result; see [`ends`](super::ends) |

use super::block::Over;
use super::values::{
    call, count, in_context, least, less, let_, named, no_block, param, set, Homes, Lowering,
    Value, START,
};
use super::{
    if_, stmts, Action, Argument, ByteOrder, Condition, Function, Kind, Length, Place, Size, Stmt,
};
use crate::mode::{Hash, Last, Padding, Part, Piece, Slot};

const MESSAGE: &str = "message";
const CONTEXT: &str = "state";
/// The part of the context that is a block yet to be filled.
pub const BLOCK: &str = "block";

/// The functions of a mode that takes one stream.
pub struct Parts<'a> {
    pub lowering: &'a Lowering<'a>,
    pub hash: Hash<'a>,
    pub over: Over<'a>,
    /// The size of a block.
    pub block: usize,
}

/// What ends the last block of a stream, of so many bytes from a place on.
pub fn ending(padding: &Padding, block: usize, from: Place, length: Length) -> Option<Action> {
    let Place { of, from, .. } = from;
    match padding.last {
        Last::Zeros => None,
        Last::Byte(last) => Some(Action::XorByte(Place::at(of, from + (block - 1), 1), last)),
        Last::Length(encoding) => {
            let place = Place::at(of, from + (block - encoding.bytes), encoding.bytes);
            Some(Action::StoreBits(place, length, ByteOrder::of(encoding)))
        }
    }
}

impl Parts<'_> {
    /// All of them, callees first.
    pub fn functions(&self) -> Vec<Function> {
        [vec![self.begin(), self.step(), self.take()], self.end()].concat()
    }

    /// Runs a piece on the context.
    fn run_here(
        &self,
        function: &str,
        piece: &Piece,
        block: &dyn Fn(Slot) -> Place,
        body: &mut Vec<Stmt>,
    ) {
        let here = |value: &Value| in_context(&value.name);
        self.lowering.run(function, piece, &Homes::alone(&here, &here, block), body);
    }

    /// Runs a piece on the context and a block, of which so many bytes are the stream's.
    fn run_on(&self, function: &str, piece: &Piece, block: Place, own: Size) -> Vec<Stmt> {
        let size = self.over.bytes(Slot::Held);
        let held = self.over.array(Slot::Held);
        let place = |slot| match slot {
            Slot::Held => Place::first(named(&held), size),
            _ => block.clone(),
        };
        let mut body = Vec::new();
        if let Some(store) = self.over.store_held(piece, own, 0.into()) {
            body.extend(stmts![Action::Bytes(held.clone(), size), store]);
        }
        self.run_here(function, piece, &place, &mut body);
        body
    }

    /// How many bytes of the last block the context has: a whole one, too, if it may be the last.
    fn used(&self) -> Size {
        match self.hash.each.pads_short {
            true => Size::Kept(self.block),
            false => Size::Taken(self.block),
        }
    }

    fn begin(&self) -> Function {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.lowering.input_params());
        let copy = |value: &Value| {
            let (to, from) = (in_context(&value.name), named(&value.given));
            Action::Copy(value.alone(to), value.alone(from)).into()
        };
        let mut body: Vec<Stmt> = self.lowering.inputs.iter().map(copy).collect();
        if let Some(start) = self.hash.start {
            self.run_here(START, start, &|_| no_block(), &mut body);
        }
        body.push(Action::TookNothing.into());
        let about = "A context for a message of which nothing is taken yet.".to_string();
        Function { name: "begin".to_string(), about, params, body }
    }

    fn step(&self) -> Function {
        let params = vec![param(CONTEXT, Kind::Context), param("input", Kind::InputOf(self.block))];
        let block = Place::first(named("input"), self.block);
        let piece = &self.hash.each.blocks.body;
        let body = self.run_on(&self.over.names[0], piece, block, self.block.into());
        Function { name: "step".to_string(), about: "Takes a block.".to_string(), params, body }
    }

    fn step_with(&self, block: Place) -> Action {
        call("step", vec![Argument::Context(CONTEXT.to_string()), Argument::Place(block)])
    }

    fn take(&self) -> Function {
        let block = self.block;
        let params = vec![param(CONTEXT, Kind::Context), param(MESSAGE, Kind::Input)];
        let part = Size::from("part");
        let is_full = Condition::Equal(Size::from("used") + "part", block.into());
        let left = count(MESSAGE) - "part";
        // A whole block that may be the last one is kept.
        let (step_full, more) = match self.hash.each.pads_short {
            true => (is_full.and(less("part", count(MESSAGE))), less(block, left.clone())),
            false => (is_full, Condition::AtMost(block.into(), left.clone())),
        };
        let fill = stmts![
            set("part", least(Size::from(block) - "used", count(MESSAGE))),
            Action::Copy(
                Place::at(in_context(BLOCK), "used", part.clone()),
                Place::first(named(MESSAGE), part.clone()),
            ),
            if_(
                step_full,
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
        let body = stmts![
            let_("used", self.used()),
            let_("part", 0),
            Action::Took(count(MESSAGE)),
            if_(less(0, "used"), fill),
            Stmt::While(
                more,
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
        Function {
            name: "take".to_string(),
            about: "Takes bytes of the message.".to_string(),
            params,
            body,
        }
    }

    fn end(&self) -> Vec<Function> {
        let block = self.block;
        let mut body = stmts![
            let_("used", self.used()),
            Action::Bytes("last".to_string(), block),
            Action::Zero(Place::first(named("last"), block)),
            Action::Copy(
                Place::first(named("last"), "used"),
                Place::first(in_context(BLOCK), "used"),
            ),
        ];
        body.extend(self.last_block());
        body.push(Action::Clear("last".to_string()).into());
        let here = |value: &Value| in_context(&value.name);
        let homes = Homes::alone(&here, &here, &|_| no_block());
        for part in self.hash.finish {
            if let Part::Once(name, piece) = part {
                self.lowering.once(name, piece, &homes, false, &mut body);
            }
        }
        let about = "Takes the end of the message, gives the result and erases the context.";
        self.lowering.ends("end".to_string(), about, body)
    }

    /// What is done with the last block: the array `last`, with `used` bytes of the message and zeros.
    fn last_block(&self) -> Vec<Stmt> {
        let (block, padding) = (self.block, &self.hash.each.padding);
        let last = || Place::first(named("last"), block);
        let end = |whole| {
            let (name, piece) = self.over.end(whole);
            match name == self.over.names[0] && !piece.has(Slot::Held) {
                true => stmts![self.step_with(last())],
                false => self.run_on(name, piece, last(), "used".into()),
            }
        };
        let mut fill: Vec<Stmt> = Vec::new();
        if let Some(first) = padding.first {
            fill.push(Action::SetByte(Place::at(named("last"), "used", 1), first).into());
        }
        if padding.reserved() > 0 {
            let full = Condition::AtMost(block.into(), Size::from("used") + padding.reserved());
            let mut more = stmts![Action::Zero(last())];
            if self.over.end(false).1.has(Slot::Held) {
                more.push(set("used", 0));
            }
            fill.push(if_(full, [end(false), more].concat()));
        }
        fill.extend(ending(padding, block, last(), Length::Taken).map(Stmt::Do));
        let short = Condition::Less("used".into(), block.into());
        match (self.hash.each.pads_short, self.over.tells_short()) {
            (true, true) => {
                vec![Stmt::If(short, [fill, end(false)].concat(), end(true))]
            }
            (true, false) if fill.is_empty() => end(false),
            (true, false) => [vec![if_(short, fill)], end(false)].concat(),
            (false, _) if padding.first.is_none() => {
                vec![if_(less(0, "used"), [fill, end(false)].concat())]
            }
            (false, _) => [fill, end(false)].concat(),
        }
    }
}
