//! Selections: which atoms of a variable `x[…][…]` means.

use super::outcome::{fail, Outcome};
use super::statics::Statics;
use super::types::{VarType, MAX_ATOMS};
use super::Dialect;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, Selector, Var};

/// The atoms of a selection, in order.
pub(super) struct Selection {
    /// Indices in the flat list of the variable's atoms.
    pub atoms: Vec<u32>,
    /// Whether it is a list, which shifts rename, and not one atom, whose bits they move.
    pub list: bool,
}

/// The atoms that a selection of a variable of this type means.
pub(super) fn select(
    var: &Var,
    ty: &VarType,
    statics: &Statics,
    dialect: Dialect,
) -> Outcome<Selection> {
    if var.selectors.len() > ty.dims.len() {
        return fail(too_many(var, ty));
    }
    let mut levels = Vec::new();
    let mut total = 1u64;
    for (selector, &size) in var.selectors.iter().zip(&ty.dims) {
        let level = picks(selector, size, var, statics)?;
        total = total.saturating_mul(level.len() as u64);
        levels.push(level);
    }
    let inner: u32 = ty.dims[levels.len()..].iter().product();
    if total.saturating_mul(inner.into()) > MAX_ATOMS {
        return fail(
            Diagnostic::error("E0135", var.span, "this selection has too many atoms")
                .label(format!("more than {MAX_ATOMS}")),
        );
    }
    let several = |s: &Selector| !matches!(s, Selector::Index(_));
    let list = ty.shape.len() > levels.len() || var.selectors.iter().any(several);
    // The older compiler walked a final list of indices in the outer loop.
    let inner_major = dialect == Dialect::Usubac
        && matches!(var.selectors.last(), Some(Selector::List(_)))
        && var.selectors.iter().rev().skip(1).any(several);
    let last = if inner_major { levels.pop() } else { None };
    let mut starts = vec![0u32];
    for (level, &size) in levels.iter().zip(&ty.dims) {
        starts = starts.iter().flat_map(|s| level.iter().map(move |i| s * size + i)).collect();
    }
    if let Some(last) = last {
        let size = ty.dims[levels.len()];
        starts = last.iter().flat_map(|i| starts.iter().map(move |s| s * size + i)).collect();
    }
    let atoms = starts.iter().flat_map(|s| s * inner..(s + 1) * inner).collect();
    Ok(Selection { atoms, list })
}

/// The indices that one bracket picks in a dimension.
fn picks(selector: &Selector, size: u32, var: &Var, statics: &Statics) -> Outcome<Vec<u32>> {
    let index = |e: &AExp| {
        let i = statics.eval(e)?;
        match u32::try_from(i) {
            Ok(i) if i < size => Ok(i),
            _ => fail(out_of_bounds(i, e.span, size, var, statics)),
        }
    };
    Ok(match selector {
        Selector::Index(e) => vec![index(e)?],
        Selector::List(es) => es.iter().map(index).collect::<Outcome<_>>()?,
        Selector::Range(a, b) => {
            let (a, b) = (index(a)?, index(b)?);
            if a <= b {
                (a..=b).collect()
            } else {
                (b..=a).rev().collect()
            }
        }
    })
}

fn out_of_bounds(i: i128, span: Span, size: u32, var: &Var, statics: &Statics) -> Diagnostic {
    let name = &var.name.name;
    Diagnostic::error("E0140", span, format!("index {i} is out of bounds of `{name}`"))
        .label(format!("this is {i}{}", statics.described()))
        .help(format!("this dimension of `{name}` has size {size}: indices are 0 to {}", size - 1))
}

fn too_many(var: &Var, ty: &VarType) -> Diagnostic {
    let name = &var.name.name;
    if ty.dims.is_empty() {
        let error = Diagnostic::error("E0141", var.span, format!("`{name}` can't be indexed"))
            .label("a single atom");
        return match ty.atom.width {
            crate::core::Width::Bits(bits) if bits > 1 => error.help(format!(
                "`u{bits}` is one word; declare `{name}` as `b{bits}`, a list of {bits} bits, to \
                 reach its bits"
            )),
            _ => error.help("only lists and arrays have elements"),
        };
    }
    let (given, has) = (var.selectors.len(), ty.dims.len());
    Diagnostic::error("E0142", var.span, format!("too many indices for `{name}`"))
        .label(format!("{given} brackets, but it has {has} dimension{}", plural(has)))
        .help("the bits of a word can't be indexed; a list of bits is declared as `b32`, say")
}

/// `s`, unless there is just one.
pub(super) fn plural(n: usize) -> &'static str {
    if n == 1 {
        ""
    } else {
        "s"
    }
}
