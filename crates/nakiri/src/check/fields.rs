//! Fields: their primes and polynomials, and what elements can't be.

use super::includes::Files;
use super::names::{defined_twice, Definitions};
use super::outcome::{fail, Fault, Outcome};
use crate::core::binary::{self, check_irreducible, Reducible};
use crate::core::prime::{check_prime, Composite, MAX_BITS};
use crate::core::{BinaryField, Field, FieldId, Func, PrimeField, Program};
use crate::diagnostic::{suggestion, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{FieldDef, Formula, FormulaKind, FormulaOp, Ident, Polynomial};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// The most bits that a number may have on the way to a prime.
const MAX_POWER: u64 = 4 * MAX_BITS;

/// All fields of a program.
#[derive(Debug, Default)]
pub(super) struct Fields {
    all: Vec<Field>,
    /// The names of those that have been refused.
    refused: Vec<String>,
}

impl Fields {
    /// The fields of these files; what is wrong with others is reported.
    pub fn new(
        files: &Files,
        definitions: &Definitions,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Fields {
        let mut fields = Fields::default();
        let mut places = Vec::new();
        for def in files.fields() {
            let name = &def.name;
            let before = fields.all.iter().position(|field| field.name() == name.name);
            let node = definitions.find(&name.name).map(|found| definitions.all[found].name.span);
            if let Some(first) = before.map(|before| places[before]).or(node) {
                diagnostics.push(defined_twice(name, first));
                continue;
            }
            match field(def) {
                Ok(field) => {
                    fields.all.push(field);
                    places.push(name.span);
                }
                Err(fault) => {
                    fields.refused.push(name.name.clone());
                    if let Fault::New(error) = fault {
                        diagnostics.push(*error);
                    }
                }
            }
        }
        fields
    }

    /// All of them, by their numbers.
    pub fn all(&self) -> &[Field] {
        &self.all
    }

    /// A field.
    pub fn get(&self, field: FieldId) -> &Field {
        &self.all[field.index()]
    }

    /// The field of a name.
    pub fn find(&self, name: &str) -> Option<FieldId> {
        let found = self.all.iter().position(|field| field.name() == name)?;
        Some(FieldId(found as u32))
    }

    /// Whether a name is that of a field that has been refused.
    pub fn is_refused(&self, name: &str) -> bool {
        self.refused.iter().any(|refused| refused == name)
    }

    /// The field that the name of a type means.
    pub fn named(&self, name: &Ident) -> Outcome<FieldId> {
        if let Some(found) = self.find(&name.name) {
            return Ok(found);
        }
        if self.is_refused(&name.name) {
            return Err(Fault::Told);
        }
        let near = suggestion(&name.name, self.all.iter().map(Field::name));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "types are `u16`, `u16x4`, `b64`, `v4`, and names of fields: `field {} = 2^255 - 19`",
                name.name
            ),
        };
        let message = format!("there is no type `{}`", name.name);
        fail(
            Diagnostic::error("E0127", name.span, message)
                .label("no field has this name")
                .help(help),
        )
    }
}

/// The field of a definition.
fn field(def: &FieldDef) -> Outcome<Field> {
    let order = value(&def.order)?;
    let name = def.name.name.clone();
    match &def.polynomial {
        None => Ok(Field::Prime(PrimeField { name, modulus: prime(def, order)? })),
        Some(polynomial) => {
            let degree = degree(def, &order)?;
            let exponents = exponents(polynomial, degree)?;
            Ok(Field::Binary(BinaryField { name, exponents }))
        }
    }
}

fn refused(def: &FieldDef, message: &str) -> Diagnostic {
    Diagnostic::error("E0128", def.order.span, message)
}

/// The prime of a definition.
fn prime(def: &FieldDef, modulus: BigUint) -> Outcome<BigUint> {
    if modulus.bits() > MAX_BITS {
        return fail(
            refused(def, "this field is too large")
                .label(format!("{} bits, at most {MAX_BITS} are possible", modulus.bits())),
        );
    }
    let Err(composite) = check_prime(&modulus) else { return Ok(modulus) };
    let error = refused(def, "a field needs a prime");
    let power = power_of_two(&modulus).and_then(suggested);
    fail(
        match composite {
            Composite::Factor(factor) if factor == modulus => {
                error.label(format!("this is {factor}"))
            }
            Composite::Factor(factor) => error.label(format!("divided by {factor}")),
            Composite::Witness(base) => error.label(format!(
                "not prime: the test of Miller and Rabin fails for the base {base}"
            )),
        }
        .help(match power {
            Some(polynomial) => format!("2^n elements need a polynomial: `by {polynomial}`"),
            None => "for instance `2^127 - 1`, `2^130 - 5`, `2^255 - 19`".to_string(),
        }),
    )
}

/// The exponent of a power of two, from 2 on.
fn power_of_two(number: &BigUint) -> Option<u32> {
    let exponent = number.trailing_zeros().filter(|zeros| zeros + 1 == number.bits())?;
    u32::try_from(exponent).ok().filter(|exponent| *exponent >= 2)
}

/// An irreducible polynomial, for messages.
fn suggested(degree: u32) -> Option<String> {
    let exponents = binary::irreducible(degree)?;
    Some(binary::written(&binary::polynomial(&exponents)))
}

/// n, of a field of 2^n elements.
fn degree(def: &FieldDef, order: &BigUint) -> Outcome<u32> {
    let Some(degree) = power_of_two(order) else {
        return fail(
            refused(def, "a field by a polynomial has 2^n elements")
                .label("no power of two from 4 on")
                .help(
                    "a prime field needs no polynomial: `field F = 2^255 - 19`, or `field F = 2`",
                ),
        );
    };
    match u64::from(degree) > MAX_BITS {
        true => fail(
            refused(def, "this field is too large")
                .label(format!("{degree} bits, at most {MAX_BITS} are possible")),
        ),
        false => Ok(degree),
    }
}

/// The exponents of an irreducible polynomial of this degree, the highest first.
fn exponents(polynomial: &Polynomial, degree: u32) -> Outcome<Vec<u32>> {
    let error = |span: Span, message: &str| Diagnostic::error("E0129", span, message);
    let mut exponents = Vec::new();
    for term in &polynomial.terms {
        let Some(exponent) = term.exponent.to_u32().filter(|exponent| *exponent <= degree) else {
            return fail(
                error(term.span, "the degree of the polynomial is not that of the field")
                    .label(format!("at most {degree}, where 2^{degree} elements are asked for"))
                    .help("`2^n` elements have a polynomial of degree n"),
            );
        };
        if exponents.contains(&exponent) {
            return fail(
                error(term.span, "a term stands twice in a polynomial")
                    .label("the second time")
                    .help("over GF(2) two equal terms are none: leave both out"),
            );
        }
        exponents.push(exponent);
    }
    exponents.sort_unstable_by(|a, b| b.cmp(a));
    let help = || suggested(degree).map_or(String::new(), |one| format!("for instance `{one}`"));
    if exponents[0] != degree {
        return fail(
            error(polynomial.span, "the degree of the polynomial is not that of the field")
                .label(format!("{}, and not {degree}", exponents[0]))
                .help(help()),
        );
    }
    let Err(reducible) = check_irreducible(&exponents) else { return Ok(exponents) };
    let error = error(polynomial.span, "a field needs an irreducible polynomial");
    fail(
        match reducible {
            Reducible::Factor(factor) => {
                error.label(format!("divided by {}", binary::written(&factor)))
            }
            Reducible::Factors(own) => {
                error.label(format!("a product of {} polynomials of degree {own}", degree / own))
            }
        }
        .help(help()),
    )
}

/// The number that a formula is.
fn value(formula: &Formula) -> Outcome<BigUint> {
    let too_large = || {
        let error = Diagnostic::error("E0128", formula.span, "this number is too large");
        error.label(format!("at most {MAX_POWER} bits are possible on the way to a prime"))
    };
    let (op, a, b) = match &formula.kind {
        FormulaKind::Number(number) => return Ok(number.clone()),
        FormulaKind::Paren(inner) => return value(inner),
        FormulaKind::Of(op, operands) => (op, value(&operands[0])?, value(&operands[1])?),
    };
    let result = match op {
        FormulaOp::Sum => a + b,
        FormulaOp::Difference if a < b => {
            return fail(
                Diagnostic::error("E0128", formula.span, "this number is negative")
                    .label(format!("{a} - {b}")),
            )
        }
        FormulaOp::Difference => a - b,
        FormulaOp::Product => a * b,
        FormulaOp::Power if a <= BigUint::one() => match b == BigUint::default() {
            true => BigUint::one(),
            false => a,
        },
        FormulaOp::Power => match b.to_u64().filter(|b| a.bits().saturating_mul(*b) <= MAX_POWER) {
            Some(b) => a.pow(b as u32),
            None => return fail(too_large()),
        },
    };
    match result.bits() > MAX_POWER {
        true => fail(too_large()),
        false => Ok(result),
    }
}

/// Requires that no entry and no register is an element: these have no bits in memory. Nor has a step function any inside.
pub(super) fn check_entry(program: &Program) -> Outcome<()> {
    let entry = program.entry();
    let has_elements = |func: &Func| func.values.iter().any(|ty| ty.is_element());
    let steps = !entry.resets.is_empty() && program.funcs.iter().any(has_elements);
    let registers = entry.registers().iter().filter(|_| steps);
    let mut ports = entry.params.iter().chain(&entry.results);
    let Some(port) = ports.find(|port| port.ty.is_element()).or(registers.into_iter().next())
    else {
        return Ok(());
    };
    let error =
        Diagnostic::error("E0215", port.span, "an element of a field has no place in memory");
    fail(match steps {
        true => error
            .label("a node with registers can't compute with elements")
            .help("hand what is kept to the node and back, in words"),
        false => error
            .label(format!("`{}` is one", port.name))
            .help("take and give words: `F(x)` is an element of the words `x:u64[4]`, `number(y)` are the words of one"),
    })
}
