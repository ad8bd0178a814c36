//! Parsing of statements.

use super::cursor::{Error, TOO_LARGE};
use super::lex::TokenKind;
use super::parse::Parser;
use super::PLAIN_OPS;
use crate::core::field::ByteMap;
use crate::core::{
    Carried, Direction, Forall, Func, FuncId, Index, Instr, Instruction, Loop, Op, Port, Stmt,
    TableId, Type, ValueId,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// How deep statements may lie in each other.
const MAX_DEPTH: usize = 64;

/// The function that is being read, and what its values are called in the text.
pub(super) struct Scope {
    func: Func,
    values: FxHashMap<u32, ValueId>,
    /// For each value its first place, until its type is known.
    untyped: Vec<Option<usize>>,
}

impl Scope {
    pub(super) fn new(func: Func) -> Scope {
        Scope { func, values: FxHashMap::default(), untyped: vec![] }
    }

    /// The function with its body.
    pub(super) fn end(mut self, body: Vec<Stmt>) -> Result<Func, Error> {
        if let Some(&place) = self.untyped.iter().flatten().next() {
            return Err((place, "this value is defined nowhere".into()));
        }
        self.func.body = body;
        Ok(self.func)
    }

    fn value(&mut self, number: u32, place: usize) -> ValueId {
        *self.values.entry(number).or_insert_with(|| {
            self.untyped.push(Some(place));
            self.func.value(Type::new(Direction::B, 1))
        })
    }

    fn set_type(&mut self, value: ValueId, ty: Type) {
        if self.untyped[value.index()].take().is_some() {
            self.func.values[value.index()] = ty;
        }
    }
}

impl Parser {
    pub(super) fn block(&mut self, scope: &mut Scope, depth: usize) -> Result<Vec<Stmt>, Error> {
        let stmts = self.open_block(scope, depth)?;
        self.expect('}')?;
        Ok(stmts)
    }

    /// A block up to its `}` or `next`.
    fn open_block(&mut self, scope: &mut Scope, depth: usize) -> Result<Vec<Stmt>, Error> {
        if depth > MAX_DEPTH {
            return Err(self.error("statements lie too deep in each other"));
        }
        self.expect('{')?;
        let mut stmts = vec![];
        while *self.peek() != TokenKind::Punct('}') && !self.at_word("next") {
            stmts.push(self.stmt(scope, depth)?);
        }
        Ok(stmts)
    }

    fn stmt(&mut self, scope: &mut Scope, depth: usize) -> Result<Stmt, Error> {
        if self.eat_word("store") {
            let result = self.port_index(&scope.func.results)?;
            let index = self.index()?;
            let value = self.value(scope)?;
            return Ok(Stmt::Store { result, index, value, span: Span::default() });
        }
        if self.eat_word("forall") {
            let unroll = self.choice("unroll", "no_unroll");
            let mut iterations = vec![];
            while *self.peek() == TokenKind::Punct('{') {
                iterations.push(self.block(scope, depth + 1)?);
            }
            return Ok(Stmt::Forall(Forall { unroll, iterations, span: Span::default() }));
        }
        if self.eat_word("loop") {
            return Ok(Stmt::Loop(self.counted(scope, depth)?));
        }
        Ok(Stmt::Let(self.instr(scope)?))
    }

    fn counted(&mut self, scope: &mut Scope, depth: usize) -> Result<Loop, Error> {
        let count = self.number()?;
        let mut carried = vec![];
        if self.eat_word("with") {
            carried = self.list('{', |p| {
                let inside = p.value(scope)?;
                p.expect('=')?;
                let init = p.value(scope)?;
                p.expect(':')?;
                let ty = p.ty(&scope.func)?;
                scope.set_type(inside, ty);
                Ok(Carried { init, inside, next: inside, result: inside })
            })?;
        }
        let body = self.open_block(scope, depth + 1)?;
        if carried.is_empty() {
            self.expect('}')?;
            return Ok(Loop { count, carried, body, span: Span::default() });
        }
        self.expect_word("next")?;
        for (carried, next) in self.for_each_carried(scope, &mut carried)? {
            carried.next = next;
        }
        self.expect('}')?;
        self.expect('-')?;
        self.expect('>')?;
        for (carried, result) in self.for_each_carried(scope, &mut carried)? {
            carried.result = result;
            scope.set_type(result, scope.func.ty(carried.inside));
        }
        Ok(Loop { count, carried, body, span: Span::default() })
    }

    /// A value for each that a loop carries.
    fn for_each_carried<'c>(
        &mut self,
        scope: &mut Scope,
        carried: &'c mut [Carried],
    ) -> Result<Vec<(&'c mut Carried, ValueId)>, Error> {
        let values = self.values(scope)?;
        if values.len() != carried.len() {
            return Err(self.error(&format!("the loop carries {} values", carried.len())));
        }
        Ok(carried.iter_mut().zip(values).collect())
    }

    fn instr(&mut self, scope: &mut Scope) -> Result<Instr, Error> {
        let results = self.values(scope)?;
        if !results.is_empty() {
            self.expect('=')?;
        }
        let op = self.op(&scope.func)?;
        let args = self.values(scope)?;
        if !results.is_empty() {
            self.expect(':')?;
            let types = self.list_of_one_or_more(|p| p.ty(&scope.func))?;
            if types.len() != 1 && types.len() != results.len() {
                return Err(self.error("there is one type, or one for each result"));
            }
            for (i, &result) in results.iter().enumerate() {
                scope.set_type(result, types[if types.len() == 1 { 0 } else { i }]);
            }
        }
        Ok(Instr { results: results.into(), op, args: args.into(), span: Span::default() })
    }

    fn op(&mut self, func: &Func) -> Result<Op, Error> {
        if let Some((_, op)) = PLAIN_OPS.iter().find(|(word, _)| self.eat_word(word)) {
            return Ok(op.clone());
        }
        if let Some(id) = self.eat_constants() {
            return Ok(Op::Constants(id, self.index()?));
        }
        let place = self.place();
        let TokenKind::Word(word) = self.take() else {
            return Err((place, "expected an operation".into()));
        };
        Ok(match word.as_str() {
            "const" => Op::Const(self.number()?),
            "load" => Op::Load(self.port_index(&func.params)?, self.index()?),
            "ternary" => Op::Ternary(self.number()?),
            "shl" => Op::Shl(self.number()?),
            "shr" => Op::Shr(self.number()?),
            "sar" => Op::Sar(self.number()?),
            "rotl" => Op::Rotl(self.number()?),
            "rotr" => Op::Rotr(self.number()?),
            "rotl_and" => Op::RotlAnd { by: self.number()?, kept: self.number()? },
            "bitmask" => Op::Bitmask(self.number()?),
            "shuffle" => Op::Shuffle(self.picks()?.into()),
            "window" => Op::Window(self.number()?),
            "permute" => Op::Permute(self.picks()?.into()),
            "table" => Op::Table(self.table_id()?),
            "lookup" => Op::Lookup(self.table_id()?),
            "substitute" => Op::Substitute(Box::new(self.bytes()?)),
            "nibble" => Op::Nibble(Box::new(self.bytes()?)),
            "affine" => Op::Affine(self.byte_map()?),
            "invert" => Op::Invert(self.byte_map()?),
            "call" => self.call(func)?,
            word => {
                let instruction = Instruction::named(word);
                let unknown = || (place, format!("there is no operation {word}"));
                Op::Instruction(instruction.ok_or_else(unknown)?)
            }
        })
    }

    fn picks(&mut self) -> Result<Vec<Option<u16>>, Error> {
        self.expect('[')?;
        let picks =
            self.list(']', |p| if p.eat_word("_") { Ok(None) } else { p.number().map(Some) })?;
        self.expect(']')?;
        Ok(picks)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let place = self.place();
        self.expect('[')?;
        let bytes: Vec<u8> = self.list(']', |p| p.number())?;
        self.expect(']')?;
        bytes.try_into().map_err(|_| (place, format!("expected {N} bytes")))
    }

    fn byte_map(&mut self) -> Result<ByteMap, Error> {
        Ok(ByteMap { columns: self.bytes()?, constant: self.number()? })
    }

    fn table_id(&mut self) -> Result<TableId, Error> {
        let place = self.place();
        let name = self.name()?;
        let index = self.program.tables.iter().position(|table| table.name == name);
        index
            .map(|i| TableId(i as u32))
            .ok_or_else(|| (place, format!("there is no table {name} above")))
    }

    fn call(&mut self, func: &Func) -> Result<Op, Error> {
        let place = self.place();
        let name = self.name()?;
        let Some(callee) = self.func_names.iter().position(|known| *known == name) else {
            return Err((place, format!("there is no function {name}")));
        };
        let (mut dirs, mut widths) = (vec![], vec![]);
        if self.eat('<') {
            dirs = self.list(';', |p| p.dir(func))?;
            self.expect(';')?;
            widths = self.list('>', |p| p.width(func))?;
            self.expect('>')?;
        }
        Ok(Op::Call(FuncId(callee as u32), dirs, widths))
    }

    fn port_index(&mut self, ports: &[Port]) -> Result<u32, Error> {
        let place = self.place();
        let name = self.name()?;
        let index = ports.iter().position(|port| port.name == name);
        index.map(|i| i as u32).ok_or_else(|| (place, format!("there is no {name} here")))
    }

    /// `[base]`, `[i]`, `[3i]`, `[base + 3i]` or `[base - 3i]`.
    fn index(&mut self) -> Result<Index, Error> {
        self.expect('[')?;
        let mut index = Index::fixed(0);
        let first = if self.eat_word("i") { Some(1) } else { None };
        match first {
            Some(step) => index.step = step,
            None => {
                let place = self.place();
                let number: u32 = self.number()?;
                if self.eat_word("i") {
                    index.step = i32::try_from(number).map_err(|_| (place, TOO_LARGE.into()))?;
                } else {
                    index.base = number;
                    index.step = self.step()?;
                }
            }
        }
        self.expect(']')?;
        Ok(index)
    }

    fn step(&mut self) -> Result<i32, Error> {
        let sign = if self.eat('+') {
            1
        } else if self.eat('-') {
            -1
        } else {
            return Ok(0);
        };
        let place = self.place();
        let step = if self.eat_word("i") {
            1
        } else {
            let step: u32 = self.number()?;
            self.expect_word("i")?;
            i64::from(step)
        };
        i32::try_from(sign * step).map_err(|_| (place, TOO_LARGE.into()))
    }

    fn value(&mut self, scope: &mut Scope) -> Result<ValueId, Error> {
        let place = self.place();
        match self.take() {
            TokenKind::Value(number) => Ok(scope.value(number, place)),
            _ => Err((place, "expected a value".into())),
        }
    }

    /// None, or some with commas between.
    fn values(&mut self, scope: &mut Scope) -> Result<Vec<ValueId>, Error> {
        match self.peek() {
            TokenKind::Value(_) => self.list_of_one_or_more(|p| p.value(scope)),
            _ => Ok(vec![]),
        }
    }
}
