//! What names mean: every definition, variable and iterator of a program, and every place where it is named. It is made of the
//! syntax trees alone, so that a program with errors has one, too.
//!
//! ```
//! use nakiri::check::{read, Dialect, NoFiles};
//! use nakiri::semantic::{Model, SymbolKind};
//! use nakiri::source::SourceMap;
//!
//! let mut sources = SourceMap::default();
//! let text = "node Not (x:u16) returns (y:u16) let y = ~x tel";
//! let file = sources.add("not.ua", text);
//! let model = Model::of(&read(&mut sources, file, &mut NoFiles, Dialect::Nakiri));
//!
//! let read_x = text.rfind('x').expect("it is read") as u32;
//! let (id, _) = model.at(file, read_x).expect("a name");
//! assert_eq!((&*model.symbol(id).name, model.symbol(id).kind), ("x", SymbolKind::Input));
//! assert_eq!(model.occurrences(id).count(), 2);
//! ```

pub mod highlight;
mod resolve;
mod scope;
pub mod words;

use crate::check::Files;
use crate::source::{FileId, Span};

/// Index of a symbol in its [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// What a name can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A node, or an array of nodes.
    Node,
    /// A table, or an array of tables.
    Table,
    /// A permutation, or an array of permutations.
    Perm,
    /// A mode.
    Mode,
    /// A field.
    Field,
    /// A constant of the whole program.
    Constant,
    /// A static number of the whole program, or a list of them.
    Number,
    /// An input of a definition.
    Input,
    /// An output of a definition.
    Output,
    /// A local variable.
    Local,
    /// A register.
    Register,
    /// A parameter that is a static number.
    Nat,
    /// The iterator of a `forall`.
    Iterator,
    /// The block that a loop over a stream takes or gives.
    Block,
}

impl SymbolKind {
    /// Whether it stands at the top level, for all definitions to name.
    pub fn is_definition(self) -> bool {
        use SymbolKind::{Constant, Field, Mode, Node, Number, Perm, Table};
        matches!(self, Node | Table | Perm | Mode | Field | Constant | Number)
    }

    /// Whether it is a static number.
    pub fn is_static(self) -> bool {
        matches!(self, SymbolKind::Nat | SymbolKind::Iterator | SymbolKind::Number)
    }

    /// What it is called in a sentence.
    pub fn text(self) -> &'static str {
        match self {
            SymbolKind::Node => "node",
            SymbolKind::Table => "table",
            SymbolKind::Perm => "permutation",
            SymbolKind::Mode => "mode",
            SymbolKind::Field => "field",
            SymbolKind::Constant => "constant",
            SymbolKind::Number => "static number",
            SymbolKind::Input => "input",
            SymbolKind::Output => "output",
            SymbolKind::Local => "local variable",
            SymbolKind::Register => "register",
            SymbolKind::Nat => "static parameter",
            SymbolKind::Iterator => "iterator",
            SymbolKind::Block => "block of a stream",
        }
    }
}

/// A name that is declared somewhere.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Its place in the declaration.
    pub span: Span,
    /// The whole declaration; of a definition with its body.
    pub whole: Span,
    /// Where it can be named; definitions everywhere.
    pub scope: Span,
    /// Its type as it is written, with its layout; of a definition its head.
    pub ty: Option<Span>,
    /// Whether it is the same for all blocks that are processed together.
    pub is_const: bool,
    /// The definition in which it is declared.
    pub owner: Option<SymbolId>,
}

/// How a name is used at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is declared.
    Declared,
    /// It gets a value: on the left of an equation.
    Defined,
    /// Its value is used, or it is called.
    Read,
}

/// A place where a symbol is named.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Where the name stands.
    pub span: Span,
    /// What it stands for.
    pub symbol: SymbolId,
    /// How it is used.
    pub usage: Use,
}

/// All that is known of the names of a program.
#[derive(Clone, Debug, Default)]
pub struct Model {
    symbols: Vec<Symbol>,
    /// In the order of their places.
    occurrences: Vec<Occurrence>,
    /// The places of types.
    types: Vec<Span>,
}

impl Model {
    /// Resolves the names of a program.
    pub fn of(files: &Files) -> Model {
        let mut model = resolve::resolved(files);
        model.occurrences.sort_by_key(|occurrence| occurrence.span);
        model.types.sort_unstable();
        model
    }

    /// What is known of a symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// All symbols, definitions before what they declare.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.symbols.iter().enumerate().map(|(id, symbol)| (SymbolId(id as u32), symbol))
    }

    /// The symbols that a definition declares.
    pub fn declared_in(&self, owner: SymbolId) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.symbols().filter(move |(_, symbol)| symbol.owner == Some(owner))
    }

    /// The symbol that is named at an offset, also right behind the name, and where that stands.
    pub fn at(&self, file: FileId, offset: u32) -> Option<(SymbolId, Span)> {
        let touches =
            |o: &&Occurrence| o.span.file == file && o.span.start <= offset && offset <= o.span.end;
        // Names that touch are one name.
        let found = self.occurrences.iter().find(touches)?;
        Some((found.symbol, found.span))
    }

    /// Every place where a symbol is named, in order.
    pub fn occurrences(&self, symbol: SymbolId) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.symbol == symbol)
    }

    /// Every place of a file where any symbol is named, in order.
    pub fn occurrences_in(&self, file: FileId) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.span.file == file)
    }

    /// The type as written around an offset.
    pub fn type_at(&self, file: FileId, offset: u32) -> Option<Span> {
        let around = |span: &&Span| span.file == file && span.start <= offset && offset <= span.end;
        self.types.iter().find(around).copied()
    }

    /// The definition in whose text an offset is. One that breaks off goes on until the next.
    pub fn definition_at(&self, file: FileId, offset: u32) -> Option<SymbolId> {
        let inside = |symbol: &&(SymbolId, &Symbol)| {
            symbol.1.kind.is_definition() && {
                let scope = symbol.1.whole;
                scope.file == file && scope.start <= offset && offset <= scope.end
            }
        };
        self.symbols().filter(|symbol| inside(&symbol)).last().map(|(id, _)| id)
    }
}
