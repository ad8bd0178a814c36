//! How long a search may take.

use std::time::Instant;

/// When a search has to end.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time at which it ends; none for never.
    pub deadline: Option<Instant>,
    /// Asked now and then; the search ends when it says so.
    pub stop: fn() -> bool,
}

impl Effort {
    /// A search without an end of its own.
    pub fn unlimited() -> Effort {
        Effort { deadline: None, stop: || false }
    }

    /// Whether the search has to end.
    pub fn is_over(&self) -> bool {
        (self.stop)() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The same, but ending at `deadline` at the latest.
    pub fn until(self, deadline: Instant) -> Effort {
        let earlier = self.deadline.map_or(deadline, |own| own.min(deadline));
        Effort { deadline: Some(earlier), ..self }
    }
}
