//! Circuits drawn: gates from left to right by their depth, wires in channels between them.
//!
//! [`place`] says where gates stand, [`route`] where wires run; here both are drawn.

mod place;
mod route;

use super::svg::{Anchor, Drawing};
use super::{legend, theme, Table};
use nakiri::circuit::{Circuit, Gate, Output, Signal};
use place::{Column, Slot, Source};

/// A circuit with its name.
#[derive(Clone, Debug)]
pub struct Named {
    /// The table's name in the source.
    pub name: String,
    /// Where the circuit comes from.
    pub origin: String,
    /// The circuit.
    pub circuit: Circuit,
}

/// The size of a gate.
const GATE: (f64, f64) = (26.0, 24.0);
/// The distance of a gate's inputs from its middle, if there are two and if there are three.
const PIN: f64 = 6.0;
/// See [`PIN`].
const PIN_OF_THREE: f64 = 8.0;
/// The distance of two tracks of a channel, and of the first from the gates.
const TRACK: f64 = 7.0;
const MARGIN: f64 = 9.0;
const TOP: f64 = 30.0;

/// Kinds of gates: symbol, class and name.
const KINDS: [(&str, &str, &str); 7] = [
    ("&", "blue", "and"),
    ("∨", "green", "or"),
    ("⊕", "vermillion", "exclusive or"),
    ("&", "sky", "and, first input inverted"),
    ("∨", "purple", "or, first input inverted"),
    ("1", "grey", "inverter"),
    ("T", "yellow", "table of three inputs"),
];

fn kind(gate: &Gate) -> usize {
    match gate {
        Gate::And(..) => 0,
        Gate::Or(..) => 1,
        Gate::Xor(..) => 2,
        Gate::AndNot(..) => 3,
        Gate::OrNot(..) => 4,
        Gate::Not(..) => 5,
        Gate::Ternary(..) => 6,
    }
}

/// The signals that a gate takes, with the height of each pin relative to its middle.
fn pins(gate: &Gate) -> Vec<(Signal, f64)> {
    let [a, b, c] = gate.operands();
    match gate {
        Gate::Ternary(..) => vec![(a, -PIN_OF_THREE), (b, 0.0), (c, PIN_OF_THREE)],
        _ if a == b => vec![(a, 0.0)],
        _ => vec![(a, -PIN), (b, PIN)],
    }
}

/// Draws a circuit.
pub fn draw(circuit: &Circuit, title: &str) -> Drawing {
    let columns = place::columns(circuit);
    let channels: Vec<route::Channel> =
        columns.windows(2).map(|pair| route::channel(&pair[0], &pair[1])).collect();
    let left = 30.0;
    let mut starts = vec![left];
    for channel in &channels {
        let start = starts[starts.len() - 1];
        starts.push(start + GATE.0 + 2.0 * MARGIN + TRACK * channel.tracks as f64);
    }
    let right = starts[starts.len() - 1] + 36.0;
    let samples = samples(circuit);
    let lowest = columns.iter().flat_map(|c| &c.slots).map(Slot::bottom).fold(0.0, f64::max);
    let room = right.max(300.0);
    let height = TOP + lowest + 12.0 + legend::height(&borrowed(&samples), room);
    let mut drawing = Drawing::new(room, height, title);
    for (k, start) in starts.iter().enumerate().take(columns.len() - 1).skip(1) {
        drawing.text((start + GATE.0 / 2.0, 14.0), Anchor::Middle, "soft", &k.to_string());
    }
    drawing.text((0.0, 14.0), Anchor::Start, "soft axis", "depth");
    for (k, channel) in channels.iter().enumerate() {
        draw_channel(&mut drawing, starts[k] + GATE.0, starts[k + 1], channel);
    }
    for (column, start) in columns.iter().zip(&starts) {
        draw_column(&mut drawing, *start, column, circuit);
    }
    legend::draw(&mut drawing, (0.0, TOP + lowest + 12.0), &borrowed(&samples), room);
    drawing
}

/// The kinds of gates that occur, with how many there are.
fn samples(circuit: &Circuit) -> Vec<(&'static str, String)> {
    let count = |k: usize| circuit.gates.iter().filter(|gate| kind(gate) == k).count();
    let used = (0..KINDS.len()).filter(|k| count(*k) > 0);
    used.map(|k| (KINDS[k].1, format!("{} {}: {}", KINDS[k].0, KINDS[k].2, count(k)))).collect()
}

fn borrowed<'a>(samples: &'a [(&'static str, String)]) -> Vec<legend::Sample<'a>> {
    samples.iter().map(|(class, name)| (*class, name.as_str())).collect()
}

/// The class of a wire's strokes: neighbours differ, so that the eye can follow one.
fn wire(source: Source) -> String {
    const COLOURS: [usize; 6] = [0, 5, 2, 3, 7, 6];
    format!("{}-line", theme::series(COLOURS[source.0 as usize % COLOURS.len()]))
}

fn draw_channel(drawing: &mut Drawing, from: f64, to: f64, channel: &route::Channel) {
    for net in &channel.nets {
        let class = wire(net.source);
        let x = from + MARGIN + TRACK * net.track as f64;
        let mut paths: Vec<Vec<(f64, f64)>> = Vec::new();
        for sink in &net.sinks {
            let (start, end) = ((from, TOP + net.from), (to, TOP + *sink));
            paths.push(match net.is_straight() {
                true => vec![start, end],
                false => vec![start, (x, start.1), (x, end.1), end],
            });
        }
        let paths: Vec<&[(f64, f64)]> = paths.iter().map(Vec::as_slice).collect();
        drawing.paths(&paths, &class);
        for y in net.junctions() {
            drawing.circle((x, TOP + y), 2.4, theme_fill(&class));
        }
    }
}

/// The class of an area in the colour of a stroke.
fn theme_fill(stroke: &str) -> &str {
    stroke.trim_end_matches("-line")
}

fn draw_column(drawing: &mut Drawing, x: f64, column: &Column, circuit: &Circuit) {
    for slot in &column.slots {
        let y = TOP + slot.y;
        match &slot.what {
            place::What::Input(input) => {
                drawing.text((x - 6.0, y + 4.5), Anchor::End, "strong", &format!("x{input}"));
                drawing.line((x - 2.0, y), (x + GATE.0, y), &wire(slot.source));
            }
            place::What::Pass => drawing.line((x, y), (x + GATE.0, y), &wire(slot.source)),
            place::What::Gate(gate) => draw_gate(drawing, (x, y), &circuit.gates[*gate]),
            place::What::Output(output) => {
                drawing.text((x + 6.0, y + 4.5), Anchor::Start, "strong", &format!("y{output}"));
            }
        }
    }
}

fn draw_gate(drawing: &mut Drawing, at: (f64, f64), gate: &Gate) {
    let (symbol, class, name) = KINDS[kind(gate)];
    drawing.rectangle((at.0, at.1 - GATE.1 / 2.0), GATE, class, name);
    let table = match gate {
        Gate::Ternary(table, _) => format!("{table:02x}"),
        _ => symbol.to_string(),
    };
    drawing.text((at.0 + GATE.0 / 2.0, at.1 + 4.5), Anchor::Middle, "on strong", &table);
    let bubble = match gate {
        Gate::AndNot(..) | Gate::OrNot(..) => Some((at.0 - 2.0, at.1 - PIN)),
        Gate::Not(..) => Some((at.0 + GATE.0 + 2.0, at.1)),
        _ => None,
    };
    if let Some(centre) = bubble {
        drawing.circle(centre, 3.0, "ink");
        drawing.circle(centre, 1.8, "paper");
    }
}

/// The circuit as a program, one gate a line.
pub fn table(circuit: &Circuit) -> Table {
    let mut table = Table::new(&["signal", "is", "of"]);
    let signal = |number: u32| match number.checked_sub(u32::from(circuit.inputs)) {
        Some(gate) => format!("g{gate}"),
        None => format!("x{number}"),
    };
    for (k, gate) in circuit.gates.iter().enumerate() {
        let of: Vec<String> = pins(gate).iter().map(|(operand, _)| signal(operand.0)).collect();
        let what = match gate {
            Gate::Ternary(table, _) => format!("{} {table:02x}", KINDS[kind(gate)].2),
            _ => KINDS[kind(gate)].2.to_string(),
        };
        table.rows.push(vec![format!("g{k}"), what, of.join(", ")]);
    }
    for (k, output) in circuit.outputs.iter().enumerate() {
        let of = match output {
            Output::Signal(of) => signal(of.0),
            Output::Constant(value) => u8::from(*value).to_string(),
        };
        table.rows.push(vec![format!("y{k}"), "output".to_string(), of]);
    }
    table
}

#[cfg(test)]
mod tests;
