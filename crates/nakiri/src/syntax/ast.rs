//! The syntax tree of Usuba: exactly what was written, with a span on everything.

use crate::source::Span;
use num_bigint::BigUint;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A file: includes and definitions in textual order, and its comments.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items in textual order.
    pub items: Vec<Item>,
    /// Every comment, in textual order, `#` or `//` included, line end excluded.
    pub comments: Vec<Span>,
    /// Whether a definition may be missing, because it could not be read.
    pub is_partial: bool,
    /// The constants that are missing for that reason.
    pub unread: Vec<Ident>,
}

/// What stands at the top level of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// `include "path"`.
    Include {
        /// The text between the quotes.
        path: String,
        /// The whole item.
        span: Span,
    },
    /// A node, table or permutation.
    Def(Def),
    /// A mode.
    Mode(Mode),
    /// A node or a mode of a family.
    Member(Member),
    /// A field.
    Field(FieldDef),
    /// A constant of all that is defined.
    Constant(Box<Constant>),
}

impl Item {
    /// The whole item.
    pub fn span(&self) -> Span {
        match self {
            Item::Include { span, .. } => *span,
            Item::Def(def) => def.span,
            Item::Mode(mode) => mode.span,
            Item::Member(member) => member.span,
            Item::Field(field) => field.span,
            Item::Constant(constant) => constant.span,
        }
    }

    /// Whether a syntax error was reported inside, and what could not be read is missing.
    pub fn is_faulty(&self) -> bool {
        match self {
            Item::Include { .. } | Item::Member(_) | Item::Field(_) | Item::Constant(_) => false,
            Item::Def(def) => def.is_faulty,
            Item::Mode(mode) => mode.is_faulty,
        }
    }
}

/// `const id : type = value`
#[derive(Clone, Debug)]
pub struct Constant {
    /// The defined name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub value: ConstantValue,
    /// The whole definition.
    pub span: Span,
}

/// What a constant is.
#[derive(Clone, Debug)]
pub enum ConstantValue {
    /// A static number, of type `nat`.
    Number(AExp),
    /// A list of static numbers, of type `nat[n]`.
    Numbers(Entries),
    /// Atoms, of any other type.
    Atoms(Exp),
}

/// `field id = formula`: the integers modulo a prime; `field id = formula by polynomial`: polynomials over GF(2) modulo one of them.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// The defined name, which is a type.
    pub name: Ident,
    /// How many elements there are.
    pub order: Formula,
    /// Of a field of characteristic two, the polynomial.
    pub polynomial: Option<Polynomial>,
    /// The whole definition.
    pub span: Span,
}

/// A polynomial over GF(2): `x^8 + x^4 + x^3 + x + 1`.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// What is summed.
    pub terms: Vec<Term>,
    /// All of it.
    pub span: Span,
}

/// A power of a variable: `x^8`, `x` or `1`.
#[derive(Clone, Debug)]
pub struct Term {
    /// The variable, which is the same in all terms; none in `1`.
    pub variable: Option<Ident>,
    /// The exponent.
    pub exponent: BigUint,
    /// The number that is written: the exponent, or `1`.
    pub number: Option<Span>,
    /// All of it.
    pub span: Span,
}

/// A number, of any size.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Where it stands, its own parentheses included.
    pub span: Span,
}

/// The forms of formulas.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A number as written.
    Number(BigUint),
    /// `(a)`
    Paren(Box<Formula>),
    /// `a op a`
    Of(FormulaOp, Box<[Formula; 2]>),
}

/// Operators of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaOp {
    /// `+`
    Sum,
    /// `-`
    Difference,
    /// `*`
    Product,
    /// `^`
    Power,
}

/// `mode id (params) returns (results) vars … let … tel`: nodes around a stream of bytes. Some parameter is one, and so may
/// be the result.
#[derive(Clone, Debug)]
pub struct Mode {
    /// The defined name.
    pub name: Ident,
    /// Inputs.
    pub params: Vec<Group>,
    /// Outputs.
    pub returns: Vec<Group>,
    /// Local variables.
    pub vars: Vec<Group>,
    /// What it does, in order: equations between loops over streams.
    pub parts: Vec<Part>,
    /// From `vars` or `let` to `tel`.
    pub body: Span,
    /// The whole definition.
    pub span: Span,
    /// Whether a syntax error was reported inside, and what could not be read is missing.
    pub is_faulty: bool,
}

/// `mode id = family(n, …)` or `node id = family(n, …)`: a mode or a node with these numbers for its `nat` parameters, and these nodes
/// for those that are `node`, which modes alone have.
#[derive(Clone, Debug)]
pub struct Member {
    /// What it is.
    pub kind: MemberKind,
    /// Options before it, the first one first; a mode has none.
    pub options: Vec<Opt>,
    /// The defined name.
    pub name: Ident,
    /// The mode or node that has them.
    pub family: Ident,
    /// What stands for them, in order: numbers, and names of nodes.
    pub choices: Vec<AExp>,
    /// The whole definition.
    pub span: Span,
}

/// What a member of a family is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// A node.
    Node,
    /// A mode.
    Mode,
}

/// A part of a mode.
#[derive(Clone, Debug)]
pub enum Part {
    /// Equations, done once; at least one.
    Equations(Vec<Eqn>),
    /// A loop over a stream.
    Each(Box<Each>),
    /// A tree over the chunks of a stream.
    Tree(Box<Tree>),
}

impl Part {
    /// The loop that it is.
    pub fn each(&self) -> Option<&Each> {
        match self {
            Part::Each(each) => Some(each),
            Part::Equations(_) | Part::Tree(_) => None,
        }
    }
}

/// `forall id : bytes[n] in stream { … } pair id, id in id { … }`: a vertex of each chunk of a stream, and one of each two vertices.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The chunk: one name, whose type is `bytes` with its size.
    pub chunk: Group,
    /// The stream that consists of the chunks.
    pub stream: Ident,
    /// What is done with a chunk, in order.
    pub parts: Vec<Part>,
    /// What is done with two vertices.
    pub pair: Pair,
    /// The whole tree.
    pub span: Span,
}

/// `pair id, id in id { … }`: one vertex of two.
#[derive(Clone, Debug)]
pub struct Pair {
    /// From the brace in front of the word to the variable.
    pub opening: Span,
    /// The two vertices, that of what comes first in the stream first.
    pub vertices: [Ident; 2],
    /// The variable that vertices are values of.
    pub of: Ident,
    /// What makes it.
    pub body: Vec<Eqn>,
}

/// `forall id : type @layout in stream, id : type @layout in stream unless empty { … } last { … } short { … } back { … }`: once for
/// each block of a stream.
#[derive(Clone, Debug)]
pub struct Each {
    /// The block: one name.
    pub block: Group,
    /// The stream that consists of the blocks.
    pub stream: Ident,
    /// What is appended to it before it is cut.
    pub padding: Option<Padding>,
    /// `whole(id)`, if it has nothing but whole blocks.
    pub whole: Option<Span>,
    /// What is made of each block.
    pub given: Option<Given>,
    /// `unless empty`, if it says that nothing is done for a stream without bytes.
    pub unless_empty: Option<Span>,
    /// The repeated equations.
    pub body: Vec<Eqn>,
    /// What is done with the last block instead, behind `} last`.
    pub last: Option<(Span, Vec<Eqn>)>,
    /// What is done with a last block that is not whole; whole ones are not padded then.
    pub short: Option<Short>,
    /// What makes the block that is taken of the one that is given, behind `} back`.
    pub back: Option<(Span, Vec<Eqn>)>,
    /// The whole loop.
    pub span: Span,
}

/// A stream that is given beside one that is taken.
#[derive(Clone, Debug)]
pub struct Given {
    /// The block: one name.
    pub block: Group,
    /// The stream that consists of the blocks.
    pub stream: Ident,
    /// What stands behind its end where the loop reads a block; zeros without it.
    pub padding: Option<Padding>,
}

/// What is done with a last block that is not whole.
#[derive(Clone, Debug)]
pub enum Short {
    /// `} last, short {`: what is done with one that is.
    Same(Span),
    /// Behind `} short`.
    Own(Span, Vec<Eqn>),
}

impl Short {
    /// Where the word stands.
    pub fn span(&self) -> Span {
        match self {
            Short::Same(span) | Short::Own(span, _) => *span,
        }
    }
}

/// `pad(n, …, prefix, id, n, …, first, last)`: what stands in front, bytes, zeros as needed, and what ends the last block.
#[derive(Clone, Debug)]
pub struct Padding {
    /// The bytes that everything begins with.
    pub front: Vec<AExp>,
    /// The length of the stream, in front of it.
    pub prefix: Option<Prefix>,
    /// The bytes behind the stream, in front of the next one.
    pub suffix: Vec<AExp>,
    /// The byte behind the stream's last; zeros alone without it.
    pub first: Option<AExp>,
    /// How the last block ends.
    pub last: Option<Last>,
    /// From `pad` to the bracket that closes it.
    pub span: Span,
}

/// The length of a stream in front of it.
#[derive(Clone, Debug)]
pub enum Prefix {
    /// `bytes : type @layout`: how many bytes the stream has.
    Bytes(Type, Option<Ident>),
    /// `length : left`: how many bits, in as many bytes as that needs.
    Bits(Span),
}

/// How the last block of a padded stream ends.
#[derive(Clone, Debug)]
pub enum Last {
    /// `n`: this is added to the last byte, by an exclusive or.
    Byte(AExp),
    /// `length : type @layout`: the stream's length in bits.
    Length(Type, Option<Ident>),
}

/// `{ opt } node|table|perm [ "[]" ] id (params) returns (params) …`
#[derive(Clone, Debug)]
pub struct Def {
    /// Options before the keyword.
    pub options: Vec<Opt>,
    /// The defined name.
    pub name: Ident,
    /// Inputs.
    pub params: Vec<Group>,
    /// Outputs.
    pub returns: Vec<Group>,
    /// What is defined: one element, or several of an array.
    pub kind: DefKind,
    /// Whether it is an array: `node[]`, `table[]`, `perm[]`.
    pub is_array: bool,
    /// The whole definition.
    pub span: Span,
    /// Whether a syntax error was reported inside, and what could not be read is missing.
    pub is_faulty: bool,
}

impl Def {
    /// Whether it is a node that stands for a table, as `_table` says.
    pub fn is_tabulated(&self) -> bool {
        self.options.iter().any(|option| option.kind == OptKind::Table)
    }

    /// Whether it is a table or a permutation that is not listed entry by entry.
    pub fn is_computed(&self) -> bool {
        match &self.kind {
            DefKind::Node(_) => self.is_tabulated(),
            DefKind::Table(listings) | DefKind::Perm(listings) => {
                listings.iter().any(|listing| matches!(listing, Listing::Inverse { .. }))
            }
        }
    }
}

/// The three kinds of definitions with the elements of each (one unless `is_array`).
#[derive(Clone, Debug)]
pub enum DefKind {
    /// A system of equations.
    Node(Vec<Body>),
    /// Lookup tables.
    Table(Vec<Listing>),
    /// Permutations, entries from 1.
    Perm(Vec<Listing>),
}

/// A table or a permutation.
#[derive(Clone, Debug)]
pub enum Listing {
    /// Entry by entry.
    Entries(Entries),
    /// `inverse(f<i>)`: what undoes another.
    Inverse {
        /// The other.
        of: Ident,
        /// Which element, of an array.
        element: Option<AExp>,
        /// From `inverse` to the bracket that closes it.
        span: Span,
    },
}

impl Listing {
    /// From its first token to its last.
    pub fn span(&self) -> Span {
        match self {
            Listing::Entries(entries) => entries.span,
            Listing::Inverse { span, .. } => *span,
        }
    }
}

/// `{ 1, 2, forall i in [0,7] { 8 - i } }`: static numbers.
#[derive(Clone, Debug)]
pub struct Entries {
    /// In textual order.
    pub entries: Vec<Entry>,
    /// The brackets and all between.
    pub span: Span,
}

/// One entry of a list of static numbers, or several.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A static number.
    Number(AExp),
    /// `forall i in [a,b] { … }`: those between the braces for each number from `a` to `b`.
    Forall {
        /// The iterator.
        iter: Ident,
        /// First value.
        from: AExp,
        /// Last value.
        to: AExp,
        /// What is repeated.
        entries: Entries,
        /// The whole entry.
        span: Span,
    },
}

impl Entry {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Entry::Number(number) => number.span,
            Entry::Forall { span, .. } => *span,
        }
    }
}

/// An option before a definition or a `forall`.
#[derive(Clone, Debug)]
pub struct Opt {
    /// Which.
    pub kind: OptKind,
    /// Its place.
    pub span: Span,
}

/// The options of the language; the last ones are accepted for old files and have no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptKind {
    /// `_inline`
    Inline,
    /// `_no_inline`
    NoInline,
    /// `_interleave(n)`
    Interleave(BigUint),
    /// `_instruction` (nodes only)
    Instruction,
    /// `_lsb` (tables only)
    Lsb,
    /// `_table` (nodes only)
    Table,
    /// `_unroll` (foralls only)
    Unroll,
    /// `_no_unroll` (foralls only)
    NoUnroll,
    /// `lazyLift`, `_no_opt`, `_pipelined`, `_safe_exit`
    Obsolete(&'static str),
}

/// `a, b : const type @layout`
#[derive(Clone, Debug)]
pub struct Group {
    /// The names.
    pub names: Vec<Ident>,
    /// Whether `const` stands before the type.
    pub is_const: bool,
    /// Their type.
    pub ty: Type,
    /// The layout's name, without `@`.
    pub layout: Option<Ident>,
    /// The whole group.
    pub span: Span,
}

/// `base [n] [m] …`, first bracket outermost.
#[derive(Clone, Debug)]
pub struct Type {
    /// What is repeated.
    pub base: BaseType,
    /// The array dimensions, outermost first.
    pub dims: Vec<AExp>,
    /// The whole type.
    pub span: Span,
}

/// The base of a type.
#[derive(Clone, Debug)]
pub enum BaseType {
    /// A static natural number.
    Nat,
    /// `bytes`: a stream of bytes, in modes.
    Bytes,
    /// `node`: the name of a node, in families of modes.
    Node,
    /// Elements of a field, by its name.
    Field(Ident),
    /// `u<D>MxN`, `b<D>N` (M = 1) and `v<D>N` (M absent).
    Atoms {
        /// How it was spelt, for the formatter.
        spelling: Spelling,
        /// The direction, when written.
        dir: Option<(Dir, Span)>,
        /// The word size.
        width: Width,
        /// The number of atoms N, when written.
        count: Option<BigUint>,
    },
}

/// Which letter introduced an atom type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `u16x4`
    U,
    /// `b32`
    B,
    /// `v4`
    V,
}

/// A direction in a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dir {
    /// `H`
    Horizontal,
    /// `V`
    Vertical,
    /// `B`
    Bitslice,
    /// `P`
    Packed,
    /// `'name`, without the quote.
    Var(String),
}

/// A word size in a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Width {
    /// A number of bits.
    Bits(BigUint),
    /// `'name`, without the quote.
    Var(String),
    /// The enclosing word-size parameter (`vN`).
    Implicit,
}

/// The body of a node.
#[derive(Clone, Debug)]
pub struct Body {
    /// Local variables.
    pub vars: Vec<Group>,
    /// Registers.
    pub state: Vec<StateInit>,
    /// The equations in textual order.
    pub eqns: Vec<Eqn>,
    /// From `vars`, `state` or `let` to `tel`.
    pub span: Span,
}

/// `s : t = c`
#[derive(Clone, Debug)]
pub struct StateInit {
    /// The register's name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// The reset value.
    pub init: Option<Exp>,
}

/// An equation or a `forall`.
#[derive(Clone, Debug)]
pub enum Eqn {
    /// `pat [op][:]= exp`
    Define {
        /// The defined selections.
        pat: Vec<Var>,
        /// Whether the pattern stands in parentheses.
        parenthesized: bool,
        /// How it defines.
        assign: Assign,
        /// The right-hand side.
        exp: Exp,
        /// The whole equation.
        span: Span,
    },
    /// `next var = exp`
    Next {
        /// The register.
        var: Var,
        /// Its value after the step.
        exp: Exp,
        /// The whole equation.
        span: Span,
    },
    /// `forall i in [a,b] { … }`
    Forall {
        /// `_unroll`, `_no_unroll`.
        options: Vec<Opt>,
        /// The iterator.
        iter: Ident,
        /// First value.
        from: AExp,
        /// Last value.
        to: AExp,
        /// The repeated equations.
        body: Vec<Eqn>,
        /// The whole loop.
        span: Span,
    },
}

/// How an equation defines its left-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assign {
    /// `=`: a definition.
    Define,
    /// `:=`: a new version.
    Update,
    /// `op=` (or `op:=`): a new version computed from the old one.
    UpdateWith(BinOp),
}

/// A variable with selections.
#[derive(Clone, Debug)]
pub struct Var {
    /// The variable.
    pub name: Ident,
    /// The selections, leftmost first.
    pub selectors: Vec<Selector>,
    /// Name and selections.
    pub span: Span,
}

/// One bracket after a variable.
#[derive(Clone, Debug)]
pub enum Selector {
    /// `[i]`
    Index(AExp),
    /// `[a..b]`, inclusive, may descend.
    Range(AExp, AExp),
    /// `[i, j, …]`, two or more.
    List(Vec<AExp>),
}

/// Binary operators on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: of static numbers only, as [`ABinOp::Div`].
    Div,
    /// `%`: of static numbers only, as [`ABinOp::Rem`].
    Rem,
}

impl BinOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
        }
    }

    /// Whether it is `&`, `|` or `^`.
    pub fn is_bitwise(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or | BinOp::Xor)
    }
}

/// Shifts and rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftOp {
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `>>!`
    Sar,
    /// `<<<`
    Rotl,
    /// `>>>`
    Rotr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// What it is.
    pub kind: ExpKind,
    /// Where it stands; parentheses of a [`ExpKind::Tuple`] included.
    pub span: Span,
}

impl Exp {
    /// The expressions that it is made of.
    pub fn parts(&self) -> Vec<&Exp> {
        match &self.kind {
            ExpKind::Call { args: parts, .. } | ExpKind::Tuple(parts) => parts.iter().collect(),
            ExpKind::Bin(_, a, b) | ExpKind::Pack(a, b, _) => vec![a, b],
            ExpKind::Not(a)
            | ExpKind::Shift(_, a, _)
            | ExpKind::Shuffle(a, _)
            | ExpKind::Bitmask(a, _) => vec![a],
            ExpKind::Int(..) | ExpKind::Var(_) | ExpKind::Error => vec![],
        }
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Exp> {
        match &mut self.kind {
            ExpKind::Call { args: parts, .. } | ExpKind::Tuple(parts) => parts.iter_mut().collect(),
            ExpKind::Bin(_, a, b) | ExpKind::Pack(a, b, _) => vec![a, b],
            ExpKind::Not(a)
            | ExpKind::Shift(_, a, _)
            | ExpKind::Shuffle(a, _)
            | ExpKind::Bitmask(a, _) => vec![a],
            ExpKind::Int(..) | ExpKind::Var(_) | ExpKind::Error => vec![],
        }
    }
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// `5` or `5:u16`
    Int(BigUint, Option<Type>),
    /// A selection of a variable.
    Var(Var),
    /// `(e, …)`; one element means plain parentheses.
    Tuple(Vec<Exp>),
    /// `~e`
    Not(Box<Exp>),
    /// `e op e`
    Bin(BinOp, Box<Exp>, Box<Exp>),
    /// `e << n`
    Shift(ShiftOp, Box<Exp>, AExp),
    /// `f<i>(e, …)`. An argument for a `nat` parameter is an expression that is a static one.
    Call {
        /// The callee.
        name: Ident,
        /// Which element of a definition array.
        element: Option<AExp>,
        /// The arguments.
        args: Vec<Exp>,
    },
    /// `Shuffle(e, [p, …])`, and `x{p, …}` under `--compat usubac`.
    Shuffle(Box<Exp>, Entries),
    /// `Bitmask(e, n)`
    Bitmask(Box<Exp>, AExp),
    /// `Pack(e, e) : type`
    Pack(Box<Exp>, Box<Exp>, Type),
    /// What stands where a syntax error was reported.
    Error,
}

/// A static integer expression.
#[derive(Clone, Debug)]
pub struct AExp {
    /// What it is.
    pub kind: AExpKind,
    /// Where it stands, its own parentheses included.
    pub span: Span,
}

/// The forms of static expressions.
#[derive(Clone, Debug)]
pub enum AExpKind {
    /// A number.
    Int(BigUint),
    /// A `nat` parameter, an iterator or a constant.
    Var(String),
    /// An element of a constant list: `c[i]`, `c[i][j]`.
    Element(Ident, Vec<AExp>),
    /// `(a)`
    Paren(Box<AExp>),
    /// `a op a`
    Bin(ABinOp, Box<AExp>, Box<AExp>),
    /// What stands where a syntax error was reported.
    Error,
}

/// Operators of static expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ABinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: truncating on naturals, Euclidean in general.
    Div,
    /// `%`: Euclidean, never negative.
    Rem,
}
