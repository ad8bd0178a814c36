//! The functions that write counter blocks to memory.
//!
//! A vector is loaded from a block that was just written. The 16 bytes that have the counter are stored as one, where they can
//! be: a load waits until narrower stores that it covers have left the core.

use super::batch::NAME;
use crate::layout::Counter;
use std::fmt::Write;

/// A counter block, and how it is written.
pub struct CounterBlock<'a> {
    /// The field that counts.
    pub counter: &'a Counter,
    /// The size of a block.
    pub bytes: usize,
    /// Whether a block is loaded as a vector.
    pub vector: bool,
    /// The prefix of the functions that load and store words.
    pub helpers: &'a str,
}

impl CounterBlock<'_> {
    /// The function `uint64_t f(uint8_t *block, uint8_t *change, const uint8_t *counter, uint64_t first, uint64_t lanes)` that
    /// writes [`Blocks::First`](crate::layout::counters::Blocks::First).
    pub fn first(&self) -> String {
        let after = match self.counter.bytes {
            0..=8 => "",
            _ => "    high ^= high + (low + lanes == 0);\n",
        };
        let of =
            |to: &str, kept: Option<&str>| self.vector(to, kept).unwrap_or_else(|| self.words(to));
        FIRST
            .replace("$name", NAME)
            .replace("$number", &self.number())
            .replace("$block", &of("block", Some("counter")))
            .replace("$after", after)
            .replace("$change", &of("change", None))
    }

    /// The function `void f(uint8_t *block, const uint8_t *counter, uint64_t first)` that writes one of
    /// [`Blocks::All`](crate::layout::counters::Blocks::All).
    pub fn any(&self) -> String {
        let vector = self.vector("block", Some("counter"));
        let written = if vector.is_some() { 16 } else { self.counter.bytes };
        let copy = match self.bytes - written {
            0 => String::new(),
            _ => format!("    __builtin_memcpy(block, counter, {});\n", self.bytes),
        };
        BLOCK
            .replace("$name", NAME)
            .replace("$number", &self.number())
            .replace("$copy", &copy)
            .replace("$block", &vector.unwrap_or_else(|| self.words("block")))
    }

    /// Adds `first` to the counter.
    fn number(&self) -> String {
        // The upper half of the counter, where there is one.
        let (halves, carry) = match self.counter.bytes {
            0..=8 => ("low = 0", ""),
            _ => ("low = 0, high = 0", "    high += low < first;\n"),
        };
        format!("    uint64_t {halves};\n{}    low += first;\n{carry}", self.read())
    }

    fn read(&self) -> String {
        let mut text = String::new();
        for significance in 0..self.counter.bytes {
            let (half, shift) = half(significance);
            let at = self.counter.place(significance);
            let _ = writeln!(text, "    {half} |= (uint64_t)counter[{at}] << {shift};");
        }
        text
    }

    /// Stores the 16 bytes that have the field at once: beside it what another block has there, or zeros. `None` if no vector
    /// is loaded, there are no such bytes in a block, or the field doesn't lie in them as words do.
    fn vector(&self, to: &str, kept: Option<&str>) -> Option<String> {
        let Counter { offset, bytes, .. } = *self.counter;
        let at = offset / 16 * 16;
        if !self.vector || at + 16 > self.bytes || offset + bytes > at + 16 {
            return None;
        }
        let [low, high] = [self.half(at, kept)?, self.half(at + 8, kept)?];
        Some(format!(
            "    {{\n        typedef uint64_t words __attribute__((vector_size(16)));\n        \
             const words both = {{{low}, {high}}};\n        \
             __builtin_memcpy({to} + {at}, &both, 16);\n    }}\n"
        ))
    }

    /// Eight bytes of a block from this one on.
    fn half(&self, at: usize, kept: Option<&str>) -> Option<String> {
        let Counter { offset, bytes, big_endian } = *self.counter;
        let kept =
            kept.map_or("0".to_string(), |kept| format!("{}load64({kept} + {at})", self.helpers));
        let (start, end) = (offset.max(at), (offset + bytes).min(at + 8));
        if start >= end {
            return Some(kept);
        }
        let significance = if big_endian { offset + bytes - end } else { start - offset };
        let size = end - start;
        if !size.is_power_of_two() || significance % 8 + size > 8 {
            return None;
        }
        let word = self.word(significance, size);
        let (bits, shift) = (8 * size, 8 * (start - at));
        Some(match bits {
            64 => word,
            _ => {
                let mask = ((1_u64 << bits) - 1) << shift;
                format!("({kept} & ~UINT64_C({mask:#x})) | (uint64_t){word} << {shift}")
            }
        })
    }

    /// So many bytes of the counter from this significance on, as a word of memory.
    fn word(&self, significance: usize, bytes: usize) -> String {
        let (half, shift) = half(significance);
        let bits = 8 * bytes;
        let word = format!("(uint{bits}_t)({half} >> {shift})");
        match (self.counter.big_endian, bytes) {
            (true, 2..) => format!("__builtin_bswap{bits}({word})"),
            _ => word,
        }
    }

    /// Stores the field in words as wide as it allows.
    fn words(&self, to: &str) -> String {
        let counter = self.counter;
        let mut text = String::new();
        let mut significance = 0;
        while significance < counter.bytes {
            let left = (counter.bytes - significance).min(8 - significance % 8);
            let bytes = [8, 4, 2, 1].into_iter().find(|&bytes| bytes <= left).unwrap_or(1);
            let first = if counter.big_endian { significance + bytes - 1 } else { significance };
            let (at, word) = (counter.place(first), self.word(significance, bytes));
            let _ = writeln!(text, "    {}store{}({to} + {at}, {word});", self.helpers, 8 * bytes);
            significance += bytes;
        }
        text
    }
}

/// The variable that has the byte of this significance, and by how many bits it is shifted there.
fn half(significance: usize) -> (&'static str, usize) {
    (if significance < 8 { "low" } else { "high" }, significance % 8 * 8)
}

const FIRST: &str = "\
/* Writes the counter of block `first` but for the low bits, which tell `lanes` blocks apart, and which bits are others
 * `lanes` blocks later. Returns the low bits. */
__attribute__((unused)) static inline uint64_t $name(uint8_t *block, uint8_t *change, const uint8_t *counter, uint64_t first,
                             uint64_t lanes)
{
$number    const uint64_t number = low & (lanes - 1);
    low -= number;
$block$after    low ^= low + lanes;
$change    return number;
}
";

const BLOCK: &str = "\
/* Writes the counter of block `first`. */
__attribute__((unused)) static inline void $name(uint8_t *block, const uint8_t *counter, uint64_t first)
{
$number$copy$block}
";
