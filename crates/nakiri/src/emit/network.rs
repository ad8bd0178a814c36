//! Networks as functions.

use super::syntax::{NetworkHead, Syntax};
use crate::isa::{Dialect, Target};
use crate::layout::network::{same, Array, Gate, Local, Network, Pass, Place, Step, Way};
use std::fmt::Write;

/// How a network's function looks from outside.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    /// The language.
    pub syntax: &'a dyn Syntax,
    /// Its name.
    pub name: &'a str,
    /// The target whose registers it has.
    pub target: &'static Target,
    /// The prefix of the functions that move words, where these are functions of the file.
    pub prefix: &'a str,
}

/// The most steps that are worth less than a call: every one may hold a register in the function's frame.
const INLINED: usize = 256;

/// The function of a network: of registers and memory (if there is any) if it loads, and of what all batches share if it needs
/// that; of memory and registers if it stores, and of a text, which may be in the same place, if it adds to that.
pub fn function(network: &Network, function: Function) -> String {
    let Function { syntax, name, target, prefix } = function;
    let registers = syntax.registers(target);
    let register = registers.register.replace("{r}", &network.bits.to_string());
    let head = NetworkHead {
        name,
        prefix,
        target,
        register: &register,
        loads: network.way == Way::Load,
        adds: network.adds,
        registers: network.registers,
        bytes: network.bytes,
        low: network.low,
        called: network.passes.iter().any(|pass| pass.steps.len() > INLINED),
    };
    let mut printer = Printer {
        syntax,
        dialect: registers.dialect,
        bits: network.bits,
        head: &head,
        patterns: Vec::new(),
        used: Vec::new(),
        body: String::new(),
    };
    network.passes.iter().for_each(|pass| printer.pass(pass));
    printer.finish(network)
}

struct Printer<'a> {
    syntax: &'a dyn Syntax,
    dialect: &'static Dialect,
    bits: u32,
    head: &'a NetworkHead<'a>,
    /// The patterns of byte shuffles.
    patterns: Vec<Vec<u8>>,
    /// Whether each local of the pass is used.
    used: Vec<bool>,
    body: String,
}

impl Printer<'_> {
    fn finish(self, network: &Network) -> String {
        let mut text = self.syntax.network_head(self.head);
        for (i, pattern) in self.patterns.iter().enumerate() {
            let lines: Vec<Vec<u8>> = pattern.chunks(16).map(<[u8]>::to_vec).collect();
            for line in self.syntax.table(&self.syntax.pattern_name(i), &lines) {
                let _ = writeln!(text, "    {line}");
            }
        }
        for (array, length) in [("t", network.scratch), ("w", network.words)] {
            if length > 0 {
                let zero = self.dialect.zero;
                let room = self.syntax.room(self.head.register, array, length, zero);
                let _ = writeln!(text, "    {room}");
            }
        }
        text + &self.body + "}\n"
    }

    fn pass(&mut self, pass: &Pass) {
        let mut depth = 1;
        for (i, count) in pass.loops.iter().enumerate().rev() {
            let indent = "    ".repeat(depth);
            let head = self.syntax.repeat("int", &format!("i{i}"), *count, true);
            let _ = writeln!(self.body, "{indent}{head}");
            depth += 1;
        }
        if pass.loops.is_empty() {
            self.body.push_str("    {\n");
            depth += 1;
        }
        let indent = "    ".repeat(depth);
        self.used = pass.used();
        for step in &pass.steps {
            for line in self.step(step) {
                let _ = writeln!(self.body, "{indent}{line}");
            }
        }
        for depth in (1..depth).rev() {
            let _ = writeln!(self.body, "{}}}", "    ".repeat(depth));
        }
    }

    /// The statements of a step.
    fn step(&mut self, step: &Step) -> Vec<String> {
        match step {
            Step::Load { to, at, piece, pieces } => {
                let value = self.load(at, *piece, pieces);
                vec![self.define(*to, value)]
            }
            Step::Store { from, at, piece, pieces } => self.store(*from, at, *piece, pieces),
            Step::Read { to, array, at } => {
                vec![self.define(*to, format!("{}[{}]", name(*array), place(at)))]
            }
            Step::Write { from, array, at } => {
                vec![format!("{}[{}] = v{from};", name(*array), place(at))]
            }
            Step::Exchange { to, from, shift, mask } => self.exchange(*to, *from, *shift, *mask),
            Step::Swap { to, from, shift, mask } => {
                let x = format!("v{from}");
                let d = format!("d{to}");
                let moved = self.shift(&x, -(*shift as i32));
                let differ = self.and(&self.xor(&x, &moved), *mask);
                let result = self.xor(&x, &self.xor(&d, &self.shift(&d, *shift as i32)));
                vec![self.syntax.define(self.head.register, &d, &differ), self.define(*to, result)]
            }
            _ => self.compute(step).into_iter().collect(),
        }
    }

    /// The statement of a step with one result.
    fn compute(&mut self, step: &Step) -> Option<String> {
        let dialect = self.dialect;
        let (to, value) = match step {
            Step::Zero { to } => (to, dialect.zero.to_string()),
            Step::Unpack { to, from: [a, b], element, high } => {
                let value = binary(dialect.unpack, &format!("v{a}"), &format!("v{b}"));
                let value = value.replace("$h", dialect.halves[usize::from(*high)]);
                let value = self.numbered(value, &|byte| {
                    let (size, place) = (element / 8, byte % 16);
                    let from = place / (2 * size) * size + place % size + u32::from(*high) * 8;
                    byte / 16 * 16 + from + place / size % 2 * (self.bits / 8)
                });
                let count = (self.bits / element).to_string();
                (to, value.replace("$n", &element.to_string()).replace("$l", &count))
            }
            Step::Segments { to, from: [a, b], pick } => {
                let value = binary(dialect.segments, &format!("v{a}"), &format!("v{b}"));
                let bits = if pick.len() == 2 { 4 } else { 2 };
                let value = self
                    .numbered(value, &|byte| 16 * u32::from(pick[byte as usize / 16]) + byte % 16);
                (to, value.replace("$n", &immediate(pick, bits)))
            }
            Step::Quads { to, from, pick } => {
                let order = match pick.len() {
                    4 => immediate(pick, 2),
                    _ => list(&pick.iter().rev().copied().collect::<Vec<_>>()),
                };
                let value = dialect.quads.replace("$a", &format!("v{from}")).replace("$n", &order);
                (
                    to,
                    self.numbered(value, &|byte| 8 * u32::from(pick[byte as usize / 8]) + byte % 8),
                )
            }
            Step::Bytes { to, from, pick } => (to, self.bytes(*from, pick)),
            Step::Permute { to, from: [a, b], pick } => {
                let across = dialect.across?;
                let template = if a == b { across.bytes } else { across.bytes_of_two };
                let value = binary(template, &format!("v{a}"), &format!("v{b}"));
                (to, value.replace("$c", &self.constant(pick)))
            }
            Step::Transpose { to, from } => {
                let value = dialect.across?.bits.replace("$a", &format!("v{from}"));
                // A byte for each of its bits.
                (to, value.replace("$c", &self.splat(0x8040_2010_0804_0201)))
            }
            Step::Deposit { to, onto, from, shift, mask } => {
                let moved = self.and(&self.shift(&format!("v{from}"), *shift), *mask);
                let value = match onto {
                    Some(onto) => self.cast(binary(dialect.or, &format!("v{onto}"), &moved)),
                    None => moved,
                };
                (to, value)
            }
            Step::Logic { to, gate, from: [a, b] } => {
                let template = match gate {
                    Gate::And => dialect.and,
                    Gate::Or => dialect.or,
                    Gate::Xor => dialect.xor,
                };
                (to, self.cast(binary(template, &format!("v{a}"), &format!("v{b}"))))
            }
            Step::Constant { to, bytes } => (to, self.constant(bytes)),
            Step::Fill { to, from, element: 8, bit } => {
                let value = dialect.across?.fill.replace("$a", &format!("v{from}"));
                (to, value.replace("$c", &self.splat(0x0101_0101_0101_0101 << bit)))
            }
            Step::Fill { to, from, element, bit } => {
                let below = element - 1 - bit;
                let value = dialect.fill.replace("$a", &format!("v{from}"));
                let value = value.replace("$r", &self.bits.to_string());
                let value = self.cast(value.replace("$n", &below.to_string()));
                // All of its bits are one: compilers would see a condition where it is used.
                match self.head.target.simd {
                    true => (to, value),
                    false => (to, self.syntax.barrier(self.bits, &value)),
                }
            }
            Step::Test { to, from, masks } => {
                let masks = self.constant(masks);
                (to, binary(dialect.test, &format!("v{from}"), &masks))
            }
            _ => return None,
        };
        Some(self.define(*to, value))
    }

    fn define(&self, to: Local, value: String) -> String {
        self.syntax.define(self.head.register, &format!("v{to}"), &value)
    }

    fn cast(&self, value: String) -> String {
        match self.bits {
            0..=64 => self.syntax.cast(self.head.register, &value),
            _ => value,
        }
    }

    fn xor(&self, a: &str, b: &str) -> String {
        self.cast(binary(self.dialect.xor, a, b))
    }

    fn splat(&self, mask: u64) -> String {
        self.dialect.splat.replace("$n", &self.syntax.pattern(mask, self.bits))
    }

    fn and(&self, a: &str, mask: u64) -> String {
        self.cast(binary(self.dialect.and, a, &self.splat(mask)))
    }

    /// A shift to the left, or to the right if negative.
    fn shift(&self, a: &str, shift: i32) -> String {
        let template = match shift {
            0 => return a.to_string(),
            1.. => self.dialect.left,
            _ => self.dialect.right,
        };
        let shifted = template.replace("$a", a).replace("$n", &shift.unsigned_abs().to_string());
        self.cast(shifted)
    }

    fn exchange(&self, to: [Local; 2], from: [Local; 2], shift: u32, mask: u64) -> Vec<String> {
        let (a, b) = (format!("v{}", from[0]), format!("v{}", from[1]));
        let shift = shift as i32;
        if let Some(select) = self.dialect.select {
            let select = |x: &str, y: &str| binary(select, &self.splat(mask), x).replace("$c", y);
            let first = select(&a, &self.shift(&b, shift));
            let second = select(&self.shift(&a, -shift), &b);
            return self.used_of([(to[0], first), (to[1], second)]);
        }
        let d = format!("d{}", to[0]);
        let differ = self.and(&self.xor(&self.shift(&a, -shift), &b), mask);
        let mut lines = vec![self.syntax.define(self.head.register, &d, &differ)];
        let first = self.xor(&a, &self.shift(&d, shift));
        lines.extend(self.used_of([(to[0], first), (to[1], self.xor(&b, &d))]));
        lines
    }

    /// The definitions of those results that are used.
    fn used_of(&self, results: [(Local, String); 2]) -> Vec<String> {
        let used = results.into_iter().filter(|(to, _)| self.used[*to as usize]);
        used.map(|(to, value)| self.define(to, value)).collect()
    }

    fn bytes(&mut self, from: Local, pick: &[u8]) -> String {
        let template = self.dialect.bytes.replace("$a", &format!("v{from}"));
        if self.bits <= 64 {
            return template.replace("$n", &self.bits.to_string());
        }
        if template.contains("$i") {
            let bytes = self.bits / 8;
            return self.numbered(template, &|byte| match u32::from(pick[byte as usize]) {
                from @ 0..16 => byte / 16 * 16 + from,
                _ => bytes,
            });
        }
        template.replace("$b", &self.constant(pick))
    }

    /// A template in which `$i` are the numbers of bytes for each byte of the result.
    fn numbered(&self, template: String, number: &dyn Fn(u32) -> u32) -> String {
        if !template.contains("$i") {
            return template;
        }
        let numbers: Vec<String> =
            (0..self.bits / 8).map(|byte| number(byte).to_string()).collect();
        template.replace("$i", &numbers.join(", "))
    }

    /// A register with these bytes.
    fn constant(&mut self, bytes: &[u8]) -> String {
        let quads =
            bytes.chunks(8).map(|quad| quad.iter().rev().fold(0, |q, b| q << 8 | u64::from(*b)));
        let mut quads: Vec<u64> = quads.collect();
        quads.dedup();
        if let [quad] = quads[..] {
            return self.splat(quad);
        }
        let known = self.patterns.iter().position(|pattern| pattern == bytes);
        let number = known.unwrap_or_else(|| {
            self.patterns.push(bytes.to_vec());
            self.patterns.len() - 1
        });
        {
            let name = self.syntax.pattern_name(number);
            self.dialect.load.replace("$p", &name)
        }
    }

    fn load(&self, at: &Place, piece: u32, pieces: &[i32]) -> String {
        let at = |offset: &i32| place(&moved(at, *offset));
        let pointer = |offset: &i32| self.syntax.source(&at(offset), self.head);
        let word = |offset: &i32| self.syntax.word(piece * 8, &at(offset), self.head);
        if self.bits <= 64 {
            let widened = |offset: &i32| self.syntax.widen(self.head.register, &word(offset));
            if pieces.len() > 1 && same(pieces) {
                let bits = (0..self.bits).step_by(piece as usize * 8);
                let every = self.syntax.pattern(bits.fold(0, |all, bit| all | 1 << bit), self.bits);
                return format!("{} * {every}", widened(&pieces[0]));
            }
            let part = |(i, offset): (usize, &i32)| match i {
                0 => widened(offset),
                _ => format!("{} << {}", widened(offset), i as u32 * piece * 8),
            };
            return pieces.iter().enumerate().map(part).collect::<Vec<_>>().join(" | ");
        }
        if pieces.len() == 1 {
            return self.dialect.load.replace("$p", &pointer(&pieces[0]));
        }
        if same(pieces) {
            let one = if piece == 16 { pointer(&pieces[0]) } else { word(&pieces[0]) };
            return self.dialect.broadcast[piece.ilog2() as usize].replace("$a", &one);
        }
        if piece == 16 {
            let segment = |(text, (i, offset)): (String, (usize, &i32))| {
                text.replace(&format!("${i}"), &pointer(offset))
            };
            let start = self.dialect.gather_segments.to_string();
            return pieces.iter().enumerate().fold(start, |text, part| segment((text, part)));
        }
        let up: Vec<String> = pieces.iter().map(word).collect();
        let down: Vec<String> = up.iter().rev().cloned().collect();
        let gather = self.dialect.gather[piece.ilog2() as usize];
        gather.replace("$u", &up.join(", ")).replace("$d", &down.join(", "))
    }

    fn store(&self, from: Local, at: &Place, piece: u32, pieces: &[i32]) -> Vec<String> {
        let at = |offset: &i32| place(&moved(at, *offset));
        if self.bits <= 64 {
            let bits = piece * 8;
            let part = |(i, offset): (usize, &i32)| {
                let value = self.shift(&format!("v{from}"), -((i as u32 * bits) as i32));
                self.syntax.store_word(bits, &at(offset), &value, self.head)
            };
            return pieces.iter().enumerate().map(part).collect();
        }
        let store = |pointer: &str| {
            let value = format!("v{from}");
            self.dialect.store.replace("$p", pointer).replace("$a", &value) + ";"
        };
        if let [offset] = pieces {
            return vec![store(&self.syntax.sink(&at(offset), self.head))];
        }
        let part = format!("s{from}");
        let room = self.syntax.byte_room(&part, self.bits / 8);
        let mut lines = vec![room, store(&self.syntax.lend(&part))];
        lines.extend(pieces.iter().enumerate().map(|(i, offset)| {
            self.syntax.copy_out(&at(offset), &part, i as u32 * piece, piece, self.head)
        }));
        lines
    }
}

fn binary(template: &str, a: &str, b: &str) -> String {
    template.replace("$a", a).replace("$b", b)
}

fn name(array: Array) -> &'static str {
    match array {
        Array::Registers => "r",
        Array::Scratch => "t",
        Array::Words => "w",
        Array::Low => "low",
    }
}

fn moved(at: &Place, offset: i32) -> Place {
    Place { base: at.base + offset, strides: at.strides.clone() }
}

/// The place in terms of the loop variables; no sum on the way is negative.
fn place(at: &Place) -> String {
    let mut text = at.base.to_string();
    for (i, stride) in at.strides.iter().enumerate().filter(|(_, stride)| **stride > 0) {
        let _ = write!(text, " + {stride} * i{i}");
    }
    for (i, stride) in at.strides.iter().enumerate().filter(|(_, stride)| **stride < 0) {
        let _ = write!(text, " - {} * i{i}", -stride);
    }
    text
}

fn list(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// Small numbers side by side in a byte.
fn immediate(pick: &[u8], bits: usize) -> String {
    let field = |(i, &number): (usize, &u8)| (u32::from(number) & ((1 << bits) - 1)) << (i * bits);
    format!("0x{:02x}", pick.iter().enumerate().map(field).sum::<u32>())
}
