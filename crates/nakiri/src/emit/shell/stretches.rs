//! Several blocks of each text at once.

use super::block::Over;
use super::values::{named, Homes, Lowering};
use super::{stmts, Action, By, Condition, Place, Run, Stmt};
use crate::emit::library::Stretch;
use crate::mode::Piece;

/// The powers that a stretch takes, if it takes any.
#[derive(Default)]
pub struct Powers {
    /// What makes them.
    pub made: Vec<Stmt>,
    /// Where they lie.
    pub place: Option<Place>,
    /// What erases them.
    pub clear: Option<Stmt>,
}

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
        let Powers { made: mut body, place, clear } = self.powers((over, stretch, piece), homes);
        let more = place.into_iter().collect();
        self.run_with(&stretch.name(), piece, homes, more, &mut turn);
        turn.extend(after);
        body.push(Stmt::While(goes_on, turn));
        body.extend(clear);
        body
    }

    /// The powers that a stretch of a piece takes.
    pub fn powers(
        &self,
        (over, stretch, piece): (&Over, &Stretch, &Piece),
        homes: &Homes,
    ) -> Powers {
        let Some(powers) = &stretch.powers else { return Powers::default() };
        let name = format!("powers{}", over.each.number);
        let place = Place::first(named(&name), homes.blocks.clone() * powers.bytes());
        let run = Run {
            function: stretch.powers_name(),
            by: By::Own,
            results: vec![place.clone()],
            params: vec![self.home(piece, piece.params[powers.of], homes)],
            blocks: homes.blocks.clone(),
        };
        let array = Action::Bytes(name.clone(), homes.room * powers.bytes());
        let clear = Some(Action::Clear(name).into());
        Powers { made: stmts![array, Action::Run(run)], place: Some(place), clear }
    }
}
