//! What can't be a mode.

use super::error;
use super::role::Role;
use super::sections::{is_stream, single, Sections};
use super::{sealed, trees, twice, ways};
use crate::check::elaborate::duplicate;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, Each, Eqn, Ident, Part, Short};

impl Sections<'_> {
    /// Refuses a loop over what is no stream of the mode, or over one a second time, and a stream made by it that is none.
    pub fn check_loop(&self, each: &Each, given: Option<&Ident>) -> Result<(), Diagnostic> {
        let wrong =
            |stream: &Ident| error(stream.span, format!("this loop is over `{}`", stream.name));
        let name = &each.stream.name;
        if let Some(tree) = trees::of(self.mode).next() {
            return Err(wrong(&each.stream)
                .label("a mode with a tree has trees alone over what it takes")
                .also(tree.span, "this is a tree")
                .help("make it a tree, too, or take its blocks in the chunks of one stream"));
        }
        if sealed::over_given(self.mode).is_some_and(|over| std::ptr::eq(over, each)) {
            return check_over_given(each);
        }
        let Some(declared) = self.streams.iter().find(|stream| stream.name == *name) else {
            let names: Vec<String> = self.streams.iter().map(|s| format!("`{}`", s.name)).collect();
            return Err(wrong(&each.stream)
                .label(format!("streams among the parameters: {}", names.join(", ")))
                .also(self.streams[0].span, "declared here"));
        };
        let again = twice::second(self.mode).is_some_and(|second| std::ptr::eq(second, each));
        let before = self.loops().find(|before| before.stream.name == *name);
        if let Some(before) = before.filter(|_| !again) {
            return Err(error(each.stream.span, format!("a second loop goes over `{name}`"))
                .label("a mode goes over each stream once, or a second time to give one beside it")
                .also(before.span, "the first")
                .also(declared.span, "declared here"));
        }
        check_back(each)?;
        let Some(ast::Given { block, stream, .. }) = &each.given else { return Ok(()) };
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
    pub fn check_streams(&self, given: Option<&Ident>, first: &Ident) -> Result<(), Diagnostic> {
        let trees = || self.list.iter().filter_map(|section| section.tree);
        let gone = |stream: &&&Ident| {
            self.loops().any(|each| each.stream.name == stream.name)
                || trees().any(|tree| tree.stream.name == stream.name)
        };
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

    /// Refuses an input that no section reads, or that one changes: messages of a batch share it.
    pub fn check_input(&self, input: &Ident) -> Result<(), Diagnostic> {
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

    /// Refuses results that are anything else than what the equations behind the last loop define.
    pub fn check_results(&self) -> Result<(), Diagnostic> {
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
}

/// Refuses a way back of what gives no stream, and of last blocks whose own way back can't be made.
fn check_back(each: &Each) -> Result<(), Diagnostic> {
    let Some((back, _)) = each.back else { return Ok(()) };
    if each.given.is_none() {
        return Err(error(back, "there is no way back from this loop")
            .label("it gives no stream")
            .help("write `forall p:… in whole(plain), c:… in sealed { … } back { … }`"));
    }
    let stream = &each.stream.name;
    if each.whole.is_none() && each.short.is_none() {
        let span = each.padding.as_ref().map_or(each.stream.span, |padding| padding.span);
        return Err(error(back, "the way back of a short block can't be written")
            .also(span, "its last block may be short")
            .help(format!("write `in whole({stream})`, or give the sum of the block and something else in `short {{ … }}`: then the way back of that is made")));
    }
    let last = each.last.as_ref().map(|(span, equations)| (*span, equations));
    let short = match &each.short {
        Some(Short::Own(span, equations)) => Some((*span, equations)),
        Some(Short::Same(_)) | None => None,
    };
    let mut ends = [last, short].into_iter().flatten();
    match ends.find(|(_, equations)| !ways::is_sum(each, equations)) {
        Some((section, _)) => {
            Err(error(section, "the way back of this block is neither written nor made")
                .label("what is given is no sum of the block and something else")
                .also(
                    back,
                    "which is for the blocks before the last one, and whole ones without `last`",
                )
                .help("leave the section out, and do what it does behind the loop"))
        }
        None => Ok(()),
    }
}

/// Refuses a stream of a loop over one that is given.
fn check_over_given(each: &Each) -> Result<(), Diagnostic> {
    match &each.given {
        Some(given) => Err(error(given.stream.span, "this loop gives a stream")
            .also(each.stream.span, "it goes over one that another loop gives")
            .help("a mode gives one stream")),
        None => check_back(each),
    }
}

/// Refuses a loop over a result that is written like one over a parameter, and results beside the stream.
pub fn check_squeeze(each: &Each, given: &Ident, mode: &ast::Mode) -> Result<(), Diagnostic> {
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
    let beside = each.given.as_ref().map(|given| given.block.span);
    let beside = beside.or(each.unless_empty).or(each.last.as_ref().map(|last| last.0));
    let beside = beside.or(each.short.as_ref().map(Short::span));
    let beside = beside.or(each.whole).or(each.back.as_ref().map(|back| back.0));
    beside.map_or(Ok(()), |span| {
        Err(error(span, "this is for loops over a stream that the mode takes")
            .also(given.span, "this one is its result"))
    })
}

/// Refuses names that are declared twice.
pub fn check_names(mode: &ast::Mode) -> Result<(), Diagnostic> {
    let groups = [&mode.params, &mode.returns, &mode.vars].into_iter().flatten();
    let mut known: Vec<&Ident> = Vec::new();
    for group in groups {
        for name in &group.names {
            if let Some(first) = known.iter().find(|known| known.name == name.name) {
                return Err(duplicate(name, first.span));
            }
            known.push(name);
        }
    }
    for tree in trees::of(mode) {
        let own = tree.parts.iter().filter_map(Part::each).map(|each| &each.block.names[0]);
        let mut known = known.clone();
        for name in std::iter::once(&tree.chunk.names[0]).chain(own).chain(&tree.pair.vertices) {
            if let Some(first) = known.iter().find(|known| known.name == name.name) {
                return Err(duplicate(name, first.span));
            }
            known.push(name);
        }
    }
    for each in mode.parts.iter().filter_map(Part::each) {
        let mut known = known.clone();
        for block in [Some(&each.block), each.given.as_ref().map(|given| &given.block)] {
            let Some(name) = block.map(|block| &block.names[0]) else { continue };
            if let Some(first) = known.iter().find(|known| known.name == name.name) {
                return Err(duplicate(name, first.span));
            }
            known.push(name);
        }
    }
    Ok(())
}

pub fn place(equation: &Eqn) -> Span {
    match equation {
        Eqn::Define { span, .. } | Eqn::Next { span, .. } | Eqn::Forall { span, .. } => *span,
    }
}

pub fn behind(span: Span) -> Diagnostic {
    error(span, "nothing is done here").label("behind the last loop that a mode has").help(
        "a mode has a loop over each stream that it takes, equations around them, and a loop over its result if that is a stream of any length",
    )
}

fn no_loop(stream: &Ident, ty: &str) -> Diagnostic {
    let name = &stream.name;
    error(stream.span, format!("no loop goes over the stream `{name}`"))
        .help(format!("write `forall block:{ty} in …{name}… {{ … }}`, outside of other loops"))
}
