//! Modes with trees: the chunks of one message are done side by side. Vertices wait in the context for others of the same size, one
//! of each size at most: of `2^k` chunks at the place `k`, as the ones of the number of chunks are. So a message in one piece is one in
//! parts that is taken at once.
//!
//! | function | what it does |
//! |---|---|
//! | `begin` | a context, from the inputs |
//! | `tip` | the vertex of one chunk, whole or not |
//! | `settle` | a vertex into the context, with those that waited for it |
//! | `branch` | one whole chunk into the context |
//! | `grow` | many of them |
//! | `take` | bytes of the stream into the context |
//! | `end` | the last chunk, the root, and what stands behind the tree |
//! | `whole` | of a whole message |

mod grow;
mod vertices;

use super::block::Over;
use super::values::{
    call, count, in_context, least, less, let_, named, no_block, param, set, Homes, Lowering, Value,
};
use super::{
    if_, stmts, Action, Argument, Bytes, Condition, Function, Kind, Param, Place, Size, Stmt,
};
use crate::mode::{Part, Slot, Tree};

const CONTEXT: &str = "state";
/// The parts of the context that are vertices which wait, and a chunk yet to be filled.
const WAITING: &str = "waiting";
const CHUNK: &str = "chunk";
/// The most bytes of the vertices that are made before they become fewer.
const MOST_BYTES: usize = 1 << 14;
/// How often the vertices fill all lanes, at most: of as many pairs the last few leave some idle.
const FILLED: usize = 8;

/// A tree of a mode.
struct Branches<'a> {
    lowering: &'a Lowering<'a>,
    tree: &'a Tree,
    over: Over<'a>,
    /// What vertices are values of.
    vertex: &'a Value,
}

impl Lowering<'_> {
    /// The parts of the context of a mode with trees: names, and sizes in bytes. What chunks have of their own is none.
    pub fn tree_context(&self) -> Vec<(String, usize)> {
        let branches: Vec<Branches> = self.branches().collect();
        let is_kept = |value: &&Value| {
            let mut of = branches.iter().filter(|own| own.is_own(value)).peekable();
            of.peek().is_none() || of.any(|own| std::ptr::eq(own.vertex, *value))
        };
        let values = self.state.iter().chain(&self.inputs).filter(is_kept);
        let values: Vec<_> = values.map(|value| (value.name.clone(), value.size)).collect();
        let most = |of: fn(&Branches) -> usize| self.branches().map(|own| of(&own)).max();
        let waiting = most(|own| own.levels() * own.vertex.size);
        let chunk = most(|own| own.tree.chunk);
        let sizes = [(WAITING, waiting), (CHUNK, chunk)];
        let more = sizes.into_iter().filter_map(|(name, size)| Some((name.to_string(), size?)));
        values.into_iter().chain(more).collect()
    }

    /// The functions of a mode with trees, callees first.
    pub fn grown(&self) -> Vec<Function> {
        let mut functions: Vec<Function> =
            self.branches().flat_map(|own| own.functions()).collect();
        let mut parts = self.mode.parts.iter();
        let begin = parts.by_ref().take_while(|part| !matches!(part, Part::Tree(_)));
        functions.push(self.begin(begin));
        let trees: Vec<Branches> = self.branches().collect();
        for (k, own) in trees.iter().enumerate() {
            let behind: Vec<&Part> =
                parts.by_ref().take_while(|part| !matches!(part, Part::Tree(_))).collect();
            functions.extend(own.end(&behind, k + 1 == trees.len()));
        }
        functions.push(self.whole_tree(&trees));
        functions
    }

    fn branches(&self) -> impl Iterator<Item = Branches<'_>> {
        self.mode.trees().filter_map(|tree| {
            let over = Over::of(tree.each()?, false)?;
            Some(Branches { lowering: self, tree, over, vertex: &self.state[tree.vertex] })
        })
    }

    fn begin<'p>(&self, parts: impl Iterator<Item = &'p Part>) -> Function {
        let mut params = vec![param(CONTEXT, Kind::Context)];
        params.extend(self.input_params());
        let copy = |value: &Value| {
            let (to, from) = (in_context(&value.name), named(&value.given));
            Action::Copy(value.alone(to), value.alone(from)).into()
        };
        let mut body: Vec<Stmt> = self.inputs.iter().map(copy).collect();
        self.behind(parts, &mut body);
        body.push(Action::TookNothing.into());
        let about = "A context for a message of which nothing is taken yet.".to_string();
        Function { name: "begin".to_string(), about, params, body }
    }

    /// Parts outside of trees, on the context, but for what is squeezed.
    fn behind<'p>(&self, parts: impl Iterator<Item = &'p Part>, body: &mut Vec<Stmt>) {
        let here = |value: &Value| in_context(&value.name);
        for part in parts {
            match part {
                Part::Once(name, piece) => {
                    let homes = Homes::alone(&here, &here, &|_| no_block());
                    self.once(name, piece, &homes, false, body);
                }
                Part::Each(_) | Part::Tree(_) | Part::Squeeze(_) => {}
            }
        }
    }

    fn whole_tree(&self, trees: &[Branches]) -> Function {
        let streams = self.streams.iter().map(|name| param(name, Kind::Input)).collect();
        let params: Vec<Param> = [self.result(false), self.input_params(), streams].concat();
        let context = || Argument::Context(CONTEXT.to_string());
        let inputs = self.inputs.iter().map(|value| Argument::Same(value.given.clone()));
        let begin = std::iter::once(context()).chain(inputs).collect();
        let mut body = stmts![
            Action::Context(CONTEXT.to_string()),
            Action::CallAlone("begin".to_string(), begin),
        ];
        for (k, own) in trees.iter().enumerate() {
            let result = self.result(false).into_iter().filter(|_| k + 1 == trees.len());
            let result = result.map(|param| Argument::Same(param.name));
            let end = std::iter::once(context()).chain(result).collect();
            body.extend(stmts![
                call(own.name("take"), vec![context(), Argument::Same(own.stream().to_string())]),
                Action::CallAlone(own.name("end"), end),
            ]);
        }
        let about = "Of a whole message.".to_string();
        Function { name: "whole".to_string(), about, params, body }
    }
}

impl Branches<'_> {
    fn functions(&self) -> Vec<Function> {
        vec![self.tip(), self.settle(), self.branch(), self.grow(), self.take()]
    }

    /// The name of one of its functions.
    fn name(&self, function: &str) -> String {
        format!("{function}{}", self.tree.number)
    }

    /// The parameter by which its stream comes.
    fn stream(&self) -> &str {
        &self.lowering.streams[self.tree.stream]
    }

    /// How many vertices may wait: one for each bit of a number of chunks.
    fn levels(&self) -> usize {
        64 - self.tree.chunk.ilog2() as usize
    }

    /// How many whole chunks are done at once, at most: a power of two.
    fn room(&self) -> usize {
        let lanes = self.lowering.lanes.next_power_of_two();
        let fits = 1 << (MOST_BYTES / self.vertex.size).max(1).ilog2();
        (FILLED * lanes).min(fits).max(lanes)
    }

    /// What its pieces read and write of the state and of the inputs.
    fn values(&self) -> Vec<&Value> {
        let state =
            self.lowering.state.iter().enumerate().filter(|(k, _)| self.has(Slot::State(*k)));
        let inputs = self.lowering.inputs.iter().enumerate();
        let inputs = inputs.filter(|(k, _)| self.has(Slot::Input(*k)));
        state.chain(inputs).map(|(_, value)| value).collect()
    }

    fn has(&self, slot: Slot) -> bool {
        let mut leaf = self.tree.leaf.iter().flat_map(Part::pieces).chain([&self.tree.pair]);
        leaf.any(|piece| piece.has(slot))
    }

    /// Whether a value is a chunk's own: made in the tree, or its number.
    fn is_own(&self, value: &Value) -> bool {
        let made = |slot: &Slot| match *slot {
            Slot::State(k) => std::ptr::eq(&self.lowering.state[k], value),
            _ => false,
        };
        let mut leaf = self.tree.leaf.iter().flat_map(Part::pieces).chain([&self.tree.pair]);
        leaf.any(|piece| piece.results.iter().any(made))
            || self.counted().is_some_and(|own| std::ptr::eq(own, value))
    }

    /// The number of a chunk.
    fn counted(&self) -> Option<&Value> {
        self.tree.counted.map(|counted| &self.lowering.state[counted])
    }

    /// Where a value of one chunk lies: what was known before is in the context.
    fn home(&self, value: &Value) -> Bytes {
        match self.is_own(value) {
            true => named(&value.name),
            false => in_context(&value.name),
        }
    }

    /// A vertex that waits.
    fn waiting(&self, level: impl Into<Size>) -> Place {
        let size = self.vertex.size;
        Place::at(in_context(WAITING), level.into() * size, size)
    }

    /// Takes bytes of the stream: what fills a chunk that was begun, whole chunks, and what is left of them.
    fn take(&self) -> Function {
        let (chunk, stream) = (self.tree.chunk, self.stream());
        let params = vec![param(CONTEXT, Kind::Context), param(stream, Kind::Input)];
        let context = || Argument::Context(CONTEXT.to_string());
        let (part, index) = (|| Size::from("part"), || Size::from("index"));
        let full = Place::first(named("full"), chunk);
        let filled = stmts![
            Action::Bytes("full".to_string(), chunk),
            Action::Copy(full.clone(), Place::first(in_context(CHUNK), chunk)),
            Action::CallAlone(
                self.name("branch"),
                vec![context(), Argument::Place(full), Argument::Size(index())],
            ),
            set("index", index() + 1),
            Action::Clear("full".to_string()),
        ];
        let fill = stmts![
            set("part", least(Size::from(chunk) - "used", count(stream))),
            Action::Copy(
                Place::at(in_context(CHUNK), "used", part()),
                Place::first(named(stream), part()),
            ),
            if_(Condition::Equal(Size::from("used") + "part", chunk.into()), filled),
        ];
        let own = Place::at(named(stream), part(), Size::from("some") * chunk);
        let arguments = vec![context(), Argument::Place(own), Argument::Size(index())];
        let room = self.room();
        let turn = stmts![
            let_(
                "some",
                least(Size::from(room) - index() % room, (count(stream) - "part") / chunk)
            ),
            Stmt::If(
                Condition::Equal("some".into(), 1.into()),
                stmts![Action::CallAlone(self.name("branch"), arguments.clone())],
                stmts![call(self.name("grow"), arguments)],
            ),
            set("part", part() + Size::from("some") * chunk),
            set("index", index() + "some"),
        ];
        let left = || count(stream) - "part";
        let body = stmts![
            let_("used", Size::Taken(chunk)),
            let_("index", Size::TakenWhole(chunk)),
            let_("part", 0),
            Action::Took(count(stream)),
            if_(less(0, "used"), fill),
            Stmt::While(Condition::AtMost(chunk.into(), left()), turn),
            if_(
                less("part", count(stream)),
                stmts![Action::Copy(
                    Place::first(in_context(CHUNK), left()),
                    Place::at(named(stream), part(), left()),
                )],
            ),
        ];
        let about = "Takes bytes of the stream.".to_string();
        Function { name: self.name("take"), about, params, body }
    }
}
