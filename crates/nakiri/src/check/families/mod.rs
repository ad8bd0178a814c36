//! Families: a node with `nat` parameters, or a mode with `nat` and `node` parameters, stands for one of each choice of numbers and
//! nodes, and `id = family(n, …)` is one of them. Nothing behind this knows of it.

pub mod modes;
pub mod nodes;

use super::modes::static_number;
use super::statics::Statics;
use crate::diagnostic::{suggestion, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{AExp, AExpKind, Ident, Type};
use num_bigint::BigUint;

/// What names stand for.
type Choices = Vec<(String, Choice)>;

/// What a parameter of a family stands for.
#[derive(Clone)]
enum Choice {
    /// A static number.
    Number(BigUint),
    /// A node.
    Node(Ident),
}

/// What a name stands for.
fn chosen<'c>(name: &str, choices: &'c Choices) -> Option<&'c Choice> {
    choices.iter().find(|(own, _)| own == name).map(|(_, choice)| choice)
}

/// What a number of a member is.
fn number(number: &AExp, statics: &Statics) -> Result<BigUint, Diagnostic> {
    BigUint::try_from(static_number(number, statics)?).map_err(|_| {
        error(number.span, "this number is negative").help("write a number that is not")
    })
}

/// Puts numbers for names in the sizes of a type.
fn in_type(ty: &mut Type, choices: &Choices) {
    ty.dims.iter_mut().for_each(|dim| in_static(dim, choices));
}

fn in_static(exp: &mut AExp, choices: &Choices) {
    match &mut exp.kind {
        AExpKind::Var(name) => {
            if let Some(Choice::Number(value)) = chosen(name, choices) {
                exp.kind = AExpKind::Int(value.clone());
            }
        }
        AExpKind::Element(_, indices) => indices.iter_mut().for_each(|i| in_static(i, choices)),
        AExpKind::Paren(inner) => in_static(inner, choices),
        AExpKind::Bin(_, a, b) => {
            in_static(a, choices);
            in_static(b, choices);
        }
        AExpKind::Int(_) | AExpKind::Error => {}
    }
}

/// That there is no family of a name.
fn unknown<'a>(name: &Ident, kind: &str, families: impl Iterator<Item = &'a str>) -> Diagnostic {
    let error = error(name.span, format!("there is no {kind} `{}`", name.name));
    match suggestion(&name.name, families) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("define it, with `nat` parameters for the numbers"),
    }
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0159", span, message)
}
