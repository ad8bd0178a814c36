//! The parallel part of a loop's body by the variants of one class.

use super::{Body, Class, Variant};
use nakiri::compile::{Options, Short};
use nakiri::core::Direction;
use nakiri::cost;
use nakiri::emit::c::{Parallel, Serial};
use nakiri::emit::keys;
use nakiri::isa::Target;
use nakiri::mode::Slot;
use nakiri::pass::chain::Links;
use nakiri::pass::leap::Leap;
use nakiri::pass::split::Split;
use nakiri_bench::parallel::map as on_all_cores;

/// What takes the place of something else costs less than this share of it.
const MUCH: f64 = 0.8;

/// A run that fills few of its lanes costs about so many times its price: what stands around it is not in that.
const OPTIMISM: f64 = 2.0;

/// The variants whose kernels are tried.
pub struct Trial<'a> {
    pub body: &'a Body<'a>,
    pub class: Class,
    /// See [`Parallel::number`].
    pub number: usize,
}

/// The parallel part by a variant, and the machine that prices it.
type Side = (cost::SideBySide, cost::Machine);

/// The parallel part on so many blocks at once.
struct Width {
    blocks: u32,
    /// Whether it makes the state before as many blocks behind.
    leaps: bool,
    /// For each variant, if it is one of the class.
    kernels: Vec<Option<cost::Parallel>>,
    /// What a block costs the first of them.
    cycles: f64,
}

/// A serial part, and what a block costs each variant that takes a text.
pub struct Tail {
    pub serial: Option<Serial>,
    pub cycles: Vec<Option<f64>>,
}

impl Trial<'_> {
    /// Whether a variant is of the class.
    pub fn has(&self, variant: &Variant) -> bool {
        Class::of(variant) == self.class
    }

    /// The slicing of the first variant.
    pub fn direction(&self) -> Option<Direction> {
        Some(self.body.variants.iter().find(|own| self.has(own))?.0.direction)
    }

    /// The cheapest number of blocks at once, and what one costs each variant that gains by it; none if none does. `now` is what it costs
    /// each without, `among` what one of many texts costs.
    pub fn cheapest(
        &self,
        split: &Split,
        now: &[Option<f64>],
        among: f64,
    ) -> Option<(Parallel, Vec<Option<f64>>)> {
        let Width { blocks, leaps, kernels, cycles } = self.width(split)?;
        let Tail { serial, cycles: behind } = match leaps {
            true => self.leaping(split, blocks)?,
            false => self.tail(split, blocks)?,
        };
        let cost = |k: usize| behind[k].map_or(f64::INFINITY, |behind| behind + cycles);
        let gains = |k: usize| now[k].is_some_and(|now| cost(k) < MUCH * now);
        let all = || 0..self.body.variants.len();
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
        let offsets = all().map(|k| kernel(k).and_then(|own| own.offsets.clone()));
        let parallel = Parallel {
            piece: self.body.name.to_string(),
            number: self.number,
            blocks: blocks as usize,
            split: if leaps { leaping(split) } else { split.clone() },
            variants: variants.collect(),
            offsets: offsets.collect(),
            serial: serial.clone(),
            beside,
            beats_lanes: least < MUCH * among,
            fewest: fewest as usize,
        };
        Some((parallel, all().map(|k| gains(k).then(|| cost(k))).collect()))
    }

    /// The variants that take a text alone: those whose registers hold a block of one, if there are such beside several.
    fn take_texts(&self) -> Vec<usize> {
        let of = |class: Class| -> Vec<usize> {
            let all = self.body.variants.iter().enumerate();
            all.filter(|(_, own)| Class::of(own) == class).map(|(k, _)| k).collect()
        };
        match (self.class, of(Class::Single)) {
            (Class::Several, single) if !single.is_empty() => single,
            _ => of(self.class),
        }
    }

    /// The fewest blocks at once for which the first variant that can takes least.
    fn width(&self, split: &Split) -> Option<Width> {
        if self.class.is_in_bits() {
            return self.in_bits(split);
        }
        let program = split.parallel.program.placeless();
        let tried = self.class.tried();
        let mapped = on_all_cores(self.body.variants, |own| {
            let (options, kernel) = self.has(own).then_some(own)?;
            let side_by_side = cost::SideBySide::new(&program, options, tried)?;
            Some((side_by_side, self.body.machine(kernel)?))
        });
        let mut best: Option<Width> = None;
        for own in tried.iter().filter_map(|blocks| self.side_by_side(split, *blocks, &mapped)) {
            if best.as_ref().is_none_or(|best| own.cycles < MUCH * best.cycles) {
                best = Some(own);
            }
        }
        best
    }

    /// So many blocks: with a leap if there is one, with offsets if that is much cheaper.
    fn side_by_side(&self, split: &Split, blocks: u32, mapped: &[Option<Side>]) -> Option<Width> {
        let each = |of: &(dyn Fn(&Side) -> Option<cost::Parallel> + Sync)| -> Vec<_> {
            on_all_cores(mapped, |own| of(own.as_ref()?))
        };
        let first = |all: &[Option<cost::Parallel>]| Some(all.iter().flatten().next()?.cycles);
        let width = |leaps, kernels: Vec<_>| {
            Some(Width { blocks, leaps, cycles: first(&kernels)?, kernels })
        };
        let leaping = self.leap(split, blocks).and_then(|leap| {
            width(true, each(&|(own, machine)| own.on(blocks, Some(leap), machine)))
        });
        if leaping.is_some() {
            return leaping;
        }
        let plain = width(false, each(&|(own, machine)| own.on(blocks, None, machine)))?;
        let Some(number) = split.number() else { return Some(plain) };
        let with_offsets =
            width(false, each(&|(own, machine)| own.with_offsets(blocks, number, machine)));
        let as_many = |own: &Width| {
            let mut both = own.kernels.iter().zip(&plain.kernels);
            both.all(|(own, plain)| own.is_some() == plain.is_some())
        };
        let cheaper = |own: &Width| own.cycles < MUCH * plain.cycles && as_many(own);
        Some(with_offsets.filter(cheaper).unwrap_or(plain))
    }

    /// As many blocks as registers hold bits of.
    fn in_bits(&self, split: &Split) -> Option<Width> {
        let program = split.parallel.program.placeless();
        let kernels = on_all_cores(self.body.variants, |own| {
            let (options, kernel) = self.has(own).then_some(own)?;
            let options = Options { short: Some(Short::Never), ..*options };
            let machine = self.body.machine(kernel)?;
            cost::in_bits(self.body.session.compiled.kernel(&program, options).ok()?, &machine)
        });
        let first = kernels.iter().flatten().next()?;
        let (cycles, blocks) = (first.cycles, first.kernel.blocks());
        let as_many = |own: &cost::Parallel| own.kernel.blocks() == blocks;
        let kernels = kernels.into_iter().map(|own| own.filter(as_many)).collect();
        let width = Width { blocks: blocks as u32, leaps: false, kernels, cycles };
        (blocks > 1).then_some(width)
    }

    /// So many steps of the serial part at once, and the parameter of the parallel part that is the state before a block.
    fn leap(&self, split: &Split, steps: u32) -> Option<(usize, Leap)> {
        let serial = split.serial.as_ref().filter(|_| split.serial_first)?;
        let (program, links) = (serial.program.placeless(), Links::of(serial)?);
        let before = |slot: &Slot| matches!(slot, Slot::Before(_));
        let param = split.parallel.params.iter().position(before)?;
        let own = self.body.variants.iter().filter(|own| self.has(own));
        let mut leaps = own.filter_map(|(options, _)| cost::leap(&program, options, &links, steps));
        Some((param, leaps.next()?))
    }

    /// The variants whose kernels may be taken beside one, and it.
    fn beside(&self, own: usize, has: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let target = |k: usize| -> &'static Target { self.body.variants[k].1.target };
        let other = |k: &usize| {
            let same = target(*k).architecture == target(own).architecture;
            has(*k) && same && target(*k).extension.is_none()
        };
        match has(own) {
            true => vec![own],
            false => (0..self.body.variants.len()).filter(other).chain([own]).collect(),
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
