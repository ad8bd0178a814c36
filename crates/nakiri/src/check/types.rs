//! Types as written to types of atoms: directions, word sizes and dimensions.

use super::fields::Fields;
use super::outcome::{fail, Outcome};
use super::statics::Statics;
use crate::core::{Dir, Direction, Type, Width, MAX_WIDTH};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{self, BaseType, Group};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::rc::Rc;

/// The most atoms that one variable may have.
pub(super) const MAX_ATOMS: u64 = 1 << 22;

/// The type of a variable: a list of atoms.
#[derive(Clone, Debug)]
pub(super) struct VarType {
    /// The type of each atom.
    pub atom: Type,
    /// What can be indexed, outermost first; a written N counts, also if it is 1.
    pub dims: Vec<u32>,
    /// The dimensions of the list; empty for a single atom.
    pub shape: Vec<u32>,
}

impl VarType {
    /// The number of atoms.
    pub fn count(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The type of every atom.
    pub fn atoms(&self) -> Vec<Type> {
        vec![self.atom; self.count() as usize]
    }
}

/// The direction and word-size parameters of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Direction parameters, with the quote.
    pub dirs: Vec<String>,
    /// Word-size parameters, with the quote.
    pub widths: Vec<String>,
    /// What a type without a direction means, where that is not the parameter `'D`.
    implicit: Option<Direction>,
    /// Whether the signature has been read and no parameter may be added.
    closed: bool,
    /// The fields of the program, whose names are types.
    fields: Rc<Fields>,
}

impl Scope {
    /// The scope of a signature: if all of its types have the same fixed direction, that is the implicit one.
    pub fn of<'a>(groups: impl Iterator<Item = &'a Group>, fields: Rc<Fields>) -> Scope {
        let mut written = groups.filter_map(|g| match &g.ty.base {
            BaseType::Atoms { dir, .. } => {
                Some(dir.as_ref().and_then(|(dir, _)| fixed_direction(dir)))
            }
            BaseType::Field(_) => Some(None),
            BaseType::Nat | BaseType::Bytes | BaseType::Node => None,
        });
        let first = written.next().flatten();
        Scope {
            implicit: first.filter(|_| written.all(|d| d == first)),
            fields,
            ..Scope::default()
        }
    }

    /// Ends the signature: from now on every parameter must be known.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The direction of a type that names none.
    pub fn implicit_dir(&mut self, span: Span) -> Outcome<Dir> {
        match self.implicit {
            Some(direction) => Ok(Dir::Fixed(direction)),
            None => self.dir_param("'D".to_string(), span),
        }
    }

    fn dir_param(&mut self, name: String, span: Span) -> Outcome<Dir> {
        let index = parameter(&mut self.dirs, name, self.closed, span, "direction")?;
        Ok(Dir::Param(index))
    }

    fn width_param(&mut self, name: String, span: Span) -> Outcome<Width> {
        let index = parameter(&mut self.widths, name, self.closed, span, "word size")?;
        Ok(Width::Param(index))
    }

    /// The meaning of a type as written.
    pub fn resolve(&mut self, ty: &ast::Type, statics: &Statics) -> Outcome<VarType> {
        let (atom, count) = match &ty.base {
            BaseType::Field(name) => {
                let width = Width::Field(self.fields.named(name)?);
                (Type { dir: self.implicit_dir(ty.span)?, width }, &None)
            }
            _ => self.atoms(ty)?,
        };
        let mut dims = Vec::new();
        for dim in &ty.dims {
            let n = statics.eval(dim)?;
            if n < 1 {
                return fail(
                    Diagnostic::error("E0120", dim.span, "a dimension must be at least 1")
                        .label(format!("this is {n}{}", statics.described())),
                );
            }
            dims.push(u32::try_from(n).unwrap_or(u32::MAX));
        }
        let mut shape = dims.clone();
        if let Some(count) = count {
            if count.is_zero() {
                return fail(
                    Diagnostic::error("E0120", ty.span, "a type must have at least one atom")
                        .label("this has none"),
                );
            }
            let n = count.to_u32().unwrap_or(u32::MAX);
            dims.push(n);
            shape.extend((n > 1).then_some(n));
        }
        let total = dims.iter().try_fold(1u64, |product, &n| product.checked_mul(n.into()));
        if total.is_none_or(|total| total > MAX_ATOMS) {
            return fail(
                Diagnostic::error("E0135", ty.span, "this type has too many atoms").label(format!(
                    "a variable may have at most {MAX_ATOMS} atoms{}",
                    statics.described()
                )),
            );
        }
        Ok(VarType { atom, dims, shape })
    }

    /// The type of an atom as written, and how many there are.
    fn atoms<'t>(&mut self, ty: &'t ast::Type) -> Outcome<(Type, &'t Option<BigUint>)> {
        let BaseType::Atoms { dir, width, count, .. } = &ty.base else {
            if let BaseType::Bytes = ty.base {
                return fail(
                    Diagnostic::error("E0124", ty.span, "`bytes` can't be the type of this")
                        .label("only a mode has streams, as a parameter or its result")
                        .help("a value that is computed with has a type such as `u32` or `b8`"),
                );
            }
            if let BaseType::Node = ty.base {
                return fail(
                    Diagnostic::error("E0124", ty.span, "`node` can't be the type of this")
                        .label("only parameters of modes can be nodes")
                        .help("a value that is computed with has a type such as `u32` or `b8`"),
                );
            }
            return fail(
                Diagnostic::error("E0124", ty.span, "`nat` can't be the type of this")
                    .label("only constants and parameters of nodes can be static numbers")
                    .help("write `const name:nat[n] = { … }` outside of the nodes; a value that is computed with has a type such as `u32` or `b8`"),
            );
        };
        let width = match width {
            ast::Width::Bits(bits) => Width::Bits(checked_bits(bits, ty.span)?),
            ast::Width::Var(name) => self.width_param(format!("'{name}"), ty.span)?,
            ast::Width::Implicit => self.width_param("'m".to_string(), ty.span)?,
        };
        let dir = match dir {
            None => self.implicit_dir(ty.span)?,
            Some((ast::Dir::Var(name), span)) => self.dir_param(format!("'{name}"), *span)?,
            Some((dir, _)) => Dir::Fixed(fixed_direction(dir).unwrap_or(Direction::V)),
        };
        Ok((Type { dir, width }, count))
    }

    /// A type for messages: `u16`, or `u<V>16` with its direction.
    pub fn show(&self, ty: Type, with_direction: bool) -> String {
        let width = match ty.width {
            Width::Bits(bits) | Width::Row(bits, _) => bits.to_string(),
            Width::Field(field) => return self.fields.get(field).name().to_string(),
            Width::Param(p) => self.widths[usize::from(p)].clone(),
        };
        match with_direction {
            true => format!("u<{}>{width}", self.show_dir(ty.dir)),
            false => format!("u{width}"),
        }
    }

    /// The fields of the program.
    pub fn fields(&self) -> &Rc<Fields> {
        &self.fields
    }

    /// A direction for messages.
    pub fn show_dir(&self, dir: Dir) -> String {
        match dir {
            Dir::Fixed(direction) => format!("{direction:?}"),
            Dir::Param(p) => self.dirs[usize::from(p)].clone(),
        }
    }
}

fn fixed_direction(dir: &ast::Dir) -> Option<Direction> {
    Some(match dir {
        ast::Dir::Horizontal => Direction::H,
        ast::Dir::Vertical => Direction::V,
        ast::Dir::Bitslice => Direction::B,
        ast::Dir::Packed => Direction::P,
        ast::Dir::Var(_) => return None,
    })
}

/// The index of a parameter, added if the signature is still being read.
fn parameter(
    names: &mut Vec<String>,
    name: String,
    closed: bool,
    span: Span,
    what: &str,
) -> Outcome<u8> {
    if let Some(index) = names.iter().position(|n| *n == name) {
        return Ok(index as u8);
    }
    if closed {
        return fail(
            Diagnostic::error("E0122", span, format!("the {what} `{name}` can't be determined"))
                .label(format!("no parameter or result of the node has the {what} `{name}`"))
                .help(format!("write the {what} out, or use one that the signature mentions")),
        );
    }
    if names.len() > usize::from(u8::MAX) {
        return fail(Diagnostic::error("E0126", span, format!("too many {what} parameters")));
    }
    names.push(name);
    Ok(names.len() as u8 - 1)
}

fn checked_bits(bits: &BigUint, span: Span) -> Outcome<u16> {
    match bits.to_u16() {
        Some(0) => fail(
            Diagnostic::error("E0120", span, "an atom must have at least one bit")
                .label("this has none"),
        ),
        Some(bits) if bits <= MAX_WIDTH => Ok(bits),
        _ => fail(
            Diagnostic::error("E0121", span, format!("an atom of {bits} bits is too wide"))
                .label(format!("at most {MAX_WIDTH} bits"))
                .help(format!("`b{bits}` is a list of {bits} atoms of one bit")),
        ),
    }
}
