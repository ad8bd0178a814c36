//! Modes: each becomes nodes without streams, which are checked like others, and a description of what is done with them.
//!
//! A mode's *sections* are the equations before its loop, the body of the loop, the equations behind it and the body of the
//! loop that makes the result. A variable that a section reads and one before it defines is a parameter of the section's node,
//! and what later ones read is its result. What a section reads and changes is the parameter `x'` and the variable `x`.

use super::emit::pruned;
use super::Checked;
use crate::core::{Func, FuncId, Port, Program, Stmt, Width};
use crate::diagnostic::Diagnostic;
use crate::mode::{Last, Mode, Padding, Piece, Slot, Squeeze};
use crate::source::Span;
use crate::syntax::ast::{
    self, Assign, BaseType, Body, Def, DefKind, Each, Eqn, Exp, ExpKind, Group, Ident, Part, Var,
};
use num_traits::ToPrimitive;
use rustc_hash::FxHashSet;

/// The sections of a mode, by the names of their nodes.
const SECTIONS: [&str; 4] = ["start", "absorb", "finish", "squeeze"];
/// The section that is the body of the loop over the parameter.
const ABSORB: usize = 1;
/// The section that is the body of the loop over the result.
const SQUEEZE: usize = 3;

/// What is known of a mode beside its nodes.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    name: String,
    padding: Padding,
    inputs: Vec<String>,
    state: Vec<String>,
    results: Vec<String>,
}

/// The nodes of a mode, and what is done with them.
///
/// # Errors
/// What a mode can't be.
pub(super) fn expand(mode: &ast::Mode) -> Result<(Vec<Def>, Outline), Diagnostic> {
    let sections = Sections::of(mode)?;
    let nodes = sections.nodes()?;
    let fixed = |groups: &[Group]| -> Vec<String> {
        let fixed = single(groups).filter(|group| !is_stream(group));
        fixed.map(|group| group.names[0].name.clone()).collect()
    };
    let (inputs, results) = (fixed(&mode.params), fixed(&mode.returns));
    let state = sections.state().into_iter().filter(|name| !inputs.contains(name)).collect();
    let padding = padding(sections.absorb)?;
    let name = mode.name.name.clone();
    Ok((nodes, Outline { name, padding, inputs, state, results }))
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0160", span, message)
}

fn is_stream(group: &Group) -> bool {
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

fn padding(each: &Each) -> Result<Padding, Diagnostic> {
    let Some(padding) = &each.padding else {
        return Err(error(each.stream.span, "the last block of this stream may be short")
            .label("cut into blocks as it is")
            .help(format!(
                "say what fills it up: `pad({}, 0x80)`, for instance",
                each.stream.name
            )));
    };
    let byte = |value: &num_bigint::BigUint| value.to_u8().unwrap_or(0);
    let last = match &padding.last {
        None => Last::Zeros,
        Some(ast::Last::Byte(value, _)) => Last::Byte(byte(value)),
        Some(ast::Last::Length(ty, layout)) => length(ty, layout.as_ref())?,
    };
    Ok(Padding { first: byte(&padding.first.0), last })
}

fn length(ty: &ast::Type, layout: Option<&Ident>) -> Result<Last, Diagnostic> {
    let wrong = |span| {
        error(span, "the length is a number of 64 or 128 bits").help(
            "write `length:u64 @be`, `length:u64 @le`, `length:u128 @be` or `length:u128 @le`",
        )
    };
    let width = match &ty.base {
        BaseType::Atoms { width: ast::Width::Bits(bits), count: None, .. }
            if ty.dims.is_empty() =>
        {
            bits.to_usize()
        }
        _ => None,
    };
    let bytes = width.filter(|bits| matches!(bits, 64 | 128)).ok_or_else(|| wrong(ty.span))? / 8;
    match layout.map(|layout| (&*layout.name, layout.span)) {
        None | Some(("le", _)) => Ok(Last::Length { bytes, big_endian: false }),
        Some(("be", _)) => Ok(Last::Length { bytes, big_endian: true }),
        Some((_, span)) => Err(wrong(span)),
    }
}

/// The sections of a mode and what each needs.
struct Sections<'a> {
    mode: &'a ast::Mode,
    absorb: &'a Each,
    squeeze: Option<&'a Each>,
    equations: [&'a [Eqn]; 4],
    /// What each section defines, or changes.
    defined: [Vec<&'a str>; 4],
    /// What each section takes from those before it.
    incoming: [Vec<&'a str>; 4],
}

impl<'a> Sections<'a> {
    fn of(mode: &'a ast::Mode) -> Result<Sections<'a>, Diagnostic> {
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
                    (absorb, section) = (Some(&**each), ABSORB + 1);
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
        let defined = equations.map(defined);
        let sections =
            Sections { mode, absorb, squeeze, equations, defined, incoming: Default::default() };
        sections.with_incoming()
    }

    fn with_incoming(mut self) -> Result<Sections<'a>, Diagnostic> {
        let fixed = self.mode.params.iter().filter(|group| !is_stream(group));
        let mut known: Vec<&str> = fixed.flat_map(|g| &g.names).map(|name| &*name.name).collect();
        for section in 0..SECTIONS.len() {
            let read = read(self.equations[section]);
            let (own, block) = (&self.defined[section], self.block(section));
            let needed =
                |name: &&str| (read.contains(name) || own.contains(name)) && Some(*name) != block;
            self.incoming[section] = known.iter().copied().filter(needed).collect();
            known.extend(
                own.iter().filter(|name| !known.contains(name)).copied().collect::<Vec<_>>(),
            );
        }
        Ok(self)
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
    fn state(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.incoming.iter().flatten() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    fn nodes(&self) -> Result<Vec<Def>, Diagnostic> {
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
            if !self.defined[ABSORB + 1].contains(&&*name.name) {
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
        if section == ABSORB + 1 {
            returns.extend(single(&self.mode.returns).filter(|group| !is_stream(group)));
        }
        eqns.extend_from_slice(self.equations[section]);
        let ports: Vec<&str> = params.iter().chain(&returns).map(|g| &*g.names[0].name).collect();
        let read = read(self.equations[section]);
        let used = |name: &str| read.contains(name) || own.contains(&name);
        let vars = single(&self.mode.vars)
            .filter(|g| used(&g.names[0].name) && !ports.contains(&&*g.names[0].name))
            .collect();
        let span = self.mode.body;
        let name = format!("{}.{}", self.mode.name.name, SECTIONS[section]);
        let name = Ident { name, span: self.mode.name.span };
        let kind = DefKind::Node(vec![Body { vars, state: vec![], eqns, span }]);
        Ok(Def { options: vec![], name, params, returns, kind, is_array: false, span })
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

/// The groups with one name each.
fn single(groups: &[Group]) -> impl Iterator<Item = Group> + '_ {
    groups.iter().flat_map(|group| {
        group.names.iter().map(|name| Group { names: vec![name.clone()], ..group.clone() })
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
        match &exp.kind {
            ExpKind::Var(var) => {
                found.insert(&*var.name.name);
            }
            ExpKind::Call { args, .. } => expressions.extend(args),
            ExpKind::Tuple(inner) => expressions.extend(inner),
            ExpKind::Bin(_, a, b) | ExpKind::Pack(a, b, _) => expressions.extend([&**a, b]),
            ExpKind::Not(a)
            | ExpKind::Shift(_, a, _)
            | ExpKind::Shuffle(a, _)
            | ExpKind::Bitmask(a, _) => expressions.push(a),
            ExpKind::Int(..) | ExpKind::Error => {}
        }
    }
    found
}

impl Outline {
    /// Its name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses blocks and results that are not whole bytes, or whose size is not known.
    pub fn check(&self, everything: &Program) -> Result<(), Diagnostic> {
        let of_mode =
            |func: &&Func| func.name.split_once('.').is_some_and(|(of, _)| of == self.name);
        for func in everything.funcs.iter().filter(of_mode) {
            for port in func.params.iter().chain(&func.results) {
                let Width::Bits(width) = port.ty.width else {
                    return Err(error(
                        port.span,
                        format!("the size of `{}` is not known", port.name),
                    )
                    .help("write the word size into its type, as in `u32[16]`"));
                };
                let bits = u64::from(width) * u64::from(port.count());
                let is_state =
                    self.state.iter().any(|name| name == port.name.trim_end_matches('\''));
                if bits % 8 != 0 && !is_state {
                    return Err(error(port.span, format!("`{}` is not whole bytes", port.name))
                        .label(format!("{bits} bits"))
                        .help(
                            "blocks of a stream, inputs and results of a mode have 8, 16, … bits",
                        ));
                }
                let reserved = self.padding.reserved();
                if func.name.ends_with(SECTIONS[ABSORB]) && !is_state && bits < 8 * reserved as u64
                {
                    return Err(error(
                        port.span,
                        "the length of the stream doesn't fit into a block",
                    )
                    .label(format!("{} bytes, and the length has {reserved}", bits / 8))
                    .help("make the block longer, or pad without `length`"));
                }
            }
        }
        Ok(())
    }

    /// The mode, of a program that has its nodes.
    pub fn mode(&self, everything: &Program) -> Option<Mode> {
        let program = |section: usize| {
            let name = format!("{}.{}", self.name, SECTIONS[section]);
            let found = everything.funcs.iter().position(|func| func.name == name)?;
            Some(pruned(everything, FuncId(found as u32)))
        };
        let piece = |section: usize| program(section).map(|program| self.piece(program));
        let (start, absorb, finish) = (piece(0), piece(ABSORB)?, piece(ABSORB + 1));
        let squeeze = program(SQUEEZE).map(|program| {
            let is_block = |slot: &Slot| *slot == Slot::Block;
            let all = self.piece(program);
            Squeeze {
                output: keeping(&all, is_block),
                advance: keeping(&all, |slot| !is_block(slot)),
            }
        });
        let advance = squeeze.as_ref().map(|squeeze| &squeeze.advance);
        let all = [start.as_ref(), Some(&absorb), finish.as_ref(), advance];
        let ports = |wanted: fn(usize) -> Slot, count: usize| -> Option<Vec<Port>> {
            let ports = all.iter().flatten().flat_map(|piece| piece.ports());
            let ports: Vec<(Slot, &Port)> = ports.collect();
            let find = |k| ports.iter().find(|(slot, _)| *slot == wanted(k));
            (0..count).map(|k| find(k).map(|(_, port)| (*port).clone())).collect()
        };
        let inputs = ports(Slot::Input, self.inputs.len())?;
        let results = ports(Slot::Result, self.results.len())?;
        let state = ports(Slot::State, self.state.len())?;
        let (name, padding) = (self.name.clone(), self.padding);
        Some(Mode { name, inputs, results, state, padding, start, absorb, finish, squeeze })
    }

    fn piece(&self, program: Program) -> Piece {
        let slot = |port: &Port| {
            let name = port.name.trim_end_matches('\'');
            let place = |names: &[String]| names.iter().position(|known| known == name);
            let state = place(&self.state).map(Slot::State);
            let fixed = || place(&self.inputs).map(Slot::Input);
            let result = || place(&self.results).map(Slot::Result);
            state.or_else(fixed).or_else(result).unwrap_or(Slot::Block)
        };
        let entry = program.entry();
        let params = entry.params.iter().map(slot).collect();
        let results = entry.results.iter().map(slot).collect();
        Piece { program, params, results }
    }
}

/// A piece that gives some of its results alone.
fn keeping(piece: &Piece, keep: impl Fn(&Slot) -> bool) -> Piece {
    fn stores(stmts: &mut Vec<Stmt>, places: &[Option<u32>]) {
        stmts.retain_mut(|stmt| match stmt {
            Stmt::Store { result, .. } => {
                let place = places.get(*result as usize).copied().flatten();
                *result = place.unwrap_or(0);
                place.is_some()
            }
            Stmt::Forall(forall) => {
                forall.iterations.iter_mut().for_each(|body| stores(body, places));
                true
            }
            _ => true,
        });
    }
    let mut next = 0;
    let place = |slot: &Slot| {
        keep(slot).then(|| {
            next += 1;
            next - 1
        })
    };
    let places: Vec<Option<u32>> = piece.results.iter().map(place).collect();
    let mut kept = piece.clone();
    kept.results.retain(|slot| keep(slot));
    let entry = kept.program.entry;
    let func = &mut kept.program.funcs[entry.index()];
    let mut all = places.iter();
    func.results.retain(|_| all.next().is_some_and(|place| place.is_some()));
    stores(&mut func.body, &places);
    kept
}

impl Checked {
    /// A mode of the source, by its name.
    pub fn mode(&self, name: &str) -> Option<Mode> {
        self.modes.iter().find(|mode| mode.name() == name)?.mode(&self.everything)
    }

    /// The names of all modes.
    pub fn modes(&self) -> impl Iterator<Item = &str> {
        self.modes.iter().map(Outline::name)
    }
}
