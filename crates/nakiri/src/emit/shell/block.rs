//! Blocks of streams, and what a piece reads and writes beside the state.

use super::parts::ending;
use super::values::{call, count, let_, named, param, Lowering};
use super::{if_, stmts, Action, Argument, Condition, Function, Kind, Length, Place, Size, Stmt};
use crate::mode::{Blocks, Each, Slot};

/// A loop over a stream, one way.
pub struct Over<'a> {
    pub each: &'a Each,
    pub blocks: &'a Blocks,
    /// The names of the functions that its pieces are.
    pub body: String,
    pub last: String,
    /// The size of a block.
    pub size: usize,
    back: bool,
}

impl<'a> Over<'a> {
    /// None if there is no way back.
    pub fn of(each: &'a Each, back: bool) -> Option<Over<'a>> {
        let (blocks, [body, last]) = each.way(back)?;
        let (size, back) = (each.block_bytes(), back && each.gives());
        Some(Over { each, blocks, body, last, size, back })
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
            _ => "block",
        };
        format!("{name}{}", self.each.number)
    }

    /// The arrays that its pieces read and write.
    pub fn arrays(&self) -> impl Iterator<Item = String> + '_ {
        let slots = [Slot::Block, Slot::Given, Slot::Present, Slot::Marker];
        slots.into_iter().filter(|slot| self.uses(*slot)).map(|slot| self.array(slot))
    }

    fn uses(&self, slot: Slot) -> bool {
        let last = self.blocks.last.iter();
        last.chain([&self.blocks.body]).any(|piece| piece.ports().any(|(own, _)| own == slot))
    }

    /// Whether every stream has a block.
    pub fn is_certain(&self) -> bool {
        self.each.padding.first.is_some() && !self.each.unless_empty
    }

    /// The last block, of which the stream has `own`, into the arrays from `at` on.
    pub fn fill_last(&self, stream: Argument, number: Size, own: Place, at: Size) -> Vec<Stmt> {
        let size = self.size;
        let part = |slot, from: Size, count: Size| {
            Place::at(named(&self.array(slot)), at.clone() + from, count)
        };
        let rest = own.count.clone();
        let mut body = match self.back {
            true => stmts![
                Action::Zero(part(Slot::Given, 0.into(), size.into())),
                Action::Copy(part(Slot::Given, 0.into(), rest.clone()), own),
            ],
            false => stmts![self.make(part(Slot::Block, 0.into(), size.into()), stream, number)],
        };
        if self.uses(Slot::Present) {
            body.extend(stmts![
                Action::Zero(part(Slot::Present, 0.into(), size.into())),
                Action::XorAll(part(Slot::Present, 0.into(), rest.clone()), 0xff),
            ]);
        }
        if self.uses(Slot::Marker) {
            let first = self.each.padding.first.unwrap_or(0);
            let all = part(Slot::Marker, 0.into(), size.into());
            let byte = part(Slot::Marker, rest, 1.into());
            body.extend(stmts![Action::Zero(all), Action::SetByte(byte, first)]);
            let end = part(Slot::Marker, 0.into(), size.into());
            let length = Length::Of(0.into());
            body.extend(ending(self.each.padding, size, end, length).map(Stmt::Do));
        }
        body
    }

    /// A block with its padding, by its number.
    pub fn make(&self, to: Place, stream: Argument, number: Size) -> Action {
        let arguments = vec![Argument::Place(to), stream, Argument::Size(number)];
        call(format!("cut{}", self.each.number), arguments)
    }

    /// The function that does.
    pub fn function(&self, lowering: &Lowering) -> Function {
        const STREAM: &str = "stream";
        let (size, padding) = (self.size, self.each.padding);
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
        if let Some(first) = padding.first {
            rest.push(Action::SetByte(Place::at(named("to"), "rest", 1), first).into());
        }
        let mut body = stmts![
            let_("from", Size::from("number") * size),
            if_(Condition::AtMost(from.clone() + size, count(STREAM)), whole),
            Action::Zero(Place::first(named("to"), size)),
            if_(Condition::AtMost(from, count(STREAM)), rest),
        ];
        let to = Place::first(named("to"), size);
        if let Some(ending) = ending(padding, size, to, Length::Of(count(STREAM))) {
            let all = lowering.blocks(self.each, count(STREAM));
            let is_last = Condition::Equal(Size::from("number") + 1, all);
            body.push(if_(is_last, stmts![ending]));
        }
        let about = "A block of a stream with its padding.".to_string();
        Function { name: format!("cut{}", self.each.number), about, params, body }
    }
}
