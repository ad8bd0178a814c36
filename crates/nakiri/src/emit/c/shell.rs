//! What surrounds kernels, in C. Names begin with `$P`, the macro that clears arrays is `$CLEAR`.

use crate::emit::shell::{
    Argument, ByteOrder, Bytes, Condition, Function, Kind, Length, Operator, Param, Place, Shell,
    Size, Stmt,
};
use std::fmt::Write;

/// The members of the context.
pub fn context(shell: &Shell) -> String {
    let parts = shell.context.iter().map(|(name, size)| format!("    uint8_t {name}[{size}];\n"));
    parts.collect::<String>() + "    uint64_t taken;\n"
}

/// The definitions of constants and functions.
pub fn definitions(shell: &Shell) -> String {
    let mut text = HELPERS.to_string();
    for (name, bytes) in &shell.constants {
        let _ = writeln!(text, "static const uint8_t $P_{name}[{}] = {{", bytes.len());
        for line in bytes.chunks(16) {
            let line: Vec<String> = line.iter().map(|byte| format!("{byte:#04x}")).collect();
            let _ = writeln!(text, "    {},", line.join(", "));
        }
        text.push_str("};\n\n");
    }
    for function in &shell.functions {
        text.push_str(&definition(shell, function));
    }
    text
}

fn definition(shell: &Shell, function: &Function) -> String {
    let params: String = function.params.iter().map(parameter).collect();
    let mut printer = Printer { shell, function, text: String::new(), depth: 1 };
    // Not every function needs all that its callers know.
    printer.line("(void)variant;");
    for param in &function.params {
        if matches!(param.kind, Kind::Input | Kind::Output | Kind::Inputs) {
            printer.line(format!("(void){}_count;", param.name));
        }
    }
    printer.all(&function.body);
    format!(
        "/* {} */\nstatic void $P_{}(unsigned variant{params})\n{{\n{}}}\n\n",
        function.about, function.name, printer.text
    )
}

fn parameter(param: &Param) -> String {
    let name = &param.name;
    match param.kind {
        Kind::Size => format!(", size_t {name}"),
        Kind::Context => format!(", $P_state *{name}"),
        Kind::Input => format!(", const uint8_t *{name}, size_t {name}_count"),
        Kind::InputOf(_) => format!(", const uint8_t *{name}"),
        Kind::Output => format!(", uint8_t *{name}, size_t {name}_count"),
        Kind::OutputOf(_) => format!(", uint8_t *{name}"),
        Kind::Inputs => format!(
            ", const uint8_t *const *{name}, const size_t *{name}_counts, size_t {name}_count"
        ),
    }
}

struct Printer<'a> {
    shell: &'a Shell,
    function: &'a Function,
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
            Stmt::Context(name) => {
                self.line(format!("$P_state own_{name}, *const {name} = &own_{name};"));
            }
            Stmt::Bytes(name, count) => self.line(format!("uint8_t {name}[{count}];")),
            Stmt::Sizes(name, count) => self.line(format!("size_t {name}[{count}];")),
            Stmt::Let(name, value) => {
                let constant = if self.function.changes(name) { "" } else { "const " };
                self.line(format!("{constant}size_t {name} = {};", size(value)));
            }
            Stmt::Set(name, value) => self.line(assignment(name, value)),
            Stmt::SetAt(name, index, value) => {
                self.line(assignment(&format!("{name}[{}]", size(index)), value));
            }
            Stmt::Took(more) => self.line(format!("state->taken += {};", size(more))),
            Stmt::TookNothing => self.line("state->taken = 0;"),
            Stmt::Copy(to, from) => self.line(format!(
                "$P_copy({}, {}, {}, {});",
                place(to),
                bytes(&from.of),
                size(&from.from),
                size(&to.count)
            )),
            Stmt::Move(name, to, from, count) => self.line(format!(
                "__builtin_memmove({}, {}, {});",
                plus(name, to),
                plus(name, from),
                size(count)
            )),
            Stmt::Zero(to) => {
                self.line(format!("__builtin_memset({}, 0, {});", place(to), size(&to.count)));
            }
            Stmt::SetByte(to, value) => self.line(format!("{} = {value:#04x};", byte(to))),
            Stmt::XorByte(to, value) => self.line(format!("{} ^= {value:#04x};", byte(to))),
            Stmt::XorAll(to, value) => {
                let count = size(&to.count);
                self.line(format!("for (size_t k = 0; k < {count}; k++)"));
                self.line(format!("    {}[k] ^= {value:#04x};", bytes(&to.of)));
            }
            Stmt::StoreBits(to, length, order) => {
                let length = match length {
                    Length::Taken => "state->taken".to_string(),
                    Length::Of(length) => size(length),
                };
                let order = match order {
                    ByteOrder::Little => "little",
                    ByteOrder::Big => "big",
                };
                let count = size(&to.count);
                self.line(format!("$P_store_bits_{order}({}, {count}, {length});", place(to)));
            }
            Stmt::If(holds, body, other) => match other.is_empty() {
                true => self.block(format!("if ({})", condition(holds)), body, "}"),
                false => {
                    self.block(format!("if ({})", condition(holds)), body, "} else {");
                    self.depth += 1;
                    self.all(other);
                    self.depth -= 1;
                    self.line("}");
                }
            },
            Stmt::While(holds, body) => {
                self.block(format!("while ({})", condition(holds)), body, "}");
            }
            Stmt::For(name, limit, body) => {
                let head = format!("for (size_t {name} = 0; {name} < {}; {name}++)", size(limit));
                self.block(head, body, "}");
            }
            Stmt::Run(function, results, params, blocks) => {
                let all: Vec<String> = results.iter().chain(params).map(place).collect();
                let (all, blocks) = (all.join(", "), size(blocks));
                self.line(format!("$P_{function}_run(variant, NULL, {all}, {blocks});"));
            }
            Stmt::Call(callee, arguments) => {
                let kinds = self.shell.kinds(callee);
                let arguments = arguments.iter().zip(kinds);
                let arguments: String = arguments.map(|(a, kind)| self.argument(a, kind)).collect();
                self.line(format!("$P_{callee}(variant{arguments});"));
            }
            Stmt::Clear(name) => self.line(format!("$CLEAR({name});")),
            Stmt::Wipe => self.line("$library_erase(state, sizeof *state);"),
            Stmt::Return => self.line("return;"),
        }
    }

    fn argument(&self, argument: &Argument, kind: Kind) -> String {
        match argument {
            Argument::Size(value) => format!(", {}", size(value)),
            Argument::Context(name) => format!(", {name}"),
            Argument::Place(at) if matches!(kind, Kind::Input | Kind::Output) => {
                format!(", {}, {}", place(at), size(&at.count))
            }
            Argument::Place(at) => format!(", {}", place(at)),
            Argument::Element(name, index) => {
                let index = size(index);
                format!(", {name}[{index}], {name}_counts[{index}]")
            }
            Argument::Same(name) => match kind {
                Kind::Input | Kind::Output => format!(", {name}, {name}_count"),
                _ => format!(", {name}"),
            },
        }
    }
}

fn bytes(of: &Bytes) -> String {
    match of {
        Bytes::Named(name) => name.clone(),
        Bytes::Context(name) => format!("state->{name}"),
        Bytes::Constant(name) => format!("$P_{name}"),
        Bytes::Element(name, index) => format!("{name}[{}]", size(index)),
    }
}

fn place(place: &Place) -> String {
    plus(&bytes(&place.of), &place.from)
}

fn plus(array: &str, from: &Size) -> String {
    match from {
        Size::Number(0) => array.to_string(),
        _ => format!("{array} + {}", size(from)),
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
        Size::Count(name) => format!("{name}_count"),
        Size::CountOf(name, index) => format!("{name}_counts[{}]", size(index)),
        Size::Lanes => "$P_lanes[variant]".to_string(),
        Size::Taken(modulus) => format!("(size_t)(state->taken % {modulus})"),
        Size::Least(a, b) => format!("$P_least({}, {})", size(a), size(b)),
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
        Size::Binary(..) => format!("({})", size(value)),
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

const HELPERS: &str = "\
/* Where nothing is to be copied, there may be no address. */
__attribute__((unused)) static inline void $P_copy(uint8_t *to, const uint8_t *from, size_t at, size_t bytes)
{
    if (bytes > 0)
        __builtin_memcpy(to, from + at, bytes);
}

__attribute__((unused)) static inline size_t $P_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Eight times a number of bytes, in a number of at most 16 bytes. */
__attribute__((unused)) static inline void $P_store_bits_little(uint8_t *to, size_t size, uint64_t bytes)
{
    for (size_t k = 0; k < size; k++)
        to[k] = (uint8_t)(k < 8 ? (bytes << 3) >> 8 * k : k == 8 ? bytes >> 61 : 0);
}

__attribute__((unused)) static inline void $P_store_bits_big(uint8_t *to, size_t size, uint64_t bytes)
{
    for (size_t k = 0; k < size; k++)
        to[size - 1 - k] = (uint8_t)(k < 8 ? (bytes << 3) >> 8 * k : k == 8 ? bytes >> 61 : 0);
}

";
