//! What reaches the ports: the op cache's size, what is decoded beyond it, and how many instructions wait at once.

use super::assembly::{Loop, Operation};
use super::rig::{self, Effort, Progress};
use crate::machine::FrontEnd;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;

/// Instructions of straight-line code: from, to, and the factor between two lengths. At three bytes each in the mean, the
/// longest stays in every first-level cache of code.
const LENGTHS: (f64, f64, f64) = (512.0, 10_000.0, 1.05);

/// Code runs slower beyond the op cache by at least this factor, or there is none to be seen.
const SLOWER: f64 = 1.12;

/// Short instructions, as many in a cycle as can be had.
fn short() -> Vec<(Operation, u32)> {
    let mut mix = vec![(("xor {g}, {kg}", 64), 1)];
    if exec::has_feature("avx") {
        mix.push((("vpand {v}, {kv}, {kv}", 128), 1));
    }
    mix
}

/// An instruction of ten bytes.
const LONG: Operation = ("movabs {g}, 0x1122334455667788", 64);
const LONG_BYTES: f64 = 10.0;

/// Measures the front end. `width` is the highest rate that was seen so far, in instructions per cycle.
///
/// # Errors
/// Those of [`rig::time`].
pub fn measure(
    width: f64,
    compiler: &Compiler,
    effort: &Effort,
    progress: Progress,
) -> Result<(FrontEnd, String), String> {
    let (least, most, factor) = LENGTHS;
    let steps = ((most / least).ln() / factor.ln()).floor() as i32;
    let lengths: Vec<u32> =
        (0..=steps).map(|k| (least * factor.powi(k)).round() as u32 / 2 * 2).collect();
    let mix = short();
    let period = mix.len() as u32;
    let mut loops: Vec<Loop> =
        lengths.iter().map(|length| Loop::stream(&mix, length / period)).collect();
    loops.push(Loop::stream(&[(LONG, 1)], most as u32));
    let cycles = rig::time(&loops, compiler, effort, progress)?;
    let rates: Vec<f64> = loops
        .iter()
        .zip(&cycles)
        .map(|(each, cycles)| f64::from(each.operations) / cycles)
        .collect();
    let (rates, long) = rates.split_at(lengths.len());
    let best = rates[..lengths.len() / 4].iter().copied().fold(0.0, f64::max);
    let beyond = rates[rates.len() - 1];
    let held = rates.iter().take_while(|rate| **rate > (best + beyond) / 2.0).count();
    let op_cache = (held > 0 && best / beyond >= SLOWER).then(|| lengths[held - 1]);
    let said = format!(
        "short instructions: {best:.2} per cycle in code of {least} instructions, {beyond:.2} in {most}; \
         instructions of {LONG_BYTES} bytes: {:.2} per cycle in code of {most}",
        long[0]
    );
    let front_end = FrontEnd {
        width: super::tidy(width.max(best)),
        op_cache,
        op_cache_entry: None,
        decode: super::tidy(beyond),
        decode_bytes: super::tidy(long[0] * LONG_BYTES),
        branch_ends_cycle: false,
        joins_copies: false,
    };
    Ok((front_end, said))
}

/// What lies between the links of a long chain: operations of all kinds, so that no kind's registers or queues run out
/// before places for instructions do. Copies and `nop` would not do, several of them may share a place.
macro_rules! between {
    ($vectors:literal) => {
        concat!(
            "add r8, r14; ",
            $vectors,
            "; jc 9f; mov {store}, r14; add r9, r14; ",
            $vectors,
            "; add r10, r14; "
        )
    };
}

/// A link and 23 instructions between it and the next.
macro_rules! link {
    ($vectors:literal) => {
        concat!(
            "sqrtsd xmm14, xmm14; ",
            between!($vectors),
            between!($vectors),
            between!($vectors),
            "jc 9f; jc 9f"
        )
    };
}

/// How many instructions wait at once, roughly, from long chains that don't depend on each other.
///
/// While a chain is worked off, link by link, the next one begins as far ahead as instructions can wait: that many links
/// of it are done when the first chain is, and only the others take time of their own.
///
/// # Errors
/// Those of [`rig::time`].
pub fn reorder(compiler: &Compiler, effort: &Effort, progress: Progress) -> Result<u32, String> {
    const LINKS: u32 = 64;
    const LINK: u32 = 24;
    let link = match exec::has_feature("avx") {
        true => link!("vpxor xmm1, xmm2, xmm3"),
        false => link!("test r14, r14"),
    };
    let start = Loop::chain(("pxor xmm14, xmm14", 128), 1);
    let fresh = Loop::sequence(&[start, Loop::chain((link, 128), LINKS)]);
    let repeated = Loop::sequence(&[fresh.clone(), fresh.clone(), fresh.clone(), fresh]);
    let alone = Loop::chain(("sqrtsd xmm14, xmm14", 128), LINKS);
    let cycles = rig::time(&[repeated, alone], compiler, effort, progress)?;
    let latency = cycles[1] / f64::from(LINKS);
    let own = cycles[0] / 4.0 / latency;
    // Only whole links get ahead. One more makes this rather too high than too low, so that bounds made of it hold.
    let ahead = f64::from(LINKS) - own + 1.0;
    Ok((f64::from(LINK) * ahead).round().max(1.0) as u32)
}
