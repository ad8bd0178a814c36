//! Lanes kept busy: a queue of jobs around a step function, with a lane's inputs, outputs and registers put in and taken out
//! while other lanes run.
//!
//! Inputs and outputs stay in registers from tick to tick. What a few lanes change there is put in bit by bit; what many
//! change is transposed for all lanes, from memory that has the inputs of each.

mod variant;

use super::api::Api;
use super::batch::Batches;
use crate::compile::Kernel;
use crate::core::{Direction, Port};
use crate::emit::handshake::{Handshake, Role};
use crate::emit::identifier;
use crate::emit::library::Instance;
use crate::emit::ports::{pointers, ports, PortPair};
use crate::layout::memory_bit;
use std::fmt::Write;
use variant::Variant;

/// The functions around a step function that works off jobs.
pub struct Queue {
    handshake: Handshake,
    variants: Vec<Variant>,
    /// The most lanes of a variant.
    most: usize,
}

/// A port that carries data: its name in C, and how many registers of a lane and bytes of memory stand before it. Ports of
/// the handshake have registers, but no place in memory.
struct Data<'a> {
    name: String,
    pair: PortPair<'a>,
    registers: usize,
    memory: usize,
}

/// The inputs or the outputs of a step function.
struct Side<'a> {
    data: Vec<Data<'a>>,
    /// All registers of a lane.
    registers: usize,
    /// All bytes of a lane.
    memory: usize,
}

impl<'a> Side<'a> {
    fn new(verb: &str, ports: Vec<PortPair<'a>>, handshake: &Handshake, inputs: bool) -> Side<'a> {
        let names = pointers(verb, &ports);
        let mut side = Side { data: vec![], registers: 0, memory: 0 };
        for (pair, name) in ports.into_iter().zip(names) {
            let (registers, memory) = (side.registers, side.memory);
            side.registers += bits(pair.declared);
            let says = |(role, port): (&Role, &String)| {
                role.is_input() == inputs && *port == pair.declared.name
            };
            if !handshake.0.iter().any(says) {
                side.memory += pair.bytes();
                side.data.push(Data { name, pair, registers, memory });
            }
        }
        side
    }

    fn parameters(&self, ty: &str) -> String {
        self.data.iter().map(|data| format!(", {ty} *{}", data.name)).collect()
    }

    /// The definition of an array of the pointers.
    fn values(&self, ty: &str) -> String {
        let names: Vec<&str> = self.data.iter().map(|data| data.name.as_str()).collect();
        format!("{ty} *const values[] = {{ {} }};", names.join(", "))
    }
}

/// How many registers of one lane a port has under B.
fn bits(port: &Port) -> usize {
    usize::from(port.ty.bits()) * port.count() as usize
}

fn inputs<'a>(kernel: &'a Kernel, handshake: &Handshake) -> Side<'a> {
    Side::new("in", ports(kernel).inputs, handshake, true)
}

fn outputs<'a>(kernel: &'a Kernel, handshake: &Handshake) -> Side<'a> {
    Side::new("out", ports(kernel).outputs, handshake, false)
}

impl Queue {
    /// Prints the functions of each variant.
    ///
    /// # Errors
    /// If the ports are no handshake, or a variant is not sliced to bits.
    pub fn new(
        prefix: &str,
        instance: &Instance,
        handshake: &Handshake,
        batches: &mut Batches,
    ) -> Result<Queue, String> {
        let kernels = &instance.functions[0].variants;
        handshake
            .check(kernels[0].inputs(), kernels[0].outputs())
            .map_err(|misfit| misfit.message)?;
        if let Some(other) = kernels.iter().find(|kernel| kernel.direction != Direction::B) {
            let (direction, target) = (other.direction, other.target.name);
            return Err(format!(
                "jobs need lanes of bits, and the variant for {target} is sliced {direction:?}: use -B"
            ));
        }
        let variants = kernels.iter().map(|k| Variant::new(prefix, k, handshake, batches));
        let most = kernels.iter().map(Kernel::blocks).max().unwrap_or(1);
        let variants = variants.collect::<Result<_, _>>()?;
        Ok(Queue { handshake: handshake.clone(), variants, most })
    }

    /// The declarations, with their documentation.
    pub fn declarations(&self, api: &Api, kernel: &Kernel) -> String {
        self.fill(api, kernel, QUEUE_H)
    }

    /// The definitions.
    pub fn definitions(&self, api: &Api, kernel: &Kernel) -> String {
        self.fill(api, kernel, &[LANES_C, QUEUE_C].concat())
    }

    fn has_words(&self) -> bool {
        self.handshake.has(Role::Valid)
    }

    fn has_answers(&self) -> bool {
        self.has_words() || self.handshake.has(Role::OutValid)
    }

    fn fill(&self, api: &Api, kernel: &Kernel, text: &str) -> String {
        let (ins, outs) = (inputs(kernel, &self.handshake), outputs(kernel, &self.handshake));
        let mut pieces = vec![
            ("$word_functions", if self.has_words() { WORDS_C } else { "" }.to_string()),
            ("$answer_function", if self.has_answers() { ANSWER_C } else { "" }.to_string()),
            ("$word_declarations", if self.has_words() { WORDS_H } else { "" }.to_string()),
            ("$answer_declaration", if self.has_answers() { ANSWER_H } else { "" }.to_string()),
            ("$ports", self.port_functions(&ins, &outs)),
        ];
        pieces.extend(self.tick_pieces(&ins, &outs));
        pieces.extend(self.table_pieces(api, kernel, &ins, &outs));
        pieces.extend(self.header_pieces(&ins, &outs));
        let pieces: Vec<(&str, &str)> =
            pieces.iter().map(|(name, text)| (*name, text.as_str())).collect();
        api.fill(text, &pieces)
    }

    fn port_functions(&self, ins: &Side, outs: &Side) -> String {
        let any = !ins.data.is_empty() || !outs.data.is_empty();
        let mut text = if any { PORTS_C.to_string() } else { String::new() };
        text.push_str(if ins.data.is_empty() { "" } else { INPUTS_C });
        text.push_str(if outs.data.is_empty() { "" } else { OUTPUTS_C });
        text
    }

    /// What depends on the handshake in the functions that tick, begin, ask and end.
    fn tick_pieces(&self, ins: &Side, outs: &Side) -> Vec<(&'static str, String)> {
        let place = |role: Role| self.variants[0].place(role);
        let said = |role| format!("$P_said(queue, {}, w)", place(role).unwrap_or(0));
        let set = |role, lanes: &str| {
            place(role).map_or(String::new(), |place| {
                format!(
                    "    $P_set_register(queue->in_registers + {place} * queue->lanes / 8, queue->{lanes}, queue->state.variant);\n"
                )
            })
        };
        let has = |role| self.handshake.has(role);
        let mut before = set(Role::Start, "started") + &set(Role::Valid, "offered");
        if !has(Role::Start) {
            before.push_str(RESET_STARTED);
        }
        if !ins.data.is_empty() {
            before.push_str("    $P_bring_all(queue);\n");
        }
        let (mut after, mut show) = (String::new(), String::new());
        if !outs.data.is_empty() {
            before.push_str("    __builtin_memset(queue->fetched, 0, sizeof queue->fetched);\n");
            after.push_str(
                "    queue->events = $P_count(queue->ended) + $P_count(queue->answered);\n",
            );
            show = format!("    {}\n    $P_show(queue, lane, values);\n", outs.values("uint8_t"));
        }
        let give = |indent: &str, lane: &str| match ins.data.is_empty() {
            true => String::new(),
            false => {
                let values = ins.values("const uint8_t");
                format!("{indent}{values}\n{indent}$P_give(queue, {lane}, values);\n")
            }
        };
        let answered = match (has(Role::OutValid), has(Role::Valid)) {
            (true, _) => format!("settled & {}", said(Role::OutValid)),
            (false, true) => "taken".to_string(),
            (false, false) => "0".to_string(),
        };
        let ended = match has(Role::Done) {
            true => format!("settled & {}", said(Role::Done)),
            false => "settled & queue->closing[w]".to_string(),
        };
        let ready =
            if has(Role::Ready) { format!(" & {}", said(Role::Ready)) } else { String::new() };
        let settled = if has(Role::Start) { " & ~queue->started[w]" } else { "" };
        vec![
            ("$before", before),
            ("$after", after),
            ("$show", show),
            ("$give_number", give("        ", "number")),
            ("$give_lane", give("    ", "lane")),
            ("$answered", answered),
            ("$ended_lanes", ended),
            ("$ready", ready),
            ("$settled", settled.to_string()),
        ]
    }

    /// Tables, switches over variants, and the sizes of arrays.
    fn table_pieces(
        &self,
        api: &Api,
        kernel: &Kernel,
        ins: &Side,
        outs: &Side,
    ) -> Vec<(&'static str, String)> {
        let registers = kernel.params[kernel.inputs().len()..].iter().map(bits);
        let widths: Vec<String> = registers.clone().map(|bits| bits.to_string()).collect();
        let batches: Vec<String> = self.variants.iter().map(|v| v.lanes.to_string()).collect();
        let cases = |functions: fn(&Variant) -> &String, arguments: &str| {
            let names: Vec<String> = self.variants.iter().map(|v| functions(v).clone()).collect();
            api.cases(&names, arguments)
        };
        let room = |side: &Side| (side.registers * self.most / 8).max(1).to_string();
        let (in_orders, in_ports) = port_table("in", ins);
        let (out_orders, out_ports) = port_table("out", outs);
        vec![
            ("$in_orders", in_orders),
            ("$in_ports", in_ports),
            ("$out_orders", out_orders),
            ("$out_ports", out_ports),
            ("$widths", widths.join(", ")),
            ("$batches", batches.join(", ")),
            ("$count", batches.len().to_string()),
            ("$lane_bytes", registers.map(|bits| bits.div_ceil(8)).sum::<usize>().to_string()),
            ("$resets", cases(|v| &v.reset, "state->bank[state->now & 1], set")),
            ("$loads", cases(|v| &v.bring, "port, registers, memory")),
            ("$stores", cases(|v| &v.fetch, "port, memory, registers")),
            (
                "$steps",
                cases(|v| &v.step, "next_bank, bank, queue->out_registers, queue->in_registers"),
            ),
            ("$in_registers", room(ins)),
            ("$out_registers", room(outs)),
            ("$members", self.members(ins, outs)),
            ("$inputs", ins.parameters("const uint8_t")),
            ("$outputs", outs.parameters("uint8_t")),
            ("$most", self.most.to_string()),
            ("$sets", self.most.div_ceil(64).to_string()),
        ]
    }

    /// The members of the queue for ports that carry data.
    fn members(&self, ins: &Side, outs: &Side) -> String {
        let mut text = String::new();
        if !ins.data.is_empty() {
            let (ports, bytes) = (ins.data.len(), ins.memory * self.most);
            let _ =
                write!(text, "    uint64_t changed[{ports}][$sets];\n    uint8_t in[{bytes}];\n");
        }
        if !outs.data.is_empty() {
            let (ports, bytes) = (outs.data.len(), outs.memory * self.most);
            let _ = writeln!(text, "    uint8_t fetched[{ports}], out[{bytes}];");
        }
        text
    }

    /// The parts of the documentation.
    fn header_pieces(&self, ins: &Side, outs: &Side) -> Vec<(&'static str, String)> {
        let dots = |side: &Side| if side.data.is_empty() { "" } else { ", ..." };
        // A name of Verilog could end the comment.
        let port = |role| self.handshake.port(role).map(|name| format!("`{}`", identifier(name)));
        let began = match port(Role::Start) {
            Some(start) => format!("A job begins with a tick in which {start} is 1."),
            None => "A job begins with a reset of its lane.".to_string(),
        };
        let after = if self.handshake.has(Role::Start) { " after that" } else { "" };
        let ended = match port(Role::Done) {
            Some(done) => format!("It ends with the first tick{after} in which {done} is 1."),
            None => "It ends with the tick after the one that takes its last word.".to_string(),
        };
        let words = format!(
            " *         while ($P_queue_wants(&queue, &number, &lane)) $P_queue_word(&queue, lane, last{});\n",
            dots(ins)
        );
        let answers =
            format!(" *         while ($P_queue_answer(&queue, &number{})) ...;\n", dots(outs));
        let told = match (port(Role::OutValid), port(Role::Ready)) {
            (Some(valid), _) => format!("one in which {valid} is 1"),
            (None, Some(ready)) => format!("one that took a word of it ({ready} was 1)"),
            (None, None) => "one that took a word of it".to_string(),
        };
        let when = |has: bool, text: String| if has { text } else { String::new() };
        vec![
            ("$start_example", dots(ins).to_string()),
            ("$done_example", dots(outs).to_string()),
            ("$word_example", when(self.has_words(), words)),
            ("$answer_example", when(self.has_answers(), answers)),
            ("$answer_rule", told),
            ("$began", began),
            ("$end_rule", ended),
        ]
    }
}

/// The rows of the table of ports, and the orders of bits that they name.
fn port_table(verb: &str, side: &Side) -> (String, String) {
    let (mut orders, mut rows) = (String::new(), String::new());
    for data in &side.data {
        let order = order(data.pair.declared);
        let name = match order.iter().copied().eq(0..order.len()) {
            true => "NULL".to_string(),
            false => {
                let name = format!("$P_order_{verb}_{}", identifier(&data.pair.declared.name));
                let bits: Vec<String> = order.iter().map(usize::to_string).collect();
                let lines: Vec<String> =
                    bits.chunks(16).map(|line| format!("    {},\n", line.join(", "))).collect();
                let _ =
                    write!(orders, "static const uint32_t {name}[] = {{\n{}}};\n", lines.concat());
                name
            }
        };
        let Data { pair, registers, memory, .. } = data;
        let (bits, bytes) = (bits(pair.declared), pair.bytes());
        let _ = writeln!(rows, "    {{ {bits}, {registers}, {bytes}, {memory}, {name} }},");
    }
    (orders, rows)
}

/// The bit of memory of each register of a lane.
fn order(port: &Port) -> Vec<usize> {
    let (width, count) = (port.ty.bits(), port.count());
    let bit = |atom, position| memory_bit(&port.layout, width, count, atom, position).unwrap_or(0);
    (0..count)
        .flat_map(|atom| (0..width).map(move |position| (atom, position)))
        .map(|(atom, position)| bit(atom, position))
        .collect()
}

const RESET_STARTED: &str = "    if ($P_count(queue->started) > 0)\n        $P_reset_lanes(&queue->state, queue->started);\n";

const QUEUE_H: &str = include_str!("queue.h.txt");
const WORDS_H: &str = include_str!("words.h.txt");
const ANSWER_H: &str = include_str!("answer.h.txt");
const LANES_C: &str = include_str!("lanes.c.txt");
const PORTS_C: &str = include_str!("ports.c.txt");
const INPUTS_C: &str = include_str!("inputs.c.txt");
const OUTPUTS_C: &str = include_str!("outputs.c.txt");
const QUEUE_C: &str = include_str!("queue.c.txt");
const WORDS_C: &str = include_str!("words.c.txt");
const ANSWER_C: &str = include_str!("answer.c.txt");
