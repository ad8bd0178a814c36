//! Elements of prime fields become limbs: words of which each has some bits of the element's number. In how many, of which products and by
//! which reduction, is chosen by the instructions that products, squares, sums and differences take; a representation in which something could be
//! more than a word or a factor is none.
//!
//! Needs: a monomorphic program before loops. Guarantees: no field is left.
//!
//! ```text
//! y = x * x, of 2^255 - 19            5 limbs of 51 bits: a column of products for each limb, those beyond
//!                                     the last come in again at the first, times 19; then carries
//! ```

pub mod chain;
mod code;
mod convert;
mod multiply;
mod representation;

use crate::core::{
    Direction, FieldId, Forall, Func, Index, Instr, Op, Port, PrimeField, Program, Stmt, Type,
    ValueId, Width,
};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::source::Span;
use code::{Code, Limb, Limbs, Outcome, Overflow};
pub use representation::{Products, Reduction, Representation};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
            let field = &program.fields[id.index()];
            match choice(field).filter(|_| ty.direction() == Direction::V) {
                Some(form) => forms.insert(id, form),
                None => return Err(vec![refused(func, field, ty.direction(), target)]),
            };
        }
    }
    for func in &mut program.funcs {
        match written(func, &forms, target) {
            Ok(own) => *func = own,
            Err(span) => return Err(vec![overflows(span)]),
        }
    }
    program.fields.clear();
    Ok(())
}

fn refused(func: &Func, field: &PrimeField, direction: Direction, target: &Target) -> Diagnostic {
    let is_element = |instr: &Instr| {
        let mut values = instr.results.iter().chain(&instr.args);
        values.any(|value| func.ty(*value).is_element())
    };
    let mut span: Option<Span> = None;
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if span.is_none() && is_element(instr) {
                span = Some(instr.span);
            }
        });
    }
    let name = &field.name;
    let possible = candidates(field, target).into_iter().filter(|c| c.instructions.is_some());
    let mut possible: Vec<usize> = possible.map(|candidate| candidate.form.count()).collect();
    possible.sort_unstable();
    possible.dedup();
    let target = target.name;
    if direction == Direction::V && !possible.is_empty() {
        let possible: Vec<String> = possible.iter().map(usize::to_string).collect();
        let message = format!("elements of `{name}` can't have so many limbs on {target}");
        return Diagnostic::error("E0315", span.unwrap_or(func.span), message)
            .label("a limb would overflow, or be of no use")
            .help(format!("limbs={}", possible.join(", limbs=")));
    }
    let message = match direction {
        Direction::V => format!("`{target}` has no products for elements of `{name}`"),
        other => format!("elements of `{name}` are not computed under -{other:?}"),
    };
    Diagnostic::error("E0315", span.unwrap_or(func.span), message)
        .label("needs products of words of 64 bits")
        .help(
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
    let mut code =
        Code { form, target, func: empty(), body: Vec::new(), word, span: Span::default() };
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

fn empty() -> Func {
    Func {
        name: String::new(),
        span: Span::default(),
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

/// A function with words in place of elements; the place where there is no room.
fn written(
    func: &Func,
    forms: &FxHashMap<FieldId, Representation>,
    target: &Target,
) -> Result<Func, Span> {
    let is_none = !func.values.iter().any(|ty| ty.is_element());
    let ports = func.params.iter().chain(&func.results);
    if is_none && !ports.clone().any(|port| port.ty.is_element()) {
        return Ok(func.clone());
    }
    let as_words = |port: &Port| match port.ty.width {
        Width::Field(id) => {
            let mut shape = port.shape.clone();
            shape.push(forms[&id].count() as u32);
            Port { ty: as_word(port.ty), shape, ..port.clone() }
        }
        _ => port.clone(),
    };
    let own = Func {
        params: func.params.iter().map(as_words).collect(),
        results: func.results.iter().map(as_words).collect(),
        values: func.values.iter().map(|&ty| as_word(ty)).collect(),
        body: Vec::new(),
        ..func.clone()
    };
    let mut writer = Writer {
        source: func,
        forms,
        target,
        crosses: crossing(func),
        elements: vec![None; func.values.len()],
        constants: FxHashMap::default(),
        func: own,
    };
    let body = writer.stmts(&func.body)?;
    Ok(Func { body, ..writer.func })
}

/// The type of a limb of an element.
fn as_word(ty: Type) -> Type {
    match ty.width {
        Width::Field(_) => Type { width: Width::Bits(crate::core::prime::WORD), ..ty },
        _ => ty,
    }
}

/// Which values are used in another iteration than that in which they are defined, or outside: there nothing may depend on which one it is.
fn crossing(func: &Func) -> Vec<bool> {
    struct Walk {
        regions: u32,
        of: Vec<u32>,
        crosses: Vec<bool>,
    }
    fn stmts(walk: &mut Walk, body: &[Stmt], region: u32) {
        for stmt in body {
            match stmt {
                Stmt::Let(instr) => {
                    for arg in &instr.args {
                        walk.crosses[arg.index()] |= walk.of[arg.index()] != region;
                    }
                    instr.results.iter().for_each(|result| walk.of[result.index()] = region);
                }
                Stmt::Store { value, .. } => {
                    walk.crosses[value.index()] |= walk.of[value.index()] != region;
                }
                Stmt::Forall(forall) => {
                    for iteration in &forall.iterations {
                        walk.regions += 1;
                        let own = walk.regions;
                        stmts(walk, iteration, own);
                    }
                }
                Stmt::Loop(l) => stmts(walk, &l.body, region),
            }
        }
    }
    let count = func.values.len();
    let mut walk = Walk { regions: 0, of: vec![0; count], crosses: vec![false; count] };
    stmts(&mut walk, &func.body, 0);
    walk.crosses
}

struct Writer<'a> {
    source: &'a Func,
    forms: &'a FxHashMap<FieldId, Representation>,
    target: &'a Target,
    crosses: Vec<bool>,
    /// The limbs of each element so far.
    elements: Vec<Option<Limbs>>,
    /// The words that are constants.
    constants: FxHashMap<ValueId, u128>,
    func: Func,
}

impl<'a> Writer<'a> {
    fn form(&self, value: ValueId) -> Option<&'a Representation> {
        match self.source.ty(value).width {
            Width::Field(id) => Some(&self.forms[&id]),
            _ => None,
        }
    }

    fn stmts(&mut self, body: &[Stmt]) -> Result<Vec<Stmt>, Span> {
        let mut written = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Let(instr) => self.instr(instr, &mut written)?,
                Stmt::Store { result, index, value, span } => match self.form(*value) {
                    None => written.push(stmt.clone()),
                    Some(form) => {
                        let limbs = self.tight(form, *value, *span, &mut written)?;
                        for (k, limb) in limbs.iter().enumerate() {
                            let index = within(*index, form.count(), k);
                            let value = limb.value;
                            written.push(Stmt::Store {
                                result: *result,
                                index,
                                value,
                                span: *span,
                            });
                        }
                    }
                },
                Stmt::Forall(forall) => {
                    let iterations = forall.iterations.iter().map(|body| self.stmts(body));
                    let iterations = iterations.collect::<Result<_, _>>()?;
                    written.push(Stmt::Forall(Forall { iterations, ..forall.clone() }));
                }
                Stmt::Loop(_) => written.push(stmt.clone()),
            }
        }
        Ok(written)
    }

    /// Writes statements on limbs behind others.
    fn write<T>(
        &mut self,
        form: &'a Representation,
        span: Span,
        written: &mut Vec<Stmt>,
        what: impl FnOnce(&mut Code) -> Outcome<T>,
    ) -> Result<T, Span> {
        let word = Type::new(Direction::V, crate::core::prime::WORD);
        let (func, body) = (std::mem::replace(&mut self.func, empty()), std::mem::take(written));
        let mut code = Code { form, target: self.target, func, body, word, span };
        let outcome = what(&mut code).map_err(|_| span);
        (self.func, *written) = (code.func, code.body);
        outcome
    }

    fn limbs(&self, value: ValueId) -> Limbs {
        self.elements[value.index()].clone().unwrap_or_default()
    }

    fn tight(
        &mut self,
        form: &'a Representation,
        value: ValueId,
        span: Span,
        written: &mut Vec<Stmt>,
    ) -> Result<Limbs, Span> {
        let limbs = self.limbs(value);
        self.write(form, span, written, |code| code.tightened(limbs))
    }

    /// An element is known from here on. Where others can't depend on how it was made, its limbs are as what is handed on.
    fn define(
        &mut self,
        value: ValueId,
        mut limbs: Limbs,
        span: Span,
        written: &mut Vec<Stmt>,
    ) -> Result<(), Span> {
        let Some(form) = self.form(value) else { return Ok(()) };
        if self.crosses[value.index()] {
            limbs = self.write(form, span, written, |code| code.tightened(limbs))?;
            for (limb, most) in limbs.iter_mut().zip(form.tight()) {
                limb.most = most;
            }
        }
        self.elements[value.index()] = Some(limbs);
        Ok(())
    }

    fn instr(&mut self, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span> {
        let span = instr.span;
        if let Op::Call(..) = instr.op {
            return self.call(instr, written);
        }
        let word = |value: ValueId| Limb { value, most: u128::from(u64::MAX) };
        if let Op::Number = instr.op {
            let Some(form) = self.form(instr.args[0]) else { return Ok(()) };
            let limbs = self.limbs(instr.args[0]);
            let words = self.write(form, span, written, |code| code.number(&limbs))?;
            // Shifts by nothing give the words the names of the results.
            for (result, word) in instr.results.iter().zip(words) {
                let (op, args) = (Op::Shl(0), [word.value]);
                let results = [*result].into();
                written.push(Stmt::Let(Instr { results, op, args: args[..].into(), span }));
            }
            return Ok(());
        }
        let Some(form) = instr.results.first().and_then(|result| self.form(*result)) else {
            if let Op::Const(number) = instr.op {
                self.constants.insert(instr.results[0], number);
            }
            written.push(Stmt::Let(instr.clone()));
            return Ok(());
        };
        let result = instr.results[0];
        let limbs = match (&instr.op, &instr.args[..]) {
            (Op::Load(param, index), []) => {
                let tight = form.tight();
                let load = |k: usize| Op::Load(*param, within(*index, form.count(), k));
                self.write(form, span, written, |code| {
                    let load = |(k, most)| Limb { value: code.op(load(k), &[]), most };
                    Ok(tight.into_iter().enumerate().map(load).collect())
                })?
            }
            (Op::Element, words) => {
                let known: Option<Vec<u128>> =
                    words.iter().map(|word| self.constants.get(word).copied()).collect();
                let words: Limbs = words.iter().map(|&value| word(value)).collect();
                self.write(form, span, written, |code| match known {
                    Some(known) => Ok(code.element_of_known(&known)),
                    None => code.element(&words),
                })?
            }
            (op, args) => {
                let [a, b] = [args.len() - 2, args.len() - 1].map(|k| self.limbs(args[k]));
                let condition = word(args[0]);
                self.write(form, span, written, |code| match op {
                    Op::Add => code.sum(&a, &b),
                    Op::Sub => code.difference(&a, &b),
                    Op::Mul => code.multiply(&a, &b),
                    _ => Ok(code.choose(condition, &a, &b)),
                })?
            }
        };
        self.define(result, limbs, span, written)
    }

    fn call(&mut self, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span> {
        let mut args: SmallVec<[ValueId; 3]> = SmallVec::new();
        for &arg in &instr.args {
            match self.form(arg) {
                None => args.push(arg),
                Some(form) => {
                    let limbs = self.tight(form, arg, instr.span, written)?;
                    args.extend(limbs.iter().map(|limb| limb.value));
                }
            }
        }
        let mut results: SmallVec<[ValueId; 1]> = SmallVec::new();
        for &result in &instr.results {
            let Some(form) = self.form(result) else {
                results.push(result);
                continue;
            };
            let word = as_word(self.source.ty(result));
            let tight = form.tight().into_iter();
            let limbs: Limbs =
                tight.map(|most| Limb { value: self.func.value(word), most }).collect();
            results.extend(limbs.iter().map(|limb| limb.value));
            self.elements[result.index()] = Some(limbs);
        }
        written.push(Stmt::Let(Instr { results, args, ..instr.clone() }));
        Ok(())
    }
}

/// A word of an element of a list.
fn within(index: Index, count: usize, limb: usize) -> Index {
    let count = count as u32;
    Index { base: index.base * count + limb as u32, step: index.step * count as i32 }
}
