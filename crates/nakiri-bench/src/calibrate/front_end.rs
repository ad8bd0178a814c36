//! What reaches the ports: the op cache's size, what is decoded beyond it, and how many instructions wait at once.

use super::assembly::{Loop, Operation};
use super::rig::{self, Effort, Progress};
use crate::machine::FrontEnd;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;

/// Straight-line code of short instructions, three bytes each in the mean: two sizes to a doubling are too coarse, and
/// 30 KB of them stay in every first-level cache of code.
const LENGTHS: (f64, f64, f64) = (512.0, 10_000.0, 1.08);

/// A length counts as held by the op cache if an instruction takes at most so much longer than in the shortest code.
const HELD: f64 = 1.06;
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
    let rates: Vec<f64> =
        loops.iter().zip(&cycles).map(|(each, cycles)| f64::from(each.operations) / cycles).collect();
    let (rates, long) = rates.split_at(lengths.len());
    let best = rates[..lengths.len() / 4].iter().copied().fold(0.0, f64::max);
    let held = rates.iter().take_while(|rate| **rate * HELD >= best).count();
    let beyond = rates[rates.len() - 1];
    let op_cache = (held > 0 && best / beyond >= SLOWER).then(|| lengths[held - 1]);
    let said = format!(
        "short instructions: {best:.2} per cycle in code of {least} instructions, {beyond:.2} in {most}; \
         instructions of {LONG_BYTES} bytes: {:.2} per cycle in code of {most}",
        long[0]
    );
    let front_end = FrontEnd {
        width: super::tidy(width.max(best)),
        op_cache,
        decode: super::tidy(beyond),
        decode_bytes: super::tidy(long[0] * LONG_BYTES),
    };
    Ok((front_end, said))
}

/// How many instructions wait at once.
///
/// Long chains that don't depend on each other follow each other at a distance. No instruction leaves before those before
/// it, so that all that are under way at once are those of the latency of one chain: their number is that latency times
/// the instructions per cycle.
///
/// # Errors
/// Those of [`rig::time`].
pub fn reorder(compiler: &Compiler, effort: &Effort, progress: Progress) -> Result<u32, String> {
    const LINKS: u32 = 10;
    const DISTANCE: u32 = 120;
    const BLOCKS: u32 = 12;
    let link: Operation = ("sqrtsd xmm14, xmm14", 128);
    let start: Operation = ("pxor xmm14, xmm14", 128);
    let fill = Loop::stream(&[(("nop", 64), 1)], DISTANCE);
    let block = Loop::sequence(&[Loop::chain(start, 1), Loop::chain(link, LINKS), fill]);
    let far_apart = Loop::sequence(&vec![block; BLOCKS as usize]);
    let alone = Loop::chain(link, LINKS * BLOCKS);
    let cycles = rig::time(&[far_apart.clone(), alone], compiler, effort, progress)?;
    let latency = cycles[1] / f64::from(BLOCKS);
    Ok((f64::from(far_apart.operations) / cycles[0] * latency).round() as u32)
}
