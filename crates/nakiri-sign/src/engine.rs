//! What hashes: kernels and threads.

use crate::kernels::Kernels;
use crate::parallel;
use std::sync::atomic::AtomicU64;

/// How many signatures are verified at once: in fewer, lanes have nothing to do; in more, they are not better filled.
const BATCH: usize = 16;

/// Which kernels hash, and on how many threads.
#[derive(Clone, Copy)]
pub struct Engine {
    pub(crate) kernels: &'static Kernels,
    pub(crate) threads: usize,
    /// Counts leaves.
    pub(crate) leaves: Option<&'static AtomicU64>,
}

impl Default for Engine {
    /// The widest kernels that this CPU runs, on one thread.
    fn default() -> Engine {
        Engine { kernels: Kernels::best(), threads: 1, leaves: None }
    }
}

impl Engine {
    /// The names of the kernels that this CPU runs, widest first.
    pub fn names() -> Vec<&'static str> {
        Kernels::available().map(|kernels| kernels.name).collect()
    }

    /// The kernels of a name, on one thread, if this CPU runs them.
    pub fn named(name: &str) -> Option<Engine> {
        let kernels = Kernels::available().find(|kernels| kernels.name == name)?;
        Some(Engine { kernels, ..Engine::default() })
    }

    /// The same kernels on at most so many threads.
    pub fn with_threads(self, threads: usize) -> Engine {
        Engine { threads, ..self }
    }

    /// The same, which adds to a number for each leaf of a tree that it hashes, on whatever thread. Key generation hashes as many as
    /// [`slh::Set::top_leaves`](crate::slh::Set::top_leaves) or [`stateful::Scheme::top_leaves`](crate::stateful::Scheme::top_leaves)
    /// says.
    pub fn counting(self, leaves: &'static AtomicU64) -> Engine {
        Engine { leaves: Some(leaves), ..self }
    }

    /// What verifies a few signatures at once, for as many as there are.
    pub(crate) fn verdicts<T: Sync>(
        &self,
        signed: &[T],
        verify: impl Fn(&[T]) -> Vec<bool> + Sync,
    ) -> Vec<bool> {
        parallel::of_chunks(self.threads, signed, BATCH, verify)
    }

    /// The name of its kernels.
    pub fn name(&self) -> &'static str {
        self.kernels.name
    }
}
