//! Many messages at once, each in a lane of its own. What has ended leaves its lane, which the last lane's message takes; its
//! results are made with those of others.

use super::mode::{at, count, least, less, let_, named, param, set, Homes, Lowering, Value, OUT};
use super::{if_, stmts, Action, Argument, Condition, Function, Kind, Place, Size, Stmt};

const MESSAGES: &str = "messages";

impl Lowering<'_> {
    pub fn batch(&self) -> Function {
        let mut params = vec![param(OUT, Kind::Output)];
        if self.mode.squeeze.is_some() {
            params.push(param("length", Kind::Size));
        }
        params.extend(self.given());
        params.push(param(MESSAGES, Kind::Inputs));
        let mut body = self.lanes();
        let busy = less(0, "active");
        let waiting = less("next", count(MESSAGES));
        let turn = [self.refill(), self.absorb(), self.retire(), self.deliver()].concat();
        body.push(Stmt::While(Condition::Either(Box::new(waiting), Box::new(busy)), turn));
        for value in &self.state {
            body.extend(stmts![Action::Clear(value.name.clone()), Action::Clear(value.ended())]);
        }
        body.push(Action::Clear("blocks".to_string()).into());
        let about =
            "Of many messages, each in a lane; their results one after another.".to_string();
        Function { name: "batch", about, params, body }
    }

    /// The arrays of a batch, and what its messages begin with.
    fn lanes(&self) -> Vec<Stmt> {
        let lanes = self.lanes;
        let mut body = stmts![
            let_("lanes", least(Size::Lanes, lanes)),
            Action::Bytes("blocks".to_string(), lanes * self.block),
            Action::Sizes("of".to_string(), lanes),
            Action::Sizes("number".to_string(), lanes),
            Action::Sizes("of_ended".to_string(), 2 * lanes),
        ];
        for value in &self.state {
            body.extend(stmts![
                Action::Bytes(value.name.clone(), lanes * value.size),
                Action::Bytes(value.ended(), 2 * lanes * value.size),
            ]);
        }
        for value in &self.inputs {
            let copy = Action::Copy(
                value.lane(value.name.clone(), "lane"),
                value.alone(named(&value.given)),
            );
            body.extend(stmts![
                Action::Bytes(value.name.clone(), 2 * lanes * value.size),
                Stmt::For("lane".to_string(), (2 * lanes).into(), stmts![copy]),
            ]);
        }
        if let (Some(start), None) = (&self.mode.start, self.constant()) {
            for value in self.started() {
                body.push(Action::Bytes(value.initial(), value.size).into());
            }
            let state = |value: &Value| named(&value.initial());
            let input = |value: &Value| named(&value.name);
            let block = self.no_block();
            let homes = Homes { state: &state, input: &input, block, blocks: 1.into(), room: 1 };
            self.run("start", start, &homes, &mut body);
        }
        body.extend(["next", "active", "ended"].map(|name| let_(name, 0).into()));
        body
    }

    /// Messages for lanes that have none.
    fn refill(&self) -> Vec<Stmt> {
        let mut fill = vec![
            Stmt::SetAt("of".to_string(), "active".into(), "next".into()),
            Stmt::SetAt("number".to_string(), "active".into(), 0.into()),
        ];
        for value in self.started() {
            let to = value.lane(value.name.clone(), "active");
            fill.push(Action::Copy(to, value.alone(self.beginning(value))).into());
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
        let make = Action::Call(
            "block",
            vec![
                Argument::Place(to),
                Argument::Element(MESSAGES.to_string(), at("of", "lane")),
                Argument::Size(at("number", "lane")),
            ],
        );
        let mut body = stmts![Stmt::For("lane".to_string(), "active".into(), stmts![make])];
        let blocks = Place::first(named("blocks"), Size::from("active") * block);
        let own = |value: &Value| named(&value.name);
        let homes = Homes {
            state: &own,
            input: &own,
            block: blocks,
            blocks: "active".into(),
            room: self.lanes,
        };
        self.run("absorb", &self.mode.absorb, &homes, &mut body);
        body
    }

    /// Messages that have ended leave their lanes, which the last lanes' messages take.
    fn retire(&self) -> Vec<Stmt> {
        let next = Size::from("active") - 1;
        let mut leave = vec![Stmt::SetAt("of_ended".to_string(), "ended".into(), at("of", "lane"))];
        let mut replace = Vec::new();
        for value in &self.state {
            let to = value.lane(value.ended(), "ended");
            leave.push(Action::Copy(to, value.lane(value.name.clone(), "lane")).into());
            let (to, from) = (Size::from("lane") * value.size, next.clone() * value.size);
            let replacing = Action::Move(value.name.clone(), to, from, value.size.into());
            replace.push(replacing.into());
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
        stmts![let_("lane", 0), Stmt::While(less("lane", "active"), turn)]
    }

    /// The results of what has ended, once it fills the lanes or nothing else is left.
    fn deliver(&self) -> Vec<Stmt> {
        let full = Condition::AtMost("lanes".into(), "ended".into());
        let last = Condition::Both(
            Box::new(Condition::Equal("active".into(), 0.into())),
            Box::new(Condition::Equal("next".into(), count(MESSAGES))),
        );
        let state = |value: &Value| named(&value.ended());
        let input = |value: &Value| named(&value.name);
        let room = 2 * self.lanes;
        let homes =
            |block| Homes { state: &state, input: &input, block, blocks: "ended".into(), room };
        let mut body = Vec::new();
        self.results(&homes, &mut body);
        body.push(set("ended", 0));
        vec![if_(Condition::Either(Box::new(full), Box::new(last)), body)]
    }
}
