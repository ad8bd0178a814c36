//! Many blocks of a text alone side by side, with what each waits for of the one before.

use super::block::Over;
use super::lanes::Turn;
use super::values::{count, least, less, let_, named, no_block, set, Homes, Lowering, Value};
use super::{if_, Action, By, Bytes, Condition, Place, Run, Size, Stmt};
use crate::emit::library::{Parallel, Serial, Stretch, OFFSETS};
use crate::layout::port_bytes;
use crate::mode::{Piece, Slot};

/// A loop over a text alone, and where the state and the inputs lie.
#[derive(Clone, Copy)]
pub struct Alone<'a> {
    pub over: &'a Over<'a>,
    pub state: &'a dyn Fn(&Value) -> Bytes,
    pub input: &'a dyn Fn(&Value) -> Bytes,
}

impl<'a> Alone<'a> {
    /// A name of this loop's own.
    pub fn named(&self, name: &str) -> String {
        format!("{name}{}", self.over.each.number)
    }

    /// The number of the block at hand.
    pub fn number(&self) -> Size {
        Size::from(&*self.named("number"))
    }

    /// Where values lie, for one block.
    pub fn homes(&self) -> Homes<'a> {
        Homes::alone(self.state, self.input, &|_| no_block())
    }

    fn before(&self, state: usize) -> String {
        self.named(&format!("before{state}_"))
    }

    fn aside(&self, state: usize) -> String {
        self.named(&format!("aside{state}_"))
    }
}

/// What stands around the turns of a loop.
#[derive(Default)]
pub struct Around {
    pub before: Vec<Stmt>,
    pub after: Vec<Stmt>,
}

impl Around {
    /// An array, which is erased behind the loop.
    pub fn array(&mut self, name: &str, bytes: usize) {
        self.before.push(Action::Bytes(name.to_string(), bytes).into());
        self.after.push(Action::Clear(name.to_string()).into());
    }
}

impl Lowering<'_> {
    /// What takes many blocks of a loop side by side, if anything does.
    pub fn parallels<'o>(&'o self, over: &'o Over) -> impl Iterator<Item = &'o Parallel> {
        self.parallels.iter().filter(|parallel| parallel.piece == over.names[0])
    }

    /// Many blocks at once, as long as there are so many before the last one, or whole ones if that is like others.
    pub fn side_by_side(&self, own: &Parallel, alone: Alone) -> Stmt {
        let over = alone.over;
        let now = || match own.unit() {
            Some(_) => Size::from(&*alone.named("now")),
            None => own.blocks.into(),
        };
        let goes_on = |blocks: usize| {
            let takes = less(0, Size::Parallel(own.name()));
            let enough = self.has_blocks(over, alone.number() + blocks);
            takes.and(enough)
        };
        let mut around = Around::default();
        let constants = self.parallel_constants(own, alone, &mut around);
        around.before.extend(numbers(own, over, alone.number(), (0..own.blocks).collect()));
        let offsets = self.offsets(own, alone, constants.clone(), &mut around);
        let parallel = self.in_parallel(own, alone, [constants, offsets], now());
        let mut turn = Vec::new();
        if let Some(unit) = own.unit() {
            let left = (self.like_others(over) - alone.number()) / unit * unit;
            turn.push(let_(&alone.named("now"), least(own.blocks, left)).into());
        }
        turn.extend(numbers(own, over, alone.number() + own.blocks, own.numbered()));
        let serial = match (&own.serial, &own.split.serial) {
            (Some(Serial::InSeries(stretch)), Some(piece)) => {
                let powers = self.powers((over, stretch, piece), &alone.homes());
                around.before.extend(powers.made);
                around.after.extend(powers.clear);
                self.in_series(own, (stretch, piece), powers.place, alone, now())
            }
            (Some(Serial::Leaps(stretch)), Some(piece)) => {
                let first = self.in_series(own, (stretch, piece), None, alone, now());
                around.before.extend(first);
                around.after.splice(0..0, self.leapt(own, alone));
                Vec::new()
            }
            (Some(Serial::InLanes(lanes)), Some(piece)) => {
                self.in_lanes(Turn { own, lanes, piece, alone }, &mut around)
            }
            _ => Vec::new(),
        };
        turn.extend(match own.split.serial_first {
            true => [serial, parallel].concat(),
            false => [parallel, serial].concat(),
        });
        turn.push(set(&alone.named("number"), alone.number() + now()));
        let Around { before: mut body, after } = around;
        body.push(Stmt::While(goes_on(own.least().min(own.blocks)), turn));
        body.extend(after);
        let begins = goes_on(own.least());
        if !own.has_offsets() {
            return if_(begins, body);
        }
        let multiple = alone.number() / own.blocks * own.blocks;
        if_(begins.and(Condition::Equal(multiple, alone.number())), body)
    }

    /// Where the offsets of the first numbers lie, if it takes them: what makes them is done before.
    fn offsets(
        &self,
        own: &Parallel,
        alone: Alone,
        constants: Option<Place>,
        around: &mut Around,
    ) -> Option<Place> {
        let piece = &own.split.parallel;
        let number = Slot::Number(piece.numbers().next().filter(|_| own.has_offsets())?);
        let (name, bytes) = (alone.named("offsets"), own.blocks * own.offset_bytes());
        around.array(&name, bytes);
        let all = Place::first(named(&name), bytes);
        let run = Run {
            function: own.name_of(OFFSETS),
            by: By::Beside(own.name(), constants),
            results: vec![all.clone()],
            params: vec![turns_numbers(own, piece, alone, number, own.blocks.into())],
            blocks: own.blocks.into(),
        };
        around.before.push(Action::Run(run).into());
        Some(all)
    }

    /// How many blocks of a stream are like others.
    pub fn like_others(&self, over: &Over) -> Size {
        let (each, length) = (over.each, count(self.stream(over.each)));
        match over.ends() {
            true => Size::from(&*format!("blocks{}", each.number)) - 1,
            false => (length + over.front()) / over.size,
        }
    }

    /// Whether so many blocks of a stream are like others.
    pub fn has_blocks(&self, over: &Over, blocks: Size) -> Condition {
        let (each, length) = (over.each, count(self.stream(over.each)));
        match over.ends() {
            true => less(blocks, &*format!("blocks{}", each.number)),
            false => Condition::AtMost(blocks * over.size, length + over.front()),
        }
    }

    /// An array of what is the same for all blocks: these parameters of a piece, each with its size as a kernel reads it.
    pub fn gathered(
        &self,
        name: &str,
        (piece, params): (&Piece, &[(Slot, usize)]),
        alone: Alone,
        around: &mut Around,
    ) -> Option<Place> {
        let bytes = params.iter().map(|(_, bytes)| bytes).sum();
        if bytes == 0 {
            return None;
        }
        let all = Place::first(named(name), bytes);
        around.array(name, bytes);
        around.before.push(Action::Zero(all.clone()).into());
        let mut at = 0;
        for (slot, bytes) in params {
            let from = self.home(piece, *slot, &alone.homes());
            let to = Place::at(named(name), at, from.count.clone());
            around.before.push(Action::Copy(to, from).into());
            at += bytes;
        }
        Some(all)
    }

    fn parallel_constants(
        &self,
        own: &Parallel,
        alone: Alone,
        around: &mut Around,
    ) -> Option<Place> {
        let piece = &own.split.parallel;
        for slot in &piece.params {
            if let Slot::Before(state) = *slot {
                let bytes = own.blocks * self.state[state].size;
                around.array(&alone.before(state), bytes);
                if piece.results.contains(slot) {
                    around.array(&alone.aside(state), bytes);
                }
            }
        }
        let ports = piece.params.iter().zip(&piece.program.entry().params);
        let constants = ports.filter(|(_, port)| port.constant);
        let constants: Vec<_> = constants.map(|(slot, port)| (*slot, port_bytes(port))).collect();
        if own.split.makes() > 0 {
            around.array(&alone.named("made"), own.blocks * own.split.makes());
        }
        let name = alone.named("constants");
        let constants = self.gathered(&name, (piece, &constants), alone, around)?;
        let images = own.images().expect("the instance was checked");
        Some(images.map_or(constants.clone(), |part| {
            let name = alone.named("images");
            let images = Place::first(named(&name), part.bytes);
            around.array(&name, part.bytes);
            let make = Action::Images(own.images_name(), images.clone(), constants);
            around.before.push(make.into());
            images
        }))
    }

    /// The parallel part of the next blocks, so many of them.
    fn in_parallel(
        &self,
        own: &Parallel,
        alone: Alone,
        [constants, offsets]: [Option<Place>; 2],
        now: Size,
    ) -> Vec<Stmt> {
        let (over, piece) = (alone.over, &own.split.parallel);
        let bytes = || now.clone() * over.size;
        let in_stream = || self.text(alone, alone.number(), bytes());
        let aside = || Place::first(named(&over.array(over.taken())), bytes());
        let states = |name: String, state: usize| {
            Place::first(named(&name), now.clone() * self.state[state].size)
        };
        let leaps = |slot: &Slot| piece.results.contains(slot);
        let place = |slot: &Slot| match *slot {
            Slot::Before(state) => states(alone.before(state), state),
            Slot::Number(_) => turns_numbers(own, piece, alone, *slot, now.clone()),
            Slot::Made => {
                Place::first(named(&alone.named("made")), now.clone() * own.split.makes())
            }
            _ if *slot == over.taken() && over.each.gives() => aside(),
            _ => in_stream(),
        };
        let ports = piece.params.iter().zip(&piece.program.entry().params);
        let params = ports.filter(|(_, port)| !port.constant).map(|(slot, _)| match *slot {
            Slot::Before(state) if leaps(slot) => states(alone.aside(state), state),
            _ => place(slot),
        });
        let run = Run {
            function: own.name(),
            by: By::Beside(own.name(), constants),
            results: piece.results.iter().map(place).collect(),
            params: params.chain(offsets).collect(),
            blocks: now.clone(),
        };
        let aside = |slot: &Slot| match *slot {
            Slot::Before(state) if leaps(slot) => {
                Some(Action::Aside(states(alone.aside(state), state), place(slot)))
            }
            _ if *slot == over.taken() && over.each.gives() => {
                Some(Action::Aside(aside(), in_stream()))
            }
            _ => None,
        };
        let aside = piece.params.iter().filter_map(aside);
        aside.chain([Action::Run(run)]).map(Stmt::Do).collect()
    }

    /// The states that leaps have made: that before the first of the blocks that would follow is the state.
    fn leapt(&self, own: &Parallel, alone: Alone) -> Vec<Stmt> {
        let made = own.split.parallel.results.iter().filter_map(|slot| match *slot {
            Slot::Before(state) => Some(state),
            _ => None,
        });
        let copy = |state: usize| {
            let value = &self.state[state];
            let from = Place::first(named(&alone.before(state)), value.size);
            Action::Copy(value.alone((alone.state)(value)), from).into()
        };
        made.map(copy).collect()
    }

    /// The serial part of the next blocks, so many of them, one after another.
    fn in_series(
        &self,
        own: &Parallel,
        (stretch, piece): (&Stretch, &Piece),
        powers: Option<Place>,
        alone: Alone,
        now: Size,
    ) -> Vec<Stmt> {
        let over = alone.over;
        let first = || Size::from("part") * stretch.blocks;
        let place = |slot| match slot {
            Slot::Before(state) => {
                let size = self.state[state].size;
                Place::at(named(&alone.before(state)), first() * size, stretch.blocks * size)
            }
            Slot::Made => {
                let size = own.split.makes();
                Place::at(named(&alone.named("made")), first() * size, stretch.blocks * size)
            }
            Slot::Number(_) => {
                let from = first_number(own, alone.number()) + first();
                Place::at(named(&over.array(slot)), from * piece.bytes(slot), 0)
            }
            _ => self.text(alone, alone.number() + first(), stretch.blocks * over.size),
        };
        let homes =
            Homes { stretch: stretch.blocks, ..Homes::alone(alone.state, alone.input, &place) };
        let mut body = Vec::new();
        let more = powers.into_iter().collect();
        self.run_with(&stretch.name(), piece, &homes, more, &mut body);
        vec![Stmt::For("part".to_string(), now / stretch.blocks, body)]
    }

    /// So many bytes of the text, from a block on.
    pub fn text(&self, alone: Alone, block: Size, bytes: impl Into<Size>) -> Place {
        let each = alone.over.each;
        let from = block * alone.over.size - alone.over.front();
        Place::at(named(self.stream(each)), from, bytes)
    }
}

/// So many numbers are stored in straight-line code.
const GROUP: usize = 32;

/// Stores the numbers of these of a turn's blocks, a turn before they are read: registers hold more of them than one store.
fn numbers(own: &Parallel, over: &Over, first: Size, blocks: Vec<usize>) -> Vec<Stmt> {
    let store = |block: Size| {
        let at = first_number(own, first.clone()) + block.clone();
        over.store_counts(&over.blocks.body, over.size.into(), first.clone() + block, at)
    };
    if blocks.len() <= GROUP || !own.blocks.is_multiple_of(GROUP) {
        return blocks.into_iter().flat_map(|block| store(block.into())).collect();
    }
    let group: Vec<_> = (0..GROUP).flat_map(|k| store(Size::from("group") * GROUP + k)).collect();
    if group.is_empty() {
        return group;
    }
    vec![Stmt::For("group".to_string(), (own.blocks / GROUP).into(), group)]
}

/// The numbers of so many blocks of a turn.
fn turns_numbers(own: &Parallel, piece: &Piece, alone: Alone, slot: Slot, blocks: Size) -> Place {
    let size = piece.bytes(slot);
    let from = first_number(own, alone.number()) * size;
    Place::at(named(&alone.over.array(slot)), from, blocks * size)
}

/// Which of the numbers in the array is that of a turn's first block: turns have one half after the other.
fn first_number(own: &Parallel, first: Size) -> Size {
    first / own.blocks % 2 * own.blocks
}
