//! `nakiri prove`: whether a design in Verilog and the kernel made of it are the same.

mod assumed;
mod causes;
mod proof;
mod said;
mod simulation;
mod text;
mod verdict;
mod waveform;

use crate::choice::{self, ChoiceArgs, TargetChoice};
use crate::interrupt;
use crate::output;
use crate::program::SourceArgs;
use crate::session::{Failure, Session};
use crate::shared;
use crate::verilog::{self, Synthesized};
use assumed::Assumed;
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{Direction, Port, Program};
use nakiri::cost;
use nakiri::run::{Run, Shared};
use nakiri::verilog::{Correspondence, Netlist};
use nakiri_circuit::equivalence::Wanted;
use nakiri_verify::simulate::Simulator;
use said::Said;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use verdict::Verdict;

/// Compares hardware with the kernel that is made of it: by proof, and by simulation
///
/// Each bit that a tick computes is compared with the netlist for all inputs and all states, as far as the time goes. The
/// compiled kernel is compared with Icarus Verilog, which reads the source itself, on random inputs in all lanes. The exit
/// code is 0 if all is proved, 3 if it agrees as far as it was compared, 1 if something differs, and 128 and its number after a
/// signal.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of Verilog, or a netlist
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
    /// How long the proof may take, and the simulations after it together, such as 90s or 10m
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    budget: Duration,
    /// What simulates: Icarus Verilog knows of unknown bits, for Verilator they are 0
    #[arg(long, value_enum, default_value_t)]
    simulator: Simulators,
    /// Write a difference as a waveform (VCD): the inputs and outputs of the lane in which a simulation differs, or else the
    /// inputs and registers for which the proof finds one
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// An expression of Verilog over inputs that holds in each tick after the reset (may be given several times): what comes
    /// otherwise is neither proved nor simulated
    #[arg(long, value_name = "EXPRESSION")]
    assume: Vec<String>,
    /// End with 1 unless every bit is proved
    #[arg(long)]
    require_proof: bool,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

/// What simulates.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Simulators {
    #[default]
    Icarus,
    Verilator,
}

impl From<Simulators> for Simulator {
    fn from(simulator: Simulators) -> Simulator {
        match simulator {
            Simulators::Icarus => Simulator::Icarus,
            Simulators::Verilator => Simulator::Verilator,
        }
    }
}

/// What is compared.
struct Subject {
    netlist: Netlist,
    parts: Correspondence,
    /// What is compiled, which is a tick.
    program: Program,
    /// Its kernel, or that of what each lane computes of it.
    kernel: Kernel,
    /// How it is divided and the kernel of what is shared, if all lanes share inputs.
    shared: Option<(Shared, Kernel)>,
    /// A run of it, and the kernel of that.
    run: Option<(Run, Kernel)>,
    assumed: Option<Assumed>,
}

impl Subject {
    /// What the kernels have to compute.
    fn wanted(&self) -> Wanted<'_> {
        let assumed = self.assumed.as_ref().map(|assumed| &assumed.netlist);
        Wanted { netlist: &self.netlist, parts: &self.parts, assumed }
    }
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if there is a difference, [`Failure::Open`] if not all is proved, [`Failure::Interrupted`] after a signal,
/// [`Failure::Reported`] if the design can't be compiled, [`Failure::Usage`] if a tool is missing or a flag makes no sense.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !verilog::is_hardware(&args.files[0]) {
        let message = format!("`{}` is neither Verilog nor a netlist", args.files[0].display());
        return Err(Failure::Usage(message));
    }
    Simulator::from(args.simulator).available().map_err(unable)?;
    args.vcd.as_deref().map_or(Ok(()), output::try_write)?;
    let subject = subject(args)?;
    let mut said = Said::new(args.json);
    described(&subject, &mut said)?;
    if !args.assume.is_empty() {
        said.set("assumed", json!(args.assume));
        said.print(&format!("assumed: {}\n", args.assume.join("; ")))?;
    }
    let verdict = judged(args, &subject, &mut said)?;
    said.set("verdict", json!(verdict.text()));
    if matches!(verdict, Verdict::Proved(_) | Verdict::Agrees(_) | Verdict::Interrupted(_)) {
        said.print(&format!("{}\n", verdict.text()))?;
    }
    said.end()?;
    verdict.end(args)
}

/// Proves and simulates.
fn judged(args: &Args, subject: &Subject, said: &mut Said) -> Result<Verdict, Failure> {
    // What was found until then is said though a signal ends it.
    interrupt::watch_and_stop_programs();
    let mut proofs = vec![proof::of_tick(args, subject, said)?];
    if let Some(run) = subject.run.as_ref().filter(|_| !interrupt::happened()) {
        proofs.push(proof::of_run(args, subject, run, said)?);
    }
    if interrupt::happened() {
        return Ok(Verdict::interrupted(&proofs, false));
    }
    match simulation::compare(args, subject, said) {
        _ if interrupt::happened() => Ok(Verdict::interrupted(&proofs, true)),
        tried => Ok(Verdict::of(subject, &proofs, &tried?)),
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
    let hardware = hardware.options(&mut session)?;
    let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
    let parts = Correspondence::of(&netlist, &hardware).map_err(refuse)?;
    let shared = args.source.shared(&mut session, &program)?;
    let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
    let options = Options::new(Direction::B, chosen.target).with(&args.choice.choices());
    let options = options.with(&chosen.choices);
    let machine = choice::machine(None, options.target, true)?;
    let kernel = |program: &Program| {
        let decision = cost::choose(program, &options, &machine).map_err(refuse)?;
        compile::compile(program, &decision.options, &mut |_, _| {}).map_err(refuse)
    };
    let run = run.map(|run| kernel(&run.program).map(|kernel| (run, kernel))).transpose()?;
    let shared = shared.map(|shared| {
        let control = shared::control(&shared).map_err(refuse)?;
        Ok((shared, control))
    });
    let shared = shared.transpose()?;
    let lanes = shared.as_ref().map_or(&program, |(shared, _)| &shared.lanes);
    let kernel = kernel(lanes)?;
    let assumed = Assumed::of(args, &mut session, &program)?;
    Ok(Subject { kernel, netlist, parts, program, shared, run, assumed })
}

fn described(subject: &Subject, said: &mut Said) -> Result<(), Failure> {
    let entry = subject.program.entry();
    let bits = |ports: &[Port]| ports.iter().map(Port::count).sum::<u32>();
    let (inputs, outputs) = (bits(entry.inputs()), bits(entry.outputs()));
    let registers = bits(entry.registers());
    let (target, lanes) = (subject.kernel.target.name, subject.kernel.blocks());
    said.set("design", json!(entry.name));
    said.set("target", json!(target));
    said.set("lanes", json!(lanes));
    said.set("bits", json!({ "inputs": inputs, "outputs": outputs, "registers": registers }));
    said.print(&format!(
        "{}: {inputs} bits of inputs, {outputs} of outputs, {registers} of registers; {target}, {lanes} lanes\n",
        entry.name
    ))
}

fn unable(error: nakiri_verify::Error) -> Failure {
    Failure::Usage(error.to_string())
}
