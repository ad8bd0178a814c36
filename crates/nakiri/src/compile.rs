//! From an elaborated program to a kernel for one direction and one target.

mod options;

pub use options::{choices, Choice, Options};

use crate::core::{verify, Direction, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::pass::interleave::Interleave;
use crate::pass::pipeline::PASSES;
use crate::pass::{instances, monomorphize};
use crate::target::Target;

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
    /// atom's most significant bit first. If it is interleaved, every port that is not constant holds those of each
    /// batch, one batch after another.
    pub program: Program,
    /// How many batches it processes side by side.
    pub interleave: u32,
    /// If these are several, the kernel for one: it takes the rest of a message.
    pub single: Option<Box<Kernel>>,
}

impl Kernel {
    /// How many blocks lie side by side in its registers: those of one batch.
    pub fn lanes(&self) -> usize {
        let entry = self.program.entry();
        let mut ports = entry.params.iter().filter(|port| !port.constant).chain(&entry.results);
        let lanes = |port: &Port| self.target.lanes(port.ty.direction(), port.ty.bits()).max(1);
        ports.next().map_or(1, lanes) as usize
    }

    /// How many blocks it processes at once: those of all its batches.
    pub fn blocks(&self) -> usize {
        self.lanes() * self.interleave as usize
    }

    /// How many atoms of a port of its program belong to one block.
    pub fn atoms(&self, port: &Port) -> usize {
        let batches = if port.constant { 1 } else { self.interleave };
        (port.count() / batches) as usize
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
    let asked = mono.entry().interleave.map(Interleave::of);
    let interleave = options.interleave.or(asked).unwrap_or_default();
    let options = Options { direction, interleave: Some(interleave), ..*options };
    for pass in PASSES {
        (pass.run)(&mut mono, &options);
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
    let single = match interleave.factor {
        1 => None,
        _ => {
            let options = Options { interleave: Some(Interleave::default()), ..options };
            Some(Box::new(compile(program, &options, &mut |_, _| {})?))
        }
    };
    Ok(Kernel {
        direction,
        target: options.target,
        params,
        results,
        program: mono,
        interleave: interleave.factor,
        single,
    })
}
