//! Which kernels take several blocks of a message alone at once.

use crate::choice;
use crate::library::Settings;
use crate::session::Session;
use nakiri::compile::{Kernel, Options};
use nakiri::cost;
use nakiri::emit::c::{Powers, Stretch};
use nakiri::mode::{Mode, Piece};
use nakiri::pass::chain::Links;
use nakiri_bench::parallel::map as on_all_cores;

/// How many blocks are tried, most first.
pub const BLOCKS: [u32; 2] = [8, 4];

/// A stretch with its price in core cycles.
pub struct Priced {
    /// The stretch.
    pub stretch: Stretch,
    /// What a block costs in each variant.
    pub cycles: Vec<Option<f64>>,
}

/// The stretches of a mode's loops. `kernels` has the body of a loop, by its name, for each variant: its options, and what became
/// of them.
pub fn of_mode<'k>(
    session: &Session,
    mode: &Mode,
    settings: &Settings,
    kernels: impl Fn(&str) -> &'k [(Options, Kernel)],
) -> Vec<Priced> {
    let stretch = |(name, body): (String, &Piece)| {
        most(session, &name, body, kernels(&name), settings, &BLOCKS)
    };
    bodies(mode).filter_map(stretch).collect()
}

/// The bodies of a mode's loops, there and back, with their names.
pub fn bodies(mode: &Mode) -> impl Iterator<Item = (String, &Piece)> {
    let ways = |each| [false, true].map(|back| (each, back));
    let bodies = mode.loops().flat_map(ways).filter(|(each, back)| !back || each.gives());
    let bodies = bodies.filter_map(|(each, back)| each.way(back));
    bodies.map(|(blocks, [name, ..])| (name, &blocks.body))
}

/// The most of so many blocks of a piece that promise something, to a text alone if any do.
pub fn most(
    session: &Session,
    name: &str,
    piece: &Piece,
    variants: &[(Options, Kernel)],
    settings: &Settings,
    tried: &[u32],
) -> Option<Priced> {
    let links = Links::of(piece)?;
    let of = |blocks| priced(session, name, piece, &links, blocks, variants, settings);
    let alone = |own: &Priced| own.cycles.iter().any(Option::is_some);
    let mut first = None;
    for &blocks in tried {
        match of(blocks) {
            Some(own) if alone(&own) => return Some(own),
            own => first = first.or(own),
        }
    }
    first
}

/// One block by all variants.
pub fn of_one(name: &str, variants: &[(Options, Kernel)]) -> Stretch {
    let variants = variants.iter().map(|(_, kernel)| Some(kernel.clone())).collect();
    Stretch { piece: name.to_string(), blocks: 1, variants, powers: None }
}

/// So many blocks by those variants for which that promises something; none if it does for none.
fn priced(
    session: &Session,
    name: &str,
    piece: &Piece,
    links: &Links,
    blocks: u32,
    variants: &[(Options, Kernel)],
    settings: &Settings,
) -> Option<Priced> {
    let program = piece.program.placeless();
    let of_variant = |variant: &(Options, Kernel)| {
        let target = variant.1.target;
        let machine = choice::machine(None, target, settings.is_here(target)).ok();
        machine.map_or_else(Vec::new, |machine| {
            session.compiled.stretches(&program, variant, links, blocks, &machine)
        })
    };
    let forms: Vec<Vec<cost::Stretch>> = on_all_cores(variants, of_variant);
    let cheapest = |own: &Vec<cost::Stretch>| {
        own.iter().min_by(|a, b| a.cycles.total_cmp(&b.cycles)).map(cost::Stretch::power_bits)
    };
    // All variants have the same ports, those that are best where the best one runs.
    let ports = forms.iter().find_map(cheapest)?;
    let all: Vec<Option<cost::Stretch>> = forms
        .into_iter()
        .map(|own| own.into_iter().find(|own| own.power_bits() == ports))
        .collect();
    let alone = |own: &cost::Stretch| own.kernel.chain().last().map(Kernel::blocks) == Some(1);
    let cycles =
        |own: &Option<cost::Stretch>| own.as_ref().filter(|own| alone(own)).map(|own| own.cycles);
    let cycles: Vec<Option<f64>> = all.iter().map(cycles).collect();
    let of = all.iter().flatten().find_map(|own| Some(own.powers.as_ref()?.of));
    let powers = |own: &Option<cost::Stretch>| Some(own.as_ref()?.powers.as_ref()?.kernel.clone());
    let powers = of.map(|of| Powers { of, variants: all.iter().map(powers).collect() });
    let kernels = all.into_iter().map(|own| own.map(|own| own.kernel)).collect();
    let stretch =
        Stretch { piece: name.to_string(), blocks: blocks as usize, variants: kernels, powers };
    Some(Priced { stretch, cycles })
}
