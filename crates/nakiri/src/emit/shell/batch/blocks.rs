//! The blocks of a loop, of each of the first messages.

use super::super::block::Over;
use super::super::values::{at, least, less, let_, named, no_block, set, Homes};
use super::super::{if_, stmts, Action, Condition, Place, Size, Stmt};
use super::{each_lane, lane, Batch};
use crate::emit::library::Stretch;

/// The most blocks of each message that are done before messages are chosen again.
const LONGEST_BURST: usize = 1 << 16;

impl Batch<'_> {
    /// The body of a loop, on as many blocks of each of these messages as all of them have yet.
    pub fn body(&self, over: &Over, part: usize) -> Vec<Stmt> {
        let number = || at("number", "lane");
        // Where something stands in front of a stream, no block lies in it as it is.
        let mut body = match over.each.padding.has_front() {
            true => self.made(over),
            false => self.bursts(over),
        };
        // A last block for which something else is done was that of another step.
        let ended = !over.ends() || (over.tells_short() && over.blocks.last.is_none());
        let wait = if over.ends() { self.wait_for_block(over, part) } else { vec![] };
        let done = Condition::Equal(number(), self.blocks(over));
        body.push(each_lane(match ended {
            true => vec![Stmt::If(done, self.wait_for(part + 1), wait)],
            false => wait,
        }));
        body
    }

    /// As many blocks as all of these messages have, or a block of each that is filled up.
    fn bursts(&self, over: &Over) -> Vec<Stmt> {
        let size = over.size;
        let taken = self.own(over, over.taken(), size.into());
        let whole = Action::Copy(taken, self.in_stream(over, size.into()));
        let mut whole = self.block(over, whole, size.into());
        whole.push(set("turn", Size::from("turn") + 1));
        let mut body = self.burst(over);
        let mut turns = stmts![let_("turn", 0)];
        turns.extend(self.lowering.stretch(over).map(|own| self.stretched(over, own)));
        turns.push(Stmt::While(less("turn", "burst"), whole));
        match over.ends() || over.each.whole {
            true => body.extend(turns),
            false => body.push(Stmt::If(less(0, "burst"), turns, self.made(over))),
        }
        body
    }

    /// A block of each of these messages, with what stands around its stream.
    fn made(&self, over: &Over) -> Vec<Stmt> {
        let number = || at("number", "lane");
        let taken = self.own(over, over.taken(), over.size.into());
        let made = over.make(taken, self.stream(over), number());
        self.block(over, made, over.left(number(), self.length(over)))
    }

    /// How many blocks, for which the body is done and nothing is filled up, each of these messages has.
    fn burst(&self, over: &Over) -> Vec<Stmt> {
        let burst = || Size::from("burst");
        let blocks = match over.ends() {
            true => self.blocks(over) - 1,
            false => self.length(over) / over.size,
        };
        // Behind the whole blocks of a stream there may be others of padding.
        let own = blocks.clone() - least(blocks, at("number", "lane"));
        let mut body = stmts![
            let_("burst", LONGEST_BURST),
            each_lane(vec![set("burst", least(burst(), own))]),
        ];
        if over.ends() {
            // A last block that is like the others.
            body.push(set("burst", burst() + (Size::from(1) - least(1, burst()))));
        }
        body
    }

    /// Several blocks of each of these messages at once, as long as all of them have so many.
    fn stretched(&self, over: &Over, stretch: &Stretch) -> Stmt {
        let (each, piece, blocks) = (over.each, &over.blocks.body, stretch.blocks);
        let number = || at("number", "lane");
        let own = |slot| {
            let bytes = blocks * over.size;
            Place::at(named(&over.array(slot)), lane() * bytes, bytes)
        };
        let in_stream = || self.in_stream(over, (blocks * over.size).into());
        let mut fill = stmts![Action::Copy(own(over.taken()), in_stream())];
        for block in 0..blocks {
            let at = lane() * blocks + block;
            fill.extend(over.store_counts(piece, over.size.into(), number() + block, at));
        }
        let mut before = vec![each_lane(fill)];
        before.extend(self.given(piece));
        let mut after = Vec::new();
        if each.gives() {
            after.push(Action::Copy(in_stream(), own(over.given())).into());
        }
        after.push(Stmt::SetAt("number".to_string(), lane(), number() + blocks));
        let after = vec![each_lane(after), set("turn", Size::from("turn") + blocks)];
        let takes = less(0, Size::StretchOfEach(stretch.name()));
        let enough = Condition::AtMost(Size::from("turn") + blocks, "burst".into());
        let goes_on = takes.and(enough);
        let all = |slot| {
            let bytes = blocks * over.bytes(slot);
            Place::first(named(&over.array(slot)), Size::from("now") * bytes)
        };
        let room = self.lowering.stretched_lanes;
        let homes = Homes { stretch: blocks, room, ..self.homes(&all, &|_| no_block()) };
        // So compilers see that arrays have room for so many blocks of each.
        let mut body = vec![set("now", least("now", room))];
        let around = [before, after];
        body.extend(self.lowering.in_stretches((over, stretch), &homes, goes_on.clone(), around));
        if_(goes_on, body)
    }

    /// A block of each of these messages: what fills it, how many bytes of its stream it has.
    fn block(&self, over: &Over, fill: Action, held: Size) -> Vec<Stmt> {
        let (number, piece) = (|| at("number", "lane"), &over.blocks.body);
        let mut fill = stmts![fill];
        fill.extend(over.store_counts(piece, held, number(), lane()));
        let mut body = vec![each_lane(fill)];
        self.piece(&over.names[0], piece, &self.all(over), &mut body);
        let mut after = Vec::new();
        if over.each.gives() {
            let given = self.own(over, over.given(), over.size.into());
            after.push(Action::Copy(self.in_stream(over, over.size.into()), given).into());
        }
        after.push(Stmt::SetAt("number".to_string(), lane(), number() + 1));
        body.push(each_lane(after));
        body
    }

    pub fn last(&self, over: &Over, part: usize, whole: bool) -> Vec<Stmt> {
        let left = || Size::from("left");
        let length = self.length(over) - at("number", "lane") * over.size;
        let (name, piece) = over.end(whole);
        let mut fill = Vec::new();
        if over.needs_left(piece) {
            fill.push(let_("left", length.clone()).into());
        }
        let own = self.in_stream(over, left());
        fill.extend(over.fill_last(piece, self.stream(over), at("number", "lane"), own, lane()));
        let mut body = vec![each_lane(fill)];
        self.piece(name, piece, &self.all(over), &mut body);
        let mut after = Vec::new();
        if over.each.gives() {
            let given = self.own(over, over.given(), left());
            after.extend(stmts![
                let_("left", length),
                Action::Copy(self.in_stream(over, left()), given)
            ]);
        }
        after.extend(self.wait_for(part + 1));
        body.push(each_lane(after));
        body
    }
}
