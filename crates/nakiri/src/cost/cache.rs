//! What a kernel costs where the first-level data cache can't hold what it works on.
//!
//! Each run goes once through the registers that lie in memory: parameters, results, images of constants, and the places of
//! values that no register holds. A cache that gives up the line that was used least recently has all of them in the next
//! run, or none. The same holds for the places alone, through which each round goes. What the first-level cache holds of
//! code is not priced: what the op cache doesn't hold is decoded more slowly wherever it comes from.

use super::machine::Cache;
use crate::core::{Func, Port};
use crate::isa::Target;

/// Bytes of memory that a kernel works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Parameters, results and images of constants.
    pub arrays: u64,
    /// Places of values that no register holds.
    pub places: u64,
    /// What is stored and loaded there in one run.
    pub stored: u64,
    /// See `stored`.
    pub loaded: u64,
}

impl Memory {
    /// The arrays of an entry.
    pub fn of_ports(entry: &Func, target: &Target) -> Memory {
        let bytes = |port: &Port| {
            let atom = match port.constant {
                true => target.image_bytes(port.ty) as u64,
                false => target.register_bytes(port.ty) as u64,
            };
            atom * u64::from(port.count())
        };
        let arrays = entry.params.iter().chain(&entry.results).map(bytes).sum();
        Memory { arrays, ..Memory::default() }
    }

    /// The cycles in which lines are moved from the second-level cache and back.
    pub fn cycles(&self, cache: Cache) -> f64 {
        let all = self.arrays + self.places;
        let run = 2.0 * all as f64 * missing(all, cache);
        // What is stored to a line that isn't there is a line that comes, and one that goes.
        let rounds = (2 * self.stored + self.loaded) as f64 * missing(self.places, cache);
        run.max(rounds) / cache.refill
    }
}

/// The part of so many bytes, gone through again and again, that is not there when it is wanted: nothing if the cache holds
/// them, all if there are more by a way of eight.
fn missing(bytes: u64, cache: Cache) -> f64 {
    const WAYS: f64 = 8.0;
    let held = cache.bytes as f64;
    ((bytes as f64 - held) * WAYS / held).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_free_and_what_does_not_is_moved_twice() {
        let cache = Cache { bytes: 1 << 15, refill: 32.0 };
        let of = |arrays: u64, places: u64, stored: u64| {
            Memory { arrays, places, stored, loaded: stored }.cycles(cache)
        };
        assert_eq!(of(16 << 10, 16 << 10, 1 << 20), 0.0);
        assert_eq!(of(40 << 10, 0, 0), f64::from(2 * (40 << 10)) / 32.0);
        // An eighth too much is all that is missing, half of that a half.
        assert_eq!(of(34 << 10, 0, 0), f64::from(34 << 10) / 32.0);
        // Places alone that don't fit are missed at each access.
        assert_eq!(of(0, 64 << 10, 1 << 20), f64::from(3 << 20) / 32.0);
    }
}
