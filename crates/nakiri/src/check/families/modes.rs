//! Modes of families: the trees of the family with numbers and nodes for the names.

use super::{chosen, error, in_static, in_type, number, unknown, Choice, Choices};
use crate::check::elaborate::duplicate;
use crate::check::includes::Files;
use crate::check::statics::Statics;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    AExp, AExpKind, BaseType, Each, Entries, Entry, Eqn, Exp, ExpKind, Group, Ident, Last, Member,
    Mode, Padding, Part, Selector, Short, Var,
};

fn is_choice(group: &Group) -> bool {
    matches!(group.ty.base, BaseType::Nat | BaseType::Node)
}

/// Whether a mode is a family, which is none itself.
pub fn is_family(mode: &Mode) -> bool {
    mode.params.iter().any(is_choice)
}

/// The mode that a member of a family is; none if errors of the family were reported already.
///
/// # Errors
/// If there is no such family, or its parameters are others.
pub fn mode(files: &Files, member: &Member, statics: &Statics) -> Result<Option<Mode>, Diagnostic> {
    let name = &member.family.name;
    let Some(family) = files.modes().find(|mode| mode.name.name == *name) else {
        let known = files.modes().filter(|mode| is_family(mode)).map(|mode| &*mode.name.name);
        return Err(unknown(&member.family, "mode", known));
    };
    if family.is_faulty {
        return Ok(None);
    }
    let (chosen, others) = family.params.iter().partition::<Vec<_>, _>(|group| is_choice(group));
    let names: Vec<(&Ident, &Group)> = chosen
        .iter()
        .flat_map(|group| group.names.iter().map(move |name| (name, *group)))
        .collect();
    if names.len() != member.choices.len() {
        let (wanted, given) = (names.len(), member.choices.len());
        let message = format!("`{name}` has {wanted} `nat` and `node` parameters, not {given}");
        return Err(error(member.span, message)
            .also(family.name.span, "defined here")
            .help("give a number or a node for each, in order, and nothing else"));
    }
    check_names(family, &names)?;
    let mut choices = Choices::new();
    for ((name, group), given) in names.iter().zip(&member.choices) {
        choices.push((name.name.clone(), choice(group, given, statics)?));
    }
    let params = others.into_iter().cloned().collect();
    let mut mode = Mode { name: member.name.clone(), params, ..family.clone() };
    put_into(&mut mode, &choices);
    Ok(Some(mode))
}

/// Refuses names of choices that anything else has, too.
fn check_names(family: &Mode, names: &[(&Ident, &Group)]) -> Result<(), Diagnostic> {
    let groups = [&family.params, &family.returns, &family.vars].into_iter().flatten();
    let others = groups.filter(|group| !is_choice(group)).flat_map(|group| &group.names);
    let others: Vec<&Ident> = names.iter().map(|(name, _)| *name).chain(others).collect();
    for (k, (own, _)) in names.iter().enumerate() {
        if let Some(second) = others[k + 1..].iter().find(|other| other.name == own.name) {
            return Err(duplicate(second, own.span));
        }
    }
    Ok(())
}

/// What a parameter is to stand for.
fn choice(group: &Group, given: &AExp, statics: &Statics) -> Result<Choice, Diagnostic> {
    match (&group.ty.base, &given.kind) {
        (BaseType::Node, AExpKind::Var(name)) => {
            Ok(Choice::Node(Ident { name: name.clone(), span: given.span }))
        }
        (BaseType::Node, _) => Err(error(given.span, "this is no name of a node")
            .also(group.span, "declared here")
            .help("write the name of a node that is defined in the program")),
        _ => number(given, statics).map(Choice::Number),
    }
}

fn put_into(mode: &mut Mode, choices: &Choices) {
    for group in [&mut mode.params, &mut mode.returns, &mut mode.vars].into_iter().flatten() {
        in_type(&mut group.ty, choices);
    }
    in_parts(&mut mode.parts, choices);
}

fn in_parts(parts: &mut [Part], choices: &Choices) {
    for part in parts {
        match part {
            Part::Equations(list) => in_equations(list, choices),
            Part::Each(each) => in_loop(each, choices),
            Part::Tree(tree) => {
                in_type(&mut tree.chunk.ty, choices);
                in_parts(&mut tree.parts, choices);
                in_equations(&mut tree.pair.body, choices);
            }
        }
    }
}

fn in_loop(each: &mut Each, choices: &Choices) {
    in_type(&mut each.block.ty, choices);
    in_padding(each.padding.as_mut(), choices);
    if let Some(given) = &mut each.given {
        in_type(&mut given.block.ty, choices);
        in_padding(given.padding.as_mut(), choices);
    }
    let short = match &mut each.short {
        Some(Short::Own(_, short)) => Some(short),
        Some(Short::Same(_)) | None => None,
    };
    let ends = [each.last.as_mut(), each.back.as_mut()].into_iter().flatten();
    let ends = ends.map(|(_, list)| list).chain(short);
    for list in std::iter::once(&mut each.body).chain(ends) {
        in_equations(list, choices);
    }
}

fn in_padding(padding: Option<&mut Padding>, choices: &Choices) {
    let Some(Padding { front, suffix, first, last, .. }) = padding else { return };
    let last = match last {
        Some(Last::Byte(last)) => Some(last),
        Some(Last::Length(..)) | None => None,
    };
    let bytes = front.iter_mut().chain(suffix).chain(first).chain(last);
    bytes.for_each(|byte| in_static(byte, choices));
}

fn in_equations(list: &mut [Eqn], choices: &Choices) {
    for equation in list {
        match equation {
            Eqn::Define { pat, exp, .. } => {
                pat.iter_mut().for_each(|var| in_variable(var, choices));
                in_expression(exp, choices);
            }
            Eqn::Next { var, exp, .. } => {
                in_variable(var, choices);
                in_expression(exp, choices);
            }
            Eqn::Forall { iter, from, to, body, .. } => {
                in_static(from, choices);
                in_static(to, choices);
                in_equations(body, &without(choices, iter));
            }
        }
    }
}

fn in_variable(var: &mut Var, choices: &Choices) {
    for selector in &mut var.selectors {
        match selector {
            Selector::Index(index) => in_static(index, choices),
            Selector::Range(from, to) => {
                in_static(from, choices);
                in_static(to, choices);
            }
            Selector::List(list) => list.iter_mut().for_each(|index| in_static(index, choices)),
        }
    }
}

fn in_expression(exp: &mut Exp, choices: &Choices) {
    match &mut exp.kind {
        ExpKind::Var(var) => match chosen(&var.name.name, choices) {
            Some(Choice::Number(value)) if var.selectors.is_empty() => {
                exp.kind = ExpKind::Int(value.clone(), None)
            }
            _ => in_variable(var, choices),
        },
        ExpKind::Int(_, Some(ty)) | ExpKind::Pack(_, _, ty) => in_type(ty, choices),
        ExpKind::Shift(_, _, amount) | ExpKind::Bitmask(_, amount) => in_static(amount, choices),
        ExpKind::Call { name, element, .. } => {
            if let Some(Choice::Node(node)) = chosen(&name.name, choices) {
                *name = node.clone();
            }
            element.iter_mut().for_each(|element| in_static(element, choices));
        }
        ExpKind::Shuffle(_, positions) => in_entries(positions, choices),
        ExpKind::Int(_, None)
        | ExpKind::Tuple(_)
        | ExpKind::Not(_)
        | ExpKind::Bin(..)
        | ExpKind::Error => {}
    }
    exp.parts_mut().into_iter().for_each(|part| in_expression(part, choices));
}

fn in_entries(list: &mut Entries, choices: &Choices) {
    for entry in &mut list.entries {
        match entry {
            Entry::Number(number) => in_static(number, choices),
            Entry::Forall { iter, from, to, entries, .. } => {
                in_static(from, choices);
                in_static(to, choices);
                in_entries(entries, &without(choices, iter));
            }
        }
    }
}

/// The choices where an iterator has the name of one.
fn without(choices: &Choices, iter: &Ident) -> Choices {
    choices.iter().filter(|(name, _)| *name != iter.name).cloned().collect()
}
