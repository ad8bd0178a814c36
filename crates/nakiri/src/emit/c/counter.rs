//! Counter mode: counter blocks, and the key stream added to a text.

use super::api::{one_to_one, Api};
use crate::layout::Counter;
use std::fmt::Write;

/// Batches are gathered until at least this many blocks are made at once.
const FEWEST_BLOCKS: usize = 16;

/// The declaration of the CTR interface.
pub fn declaration(api: &Api, counter: &Counter) -> String {
    fill(api, counter, DECLARATION)
}

/// Its definition, and that of the functions that it needs.
pub fn definition(api: &Api, counter: &Counter) -> String {
    fill(api, counter, DEFINITION)
}

fn fill(api: &Api, counter: &Counter, text: &str) -> String {
    let first = &api.instance.functions[0];
    let (from, to) = one_to_one(first).unwrap_or((0, 0));
    let name = super::identifier(&first.name);
    let most = api.most_blocks().max(FEWEST_BLOCKS);
    let order = if counter.big_endian { "big-endian" } else { "little-endian" };
    let field =
        format!("bytes {} to {}, {order}", counter.offset, counter.offset + counter.bytes - 1);
    // The upper half of the counter, where there is one.
    let (halves, carry, next) = match counter.bytes {
        0..=8 => ("low = 0", "", ""),
        _ => ("low = 0, high = 0", "    high += low < first;\n", "        high += low == 0;\n"),
    };
    let more = [
        ("$halves", halves.to_string()),
        ("$carry", carry.to_string()),
        ("$next", next.to_string()),
        ("$read", read(counter)),
        ("$write", write(counter)),
        ("$field", field),
        ("$F", name),
        ("$from", from.to_string()),
        ("$to", to.to_string()),
        ("$most_from", (most * from).to_string()),
        ("$most_to", (most * to).to_string()),
        ("$fewest", FEWEST_BLOCKS.to_string()),
    ];
    // Longer names first, so that none is cut short.
    let mut more: Vec<(&str, &str)> = more.iter().map(|(name, text)| (*name, &**text)).collect();
    more.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    api.fill(text, &more)
}

/// The byte of the field with this significance, 0 the least.
fn place(counter: &Counter, significance: usize) -> usize {
    match counter.big_endian {
        true => counter.offset + counter.bytes - 1 - significance,
        false => counter.offset + significance,
    }
}

fn half(significance: usize) -> (&'static str, usize) {
    (if significance < 8 { "low" } else { "high" }, significance % 8 * 8)
}

fn read(counter: &Counter) -> String {
    let mut text = String::new();
    for significance in 0..counter.bytes {
        let (half, shift) = half(significance);
        let at = place(counter, significance);
        let _ = writeln!(text, "    {half} |= (uint64_t)counter[{at}] << {shift};");
    }
    text
}

/// Writes the field in words as wide as it allows: bytes written singly would stall the loads that follow.
fn write(counter: &Counter) -> String {
    let mut text = String::new();
    let mut significance = 0;
    while significance < counter.bytes {
        let left = (counter.bytes - significance).min(8 - significance % 8);
        let bytes = [8, 4, 2, 1].into_iter().find(|&bytes| bytes <= left).unwrap_or(1);
        let (half, shift) = half(significance);
        let bits = 8 * bytes;
        let word = format!("(uint{bits}_t)({half} >> {shift})");
        let (at, word) = match (counter.big_endian, bytes) {
            (true, 1) => (place(counter, significance), word),
            (true, _) => {
                (place(counter, significance + bytes - 1), format!("__builtin_bswap{bits}({word})"))
            }
            (false, _) => (place(counter, significance), word),
        };
        let _ = writeln!(text, "        $library_store{bits}(out + {at}, {word});");
        significance += bytes;
    }
    text
}

const DECLARATION: &str = "\
/* Adds the key stream to any number of bytes; in == out is allowed. The blocks are counted in the counter's
 * $field, modulo the size of that field. */
void $P_ctr_xor($contextconst uint8_t counter[$from], uint8_t *out,
    const uint8_t *in, size_t bytes);

";

const DEFINITION: &str = "\
/* Makes the counter blocks from number `first` on. */
static void $P_counters(uint8_t *out, const uint8_t *counter, uint64_t first, size_t blocks)
{
    uint64_t $halves;
$read    low += first;
$carry    for (; blocks > 0; blocks--) {
        memcpy(out, counter, $from);
$write        low++;
$next        out += $from;
    }
}

static void $P_ctr_run(unsigned variant, const uint8_t *keys, const uint8_t *counter, uint8_t *out,
                       const uint8_t *in, size_t bytes)
{
    uint8_t counters[$most_from], stream[$most_to];
    const size_t batch = $P_lanes[variant] < $fewest ? $fewest : $P_lanes[variant];
    uint64_t first = 0;
    while (bytes > 0) {
        size_t blocks = bytes / $to + (bytes % $to != 0);
        if (blocks > batch)
            blocks = batch;
        $P_counters(counters, counter, first, blocks);
        $P_$F_run(variant, keys, stream, counters, blocks);
        const size_t now = blocks * $to < bytes ? blocks * $to : bytes;
        $library_add(out, in, stream, now);
        out += now;
        in += now;
        bytes -= now;
        first += blocks;
    }
    $CLEAR(stream);
}

void $P_ctr_xor($contextconst uint8_t counter[$from], uint8_t *out, const uint8_t *in, size_t bytes)
{
    $P_ctr_run($variant, $images, counter, out, in, bytes);
}

";
