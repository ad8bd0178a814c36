//! The syntax of C.

use crate::emit::assembly::{self, Names};
use crate::emit::syntax::{Front, Head, NetworkHead, Parameter, Syntax};
use crate::emit::template::{self, Fill};
use crate::isa::{Target, C};
use crate::mir::Code;
use std::fmt::Write;

/// C11 with the intrinsics and attributes of gcc and clang.
pub struct C11;

impl Syntax for C11 {
    fn registers(&self, target: &Target) -> C {
        target.c
    }

    fn literal(&self, value: u128) -> String {
        format!("{value:#x}u")
    }

    fn pattern(&self, pattern: u64, _: u32) -> String {
        format!("0x{pattern:x}U{}", if pattern >> 32 != 0 { "LL" } else { "" })
    }

    fn barrier(&self, bits: u32, value: &str) -> String {
        format!("nakiri_barrier{bits}({value})")
    }

    /// Arithmetic on narrow words promotes them to `int`.
    fn cast(&self, ty: &str, value: &str) -> String {
        format!("({ty})({value})")
    }

    fn widen(&self, ty: &str, word: &str) -> String {
        format!("({ty}){word}")
    }

    fn shuffled(&self, vector: &str, places: &[i8; 16], fill: &Fill) -> String {
        let end = fill.target.bits / 8;
        let place = |place: u32| match u32::try_from(places[place as usize % 16]) {
            Ok(byte) => place / 16 * 16 + byte,
            Err(_) => end,
        };
        let (zeros, numbers) =
            (fill.text(fill.registers().zeros), template::list((0..end).map(place)));
        format!("__builtin_shufflevector({vector}, {zeros}, {numbers})")
    }

    fn times(&self, word: &str, number: &str) -> String {
        format!("({word} * {number})")
    }

    fn plus(&self, word: &str, number: &str) -> String {
        format!("({word} + {number})")
    }

    /// Beyond this gcc and clang take more and more time for each statement.
    fn longest_function(&self) -> usize {
        16_000
    }

    fn longest_block(&self) -> usize {
        usize::MAX
    }

    fn block(&self, _: &[String]) -> (String, Vec<String>) {
        ("{".to_string(), vec!["}".to_string()])
    }

    fn define(&self, ty: &str, name: &str, value: &str) -> String {
        format!("const {ty} {name} = {value};")
    }

    fn variable(&self, ty: &str, name: &str, value: &str, _: bool) -> String {
        format!("{ty} {name} = {value};")
    }

    fn unused(&self, name: &str) -> String {
        format!("(void){name};")
    }

    fn room(&self, ty: &str, name: &str, count: u32, _: &str) -> String {
        format!("{ty} {name}[{count}];")
    }

    fn array(&self, ty: &str, name: &str, count: u32, zero: &str, apart: bool) -> String {
        if !apart {
            return self.room(ty, name, count, zero);
        }
        let room = self.room(ty, &format!("{name}_room"), count, zero);
        format!("{room} {ty} *restrict {name} = {name}_room; __asm__(\"\" : \"+r\"({name}));")
    }

    /// Sanitizers check each access by an address that they don't know, and take very long for it: they get one array.
    fn spill_room(&self, ty: &str, name: &str, count: u32, _: &str) -> Vec<String> {
        vec![
            "#ifdef NAKIRI_SANITIZED".to_string(),
            format!("#define from_{name} to_{name}"),
            format!("{ty} to_{name}[{count}];"),
            "#else".to_string(),
            format!("{ty} room_{name}[{count}], *to_{name} = room_{name};"),
            format!("const {ty} *from_{name} = room_{name};"),
            format!("__asm__(\"\" : \"+r\"(to_{name}), \"+r\"(from_{name}) : : \"memory\");"),
            "#endif".to_string(),
        ]
    }

    fn spill(&self, room: &str, place: u32, value: &str) -> String {
        format!("to_{room}[{place}] = {value};")
    }

    fn spilled(&self, room: &str, place: u32) -> String {
        format!("from_{room}[{place}]")
    }

    fn window(&self, ty: &str, name: &str, array: &str) -> Option<String> {
        Some(format!("{ty} *{name} = {array} + i; __asm__(\"\" : \"+r\"({name}));"))
    }

    fn table(&self, name: &str, lines: &[Vec<u8>]) -> Vec<String> {
        let size: usize = lines.iter().map(Vec::len).sum();
        let mut text = vec![format!("static const uint8_t {name}[{size}] = {{")];
        text.extend(lines.iter().map(|line| format!("    {},", list(line))));
        text.push("};".to_string());
        text
    }

    fn repeat(&self, counter: &str, variable: &str, count: u32, _: bool) -> String {
        format!("for ({counter} {variable} = 0; {variable} < {count}; {variable}++) {{")
    }

    fn index(&self, base: usize, step: isize) -> String {
        let size = step.unsigned_abs();
        match step {
            0 => format!("{base}"),
            1.. if base == 0 => format!("{size}u * i"),
            1.. => format!("{base}u + {size}u * i"),
            _ => format!("{base}u - {size}u * i"),
        }
    }

    fn bytes(&self, array: &str, offset: &str) -> String {
        format!("{array} + {offset}")
    }

    fn assembled(&self, head: &Head, code: &Code) -> String {
        let text = assembly::text(code, Names::Symbols(head.name));
        let mut out = String::new();
        // Compilers need not take longer strings than 4,095 bytes, with the names put in; they keep the order of these statements.
        let mut room = 0;
        for line in text.lines() {
            let line = format!("    \"{line}\\n\"\n");
            if room < line.len() {
                out.push_str(if out.is_empty() { "__asm__(\n" } else { ");\n__asm__(\n" });
                room = 1200;
            }
            room -= line.len();
            out.push_str(&line);
        }
        format!(
            "#ifndef __ELF__\n#error \"its assembly is for ELF: make it without spill=assembly\"\n#endif\n\
             {out});\nvoid {}({});\n",
            head.name,
            parameters(head)
        )
    }

    fn head(&self, head: &Head) -> String {
        let called = if head.called { "__attribute__((noinline))\n" } else { "" };
        let (attribute, name) = (attribute(head.target), head.name);
        format!("{attribute}{called}static void {name}({})", parameters(head))
    }

    fn lend(&self, array: &str) -> String {
        array.to_string()
    }

    fn store_image(&self, prefix: &str, array: &str, offset: &str, word: &str) -> String {
        format!("{prefix}store64({array} + ({offset}), {word});")
    }

    fn store_front(&self, front: &Front) -> String {
        let Front { array, offset, bytes, value, register, .. } = front;
        format!("{{ const {register} x = {value}; __builtin_memcpy({array} + ({offset}), &x, {bytes}); }}")
    }

    fn memory_type(&self, register: &str, name: &str) -> Option<String> {
        Some(format!("typedef {register} {name} __attribute__((aligned(1), may_alias));\n"))
    }

    fn network_head(&self, network: &NetworkHead) -> String {
        let NetworkHead { register, name, .. } = network;
        let mut parameters = match network.loads {
            true if network.bytes == 0 => format!("{register} *restrict r"),
            true => format!("{register} *restrict r, const uint8_t *restrict in"),
            false if network.adds => {
                format!("uint8_t *out, const uint8_t *in, const {register} *restrict r")
            }
            false => format!("uint8_t *restrict out, const {register} *restrict r"),
        };
        if network.low > 0 {
            parameters += &format!(", const {register} *restrict low");
        }
        let attribute = attribute(network.target);
        let inline =
            if network.called { "__attribute__((noinline))\nstatic" } else { "static inline" };
        format!("{attribute}{inline} void {name}({parameters})\n{{\n")
    }

    fn images_head(&self, name: &str, _: usize, _: usize, target: &Target) -> String {
        // A variant that stands under a condition may be the only one that calls it.
        let attribute = attribute(target);
        format!(
            "{attribute}__attribute__((unused))\nstatic void {name}(uint8_t *restrict out, const uint8_t *restrict in)\n{{\n"
        )
    }

    fn spread_byte(&self, offset: &str, byte: &str, bits: u32) -> Option<String> {
        let bytes = bits / 8;
        let mut text = format!(
            "{{\n    typedef uint16_t words __attribute__((vector_size({bytes})));\n    \
             typedef int16_t signs __attribute__((vector_size({bytes})));\n    \
             const words byte = {byte} + (words){{0}};\n    signs bits;\n"
        );
        // Products bring a bit to the highest place of sixteen, from where it fills them.
        let factors: Vec<String> = (0..8).flat_map(|k| vec![(256 << k).to_string(); 4]).collect();
        for (k, factors) in factors.chunks(bits as usize / 16).enumerate() {
            let (factors, place) = (factors.join(", "), k as u32 * bytes);
            let _ = write!(
                text,
                "    bits = (signs)(byte * (words){{{factors}}}) >> 15;\n    \
                 __builtin_memcpy(out + ({place}u + {offset}), &bits, {bytes});\n"
            );
        }
        Some(text + "}")
    }

    fn word(&self, bits: u32, offset: &str, way: &NetworkHead) -> String {
        format!("{}load{bits}({})", way.prefix, self.source(offset, way))
    }

    fn store_word(&self, bits: u32, offset: &str, value: &str, way: &NetworkHead) -> String {
        let to = self.sink(offset, way);
        format!("{}store{bits}({to}, (uint{bits}_t){value});", way.prefix)
    }

    fn source(&self, offset: &str, _: &NetworkHead) -> String {
        format!("in + ({offset})")
    }

    fn sink(&self, offset: &str, _: &NetworkHead) -> String {
        format!("out + ({offset})")
    }

    fn byte_room(&self, name: &str, bytes: u32) -> String {
        format!("uint8_t {name}[{bytes}];")
    }

    fn copy_out(
        &self,
        offset: &str,
        name: &str,
        from: u32,
        bytes: u32,
        way: &NetworkHead,
    ) -> String {
        format!("__builtin_memcpy({}, {name} + {from}, {bytes});", self.sink(offset, way))
    }

    fn pattern_name(&self, number: usize) -> String {
        format!("p{number}")
    }
}

/// `__attribute__((target(…)))` and a line break, or nothing.
pub fn attribute(target: &Target) -> String {
    let attribute = target.c.attribute;
    attribute.map_or(String::new(), |a| format!("__attribute__((target(\"{a}\")))\n"))
}

fn parameters(head: &Head) -> String {
    match &head.parameters[..] {
        [] => "void".to_string(),
        all => all.iter().map(parameter).collect::<Vec<_>>().join(", "),
    }
}

fn parameter(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Results { ty, name, .. } => format!("{ty} *restrict {name}"),
        Parameter::Array { ty, name, .. } => format!("const {ty} *restrict {name}"),
        Parameter::Value { ty, name } => format!("const {ty} {name}"),
        Parameter::Made { name, .. } => format!("uint8_t *restrict {name}"),
        Parameter::Images { .. } => "const unsigned char *restrict constants".to_string(),
    }
}

fn list(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}
