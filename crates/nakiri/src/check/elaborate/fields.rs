//! What is done with elements of fields besides sums and products.

use super::values::Value;
use super::{Atom, Elaborator, ForallInfo, Region};
use crate::check::outcome::{fail, Outcome};
use crate::core::powers::{self, Step};
use crate::core::prime::{self, WORD};
use crate::core::{FieldId, Op, Type, Width};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::Exp;
use num_bigint::BigUint;

/// A function of the language, where no node has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// `number(x)`: the words of an element's number, the least significant first.
    Number,
    /// `choose(word, a, b)`: `a` if the word is odd, otherwise `b`.
    Choose,
    /// `inverse(x)`: what times `x` is 1; 0 of 0.
    Inverse,
}

named!(
    Builtin, "function",
    "number" => Builtin::Number, "choose" => Builtin::Choose, "inverse" => Builtin::Inverse,
);

impl Builtin {
    /// The function of this name.
    pub fn named(name: &str) -> Option<Builtin> {
        name.parse().ok()
    }

    fn arguments(self) -> usize {
        match self {
            Builtin::Number | Builtin::Inverse => 1,
            Builtin::Choose => 3,
        }
    }
}

const OF_BLOCKS: &str = "in the loop of a mode it is for a block that is taken; count those that are only given in a variable";

fn refused(span: Span, message: String) -> Diagnostic {
    Diagnostic::error("E0216", span, message)
}

impl Elaborator<'_, '_> {
    /// `F(x)`: the element of these words.
    pub(super) fn elements_of(
        &mut self,
        field: FieldId,
        args: &[Exp],
        span: Span,
    ) -> Outcome<Value> {
        let mut words = Vec::new();
        for arg in args {
            words.extend(self.value(arg, None)?.atoms);
        }
        let own = self.scope.fields().get(field);
        let (name, count) = (own.name().to_string(), own.words());
        let is_word = |word: &Atom| word.ty.width == Width::Bits(WORD);
        let Some(first) = words.first().filter(|_| words.iter().all(is_word)) else {
            let types: Vec<Type> = words.iter().map(|word| word.ty).collect();
            let help = match count {
                1 => format!("`{name}(x)` of `x:u{WORD}`, say"),
                _ => {
                    format!("the least significant first: `{name}(x)` of `x:u{WORD}[{count}]`, say")
                }
            };
            return fail(
                refused(span, format!("`{name}` makes an element of words of {WORD} bits"))
                    .label(self.describe(&types))
                    .help(help),
            );
        };
        let (place, role) = (args[0].span, "the first word");
        let same = vec![first.ty; words.len()];
        self.same_types(&same, &words, (place, role), span)?;
        let ty = Type { width: Width::Field(field), ..first.ty };
        let atoms = self.push(Op::Element, &words, &[ty], span)?;
        Ok(Value { atoms, list: false })
    }

    /// A call of a function of the language.
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &[Exp], span: Span) -> Outcome<Value> {
        if args.len() != builtin.arguments() {
            let count = builtin.arguments();
            let plural = if count == 1 { "" } else { "s" };
            return fail(
                Diagnostic::error(
                    "E0211",
                    span,
                    format!("`{builtin}` takes {count} argument{plural}"),
                )
                .label(format!("{} given", args.len())),
            );
        }
        let last = self.elements(builtin, &args[args.len() - 1], None)?;
        match builtin {
            Builtin::Number => {
                let mut words = Vec::new();
                for &(atom, field) in &last {
                    let count = self.scope.fields().get(field).words();
                    let ty = Type { width: Width::Bits(WORD), ..atom.ty };
                    words.extend(self.push(Op::Number, &[atom], &vec![ty; count], span)?);
                }
                Ok(Value { atoms: words, list: true })
            }
            Builtin::Inverse => {
                let mut atoms = Vec::new();
                for &(atom, field) in &last {
                    atoms.push(self.inverse(atom, field, span)?);
                }
                Ok(Value { list: atoms.len() > 1, atoms })
            }
            Builtin::Choose => self.choose(args, &last, span),
        }
    }

    /// The elements of an argument, each with its field.
    fn elements(
        &mut self,
        builtin: Builtin,
        arg: &Exp,
        expected: Option<&[Type]>,
    ) -> Outcome<Vec<(Atom, FieldId)>> {
        let value = self.value(arg, expected)?;
        let element = |atom: &Atom| match atom.ty.width {
            Width::Field(field) => Some((*atom, field)),
            _ => None,
        };
        let elements: Option<Vec<_>> = value.atoms.iter().map(element).collect();
        match elements.filter(|elements| !elements.is_empty()) {
            Some(elements) => Ok(elements),
            None => {
                let error = refused(arg.span, format!("`{builtin}` is for elements of fields"))
                    .label(self.describe(&value.types()));
                fail(match builtin {
                    Builtin::Number => error.help(OF_BLOCKS),
                    _ => error,
                })
            }
        }
    }

    fn choose(&mut self, args: &[Exp], second: &[(Atom, FieldId)], span: Span) -> Outcome<Value> {
        let types: Vec<Type> = second.iter().map(|(atom, _)| atom.ty).collect();
        let first = self.value(&args[1], Some(&types))?;
        self.same_types(&types, &first.atoms, (args[2].span, "the other"), args[1].span)?;
        let word = Type { width: Width::Bits(WORD), ..types[0] };
        let condition = self.value(&args[0], Some(&[word]))?;
        self.same_types(&[word], &condition.atoms, (args[2].span, "what decides"), args[0].span)?;
        let mut atoms = Vec::new();
        for (&a, &(b, _)) in first.atoms.iter().zip(second) {
            atoms.extend(self.push(Op::Choose, &[condition.atoms[0], a, b], &[a.ty], span)?);
        }
        Ok(Value { list: atoms.len() > 1, atoms })
    }

    /// By Fermat's theorem: squares in loops, and few products.
    fn inverse(&mut self, of: Atom, field: FieldId, span: Span) -> Outcome<Atom> {
        let order = self.scope.fields().get(field).order();
        // In the field of two elements 1 is its own inverse.
        let exponent = if order == BigUint::from(2u32) { order } else { order - 2u32 };
        let mut powers = vec![of];
        for step in powers::find(&exponent) {
            let power = match step {
                Step::Product(a, b) => self.product(powers[a], powers[b], span)?,
                Step::Squares(a, count) => self.squares(powers[a], count, span)?,
            };
            powers.push(power);
        }
        Ok(powers[powers.len() - 1])
    }

    fn product(&mut self, a: Atom, b: Atom, span: Span) -> Outcome<Atom> {
        Ok(self.push(Op::Mul, &[a, b], &[a.ty], span)?[0])
    }

    fn squares(&mut self, mut of: Atom, count: u32, span: Span) -> Outcome<Atom> {
        let forall = self.out.foralls.len() as u32;
        self.out.foralls.push(ForallInfo { span, unroll: None, iterations: count });
        let parent = self.region;
        for iteration in 0..count {
            self.region = self.out.regions.len() as u32;
            self.out.regions.push(Region { parent, forall, iteration });
            of = self.product(of, of, span)?;
        }
        self.region = parent;
        Ok(of)
    }

    /// A constant as elements.
    pub(super) fn constant_elements(
        &mut self,
        n: &BigUint,
        types: &[Type],
        span: Span,
    ) -> Outcome<Vec<Atom>> {
        let mut atoms = Vec::new();
        for &ty in types {
            let Width::Field(field) = ty.width else {
                return fail(
                    Diagnostic::error(
                        "E0205",
                        span,
                        format!("{n} as words and elements is ambiguous"),
                    )
                    .label(self.describe(types))
                    .help("write a tuple with one number for each"),
                );
            };
            let field = self.scope.fields().get(field);
            if field.is_binary() && n.bits() > field.bits().into() {
                return fail(self.too_wide(n, field.name(), field.bits().into(), span));
            }
            let words = prime::to_words(&field.element(n), field.words());
            let word = Type { width: Width::Bits(WORD), ..ty };
            let words: Vec<Atom> = words.iter().map(|&n| self.const_atom(n, word)).collect();
            atoms.extend(self.push(Op::Element, &words, &[ty], span)?);
        }
        Ok(atoms)
    }
}
