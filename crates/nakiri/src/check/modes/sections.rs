//! The sections of a mode: what each takes from those before it, and the nodes that they become.

use super::ways::{self, Way};
use super::{error, lengths};
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

/// The streams among parameters or results.
fn streams(groups: &[Group]) -> Result<Vec<&Ident>, Diagnostic> {
    let mut names = Vec::new();
    for group in groups.iter().filter(|group| is_stream(group)) {
        if !group.ty.dims.is_empty() || group.layout.is_some() || group.is_const {
            return Err(error(
                group.span,
                "`bytes` has neither dimensions nor a layout, and is never `const`",
            )
            .help("write `message:bytes`"));
        }
        names.extend(&group.names);
    }
    Ok(names)
}

/// What a section is.
#[derive(Clone, Copy)]
pub enum Role<'a> {
    /// Equations outside of loops.
    Once,
    /// What is done with each block of a stream.
    Body(&'a Each),
    /// What is done with its last block instead.
    Last(&'a Each),
    /// What makes a block of a stream.
    Squeeze(&'a Each),
}

impl<'a> Role<'a> {
    fn each(self) -> Option<&'a Each> {
        match self {
            Role::Once => None,
            Role::Body(each) | Role::Last(each) | Role::Squeeze(each) => Some(each),
        }
    }

    /// The blocks that it takes or makes.
    fn blocks(self) -> impl Iterator<Item = &'a Group> {
        self.each().into_iter().flat_map(|each| {
            [Some(&each.block), each.given.as_ref().map(|given| &given.0)].into_iter().flatten()
        })
    }

    fn is_block(self, name: &str) -> bool {
        self.blocks().any(|group| group.names[0].name == name)
    }

    /// Whether it may be done several times, or never.
    fn is_repeated(self) -> bool {
        match self {
            Role::Once => false,
            Role::Body(_) | Role::Squeeze(_) => true,
            Role::Last(each) => each.unless_empty.is_some() || !has_marker(each),
        }
    }
}

/// Whether a byte follows the stream's last, so that there is a last block.
pub fn has_marker(each: &Each) -> bool {
    each.padding.as_ref().is_some_and(|padding| padding.first.is_some())
}

/// A section, and what it needs.
pub struct Section<'a> {
    /// Its name in the mode.
    pub name: String,
    /// What it is.
    pub role: Role<'a>,
    equations: &'a [Eqn],
    /// What it defines, or changes.
    defined: Vec<&'a str>,
    /// What it takes from those before it.
    incoming: Vec<&'a str>,
}

/// The sections of a mode, in order.
pub struct Sections<'a> {
    mode: &'a ast::Mode,
    pub list: Vec<Section<'a>>,
    /// The streams that the mode takes.
    pub streams: Vec<&'a Ident>,
}

/// What follows the names of the sections of a loop.
fn number(loops: usize, number: usize) -> String {
    if loops > 1 {
        number.to_string()
    } else {
        String::new()
    }
}

impl<'a> Sections<'a> {
    /// Those of a mode.
    ///
    /// # Errors
    /// What has no place in one.
    pub fn of(mode: &'a ast::Mode) -> Result<Sections<'a>, Diagnostic> {
        let (taken, given) = (streams(&mode.params)?, streams(&mode.returns)?);
        let Some(&first) = taken.first() else {
            return Err(error(
                mode.name.span,
                format!("the mode `{}` takes no stream", mode.name.name),
            )
            .help("give it a parameter of type `bytes`, or write `node`"));
        };
        if let [first, second, ..] = given[..] {
            return Err(error(second.span, "a mode gives at most one stream")
                .label("the second")
                .also(first.span, "the first"));
        }
        let mut sections = Sections { mode, list: Vec::new(), streams: taken };
        sections.collect(given.first().copied())?;
        sections.check_streams(given.first().copied(), first)?;
        check_names(mode)?;
        sections.with_incoming()
    }

    /// All parts, each where it may stand.
    fn collect(&mut self, given: Option<&'a Ident>) -> Result<(), Diagnostic> {
        let (all, mut gone) = (self.streams.len(), 0);
        let mut squeezed = false;
        for part in &self.mode.parts {
            match part {
                Part::Equations(list) if squeezed => return Err(behind(place(&list[0]))),
                Part::Equations(list) => {
                    let name = match gone {
                        0 => "start".to_string(),
                        loops if loops == all => "finish".to_string(),
                        loops => format!("after{loops}"),
                    };
                    self.push(name, Role::Once, list);
                }
                Part::Each(each) if squeezed => return Err(behind(each.span)),
                Part::Each(each) if gone < all => {
                    self.check_loop(each, given)?;
                    gone += 1;
                    let number = number(all, gone);
                    self.push(format!("absorb{number}"), Role::Body(each), &each.body);
                    let last = each.last.as_ref().map(|(_, last)| &last[..]);
                    if let Some(last) = last.or(each.given.as_ref().map(|_| &each.body[..])) {
                        self.push(format!("last{number}"), Role::Last(each), last);
                    }
                }
                Part::Each(each) => {
                    let Some(given) = given.filter(|_| !self.gives()) else {
                        return Err(behind(each.span));
                    };
                    check_squeeze(each, given, self.mode)?;
                    self.push("squeeze".to_string(), Role::Squeeze(each), &each.body);
                    squeezed = true;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, name: String, role: Role<'a>, equations: &'a [Eqn]) {
        let (defined, incoming) = (defined(equations), Vec::new());
        self.list.push(Section { name, role, equations, defined, incoming });
    }

    /// The loops over streams that the mode takes.
    pub fn loops(&self) -> impl Iterator<Item = &'a Each> + '_ {
        self.list.iter().filter_map(|section| match section.role {
            Role::Body(each) => Some(each),
            _ => None,
        })
    }

    /// Whether a stream is given beside one that is taken.
    fn gives(&self) -> bool {
        self.loops().any(|each| each.given.is_some())
    }

    /// Refuses a loop over what is no stream of the mode, or over one a second time, and a stream made by it that is none.
    fn check_loop(&self, each: &Each, given: Option<&Ident>) -> Result<(), Diagnostic> {
        let wrong =
            |stream: &Ident| error(stream.span, format!("this loop is over `{}`", stream.name));
        let name = &each.stream.name;
        let Some(declared) = self.streams.iter().find(|stream| stream.name == *name) else {
            let names: Vec<String> = self.streams.iter().map(|s| format!("`{}`", s.name)).collect();
            return Err(wrong(&each.stream)
                .label(format!("streams among the parameters: {}", names.join(", ")))
                .also(self.streams[0].span, "declared here"));
        };
        if let Some(before) = self.loops().find(|before| before.stream.name == *name) {
            return Err(error(each.stream.span, format!("a second loop goes over `{name}`"))
                .label("a mode goes over each stream once")
                .also(before.span, "the first")
                .also(declared.span, "declared here"));
        }
        let Some((block, stream)) = &each.given else { return Ok(()) };
        match given {
            Some(given) if given.name == stream.name && !self.gives() => Ok(()),
            Some(given) if given.name == stream.name => {
                Err(error(block.span, format!("`{}` is made by another loop", given.name)))
            }
            given => {
                Err(error(stream.span, format!("`{}` is no result that is a stream", stream.name))
                    .help(match given {
                        Some(given) => format!("the result that is a stream is `{}`", given.name),
                        None => format!("declare it: `returns ({}:bytes, …)`", stream.name),
                    }))
            }
        }
    }

    /// Refuses streams that no loop goes over.
    fn check_streams(&self, given: Option<&Ident>, first: &Ident) -> Result<(), Diagnostic> {
        let gone = |stream: &&&Ident| self.loops().any(|each| each.stream.name == stream.name);
        if let Some(left) = self.streams.iter().find(|stream| !gone(stream)) {
            let ty = if left.name == first.name { "u32[16]" } else { "u64[2]" };
            return Err(no_loop(left, ty));
        }
        let squeezed = self.list.iter().any(|s| matches!(s.role, Role::Squeeze(_)));
        match given {
            Some(given) if !squeezed && !self.gives() => Err(no_loop(given, "u64[17]")),
            _ => Ok(()),
        }
    }

    fn with_incoming(mut self) -> Result<Sections<'a>, Diagnostic> {
        let fixed = self.mode.params.iter().filter(|group| !is_stream(group));
        let inputs: Vec<&Ident> = fixed.flat_map(|group| &group.names).collect();
        let mut known: Vec<&str> = inputs.iter().map(|name| &*name.name).collect();
        for section in &mut self.list {
            let (read, own, role) = (read(section.equations), &section.defined, section.role);
            let anew = defined_anew(section.equations);
            let needed = |name: &&str| {
                let used = read.contains(name) || own.contains(name);
                used && !anew.contains(name) && !role.is_block(name)
            };
            section.incoming = known.iter().copied().filter(needed).collect();
            let new = own.iter().filter(|name| !known.contains(name) && !role.is_block(name));
            known.extend(new.copied().collect::<Vec<_>>());
        }
        inputs.into_iter().try_for_each(|input| self.check_input(input))?;
        Ok(self)
    }

    /// Refuses an input that no section reads, or that one changes: messages of a batch share it.
    fn check_input(&self, input: &Ident) -> Result<(), Diagnostic> {
        let name = &*input.name;
        if self.list.iter().any(|section| section.defined.contains(&name)) {
            return Err(error(self.place(name), format!("`{name}` is an input of the mode"))
                .label("an input keeps its value")
                .also(input.span, "declared here")
                .help("copy it to a variable before the loop, and change that"));
        }
        match self.list.iter().any(|section| section.incoming.contains(&name)) {
            true => Ok(()),
            false => Err(error(input.span, format!("nothing reads the input `{name}`"))
                .help("leave it out: programs would have to give it for nothing")),
        }
    }

    /// What a section gives to later ones: a loop's body is its own successor.
    fn outgoing(&self, section: usize) -> Vec<&'a str> {
        let own = matches!(self.list[section].role, Role::Body(_) | Role::Squeeze(_));
        let later = &self.list[if own { section } else { section + 1 }..];
        let own = self.list[section].defined.iter().copied();
        own.filter(|name| later.iter().any(|later| later.incoming.contains(name))).collect()
    }

    /// The names of what goes from section to section.
    pub fn state(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.list.iter().flat_map(|section| &section.incoming) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// Their nodes; those of a loop that gives a stream are two, if there is a way back.
    ///
    /// # Errors
    /// What has no value, or is none that can go from block to block.
    pub fn nodes(&self) -> Result<Vec<Def>, Diagnostic> {
        for (k, section) in self.list.iter().enumerate() {
            if let Role::Body(each) = section.role {
                if each.given.is_none() && self.outgoing(k).is_empty() {
                    return Err(error(
                        each.span,
                        "this loop changes nothing that is used behind it",
                    )
                    .help(
                        "give a variable that is defined before the loop its next value with `:=`",
                    ));
                }
            }
        }
        self.check_results()?;
        let mut nodes = Vec::new();
        for section in 0..self.list.len() {
            nodes.push(self.node(section, Way::There)?);
            if self.opens(section) {
                nodes.push(self.node(section, Way::Back)?);
            }
        }
        Ok(nodes)
    }

    /// Whether a section has a way back.
    fn opens(&self, section: usize) -> bool {
        self.list[section].role.each().is_some_and(|each| self.has_way_back(each))
    }

    /// Whether all that a loop gives can be taken back.
    pub fn has_way_back(&self, each: &Each) -> bool {
        let same = |own: &Each| own.stream.name == each.stream.name;
        let own = self.list.iter().filter(|section| section.role.each().is_some_and(same));
        each.given.is_some() && own.into_iter().all(|own| ways::is_sum(each, own.equations))
    }

    /// Refuses results that are anything else than what the equations behind the last loop define.
    fn check_results(&self) -> Result<(), Diagnostic> {
        let state = self.state();
        let finish = self.list.iter().find(|section| section.name == "finish");
        for group in single(&self.mode.returns).filter(|group| !is_stream(group)) {
            let name = &group.names[0];
            if state.contains(&name.name) {
                return Err(error(name.span, format!("`{}` goes from block to block", name.name))
                    .label("a result is defined behind the loop")
                    .help("keep what goes from block to block in a variable of its own"));
            }
            if !finish.is_some_and(|finish| finish.defined.contains(&&*name.name)) {
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
    fn node(&self, section: usize, way: Way) -> Result<Def, Diagnostic> {
        let Section { name, role, equations, defined: own, incoming } = &self.list[section];
        let outgoing = self.outgoing(section);
        let (mut params, mut returns, mut eqns) = (Vec::new(), Vec::new(), Vec::new());
        for &name in incoming {
            let group = self.declared(name)?;
            if !own.contains(&name) {
                params.push(group);
                continue;
            }
            let before = Ident { name: ways::before(name), span: group.names[0].span };
            eqns.push(copy(&group.names[0], &before));
            params.push(Group { names: vec![before], ..group });
        }
        for &name in &outgoing {
            if role.is_repeated() && !incoming.contains(&name) {
                return Err(self.only_in_loop(name));
            }
            returns.push(self.declared(name)?);
        }
        match role {
            Role::Once if name == "finish" => {
                returns.extend(single(&self.mode.returns).filter(|group| !is_stream(group)));
            }
            Role::Once => {}
            Role::Squeeze(each) => returns.push(each.block.clone()),
            Role::Body(each) | Role::Last(each) => {
                let (taken, given) = ways::ports(each, matches!(role, Role::Last(_)), way);
                params.extend(taken);
                returns.extend(given);
            }
        }
        eqns.extend(ways::equations(*role, equations, way)?);
        params.extend(lengths::named(&mut eqns, &self.streams));
        let ports: Vec<&str> = params.iter().chain(&returns).map(|g| &*g.names[0].name).collect();
        let read = read(equations);
        // What is used nowhere is declared in the loop, where that is noticed.
        let used = |name: &str| {
            let nowhere = matches!(role, Role::Body(_)) && !self.uses(name);
            read.contains(name) || own.contains(&name) || nowhere
        };
        let vars = single(&self.mode.vars)
            .filter(|g| used(&g.names[0].name) && !ports.contains(&&*g.names[0].name))
            .collect();
        let span = self.mode.body;
        let name = format!("{}.{}", self.mode.name.name, way.name(name));
        let name = Ident { name, span: self.mode.name.span };
        let kind = DefKind::Node(vec![Body { vars, state: vec![], eqns, span }]);
        Ok(Def { options: vec![], name, params, returns, kind, is_array: false, span })
    }

    /// Whether any section reads or defines a name.
    fn uses(&self, name: &str) -> bool {
        self.list.iter().any(|s| s.defined.contains(&name) || read(s.equations).contains(name))
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
        let found = self.list.iter().find_map(|section| find(section.equations, name));
        found.unwrap_or(self.mode.name.span)
    }
}

/// Refuses a loop over a result that is written like one over a parameter, and results beside the stream.
fn check_squeeze(each: &Each, given: &Ident, mode: &ast::Mode) -> Result<(), Diagnostic> {
    if mode.returns.iter().map(|group| group.names.len()).sum::<usize>() > 1 {
        return Err(error(given.span, "a stream of any length is the only result of its mode")
            .help("leave the others out, or give this one a fixed size"));
    }
    if each.stream.name != given.name {
        return Err(error(each.stream.span, format!("this loop is over `{}`", each.stream.name))
            .label(format!("the result that is a stream is `{}`", given.name))
            .also(given.span, "declared here"));
    }
    if let Some(padding) = &each.padding {
        return Err(error(padding.span, "what is given is not padded")
            .help(format!("write `in {}`: its last block is cut", given.name)));
    }
    let beside = each.given.as_ref().map(|given| given.0.span);
    let beside = beside.or(each.unless_empty).or(each.last.as_ref().map(|last| last.0));
    beside.map_or(Ok(()), |span| {
        Err(error(span, "this is for loops over a stream that the mode takes")
            .also(given.span, "this one is its result"))
    })
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
    let loops = mode.parts.iter().filter_map(|part| match part {
        Part::Each(each) => Some(each),
        Part::Equations(_) => None,
    });
    for each in loops {
        let mut known = known.clone();
        for block in [Some(&each.block), each.given.as_ref().map(|given| &given.0)] {
            let Some(name) = block.map(|block| &block.names[0]) else { continue };
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
        "a mode has a loop over each stream that it takes, equations around them, and a loop over its result if that is a stream of any length",
    )
}

fn no_loop(stream: &Ident, ty: &str) -> Diagnostic {
    let name = &stream.name;
    error(stream.span, format!("no loop goes over the stream `{name}`"))
        .help(format!("write `forall block:{ty} in …{name}… {{ … }}`, outside of other loops"))
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

/// What equations define by `=`: that has nothing of what it was before.
fn defined_anew(equations: &[Eqn]) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for equation in equations {
        match equation {
            Eqn::Define { pat, assign: Assign::Define, .. } => {
                names.extend(pat.iter().map(|var| &*var.name.name));
            }
            Eqn::Define { .. } | Eqn::Next { .. } => {}
            Eqn::Forall { body, .. } => names.extend(defined_anew(body)),
        }
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
