//! Several blocks of each text at once.

use super::block::Over;
use super::values::{named, Homes, Lowering};
use super::{stmts, Action, Condition, Place, Stmt};
use crate::emit::library::Stretch;

impl Lowering<'_> {
    /// What takes several blocks of a loop at once, if anything does.
    pub fn stretch(&self, over: &Over) -> Option<&Stretch> {
        self.stretches.iter().find(|stretch| stretch.piece == over.names[0])
    }

    /// While a condition holds, several blocks at once, with what is done before and after each run. Powers that this takes are made
    /// first, so it stands where the condition holds.
    pub fn in_stretches(
        &self,
        (over, stretch): (&Over, &Stretch),
        homes: &Homes,
        goes_on: Condition,
        [mut turn, after]: [Vec<Stmt>; 2],
    ) -> Vec<Stmt> {
        let piece = &over.blocks.body;
        let (mut body, mut more, mut clear) = (Vec::new(), Vec::new(), None);
        if let Some(powers) = &stretch.powers {
            let name = format!("powers{}", over.each.number);
            let place = Place::first(named(&name), homes.blocks.clone() * powers.bytes());
            let of = self.home(piece, piece.params[powers.of], homes);
            let (to, blocks) = (vec![place.clone()], homes.blocks.clone());
            body.extend(stmts![
                Action::Bytes(name.clone(), homes.room * powers.bytes()),
                Action::Run(stretch.powers_name(), to, vec![of], blocks),
            ]);
            more.push(place);
            clear = Some(Action::Clear(name).into());
        }
        self.run_with(&stretch.name(), piece, homes, more, &mut turn);
        turn.extend(after);
        body.push(Stmt::While(goes_on, turn));
        body.extend(clear);
        body
    }
}
