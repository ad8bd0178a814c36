//! How long towers of fields are searched.

/// How long is searched. The same limits give the same circuit on every machine, unless `is_over` ends the search.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// How many bases are looked at.
    pub bases: usize,
    /// Over how many of these a circuit may be made.
    pub kept: usize,
    /// How many choices of the middle are tried for a circuit.
    pub choices: usize,
    /// How many steps each walk over sums takes.
    pub walk: u64,
    /// How many circuits of the inversion in GF(2^4) are built, of which the smallest is taken.
    pub inversions: u64,
    /// How many steps the search for each of these takes.
    pub steps: usize,
    /// Asked now and then whether the search has to end.
    pub is_over: &'a dyn Fn() -> bool,
}

impl<'a> Limits<'a> {
    /// Seconds for a circuit.
    pub fn long(is_over: &'a dyn Fn() -> bool) -> Limits<'a> {
        Limits {
            bases: 3000,
            kept: 40,
            choices: 1500,
            walk: 150_000,
            inversions: 3,
            steps: 6000,
            is_over,
        }
    }

    /// Some milliseconds for a circuit.
    pub fn short() -> Limits<'static> {
        Limits {
            bases: 300,
            kept: 10,
            choices: 300,
            walk: 3000,
            inversions: 1,
            steps: 200,
            is_over: &|| false,
        }
    }

    /// A tenth of a second for a circuit that begins as that of [`Limits::short`] with the same seed does, and whose sums are
    /// made shorter then.
    pub fn longer() -> Limits<'static> {
        Limits { walk: 50_000, inversions: 3, steps: 2000, ..Limits::short() }
    }
}
