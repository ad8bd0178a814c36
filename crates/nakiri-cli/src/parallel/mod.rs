//! Which kernels take many blocks of a message alone side by side.

mod serial;
mod trial;

use crate::choice;
use crate::library::Settings;
use crate::session::Session;
use crate::stretch::{self, Priced};
use nakiri::compile::{Kernel, Options};
use nakiri::core::Direction;
use nakiri::cost;
use nakiri::emit::c::Parallel;
use nakiri::mode::{Mode, Piece};
use nakiri::pass::chain::Links;
use nakiri::pass::split;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use trial::Trial;

/// A variant of a piece: options, and what became of them.
type Variant = (Options, Kernel);

/// The parallel parts of a mode's loops. `kernels` has the body of a loop, by its name, for each variant.
pub fn of_mode<'k>(
    session: &Session,
    mode: &Mode,
    settings: &Settings,
    stretches: &[Priced],
    kernels: impl Fn(&str) -> &'k [Variant],
) -> Vec<Parallel> {
    let of_body = |(name, piece): (String, &Piece)| {
        let stretch = stretches.iter().find(|own| own.stretch.piece == name);
        let body = Body { session, settings, name: &name, variants: kernels(&name) };
        Links::of(piece).map_or(Vec::new(), |links| body.parallels(piece, &links, stretch))
    };
    stretch::bodies(mode).flat_map(of_body).collect()
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
    fn of((options, kernel): &Variant) -> Class {
        match (options.direction, kernel.chain().last().map_or(1, Kernel::lanes)) {
            (Direction::B | Direction::H, _) => Class::Bits(kernel.blocks()),
            (_, 1) => Class::Single,
            _ => Class::Several,
        }
    }

    fn is_in_bits(self) -> bool {
        matches!(self, Class::Bits(_))
    }

    /// How many blocks are tried on rows and words.
    fn tried(self) -> &'static [u32] {
        match self {
            Class::Single => &[4, 8],
            Class::Several => &[16, 32],
            Class::Bits(_) => &[],
        }
    }
}

/// The body of a loop.
struct Body<'a> {
    session: &'a Session,
    settings: &'a Settings,
    name: &'a str,
    variants: &'a [Variant],
}

impl Body<'_> {
    /// One for each class of variants for which that promises something, those of most blocks first.
    fn parallels(&self, piece: &Piece, links: &Links, stretch: Option<&Priced>) -> Vec<Parallel> {
        let (mut now, among) = (self.now(stretch, links), self.among(stretch, links));
        let split = split::run(piece, links);
        let classes: BTreeSet<Class> = self.variants.iter().map(Class::of).collect();
        let mut all: Vec<Parallel> = Vec::new();
        for class in classes {
            let trial = Trial { body: self, class, number: all.len() };
            let hash = || split::hash::run(piece, trial.direction()?);
            let Some(split) = split.clone().or_else(hash) else { continue };
            if let Some((parallel, costs)) = trial.cheapest(&split, &now, among) {
                let cheaper = |(now, cost): (&mut Option<f64>, Option<f64>)| *now = cost.or(*now);
                now.iter_mut().zip(costs).for_each(cheaper);
                all.push(parallel);
            }
        }
        all.sort_by_key(|own| Reverse(own.blocks));
        all
    }

    /// What a block of a text alone costs each variant without parallel parts.
    fn now(&self, stretch: Option<&Priced>, links: &Links) -> Vec<Option<f64>> {
        let of = |(k, (_, body)): (usize, &Variant)| {
            let stretched = stretch.and_then(|own| own.cycles[k]);
            stretched.or_else(|| Some(self.cycles(body, links)? + cost::AROUND))
        };
        self.variants.iter().enumerate().map(of).collect()
    }

    /// What a block of one of many texts costs the variant that is best for these.
    fn among(&self, stretch: Option<&Priced>, links: &Links) -> f64 {
        let of = |(k, (_, body)): (usize, &Variant)| {
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

    fn machine(&self, kernel: &Kernel) -> Option<cost::Machine> {
        choice::machine(None, kernel.target, self.settings.is_here(kernel.target)).ok()
    }
}
