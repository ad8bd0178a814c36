//! Elements of fields of characteristic two become units: under `B` the bits of a polynomial over GF(2), under `V` words of 64 of them.
//!
//! Sums are exclusive-ors and squares spread coefficients; products are cut by Karatsuba's rule where that takes fewer instructions, and what lies
//! beyond the degree of the field's polynomial comes in again at its other terms.
//!
//! Needs: a monomorphic program before loops. Guarantees: no element of such a field is left. A product that is much code is a function.
//!
//! ```text
//! y = x * x, of 2^163 by x^163 + x^7 + x^6 + x^3 + 1            bit i of x is bit 2i of a polynomial of 325 bits;
//!                                                               bits 163 and on come in again at 0, 3, 6 and 7
//! ```

mod code;
mod plan;
mod product;
mod write;

use crate::core::{
    BinaryField, Direction, Field, FieldId, Func, FuncId, Index, Instr, Layout, Op, OpKind, Port,
    Program, Stmt, Type, ValueId, Width,
};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::pass::elements;
use crate::source::Span;
use code::{Code, Units};
use plan::{Costs, Plan};
use product::Products;
pub use product::Words;
use rustc_hash::FxHashMap;
use std::fmt;

/// How much code a product is that is not written wherever it is used.
const LARGE: usize = 1000;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// So many bits, each of many elements, under `B`.
    Bits(u32),
    /// So many words of 64 bits, under `V`.
    Words(u32, Words),
}

impl Form {
    /// All that a target can compute with.
    pub fn all(field: &BinaryField, target: &Target) -> Vec<Form> {
        let mut all = Vec::new();
        if target.holds(Direction::B, 1) {
            all.push(Form::Bits(field.bits()));
        }
        let has = |op| target.instance(op, Direction::V, 64).is_some();
        let words = match (has(OpKind::ClmulLow), has(OpKind::MulHalves), has(OpKind::Mul)) {
            (true, ..) => Some(Words::Whole),
            (_, true, _) => Some(Words::Sparse { halves: true }),
            (.., true) => Some(Words::Sparse { halves: false }),
            _ => None,
        };
        if let Some(words) = words.filter(|_| target.holds(Direction::V, 64)) {
            all.push(Form::Words(field.bits().div_ceil(64), words));
        }
        all
    }

    fn direction(self) -> Direction {
        match self {
            Form::Bits(_) => Direction::B,
            Form::Words(..) => Direction::V,
        }
    }

    /// The type of a unit.
    fn unit(self) -> Type {
        match self {
            Form::Bits(_) => Type::new(Direction::B, 1),
            Form::Words(..) => Type::new(Direction::V, 64),
        }
    }

    /// How many units there are.
    fn units(self) -> usize {
        match self {
            Form::Bits(count) | Form::Words(count, _) => count as usize,
        }
    }

    fn products(self, target: &Target) -> Products {
        let has_three =
            |direction, bits| target.instance(OpKind::Ternary, direction, bits).is_some();
        let (costs, words) = match self {
            Form::Bits(_) => {
                let ternary = has_three(Direction::B, 1);
                (Costs { product: 1, units: 1, ternary }, None)
            }
            Form::Words(_, words) => {
                let ternary = has_three(Direction::V, 64);
                (Costs { product: words.instructions(), units: 2, ternary }, Some(words))
            }
        };
        Products { plan: Plan::new(self.units(), costs), words }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Form::Bits(count) => {
                write!(f, "{count} bits, of as many elements as a register has (-B)")
            }
            Form::Words(count, words) => {
                let plural = if *count == 1 { "" } else { "s" };
                write!(f, "{count} word{plural}, {words} (-V)")
            }
        }
    }
}

/// A form of elements and the instructions of two products, a square, a sum and a difference.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The form.
    pub form: Form,
    /// The instructions.
    pub instructions: usize,
}

/// The forms of a field's elements on a target: one for each slicing that has any.
pub fn candidates(field: &BinaryField, target: &Target) -> Vec<Candidate> {
    let candidate = |form: Form| {
        let instructions = instructions(field, form, target);
        Candidate { form, instructions }
    };
    Form::all(field, target).into_iter().map(candidate).collect()
}

/// The instructions of a product before it is reduced, of polynomials of so many bits: of two inputs, or of three.
pub fn gates(bits: usize, ternary: bool) -> usize {
    Plan::new(bits, Costs { product: 1, units: 1, ternary }).instructions(bits)
}

/// How an element of a field is written.
struct Representation<'a> {
    field: &'a BinaryField,
    form: Form,
    products: Products,
    /// The function that multiplies, if that is much code.
    function: Option<FuncId>,
}

impl<'a> Representation<'a> {
    fn new(field: &'a BinaryField, form: Form, target: &Target) -> Representation<'a> {
        Representation { field, form, products: form.products(target), function: None }
    }

    fn code(&self, func: Func) -> Code {
        Code { func, body: Vec::new(), unit: self.form.unit(), span: Span::default() }
    }

    /// The product of two elements, written out.
    fn multiply(&self, code: &mut Code, a: &Units, b: &Units) -> Units {
        let product = code.product(&self.products, a, b);
        code.remainder(&self.products, &self.field.exponents, product, 2 * self.field.bits() - 1)
    }

    fn square(&self, code: &mut Code, of: &Units) -> Units {
        let square = code.square(&self.products, of);
        code.remainder(&self.products, &self.field.exponents, square, 2 * self.field.bits() - 1)
    }

    /// A function of two elements that is their product.
    fn function(&self, span: Span) -> Func {
        let (unit, units) = (self.form.unit(), self.form.units());
        let port = |name: &str| Port {
            name: name.into(),
            ty: unit,
            shape: vec![units as u32],
            constant: false,
            layout: Layout::Le,
            span,
        };
        let mut func = Func::new(format!("{}.product", self.field.name), span);
        func.params = vec![port("a"), port("b")];
        func.results = vec![port("c")];
        func.inline = Some(false);
        let mut code = Code { span, ..self.code(func) };
        let [a, b] = [0, 1].map(|param| code.loaded(param, Index::fixed(0), units));
        let product = self.multiply(&mut code, &a, &b);
        for (at, value) in code.values(&product).into_iter().enumerate() {
            let index = Index::fixed(at as u32);
            code.body.push(Stmt::Store { result: 0, index, value, span });
        }
        Func { body: code.body, ..code.func }
    }
}

/// The elements of a program as units.
///
/// # Errors
/// Where a slicing or a target has no products for them.
pub fn run(program: &mut Program, target: &Target) -> Result<(), Vec<Diagnostic>> {
    let fields = program.fields.clone();
    let mut forms: FxHashMap<FieldId, Representation> = FxHashMap::default();
    for func in &program.funcs {
        for ty in func.values.iter().copied() {
            let Width::Field(id) = ty.width else { continue };
            let Field::Binary(field) = &fields[id.index()] else { continue };
            if forms.contains_key(&id) {
                continue;
            }
            let all = Form::all(field, target).into_iter();
            let form = all.clone().find(|form| form.direction() == ty.direction());
            let Some(form) = form else {
                return Err(vec![refused(func, field, ty.direction(), target)]);
            };
            forms.insert(id, Representation::new(field, form, target));
        }
    }
    let mut ids: Vec<FieldId> = forms.keys().copied().collect();
    ids.sort_unstable();
    let mut products = Vec::new();
    for id in ids {
        let Some(form) = forms.get_mut(&id) else { continue };
        if form.products.plan.instructions(form.form.units()) >= LARGE {
            form.function = Some(FuncId((program.funcs.len() + products.len()) as u32));
            products.push(form.function(program.entry().span));
        }
    }
    for func in &mut program.funcs {
        if let Some(own) = write::written(func, &forms) {
            *func = own;
        }
    }
    program.funcs.extend(products);
    Ok(())
}

fn refused(func: &Func, field: &BinaryField, direction: Direction, target: &Target) -> Diagnostic {
    let name = &field.name;
    let message = match direction {
        Direction::V => format!("`{}` has no products for elements of `{name}`", target.name),
        other => format!("elements of `{name}` are not computed under -{other:?}"),
    };
    Diagnostic::error("E0315", elements::place(func), message)
        .label("needs bits, or products of words of 64 bits")
        .help("compile with -B, or with -V for a target with words of 64 bits: `gp64`, `avx2`, `avx512`, `neon`")
}

/// How many instructions a form takes. Of bits, those of a product are counted by its plan.
fn instructions(field: &BinaryField, form: Form, target: &Target) -> usize {
    let own = Representation::new(field, form, target);
    let mut code = own.code(Func::new(String::new(), Span::default()));
    let [a, b] = [0, 1].map(|param| code.loaded(param, Index::fixed(0), form.units()));
    let loads = code.body.len();
    own.square(&mut code, &a);
    code.sum(&a, &b);
    code.sum(&a, &b);
    let rest = counted(&code, loads, target);
    let product = match form {
        Form::Bits(bits) => {
            let whole = 2 * bits - 1;
            let terms = code.loaded(2, Index::fixed(0), whole as usize);
            let start = code.body.len();
            code.remainder(&own.products, &field.exponents, terms, whole);
            own.products.plan.instructions(form.units()) + counted(&code, start, target)
        }
        Form::Words(..) => {
            let start = code.body.len();
            own.multiply(&mut code, &a, &b);
            counted(&code, start, target)
        }
    };
    2 * product + rest
}

/// The instructions of the statements from one on.
fn counted(code: &Code, start: usize, target: &Target) -> usize {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Let(Instr { op: Op::Const(_), .. }) => 0,
        Stmt::Let(instr) if code.width() > 1 => {
            let instance = target.select(&instr.op, Direction::V, 64);
            instance.map_or(1, |instance| instance.instructions())
        }
        _ => 1,
    };
    let all = code.body[start..].iter().map(of).sum();
    let ternary = target.instance(OpKind::Ternary, Direction::B, 1).is_some();
    if code.width() == 1 && ternary {
        all - joined(code, start)
    } else {
        all
    }
}

/// How many sums of the statements from one on are done with another one, of which nothing else makes use, by a gate of three inputs.
fn joined(code: &Code, start: usize) -> usize {
    let mut uses = vec![0usize; code.func.values.len()];
    code.body[start..]
        .iter()
        .for_each(|stmt| stmt.uses(&mut |value: ValueId| uses[value.index()] += 1));
    // Sums that are made here and have two terms.
    let mut short = vec![false; uses.len()];
    let mut joined = 0;
    for stmt in &code.body[start..] {
        let Stmt::Let(Instr { results, args, .. }) = stmt else { continue };
        match args.iter().find(|arg| short[arg.index()] && uses[arg.index()] == 1) {
            Some(arg) => {
                short[arg.index()] = false;
                joined += 1;
            }
            None => short[results[0].index()] = args.len() == 2,
        }
    }
    joined
}
