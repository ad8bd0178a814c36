//! How long a search may take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Instant;

/// When a search has to end.
#[derive(Clone, Debug)]
pub struct Effort {
    deadline: Option<Instant>,
    interrupted: fn() -> bool,
    stopped: Arc<AtomicBool>,
}

impl Effort {
    /// Until `deadline`, if there is one, or until `interrupted`, which is asked now and then, says so.
    pub fn new(deadline: Option<Instant>, interrupted: fn() -> bool) -> Effort {
        Effort { deadline, interrupted, stopped: Arc::default() }
    }

    /// A search without an end of its own.
    pub fn unlimited() -> Effort {
        Effort::new(None, || false)
    }

    /// Whether the search has to end.
    pub fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || (self.interrupted)()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether it was interrupted.
    pub fn is_interrupted(&self) -> bool {
        (self.interrupted)()
    }

    /// Ends this search and all that share its effort.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The same, but ending at `deadline` at the latest.
    pub fn until(&self, deadline: Instant) -> Effort {
        let earlier = self.deadline.map_or(deadline, |own| own.min(deadline));
        Effort { deadline: Some(earlier), ..self.clone() }
    }
}
