//! Libraries: what they are made of.

use super::handshake::Handshake;
use super::keys;
use crate::compile::Kernel;
use crate::layout::{port_bytes, Counter};
use crate::mode::{Mode, Piece};
use crate::pass::split::Split;
use std::fmt;

/// A library to be printed: kernels for several targets behind one interface.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The name of its files.
    pub name: String,
    /// The cipher's name.
    pub title: String,
    /// Where the cipher is specified.
    pub specification: String,
    /// The command that made it.
    pub command_line: String,
    /// Nakiri's version.
    pub version: String,
    /// The hash of the sources.
    pub source_hash: String,
    /// What was proved or tested of it by whoever made it, one line each.
    pub evidence: Vec<String>,
    /// The interfaces.
    pub instances: Vec<Instance>,
}

impl Library {
    /// The beginning of the names that only its own file knows. Interfaces of one program have different ones, so that their
    /// files may be compiled as one.
    pub fn internal(&self) -> &str {
        self.instances.first().map_or(&self.name, |instance| &instance.prefix)
    }
}

/// One interface of a library, a cipher of one key size, say.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// The beginning of its names.
    pub prefix: String,
    /// Its key: the constant parameters of all functions. `None` if they have none.
    pub key: Option<Key>,
    /// Its functions, of which all have the same targets and directions, variant by variant.
    pub functions: Vec<Function>,
    /// Whether functions from one block to one of the same size get an ECB interface.
    pub ecb: bool,
    /// The counter, if the first function, from one block to one block, gets a CTR interface.
    pub counter: Option<Counter>,
    /// Test vectors of the functions.
    pub vectors: Vec<Vector>,
    /// Test vectors of CTR.
    pub counter_vectors: Vec<CounterVector>,
    /// Test vectors of a step function, which is a function with registers and the only one of its instance.
    pub tick_vectors: Vec<TickVector>,
    /// The mode whose pieces its functions are, by the names that [`Mode::pieces`] gives them: what is offered then is the mode.
    pub mode: Option<Mode>,
    /// For each variant those that may take a message alone, where the mode has one: the first that the CPU runs does, and the last is
    /// one that runs wherever the variant does.
    pub alone: Vec<Vec<usize>>,
    /// For each variant those that may take many messages, likewise.
    pub among: Vec<Vec<usize>>,
    /// What takes several blocks of a message alone at once.
    pub stretches: Vec<Stretch>,
    /// What takes many of them side by side.
    pub parallels: Vec<Parallel>,
    /// Test vectors of the mode.
    pub message_vectors: Vec<MessageVector>,
    /// What is needed for functions for which every lane has a key of its own; written in C alone.
    pub multikey: Option<Multikey>,
    /// How a step function works off jobs, if there is a queue of them; C alone has one.
    pub handshake: Option<Handshake>,
    /// What is the same in all lanes of a step function: a kernel for one lane, made with -B for a target that every CPU has.
    /// Its results are the constant parameters of the function's kernels, which may have no registers of their own. In C alone.
    pub control: Option<Kernel>,
}

/// Functions for which every lane has a key of its own.
#[derive(Clone, Debug)]
pub struct Multikey {
    /// The functions of the instance, of the same variants and directions, with ordinary parameters in place of constant
    /// ones, and one batch in each run.
    pub functions: Vec<Function>,
    /// For each variant the key schedule, if there is one; its results may lie in other registers than the functions take.
    pub schedules: Vec<Kernel>,
}

/// A key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its size.
    pub bytes: usize,
    /// From a key, the one parameter, to the constant parameters, result by parameter: for each variant, and each kernel of it
    /// with images of its own, one of the program that [`uniform`](super::keys::uniform) makes; for the variant's target, or one
    /// that every CPU has. Without them the key is the constant parameters, one after another in memory.
    pub schedules: Vec<Vec<Kernel>>,
}

impl Instance {
    /// The most blocks that a function of a variant processes at once.
    pub fn lanes(&self, variant: usize) -> usize {
        let functions = self.functions.iter().map(|function| &function.variants[variant]);
        let stretches = self.stretches.iter().flat_map(|own| &own.variants[variant]);
        functions.chain(stretches).map(Kernel::blocks).max().unwrap_or(1)
    }

    /// For each variant the bytes of a message below which it is taken alone among many, there or back. Not 0 where registers hold
    /// blocks of one and each loop of the mode takes several of these at once; [`usize::MAX`] where these are enough for a core.
    pub fn alone_below(&self, back: bool) -> Vec<usize> {
        let variants = self.functions.first().map_or(0, |function| function.variants.len());
        let mode = self.mode.as_ref().filter(|mode| mode.squeeze().is_none());
        let below = |variant| self.loops_alone_below(mode?, back, variant);
        (0..variants).map(|variant| below(variant).unwrap_or(0)).collect()
    }

    fn loops_alone_below(&self, mode: &Mode, back: bool, variant: usize) -> Option<usize> {
        let mut below = usize::MAX;
        for each in mode.loops() {
            let (_, [name, ..]) = each.way(back)?;
            let stretch = self.stretches.iter().find(|own| own.piece == name)?;
            let kernel = stretch.variants[variant].as_ref()?;
            match (kernel.blocks(), kernel.chain().last().map(Kernel::blocks)) {
                (1, _) => {}
                (_, Some(1)) => below = below.min(stretch.blocks * each.block_bytes()),
                _ => return None,
            }
        }
        Some(below)
    }

    /// The stretches, and those of what runs beside parallel parts.
    pub fn all_stretches(&self) -> impl Iterator<Item = &Stretch> {
        let serial = self.parallels.iter().filter_map(|parallel| match &parallel.serial {
            Some(Serial::InSeries(stretch) | Serial::Leaps(stretch)) => Some(stretch),
            _ => None,
        });
        self.stretches.iter().chain(serial)
    }

    /// The most messages of which a stretch takes blocks at once; 0 if there is none.
    pub fn stretched_lanes(&self) -> usize {
        let variants = self.functions.first().map_or(0, |function| function.variants.len());
        let has =
            |variant: &usize| self.stretches.iter().any(|own| own.variants[*variant].is_some());
        (0..variants).filter(has).map(|variant| self.lanes(variant)).max().unwrap_or(0)
    }
}

/// A function of an instance.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name: `encrypt`, say.
    pub name: String,
    /// Its kernels, best first; all have the same ports.
    pub variants: Vec<Kernel>,
}

/// A piece of a mode on several blocks of one text.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The piece.
    pub piece: String,
    /// How many blocks.
    pub blocks: usize,
    /// For each variant the kernel, if it has one. Its ports are those of the piece; what is a block's own is a list of those of
    /// all blocks.
    pub variants: Vec<Option<Kernel>>,
    /// What makes a last parameter of it, once for all blocks of a text.
    pub powers: Option<Powers>,
}

/// What makes the powers that a stretch multiplies by.
#[derive(Clone, Debug)]
pub struct Powers {
    /// The parameter of the piece that they are powers of, which is its only one.
    pub of: usize,
    /// For each variant the kernel, if it has a stretch.
    pub variants: Vec<Option<Kernel>>,
}

/// A piece of a mode on many blocks of one text side by side: registers hold several blocks, and what each waits for of the one before
/// is a stretch of its own.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The piece.
    pub piece: String,
    /// Its number among those of the piece, of which those that take more blocks come first.
    pub number: usize,
    /// How many blocks.
    pub blocks: usize,
    /// The parts of the piece.
    pub split: Split,
    /// For each variant the kernel of the parallel part, if it has one.
    pub variants: Vec<Option<Kernel>>,
    /// For each variant what makes, once for a text, the last parameter of that kernel: the offsets of the first numbers, if it takes
    /// them. Then runs begin at multiples of so many blocks.
    pub offsets: Vec<Option<Kernel>>,
    /// The serial part, if there is one.
    pub serial: Option<Serial>,
    /// For each variant those whose kernels may be taken beside it: the first that the CPU runs is, and the last is itself.
    pub beside: Vec<Vec<usize>>,
    /// Whether a block of a text alone costs less than one of several texts at once.
    pub beats_lanes: bool,
    /// The fewest blocks for which a run costs less than these one after another.
    pub fewest: usize,
}

/// What follows the piece in the name of the function of [`Lanes::steps`].
pub const STEPS: &str = "steps";
/// Of [`Lanes::powers`].
pub const POWERS: &str = "raised";
/// Of [`Lanes::sums`].
pub const SUMS: &str = "summed";

/// Of [`Parallel::offsets`].
pub const OFFSETS: &str = "offsets";

/// What a text's blocks wait for.
#[derive(Clone, Debug)]
pub enum Serial {
    /// Block after block, so many at once that the parallel part takes a multiple of them; by the variant that takes the text.
    InSeries(Stretch),
    /// In lanes, by Horner's rule; by the variant of the parallel part.
    InLanes(Lanes),
    /// Block after block for the first blocks that the parallel part takes; that makes the state before those that follow.
    Leaps(Stretch),
}

/// Horner's rule in lanes: see [`Horner::in_lanes`](crate::pass::horner::Horner::in_lanes).
#[derive(Clone, Debug)]
pub struct Lanes {
    /// For each variant the kernel that takes as many blocks as the parallel part, if it has one.
    pub steps: Vec<Option<Kernel>>,
    /// That which makes the powers.
    pub powers: Vec<Option<Kernel>>,
    /// That which adds up what is carried over as many blocks.
    pub sums: Vec<Option<Kernel>>,
    /// The parameter of the serial part that they are powers of.
    pub of: usize,
    /// How many rows a power is.
    pub maps: usize,
}

impl Parallel {
    /// The name of its function.
    pub fn name(&self) -> String {
        self.name_of("parallel")
    }

    /// The name of another one of its functions.
    pub fn name_of(&self, part: &str) -> String {
        match self.number {
            0 => format!("{}_{part}", self.piece),
            number => format!("{}_{part}{number}", self.piece),
        }
    }

    /// The name of the function that makes images of what is the same for all blocks.
    pub fn images_name(&self) -> String {
        self.name_of("images")
    }

    /// How images are made of what is the same for all blocks, one after another; none if it lies in memory as kernels read it.
    ///
    /// # Errors
    /// If there is no way.
    pub fn images(&self) -> Result<Option<keys::Part<'_>>, String> {
        let kernel = self.variants.iter().flatten().find(|kernel| !keys::are_images(kernel));
        let part = kernel.map(keys::of_constants).transpose()?;
        Ok(part.filter(|part| part.bytes > 0))
    }

    /// Its functions, and for each variant the kernel of each.
    pub fn functions(&self) -> Vec<(String, &Vec<Option<Kernel>>)> {
        let mut functions = vec![(self.name(), &self.variants)];
        if let Some(Serial::InLanes(lanes)) = &self.serial {
            let parts = [(STEPS, &lanes.steps), (POWERS, &lanes.powers), (SUMS, &lanes.sums)];
            functions.extend(parts.map(|(part, own)| (self.name_of(part), own)));
        }
        if self.has_offsets() {
            functions.push((self.name_of(OFFSETS), &self.offsets));
        }
        functions
    }

    /// Whether it takes offsets of the first numbers.
    pub fn has_offsets(&self) -> bool {
        self.offsets.iter().any(Option::is_some)
    }

    /// The bytes of the offsets of a block.
    pub fn offset_bytes(&self) -> usize {
        self.offsets.iter().flatten().next().map_or(0, |kernel| port_bytes(&kernel.results[0]))
    }

    /// The blocks whose numbers some variant reads.
    pub fn numbered(&self) -> Vec<usize> {
        if !self.has_offsets() {
            return (0..self.blocks).collect();
        }
        let reads = |piece: &Piece, kernel: &Kernel, part, parts| {
            piece.numbered().any(|(param, _)| kernel.reads(param, part, parts))
        };
        let parallel = |block: usize| {
            let (piece, mut kernels) = (&self.split.parallel, self.variants.iter().flatten());
            kernels.any(|own| reads(piece, own, block / own.lanes(), own.interleave as usize))
        };
        let serial = |block: usize| match (&self.serial, &self.split.serial) {
            (Some(Serial::InSeries(own)), Some(piece)) => {
                own.kernels().any(|kernel| reads(piece, kernel, block % own.blocks, own.blocks))
            }
            _ => false,
        };
        (0..self.blocks).filter(|block| parallel(*block) || serial(*block)).collect()
    }

    /// More blocks of a text than these take less time than as many of several texts at once, if that is ever so: what stands around
    /// them is not shared with others.
    pub fn alone_from(&self) -> Option<usize> {
        self.beats_lanes.then_some(8 * self.blocks)
    }

    /// The fewest blocks for which it is taken: powers and offsets are made for each text.
    pub fn least(&self) -> usize {
        match self.serial {
            Some(Serial::InLanes(_)) => 2 * self.blocks,
            _ if self.has_offsets() => 2 * self.blocks,
            _ => self.unit().map_or(self.blocks, |unit| self.fewest.next_multiple_of(unit)),
        }
    }

    /// A turn may take fewer blocks than others: a multiple of so many.
    pub fn unit(&self) -> Option<usize> {
        match &self.serial {
            Some(Serial::InSeries(stretch)) => Some(stretch.blocks),
            Some(Serial::InLanes(_) | Serial::Leaps(_)) => None,
            None => Some(1),
        }
    }

    /// For each variant how many blocks it takes; 0 if it has no kernel.
    pub fn taken(&self) -> Vec<usize> {
        let taken = |own: &Option<Kernel>| own.as_ref().map_or(0, |_| self.blocks);
        self.variants.iter().map(taken).collect()
    }
}

impl Powers {
    /// The bytes of all powers.
    pub fn bytes(&self) -> usize {
        let kernel = self.variants.iter().flatten().next();
        kernel.map_or(0, |kernel| port_bytes(&kernel.results[0]))
    }
}

impl Stretch {
    /// The name of its function.
    pub fn name(&self) -> String {
        format!("{}_stretch", self.piece)
    }

    /// For each variant how many blocks of each text it takes at once; 0 if it has no kernel.
    pub fn taken(&self) -> impl Iterator<Item = usize> + '_ {
        self.variants.iter().map(|kernel| kernel.as_ref().map_or(0, |_| self.blocks))
    }

    /// The same of a text alone; 0 if registers hold blocks of several.
    pub fn taken_alone(&self) -> impl Iterator<Item = usize> + '_ {
        let alone = |kernel: &Option<Kernel>| kernel.as_ref()?.chain().last().map(Kernel::blocks);
        self.variants.iter().map(move |own| if alone(own) == Some(1) { self.blocks } else { 0 })
    }

    /// Its function, and that of its powers: the name, and for each variant the kernel.
    pub fn functions(&self) -> impl Iterator<Item = (String, &Vec<Option<Kernel>>)> {
        let powers = self.powers.as_ref().map(|powers| (self.powers_name(), &powers.variants));
        std::iter::once((self.name(), &self.variants)).chain(powers)
    }

    /// The name of the function that makes powers.
    pub fn powers_name(&self) -> String {
        format!("{}_powers", self.piece)
    }

    /// The kernels that take blocks.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.variants.iter().flatten()
    }
}

/// A test vector of a function: one block.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The function.
    pub function: String,
    /// The key; empty if there is none.
    pub key: Vec<u8>,
    /// The parameters in memory, one after another.
    pub input: Vec<u8>,
    /// The results in memory, one after another.
    pub output: Vec<u8>,
}

/// A test vector of CTR.
#[derive(Clone, Debug)]
pub struct CounterVector {
    /// The key; empty if there is none.
    pub key: Vec<u8>,
    /// The first counter block.
    pub counter: Vec<u8>,
    /// The text.
    pub input: Vec<u8>,
    /// The text and the key stream added; as long as `input`.
    pub output: Vec<u8>,
}

/// A test vector of a mode.
#[derive(Clone, Debug)]
pub struct MessageVector {
    /// The key of HMAC, if it is of that.
    pub hmac: Option<Vec<u8>>,
    /// The salt of HKDF, and what its keys are for, if it is of that.
    pub hkdf: Option<[Vec<u8>; 2]>,
    /// What it takes beside streams, one after another in memory.
    pub inputs: Vec<u8>,
    /// The streams that it takes; of HMAC the message, of HKDF the key.
    pub streams: Vec<Vec<u8>>,
    /// How many times the first is repeated.
    pub repeat: usize,
    /// The stream that it gives, or its first bytes, and the results in memory, one after another.
    pub output: Vec<u8>,
}

/// A test vector of a step function: runs, one after another from a reset.
#[derive(Clone, Debug)]
pub struct TickVector {
    /// The key; empty if there is none.
    pub key: Vec<u8>,
    /// The runs.
    pub runs: Vec<Run>,
}

/// Ticks with the same input.
#[derive(Clone, Debug)]
pub struct Run {
    /// How many ticks.
    pub ticks: u32,
    /// The parameters in memory, one after another; those that all lanes share are the last.
    pub input: Vec<u8>,
    /// The results in memory, one after another, of each tick; empty if they don't matter.
    pub output: Vec<u8>,
}

/// Parts that don't make a library: which instance, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryError {
    /// The instance's prefix.
    pub instance: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "`{}`: {}", self.instance, self.message)
    }
}

impl std::error::Error for LibraryError {}
