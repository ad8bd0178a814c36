//! Running kernels: blocks become register images here, by [`layout::register_bit`] and nothing else, a small C
//! program feeds them to the compiled kernels, and the images that come back are read the same way.

use crate::cc::{self, is_host, Compiler, Work};
use crate::verdict::Question;
use crate::Error;
use nakiri::compile::Kernel;
use nakiri::core::{Port, Type};
use nakiri::emit::c;
use nakiri::isa::{Architecture, Target, Tool};
use nakiri::layout;
use nakiri::run::Shared;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// The atoms of each parameter, or of each result, of one block: as the kernel's program declares them for one batch, so
/// that under `B` every atom has one bit.
pub type Block = Vec<Vec<u128>>;

/// Runs a compiled kernel on any number of blocks and gives each one's results. Constant parameters must have the same
/// value in all blocks.
///
/// # Errors
/// See [`Error`]; [`Error::NotRunnable`] if this CPU lacks the target's features (the code was compiled nevertheless).
pub fn run_kernel(kernel: &Kernel, cc: &Compiler, blocks: &[Block]) -> Result<Vec<Block>, Error> {
    let mut results = run_kernels(&[(kernel, blocks)], cc)?;
    Ok(results.pop().unwrap_or_default())
}

/// The size of a C file, in bytes, beyond which compilers take too long to optimize it for one run.
pub const LARGE: usize = 200_000;

/// What a compiled kernel does tick by tick. Each instance starts with its registers at their reset values and has as many
/// ticks as `instances[0]`, each with the atoms of the inputs; what comes back are the atoms of the outputs.
///
/// # Errors
/// Those of [`run_kernel`].
pub fn run_ticks(
    kernel: &Kernel,
    cc: &Compiler,
    instances: &[Vec<Block>],
) -> Result<Vec<Vec<Block>>, Error> {
    let ticks = instances.first().map_or(0, Vec::len);
    let entry = kernel.program.entry();
    let resets = entry.registers().iter().zip(&entry.resets);
    let resets: Block = resets.map(|(port, reset)| reset[..kernel.atoms(port)].to_vec()).collect();
    let mut input = Vec::new();
    for run in instances.chunks(kernel.blocks()) {
        for tick in 0..ticks {
            let blocks: Vec<Block> =
                run.iter().map(|inputs| [&inputs[tick][..], &resets].concat()).collect();
            encode(kernel, 0, tick > 0, &blocks, &mut input)?;
        }
    }
    let output = compiled(&[(kernel, &[])], cc, &input)?;
    let mut rest = &output[..];
    let mut results = Vec::with_capacity(instances.len());
    for run in instances.chunks(kernel.blocks()) {
        let mut outputs = vec![Vec::with_capacity(ticks); run.len()];
        for _ in 0..ticks {
            let blocks = decode(kernel, run.len(), &mut rest)?;
            for (instance, mut block) in outputs.iter_mut().zip(blocks) {
                block.truncate(entry.outputs().len());
                instance.push(block);
            }
        }
        results.append(&mut outputs);
    }
    Ok(results)
}

/// A step function in two kernels: what all lanes share, and what each computes, as [`Shared`] divides it.
#[derive(Clone, Copy, Debug)]
pub struct Divided<'a> {
    /// How it is divided.
    pub shared: &'a Shared,
    /// The kernel of what is shared; its first lane counts.
    pub control: &'a Kernel,
    /// The kernel of the lanes.
    pub lanes: &'a Kernel,
}

/// Like [`run_ticks`], for a step function in two kernels. The inputs that are shared must be the same in all instances.
///
/// # Errors
/// Those of [`run_kernel`].
pub fn run_divided(
    divided: &Divided,
    cc: &Compiler,
    instances: &[Vec<Block>],
) -> Result<Vec<Vec<Block>>, Error> {
    let Some(first) = instances.first() else { return Ok(Vec::new()) };
    let of = |block: &Block, control: bool| -> Block {
        let inputs = block.iter().zip(&divided.shared.inputs);
        inputs.filter(|(_, shared)| **shared == control).map(|(atoms, _)| atoms.clone()).collect()
    };
    let inputs: Vec<Block> = first.iter().map(|block| of(block, true)).collect();
    let signals = run_ticks(divided.control, cc, &[inputs])?.remove(0);
    let lane = |ticks: &Vec<Block>| -> Vec<Block> {
        let ticks = ticks.iter().zip(&signals);
        ticks.map(|(block, signals)| [of(block, false), signals.clone()].concat()).collect()
    };
    let lanes: Vec<Vec<Block>> = instances.iter().map(lane).collect();
    run_ticks(divided.lanes, cc, &lanes)
}

/// Like [`run_kernel`], for several kernels in one file, which is compiled and started once. A kernel may stand in
/// several jobs, with other constants in each.
///
/// # Errors
/// Those of [`run_kernel`].
pub fn run_kernels(jobs: &[(&Kernel, &[Block])], cc: &Compiler) -> Result<Vec<Vec<Block>>, Error> {
    let output = compiled(jobs, cc, &inputs(jobs)?)?;
    let mut rest = &output[..];
    jobs.iter().map(|(kernel, blocks)| decode(kernel, blocks.len(), &mut rest)).collect()
}

/// All that the results of [`run_kernels`] depend on.
///
/// # Errors
/// Those of [`run_kernels`] that are found before anything is compiled.
pub fn question(jobs: &[(&Kernel, &[Block])], cc: &Compiler) -> Result<Question, Error> {
    let input = inputs(jobs)?;
    let text = program(jobs);
    let flags = [level(&text, cc)];
    Ok(Question::new("kernels").and(&text).and_compiled(cc, &flags).and(input))
}

/// What the program of some jobs reads.
fn inputs(jobs: &[(&Kernel, &[Block])]) -> Result<Vec<u8>, Error> {
    let mut input = Vec::new();
    let (_, numbers) = distinct(jobs);
    for ((kernel, blocks), number) in jobs.iter().zip(numbers) {
        encode(kernel, number as u32, false, blocks, &mut input)?;
    }
    Ok(input)
}

/// How much a program's text is optimized.
fn level(text: &str, cc: &Compiler) -> &'static str {
    if text.len() > LARGE {
        unoptimized(cc)
    } else {
        "-O1"
    }
}

/// Compiles the kernels of some jobs and gives what they write for this input.
fn compiled(jobs: &[(&Kernel, &[Block])], cc: &Compiler, input: &[u8]) -> Result<Vec<u8>, Error> {
    let work = Work::new()?;
    let text = program(jobs);
    let source = work.write("kernels.c", text.as_bytes())?;
    let executable = work.path("kernels");
    let level = level(&text, cc);
    jobs.iter().try_for_each(|(kernel, _)| cc.compiles_for(kernel.target))?;
    cc.compile(&[&source], &[&[level], linking(cc)].concat(), &executable)?;
    jobs.iter().try_for_each(|(kernel, _)| runs(kernel.target, cc))?;
    work.write("in", input)?;
    execute(&work, cc)?;
    work.read("out")
}

/// Whether this CPU can run a target's code.
///
/// # Errors
/// [`Error::NotRunnable`] with the architecture or the first feature that it lacks.
pub fn runnable(target: &Target) -> Result<(), Error> {
    let lacks = |feature| Err(Error::NotRunnable { target: target.name, feature });
    if !is_host(target.architecture) {
        return lacks(target.architecture.name);
    }
    target.features.iter().find(|feature| !has_feature(feature)).map_or(Ok(()), |f| lacks(f))
}

/// What runs a target's code on this machine, if this CPU doesn't: an emulator, which there is, as there is a compiler.
///
/// # Errors
/// [`Error::NotRunnable`], or the tool that is missing.
pub fn emulated(target: &Target) -> Result<Tool, Error> {
    if is_host(target.architecture) {
        return Err(runnable(target)
            .err()
            .unwrap_or(Error::NoEmulator(target.architecture.emulator)));
    }
    cc::all_for(target)?;
    emulator(target.architecture)
}

/// Whether a compiler's code for a target can be run on this machine.
///
/// # Errors
/// [`Error::NotRunnable`], or the emulator that is missing.
pub fn runs(target: &Target, cc: &Compiler) -> Result<(), Error> {
    match cc.foreign() {
        Some(architecture) => emulator(architecture).map(|_| ()),
        None if target.guard().is_none() => Ok(()),
        None => runnable(target),
    }
}

fn emulator(architecture: &Architecture) -> Result<Tool, Error> {
    let tool = architecture.emulator;
    cc::works(tool.program).then_some(tool).ok_or(Error::NoEmulator(tool))
}

/// The flag under which a compiler is quick on long code, and what runs its programs takes them.
pub fn unoptimized(cc: &Compiler) -> &'static str {
    cc.foreign().map_or("-O0", |architecture| architecture.unoptimized)
}

/// The flags under which a compiler makes programs that [`command`] runs.
pub fn linking(cc: &Compiler) -> &'static [&'static str] {
    cc.foreign().map_or(&[], |architecture| architecture.linking)
}

/// The command that runs a program that a compiler made, under an emulator if it is for another architecture.
///
/// # Errors
/// [`Error::NoEmulator`].
pub fn command(cc: &Compiler, program: &Path) -> Result<Command, Error> {
    let Some(architecture) = cc.foreign() else {
        return Ok(Command::new(program));
    };
    let emulator = emulator(architecture)?;
    let told = cc.extension().map_or(&[][..], |extension| extension.emulator);
    let mut command = Command::new(emulator.program);
    command.args(emulator.arguments).args(told).arg(program);
    Ok(command)
}

/// Whether this CPU has a feature, by the name that targets and the C compilers give it.
pub fn has_feature(feature: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! detect {
            ($($name:tt),*) => {
                match feature {
                    $($name => std::arch::is_x86_feature_detected!($name),)*
                    _ => false,
                }
            };
        }
        detect!(
            "ssse3",
            "avx",
            "avx2",
            "bmi1",
            "bmi2",
            "aes",
            "sha",
            "gfni",
            "vaes",
            "pclmulqdq",
            "vpclmulqdq",
            "avx512f",
            "avx512bw",
            "avx512dq",
            "avx512fp16",
            "avx512vl",
            "avx512ifma",
            "avx512vbmi",
            "avx512vbmi2"
        )
    }
    #[cfg(target_arch = "aarch64")]
    {
        match feature {
            "aes" => std::arch::is_aarch64_feature_detected!("aes"),
            "sha2" => std::arch::is_aarch64_feature_detected!("sha2"),
            "sha3" => std::arch::is_aarch64_feature_detected!("sha3"),
            "sve2" => std::arch::is_aarch64_feature_detected!("sve2"),
            _ => false,
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = feature;
        false
    }
}

fn execute(work: &Work, cc: &Compiler) -> Result<(), Error> {
    let open = |result: std::io::Result<File>, name| {
        result.map_err(|error| Error::Io { path: work.path(name), error })
    };
    let executable = work.path("kernels");
    let done = command(cc, &executable)?
        .stdin(open(File::open(work.path("in")), "in")?)
        .stdout(open(File::create(work.path("out")), "out")?)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| Error::Io { path: executable, error })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(Error::Failed { message: format!("{}: {said}", done.status) })
}

/// The kernels of some jobs, each once, and for each job the number of its kernel.
fn distinct<'a>(jobs: &[(&'a Kernel, &[Block])]) -> (Vec<&'a Kernel>, Vec<usize>) {
    let mut kernels: Vec<&Kernel> = Vec::new();
    let number = |(kernel, _): &(&'a Kernel, &[Block])| {
        kernels.iter().position(|known| std::ptr::eq(*known, *kernel)).unwrap_or_else(|| {
            kernels.push(kernel);
            kernels.len() - 1
        })
    };
    let numbers = jobs.iter().map(number).collect();
    (kernels, numbers)
}

/// The kernels, and a `main` that reads batches from standard input (number of the kernel, whether its registers are those
/// that the batch before it wrote, its constants, its input) and writes each one's output.
fn program(jobs: &[(&Kernel, &[Block])]) -> String {
    let (kernels, _) = distinct(jobs);
    let names: Vec<String> = (0..kernels.len()).map(|number| format!("kernel{number}")).collect();
    let kernels: Vec<(&str, &Kernel)> = names.iter().map(String::as_str).zip(kernels).collect();
    let mut text = c::kernels_file(&kernels);
    text.push_str(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\nstatic const struct {\n    \
         void (*run)(void *, const void *, const void *);\n    size_t out, in, constants, registers;\n\
         } kernels[] = {\n",
    );
    for (name, kernel) in &kernels {
        let sizes = Sizes::of(kernel);
        let Sizes { out, input, constants, registers } = sizes;
        let _ = writeln!(text, "    {{ {name}, {out}, {input}, {constants}, {registers} }},");
    }
    text.push_str(MAIN);
    text
}

const MAIN: &str = r#"};

static void get(void *to, size_t bytes)
{
    if (fread(to, 1, bytes, stdin) != bytes) {
        fprintf(stderr, "the input ends early\n");
        exit(1);
    }
}

int main(void)
{
    unsigned char number[4], *before = NULL;
    while (fread(number, 1, 4, stdin) == 4) {
        size_t k = number[0] | (size_t)number[1] << 8 | (size_t)number[2] << 16;
        unsigned char *constants = malloc(kernels[k].constants + 1);
        unsigned char *in = malloc(kernels[k].in + 1), *out = malloc(kernels[k].out + 1);
        if (!constants || !in || !out)
            return 1;
        get(constants, kernels[k].constants);
        size_t carried = number[3] && before ? kernels[k].registers : 0;
        get(in, kernels[k].in - carried);
        if (carried)
            memcpy(in + kernels[k].in - carried, before + kernels[k].out - carried, carried);
        kernels[k].run(out, in, constants);
        if (fwrite(out, 1, kernels[k].out, stdout) != kernels[k].out)
            return 1;
        free(constants);
        free(in);
        free(before);
        before = out;
    }
    free(before);
    return 0;
}
"#;

/// The sizes of a kernel's images in bytes.
struct Sizes {
    out: usize,
    input: usize,
    constants: usize,
    /// Of the input, and of the output, those of the registers, which come last.
    registers: usize,
}

impl Sizes {
    fn of(kernel: &Kernel) -> Sizes {
        let entry = kernel.program.entry();
        let registers = |port: &Port| kernel.target.port_bytes(port);
        let inputs = entry.params.iter().filter(|port| !port.constant);
        let images = entry.params.iter().filter(|port| port.constant);
        Sizes {
            out: entry.results.iter().map(registers).sum(),
            input: inputs.map(registers).sum(),
            registers: entry.registers().iter().map(registers).sum(),
            constants: images
                .map(|port| kernel.target.image_bytes(port.ty) * port.count() as usize)
                .sum(),
        }
    }
}

fn encode(
    kernel: &Kernel,
    number: u32,
    carried: bool,
    blocks: &[Block],
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let entry = kernel.program.entry();
    let params = if carried { entry.inputs() } else { &entry.params };
    check(kernel, blocks)?;
    for run in blocks.chunks(kernel.blocks()) {
        out.extend((number | u32::from(carried) << 24).to_le_bytes());
        for (k, port) in params.iter().enumerate().filter(|(_, port)| port.constant) {
            for atom in &run[0][k] {
                out.extend(kernel.target.image(port.ty, *atom));
            }
        }
        for (k, port) in params.iter().enumerate().filter(|(_, port)| !port.constant) {
            let mut batches = run.chunks(kernel.lanes());
            for _ in 0..kernel.interleave {
                let batch = batches.next().unwrap_or_default();
                for atom in 0..kernel.atoms(port) {
                    let mut register = vec![0; kernel.target.register_bytes(port.ty)];
                    for (lane, block) in batch.iter().enumerate() {
                        for bit in set_bits(kernel.target, port.ty, lane, block[k][atom]) {
                            register[bit / 8] |= 1 << (bit % 8);
                        }
                    }
                    out.extend(register);
                }
            }
        }
    }
    Ok(())
}

/// The bits of a register that hold the ones of an atom.
fn set_bits(
    target: &'static Target,
    ty: Type,
    lane: usize,
    atom: u128,
) -> impl Iterator<Item = usize> {
    let width = ty.bits();
    let ones = (0..width).filter(move |position| atom >> (width - 1 - position) & 1 == 1);
    ones.map(move |position| register_bit(target, ty, lane, position))
}

fn register_bit(target: &Target, ty: Type, lane: usize, position: u16) -> usize {
    let (direction, width) = (ty.direction(), ty.bits());
    layout::register_bit(target.into(), direction, width, lane as u32, position) as usize
}

fn check(kernel: &Kernel, blocks: &[Block]) -> Result<(), Error> {
    let params = &kernel.program.entry().params;
    for (b, block) in blocks.iter().enumerate() {
        if block.len() != params.len() {
            let (got, want) = (block.len(), params.len());
            return Err(Error::Blocks(format!("block {b} has {got} parameters, not {want}")));
        }
        for (k, port) in params.iter().enumerate() {
            let (got, want, name) = (block[k].len(), kernel.atoms(port), &port.name);
            if got != want {
                let message = format!("`{name}` has {got} atoms in block {b}, not {want}");
                return Err(Error::Blocks(message));
            }
            if port.constant && block[k] != blocks[0][k] {
                let message = format!("`{name}` is const but differs in block {b}");
                return Err(Error::Blocks(message));
            }
        }
    }
    Ok(())
}

fn decode(kernel: &Kernel, count: usize, rest: &mut &[u8]) -> Result<Vec<Block>, Error> {
    let results = &kernel.program.entry().results;
    let mut blocks = Vec::with_capacity(count);
    let size = Sizes::of(kernel).out;
    while blocks.len() < count {
        let Some((mut image, after)) = rest.split_at_checked(size) else {
            return Err(Error::Failed { message: "the output ends early".to_string() });
        };
        *rest = after;
        let mut decoded = vec![Block::new(); (count - blocks.len()).min(kernel.blocks())];
        for port in results {
            let bytes = kernel.target.register_bytes(port.ty);
            let (registers, after) = image.split_at(bytes * port.count() as usize);
            image = after;
            let batches = registers.chunks(bytes * kernel.atoms(port));
            for (batch, registers) in decoded.chunks_mut(kernel.lanes()).zip(batches) {
                for (lane, block) in batch.iter_mut().enumerate() {
                    let atoms = registers.chunks(bytes);
                    block.push(
                        atoms
                            .map(|register| atom(kernel.target, port.ty, lane, register))
                            .collect(),
                    );
                }
            }
        }
        blocks.append(&mut decoded);
    }
    Ok(blocks)
}

fn atom(target: &Target, ty: Type, lane: usize, register: &[u8]) -> u128 {
    (0..ty.bits()).fold(0, |atom, position| {
        let bit = register_bit(target, ty, lane, position);
        atom << 1 | u128::from(register[bit / 8] >> (bit % 8) & 1)
    })
}
