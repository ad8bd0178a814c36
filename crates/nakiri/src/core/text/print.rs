//! Printing.

use super::PLAIN_OPS;
use crate::core::field::ByteMap;
use crate::core::{
    prime, Carried, Dir, Direction, Field, Func, FuncId, Index, Instr, Layout, Op, Port, Program,
    Stmt, Table, TableId, Type, ValueId, Width,
};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for table in &self.tables {
            write_table(f, table)?;
        }
        for (i, list) in self.constants.iter().enumerate() {
            write!(f, "constants{i} {{")?;
            write_numbers(f, list)?;
            f.write_str("}\n")?;
        }
        for (i, field) in self.fields.iter().enumerate() {
            write!(f, "field{i} {} ", Name(field.name()))?;
            let numbers = match field {
                Field::Prime(field) => prime::to_words(&field.modulus, field.words()),
                Field::Binary(field) => {
                    f.write_str("polynomial ")?;
                    field.exponents.iter().map(|exponent| u128::from(*exponent)).collect()
                }
            };
            f.write_str("{")?;
            write_numbers(f, &numbers)?;
            f.write_str("}\n")?;
        }
        let is_first =
            self.tables.is_empty() && self.constants.is_empty() && self.fields.is_empty();
        for (i, func) in self.funcs.iter().enumerate() {
            if i > 0 || !is_first {
                f.write_str("\n")?;
            }
            write_head(f, func, self.entry == FuncId(i as u32))?;
            f.write_str(" {\n")?;
            Body { program: self, func, f }.stmts(&func.body, 1)?;
            f.write_str("}\n")?;
        }
        Ok(())
    }
}

/// The first line of a statement.
pub(in crate::core) fn statement_head(program: &Program, func: &Func, stmt: &Stmt) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = Body { program, func, f: &mut text }.head(stmt);
    text
}

fn write_table(f: &mut Formatter, table: &Table) -> fmt::Result {
    write!(f, "table {} {} {} {{", Name(&table.name), table.inputs, table.outputs)?;
    write_numbers(f, &table.entries)?;
    f.write_str("}\n")
}

/// On one line, or 16 a line.
fn write_numbers(f: &mut Formatter, numbers: &[u128]) -> fmt::Result {
    let lines = numbers.len() > 16;
    for (i, &number) in numbers.iter().enumerate() {
        let gap = if lines && i % 16 == 0 { "\n  " } else { " " };
        let comma = if i + 1 < numbers.len() { "," } else { "" };
        write!(f, "{gap}{}{comma}", Number(number))?;
    }
    f.write_str(if lines { "\n" } else { " " })
}

fn write_head(f: &mut Formatter, func: &Func, entry: bool) -> fmt::Result {
    if entry {
        f.write_str("entry ")?;
    }
    match func.inline {
        Some(true) => f.write_str("inline ")?,
        Some(false) => f.write_str("no_inline ")?,
        None => {}
    }
    if let Some(instruction) = func.instruction {
        write!(f, "instruction {} ", instruction.name())?;
    }
    if let Some(n) = func.interleave {
        write!(f, "interleave {n} ")?;
    }
    write!(f, "func {}", Name(&func.name))?;
    if !func.dir_params.is_empty() || !func.width_params.is_empty() {
        write!(f, "<{}; {}>", func.dir_params.join(", "), func.width_params.join(", "))?;
    }
    f.write_str("(")?;
    write_ports(f, func, func.inputs())?;
    f.write_str(") -> (")?;
    write_ports(f, func, func.outputs())?;
    f.write_str(")")?;
    if func.resets.is_empty() {
        return Ok(());
    }
    f.write_str(" registers(")?;
    for (i, (port, reset)) in func.registers().iter().zip(&func.resets).enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        write_port(f, func, port)?;
        f.write_str(" {")?;
        write_numbers(f, reset)?;
        f.write_str("}")?;
    }
    f.write_str(")")
}

fn write_ports(f: &mut Formatter, func: &Func, ports: &[Port]) -> fmt::Result {
    for (i, port) in ports.iter().enumerate() {
        f.write_str(if i > 0 { ", " } else { "" })?;
        write_port(f, func, port)?;
    }
    Ok(())
}

fn write_port(f: &mut Formatter, func: &Func, port: &Port) -> fmt::Result {
    let constant = if port.constant { "const " } else { "" };
    write!(f, "{}: {constant}{}", Name(&port.name), TypeIn(func, port.ty))?;
    for n in &port.shape {
        write!(f, "[{n}]")?;
    }
    match &port.layout {
        Layout::Le => Ok(()),
        Layout::Be => f.write_str(" @be"),
        Layout::Planes => f.write_str(" @planes"),
        Layout::Perm { name, entries } => write!(f, " @perm {}({})", Name(name), List(entries)),
    }
}

struct Body<'a, W> {
    program: &'a Program,
    func: &'a Func,
    f: &'a mut W,
}

impl<'a, W: Write> Body<'a, W> {
    fn stmts(&mut self, stmts: &[Stmt], depth: usize) -> fmt::Result {
        stmts.iter().try_for_each(|stmt| {
            self.line_start(depth)?;
            self.head(stmt)?;
            match stmt {
                Stmt::Let(_) | Stmt::Store { .. } => {}
                Stmt::Forall(forall) => {
                    for iteration in &forall.iterations {
                        self.f.write_str(" {\n")?;
                        self.stmts(iteration, depth + 1)?;
                        self.line_start(depth)?;
                        self.f.write_str("}")?;
                    }
                }
                Stmt::Loop(l) => {
                    self.f.write_str(" {\n")?;
                    self.stmts(&l.body, depth + 1)?;
                    self.loop_end(&l.carried, depth)?;
                }
            }
            self.f.write_str("\n")
        })
    }

    fn line_start(&mut self, depth: usize) -> fmt::Result {
        (0..depth).try_for_each(|_| self.f.write_str("  "))
    }

    /// A statement up to its first brace.
    fn head(&mut self, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Let(instr) => self.instr(instr),
            Stmt::Store { result, index, value, .. } => {
                let port = port_name(&self.func.results, *result);
                write!(self.f, "store {port}[{}] {value}", IndexText(*index))
            }
            Stmt::Forall(forall) => self.f.write_str(match forall.unroll {
                Some(true) => "forall unroll",
                Some(false) => "forall no_unroll",
                None => "forall",
            }),
            Stmt::Loop(l) => {
                write!(self.f, "loop {}", l.count)?;
                for (i, carried) in l.carried.iter().enumerate() {
                    let before = if i == 0 { " with" } else { "," };
                    let Carried { inside, init, .. } = carried;
                    write!(self.f, "{before} {inside} = {init} : {}", self.ty(*inside))?;
                }
                Ok(())
            }
        }
    }

    fn loop_end(&mut self, carried: &[Carried], depth: usize) -> fmt::Result {
        let nexts: Vec<_> = carried.iter().map(|c| c.next).collect();
        let results: Vec<_> = carried.iter().map(|c| c.result).collect();
        if carried.is_empty() {
            self.line_start(depth)?;
            return self.f.write_str("}");
        }
        self.line_start(depth + 1)?;
        writeln!(self.f, "next {}", List(&nexts))?;
        self.line_start(depth)?;
        write!(self.f, "}} -> {}", List(&results))
    }

    fn instr(&mut self, instr: &Instr) -> fmt::Result {
        if !instr.results.is_empty() {
            write!(self.f, "{} = ", List(&instr.results))?;
        }
        self.op(&instr.op)?;
        if !instr.args.is_empty() {
            write!(self.f, " {}", List(&instr.args))?;
        }
        let mut types: Vec<_> = instr.results.iter().map(|&r| self.ty(r).to_string()).collect();
        types.dedup();
        match types.len() {
            0 => Ok(()),
            1 => write!(self.f, " : {}", types[0]),
            _ => {
                let all: Vec<_> = instr.results.iter().map(|&r| self.ty(r)).collect();
                write!(self.f, " : {}", List(&all))
            }
        }
    }

    fn op(&mut self, op: &Op) -> fmt::Result {
        if let Some((word, _)) = PLAIN_OPS.iter().find(|(_, plain)| plain == op) {
            return self.f.write_str(word);
        }
        match op {
            Op::Const(value) => write!(self.f, "const {}", Number(*value)),
            Op::Constants(id, index) => write!(self.f, "{id}[{}]", IndexText(*index)),
            Op::Load(param, index) => {
                let port = port_name(&self.func.params, *param);
                write!(self.f, "load {port}[{}]", IndexText(*index))
            }
            Op::Ternary(lut) => write!(self.f, "ternary {}", Number((*lut).into())),
            Op::Shl(n) => write!(self.f, "shl {n}"),
            Op::Shr(n) => write!(self.f, "shr {n}"),
            Op::Sar(n) => write!(self.f, "sar {n}"),
            Op::Rotl(n) => write!(self.f, "rotl {n}"),
            Op::Rotr(n) => write!(self.f, "rotr {n}"),
            Op::RotlAnd { by, kept } => write!(self.f, "rotl_and {by} {}", Number(*kept)),
            Op::Bitmask(n) => write!(self.f, "bitmask {n}"),
            Op::Shuffle(picks) => write!(self.f, "shuffle [{}]", List(&picked(picks))),
            Op::Permute(picks) => write!(self.f, "permute [{}]", List(&picked(picks))),
            Op::Window(begins) => write!(self.f, "window {begins}"),
            Op::Table(id) => write!(self.f, "table {}", self.table_name(*id)),
            Op::Lookup(id) => write!(self.f, "lookup {}", self.table_name(*id)),
            Op::Substitute(table) => write!(self.f, "substitute {}", bytes(&**table)),
            Op::Nibble(table) => write!(self.f, "nibble {}", bytes(&**table)),
            Op::Affine(ByteMap { columns, constant }) => {
                write!(self.f, "affine {} {}", bytes(columns), Number((*constant).into()))
            }
            Op::Invert(ByteMap { columns, constant }) => {
                write!(self.f, "invert {} {}", bytes(columns), Number((*constant).into()))
            }
            Op::Instruction(instruction) => self.f.write_str(instruction.name()),
            Op::Call(callee, dirs, widths) => self.call(*callee, dirs, widths),
            // The words of `PLAIN_OPS`.
            _ => Ok(()),
        }
    }

    fn call(&mut self, callee: FuncId, dirs: &[Dir], widths: &[Width]) -> fmt::Result {
        let callee = self.program.funcs.get(callee.index()).map_or("?", |f| f.name.as_str());
        write!(self.f, "call {}", Name(callee))?;
        if dirs.is_empty() && widths.is_empty() {
            return Ok(());
        }
        let dirs: Vec<_> = dirs.iter().map(|&dir| DirIn(self.func, dir)).collect();
        let widths: Vec<_> = widths.iter().map(|&width| WidthIn(self.func, width)).collect();
        write!(self.f, "<{}; {}>", List(&dirs), List(&widths))
    }

    fn table_name(&self, id: TableId) -> String {
        let table = self.program.tables.get(id.index());
        Name(table.map_or("?", |table| table.name.as_str())).to_string()
    }

    fn ty(&self, value: ValueId) -> TypeOf<'a> {
        TypeOf(self.func, self.func.values.get(value.index()).copied())
    }
}

fn port_name(ports: &[Port], index: u32) -> Name<'_> {
    Name(ports.get(index as usize).map_or("?", |port| port.name.as_str()))
}

/// A name, in quotes if it is not a word.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let starts = self.0.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && self.0.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return f.write_str(self.0);
        }
        write!(f, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

fn bytes(bytes: &[u8]) -> String {
    let bytes: Vec<Number> = bytes.iter().map(|byte| Number((*byte).into())).collect();
    format!("[{}]", List(&bytes))
}

struct Number(u128);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if self.0 < 10 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
}

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

struct IndexText(Index);

impl Display for IndexText {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Index { base, step } = self.0;
        match (base, step) {
            (_, 0) => write!(f, "{base}"),
            (0, 1) => write!(f, "i"),
            (0, 2..) => write!(f, "{step}i"),
            (_, 1) => write!(f, "{base} + i"),
            (_, 2..) => write!(f, "{base} + {step}i"),
            (_, -1) => write!(f, "{base} - i"),
            (_, ..-1) => write!(f, "{base} - {}i", step.unsigned_abs()),
        }
    }
}

/// The positions of a shuffle or permutation, `_` for zero.
fn picked(picks: &[Option<u16>]) -> Vec<String> {
    picks.iter().map(|p| p.map_or("_".into(), |p| p.to_string())).collect()
}

/// A direction as its function names it.
struct DirIn<'a>(&'a Func, Dir);

impl Display for DirIn<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self.1 {
            Dir::Fixed(Direction::B) => "B",
            Dir::Fixed(Direction::V) => "V",
            Dir::Fixed(Direction::H) => "H",
            Dir::Fixed(Direction::P) => "P",
            Dir::Param(i) => self.0.dir_params.get(usize::from(i)).map_or("?", String::as_str),
        })
    }
}

/// A word size as its function names it.
struct WidthIn<'a>(&'a Func, Width);

impl Display for WidthIn<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1 {
            Width::Bits(bits) => write!(f, "{bits}"),
            Width::Row(bits, count) => write!(f, "{bits} x {count}"),
            Width::Field(field) => write!(f, "{field}"),
            Width::Param(i) => {
                f.write_str(self.0.width_params.get(usize::from(i)).map_or("?", String::as_str))
            }
        }
    }
}

/// A type as its function names it.
struct TypeIn<'a>(&'a Func, Type);

impl Display for TypeIn<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "u<{}>{}", DirIn(self.0, self.1.dir), WidthIn(self.0, self.1.width))
    }
}

/// The type of a value, if it has one.
struct TypeOf<'a>(&'a Func, Option<Type>);

impl Display for TypeOf<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1 {
            Some(ty) => TypeIn(self.0, ty).fmt(f),
            None => f.write_str("?"),
        }
    }
}
