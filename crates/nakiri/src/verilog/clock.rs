//! Which inputs are clocks: a tick is an edge of all of them.

use super::cells::Gate;
use super::design::{Design, Driver};
use super::netlist::{Bit, Direction};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The ports that are clocks, by their numbers, in the order in which they are met.
///
/// # Errors
/// Clocks that are made inside the module, several that were not named, both edges, names that are no clocks.
pub(super) fn ports(design: &Design, named: &[String]) -> Result<Vec<usize>, Vec<Diagnostic>> {
    let netlist = design.netlist;
    let mut clocks: Vec<(usize, bool, Span)> = Vec::new();
    let mut wrong = Vec::new();
    for register in &design.registers {
        match source(design, register.clock, register.rising) {
            Some((port, rising)) => match clocks.iter().find(|clock| clock.0 == port) {
                None => clocks.push((port, rising, register.span)),
                Some(clock) if clock.1 != rising => {
                    wrong.push(both_edges(design, port, clock.2, register.span));
                }
                Some(_) => {}
            },
            None => wrong.push(made_inside(design, register.clock, register.span)),
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
    }
    clocks.sort_by_key(|clock| clock.0);
    for name in named {
        let is_clock = |clock: &&(usize, bool, Span)| netlist.ports[clock.0].name == *name;
        if clocks.iter().find(is_clock).is_none() {
            wrong.push(no_clock(design, name));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let name = |port: usize| netlist.ports[port].name.as_str();
    let unnamed = clocks.iter().find(|clock| !named.iter().any(|other| other == name(clock.0)));
    if let (Some(unnamed), true) = (unnamed, !named.is_empty() || clocks.len() > 1) {
        let names: Vec<&str> = clocks.iter().map(|clock| name(clock.0)).collect();
        let mut diagnostic = Diagnostic::error(
            "E0516",
            netlist.ports[unnamed.0].span,
            format!("the module has another clock, `{}`", name(unnamed.0)),
        );
        if named.is_empty() {
            diagnostic.message = format!("the module has {} clocks", clocks.len());
        }
        for clock in clocks.iter().take(4) {
            diagnostic = diagnostic.also(clock.2, format!("driven by `{}`", name(clock.0)));
        }
        wrong.push(diagnostic.help(format!(
            "if every tick is an edge of all of them, say so: `--clock {}`; otherwise compile the part of each clock \
             alone",
            names.join(",")
        )));
    }
    match wrong.is_empty() {
        true => Ok(clocks.into_iter().map(|clock| clock.0).collect()),
        false => Err(wrong),
    }
}

/// The port that a clock pin hangs on, and which edge of it acts.
fn source(design: &Design, mut bit: Bit, mut rising: bool) -> Option<(usize, bool)> {
    loop {
        let Bit::Net(net) = bit else { return None };
        match design.drivers[net as usize] {
            Driver::Input { port, .. } => return Some((port, rising)),
            Driver::Gate(gate) => {
                let cell = &design.gates[gate];
                rising = match cell.gate {
                    Gate::Buffer => rising,
                    Gate::Not => !rising,
                    _ => return None,
                };
                bit = cell.pins[0];
            }
            Driver::None | Driver::Register(_) => return None,
        }
    }
}

fn made_inside(design: &Design, clock: Bit, span: Span) -> Diagnostic {
    let (name, place) = match clock {
        Bit::Net(net) => design.name(net),
        _ => ("a constant".to_string(), span),
    };
    Diagnostic::error("E0517", span, format!("the clock `{name}` is not an input"))
        .label("this is clocked by it")
        .also(place, "made inside the module")
        .help("clock it by the input, and let an enable say at which ticks it acts: `if (enable) q <= d;`")
}

fn both_edges(design: &Design, port: usize, first: Span, second: Span) -> Diagnostic {
    let port = &design.netlist.ports[port];
    Diagnostic::error("E0518", port.span, format!("both edges of the clock `{}` act", port.name))
        .also(first, "at the one")
        .also(second, "at the other")
        .help("let all registers act at one edge, with an enable where they take turns")
}

fn no_clock(design: &Design, name: &str) -> Diagnostic {
    let inputs = design.netlist.ports.iter().filter(|port| port.direction == Direction::Input);
    let port = inputs.clone().find(|port| port.name == *name);
    match port {
        Some(port) => Diagnostic::error("E0519", port.span, format!("`{name}` clocks nothing"))
            .help("leave `--clock` out: the clock is found"),
        None => {
            let names: Vec<&str> = inputs.map(|port| port.name.as_str()).collect();
            let message = format!("there is no input `{name}`");
            Diagnostic::error("E0519", design.netlist.span, message)
                .help(format!("the inputs are `{}`", names.join("`, `")))
        }
    }
}
