//! Lengths in equations: `length(ad)` of a stream is the number of its bits, 64 bits in words of its blocks, and `length(p)` of a
//! block how many bits of the stream it has, in one word.

use crate::source::Span;
use crate::syntax::ast::{
    BaseType, Each, Eqn, Exp, ExpKind, Group, Ident, Spelling, Type, Var, Width,
};
use num_traits::ToPrimitive;

const LENGTH: &str = "length";
/// In front of the name of a stream: its length. No name of a source has a full stop.
const PREFIX: &str = "length.";
/// How many bits of its stream a block has.
pub const HELD: &str = "held.";

/// The stream whose length a port of a section is.
pub fn stream(port: &str) -> Option<&str> {
    port.strip_prefix(PREFIX)
}

/// What has a length.
struct Measured<'a> {
    name: &'a str,
    /// The variable that its length becomes.
    length: Group,
    used: bool,
}

/// Makes variables of the lengths of streams with these blocks and of the blocks of a loop, and gives their declarations.
pub fn named(
    equations: &mut [Eqn],
    streams: &[(&Ident, &Group)],
    each: Option<&Each>,
) -> Vec<Group> {
    let streams = streams.iter().map(|(stream, block)| {
        let name = format!("{PREFIX}{}", stream.name);
        (&*stream.name, declared(name, number(&block.ty.base), stream.span))
    });
    let blocks = each.into_iter().flat_map(|each| {
        let length = declared(HELD.to_string(), word(&each.block.ty.base), each.block.span);
        let given = each.given.as_ref().map(|given| &given.0);
        [Some(&each.block), given]
            .into_iter()
            .flatten()
            .map(move |block| (&*block.names[0].name, length.clone()))
    });
    let all = streams.chain(blocks);
    let mut all: Vec<Measured> =
        all.map(|(name, length)| Measured { name, length, used: false }).collect();
    for equation in equations {
        of_equation(equation, &mut all);
    }
    let mut used: Vec<Group> = Vec::new();
    for Measured { length, .. } in all.into_iter().filter(|measured| measured.used) {
        if used.iter().all(|known| known.names[0].name != length.names[0].name) {
            used.push(length);
        }
    }
    used
}

fn of_equation(equation: &mut Eqn, all: &mut [Measured]) {
    match equation {
        Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => of_expression(exp, all),
        Eqn::Forall { body, .. } => {
            body.iter_mut().for_each(|equation| of_equation(equation, all));
        }
    }
}

fn of_expression(exp: &mut Exp, all: &mut [Measured]) {
    let measured = match &exp.kind {
        ExpKind::Call { name, element: None, args } if name.name == LENGTH => match &args[..] {
            [Exp { kind: ExpKind::Var(var), .. }] if var.selectors.is_empty() => {
                all.iter_mut().find(|measured| measured.name == var.name.name)
            }
            _ => None,
        },
        _ => None,
    };
    match measured {
        Some(measured) => {
            measured.used = true;
            let name = Ident { span: exp.span, ..measured.length.names[0].clone() };
            exp.kind = ExpKind::Var(Var { name, selectors: vec![], span: exp.span });
        }
        None => {
            for part in exp.parts_mut() {
                of_expression(part, all);
            }
        }
    }
}

/// A number of 64 bits in words of a type, the low one first; in one word if no number of them is that.
fn number(base: &BaseType) -> BaseType {
    let bits = match base {
        BaseType::Atoms { width: Width::Bits(bits), .. } => bits.to_u32(),
        _ => None,
    };
    let bits = bits.filter(|bits| [8, 16, 32].contains(bits)).unwrap_or(64);
    let (width, count) = (Width::Bits(bits.into()), (bits < 64).then(|| (64 / bits).into()));
    BaseType::Atoms { spelling: Spelling::U, dir: None, width, count }
}

/// One word of a type.
fn word(base: &BaseType) -> BaseType {
    match base.clone() {
        BaseType::Atoms { spelling, dir, width, .. } => {
            BaseType::Atoms { spelling, dir, width, count: None }
        }
        other => other,
    }
}

fn declared(name: String, base: BaseType, span: Span) -> Group {
    let ty = Type { base, dims: vec![], span };
    Group { names: vec![Ident { name, span }], is_const: false, ty, layout: None, span }
}
