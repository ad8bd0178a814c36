//! From an elaborated program to a kernel for one direction and one target.

mod options;
pub mod pipeline;
mod short;

pub use options::{choices, Choice, Options};
pub use short::Short;

use crate::core::{verify, Direction, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::isa::{self, Target};
use crate::layout::memory_bytes;
use crate::pass::interleave::Interleave;
use crate::pass::roll::{self, Unroll};
use crate::pass::{instances, monomorphize, pack};
use crate::registers::Spill;
use pipeline::{Pass, LOOPS, ORDERING, PASSES};

/// A program sliced for one direction and lowered to one target: what emitters take. Only the pipeline makes it,
/// after the verifier has accepted it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The direction it was sliced for.
    pub direction: Direction,
    /// The target.
    pub target: &'static Target,
    /// The entry's parameters as declared, monomorphic, before slicing to bits or rows.
    pub params: Vec<Port>,
    /// The entry's results likewise.
    pub results: Vec<Port>,
    /// Monomorphic and sliced: every operation is an instance of the target, calls and loops may remain.
    /// Under `B` every value has one bit, and a port of `n` atoms of M bits has become one of n·M atoms, each
    /// atom's most significant bit first; under `P` every value is a row, and so are the atoms of ports. If it is interleaved, every port that is not constant holds those of each
    /// batch, one batch after another.
    pub program: Program,
    /// How many batches it processes side by side.
    pub interleave: u32,
    /// Who stores and loads what finds no register.
    pub spill: Spill,
    /// The kernel that takes the rest of a message; without one its own last batch has idle lanes.
    pub rest: Option<Rest>,
}

/// A kernel for few blocks: one for a single batch beside one that is interleaved, or one on rows or with fewer words in its
/// registers.
#[derive(Clone, Debug)]
pub struct Rest {
    /// It takes fewer blocks than this, which are no more than a batch of the kernel that it is beside.
    pub below: usize,
    /// The kernel, of the same ports.
    pub kernel: Box<Kernel>,
}

impl Rest {
    /// A kernel for one batch beside one for several. All of these side by side, some of them idle, take less time than more than
    /// two thirds of them one by one.
    pub fn one_by_one(several: &Kernel, single: Kernel) -> Rest {
        Rest { below: several.blocks() * 2 / 3 + 1, kernel: Box::new(single) }
    }
}

impl Kernel {
    /// It, and the kernel that takes its rest, and that one's.
    pub fn chain(&self) -> impl Iterator<Item = &Kernel> {
        std::iter::successors(Some(self), |kernel| Some(&*kernel.rest.as_ref()?.kernel))
    }

    /// The fewest blocks that it processes: if they are fewer than a batch, the other lanes are idle.
    pub fn least(&self) -> usize {
        self.rest.as_ref().map_or(1, |rest| rest.below)
    }

    fn with_rest(self, rest: Option<Rest>) -> Kernel {
        let below = |rest: Rest| Rest { below: rest.below.min(self.blocks()), ..rest };
        Kernel { rest: rest.map(below), ..self }
    }

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

    /// Bytes of a block: of its input, or of its output if that is larger; registers are no part of it.
    pub fn block_bytes(&self) -> usize {
        let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
        let inputs = self.inputs().iter().filter(|port| !port.constant);
        inputs.map(bytes).sum::<usize>().max(self.outputs().iter().map(bytes).sum())
    }

    /// The parameters as declared that are no registers.
    pub fn inputs(&self) -> &[Port] {
        &self.params[..self.program.entry().inputs().len()]
    }

    /// The results as declared that are no registers.
    pub fn outputs(&self) -> &[Port] {
        &self.results[..self.program.entry().outputs().len()]
    }

    /// Bytes that one run processes.
    pub fn bytes(&self) -> f64 {
        (self.block_bytes() * self.blocks()) as f64
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
    pack::check(&mono, options.circuits(), options.gather_rows)?;
    Ok(mono)
}

/// Warnings about foralls that can't be loops though the source or a choice that was `asked` for says it.
///
/// # Errors
/// Those of [`specialize`].
pub fn written_out(
    program: &Program,
    options: &Options,
    asked: Option<Unroll>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut program = specialize(program, options)?;
    let passes = PASSES.iter().take_while(|pass| pass.name != LOOPS);
    run(passes, &mut program, options, &mut |_, _| {});
    Ok(roll::refused(program, asked))
}

/// Compiles the entry of an elaborated program. `observe` sees the program after each pass, by the pass's name.
///
/// What was not chosen is as [`Options`] has it by default, and as the entry's `_interleave` says; choices by price are
/// those of [`crate::cost::choose`].
///
/// # Errors
/// Those of [`specialize`].
pub fn compile(
    program: &Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Program),
) -> Result<Kernel, Vec<Diagnostic>> {
    let unordered = unordered(program, options, observe)?;
    let interleave = unordered.interleaving(options);
    let short = unordered.short(program, options);
    if interleave.factor == 1 {
        return Ok(unordered.ordered(interleave, options, observe).with_rest(short));
    }
    let single = unordered.clone().ordered(Interleave::default(), options, &mut |_, _| {});
    let kernel = unordered.ordered(interleave, options, observe);
    let rest = Rest::one_by_one(&kernel, single.with_rest(short));
    Ok(kernel.with_rest(Some(rest)))
}

/// A program for short messages of a vertical kernel: [`Options::for_short`]. `None` where it isn't legal.
pub(crate) fn for_short(program: &Program, options: &Options) -> Option<Unordered> {
    let options = options.for_short();
    let short = unordered(program, &options, &mut |_, _| {}).ok()?;
    (short.direction == options.direction).then_some(short)
}

/// A kernel before the passes that depend on interleaving and order.
#[derive(Clone, Debug)]
pub(crate) struct Unordered {
    direction: Direction,
    params: Vec<Port>,
    results: Vec<Port>,
    pub(crate) program: Program,
}

/// Runs the passes that don't depend on interleaving and order.
///
/// # Errors
/// Those of [`specialize`].
pub(crate) fn unordered(
    program: &Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Program),
) -> Result<Unordered, Vec<Diagnostic>> {
    let mut program = specialize(program, options)?;
    observe("specialize", &program);
    let (params, results) = (program.entry().params.clone(), program.entry().results.clone());
    // Explicit directions in the source win over the flag; all agree, or `specialize` had refused.
    let direction = match options.direction {
        Direction::B => Direction::B,
        flag => params.iter().chain(&results).next().map_or(flag, |p| p.ty.direction()),
    };
    let options = Options { direction, ..*options };
    let passes = PASSES.iter().take_while(|pass| pass.name != ORDERING);
    run(passes, &mut program, &options, observe);
    Ok(Unordered { direction, params, results, program })
}

impl Unordered {
    /// How many batches the options or the entry ask for.
    pub(crate) fn interleaving(&self, options: &Options) -> Interleave {
        let asked = self.program.entry().interleave.map(Interleave::of);
        options.interleave.or(asked).unwrap_or_default()
    }

    /// The kernels for short messages that the options ask for, each beside that of a batch more.
    fn short(&self, program: &Program, options: &Options) -> Option<Rest> {
        let Short::Few { below, batches } = options.short? else { return None };
        if self.direction == Direction::P {
            return None;
        }
        let short = for_short(program, options)?;
        let beside = |rest: Option<Rest>, factor| {
            let (short, interleave) = (short.clone(), Interleave::of(factor));
            let kernel = short.ordered(interleave, &options.for_short(), &mut |_, _| {});
            let below = if factor == batches { below as usize } else { kernel.blocks() + 1 };
            Some(Rest { below, kernel: Box::new(kernel.with_rest(rest)) })
        };
        (1..=batches).fold(None, beside)
    }

    /// Runs the other passes.
    pub(crate) fn ordered(
        mut self,
        interleave: Interleave,
        options: &Options,
        observe: &mut dyn FnMut(&str, &Program),
    ) -> Kernel {
        let direction = self.direction;
        let options = Options { direction, interleave: Some(interleave), ..*options };
        let passes = PASSES.iter().skip_while(|pass| pass.name != ORDERING);
        run(passes, &mut self.program, &options, observe);
        if let Err(message) = isa::verify_sliced(&self.program, options.target, direction) {
            panic!("the kernel is not what an emitter takes: {message}");
        }
        Kernel {
            direction,
            target: options.target,
            params: self.params,
            results: self.results,
            program: self.program,
            interleave: interleave.factor,
            spill: options.spill.unwrap_or_default(),
            rest: None,
        }
    }
}

fn run(
    passes: impl Iterator<Item = &'static Pass>,
    program: &mut Program,
    options: &Options,
    observe: &mut dyn FnMut(&str, &Program),
) {
    for pass in passes {
        (pass.run)(program, options);
        if cfg!(debug_assertions) {
            if let Err(message) = verify::verify(program) {
                panic!("after the pass `{}`: {message}", pass.name);
            }
        }
        observe(pass.name, program);
    }
}
