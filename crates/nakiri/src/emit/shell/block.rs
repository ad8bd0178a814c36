//! Blocks of streams, and what a piece reads and writes beside the state.

use super::parts::ending;
use super::values::{call, count, digits, in_front, least, less, let_, named, param, Lowering};
use super::{
    if_, stmts, Action, Argument, ByteOrder, Condition, Function, Kind, Length, Place, Size, Stmt,
};
use crate::mode::{Blocks, Each, Padding, Piece, Prefix, Slot, MOST_DIGITS};

/// A loop over a stream, one way.
pub struct Over<'a> {
    pub each: &'a Each,
    pub blocks: &'a Blocks,
    /// The names of the functions that its pieces are: with each block, with the last, and with a short one.
    pub names: [String; 3],
    /// The size of a block.
    pub size: usize,
    back: bool,
}

impl<'a> Over<'a> {
    /// None if there is no way back.
    pub fn of(each: &'a Each, back: bool) -> Option<Over<'a>> {
        let (blocks, names) = each.way(back)?;
        let (size, back) = (each.block_bytes(), back && each.gives());
        Some(Over { each, blocks, names, size, back })
    }

    /// Whether something else is done with the last block.
    pub fn ends(&self) -> bool {
        self.each.pads_short || self.blocks.last.is_some()
    }

    /// What is done with the last block, and its name.
    pub fn end(&self, whole: bool) -> (&str, &Piece) {
        let (which, piece) = self.blocks.end(whole);
        (&self.names[which], piece)
    }

    /// Whether that depends on whether the block is whole.
    pub fn tells_short(&self) -> bool {
        self.blocks.short.is_some()
    }

    /// Whether a block by its number is whole, in a stream of so many bytes.
    pub fn is_whole(&self, number: Size, length: Size) -> Condition {
        Condition::AtMost((number + 1) * self.size, length + self.front())
    }

    /// How many bytes stand in front of the stream: a number with a name, if its length says that.
    pub fn front(&self) -> Size {
        match self.each.padding.prefix {
            Some(Prefix::Bits) => Size::from(&*self.front_name()),
            Some(Prefix::Bytes(_)) | None => self.each.padding.most_in_front().into(),
        }
    }

    fn front_name(&self) -> String {
        format!("front{}", self.each.number)
    }

    /// Gives [`Over::front`] its name.
    pub fn measure_front(&self, length: Size) -> Option<Stmt> {
        let padding = &self.each.padding;
        let own = || let_(&self.front_name(), in_front(padding, length)).into();
        matches!(padding.prefix, Some(Prefix::Bits)).then(own)
    }

    /// The block that is read.
    pub fn taken(&self) -> Slot {
        if self.back {
            Slot::Given
        } else {
            Slot::Block
        }
    }

    /// The block that is written, if one is.
    pub fn given(&self) -> Slot {
        if self.back {
            Slot::Block
        } else {
            Slot::Given
        }
    }

    /// The array in which blocks lie.
    pub fn array(&self, slot: Slot) -> String {
        let name = match slot {
            Slot::Given => "given",
            Slot::Present => "present",
            Slot::Marker => "marker",
            Slot::Held => "held",
            Slot::Number(first) => return format!("index{}_{first}", self.each.number),
            _ => "block",
        };
        format!("{name}{}", self.each.number)
    }

    /// Whether all is done where the stream lies: blocks are whole, and the last one is like others.
    pub fn in_place(&self) -> bool {
        self.each.whole && !self.ends()
    }

    /// The arrays that its pieces read and write, with the bytes that each has for a block.
    pub fn arrays(&self) -> impl Iterator<Item = (String, usize)> + '_ {
        self.slots().map(|(slot, bytes)| (self.array(slot), bytes))
    }

    /// What its pieces read and write beside the state, with the bytes that it has for a block.
    pub fn slots(&self) -> impl Iterator<Item = (Slot, usize)> + '_ {
        let mut slots = vec![Slot::Block, Slot::Given, Slot::Present, Slot::Marker, Slot::Held];
        for first in self.blocks.pieces().flat_map(Piece::numbers).map(Slot::Number) {
            if !slots.contains(&first) {
                slots.push(first);
            }
        }
        let sized = slots.into_iter().map(|slot| (slot, self.bytes(slot)));
        sized.filter(|(_, bytes)| *bytes > 0)
    }

    /// The arrays for a message alone, of which so many blocks are taken at once: what is taken beside a stream that is given, and
    /// so many numbers.
    pub fn arrays_alone(&self, most: usize, numbers: usize) -> Vec<(String, usize)> {
        let gives = self.each.gives();
        let in_stream = if gives { self.given() } else { self.taken() };
        let own = self.slots().filter(|(slot, _)| !(self.in_place() && *slot == in_stream));
        let array = |(slot, bytes)| {
            let times = match slot {
                Slot::Number(_) => numbers,
                _ if gives && slot == self.taken() => most,
                _ => 1,
            };
            (self.array(slot), times * bytes)
        };
        own.map(array).collect()
    }

    /// The bytes of a block in the array of these; 0 if there is none.
    pub fn bytes(&self, slot: Slot) -> usize {
        self.blocks.pieces().map(|piece| piece.bytes(slot)).max().unwrap_or(0)
    }

    /// How many bytes of a block by its number a stream has.
    pub fn left(&self, number: Size, length: Size) -> Size {
        match self.each.padding.reserved() {
            0 => least(self.size, length - number * self.size),
            _ => least(self.size, length.clone() - least(length, number * self.size)),
        }
    }

    /// The number of bits of the stream in a block, to the array of these, if the piece reads it.
    pub fn store_held(&self, piece: &Piece, bytes: Size, lane: Size) -> Option<Action> {
        let size = self.bytes(Slot::Held);
        let place = Place::at(named(&self.array(Slot::Held)), lane * size, size);
        let store = Action::StoreBits(place, Length::Of(bytes), ByteOrder::Little);
        piece.has(Slot::Held).then_some(store)
    }

    /// What a piece reads of these: the number of bits of the stream in a block, and the block's number.
    pub fn store_counts(&self, piece: &Piece, bytes: Size, number: Size, lane: Size) -> Vec<Stmt> {
        let numbers = piece.numbers().map(|first| {
            let size = piece.bytes(Slot::Number(first));
            let array = named(&self.array(Slot::Number(first)));
            let place = Place::at(array, lane.clone() * size, size);
            Action::StoreNumber(place, number.clone(), first)
        });
        let held = self.store_held(piece, bytes, lane.clone());
        held.into_iter().chain(numbers).map(Stmt::Do).collect()
    }

    /// Whether what is filled in for a piece depends on how many bytes of its block the stream has.
    pub fn needs_left(&self, piece: &Piece) -> bool {
        let slots = [Slot::Present, Slot::Marker, Slot::Held];
        self.back && !self.each.whole || slots.into_iter().any(|slot| piece.has(slot))
    }

    /// The last block, of which the stream has `own`, into the arrays, for a piece.
    pub fn fill_last(
        &self,
        piece: &Piece,
        stream: Argument,
        number: Size,
        own: Place,
        lane: Size,
    ) -> Vec<Stmt> {
        let (size, at) = (self.size, lane.clone() * self.size);
        let part = |slot, from: Size, count: Size| {
            Place::at(named(&self.array(slot)), at.clone() + from, count)
        };
        let rest = own.count.clone();
        let (taken, made) = self.each.paddings(self.back);
        let mut body = match (self.back, self.each.whole) {
            (_, true) => {
                let own = Place { count: size.into(), ..own };
                stmts![Action::Copy(part(self.taken(), 0.into(), size.into()), own)]
            }
            (true, _) => {
                let copy = Action::Copy(part(Slot::Given, 0.into(), rest.clone()), own);
                let padding = self.behind(Slot::Given, &taken, &rest, &at);
                let zero = Action::Zero(part(Slot::Given, 0.into(), size.into()));
                [stmts![zero, copy], padding].concat()
            }
            (false, _) => {
                stmts![self.make(part(Slot::Block, 0.into(), size.into()), stream, number.clone())]
            }
        };
        body.extend(self.store_counts(piece, rest.clone(), number, lane));
        if piece.has(Slot::Present) {
            // They are no more than the size, which compilers don't know.
            let present = least(size, rest.clone());
            body.extend(stmts![
                Action::Zero(part(Slot::Present, 0.into(), size.into())),
                Action::XorAll(part(Slot::Present, 0.into(), present), 0xff),
            ]);
        }
        if piece.has(Slot::Marker) {
            body.push(Action::Zero(part(Slot::Marker, 0.into(), size.into())).into());
            body.extend(self.behind(Slot::Marker, &made, &rest, &at));
        }
        body
    }

    /// What follows the last byte of a stream in its last block, if that is not whole, in the array of these from a place on, where
    /// zeros are.
    fn behind(&self, slot: Slot, padding: &Padding, rest: &Size, at: &Size) -> Vec<Stmt> {
        let Some(first) = padding.first else { return vec![] };
        let array = || named(&self.array(slot));
        // It is less than the size, which compilers don't know.
        let byte = Place::at(array(), at.clone() + rest.clone() % self.size, 1);
        let all = Place::at(array(), at.clone(), self.size);
        let end = ending(padding, self.size, all, Length::Of(0.into()));
        let marked: Vec<Stmt> =
            [Action::SetByte(byte, first)].into_iter().chain(end).map(Stmt::Do).collect();
        vec![if_(less(rest.clone(), self.size), marked)]
    }

    /// A block with its padding, by its number.
    pub fn make(&self, to: Place, stream: Argument, number: Size) -> Action {
        let arguments = vec![Argument::Place(to), stream, Argument::Size(number)];
        call(format!("cut{}", self.each.number), arguments)
    }

    /// The function that does.
    pub fn function(&self, lowering: &Lowering) -> Function {
        const STREAM: &str = "stream";
        let (size, padding) = (self.size, &self.each.padding);
        let params = vec![
            param("to", Kind::OutputOf(size)),
            param(STREAM, Kind::Input),
            param("number", Kind::Size),
        ];
        let from = Size::from("from");
        let whole = stmts![
            Action::Copy(Place::first(named("to"), size), Place::at(named(STREAM), "from", size)),
            Action::Return,
        ];
        let mut rest = stmts![
            let_("rest", count(STREAM) - "from"),
            Action::Copy(
                Place::first(named("to"), "rest"),
                Place::at(named(STREAM), "from", "rest"),
            ),
        ];
        if let (Some(first), []) = (padding.first, &padding.suffix[..]) {
            rest.push(Action::SetByte(Place::at(named("to"), "rest", 1), first).into());
        }
        let cut = stmts![
            let_("from", Size::from("number") * size - self.front()),
            if_(Condition::AtMost(from.clone() + size, count(STREAM)), whole),
            Action::Zero(Place::first(named("to"), size)),
            if_(Condition::AtMost(from, count(STREAM)), rest),
        ];
        let mut body: Vec<Stmt> = self.measure_front(count(STREAM)).into_iter().collect();
        match padding.has_front() {
            true => {
                let is_first = Condition::Equal("number".into(), 0.into());
                body.push(Stmt::If(is_first, self.first(STREAM), cut));
            }
            false => body.extend(cut),
        }
        body.extend(self.follow(STREAM));
        let to = Place::first(named("to"), size);
        if let Some(ending) = ending(padding, size, to, Length::Of(count(STREAM))) {
            let all = lowering.blocks(self.each, count(STREAM));
            let is_last = Condition::Equal(Size::from("number") + 1, all);
            body.push(if_(is_last, stmts![ending]));
        }
        let about = "A block of a stream with its padding.".to_string();
        Function { name: format!("cut{}", self.each.number), about, params, body }
    }

    /// The bytes behind a stream, where they are several, each in its block.
    fn follow(&self, stream: &str) -> Vec<Stmt> {
        let padding = &self.each.padding;
        if padding.suffix.is_empty() {
            return vec![];
        }
        let set = |(k, byte): (usize, &u8)| {
            let at = || count(stream) + self.front() + k;
            let here = Condition::Equal("number".into(), at() / self.size);
            let place = Place::at(named("to"), at() % self.size, 1);
            if_(here, stmts![Action::SetByte(place, *byte)])
        };
        padding.suffix.iter().chain(&padding.first).enumerate().map(set).collect()
    }

    /// The first block of a stream that has something in front.
    fn first(&self, stream: &str) -> Vec<Stmt> {
        let padding = &self.each.padding;
        let (room, part) = (|| Size::from(self.size) - self.front(), || Size::from("part"));
        let mut first = stmts![Action::Zero(Place::first(named("to"), self.size))];
        let set =
            |(k, byte): (usize, &u8)| Action::SetByte(Place::at(named("to"), k, 1), *byte).into();
        first.extend(padding.front.iter().enumerate().map(set));
        first.extend(padding.prefix.map_or(vec![], |prefix| self.prefix(prefix, stream)));
        first.extend(stmts![
            let_("part", least(room(), count(stream))),
            Action::Copy(
                Place::at(named("to"), self.front(), part()),
                Place::first(named(stream), part()),
            ),
        ]);
        if let (Some(byte), []) = (padding.first, &padding.suffix[..]) {
            let place = Place::at(named("to"), part() + self.front(), 1);
            first.push(if_(less(part(), room()), stmts![Action::SetByte(place, byte)]));
        }
        first
    }

    /// The length of a stream, behind the first bytes.
    fn prefix(&self, prefix: Prefix, stream: &str) -> Vec<Stmt> {
        let at = self.each.padding.front.len();
        match prefix {
            Prefix::Bytes(encoding) => {
                let place = Place::at(named("to"), at, encoding.bytes);
                stmts![Action::StoreBytes(place, count(stream), ByteOrder::of(encoding))]
            }
            Prefix::Bits => {
                let (all, own) =
                    (Place::first(named("bits"), MOST_DIGITS), || Size::from("digits"));
                stmts![
                    Action::Bytes("bits".to_string(), MOST_DIGITS),
                    Action::StoreBits(all, Length::Of(count(stream)), ByteOrder::Big),
                    let_("digits", digits(count(stream))),
                    Action::StoreBytes(Place::at(named("to"), at, 1), own(), ByteOrder::Little),
                    Action::Copy(
                        Place::at(named("to"), at + 1, own()),
                        Place::at(named("bits"), Size::from(MOST_DIGITS) - own(), own()),
                    ),
                ]
            }
        }
    }
}
