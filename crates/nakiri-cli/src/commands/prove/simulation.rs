//! The compiled kernel beside a simulation of the source, and whose fault a difference is.
//!
//! A register of which nothing says how it begins is unknown in a simulation, and an `if` on it takes its `else` there, as no
//! hardware does. So where there is a difference, or too little is known, it is tried again with such registers at the values at
//! which the kernel has them. Registers that have an initial value and that the reset doesn't hold run on during it in a
//! simulation, while the kernel begins after it: they are put back in any case. If that doesn't settle it, or there is no source
//! that the simulator takes, the netlist that Yosys made is simulated, with all registers at those values: is the kernel what
//! Yosys made? Where it is, the question is why the source is something else ([`super::causes`]).

use super::said::Said;
use super::text::{figures, most, refusal, report};
use super::{causes, unable, waveform, Args, Subject};
use crate::interrupt;
use crate::output::{self, say};
use crate::session::{Failure, Session};
use crate::verilog;
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec::Divided;
use nakiri_verify::hardware::{self, Agreement, Trial};
use nakiri_verify::netlist;
use nakiri_verify::preset::{self, Given, Preset};
use nakiri_verify::scheduled;
use nakiri_verify::simulate::{Design, Simulator};
use nakiri_verify::stimuli::Reset;
use nakiri_verify::variables::Variables;
use nakiri_verify::waveform::Waveform;
use nakiri_verify::Error;
use serde_json::json;
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
    Source,
    /// The kernel does what Yosys' netlist does, and the source can't be simulated, or leaves too much unknown.
    Netlist,
    /// Neither can be simulated.
    Nothing,
    /// The kernel does what Yosys' netlist does, as far as that can be simulated, but the source does something else.
    Unclear,
    /// The kernel does something else than Yosys' netlist.
    Different,
}

/// What came of the simulations of ticks, or of a run.
pub struct Tried {
    /// What they say together.
    pub verdict: Verdict,
    /// Which bits of the outputs, or results, were compared; nothing if none was.
    pub known: Vec<Vec<bool>>,
}

/// Compares the compiled kernel with a simulation in all lanes, and that of its run.
///
/// # Errors
/// [`Failure::Usage`] if a tool fails.
pub fn compare(args: &Args, subject: &Subject, said: &mut Said) -> Result<Vec<Tried>, Failure> {
    let compiler = match &args.cc {
        Some(name) => Compiler::named(name),
        None => Compiler::for_target(subject.kernel.target),
    };
    let compiler = compiler.map_err(unable)?;
    let Subject { program, kernel, shared, .. } = subject;
    let ticks = Comparison {
        args,
        subject,
        what: "simulation",
        of: "tick",
        shape: (kernel.blocks(), args.ticks as usize),
        shared: shared.as_ref().map_or(&[], |(shared, _)| &shared.inputs),
        compare: &|trial| {
            let run = hardware::Run::simulate(program, trial)?;
            match shared {
                None => run.compiled(kernel, &compiler),
                Some((shared, control)) => {
                    run.divided(&Divided { shared, control, lanes: kernel }, &compiler)
                }
            }
        },
    };
    let mut all = vec![ticks.judged(said)?];
    if let Some((run, kernel)) = &subject.run {
        let run = Comparison {
            args,
            subject,
            what: "simulation of the run",
            of: "run",
            shape: (kernel.blocks(), run.ticks()),
            shared: &[],
            compare: &|trial| scheduled::compare(run, kernel, &compiler, trial),
        };
        all.push(run.judged(said)?);
    }
    Ok(all)
}

/// Compares a kernel with hardware.
type Compare<'a> = &'a dyn Fn(&Trial) -> Result<Agreement, Error>;

/// A kernel that is compared: that of a tick, or of a run.
struct Comparison<'a> {
    args: &'a Args,
    subject: &'a Subject,
    /// What it is called for people and for programs.
    what: &'static str,
    of: &'static str,
    /// How many lanes and ticks it has.
    shape: (usize, usize),
    /// Which parameters are the same in all lanes.
    shared: &'a [bool],
    compare: Compare<'a>,
}

impl Comparison<'_> {
    /// Simulates what is needed to judge.
    fn judged(&self, said: &mut Said) -> Result<Tried, Failure> {
        let start = Instant::now();
        let mut design = self.design();
        let reset = self.reset(&design);
        // Registers that begin unknown may ask for a second simulation, which needs its time.
        let parts = if self.subject.parts.unknown.is_empty() { 1 } else { 2 };
        if self.is_verilog() {
            design.preset = self.put_back(&design, reset, said)?;
        }
        let trial = Trial {
            design: &design,
            shared: self.shared,
            assumption: self.subject.assumed.as_ref().map(|assumed| &assumed.assumption),
            reset,
            lanes: self.shape.0,
            first: 0,
            ticks: self.shape.1,
            seed: self.args.seed,
            limit: Some(self.args.budget / parts),
        };
        let source = match self.is_verilog() {
            true => self.of_source(&trial, said)?,
            false => None,
        };
        let differing = |found: &Agreement| {
            found.difference.as_ref().map_or(0, |found_in| found_in.lane % found.simulated)
        };
        let left = || self.args.budget.saturating_sub(start.elapsed());
        let mut first = source.as_ref().map_or(0, differing);
        let mut found = vec![source];
        if found[0].as_ref().is_some_and(asks) {
            let trial = Trial { first, limit: Some(left()), ..trial };
            found.push(self.again(&trial, said)?);
            let again = found[1].as_ref().map_or(0, differing);
            first = (first + again) % trial.lanes;
        }
        let found: Vec<Agreement> = found.into_iter().flatten().collect();
        if let Some(settled) = found.last().filter(|found| !asks(found)) {
            return Ok(Tried { verdict: Verdict::Source, known: settled.known.clone() });
        }
        let trial = Trial { first, limit: Some(left()), ..trial };
        let netlist = self.of_netlist(&trial, said)?;
        self.verdict(&found, netlist, &trial, said)
    }

    /// Whether there is a source.
    fn is_verilog(&self) -> bool {
        verilog::is_verilog(&self.args.files[0])
    }

    /// What simulations of the source, from which something stayed open, and of Yosys' netlist say together.
    fn verdict(
        &self,
        source: &[Agreement],
        netlist: Option<Agreement>,
        trial: &Trial,
        said: &mut Said,
    ) -> Result<Tried, Failure> {
        let last = source.last();
        let unclear = last.is_some_and(|found| found.difference.is_some());
        let verdict = match (&netlist, last) {
            (Some(netlist), _) if netlist.difference.is_some() => Verdict::Different,
            _ if unclear => Verdict::Unclear,
            (Some(_), _) => Verdict::Netlist,
            (None, Some(_)) => Verdict::Source,
            (None, None) => Verdict::Nothing,
        };
        if verdict == Verdict::Unclear && netlist.is_some() {
            let mut session = Session::new(&self.args.source.include);
            let hardware = &self.args.source.hardware;
            let reading = verilog::reading(&mut session, &self.args.files, hardware)?;
            let unknown = source.first().map_or(0, |found| found.unknown);
            let is_open = self.is_left_open(&reading.words, trial, unknown)?;
            causes::say(self.args, self.subject, is_open, &reading.mixed, said)?;
        }
        if let Some(found) = last.filter(|found| most(found)) {
            say!(
                "warning: {} of {} bits of outputs are unknown in the simulation of the source, and not compared; a reset, \
                 or initial values, make them known",
                found.unknown,
                found.unknown + found.compared
            );
        }
        let found = netlist.as_ref().or(last);
        Ok(Tried { verdict, known: found.map_or(Vec::new(), |found| found.known.clone()) })
    }

    /// Simulates something and says what was found. Nothing if the simulator doesn't take it.
    fn simulated(
        &self,
        (what, hardware): (&str, &str),
        trial: &Trial,
        said: &mut Said,
    ) -> Result<Result<Agreement, String>, Failure> {
        let start = Instant::now();
        let bar = output::search_bar(trial.limit.unwrap_or_default(), self.what);
        let found = (self.compare)(trial);
        bar.finish_and_clear();
        if interrupt::happened() {
            return Err(Failure::Interrupted(interrupt::code()));
        }
        let found = match found {
            Err(error @ (Error::Simulator { .. } | Error::Late { .. })) => {
                let why = refusal(&error);
                let value = json!({ "of": self.of, "simulated": hardware, "refused": why });
                said.add("simulations", value);
                return Ok(Err(why));
            }
            found => found.map_err(unable)?,
        };
        said.print(&report(what, trial, &found, start.elapsed()))?;
        if let Some((path, difference)) = self.args.vcd.as_ref().zip(found.difference.as_ref()) {
            waveform::write(path, trial.design, difference)?;
            said.print(&format!("  its waveform is in {}\n", path.display()))?;
        }
        let mut value = figures(trial, &found, start.elapsed());
        value["of"] = json!(self.of);
        value["simulated"] = json!(hardware);
        said.add("simulations", value);
        Ok(Ok(found))
    }

    /// Compares with the source.
    fn of_source(&self, trial: &Trial, said: &mut Said) -> Result<Option<Agreement>, Failure> {
        match self.simulated((self.what, "source"), trial, said)? {
            Ok(found) => Ok(Some(found)),
            Err(why) => {
                said.print(&format!(
                    "{}: {} does not take the source: {why}\n  so it is Yosys' netlist that is simulated, \
                     which says nothing about what Yosys made of the source\n",
                    self.what,
                    trial.design.simulator.name()
                ))?;
                Ok(None)
            }
        }
    }

    /// Compares again with the registers that begin unknown at the values that they have in the kernel. Nothing if they can't be
    /// given a value.
    fn again(&self, trial: &Trial, said: &mut Said) -> Result<Option<Agreement>, Failure> {
        let tick = trial.reset.map_or(0, |reset| reset.ticks);
        if trial.design.simulator == Simulator::Verilator {
            return Ok(None);
        }
        let mut registers = self.first_values(&self.subject.parts.unknown, false);
        let preset = self.preset(trial.design, &registers, tick)?;
        if preset.words.is_empty() {
            return Ok(None);
        }
        let bits = preset.words.iter().flat_map(|word| &word.bits).flatten().count();
        let names: Vec<&str> = preset.words.iter().map(|word| word.name.as_str()).collect();
        said.print(&format!(
            "  {} bits of registers begin unknown: {}\n  an `if` on what is unknown takes its `else`; with those at what \
             they are in the kernel:\n",
            bits,
            listed(&names)
        ))?;
        registers.extend(self.first_values(&self.subject.parts.running, true));
        let preset = Some(self.preset(trial.design, &registers, tick)?);
        let design = Design { preset, ..trial.design.clone() };
        let trial = Trial { design: &design, ..*trial };
        match self.simulated((self.what, "source with first values of the kernel"), &trial, said)? {
            Ok(found) => {
                if found.difference.is_none() {
                    say!(
                        "warning: of registers that begin unknown only one first value was simulated; an initial value in \
                         the source, or a reset, says which one is meant"
                    );
                }
                Ok(Some(found))
            }
            Err(why) => {
                said.print(&format!("  they can't be given a value in the simulation: {why}\n"))?;
                Ok(None)
            }
        }
    }

    /// Compares with Yosys' netlist, whose registers begin as those of the kernel do. Nothing if that can't be simulated.
    fn of_netlist(&self, trial: &Trial, said: &mut Said) -> Result<Option<Agreement>, Failure> {
        let work = Work::new().map_err(unable)?;
        let text = netlist::verilog(&self.subject.netlist, &beginnings(self.subject));
        let file = work.write("netlist.v", text.as_bytes()).map_err(unable)?;
        let (include, define, sources) = (Vec::new(), Vec::new(), vec![file]);
        let design = Design { sources, include, define, preset: None, ..trial.design.clone() };
        let reset = trial.reset.map(|reset| Reset { ticks: 0, ..reset });
        let trial = Trial { design: &design, reset, ..*trial };
        let what = match self.is_verilog() {
            true => format!("{} of Yosys' netlist", self.what),
            false => format!("{} of the netlist", self.what),
        };
        match self.simulated((&what, "netlist"), &trial, said)? {
            Ok(found) => Ok(Some(found)),
            Err(why) => {
                let name = trial.design.simulator.name();
                said.print(&format!("{what}: {name} does not take that either: {why}\n"))?;
                Ok(None)
            }
        }
    }

    /// Whether a simulation of words in which is unknown what the source leaves open agrees with the kernel, where it is known, and
    /// more than so many bits are not.
    fn is_left_open(&self, words: &str, trial: &Trial, unknown: u64) -> Result<bool, Failure> {
        let work = Work::new().map_err(unable)?;
        let file = work.write("words.v", words.as_bytes()).map_err(unable)?;
        let (include, define, sources) = (Vec::new(), Vec::new(), vec![file]);
        let design = Design { sources, include, define, preset: None, ..trial.design.clone() };
        let found = (self.compare)(&Trial { design: &design, ..*trial });
        let agrees = |found: Agreement| found.difference.is_none() && found.unknown > unknown;
        Ok(found.is_ok_and(agrees))
    }

    /// Values for registers that have an initial value and that the reset doesn't hold.
    fn put_back(
        &self,
        design: &Design,
        reset: Option<Reset>,
        said: &mut Said,
    ) -> Result<Option<Preset>, Failure> {
        let Some(reset) = reset.filter(|_| !self.subject.parts.running.is_empty()) else {
            return Ok(None);
        };
        let registers = self.first_values(&self.subject.parts.running, true);
        let preset = self.preset(design, &registers, reset.ticks)?;
        let names: Vec<&str> = preset.words.iter().map(|word| word.name.as_str()).collect();
        if names.is_empty() {
            return Ok(None);
        }
        said.print(&format!(
            "{}: it begins behind a reset, in which no tick passes for the kernel; what the reset doesn't hold has its initial \
             value then: {}\n",
            self.what,
            listed(&names)
        ))?;
        Ok(Some(preset))
    }

    /// What the kernel begins with in the registers of some nets.
    fn first_values(&self, nets: &[u32], always: bool) -> BTreeMap<u32, Given> {
        let mut registers = beginnings(self.subject);
        registers.retain(|net, _| nets.contains(net));
        registers.into_iter().map(|(net, value)| (net, Given { value, always })).collect()
    }

    /// The design as the simulator is told about it.
    fn design(&self) -> Design {
        let clocks = Waveform::of(&self.subject.netlist, &self.subject.parts.instants);
        Design {
            include: self.args.source.include.clone(),
            define: self.args.source.hardware.define.clone(),
            simulator: self.args.simulator.into(),
            ..Design::of(&self.subject.netlist, self.args.files.clone(), clocks)
        }
    }

    fn reset(&self, design: &Design) -> Option<Reset> {
        let (port, idle) = self.subject.parts.reset?;
        let name = &self.subject.netlist.ports[port].name;
        let input = design.inputs.iter().position(|signal| signal.name == *name);
        let input = input.unwrap_or_default();
        Some(Reset { input, active: !idle, ticks: RESET_TICKS, again: false })
    }

    /// Some registers as the words of the source that a simulator knows: of all names of a register, as the netlist has kept
    /// only one, which may be that of a net behind it.
    fn preset(
        &self,
        design: &Design,
        registers: &BTreeMap<u32, Given>,
        tick: usize,
    ) -> Result<Preset, Failure> {
        let mut session = Session::new(&self.args.source.include);
        let hardware = &self.args.source.hardware;
        let named = verilog::named_netlist(&mut session, &self.args.files, hardware)?;
        let registers = preset::carried_over(registers, &self.subject.netlist, &named);
        let preset = Preset::of(&named, &registers, tick);
        match design.simulator {
            Simulator::Icarus => match Variables::of(design) {
                Ok(variables) => Ok(variables.called(&preset, &named)),
                // It is said where the source is simulated.
                Err(Error::Simulator { .. } | Error::Late { .. }) => {
                    Ok(Preset { words: Vec::new(), ..preset })
                }
                Err(error) => Err(unable(error)),
            },
            Simulator::Verilator => Ok(preset),
        }
    }
}

/// Whether a simulation doesn't settle it: there is a difference, a bit was never known, or most of what there is.
fn asks(found: &Agreement) -> bool {
    found.difference.is_some() || most(found) || found.known.iter().flatten().any(|known| !known)
}

/// What each register holds where the kernel begins, by the net that carries it.
fn beginnings(subject: &Subject) -> BTreeMap<u32, bool> {
    let resets = subject.program.entry().resets.iter().flatten();
    let nets = subject.parts.registers.iter().flatten();
    nets.zip(resets).map(|(net, value)| (*net, *value == 1)).collect()
}

/// Some names, but not too many.
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
