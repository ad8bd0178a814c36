//! Lengths and numbers in equations: `length(ad)` of a stream is the number of its bits, 64 bits in words of its blocks, `length(p)`
//! of a block how many bits of the stream it has, in one word, and `number(p, 2)` how many blocks came before it, and 2, in the form
//! of the length of its stream.

use crate::source::Span;
use crate::syntax::ast::{
    BaseType, Each, Eqn, Exp, ExpKind, Group, Ident, Spelling, Type, Var, Width,
};
use num_traits::ToPrimitive;

pub const LENGTH: &str = "length";
pub const NUMBER: &str = "number";
/// In front of the name of a stream: its length. No name of a source has a full stop.
const PREFIX: &str = "length.";
/// How many bits of its stream a block has.
pub const HELD: &str = "held.";
/// In front of the first number: the number of a block.
const COUNTED: &str = "number.";

/// The stream whose length a port of a section is.
pub fn stream(port: &str) -> Option<&str> {
    port.strip_prefix(PREFIX)
}

/// The number of the first block, if a port of a section is the number of a block.
pub fn first(port: &str) -> Option<u64> {
    port.strip_prefix(COUNTED)?.parse().ok()
}

/// What has a length.
struct Measured<'a> {
    name: &'a str,
    /// The variable that its length becomes.
    length: Group,
    /// The variable that its number becomes, without the first one in its name, if it is a block.
    number: Option<Group>,
}

/// Makes variables of the lengths of streams and of the blocks of a loop, and gives their declarations. A stream has as many bytes as
/// the one that is named with it, which the mode takes, and these blocks.
pub fn named(
    equations: &mut [Eqn],
    streams: &[(&Ident, &str, &Group)],
    each: Option<&Each>,
) -> Vec<Group> {
    let streams = streams.iter().map(|(stream, taken, block)| {
        let name = format!("{PREFIX}{taken}");
        let length = declared(name, number(&block.ty.base), stream.span);
        Measured { name: &stream.name, length, number: None }
    });
    let blocks = each.into_iter().flat_map(|each| {
        let base = &each.block.ty.base;
        let length = declared(HELD.to_string(), word(base), each.block.span);
        let counted = declared(COUNTED.to_string(), number(base), each.block.span);
        let given = each.given.as_ref().map(|given| &given.block);
        [Some(&each.block), given].into_iter().flatten().map(move |block| Measured {
            name: &block.names[0].name,
            length: length.clone(),
            number: Some(counted.clone()),
        })
    });
    let (all, mut used): (Vec<Measured>, _) = (streams.chain(blocks).collect(), Vec::new());
    for equation in equations {
        of_equation(equation, &all, &mut used);
    }
    used
}

fn of_equation(equation: &mut Eqn, all: &[Measured], used: &mut Vec<Group>) {
    match equation {
        Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => of_expression(exp, all, used),
        Eqn::Forall { body, .. } => {
            body.iter_mut().for_each(|equation| of_equation(equation, all, used));
        }
    }
}

fn of_expression(exp: &mut Exp, all: &[Measured], used: &mut Vec<Group>) {
    match variable(exp, all) {
        Some(group) => {
            let name = Ident { span: exp.span, ..group.names[0].clone() };
            if used.iter().all(|known| known.names[0].name != name.name) {
                used.push(group);
            }
            exp.kind = ExpKind::Var(Var { name, selectors: vec![], span: exp.span });
        }
        None => {
            for part in exp.parts_mut() {
                of_expression(part, all, used);
            }
        }
    }
}

/// The variable that a length or a number becomes.
fn variable(exp: &Exp, all: &[Measured]) -> Option<Group> {
    let ExpKind::Call { name, element: None, args } = &exp.kind else { return None };
    let (of, rest) = args.split_first()?;
    let ExpKind::Var(Var { name: of, selectors, .. }) = &of.kind else { return None };
    let measured = all.iter().find(|measured| measured.name == of.name && selectors.is_empty())?;
    match (&*name.name, rest) {
        (LENGTH, []) => Some(measured.length.clone()),
        (NUMBER, []) => measured.counted(0),
        (NUMBER, [Exp { kind: ExpKind::Int(first, None), .. }]) => {
            measured.counted(first.to_u32()?)
        }
        _ => None,
    }
}

impl Measured<'_> {
    /// The variable that its number becomes, if the first block has this one.
    fn counted(&self, first: u32) -> Option<Group> {
        let mut group = self.number.clone()?;
        group.names[0].name.push_str(&first.to_string());
        Some(group)
    }
}

/// A number of 64 bits in words of a type, the low one first; in one word if no number of them is that.
pub fn number(base: &BaseType) -> BaseType {
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
