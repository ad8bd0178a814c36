//! The compiled kernel beside a simulation of the source, and whose fault a difference is.
//!
//! A register of which nothing says how it begins is unknown in a simulation, and an `if` on it takes its `else` there, as no
//! hardware does. So a difference is tried again with such registers at the values at which the kernel has them. If it stays,
//! the netlist that Yosys made is simulated too, with all registers at those values: is the kernel what Yosys made?

use super::text::report;
use super::{unable, Args, Subject};
use crate::output;
use crate::session::{Failure, Session};
use crate::verilog;
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec::Block;
use nakiri_verify::hardware::{self, Agreement, Trial};
use nakiri_verify::preset::{self, Preset};
use nakiri_verify::scheduled;
use nakiri_verify::simulate::Design;
use nakiri_verify::stimuli::Reset;
use nakiri_verify::variables::Variables;
use nakiri_verify::waveform::Waveform;
use std::collections::BTreeMap;
use std::time::Instant;

/// For how many ticks the reset is held before the comparison, everything else being unknown.
const RESET_TICKS: usize = 16;

/// How many words with registers that begin unknown are named.
const NAMED: usize = 12;

/// What the simulations say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The kernel does what the source does, with registers of unknown first value at one.
    Same,
    /// The kernel does what Yosys' netlist does, but the source does something else.
    Unclear,
    /// The kernel does something else than Yosys' netlist.
    Different,
}

/// Compares the compiled kernel with a simulation in all lanes, and that of its run.
///
/// # Errors
/// [`Failure::Usage`] if a tool fails.
pub fn compare(args: &Args, subject: &Subject) -> Result<Verdict, Failure> {
    let start = Instant::now();
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
        limit: Some(args.budget),
    };
    let compiler = match &args.cc {
        Some(name) => Compiler::named(name),
        None => Compiler::for_target(subject.kernel.target),
    };
    let compiler = compiler.map_err(unable)?;
    let program = &subject.checked.program;
    let bar = output::search_bar(args.budget, "simulation");
    let stepped = hardware::Run::simulate(program, &trial).map_err(unable)?;
    let answers = stepped.answers(&subject.kernel, &compiler).map_err(unable)?;
    bar.finish_and_clear();
    let found = stepped.compared(&answers);
    output::print(&report("simulation", &trial, &found, start.elapsed()))?;
    let mut verdict = Verdict::Same;
    if found.difference.is_some() {
        let same = Trial { lanes: found.simulated, limit: None, ..trial };
        let known = again(args, subject, "simulation", &same, &|trial| {
            let run = hardware::Run::simulate(program, trial)?;
            Ok(run.compared(&answers))
        })?;
        if !known {
            verdict = of_netlist(args, subject, &trial, &stepped, &answers)?;
        }
    }
    if let Some((run, kernel)) = &subject.run {
        let start = Instant::now();
        let trial = Trial { lanes: kernel.blocks(), ticks: run.ticks(), ..trial };
        let found = scheduled::compare(run, kernel, &compiler, &trial).map_err(unable)?;
        output::print(&report("simulation of the run", &trial, &found, start.elapsed()))?;
        if found.difference.is_some() {
            let known = again(args, subject, "simulation of the run", &trial, &|trial| {
                scheduled::compare(run, kernel, &compiler, trial)
            })?;
            verdict = if known { verdict } else { Verdict::Different };
        }
    }
    Ok(verdict)
}

/// The design as the simulator is told about it.
fn design(args: &Args, subject: &Subject) -> Design {
    let clocks = Waveform::of(&subject.netlist, &subject.parts.instants);
    Design {
        include: args.source.include.clone(),
        define: args.source.hardware.define.clone(),
        ..Design::of(&subject.netlist, args.files.clone(), clocks)
    }
}

/// What each register holds where the kernel begins, by the net that carries it.
fn beginnings(subject: &Subject) -> BTreeMap<u32, bool> {
    let resets = subject.checked.program.entry().resets.iter().flatten();
    let nets = subject.parts.registers.iter().flatten();
    nets.zip(resets).map(|(net, value)| (*net, *value == 1)).collect()
}

/// Compares again with the registers that begin unknown at the values that they have in the kernel. Whether there is no
/// difference then; also if they can't be given a value there is one still.
fn again(
    args: &Args,
    subject: &Subject,
    what: &str,
    trial: &Trial,
    compare: &dyn Fn(&Trial) -> Result<Agreement, nakiri_verify::Error>,
) -> Result<bool, Failure> {
    let start = Instant::now();
    let mut registers = beginnings(subject);
    registers.retain(|net, _| subject.parts.unknown.contains(net));
    let first = trial.reset.map_or(0, |reset| reset.ticks);
    let preset = preset(args, subject, trial.design, &registers, first)?;
    if preset.words.is_empty() {
        return Ok(false);
    }
    let names: Vec<&str> = preset.words.iter().map(|word| word.name.as_str()).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let mut text = format!(
        "  {} bits of registers begin unknown: {}{more}\n",
        registers.len(),
        names[..names.len().min(NAMED)].join(", ")
    );
    text += "  an `if` on what is unknown takes its `else`; with those at what they are in the kernel:\n";
    output::print(&text)?;
    let design = Design { preset: Some(preset), ..trial.design.clone() };
    match compare(&Trial { design: &design, ..*trial }) {
        Ok(found) => {
            output::print(&report(what, trial, &found, start.elapsed()))?;
            if found.difference.is_none() {
                eprintln!(
                    "warning: of registers that begin unknown only one first value was simulated; an initial value in the \
                     source, or a reset, says which one is meant"
                );
            }
            Ok(found.difference.is_none())
        }
        Err(error) => {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default();
            output::print(&format!("  they can't be given a value in the simulation: {last}\n"))?;
            Ok(false)
        }
    }
}

/// Some registers as the words of the source that a simulator knows: of all names of a register, as the netlist has kept only
/// one, which may be that of a net behind it.
fn preset(
    args: &Args,
    subject: &Subject,
    design: &Design,
    registers: &BTreeMap<u32, bool>,
    tick: usize,
) -> Result<Preset, Failure> {
    let mut session = Session::new(&args.source.include);
    let named = verilog::named_netlist(&mut session, &args.files, &args.source.hardware)?;
    let variables = Variables::of(design).map_err(unable)?;
    let registers = preset::carried_over(registers, &subject.netlist, &named);
    Ok(variables.called(&Preset::of(&named, &registers, tick), &named))
}

/// Compares with Yosys' netlist, whose registers begin as those of the kernel do.
fn of_netlist(
    args: &Args,
    subject: &Subject,
    trial: &Trial,
    stepped: &hardware::Run,
    answers: &[Vec<Block>],
) -> Result<Verdict, Failure> {
    let start = Instant::now();
    let mut session = Session::new(&args.source.include);
    let work = Work::new().map_err(unable)?;
    let hardware = &args.source.hardware;
    let registers = beginnings(subject);
    let text = verilog::of_netlist(&mut session, &args.files, hardware, &registers)?;
    let file = work.write("netlist.v", text.as_bytes()).map_err(unable)?;
    let (include, define, sources) = (Vec::new(), Vec::new(), vec![file]);
    let design = Design { sources, include, define, ..trial.design.clone() };
    let found = stepped.on(&design).map_err(unable)?.compared(answers);
    let trial = Trial { design: &design, ..*trial };
    output::print(&report("simulation of Yosys' netlist", &trial, &found, start.elapsed()))?;
    if found.difference.is_some() {
        return Ok(Verdict::Different);
    }
    output::print(
        "  so Yosys and Icarus Verilog take the source for different hardware, or registers that begin unknown decide: give \
         them an initial value or a reset; complete the lists behind `always @`, or write `always @*`\n",
    )?;
    Ok(Verdict::Unclear)
}
