//! A schedule whose names are ports of a program.

use super::schedule::{End, Name, Phase, Schedule, Setpoint, Setting, Taken};
use crate::core::{semantics, Func, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// What an input is in a tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Drive {
    /// These atoms in every lane.
    Number(Vec<u128>),
    /// A parameter of the run.
    Data(usize),
}

/// A schedule for a program.
pub struct Plan {
    /// The parameters of the run.
    pub params: Vec<Port>,
    /// One after another.
    pub phases: Vec<Planned>,
    /// The schedule's text.
    pub span: Span,
}

/// A phase.
pub struct Planned {
    /// What each input of the program is.
    pub drives: Vec<Drive>,
    /// After how many ticks it ends, or which output ends it.
    pub end: Ending,
    /// What is taken in its last tick: outputs, and the results that they become.
    pub taken: Vec<(usize, Port)>,
    pub span: Span,
}

/// The last tick of a phase.
#[derive(Clone, Copy)]
pub enum Ending {
    /// After so many ticks.
    For(u32),
    /// The first in which this output is all ones, and where that is said.
    Until(usize, Span),
}

impl Plan {
    /// The plan of a schedule for a program.
    ///
    /// # Errors
    /// Names that are no ports, inputs that are set twice or too late, numbers that are too large.
    pub fn new(program: &Program, schedule: &Schedule) -> Result<Plan, Vec<Diagnostic>> {
        let entry = program.entry();
        steps(entry, schedule.span, "--run").map_err(|wrong| vec![wrong])?;
        let mut planner = Planner {
            inputs: entry.inputs(),
            outputs: entry.outputs(),
            params: Vec::new(),
            problems: Vec::new(),
        };
        let plan = planner.plan(schedule);
        match planner.problems.is_empty() {
            true => Ok(plan),
            false => Err(planner.problems),
        }
    }
}

/// Refuses a program that can't be stepped; the flag that asks for more than one tick stands at `span`.
///
/// # Errors
/// A word size that is not fixed, no registers.
pub fn steps(entry: &Func, span: Span, flag: &str) -> Result<(), Diagnostic> {
    if let Some(param) = entry.width_params.first() {
        let message = format!("the word size {param} of `{}` is not fixed", entry.name);
        return Err(Diagnostic::error("E0535", entry.span, message)
            .help("write the word sizes of what is run into the types of its parameters"));
    }
    if entry.resets.is_empty() {
        let message = format!("`{}` has no registers", entry.name);
        return Err(Diagnostic::error("E0535", entry.span, message)
            .also(span, "this is for a program with registers")
            .help(format!("leave `{flag}` out: one call computes it")));
    }
    Ok(())
}

struct Planner<'a> {
    inputs: &'a [Port],
    outputs: &'a [Port],
    params: Vec<Port>,
    problems: Vec<Diagnostic>,
}

impl Planner<'_> {
    fn plan(&mut self, schedule: &Schedule) -> Plan {
        let held = self.parameters(schedule);
        let mut drives: Vec<Option<Drive>> = held.into_iter().map(|k| k.map(Drive::Data)).collect();
        let mut phases: Vec<Planned> = Vec::new();
        for phase in &schedule.phases {
            self.settings(phase, &mut drives);
            if phases.is_empty() {
                self.set_from_the_start(phase, &drives);
            }
            let drives = drives.iter().map(|drive| drive.clone().unwrap_or(Drive::Number(vec![])));
            let end = match &phase.end {
                End::For(ticks) => Ending::For(*ticks),
                End::Until(name) => Ending::Until(self.output(name), name.span),
            };
            let earlier: Vec<&str> =
                phases.iter().flat_map(|p| &p.taken).map(|(_, port)| &*port.name).collect();
            let taken = self.taken(&phase.taken, &earlier);
            phases.push(Planned { drives: drives.collect(), end, taken, span: phase.span });
        }
        for name in &schedule.constants {
            match self.params.iter_mut().find(|port| port.name == name.text) {
                Some(port) => port.constant = true,
                None => {
                    let known: Vec<&str> = self.params.iter().map(|port| &*port.name).collect();
                    let message = format!("`{}` is no data of this run", name.text);
                    let help = format!("the data are `{}`", known.join("`, `"));
                    self.problems.push(Diagnostic::error("E0531", name.span, message).help(help));
                }
            }
        }
        Plan { params: std::mem::take(&mut self.params), phases, span: schedule.span }
    }

    /// Makes the parameters, in the order of the inputs; for each input its own, if the schedule doesn't set it.
    fn parameters(&mut self, schedule: &Schedule) -> Vec<Option<usize>> {
        let settings: Vec<&Setting> = schedule.phases.iter().flat_map(|p| &p.settings).collect();
        let mut held = Vec::new();
        for input in self.inputs {
            let own: Vec<&&Setting> =
                settings.iter().filter(|setting| setting.input.text == input.name).collect();
            held.push(own.is_empty().then(|| {
                self.params.push(input.clone());
                self.params.len() - 1
            }));
            for setting in own {
                if let Setpoint::Data(name) = &setting.value {
                    self.parameter(name, input, setting.span);
                }
            }
        }
        held
    }

    /// The parameter of this name, which an input is set to.
    fn parameter(&mut self, name: &str, input: &Port, span: Span) -> usize {
        let known = self.params.iter().position(|port| port.name == name);
        let Some(known) = known else {
            self.params.push(Port { name: name.to_string(), ..input.clone() });
            return self.params.len() - 1;
        };
        let port = &self.params[known];
        if (port.ty, port.count()) != (input.ty, input.count()) {
            let message = format!("`{name}` is data of another type than `{}`", input.name);
            self.problem("E0531", span, message, "give it another name");
        }
        known
    }

    fn settings(&mut self, phase: &Phase, drives: &mut [Option<Drive>]) {
        for (k, setting) in phase.settings.iter().enumerate() {
            let name = &setting.input;
            let Some(input) = self.inputs.iter().position(|port| port.name == name.text) else {
                self.no_such("input", name, self.inputs);
                continue;
            };
            if let Some(other) = phase.settings[..k].iter().find(|s| s.input.text == name.text) {
                let message = format!("`{}` is set twice in one phase", name.text);
                let wrong = Diagnostic::error("E0531", name.span, message)
                    .also(other.input.span, "here first")
                    .help("phases end with `;`: the next one may set it again");
                self.problems.push(wrong);
            }
            let port = &self.inputs[input];
            drives[input] = Some(match &setting.value {
                Setpoint::Number(number) => Drive::Number(self.atoms(*number, port, setting)),
                Setpoint::Data(data) => Drive::Data(self.parameter(data, port, setting.span)),
            });
        }
    }

    /// The atoms of a port that is a number: its first atom is in the lowest bits.
    fn atoms(&mut self, number: u128, port: &Port, setting: &Setting) -> Vec<u128> {
        let (width, count) = (u32::from(port.ty.bits()), port.count());
        let bits = width.saturating_mul(count);
        if bits < u128::BITS && number >> bits != 0 {
            let message = format!(
                "{number:#x} does not fit the {bits} bit{} of `{}`",
                if bits == 1 { "" } else { "s" },
                port.name
            );
            self.problem("E0532", setting.span, message, "write a smaller number");
        }
        let atom = |k: u32| number.checked_shr(k.saturating_mul(width)).unwrap_or(0);
        (0..count).map(|k| atom(k) & semantics::mask(port.ty.bits())).collect()
    }

    /// Refuses inputs that are set by a later phase than the first.
    fn set_from_the_start(&mut self, first: &Phase, drives: &[Option<Drive>]) {
        for (input, drive) in self.inputs.iter().zip(drives) {
            if drive.is_none() {
                let message = format!("`{}` is set, but not from the first phase on", input.name);
                let help = format!("begin with `{}=0`, say", input.name);
                self.problem("E0531", first.span, message, &help);
            }
        }
    }

    fn taken(&mut self, taken: &[Taken], earlier: &[&str]) -> Vec<(usize, Port)> {
        let mut ports: Vec<(usize, Port)> = Vec::new();
        for Taken { output, name } in taken {
            let number = self.output(output);
            let name = name.as_ref().unwrap_or(output);
            if earlier.contains(&&*name.text) || ports.iter().any(|(_, p)| p.name == name.text) {
                let message = format!("two results have the name `{}`", name.text);
                let help = format!("name one of them otherwise: `-> {}=other`", output.text);
                self.problem("E0531", name.span, message, &help);
            }
            if let Some(port) = self.outputs.get(number) {
                ports.push((number, Port { name: name.text.clone(), ..port.clone() }));
            }
        }
        ports
    }

    fn output(&mut self, name: &Name) -> usize {
        let found = self.outputs.iter().position(|port| port.name == name.text);
        if found.is_none() {
            self.no_such("output", name, self.outputs);
        }
        found.unwrap_or(self.outputs.len())
    }

    fn no_such(&mut self, what: &str, name: &Name, ports: &[Port]) {
        let known: Vec<&str> = ports.iter().map(|port| &*port.name).collect();
        let message = format!("there is no {what} `{}`", name.text);
        let help = match known.is_empty() {
            true => format!("there is no {what} at all"),
            false => format!("the {what}s are `{}`", known.join("`, `")),
        };
        self.problem("E0531", name.span, message, &help);
    }

    fn problem(&mut self, code: &'static str, span: Span, message: String, help: &str) {
        let problem = Diagnostic::error(code, span, message).help(help);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}
