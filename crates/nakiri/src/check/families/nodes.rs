//! Nodes of families: each calls its family with the numbers, and takes and gives what that does.

use super::{chosen, error, in_type, number, unknown, Choice, Choices};
use crate::check::includes::Files;
use crate::check::select::plural;
use crate::check::signature::{is_nat, names};
use crate::check::statics::Statics;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    Assign, Body, Def, DefKind, Eqn, Exp, ExpKind, Group, Ident, Member, MemberKind, Var,
};

/// What the members that are nodes are, in their order; one that is refused is faulty. Reports what can't be a member.
pub fn all(files: &Files, statics: &Statics, diagnostics: &mut Vec<Diagnostic>) -> Vec<Def> {
    let node = |member| match node(files, member, statics) {
        Ok(def) => def,
        Err(error) => {
            diagnostics.push(error);
            faulty(member)
        }
    };
    files.members(MemberKind::Node).map(node).collect()
}

/// The node that calls its family, faulty if that is.
fn node(files: &Files, member: &Member, statics: &Statics) -> Result<Def, Diagnostic> {
    let family = family(files, member)?;
    if family.is_faulty {
        return Ok(faulty(member));
    }
    let numbers: Vec<&Ident> =
        names(&family.params).filter(|(_, group)| is_nat(group)).map(|(name, _)| name).collect();
    let (wanted, given) = (numbers.len(), member.choices.len());
    if wanted != given {
        let name = &family.name.name;
        let plural = plural(wanted);
        let message = format!("`{name}` has {wanted} `nat` parameter{plural}, not {given}");
        return Err(error(member.span, message)
            .also(family.name.span, "defined here")
            .help("give a number for each, in order, and nothing else"));
    }
    let mut choices = Choices::new();
    for (name, given) in numbers.iter().zip(&member.choices) {
        choices.push((name.name.clone(), Choice::Number(number(given, statics)?)));
    }
    let chosen = |groups: &[Group]| -> Vec<Group> {
        let mut groups: Vec<Group> = groups.iter().filter(|g| !is_nat(g)).cloned().collect();
        groups.iter_mut().for_each(|group| in_type(&mut group.ty, &choices));
        groups
    };
    Ok(Def {
        options: member.options.clone(),
        name: member.name.clone(),
        params: chosen(&family.params),
        returns: chosen(&family.returns),
        kind: DefKind::Node(vec![body(member, family, &choices)]),
        is_array: false,
        span: member.span,
        is_faulty: false,
    })
}

/// The node that a member names.
fn family<'a>(files: &'a Files, member: &Member) -> Result<&'a Def, Diagnostic> {
    let name = &member.family;
    let is_family = |def: &&Def| def.params.iter().any(is_nat);
    let Some(family) = files.definitions().find(|def| def.name.name == name.name) else {
        let known = files.definitions().filter(is_family).map(|def| &*def.name.name);
        return Err(unknown(name, "node", known));
    };
    if family.is_faulty || is_family(&family) && !family.is_array {
        return Ok(family);
    }
    let kind = if family.is_array { "an array of nodes" } else { "no family" };
    Err(error(name.span, format!("`{}` is {kind}", name.name))
        .label("only a node with `nat` parameters has nodes of its own")
        .also(family.name.span, "defined here"))
}

/// The family's results are those of a call of it.
fn body(member: &Member, family: &Def, choices: &Choices) -> Body {
    let span = member.span;
    let var = |name: &Ident| Var { name: name.clone(), selectors: Vec::new(), span };
    let argument = |(name, _): (&Ident, &Group)| {
        let kind = match chosen(&name.name, choices) {
            Some(Choice::Number(value)) => ExpKind::Int(value.clone(), None),
            _ => ExpKind::Var(var(name)),
        };
        Exp { kind, span }
    };
    let kind = ExpKind::Call {
        name: member.family.clone(),
        element: None,
        args: names(&family.params).map(argument).collect(),
    };
    let results: Vec<Var> = names(&family.returns).map(|(name, _)| var(name)).collect();
    let equation = Eqn::Define {
        parenthesized: results.len() > 1,
        pat: results,
        assign: Assign::Define,
        exp: Exp { kind, span },
        span,
    };
    Body { vars: Vec::new(), state: Vec::new(), eqns: vec![equation], span }
}

fn faulty(member: &Member) -> Def {
    Def {
        options: Vec::new(),
        name: member.name.clone(),
        params: Vec::new(),
        returns: Vec::new(),
        kind: DefKind::Node(Vec::new()),
        is_array: false,
        span: member.span,
        is_faulty: true,
    }
}
