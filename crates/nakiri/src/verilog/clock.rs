//! Which inputs are clocks, and at which of their edges registers act in a tick.

use super::cells::Gate;
use super::design::{Design, Driver};
use super::netlist::{Bit, Direction, MOST_CELLS};
use super::period::{Named, Period};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// An edge of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The port, counted from 0.
    pub port: usize,
    /// Whether it rises there.
    pub rises: bool,
}

impl Edge {
    fn other(self) -> Edge {
        Edge { rises: !self.rises, ..self }
    }
}

/// The clocks of a design in a tick.
#[derive(Debug)]
pub(super) struct Clocks {
    /// For each register the edge at which it acts.
    pub(super) registers: Vec<Edge>,
    /// The instants of a tick, one after another, with the edges that are there.
    pub(super) instants: Vec<Vec<Edge>>,
}

impl Clocks {
    /// The clocks of a design that do what was said, or its only one.
    ///
    /// # Errors
    /// Clocks that are made inside the module, edges at which registers act and that are not named, names that are no
    /// clocks, and clocks that rise or fall twice.
    pub(super) fn new(design: &Design, period: Option<&Period>) -> Result<Clocks, Vec<Diagnostic>> {
        let (registers, used) = edges(design).map_err(|wrong| vec![wrong])?;
        let Some(period) = period else {
            return match &used[..] {
                [] | [_] => Ok(Clocks { registers, instants: vec![edges_of(&used)] }),
                _ => Err(vec![several(design, &used)]),
            };
        };
        let named = named(design, period, &used)?;
        let is_named = |used: &&Used| named.iter().flatten().any(|(edge, _)| *edge == used.edge);
        if let Some(missing) = used.iter().find(|used| !is_named(used)) {
            return Err(vec![not_named(design, period, &used, missing)]);
        }
        let twice: Vec<Diagnostic> =
            used.iter().filter_map(|used| twice(design, &named, &registers, used.edge)).collect();
        if !twice.is_empty() {
            return Err(twice);
        }
        let cells = design.netlist.cells.len();
        if named.len() > 1 && cells.saturating_mul(named.len()) > MOST_CELLS {
            return Err(vec![too_long(period, cells)]);
        }
        let instants = named.iter().map(|edges| edges.iter().map(|(edge, _)| *edge).collect());
        Ok(Clocks { registers, instants: instants.collect() })
    }

    /// Whether a register acts at an instant.
    pub(super) fn acts(&self, register: usize, instant: usize) -> bool {
        self.instants[instant].contains(&self.registers[register])
    }

    /// Whether a port is a clock.
    pub(super) fn has(&self, port: usize) -> bool {
        self.instants.iter().flatten().any(|edge| edge.port == port)
    }
}

/// An edge at which registers act, and the first of them.
struct Used {
    edge: Edge,
    span: Span,
}

fn edges_of(used: &[Used]) -> Vec<Edge> {
    used.iter().map(|used| used.edge).collect()
}

/// The edge at which each register acts, and all of these in the order of their ports.
fn edges(design: &Design) -> Result<(Vec<Edge>, Vec<Used>), Diagnostic> {
    let mut registers = Vec::with_capacity(design.registers.len());
    let mut used: Vec<(Used, usize)> = Vec::new();
    for register in &design.registers {
        let Some((edge, bit)) = source(design, register.clock, register.rising) else {
            return Err(made_inside(design, register.clock, register.span));
        };
        registers.push(edge);
        let mut same_port = used.iter().filter(|(known, _)| known.edge.port == edge.port);
        if let Some((known, _)) = same_port.clone().find(|(_, other)| *other != bit) {
            return Err(part_of_vector(design, edge.port, known.span, register.span));
        }
        if !same_port.any(|(known, _)| known.edge == edge) {
            used.push((Used { edge, span: register.span }, bit));
        }
    }
    let mut used: Vec<Used> = used.into_iter().map(|(used, _)| used).collect();
    used.sort_by_key(|used| (used.edge.port, !used.edge.rises));
    Ok((registers, used))
}

/// The edge of an input that acts on a clock pin, and the bit of the input.
fn source(design: &Design, mut clock: Bit, mut rises: bool) -> Option<(Edge, usize)> {
    loop {
        let Bit::Net(net) = clock else { return None };
        match design.drivers[net as usize] {
            Driver::Input { port, bit } => return Some((Edge { port, rises }, bit)),
            Driver::Gate(gate) => {
                let cell = &design.gates[gate];
                rises = match cell.gate {
                    Gate::Buffer => rises,
                    Gate::Not => !rises,
                    _ => return None,
                };
                clock = cell.pins[0];
            }
            Driver::None | Driver::Register(_) | Driver::Rom(_) => return None,
        }
    }
}

/// The instants of a period with the edges that are meant, and where they are named.
fn named(
    design: &Design,
    period: &Period,
    used: &[Used],
) -> Result<Vec<Vec<(Edge, Span)>>, Vec<Diagnostic>> {
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut named = Vec::new();
    for instant in &period.instants {
        let mut edges = Vec::new();
        for name in instant {
            match meant(design, period, used, name) {
                Ok(edge) => edges.push((edge, name.span)),
                Err(diagnostic) if wrong.iter().any(|d| d.message == diagnostic.message) => {}
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
        named.push(edges);
    }
    match wrong.is_empty() {
        true => Ok(named),
        false => Err(wrong),
    }
}

/// The edge that a name means: the one at which registers act, and where they act at both, or both are named, that at which
/// the clock rises.
fn meant(
    design: &Design,
    period: &Period,
    used: &[Used],
    name: &Named,
) -> Result<Edge, Diagnostic> {
    let ports = design.netlist.ports.iter().enumerate();
    let mut inputs = ports.filter(|(_, port)| port.direction == Direction::Input);
    let found = inputs.clone().find(|(_, port)| port.name == name.clock);
    let Some((port, declared)) = found else {
        let names: Vec<&str> = inputs.by_ref().map(|(_, port)| port.name.as_str()).collect();
        let message = format!("there is no input `{}`", name.clock);
        return Err(Diagnostic::error("E0519", name.span, message)
            .also(design.netlist.span, "the module")
            .help(format!("the inputs are `{}`", names.join("`, `"))));
    };
    if !used.iter().any(|used| used.edge.port == port) {
        let message = format!("`{}` clocks nothing", name.clock);
        return Err(Diagnostic::error("E0519", name.span, message)
            .also(declared.span, "an input like others")
            .help("leave it out; a clock that is the only one is found without `--clock`"));
    }
    let rise = Edge { port, rises: true };
    let mut all = period.instants.iter().flatten();
    let by_edge = used.iter().any(|used| used.edge == rise)
        || all.any(|other| other.clock == name.clock && other.falls);
    Ok(Edge { port, rises: by_edge && !name.falls })
}

/// What a schedule calls an edge.
fn shown(design: &Design, used: &[Used], edge: Edge) -> String {
    let name = &design.netlist.ports[edge.port].name;
    let both = used.iter().any(|used| used.edge == edge.other());
    format!("{}{name}", if both && !edge.rises { "!" } else { "" })
}

/// That registers act at several edges, and nothing says when these are.
fn several(design: &Design, used: &[Used]) -> Diagnostic {
    let name = |used: &Used| design.netlist.ports[used.edge.port].name.as_str();
    let mut ports: Vec<usize> = used.iter().map(|used| used.edge.port).collect();
    ports.dedup();
    let (code, message) = match ports.len() {
        1 => ("E0518", format!("both edges of the clock `{}` act", name(&used[0]))),
        count => ("E0516", format!("the module has {count} clocks")),
    };
    let diagnostic = Diagnostic::error(code, design.netlist.ports[used[0].edge.port].span, message);
    driven(design, used, diagnostic).help(ways(design, used))
}

/// That an edge at which registers act is in no instant.
fn not_named(design: &Design, period: &Period, used: &[Used], missing: &Used) -> Diagnostic {
    let port = &design.netlist.ports[missing.edge.port];
    let named = period.instants.iter().flatten().any(|named| named.clock == port.name);
    let (code, message) = match named {
        true => ("E0518", format!("both edges of the clock `{}` act", port.name)),
        false => ("E0516", format!("the module has another clock, `{}`", port.name)),
    };
    let edge = shown(design, used, missing.edge);
    let diagnostic = Diagnostic::error(code, period.span, message)
        .label(format!("`{edge}` is not there"))
        .also(port.span, "declared here");
    driven(design, used, diagnostic).help(ways(design, used))
}

/// How many edges are shown with a register.
const SHOWN: usize = 4;

fn driven(design: &Design, used: &[Used], mut diagnostic: Diagnostic) -> Diagnostic {
    for one in used.iter().take(SHOWN) {
        diagnostic =
            diagnostic.also(one.span, format!("driven by `{}`", shown(design, used, one.edge)));
    }
    diagnostic
}

/// How `--clock` says what the clocks of the design do: an edge of each in a tick, and several of the first.
fn ways(design: &Design, used: &[Used]) -> String {
    let rises = used.iter().filter(|one| {
        let both = used.iter().any(|other| other.edge == one.edge.other());
        one.edge.rises || !both
    });
    let first: Vec<String> = rises.map(|one| shown(design, used, one.edge)).collect();
    let both = used.iter().filter(|one| !one.edge.rises).map(|one| shown(design, used, one.edge));
    let falls: Vec<String> = both.filter(|name| name.starts_with('!')).collect();
    let together = match falls.is_empty() {
        true => first.join(","),
        false => format!("{};{}", first.join(","), falls.join(",")),
    };
    let quoted = if falls.is_empty() { together.clone() } else { format!("'{together}'") };
    if first.len() == 1 {
        return format!("if a tick is a rise and then a fall, say so: `--clock {quoted}`");
    }
    // The first clock runs twice as fast as the others.
    let own = |names: &[String]| -> Option<String> {
        let own = names.iter().find(|name| name.trim_start_matches('!') == first[0]);
        own.cloned()
    };
    let again = match own(&falls) {
        Some(fall) => format!("{};{fall}", first[0]),
        None => first[0].clone(),
    };
    format!(
        "if every tick is an edge of all of them, say so: `--clock {quoted}`; if they run at different speeds, say what they \
         do in a tick, one instant after another: with `--clock '{together};{again}'` a tick has two edges of `{}` and one of \
         the others",
        first[0]
    )
}

/// That a clock rises or falls twice with nothing in between, though registers act at what is in between: in a tick, or
/// from one to the next.
fn twice(
    design: &Design,
    named: &[Vec<(Edge, Span)>],
    registers: &[Edge],
    edge: Edge,
) -> Option<Diagnostic> {
    if !registers.contains(&edge.other()) {
        return None;
    }
    let own: Vec<(Edge, Span)> =
        named.iter().flatten().filter(|(other, _)| other.port == edge.port).copied().collect();
    let next = |at: usize| own[(at + 1) % own.len()];
    let at = (0..own.len()).find(|&at| own[at].0 == edge && next(at).0 == edge)?;
    let name = &design.netlist.ports[edge.port].name;
    let (does, between) = if edge.rises { ("rises", "falls") } else { ("falls", "rises") };
    let message = format!("`{name}` {does} twice, and registers act when it {between}");
    let diagnostic = Diagnostic::error("E0524", next(at).1, message);
    let diagnostic = match at + 1 < own.len() {
        true => diagnostic.also(own[at].1, "the first time"),
        false => diagnostic.label("in the next tick").also(own[at].1, "the first time, in a tick"),
    };
    let help =
        format!("say when it {between}: name both edges in turn, as in `--clock '{name};!{name}'`");
    Some(diagnostic.help(help))
}

fn too_long(period: &Period, cells: usize) -> Diagnostic {
    let instants = period.instants.len();
    let message = format!("{instants} instants of {cells} cells are too large");
    Diagnostic::error("E0524", period.span, message)
        .help(format!("{MOST_CELLS} cells of all instants together can be compiled"))
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

fn part_of_vector(design: &Design, port: usize, first: Span, second: Span) -> Diagnostic {
    let port = &design.netlist.ports[port];
    let message = format!("several bits of `{}` are clocks", port.name);
    Diagnostic::error("E0517", port.span, message)
        .also(first, "clocked by one of them")
        .also(second, "clocked by another")
        .help("make each clock an input of its own")
}
