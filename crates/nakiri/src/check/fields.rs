//! Fields: their primes, and what elements can't be.

use super::includes::Files;
use super::names::{defined_twice, Definitions};
use super::outcome::{fail, Fault, Outcome};
use crate::core::prime::{check_prime, Composite, MAX_BITS};
use crate::core::{FieldId, Func, PrimeField, Program};
use crate::diagnostic::{suggestion, Diagnostic};
use crate::syntax::ast::{FieldDef, Formula, FormulaKind, FormulaOp, Ident};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// The most bits that a number may have on the way to a prime.
const MAX_POWER: u64 = 4 * MAX_BITS;

/// All fields of a program.
#[derive(Debug, Default)]
pub(super) struct Fields {
    all: Vec<PrimeField>,
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
            let before = fields.all.iter().position(|field| field.name == name.name);
            let node = definitions.find(&name.name).map(|found| definitions.all[found].name.span);
            if let Some(first) = before.map(|before| places[before]).or(node) {
                diagnostics.push(defined_twice(name, first));
                continue;
            }
            match prime(def) {
                Ok(modulus) => {
                    fields.all.push(PrimeField { name: name.name.clone(), modulus });
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
    pub fn all(&self) -> &[PrimeField] {
        &self.all
    }

    /// A field.
    pub fn get(&self, field: FieldId) -> &PrimeField {
        &self.all[field.index()]
    }

    /// The field of a name.
    pub fn find(&self, name: &str) -> Option<FieldId> {
        let found = self.all.iter().position(|field| field.name == name)?;
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
        let near = suggestion(&name.name, self.all.iter().map(|field| field.name.as_str()));
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

/// The prime of a definition.
fn prime(def: &FieldDef) -> Outcome<BigUint> {
    let modulus = value(&def.modulus)?;
    let error = |message: String| Diagnostic::error("E0128", def.modulus.span, message);
    if modulus.bits() > MAX_BITS {
        return fail(
            error("this field is too large".into())
                .label(format!("{} bits, at most {MAX_BITS} are possible", modulus.bits())),
        );
    }
    let Err(composite) = check_prime(&modulus) else { return Ok(modulus) };
    let error = error("a field needs a prime".into());
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
        .help("for instance `2^127 - 1`, `2^130 - 5`, `2^255 - 19`"),
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
