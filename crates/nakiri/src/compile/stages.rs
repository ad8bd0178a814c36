//! The stages between an elaborated program and a kernel: each is a type, made of the one before by some of the passes and by the
//! options that these read.

use super::pipeline::{Pass, Stage, PACK, PASSES};
use super::{kernel, Kernel, Options};
use crate::circuit::Circuit;
use crate::core::{verify, Direction, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::isa;
use crate::memo::Memo;
use crate::pass::chain::{self, Links};
use crate::pass::horner::Horner;
use crate::pass::interleave::Interleave;
use crate::pass::leap::Leap;
use crate::pass::offsets::{Number, Offsets};
use crate::pass::{binary, dead, instances, limbs, monomorphize, pack};
use crate::registers::Spill;

/// Sees the program after each pass, by the pass's name.
pub type Observer<'a> = &'a mut dyn FnMut(&str, &Program);

/// A program whose types and sizes are known, every operation of which the target has.
#[derive(Clone, Debug)]
pub struct Specialized {
    direction: Direction,
    program: Program,
    /// Under `P` what [`PACK`] makes of it, with circuits for so many batches.
    packed: Option<(usize, Program)>,
}

/// How many programs are remembered as they were specialized: those of a library of modes.
const KEPT: usize = 256;

/// What decides how a program is specialized; first what tells most questions apart.
#[derive(PartialEq)]
struct Asked {
    options: Options,
    program: Program,
    /// The circuits that are known of its tables, which don't make it another program.
    circuits: Vec<Vec<Circuit>>,
}

impl Asked {
    fn new(program: &Program, options: &Options) -> Asked {
        let Options { direction, width, target, soft_arith, gather_rows, limbs, .. } = *options;
        // Rows are packed with circuits for so many batches.
        let chosen = direction != Direction::B && !program.tables.is_empty();
        let interleave = chosen.then(|| Interleave::of(options.circuits().copies as u32));
        let plain = Options::new(direction, target);
        let options = Options { width, soft_arith, gather_rows, limbs, interleave, ..plain };
        let circuits = program.tables.iter().map(|table| table.known.clone()).collect();
        Asked { options, program: program.clone(), circuits }
    }
}

/// A program of the target's operations, for so many batches: circuits are chosen for them.
#[derive(Clone, Debug)]
pub struct Mapped {
    options: Options,
    params: Vec<Port>,
    results: Vec<Port>,
    program: Program,
}

/// Blocks of one text whose products are added up.
pub(crate) struct ByPowers {
    /// The blocks, with the powers as a last parameter.
    pub(crate) chained: Mapped,
    /// What makes the powers.
    pub(crate) powers: Mapped,
    /// The parameter that they are powers of.
    pub(crate) of: usize,
}

/// Blocks of one text in the lanes of registers, by Horner's rule.
pub(crate) struct InLanes {
    /// The blocks.
    pub(crate) steps: Mapped,
    /// What makes the powers.
    pub(crate) powers: Mapped,
    /// The parameter that they are powers of.
    pub(crate) of: usize,
    /// How many rows a power is.
    pub(crate) maps: usize,
}

/// Blocks of one text side by side, with the offsets of their numbers in a first run: see [`crate::pass::offsets`].
pub(crate) struct WithOffsets {
    /// The blocks, with those of each as a last parameter.
    pub(crate) blocks: Mapped,
    /// What makes them, for one batch.
    pub(crate) first: Mapped,
}

impl Specialized {
    /// Specializes a program for a slicing, a word size and a target.
    ///
    /// # Errors
    /// What has no instance, and what would make it legal.
    pub fn new(program: &Program, options: &Options) -> Result<Specialized, Vec<Diagnostic>> {
        static KNOWN: Memo<Asked, Result<Specialized, Vec<Diagnostic>>> = Memo::new(KEPT);
        KNOWN.of(Asked::new(program, options), |asked| {
            Specialized::make(&asked.program, &asked.options)
        })
    }

    fn make(program: &Program, options: &Options) -> Result<Specialized, Vec<Diagnostic>> {
        let mut mono = monomorphize::run(program, options.direction, options.width)?;
        instances::check(&mono, options.target, options.soft_arith)?;
        limbs::run(&mut mono, options.target, options.limbs)?;
        binary::run(&mut mono, options.target)?;
        mono.fields.clear();
        let entry = mono.entry();
        // Explicit directions in the source win over the flag; all agree, or this had been refused.
        let direction = match options.direction {
            Direction::B => Direction::B,
            flag => {
                let first = entry.params.iter().chain(&entry.results).next();
                first.map_or(flag, |port| port.ty.direction())
            }
        };
        let packs =
            direction == Direction::P && !(entry.params.is_empty() && entry.results.is_empty());
        let goal = options.circuits();
        let packed = packs.then(|| pack::run(&mono, goal, options.gather_rows)).transpose()?;
        let packed = packed.map(|packed| (goal.copies, packed));
        Ok(Specialized { direction, program: mono, packed })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program itself.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// How many blocks a batch has on the target.
    pub(crate) fn lanes(&self, options: &Options) -> u32 {
        kernel::lanes(self.program.entry(), options.target)
    }

    /// The direction that the source or the options say.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// Up to the target's operations.
    pub fn mapped(&self, options: &Options, observe: Observer) -> Mapped {
        self.up_to(Stage::Mapped, options, observe)
    }

    /// Up to the target's operations, with logic as it is in the source, in which algebra can be seen.
    pub(crate) fn lowered(&self, options: &Options) -> Mapped {
        self.up_to(Stage::Lowered, options, &mut |_, _| {})
    }

    fn up_to(&self, stage: Stage, options: &Options, observe: Observer) -> Mapped {
        let entry = self.program.entry();
        let asked = options.interleave.or(entry.interleave.map(Interleave::of));
        let interleave = Some(asked.unwrap_or_default());
        let options = Options { direction: self.direction, interleave, ..*options };
        let (params, results) = (entry.params.clone(), entry.results.clone());
        let mut program = self.program.clone();
        observe("specialize", &program);
        let passes = PASSES.iter().filter(|pass| pass.stage <= stage);
        self.run(passes, &mut program, &options, observe);
        Mapped { options, params, results, program }
    }

    /// What was mapped, for other batches: anew where there are circuits to choose.
    pub(crate) fn mapped_again(&self, mapped: &Mapped, interleave: Interleave) -> Mapped {
        let options = Options { interleave: Some(interleave), ..mapped.options };
        let same = mapped.interleave().factor == interleave.factor;
        let circuits = mapped.program.tables.iter().any(|table| !table.taken.is_empty());
        match same || !circuits {
            true => Mapped { options, ..mapped.clone() },
            false => self.mapped(&options, &mut |_, _| {}),
        }
    }

    /// The program before foralls become loops or are written out.
    pub(super) fn before_loops(&self, options: &Options) -> Program {
        let options = Options { direction: self.direction, ..*options };
        let mut program = self.program.clone();
        let passes = PASSES.iter().filter(|pass| pass.stage == Stage::Inlined);
        self.run(passes, &mut program, &options, &mut |_, _| {});
        program
    }

    /// Passes from the beginning on: what was packed is not packed again.
    fn run(
        &self,
        passes: impl Iterator<Item = &'static Pass>,
        program: &mut Program,
        options: &Options,
        observe: Observer,
    ) {
        let batches = options.circuits().copies;
        let is_for_them = |(own, packed): &&(usize, Program)| {
            *own == batches || packed.tables.iter().all(|table| table.taken.is_empty())
        };
        let packed = self.packed.as_ref().filter(is_for_them);
        for pass in passes {
            match packed {
                Some((_, packed)) if pass.name == PACK => program.clone_from(packed),
                _ => (pass.run)(program, options),
            }
            verified(pass, program);
            observe(pass.name, program);
        }
    }
}

impl Mapped {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program itself.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// How many blocks a batch has.
    pub(crate) fn lanes(&self) -> u32 {
        kernel::lanes(self.program.entry(), self.options.target)
    }

    /// How many batches it is for, and how they alternate.
    pub fn interleave(&self) -> Interleave {
        self.options.interleave.unwrap_or_default()
    }

    /// The same for so many blocks of one text, one after another; none if loops or calls are left.
    pub(crate) fn chained(&self, blocks: u32, links: &Links) -> Option<Mapped> {
        let mut own = self.clone();
        if !chain::is_legal(&own.program) {
            return None;
        }
        chain::run(&mut own.program, blocks, links);
        // What is carried but not read is made of the last block alone.
        let entry = own.program.entry.index();
        dead::run(&mut own.program.funcs[entry]);
        chain::repeat_ports(&mut own.params, &mut own.results, blocks, links);
        Some(own)
    }

    /// What was [`lowered`](Specialized::lowered), in the target's gates.
    fn in_gates(mut self) -> Mapped {
        let passes = PASSES.iter().filter(|pass| pass.stage == Stage::Mapped);
        run(passes, &mut self.program, &self.options, &mut |_, _| {});
        self
    }

    /// The same where a step of Horner's rule is found in what was [`lowered`](Specialized::lowered), with powers of what the rule multiplies by as a last parameter; and what makes
    /// these. By carry-less products of each form that there is for the same.
    pub(crate) fn by_powers(&self, blocks: u32, links: &Links) -> Vec<ByPowers> {
        if !chain::is_legal(&self.program) {
            return Vec::new();
        }
        let mut program = self.program.clone();
        let Some(plain) = Horner::find(&program, links) else { return Vec::new() };
        let fewer = plain.karatsuba(&mut program);
        let of = |horner: Horner| {
            let mut chained = Mapped { program: program.clone(), ..self.clone() };
            horner.chain(&mut chained.program, blocks, links);
            chain::repeat_ports(&mut chained.params, &mut chained.results, blocks, links);
            let own = self.params[horner.multiplier()].clone();
            let mut port = own.clone();
            horner.make_port(&mut port, blocks);
            chained.params.push(port.clone());
            let program = horner.powers(&program, blocks);
            let powers = Mapped { program, params: vec![own], results: vec![port], ..self.clone() };
            let (chained, powers) = (chained.in_gates(), powers.in_gates());
            ByPowers { chained, powers, of: horner.multiplier() }
        };
        [Some(plain), fewer].into_iter().flatten().map(of).collect()
    }

    /// The same for so many registers of blocks of one text, where a step of Horner's rule is all that is carried in what was
    /// [`lowered`](Specialized::lowered): see [`Horner::in_lanes`]. By carry-less products of each form that there is.
    pub(crate) fn in_lanes(&self, lanes: u32, batches: u32, links: &Links) -> Vec<InLanes> {
        if !chain::is_legal(&self.program) || links.carried.len() != 1 {
            return Vec::new();
        }
        let mut program = self.program.clone();
        let Some(plain) = Horner::find(&program, links) else { return Vec::new() };
        let fewer = plain.karatsuba(&mut program);
        let of = |horner: Horner| {
            let mut steps = Mapped { program: program.clone(), ..self.clone() };
            horner.in_lanes(&mut steps.program, batches, links);
            let h = self.params[horner.multiplier()].clone();
            steps.params.extend((0..horner.maps()).map(|map| {
                let name = format!("power{map}");
                Port { name, ..h.clone() }
            }));
            let mut made = h.clone();
            horner.make_port(&mut made, 2 * lanes * batches);
            let program = horner.powers_in_lanes(&program, lanes, batches);
            let powers = Mapped { program, params: vec![h], results: vec![made], ..self.clone() };
            let (steps, powers) = (steps.in_gates(), powers.in_gates());
            InLanes { steps, powers, of: horner.multiplier(), maps: horner.maps() as usize }
        };
        [Some(plain), fewer].into_iter().flatten().map(of).collect()
    }

    /// So many steps of what is carried at once, of what was [`lowered`](Specialized::lowered).
    pub(crate) fn leap(&self, links: &Links, steps: u32) -> Option<Leap> {
        chain::is_legal(&self.program).then(|| Leap::of(&self.program, links, steps))?
    }

    /// The same with what a leap makes of a parameter as another result.
    pub(crate) fn leaping(mut self, param: usize, leap: &Leap) -> Mapped {
        let entry = self.program.entry.index();
        leap.append(&mut self.program.funcs[entry], param);
        self.results.push(self.params[param].clone());
        self
    }

    /// So many batches of what was [`lowered`](Specialized::lowered), most of which make their offsets of the first one's.
    pub(crate) fn with_offsets(&self, number: Number, batches: u32) -> Option<WithOffsets> {
        let is_legal = chain::is_legal(&self.program);
        let offsets = is_legal.then(|| Offsets::find(&self.program, number))??;
        let port = offsets.port(&self.params[number.param]);
        let mut blocks = self.clone();
        offsets.interleave(&mut blocks.program, [batches, self.lanes()])?;
        blocks.params.push(port.clone());
        let read = self.params.iter().enumerate().filter(|(k, own)| offsets.is_read(*k, own));
        let params = read.map(|(_, own)| own.clone()).collect();
        let program = offsets.first(&self.program);
        let first = Mapped { params, results: vec![port], program, ..self.clone() };
        Some(WithOffsets { blocks: blocks.in_gates(), first: first.in_gates() })
    }

    /// Up to the kernel of what is chained already: its ports are those of so many batches.
    pub(crate) fn ordered_batches(&self, options: &Options, batches: u32) -> Kernel {
        let kernel = self.ordered(options, &mut |_, _| {});
        Kernel { interleave: batches, ..kernel }
    }

    /// Up to the kernel: batches side by side, in the order that the options say.
    pub fn ordered(&self, options: &Options, observe: Observer) -> Kernel {
        let Mapped { params, results, .. } = self.clone();
        let Options { direction, interleave, .. } = self.options;
        let options = Options { direction, interleave, ..*options };
        let mut program = self.program.clone();
        let passes = PASSES.iter().filter(|pass| pass.stage == Stage::Ordered);
        run(passes, &mut program, &options, observe);
        let target = options.target;
        if let Err(message) = isa::verify_sliced(&program, target, direction) {
            panic!("the kernel is not what an emitter takes: {message}");
        }
        let interleave = self.interleave().factor;
        let spill = Spill::default();
        let kernel =
            Kernel { direction, target, params, results, program, interleave, spill, rest: None };
        kernel.with_spill(options.spill.unwrap_or_default())
    }
}

fn run(
    passes: impl Iterator<Item = &'static Pass>,
    program: &mut Program,
    options: &Options,
    observe: Observer,
) {
    for pass in passes {
        (pass.run)(program, options);
        verified(pass, program);
        observe(pass.name, program);
    }
}

fn verified(pass: &Pass, program: &Program) {
    if cfg!(debug_assertions) {
        if let Err(message) = verify::verify(program) {
            panic!("after the pass `{}`: {message}", pass.name);
        }
    }
}
