//! One program in several ways: the interpreter on what the checker made, on what each pass made of that, and the
//! compiled kernel must agree.

use crate::exec::Block;
use crate::random::{self, Rng};
use nakiri::check;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{interp, text, Port, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::SourceMap;
use nakiri::syntax::{parser, printer, Dialect};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// How many blocks each pass is tried on.
const BLOCKS: usize = 3;

/// A kernel with blocks and what it must make of them.
#[derive(Debug)]
pub struct Job {
    /// The compiled program.
    pub kernel: Kernel,
    /// One block a lane, as the kernel takes them.
    pub blocks: Vec<Block>,
    /// The results of each block.
    pub expected: Vec<Block>,
}

fn rendered(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    diagnostics.iter().map(|d| d.render(sources, false)).collect::<Vec<_>>().join("\n")
}

/// The core of a text.
///
/// # Errors
/// The rendered diagnostics.
pub fn elaborate(source: &str) -> Result<Program, String> {
    let mut sources = SourceMap::default();
    let root = sources.add("random.ua", source);
    let (checked, diagnostics) =
        check::check(&mut sources, root, &mut check::NoFiles, &check::Options::default());
    checked.map(|c| c.program).ok_or_else(|| rendered(&diagnostics, &sources))
}

/// Checks that the formatter changes neither the meaning of a text nor its own output.
///
/// # Errors
/// What it changed.
pub fn check_format(source: &str, program: &Program) -> Result<(), String> {
    let format = |source: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("random.ua", source);
        let parsed = parser::parse(&sources, file, Dialect::Nakiri);
        match parsed.diagnostics.is_empty() {
            true => printer::format(&sources, file).map_err(|d| rendered(&d, &sources)),
            false => Err(rendered(&parsed.diagnostics, &sources)),
        }
    };
    let formatted = format(source).map_err(|e| format!("format: {e}"))?;
    let again = format(&formatted).map_err(|e| format!("format: {e}\n{formatted}"))?;
    if formatted != again {
        return Err(format!("formatting is not idempotent:\n{formatted}\n---\n{again}"));
    }
    match elaborate(&formatted)?.to_string() == program.to_string() {
        true => Ok(()),
        false => Err(format!("the formatter changes the meaning:\n{formatted}")),
    }
}

/// What a function gives, or what it said when it panicked.
///
/// # Errors
/// Its error, or the panic's message.
pub fn quietly<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Random atoms for each parameter.
fn block(ports: &[Port], rng: &mut Rng) -> Block {
    let atoms =
        |port: &Port, rng: &mut Rng| (0..port.count()).map(|_| rng.word(port.ty.bits())).collect();
    ports.iter().map(|port| atoms(port, rng)).collect()
}

/// Gives all blocks the constants of the first.
fn share_constants(blocks: &mut [Block], ports: &[Port]) {
    let Some((first, others)) = blocks.split_first_mut() else { return };
    for (k, _) in ports.iter().enumerate().filter(|(_, port)| port.constant) {
        others.iter_mut().for_each(|block| block[k].clone_from(&first[k]));
    }
}

/// Blocks with the same constants as an interleaved program takes them.
fn side_by_side(blocks: &[Block], ports: &[Port]) -> Block {
    let atoms = |(k, port): (usize, &Port)| match port.constant {
        true => blocks[0][k].clone(),
        false => blocks.iter().flat_map(|block| &block[k]).copied().collect(),
    };
    ports.iter().enumerate().map(atoms).collect()
}

/// A block as a sliced program takes or gives it.
fn slice(block: &Block, declared: &[Port], sliced: &[Port]) -> Block {
    let ports = block.iter().zip(declared.iter().zip(sliced));
    ports.map(|(atoms, (from, to))| interp::slice(atoms, from.ty, to.ty)).collect()
}

/// Compiles an elaborated program and interprets it after each pass. `None` if it is not legal for these options.
///
/// # Errors
/// The pass after which it computes something else, or has no text that reads back.
pub fn passes(
    program: &Program,
    options: &Options,
    rng: &mut Rng,
    with_text: bool,
) -> Result<Option<Job>, String> {
    let mut inputs: Vec<Block> = Vec::new();
    let mut expected: Vec<Block> = Vec::new();
    let mut ports = (Vec::new(), Vec::new());
    let mut failure: Option<String> = None;
    let mut batches = 1;
    let mut observe = |name: &str, now: &Program| {
        let entry = now.entry();
        if name == "specialize" {
            ports = (entry.params.clone(), entry.results.clone());
            inputs = (0..BLOCKS).map(|_| block(&ports.0, rng)).collect();
            share_constants(&mut inputs, &ports.0);
            let meaning = if program.entry().width_params.is_empty() { program } else { now };
            expected = inputs.iter().map(|input| interp::run(meaning, input)).collect();
        }
        if name == "interleave" {
            batches = options.interleave.map_or(1, |interleave| interleave.factor as usize);
        }
        for k in 0..inputs.len() {
            let sliced = |blocks: &[Block], ports: &[Port], now: &[Port]| {
                let turned = blocks.iter().cycle().skip(k).take(batches);
                let sliced = turned.map(|block| slice(block, ports, now));
                side_by_side(&sliced.collect::<Vec<_>>(), ports)
            };
            let input = sliced(&inputs, &ports.0, &entry.params);
            let want = sliced(&expected, &ports.1, &entry.results);
            let got = interp::run(now, &input);
            if got != want && failure.is_none() {
                failure = Some(format!("after `{name}`: {input:?} gives {got:?}, not {want:?}"));
            }
        }
        if with_text && failure.is_none() {
            let printed = now.to_string();
            let read = text::parse(&printed).map(|program| program.canonical());
            if read.as_ref() != Ok(&now.canonical()) {
                let why = read.map(|p| p.to_string()).unwrap_or_else(|e| e.to_string());
                failure = Some(format!("text after `{name}`:\n{printed}\nreads as\n{why}"));
            }
        }
    };
    let Ok(kernel) = compile(program, options, &mut observe) else { return Ok(None) };
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Some(job(kernel, program, options, rng)?)),
    }
}

/// Fills every lane of a kernel.
fn job(kernel: Kernel, program: &Program, options: &Options, rng: &mut Rng) -> Result<Job, String> {
    let meaning = match program.entry().width_params.is_empty() {
        true => program.clone(),
        false => nakiri::compile::specialize(program, options).map_err(|e| format!("{e:?}"))?,
    };
    let mut inputs: Vec<Block> = (0..kernel.blocks()).map(|_| block(&kernel.params, rng)).collect();
    share_constants(&mut inputs, &kernel.params);
    let entry = kernel.program.entry();
    let expected = inputs
        .iter()
        .map(|input| slice(&interp::run(&meaning, input), &kernel.results, &entry.results));
    let expected = expected.collect();
    let blocks = inputs.iter().map(|input| slice(input, &kernel.params, &entry.params)).collect();
    Ok(Job { kernel, blocks, expected })
}

const FAULTS: [&str; 7] = ["forall ", "[", "0 ", "16 ", ":= ", "~", "x0 "];

/// A text with a random fault in it: some bytes or a line dropped, doubled or put elsewhere.
pub fn damaged(program: &random::Program, rng: &mut Rng) -> String {
    let mut pieces: Vec<&str> =
        program.text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    for _ in 0..rng.range(1, 3) {
        let at = rng.below(pieces.len());
        let other = pieces[rng.below(pieces.len())];
        match rng.below(4) {
            0 if pieces.len() > 1 => {
                pieces.remove(at);
            }
            1 => pieces.insert(at, other),
            2 => pieces[at] = other,
            _ => pieces.insert(at, FAULTS[rng.below(FAULTS.len())]),
        }
    }
    pieces.concat()
}
