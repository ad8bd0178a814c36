//! From an elaborated program to a kernel for one direction and one target.

mod kernel;
pub mod legality;
mod options;
pub mod pipeline;
mod short;
mod stages;

pub use kernel::{Kernel, Rest};
pub use options::{choices, no_assembly, Choice, Options};
pub use short::Short;
pub(crate) use stages::InLanes;
pub use stages::{Mapped, Observer, Specialized};

use crate::core::{Direction, Program};
use crate::diagnostic::Diagnostic;
use crate::pass::interleave::Interleave;
use crate::pass::roll::{self, Unroll};

/// The monomorphic program, if the target has every operation that it asks for.
///
/// # Errors
/// Those of [`Specialized::new`].
pub fn specialize(program: &Program, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    Specialized::new(program, options).map(Specialized::into_program)
}

/// Warnings about foralls that can't be loops though the source or a choice that was `asked` for says it.
///
/// # Errors
/// Those of [`Specialized::new`].
pub fn written_out(
    program: &Program,
    options: &Options,
    asked: Option<Unroll>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let specialized = Specialized::new(program, options)?;
    Ok(roll::refused(specialized.before_loops(options), asked))
}

/// Compiles the entry of an elaborated program. `observe` sees the program after each pass, by the pass's name.
///
/// What was not chosen is as [`Options`] has it by default, and as the entry's `_interleave` says; choices by price are
/// those of [`crate::cost::choose`].
///
/// # Errors
/// Those of [`Specialized::new`].
pub fn compile(
    program: &Program,
    options: &Options,
    observe: Observer,
) -> Result<Kernel, Vec<Diagnostic>> {
    let specialized = Specialized::new(program, options)?;
    let mapped = specialized.mapped(options, observe);
    let kernel = mapped.ordered(options, observe);
    let short = few(program, &specialized, options);
    if kernel.interleave == 1 {
        return Ok(kernel.with_rest(short));
    }
    let single = specialized.mapped_again(&mapped, Interleave::default());
    let single = single.ordered(options, &mut |_, _| {}).with_rest(short);
    let rest = Rest::one_by_one(&kernel, single);
    Ok(kernel.with_rest(Some(rest)))
}

/// The kernels for short messages that the options ask for, each beside that of a batch more.
fn few(program: &Program, specialized: &Specialized, options: &Options) -> Option<Rest> {
    let Short::Few { below, batches } = options.short? else { return None };
    if specialized.direction() == Direction::P {
        return None;
    }
    let few = Few::new(program, options)?;
    let beside = |rest: Option<Rest>, factor| {
        let kernel = few.kernel(factor);
        let below = if factor == batches { below as usize } else { kernel.blocks() + 1 };
        Some(Rest { below, kernel: Box::new(kernel.with_rest(rest)) })
    };
    (1..=batches).fold(None, beside)
}

/// A program for short messages: [`Options::for_short`].
pub(crate) struct Few {
    options: Options,
    specialized: Specialized,
    single: Mapped,
}

impl Few {
    /// That of a kernel of these options. `None` where it isn't legal.
    pub(crate) fn new(program: &Program, options: &Options) -> Option<Few> {
        let options = Options { interleave: Some(Interleave::default()), ..options.for_short() };
        let specialized = Specialized::new(program, &options).ok()?;
        let single = specialized.mapped(&options, &mut |_, _| {});
        let legal = specialized.direction() == options.direction;
        legal.then_some(Few { options, specialized, single })
    }

    /// The kernel of so many batches.
    pub(crate) fn kernel(&self, batches: u32) -> Kernel {
        let mapped = self.specialized.mapped_again(&self.single, Interleave::of(batches));
        mapped.ordered(&self.options, &mut |_, _| {})
    }
}
