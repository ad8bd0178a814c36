//! What a definition takes and gives, for one choice of its `nat` parameters.

use super::numbers::naturals;
use super::outcome::{fail, Fault, Outcome};
use super::statics::Statics;
use super::types::{Scope, VarType};
use super::Checker;
use crate::core::{Layout, Port, Width};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{BaseType, Def, DefKind, Group, Ident, Listing};
use crate::syntax::foreign::{find, LAYOUTS};
use rustc_hash::FxHashSet;

/// An input or output as declared.
#[derive(Clone, Debug)]
pub(super) struct Declared<'a> {
    pub name: &'a Ident,
    pub ty: VarType,
    pub constant: bool,
    pub layout: Layout,
}

impl Declared<'_> {
    /// The port of the core.
    pub fn port(&self) -> Port {
        Port {
            name: self.name.name.clone(),
            ty: self.ty.atom,
            shape: self.ty.shape.clone(),
            constant: self.constant,
            layout: self.layout.clone(),
            span: self.name.span,
        }
    }
}

/// The signature of a definition.
#[derive(Clone, Debug)]
pub(super) struct Signature<'a> {
    /// Its direction and word-size parameters, closed.
    pub scope: Scope,
    /// The values of its `nat` parameters.
    pub statics: Statics<'a>,
    /// The inputs that are no `nat` parameters.
    pub params: Vec<Declared<'a>>,
    /// The outputs.
    pub results: Vec<Declared<'a>>,
}

/// Each name of a list of groups with its group, in order.
pub(super) fn names(groups: &[Group]) -> impl Iterator<Item = (&Ident, &Group)> {
    groups.iter().flat_map(|g| g.names.iter().map(move |name| (name, g)))
}

/// Whether a group declares `nat` parameters.
pub(super) fn is_nat(group: &Group) -> bool {
    matches!(group.ty.base, BaseType::Nat)
}

impl<'a> Checker<'a> {
    /// The static numbers that are known everywhere.
    pub fn statics(&self) -> Statics<'a> {
        Statics::of(self.numbers.clone())
    }

    /// The signature of a definition with these values of its `nat` parameters.
    pub fn signature(&self, def: &'a Def, nats: &[i128]) -> Outcome<Signature<'a>> {
        let mut statics = self.statics();
        let nat_names = names(&def.params).filter(|(_, g)| is_nat(g));
        for ((name, _), value) in nat_names.zip(nats) {
            statics.push(&name.name, *value);
        }
        let mut scope = Scope::of(def.params.iter().chain(&def.returns), self.fields.clone());
        let mut params = Vec::new();
        for group in def.params.iter().filter(|g| !is_nat(g)) {
            self.declare(group, &mut scope, &statics, &mut params)?;
        }
        let mut results = Vec::new();
        for group in &def.returns {
            self.declare(group, &mut scope, &statics, &mut results)?;
        }
        if let Some(name) = scope.dirs.iter().find(|name| scope.widths.contains(name)) {
            let message = format!("`{name}` is both a direction and a word size");
            return fail(Diagnostic::error("E0126", def.name.span, message).help("rename one"));
        }
        scope.close();
        Ok(Signature { scope, statics, params, results })
    }

    fn declare(
        &self,
        group: &'a Group,
        scope: &mut Scope,
        statics: &Statics,
        declared: &mut Vec<Declared<'a>>,
    ) -> Outcome<()> {
        let ty = scope.resolve(&group.ty, statics)?;
        let layout = match &group.layout {
            Some(layout) => self.layout(layout, &ty)?,
            None => Layout::Le,
        };
        for name in &group.names {
            let (ty, layout) = (ty.clone(), layout.clone());
            declared.push(Declared { name, ty, constant: group.is_const, layout });
        }
        Ok(())
    }

    /// The layout with this name for a port of this type.
    fn layout(&self, name: &Ident, ty: &VarType) -> Outcome<Layout> {
        let error = |message: String| Diagnostic::error("E0125", name.span, message);
        match name.name.as_str() {
            "le" => return Ok(Layout::Le),
            "be" => return Ok(Layout::Be),
            "planes" => {
                if !ty.count().is_multiple_of(8) {
                    return fail(
                        error("`@planes` doesn't fit this type".into())
                            .label("needs groups of 8 atoms")
                            .help("it is the layout of types such as `u16x8` and `u4x8[4]`"),
                    );
                }
                return Ok(Layout::Planes);
            }
            _ => {}
        }
        let found = self.definitions.find(&name.name).map(|i| &self.definitions.all[i]);
        if found.map_or(self.definitions.is_partial, |def| def.is_faulty) {
            return Err(Fault::Told);
        }
        let Some(Def { kind: DefKind::Perm(elements), is_array: false, .. }) = found else {
            return fail(
                error(format!("there is no layout `{}`", name.name))
                    .label("neither `le`, `be`, `planes` nor the name of a `perm`")
                    .help(
                        match find(LAYOUTS, &name.name.to_lowercase()).and_then(|row| row.instead) {
                            Some(layout) => format!("write `@{layout}`"),
                            None => {
                                "define the permutation of the block's bits with `perm`".to_string()
                            }
                        },
                    ),
            );
        };
        let Width::Bits(bits) = ty.atom.width else {
            return fail(
                error("a `perm` as layout needs a known word size".into())
                    .label("the number of bits of this type depends on a parameter"),
            );
        };
        let bits = u64::from(bits) * u64::from(ty.count());
        let entries = match elements.first() {
            Some(Listing::Entries(list)) => naturals(list, &self.statics())?,
            Some(Listing::Inverse { span, .. }) => {
                return fail(
                    error("an inverse can't be a layout".into())
                        .also(*span, format!("`{}` is defined here", name.name))
                        .help("write its entries out"),
                )
            }
            None => Vec::new(),
        };
        if entries.len() as u64 != bits {
            let count = entries.len();
            return fail(
                error(format!("the layout `{}` has {count} bits", name.name))
                    .label(format!("this type has {bits} bits")),
            );
        }
        let numbers = super::tables::perm_entries(&entries, bits as usize)?;
        let mut seen = FxHashSet::default();
        if let Some(i) = numbers.iter().position(|number| !seen.insert(*number)) {
            let message = format!("the layout `{}` has a bit twice", name.name);
            return fail(
                Diagnostic::error("E0125", entries[i].1, message)
                    .label("it stands before, too")
                    .help("name each bit of the block once"),
            );
        }
        let entries = numbers.into_iter().map(|n| n as u32 + 1).collect();
        Ok(Layout::Perm { name: name.name.clone(), entries })
    }
}

/// A `nat` parameter is a plain number of a node.
pub(super) fn check_nat(def: &Def, group: &Group) -> Outcome<()> {
    let error = |message: &str| fail(Diagnostic::error("E0124", group.span, message));
    if !matches!(def.kind, DefKind::Node(_)) {
        return error("tables and permutations can't have `nat` parameters");
    }
    if !group.ty.dims.is_empty() {
        return error("a `nat` parameter is a single number, not an array");
    }
    if group.layout.is_some() || group.is_const {
        return error("a `nat` parameter has neither `const` nor a layout: it is static anyway");
    }
    Ok(())
}
