//! Many messages at once. Each waits for a *step*: a piece of the mode that it needs next. The step for which most of them wait
//! is done, for as many as there are lanes; which that is depends on lengths alone. There are twice as many places for messages as
//! there are lanes, so that some may wait for others. A message that has ended leaves its place to the next one. Messages that take
//! no longer alone ([`Instance::alone_below`](crate::emit::library::Instance::alone_below)) get no place.

mod blocks;

use super::block::Over;
use super::values::{
    array_of, at, count, each_lane, lane, least, length, less, let_, named, no_block, param, set,
    store_length, Homes, Lowering, Value, EXPECTED, LENGTH, OUT, START, VERDICT,
};
use super::{
    if_, stmts, Action, Argument, Bytes, Condition, Function, Kind, Param, Place, Size, Stmt,
};
use crate::emit::library::Parallel;
use crate::mode::{Part, Piece, Slot, Squeeze};

/// A step, by its part of the mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Once(usize),
    Body(usize),
    /// The last block, if that is whole or nothing else is done with one that is not.
    Last(usize),
    Short(usize),
    Output,
    Advance,
}

pub struct Batch<'a> {
    lowering: &'a Lowering<'a>,
    parts: Vec<&'a Part>,
    steps: Vec<Step>,
    back: bool,
    /// How many messages there is room for.
    room: usize,
}

impl Lowering<'_> {
    /// The function of many messages, there or back; none if there is no way back.
    pub fn batch(&self, back: bool) -> Option<Function> {
        let parts: Vec<&Part> = self.parts(back).collect();
        let mut steps = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            match part {
                Part::Once(..) => steps.push(Step::Once(k)),
                Part::Each(each) => {
                    steps.push(Step::Body(k));
                    let blocks = Over::of(each, back)?.blocks;
                    steps.extend(blocks.last.as_ref().map(|_| Step::Last(k)));
                    steps.extend(blocks.short.as_ref().map(|_| Step::Short(k)));
                }
                Part::Squeeze(_) => steps.extend([Step::Output, Step::Advance]),
                // Messages are taken one after another.
                Part::Tree(_) => {}
            }
        }
        let batch = Batch { lowering: self, parts, steps, back, room: 2 * self.lanes };
        Some(batch.function())
    }
}

impl Batch<'_> {
    fn function(&self) -> Function {
        let is_tree = self.lowering.mode.has_trees();
        let each = |own| vec![Stmt::For("next".to_string(), self.messages(), vec![own])];
        let body = match self.alone_below().iter().all(|below| *below == usize::MAX) {
            // The chunks of one message are side by side already.
            _ if is_tree => each(Action::Call("whole".to_string(), self.arguments()).into()),
            true => each(self.alone()),
            false => self.side_by_side(),
        };
        let (name, about) = match self.back {
            true => ("batch_opened", "Of many messages on the way back."),
            false => ("batch", "Of many messages; their results one after another."),
        };
        let (name, about) = (name.to_string(), about.to_string());
        Function { name, about, params: self.params(), body }
    }

    fn alone_below(&self) -> &[usize] {
        &self.lowering.alone_below[usize::from(self.back)]
    }

    /// The message `next` alone.
    fn alone(&self) -> Stmt {
        let name = if self.back { "opened" } else { "whole" };
        Action::CallAlone(name.to_string(), self.arguments()).into()
    }

    /// What that is called with.
    fn arguments(&self) -> Vec<Argument> {
        let (lowering, size) = (self.lowering, self.lowering.mode.result_bytes());
        let own = |name: &str, size: usize| {
            Argument::Place(Place::at(named(name), Size::from("next") * size, size))
        };
        let made = || Place::at(named(OUT), Size::from("next") * "length", "length");
        let mut arguments = match (size, self.back) {
            (0, _) if lowering.mode.squeeze().is_some() => vec![Argument::Place(made())],
            (0, _) => vec![],
            (_, false) => vec![own(OUT, size)],
            (_, true) => vec![own(VERDICT, 1), own(EXPECTED, size)],
        };
        for (value, shared) in lowering.inputs.iter().zip(&lowering.mode.shared) {
            arguments.push(match shared {
                true => Argument::Same(value.given.clone()),
                false => own(&value.given, value.size),
            });
        }
        let streams = lowering.streams.iter();
        arguments.extend(streams.map(|name| Argument::Element(name.clone(), "next".into())));
        arguments
    }

    /// All of them in lanes.
    fn side_by_side(&self) -> Vec<Stmt> {
        let mut body = self.places();
        let busy =
            Condition::Either(Box::new(less("next", self.messages())), Box::new(less(0, "active")));
        let mut turn = vec![self.refill(), self.retire()];
        turn.extend(self.choose());
        let is_chosen = |step: usize| Condition::Equal("step".into(), step.into());
        let steps = (0..self.steps.len()).map(|step| if_(is_chosen(step), self.run(step)));
        turn.push(if_(less(0, "now"), steps.collect()));
        body.push(Stmt::While(busy, turn));
        body.extend(self.arrays().into_iter().map(|(name, _)| Action::Clear(name).into()));
        body
    }

    fn params(&self) -> Vec<Param> {
        let lowering = self.lowering;
        let mut params = match (lowering.mode.squeeze(), lowering.mode.result_bytes(), self.back) {
            (Some(_), ..) => vec![param(OUT, Kind::Output), param("length", Kind::Size)],
            (None, 0, _) => vec![],
            (None, _, false) => vec![param(OUT, Kind::Output)],
            (None, _, true) => vec![param(VERDICT, Kind::Output), param(EXPECTED, Kind::Input)],
        };
        for (value, shared) in lowering.inputs.iter().zip(&lowering.mode.shared) {
            let kind = if *shared { Kind::InputOf(value.size) } else { Kind::Input };
            params.push(param(&value.given, kind));
        }
        let giving = lowering.mode.giving().map(|each| each.stream);
        let kind = |k| if giving == Some(k) { Kind::Texts } else { Kind::Inputs };
        params.extend(lowering.streams.iter().enumerate().map(|(k, name)| param(name, kind(k))));
        params
    }

    /// How many messages there are.
    fn messages(&self) -> Size {
        count(&self.lowering.streams[0])
    }

    fn overs(&self) -> impl Iterator<Item = Over<'_>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Each(each) => Over::of(each, self.back),
            _ => None,
        })
    }

    /// The arrays of bytes, with their sizes.
    fn arrays(&self) -> Vec<(String, usize)> {
        let Lowering { mode, lanes, .. } = self.lowering;
        let kept = self.lowering.state.iter().chain(&self.lowering.inputs);
        let mut arrays: Vec<(String, usize)> =
            kept.map(|value| (value.name.clone(), self.room * value.size)).collect();
        let results = self.lowering.results.iter();
        arrays.extend(results.map(|value| (value.name.clone(), lanes * value.size)));
        for over in self.overs() {
            let stretched = self.lowering.stretch(&over).map_or(0, |stretch| stretch.blocks);
            let blocks = (*lanes).max(stretched * self.lowering.stretched_lanes);
            arrays.extend(over.arrays().map(|(name, bytes)| (name, blocks * bytes)));
        }
        let lengths = self.lowering.lengths();
        arrays.extend(lengths.into_iter().map(|stream| (length(stream), lanes * LENGTH)));
        if mode.squeeze().is_some() {
            arrays.push(("output".to_string(), lanes * mode.output_bytes()));
        }
        arrays
    }

    /// What is known of each message in its place.
    fn lists(&self) -> Vec<&'static str> {
        let made = self.lowering.mode.squeeze().map(|_| "made");
        ["of", "waits", "number"].into_iter().chain(made).collect()
    }

    /// Room for messages, none of which is there yet.
    fn places(&self) -> Vec<Stmt> {
        let mut body = stmts![
            let_("lanes", least(Size::Lanes, self.lowering.lanes)),
            let_("room", Size::from("lanes") * 2),
            Action::Sizes("tally".to_string(), self.steps.len()),
        ];
        let lists = self.lists();
        body.extend(lists.iter().map(|list| Action::Sizes(list.to_string(), self.room).into()));
        body.extend(self.arrays().into_iter().map(|(name, size)| Action::Bytes(name, size).into()));
        body.extend(["next", "active"].map(|name| let_(name, 0).into()));
        body
    }

    /// Messages for places that have none.
    fn refill(&self) -> Stmt {
        let mut fill = vec![
            let_("lane", "active").into(),
            Stmt::SetAt("of".to_string(), lane(), "next".into()),
        ];
        let place = |value: &Value| value.lane(value.name.clone(), "lane");
        if let Some(start) = self.lowering.constant() {
            fill.extend(self.lowering.settle(START, start, &|_, value| place(value)));
        }
        for (value, shared) in self.lowering.inputs.iter().zip(&self.lowering.mode.shared) {
            let from = match shared {
                true => value.alone(named(&value.given)),
                false => value.lane(value.given.clone(), "next"),
            };
            fill.push(Action::Copy(place(value), from).into());
        }
        if self.back && self.lowering.mode.result_bytes() > 0 {
            fill.push(Action::SetByte(Place::at(named(VERDICT), "next", 1), 0xff).into());
        }
        fill.extend(self.wait_for(0));
        fill.push(set("active", Size::from("active") + 1));
        let alone = self.is_short().into_iter().chain(self.is_long());
        let either = |a, b| Condition::Either(Box::new(a), Box::new(b));
        if let Some(alone) = alone.reduce(either) {
            fill = vec![Stmt::If(alone, vec![self.alone()], fill)];
        }
        fill.push(set("next", Size::from("next") + 1));
        let free = less("active", "room");
        let more = less("next", self.messages());
        Stmt::While(free.and(more), fill)
    }

    /// Whether the message `next` is so short that it is taken alone, if any is.
    fn is_short(&self) -> Option<Condition> {
        let lengths = self.lowering.streams.iter();
        let lengths = lengths.map(|name| Size::CountOf(name.clone(), Box::new("next".into())));
        let bytes = lengths.fold(Size::from(0), |sum, length| sum + length);
        let any = self.alone_below().iter().any(|below| *below > 0);
        any.then(|| less(bytes, Size::AloneBelow(self.back)))
    }

    /// Whether it is so long that its own blocks fill registers, if any is.
    fn is_long(&self) -> Option<Condition> {
        let over = Over::of(self.lowering.mode.giving()?, self.back)?;
        let stream = self.lowering.stream(over.each).to_string();
        let length = Size::CountOf(stream, Box::new("next".into()));
        let is_long = |parallel: &Parallel| {
            let is_long = less(parallel.alone_from()? * over.size, length.clone());
            let takes = less(0, Size::ParallelAlone(parallel.name()));
            Some(takes.and(is_long))
        };
        let any = |a, b| Condition::Either(Box::new(a), Box::new(b));
        self.lowering.parallels(&over).filter_map(is_long).reduce(any)
    }

    /// Messages that wait for nothing leave their places, which the last ones take.
    fn retire(&self) -> Stmt {
        let mut leave = stmts![set("active", Size::from("active") - 1)];
        for value in self.lowering.state.iter().chain(&self.lowering.inputs) {
            let [to, from] = ["place", "active"].map(|place| Size::from(place) * value.size);
            leave.push(Action::Move(value.name.clone(), to, from, value.size.into()).into());
        }
        for list in self.lists() {
            leave.push(Stmt::SetAt(list.to_string(), Size::from("place"), at(list, "active")));
        }
        let done = Condition::Equal(at("waits", "place"), self.steps.len().into());
        let turn = vec![Stmt::If(done, leave, vec![set("place", Size::from("place") + 1)])];
        if_(less(0, "active"), stmts![let_("place", 0), Stmt::While(less("place", "active"), turn)])
    }

    /// The step for which most messages wait, and those that wait for it to the first places.
    fn choose(&self) -> Vec<Stmt> {
        let wanted = || at("waits", "lane");
        let more = Stmt::SetAt("tally".to_string(), wanted(), at("tally", wanted()) + 1);
        let best = if_(less(at("tally", "step"), at("tally", "other")), vec![set("step", "other")]);
        let mut swap = Vec::new();
        for value in self.lowering.state.iter().chain(&self.lowering.inputs) {
            let [a, b] = ["now", "lane"].map(|place| Size::from(place) * value.size);
            swap.push(Action::Swap(value.name.clone(), a, b, value.size).into());
        }
        for list in self.lists() {
            swap.push(Action::SwapAt(list.to_string(), "now".into(), lane()).into());
        }
        let swaps = vec![if_(less("now", "lane"), swap), set("now", Size::from("now") + 1)];
        let waits = Condition::Equal(wanted(), "step".into()).and(less("now", "lanes"));
        let steps = self.steps.len();
        stmts![
            Action::ZeroSizes("tally".to_string()),
            Stmt::For("lane".to_string(), "active".into(), vec![more]),
            let_("step", 0),
            let_("now", 0),
            Stmt::For("other".to_string(), steps.into(), vec![best]),
            Stmt::For("lane".to_string(), "active".into(), vec![if_(waits, swaps)]),
            // So compilers see that arrays of lanes have room for them.
            set("now", least("now", self.lowering.lanes)),
        ]
    }

    /// A message in the place `lane` waits for a step, or for none.
    fn wait(&self, step: Option<Step>) -> Stmt {
        let step = self.steps.iter().position(|own| Some(*own) == step);
        let number = step.unwrap_or(self.steps.len());
        Stmt::SetAt("waits".to_string(), lane(), number.into())
    }

    /// What a message in the place `lane` waits for once the parts before this one are done.
    fn wait_for(&self, part: usize) -> Vec<Stmt> {
        match self.parts.get(part) {
            None => vec![self.wait(None)],
            Some(Part::Once(..)) => vec![self.wait(Some(Step::Once(part)))],
            Some(Part::Tree(_)) => vec![],
            Some(Part::Squeeze(_)) => vec![
                Stmt::SetAt("made".to_string(), lane(), 0.into()),
                Stmt::If(
                    less(0, "length"),
                    vec![self.wait(Some(Step::Output))],
                    self.wait_for(part + 1),
                ),
            ],
            Some(Part::Each(each)) => {
                let Some(over) = Over::of(each, self.back) else { return vec![] };
                let mut some = vec![Stmt::SetAt("number".to_string(), lane(), 0.into())];
                some.extend(self.wait_for_block(&over, part));
                match each.is_certain() {
                    true => some,
                    false => vec![Stmt::If(
                        Condition::Equal(self.length(&over), 0.into()),
                        self.wait_for(part + 1),
                        some,
                    )],
                }
            }
        }
    }

    /// What it waits for while there is a block yet.
    fn wait_for_block(&self, over: &Over, part: usize) -> Vec<Stmt> {
        let body = vec![self.wait(Some(Step::Body(part)))];
        if !over.ends() {
            return body;
        }
        let number = || at("number", "lane");
        let (last, short) = (Step::Last(part), Step::Short(part));
        let whole = if over.blocks.last.is_some() { last } else { Step::Body(part) };
        let end = match over.tells_short() {
            true => Stmt::If(
                over.is_whole(number(), self.length(over)),
                vec![self.wait(Some(whole))],
                vec![self.wait(Some(short))],
            ),
            false => self.wait(Some(whole)),
        };
        vec![Stmt::If(Condition::Equal(number() + 1, self.blocks(over)), vec![end], body)]
    }

    /// How many bytes the stream of a message has.
    fn length(&self, over: &Over) -> Size {
        let stream = self.lowering.stream(over.each).to_string();
        Size::CountOf(stream, Box::new(at("of", "lane")))
    }

    /// How many blocks.
    fn blocks(&self, over: &Over) -> Size {
        self.lowering.blocks(over.each, self.length(over))
    }

    /// A step for the first messages, `now` of them.
    fn run(&self, step: usize) -> Vec<Stmt> {
        let (step, part) = match self.steps[step] {
            step @ (Step::Once(k) | Step::Body(k) | Step::Last(k) | Step::Short(k)) => {
                (step, Some(k))
            }
            step => (step, None),
        };
        match (step, part.map(|k| self.parts[k])) {
            (Step::Once(k), Some(Part::Once(name, piece))) => {
                let mut body = Vec::new();
                self.piece(name, piece, &|_| no_block(), &mut body);
                let mut after = self.give_results(piece);
                after.extend(self.wait_for(k + 1));
                body.push(each_lane(after));
                body
            }
            (Step::Body(k), Some(Part::Each(each))) => {
                Over::of(each, self.back).map_or(vec![], |over| self.body(&over, k))
            }
            (step @ (Step::Last(k) | Step::Short(k)), Some(Part::Each(each))) => {
                let whole = step == Step::Last(k);
                Over::of(each, self.back).map_or(vec![], |over| self.last(&over, k, whole))
            }
            (step, _) => {
                let squeeze = self.lowering.mode.squeeze();
                squeeze.map_or(vec![], |squeeze| self.squeeze(squeeze, step == Step::Output))
            }
        }
    }

    /// A piece for the first messages.
    fn piece(
        &self,
        name: &str,
        piece: &Piece,
        block: &dyn Fn(Slot) -> Place,
        body: &mut Vec<Stmt>,
    ) {
        body.extend(self.given(piece));
        let results = &self.lowering.results;
        let known =
            |k: usize| Place::first(named(&results[k].name), Size::from("now") * results[k].size);
        self.lowering.run(name, piece, &self.homes(block, &known), body);
    }

    /// What a piece takes of each of the first messages beside blocks and the state.
    fn given(&self, piece: &Piece) -> Vec<Stmt> {
        let mut body = Vec::new();
        for stream in piece.lengths() {
            let list = self.lowering.streams[stream].clone();
            let of = Size::CountOf(list, Box::new(at("of", "lane")));
            body.push(each_lane(stmts![store_length(stream, lane(), of)]));
        }
        let results = &self.lowering.results;
        for slot in &piece.params {
            if let Slot::Result(k) = *slot {
                let to = results[k].lane(results[k].name.clone(), "lane");
                let from = self.lowering.known(k, self.back, at("of", "lane"));
                body.push(each_lane(stmts![Action::Copy(to, from)]));
            }
        }
        body
    }

    /// Where the first messages have what a piece takes of each.
    fn homes<'h>(
        &self,
        block: &'h dyn Fn(Slot) -> Place,
        known: &'h dyn Fn(usize) -> Place,
    ) -> Homes<'h> {
        let (blocks, room) = ("now".into(), self.lowering.lanes);
        Homes { state: &array_of, input: &array_of, block, known, blocks, room, stretch: 1 }
    }

    /// Where the blocks of the first messages lie.
    fn all<'o>(&self, over: &'o Over) -> impl Fn(Slot) -> Place + 'o {
        |slot| Place::first(named(&over.array(slot)), Size::from("now") * over.bytes(slot))
    }

    /// Where that of one lies.
    fn own(&self, over: &Over, slot: Slot, count: Size) -> Place {
        Place::at(named(&over.array(slot)), lane() * over.size, count)
    }

    /// Bytes of a message's stream from its block on.
    fn in_stream(&self, over: &Over, count: Size) -> Place {
        let stream = self.lowering.stream(over.each).to_string();
        let element = Bytes::Element(stream, Box::new(at("of", "lane")));
        Place::at(element, at("number", "lane") * over.size, count)
    }

    fn stream(&self, over: &Over) -> Argument {
        Argument::Element(self.lowering.stream(over.each).to_string(), at("of", "lane"))
    }

    /// The results of a message to their place in the output, or the verdict on them; its text is zeros if that is bad.
    fn give_results(&self, piece: &Piece) -> Vec<Stmt> {
        let mut give = Vec::new();
        let verdict = || Place::at(named(VERDICT), at("of", "lane"), 1);
        let results: Vec<(usize, &Value)> = self.lowering.results_of(piece).collect();
        for (k, result) in &results {
            let own = result.lane(result.name.clone(), "lane");
            let there = self.lowering.known(*k, self.back, at("of", "lane"));
            give.push(match self.back {
                false => Action::Copy(there, own).into(),
                true => Action::Compare(verdict(), own, there).into(),
            });
        }
        if let (true, false, Some(each)) =
            (self.back, results.is_empty(), self.lowering.mode.giving())
        {
            let stream = self.lowering.stream(each).to_string();
            let length = Size::CountOf(stream.clone(), Box::new(at("of", "lane")));
            let text = Place::first(Bytes::Element(stream, Box::new(at("of", "lane"))), length);
            give.push(Action::Mask(text, verdict()).into());
        }
        give
    }

    /// A block of what each message gives, or the step to the next one.
    fn squeeze(&self, squeeze: &Squeeze, output: bool) -> Vec<Stmt> {
        let size = self.lowering.mode.output_bytes();
        let step = |wanted| self.steps.iter().position(|step| *step == wanted).unwrap_or(0);
        let wait = |step: usize| Stmt::SetAt("waits".to_string(), lane(), step.into());
        let block = |_| Place::first(named("output"), Size::from("now") * size);
        let mut body = Vec::new();
        if !output {
            self.piece("advance", &squeeze.advance, &block, &mut body);
            body.push(each_lane(vec![wait(step(Step::Output))]));
            return body;
        }
        self.piece("output", &squeeze.output, &block, &mut body);
        let made = || at("made", "lane");
        let to = at("of", "lane") * "length" + made();
        let give = stmts![
            let_("more", least(size, Size::from("length") - made())),
            Action::Copy(
                Place::at(named(OUT), to, "more"),
                Place::at(named("output"), lane() * size, "more")
            ),
            Stmt::SetAt("made".to_string(), lane(), made() + "more"),
            Stmt::If(
                less(made(), "length"),
                vec![wait(step(Step::Advance))],
                vec![wait(self.steps.len())]
            ),
        ];
        body.push(each_lane(give));
        body
    }
}
