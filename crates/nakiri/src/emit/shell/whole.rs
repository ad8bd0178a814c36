//! A message alone, in one piece.

use super::block::Over;
use super::parallel::Alone;
use super::values::{
    count, least, length, less, let_, named, no_block, param, set, store_length, Homes, Lowering,
    Value, LENGTH, OUT, VERDICT,
};
use super::{if_, stmts, Action, Argument, Bytes, Function, Kind, Param, Place, Size, Stmt};
use crate::emit::library::Stretch;
use crate::mode::{Part, Piece, Slot, Squeeze};

impl Lowering<'_> {
    /// The function of a whole message, there or back; none if there is no way back.
    pub fn whole(&self, back: bool) -> Option<Function> {
        let params = [self.result(back), self.input_params(), self.given_streams()].concat();
        let own = |value: &Value| named(&value.name);
        let input = |value: &Value| named(&value.given);
        let known = |result| self.known(result, back, 0);
        let homes = Homes { known: &known, ..Homes::alone(&own, &input, &|_| no_block()) };
        let mut body = Vec::new();
        for value in &self.state {
            body.push(Action::Bytes(value.name.clone(), value.size).into());
        }
        for stream in self.lengths() {
            let bytes = Action::Bytes(length(stream), LENGTH);
            let store = store_length(stream, 0.into(), count(&self.streams[stream]));
            body.extend(stmts![bytes, store]);
        }
        if back && self.mode.result_bytes() > 0 {
            body.push(Action::SetByte(Place::first(named(VERDICT), 1), 0xff).into());
        }
        for part in self.mode.order(back) {
            match part {
                Part::Once(name, piece) => self.once(name, piece, &homes, back, &mut body),
                Part::Each(each) => {
                    let over = Over::of(each, back)?;
                    let all = self.go_over(&over, &own, &input);
                    body.extend(match each.unless_empty {
                        true => vec![if_(less(0, count(self.stream(each))), all)],
                        false => all,
                    });
                }
                Part::Squeeze(squeeze) => self.squeeze(squeeze, &own, &input, &mut body),
                Part::Tree(_) => return None,
            }
        }
        if let (true, Some(each)) = (back && self.mode.result_bytes() > 0, self.mode.giving()) {
            let text = self.stream(each);
            let all = Place::first(named(text), count(text));
            body.push(Action::Mask(all, Place::first(named(VERDICT), 1)).into());
        }
        body.extend(self.state.iter().map(|value| Action::Clear(value.name.clone()).into()));
        let (name, about) = match back {
            true => ("opened", "Of a whole message on the way back."),
            false => ("whole", "Of a whole message."),
        };
        Some(Function { name: name.to_string(), about: about.to_string(), params, body })
    }

    /// The streams of a message: that beside which one is given is changed to that.
    fn given_streams(&self) -> Vec<Param> {
        let giving = self.mode.giving().map(|each| each.stream);
        let kind = |k| if giving == Some(k) { Kind::Text } else { Kind::Input };
        self.streams.iter().enumerate().map(|(k, name)| param(name, kind(k))).collect()
    }

    /// A piece on one message, its results to the output; on the way back they are compared.
    pub fn once(&self, name: &str, piece: &Piece, homes: &Homes, back: bool, body: &mut Vec<Stmt>) {
        let results: Vec<(usize, &Value)> = self.results_of(piece).collect();
        for (_, result) in &results {
            body.push(Action::Bytes(result.name.clone(), result.size).into());
        }
        self.run(name, piece, homes, body);
        for (k, result) in results {
            let own = result.alone(named(&result.name));
            let there = self.known(k, back, 0);
            body.extend(match back {
                false => stmts![Action::Copy(there, own)],
                true => stmts![
                    Action::Compare(Place::first(named(VERDICT), 1), own, there),
                    Action::Clear(result.name.clone()),
                ],
            });
        }
    }

    /// The results that a piece gives, with their numbers.
    pub fn results_of<'p>(&'p self, piece: &'p Piece) -> impl Iterator<Item = (usize, &'p Value)> {
        self.results.iter().enumerate().filter(|(k, _)| piece.results.contains(&Slot::Result(*k)))
    }

    /// The blocks of a stream.
    pub fn go_over(
        &self,
        over: &Over,
        state: &dyn Fn(&Value) -> Bytes,
        input: &dyn Fn(&Value) -> Bytes,
    ) -> Vec<Stmt> {
        let (each, size, stream) = (over.each, over.size, self.stream(over.each));
        let number = format!("number{}", each.number);
        let all = format!("blocks{}", each.number);
        let here = || Size::from(&*number);
        let in_stream = |count: Size| Place::at(named(stream), here() * size - over.front(), count);
        let in_arrays = |slot| Place::first(named(&over.array(slot)), over.bytes(slot));
        let read = |slot| match slot {
            _ if slot == over.taken() && !each.gives() => in_stream(size.into()),
            _ if slot == over.given() => in_stream(size.into()),
            _ => in_arrays(slot),
        };
        let (own, own_name) = (&over.blocks.body, &over.names[0]);
        let stretch = self.stretch(over);
        let parallel = || self.parallels(over);
        let most = parallel().map(|own| own.blocks).max();
        let [short, long] = [stretch.map_or(1, |own| own.blocks), most.unwrap_or(0)];
        let arrays = over.arrays_alone(short.max(long), short.max(2 * long));
        let declare = |(name, bytes): &(String, usize)| Action::Bytes(name.clone(), *bytes).into();
        let mut body: Vec<Stmt> = arrays.iter().map(declare).collect();
        body.extend(over.measure_front(count(stream)));
        if !over.in_place() {
            body.push(let_(&all, self.blocks(each, count(stream))).into());
        }
        body.push(let_(&number, 0).into());
        let next = set(&number, here() + 1);
        let to = Place::first(named(&over.array(over.taken())), size);
        let mut made = stmts![over.make(to, Argument::Same(stream.to_string()), here())];
        let left = over.left(here(), count(stream));
        made.extend(over.store_counts(own, left, here(), 0.into()));
        self.run(own_name, own, &Homes::alone(state, input, &in_arrays), &mut made);
        made.push(next.clone());
        if each.padding.has_front() {
            body.extend(made.clone());
        }
        body.extend(parallel().map(|own| self.side_by_side(own, Alone { over, state, input })));
        if let Some(stretch) = stretch {
            body.extend(self.stretched(stretch, over, state, input));
        }
        let mut turn = Vec::new();
        if each.gives() {
            turn.push(Action::Aside(in_arrays(over.taken()), in_stream(size.into())).into());
        }
        turn.extend(over.store_counts(own, size.into(), here(), 0.into()));
        self.run(own_name, own, &Homes::alone(state, input, &read), &mut turn);
        turn.push(next.clone());
        match over.ends() {
            false if over.in_place() => {
                body.push(Stmt::While(over.is_whole(here(), count(stream)), turn));
            }
            false => {
                body.push(Stmt::While(over.is_whole(here(), count(stream)), turn));
                body.push(Stmt::While(less(here(), &*all), made));
            }
            true => {
                body.push(Stmt::While(less(here() + 1, &*all), turn));
                let end = |whole| self.end(over, whole, state, input);
                let rest = match over.tells_short() {
                    true => {
                        let whole = over.is_whole(here(), count(stream));
                        vec![Stmt::If(whole, end(true), end(false))]
                    }
                    false => end(true),
                };
                match each.is_certain() || each.unless_empty {
                    true => body.extend(rest),
                    false => body.push(if_(less(0, &*all), rest)),
                }
            }
        }
        body.extend(arrays.into_iter().map(|(name, _)| Action::Clear(name).into()));
        body
    }

    /// Several blocks at once, as long as there are so many before the last one, or whole ones if that is like others.
    fn stretched(
        &self,
        stretch: &Stretch,
        over: &Over,
        state: &dyn Fn(&Value) -> Bytes,
        input: &dyn Fn(&Value) -> Bytes,
    ) -> Vec<Stmt> {
        let (each, stream) = (over.each, self.stream(over.each));
        let number = format!("number{}", each.number);
        let (here, size) = (|| Size::from(&*number), stretch.blocks * over.size);
        let own = || Place::at(named(stream), here() * over.size - over.front(), size);
        let array = || Place::first(named(&over.array(over.taken())), size);
        let place = |slot| match slot {
            _ if slot == over.taken() && each.gives() => array(),
            Slot::Number(_) => Place::first(named(&over.array(slot)), 0),
            _ => own(),
        };
        let mut fill = Vec::new();
        if each.gives() {
            fill.push(Action::Aside(array(), own()).into());
        }
        for block in 0..stretch.blocks {
            let (piece, number) = (&over.blocks.body, here() + block);
            fill.extend(over.store_counts(piece, over.size.into(), number, block.into()));
        }
        let behind = here() + stretch.blocks;
        let after = stmts![set(&number, behind.clone())];
        let takes = less(0, Size::StretchAlone(stretch.name()));
        let goes_on = takes.and(self.has_blocks(over, behind));
        let homes = Homes { stretch: stretch.blocks, ..Homes::alone(state, input, &place) };
        let body = self.in_stretches((over, stretch), &homes, goes_on.clone(), [fill, after]);
        match stretch.powers {
            Some(_) => vec![if_(goes_on, body)],
            None => body,
        }
    }

    /// The last block of a stream.
    fn end(
        &self,
        over: &Over,
        whole: bool,
        state: &dyn Fn(&Value) -> Bytes,
        input: &dyn Fn(&Value) -> Bytes,
    ) -> Vec<Stmt> {
        let (each, size, stream) = (over.each, over.size, self.stream(over.each));
        let number = || Size::from(&*format!("number{}", each.number));
        let left = format!("left{}", each.number);
        let own = Place::at(named(stream), number() * size, Size::from(&*left));
        let (name, piece) = over.end(whole);
        let mut body = Vec::new();
        if each.gives() || over.needs_left(piece) {
            body.push(let_(&left, count(stream) - number() * size).into());
        }
        let argument = Argument::Same(stream.to_string());
        body.extend(over.fill_last(piece, argument, number(), own.clone(), 0.into()));
        let in_arrays = |slot| Place::first(named(&over.array(slot)), over.bytes(slot));
        self.run(name, piece, &Homes::alone(state, input, &in_arrays), &mut body);
        if each.gives() {
            let given = over.array(over.given());
            let from = Place::first(named(&given), Size::from(&*left));
            body.push(Action::Copy(own, from).into());
        }
        body
    }

    /// A stream of one message, as long as the output.
    pub fn squeeze(
        &self,
        squeeze: &Squeeze,
        state: &dyn Fn(&Value) -> Bytes,
        input: &dyn Fn(&Value) -> Bytes,
        body: &mut Vec<Stmt>,
    ) {
        let size = self.mode.output_bytes();
        let block = |_| Place::first(named("output"), size);
        let homes = Homes::alone(state, input, &block);
        body.extend(stmts![Action::Bytes("output".to_string(), size), let_("made", 0)]);
        let mut advance = Vec::new();
        self.run("advance", &squeeze.advance, &homes, &mut advance);
        let mut turn = vec![if_(less(0, "made"), advance)];
        self.run("output", &squeeze.output, &homes, &mut turn);
        turn.extend(stmts![
            let_("more", least(size, count(OUT) - "made")),
            Action::Copy(
                Place::at(named(OUT), "made", "more"),
                Place::first(named("output"), "more")
            ),
            set("made", Size::from("made") + "more"),
        ]);
        body.push(Stmt::While(less("made", count(OUT)), turn));
        body.push(Action::Clear("output".to_string()).into());
    }
}
