//! Functions that make images of bytes, from words to text.

use crate::emit::network::Function;
use crate::emit::syntax::{NetworkHead, Syntax};
use crate::isa::{self, Dialect, Target};
use crate::layout::gather::{Gather, Word};
use std::fmt::Write;

/// The target in whose registers images are made: the one that was asked for, where bytes are spread over its vectors.
pub fn target(gather: &Gather, asked: &'static Target) -> &'static Target {
    let spreads = (0..gather.words.len()).any(|word| gather.spread_byte(word).is_some());
    if spreads && asked.simd {
        asked
    } else {
        isa::everywhere()
    }
}

/// The function `f(out, in)` from `from` bytes to `to` bytes of images.
pub fn function(gather: &Gather, from: usize, to: usize, function: Function) -> String {
    let Function { syntax, name, prefix, target: vectors } = function;
    let target = isa::everywhere();
    let registers = syntax.registers(target);
    let register = registers.register.replace("{r}", "64");
    let way = NetworkHead {
        name,
        prefix,
        target,
        register: &register,
        loads: false,
        adds: false,
        registers: 0,
        bytes: from,
        low: 0,
        called: false,
    };
    let printer = Printer { syntax, dialect: registers.dialect, way: &way, step: gather.step };
    let mut text = syntax.images_head(name, to, from, vectors);
    let repeated = gather.turns > 1;
    let indent = if repeated { "        " } else { "    " };
    if repeated {
        let _ = writeln!(text, "    {}", syntax.repeat("int", "i", gather.turns as u32, true));
    }
    let step = if repeated { 8 * gather.words.len() } else { 0 };
    let mut k = 0;
    while let Some(word) = gather.words.get(k) {
        let place = syntax.index(8 * k, step as isize);
        let spread = gather.spread_byte(k).filter(|_| vectors.simd);
        let spread = spread
            .and_then(|byte| syntax.spread_byte(&place, &printer.load(8, byte), vectors.bits));
        let (line, made) = match spread {
            Some(line) => (line, 8),
            None => (syntax.store_word(64, &place, &printer.word(word), &way), 1),
        };
        let _ = writeln!(text, "{indent}{}", line.replace('\n', &format!("\n{indent}")));
        k += made;
    }
    text + if repeated { "    }\n}\n" } else { "}\n" }
}

/// The statement that stores a value of `size` bytes, the same in all lanes of general-purpose registers, as its image at a
/// place: an array and an offset.
pub fn store_register(
    syntax: &dyn Syntax,
    prefix: &str,
    (array, offset): (&str, &str),
    (value, size): (&str, usize),
) -> String {
    let register = syntax.registers(isa::everywhere()).register.replace("{r}", "64");
    let value = match size {
        8 => value.to_string(),
        _ => {
            let every = (0..8).step_by(size).fold(0, |all, byte| all | 1 << (8 * byte));
            syntax.times(&syntax.widen(&register, value), &syntax.pattern(every, 64))
        }
    };
    syntax.store_image(prefix, array, offset, &value)
}

struct Printer<'a> {
    syntax: &'a dyn Syntax,
    dialect: &'static Dialect,
    way: &'a NetworkHead<'a>,
    step: usize,
}

impl Printer<'_> {
    /// The expression, in parentheses where it needs them.
    fn word(&self, word: &Word) -> String {
        let number = |number: u64| self.syntax.pattern(number, 64);
        match word {
            Word::Load { bits, offset } => self.widened(&self.load(*bits, *offset)),
            Word::Reversed { bits, offset } => {
                let load = self.load(*bits, *offset);
                let reversed = self.dialect.bytes.replace("$n", &bits.to_string());
                self.widened(&reversed.replace("$a", &load))
            }
            Word::Left(word, by) => format!("({} << {by})", self.word(word)),
            Word::Right(word, by) => format!("({} >> {by})", self.word(word)),
            Word::And(word, mask) => format!("({} & {})", self.word(word), number(*mask)),
            Word::Plus(word, by) => self.syntax.plus(&self.word(word), &number(*by)),
            Word::Times(word, by) => self.syntax.times(&self.word(word), &number(*by)),
            Word::Or(words) => {
                let words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
                format!("({})", words.join(" | "))
            }
        }
    }

    fn load(&self, bits: u32, offset: usize) -> String {
        let place = self.syntax.index(offset, self.step as isize);
        self.syntax.word(bits, &place, self.way)
    }

    fn widened(&self, word: &str) -> String {
        self.syntax.widen(self.way.register, word)
    }
}
