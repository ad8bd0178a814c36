//! Modes: each becomes nodes without streams, which are checked like others, and a description of what is done with them.
//!
//! A mode's *sections* are the equations around its loops and the bodies of these. A variable that a section reads and one
//! before it defines is a parameter of the section's node, and what later ones read is its result. What a section reads and
//! changes is the parameter `x.before` and the variable `x`.

mod chunks;
mod lengths;
mod nodes;
mod padding;
mod refused;
mod role;
mod sealed;
mod sections;
mod trees;
mod twice;
mod variables;
mod views;
mod ways;

use super::emit::pruned;
use super::families::modes as families;
use super::includes::Files;
use super::names::defined_twice;
use super::outcome::Fault;
use super::statics::Statics;
use super::Checked;
use crate::core::{Func, FuncId, Port, Program, Stmt, Width};
use crate::diagnostic::Diagnostic;
use crate::mode::{Blocks, Each, Given, Mode, Padding, Part, Piece, Slot, Squeeze, Tree};
use crate::pass::{dead, split};
use crate::source::Span;
use crate::syntax::ast::{self, AExp, Def, Group, Ident, MemberKind};
use role::Role;
use sections::{is_stream, single, Sections};
use ways::Way;

/// What is known of a mode beside its nodes.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    name: String,
    inputs: Vec<String>,
    /// Whether each is the same for all messages of a batch.
    shared: Vec<bool>,
    streams: Vec<String>,
    /// The most bytes that each stream may have.
    most: Vec<Option<u64>>,
    state: Vec<String>,
    /// The variables that are others in words of another size, with these.
    views: Vec<(Ident, String)>,
    results: Vec<String>,
    parts: Vec<Planned>,
}

/// A part of a mode, with the names of its sections.
#[derive(Clone, Debug)]
enum Planned {
    Once(String),
    Each(Box<Loop>),
    Tree(Box<Branches>),
    Squeeze(String),
}

/// A tree over a stream that a mode takes.
#[derive(Clone, Debug)]
struct Branches {
    number: String,
    stream: usize,
    /// In bytes.
    chunk: usize,
    leaf: Vec<Planned>,
    pair: String,
    /// The variable that vertices are values of.
    vertex: Ident,
    /// The variable that is the number of a chunk.
    counted: String,
}

impl Branches {
    /// One with these parts.
    fn of(
        pair: String,
        tree: &ast::Tree,
        leaf: Vec<Planned>,
        sections: &Sections,
    ) -> Result<Branches, Diagnostic> {
        let stream = sections.streams.iter().position(|own| own.name == tree.stream.name);
        Ok(Branches {
            number: pair.trim_start_matches("pair").to_string(),
            stream: stream.unwrap_or(0),
            chunk: trees::chunk_bytes(tree, sections.statics)?,
            leaf,
            pair,
            vertex: tree.pair.of.clone(),
            counted: chunks::counted(tree),
        })
    }
}

/// A loop over a stream that a mode takes.
#[derive(Clone, Debug)]
struct Loop {
    number: String,
    stream: usize,
    /// Whether it goes over what another loop gives of it.
    over_given: bool,
    padding: Padding,
    unless_empty: bool,
    /// The name of the block that it gives, and its stream.
    given: Option<(String, Given)>,
    body: String,
    last: Option<String>,
    short: Option<String>,
    /// Only a last block that is not whole is padded.
    pads_short: bool,
    /// There are no blocks but whole ones.
    whole: bool,
    opens: bool,
}

/// The nodes of all modes, and what is done with them. Reports what can't be a mode.
pub(super) fn expand_all(
    files: &Files,
    statics: &Statics,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Def>, Vec<Outline>) {
    let nodes = files.members(MemberKind::Node).map(|member| &member.name);
    let mut known: Vec<&Ident> = files.definitions().map(|def| &def.name).chain(nodes).collect();
    let (mut nodes, mut outlines, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for mode in files.modes() {
        if let Some(first) = known.iter().find(|known| known.name == mode.name.name) {
            diagnostics.push(defined_twice(&mode.name, first.span));
            continue;
        }
        known.push(&mode.name);
        if mode.is_faulty || families::is_family(mode) {
            continue;
        }
        all.push((Ok(Some(mode.clone())), None));
    }
    for member in files.members(MemberKind::Mode) {
        if let Some(first) = known.iter().find(|known| known.name == member.name.name) {
            diagnostics.push(defined_twice(&member.name, first.span));
            continue;
        }
        known.push(&member.name);
        all.push((families::mode(files, member, statics), Some(member.span)));
    }
    for (mode, member) in all {
        let named = |error: Diagnostic| match member {
            Some(span) => error.also(span, "in this mode of a family"),
            None => error,
        };
        let expanded = |mode: Option<ast::Mode>| {
            mode.map(|mode| expand(&mode, statics)).transpose().map_err(named)
        };
        match mode.and_then(expanded) {
            Ok(expanded) => {
                let (own, outline) = expanded.unzip();
                nodes.extend(own.into_iter().flatten());
                outlines.extend(outline);
            }
            Err(error) => diagnostics.push(error),
        }
    }
    (nodes, outlines)
}

fn expand(mode: &ast::Mode, statics: &Statics) -> Result<(Vec<Def>, Outline), Diagnostic> {
    let mode = &*chunks::numbered(mode)?;
    let sections = Sections::of(mode, statics)?;
    let nodes = sections.nodes()?;
    let names = |groups: &[Group]| -> Vec<String> {
        let fixed = single(groups).filter(|group| !is_stream(group));
        fixed.map(|group| group.names[0].name.clone()).collect()
    };
    let (inputs, results) = (names(&mode.params), names(&mode.returns));
    let fixed = mode.params.iter().filter(|group| !is_stream(group));
    let shared = fixed.flat_map(|group| group.names.iter().map(|_| group.is_const)).collect();
    let streams = sections.streams.iter().map(|stream| stream.name.clone()).collect();
    let state = sections.state().into_iter().filter(|name| !inputs.contains(name)).collect();
    let views = sections.views.iter().map(|view| {
        let origin = sections.origin(&view.name.name).to_string();
        (view.name.clone(), origin)
    });
    let views = views.collect();
    let parts = planned(&sections)?;
    let name = mode.name.name.clone();
    let most = sections.most.clone();
    Ok((nodes, Outline { name, inputs, shared, streams, most, state, views, results, parts }))
}

fn planned(sections: &Sections) -> Result<Vec<Planned>, Diagnostic> {
    let (mut parts, mut outside) = (Vec::new(), Vec::new());
    let mut within = false;
    for section in &sections.list {
        let name = section.name.clone();
        if section.tree.is_some() && !within {
            outside = std::mem::take(&mut parts);
        }
        within = section.tree.is_some() && !matches!(section.role, Role::Pair(_));
        match (section.role, parts.last_mut()) {
            (Role::Pair(tree), _) => {
                let leaf = std::mem::replace(&mut parts, std::mem::take(&mut outside));
                let own = Branches::of(name, tree, leaf, sections)?;
                parts.push(Planned::Tree(Box::new(own)));
            }
            (Role::Once, _) => parts.push(Planned::Once(name)),
            (Role::Squeeze(_), _) => parts.push(Planned::Squeeze(name)),
            (Role::Body(each), _) => {
                let body = Loop::of(name, each, sections)?;
                parts.push(Planned::Each(Box::new(body)));
            }
            (Role::Last(_), Some(Planned::Each(own))) => own.last = Some(name),
            (Role::Short(_), Some(Planned::Each(own))) => own.short = Some(name),
            (Role::Last(_) | Role::Short(_), _) => unreachable!("they stand behind their body"),
        }
    }
    Ok(parts)
}

/// The value of a static expression.
///
/// # Errors
/// If it is none.
pub(super) fn static_number(exp: &AExp, statics: &Statics) -> Result<i128, Diagnostic> {
    statics.eval(exp).map_err(|fault| match fault {
        Fault::New(diagnostic) => *diagnostic,
        Fault::Told => error(exp.span, "this is no number"),
    })
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0160", span, message)
}

impl Loop {
    /// One with its body alone.
    fn of(body: String, each: &ast::Each, sections: &Sections) -> Result<Loop, Diagnostic> {
        let over_given = sealed::over_given(sections.mode);
        let padded = padding::given(each, sections.statics)?;
        let given = each.given.as_ref().map(|own| {
            let (block, stream) = (own.block.names[0].name.clone(), own.stream.name.clone());
            (block, Given { stream, padding: padded })
        });
        Ok(Loop {
            number: body.trim_start_matches("absorb").to_string(),
            stream: sections.stream(each).unwrap_or(0),
            over_given: over_given.is_some_and(|own| std::ptr::eq(own, each)),
            padding: padding::padding(each, sections.statics)?,
            unless_empty: each.unless_empty.is_some(),
            given,
            body,
            last: None,
            short: None,
            pads_short: each.short.is_some(),
            whole: each.whole.is_some(),
            opens: sections.has_way_back(each),
        })
    }

    /// The name of the block that it gives.
    fn given(&self) -> Option<&str> {
        self.given.as_ref().map(|(block, _)| &**block)
    }
}

impl Outline {
    /// Its name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses blocks and results that are not whole bytes, or whose size is not known.
    pub fn check(&self, everything: &Program) -> Result<(), Diagnostic> {
        for func in everything.funcs.iter().filter(|func| self.is_own(func)) {
            for port in func.params.iter().chain(&func.results) {
                let Width::Bits(width) = port.ty.width else {
                    return Err(error(
                        port.span,
                        format!("the size of `{}` is not known", port.name),
                    )
                    .help("write the word size into its type, as in `u32[16]`"));
                };
                let bits = u64::from(width) * u64::from(port.count());
                if bits % 8 != 0 && !self.is_state(port) {
                    return Err(error(port.span, format!("`{}` is not whole bytes", port.name))
                        .label(format!("{bits} bits"))
                        .help(
                            "blocks of a stream, inputs and results of a mode have 8, 16, … bits",
                        ));
                }
            }
        }
        self.check_views(everything)?;
        self.check_parts(&self.parts, everything)
    }

    fn check_parts(&self, parts: &[Planned], everything: &Program) -> Result<(), Diagnostic> {
        parts.iter().try_for_each(|part| match part {
            Planned::Each(own) => self.check_loop(own, everything),
            Planned::Tree(tree) => {
                self.check_vertex(tree, everything)?;
                self.check_parts(&tree.leaf, everything)
            }
            Planned::Once(_) | Planned::Squeeze(_) => Ok(()),
        })
    }

    /// Refuses vertices that are not whole bytes.
    fn check_vertex(&self, tree: &Branches, everything: &Program) -> Result<(), Diagnostic> {
        let vertex = self.section(everything, &tree.pair).and_then(|own| {
            let results = &everything.funcs[own.index()].results;
            results.iter().find(|port| port.name == tree.vertex.name)
        });
        let bits = vertex.map_or(0, |port| u64::from(port.ty.bits()) * u64::from(port.count()));
        match bits % 8 {
            0 => Ok(()),
            _ => Err(error(tree.vertex.span, format!("`{}` is not whole bytes", tree.vertex.name))
                .label(format!("{bits} bits"))
                .help("vertices of a tree have 8, 16, … bits")),
        }
    }

    fn is_state(&self, port: &Port) -> bool {
        self.state.iter().any(|name| name == ways::variable(&port.name))
    }

    /// Refuses views of other sizes, and those of what is not whole bytes.
    fn check_views(&self, everything: &Program) -> Result<(), Diagnostic> {
        let sections = || everything.funcs.iter().filter(|func| self.is_own(func));
        let bits = |name: &str| {
            let mut ports = sections().flat_map(|func| func.params.iter().chain(&func.results));
            let port = ports.find(|port| ways::variable(&port.name) == name)?;
            Some(u64::from(port.ty.bits()) * u64::from(port.count()))
        };
        for (view, origin) in &self.views {
            let (Some(own), Some(of)) = (bits(&view.name), bits(origin)) else { continue };
            if own != of || of % 8 != 0 {
                return Err(error(
                    view.span,
                    format!("`{}` and `{origin}` are not the same bytes", view.name),
                )
                .label(format!("{own} bits, and `{origin}` has {of}"))
                .help("a view has as many bits as what it is of, and these are whole bytes"));
            }
        }
        Ok(())
    }

    /// Whether a function is a section of it.
    fn is_own(&self, func: &Func) -> bool {
        func.name.split_once('.').is_some_and(|(of, _)| of == self.name)
    }

    /// Refuses blocks that are too short for their padding, such that are made of blocks of another size, and such of which no word
    /// can be their length.
    fn check_loop(&self, own: &Loop, everything: &Program) -> Result<(), Diagnostic> {
        let port = |section: &str, slot: Slot| {
            let func = &everything.funcs[self.section(everything, section)?.index()];
            let mut ports = func.params.iter().chain(&func.results);
            ports.find(|port| self.slot(port, own.given()) == slot)
        };
        let bits = |port: &Port| u64::from(port.ty.bits()) * u64::from(port.count());
        let Some(block) = port(&own.body, Slot::Block) else { return Ok(()) };
        let front = own.padding.most_in_front();
        if bits(block) <= 8 * front as u64 {
            return Err(error(block.span, "what stands in front of the stream fills a block")
                .label(format!("{} bytes, and up to {front} in front", bits(block) / 8))
                .help("make the block longer, or what stands in front shorter"));
        }
        let reserved = own.padding.reserved();
        if bits(block) < 8 * reserved as u64 {
            return Err(error(block.span, "the length of the stream doesn't fit into a block")
                .label(format!("{} bytes, and the length has {reserved}", bits(block) / 8))
                .help("make the block longer, or pad without `length`"));
        }
        let sections = [Some(&own.body), own.last.as_ref(), own.short.as_ref()];
        let held = sections.into_iter().flatten().find_map(|name| port(name, Slot::Held));
        let around = own.padding.has_front() || !own.padding.suffix.is_empty();
        if let Some(held) = held.filter(|_| around) {
            return Err(error(held.span, format!("`{}` has no length of its own", block.name))
                .label("more than padding stands around its stream")
                .help("take `length` of the stream"));
        }
        if let Some(held) = held.filter(|held| bits(block) >> held.ty.bits().min(63) > 0) {
            let message = format!("the length of `{}` doesn't fit into a word of it", block.name);
            return Err(error(block.span, message)
                .label(format!("{} bits, in words of {}", bits(block), held.ty.bits()))
                .help("write the block in larger words"));
        }
        match port(&own.body, Slot::Given).filter(|given| bits(given) != bits(block)) {
            Some(given) => Err(error(
                given.span,
                format!("`{}` has another size than `{}`", given.name, block.name),
            )
            .label(format!("{} bits", bits(given)))
            .also(block.span, format!("{} bits", bits(block)))
            .help("a stream that is given beside another one is as long as it")),
            None => Ok(()),
        }
    }

    /// The node of a section.
    fn section(&self, everything: &Program, name: &str) -> Option<FuncId> {
        let name = format!("{}.{name}", self.name);
        let found = everything.funcs.iter().position(|func| func.name == name)?;
        Some(FuncId(found as u32))
    }

    /// The mode, of a program that has its nodes.
    pub fn mode(&self, everything: &Program) -> Option<Mode> {
        let piece = |name: &str, given: Option<&str>| {
            let program = pruned(everything, self.section(everything, name)?);
            Some(self.piece(program, given))
        };
        let blocks = |own: &Loop, way: Way| {
            let given = own.given();
            let body = piece(&way.name(&own.body), given)?;
            let end = |name: &Option<String>| match name {
                Some(name) => piece(&way.name(name), given).map(Some),
                None => Some(None),
            };
            Some(Blocks { body, last: end(&own.last)?, short: end(&own.short)? })
        };
        let simple = |part: &Planned| match part {
            Planned::Once(name) => Some(by_width(name, piece(name, None)?)),
            Planned::Each(own) => Some(vec![Part::Each(Box::new(Each {
                number: own.number.clone(),
                stream: own.stream,
                over_given: own.over_given,
                padding: own.padding.clone(),
                given: own.given.as_ref().map(|(_, given)| given.clone()),
                unless_empty: own.unless_empty,
                pads_short: own.pads_short,
                whole: own.whole,
                blocks: blocks(own, Way::There)?,
                opened: if own.opens { Some(blocks(own, Way::Back)?) } else { None },
            }))]),
            Planned::Tree(_) | Planned::Squeeze(_) => None,
        };
        let state = |name: &str| self.state.iter().position(|known| known == name);
        let part = |part: &Planned| match part {
            Planned::Once(_) | Planned::Each(_) => simple(part),
            Planned::Tree(own) => Some(vec![Part::Tree(Box::new(Tree {
                number: own.number.clone(),
                stream: own.stream,
                chunk: own.chunk,
                leaf: own.leaf.iter().map(simple).collect::<Option<Vec<_>>>()?.concat(),
                pair: piece(&own.pair, None)?,
                vertex: state(&own.vertex.name)?,
                counted: state(&own.counted),
            }))]),
            Planned::Squeeze(name) => {
                let is_block = |slot: &Slot| *slot == Slot::Block;
                let all = piece(name, None)?;
                let output = keeping(&all, |_, slot| is_block(slot));
                let advance = keeping(&all, |_, slot| !is_block(slot));
                Some(vec![Part::Squeeze(Box::new(Squeeze { output, advance }))])
            }
        };
        let parts = self.parts.iter().map(part).collect::<Option<Vec<_>>>()?.concat();
        let mut mode = Mode {
            name: self.name.clone(),
            inputs: Vec::new(),
            shared: self.shared.clone(),
            streams: self.streams.clone(),
            most: self.most.clone(),
            results: Vec::new(),
            state: Vec::new(),
            parts,
        };
        let ports: Vec<(Slot, Port)> = {
            let pieces = mode.parts.iter().flat_map(Part::pieces);
            let ports = pieces.flat_map(Piece::ports);
            ports.map(|(slot, port)| (slot, port.clone())).collect()
        };
        let all = |wanted: fn(usize) -> Slot, count: usize| -> Option<Vec<Port>> {
            let find = |k| ports.iter().find(|(slot, _)| *slot == wanted(k));
            let named =
                |port: &Port| Port { name: ways::variable(&port.name).to_string(), ..port.clone() };
            (0..count).map(|k| find(k).map(|(_, port)| named(port))).collect()
        };
        mode.inputs = all(Slot::Input, self.inputs.len())?;
        mode.results = all(Slot::Result, self.results.len())?;
        mode.state = all(Slot::State, self.state.len())?;
        mode.parts.iter_mut().flat_map(Part::pieces_mut).for_each(Piece::fill_rows);
        Some(mode)
    }

    /// What a port of a section is, in a loop that gives blocks of this name.
    fn slot(&self, port: &Port, given: Option<&str>) -> Slot {
        let name = ways::variable(&port.name);
        let of = |name: &str, names: &[String]| names.iter().position(|known| known == name);
        let place = |names: &[String]| of(name, names);
        if let Some(length) = lengths::stream(name).and_then(|name| of(name, &self.streams)) {
            return Slot::Length(length);
        }
        if let Some(first) = lengths::first(name) {
            return Slot::Number(first);
        }
        let block = match name {
            trees::PAIR => Slot::Pair,
            ways::PRESENT => Slot::Present,
            ways::MARKER => Slot::Marker,
            lengths::HELD => Slot::Held,
            _ if given == Some(name) => Slot::Given,
            _ => Slot::Block,
        };
        let view = self.views.iter().find(|(view, _)| view.name == name);
        let state = view.map_or(name, |(_, origin)| origin);
        let state = of(state, &self.state).map(Slot::State);
        let fixed = || place(&self.inputs).map(Slot::Input);
        let result = || place(&self.results).map(Slot::Result);
        state.or_else(fixed).or_else(result).unwrap_or(block)
    }

    fn piece(&self, program: Program, given: Option<&str>) -> Piece {
        let entry = program.entry();
        let slots = |ports: &[Port]| ports.iter().map(|port| self.slot(port, given)).collect();
        let (params, results) = (slots(&entry.params), slots(&entry.results));
        Piece { program, params, results }
    }
}

/// A piece as one for each word size that its results have: few registers hold words of several.
fn by_width(name: &str, piece: Piece) -> Vec<Part> {
    let of = |port: &Port| match port.ty.width {
        Width::Bits(bits) => Some(bits),
        Width::Row(..) | Width::Field(_) | Width::Param(_) => None,
    };
    let all: Vec<Option<u16>> = piece.program.entry().results.iter().map(of).collect();
    let mut widths: Vec<u16> = Vec::new();
    for width in all.iter().flatten() {
        if !widths.contains(width) {
            widths.push(*width);
        }
    }
    if widths.len() < 2 {
        return vec![Part::Once(name.to_string(), piece)];
    }
    let of_width = |width: u16| {
        let mut own = keeping(&piece, |result, _| all[result] == Some(width));
        dead::run(&mut own.program.funcs[piece.program.entry.index()]);
        split::drop_unused(&mut own);
        Part::Once(format!("{name}_{width}"), own)
    };
    widths.into_iter().map(of_width).collect()
}

/// A piece that gives some of its results alone.
fn keeping(piece: &Piece, keep: impl Fn(usize, &Slot) -> bool) -> Piece {
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
    let place = |(result, slot): (usize, &Slot)| {
        keep(result, slot).then(|| {
            next += 1;
            next - 1
        })
    };
    let places: Vec<Option<u32>> = piece.results.iter().enumerate().map(place).collect();
    let mut kept = piece.clone();
    let mut all = places.iter();
    kept.results.retain(|_| all.next().is_some_and(|place| place.is_some()));
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
