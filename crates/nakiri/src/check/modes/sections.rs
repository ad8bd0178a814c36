//! The sections of a mode: what each takes from those before it, and the nodes that they become.

use super::{error, ABSORB, FINISH, SECTIONS, SQUEEZE};
use crate::check::elaborate::duplicate;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{
    self, Assign, BaseType, Body, Def, DefKind, Each, Eqn, Exp, ExpKind, Group, Ident, Part, Var,
};
use rustc_hash::FxHashSet;

pub fn is_stream(group: &Group) -> bool {
    matches!(group.ty.base, BaseType::Bytes)
}

/// The one stream among parameters or results, if there is one.
fn stream(groups: &[Group]) -> Result<Option<&Ident>, Diagnostic> {
    let mut streams = groups.iter().filter(|group| is_stream(group)).flat_map(|group| {
        let plain = group.ty.dims.is_empty() && group.layout.is_none() && !group.is_const;
        group.names.iter().map(move |name| (name, plain, group.span))
    });
    let Some((name, plain, span)) = streams.next() else { return Ok(None) };
    if !plain {
        return Err(error(
            span,
            "`bytes` has neither dimensions nor a layout, and is never `const`",
        )
        .help("write `message:bytes`"));
    }
    match streams.next() {
        None => Ok(Some(name)),
        Some((second, ..)) => {
            Err(error(second.span, "a mode takes one stream, and gives at most one")
                .label("the second")
                .also(name.span, "the first"))
        }
    }
}

/// The sections of a mode and what each needs.
pub struct Sections<'a> {
    mode: &'a ast::Mode,
    pub absorb: &'a Each,
    squeeze: Option<&'a Each>,
    equations: [&'a [Eqn]; 4],
    /// What each section defines, or changes.
    defined: [Vec<&'a str>; 4],
    /// What each section takes from those before it.
    incoming: [Vec<&'a str>; 4],
}

impl<'a> Sections<'a> {
    /// Those of a mode.
    ///
    /// # Errors
    /// What has no place in one.
    pub fn of(mode: &'a ast::Mode) -> Result<Sections<'a>, Diagnostic> {
        let (taken, given) = (stream(&mode.params)?, stream(&mode.returns)?);
        let Some(taken) = taken else {
            return Err(error(
                mode.name.span,
                format!("the mode `{}` takes no stream", mode.name.name),
            )
            .help("give it a parameter of type `bytes`, or write `node`"));
        };
        if let (Some(given), true) =
            (given, mode.returns.iter().map(|g| g.names.len()).sum::<usize>() > 1)
        {
            return Err(error(given.span, "a stream is the only result of its mode")
                .help("leave the others out, or give this one a fixed size"));
        }
        let mut equations: [&[Eqn]; 4] = [&[]; 4];
        let (mut absorb, mut squeeze, mut section) = (None, None, 0);
        for part in &mode.parts {
            match part {
                Part::Equations(list) if section < SQUEEZE => equations[section] = list,
                Part::Equations(list) => return Err(behind(place(&list[0]))),
                Part::Each(each) if absorb.is_none() => {
                    expect(each, taken, "parameter")?;
                    equations[ABSORB] = &each.body;
                    (absorb, section) = (Some(&**each), FINISH);
                }
                Part::Each(each) if squeeze.is_none() => {
                    let Some(given) = given else { return Err(behind(each.span)) };
                    expect(each, given, "result")?;
                    if let Some(padding) = &each.padding {
                        return Err(error(padding.span, "what is given is not padded")
                            .help(format!("write `in {}`: its last block is cut", given.name)));
                    }
                    equations[SQUEEZE] = &each.body;
                    (squeeze, section) = (Some(&**each), SQUEEZE);
                }
                Part::Each(each) => return Err(behind(each.span)),
            }
        }
        let Some(absorb) = absorb else { return Err(no_loop(taken, "u32[16]")) };
        if let (Some(given), None) = (given, squeeze) {
            return Err(no_loop(given, "u64[17]"));
        }
        check_names(mode)?;
        let defined = equations.map(defined);
        let sections =
            Sections { mode, absorb, squeeze, equations, defined, incoming: Default::default() };
        sections.with_incoming()
    }

    fn with_incoming(mut self) -> Result<Sections<'a>, Diagnostic> {
        let fixed = self.mode.params.iter().filter(|group| !is_stream(group));
        let inputs: Vec<&Ident> = fixed.flat_map(|group| &group.names).collect();
        let mut known: Vec<&str> = inputs.iter().map(|name| &*name.name).collect();
        for section in 0..SECTIONS.len() {
            let read = read(self.equations[section]);
            let (own, block) = (&self.defined[section], self.block(section));
            let needed =
                |name: &&str| (read.contains(name) || own.contains(name)) && Some(*name) != block;
            self.incoming[section] = known.iter().copied().filter(needed).collect();
            let new: Vec<&str> = own.iter().copied().filter(|name| !known.contains(name)).collect();
            known.extend(new);
        }
        inputs.into_iter().try_for_each(|input| self.check_input(input))?;
        Ok(self)
    }

    /// Refuses an input that no section reads, or that one changes: messages of a batch share it.
    fn check_input(&self, input: &Ident) -> Result<(), Diagnostic> {
        let name = &input.name;
        if self.defined.iter().flatten().any(|own| own == name) {
            return Err(error(self.place(name), format!("`{name}` is an input of the mode"))
                .label("an input keeps its value")
                .also(input.span, "declared here")
                .help("copy it to a variable before the loop, and change that"));
        }
        match self.incoming.iter().flatten().any(|read| read == name) {
            true => Ok(()),
            false => Err(error(input.span, format!("nothing reads the input `{name}`"))
                .help("leave it out: programs would have to give it for nothing")),
        }
    }

    /// The name of the block that a section takes or makes.
    fn block(&self, section: usize) -> Option<&'a str> {
        let each = match section {
            ABSORB => Some(self.absorb),
            SQUEEZE => self.squeeze,
            _ => None,
        };
        each.map(|each| &*each.block.names[0].name)
    }

    /// What a section gives to later ones: a loop's body is its own successor.
    fn outgoing(&self, section: usize) -> Vec<&'a str> {
        let first = if matches!(section, ABSORB | SQUEEZE) { section } else { section + 1 };
        let later = &self.incoming[first..];
        let own = self.defined[section].iter().copied();
        own.filter(|name| later.iter().any(|incoming| incoming.contains(name))).collect()
    }

    /// The names of what goes from section to section.
    pub fn state(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.incoming.iter().flatten() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// Their nodes; one without equations has none.
    ///
    /// # Errors
    /// What has no value, or is none that can go from block to block.
    pub fn nodes(&self) -> Result<Vec<Def>, Diagnostic> {
        let has = |section: &usize| match *section {
            ABSORB => true,
            SQUEEZE => self.squeeze.is_some(),
            section => !self.equations[section].is_empty(),
        };
        if self.outgoing(ABSORB).is_empty() {
            return Err(error(
                self.absorb.span,
                "this loop changes nothing that is used behind it",
            )
            .help("give a variable that is defined before the loop its next value with `:=`"));
        }
        self.check_results()?;
        (0..SECTIONS.len()).filter(has).map(|section| self.node(section)).collect()
    }

    /// Refuses results that are anything else than what the equations behind the loop define.
    fn check_results(&self) -> Result<(), Diagnostic> {
        let state = self.state();
        for group in single(&self.mode.returns).filter(|group| !is_stream(group)) {
            let name = &group.names[0];
            if state.contains(&name.name) {
                return Err(error(name.span, format!("`{}` goes from block to block", name.name))
                    .label("a result is defined behind the loop")
                    .help("keep what goes from block to block in a variable of its own"));
            }
            if !self.defined[FINISH].contains(&&*name.name) {
                return Err(error(
                    name.span,
                    format!("`{}` has no value behind the loop", name.name),
                )
                .label("a result of fixed size")
                .help(format!("write `{} = …` behind the loop", name.name)));
            }
        }
        Ok(())
    }

    /// The node of a section.
    fn node(&self, section: usize) -> Result<Def, Diagnostic> {
        let (incoming, outgoing) = (&self.incoming[section], self.outgoing(section));
        let own = &self.defined[section];
        let (mut params, mut returns, mut eqns) = (Vec::new(), Vec::new(), Vec::new());
        for &name in incoming {
            let group = self.declared(name)?;
            if !own.contains(&name) {
                params.push(group);
                continue;
            }
            let before = Ident { name: format!("{name}'"), span: group.names[0].span };
            eqns.push(copy(&group.names[0], &before));
            params.push(Group { names: vec![before], ..group });
        }
        for &name in &outgoing {
            if matches!(section, ABSORB | SQUEEZE) && !incoming.contains(&name) {
                return Err(self.only_in_loop(name));
            }
            returns.push(self.declared(name)?);
        }
        match section {
            ABSORB => params.push(self.absorb.block.clone()),
            SQUEEZE => returns.extend(self.squeeze.map(|each| each.block.clone())),
            _ => {}
        }
        if section == FINISH {
            returns.extend(single(&self.mode.returns).filter(|group| !is_stream(group)));
        }
        eqns.extend_from_slice(self.equations[section]);
        let ports: Vec<&str> = params.iter().chain(&returns).map(|g| &*g.names[0].name).collect();
        let read = read(self.equations[section]);
        // What is used nowhere is declared in the loop, where that is noticed.
        let used = |name: &str| {
            let nowhere = section == ABSORB && !self.uses(name);
            read.contains(name) || own.contains(&name) || nowhere
        };
        let vars = single(&self.mode.vars)
            .filter(|g| used(&g.names[0].name) && !ports.contains(&&*g.names[0].name))
            .collect();
        let span = self.mode.body;
        let name = format!("{}.{}", self.mode.name.name, SECTIONS[section]);
        let name = Ident { name, span: self.mode.name.span };
        let kind = DefKind::Node(vec![Body { vars, state: vec![], eqns, span }]);
        Ok(Def { options: vec![], name, params, returns, kind, is_array: false, span })
    }

    /// Whether any section reads or defines a name.
    fn uses(&self, name: &str) -> bool {
        let defines = self.defined.iter().flatten().any(|own| *own == name);
        defines || self.equations.iter().any(|equations| read(equations).contains(name))
    }

    /// The declaration of a name, alone.
    fn declared(&self, name: &str) -> Result<Group, Diagnostic> {
        let groups = [&self.mode.vars, &self.mode.params, &self.mode.returns].into_iter();
        let mut groups = groups.flat_map(|groups| single(groups));
        groups.find(|group| group.names[0].name == name).ok_or_else(|| {
            Diagnostic::error("E0104", self.place(name), format!("there is no variable `{name}`"))
                .help("declare it under `vars`")
        })
    }

    fn only_in_loop(&self, name: &str) -> Diagnostic {
        error(self.place(name), format!("`{name}` has no value before the loop that changes it"))
            .label("defined in the loop, and needed behind it or in its next turn")
            .help("define it before the loop, and give it its next value with `:=`")
    }

    /// Where a name is defined or changed first.
    fn place(&self, name: &str) -> Span {
        fn find(equations: &[Eqn], name: &str) -> Option<Span> {
            equations.iter().find_map(|equation| match equation {
                Eqn::Define { pat, .. } => pat.iter().find(|v| v.name.name == name).map(|v| v.span),
                Eqn::Next { .. } => None,
                Eqn::Forall { body, .. } => find(body, name),
            })
        }
        let found = self.equations.iter().find_map(|equations| find(equations, name));
        found.unwrap_or(self.mode.name.span)
    }
}

/// Refuses names that are declared twice, and numbers as parameters.
fn check_names(mode: &ast::Mode) -> Result<(), Diagnostic> {
    let groups = [&mode.params, &mode.returns, &mode.vars].into_iter().flatten();
    let mut known: Vec<&Ident> = Vec::new();
    for group in groups {
        if let BaseType::Nat = group.ty.base {
            return Err(error(group.span, "a mode has no `nat` parameters")
                .label("a number that is known when it is compiled")
                .help("write a mode for each number, around nodes that take it"));
        }
        for name in &group.names {
            if let Some(first) = known.iter().find(|known| known.name == name.name) {
                return Err(duplicate(name, first.span));
            }
            known.push(name);
        }
    }
    Ok(())
}

fn place(equation: &Eqn) -> Span {
    match equation {
        Eqn::Define { span, .. } | Eqn::Next { span, .. } | Eqn::Forall { span, .. } => *span,
    }
}

fn behind(span: Span) -> Diagnostic {
    error(span, "nothing is done here").label("behind the last loop that a mode has").help(
        "a mode has equations, a loop over its parameter, equations, and a loop over its result if that is a stream",
    )
}

fn no_loop(stream: &Ident, ty: &str) -> Diagnostic {
    let name = &stream.name;
    error(stream.span, format!("no loop goes over the stream `{name}`"))
        .help(format!("write `forall block:{ty} in …{name}… {{ … }}`, outside of other loops"))
}

/// Refuses a loop over another stream than this one.
fn expect(each: &Each, stream: &Ident, what: &str) -> Result<(), Diagnostic> {
    match each.stream.name == stream.name {
        true => Ok(()),
        false => Err(error(each.stream.span, format!("this loop is over `{}`", each.stream.name))
            .label(format!("the {what} that is a stream is `{}`", stream.name))
            .also(stream.span, "declared here")),
    }
}

/// The groups with one name each. What a mode takes is the same for all blocks, whether it is `const` or not.
pub fn single(groups: &[Group]) -> impl Iterator<Item = Group> + '_ {
    groups.iter().flat_map(|group| {
        group.names.iter().map(|name| Group {
            names: vec![name.clone()],
            is_const: false,
            ..group.clone()
        })
    })
}

/// `to = from`
fn copy(to: &Ident, from: &Ident) -> Eqn {
    let var = |name: &Ident| Var { name: name.clone(), selectors: vec![], span: name.span };
    let exp = Exp { kind: ExpKind::Var(var(from)), span: from.span };
    let (pat, parenthesized, assign) = (vec![var(to)], false, Assign::Define);
    Eqn::Define { pat, parenthesized, assign, exp, span: to.span }
}

/// What equations define or change, each once.
fn defined(equations: &[Eqn]) -> Vec<&str> {
    let mut names = Vec::new();
    for equation in equations {
        let own: Vec<&str> = match equation {
            Eqn::Define { pat, .. } => pat.iter().map(|var| &*var.name.name).collect(),
            Eqn::Next { var, .. } => vec![&var.name.name],
            Eqn::Forall { body, .. } => defined(body),
        };
        own.into_iter().for_each(|name| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
    }
    names
}

/// The variables that equations read; iterators may be among them.
fn read(equations: &[Eqn]) -> FxHashSet<&str> {
    let (mut found, mut expressions) = (FxHashSet::default(), Vec::new());
    let mut equations: Vec<&Eqn> = equations.iter().collect();
    while let Some(equation) = equations.pop() {
        match equation {
            Eqn::Define { exp, .. } | Eqn::Next { exp, .. } => expressions.push(exp),
            Eqn::Forall { body, .. } => equations.extend(body),
        }
    }
    while let Some(exp) = expressions.pop() {
        if let ExpKind::Var(var) = &exp.kind {
            found.insert(&*var.name.name);
        }
        expressions.extend(exp.parts());
    }
    found
}
