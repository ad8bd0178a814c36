//! Latencies and throughputs of the classes, and the mixes from which their ports follow.

use super::assembly::{Loop, Operation};
use super::ports::{Kind, Mix};
use super::probes::{Probe, PROBES};
use super::rig::{self, Effort, Progress};
use crate::machine::Class;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;

/// A class at a width, as measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The class.
    pub class: Class,
    /// Bits of its registers.
    pub width: u32,
    /// Core cycles: the least that any of its instructions takes.
    pub latency: f64,
    /// Operations per cycle: of the instruction of which there are most.
    pub throughput: f64,
    /// That instruction.
    pub single: &'static str,
}

impl Figures {
    /// Whether renaming does it, so that no port is needed.
    pub fn eliminated(&self) -> bool {
        self.class == Class::Move && self.latency < 0.7
    }

    fn operation(&self) -> Operation {
        (self.single, self.width)
    }
}

/// Lengths of streams. Schedulers are not ideal, and in one of them they may find a better rhythm than in another.
const STREAMS: [u32; 3] = [96, 144, 192];

/// Chains and streams of everything that this CPU has.
///
/// # Errors
/// Those of [`rig::time`].
pub fn alone(
    compiler: &Compiler,
    effort: &Effort,
    progress: Progress,
) -> Result<Vec<Figures>, String> {
    let (makeshift, mut probes): (Vec<_>, Vec<_>) =
        here(PROBES).partition(|(probe, _)| probe.makeshift);
    for (probe, width) in makeshift {
        if !probes.iter().any(|(known, at)| (known.class, *at) == (probe.class, width)) {
            probes.push((probe, width));
        }
    }
    let loops: Vec<Loop> = probes
        .iter()
        .flat_map(|(probe, width)| {
            let streams =
                STREAMS.map(|length| Loop::stream(&[((probe.single, *width), 1)], length));
            std::iter::once(Loop::usual_chain((probe.link, *width))).chain(streams)
        })
        .collect();
    let cycles = rig::time(&loops, compiler, effort, progress)?;
    let each: Vec<f64> = loops
        .iter()
        .zip(cycles)
        .map(|(each, cycles)| cycles / f64::from(each.operations))
        .collect();
    let mut all: Vec<Figures> = Vec::new();
    for ((probe, width), cost) in probes.iter().zip(each.chunks(1 + STREAMS.len())) {
        let own = Figures {
            class: probe.class,
            width: *width,
            latency: cost[0] / f64::from(probe.steps),
            throughput: 1.0 / cost[1..].iter().copied().fold(f64::INFINITY, f64::min),
            single: probe.single,
        };
        match all.iter_mut().find(|known| (known.class, known.width) == (own.class, own.width)) {
            // Of equals the first stands for the class, in spite of noise.
            Some(known) if own.throughput > 1.05 * known.throughput => {
                *known = Figures { latency: known.latency.min(own.latency), ..own };
            }
            Some(known) => known.latency = known.latency.min(own.latency),
            None => all.push(own),
        }
    }
    for (probe, width) in probes {
        let Some(less) = probe.less.and_then(|other| find(&all, other)).map(|k| all[k].latency)
        else {
            continue;
        };
        if let Some(k) = find(&all, (probe.class, width)) {
            all[k].latency -= less;
        }
    }
    Ok(all)
}

/// Mixes of two kinds each, in the ratio of their throughputs, so that each kind alone would take the same time.
///
/// Of vectors those of the same width are mixed, and those of different width that are the same class; general registers
/// are mixed with vectors of one width, because what they share doesn't depend on it.
///
/// # Errors
/// Those of [`rig::time`].
pub fn together(
    figures: &[&Figures],
    compiler: &Compiler,
    effort: &Effort,
    progress: Progress,
) -> Result<Vec<Mix>, String> {
    let reference = match figures.iter().any(|each| each.width == 256) {
        true => 256,
        false => 128,
    };
    let mixed = |a: &Figures, b: &Figures| {
        let (narrow, wide) = (a.width.min(b.width), a.width.max(b.width));
        narrow == wide || (narrow == 64 && wide == reference) || (a.class == b.class && narrow > 64)
    };
    let mut pairs = Vec::new();
    for b in 0..figures.len() {
        pairs.extend((0..b).filter(|a| mixed(figures[*a], figures[b])).map(|a| [a, b]));
    }
    let counts: Vec<[u32; 2]> =
        pairs.iter().map(|pair| ratio(pair.map(|k| figures[k].throughput))).collect();
    let loops: Vec<Loop> = pairs
        .iter()
        .zip(&counts)
        .map(|([a, b], [p, q])| {
            Loop::usual_stream(&[(figures[*a].operation(), *p), (figures[*b].operation(), *q)])
        })
        .collect();
    let cycles = rig::time(&loops, compiler, effort, progress)?;
    let mixes = pairs.into_iter().zip(counts).zip(loops.iter().zip(cycles));
    Ok(mixes
        .map(|((kinds, counts), (each, cycles))| {
            let times = each.operations / counts.iter().sum::<u32>();
            Mix { kinds, counts, cycles: cycles / f64::from(times) }
        })
        .collect())
}

/// What [`super::ports`] needs to know of figures.
pub fn kinds(figures: &[&Figures]) -> Vec<Kind> {
    let halves = |wide: &Figures| {
        figures.iter().any(|narrow| {
            (narrow.class, true) == (wide.class, narrow.width < wide.width)
                && narrow.throughput > 1.5 * wide.throughput
        })
    };
    let kind = |each: &&Figures| Kind { throughput: each.throughput, halves: halves(each) };
    figures.iter().map(kind).collect()
}

/// Streams of other instructions, in words.
///
/// # Errors
/// Those of [`rig::time`].
pub fn remarks(
    probes: &[Probe],
    compiler: &Compiler,
    effort: &Effort,
    progress: Progress,
) -> Result<Vec<String>, String> {
    let probes: Vec<(&Probe, u32)> = here(probes).collect();
    let loops: Vec<Loop> = probes
        .iter()
        .map(|(probe, width)| Loop::usual_stream(&[((probe.single, *width), 1)]))
        .collect();
    let cycles = rig::time(&loops, compiler, effort, progress)?;
    let said =
        probes.iter().zip(loops.iter().zip(cycles)).map(|((probe, width), (each, cycles))| {
            let rate = f64::from(each.operations) / cycles;
            format!("`{}` of {width} bits: {rate:.2} per cycle", probe.single)
        });
    Ok(said.collect())
}

/// Probes at the widths at which this CPU has them.
fn here(probes: &[Probe]) -> impl Iterator<Item = (&Probe, u32)> {
    probes
        .iter()
        .filter(|probe| probe.features.iter().all(|feature| exec::has_feature(feature)))
        .flat_map(|probe| probe.widths.iter().map(move |width| (probe, *width)))
}

fn find(all: &[Figures], (class, width): (Class, u32)) -> Option<usize> {
    all.iter().position(|known| (known.class, known.width) == (class, width))
}

/// Small whole numbers in about the ratio of two throughputs.
fn ratio(throughputs: [f64; 2]) -> [u32; 2] {
    let least = throughputs[0].min(throughputs[1]);
    // From 4 : 2 to 3 : 1.5 and 4 : 0.5, halves are enough; what takes many cycles is mixed one at a time.
    let unit = if least < 0.5 { least } else { 0.5 };
    let mut counts = throughputs.map(|each| (each / unit).round().max(1.0) as u32);
    while let Some(common) =
        (2..=counts[0].min(counts[1])).find(|k| counts.iter().all(|n| n % k == 0))
    {
        counts = counts.map(|count| count / common);
    }
    counts
}
