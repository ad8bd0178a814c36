//! What hashes: kernels and threads.

use crate::kernels::Kernels;
use crate::parallel;

/// How many signatures are verified at once: in fewer, lanes have nothing to do; in more, they are not better filled.
const BATCH: usize = 16;

/// Which kernels hash, and on how many threads.
#[derive(Clone, Copy)]
pub struct Engine {
    pub(crate) kernels: &'static Kernels,
    pub(crate) threads: usize,
}

impl Default for Engine {
    /// The widest kernels that this CPU runs, on one thread.
    fn default() -> Engine {
        Engine { kernels: Kernels::best(), threads: 1 }
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
        Some(Engine { kernels, threads: 1 })
    }

    /// The same kernels on at most so many threads.
    pub fn with_threads(self, threads: usize) -> Engine {
        Engine { threads, ..self }
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
