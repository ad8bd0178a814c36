//! Many whole chunks side by side, and their vertices in pairs.

use super::super::values::{
    array_of, each_lane, in_context, lane, least, less, let_, named, no_block, param, set, Homes,
};
use super::super::{stmts, Action, Argument, Condition, Function, Kind, Place, Size, Stmt};
use super::{Branches, CONTEXT};
use crate::emit::library::Stretch;
use crate::mode::{Part, Piece, Slot};

/// The array of the vertices of all chunks.
const VERTICES: &str = "vertices";

/// How many blocks a whole chunk has.
struct Blocks {
    /// That lie in it as they are, and for which the body is done.
    whole: usize,
    /// For which the body is done.
    all: usize,
}

impl Branches<'_> {
    /// Whole chunks, `index` of which come before, into the context: at most as many as there is room for.
    pub fn grow(&self) -> Function {
        let (stream, chunk, size) = (self.stream(), self.tree.chunk, self.vertex.size);
        let params = vec![
            param(CONTEXT, Kind::Context),
            param(stream, Kind::Input),
            param("index", Kind::Size),
        ];
        let (room, lanes) = (self.room(), self.lowering.lanes);
        let arrays = self.arrays();
        let mut body = stmts![
            let_("lanes", least(Size::Lanes, lanes)),
            let_("all", least(room, Size::Count(stream.to_string()) / chunk)),
        ];
        body.extend(arrays.iter().map(|(name, bytes)| Action::Bytes(name.clone(), *bytes).into()));
        let known = self.values().into_iter().filter(|value| !self.is_own(value));
        let known = known.map(|value| {
            Action::Copy(
                value.lane(value.name.clone(), "lane"),
                value.alone(in_context(&value.name)),
            )
        });
        let known: Vec<Stmt> = known.map(Stmt::Do).collect();
        if !known.is_empty() {
            body.push(Stmt::For("lane".to_string(), "lanes".into(), known));
        }
        let done = || Size::from("done");
        let mut turn = stmts![let_("now", least("lanes", Size::from("all") - "done"))];
        turn.extend(self.leaves());
        let made = Place::first(named(&self.vertex.name), Size::from("now") * size);
        let to = Place::at(named(VERTICES), done() * size, Size::from("now") * size);
        turn.extend(stmts![Action::Copy(to, made), set("done", done() + "now")]);
        body.extend(stmts![let_("done", 0), Stmt::While(less("done", "all"), turn)]);
        body.extend(stmts![set("done", 0), Stmt::While(less("done", "all"), self.pairs())]);
        body.extend(arrays.into_iter().map(|(name, _)| Action::Clear(name).into()));
        let about = "Whole chunks, side by side.".to_string();
        Function { name: self.name("grow"), about, params, body }
    }

    /// The arrays of bytes, with their sizes.
    fn arrays(&self) -> Vec<(String, usize)> {
        let lanes = self.lowering.lanes;
        let values =
            self.values().into_iter().map(|value| (value.name.clone(), lanes * value.size));
        let stretched = self.lowering.stretch(&self.over).map_or(0, |stretch| stretch.blocks);
        let blocks = lanes.max(stretched * self.lowering.stretched_lanes);
        let blocks = self.over.arrays().map(|(name, bytes)| (name, blocks * bytes));
        let vertices = (VERTICES.to_string(), self.room() * self.vertex.size);
        values.chain(blocks).chain([vertices]).collect()
    }

    /// The vertices of the chunks from `done` on, `now` of them.
    fn leaves(&self) -> Vec<Stmt> {
        let mut body = Vec::new();
        if let Some(counted) = self.counted() {
            let number = Size::from("index") + "done" + "lane";
            let place = counted.lane(counted.name.clone(), "lane");
            body.push(each_lane(stmts![Action::StoreNumber(place, number, 0)]));
        }
        for part in &self.tree.leaf {
            match part {
                Part::Once(name, piece) => self.run(name, piece, &|_| no_block(), "now", &mut body),
                Part::Each(_) => self.blocks(&mut body),
                Part::Tree(_) | Part::Squeeze(_) => {}
            }
        }
        body
    }

    /// A piece for the first lanes.
    fn run(
        &self,
        name: &str,
        piece: &Piece,
        block: &dyn Fn(Slot) -> Place,
        blocks: impl Into<Size>,
        body: &mut Vec<Stmt>,
    ) {
        self.lowering.run(name, piece, &self.homes(block, blocks.into()), body);
    }

    fn homes<'h>(&self, block: &'h dyn Fn(Slot) -> Place, blocks: Size) -> Homes<'h> {
        Homes { blocks, room: self.lowering.lanes, ..Homes::alone(&array_of, &array_of, block) }
    }

    /// How many blocks each chunk has.
    fn counts(&self) -> Blocks {
        let (each, size, chunk) = (self.over.each, self.over.size, self.tree.chunk);
        let blocks = each.padded(&vec![0; chunk]).len() / size;
        let all = blocks - usize::from(self.over.ends());
        let whole = if each.padding.has_front() { 0 } else { all.min(chunk / size) };
        Blocks { whole, all }
    }

    /// Bytes of the chunk of a lane.
    fn in_chunk(&self, from: Size, count: impl Into<Size>) -> Place {
        let first = (Size::from("done") + "lane") * self.tree.chunk;
        Place::at(named(self.stream()), first + from, count)
    }

    /// The blocks of these chunks.
    fn blocks(&self, body: &mut Vec<Stmt>) {
        let (over, size, chunk) = (&self.over, self.over.size, self.tree.chunk);
        let number = || Size::from("number");
        let Blocks { whole, all } = self.counts();
        let own = |count: usize| Place::at(named(&over.array(over.taken())), lane() * size, count);
        let in_arrays =
            |slot| Place::first(named(&over.array(slot)), Size::from("now") * over.bytes(slot));
        let of_chunk = || Argument::Place(self.in_chunk(0.into(), chunk));
        body.push(let_("number", 0).into());
        if whole > 0 {
            body.extend(self.lowering.stretch(over).map(|own| self.stretched(own, whole)));
            let fill = stmts![Action::Copy(own(size), self.in_chunk(number() * size, size))];
            body.push(self.turns(whole, fill, size.into(), &in_arrays));
        }
        if whole < all {
            let fill = stmts![over.make(own(size), of_chunk(), number())];
            body.push(self.turns(all, fill, over.left(number(), chunk.into()), &in_arrays));
        }
        if over.ends() {
            let rest = chunk.saturating_sub(all * size);
            let (name, piece) = over.end(rest == size);
            let place = self.in_chunk((all * size).into(), rest);
            body.push(each_lane(over.fill_last(piece, of_chunk(), number(), place, lane())));
            self.run(name, piece, &in_arrays, "now", body);
        }
    }

    /// Blocks up to this one by the body, each filled so; `held` is how many bytes of the chunk it has.
    fn turns(
        &self,
        end: usize,
        mut fill: Vec<Stmt>,
        held: Size,
        block: &dyn Fn(Slot) -> Place,
    ) -> Stmt {
        let (piece, number) = (&self.over.blocks.body, || Size::from("number"));
        fill.extend(self.over.store_counts(piece, held, number(), lane()));
        let mut turn = vec![each_lane(fill)];
        self.run(&self.over.names[0], piece, block, "now", &mut turn);
        turn.push(set("number", number() + 1));
        Stmt::While(less("number", end), turn)
    }

    /// Several blocks of each chunk at once, as long as all of them have so many.
    fn stretched(&self, stretch: &Stretch, whole: usize) -> Stmt {
        let (over, blocks, piece) = (&self.over, stretch.blocks, &self.over.blocks.body);
        let number = || Size::from("number");
        let bytes = blocks * over.size;
        let own = Place::at(named(&over.array(over.taken())), lane() * bytes, bytes);
        let mut fill = stmts![Action::Copy(own, self.in_chunk(number() * over.size, bytes))];
        for block in 0..blocks {
            let at = lane() * blocks + block;
            fill.extend(over.store_counts(piece, over.size.into(), number() + block, at));
        }
        let all = |slot| {
            let bytes = blocks * over.bytes(slot);
            Place::first(named(&over.array(slot)), Size::from("now") * bytes)
        };
        let takes = less(0, Size::StretchOfEach(stretch.name()));
        let enough = Condition::AtMost(number() + blocks, whole.into());
        let goes_on = takes.and(enough);
        let homes = Homes {
            stretch: blocks,
            room: self.lowering.stretched_lanes,
            ..self.homes(&all, "now".into())
        };
        let around = [vec![each_lane(fill)], stmts![set("number", number() + blocks)]];
        let body = self.lowering.in_stretches((over, stretch), &homes, goes_on.clone(), around);
        super::if_(goes_on, body)
    }

    /// From `done` on as many vertices as one branch may have: in pairs until one is left, which goes into the context.
    fn pairs(&self) -> Vec<Stmt> {
        let size = self.vertex.size;
        let (done, width, half) =
            (|| Size::from("done"), || Size::from("width"), || Size::from("half"));
        let (at, some) = (|| Size::from("at"), || Size::from("some"));
        let is_even = less((Size::from("index") + "done") % (width() * 2), 1);
        let fits = Condition::AtMost(done() + width() * 2, "all".into());
        let wider = is_even.and(fits);
        let two = |_| Place::at(named(VERTICES), (done() + at() * 2) * size, some() * (2 * size));
        let mut pair = stmts![let_("some", least("lanes", half() - "at"))];
        self.run(&self.tree.pair_name(), &self.tree.pair, &two, "some", &mut pair);
        pair.extend(stmts![
            Action::Copy(
                Place::at(named(VERTICES), (done() + at()) * size, some() * size),
                Place::first(named(&self.vertex.name), some() * size),
            ),
            set("at", at() + "some"),
        ]);
        let fewer =
            stmts![set("half", half() / 2), let_("at", 0), Stmt::While(less("at", "half"), pair),];
        let settle = vec![
            Argument::Context(CONTEXT.to_string()),
            Argument::Place(Place::at(named(VERTICES), done() * size, size)),
            Argument::Size(Size::from("index") + "done"),
            Argument::Size(width()),
        ];
        stmts![
            let_("width", 1),
            Stmt::While(wider, vec![set("width", width() * 2)]),
            let_("half", "width"),
            Stmt::While(less(1, "half"), fewer),
            Action::CallAlone(self.name("settle"), settle),
            set("done", done() + "width"),
        ]
    }
}
