//! `nakiri prove`: whether a design in Verilog and the kernel made of it are the same.

mod simulation;
mod text;

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
use nakiri::verilog::{Correspondence, Netlist};
use nakiri_circuit::equivalence::{self, Proof, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::simulate;
use simulation::Verdict as Tried;
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
    /// How long the proof may take, and the simulation after it, such as 90s or 10m
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    budget: Duration,
}

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
    let mut tried = Tried::Same;
    if simulated {
        tried = simulation::compare(args, &subject)?;
    } else {
        output::print("simulation: none, for there is no source to simulate\n")?;
    }
    if different || tried == Tried::Different {
        return Err(Failure::Wrong("the kernel is not the hardware".to_string()));
    }
    match tried {
        Tried::Unclear => Err(Failure::Wrong(
            "no verdict: the kernel is what Yosys makes of the source, but a simulation of the source does something else"
                .to_string(),
        )),
        _ => Ok(()),
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
        names.zip(&values).map(|(name, bits)| format!("{name} = {}", text::number(bits))).collect();
    Some(format!("  `{}[{bit}]` differs where {}\n", port.name, values.join(", ")))
}

fn unable(error: nakiri_verify::Error) -> Failure {
    Failure::Usage(error.to_string())
}
