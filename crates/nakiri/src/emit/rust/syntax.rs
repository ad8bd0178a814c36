//! The syntax of Rust.

use crate::emit::assembly::{self, Names};
use crate::emit::syntax::{Front, Head, NetworkHead, Parameter, Syntax};
use crate::emit::template::Fill;
use crate::isa::{rust, Target, C};
use crate::mir::Code;

/// Rust with the intrinsics of `core::arch`; `part` and `part_mut` are those of the emitted `memory.rs`.
pub struct Rust;

impl Syntax for Rust {
    fn registers(&self, target: &Target) -> C {
        rust::of(target).map_or(target.c, |rust| rust.registers(target))
    }

    fn literal(&self, value: u128) -> String {
        format!("{value:#x}")
    }

    fn pattern(&self, pattern: u64, bits: u32) -> String {
        match bits {
            0..=63 => format!("{:#x}", pattern & ((1 << bits) - 1)),
            64 => format!("{pattern:#x}"),
            _ => format!("{pattern:#x}_u64 as i64"),
        }
    }

    fn barrier(&self, bits: u32, value: &str) -> String {
        format!("barrier{bits}({})", bare(value))
    }

    fn cast(&self, _: &str, value: &str) -> String {
        format!("({value})")
    }

    fn widen(&self, ty: &str, word: &str) -> String {
        match word.starts_with(ty) {
            true => word.to_string(),
            false => format!("({word} as {ty})"),
        }
    }

    fn shuffled(&self, vector: &str, places: &[i8; 16], fill: &Fill) -> String {
        let shuffle = fill.registers().dialect.bytes;
        shuffle.replace("$a", vector).replace("$b", &fill.segment(places))
    }

    fn times(&self, word: &str, number: &str) -> String {
        format!("{word}.wrapping_mul({number})")
    }

    fn plus(&self, word: &str, number: &str) -> String {
        format!("{word}.wrapping_add({number})")
    }

    fn longest_function(&self) -> usize {
        usize::MAX
    }

    /// Each `let` opens a scope in the one before, and compilers that describe them to debuggers recur as deep.
    fn longest_block(&self) -> usize {
        64
    }

    fn block(&self, seen: &[String]) -> (String, Vec<String>) {
        match seen {
            [] => ("{".to_string(), vec!["}".to_string()]),
            [one] => (format!("let {one} = {{"), vec![one.clone(), "};".to_string()]),
            several => {
                let tuple = format!("({})", several.join(", "));
                (format!("let {tuple} = {{"), vec![tuple, "};".to_string()])
            }
        }
    }

    fn define(&self, ty: &str, name: &str, value: &str) -> String {
        format!("let {name}: {ty} = {};", bare(value))
    }

    fn variable(&self, ty: &str, name: &str, value: &str, changes: bool) -> String {
        format!("let {}{name}: {ty} = {value};", if changes { "mut " } else { "" })
    }

    fn unused(&self, name: &str) -> String {
        format!("let _ = {name};")
    }

    fn room(&self, ty: &str, name: &str, count: u32, zero: &str) -> String {
        format!("let mut {name}: [{ty}; {count}] = [{zero}; {count}];")
    }

    fn array(&self, ty: &str, name: &str, count: u32, zero: &str, apart: bool) -> String {
        let room = format!("let {name}: &mut [{ty}; {count}] = &mut [{zero}; {count}];");
        match apart {
            true => format!("{room} let {name} = core::hint::black_box({name});"),
            false => room,
        }
    }

    fn spill_room(&self, ty: &str, name: &str, count: u32, zero: &str) -> Vec<String> {
        let room = format!("&[core::cell::Cell<{ty}>; {count}]");
        vec![
            format!("let room_{name}: {room} = &[{zero}; {count}].map(core::cell::Cell::new);"),
            format!("let to_{name} = core::hint::black_box(room_{name});"),
            format!("let from_{name} = core::hint::black_box(room_{name});"),
        ]
    }

    fn spill(&self, room: &str, place: u32, value: &str) -> String {
        format!("to_{room}[{place}].set({});", bare(value))
    }

    fn spilled(&self, room: &str, place: u32) -> String {
        format!("from_{room}[{place}].get()")
    }

    fn window(&self, _: &str, _: &str, _: &str) -> Option<String> {
        None
    }

    fn table(&self, name: &str, lines: &[Vec<u8>]) -> Vec<String> {
        let size: usize = lines.iter().map(Vec::len).sum();
        let list = |line: &Vec<u8>| line.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let mut text = vec![format!("static {name}: &[u8; {size}] = &[")];
        text.extend(lines.iter().map(|line| format!("    {},", list(line))));
        text.push("];".to_string());
        text
    }

    fn repeat(&self, _: &str, variable: &str, count: u32, read: bool) -> String {
        let variable = if read { variable } else { "_" };
        format!("for {variable} in 0..{count}usize {{")
    }

    fn index(&self, base: usize, step: isize) -> String {
        let size = step.unsigned_abs();
        match step {
            0 => format!("{base}"),
            1 if base == 0 => "i".to_string(),
            1.. if base == 0 => format!("{size} * i"),
            1.. => format!("{base} + {size} * i"),
            _ => format!("{base} - {size} * i"),
        }
    }

    fn bytes(&self, array: &str, offset: &str) -> String {
        format!("{array}, {offset}")
    }

    fn assembled(&self, head: &Head, code: &Code) -> String {
        let text = assembly::text(code, Names::Numbers);
        let own = format!("{}_assembly", head.name);
        let pointer = |parameter: &Parameter| match parameter {
            Parameter::Results { ty, name, .. } => format!("{name}: *mut {ty}"),
            Parameter::Made { name, .. } => format!("{name}: *mut u8"),
            Parameter::Array { ty, name, .. } => format!("{name}: *const {ty}"),
            Parameter::Value { ty, name } => format!("{name}: {ty}"),
            Parameter::Images { .. } => "constants: *const u8".to_string(),
        };
        let given = |parameter: &Parameter| match parameter {
            Parameter::Results { name, .. } | Parameter::Made { name, .. } => {
                format!("{name}.as_mut_ptr()")
            }
            Parameter::Value { name, .. } => name.clone(),
            other => format!("{}.as_ptr()", other.name()),
        };
        let pointers: Vec<String> = head.parameters.iter().map(pointer).collect();
        let given: Vec<String> = head.parameters.iter().map(given).collect();
        format!(
            "#[cfg(any(windows, target_vendor = \"apple\"))]\ncompile_error!(\"its assembly is for ELF: make it without `spill=assembly`\");\n\n\
             #[unsafe(naked)]\nunsafe extern \"sysv64\" fn {own}({})\n{{\n    core::arch::naked_asm!(r#\"\n{text}\"#, options(raw))\n}}\n\n\
             {}\n{{\n    // SAFETY: it reads and writes these arrays alone.\n    unsafe {{ {own}({}) }}\n}}\n",
            pointers.join(", "),
            self.head(head),
            given.join(", ")
        )
    }

    fn head(&self, head: &Head) -> String {
        let parameters: Vec<String> = head.parameters.iter().map(parameter).collect();
        let inline = if head.called { "#[inline(never)]\n" } else { "" };
        let (attribute, name) = (attribute(head.target), head.name);
        format!("{attribute}{inline}fn {name}({})", parameters.join(", "))
    }

    fn lend(&self, array: &str) -> String {
        format!("&mut {array}")
    }

    fn store_image(&self, _: &str, array: &str, offset: &str, word: &str) -> String {
        format!("*part_mut({array}, {offset}) = {word}.to_le_bytes();")
    }

    fn store_front(&self, front: &Front) -> String {
        let Front { array, offset, bytes, value, size, .. } = front;
        format!(
            "{{ let mut x = [0; {size}]; store(&mut x, {value}); \
             *part_mut::<u8, {bytes}>({array}, {offset}) = *part(&x, 0); }}"
        )
    }

    fn memory_type(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn network_head(&self, network: &NetworkHead) -> String {
        let NetworkHead { register, name, registers, bytes, low, .. } = network;
        let mut parameters = match network.loads {
            true if *bytes == 0 => format!("r: &mut [{register}; {registers}]"),
            true => format!("r: &mut [{register}; {registers}], input: &[u8; {bytes}]"),
            false if network.adds => {
                format!("mut text: InOutBuf<'_, '_, u8>, r: &[{register}; {registers}]")
            }
            false => format!("out: &mut [u8; {bytes}], r: &[{register}; {registers}]"),
        };
        if *low > 0 {
            parameters += &format!(", low: &[{register}; {low}]");
        }
        let (attribute, inline) =
            (attribute(network.target), if network.called { "(never)" } else { "" });
        let length = if network.adds {
            format!("    assert_eq!(text.len(), {bytes});\n")
        } else {
            String::new()
        };
        format!("{attribute}#[inline{inline}]\nfn {name}({parameters}) {{\n{length}")
    }

    fn images_head(&self, name: &str, to: usize, from: usize, _: &Target) -> String {
        format!("fn {name}(out: &mut [u8; {to}], input: &[u8; {from}]) {{\n")
    }

    fn spread_byte(&self, _: &str, _: &str, _: u32) -> Option<String> {
        None
    }

    fn word(&self, bits: u32, offset: &str, way: &NetworkHead) -> String {
        let sign = if way.target.simd { "i" } else { "u" };
        format!("{sign}{bits}::from_le_bytes(*{})", self.source(offset, way))
    }

    fn store_word(&self, bits: u32, offset: &str, value: &str, way: &NetworkHead) -> String {
        let to = self.sink(offset, way);
        match way.register == format!("u{bits}") {
            true => format!("*{to} = {value}.to_le_bytes();"),
            false => format!("*{to} = ({value} as u{bits}).to_le_bytes();"),
        }
    }

    fn source(&self, offset: &str, way: &NetworkHead) -> String {
        format!("part({}, {offset})", if way.adds { "text.get_in()" } else { "input" })
    }

    fn sink(&self, offset: &str, way: &NetworkHead) -> String {
        format!("part_mut({}, {offset})", if way.adds { "text.get_out()" } else { "out" })
    }

    fn byte_room(&self, name: &str, bytes: u32) -> String {
        format!("let mut {name} = [0; {bytes}];")
    }

    fn copy_out(
        &self,
        offset: &str,
        name: &str,
        from: u32,
        bytes: u32,
        way: &NetworkHead,
    ) -> String {
        format!("*{} = *part::<u8, {bytes}>(&{name}, {from});", self.sink(offset, way))
    }

    fn pattern_name(&self, number: usize) -> String {
        format!("P{number}")
    }
}

/// `#[target_feature(…)]` and a line break, or nothing.
pub fn attribute(target: &Target) -> String {
    let always = rust::of(target).map_or(&[][..], |rust| rust.always);
    let features = [always, target.features].concat();
    match features.is_empty() {
        true => String::new(),
        false => format!("#[target_feature(enable = \"{}\")]\n", features.join(",")),
    }
}

/// The condition under which a target's code is compiled.
pub fn condition(target: &Target) -> Option<String> {
    target.simd.then(|| format!("#[cfg(target_arch = \"{}\")]", target.architecture.name))
}

fn parameter(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Results { ty, name, count } => format!("{name}: &mut [{ty}; {count}]"),
        Parameter::Array { ty, name, count } => format!("{name}: &[{ty}; {count}]"),
        Parameter::Value { ty, name } => format!("{name}: {ty}"),
        Parameter::Made { name, bytes } => format!("{name}: &mut [u8; {bytes}]"),
        Parameter::Images { bytes } => format!("constants: &[u8; {bytes}]"),
    }
}

/// An expression without parentheses around all of it.
fn bare(value: &str) -> &str {
    let Some(inner) = value.strip_prefix('(').and_then(|v| v.strip_suffix(')')) else {
        return value;
    };
    let mut depth = 0;
    let closes = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes {
        value
    } else {
        bare(inner)
    }
}
