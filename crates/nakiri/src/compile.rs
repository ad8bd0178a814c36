//! From an elaborated program to a kernel for one direction and one target.

use crate::core::{verify, Direction, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::pass::pipeline::{Settings, PASSES};
use crate::pass::{instances, monomorphize, roll};
use crate::target::Target;

/// What to compile for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The slicing.
    pub direction: Direction,
    /// The word size of an entry that is generic in it.
    pub width: Option<u16>,
    /// The target.
    pub target: &'static Target,
    /// Which foralls become loops.
    pub unroll: roll::Unroll,
    /// Whether sums may be bitsliced, as gates.
    pub soft_arith: bool,
}

impl Options {
    /// The default choices for a slicing and a target.
    pub fn new(direction: Direction, target: &'static Target) -> Options {
        Options { direction, width: None, target, unroll: roll::Unroll::Auto, soft_arith: false }
    }
}

/// A program sliced for one direction and lowered to one target: what emitters take. Only the pipeline makes it,
/// after the verifier has accepted it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The direction it was sliced for.
    pub direction: Direction,
    /// The target.
    pub target: &'static Target,
    /// The entry's inputs as declared, monomorphic, before slicing to bits.
    pub params: Vec<Port>,
    /// The entry's outputs likewise.
    pub results: Vec<Port>,
    /// Monomorphic and sliced: every operation is an instance of the target, calls and loops may remain.
    /// Under `B` every value has one bit, and a port of `n` atoms of M bits has become one of n·M atoms, each
    /// atom's most significant bit first.
    pub program: Program,
}

impl Kernel {
    /// How many blocks it processes at once.
    pub fn lanes(&self) -> u32 {
        let port = self.params.iter().chain(&self.results).next();
        port.map_or(1, |port| self.target.lanes(self.direction, port.ty.bits()))
    }
}

/// The monomorphic program, if the target has every operation that it asks for.
///
/// # Errors
/// What has no instance, and what would make it legal.
pub fn specialize(program: &Program, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let mono = monomorphize::run(program, options.direction, options.width)?;
    instances::check(&mono, options.target, options.soft_arith)?;
    Ok(mono)
}

/// Compiles the entry of an elaborated program. `observe` sees the program after each pass, by the pass's name.
///
/// # Errors
/// Those of [`specialize`].
pub fn compile(
    program: &Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Program),
) -> Result<Kernel, Vec<Diagnostic>> {
    let mut mono = specialize(program, options)?;
    observe("specialize", &mono);
    let (params, results) = (mono.entry().params.clone(), mono.entry().results.clone());
    // Explicit directions in the source win over the flag; all agree, or `specialize` had refused.
    let direction = match options.direction {
        Direction::B => Direction::B,
        flag => params.iter().chain(&results).next().map_or(flag, |p| p.ty.direction()),
    };
    let settings = Settings { direction, target: options.target, unroll: options.unroll };
    for pass in PASSES {
        (pass.run)(&mut mono, &settings);
        if cfg!(debug_assertions) {
            if let Err(message) = verify::verify(&mono) {
                panic!("after the pass `{}`: {message}", pass.name);
            }
        }
        observe(pass.name, &mono);
    }
    if let Err(message) = verify::verify_sliced(&mono, options.target, direction) {
        panic!("the kernel is not what an emitter takes: {message}");
    }
    Ok(Kernel { direction, target: options.target, params, results, program: mono })
}
