//! Views: `words = view(bytes)` says that a variable is another one in words of another size, byte after byte in memory. States lie
//! there between sections, so one ends in front of a view and another begins behind it, which reads the same bytes otherwise.

use super::error;
use super::sections::{Section, Sections};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Assign, Eqn, Exp, ExpKind, Ident, Var};

const VIEW: &str = "view";

/// A variable that is another one.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub name: &'a Ident,
    pub of: &'a Ident,
    pub span: Span,
    /// How many sections stand in front of it.
    pub behind: usize,
}

/// A variable as a whole.
fn whole(var: &Var) -> Option<&Ident> {
    var.selectors.is_empty().then_some(&var.name)
}

impl<'a> View<'a> {
    /// That which an equation is.
    ///
    /// # Errors
    /// If it is written like one, but is none.
    fn of(equation: &'a Eqn) -> Result<Option<View<'a>>, Diagnostic> {
        let Eqn::Define { pat, exp, assign, span, .. } = equation else { return Ok(None) };
        let ExpKind::Call { name, element: None, args } = &exp.kind else { return Ok(None) };
        if name.name != VIEW {
            return Ok(None);
        }
        let variable = |exp: &'a Exp| match &exp.kind {
            ExpKind::Var(var) => whole(var),
            _ => None,
        };
        match (&pat[..], &args[..], assign) {
            ([var], [of], Assign::Define) => match (whole(var), variable(of)) {
                (Some(name), Some(of)) => Ok(Some(View { name, of, span: *span, behind: 0 })),
                _ => Err(malformed(*span)),
            },
            _ => Err(malformed(*span)),
        }
    }
}

fn malformed(span: Span) -> Diagnostic {
    error(span, "this is no view").label("not of one variable, as another one").help(
        "write `words = view(bytes)`, both of them variables of the mode: they are the same bytes in memory",
    )
}

/// Equations between views.
pub struct Between<'a> {
    /// What stands in front of them, but in front of the first ones.
    pub view: Option<View<'a>>,
    pub equations: &'a [Eqn],
}

/// Equations without the views among them.
///
/// # Errors
/// What is written like a view, but is none.
pub fn split(equations: &[Eqn]) -> Result<Vec<Between<'_>>, Diagnostic> {
    let (mut parts, mut view, mut from) = (Vec::new(), None, 0);
    for (k, equation) in equations.iter().enumerate() {
        if let Some(found) = View::of(equation)? {
            parts.push(Between { view: view.replace(found), equations: &equations[from..k] });
            from = k + 1;
        }
    }
    parts.push(Between { view, equations: &equations[from..] });
    Ok(parts)
}

impl<'a> Sections<'a> {
    /// The variable whose bytes one is: itself, if it is no view.
    pub fn origin<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let mut name = name;
        while let Some(view) = self.views.iter().find(|view| view.name.name == name) {
            name = &view.of.name;
        }
        name
    }

    /// Whether a section defines or changes a variable, or that of which it is a view.
    pub fn defines(&self, section: &Section, name: &str) -> bool {
        section.defined.contains(&self.origin(name))
    }

    /// Adds a view, of what the sections before it know.
    ///
    /// # Errors
    /// If its variable has a value, or the other one has none.
    pub fn add_view(&mut self, view: View<'a>) -> Result<(), Diagnostic> {
        let is_known = |name: &Ident| {
            let defines = |section: &Section| section.defined.contains(&&*name.name);
            self.list.iter().any(defines) || self.views.iter().any(|own| own.name.name == name.name)
        };
        if is_known(view.name) {
            let message = format!("`{}` has a value already", view.name.name);
            return Err(error(view.span, message).help("a view is a variable of its own"));
        }
        if !is_known(view.of) {
            let message = format!("`{}` has no value here", view.of.name);
            return Err(error(view.of.span, message)
                .help("a view is of a variable that equations before it define"));
        }
        self.views.push(View { behind: self.list.len(), ..view });
        Ok(())
    }

    /// Refuses views whose bytes change.
    pub fn check_views(&self) -> Result<(), Diagnostic> {
        for view in &self.views {
            let (own, of) = (&*view.name.name, &*view.of.name);
            let changes = |section: &&Section| {
                section.defined.contains(&own) || section.defined.contains(&of)
            };
            if let Some(section) = self.list[view.behind..].iter().find(changes) {
                let name = if section.defined.contains(&own) { own } else { of };
                return Err(error(self.place(name), format!("`{name}` is changed"))
                    .also(view.span, "two variables are the same bytes from here on")
                    .help("copy it to a variable of its own, and change that"));
            }
        }
        Ok(())
    }
}
