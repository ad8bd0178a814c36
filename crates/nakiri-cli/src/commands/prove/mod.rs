//! `nakiri prove`: whether a design in Verilog and the kernel made of it are the same.

mod proof;
mod said;
mod simulation;
mod text;

use crate::choice::{self, ChoiceArgs, TargetChoice};
use crate::interrupt;
use crate::program::SourceArgs;
use crate::session::{Failure, Session};
use crate::shared;
use crate::verilog::{self, Synthesized};
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{Direction, Port, Program};
use nakiri::cost;
use nakiri::run::{Run, Shared};
use nakiri::verilog::{Correspondence, Netlist};
use nakiri_circuit::equivalence::Proof;
use nakiri_verify::simulate;
use said::Said;
use serde_json::json;
use simulation::{listed, Tried, Verdict as Simulated};
use std::path::PathBuf;
use std::time::Duration;

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
    /// How long the proof may take, and the simulations after it together, such as 90s or 10m
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    budget: Duration,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
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
    let mut said = Said::new(args.json);
    described(&subject, &mut said)?;
    let mut proofs = vec![proof::of_tick(args, &subject, &mut said)?];
    if let Some(run) = &subject.run {
        proofs.push(proof::of_run(args, &subject, run, &mut said)?);
    }
    let tried = match simulated {
        true => simulation::compare(args, &subject, &mut said)?,
        false => {
            said.print("simulation: none, for there is no source to simulate\n")?;
            Vec::new()
        }
    };
    let verdict = match wrong(&subject, &proofs, &tried) {
        Some(wrong) => Err(wrong),
        None if worst(&tried) == Some(Simulated::Source) => Ok("the kernel is the hardware"),
        None => Ok("the kernel is the netlist"),
    };
    said.set(
        "verdict",
        match &verdict {
            Ok(verdict) => json!(verdict),
            Err(wrong) => json!(wrong),
        },
    );
    said.end()?;
    verdict.map(|_| ()).map_err(Failure::Wrong)
}

fn worst(tried: &[Tried]) -> Option<Simulated> {
    tried.iter().map(|tried| tried.verdict).max()
}

/// Why the kernel isn't shown to be the hardware, or what of that can be simulated.
fn wrong(subject: &Subject, proofs: &[Proof], tried: &[Tried]) -> Option<String> {
    let worst = worst(tried);
    if proofs.iter().any(proof::differs) || worst == Some(Simulated::Different) {
        return Some("the kernel is not the hardware".to_string());
    }
    if worst == Some(Simulated::Unclear) {
        return Some(
            "no verdict: the kernel is what Yosys makes of the source, but a simulation of the source does something else"
                .to_string(),
        );
    }
    if worst == Some(Simulated::Nothing) {
        let verdicts: Vec<_> = proofs.iter().flat_map(|proof| proof.verdicts.clone()).collect();
        let (equal, all) = proof::equal(&verdicts);
        return Some(format!(
            "no verdict: {equal} of {all} bits are proved equal to Yosys' netlist, but nothing could be simulated: neither \
             what Yosys made of the source is checked, nor what the C compiler makes of the kernel"
        ));
    }
    let run = subject.run.as_ref().map(|(run, _)| &run.program);
    let programs = std::iter::once(&subject.program).chain(run);
    let untested = programs.zip(proofs).enumerate().flat_map(|(k, (program, proof))| {
        let known = tried.get(k).map_or(&[][..], |tried| &tried.known);
        proof::untested(program.entry().outputs(), &proof.verdicts, known)
    });
    let untested: Vec<String> = untested.collect();
    (!untested.is_empty()).then(|| {
        format!(
            "no verdict: {} bits of outputs are neither proved nor known in a simulation: {}; `--budget` gives the proof \
             more time, a reset or initial values make them known",
            untested.len(),
            listed(&untested)
        )
    })
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
    Ok(Subject { kernel: kernel(lanes)?, netlist, parts, program, shared, run })
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
