//! What the blocks of a text wait for, in the lanes of registers, by Horner's rule.

use super::parallel::{Alone, Around};
use super::values::{least, let_, named, Lowering};
use super::{stmts, Action, By, Place, Run, Size, Stmt};
use crate::emit::library::{Lanes, Parallel, POWERS, STEPS, SUMS};
use crate::layout::port_bytes;
use crate::mode::{Piece, Slot};

/// A turn of a loop: the serial part of its blocks.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    pub own: &'a Parallel,
    pub lanes: &'a Lanes,
    pub piece: &'a Piece,
    pub alone: Alone<'a>,
}

impl Turn<'_> {
    /// What is carried: the part of the state.
    fn carried(&self) -> usize {
        let state = self.piece.results.iter().find_map(|slot| match slot {
            Slot::State(state) => Some(*state),
            _ => None,
        });
        state.expect("Horner's rule carries a value")
    }

    fn run(&self, part: &str, constants: Option<Place>, places: [Vec<Place>; 2]) -> Action {
        let [results, params] = places;
        let blocks = if part == STEPS { self.own.blocks } else { 1 };
        Action::Run(Run {
            function: self.own.name_of(part),
            by: By::Beside(self.own.name(), constants),
            results,
            params,
            blocks: blocks.into(),
        })
    }
}

impl Lowering<'_> {
    /// The steps of a turn, with what is done before and after all of them.
    pub fn in_lanes(&self, turn: Turn, around: &mut Around) -> Vec<Stmt> {
        let Turn { own, lanes, piece, alone } = turn;
        let value = &self.state[turn.carried()];
        let [state, powers, more] = ["lanes", "powers", "more"].map(|name| alone.named(name));
        let (all, set) = (own.blocks * value.size, lanes.maps * own.blocks * value.size);
        around.array(&state, all);
        around.array(&powers, 2 * set);
        let carried = || Place::first(named(&state), all);
        let home = || self.home(piece, Slot::State(turn.carried()), &alone.homes());
        let of = self.home(piece, piece.params[lanes.of], &alone.homes());
        let made = Place::first(named(&powers), 2 * set);
        around.before.extend(stmts![
            Action::Zero(carried()),
            Action::Copy(Place::first(named(&state), value.size), home()),
            turn.run(POWERS, None, [vec![made], vec![of]]),
        ]);
        let constants = self.lane_constants(turn, around);
        let steps = turn.run(STEPS, constants, [vec![carried()], self.read(turn, &more)]);
        let add = turn.run(SUMS, None, [vec![home()], vec![carried()]]);
        around.after.insert(0, add.into());
        let others = (self.like_others(alone.over) - alone.number()) / own.blocks - 1;
        // For languages in which a run may not write where it reads.
        let aside = alone.named("carried");
        around.array(&aside, all);
        let aside = Action::Aside(Place::first(named(&aside), all), carried());
        stmts![let_(&more, least(1, others)), aside, steps]
    }

    /// Where the steps read: what is carried, blocks, and the powers of those behind which more follow or of the last ones.
    fn read(&self, turn: Turn, more: &str) -> Vec<Place> {
        let Turn { own, lanes, piece, alone } = turn;
        let size = self.state[turn.carried()].size;
        let powers = (0..lanes.maps).map(|map| {
            let last = (Size::from(1) - more) * (lanes.maps * own.blocks * size);
            let from = last + map * own.blocks * size;
            Place::at(named(&alone.named("powers")), from, own.blocks * size)
        });
        let place = |slot: &Slot| match slot {
            Slot::State(state) if *state == turn.carried() => {
                Some(Place::first(named(&alone.named("carried")), own.blocks * size))
            }
            Slot::Block | Slot::Given => {
                Some(self.text(alone, alone.number(), own.blocks * alone.over.size))
            }
            _ => None,
        };
        piece.params.iter().filter_map(place).chain(powers).collect()
    }

    fn lane_constants(&self, turn: Turn, around: &mut Around) -> Option<Place> {
        let Turn { lanes, piece, alone, .. } = turn;
        let kernel = lanes.steps.iter().flatten().next()?;
        let sliced = piece.params.iter().zip(&kernel.program.entry().params);
        let constants = sliced.zip(&kernel.params).filter(|((_, port), _)| port.constant);
        let constants: Vec<_> =
            constants.map(|((slot, _), port)| (*slot, port_bytes(port))).collect();
        self.gathered(&alone.named("kept"), (piece, &constants), alone, around)
    }
}
