//! The nodes that the sections of a mode become.

use super::role::Role;
use super::sections::{is_stream, needed, single, Section, Sections};
use super::variables::{defined, read};
use super::ways::{self, Way};
use super::{error, lengths, trees};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Assign, Body, Def, DefKind, Each, Eqn, Exp, ExpKind, Group, Ident, Var};

impl<'a> Section<'a> {
    /// The equations that are written for a way.
    fn way(&self, way: Way) -> &'a [Eqn] {
        match way {
            Way::There => self.equations,
            Way::Back => self.back.unwrap_or(self.equations),
        }
    }
}

impl Sections<'_> {
    /// Their nodes; those of a loop that gives a stream are two, if there is a way back.
    ///
    /// # Errors
    /// What has no value, or is none that can go from block to block.
    pub fn nodes(&self) -> Result<Vec<Def>, Diagnostic> {
        for (k, section) in self.list.iter().enumerate() {
            let is_last = section.name == "finish";
            if let (Role::Once, Some(name)) = (section.role, section.defined.first()) {
                if !is_last && self.outgoing(k).is_empty() {
                    return Err(error(self.place(name), format!("nothing reads `{name}`"))
                        .label("given a value here")
                        .help("leave it out, or use it in a loop or for a result"));
                }
            }
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
        let same = |own: &Each| std::ptr::eq(own, each);
        let own = self.list.iter().filter(|section| section.role.each().is_some_and(same));
        let written = each.back.is_some();
        let is_written = |own: &Section| written && matches!(own.role, Role::Body(_));
        let mut own = own.into_iter();
        let goes = |own: &Section| is_written(own) || ways::is_sum(each, own.equations);
        each.given.is_some() && own.all(goes)
    }

    /// The node of a section.
    fn node(&self, section: usize, way: Way) -> Result<Def, Diagnostic> {
        let Section { name, role, incoming, .. } = &self.list[section];
        let equations = self.list[section].way(way);
        let (own, incoming) = (defined(equations), needed(equations, *role, incoming));
        let mut outgoing = self.outgoing(section);
        outgoing.retain(|name| own.contains(name));
        let (mut params, mut returns, mut eqns) = (Vec::new(), Vec::new(), Vec::new());
        let mut vertices = Vec::new();
        for &name in &incoming {
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
            Role::Pair(tree) => {
                let (pair, own, taken) = trees::vertices(tree, &self.declared(&tree.pair.of.name)?);
                params.push(pair);
                eqns.extend(taken);
                vertices = own;
            }
            Role::Squeeze(each) => returns.push(each.block.clone()),
            Role::Body(each) | Role::Last(each) | Role::Short(each) => {
                let (taken, given) = ways::ports(each, role.may_be_short(), way);
                params.extend(taken);
                returns.extend(given);
            }
        }
        eqns.extend(ways::equations(*role, equations, way)?);
        let each = role.each().filter(|_| !matches!(role, Role::Squeeze(_)));
        let streams: Vec<(&Ident, &str, &Group)> = self
            .loops()
            .filter(|each| self.tree(each).is_none())
            .filter_map(|each| {
                let taken = self.streams[self.stream(each)?];
                Some((&each.stream, &*taken.name, &each.block))
            })
            .collect();
        params.extend(lengths::named(&mut eqns, &streams, each));
        let ports: Vec<&str> = params.iter().chain(&returns).map(|g| &*g.names[0].name).collect();
        let read = read(equations);
        // What is used nowhere is declared in the loop, where that is noticed.
        let used = |name: &str| {
            let nowhere = matches!(role, Role::Body(_)) && !self.uses(name);
            read.contains(name) || own.contains(&name) || nowhere && way == Way::There
        };
        let vars = single(&self.mode.vars)
            .filter(|g| used(&g.names[0].name) && !ports.contains(&&*g.names[0].name))
            .chain(vertices)
            .collect();
        let span = self.mode.body;
        let name = format!("{}.{}", self.mode.name.name, way.name(name));
        let name = Ident { name, span: self.mode.name.span };
        let kind = DefKind::Node(vec![Body { vars, state: vec![], eqns, span }]);
        let (is_array, is_faulty) = (false, false);
        Ok(Def { options: vec![], name, params, returns, kind, is_array, span, is_faulty })
    }

    /// Whether any section reads or defines a name.
    fn uses(&self, name: &str) -> bool {
        self.list.iter().any(|section| {
            let ways = [Some(section.equations), section.back].into_iter().flatten();
            let mut read = ways.map(read);
            section.defined.contains(&name) || read.any(|read| read.contains(name))
        })
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
    pub fn place(&self, name: &str) -> Span {
        fn find(equations: &[Eqn], name: &str) -> Option<Span> {
            equations.iter().find_map(|equation| match equation {
                Eqn::Define { pat, .. } => pat.iter().find(|v| v.name.name == name).map(|v| v.span),
                Eqn::Next { .. } => None,
                Eqn::Forall { body, .. } => find(body, name),
            })
        }
        let find = |section: &Section| {
            find(section.equations, name).or_else(|| find(section.back.unwrap_or_default(), name))
        };
        let view = || self.views.iter().find(|view| view.name.name == name).map(|view| view.span);
        let found = self.list.iter().find_map(find).or_else(view);
        found.unwrap_or(self.mode.name.span)
    }
}

/// `to = from`
fn copy(to: &Ident, from: &Ident) -> Eqn {
    let var = |name: &Ident| Var { name: name.clone(), selectors: vec![], span: name.span };
    let exp = Exp { kind: ExpKind::Var(var(from)), span: from.span };
    let (pat, parenthesized, assign) = (vec![var(to)], false, Assign::Define);
    Eqn::Define { pat, parenthesized, assign, exp, span: to.span }
}
