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
    hmac, if_, Argument, ByteOrder, Bytes, Condition, Function, Kind, Length, Param, Place, Shell,
    Size, Stmt,
};
use crate::core::{interp, Port};
use crate::emit::identifier;
use crate::layout::{port_bytes, to_memory};
use crate::mode::{Last, Mode, Piece, Slot};

/// The most lanes of a batch: what they hold lies on the stack.
pub const MOST_LANES: usize = 64;

const MESSAGE: &str = "message";
const MESSAGES: &str = "messages";
const OUT: &str = "out";
const CONTEXT: &str = "state";
/// The part of the context that is a block yet to be filled.
const BLOCK: &str = "block";

/// The functions of a mode.
///
/// # Errors
/// If a part of its state can't lie in memory.
pub fn shell(mode: &Mode, lanes: usize) -> Result<Shell, String> {
    let lowering = Lowering { mode, lanes: lanes.min(MOST_LANES), block: mode.block_bytes() };
    let mut context: Vec<(String, usize)> = Vec::new();
    context.extend(mode.state.iter().map(|port| (name(port), port_bytes(port))));
    context.extend(mode.inputs.iter().map(|port| (name(port), port_bytes(port))));
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
    Ok(shell)
}

/// The name of a part of the state or of an input: none is that of something else here.
fn name(port: &Port) -> String {
    format!("{}_", identifier(&port.name.trim_end_matches('\'').to_lowercase()))
}

fn named(name: &str) -> Bytes {
    Bytes::Named(name.to_string())
}

fn in_context(name: &str) -> Bytes {
    Bytes::Context(name.to_string())
}

fn param(name: &str, kind: Kind) -> Param {
    Param { name: name.to_string(), kind }
}

fn count(name: &str) -> Size {
    Size::Count(name.to_string())
}

fn at(name: &str, index: impl Into<Size>) -> Size {
    Size::At(name.to_string(), Box::new(index.into()))
}

fn least(a: impl Into<Size>, b: impl Into<Size>) -> Size {
    Size::Least(Box::new(a.into()), Box::new(b.into()))
}

fn less(a: impl Into<Size>, b: impl Into<Size>) -> Condition {
    Condition::Less(a.into(), b.into())
}

fn set(name: &str, value: impl Into<Size>) -> Stmt {
    Stmt::Set(name.to_string(), value.into())
}

fn let_(name: &str, value: impl Into<Size>) -> Stmt {
    Stmt::Let(name.to_string(), value.into())
}

/// Where the values of ports lie, for some blocks.
struct Homes<'h> {
    /// The array of a part of the state or an input, by its name.
    of: &'h dyn Fn(&str) -> Bytes,
    /// That of blocks.
    block: Place,
    /// How many blocks.
    blocks: Size,
    /// How many there is room for.
    room: usize,
}

struct Lowering<'a> {
    mode: &'a Mode,
    lanes: usize,
    /// The size of a block.
    block: usize,
}

impl Lowering<'_> {
    /// The state with which messages begin, if that is a constant.
    fn constants(&self) -> Result<Vec<(String, Vec<u8>)>, String> {
        let Some(start) = self.constant() else { return Ok(vec![]) };
        let values = interp::run(&start.program, &[]);
        let ports = start.program.entry().results.iter().zip(values);
        let bytes = ports.map(|(port, atoms)| {
            let bytes = to_memory(port, &atoms).ok_or("the state has no layout in memory")?;
            Ok((initial(port), bytes))
        });
        bytes.collect()
    }

    fn constant(&self) -> Option<&Piece> {
        self.mode.start.as_ref().filter(|start| start.params.is_empty())
    }

    fn inputs(&self) -> Vec<Param> {
        let input = |port: &Port| param(&input(port), Kind::InputOf(port_bytes(port)));
        self.mode.inputs.iter().map(input).collect()
    }

    fn result(&self) -> Param {
        match self.mode.squeeze {
            Some(_) => param(OUT, Kind::Output),
            None => param(OUT, Kind::OutputOf(self.mode.result_bytes())),
        }
    }

    /// Runs a piece. What it changes is copied before, so that no result lies where a parameter does.
    fn run(&self, function: &str, piece: &Piece, homes: &Homes, body: &mut Vec<Stmt>) {
        let (mut params, mut results, mut after) = (Vec::new(), Vec::new(), Vec::new());
        let entry = piece.program.entry();
        for (slot, port) in piece.params.iter().zip(&entry.params) {
            let own = name(port);
            let size = port_bytes(port);
            let all = |of| Place::first(of, homes.blocks.clone() * size);
            params.push(match slot {
                Slot::State(_) if piece.results.contains(slot) => {
                    let before = format!("before_{own}");
                    body.push(Stmt::Bytes(before.clone(), homes.room * size));
                    body.push(Stmt::Copy(all(named(&before)), all((homes.of)(&own))));
                    after.push(Stmt::Clear(before.clone()));
                    all(named(&before))
                }
                Slot::Block => homes.block.clone(),
                _ => all((homes.of)(&own)),
            });
        }
        for (slot, port) in piece.results.iter().zip(&entry.results) {
            let size = port_bytes(port);
            let all = |of| Place::first(of, homes.blocks.clone() * size);
            results.push(match slot {
                Slot::Block => homes.block.clone(),
                Slot::Result(k) => all(named(&result(*k))),
                _ => all((homes.of)(&name(port))),
            });
        }
        body.push(Stmt::Run(function.to_string(), results, params, homes.blocks.clone()));
        body.extend(after);
    }

    /// Runs a piece on the context.
    fn run_here(&self, function: &str, piece: &Piece, block: Place, body: &mut Vec<Stmt>) {
        let homes = Homes { of: &in_context, block, blocks: 1.into(), room: 1 };
        self.run(function, piece, &homes, body);
    }

    fn no_block(&self) -> Place {
        Place::first(named(BLOCK), 0)
    }

    fn begin(&self) -> Function {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.inputs());
        let mut body: Vec<Stmt> = Vec::new();
        for port in &self.mode.inputs {
            let size = port_bytes(port);
            let from = Place::first(named(&input(port)), size);
            body.push(Stmt::Copy(Place::first(in_context(&name(port)), size), from));
        }
        match self.constant() {
            Some(start) => body.extend(start.program.entry().results.iter().map(|port| {
                let size = port_bytes(port);
                let from = Place::first(Bytes::Constant(initial(port)), size);
                Stmt::Copy(Place::first(in_context(&name(port)), size), from)
            })),
            None => {
                if let Some(start) = &self.mode.start {
                    self.run_here("start", start, self.no_block(), &mut body);
                }
            }
        }
        body.push(Stmt::TookNothing);
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

    fn step_with(&self, block: Place) -> Stmt {
        Stmt::Call("step", vec![Argument::Context(CONTEXT.to_string()), Argument::Place(block)])
    }

    fn take(&self) -> Function {
        let block = self.block;
        let params = vec![param(CONTEXT, Kind::Context), param(MESSAGE, Kind::Input)];
        let part = Size::from("part");
        let fill = vec![
            set("part", least(Size::from(block) - "used", count(MESSAGE))),
            Stmt::Copy(
                Place::at(in_context(BLOCK), "used", part.clone()),
                Place::first(named(MESSAGE), part.clone()),
            ),
            if_(
                Condition::Equal(Size::from("used") + "part", block.into()),
                vec![
                    Stmt::Bytes("full".to_string(), block),
                    Stmt::Copy(
                        Place::first(named("full"), block),
                        Place::first(in_context(BLOCK), block),
                    ),
                    self.step_with(Place::first(named("full"), block)),
                    Stmt::Clear("full".to_string()),
                ],
            ),
        ];
        let left = count(MESSAGE) - "part";
        let body = vec![
            let_("used", Size::Taken(block)),
            let_("part", 0),
            Stmt::Took(count(MESSAGE)),
            if_(less(0, "used"), fill),
            Stmt::While(
                Condition::AtMost(block.into(), left.clone()),
                vec![
                    self.step_with(Place::at(named(MESSAGE), "part", block)),
                    set("part", part.clone() + block),
                ],
            ),
            if_(
                less("part", count(MESSAGE)),
                vec![Stmt::Copy(
                    Place::first(in_context(BLOCK), left.clone()),
                    Place::at(named(MESSAGE), part, left),
                )],
            ),
        ];
        Function { name: "take", about: "Takes bytes of the message.".to_string(), params, body }
    }

    /// What ends the last block.
    fn ending(&self, of: &Bytes, length: Length) -> Option<Stmt> {
        let block = self.block;
        match self.mode.padding.last {
            Last::Zeros => None,
            Last::Byte(last) => Some(Stmt::XorByte(Place::at(of.clone(), block - 1, 1), last)),
            Last::Length { bytes, big_endian } => {
                let order = if big_endian { ByteOrder::Big } else { ByteOrder::Little };
                Some(Stmt::StoreBits(Place::at(of.clone(), block - bytes, bytes), length, order))
            }
        }
    }

    fn end(&self) -> Function {
        let (block, padding) = (self.block, self.mode.padding);
        let params = vec![param(CONTEXT, Kind::Context), self.result()];
        let last = || Place::first(named("last"), block);
        let mut body = vec![
            let_("used", Size::Taken(block)),
            Stmt::Bytes("last".to_string(), block),
            Stmt::Zero(last()),
            Stmt::Copy(
                Place::first(named("last"), "used"),
                Place::first(in_context(BLOCK), "used"),
            ),
            Stmt::SetByte(Place::at(named("last"), "used", 1), padding.first),
        ];
        if padding.reserved() > 0 {
            body.push(if_(
                Condition::AtMost(block.into(), Size::from("used") + padding.reserved()),
                vec![self.step_with(last()), Stmt::Zero(last())],
            ));
        }
        body.extend(self.ending(&named("last"), Length::Taken));
        body.push(self.step_with(last()));
        body.push(Stmt::Clear("last".to_string()));
        self.results(&in_context, 1.into(), 1, &mut body);
        body.push(Stmt::Wipe);
        let about =
            "Takes the end of the message, gives the result and erases the context.".to_string();
        Function { name: "end", about, params, body }
    }

    /// From the state behind the last block of so many messages to their results, one after another in the output.
    fn results(&self, of: &dyn Fn(&str) -> Bytes, blocks: Size, room: usize, body: &mut Vec<Stmt>) {
        let homes = |block: Place| Homes { of, block, blocks: blocks.clone(), room };
        for (k, port) in self.mode.results.iter().enumerate() {
            body.push(Stmt::Bytes(result(k), room * port_bytes(port)));
        }
        if let Some(finish) = &self.mode.finish {
            self.run("finish", finish, &homes(self.no_block()), body);
        }
        let Some(squeeze) = &self.mode.squeeze else {
            return body.extend(self.give_results(room));
        };
        let size = self.mode.output_bytes();
        let output = Place::first(named("output"), blocks.clone() * size);
        body.push(Stmt::Bytes("output".to_string(), room * size));
        body.push(let_("made", 0));
        let mut advance = Vec::new();
        self.run("advance", &squeeze.advance, &homes(self.no_block()), &mut advance);
        let mut turn = vec![if_(less(0, "made"), advance)];
        self.run("output", &squeeze.output, &homes(output), &mut turn);
        let wanted = self.wanted(room);
        turn.push(let_("more", least(size, wanted.clone() - "made")));
        turn.extend(self.give(room, size));
        turn.push(set("made", Size::from("made") + "more"));
        body.push(Stmt::While(less("made", wanted), turn));
        body.push(Stmt::Clear("output".to_string()));
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
        for (k, port) in self.mode.results.iter().enumerate() {
            let size = port_bytes(port);
            let (to, from) = match room {
                1 => (place.into(), 0.into()),
                _ => (at("of_ended", "lane") * all + place, Size::from("lane") * size),
            };
            let from = Place::at(named(&result(k)), from, size);
            give.push(Stmt::Copy(Place::at(named(OUT), to, size), from));
            place += size;
        }
        match room {
            1 => give,
            _ => vec![Stmt::For("lane".to_string(), "ended".into(), give)],
        }
    }

    /// What `more` bytes of an output block of each message are copied to.
    fn give(&self, room: usize, size: usize) -> Vec<Stmt> {
        if room == 1 {
            let to = Place::at(named(OUT), "made", "more");
            return vec![Stmt::Copy(to, Place::first(named("output"), "more"))];
        }
        let to = at("of_ended", "lane") * "length" + "made";
        let copy = Stmt::Copy(
            Place::at(named(OUT), to, "more"),
            Place::at(named("output"), Size::from("lane") * size, "more"),
        );
        vec![Stmt::For("lane".to_string(), "ended".into(), vec![copy])]
    }

    fn whole(&self) -> Function {
        let mut params = vec![self.result()];
        params.extend(self.inputs());
        params.push(param(MESSAGE, Kind::Input));
        let context = || Argument::Context(CONTEXT.to_string());
        let same = |name: &str| Argument::Same(name.to_string());
        let mut begin = vec![context()];
        begin.extend(self.inputs().iter().map(|input| same(&input.name)));
        let body = vec![
            Stmt::Context(CONTEXT.to_string()),
            Stmt::Call("begin", begin),
            Stmt::Call("take", vec![context(), same(MESSAGE)]),
            Stmt::Call("end", vec![context(), same(OUT)]),
        ];
        Function { name: "whole", about: "Of a whole message.".to_string(), params, body }
    }

    /// How many blocks a message of `length` bytes has.
    fn blocks(&self, length: Size) -> Size {
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
        let whole = vec![
            Stmt::Copy(Place::first(named("to"), block), Place::at(named(MESSAGE), "from", block)),
            Stmt::Return,
        ];
        let rest = vec![
            let_("rest", count(MESSAGE) - "from"),
            Stmt::Copy(
                Place::first(named("to"), "rest"),
                Place::at(named(MESSAGE), "from", "rest"),
            ),
            Stmt::SetByte(Place::at(named("to"), "rest", 1), padding.first),
        ];
        let mut body = vec![
            let_("from", Size::from("number") * block),
            if_(Condition::AtMost(from.clone() + block, count(MESSAGE)), whole),
            Stmt::Zero(Place::first(named("to"), block)),
            if_(Condition::AtMost(from, count(MESSAGE)), rest),
        ];
        if let Some(ending) = self.ending(&named("to"), Length::Of(count(MESSAGE))) {
            let is_last = Condition::Equal(Size::from("number") + 1, self.blocks(count(MESSAGE)));
            body.push(if_(is_last, vec![ending]));
        }
        let about = "A block of a message with its padding.".to_string();
        Function { name: "block", about, params, body }
    }

    fn batch(&self) -> Function {
        let mut params = vec![param(OUT, Kind::Output)];
        if self.mode.squeeze.is_some() {
            params.push(param("length", Kind::Size));
        }
        params.extend(self.inputs());
        params.push(param(MESSAGES, Kind::Inputs));
        let mut body = self.lanes();
        let busy = less(0, "active");
        let waiting = less("next", count(MESSAGES));
        let turn = [self.refill(), self.absorb(), self.retire(), self.deliver()].concat();
        body.push(Stmt::While(Condition::Either(Box::new(waiting), Box::new(busy)), turn));
        for port in &self.mode.state {
            body.extend([name(port), ended(&name(port))].map(Stmt::Clear));
        }
        body.push(Stmt::Clear("blocks".to_string()));
        let about =
            "Of many messages, each in a lane; their results one after another.".to_string();
        Function { name: "batch", about, params, body }
    }

    /// The arrays of a batch, and what its messages begin with.
    fn lanes(&self) -> Vec<Stmt> {
        let lanes = self.lanes;
        let mut body = vec![
            let_("lanes", least(Size::Lanes, lanes)),
            Stmt::Bytes("blocks".to_string(), lanes * self.block),
            Stmt::Sizes("of".to_string(), lanes),
            Stmt::Sizes("number".to_string(), lanes),
            Stmt::Sizes("of_ended".to_string(), 2 * lanes),
        ];
        for port in &self.mode.state {
            let size = port_bytes(port);
            body.push(Stmt::Bytes(name(port), lanes * size));
            body.push(Stmt::Bytes(ended(&name(port)), 2 * lanes * size));
        }
        for port in &self.mode.inputs {
            let size = port_bytes(port);
            body.push(Stmt::Bytes(name(port), 2 * lanes * size));
            let to = Place::at(named(&name(port)), Size::from("lane") * size, size);
            let copy = Stmt::Copy(to, Place::first(named(&input(port)), size));
            body.push(Stmt::For("lane".to_string(), (2 * lanes).into(), vec![copy]));
        }
        if let (Some(start), None) = (&self.mode.start, self.constant()) {
            for port in &start.program.entry().results {
                body.push(Stmt::Bytes(initial(port), port_bytes(port)));
            }
            let inputs: Vec<String> = self.mode.inputs.iter().map(name).collect();
            let of = |own: &str| match inputs.iter().any(|input| input == own) {
                true => named(own),
                false => named(&format!("initial_{own}")),
            };
            let homes = Homes { of: &of, block: self.no_block(), blocks: 1.into(), room: 1 };
            self.run("start", start, &homes, &mut body);
        }
        body.extend(["next", "active", "ended"].map(|name| let_(name, 0)));
        body
    }

    /// Messages for lanes that have none.
    fn refill(&self) -> Vec<Stmt> {
        let mut fill = vec![
            Stmt::SetAt("of".to_string(), "active".into(), "next".into()),
            Stmt::SetAt("number".to_string(), "active".into(), 0.into()),
        ];
        for port in self.mode.start.iter().flat_map(|start| &start.program.entry().results) {
            let size = port_bytes(port);
            let from = match self.constant() {
                Some(_) => Bytes::Constant(initial(port)),
                None => named(&initial(port)),
            };
            let to = Place::at(named(&name(port)), Size::from("active") * size, size);
            fill.push(Stmt::Copy(to, Place::first(from, size)));
        }
        fill.extend(["active", "next"].map(|name| set(name, Size::from(name) + 1)));
        let free = less("active", "lanes");
        let waiting = less("next", count(MESSAGES));
        vec![Stmt::While(Condition::Both(Box::new(free), Box::new(waiting)), fill)]
    }

    /// A block of each lane's message into its state.
    fn absorb(&self) -> Vec<Stmt> {
        let block = self.block;
        let to = Place::at(named("blocks"), Size::from("lane") * block, block);
        let make = Stmt::Call(
            "block",
            vec![
                Argument::Place(to),
                Argument::Element(MESSAGES.to_string(), at("of", "lane")),
                Argument::Size(at("number", "lane")),
            ],
        );
        let mut body = vec![Stmt::For("lane".to_string(), "active".into(), vec![make])];
        let blocks = Place::first(named("blocks"), Size::from("active") * block);
        let homes = Homes { of: &named, block: blocks, blocks: "active".into(), room: self.lanes };
        self.run("absorb", &self.mode.absorb, &homes, &mut body);
        body
    }

    /// Messages that have ended leave their lanes, which the last lanes' messages take.
    fn retire(&self) -> Vec<Stmt> {
        let next = Size::from("active") - 1;
        let mut leave = vec![Stmt::SetAt("of_ended".to_string(), "ended".into(), at("of", "lane"))];
        let mut replace = Vec::new();
        for port in &self.mode.state {
            let (own, size) = (name(port), port_bytes(port));
            leave.push(Stmt::Copy(
                Place::at(named(&ended(&own)), Size::from("ended") * size, size),
                Place::at(named(&own), Size::from("lane") * size, size),
            ));
            let (to, from) = (Size::from("lane") * size, next.clone() * size);
            replace.push(Stmt::Move(own, to, from, size.into()));
        }
        for list in ["of", "number"] {
            replace.push(Stmt::SetAt(list.to_string(), "lane".into(), at(list, next.clone())));
        }
        leave.push(set("ended", Size::from("ended") + 1));
        leave.extend(replace);
        leave.push(set("active", next));
        let message = Size::CountOf(MESSAGES.to_string(), Box::new(at("of", "lane")));
        let done = at("number", "lane") + 1;
        let stay = vec![
            Stmt::SetAt("number".to_string(), "lane".into(), done.clone()),
            set("lane", Size::from("lane") + 1),
        ];
        let turn = vec![Stmt::If(Condition::Equal(done, self.blocks(message)), leave, stay)];
        vec![let_("lane", 0), Stmt::While(less("lane", "active"), turn)]
    }

    /// The results of what has ended, once it fills the lanes or nothing else is left.
    fn deliver(&self) -> Vec<Stmt> {
        let full = Condition::AtMost("lanes".into(), "ended".into());
        let last = Condition::Both(
            Box::new(Condition::Equal("active".into(), 0.into())),
            Box::new(Condition::Equal("next".into(), count(MESSAGES))),
        );
        let inputs: Vec<String> = self.mode.inputs.iter().map(name).collect();
        let of = |own: &str| match inputs.iter().any(|input| input == own) {
            true => named(own),
            false => named(&ended(own)),
        };
        let mut body = Vec::new();
        self.results(&of, "ended".into(), 2 * self.lanes, &mut body);
        body.push(set("ended", 0));
        vec![if_(Condition::Either(Box::new(full), Box::new(last)), body)]
    }
}

/// The name of what a part of the state is at the beginning.
fn initial(port: &Port) -> String {
    format!("initial_{}", name(port))
}

/// The name of an input as a parameter.
fn input(port: &Port) -> String {
    format!("in_{}", identifier(&port.name.to_lowercase()))
}

/// The name of a part of the state of messages that have ended.
fn ended(name: &str) -> String {
    format!("ended_{name}")
}

/// The name of a result's array.
fn result(number: usize) -> String {
    format!("result{number}")
}
