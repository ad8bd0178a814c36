//! One vertex after another: of a chunk alone, of two vertices, and the root.

use super::super::values::{
    call, in_context, less, let_, named, no_block, param, set, Homes, Value,
};
use super::super::{if_, stmts, Action, Argument, Condition, Function, Kind, Place, Size, Stmt};
use super::{Branches, CHUNK, CONTEXT};
use crate::mode::{Part, Slot};

const VERTEX: &str = "vertex";
const PAIR: &str = "pair";

impl Branches<'_> {
    /// The vertex of one chunk, whole or not.
    pub fn tip(&self) -> Function {
        let (lowering, size) = (self.lowering, self.vertex.size);
        let mut params =
            vec![param(VERTEX, Kind::OutputOf(size)), param(self.stream(), Kind::Input)];
        params.extend(self.counted().map(|_| param("index", Kind::Size)));
        params.extend(self.reads_context().then(|| param(CONTEXT, Kind::Context)));
        let home = |value: &Value| self.home(value);
        let own: Vec<&Value> =
            self.values().into_iter().filter(|value| self.is_own(value)).collect();
        let mut body: Vec<Stmt> = Vec::new();
        body.extend(own.iter().map(|value| Action::Bytes(value.name.clone(), value.size).into()));
        if let Some(counted) = self.counted() {
            body.push(
                Action::StoreNumber(counted.alone(named(&counted.name)), "index".into(), 0).into(),
            );
        }
        for part in &self.tree.leaf {
            match part {
                Part::Once(name, piece) => {
                    let homes = Homes::alone(&home, &home, &|_| no_block());
                    lowering.run(name, piece, &homes, &mut body);
                }
                Part::Each(_) => body.extend(lowering.go_over(&self.over, &home, &home)),
                Part::Tree(_) | Part::Squeeze(_) => {}
            }
        }
        let made = self.vertex.alone(named(&self.vertex.name));
        body.push(Action::Copy(Place::first(named(VERTEX), size), made).into());
        body.extend(own.iter().map(|value| Action::Clear(value.name.clone()).into()));
        let about = "The vertex of a chunk.".to_string();
        Function { name: self.name("tip"), about, params, body }
    }

    /// Whether what is done with a chunk reads what was known before.
    fn reads_context(&self) -> bool {
        let pieces = self.tree.leaf.iter().flat_map(Part::pieces);
        let mut slots = pieces.flat_map(|piece| &piece.params);
        slots.any(|slot| match *slot {
            Slot::State(k) => !self.is_own(&self.lowering.state[k]),
            Slot::Input(_) => true,
            _ => false,
        })
    }

    /// Makes the vertex of a chunk, `index` of which come before.
    fn call_tip(&self, chunk: Argument) -> Action {
        let vertex = Argument::Place(self.vertex.alone(named(&self.vertex.name)));
        let mut arguments = vec![vertex, chunk];
        arguments.extend(self.counted().map(|_| Argument::Size("index".into())));
        let context = || Argument::Context(CONTEXT.to_string());
        arguments.extend(self.reads_context().then(context));
        call(self.name("tip"), arguments)
    }

    /// A vertex of `width` chunks, `index` of which come before, into the context; those that waited for it become one with it.
    pub fn settle(&self) -> Function {
        let params = vec![
            param(CONTEXT, Kind::Context),
            param(VERTEX, Kind::InputOf(self.vertex.size)),
            param("index", Kind::Size),
            param("width", Kind::Size),
        ];
        let level = || Size::from("level");
        let own = || self.vertex.alone(named(&self.vertex.name));
        let mut turn = self.joined();
        turn.extend([set("level", level() + 1), set("rest", Size::from("rest") / 2)]);
        let is_odd = Condition::Equal(Size::from("rest") % 2, 1.into());
        let mut body = self.declared();
        body.extend(stmts![
            Action::Copy(own(), self.vertex.alone(named(VERTEX))),
            let_("level", 0),
            let_("rest", Size::from("index") / "width"),
            let_("span", "width"),
            Stmt::While(
                less(1, "span"),
                vec![set("span", Size::from("span") / 2), set("level", level() + 1)],
            ),
            Stmt::While(is_odd, turn),
            Action::Copy(self.waiting("level"), own()),
        ]);
        body.extend(self.cleared());
        let about = "A vertex of some chunks, and of those that waited for it.".to_string();
        Function { name: self.name("settle"), about, params, body }
    }

    /// A whole chunk into the context.
    pub fn branch(&self) -> Function {
        let stream = self.stream();
        let params = vec![
            param(CONTEXT, Kind::Context),
            param(stream, Kind::Input),
            param("index", Kind::Size),
        ];
        let vertex = || self.vertex.name.clone();
        let own = Argument::Place(self.vertex.alone(named(&self.vertex.name)));
        let settle = vec![
            Argument::Context(CONTEXT.to_string()),
            own,
            Argument::Size("index".into()),
            Argument::Size(1.into()),
        ];
        let body = stmts![
            Action::Bytes(vertex(), self.vertex.size),
            self.call_tip(Argument::Same(stream.to_string())),
            call(self.name("settle"), settle),
            Action::Clear(vertex()),
        ];
        let about = "A whole chunk alone.".to_string();
        Function { name: self.name("branch"), about, params, body }
    }

    /// The last chunk, if it is not whole, the root, and what stands behind the tree. Nothing is taken of a next one.
    pub fn end(&self, behind: &[&Part], is_last: bool) -> Vec<Function> {
        let (lowering, chunk) = (self.lowering, self.tree.chunk);
        let (index, own) = (|| Size::from("index"), || self.vertex.alone(named(&self.vertex.name)));
        let last = Place::first(named("last"), "used");
        let rest = stmts![
            Action::Bytes("last".to_string(), chunk),
            // Compilers warn of bytes that nobody wrote, though nobody reads them.
            Action::Zero(Place::first(named("last"), chunk)),
            Action::Copy(last.clone(), Place::first(in_context(CHUNK), "used")),
            self.call_tip(Argument::Place(last)),
            Action::Clear("last".to_string()),
            set("found", 1),
        ];
        let is_rest = Condition::Either(
            Box::new(less(0, "used")),
            Box::new(Condition::Equal(index(), 0.into())),
        );
        let first = stmts![Action::Copy(own(), self.waiting("level")), set("found", 1)];
        let found = Condition::Equal("found".into(), 1.into());
        let is_odd = Condition::Equal(index() % 2, 1.into());
        let turn = stmts![
            if_(is_odd, vec![Stmt::If(found, self.joined(), first)]),
            set("index", index() / 2),
            set("level", Size::from("level") + 1),
        ];
        let mut body = self.declared();
        body.extend(stmts![
            let_("used", Size::Taken(chunk)),
            let_("index", Size::TakenWhole(chunk)),
            let_("found", 0),
            let_("level", 0),
            if_(is_rest, rest),
            Stmt::While(less(0, "index"), turn),
            Action::Copy(self.vertex.alone(in_context(&self.vertex.name)), own()),
        ]);
        body.extend(self.cleared());
        lowering.behind(behind.iter().copied(), &mut body);
        let about = "The last chunk, the root, and what is made of it.";
        if is_last {
            return lowering.ends(self.name("end"), about, body);
        }
        body.push(Action::TookNothing.into());
        let params = vec![param(CONTEXT, Kind::Context)];
        vec![Function { name: self.name("end"), about: about.to_string(), params, body }]
    }

    /// Room for two vertices and for the one that is made of them.
    fn declared(&self) -> Vec<Stmt> {
        stmts![
            Action::Bytes(PAIR.to_string(), 2 * self.vertex.size),
            Action::Bytes(self.vertex.name.clone(), self.vertex.size),
        ]
    }

    fn cleared(&self) -> Vec<Stmt> {
        stmts![Action::Clear(PAIR.to_string()), Action::Clear(self.vertex.name.clone())]
    }

    /// The vertex that waits at `level` and the own one become one.
    fn joined(&self) -> Vec<Stmt> {
        let size = self.vertex.size;
        let half = |from: usize| Place::at(named(PAIR), from, size);
        let home = |value: &Value| self.home(value);
        let pair = |_| Place::first(named(PAIR), 2 * size);
        let mut body = stmts![
            Action::Copy(half(0), self.waiting("level")),
            Action::Copy(half(size), self.vertex.alone(named(&self.vertex.name))),
        ];
        let homes = Homes::alone(&home, &home, &pair);
        self.lowering.run(&self.tree.pair_name(), &self.tree.pair, &homes, &mut body);
        body
    }
}
