//! Messages that come in parts, for modes that take one stream: a context, bytes into it, and the end.
//!
//! | function | what it does |
//! |---|---|
//! | `begin` | a context, from the inputs |
//! | `step` | one block into the context |
//! | `take` | bytes of the message into the context |
//! | `end` | the last blocks into the context, and the result |

use super::values::{
    call, count, in_context, least, less, let_, named, no_block, param, set, Homes, Lowering, Value,
};
use super::{
    if_, stmts, Action, Argument, ByteOrder, Bytes, Condition, Function, Kind, Length, Place, Size,
    Stmt,
};
use crate::mode::{Hash, Last, Padding, Piece};

const MESSAGE: &str = "message";
const CONTEXT: &str = "state";
/// The part of the context that is a block yet to be filled.
pub const BLOCK: &str = "block";

/// The functions of a mode that takes one stream.
pub struct Parts<'a> {
    pub lowering: &'a Lowering<'a>,
    pub hash: Hash<'a>,
    /// The size of a block.
    pub block: usize,
}

/// What ends the last block of a stream, of so many bytes from a place on.
pub fn ending(padding: Padding, block: usize, from: Place, length: Length) -> Option<Action> {
    let Place { of, from, .. } = from;
    match padding.last {
        Last::Zeros => None,
        Last::Byte(last) => Some(Action::XorByte(Place::at(of, from + (block - 1), 1), last)),
        Last::Length { bytes, big_endian } => {
            let order = if big_endian { ByteOrder::Big } else { ByteOrder::Little };
            let place = Place::at(of, from + (block - bytes), bytes);
            Some(Action::StoreBits(place, length, order))
        }
    }
}

impl Parts<'_> {
    /// All of them, callees first.
    pub fn functions(&self) -> Vec<Function> {
        vec![self.begin(), self.step(), self.take(), self.end()]
    }

    /// Runs a piece on the context.
    fn run_here(&self, function: &str, piece: &Piece, block: Place, body: &mut Vec<Stmt>) {
        let here = |value: &Value| in_context(&value.name);
        let block = |_| block.clone();
        self.lowering.run(function, piece, &Homes::alone(&here, &here, &block), body);
    }

    fn begin(&self) -> Function {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.lowering.given());
        let copy = |value: &Value, from: Bytes| {
            Action::Copy(value.alone(in_context(&value.name)), value.alone(from)).into()
        };
        let inputs = self.lowering.inputs.iter();
        let mut body: Vec<Stmt> = inputs.map(|value| copy(value, named(&value.given))).collect();
        match (self.lowering.constant(), self.hash.start) {
            (Some(_), _) => {
                let constant = |value: &Value| copy(value, Bytes::Constant(value.initial()));
                body.extend(self.lowering.started().map(constant));
            }
            (None, Some(start)) => self.run_here("start", start, no_block(), &mut body),
            (None, None) => {}
        }
        body.push(Action::TookNothing.into());
        let about = "A context for a message of which nothing is taken yet.".to_string();
        Function { name: "begin".to_string(), about, params, body }
    }

    fn step(&self) -> Function {
        let params = vec![param(CONTEXT, Kind::Context), param("input", Kind::InputOf(self.block))];
        let mut body = Vec::new();
        let block = Place::first(named("input"), self.block);
        self.run_here("absorb", self.hash.absorb, block, &mut body);
        Function { name: "step".to_string(), about: "Takes a block.".to_string(), params, body }
    }

    fn step_with(&self, block: Place) -> Action {
        call("step", vec![Argument::Context(CONTEXT.to_string()), Argument::Place(block)])
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
        Function {
            name: "take".to_string(),
            about: "Takes bytes of the message.".to_string(),
            params,
            body,
        }
    }

    fn end(&self) -> Function {
        let (block, padding) = (self.block, self.hash.padding);
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.lowering.result(false));
        let last = || Place::first(named("last"), block);
        let mut body = stmts![
            let_("used", Size::Taken(block)),
            Action::Bytes("last".to_string(), block),
            Action::Zero(last()),
            Action::Copy(
                Place::first(named("last"), "used"),
                Place::first(in_context(BLOCK), "used"),
            ),
            Action::SetByte(Place::at(named("last"), "used", 1), padding.first.unwrap_or(0)),
        ];
        if padding.reserved() > 0 {
            body.push(if_(
                Condition::AtMost(block.into(), Size::from("used") + padding.reserved()),
                stmts![self.step_with(last()), Action::Zero(last())],
            ));
        }
        let ending = ending(padding, block, last(), Length::Taken);
        body.extend(ending.map(Stmt::Do));
        body.extend(stmts![self.step_with(last()), Action::Clear("last".to_string())]);
        let here = |value: &Value| in_context(&value.name);
        if let Some(finish) = self.hash.finish {
            let homes = Homes::alone(&here, &here, &|_| no_block());
            self.lowering.once("finish", finish, &homes, false, &mut body);
        }
        if let Some(squeeze) = self.hash.squeeze {
            self.lowering.squeeze(squeeze, &here, &here, &mut body);
        }
        body.push(Action::Wipe.into());
        let about =
            "Takes the end of the message, gives the result and erases the context.".to_string();
        Function { name: "end".to_string(), about, params, body }
    }
}
