//! Trees over the chunks of a stream: what is done with a chunk is sections like those of a mode, and what makes one vertex of two is
//! one, too. Chunks are done side by side, so that none knows what another one changes.

use super::refused::place;
use super::role::Role;
use super::sections::Sections;
use super::variables::read;
use super::{chunks, error, static_number, views};
use crate::check::statics::Statics;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{
    self, AExp, AExpKind, Assign, Each, Eqn, Exp, ExpKind, Group, Ident, Part, Selector, Tree, Var,
};
use num_bigint::BigUint;

/// The two vertices that become one, one after the other. No name of a source has a full stop.
pub const PAIR: &str = "pair.";

/// The trees of a mode.
pub fn of(mode: &ast::Mode) -> impl Iterator<Item = &Tree> {
    mode.parts.iter().filter_map(|part| match part {
        Part::Tree(tree) => Some(&**tree),
        Part::Equations(_) | Part::Each(_) => None,
    })
}

/// A variable, or a part of one.
pub fn variable_of(name: &str, selectors: Vec<Selector>, span: Span) -> Var {
    Var { name: Ident { name: name.to_string(), span }, selectors, span }
}

/// The size of a tree's chunks, in bytes.
///
/// # Errors
/// If it has none.
pub fn chunk_bytes(tree: &Tree, statics: &Statics) -> Result<usize, Diagnostic> {
    let span = tree.chunk.ty.span;
    let help = "write the bytes of a chunk, as in `forall chunk:bytes[1024] in message`";
    let [size] = &tree.chunk.ty.dims[..] else {
        return Err(error(span, "a chunk has one size").help(help));
    };
    match usize::try_from(static_number(size, statics)?) {
        Ok(bytes) if (1..=MOST_BYTES).contains(&bytes) => Ok(bytes),
        _ => Err(error(size.span, format!("a chunk has from 1 to {MOST_BYTES} bytes")).help(help)),
    }
}

/// The longest chunk: one lies on the stack.
const MOST_BYTES: usize = 1 << 16;

/// What a tree's pair takes, and the equations that take it apart.
pub fn vertices(tree: &Tree, vertex: &Group) -> (Group, Vec<Group>, Vec<Eqn>) {
    let span = tree.pair.opening;
    let number = |value: u32| AExp { kind: AExpKind::Int(BigUint::from(value)), span };
    let mut ty = vertex.ty.clone();
    ty.dims.insert(0, number(2));
    let named =
        |name: &Ident, ty: ast::Type| Group { names: vec![name.clone()], ty, ..vertex.clone() };
    let pair = named(&Ident { name: PAIR.to_string(), span }, ty);
    let own = tree.pair.vertices.iter().map(|name| named(name, vertex.ty.clone())).collect();
    let take = |(k, name): (usize, &Ident)| {
        let from = variable_of(PAIR, vec![Selector::Index(number(k as u32))], span);
        let exp = Exp { kind: ExpKind::Var(from), span };
        let pat = vec![variable_of(&name.name, vec![], name.span)];
        Eqn::Define { pat, parenthesized: false, assign: Assign::Define, exp, span: name.span }
    };
    (pair, own, tree.pair.vertices.iter().enumerate().map(take).collect())
}

impl<'a> Sections<'a> {
    /// The sections of a tree.
    pub fn push_tree(&mut self, tree: &'a Tree, number: &str) -> Result<(), Diagnostic> {
        self.within = Some(tree);
        let mut name = "leaf";
        for part in &tree.parts {
            match part {
                Part::Equations(list) => {
                    if let [_, view, ..] = &views::split(list)?[..] {
                        let span = view.view.map_or(place(&list[0]), |view| view.span);
                        return Err(error(span, "a view stands outside of trees")
                            .also(tree.span, "this is a tree"));
                    }
                    self.push(format!("{name}{number}"), Role::Once, list);
                }
                Part::Each(each) => {
                    self.push_each(each, number);
                    name = "tip";
                }
                Part::Tree(_) => {}
            }
        }
        self.push(format!("pair{number}"), Role::Pair(tree), &tree.pair.body);
        self.within = None;
        Ok(())
    }

    /// Refuses a tree over what is no stream, or gone over already, and one that has another form than one loop over the blocks of a
    /// chunk.
    pub fn check_tree(&self, tree: &Tree) -> Result<(), Diagnostic> {
        let stream = &tree.stream;
        if !self.streams.iter().any(|known| known.name == stream.name) {
            return Err(error(stream.span, format!("this tree is over `{}`", stream.name))
                .label("no stream that the mode takes")
                .also(self.streams[0].span, "one is declared here")
                .help(format!("write `in {}`", self.streams[0].name)));
        }
        let before = self.list.iter().filter_map(|section| section.tree);
        if let Some(before) = before.into_iter().find(|before| before.stream.name == stream.name) {
            return Err(error(stream.span, format!("a second tree is over `{}`", stream.name))
                .label("a mode goes over each stream once")
                .also(before.stream.span, "the first")
                .help("make one vertex of all that is wanted of a chunk"));
        }
        if let Some(layout) = &tree.chunk.layout {
            return Err(error(layout.span, "a chunk has no layout").help("its blocks have one"));
        }
        chunk_bytes(tree, self.statics)?;
        let chunk = &tree.chunk.names[0];
        let wanted =
            format!("write one loop, `forall block:u32[16] in pad({}) {{ … }}`", chunk.name);
        let mut inner = tree.parts.iter().filter(|part| !matches!(part, Part::Equations(_)));
        let each = match (inner.next(), inner.next()) {
            (Some(Part::Each(each)), None) => each,
            (Some(Part::Tree(second)), _) | (_, Some(Part::Tree(second))) => {
                return Err(error(second.span, "there is no tree within a tree").help(wanted));
            }
            (_, Some(Part::Each(second))) => {
                return Err(error(second.span, "a chunk is gone over once").help(wanted));
            }
            _ => {
                return Err(
                    error(chunk.span, "no loop goes over the blocks of this chunk").help(wanted)
                );
            }
        };
        if each.stream.name != chunk.name {
            return Err(error(
                each.stream.span,
                format!("this loop is over `{}`", each.stream.name),
            )
            .label(format!("in a tree loops are over its chunk, `{}`", chunk.name))
            .also(chunk.span, "declared here")
            .help(wanted));
        }
        let given = each.given.as_ref().map(|given| given.block.span);
        let other = given.or(each.unless_empty).or(each.whole);
        match other.or(each.back.as_ref().map(|back| back.0)) {
            Some(span) => Err(error(span, "this is for loops outside of trees")
                .label("the last chunk may be short, or empty, and becomes a vertex")
                .also(tree.span, "this is a tree")
                .help("leave it out")),
            None => Ok(()),
        }
    }

    /// Refuses what chunks would have to tell each other, and trees that make no vertices.
    pub fn check_vertices(&self, tree: &Tree, before: &[&str]) -> Result<(), Diagnostic> {
        let own = || self.list.iter().filter(|section| section.is_of(tree));
        for section in own() {
            if let Some(name) = section.defined.iter().find(|name| before.contains(name)) {
                return Err(error(self.place(name), format!("a tree changes `{name}`"))
                    .label(
                        "chunks are done side by side, so that none knows what another one changes",
                    )
                    .also(tree.span, "this is the tree")
                    .help("copy it to another variable in the tree, and change that"));
            }
        }
        let vertex = &tree.pair.of;
        let own_of_chunks = |name: &str| {
            let elsewhere =
                self.list.iter().any(|other| !other.is_of(tree) && other.defined.contains(&name));
            !elsewhere
                && *name != *vertex.name
                && own().any(|section| section.defined.contains(&name))
        };
        let after = self.list.iter().filter(|section| !section.is_of(tree));
        for section in after {
            let read = read(section.equations);
            let mut defined = own().flat_map(|own| &own.defined);
            if let Some(name) = defined.find(|name| read.contains(*name) && own_of_chunks(name)) {
                return Err(error(self.place(name), format!("`{name}` is a chunk's own"))
                    .label("read outside of the tree")
                    .also(tree.span, "this is the tree")
                    .help(format!(
                        "what is known of all chunks is the last vertex, `{}`",
                        vertex.name
                    )));
            }
        }
        for (is_pair, what) in
            [(false, "no vertex is made of a chunk"), (true, "no vertex is made of two")]
        {
            let mut own = own().filter(|own| matches!(own.role, Role::Pair(_)) == is_pair);
            if !own.any(|section| section.defined.contains(&&*vertex.name)) {
                return Err(error(vertex.span, what)
                    .label("vertices are values of this variable")
                    .help(format!("write `{} = …`", vertex.name)));
            }
        }
        let mut behind = self.list.iter().skip_while(|section| !section.is_of(tree));
        let mut behind = behind.by_ref().skip_while(|section| section.is_of(tree));
        match behind.any(|section| section.incoming.contains(&&*vertex.name)) {
            true => Ok(()),
            false => {
                Err(error(vertex.span, format!("nothing behind the tree reads `{}`", vertex.name))
                    .label("the last vertex is its value there")
                    .help("make the results of it"))
            }
        }
    }

    /// What a section of a tree gives to later ones: its vertex, and what the rest of what is done with the chunk reads.
    pub fn outgoing_in(&self, tree: &Tree, section: usize) -> Vec<&'a str> {
        let own = &self.list[section];
        let first = section + usize::from(!matches!(own.role, Role::Body(_)));
        let later = || {
            let rest = self.list[first..].iter().take_while(|later| later.is_of(tree));
            rest.filter(|later| {
                !matches!(later.role, Role::Pair(_)) && !own.role.excludes(later.role)
            })
        };
        let is_pair = matches!(own.role, Role::Pair(_));
        let is_read = |name: &str| !is_pair && later().any(|later| later.incoming.contains(&name));
        let needed = |name: &&str| **name == *tree.pair.of.name || is_read(name);
        own.defined.iter().copied().filter(needed).collect()
    }

    /// The tree over whose chunks a loop goes.
    pub fn tree(&self, each: &Each) -> Option<&'a Tree> {
        let is_own = |own: Option<&Each>| own.is_some_and(|own| std::ptr::eq(own, each));
        self.list.iter().find(|section| is_own(section.role.each()))?.tree
    }

    /// What is known where a tree begins, beside what was known before: the number of a chunk.
    pub fn counted(&self, tree: &Tree) -> Option<&'a str> {
        let name = chunks::counted(tree);
        let declared = self.mode.vars.iter().flat_map(|group| &group.names);
        declared.map(|declared| &*declared.name).find(|declared| *declared == name)
    }
}
