//! Functions of a shell as text: the walk over statements and numbers, which all languages share.

use super::{Action, Bytes, Condition, Function, Place, Shell, Size, Stmt};
use std::fmt::Write;

/// What languages differ in.
pub trait Language {
    /// The lines of a statement that does something.
    fn action(&self, shell: &Shell, function: &Function, action: &Action) -> String;
    /// What opens the body of `if` or `while`, up to its brace.
    fn head(&self, keyword: &str, holds: &str) -> String;
    /// What opens the body of a loop over the numbers below a limit, up to its brace.
    fn count(&self, name: &str, limit: &str) -> String;
    /// A part of the context.
    fn member(&self, name: &str) -> String;
    /// An array of constants.
    fn constant(&self, name: &str) -> String;
    /// How many bytes, or elements, something has that a function was given.
    fn length(&self, name: &str) -> String;
    /// The same of an element.
    fn length_of(&self, name: &str, index: &str) -> String;
    /// How many blocks the variant processes at once.
    fn lanes(&self) -> String;
    /// How many blocks of a text alone the variant takes at once by a function.
    fn stretch_alone(&self, function: &str) -> String;
    /// How many blocks of a text alone are taken side by side by a function where this variant takes the text.
    fn parallel(&self, function: &str, variant: &str) -> String;
    /// The variant that takes a message alone.
    fn alone(&self) -> String;
    /// How many blocks of each of many texts.
    fn stretch_of_each(&self, function: &str) -> String;
    /// The bytes of a message below which the variant takes it alone among many, there or back.
    fn alone_below(&self, back: bool) -> String;
    /// The number of bytes that the context took, modulo this.
    fn taken(&self, modulus: usize) -> String;
    /// How often the context took so many bytes.
    fn taken_whole(&self, bytes: usize) -> String;
    /// The same as [`Language::taken`], but the modulus itself where that is zero, once anything was taken.
    fn kept(&self, modulus: usize) -> String;
    /// The smaller number.
    fn least(&self, a: &str, b: &str) -> String;
}

/// The statements of a function, indented by a step.
pub fn body(language: &dyn Language, shell: &Shell, function: &Function) -> String {
    let mut printer = Printer { language, shell, function, text: String::new(), depth: 1 };
    printer.all(&function.body);
    printer.text
}

struct Printer<'a> {
    language: &'a dyn Language,
    shell: &'a Shell,
    function: &'a Function,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn all(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    /// A body between what opens and what closes it.
    fn block(&mut self, head: &str, body: &[Stmt], end: &str) {
        self.line(head);
        self.depth += 1;
        self.all(body);
        self.depth -= 1;
        if !end.is_empty() {
            self.line(end);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let language = self.language;
        match stmt {
            Stmt::Do(action) => {
                let text = language.action(self.shell, self.function, action);
                text.lines().for_each(|line| self.line(line));
            }
            Stmt::Set(name, value) => self.line(&assignment(language, name, value)),
            Stmt::SetAt(name, index, value) => {
                let to = element(name, &size(language, index));
                self.line(&assignment(language, &to, value));
            }
            Stmt::If(holds, body, other) => {
                let head = language.head("if", &condition(language, holds));
                match &other[..] {
                    [] => self.block(&head, body, "}"),
                    _ => {
                        self.block(&head, body, "");
                        self.block("} else {", other, "}");
                    }
                }
            }
            Stmt::While(holds, body) => {
                let head = language.head("while", &condition(language, holds));
                self.block(&head, body, "}");
            }
            Stmt::For(name, limit, body) => {
                let head = language.count(name, &size(language, limit));
                self.block(&head, body, "}");
            }
        }
    }
}

/// Gives something a value.
fn assignment(language: &dyn Language, to: &str, value: &Size) -> String {
    match value {
        Size::Binary(operator, own, by) if size(language, own) == to => {
            format!("{to} {}= {};", operator.symbol(), size(language, by))
        }
        _ => format!("{to} = {};", size(language, value)),
    }
}

fn element(name: &str, index: &str) -> String {
    format!("{name}[{index}]")
}

/// The name of what says which messages variants take alone.
pub fn alone_below(back: bool) -> &'static str {
    if back {
        "alone_below_back"
    } else {
        "alone_below"
    }
}

/// An array of bytes.
pub fn bytes(language: &dyn Language, of: &Bytes) -> String {
    match of {
        Bytes::Named(name) => name.clone(),
        Bytes::Context(name) => language.member(name),
        Bytes::Constant(name) => language.constant(name),
        Bytes::Element(name, index) => element(name, &size(language, index)),
    }
}

/// The first byte of a place.
pub fn byte(language: &dyn Language, place: &Place) -> String {
    element(&bytes(language, &place.of), &size(language, &place.from))
}

/// A number.
pub fn size(language: &dyn Language, value: &Size) -> String {
    match value {
        Size::Number(number) => number.to_string(),
        Size::Named(name) => name.clone(),
        Size::At(name, index) => element(name, &size(language, index)),
        Size::Count(name) => language.length(name),
        Size::CountOf(name, index) => language.length_of(name, &size(language, index)),
        Size::Lanes => language.lanes(),
        Size::StretchAlone(function) => language.stretch_alone(function),
        Size::StretchOfEach(function) => language.stretch_of_each(function),
        Size::Parallel(function) => language.parallel(function, "variant"),
        Size::ParallelAlone(function) => language.parallel(function, &language.alone()),
        Size::AloneBelow(back) => language.alone_below(*back),
        Size::Taken(modulus) => language.taken(*modulus),
        Size::TakenWhole(bytes) => language.taken_whole(*bytes),
        Size::Kept(modulus) => language.kept(*modulus),
        Size::Least(a, b) => language.least(&size(language, a), &size(language, b)),
        Size::Binary(operator, a, b) => {
            format!("{} {} {}", operand(language, a), operator.symbol(), operand(language, b))
        }
    }
}

/// A number as an operand.
pub fn operand(language: &dyn Language, value: &Size) -> String {
    match value {
        Size::Binary(..) | Size::Taken(_) | Size::TakenWhole(_) | Size::Kept(_) => {
            format!("({})", size(language, value))
        }
        _ => size(language, value),
    }
}

fn condition(language: &dyn Language, holds: &Condition) -> String {
    let size = |value| size(language, value);
    let condition = |part| condition(language, part);
    match holds {
        Condition::Less(a, b) => format!("{} < {}", size(a), size(b)),
        Condition::AtMost(a, b) => format!("{} <= {}", size(a), size(b)),
        Condition::Equal(a, b) => format!("{} == {}", size(a), size(b)),
        Condition::Both(a, b) => format!("{} && {}", condition(a), condition(b)),
        Condition::Either(a, b) => format!("({}) || ({})", condition(a), condition(b)),
    }
}
