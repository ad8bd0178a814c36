//! What surrounds kernels, in Rust: functions of the module of an instance, whose context is the type `$T`.

use crate::emit::shell::{
    Argument, ByteOrder, Bytes, Condition, Function, Kind, Length, Operator, Param, Place, Shell,
    Size, Stmt,
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
    let mut text = String::new();
    for (name, bytes) in &shell.constants {
        let name = name.to_uppercase();
        let _ = writeln!(text, "static {name}: [u8; {}] = {bytes:?};\n", bytes.len());
    }
    for function in &shell.functions {
        let params: String = function.params.iter().map(parameter).collect();
        let mut printer = Printer { shell, function, chunks, text: String::new(), depth: 1 };
        printer.all(&function.body);
        let (about, name, body) = (&function.about, function.name, printer.text);
        // Not every function needs all that its callers know.
        let unused = if body.contains("variant") { "" } else { "_" };
        let head = format!("fn {name}({unused}variant: Variant{params})");
        let _ = writeln!(text, "/// {about}\n{head} {{\n{body}}}\n");
    }
    text
}

fn parameter(param: &Param) -> String {
    let name = &param.name;
    match param.kind {
        Kind::Size => format!(", {name}: usize"),
        Kind::Context => format!(", {name}: &mut $T"),
        Kind::Input | Kind::InputOf(_) => format!(", {name}: &[u8]"),
        Kind::Output | Kind::OutputOf(_) => format!(", {name}: &mut [u8]"),
        Kind::Inputs => format!(", {name}: &[&[u8]]"),
    }
}

struct Printer<'a> {
    shell: &'a Shell,
    function: &'a Function,
    chunks: &'a dyn Fn(&str) -> Vec<usize>,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn all(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}{}", "    ".repeat(self.depth), line.as_ref());
    }

    fn block(&mut self, head: String, body: &[Stmt], end: &str) {
        self.line(head + " {");
        self.depth += 1;
        self.all(body);
        self.depth -= 1;
        self.line(end);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Context(name) => self.line(format!("let {name} = &mut $T::empty();")),
            Stmt::Bytes(name, count) => self.line(format!("let mut {name} = [0u8; {count}];")),
            Stmt::Sizes(name, count) => self.line(format!("let mut {name} = [0usize; {count}];")),
            Stmt::Let(name, value) => {
                let mutable = if self.function.changes(name) { "mut " } else { "" };
                self.line(format!("let {mutable}{name}: usize = {};", size(value)));
            }
            Stmt::Set(name, value) => self.line(assignment(name, value)),
            Stmt::SetAt(name, index, value) => {
                self.line(assignment(&format!("{name}[{}]", size(index)), value));
            }
            Stmt::Took(more) => {
                let more = operand(more);
                self.line(format!("state.taken = state.taken.wrapping_add({more} as u64);"));
            }
            Stmt::TookNothing => self.line("state.taken = 0;"),
            Stmt::Copy(to, from) => {
                self.line(format!("{}.copy_from_slice(&{});", place(to), place(from)));
            }
            Stmt::Move(name, to, from, count) => {
                let (to, from, count) = (size(to), operand(from), operand(count));
                self.line(format!("{name}.copy_within({from}..{from} + {count}, {to});"));
            }
            Stmt::Zero(to) => self.line(format!("{}.fill(0);", place(to))),
            Stmt::SetByte(to, value) => self.line(format!("{} = {value:#04x};", byte(to))),
            Stmt::XorByte(to, value) => self.line(format!("{} ^= {value:#04x};", byte(to))),
            Stmt::XorAll(to, value) => {
                let to = place(to);
                self.line(format!("{to}.iter_mut().for_each(|byte| *byte ^= {value:#04x});"));
            }
            Stmt::StoreBits(to, length, order) => {
                let length = match length {
                    Length::Taken => "state.taken".to_string(),
                    Length::Of(length) => format!("{} as u64", operand(length)),
                };
                let reversed = match order {
                    ByteOrder::Little => "",
                    ByteOrder::Big => ".rev()",
                };
                let to = place(to);
                let bits = format!("(u128::from({length}) << 3).to_le_bytes()");
                let head = format!("for (to, from) in {to}.iter_mut(){reversed}.zip({bits})");
                self.line(head + " {");
                self.line("    *to = from;");
                self.line("}");
            }
            Stmt::If(holds, body, other) => match other.is_empty() {
                true => self.block(format!("if {}", condition(holds)), body, "}"),
                false => {
                    self.block(format!("if {}", condition(holds)), body, "} else {");
                    self.depth += 1;
                    self.all(other);
                    self.depth -= 1;
                    self.line("}");
                }
            },
            Stmt::While(holds, body) => {
                self.block(format!("while {}", condition(holds)), body, "}");
            }
            Stmt::For(name, limit, body) => {
                self.block(format!("for {name} in 0..{}", size(limit)), body, "}");
            }
            Stmt::Run(function, results, params, _) => self.run(function, results, params),
            Stmt::Call(callee, arguments) => self.call(callee, arguments),
            Stmt::Clear(name) => {
                self.line("#[cfg(feature = \"zeroize\")]");
                self.line(format!("zeroize::Zeroize::zeroize(&mut {name});"));
            }
            Stmt::Wipe => self.line("state.erase();"),
            Stmt::Return => self.line("return;"),
        }
    }

    fn run(&mut self, function: &str, results: &[Place], params: &[Place]) {
        let sizes = (self.chunks)(function);
        let mut arguments = String::new();
        for (k, (of, size)) in results.iter().chain(params).zip(sizes).enumerate() {
            let of = place(of);
            let _ = match k < results.len() {
                true => write!(arguments, ", {of}.as_chunks_mut::<{size}>().0"),
                false => write!(arguments, ", {of}.as_chunks::<{size}>().0"),
            };
        }
        self.line(format!("{function}_as(variant{arguments});"));
    }

    fn call(&mut self, callee: &str, arguments: &[Argument]) {
        let kinds = self.shell.kinds(callee);
        let mut text = String::new();
        for (argument, kind) in arguments.iter().zip(kinds) {
            let argument = match argument {
                Argument::Size(value) => size(value),
                Argument::Context(name) | Argument::Same(name) => name.clone(),
                Argument::Element(name, index) => format!("{name}[{}]", size(index)),
                Argument::Place(of) if matches!(kind, Kind::Output | Kind::OutputOf(_)) => {
                    format!("&mut {}", place(of))
                }
                Argument::Place(of) => format!("&{}", place(of)),
            };
            let _ = write!(text, ", {argument}");
        }
        self.line(format!("{callee}(variant{text});"));
    }
}

fn bytes(of: &Bytes) -> String {
    match of {
        Bytes::Named(name) => name.clone(),
        Bytes::Context(name) => format!("state.{name}"),
        Bytes::Constant(name) => name.to_uppercase(),
        Bytes::Element(name, index) => format!("{name}[{}]", size(index)),
    }
}

fn place(place: &Place) -> String {
    let (of, from, count) = (bytes(&place.of), size(&place.from), size(&place.count));
    match place.from {
        Size::Number(0) => format!("{of}[..{count}]"),
        _ => format!("{of}[{from}..][..{count}]"),
    }
}

fn byte(place: &Place) -> String {
    format!("{}[{}]", bytes(&place.of), size(&place.from))
}

fn size(value: &Size) -> String {
    match value {
        Size::Number(number) => number.to_string(),
        Size::Named(name) => name.clone(),
        Size::At(name, index) => format!("{name}[{}]", size(index)),
        Size::Count(name) => format!("{name}.len()"),
        Size::CountOf(name, index) => format!("{name}[{}].len()", size(index)),
        Size::Lanes => "lanes_of(variant)".to_string(),
        Size::Taken(modulus) => format!("(state.taken % {modulus}) as usize"),
        Size::Least(a, b) => format!("usize::min({}, {})", size(a), size(b)),
        Size::Binary(operator, a, b) => {
            format!("{} {} {}", operand(a), operator.symbol(), operand(b))
        }
    }
}

/// Gives something a value.
fn assignment(to: &str, value: &Size) -> String {
    match value {
        Size::Binary(operator @ (Operator::Add | Operator::Subtract), own, by)
            if size(own) == to =>
        {
            format!("{to} {}= {};", operator.symbol(), size(by))
        }
        _ => format!("{to} = {};", size(value)),
    }
}

/// A number as an operand.
fn operand(value: &Size) -> String {
    match value {
        Size::Binary(..) | Size::Taken(_) => format!("({})", size(value)),
        _ => size(value),
    }
}

fn condition(holds: &Condition) -> String {
    match holds {
        Condition::Less(a, b) => format!("{} < {}", size(a), size(b)),
        Condition::AtMost(a, b) => format!("{} <= {}", size(a), size(b)),
        Condition::Equal(a, b) => format!("{} == {}", size(a), size(b)),
        Condition::Both(a, b) => format!("{} && {}", condition(a), condition(b)),
        Condition::Either(a, b) => format!("({}) || ({})", condition(a), condition(b)),
    }
}
