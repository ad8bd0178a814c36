//! Which kernels take many blocks of a message alone side by side.

use crate::choice;
use crate::library::Settings;
use crate::session::Session;
use crate::stretch::{self, Priced};
use nakiri::compile::legality::{self, PREFERENCE};
use nakiri::compile::{Kernel, Options, Short};
use nakiri::core::{Direction, Program};
use nakiri::cost;
use nakiri::emit::c::{Lanes, Parallel, Serial, Stretch};
use nakiri::emit::keys;
use nakiri::isa::Target;
use nakiri::mode::{Mode, Piece, Slot};
use nakiri::pass::chain::Links;
use nakiri::pass::leap::Leap;
use nakiri::pass::split::{self, Split};
use nakiri_bench::parallel::map as on_all_cores;

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
    let of_body = |(name, body): (String, &Piece)| {
        let stretch = stretches.iter().find(|own| own.stretch.piece == name);
        let variants = kernels(&name);
        let own = vec![false; variants.len()];
        let trial = Trial { session, settings, name: &name, variants, own, is_in_bits: false };
        Links::of(body).map_or(Vec::new(), |links| trial.of_body(body, &links, stretch))
    };
    bodies.flat_map(of_body).collect()
}

/// Whether registers hold bits of many blocks, not words or rows of a few.
fn is_in_bits(options: &Options) -> bool {
    matches!(options.direction, Direction::B | Direction::H)
}

/// What variants have in common that take as many blocks at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// A register has a row, or a word, of one block.
    Single,
    /// Of several blocks.
    Several,
    /// Bits of so many blocks.
    Bits(usize),
}

impl Class {
    fn of((options, kernel): &(Options, Kernel)) -> Class {
        match kernel.chain().last().map_or(1, Kernel::lanes) {
            _ if is_in_bits(options) => Class::Bits(kernel.blocks()),
            1 => Class::Single,
            _ => Class::Several,
        }
    }

    /// How many blocks are tried.
    fn blocks(self) -> &'static [u32] {
        match self {
            Class::Single => &[cost::FEW],
            Class::Several => &[16, 32],
            Class::Bits(_) => &[],
        }
    }
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
    /// The piece.
    name: &'a str,
    variants: &'a Variants,
    /// Those whose kernels are tried.
    own: Vec<bool>,
    /// Whether their registers hold bits of many blocks.
    is_in_bits: bool,
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
    /// The parallel parts of a body: one for each class of variants for which that promises something, those of most blocks first.
    fn of_body(&self, body: &Piece, links: &Links, stretch: Option<&Priced>) -> Vec<Parallel> {
        let (mut now, among) = (self.now(stretch, links), self.among(stretch, links));
        let mut all: Vec<Parallel> = Vec::new();
        let mut classes: Vec<Class> = self.variants.iter().map(Class::of).collect();
        classes.sort();
        classes.dedup();
        for class in classes {
            let own: Vec<bool> = self.variants.iter().map(|own| Class::of(own) == class).collect();
            let first = self.variants.iter().zip(&own).find(|(_, own)| **own);
            let Some(((options, _), _)) = first else { continue };
            let split = split::run(body, links);
            let Some(split) = split.or_else(|| split::hash::run(body, options.direction)) else {
                continue;
            };
            let number = all.len();
            let trial = Trial { own, is_in_bits: is_in_bits(options), ..*self };
            let width = match class {
                Class::Bits(_) => trial.as_it_is(&split),
                _ => trial.width(&split, class.blocks()),
            };
            let found = width.and_then(|width| trial.cheapest(number, &split, width, &now, among));
            if let Some((parallel, costs)) = found {
                let cheaper = |(now, cost): (&mut Option<f64>, Option<f64>)| *now = cost.or(*now);
                now.iter_mut().zip(costs).for_each(cheaper);
                all.push(parallel);
            }
        }
        all.sort_by_key(|own| std::cmp::Reverse(own.blocks));
        all
    }

    /// The variants whose kernels are tried.
    fn own(&self) -> impl Iterator<Item = (usize, &(Options, Kernel))> {
        self.variants.iter().enumerate().filter(|(k, _)| self.own[*k])
    }

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

    /// So many blocks at once, and what one costs each variant that gains by it; none if none does. `now` is what it costs each without.
    fn cheapest(
        &self,
        number: usize,
        split: &Split,
        (cycles, Width { blocks, leaps, kernels }): (f64, Width),
        now: &[Option<f64>],
        among: f64,
    ) -> Option<(Parallel, Vec<Option<f64>>)> {
        let serial_name = match number {
            0 => format!("{}_serial", self.name),
            _ => format!("{}_serial{number}", self.name),
        };
        let Tail { serial, cycles: behind } = match leaps {
            true => self.leaping(&serial_name, split, blocks)?,
            false => self.tail(&serial_name, split, blocks)?,
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
        let first = &kernels.iter().flatten().next()?.kernel;
        let has = |k: usize| {
            let alike =
                kernels[k].as_ref().is_some_and(|own| keys::same_constants(&own.kernel, first));
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
        let costs = all().map(|k| gains(k).then(|| cost(k))).collect();
        let parallel = Parallel {
            piece: self.name.to_string(),
            number,
            blocks: blocks as usize,
            split: if leaps { leaping(split) } else { split.clone() },
            variants: variants.collect(),
            serial: serial.clone(),
            beside,
            beats_lanes: least < MUCH * among,
            fewest: fewest as usize,
        };
        Some((parallel, costs))
    }

    /// The variants that take a text alone beside those that are tried: those whose registers hold a block of one, if there are such.
    fn take_texts(&self) -> Vec<usize> {
        let all = || 0..self.variants.len();
        let is_single = |k: &usize| Class::of(&self.variants[*k]) == Class::Single;
        match all().any(|k| is_single(&k)) && !self.is_in_bits {
            true => all().filter(is_single).collect(),
            false => all().filter(|k| self.own[*k]).collect(),
        }
    }

    /// What a block costs in parallel by the first variant that can, and the fewest at once for which that is the least.
    fn width(&self, split: &Split, tried: &[u32]) -> Option<(f64, Width)> {
        let program = split.parallel.program.placeless();
        let all: Vec<usize> = (0..self.variants.len()).collect();
        let mapped = on_all_cores(&all, |&k| {
            let (options, kernel) = self.own[k].then(|| &self.variants[k])?;
            Some((cost::SideBySide::new(&program, options, tried)?, self.machine(kernel)?))
        });
        let mut best: Option<(f64, Width)> = None;
        for &blocks in tried {
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

    /// What a block costs in parallel by kernels whose registers are as long as a bit of many blocks.
    fn as_it_is(&self, split: &Split) -> Option<(f64, Width)> {
        let program = split.parallel.program.placeless();
        let all: Vec<usize> = (0..self.variants.len()).collect();
        let kernels = on_all_cores(&all, |&k| {
            let (options, own) = self.own[k].then(|| &self.variants[k])?;
            let options = Options { short: Some(Short::Never), ..*options };
            let kernel = self.session.compiled.kernel(&program, options).ok()?;
            cost::as_it_is(kernel, &self.machine(own)?)
        });
        let first = kernels.iter().flatten().next()?;
        let (cycles, blocks) = (first.cycles, first.kernel.blocks());
        let as_many = |own: &cost::Parallel| own.kernel.blocks() == blocks;
        let kernels = kernels.into_iter().map(|own| own.filter(as_many)).collect();
        let width = Width { blocks: blocks as u32, leaps: false, kernels };
        (blocks > 1).then_some((cycles, width))
    }

    /// So many steps of the serial part at once, and the parameter of the parallel part that is the state before a block.
    fn leap(&self, split: &Split, steps: u32) -> Option<(usize, Leap)> {
        let serial = split.serial.as_ref().filter(|_| split.serial_first)?;
        let (program, links) = (serial.program.placeless(), Links::of(serial)?);
        let before = |slot: &Slot| matches!(slot, Slot::Before(_));
        let param = split.parallel.params.iter().position(before)?;
        let of = |(options, _): &(Options, Kernel)| cost::leap(&program, options, &links, steps);
        Some((param, self.own().map(|(_, own)| own).find_map(of)?))
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
        let in_series =
            self.in_series(&format!("{name}_serial"), piece, blocks).map(|stretch| Tail {
                cycles: self.cycles_in_series(&stretch, &links),
                serial: Some(Serial::InSeries(stretch)),
            });
        let least = |own: &Tail| own.cycles.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let both = in_lanes.into_iter().chain(in_series);
        both.min_by(|a, b| least(a).total_cmp(&least(b)))
    }

    /// The serial part where the parallel one leaps: for the first blocks alone.
    fn leaping(&self, name: &str, split: &Split, blocks: u32) -> Option<Tail> {
        let stretch = self.in_series(&format!("{name}_serial"), split.serial.as_ref()?, blocks)?;
        let cycles = stretch.variants.iter().map(|own| own.as_ref().map(|_| 0.0)).collect();
        Some(Tail { serial: Some(Serial::Leaps(stretch)), cycles })
    }

    /// What a block costs each variant; what stands around runs is done beside the parallel part.
    fn cycles_in_series(&self, stretch: &Stretch, links: &Links) -> Vec<Option<f64>> {
        let of = |own: &Option<Kernel>| {
            let kernel = own.as_ref()?;
            let moved = cost::transport(kernel, &self.machine(kernel)?)?;
            Some((self.cycles(kernel, links)? + moved) / stretch.blocks as f64)
        };
        stretch.variants.iter().map(of).collect()
    }

    /// Block after block what each of so many waits for.
    fn in_series(&self, name: &str, piece: &Piece, blocks: u32) -> Option<Stretch> {
        let program = piece.program.placeless();
        let compiled: Vec<Option<(Options, Kernel)>> =
            on_all_cores(self.variants, |own| match self.is_in_bits == is_in_bits(&own.0) {
                true => self.serial(&program, &own.0),
                false => None,
            });
        let variants: Vec<(Options, Kernel)> = compiled.iter().flatten().cloned().collect();
        let tried: Vec<u32> =
            stretch::BLOCKS.into_iter().filter(|own| blocks.is_multiple_of(*own)).collect();
        let priced = stretch::most(self.session, name, piece, &variants, self.settings, &tried);
        let stretch = priced
            .map(|priced| priced.stretch)
            .or_else(|| self.is_in_bits.then(|| stretch::of_one(name, &variants)))?;
        let mut own = stretch.variants.iter();
        let own = |compiled: &Option<_>| {
            let kernel = compiled.as_ref().and_then(|_| own.next()?.as_ref())?;
            kernel.chain().last().cloned()
        };
        let variants = compiled.iter().map(own).collect();
        Some(Stretch { variants, ..stretch })
    }

    /// The kernel of a serial part: in the slicing of the blocks, or in that in which one block costs least where that is in bits.
    fn serial(&self, program: &Program, options: &Options) -> Option<(Options, Kernel)> {
        let compiled = |options: Options| {
            Some((options, self.session.compiled.kernel(program, options).ok()?))
        };
        if !is_in_bits(options) {
            return compiled(*options);
        }
        let plain = Options { interleave: None, schedule: None, short: None, ..*options };
        let legal = legality::legal(&[program], &PREFERENCE, plain).ok()?;
        let price = |(_, kernel): &(Options, Kernel)| {
            let machine = self.machine(kernel)?;
            let cycles = cost::estimate_kernel(kernel, &machine).ok()?.cycles;
            Some(cycles + cost::transport(kernel, &machine)?)
        };
        let all = legal.into_iter().filter_map(compiled);
        let priced = all.filter_map(|own| Some((price(&own)?, own)));
        priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, own)| own)
    }

    /// By Horner's rule, in the form that is cheapest for the first variant that can, and what a block costs it.
    fn in_lanes(&self, piece: &Piece, links: &Links, blocks: u32) -> Option<(f64, Lanes)> {
        let program = piece.program.placeless();
        let forms = |(k, (options, kernel)): (usize, &(Options, Kernel))| {
            let machine = self.machine(kernel).filter(|_| self.own[k] && !self.is_in_bits);
            machine.map_or_else(Vec::new, |machine| {
                cost::in_lanes(&program, options, links, blocks, &machine)
            })
        };
        let forms: Vec<Vec<cost::InLanes>> = self.variants.iter().enumerate().map(forms).collect();
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
