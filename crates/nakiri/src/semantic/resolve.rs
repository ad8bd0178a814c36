//! A walk over the trees that finds what each name stands for.

use super::{Model, Occurrence, Symbol, SymbolId, SymbolKind, Use};
use crate::check::Files;
use crate::source::Span;
use crate::syntax::ast::{
    AExp, AExpKind, BaseType, Body, Constant, ConstantValue, Def, DefKind, Each, Entries, Entry,
    Eqn, Exp, ExpKind, File, Group, Ident, Item, Last, Listing, Member, MemberKind, Mode, Padding,
    Pair, Part, Prefix, Selector, Short, Tree, Type, Var,
};
use rustc_hash::FxHashMap;

/// The symbols of a program, with the places where they are named in the order in which these were met.
pub(super) fn resolved(files: &Files) -> Model {
    let mut resolver = Resolver::default();
    let definitions: Vec<(&Item, Span)> = files.trees().flat_map(|(_, t)| reaches(t)).collect();
    for (item, reach) in &definitions {
        match item {
            Item::Include { .. } => {}
            Item::Def(def) => resolver.define(def, *reach),
            Item::Mode(mode) => resolver.define_mode(mode, *reach),
            Item::Member(own) => {
                let kind = match own.kind {
                    MemberKind::Node => SymbolKind::Node,
                    MemberKind::Mode => SymbolKind::Mode,
                };
                resolver.top(&own.name, kind, *reach, own.span);
            }
            Item::Field(field) => {
                resolver.top(&field.name, SymbolKind::Field, *reach, field.span);
            }
            Item::Constant(constant) => {
                let kind = match constant.value {
                    ConstantValue::Atoms(_) => SymbolKind::Constant,
                    ConstantValue::Number(_) | ConstantValue::Numbers(_) => SymbolKind::Number,
                };
                let head = constant.name.span.to(constant.ty.span);
                resolver.top(
                    &constant.name,
                    kind,
                    *reach,
                    Span { start: constant.span.start, ..head },
                );
            }
        }
    }
    for (number, (item, reach)) in definitions.iter().enumerate() {
        resolver.owner = Some(SymbolId(number as u32));
        match item {
            Item::Include { .. } | Item::Field(_) => {}
            Item::Def(def) => resolver.def(def, *reach),
            Item::Mode(mode) => resolver.mode(mode, *reach),
            Item::Constant(constant) => resolver.constant(constant),
            Item::Member(member) => resolver.member(member),
        }
    }
    resolver.model
}

/// The definitions of a file with their places: one that breaks off goes on until the next item.
fn reaches(tree: &File) -> impl Iterator<Item = (&Item, Span)> {
    tree.items.iter().enumerate().filter_map(|(k, item)| {
        if let Item::Include { .. } = item {
            return None;
        }
        let span = item.span();
        let next = || tree.items.get(k + 1).map_or(u32::MAX, |next| next.span().start);
        let end = if item.is_faulty() { next() } else { span.end };
        Some((item, Span { end, ..span }))
    })
}

#[derive(Default)]
struct Resolver {
    model: Model,
    /// The definition that holds for each name.
    definitions: FxHashMap<String, SymbolId>,
    /// The definition whose names are looked at.
    owner: Option<SymbolId>,
    /// The names that are known here, innermost last.
    known: Vec<SymbolId>,
}

impl Resolver {
    // ---- declarations ----

    fn define(&mut self, def: &Def, reach: Span) {
        let kind = match &def.kind {
            DefKind::Node(_) => SymbolKind::Node,
            DefKind::Table(_) => SymbolKind::Table,
            DefKind::Perm(_) => SymbolKind::Perm,
        };
        let end = match &def.kind {
            DefKind::Node(bodies) => bodies.first().map(|body| body.span.start),
            DefKind::Table(entries) | DefKind::Perm(entries) => {
                entries.first().map(|listing| listing.span().start)
            }
        };
        let head = Span { end: end.unwrap_or(def.span.end), ..def.span };
        self.top(&def.name, kind, reach, head);
    }

    fn define_mode(&mut self, mode: &Mode, reach: Span) {
        let head = Span { end: mode.body.start, ..mode.span };
        self.top(&mode.name, SymbolKind::Mode, reach, head);
    }

    fn top(&mut self, name: &Ident, kind: SymbolKind, whole: Span, head: Span) {
        let id = self.add(name, kind, whole, Some(head), whole);
        self.definitions.insert(name.name.clone(), id);
    }

    fn add(
        &mut self,
        name: &Ident,
        kind: SymbolKind,
        whole: Span,
        ty: Option<Span>,
        scope: Span,
    ) -> SymbolId {
        let id = SymbolId(self.model.symbols.len() as u32);
        let (owner, name, span) = (self.owner, name.name.clone(), name.span);
        self.model.symbols.push(Symbol {
            name,
            kind,
            span,
            whole,
            scope,
            ty,
            is_const: false,
            owner,
        });
        self.occurs(id, span, Use::Declared);
        id
    }

    /// A name of the definition at hand, known from here on.
    fn declare(&mut self, name: &Ident, kind: SymbolKind, group: &Group, scope: Span) {
        let ty = group.ty.span.to(group.span);
        let ty = Span { start: group.ty.span.start, ..ty };
        let id = self.add(name, kind, group.span, Some(ty), scope);
        self.model.symbols[id.0 as usize].is_const = group.is_const;
        self.known.push(id);
    }

    fn groups(&mut self, groups: &[Group], kind: SymbolKind, scope: Span) {
        for group in groups {
            self.type_(&group.ty);
            let kind = match group.ty.base {
                BaseType::Nat | BaseType::Node => SymbolKind::Nat,
                _ => kind,
            };
            group.names.iter().for_each(|name| self.declare(name, kind, group, scope));
            if let Some(layout) = &group.layout {
                self.layout(layout);
            }
        }
    }

    // ---- definitions ----

    fn def(&mut self, def: &Def, reach: Span) {
        self.known.clear();
        self.groups(&def.params, SymbolKind::Input, reach);
        self.groups(&def.returns, SymbolKind::Output, reach);
        let bodies = match &def.kind {
            DefKind::Node(bodies) => bodies,
            DefKind::Table(listings) | DefKind::Perm(listings) => {
                return listings.iter().for_each(|listing| self.listing(listing))
            }
        };
        for (k, body) in bodies.iter().enumerate() {
            let end = if k + 1 == bodies.len() { reach.end } else { body.span.end };
            let scope = Span { end, ..body.span };
            self.inside(|resolver| resolver.body(body, scope));
        }
    }

    fn constant(&mut self, constant: &Constant) {
        self.known.clear();
        self.type_(&constant.ty);
        match &constant.value {
            ConstantValue::Number(number) => self.static_(number),
            ConstantValue::Numbers(list) => self.entries(list),
            ConstantValue::Atoms(value) => self.exp(value),
        }
    }

    fn listing(&mut self, listing: &Listing) {
        match listing {
            Listing::Entries(list) => self.entries(list),
            Listing::Inverse { of, element, .. } => {
                if let Some(&undone) = self.definitions.get(&of.name) {
                    self.occurs(undone, of.span, Use::Read);
                }
                element.iter().for_each(|element| self.static_(element));
            }
        }
    }

    fn entries(&mut self, list: &Entries) {
        for entry in &list.entries {
            match entry {
                Entry::Number(number) => self.static_(number),
                Entry::Forall { iter, from, to, entries, span } => {
                    self.static_(from);
                    self.static_(to);
                    self.inside(|resolver| {
                        resolver.iterator(iter, to, *span);
                        resolver.entries(entries);
                    });
                }
            }
        }
    }

    fn iterator(&mut self, iter: &Ident, to: &AExp, scope: Span) {
        // A loop whose head could not be read has none.
        if !iter.name.is_empty() {
            let whole = iter.span.to(to.span);
            let id = self.add(iter, SymbolKind::Iterator, whole, None, scope);
            self.known.push(id);
        }
    }

    fn body(&mut self, body: &Body, scope: Span) {
        self.groups(&body.vars, SymbolKind::Local, scope);
        for register in &body.state {
            self.type_(&register.ty);
            let whole = register.name.span.to(register.ty.span);
            let ty = Some(register.ty.span);
            let id = self.add(&register.name, SymbolKind::Register, whole, ty, scope);
            self.known.push(id);
            if let Some(init) = &register.init {
                self.exp(init);
            }
        }
        self.equations(&body.eqns);
    }

    fn mode(&mut self, mode: &Mode, reach: Span) {
        self.known.clear();
        self.groups(&mode.params, SymbolKind::Input, reach);
        self.groups(&mode.returns, SymbolKind::Output, reach);
        self.groups(&mode.vars, SymbolKind::Local, Span { start: mode.body.start, ..reach });
        self.parts(&mode.parts);
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Equations(equations) => self.equations(equations),
                Part::Each(each) => self.inside(|resolver| resolver.each(each)),
                Part::Tree(tree) => self.inside(|resolver| resolver.tree(tree)),
            }
        }
    }

    /// A tree over a stream: its two vertices are known where they become one, and have the type of the variable.
    fn tree(&mut self, tree: &Tree) {
        self.groups(std::slice::from_ref(&tree.chunk), SymbolKind::Block, tree.span);
        self.named(&tree.stream, Use::Read);
        self.parts(&tree.parts);
        let Pair { vertices, of, body, .. } = &tree.pair;
        self.named(of, Use::Read);
        for vertex in vertices {
            let id = self.add(vertex, SymbolKind::Block, vertex.span, None, tree.span);
            self.known.push(id);
        }
        self.equations(body);
    }

    fn member(&mut self, member: &Member) {
        self.known.clear();
        if let Some(&family) = self.definitions.get(&member.family.name) {
            self.occurs(family, member.family.span, Use::Read);
        }
        member.choices.iter().for_each(|choice| self.static_(choice));
    }

    /// A loop over a stream.
    fn each(&mut self, each: &Each) {
        self.groups(std::slice::from_ref(&each.block), SymbolKind::Block, each.span);
        self.named(&each.stream, Use::Read);
        self.padding(each.padding.as_ref());
        if let Some(given) = &each.given {
            self.groups(std::slice::from_ref(&given.block), SymbolKind::Block, each.span);
            self.named(&given.stream, Use::Defined);
            self.padding(given.padding.as_ref());
        }
        self.equations(&each.body);
        let last = each.last.as_ref().map(|(_, last)| last);
        let short = each.short.as_ref().and_then(|short| match short {
            Short::Same(_) => None,
            Short::Own(_, short) => Some(short),
        });
        let back = each.back.as_ref().map(|(_, back)| back);
        [last, short, back].into_iter().flatten().for_each(|own| self.equations(own));
    }

    fn padding(&mut self, padding: Option<&Padding>) {
        let Some(padding) = padding else { return };
        let bytes = padding.front.iter().chain(&padding.suffix).chain(&padding.first);
        bytes.for_each(|byte| self.static_(byte));
        if let Some(Last::Byte(last)) = &padding.last {
            self.static_(last);
        }
        let last = padding.last.as_ref().and_then(|last| match last {
            Last::Length(ty, layout) => Some((ty, layout)),
            Last::Byte(..) => None,
        });
        let prefix = padding.prefix.as_ref().and_then(|prefix| match prefix {
            Prefix::Bytes(ty, layout) => Some((ty, layout)),
            Prefix::Bits(_) => None,
        });
        for (ty, layout) in prefix.into_iter().chain(last) {
            self.type_(ty);
            layout.iter().for_each(|layout| self.layout(layout));
        }
    }

    // ---- equations and expressions ----

    /// What is declared inside is not known afterwards.
    fn inside(&mut self, inner: impl FnOnce(&mut Self)) {
        let known = self.known.len();
        inner(self);
        self.known.truncate(known);
    }

    fn equations(&mut self, equations: &[Eqn]) {
        for equation in equations {
            match equation {
                Eqn::Define { pat, exp, .. } => {
                    pat.iter().for_each(|var| self.var(var, Use::Defined));
                    self.exp(exp);
                }
                Eqn::Next { var, exp, .. } => {
                    self.var(var, Use::Defined);
                    self.exp(exp);
                }
                Eqn::Forall { iter, from, to, body, span, .. } => {
                    self.static_(from);
                    self.static_(to);
                    self.inside(|resolver| {
                        resolver.iterator(iter, to, *span);
                        resolver.equations(body);
                    });
                }
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Int(_, ty) => ty.iter().for_each(|ty| self.type_(ty)),
            ExpKind::Var(var) => self.var(var, Use::Read),
            ExpKind::Call { name, element, .. } => {
                let symbol = |id: &&SymbolId| &self.model.symbols[id.0 as usize];
                let chosen = |id: &&SymbolId| {
                    symbol(id).kind == SymbolKind::Nat && symbol(id).name == name.name
                };
                let chosen = self.known.iter().find(chosen).copied();
                let callee = chosen.or_else(|| self.definitions.get(&name.name).copied());
                if let Some(callee) = callee {
                    self.occurs(callee, name.span, Use::Read);
                }
                element.iter().for_each(|element| self.static_(element));
            }
            ExpKind::Shift(_, _, amount) | ExpKind::Bitmask(_, amount) => self.static_(amount),
            ExpKind::Pack(_, _, ty) => self.type_(ty),
            ExpKind::Shuffle(_, positions) => self.entries(positions),
            ExpKind::Tuple(_) | ExpKind::Not(_) | ExpKind::Bin(..) | ExpKind::Error => {}
        }
        exp.parts().into_iter().for_each(|part| self.exp(part));
    }

    fn var(&mut self, var: &Var, usage: Use) {
        self.named(&var.name, usage);
        for selector in &var.selectors {
            match selector {
                Selector::Index(index) => self.static_(index),
                Selector::Range(from, to) => {
                    self.static_(from);
                    self.static_(to);
                }
                Selector::List(indices) => indices.iter().for_each(|index| self.static_(index)),
            }
        }
    }

    fn static_(&mut self, exp: &AExp) {
        match &exp.kind {
            AExpKind::Var(name) => self.looked_up(name, exp.span, true, Use::Read),
            AExpKind::Element(list, indices) => {
                self.looked_up(&list.name, list.span, true, Use::Read);
                indices.iter().for_each(|index| self.static_(index));
            }
            AExpKind::Paren(inner) => self.static_(inner),
            AExpKind::Bin(_, a, b) => {
                self.static_(a);
                self.static_(b);
            }
            AExpKind::Int(_) | AExpKind::Error => {}
        }
    }

    fn type_(&mut self, ty: &Type) {
        self.model.types.push(ty.span);
        if let BaseType::Field(name) = &ty.base {
            if let Some(&field) = self.definitions.get(&name.name) {
                self.occurs(field, name.span, Use::Read);
            }
        }
        ty.dims.iter().for_each(|dim| self.static_(dim));
    }

    // ---- names ----

    fn named(&mut self, name: &Ident, usage: Use) {
        self.looked_up(&name.name, name.span, false, usage);
    }

    /// A name where a static number belongs, or where a value does. An iterator may have the name of a variable.
    fn looked_up(&mut self, name: &str, span: Span, wants_static: bool, usage: Use) {
        let symbols = &self.model.symbols;
        let symbol = |id: &SymbolId| &symbols[id.0 as usize];
        let mut found = self.known.iter().rev().filter(|id| symbol(id).name == name);
        let fitting = found.clone().find(|id| symbol(id).kind.is_static() == wants_static);
        if let Some(&id) = fitting.or_else(|| found.next()) {
            return self.occurs(id, span, usage);
        }
        // A definition where a value belongs is an error that says so; it is what was meant.
        if let Some(&id) = self.definitions.get(name) {
            self.occurs(id, span, usage);
        }
    }

    fn layout(&mut self, layout: &Ident) {
        let built_in = super::words::LAYOUTS.iter().any(|(name, _)| *name == layout.name);
        if let Some(&perm) = self.definitions.get(&layout.name).filter(|_| !built_in) {
            self.occurs(perm, layout.span, Use::Read);
        }
    }

    fn occurs(&mut self, symbol: SymbolId, span: Span, usage: Use) {
        self.model.occurrences.push(Occurrence { span, symbol, usage });
    }
}
