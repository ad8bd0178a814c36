//! `nakiri run`: a node on blocks given as JSON, by the interpreter or as compiled C.

use crate::choice::{self, ChoiceArgs, TargetChoice};
use crate::output;
use crate::program::{Input, Source, SourceArgs};
use crate::session::{Failure, Session};
use crate::shared;
use crate::values::{self, Bits, Block};
use crate::vcd::{self, Scope, Variable};
use nakiri::compile::legality::{self, PREFERENCE};
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{interp, semantics, Direction, Func, Port, Program};
use nakiri::cost;
use nakiri::run::Shared;
use nakiri::source::FileId;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec::Divided;
use nakiri_verify::{exec, Error};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Runs a node on blocks given as JSON
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An Usuba file, a cipher's folder or its name, or files of Verilog
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
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
    /// The blocks: an object whose members are the parameters, or a list of them; `-` is standard input. With `--ticks`
    /// a list in place of an object holds the parameters of one tick after another; those of the last are kept
    #[arg(long = "in", value_name = "FILE")]
    input: Option<PathBuf>,
    /// Step the node so often from the reset values of its registers, and give a list of the results of each tick
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_TICKS))]
    ticks: Option<u32>,
    /// Print the vectors of hardware as hexadecimal numbers, not digit by digit from bit 0 on; both are read
    #[arg(long)]
    hex: bool,
    /// The last tick is the first one after which this output is all ones in every block
    #[arg(long, value_name = "OUTPUT")]
    until: Option<String>,
    /// Write a waveform, too: inputs, outputs and registers of each block, tick by tick
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
}

/// The most ticks of a run.
const MOST_TICKS: i64 = 1 << 24;

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
    let input = Input::of_files(&mut session, &args.files)?;
    let bits = match (input.is_hardware(), args.hex) {
        (false, false) => Bits::Digits,
        (true, false) => Bits::Vectors,
        (true, true) => Bits::Hexadecimal,
        (false, true) => {
            let message =
                "--hex is for hardware: the bits of lists in Usuba have no order of their own";
            return Err(Failure::Usage(message.to_string()));
        }
    };
    let Source { checked, shared, .. } = args.source.check(&mut session, &input, None)?;
    let program = shared.as_ref().map_or(&checked.program, |(whole, _)| whole);
    let preferred = flag.or(args.source.direction()).or(input.preferred());
    let directions: Vec<Direction> = match preferred {
        Some(direction) => vec![direction],
        None => PREFERENCE.to_vec(),
    };
    let options = Options::new(directions[0], chosen.target).with(&args.choice.choices());
    let options = options.with(&chosen.choices);
    let options = legality::first_legal(&[program], &directions, options)
        .map_err(|diagnostics| session.refuse(&diagnostics))?;
    if shared.is_some() && options.direction != Direction::B {
        return Err(Failure::Usage(shared::FOR_B.to_string()));
    }
    let mono = compile::specialize(program, &options)
        .map_err(|diagnostics| session.refuse(&diagnostics))?;
    let entry = mono.entry();
    let several = args.ticks.is_some() || args.until.is_some();
    let given = match &args.input {
        Some(path) => {
            let file = session.read(path)?;
            read_blocks(&session, file, entry.inputs(), several, bits)?
        }
        None => values::parse("{}", entry.inputs(), several, bits).map_err(|message| {
            Failure::Usage(format!("the node has parameters, name a file with `--in`: {message}"))
        })?,
    };
    if let Some((whole, shared)) = &shared {
        same(whole, shared, &given.blocks)?;
    }
    let (interpreted, registers) = interpreted(args, &mono, &given.blocks)?;
    let ticks = interpreted.first().map_or(0, Vec::len);
    let results = match args.engine {
        Engine::Interp => interpreted,
        Engine::C => {
            let compiler = match &args.cc {
                Some(name) => Compiler::named(name).map(|cc| cc.told(options.target)),
                None => Compiler::for_target(options.target),
            };
            let compiler = compiler.map_err(unable)?;
            let machine = choice::machine(None, options.target, true)?;
            let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
            let decision = cost::choose(&checked.program, &options, &machine).map_err(refuse)?;
            let kernel = compile::compile(&checked.program, &decision.options, &mut |_, _| {});
            let kernel = kernel.map_err(refuse)?;
            match &shared {
                None => compiled(&kernel, &compiler, &given.blocks, ticks)?,
                Some((_, shared)) => {
                    let control = shared::control(shared).map_err(refuse)?;
                    let divided = Divided { shared, control: &control, lanes: &kernel };
                    compiled_divided(&divided, &compiler, &given.blocks, ticks)?
                }
            }
        }
    };
    if let Some(path) = &args.vcd {
        let lanes = given.blocks.iter().zip(&registers).zip(&results).enumerate();
        let scopes = lanes.map(|(number, ((inputs, registers), outputs))| {
            let inputs = (0..outputs.len()).map(|tick| &inputs[tick.min(inputs.len() - 1)]);
            let name = format!("block{number}");
            Scope { name, variables: waveform(entry, bits, inputs, registers, outputs) }
        });
        output::write(path, &vcd::text(&scopes.collect::<Vec<_>>()))?;
    }
    output::print(&values::print(&results, given.list, several, entry.outputs(), bits))
}

/// What is shown of a block: inputs, outputs and registers in all ticks.
fn waveform<'a>(
    entry: &Func,
    bits: Bits,
    inputs: impl Iterator<Item = &'a Block> + Clone,
    registers: &[Block],
    outputs: &[Block],
) -> Vec<Variable> {
    let ascending = bits == Bits::Digits;
    let mut shown: Vec<Variable> = Vec::new();
    for (at, port) in entry.inputs().iter().enumerate() {
        shown.extend(vcd::variables(port, ascending, inputs.clone().map(|block| &block[at])));
    }
    let rest = [(entry.outputs(), outputs), (entry.registers(), registers)];
    for (ports, blocks) in rest {
        for (at, port) in ports.iter().enumerate() {
            shown.extend(vcd::variables(port, ascending, blocks.iter().map(|block| &block[at])));
        }
    }
    // A register that has the name of an output is no scope of it.
    shown
        .iter_mut()
        .for_each(|variable| variable.name = variable.name.replace(".register", "_register"));
    shown
}

/// For each block something of each tick.
type Ticks = Vec<Vec<Block>>;

/// The results of each tick of each block by the interpreter, which also finds the last tick, and the registers before it.
fn interpreted(
    args: &Args,
    program: &Program,
    blocks: &[Vec<Block>],
) -> Result<(Ticks, Ticks), Failure> {
    let outputs = program.entry().outputs();
    let until = args.until.as_ref().map(|name| {
        outputs.iter().position(|port| port.name == *name).ok_or_else(|| {
            let known: Vec<&str> = outputs.iter().map(|port| port.name.as_str()).collect();
            Failure::Usage(format!("no output `{name}`; the node has `{}`", known.join("`, `")))
        })
    });
    let until = until.transpose()?;
    let most = args.ticks.unwrap_or(if until.is_some() { MOST_TICKS as u32 } else { 1 });
    let mut machines = vec![interp::Machine::new(program); blocks.len()];
    let (mut results, mut registers) =
        (vec![Vec::new(); blocks.len()], vec![Vec::new(); blocks.len()]);
    for tick in 0..most as usize {
        let mut done = true;
        let lanes = machines.iter_mut().zip(blocks).zip(results.iter_mut().zip(&mut registers));
        for ((machine, inputs), (results, registers)) in lanes {
            if args.vcd.is_some() {
                registers.push(machine.registers().to_vec());
            }
            let block = machine.step(&inputs[tick.min(inputs.len() - 1)]);
            let ones = |output: usize| {
                let all = semantics::mask(outputs[output].ty.bits());
                block[output].iter().all(|&atom| atom == all)
            };
            done &= until.is_none_or(ones);
            results.push(block);
        }
        match until {
            Some(_) if done => return Ok((results, registers)),
            Some(output) if tick + 1 == most as usize => {
                let name = &outputs[output].name;
                return Err(Failure::Wrong(format!(
                    "after {most} ticks `{name}` is not all ones in every block; `--ticks` allows more"
                )));
            }
            _ => {}
        }
    }
    Ok((results, registers))
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
    several: bool,
    bits: Bits,
) -> Result<values::Blocks, Failure> {
    let source = session.sources.file(file);
    values::parse(&source.text, params, several, bits)
        .map_err(|message| Failure::Wrong(format!("{}: {message}", source.path)))
}

/// The results of each tick of the compiled kernel. Blocks with the same constants run together.
fn compiled(
    kernel: &Kernel,
    compiler: &Compiler,
    blocks: &[Vec<Block>],
    ticks: usize,
) -> Result<Vec<Vec<Block>>, Failure> {
    let constants = |block: &Block| -> Vec<Vec<u128>> {
        let constant = kernel.params.iter().zip(block).filter(|(port, _)| port.constant);
        constant.map(|(_, atoms)| atoms.clone()).collect()
    };
    let mut groups: BTreeMap<Vec<Vec<Vec<u128>>>, Vec<usize>> = BTreeMap::new();
    for (i, inputs) in blocks.iter().enumerate() {
        groups.entry(inputs.iter().map(constants).collect()).or_default().push(i);
    }
    let sliced = |block: &Block| sliced(kernel, kernel.params.iter().zip(block));
    let mut results = vec![Vec::new(); blocks.len()];
    for group in groups.values() {
        let inputs = |&i: &usize| -> Vec<Block> {
            let last = blocks[i].len() - 1;
            (0..ticks).map(|tick| sliced(&blocks[i][tick.min(last)])).collect()
        };
        let inputs: Vec<Vec<Block>> = group.iter().map(inputs).collect();
        let outputs = exec::run_ticks(kernel, compiler, &inputs).map_err(unable)?;
        for (&i, outputs) in group.iter().zip(&outputs) {
            results[i] = outputs.iter().map(|block| whole(kernel, block)).collect();
        }
    }
    Ok(results)
}

/// The results of each tick of two compiled kernels: control that all blocks share, and what each computes.
fn compiled_divided(
    divided: &Divided,
    compiler: &Compiler,
    blocks: &[Vec<Block>],
    ticks: usize,
) -> Result<Vec<Vec<Block>>, Failure> {
    let sliced = |block: &Block| -> Block {
        let (mut control, mut lanes) = (divided.control.params.iter(), divided.lanes.params.iter());
        let inputs = block.iter().zip(&divided.shared.inputs);
        let sliced = inputs.filter_map(|(atoms, shared)| {
            let (kernel, ports) = match shared {
                true => (divided.control, &mut control),
                false => (divided.lanes, &mut lanes),
            };
            sliced(kernel, ports.next().into_iter().zip([atoms])).pop()
        });
        sliced.collect()
    };
    let inputs = |inputs: &Vec<Block>| -> Vec<Block> {
        (0..ticks).map(|tick| sliced(&inputs[tick.min(inputs.len() - 1)])).collect()
    };
    let inputs: Vec<Vec<Block>> = blocks.iter().map(inputs).collect();
    let outputs = exec::run_divided(divided, compiler, &inputs).map_err(unable)?;
    Ok(outputs
        .iter()
        .map(|ticks| ticks.iter().map(|b| whole(divided.lanes, b)).collect())
        .collect())
}

/// Values of some parameters as a kernel takes them.
fn sliced<'a>(kernel: &Kernel, values: impl Iterator<Item = (&'a Port, &'a Vec<u128>)>) -> Block {
    let params = &kernel.program.entry().params;
    let sliced = values.filter_map(|(from, atoms)| {
        let to = params.iter().find(|port| port.name == from.name)?;
        Some(interp::slice(atoms, from.ty, to.ty))
    });
    sliced.collect()
}

/// The results that a kernel gave, as its node declares them.
fn whole(kernel: &Kernel, block: &Block) -> Block {
    let ports = kernel.results.iter().zip(&kernel.program.entry().results).zip(block);
    ports.map(|((from, to), values)| interp::join(values, from.ty, to.ty)).collect()
}

/// Refuses blocks that differ in what all share.
fn same(program: &Program, shared: &Shared, blocks: &[Vec<Block>]) -> Result<(), Failure> {
    let Some((first, others)) = blocks.split_first() else { return Ok(()) };
    let ticks = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let at = |ticks: &[Block], tick: usize, input: usize| {
        ticks[tick.min(ticks.len() - 1)][input].clone()
    };
    let inputs = program.entry().inputs().iter().enumerate().zip(&shared.inputs);
    for ((input, port), _) in inputs.filter(|(_, shared)| **shared) {
        for tick in 0..ticks {
            let differs = |other: &Vec<Block>| at(other, tick, input) != at(first, tick, input);
            if let Some(block) = others.iter().position(differs) {
                return Err(Failure::Wrong(format!(
                    "`{}` is shared, but in tick {} it is not the same in blocks 1 and {}; leave it out of --shared",
                    port.name,
                    tick + 1,
                    block + 2
                )));
            }
        }
    }
    Ok(())
}

fn unable(error: Error) -> Failure {
    Failure::Usage(error.to_string())
}
