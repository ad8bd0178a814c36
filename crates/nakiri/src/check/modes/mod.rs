//! Modes: each becomes nodes without streams, which are checked like others, and a description of what is done with them.
//!
//! A mode's *sections* are the equations before its loop, the body of the loop, the equations behind it and the body of the
//! loop that makes the result. A variable that a section reads and one before it defines is a parameter of the section's node,
//! and what later ones read is its result. What a section reads and changes is the parameter `x'` and the variable `x`.

mod padding;
mod sections;

use super::emit::pruned;
use super::includes::Files;
use super::names::defined_twice;
use super::Checked;
use crate::core::{Func, FuncId, Port, Program, Stmt, Width};
use crate::diagnostic::Diagnostic;
use crate::mode::{Mode, Padding, Piece, Slot, Squeeze};
use crate::source::Span;
use crate::syntax::ast::{self, Def, Group, Ident};
use sections::{is_stream, single, Sections};

/// The sections of a mode, by the names of their nodes.
const SECTIONS: [&str; 4] = ["start", "absorb", "finish", "squeeze"];
/// The section that is the body of the loop over the parameter.
const ABSORB: usize = 1;
/// The section behind that loop.
const FINISH: usize = 2;
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

/// The nodes of all modes, and what is done with them. Reports what can't be a mode.
pub(super) fn expand_all(
    files: &Files,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Def>, Vec<Outline>) {
    let mut known: Vec<&Ident> = files.definitions().map(|def| &def.name).collect();
    let (mut nodes, mut outlines) = (Vec::new(), Vec::new());
    for mode in files.modes() {
        if let Some(first) = known.iter().find(|known| known.name == mode.name.name) {
            diagnostics.push(defined_twice(&mode.name, first.span));
            continue;
        }
        known.push(&mode.name);
        match expand(mode) {
            Ok((own, outline)) => {
                nodes.extend(own);
                outlines.push(outline);
            }
            Err(error) => diagnostics.push(error),
        }
    }
    (nodes, outlines)
}

fn expand(mode: &ast::Mode) -> Result<(Vec<Def>, Outline), Diagnostic> {
    let sections = Sections::of(mode)?;
    let nodes = sections.nodes()?;
    let fixed = |groups: &[Group]| -> Vec<String> {
        let fixed = single(groups).filter(|group| !is_stream(group));
        fixed.map(|group| group.names[0].name.clone()).collect()
    };
    let (inputs, results) = (fixed(&mode.params), fixed(&mode.returns));
    let state = sections.state().into_iter().filter(|name| !inputs.contains(name)).collect();
    let padding = padding::padding(sections.absorb)?;
    let name = mode.name.name.clone();
    Ok((nodes, Outline { name, padding, inputs, state, results }))
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0160", span, message)
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
        let (start, absorb, finish) = (piece(0), piece(ABSORB)?, piece(FINISH));
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
