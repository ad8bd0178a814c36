//! The sections of a mode: what each takes from those before it.

use super::error;
use super::refused::{behind, check_names, check_squeeze, place};
use super::role::Role;
use super::sealed;
use super::twice::{self, AGAIN};
use super::variables::{defined, defined_anew, read};
use super::views::{self, View};
use crate::check::statics::Statics;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, BaseType, Each, Eqn, Group, Ident, Part, Short, Tree};

pub fn is_stream(group: &Group) -> bool {
    matches!(group.ty.base, BaseType::Bytes)
}

/// The streams among parameters or results.
fn streams(groups: &[Group]) -> Result<Vec<&Ident>, Diagnostic> {
    let mut names = Vec::new();
    for group in groups.iter().filter(|group| is_stream(group)) {
        if group.layout.is_some() || group.is_const {
            return Err(error(group.span, "`bytes` has no layout, and is never `const`")
                .help("write `message:bytes`"));
        }
        names.extend(&group.names);
    }
    Ok(names)
}

/// The most bytes that the streams among parameters may have, each.
///
/// # Errors
/// What is no such number.
fn most(groups: &[Group], statics: &Statics) -> Result<Vec<Option<u64>>, Diagnostic> {
    let mut all = Vec::new();
    for group in groups.iter().filter(|group| is_stream(group)) {
        let most = match &group.ty.dims[..] {
            [] => None,
            [most] => Some(super::static_number(most, statics)?),
            [_, second, ..] => {
                return Err(error(second.span, "a stream has one length")
                    .help("write `message:bytes[65535]` for one of at most so many bytes"))
            }
        };
        let most = match most.map(u64::try_from) {
            None => None,
            Some(Ok(most)) if most > 0 => Some(most),
            Some(_) => {
                return Err(error(group.ty.span, "no stream is as long")
                    .help("write the most bytes that it may have, from 1 to 2 to the 64th - 1"))
            }
        };
        all.extend(group.names.iter().map(|_| most));
    }
    Ok(all)
}

/// A section, and what it needs.
pub struct Section<'a> {
    /// Its name in the mode.
    pub name: String,
    /// What it is.
    pub role: Role<'a>,
    /// The tree that it is a part of.
    pub tree: Option<&'a Tree>,
    pub equations: &'a [Eqn],
    /// Those of the way back, if they are written.
    pub back: Option<&'a [Eqn]>,
    /// What it defines, or changes, there or back.
    pub defined: Vec<&'a str>,
    /// What it takes from those before it.
    pub incoming: Vec<&'a str>,
}

/// The sections of a mode, in order.
pub struct Sections<'a> {
    pub mode: &'a ast::Mode,
    /// The static numbers of the whole program.
    pub statics: &'a Statics<'a>,
    pub list: Vec<Section<'a>>,
    /// The streams that the mode takes.
    pub streams: Vec<&'a Ident>,
    /// The most bytes that each of them may have.
    pub most: Vec<Option<u64>>,
    /// The variables that are others, in order.
    pub views: Vec<View<'a>>,
    /// The tree whose sections are collected.
    pub within: Option<&'a Tree>,
}

impl Section<'_> {
    /// Whether it is a part of a tree.
    pub fn is_of(&self, tree: &Tree) -> bool {
        self.tree.is_some_and(|own| std::ptr::eq(own, tree))
    }
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
    pub fn of(mode: &'a ast::Mode, statics: &'a Statics<'a>) -> Result<Sections<'a>, Diagnostic> {
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
        if let Some(dim) =
            mode.returns.iter().filter(|g| is_stream(g)).find_map(|g| g.ty.dims.first())
        {
            return Err(error(
                dim.span,
                "what a mode gives is as long as what it takes, or as wanted",
            )
            .help("write the most bytes into the type of the stream that it takes"));
        }
        let most = most(&mode.params, statics)?;
        let (list, views) = (Vec::new(), Vec::new());
        let mut sections =
            Sections { mode, statics, list, streams: taken, most, views, within: None };
        sections.collect(given.first().copied())?;
        sections.check_streams(given.first().copied(), first)?;
        check_names(mode)?;
        let sections = sections.with_incoming()?;
        sections.check_twice()?;
        sections.check_sealed()?;
        sections.check_views()?;
        Ok(sections)
    }

    /// All parts, each where it may stand.
    fn collect(&mut self, given: Option<&'a Ident>) -> Result<(), Diagnostic> {
        let twice = twice::second(self.mode);
        let again = [twice, sealed::over_given(self.mode)].into_iter().flatten().count();
        let (all, mut gone) = (self.streams.len() + again, 0);
        let mut squeezed = false;
        for part in &self.mode.parts {
            match part {
                Part::Equations(list) if squeezed => return Err(behind(place(&list[0]))),
                Part::Equations(list) if twice.is_some() && gone + 1 == all => {
                    let (results, again) = list.split_at(twice::results_end(self.mode, list));
                    for (name, list) in [("finish", results), (AGAIN, again)] {
                        self.push_once(name, list)?;
                    }
                }
                Part::Equations(list) => {
                    let name = match gone {
                        0 => "start".to_string(),
                        loops if loops == all => "finish".to_string(),
                        loops => format!("after{loops}"),
                    };
                    self.push_once(&name, list)?;
                }
                Part::Each(each) if squeezed => return Err(behind(each.span)),
                Part::Tree(tree) if squeezed => return Err(behind(tree.span)),
                Part::Tree(tree) => {
                    self.check_tree(tree)?;
                    gone += 1;
                    self.push_tree(tree, &number(all, gone))?;
                }
                Part::Each(each) if gone < all => {
                    self.check_loop(each, given)?;
                    gone += 1;
                    self.push_each(each, &number(all, gone));
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

    /// The sections of a loop over blocks.
    pub fn push_each(&mut self, each: &'a Each, number: &str) {
        self.push(format!("absorb{number}"), Role::Body(each), &each.body);
        let last = each.last.as_ref().map(|(_, last)| &last[..]);
        let can_be_short = each.short.is_none() && each.whole.is_none();
        let masked = each.given.is_some() && can_be_short;
        if let Some(last) = last.or(masked.then_some(&each.body[..])) {
            self.push(format!("last{number}"), Role::Last(each), last);
        }
        if let Some(Short::Own(_, short)) = &each.short {
            self.push(format!("short{number}"), Role::Short(each), short);
        }
    }

    /// Equations outside of loops: a section of this name, and others for what stands in front of views.
    fn push_once(&mut self, name: &str, equations: &'a [Eqn]) -> Result<(), Diagnostic> {
        let parts = views::split(equations)?;
        let last = parts.len() - 1;
        for (k, part) in parts.into_iter().enumerate() {
            if let Some(view) = part.view {
                self.add_view(view)?;
            }
            let name = if k == last { name.to_string() } else { format!("{name}_{}", k + 1) };
            if !part.equations.is_empty() {
                self.push(name, Role::Once, part.equations);
            }
        }
        Ok(())
    }

    pub fn push(&mut self, name: String, role: Role<'a>, equations: &'a [Eqn]) {
        let back = match role {
            Role::Body(each) => each.back.as_ref().map(|(_, back)| &back[..]),
            _ => None,
        };
        let mut own = defined(equations);
        own.extend(defined(back.unwrap_or_default()));
        let mut names: Vec<&str> = Vec::new();
        own.into_iter().for_each(|name| {
            if !names.contains(&name) {
                names.push(name);
            }
        });
        let (defined, incoming, tree) = (names, Vec::new(), self.within);
        self.list.push(Section { name, role, tree, equations, back, defined, incoming });
    }

    /// The loops over streams that the mode takes.
    pub fn loops(&self) -> impl Iterator<Item = &'a Each> + '_ {
        self.list.iter().filter_map(|section| match section.role {
            Role::Body(each) => Some(each),
            _ => None,
        })
    }

    /// Whether a stream is given beside one that is taken.
    pub fn gives(&self) -> bool {
        self.loops().any(|each| each.given.is_some())
    }

    fn with_incoming(mut self) -> Result<Sections<'a>, Diagnostic> {
        let fixed = self.mode.params.iter().filter(|group| !is_stream(group));
        let inputs: Vec<&Ident> = fixed.flat_map(|group| &group.names).collect();
        let mut known: Vec<&str> = inputs.iter().map(|name| &*name.name).collect();
        let mut before: Option<Vec<&str>> = None;
        let mut trees = Vec::new();
        for k in 0..self.list.len() {
            let tree = self.list[k].tree;
            let counted = tree.and_then(|tree| self.counted(tree));
            let section = &mut self.list[k];
            // What is known of a chunk is known in what is done with it, and nowhere else.
            match (tree, section.role, &before) {
                (Some(_), Role::Pair(_), Some(before)) => known.clone_from(before),
                (Some(_), _, None) => {
                    before = Some(known.clone());
                    known.extend(counted);
                }
                _ => {}
            }
            let views = self.views.iter().filter(|view| view.behind == k);
            known.extend(views.map(|view| &*view.name.name));
            let (own, role) = (&section.defined, section.role);
            let ways = [Some(section.equations), section.back].into_iter().flatten();
            let needed: Vec<Vec<&str>> = ways.map(|way| needed(way, role, &known)).collect();
            let is_needed = |name: &&str| needed.iter().any(|names| names.contains(name));
            section.incoming = known.iter().copied().filter(is_needed).collect();
            let new = own.iter().filter(|name| !known.contains(name) && !role.is_block(name));
            match role {
                Role::Pair(tree) => {
                    trees.push((tree, before.take().unwrap_or_default()));
                    known.push(&tree.pair.of.name);
                }
                _ => known.extend(new.copied().collect::<Vec<_>>()),
            }
        }
        trees.iter().try_for_each(|(tree, before)| self.check_vertices(tree, before))?;
        inputs.into_iter().try_for_each(|input| self.check_input(input))?;
        Ok(self)
    }

    /// What a section gives to later ones: a loop's body is its own successor.
    pub fn outgoing(&self, section: usize) -> Vec<&'a str> {
        if let Some(tree) = self.list[section].tree {
            return self.outgoing_in(tree, section);
        }
        let own = matches!(self.list[section].role, Role::Body(_) | Role::Squeeze(_));
        let later = &self.list[if own { section } else { section + 1 }..];
        let Section { role, defined, .. } = &self.list[section];
        let later = || later.iter().filter(|later| !role.excludes(later.role));
        let reads = |later: &Section, name: &str| {
            later.incoming.iter().any(|incoming| self.origin(incoming) == name)
        };
        let needed =
            |name: &&str| !self.is_known_result(name) && later().any(|later| reads(later, name));
        defined.iter().copied().filter(needed).collect()
    }

    /// The names of what goes from section to section.
    pub fn state(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.list.iter().flat_map(|section| &section.incoming) {
            let name = self.origin(name);
            if !self.is_known_result(name) && !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }
}

/// Those of known names that equations need.
pub fn needed<'a>(equations: &[Eqn], role: Role, known: &[&'a str]) -> Vec<&'a str> {
    let (read, own, anew) = (read(equations), defined(equations), defined_anew(equations));
    let is_needed = |name: &&str| {
        let used = read.contains(name) || own.contains(name);
        used && !anew.contains(name) && !role.is_block(name)
    };
    known.iter().copied().filter(is_needed).collect()
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
