//! Chooses the slicing: each is decided for itself, and that is taken in which a message costs least, with the
//! transpositions around the kernel.

use super::choose::{choose, Decision};
use super::{estimate_kernel, transport, Machine};
use crate::compile::{Options, Specialized};
use crate::core::{Direction, Program};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::pass::interleave::Interleave;

/// Bytes of the message for which slicings are compared: a full record of TLS 1.3 (RFC 8446, section 5.1).
pub const MESSAGE: f64 = 16384.0;

/// By how much a slicing must be cheaper than those before it: the model isn't more exact between kernels so different.
pub const SURE: f64 = 1.1;

/// What no choice within a slicing makes of the work of its ports, seen from the plain kernel.
const LEAST: f64 = 0.8;

/// A slicing that was weighed.
#[derive(Clone, Copy, Debug)]
pub struct Sliced {
    /// Which.
    pub direction: Direction,
    /// On which target: another may have several words in the same registers.
    pub target: &'static Target,
    /// Core cycles per byte of a message of [`MESSAGE`] bytes: of its kernel with the handicaps of its choices, or at least
    /// so many.
    pub kernel: f64,
    /// Those of its transpositions.
    pub transport: f64,
    /// Whether it was not weighed any further since it can't be the cheapest.
    pub left: bool,
}

impl Sliced {
    /// Core cycles per byte of a message.
    pub fn cost(&self) -> f64 {
        self.kernel + self.transport
    }

    /// Whether it is that of some options.
    pub fn is(&self, options: &Options) -> bool {
        (self.direction, self.target.name) == (options.direction, options.target.name)
    }
}

/// A slicing before its choices are made.
struct Plain<'a> {
    options: &'a Options,
    /// Core cycles per byte of the kernel for which nothing was weighed, and the least that its ports allow.
    cost: f64,
    floor: f64,
    transport: f64,
    /// By how much the last batch of the message, which is not full, makes it longer.
    padding: f64,
}

/// Chooses among slicings, and in the one that is taken what is left open: `asked` has the options in each that is legal,
/// the preferred one first, at least one of them.
///
/// # Errors
/// Those of [`choose`].
pub fn choose_slicing(
    program: &Program,
    asked: &[Options],
    machine: &Machine,
) -> Result<Decision, Vec<Diagnostic>> {
    if let [only] = asked {
        return choose(program, only, machine);
    }
    let mut plain = Vec::new();
    for options in asked {
        plain.push(Plain::new(program, options, machine)?);
    }
    // That which is likely to be the cheapest leaves most of the others unsearched.
    plain.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut slicings: Vec<(Sliced, Option<Decision>)> = Vec::new();
    let mut least = f64::INFINITY;
    for plain in plain {
        let Plain { options, floor, transport, padding, .. } = plain;
        let (Options { direction, target, .. }, transport) = (*options, transport * padding);
        let kernel = LEAST * floor * padding;
        let hopeless = Sliced { direction, target, kernel, transport, left: true };
        if hopeless.cost() > SURE * least {
            slicings.push((hopeless, None));
            continue;
        }
        let decision = choose(program, options, machine)?;
        let kernel = decision.taken().map_or(f64::INFINITY, |taken| taken.weighed() * padding);
        let sliced = Sliced { kernel, left: false, ..hopeless };
        least = least.min(sliced.cost());
        slicings.push((sliced, Some(decision)));
    }
    let place = |sliced: &Sliced| {
        let is = |options: &Options| sliced.is(options);
        asked.iter().position(is)
    };
    slicings.sort_by_key(|(sliced, _)| place(sliced));
    let all: Vec<Sliced> = slicings.iter().map(|(sliced, _)| *sliced).collect();
    let weighed = slicings.into_iter().filter_map(|(sliced, decision)| Some((sliced, decision?)));
    let cheaper = |best: (Sliced, Decision), other: (Sliced, Decision)| {
        if other.0.cost() * SURE < best.0.cost() {
            other
        } else {
            best
        }
    };
    match weighed.reduce(cheaper) {
        Some((_, decision)) => Ok(Decision { slicings: all, ..decision }),
        None => choose(program, &asked[0], machine),
    }
}

impl Plain<'_> {
    /// The kernel as it is without choices.
    fn new<'a>(
        program: &Program,
        options: &'a Options,
        machine: &Machine,
    ) -> Result<Plain<'a>, Vec<Diagnostic>> {
        let single = Options { interleave: Some(Interleave::default()), ..*options };
        let mapped = Specialized::new(program, options)?.mapped(&single, &mut |_, _| {});
        let kernel = mapped.ordered(&single, &mut |_, _| {});
        let (priced, bytes) = (estimate_kernel(&kernel, machine), kernel.bytes());
        let (cycles, ports) =
            priced.map_or((f64::INFINITY, 0.0), |estimate| (estimate.cycles, estimate.ports));
        Ok(Plain {
            options,
            cost: cycles / bytes,
            floor: ports / bytes,
            transport: transport::cycles(&kernel, machine).unwrap_or(0.0) / bytes,
            padding: (MESSAGE / bytes).ceil() * bytes / MESSAGE,
        })
    }
}
