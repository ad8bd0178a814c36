//! The core: nodes of typed operations over atoms.
//!
//! A program is a list of functions over *values*; each value is one atom and is defined once. Elaboration makes
//! a core that is generic in directions and word sizes; monomorphization fixes both; slicing to bits replaces
//! every atom of M bits by M atoms of one. All of them are this one IR, and [`interp`] gives its meaning.

pub mod aes;
pub mod arguments;
pub mod binary;
pub mod clmul;
pub mod delay;
pub mod element;
pub mod field;
pub mod instruction;
pub mod interp;
pub mod op;
pub mod powers;
pub mod prime;
pub mod semantics;
pub mod sha1;
pub mod sha256;
pub mod text;
pub mod verify;
pub mod visit;
pub mod walk;

pub use binary::BinaryField;
pub use element::Field;
pub use instruction::Instruction;
pub use op::{Class, Op, OpKind};
pub use prime::PrimeField;

use crate::circuit::{Circuit, Origin};
use crate::source::Span;
use smallvec::SmallVec;
use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`, for dense tables.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

index!(
    /// A value of a function.
    ValueId, "%"
);
index!(
    /// A function of a program.
    FuncId, "@"
);
index!(
    /// A table of a program.
    TableId, "table"
);
index!(
    /// A list of constants of a program.
    ConstantsId, "constants"
);
index!(
    /// A field of a program.
    FieldId, "field"
);

/// How an atom lies in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// M registers of one bit each.
    B,
    /// One element of a register.
    V,
    /// One bit in each of M elements of a segment.
    H,
    /// One element; the atoms of a row, the innermost dimension of a port, lie side by side in a segment.
    P,
}

named!(
    Direction, "slicing",
    "B" => Direction::B, "V" => Direction::V, "H" => Direction::H, "P" => Direction::P,
);

/// A direction, or one of the function's direction parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dir {
    /// A known direction.
    Fixed(Direction),
    /// Index in [`Func::dir_params`].
    Param(u8),
}

/// A word size, or one of the function's word-size parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// A number of bits, 1 to [`MAX_WIDTH`].
    Bits(u16),
    /// A row: so many bits, so many atoms side by side, the first in the lowest bits. Made by the pass `pack`.
    Row(u16, u16),
    /// An element of a field, which has no bits until `limbs` or `binary` gives it some.
    Field(FieldId),
    /// Index in [`Func::width_params`].
    Param(u8),
}

/// The widest atom or row, in bits.
pub const MAX_WIDTH: u16 = 128;

/// The type of a value: one atom, or under P a row of atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// How it lies in registers.
    pub dir: Dir,
    /// How many bits it has.
    pub width: Width,
}

impl Type {
    /// A monomorphic type.
    pub fn new(direction: Direction, bits: u16) -> Type {
        Type { dir: Dir::Fixed(direction), width: Width::Bits(bits) }
    }

    /// The type of rows of `count` atoms of `bits` bits.
    pub fn row(bits: u16, count: u16) -> Type {
        Type { dir: Dir::Fixed(Direction::P), width: Width::Row(bits, count) }
    }

    /// The number of bits of the value; the type is monomorphic.
    pub fn bits(self) -> u16 {
        self.word() * self.row_length()
    }

    /// The number of atoms of a row; 1 otherwise.
    pub fn row_length(self) -> u16 {
        match self.width {
            Width::Row(_, count) => count,
            _ => 1,
        }
    }

    /// Whether it is an element of a field.
    pub fn is_element(self) -> bool {
        matches!(self.width, Width::Field(_))
    }

    /// The number of bits of an atom; the type is monomorphic.
    pub fn word(self) -> u16 {
        match self.width {
            Width::Bits(bits) | Width::Row(bits, _) => bits,
            Width::Field(_) => panic!("the width of an element of a field was asked for"),
            Width::Param(_) => panic!("the width of a generic atom was asked for"),
        }
    }

    /// The direction; the type is monomorphic.
    pub fn direction(self) -> Direction {
        match self.dir {
            Dir::Fixed(direction) => direction,
            Dir::Param(_) => panic!("the direction of a generic atom was asked for"),
        }
    }
}

/// A whole program; `funcs[entry]` is what is built or run.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The functions; calls refer to them by index and never form a cycle.
    pub funcs: Vec<Func>,
    /// The entry.
    pub entry: FuncId,
    /// The tables that [`Op::Table`] and [`Op::Lookup`] refer to.
    pub tables: Vec<Table>,
    /// The lists that [`Op::Constants`] refers to.
    pub constants: Vec<Vec<u128>>,
    /// The fields that [`Width::Field`] refers to.
    pub fields: Vec<Field>,
}

impl Program {
    /// The entry function.
    pub fn entry(&self) -> &Func {
        &self.funcs[self.entry.index()]
    }

    /// Whether it has look-ups by the value of a word.
    pub fn looks_up(&self) -> bool {
        let mut found = false;
        for stmt in self.funcs.iter().flat_map(|func| &func.body) {
            stmt.instrs(&mut |instr| found |= matches!(instr.op, Op::Lookup(_)));
        }
        found
    }
}

/// A lookup table. Two are the same if they have the same name and entries, whatever circuits are known of them.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name in the source.
    pub name: String,
    /// Number of input bits k; input 0 is the most significant index bit.
    pub inputs: u8,
    /// Number of output bits; output 0 is the most significant bit of an entry.
    pub outputs: u8,
    /// The 2^k entries.
    pub entries: Vec<u128>,
    /// Circuits of it that whoever compiles knows, beside the library's.
    pub known: Vec<Circuit>,
    /// Where the circuits come from that took its place, one for each 32 outputs; none before that.
    pub taken: Vec<Taken>,
}

impl Table {
    fn meaning(&self) -> (&str, u8, u8, &[u128]) {
        (&self.name, self.inputs, self.outputs, &self.entries)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.meaning() == other.meaning()
    }
}

impl Eq for Table {}

/// What took the place of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Taken {
    /// Where it comes from.
    pub origin: Origin,
    /// The number of its gates, as it is.
    pub gates: usize,
}

/// A function: a node with its `nat` parameters fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Unique in the program.
    pub name: String,
    /// Where the node is defined.
    pub span: Span,
    /// Names of the direction parameters, with the quote.
    pub dir_params: Vec<String>,
    /// Names of the word-size parameters, with the quote.
    pub width_params: Vec<String>,
    /// The inputs, and behind them the registers: their values before the step.
    pub params: Vec<Port>,
    /// The outputs, and behind them the registers: their values after the step.
    pub results: Vec<Port>,
    /// For each register its reset value, atom by atom. A function with registers is a step function: one call is one
    /// tick, and whoever calls it hands the registers from tick to tick.
    pub resets: Vec<Vec<u128>>,
    /// The type of every value.
    pub values: Vec<Type>,
    /// The statements, in an order in which they can be executed.
    pub body: Vec<Stmt>,
    /// `_inline` (true), `_no_inline` (false), or the compiler's choice.
    pub inline: Option<bool>,
    /// `_interleave(n)`.
    pub interleave: Option<u32>,
    /// `_instruction`: the one that it defines.
    pub instruction: Option<Instruction>,
}

impl Func {
    /// A function of this name without anything in it.
    pub fn new(name: String, span: Span) -> Func {
        Func {
            name,
            span,
            dir_params: Vec::new(),
            width_params: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            resets: Vec::new(),
            values: Vec::new(),
            body: Vec::new(),
            inline: None,
            interleave: None,
            instruction: None,
        }
    }

    /// The parameters that are no registers.
    pub fn inputs(&self) -> &[Port] {
        &self.params[..self.params.len() - self.resets.len()]
    }

    /// The results that are no registers.
    pub fn outputs(&self) -> &[Port] {
        &self.results[..self.results.len() - self.resets.len()]
    }

    /// The registers.
    pub fn registers(&self) -> &[Port] {
        &self.params[self.inputs().len()..]
    }

    /// A new value of this type.
    pub fn value(&mut self, ty: Type) -> ValueId {
        self.values.push(ty);
        ValueId(self.values.len() as u32 - 1)
    }

    /// Appends an operation with one result, of this type; that is its value.
    pub fn append(&mut self, op: Op, args: &[ValueId], ty: Type, span: Span) -> ValueId {
        let value = self.value(ty);
        self.body.push(Stmt::Let(Instr { results: [value].into(), op, args: args.into(), span }));
        value
    }

    /// Makes a result so many atoms long; those behind its own are zeros.
    pub fn fill_result(&mut self, result: usize, length: u32) {
        let Port { ty, shape, span, .. } = &mut self.results[result];
        let (ty, span, own) = (*ty, *span, shape.iter().product());
        *shape = vec![length];
        let zero = self.append(Op::Const(0), &[], ty, span);
        self.body.extend((own..length).map(|atom| Stmt::Store {
            result: result as u32,
            index: Index::fixed(atom),
            value: zero,
            span,
        }));
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.values[value.index()]
    }
}

/// An input or output: a list of atoms of one type, in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name in the source.
    pub name: String,
    /// The type of each atom.
    pub ty: Type,
    /// The dimensions of the list, outermost first; the product is the number of atoms; empty for a single atom.
    pub shape: Vec<u32>,
    /// Whether the value is the same in every lane (`const`).
    pub constant: bool,
    /// How the atoms lie in memory.
    pub layout: Layout,
    /// Where it is declared.
    pub span: Span,
}

impl Port {
    /// The number of atoms.
    pub fn count(&self) -> u32 {
        self.shape.iter().product()
    }

    /// The type of the rows that the port consists of under P: its innermost dimension. The type is monomorphic.
    pub fn row(&self) -> Type {
        Type::row(self.ty.word(), self.shape.last().map_or(1, |&n| n.min(u16::MAX.into()) as u16))
    }
}

/// How the bits of a block in memory become atoms. See `docs/` for each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Atoms one after another in little-endian order; one-bit atoms: least significant bit of a byte first.
    Le,
    /// Atoms one after another in big-endian order; one-bit atoms: most significant bit of a byte first.
    Be,
    /// For 8 atoms of M bits and M bytes: bit position p of atom j (position 0 most significant) is bit 7−j of byte p.
    /// Lists of several such groups lie one after another.
    Planes,
    /// Bit i of the atoms (in order, most significant bit first) is bit `entries[i]`−1 of the block
    /// (bytes in order, most significant bit first).
    Perm {
        /// The permutation's name in the source.
        name: String,
        /// One entry, from 1, for each bit of the atoms.
        entries: Vec<u32>,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Defines values.
    Let(Instr),
    /// Defines one atom of a result, or of a register after the step; every atom of every result is stored exactly once.
    Store {
        /// Index in [`Func::results`].
        result: u32,
        /// Which atom.
        index: Index,
        /// What.
        value: ValueId,
        /// The place in the source.
        span: Span,
    },
    /// A `forall` written out: its iterations in order. Only before the pass `roll`.
    Forall(Forall),
    /// A loop. Loops don't nest.
    Loop(Loop),
}

/// An operation with its arguments and results.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// What it defines.
    pub results: SmallVec<[ValueId; 1]>,
    /// What it does.
    pub op: Op,
    /// To what.
    pub args: SmallVec<[ValueId; 3]>,
    /// The operator's place in the source.
    pub span: Span,
}

/// Which atom of a list is meant: `base + step · iteration`, iterations of the enclosing loop counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index {
    /// The atom in the first iteration, or outside of loops.
    pub base: u32,
    /// How far it moves from one iteration to the next; 0 outside of loops.
    pub step: i32,
}

impl Index {
    /// Always the same atom.
    pub fn fixed(base: u32) -> Index {
        Index { base, step: 0 }
    }

    /// The atom in this iteration.
    pub fn at(self, iteration: u32) -> u32 {
        (i64::from(self.base) + i64::from(self.step) * i64::from(iteration)) as u32
    }
}

/// A `forall` of the source, written out. Values defined inside are visible after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Forall {
    /// `_unroll` or `_no_unroll`, or the compiler's choice.
    pub unroll: Option<bool>,
    /// The statements of each iteration.
    pub iterations: Vec<Vec<Stmt>>,
    /// The place in the source.
    pub span: Span,
}

/// A counted loop. Values defined in the body are visible only there.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// How many times, at least twice.
    pub count: u32,
    /// What passes from one iteration to the next.
    pub carried: Vec<Carried>,
    /// What is repeated.
    pub body: Vec<Stmt>,
    /// The place in the source.
    pub span: Span,
}

/// A value that a loop hands from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Its value before the loop.
    pub init: ValueId,
    /// The value that the body sees.
    pub inside: ValueId,
    /// What the body makes of it.
    pub next: ValueId,
    /// Its value after the loop.
    pub result: ValueId,
}
