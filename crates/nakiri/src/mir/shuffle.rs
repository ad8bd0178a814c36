//! Copies that happen at once, as at the end of a loop's body: one after another, each into what no other reads any more.

use super::registers::State;
use super::{Bank, Home, Line, Memory, Register};

/// A place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A register.
    Register(Register),
    /// Memory, or none.
    Home(Home),
}

/// A copy.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// To a register, or to memory.
    pub to: Place,
    /// From where.
    pub from: Place,
}

/// Adds copies that happen at once. What registers hold must be said to the state by the caller.
pub fn shuffle(state: &mut State, mut moves: Vec<Move>) {
    moves.retain(|m| m.to != m.from);
    let mut all = moves.clone();
    let mut lent = Vec::new();
    while !moves.is_empty() {
        let is_read =
            |k: usize| moves.iter().enumerate().any(|(j, m)| j != k && m.from == moves[k].to);
        let at = match (0..moves.len()).find(|k| !is_read(*k)) {
            Some(at) => at,
            None => {
                // A circle: what its first copy overwrites is kept aside.
                let over = moves[0].to;
                let aside = match (over, unused(state, &all)) {
                    (Place::Register(Register { bank: Bank::Vector, .. }), Some(free)) => {
                        Place::Register(free)
                    }
                    _ => {
                        let slot = state.slot(false);
                        lent.push(slot);
                        Place::Home(Home::Memory(slot))
                    }
                };
                copy(state, Move { to: aside, from: over }, &all);
                all.push(Move { to: aside, from: aside });
                moves.iter_mut().filter(|m| m.from == over).for_each(|m| m.from = aside);
                0
            }
        };
        let next = moves.swap_remove(at);
        copy(state, next, &all);
    }
    lent.into_iter().for_each(|slot| state.free(slot));
}

/// One of all copies.
fn copy(state: &mut State, Move { to, from }: Move, all: &[Move]) {
    match (to, from) {
        (Place::Register(to), Place::Register(from)) => state.lines.push(Line::Copy { to, from }),
        (Place::Register(to), Place::Home(from)) => state.lines.push(Line::Load { to, from }),
        (Place::Home(Home::Memory(to)), Place::Register(from)) => {
            state.lines.push(Line::Store { to, from });
        }
        (Place::Home(Home::Memory(to)), Place::Home(from)) => through(state, to, from, all),
        (Place::Home(Home::Zeros | Home::Ones), _) => {}
    }
}

/// From memory to memory: through a register that nothing is in, or that is stored meanwhile.
fn through(state: &mut State, to: Memory, from: Home, all: &[Move]) {
    if let Some(register) = unused(state, all) {
        state.lines.push(Line::Load { to: register, from });
        state.lines.push(Line::Store { to, from: register });
        return;
    }
    let register = Register { bank: Bank::Vector, number: 0 };
    let aside = state.slot(false);
    state.lines.push(Line::Store { to: aside, from: register });
    state.lines.push(Line::Load { to: register, from });
    state.lines.push(Line::Store { to, from: register });
    state.lines.push(Line::Load { to: register, from: Home::Memory(aside) });
    state.free(aside);
}

/// A vector in which nothing is and to which nothing is copied.
fn unused(state: &State, all: &[Move]) -> Option<Register> {
    let is_used = |register: &Register| {
        let place = Place::Register(*register);
        state.holds(*register).is_some() || all.iter().any(|m| m.from == place || m.to == place)
    };
    let vectors = 0..state.target.registers as u8;
    let mut vectors = vectors.map(|number| Register { bank: Bank::Vector, number });
    vectors.find(|register| !is_used(register))
}
