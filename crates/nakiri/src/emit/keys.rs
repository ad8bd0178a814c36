//! How a key becomes the images of constant parameters, for each variant: which words are made of which bits, and which
//! kernels run in between.
//!
//! A key schedule is a kernel whose key and results are the same in all lanes: ports that are constant. Where it is sliced
//! like the kernel that takes them, its results are stored as that one's images; else images are made of its own.

use super::images;
use super::library::{Instance, Key};
pub use super::ports::imaged;
use super::ports::{image_bytes, ports, PortPair};
use super::type_name;
use crate::compile::Kernel;
use crate::core::{Direction, Layout, Port, Program};
use crate::emit::network;
use crate::isa::Target;
use crate::layout::gather::{gather, Gather};

/// How the images of a variant are made.
pub struct Expansion<'a> {
    /// One for each kernel of the chain that has images of its own.
    pub parts: Vec<Part<'a>>,
    /// The size of all images.
    pub bytes: usize,
}

/// How the images of a kernel are made.
pub struct Part<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Where they begin among those of the chain.
    pub at: usize,
    /// Their size.
    pub bytes: usize,
    /// Where among the images of the chain the bytes begin that they are made of; none if they are made of the key.
    pub of: Option<usize>,
    /// What is made of these bytes: the images, or those of the key that the schedule takes.
    pub of_key: Vec<Making>,
    /// The schedule.
    pub schedule: Option<Schedule<'a>>,
}

impl Part<'_> {
    /// How many bytes it is made of.
    pub fn source_bytes(&self) -> usize {
        self.of_key.iter().map(|making| making.from.0 + making.from.1).max().unwrap_or(0)
    }

    /// How many operations make images of bytes, on words or the target's vectors: those of the key and those of the schedule's
    /// results.
    pub fn operations(&self) -> usize {
        let of_results = self.schedule.iter().flat_map(|schedule| &schedule.of_results);
        let target = self.kernel.target;
        let vectors = target.simd.then_some(target.bits);
        self.of_key.iter().chain(of_results).map(|making| making.gather.operations(vectors)).sum()
    }
}

/// A key schedule beside the kernel whose images it makes.
pub struct Schedule<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The size of the images of its key.
    pub key: usize,
    /// The places of its results' images, and the size of them all.
    pub results: (Vec<usize>, usize),
    /// What is made of these images; none where they are what is wanted.
    pub of_results: Vec<Making>,
}

/// Images that are made of bytes.
#[derive(PartialEq, Eq)]
pub struct Making {
    /// How.
    gather: Gather,
    /// What they are of, for the name of a function.
    pub name: String,
    /// Where the bytes are, and how many.
    pub from: (usize, usize),
    /// Where the images go, and their size.
    pub to: (usize, usize),
}

impl Making {
    fn at(mut self, (from, to): (usize, usize)) -> Making {
        self.from.0 = from;
        self.to.0 = to;
        self
    }

    /// The target in whose registers they are made, on CPUs that run this one.
    pub fn target(&self, target: &'static Target) -> &'static Target {
        images::target(&self.gather, target)
    }

    /// The function `f(out, in)`.
    pub fn function(&self, function: network::Function) -> String {
        images::function(&self.gather, self.from.1, self.to.1, function)
    }
}

/// A program whose parameters and results are the same in all lanes.
pub fn uniform(program: &Program) -> Program {
    let mut program = program.clone();
    let entry = program.entry;
    let func = &mut program.funcs[entry.index()];
    func.params.iter_mut().chain(&mut func.results).for_each(|port| port.constant = true);
    program
}

/// Whether the images of a schedule's results are those of a kernel's constants.
pub fn same_images(schedule: &Kernel, kernel: &Kernel) -> bool {
    let form = |of: &Kernel, port: &Port| {
        let across = of.direction == Direction::H && of.target.simd;
        (port.ty, port.count(), of.target.image_bytes(port.ty), across)
    };
    let results = schedule.program.entry().results.iter().map(|port| form(schedule, port));
    let constants = ports(kernel).constants.into_iter().map(|pair| form(kernel, pair.sliced));
    schedule.direction == kernel.direction && results.eq(constants)
}

/// How a key becomes images, variant by variant.
///
/// # Errors
/// What doesn't fit together.
pub fn expansions<'a>(instance: &'a Instance, key: &'a Key) -> Result<Vec<Expansion<'a>>, String> {
    let variants = &instance.functions[0].variants;
    if !key.schedules.is_empty() && key.schedules.len() != variants.len() {
        let (got, all) = (key.schedules.len(), variants.len());
        return Err(format!("there are key schedules for {got} variants of {all}"));
    }
    let of_variant = |(variant, kernel): (usize, &'a Kernel)| {
        let schedules = key.schedules.get(variant);
        let kernels = imaged(kernel);
        if schedules.is_some_and(|schedules| schedules.len() != kernels.len()) {
            return Err("each kernel with images of its own needs a key schedule".to_string());
        }
        let (mut parts, mut at) = (vec![], 0);
        for (k, kernel) in kernels.into_iter().enumerate() {
            let part = match schedules {
                Some(schedules) => Part { at, ..scheduled(kernel, &schedules[k])? },
                None => Part { at, ..plain(kernel, key.bytes)? },
            };
            if part.source_bytes() != key.bytes {
                return Err(format!("the key schedule's parameter has not {} bytes", key.bytes));
            }
            at += part.bytes;
            parts.push(part);
        }
        share(&mut parts);
        Ok(Expansion { parts, bytes: at })
    };
    variants.iter().enumerate().map(of_variant).collect()
}

/// Makes of images what else is made of the results of the schedule that gave them, after it.
fn share(parts: &mut [Part]) {
    for k in 0..parts.len() {
        let Some(own) = parts[k].schedule.as_ref().filter(|own| !own.of_results.is_empty()) else {
            continue;
        };
        let gives = |part: &&Part| {
            let other = part.schedule.as_ref().filter(|other| other.of_results.is_empty());
            other.is_some_and(|other| same_kernel(own.kernel, other.kernel))
        };
        let Some(of) = parts.iter().find(gives).map(|part| part.at) else { continue };
        if let Some(Schedule { of_results, .. }) = parts[k].schedule.take() {
            parts[k].of_key = of_results;
            parts[k].of = Some(of);
        }
    }
    parts.sort_by_key(|part| part.of.is_some());
}

fn same_kernel(a: &Kernel, b: &Kernel) -> bool {
    (a.direction, a.target.name) == (b.direction, b.target.name) && a.program == b.program
}

/// The key is the constants, one after another.
fn plain(kernel: &Kernel, key: usize) -> Result<Part<'_>, String> {
    let constants: usize = ports(kernel).constants.iter().map(PortPair::bytes).sum();
    match constants == key {
        true => of_constants(kernel),
        false => Err(format!("the constant parameters have {constants} bytes, the key {key}")),
    }
}

/// Whether the constants of a kernel, as they lie in memory, are their images: rows of bytes are.
pub fn are_images(kernel: &Kernel) -> bool {
    let is_image = |pair: &PortPair| {
        let bytes = kernel.target.image_bytes(pair.sliced.ty);
        pair.declared.ty.bits() == 8 && 8 * bytes == usize::from(pair.sliced.ty.bits())
    };
    kernel.direction == Direction::P && ports(kernel).constants.iter().all(is_image)
}

/// Whether the constants of two kernels lie in memory alike.
pub fn same_constants(a: &Kernel, b: &Kernel) -> bool {
    let images = |kernel| of_constants(kernel).ok().map(|part| part.of_key);
    images(a) == images(b) && are_images(a) == are_images(b)
}

/// How the images of a kernel are made of its constants, one after another in memory.
///
/// # Errors
/// If the layout of one doesn't fit.
pub fn of_constants(kernel: &Kernel) -> Result<Part<'_>, String> {
    let (mut from, mut bytes, mut of_key) = (0, 0, vec![]);
    for pair in ports(kernel).constants {
        let made = of_port(kernel, pair)?.at((from, bytes));
        from += pair.bytes();
        bytes += made.to.1;
        of_key.push(made);
    }
    Ok(Part { kernel, at: 0, bytes, of: None, of_key, schedule: None })
}

/// How the images of a kernel are made by a key schedule.
///
/// # Errors
/// If it is not one of the kernel, or the layout of a port doesn't fit.
pub fn scheduled<'a>(kernel: &'a Kernel, schedule: &'a Kernel) -> Result<Part<'a>, String> {
    fits(kernel, schedule)?;
    let input = ports(schedule).constants[0];
    let of_key = of_port(schedule, input)?;
    let outputs = ports(schedule).outputs;
    let (mut places, mut size) = (vec![], 0);
    for pair in &outputs {
        places.push(size);
        size += image_bytes(schedule.target, pair.sliced);
    }
    let (mut of_results, mut bytes) = (vec![], 0);
    for ((pair, output), place) in ports(kernel).constants.into_iter().zip(&outputs).zip(&places) {
        // By the bits of little-endian atoms, which both have.
        let size = image_bytes(schedule.target, output.sliced);
        let held = sources(schedule.target, &little_endian(*output))?;
        let mut places = vec![0; pair.bytes() * 8];
        held.iter().enumerate().rev().for_each(|(place, bit)| places[*bit] = place);
        let sources = sources(kernel.target, &little_endian(pair))?;
        let sources: Vec<usize> = sources.iter().map(|bit| places[*bit]).collect();
        let made = making(kernel, pair, &sources, size).at((*place, bytes));
        bytes += made.to.1;
        of_results.push(made);
    }
    if same_images(schedule, kernel) {
        of_results.clear();
    }
    let schedule =
        Schedule { kernel: schedule, key: of_key.to.1, results: (places, size), of_results };
    let (of, of_key, schedule) = (None, vec![of_key], Some(schedule));
    Ok(Part { kernel, at: 0, bytes, of, of_key, schedule })
}

/// How the images of a port are made of a block in memory.
///
/// # Errors
/// If its layout doesn't fit.
pub fn of_port(kernel: &Kernel, pair: PortPair) -> Result<Making, String> {
    Ok(making(kernel, pair, &sources(kernel.target, &pair.placed())?, pair.bytes()))
}

/// Refuses a schedule that is not one of a kernel.
fn fits(kernel: &Kernel, schedule: &Kernel) -> Result<(), String> {
    let own = schedule.target;
    if !own.runs_wherever(kernel.target) {
        let (own, target) = (own.name, kernel.target.name);
        return Err(format!("not every CPU for {target} can run a key schedule for {own}"));
    }
    let atoms = |pairs: &[PortPair]| -> Vec<_> {
        pairs.iter().map(|p| (p.declared.ty.width, p.declared.count())).collect()
    };
    let (of_schedule, of_kernel) = (ports(schedule), ports(kernel));
    if atoms(&of_schedule.outputs) != atoms(&of_kernel.constants) {
        return Err("the key schedule's results are not the constant parameters".to_string());
    }
    if !of_schedule.outputs.iter().all(|pair| pair.sliced.constant) || schedule.interleave > 1 {
        return Err("the key schedule's results must be the same in all lanes".to_string());
    }
    match &of_schedule.constants[..] {
        [_] if of_schedule.inputs.is_empty() => Ok(()),
        _ => Err("the key schedule must have one parameter, which is constant".to_string()),
    }
}

fn little_endian(pair: PortPair) -> Port {
    let declared = Port { layout: Layout::Le, ..pair.declared.clone() };
    PortPair { declared: &declared, ..pair }.placed()
}

/// The bit of memory that each bit of a port's images is.
fn sources(target: &Target, port: &Port) -> Result<Vec<usize>, String> {
    use crate::layout::image;
    let (direction, width) = (port.ty.direction(), port.ty.bits());
    let places = image::places(&port.layout, width, port.count())?;
    Ok(image::sources(target.into(), direction, width, &places))
}

fn making(kernel: &Kernel, pair: PortPair, sources: &[usize], bytes: usize) -> Making {
    Making {
        gather: gather(sources, bytes),
        name: format!("{}x{}", type_name(pair.sliced.ty).to_lowercase(), pair.sliced.count()),
        from: (0, bytes),
        to: (0, image_bytes(kernel.target, pair.sliced)),
    }
}
