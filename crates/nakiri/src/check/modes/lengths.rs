//! Lengths of streams in equations: `length(ad)` is a number of 64 bits, the length in bits.

use crate::syntax::ast::{BaseType, Eqn, Exp, ExpKind, Group, Ident, Spelling, Type, Var, Width};

const LENGTH: &str = "length";
/// In front of the name of a stream: its length. No name of a source has a full stop.
const PREFIX: &str = "length.";

/// The stream whose length a port of a section is.
pub fn stream(port: &str) -> Option<&str> {
    port.strip_prefix(PREFIX)
}

/// Makes variables of the lengths of these streams, and gives their declarations.
pub fn named(equations: &mut [Eqn], streams: &[&Ident]) -> Vec<Group> {
    let mut used = vec![false; streams.len()];
    for equation in equations {
        of_equation(equation, streams, &mut used);
    }
    let used = streams.iter().zip(used).filter(|(_, used)| *used);
    used.map(|(stream, _)| declared(stream)).collect()
}

fn of_equation(equation: &mut Eqn, streams: &[&Ident], used: &mut [bool]) {
    match equation {
        Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => of_expression(exp, streams, used),
        Eqn::Forall { body, .. } => {
            body.iter_mut().for_each(|equation| of_equation(equation, streams, used));
        }
    }
}

fn of_expression(exp: &mut Exp, streams: &[&Ident], used: &mut [bool]) {
    let place = match &exp.kind {
        ExpKind::Call { name, element: None, args } if name.name == LENGTH => match &args[..] {
            [Exp { kind: ExpKind::Var(var), .. }] if var.selectors.is_empty() => {
                streams.iter().position(|stream| stream.name == var.name.name)
            }
            _ => None,
        },
        _ => None,
    };
    match place {
        Some(place) => {
            used[place] = true;
            let name = Ident { name: format!("{PREFIX}{}", streams[place].name), span: exp.span };
            exp.kind = ExpKind::Var(Var { name, selectors: vec![], span: exp.span });
        }
        None => {
            for part in exp.parts_mut() {
                of_expression(part, streams, used);
            }
        }
    }
}

fn declared(stream: &Ident) -> Group {
    let span = stream.span;
    let name = Ident { name: format!("{PREFIX}{}", stream.name), span };
    let width = Width::Bits(64u32.into());
    let base = BaseType::Atoms { spelling: Spelling::U, dir: None, width, count: None };
    let ty = Type { base, dims: vec![], span };
    Group { names: vec![name], is_const: false, ty, layout: None, span }
}
