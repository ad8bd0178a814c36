//! `number(chunk)` in a tree: how many chunks came before. It is a variable that each chunk has of its own, with a value before
//! anything is done with the chunk. Nothing else is known of a chunk as a whole, or of how many there are.

use super::trees::{of, variable_of};
use super::{error, lengths};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Each, Eqn, Exp, ExpKind, Group, Ident, Part, Short, Tree};
use std::borrow::Cow;

/// The loop over the blocks of a chunk.
fn blocks(tree: &Tree) -> Option<&Each> {
    tree.parts.iter().find_map(Part::each)
}

/// The name of the variable, with a full stop, which no name of a source has. A mode goes over each stream once.
pub fn counted(tree: &Tree) -> String {
    format!("{}.{}", tree.chunk.names[0].name, tree.stream.name)
}

/// Its declaration.
fn number(tree: &Tree) -> Option<Group> {
    let (name, span) = (counted(tree), tree.chunk.span);
    let ty = ast::Type { base: lengths::number(&blocks(tree)?.block.ty.base), dims: vec![], span };
    Some(Group { names: vec![Ident { name, span }], is_const: false, ty, layout: None, span })
}

/// A mode in which the numbers of chunks are variables.
///
/// # Errors
/// A chunk that is read otherwise, or the length of a stream that trees are over.
pub fn numbered(mode: &ast::Mode) -> Result<Cow<'_, ast::Mode>, Diagnostic> {
    if of(mode).next().is_none() {
        return Ok(Cow::Borrowed(mode));
    }
    let streams: Vec<Ident> = of(mode).map(|tree| tree.stream.clone()).collect();
    let (mut mode, mut numbers) = (mode.clone(), Vec::new());
    for part in &mut mode.parts {
        let variable = match part {
            Part::Tree(tree) => Some((tree.chunk.names[0].name.clone(), counted(tree))),
            Part::Equations(_) | Part::Each(_) => None,
        };
        let mut reads =
            Reads { streams: &streams, variable, number: false, whole: None, length: None };
        reads.in_part(part);
        if let Some(span) = reads.length {
            return Err(error(span, "no length is known here")
                .label("of a stream whose chunks are taken as they come")
                .help("take the length of each block in the tree, or make the tree tell it"));
        }
        let Part::Tree(tree) = part else { continue };
        if let Some(span) = reads.whole {
            let chunk = &tree.chunk.names[0];
            return Err(error(span, format!("`{}` is no variable", chunk.name))
                .also(chunk.span, "a chunk of a stream")
                .help(format!(
                    "go over its blocks, `forall block:u32[16] in pad({0}) {{ … }}`, or take its number, `number({0})`",
                    chunk.name
                )));
        }
        numbers.extend(number(tree).filter(|_| reads.number));
    }
    mode.vars.extend(numbers);
    Ok(Cow::Owned(mode))
}

/// What is read of chunks and streams as wholes. Numbers of a chunk become a variable.
struct Reads<'r> {
    streams: &'r [Ident],
    /// The chunk and the variable that its number is.
    variable: Option<(String, String)>,
    /// Whether that is read.
    number: bool,
    /// Where the chunk is read otherwise.
    whole: Option<Span>,
    /// Where the length of a stream is read.
    length: Option<Span>,
}

/// A variable as a whole.
fn name(exp: &Exp) -> Option<&str> {
    match &exp.kind {
        ExpKind::Var(var) => Some(&var.name.name),
        _ => None,
    }
}

impl Reads<'_> {
    fn in_part(&mut self, part: &mut Part) {
        let lists: Vec<&mut Vec<Eqn>> = match part {
            Part::Equations(list) => vec![list],
            Part::Each(each) => {
                let short = match &mut each.short {
                    Some(Short::Own(_, short)) => Some(short),
                    Some(Short::Same(_)) | None => None,
                };
                let last = each.last.as_mut().map(|(_, last)| last);
                [Some(&mut each.body), last, short].into_iter().flatten().collect()
            }
            Part::Tree(tree) => {
                tree.parts.iter_mut().for_each(|part| self.in_part(part));
                vec![]
            }
        };
        lists.into_iter().flatten().for_each(|equation| self.in_equation(equation));
    }

    fn in_equation(&mut self, equation: &mut Eqn) {
        match equation {
            Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => self.in_expression(exp),
            Eqn::Forall { body, .. } => {
                body.iter_mut().for_each(|equation| self.in_equation(equation));
            }
        }
    }

    fn in_expression(&mut self, exp: &mut Exp) {
        let is_chunk = |name: &str| self.variable.as_ref().is_some_and(|(chunk, _)| chunk == name);
        let is_stream = |name: &str| self.streams.iter().any(|stream| stream.name == name);
        match &exp.kind {
            ExpKind::Call { name: call, element: None, args } => match &args[..] {
                [of] if call.name == lengths::NUMBER && name(of).is_some_and(is_chunk) => {
                    if let Some((_, variable)) = &self.variable {
                        exp.kind = ExpKind::Var(variable_of(variable, vec![], exp.span));
                        self.number = true;
                    }
                    return;
                }
                [of] if call.name == lengths::LENGTH && name(of).is_some_and(is_stream) => {
                    self.length.get_or_insert(exp.span);
                    return;
                }
                _ => {}
            },
            ExpKind::Var(var) if is_chunk(&var.name.name) => {
                self.whole.get_or_insert(exp.span);
            }
            _ => {}
        }
        exp.parts_mut().into_iter().for_each(|exp| self.in_expression(exp));
    }
}
