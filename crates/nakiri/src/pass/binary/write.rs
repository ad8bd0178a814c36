//! Functions with units in place of elements.

use super::code::{Code, Units};
use super::Representation;
use crate::core::{prime, FieldId, Func, Instr, Op, Stmt, Type, ValueId, Width};
use crate::pass::elements::{self, Atoms};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The form of each field whose elements are written.
type Forms<'a> = FxHashMap<FieldId, Representation<'a>>;

/// A function with units in place of elements; `None` if there are none.
pub(super) fn written(func: &Func, forms: &Forms) -> Option<Func> {
    let own = elements::emptied(func, &|ty| units(forms, ty))?;
    let mut writer = Writer {
        source: func,
        forms,
        elements: vec![None; func.values.len()],
        constants: FxHashMap::default(),
        func: own,
    };
    let body = elements::stmts(&mut writer, &func.body).ok()?;
    Some(Func { body, ..writer.func })
}

/// The units of an element.
fn units(forms: &Forms, ty: Type) -> Option<Atoms> {
    let Width::Field(id) = ty.width else { return None };
    let form = forms.get(&id)?.form;
    Some((form.units(), form.unit()))
}

struct Writer<'a> {
    source: &'a Func,
    forms: &'a Forms<'a>,
    /// The units of each element so far.
    elements: Vec<Option<Units>>,
    /// The words that are constants.
    constants: FxHashMap<ValueId, u128>,
    func: Func,
}

impl elements::Writer for Writer<'_> {
    fn form(&self, value: ValueId) -> Option<Atoms> {
        units(self.forms, self.source.ty(value))
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
        let units = self.units(element);
        let Some(form) = self.representation(element) else { return Ok(Vec::new()) };
        Ok(self.write(form, span, written, |code| code.values(&units)))
    }

    fn taken(&mut self, element: ValueId, atoms: Vec<ValueId>) {
        let units = atoms.into_iter().map(super::code::Unit::Value).collect();
        self.elements[element.index()] = Some(units);
    }

    fn instr(&mut self, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span> {
        if let Op::Const(number) = instr.op {
            self.constants.insert(instr.results[0], number);
        }
        let values = instr.results.first().into_iter().chain(instr.args.last());
        let Some(form) = values.filter_map(|value| self.representation(*value)).next() else {
            written.push(Stmt::Let(instr.clone()));
            return Ok(());
        };
        if let Op::Number = instr.op {
            let units = self.units(instr.args[0]);
            let words = self.write(form, instr.span, written, |code| code.words(&units));
            elements::name_results(instr, words, written);
            return Ok(());
        }
        let units = self.element(form, instr, written);
        self.elements[instr.results[0].index()] = Some(units);
        Ok(())
    }
}

impl<'a> Writer<'a> {
    fn representation(&self, value: ValueId) -> Option<&'a Representation<'a>> {
        match self.source.ty(value).width {
            Width::Field(id) => self.forms.get(&id),
            _ => None,
        }
    }

    fn units(&self, value: ValueId) -> Units {
        self.elements[value.index()].clone().unwrap_or_default()
    }

    /// Writes statements on units behind others.
    fn write<T>(
        &mut self,
        form: &Representation,
        span: Span,
        written: &mut Vec<Stmt>,
        what: impl FnOnce(&mut Code) -> T,
    ) -> T {
        let func = std::mem::replace(&mut self.func, Func::new(String::new(), span));
        let body = std::mem::take(written);
        let mut code = Code { func, body, unit: form.form.unit(), span };
        let outcome = what(&mut code);
        (self.func, *written) = (code.func, code.body);
        outcome
    }

    /// The units of what an instruction makes.
    fn element(&mut self, form: &Representation, instr: &Instr, written: &mut Vec<Stmt>) -> Units {
        let args = &instr.args;
        let known: Option<Vec<u128>> =
            args.iter().map(|word| self.constants.get(word).copied()).collect();
        let operand = |from_last: usize| match args.len().checked_sub(from_last) {
            Some(place) => self.units(args[place]),
            None => Units::new(),
        };
        let (a, b) = (operand(2), operand(1));
        let (field, count) = (form.field, form.form.units());
        self.write(form, instr.span, written, |code| match &instr.op {
            Op::Load(param, index) => {
                let first = elements::within(*index, count, 0);
                code.loaded(*param, first, count)
            }
            Op::Element => match known {
                Some(words) => {
                    let element = field.element(&prime::from_words(&words));
                    let words = field.bits().div_ceil(prime::WORD.into());
                    code.known(&prime::to_words(&element, words as usize), field.bits())
                }
                None => {
                    let units = args.iter().flat_map(|word| code.of_word(*word)).collect();
                    let bits = args.len() as u32 * u32::from(prime::WORD);
                    code.remainder(&form.products, &field.exponents, units, bits)
                }
            },
            Op::Choose => {
                let mask = code.mask(args[0]);
                code.choose(mask, &a, &b)
            }
            Op::Mul if a == b => form.square(code, &a),
            Op::Mul => match form.function.filter(|_| !is_known(&a) && !is_known(&b)) {
                Some(function) => {
                    let args = [code.values(&a), code.values(&b)].concat();
                    code.call(function, &args, count)
                }
                None => form.multiply(code, &a, &b),
            },
            // In characteristic two a difference is a sum.
            _ => code.sum(&a, &b),
        })
    }
}

fn is_known(units: &Units) -> bool {
    units.iter().all(|unit| matches!(unit, super::code::Unit::Known(_)))
}
