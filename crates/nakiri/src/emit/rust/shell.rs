//! What surrounds kernels, in Rust: functions of the module of an instance, whose context is the type `$T`.

use crate::emit::shell::printer::{self, alone_below, byte, bytes, operand, size, Language};
use crate::emit::shell::{
    Action, Argument, By, ByteOrder, Function, Kind, Length, Param, Place, Run, Shell, Size,
};
use std::fmt::Write;

/// The fields of the context.
pub fn context(shell: &Shell) -> String {
    let parts = shell.context.iter().map(|(name, size)| format!("    {name}: [u8; {size}],\n"));
    parts.collect::<String>() + "    taken: u64,\n"
}

/// Their values before anything is known.
pub fn empty(shell: &Shell) -> String {
    let parts = shell.context.iter().map(|(name, size)| format!("{name}: [0; {size}], "));
    parts.collect::<String>() + "taken: 0"
}

/// The statements that erase them.
pub fn erased(shell: &Shell) -> String {
    let names = shell.context.iter().map(|(name, _)| &**name).chain(["taken"]);
    names.map(|name| format!("        zeroize::Zeroize::zeroize(&mut self.{name});\n")).collect()
}

/// The constants and functions; `chunks` tells the sizes of the blocks of an instance's function, results first.
pub fn definitions(shell: &Shell, chunks: &dyn Fn(&str) -> Vec<usize>) -> String {
    let (mut text, rust) = (String::new(), Rust { chunks });
    for (name, bytes) in &shell.constants {
        let name = rust.constant(name);
        let _ = writeln!(text, "static {name}: [u8; {}] = {bytes:?};\n", bytes.len());
    }
    for function in &shell.functions {
        let params: String = function.params.iter().map(parameter).collect();
        let (about, name, body) =
            (&function.about, &function.name, printer::body(&rust, shell, function));
        // Not every function needs all that its callers know.
        let unused = if body.contains("variant") { "" } else { "_" };
        let head = format!("fn {name}({unused}variant: Variant{params})");
        let _ = writeln!(text, "/// {about}\n{head} {{\n{body}}}\n");
    }
    if text.contains("= equal(") {
        text.push_str(EQUAL);
    }
    text
}

const EQUAL: &str = "\
/// Ones if all bytes are equal, else zero.
fn equal(a: &[u8], b: &[u8]) -> u8 {
    let different = a.iter().zip(b).fold(0u32, |different, (a, b)| different | u32::from(a ^ b));
    (core::hint::black_box(different).wrapping_sub(1) >> 8) as u8
}

";

fn parameter(param: &Param) -> String {
    let name = &param.name;
    match param.kind {
        Kind::Size => format!(", {name}: usize"),
        Kind::Context => format!(", {name}: &mut $T"),
        Kind::Input | Kind::InputOf(_) => format!(", {name}: &[u8]"),
        Kind::Output | Kind::OutputOf(_) => format!(", {name}: &mut [u8]"),
        Kind::Text => format!(", {name}: &mut [u8]"),
        Kind::Inputs => format!(", {name}: &[&[u8]]"),
        Kind::Texts => format!(", {name}: &mut [&mut [u8]]"),
    }
}

struct Rust<'a> {
    chunks: &'a dyn Fn(&str) -> Vec<usize>,
}

impl Language for Rust<'_> {
    fn action(&self, shell: &Shell, function: &Function, action: &Action) -> String {
        match action {
            Action::Context(name) => format!("let {name} = &mut $T::empty();"),
            Action::Bytes(name, count) => format!("let mut {name} = [0u8; {count}];"),
            Action::Sizes(name, count) => format!("let mut {name} = [0usize; {count}];"),
            Action::ZeroSizes(name) => format!("{name}.fill(0);"),
            Action::SwapAt(name, a, b) => {
                format!("{name}.swap({}, {});", size(self, a), size(self, b))
            }
            Action::Let(name, value) => {
                let mutable = if function.changes(name) { "mut " } else { "" };
                format!("let {mutable}{name}: usize = {};", size(self, value))
            }
            Action::Took(more) => {
                let more = operand(self, more);
                format!("state.taken = state.taken.wrapping_add({more} as u64);")
            }
            Action::TookNothing => "state.taken = 0;".to_string(),
            Action::Copy(to, from) | Action::Aside(to, from) => {
                format!("{}.copy_from_slice(&{});", self.place(to), self.place(from))
            }
            Action::Images(name, to, from) => {
                format!("{name}(&mut {}, &{});", self.place(to), self.place(from))
            }
            Action::Move(name, to, from, count) => {
                let (from, count) = (operand(self, from), operand(self, count));
                format!("{name}.copy_within({from}..{from} + {count}, {});", size(self, to))
            }
            Action::Zero(to) => format!("{}.fill(0);", self.place(to)),
            Action::SetByte(to, value) => format!("{} = {value:#04x};", byte(self, to)),
            Action::XorByte(to, value) => format!("{} ^= {value:#04x};", byte(self, to)),
            Action::XorAll(to, value) => {
                format!("{}.iter_mut().for_each(|byte| *byte ^= {value:#04x});", self.place(to))
            }
            Action::Compare(verdict, own, other) => {
                let (own, other) = (self.place(own), self.place(other));
                format!("{} &= equal(&{own}, &{other});", byte(self, verdict))
            }
            Action::Mask(to, mask) => {
                let (mask, count) = (byte(self, mask), size(self, &to.count));
                let to = self.place(&Place { count: "count".into(), ..to.clone() });
                format!("let (mask, count) = ({mask}, {count});\n{to}.iter_mut().for_each(|byte| *byte &= mask);")
            }
            Action::Swap(name, a, b, count) => {
                let (a, b) = (operand(self, a), operand(self, b));
                format!("(0..{count}).for_each(|k| {name}.swap({a} + k, {b} + k));")
            }
            Action::StoreBits(to, length, order) => {
                let length = match length {
                    Length::Taken => "state.taken".to_string(),
                    Length::Of(Size::Number(length)) => format!("{length}_u64"),
                    Length::Of(length) => format!("{} as u64", operand(self, length)),
                };
                let bits = format!("(u128::from({length}) << 3)");
                self.store(to, &bits, *order)
            }
            Action::StoreBytes(to, value, order) => {
                self.store(to, &format!("({} as u64)", operand(self, value)), *order)
            }
            Action::StoreNumber(to, value, more) => {
                let (to, value) = (self.place(to), operand(self, value));
                let value = match more {
                    0 => format!("{value} as u64"),
                    more => format!("{value} as u64 + {more}"),
                };
                format!("{to}[..8].copy_from_slice(&({value}).to_le_bytes());\n{to}[8..].fill(0);")
            }
            Action::Clear(name) => {
                format!("#[cfg(feature = \"zeroize\")]\nzeroize::Zeroize::zeroize(&mut {name});")
            }
            Action::Run(run) => self.run(run),
            Action::Call(callee, arguments) | Action::CallAlone(callee, arguments) => {
                let variant = match action {
                    Action::CallAlone(..) => self.alone(),
                    _ => "variant".to_string(),
                };
                let arguments = arguments.iter().zip(shell.kinds(callee));
                let arguments: String =
                    arguments.map(|(a, kind)| self.argument(function, a, kind)).collect();
                format!("{callee}({variant}{arguments});")
            }
            Action::Wipe => "state.erase();".to_string(),
            Action::Return => "return;".to_string(),
        }
    }

    fn head(&self, keyword: &str, holds: &str) -> String {
        format!("{keyword} {holds} {{")
    }

    fn count(&self, name: &str, limit: &str) -> String {
        format!("for {name} in 0..{limit} {{")
    }

    fn member(&self, name: &str) -> String {
        format!("state.{name}")
    }

    fn constant(&self, name: &str) -> String {
        name.to_uppercase()
    }

    fn length(&self, name: &str) -> String {
        format!("{name}.len()")
    }

    fn length_of(&self, name: &str, index: &str) -> String {
        format!("{name}[{index}].len()")
    }

    fn lanes(&self) -> String {
        "lanes_of(variant)".to_string()
    }

    fn stretch_alone(&self, function: &str) -> String {
        format!("{function}_alone(variant)")
    }

    fn parallel(&self, function: &str, variant: &str) -> String {
        format!("{function}_blocks({function}_variant({variant}))")
    }

    fn alone(&self) -> String {
        "alone(variant)".to_string()
    }

    fn stretch_of_each(&self, function: &str) -> String {
        format!("{function}_each(variant)")
    }

    fn alone_below(&self, back: bool) -> String {
        format!("{}(variant)", alone_below(back))
    }

    fn taken(&self, modulus: usize) -> String {
        format!("(state.taken % {modulus}) as usize")
    }

    fn taken_whole(&self, bytes: usize) -> String {
        format!("(state.taken / {bytes}) as usize")
    }

    fn kept(&self, modulus: usize) -> String {
        format!("state.taken.checked_sub(1).map_or(0, |taken| (taken % {modulus}) as usize + 1)")
    }

    fn least(&self, a: &str, b: &str) -> String {
        format!("usize::min({a}, {b})")
    }
}

impl Rust<'_> {
    /// A number in all bytes of a place.
    fn store(&self, to: &Place, number: &str, order: ByteOrder) -> String {
        let reversed = match order {
            ByteOrder::Little => "",
            ByteOrder::Big => ".rev()",
        };
        let to = format!("{}.iter_mut(){reversed}", self.place(to));
        format!("for (to, from) in {to}.zip({number}.to_le_bytes()) {{\n    *to = from;\n}}")
    }

    fn run(&self, run: &Run) -> String {
        let Run { function, by, results, params, .. } = run;
        let sizes = (self.chunks)(function);
        let mut arguments = String::new();
        if let By::Beside(_, constants) = by {
            let constants = constants.as_ref().map_or("[]".to_string(), |own| self.place(own));
            let _ = write!(arguments, ", &{constants}");
        }
        for (k, (of, size)) in results.iter().chain(params).zip(sizes).enumerate() {
            let of = self.place(of);
            let mutable = if k < results.len() { "_mut" } else { "" };
            let _ = write!(arguments, ", {of}.as_chunks{mutable}::<{size}>().0");
        }
        let variant = match by {
            By::Own => "variant".to_string(),
            By::Beside(of, _) => format!("{of}_variant(variant)"),
        };
        format!("{function}_as({variant}{arguments});")
    }

    fn argument(&self, function: &Function, argument: &Argument, kind: Kind) -> String {
        match argument {
            Argument::Element(name, index) if function.kind(name) == Some(Kind::Texts) => {
                let reference = if kind == Kind::Text { "&mut " } else { "&" };
                format!(", {reference}*{name}[{}]", size(self, index))
            }
            Argument::Same(name)
                if kind == Kind::Input && function.kind(name) == Some(Kind::Text) =>
            {
                format!(", &*{name}")
            }
            Argument::Size(value) => format!(", {}", size(self, value)),
            Argument::Context(name) | Argument::Same(name) => format!(", {name}"),
            Argument::Element(name, index) => format!(", {name}[{}]", size(self, index)),
            Argument::Place(of) if matches!(kind, Kind::Output | Kind::OutputOf(_)) => {
                format!(", &mut {}", self.place(of))
            }
            Argument::Place(of) => format!(", &{}", self.place(of)),
        }
    }

    fn place(&self, place: &Place) -> String {
        let of = bytes(self, &place.of);
        let [from, count] = [&place.from, &place.count].map(|number| size(self, number));
        match place.from {
            Size::Number(0) => format!("{of}[..{count}]"),
            _ => format!("{of}[{from}..][..{count}]"),
        }
    }
}
