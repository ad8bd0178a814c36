//! Parsing.

use super::cursor::Error;
use super::lex::{lex, Token, TokenKind};
use super::statements::Scope;
use crate::core::{
    prime, BinaryField, ConstantsId, Dir, Direction, Field, FieldId, Func, FuncId, Instruction,
    Layout, Port, PrimeField, Program, Table, Type, Width,
};
use crate::source::Span;
use std::fmt;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl TextError {
    pub(super) fn at(text: &str, byte: usize, message: impl Into<String>) -> TextError {
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        TextError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Reads the text form of a program; its values are numbered anew, in the order in which they appear. The program
/// need not be well formed, see [`crate::core::verify`], except that names mean something and every value has a
/// type.
pub fn parse(text: &str) -> Result<Program, TextError> {
    let tokens = lex(text)?;
    let func_names = func_names(&tokens);
    let mut parser = Parser { tokens, next: 0, func_names, program: Program::empty() };
    match parser.program() {
        Ok(()) => Ok(parser.program),
        Err((byte, message)) => Err(TextError::at(text, byte, message)),
    }
}

impl Program {
    fn empty() -> Program {
        Program {
            funcs: vec![],
            entry: FuncId(0),
            tables: vec![],
            constants: vec![],
            fields: vec![],
        }
    }
}

/// The names of the functions in order, so that they can be called before their text.
fn func_names(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    for pair in tokens.windows(2) {
        match (&pair[0].kind, &pair[1].kind) {
            (TokenKind::Punct('{'), _) => depth += 1,
            (TokenKind::Punct('}'), _) => depth -= 1,
            (TokenKind::Word(word), TokenKind::Word(name) | TokenKind::Quoted(name))
                if word == "func" && depth == 0 =>
            {
                names.push(name.clone());
            }
            _ => {}
        }
    }
    names
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    /// The index of the next token.
    pub(super) next: usize,
    pub(super) func_names: Vec<String>,
    pub(super) program: Program,
}

impl Parser {
    fn program(&mut self) -> Result<(), Error> {
        let mut entry = None;
        while *self.peek() != TokenKind::End {
            let place = self.place();
            if self.eat_word("table") {
                let table = self.table()?;
                self.program.tables.push(table);
            } else if let Some(id) = self.eat_constants() {
                if id.index() != self.program.constants.len() {
                    return Err((place, "lists of constants are numbered in order".into()));
                }
                let list = self.numbers()?;
                self.program.constants.push(list);
            } else if let Some(id) = self.eat_numbered("field") {
                if id as usize != self.program.fields.len() {
                    return Err((place, "fields are numbered in order".into()));
                }
                let field = self.field()?;
                self.program.fields.push(field);
            } else {
                if self.eat_word("entry")
                    && entry.replace(FuncId(self.program.funcs.len() as u32)).is_some()
                {
                    return Err((place, "there is one entry".into()));
                }
                let func = self.func()?;
                self.program.funcs.push(func);
            }
        }
        self.program.entry = entry.ok_or_else(|| self.error("there is no `entry func`"))?;
        Ok(())
    }

    /// A field: its prime in words of 64 bits, or the exponents of its polynomial.
    fn field(&mut self) -> Result<Field, Error> {
        let place = self.place();
        let name = self.name()?;
        if self.eat_word("polynomial") {
            let exponents = self.numbers()?;
            let are_in_order = exponents.windows(2).all(|pair| pair[0] > pair[1]);
            let are_possible = exponents.len() > 1 && exponents[0] <= prime::MAX_BITS.into();
            if !are_in_order || !are_possible || exponents.last() != Some(&0) {
                return Err((place, "a polynomial is exponents, the highest first, 0 last".into()));
            }
            let exponents = exponents.iter().map(|exponent| *exponent as u32).collect();
            return Ok(Field::Binary(BinaryField { name, exponents }));
        }
        let words = self.numbers()?;
        let modulus = prime::from_words(&words);
        if modulus < 2u32.into() || words.iter().any(|word| *word > u64::MAX.into()) {
            return Err((place, "a field is a number of at least 2, in words of 64 bits".into()));
        }
        Ok(Field::Prime(PrimeField { name, modulus }))
    }

    fn table(&mut self) -> Result<Table, Error> {
        Ok(Table {
            name: self.name()?,
            inputs: self.number()?,
            outputs: self.number()?,
            entries: self.numbers()?,
            known: Vec::new(),
            taken: Vec::new(),
        })
    }

    /// The name of an instruction.
    fn instruction(&mut self) -> Result<Instruction, Error> {
        let (place, name) = (self.place(), self.name()?);
        Instruction::named(&name).ok_or_else(|| (place, format!("there is no instruction {name}")))
    }

    fn numbers(&mut self) -> Result<Vec<u128>, Error> {
        self.expect('{')?;
        let numbers = self.list('}', |p| p.number())?;
        self.expect('}')?;
        Ok(numbers)
    }

    fn func(&mut self) -> Result<Func, Error> {
        let inline = self.choice("inline", "no_inline");
        let instruction =
            if self.eat_word("instruction") { Some(self.instruction()?) } else { None };
        let interleave = if self.eat_word("interleave") { Some(self.number()?) } else { None };
        self.expect_word("func")?;
        let mut func = Func {
            name: self.name()?,
            span: Span::default(),
            dir_params: vec![],
            width_params: vec![],
            params: vec![],
            results: vec![],
            resets: vec![],
            values: vec![],
            body: vec![],
            inline,
            interleave,
            instruction,
        };
        if self.eat('<') {
            func.dir_params = self.list(';', Parser::param)?;
            self.expect(';')?;
            func.width_params = self.list('>', Parser::param)?;
            self.expect('>')?;
        }
        func.params = self.ports(&func)?;
        self.expect('-')?;
        self.expect('>')?;
        func.results = self.ports(&func)?;
        if self.eat_word("registers") {
            self.registers(&mut func)?;
        }
        let mut scope = Scope::new(func);
        let body = self.block(&mut scope, 0)?;
        scope.end(body)
    }

    fn ports(&mut self, func: &Func) -> Result<Vec<Port>, Error> {
        self.expect('(')?;
        let ports = self.list(')', |p| p.port(func))?;
        self.expect(')')?;
        Ok(ports)
    }

    /// `(name: type { reset values }, …)`
    fn registers(&mut self, func: &mut Func) -> Result<(), Error> {
        self.expect('(')?;
        let registers = self.list(')', |p| Ok((p.port(func)?, p.numbers()?)))?;
        self.expect(')')?;
        for (port, reset) in registers {
            func.params.push(port.clone());
            func.results.push(port);
            func.resets.push(reset);
        }
        Ok(())
    }

    fn port(&mut self, func: &Func) -> Result<Port, Error> {
        let name = self.name()?;
        self.expect(':')?;
        let constant = self.eat_word("const");
        let ty = self.ty(func)?;
        let mut shape = vec![];
        while self.eat('[') {
            shape.push(self.number()?);
            self.expect(']')?;
        }
        let layout = if self.eat('@') { self.layout()? } else { Layout::Le };
        Ok(Port { name, ty, shape, constant, layout, span: Span::default() })
    }

    fn layout(&mut self) -> Result<Layout, Error> {
        if self.eat_word("le") {
            Ok(Layout::Le)
        } else if self.eat_word("be") {
            Ok(Layout::Be)
        } else if self.eat_word("planes") {
            Ok(Layout::Planes)
        } else if self.eat_word("perm") {
            let name = self.name()?;
            self.expect('(')?;
            let entries = self.list(')', |p| p.number())?;
            self.expect(')')?;
            Ok(Layout::Perm { name, entries })
        } else {
            Err(self.error("a layout is @le, @be, @planes or @perm"))
        }
    }

    pub(super) fn ty(&mut self, func: &Func) -> Result<Type, Error> {
        self.expect_word("u")?;
        self.expect('<')?;
        let dir = self.dir(func)?;
        self.expect('>')?;
        Ok(Type { dir, width: self.width(func)? })
    }

    pub(super) fn dir(&mut self, func: &Func) -> Result<Dir, Error> {
        let fixed = [Direction::B, Direction::V, Direction::H, Direction::P];
        for (word, direction) in ["B", "V", "H", "P"].iter().zip(fixed) {
            if self.eat_word(word) {
                return Ok(Dir::Fixed(direction));
            }
        }
        Ok(Dir::Param(self.param_index(&func.dir_params)?))
    }

    pub(super) fn width(&mut self, func: &Func) -> Result<Width, Error> {
        match self.peek() {
            TokenKind::Number(_) => {
                let bits = self.number()?;
                Ok(match self.eat_word("x") {
                    true => Width::Row(bits, self.number()?),
                    false => Width::Bits(bits),
                })
            }
            _ => match self.eat_numbered("field") {
                Some(field) => Ok(Width::Field(FieldId(field))),
                None => Ok(Width::Param(self.param_index(&func.width_params)?)),
            },
        }
    }

    fn param_index(&mut self, names: &[String]) -> Result<u8, Error> {
        let place = self.place();
        let name = self.param()?;
        let index = names.iter().position(|known| *known == name);
        index
            .and_then(|i| u8::try_from(i).ok())
            .ok_or_else(|| (place, format!("the function has no parameter {name} here")))
    }

    pub(super) fn eat_constants(&mut self) -> Option<ConstantsId> {
        self.eat_numbered("constants").map(ConstantsId)
    }

    /// The number behind a word in one piece.
    fn eat_numbered(&mut self, prefix: &str) -> Option<u32> {
        let TokenKind::Word(word) = self.peek() else { return None };
        let number = word.strip_prefix(prefix)?.parse().ok()?;
        self.take();
        Some(number)
    }
}
