//! Functions with words in place of elements.

use super::code::{Code, Limb, Limbs, Outcome};
use super::representation::Representation;
use crate::core::prime::WORD;
use crate::core::{
    Direction, FieldId, Forall, Func, Index, Instr, Op, Port, Stmt, Type, ValueId, Width,
};
use crate::isa::Target;
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function with words in place of elements; the place where there is no room.
pub(super) fn written(
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
        Width::Field(_) => Type { width: Width::Bits(WORD), ..ty },
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
        let word = Type::new(Direction::V, WORD);
        let (func, body) = (
            std::mem::replace(&mut self.func, Func::new(String::new(), span)),
            std::mem::take(written),
        );
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
