//! Elements of prime fields become limbs: words of which each has some bits of the element's number. In how many, of which products and by
//! which reduction, is chosen by the instructions that products, squares, sums and differences take; a representation in which something could be
//! more than a word or a factor is none.
//!
//! Needs: a monomorphic program before loops. Guarantees: no element of a prime field is left.
//!
//! ```text
//! y = x * x, of 2^255 - 19            5 limbs of 51 bits: a column of products for each limb, those beyond
//!                                     the last come in again at the first, times 19; then carries
//! ```

mod code;
mod convert;
mod multiply;
mod representation;
mod write;

use crate::core::{
    Direction, Field, FieldId, Func, Instr, Op, PrimeField, Program, Stmt, Type, Width,
};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::pass::elements;
use crate::source::Span;
use code::{Code, Limb, Limbs, Outcome, Overflow};
pub use representation::{Products, Reduction, Representation};
use rustc_hash::FxHashMap;

/// A representation and the instructions of a product, a square, and two sums with the product of them and a difference: none if bounds don't
/// allow it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The representation.
    pub form: Representation,
    /// The instructions.
    pub instructions: Option<usize>,
}

/// The representations of a field on a target, best first.
pub fn candidates(field: &PrimeField, target: &Target) -> Vec<Candidate> {
    let candidate = |form: Representation| {
        let instructions = instructions(&form, target);
        Candidate { form, instructions }
    };
    let mut all: Vec<Candidate> =
        Representation::all(field, target).into_iter().map(candidate).collect();
    all.sort_by_key(|candidate| candidate.instructions.unwrap_or(usize::MAX));
    all
}

/// The elements of a program as words, in the best representation of each field, or the best with so many limbs.
///
/// # Errors
/// Where the target has no representation of a field, or none of so many limbs.
pub fn run(
    program: &mut Program,
    target: &Target,
    limbs: Option<u16>,
) -> Result<(), Vec<Diagnostic>> {
    let best = |field: &PrimeField| {
        let mut all = candidates(field, target).into_iter();
        let is_asked =
            |form: &Representation| limbs.is_none_or(|limbs| form.count() == usize::from(limbs));
        let best = all.find(|candidate| is_asked(&candidate.form))?;
        best.instructions.map(|_| best.form)
    };
    run_with(program, target, &best)
}

/// The same in representations of one's choice.
///
/// # Errors
/// Where there is none for a field.
pub fn run_with(
    program: &mut Program,
    target: &Target,
    choice: &dyn Fn(&PrimeField) -> Option<Representation>,
) -> Result<(), Vec<Diagnostic>> {
    let mut forms: FxHashMap<FieldId, Representation> = FxHashMap::default();
    for func in &program.funcs {
        let ports = func.params.iter().chain(&func.results).map(|port| port.ty);
        for ty in func.values.iter().copied().chain(ports) {
            let Width::Field(id) = ty.width else { continue };
            if forms.contains_key(&id) {
                continue;
            }
            let Field::Prime(field) = &program.fields[id.index()] else { continue };
            match choice(field).filter(|_| ty.direction() == Direction::V) {
                Some(form) => forms.insert(id, form),
                None => return Err(vec![refused(func, field, ty.direction(), target)]),
            };
        }
    }
    for func in &mut program.funcs {
        match write::written(func, &forms, target) {
            Ok(own) => *func = own,
            Err(span) => return Err(vec![overflows(span)]),
        }
    }
    Ok(())
}

fn refused(func: &Func, field: &PrimeField, direction: Direction, target: &Target) -> Diagnostic {
    let span = elements::place(func);
    let name = &field.name;
    let possible = candidates(field, target).into_iter().filter(|c| c.instructions.is_some());
    let mut possible: Vec<usize> = possible.map(|candidate| candidate.form.count()).collect();
    possible.sort_unstable();
    possible.dedup();
    let target = target.name;
    if direction == Direction::V && !possible.is_empty() {
        let possible: Vec<String> = possible.iter().map(usize::to_string).collect();
        let message = format!("elements of `{name}` can't have so many limbs on {target}");
        return Diagnostic::error("E0315", span, message)
            .label("a limb would overflow, or be of no use")
            .help(format!("limbs={}", possible.join(", limbs=")));
    }
    let message = match direction {
        Direction::V => format!("`{target}` has no products for elements of `{name}`"),
        other => format!("elements of `{name}` are not computed under -{other:?}"),
    };
    Diagnostic::error("E0315", span, message).label("needs products of words of 64 bits").help(
        "compile with -V, for a target with words of 64 bits: `gp64`, `avx2`, `avx512`, `neon`",
    )
}

fn overflows(span: Span) -> Diagnostic {
    Diagnostic::error("E0315", span, "a limb has no room for this")
        .label("more sums than a word holds, with nothing between")
        .help("a product between sums makes its operands short again")
}

/// How many instructions a representation takes.
fn instructions(form: &Representation, target: &Target) -> Option<usize> {
    let word = Type::new(Direction::V, 64);
    let mut code = Code {
        form,
        target,
        func: Func::new(String::new(), Span::default()),
        body: Vec::new(),
        word,
        span: Span::default(),
    };
    let tight = form.tight();
    let mut element = || -> Limbs {
        tight.iter().map(|&most| Limb { value: code.func.value(word), most }).collect()
    };
    let (a, b) = (element(), element());
    let mut all = || -> Outcome<()> {
        code.multiply(&a, &b)?;
        code.multiply(&a, &a)?;
        let (sum, difference) = (code.sum(&a, &b)?, code.difference(&a, &b)?);
        code.multiply(&sum, &difference)?;
        Ok(())
    };
    all().ok()?;
    let of = |code: &Code, stmt: &Stmt| match stmt {
        Stmt::Let(Instr { op: Op::Const(_), .. }) => Some(0),
        Stmt::Let(instr) => {
            let ty = code.func.ty(instr.results[0]);
            Some(target.select(&instr.op, Direction::V, ty.word())?.instructions())
        }
        _ => Some(0),
    };
    let counted: Option<usize> = code.body.iter().map(|stmt| of(&code, stmt)).sum();
    // There is one at the end of a program, whatever is before: it has only to be possible.
    code.number(&a).and(counted.ok_or(Overflow)).ok()
}
