//! The way through code from one place until it returns, whatever machine the code is for.

use crate::image::Place;
use std::collections::BTreeMap;

/// What follows an instruction.
pub(super) enum Next {
    /// This place.
    Place(Place),
    /// One of these places.
    Fork([Place; 2]),
    /// The caller.
    Return,
    /// The caller or this place.
    PerhapsReturn(Place),
    /// Nothing: it ends the program, or can't be followed.
    End,
}

/// A machine whose instructions change what is known.
pub(super) trait Machine {
    /// What is known before an instruction.
    type State: Clone;

    /// Checks and applies one instruction.
    fn step(&mut self, place: Place, state: &mut Self::State) -> Next;

    /// Adds what holds in another state; says whether anything changed.
    fn join(state: &mut Self::State, other: &Self::State) -> bool;
}

/// Follows the code from a place until it returns, and gives the state in which it does. States are joined where the
/// code may go either way; each way is followed from there in what then is known.
pub(super) fn walk<M: Machine>(machine: &mut M, start: Place, state: M::State) -> Option<M::State> {
    let mut forks: BTreeMap<Place, M::State> = BTreeMap::new();
    let mut todo = vec![(start, state)];
    let mut returned: Option<M::State> = None;
    while let Some((mut place, mut state)) = todo.pop() {
        loop {
            let next = machine.step(place, &mut state);
            if matches!(next, Next::Return | Next::PerhapsReturn(_)) {
                match &mut returned {
                    Some(known) => drop(M::join(known, &state)),
                    None => returned = Some(state.clone()),
                }
            }
            let ways = match next {
                Next::Place(next) => {
                    place = next;
                    continue;
                }
                Next::Fork(ways) => ways.to_vec(),
                Next::PerhapsReturn(way) => vec![way],
                Next::Return | Next::End => break,
            };
            let changed = match forks.get_mut(&place) {
                Some(known) => M::join(known, &state),
                None => forks.insert(place, state).is_none(),
            };
            if changed {
                todo.extend(ways.into_iter().map(|way| (way, forks[&place].clone())));
            }
            break;
        }
    }
    returned
}
