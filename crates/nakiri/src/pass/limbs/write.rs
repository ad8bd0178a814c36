//! Functions with words in place of elements.

use super::code::{Code, Limb, Limbs, Outcome};
use super::representation::Representation;
use crate::core::prime::WORD;
use crate::core::{Direction, FieldId, Func, Instr, Op, Stmt, Type, ValueId, Width};
use crate::isa::Target;
use crate::pass::elements::{self, within, Atoms};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A function with words in place of elements; the place where there is no room.
pub(super) fn written(
    func: &Func,
    forms: &FxHashMap<FieldId, Representation>,
    target: &Target,
) -> Result<Func, Span> {
    let Some(own) = elements::emptied(func, &|ty| words(forms, ty)) else {
        return Ok(func.clone());
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
    let body = elements::stmts(&mut writer, &func.body)?;
    Ok(Func { body, ..writer.func })
}

/// The limbs of an element.
fn words(forms: &FxHashMap<FieldId, Representation>, ty: Type) -> Option<Atoms> {
    let Width::Field(id) = ty.width else { return None };
    Some((forms.get(&id)?.count(), Type { width: Width::Bits(WORD), ..ty }))
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

impl elements::Writer for Writer<'_> {
    fn form(&self, value: ValueId) -> Option<Atoms> {
        words(self.forms, self.source.ty(value))
    }

    fn value(&mut self, ty: Type) -> ValueId {
        self.func.value(ty)
    }

    fn handed_on(
        &mut self,
        element: ValueId,
        span: Span,
        written: &mut Vec<Stmt>,
    ) -> Result<Vec<ValueId>, Span> {
        let Some(form) = self.representation(element) else { return Ok(Vec::new()) };
        let limbs = self.limbs(element);
        let tight = self.write(form, span, written, |code| code.tightened(limbs))?;
        Ok(tight.iter().map(|limb| limb.value).collect())
    }

    fn taken(&mut self, element: ValueId, atoms: Vec<ValueId>) {
        let Some(form) = self.representation(element) else { return };
        let limbs = atoms.into_iter().zip(form.tight());
        let limbs = limbs.map(|(value, most)| Limb { value, most }).collect();
        self.elements[element.index()] = Some(limbs);
    }

    fn instr(&mut self, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span> {
        let span = instr.span;
        let word = |value: ValueId| Limb { value, most: u128::from(u64::MAX) };
        if let Op::Number = instr.op {
            let Some(form) = self.representation(instr.args[0]) else {
                written.push(Stmt::Let(instr.clone()));
                return Ok(());
            };
            let limbs = self.limbs(instr.args[0]);
            let words = self.write(form, span, written, |code| code.number(&limbs))?;
            elements::name_results(instr, words.into_iter().map(|word| word.value), written);
            return Ok(());
        }
        let Some(form) = instr.results.first().and_then(|result| self.representation(*result))
        else {
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
}

impl<'a> Writer<'a> {
    fn representation(&self, value: ValueId) -> Option<&'a Representation> {
        match self.source.ty(value).width {
            Width::Field(id) => self.forms.get(&id),
            _ => None,
        }
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

    /// An element is known from here on. Where others can't depend on how it was made, its limbs are as what is handed on.
    fn define(
        &mut self,
        value: ValueId,
        mut limbs: Limbs,
        span: Span,
        written: &mut Vec<Stmt>,
    ) -> Result<(), Span> {
        let Some(form) = self.representation(value) else { return Ok(()) };
        if self.crosses[value.index()] {
            limbs = self.write(form, span, written, |code| code.tightened(limbs))?;
            for (limb, most) in limbs.iter_mut().zip(form.tight()) {
                limb.most = most;
            }
        }
        self.elements[value.index()] = Some(limbs);
        Ok(())
    }
}
