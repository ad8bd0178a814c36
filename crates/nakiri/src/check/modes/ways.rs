//! Loops that give a stream: of each block that is taken another is made. Where that is the sum of the block and what does not
//! depend on it, the same equations lead back: `c = e ^ p` is `p = e ^ c`.

use super::role::{marks, Role};
use super::{error, lengths};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Assign, BinOp, Each, Eqn, Exp, ExpKind, Group, Ident, Var};
use rustc_hash::FxHashSet;

/// The part of a block that its stream has: ones there. No name of a source has a full stop.
pub const PRESENT: &str = "present.";
/// What the padding adds to a block.
pub const MARKER: &str = "marker.";
/// Behind the name of a variable: as it is before a section changes it.
const BEFORE: &str = ".before";

/// The name of a variable as it is before a section changes it.
pub fn before(name: &str) -> String {
    format!("{name}{BEFORE}")
}

/// The variable that a port of a section is.
pub fn variable(port: &str) -> &str {
    port.strip_suffix(BEFORE).unwrap_or(port)
}

/// Which stream is given and which is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As it is written.
    There,
    /// The other way round.
    Back,
}

impl Way {
    /// The name of a section.
    pub fn name(self, section: &str) -> String {
        match self {
            Way::There => section.to_string(),
            Way::Back => {
                let back = [("absorb", "open"), ("last", "end"), ("short", "tail")];
                back.iter()
                    .fold(section.to_string(), |name, (there, back)| name.replace(there, back))
            }
        }
    }
}

fn named(group: &Group, name: &str) -> Group {
    let name = Ident { name: name.to_string(), span: group.span };
    Group { names: vec![name], is_const: false, ..group.clone() }
}

/// The blocks that the section of a loop takes, and those that it gives.
pub fn ports(each: &Each, may_be_short: bool, way: Way) -> (Vec<Group>, Vec<Group>) {
    let block = &each.block;
    let Some(ast::Given { block: given, .. }) = &each.given else {
        return (vec![block.clone()], vec![]);
    };
    let mut taken = vec![if way == Way::There { block.clone() } else { given.clone() }];
    if may_be_short {
        taken.push(named(given, PRESENT));
        if marks(made_padding(each, way)) {
            taken.push(named(block, MARKER));
        }
    }
    (taken, vec![if way == Way::There { given.clone() } else { block.clone() }])
}

/// The padding of the stream that a loop makes.
fn made_padding(each: &Each, way: Way) -> Option<&ast::Padding> {
    match way {
        Way::There => each.given.as_ref().and_then(|given| given.padding.as_ref()),
        Way::Back => each.padding.as_ref(),
    }
}

/// The equations of a section, so that what lies behind the end of a stream is zero, or its padding.
///
/// # Errors
/// If a block is given that is not made by one equation.
pub fn equations(role: Role, equations: &[Eqn], way: Way) -> Result<Vec<Eqn>, Diagnostic> {
    let each = match role {
        Role::Body(each) | Role::Last(each) | Role::Short(each) => each,
        Role::Once | Role::Squeeze(_) | Role::Pair(_) => return Ok(equations.to_vec()),
    };
    let short = role.may_be_short();
    // Nothing has to be masked, and the way back is written.
    let is_written = matches!(role, Role::Body(_)) && each.back.is_some();
    if is_written || each.whole.is_some() && way == Way::There {
        return Ok(equations.to_vec());
    }
    let Some(ast::Given { block: given, .. }) = &each.given else { return Ok(equations.to_vec()) };
    let place = made(&given.names[0], equations).ok_or_else(|| whole(&given.names[0]))?;
    let mut written = equations.to_vec();
    let Eqn::Define { pat, exp, span, .. } = &mut written[place] else { return Ok(written) };
    let at = *span;
    let sum = |a, b| binary(BinOp::Xor, a, b, at);
    let present = |exp| binary(BinOp::And, exp, variable_of(PRESENT, at), at);
    let ended = |exp| match marks(made_padding(each, way)) {
        true => sum(present(exp), variable_of(MARKER, at)),
        false => present(exp),
    };
    match (way, other(exp, &each.block.names[0])) {
        (Way::Back, Some(other)) => {
            let block = &each.block.names[0];
            let own = sum(other.clone(), variable_of(&given.names[0].name, at));
            *exp = if short { ended(own) } else { own };
            pat[0].name = Ident { name: block.name.clone(), span: pat[0].name.span };
        }
        _ if short => *exp = ended(exp.clone()),
        _ => {}
    }
    Ok(written)
}

/// Whether a loop gives the sum of each block and something else.
pub fn is_sum(each: &Each, equations: &[Eqn]) -> bool {
    let Some(ast::Given { block: given, .. }) = &each.given else { return false };
    let block = &each.block.names[0];
    let Some(place) = made(&given.names[0], equations) else { return false };
    let Eqn::Define { exp, .. } = &equations[place] else { return false };
    other(exp, block).is_some_and(|other| {
        let own = made_of(&block.name, equations, place);
        read_of(other, &block.name).iter().all(|name| !own.contains(name))
    })
}

/// What an expression reads, but for a block of which it takes the number or the length alone.
fn read_of<'a>(exp: &'a Exp, block: &str) -> FxHashSet<&'a str> {
    let counts = |exp: &Exp| match &exp.kind {
        ExpKind::Call { name, element: None, args } => {
            let of_block = matches!(args.first().map(|of| &of.kind), Some(ExpKind::Var(of)) if of.name.name == block);
            of_block && [lengths::NUMBER, lengths::LENGTH].contains(&&*name.name)
        }
        _ => false,
    };
    let (mut found, mut expressions) = (FxHashSet::default(), vec![exp]);
    while let Some(exp) = expressions.pop() {
        match &exp.kind {
            _ if counts(exp) => {}
            ExpKind::Var(var) => drop(found.insert(&*var.name.name)),
            _ => expressions.extend(exp.parts()),
        }
    }
    found
}

/// A block, and the variables that equations make of it as wholes: those that are defined by it, and those that are changed by it in
/// front of a place.
fn made_of<'a>(block: &'a str, equations: &'a [Eqn], place: usize) -> FxHashSet<&'a str> {
    let mut made = FxHashSet::from_iter([block]);
    loop {
        let before = made.len();
        for (number, equation) in equations.iter().enumerate() {
            let Eqn::Define { pat, assign, exp, .. } = equation else { continue };
            let [Var { name, selectors, .. }] = &pat[..] else { continue };
            let is_known = *assign == Assign::Define || number < place;
            let reads = || read_of(exp, block).iter().any(|read| made.contains(read));
            if is_known && selectors.is_empty() && reads() {
                made.insert(&name.name);
            }
        }
        if made.len() == before {
            return made;
        }
    }
}

/// Which equation makes a block, if one does.
fn made(given: &Ident, equations: &[Eqn]) -> Option<usize> {
    let is_own = |equation: &Eqn| match equation {
        Eqn::Define { pat, assign: Assign::Define, .. } => match &pat[..] {
            [var] => var.name.name == given.name && var.selectors.is_empty(),
            _ => false,
        },
        _ => false,
    };
    equations.iter().position(is_own)
}

/// What a sum adds to a block.
fn other<'a>(exp: &'a Exp, block: &Ident) -> Option<&'a Exp> {
    let is_block = |exp: &Exp| matches!(&exp.kind, ExpKind::Var(var) if var.name.name == block.name && var.selectors.is_empty());
    match &exp.kind {
        ExpKind::Bin(BinOp::Xor, a, b) if is_block(b) => Some(a),
        ExpKind::Bin(BinOp::Xor, a, b) if is_block(a) => Some(b),
        _ => None,
    }
}

fn binary(op: BinOp, a: Exp, b: Exp, span: Span) -> Exp {
    Exp { kind: ExpKind::Bin(op, Box::new(a), Box::new(b)), span }
}

fn variable_of(name: &str, span: Span) -> Exp {
    let name = Ident { name: name.to_string(), span };
    Exp { kind: ExpKind::Var(Var { name, selectors: vec![], span }), span }
}

fn whole(given: &Ident) -> Diagnostic {
    error(given.span, format!("`{}` is not made by one equation", given.name))
        .label("a block of a stream that is given")
        .help(format!("write `{0} = …` in the loop, and in its `last` if it has one: behind the end of the stream `{0}` is zero then", given.name))
}
