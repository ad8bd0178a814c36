//! What a text's blocks wait for beside the parallel part.

use super::trial::{Tail, Trial};
use super::{Class, Variant};
use crate::stretch;
use nakiri::compile::legality::{self, PREFERENCE};
use nakiri::compile::{Kernel, Options};
use nakiri::core::Program;
use nakiri::cost;
use nakiri::emit::c::{Lanes, Powers, Serial, Stretch};
use nakiri::mode::Piece;
use nakiri::pass::chain::Links;
use nakiri::pass::split::{self, Split};
use nakiri_bench::parallel::map as on_all_cores;

impl Trial<'_> {
    /// The serial part: in lanes where that is cheaper than in series for a variant that takes texts.
    pub fn tail(&self, split: &Split, blocks: u32) -> Option<Tail> {
        let all = self.body.variants.len();
        let Some(piece) = &split.serial else {
            return Some(Tail { serial: None, cycles: vec![Some(0.0); all] });
        };
        let links = Links::of(piece)?;
        let in_lanes = self.in_lanes(piece, &links, blocks).map(|(cycles, lanes)| Tail {
            serial: Some(Serial::InLanes(lanes)),
            cycles: vec![Some(cycles); all],
        });
        let in_series = self.in_series(piece, blocks).map(|stretch| Tail {
            cycles: self.cycles_in_series(&stretch, &links),
            serial: Some(Serial::InSeries(stretch)),
        });
        let least = |own: &Tail| own.cycles.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let both = in_lanes.into_iter().chain(in_series);
        both.min_by(|a, b| least(a).total_cmp(&least(b)))
    }

    /// The serial part where the parallel one leaps: for the first blocks alone.
    pub fn leaping(&self, split: &Split, blocks: u32) -> Option<Tail> {
        let stretch = self.in_series(split.serial.as_ref()?, blocks)?;
        let cycles = stretch.variants.iter().map(|own| own.as_ref().map(|_| 0.0)).collect();
        Some(Tail { serial: Some(Serial::Leaps(stretch)), cycles })
    }

    /// What a block costs each variant; what stands around runs is done beside the parallel part.
    fn cycles_in_series(&self, stretch: &Stretch, links: &Links) -> Vec<Option<f64>> {
        let of = |own: &Option<Kernel>| {
            let kernel = own.as_ref()?;
            let moved = cost::transport(kernel, &self.body.machine(kernel)?)?;
            Some((self.body.cycles(kernel, links)? + moved) / stretch.blocks as f64)
        };
        stretch.variants.iter().map(of).collect()
    }

    /// Block after block what each of so many waits for.
    fn in_series(&self, piece: &Piece, blocks: u32) -> Option<Stretch> {
        let name = match self.number {
            0 => format!("{}_serial", self.body.name),
            number => format!("{}_serial{number}", self.body.name),
        };
        let is_in_bits = self.class.is_in_bits();
        let program = piece.program.placeless();
        let compiled = on_all_cores(self.body.variants, |own| {
            let is_alike = Class::of(own).is_in_bits() == is_in_bits;
            is_alike.then(|| self.serial(&program, &own.0)).flatten()
        });
        let variants: Vec<Variant> = compiled.iter().flatten().cloned().collect();
        let tried = stretch::BLOCKS.into_iter().filter(|own| blocks.is_multiple_of(*own));
        let tried: Vec<u32> = tried.collect();
        let (session, settings) = (self.body.session, self.body.settings);
        let stretch = stretch::most(session, &name, piece, &variants, settings, &tried)
            .map(|priced| priced.stretch)
            .or_else(|| is_in_bits.then(|| stretch::of_one(&name, &variants)))?;
        let of_all = |own: &[Option<Kernel>]| -> Vec<Option<Kernel>> {
            let mut own = own.iter();
            let of = |compiled: &Option<_>| compiled.as_ref().and_then(|_| own.next()?.as_ref());
            compiled.iter().map(of).map(|own| own?.chain().last().cloned()).collect()
        };
        let powers = stretch.powers.as_ref();
        let powers = powers.map(|own| Powers { variants: of_all(&own.variants), ..*own });
        Some(Stretch { variants: of_all(&stretch.variants), powers, ..stretch })
    }

    /// The kernel of a serial part: in the slicing of the blocks, or where these are in bits in that in which one block costs least.
    fn serial(&self, program: &Program, options: &Options) -> Option<Variant> {
        let compiled = |options: Options| {
            Some((options, self.body.session.compiled.kernel(program, options).ok()?))
        };
        if !self.class.is_in_bits() {
            return compiled(*options);
        }
        let plain = Options { interleave: None, schedule: None, short: None, ..*options };
        let legal = legality::legal(&[program], &PREFERENCE, plain).ok()?;
        let price = |(_, kernel): &Variant| {
            let machine = self.body.machine(kernel)?;
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
        let forms = |own: &Variant| {
            let is_tried = self.class == Class::Several && self.has(own);
            let machine = is_tried.then(|| self.body.machine(&own.1)).flatten();
            machine.map_or_else(Vec::new, |machine| {
                cost::in_lanes(&program, &own.0, links, blocks, &machine)
            })
        };
        let forms: Vec<Vec<cost::InLanes>> = self.body.variants.iter().map(forms).collect();
        let first = forms.iter().find(|own| !own.is_empty())?;
        let best = first.iter().min_by(|a, b| a.cycles.total_cmp(&b.cycles))?;
        let (cycles, of, maps) = (best.cycles, best.of, best.maps);
        let sum = split::sum(piece, links, blocks)?;
        let (mut steps, mut powers, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for (own, (options, _)) in forms.into_iter().zip(self.body.variants) {
            let own = own.into_iter().find(|own| own.maps == maps);
            let short = Options { short: None, ..*options };
            let sum = own.as_ref().map(|_| self.body.session.compiled.kernel(&sum, short));
            sums.push(sum.transpose().ok()?);
            let (step, raised) = own.map(|own| (own.kernel, own.powers)).unzip();
            steps.push(step);
            powers.push(raised);
        }
        Some((cycles, Lanes { steps, powers, sums, of, maps }))
    }
}
