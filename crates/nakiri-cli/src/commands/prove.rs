//! `nakiri prove`: whether a design in Verilog and the kernel made of it are the same.

use crate::choice::{self, ChoiceArgs, TargetChoice};
use crate::interrupt;
use crate::output;
use crate::program::SourceArgs;
use crate::session::{Failure, Session};
use crate::verilog::{self, Synthesized};
use nakiri::check::Checked;
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{Direction, Func, Port, Program};
use nakiri::cost;
use nakiri::run::Run;
use nakiri::verilog::{netlist, Correspondence, Netlist};
use nakiri_circuit::equivalence::{self, Proof, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::cc::Compiler;
use nakiri_verify::hardware::{self, Agreement, Difference, Trial};
use nakiri_verify::scheduled;
use nakiri_verify::simulate::{self, Design, Values};
use nakiri_verify::stimuli::Reset;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Compares hardware with the kernel that is made of it: by proof, and by simulation
///
/// Each bit that a tick computes is compared with the netlist for all inputs and all states, as far as the time goes. The
/// compiled kernel is compared with Icarus Verilog, which reads the source itself, on random inputs in all lanes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of Verilog, or a netlist, which is not simulated
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// The C compiler; by default one for the target's architecture
    #[arg(long, value_name = "CC")]
    cc: Option<String>,
    /// How many ticks are simulated
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    ticks: u32,
    /// The seed of the random inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How long the proof may take, such as 90s or 10m
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    budget: Duration,
}

/// For how many ticks the reset is held before the comparison, everything else being unknown.
const RESET_TICKS: usize = 16;

/// How many ticks before a difference are shown.
const SHOWN: usize = 8;

/// What is compared.
struct Subject {
    netlist: Netlist,
    parts: Correspondence,
    checked: Checked,
    kernel: Kernel,
    /// A run of it, and the kernel of that.
    run: Option<(Run, Kernel)>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if there is a difference, [`Failure::Reported`] if the design can't be compiled, [`Failure::Usage`] if
/// a tool is missing or a flag makes no sense.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !verilog::is_hardware(&args.files[0]) {
        let message = format!("`{}` is neither Verilog nor a netlist", args.files[0].display());
        return Err(Failure::Usage(message));
    }
    let simulated = verilog::is_verilog(&args.files[0]);
    if simulated {
        simulate::available().map_err(unable)?;
    }
    interrupt::watch();
    let subject = subject(args)?;
    output::print(&describe(&subject))?;
    let mut different = proved(args, &subject)?;
    if let Some((run, kernel)) = &subject.run {
        different |= proved_run(args, &subject, run, kernel)?;
    }
    if simulated {
        different |= tried(args, &subject)?;
    } else {
        output::print("simulation: none, for there is no source to simulate\n")?;
    }
    match different {
        true => Err(Failure::Wrong("the kernel is not the hardware".to_string())),
        false => Ok(()),
    }
}

/// Compiles the design as `nakiri build` does.
fn subject(args: &Args) -> Result<Subject, Failure> {
    let mut session = Session::new(&args.source.include);
    let hardware = &args.source.hardware;
    let chosen = match &args.choice.targets()?[..] {
        [] => TargetChoice::plain(choice::native()),
        [one] => one.clone(),
        _ => return Err(Failure::Usage("a kernel is for one target; name only one".to_string())),
    };
    let schedule = args.source.schedule(&mut session)?;
    let files = &args.files;
    let Synthesized { netlist, program, run } =
        verilog::synthesize(&mut session, files, hardware, schedule.as_ref(), chosen.target)?;
    let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
    let parts = Correspondence::of(&netlist, &hardware.options()).map_err(refuse)?;
    let checked = Checked::of(program);
    let options = Options::new(Direction::B, chosen.target).with(&args.choice.choices());
    let options = options.with(&chosen.choices);
    let machine = choice::machine(None, options.target, true)?;
    let kernel = |program: &Program| {
        let decision = cost::choose(program, &options, &machine).map_err(refuse)?;
        compile::compile(program, &decision.options, &mut |_, _| {}).map_err(refuse)
    };
    let run = run.map(|run| kernel(&run.program).map(|kernel| (run, kernel))).transpose()?;
    Ok(Subject { kernel: kernel(&checked.program)?, netlist, parts, checked, run })
}

fn describe(subject: &Subject) -> String {
    let entry = subject.checked.program.entry();
    let bits = |ports: &[Port]| ports.iter().map(Port::count).sum::<u32>();
    format!(
        "{}: {} bits of inputs, {} of outputs, {} of registers; {}, {} lanes\n",
        entry.name,
        bits(entry.inputs()),
        bits(entry.outputs()),
        bits(entry.registers()),
        subject.kernel.target.name,
        subject.kernel.blocks(),
    )
}

/// Compares all bits for all inputs and states, and says of which that is proved. Whether there is a difference.
fn proved(args: &Args, subject: &Subject) -> Result<bool, Failure> {
    let start = Instant::now();
    let effort = Effort::new(start.checked_add(args.budget), interrupt::happened);
    let bar = output::search_bar(args.budget, "proof");
    let program = &subject.kernel.program;
    let proof = equivalence::prove(&subject.netlist, &subject.parts, program, &effort);
    bar.finish_and_clear();
    let proof = proof.map_err(|what| Failure::Wrong(format!("no proof: {what}")))?;
    let entry = program.entry();
    let outputs = entry.outputs().len();
    let mut text = String::new();
    for (what, verdicts) in
        [("outputs", &proof.verdicts[..outputs]), ("registers", &proof.verdicts[outputs..])]
    {
        let all: usize = verdicts.iter().map(Vec::len).sum();
        let equal = verdicts.iter().flatten().filter(|v| **v == Verdict::Equal).count();
        text += &format!("proof: {equal} of {all} bits of {what} equal the netlist's\n");
    }
    let open = |verdict: &Verdict| *verdict == Verdict::Unknown;
    for (port, verdicts) in entry.results.iter().zip(&proof.verdicts) {
        let count = verdicts.iter().filter(|v| open(v)).count();
        if count > 0 {
            text += &format!("  not proved, only tested: {count} bits of {}\n", port.name);
        }
    }
    let different = first_difference(entry, &proof);
    if let Some(shown) = &different {
        text += shown;
    }
    text += &format!("  in {:.1} s\n", start.elapsed().as_secs_f64());
    output::print(&text)?;
    Ok(different.is_some())
}

/// Compares all bits of the results of a run for all data with the netlist, stepped.
fn proved_run(args: &Args, subject: &Subject, run: &Run, kernel: &Kernel) -> Result<bool, Failure> {
    let start = Instant::now();
    let effort = Effort::new(start.checked_add(args.budget), interrupt::happened);
    let bar = output::search_bar(args.budget, "proof of the run");
    let Subject { netlist, parts, .. } = subject;
    let proof = equivalence::prove_run(netlist, parts, run, &kernel.program, &effort);
    bar.finish_and_clear();
    let proof = proof.map_err(|what| Failure::Wrong(format!("no proof: {what}")))?;
    let verdicts: Vec<&Verdict> = proof.verdicts.iter().flatten().collect();
    let equal = verdicts.iter().filter(|verdict| ***verdict == Verdict::Equal).count();
    let different = first_difference(kernel.program.entry(), &proof);
    output::print(&format!(
        "proof of the run: {equal} of {} bits of results equal the netlist's after {} ticks\n{}  in {:.1} s\n",
        verdicts.len(),
        run.ticks(),
        different.as_deref().unwrap_or_default(),
        start.elapsed().as_secs_f64()
    ))?;
    Ok(different.is_some())
}

/// A bit that differs, with the inputs and registers for which it does.
fn first_difference(entry: &Func, proof: &Proof) -> Option<String> {
    let bits = entry.results.iter().zip(&proof.verdicts).flat_map(|(port, verdicts)| {
        verdicts.iter().enumerate().map(move |(bit, verdict)| (port, bit, verdict))
    });
    let (port, bit, ones) = bits.into_iter().find_map(|(port, bit, verdict)| match verdict {
        Verdict::Different(ones) => Some((port, bit, ones)),
        _ => None,
    })?;
    let mut values: Vec<Vec<Option<bool>>> =
        entry.params.iter().map(|port| vec![Some(false); port.count() as usize]).collect();
    for one in ones {
        let (param, atom) = proof.places[one];
        values[param][atom] = Some(true);
    }
    let names = entry.params.iter().map(|port| port.name.as_str());
    let values: Vec<String> =
        names.zip(&values).map(|(name, bits)| format!("{name} = {}", number(bits))).collect();
    Some(format!("  `{}[{bit}]` differs where {}\n", port.name, values.join(", ")))
}

/// Compares the compiled kernel with a simulation in all lanes. Whether there is a difference.
fn tried(args: &Args, subject: &Subject) -> Result<bool, Failure> {
    let start = Instant::now();
    let bar = output::search_bar(args.budget, "simulation");
    let design = design(args, subject);
    let reset = subject.parts.reset.map(|(port, idle)| {
        let name = &subject.netlist.ports[port].name;
        let input = design.inputs.iter().position(|signal| signal.name == *name);
        let input = input.unwrap_or_default();
        Reset { input, active: !idle, ticks: RESET_TICKS, again: false }
    });
    let trial = Trial {
        design: &design,
        reset,
        lanes: subject.kernel.blocks(),
        ticks: args.ticks as usize,
        seed: args.seed,
    };
    let compiler = match &args.cc {
        Some(name) => Compiler::named(name),
        None => Compiler::for_target(subject.kernel.target),
    };
    let compiler = compiler.map_err(unable)?;
    let stepped = hardware::Run::simulate(&subject.checked.program, &trial).map_err(unable)?;
    let found = stepped.compiled(&subject.kernel, &compiler).map_err(unable)?;
    bar.finish_and_clear();
    output::print(&report("simulation", &design, &trial, &found, start.elapsed()))?;
    let mut different = found.difference.is_some();
    if let Some((run, kernel)) = &subject.run {
        let start = Instant::now();
        let trial = Trial { lanes: kernel.blocks(), ticks: run.ticks(), ..trial };
        let found = scheduled::compare(run, kernel, &compiler, &trial).map_err(unable)?;
        output::print(&report("simulation of the run", &design, &trial, &found, start.elapsed()))?;
        different |= found.difference.is_some();
    }
    Ok(different)
}

/// The design as the simulator is told about it: the inputs that are neither parameters nor the reset are clocks.
fn design(args: &Args, subject: &Subject) -> Design {
    let entry = subject.checked.program.entry();
    let known = |name: &str| entry.inputs().iter().any(|port| port.name == name);
    let reset = subject.parts.reset.map(|(port, _)| port);
    let ports = subject.netlist.ports.iter().enumerate();
    let inputs = ports.filter(|(_, port)| port.direction == netlist::Direction::Input);
    let clocks = inputs.filter(|(number, port)| Some(*number) != reset && !known(&port.name));
    let clocks = clocks.map(|(_, port)| port.name.clone()).collect();
    Design {
        include: args.source.include.clone(),
        define: args.source.hardware.define.clone(),
        ..Design::of(&subject.netlist, args.files.clone(), clocks)
    }
}

fn report(what: &str, design: &Design, trial: &Trial, found: &Agreement, time: Duration) -> String {
    let mut text = format!(
        "{what}: {} bits of {} lanes × {} ticks {}\n",
        found.compared,
        trial.lanes,
        trial.ticks,
        if found.difference.is_some() { "compared" } else { "are as in Icarus Verilog" },
    );
    if found.unknown > 0 {
        text += &format!("  {} bits are unknown there, and not compared", found.unknown);
        text += if trial.reset.is_some() { "\n" } else { "; `--reset` names a reset\n" };
    }
    if let Some(difference) = &found.difference {
        text += &shown(design, difference);
    }
    text + &format!("  in {:.1} s\n", time.as_secs_f64())
}

/// A difference, and what led to it.
fn shown(design: &Design, difference: &Difference) -> String {
    let Difference { lane, tick, output, bit, wanted, inputs } = difference;
    let name = &design.outputs[*output].name;
    let mut text = format!(
        "  `{name}[{bit}]` is {} in lane {lane} after tick {tick}, not {}\n",
        u8::from(!wanted),
        u8::from(*wanted)
    );
    let first = inputs.len().saturating_sub(SHOWN);
    for (tick, values) in inputs.iter().enumerate().skip(first) {
        text += &format!("    tick {tick}: {}\n", assignments(design, values));
    }
    text
}

fn assignments(design: &Design, values: &Values) -> String {
    let names = design.inputs.iter().map(|signal| &signal.name);
    let values: Vec<String> =
        names.zip(values).map(|(name, bits)| format!("{name} = {}", number(bits))).collect();
    values.join(", ")
}

/// A number in hexadecimal, from its bits, the least significant first.
fn number(bits: &[Option<bool>]) -> String {
    let digit = |bits: &[Option<bool>]| {
        let value =
            bits.iter().rev().try_fold(0, |sum, bit| bit.map(|bit| sum << 1 | u32::from(bit)));
        value.and_then(|value| char::from_digit(value, 16)).unwrap_or('x')
    };
    let digits: Vec<char> = bits.chunks(4).map(digit).collect();
    let digits: String = digits.into_iter().rev().collect();
    match digits.trim_start_matches('0') {
        "" => "0".to_string(),
        digits => format!("0x{digits}"),
    }
}

fn unable(error: nakiri_verify::Error) -> Failure {
    Failure::Usage(error.to_string())
}
