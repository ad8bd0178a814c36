//! Which kernels take many blocks of a message alone side by side.

use crate::choice;
use crate::library::Settings;
use crate::session::Session;
use crate::stretch::{self, Priced};
use nakiri::compile::{Kernel, Options};
use nakiri::cost;
use nakiri::emit::c::{Lanes, Parallel, Serial, Stretch};
use nakiri::isa::Target;
use nakiri::mode::{Mode, Piece, Slot};
use nakiri::pass::chain::Links;
use nakiri::pass::leap::Leap;
use nakiri::pass::split::{self, Split};
use nakiri_bench::parallel::map as on_all_cores;

/// How many blocks are tried.
const BLOCKS: [u32; 2] = [16, 32];

/// What takes the place of something else costs less than this share of it.
const MUCH: f64 = 0.8;

/// A run that fills few of its lanes costs about so many times its price: what stands around it is not in that.
const OPTIMISM: f64 = 2.0;

/// The variants of a piece: options, and what became of them.
type Variants = [(Options, Kernel)];

/// The parallel parts of a mode's loops. `kernels` has the body of a loop, by its name, for each variant.
pub fn of_mode<'k>(
    session: &Session,
    mode: &Mode,
    settings: &Settings,
    stretches: &[Priced],
    kernels: impl Fn(&str) -> &'k Variants,
) -> Vec<Parallel> {
    let bodies = stretch::bodies(mode);
    let parallel = |(name, body): (String, &Piece)| {
        let links = Links::of(body)?;
        let direction = kernels(&name).first()?.0.direction;
        let split = split::run(body, &links).or_else(|| split::hash::run(body, direction))?;
        let trial = Trial { session, settings, variants: kernels(&name) };
        let stretch = stretches.iter().find(|own| own.stretch.piece == name);
        let (now, among) = (trial.now(stretch, &links), trial.among(stretch, &links));
        trial.cheapest(&name, &split, &now, among)
    };
    bodies.filter_map(parallel).collect()
}

/// The same parts where the parallel one gives the state before as many blocks behind.
fn leaping(split: &Split) -> Split {
    let mut split = split.clone();
    let before = split.parallel.params.iter().find(|slot| matches!(slot, Slot::Before(_))).copied();
    split.parallel.results.extend(before);
    split
}

struct Trial<'a> {
    session: &'a Session,
    settings: &'a Settings,
    variants: &'a Variants,
}

/// The parallel part on so many blocks at once.
struct Width {
    blocks: u32,
    /// Whether it makes the state before as many blocks behind.
    leaps: bool,
    /// For each variant, if its registers hold several blocks.
    kernels: Vec<Option<cost::Parallel>>,
}

/// A serial part, and what a block costs each variant that takes a text.
struct Tail {
    serial: Option<Serial>,
    cycles: Vec<Option<f64>>,
}

impl Trial<'_> {
    /// What a block of a text alone costs each variant without parallel parts.
    fn now(&self, stretch: Option<&Priced>, links: &Links) -> Vec<Option<f64>> {
        let of = |(k, (_, body)): (usize, &(Options, Kernel))| {
            let stretched = stretch.and_then(|own| own.cycles[k]);
            stretched.or_else(|| Some(self.cycles(body, links)? + cost::AROUND))
        };
        self.variants.iter().enumerate().map(of).collect()
    }

    /// What a block of one of many texts costs the variant that is best for these.
    fn among(&self, stretch: Option<&Priced>, links: &Links) -> f64 {
        let of = |(k, (_, body)): (usize, &(Options, Kernel))| {
            let stretched = stretch
                .and_then(|own| Some((own.stretch.variants[k].as_ref()?, own.stretch.blocks)));
            let (kernel, blocks) = stretched.unwrap_or((body, 1));
            let machine = self.machine(kernel)?;
            let cycles = cost::estimate_text(kernel, links, &machine).ok()?.cycles;
            let run = cycles + cost::transport(kernel, &machine)?;
            Some(run / (kernel.blocks() * blocks) as f64 + cost::moves(body, links))
        };
        self.variants.iter().enumerate().filter_map(of).fold(f64::INFINITY, f64::min)
    }

    /// What a run of a kernel costs with blocks of one text, others idle.
    fn cycles(&self, kernel: &Kernel, links: &Links) -> Option<f64> {
        let machine = self.machine(kernel)?;
        Some(cost::estimate_text(kernel.chain().last()?, links, &machine).ok()?.cycles)
    }

    /// The cheapest number of blocks at once; none if that promises nothing. `now` is what a block costs each variant without.
    fn cheapest(
        &self,
        name: &str,
        split: &Split,
        now: &[Option<f64>],
        among: f64,
    ) -> Option<Parallel> {
        let (cycles, Width { blocks, leaps, kernels }) = self.width(split)?;
        let Tail { serial, cycles: behind } = match leaps {
            true => self.leaping(name, split)?,
            false => self.tail(name, split, blocks)?,
        };
        let cost = |k: usize| behind[k].map_or(f64::INFINITY, |behind| behind + cycles);
        let gains = |k: usize| now[k].is_some_and(|now| cost(k) < MUCH * now);
        let all = || 0..self.variants.len();
        let texts = || self.take_texts().into_iter().filter(|k| gains(*k));
        let least = texts().map(cost).reduce(f64::min)?;
        let gained =
            texts().filter_map(|k| Some(now[k]? - behind[k]?)).fold(f64::INFINITY, f64::min);
        let run = cycles * f64::from(blocks);
        let fewest = (OPTIMISM * run / gained).ceil().clamp(1.0, f64::from(blocks));
        // They read one array.
        let repeated = kernels.iter().flatten().next()?.repeated;
        let has = |k: usize| {
            let alike = kernels[k].as_ref().is_some_and(|own| own.repeated == repeated);
            let steps = match &serial {
                Some(Serial::InLanes(lanes)) => lanes.steps[k].is_some(),
                _ => true,
            };
            // It may take texts itself, with both parts.
            alike && behind[k].is_some() && steps
        };
        let beside = |k| if gains(k) { self.beside(k, &has) } else { vec![k] };
        let beside = all().map(beside).collect();
        let kernel = |k: usize| kernels[k].as_ref().filter(|_| has(k));
        let variants = all().map(|k| kernel(k).map(|own| own.kernel.clone()));
        Some(Parallel {
            piece: name.to_string(),
            blocks: blocks as usize,
            split: if leaps { leaping(split) } else { split.clone() },
            variants: variants.collect(),
            repeated,
            serial: serial.clone(),
            beside,
            beats_lanes: least < MUCH * among,
            fewest: fewest as usize,
        })
    }

    /// The variants that take a text alone: those whose registers hold a block of one, if there are such.
    fn take_texts(&self) -> Vec<usize> {
        let lanes = |kernel: &Kernel| kernel.chain().last().map_or(1, Kernel::lanes);
        let narrow = |(_, (_, kernel)): &(usize, &(Options, Kernel))| lanes(kernel) == 1;
        let all = || self.variants.iter().enumerate();
        match all().any(|own| narrow(&own)) {
            true => all().filter(narrow).map(|(k, _)| k).collect(),
            false => (0..self.variants.len()).collect(),
        }
    }

    /// What a block costs in parallel by the first variant that can, and the fewest at once for which that is the least.
    fn width(&self, split: &Split) -> Option<(f64, Width)> {
        let program = split.parallel.program.placeless();
        let mapped = on_all_cores(self.variants, |(options, kernel)| {
            Some((cost::SideBySide::new(&program, options, &BLOCKS)?, self.machine(kernel)?))
        });
        let mut best: Option<(f64, Width)> = None;
        for blocks in BLOCKS {
            let kernels = |leap: Option<(usize, Leap)>| -> Vec<_> {
                on_all_cores(&mapped, |own| {
                    let (side_by_side, machine) = own.as_ref()?;
                    side_by_side.on(blocks, leap, machine)
                })
            };
            let leaping = self.leap(split, blocks).map(|leap| kernels(Some(leap)));
            let leaping = leaping.filter(|own| own.iter().any(Option::is_some));
            let (leaps, kernels) = match leaping {
                Some(kernels) => (true, kernels),
                None => (false, kernels(None)),
            };
            let Some(cycles) = kernels.iter().flatten().map(|own| own.cycles).next() else {
                continue;
            };
            if best.as_ref().is_none_or(|(best, _)| cycles < MUCH * best) {
                best = Some((cycles, Width { blocks, leaps, kernels }));
            }
        }
        best
    }

    /// So many steps of the serial part at once, and the parameter of the parallel part that is the state before a block.
    fn leap(&self, split: &Split, steps: u32) -> Option<(usize, Leap)> {
        let serial = split.serial.as_ref().filter(|_| split.serial_first)?;
        let (program, links) = (serial.program.placeless(), Links::of(serial)?);
        let before = |slot: &Slot| matches!(slot, Slot::Before(_));
        let param = split.parallel.params.iter().position(before)?;
        let of = |(options, _): &(Options, Kernel)| cost::leap(&program, options, &links, steps);
        Some((param, self.variants.iter().find_map(of)?))
    }

    fn machine(&self, kernel: &Kernel) -> Option<cost::Machine> {
        choice::machine(None, kernel.target, self.settings.is_here(kernel.target)).ok()
    }

    /// The serial part: in lanes where that is cheaper than in series for a variant that takes texts.
    fn tail(&self, name: &str, split: &Split, blocks: u32) -> Option<Tail> {
        let Some(piece) = &split.serial else {
            return Some(Tail { serial: None, cycles: vec![Some(0.0); self.variants.len()] });
        };
        let links = Links::of(piece)?;
        let in_lanes = self.in_lanes(piece, &links, blocks).map(|(cycles, lanes)| Tail {
            serial: Some(Serial::InLanes(lanes)),
            cycles: vec![Some(cycles); self.variants.len()],
        });
        let in_series = self.in_series(&format!("{name}_serial"), piece).map(|stretch| Tail {
            cycles: self.cycles_in_series(&stretch, &links),
            serial: Some(Serial::InSeries(stretch)),
        });
        let least = |own: &Tail| own.cycles.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let both = in_lanes.into_iter().chain(in_series);
        both.min_by(|a, b| least(a).total_cmp(&least(b)))
    }

    /// The serial part where the parallel one leaps: for the first blocks alone.
    fn leaping(&self, name: &str, split: &Split) -> Option<Tail> {
        let stretch = self.in_series(&format!("{name}_serial"), split.serial.as_ref()?)?;
        let cycles = stretch.variants.iter().map(|own| own.as_ref().map(|_| 0.0)).collect();
        Some(Tail { serial: Some(Serial::Leaps(stretch)), cycles })
    }

    /// What a block costs each variant; what stands around runs is done beside the parallel part.
    fn cycles_in_series(&self, stretch: &Stretch, links: &Links) -> Vec<Option<f64>> {
        let of =
            |own: &Option<Kernel>| Some(self.cycles(own.as_ref()?, links)? / stretch.blocks as f64);
        stretch.variants.iter().map(of).collect()
    }

    /// Block after block what each waits for.
    fn in_series(&self, name: &str, piece: &Piece) -> Option<Stretch> {
        let program = piece.program.placeless();
        let compiled = |(options, _): &(Options, Kernel)| {
            let kernel = self.session.compiled.kernel(&program, *options).ok()?;
            Some((*options, kernel))
        };
        let variants: Option<Vec<_>> = self.variants.iter().map(compiled).collect();
        let priced = stretch::most(self.session, name, piece, &variants?, self.settings)?;
        let mut stretch = priced.stretch;
        for kernel in stretch.variants.iter_mut().flatten() {
            *kernel = kernel.chain().last()?.clone();
        }
        Some(stretch)
    }

    /// By Horner's rule, in the form that is cheapest for the first variant that can, and what a block costs it.
    fn in_lanes(&self, piece: &Piece, links: &Links, blocks: u32) -> Option<(f64, Lanes)> {
        let program = piece.program.placeless();
        let forms = |(options, kernel): &(Options, Kernel)| {
            let machine = self.machine(kernel);
            machine.map_or_else(Vec::new, |machine| {
                cost::in_lanes(&program, options, links, blocks, &machine)
            })
        };
        let forms: Vec<Vec<cost::InLanes>> = self.variants.iter().map(forms).collect();
        let first = forms.iter().find(|own| !own.is_empty())?;
        let best = first.iter().min_by(|a, b| a.cycles.total_cmp(&b.cycles))?;
        let (cycles, of, maps) = (best.cycles, best.of, best.maps);
        let sum = split::sum(piece, links, blocks)?;
        let (mut steps, mut powers, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for (own, (options, _)) in forms.into_iter().zip(self.variants) {
            let own = own.into_iter().find(|own| own.maps == maps);
            let short = Options { short: None, ..*options };
            let sum = own.as_ref().map(|_| self.session.compiled.kernel(&sum, short));
            sums.push(sum.transpose().ok()?);
            let (step, raised) = own.map(|own| (own.kernel, own.powers)).unzip();
            steps.push(step);
            powers.push(raised);
        }
        Some((cycles, Lanes { steps, powers, sums, of, maps }))
    }

    /// The variants whose kernels may be taken beside one, and it.
    fn beside(&self, own: usize, has: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let target = |k: usize| -> &'static Target { self.variants[k].1.target };
        let other = |k: &usize| {
            let same = target(*k).architecture == target(own).architecture;
            has(*k) && same && target(*k).extension.is_none()
        };
        match has(own) {
            true => vec![own],
            false => (0..self.variants.len()).filter(other).chain([own]).collect(),
        }
    }
}
