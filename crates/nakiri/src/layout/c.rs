//! Networks as C functions.

use super::network::{same, Array, Gate, Local, Network, Pass, Place, Step, Way};
use crate::target::{Dialect, Target};
use std::fmt::Write;

/// How a network's function looks from outside.
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The target whose registers it has.
    pub target: &'a Target,
    /// The prefix of the helpers of [`prelude`].
    pub prefix: &'a str,
}

/// The helpers that the functions use, once for a file: unaligned loads and stores of words. Needs `<stdint.h>` and
/// `<string.h>`.
pub fn prelude(prefix: &str) -> String {
    let mut text = String::new();
    for bits in [8, 16, 32, 64] {
        let _ = write!(
            text,
            "__attribute__((unused)) static inline uint{bits}_t {prefix}load{bits}(const uint8_t *p)\n{{\n    \
             uint{bits}_t x;\n    memcpy(&x, p, sizeof x);\n    return x;\n}}\n\n\
             __attribute__((unused)) static inline void {prefix}store{bits}(uint8_t *p, uint{bits}_t x)\n{{\n    \
             memcpy(p, &x, sizeof x);\n}}\n\n"
        );
    }
    text
}

/// The function of a network: `void NAME(REG *restrict r, const uint8_t *restrict in)` if it loads, and
/// `const REG *restrict low` behind these if it needs that; `void NAME(uint8_t *restrict out, const REG *restrict r)` if it
/// stores, and `void NAME(uint8_t *out, const uint8_t *in, const REG *restrict r)` if it adds to a text, which may be in
/// the same place.
pub fn function(network: &Network, function: Function) -> String {
    let mut printer = Printer {
        dialect: function.target.c.dialect,
        bits: network.bits,
        register: register_type(function.target, network.bits),
        prefix: function.prefix,
        patterns: Vec::new(),
        used: Vec::new(),
        body: String::new(),
    };
    network.passes.iter().for_each(|pass| printer.pass(pass));
    printer.finish(network, function)
}

/// The C type of a target's registers of this many bits.
pub fn register_type(target: &Target, bits: u32) -> String {
    target.c.register.replace("{r}", &bits.to_string())
}

struct Printer<'a> {
    dialect: &'static Dialect,
    bits: u32,
    register: String,
    prefix: &'a str,
    /// The patterns of byte shuffles.
    patterns: Vec<Vec<u8>>,
    /// Whether each local of the pass is used.
    used: Vec<bool>,
    body: String,
}

impl Printer<'_> {
    fn finish(self, network: &Network, function: Function) -> String {
        let (register, name) = (&self.register, function.name);
        let mut parameters = match network.way {
            Way::Load => format!("{register} *restrict r, const uint8_t *restrict in"),
            Way::Store if network.adds => {
                format!("uint8_t *out, const uint8_t *in, const {register} *restrict r")
            }
            Way::Store => format!("uint8_t *restrict out, const {register} *restrict r"),
        };
        if network.low > 0 {
            let _ = write!(parameters, ", const {register} *restrict low");
        }
        let mut text = String::new();
        if let Some(attribute) = function.target.c.attribute {
            let _ = writeln!(text, "__attribute__((target(\"{attribute}\")))");
        }
        let _ = writeln!(text, "static inline void {name}({parameters})\n{{");
        for (i, pattern) in self.patterns.iter().enumerate() {
            let _ = writeln!(text, "    static const uint8_t p{i}[{}] = {{", pattern.len());
            for line in pattern.chunks(16) {
                let _ = writeln!(text, "        {},", list(line));
            }
            text.push_str("    };\n");
        }
        for (array, length) in [("t", network.scratch), ("w", network.words)] {
            if length > 0 {
                let _ = writeln!(text, "    {register} {array}[{length}];");
            }
        }
        text + &self.body + "}\n"
    }

    fn pass(&mut self, pass: &Pass) {
        let mut depth = 1;
        for (i, count) in pass.loops.iter().enumerate().rev() {
            let indent = "    ".repeat(depth);
            let _ = writeln!(self.body, "{indent}for (int i{i} = 0; i{i} < {count}; i{i}++) {{");
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
                vec![format!("const {} {d} = {differ};", self.register), self.define(*to, result)]
            }
            _ => self.compute(step),
        }
    }

    /// The statement of a step with one result.
    fn compute(&mut self, step: &Step) -> Vec<String> {
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
            Step::Fill { to, from, element, bit } => {
                let below = element - 1 - bit;
                let value = dialect.fill.replace("$a", &format!("v{from}"));
                let value = value.replace("$r", &self.bits.to_string());
                (to, self.cast(value.replace("$n", &below.to_string())))
            }
            Step::Test { to, from, masks } => {
                let masks = self.constant(masks);
                (to, binary(dialect.test, &format!("v{from}"), &masks))
            }
            _ => return Vec::new(),
        };
        vec![self.define(*to, value)]
    }

    fn define(&self, to: Local, value: String) -> String {
        format!("const {} v{to} = {value};", self.register)
    }

    /// Arithmetic on narrow words promotes them to `int`.
    fn cast(&self, value: String) -> String {
        if self.bits <= 64 {
            format!("({})({value})", self.register)
        } else {
            value
        }
    }

    fn xor(&self, a: &str, b: &str) -> String {
        self.cast(binary(self.dialect.xor, a, b))
    }

    fn splat(&self, mask: u64) -> String {
        self.dialect
            .splat
            .replace("$n", &format!("0x{mask:x}U{}", if mask >> 32 != 0 { "LL" } else { "" }))
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
        let mut lines = vec![format!("const {} {d} = {differ};", self.register)];
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
        self.dialect.load.replace("$p", &format!("p{number}"))
    }

    fn load(&self, at: &Place, piece: u32, pieces: &[i32]) -> String {
        let pointer = |offset: &i32| format!("in + ({})", place(&moved(at, *offset)));
        let word = |offset: &i32| format!("{}load{}({})", self.prefix, piece * 8, pointer(offset));
        if self.bits <= 64 {
            let part = |(i, offset): (usize, &i32)| match i {
                0 => format!("({}){}", self.register, word(offset)),
                _ => format!("({}){} << {}", self.register, word(offset), i as u32 * piece * 8),
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
        let pointer = |offset: &i32| format!("out + ({})", place(&moved(at, *offset)));
        if self.bits <= 64 {
            let (prefix, bits) = (self.prefix, piece * 8);
            let part = |(i, offset): (usize, &i32)| {
                let value = self.shift(&format!("v{from}"), -((i as u32 * bits) as i32));
                format!("{prefix}store{bits}({}, (uint{bits}_t){value});", pointer(offset))
            };
            return pieces.iter().enumerate().map(part).collect();
        }
        let store = |pointer: &str| {
            let value = format!("v{from}");
            self.dialect.store.replace("$p", pointer).replace("$a", &value) + ";"
        };
        if let [offset] = pieces {
            return vec![store(&pointer(offset))];
        }
        let part = format!("s{from}");
        let mut lines = vec![format!("uint8_t {part}[{}];", self.bits / 8), store(&part)];
        lines.extend(pieces.iter().enumerate().map(|(i, offset)| {
            format!("memcpy({}, {part} + {}, {piece});", pointer(offset), i as u32 * piece)
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

/// The place in terms of the loop variables.
fn place(at: &Place) -> String {
    let mut text = at.base.to_string();
    for (i, stride) in at.strides.iter().enumerate() {
        match stride {
            0 => {}
            1.. => {
                let _ = write!(text, " + {stride} * i{i}");
            }
            _ => {
                let _ = write!(text, " - {} * i{i}", -stride);
            }
        }
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
