//! `nakiri run`: a node on blocks given as JSON, by the interpreter or as compiled C.

use crate::choice::{self, ChoiceArgs, TargetChoice, PREFERENCE};
use crate::output;
use crate::program::{Input, SourceArgs};
use crate::session::{Failure, Session};
use crate::values::{self, Block};
use nakiri::compile::{self, Options};
use nakiri::core::{interp, Direction, Port, Program};
use nakiri::cost;
use nakiri::source::FileId;
use nakiri_verify::cc::Compiler;
use nakiri_verify::{exec, Error};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Runs a node on blocks given as JSON
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An Usuba file, or a cipher's folder
    file: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// What runs it
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// The C compiler of the engine `c`; by default one for the target's architecture
    #[arg(long, value_name = "CC")]
    cc: Option<String>,
    /// The blocks: an object whose members are the parameters, or a list of them; `-` is standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
}

/// What runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// The interpreter, which is the definition of meaning
    #[default]
    Interp,
    /// Emitted C, compiled and run here or by an emulator, each block in its own lane
    C,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Reported`] or [`Failure::Wrong`] if the program or the input is wrong, [`Failure::Usage`] if a compiler or
/// the CPU can't do what was asked.
pub fn run(args: &Args) -> Result<(), Failure> {
    let chosen = one_target(&args.choice)?;
    let flag = chosen.direction.or(args.choice.slicing.direction());
    let mut session = Session::new(&args.source.include);
    let input = Input::find(&mut session, &args.file)?;
    let checked = session.check(&input.source, &args.source.options())?;
    let preferred = flag.or(input.folder.as_ref().map(|f| f.manifest.slicing.direction()));
    let directions: Vec<Direction> = match preferred {
        Some(direction) => vec![direction],
        None => PREFERENCE.to_vec(),
    };
    let options = Options::new(directions[0], chosen.target).with(&args.choice.choices());
    let options = options.with(&chosen.choices);
    let options = choice::first_legal(&[&checked.program], &directions, options)
        .map_err(|diagnostics| session.refuse(&diagnostics))?;
    let mono = compile::specialize(&checked.program, &options)
        .map_err(|diagnostics| session.refuse(&diagnostics))?;
    let file = session.read(&args.input)?;
    let given = read_blocks(&session, file, &mono.entry().params)?;
    let results = match args.engine {
        Engine::Interp => given.blocks.iter().map(|block| interp::run(&mono, block)).collect(),
        Engine::C => {
            let compiler = match &args.cc {
                Some(name) => Compiler::named(name),
                None => Compiler::for_target(options.target),
            };
            let compiler = compiler.map_err(unable)?;
            let machine = choice::machine(None, options.target, true)?;
            let decision = cost::choose(&checked.program, &options, &machine)
                .map_err(|diagnostics| session.refuse(&diagnostics))?;
            compiled(&session, &checked.program, &decision.options, &compiler, &given.blocks)?
        }
    };
    output::print(&values::print(&results, given.list, &mono.entry().results))
}

fn one_target(args: &ChoiceArgs) -> Result<TargetChoice, Failure> {
    let mut targets = args.targets()?;
    if targets.len() > 1 {
        return Err(Failure::Usage("a program runs on one target; name only one".to_string()));
    }
    Ok(targets.pop().unwrap_or_else(|| TargetChoice::plain(choice::native())))
}

fn read_blocks(
    session: &Session,
    file: FileId,
    params: &[Port],
) -> Result<values::Blocks, Failure> {
    let source = session.sources.file(file);
    values::parse(&source.text, params)
        .map_err(|message| Failure::Wrong(format!("{}: {message}", source.path)))
}

/// The results of the compiled kernel. Blocks with the same constants run together.
fn compiled(
    session: &Session,
    program: &Program,
    options: &Options,
    compiler: &Compiler,
    blocks: &[Block],
) -> Result<Vec<Block>, Failure> {
    let kernel = compile::compile(program, options, &mut |_, _| {})
        .map_err(|diagnostics| session.refuse(&diagnostics))?;
    let mut groups: BTreeMap<Vec<&[u128]>, Vec<usize>> = BTreeMap::new();
    for (i, block) in blocks.iter().enumerate() {
        let constant = kernel.params.iter().zip(block).filter(|(port, _)| port.constant);
        groups.entry(constant.map(|(_, atoms)| &atoms[..]).collect()).or_default().push(i);
    }
    let entry = kernel.program.entry();
    let sliced = |block: &Block| -> Block {
        let ports = kernel.params.iter().zip(&entry.params).zip(block);
        ports.map(|((from, to), atoms)| interp::slice(atoms, from.ty, to.ty)).collect()
    };
    let whole = |block: &Block| -> Block {
        let ports = kernel.results.iter().zip(&entry.results).zip(block);
        ports.map(|((from, to), values)| interp::join(values, from.ty, to.ty)).collect()
    };
    let inputs: Vec<Vec<Block>> =
        groups.values().map(|group| group.iter().map(|&i| sliced(&blocks[i])).collect()).collect();
    let jobs: Vec<_> = inputs.iter().map(|group| (&kernel, &group[..])).collect();
    let outputs = exec::run_kernels(&jobs, compiler).map_err(unable)?;
    let mut results = vec![Block::new(); blocks.len()];
    for (group, outputs) in groups.values().zip(outputs) {
        for (&i, output) in group.iter().zip(&outputs) {
            results[i] = whole(output);
        }
    }
    Ok(results)
}

fn unable(error: Error) -> Failure {
    Failure::Usage(error.to_string())
}
