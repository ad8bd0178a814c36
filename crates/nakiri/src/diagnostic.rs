//! What the compiler tells its user: located messages with a way out.

use crate::source::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is accepted.
    Warning,
    /// The program is refused.
    Error,
}

/// A message about a place in the source, rustc style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code such as `E0203`; `nakiri explain` tells more about each.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// Where, the primary place first; each with a few words (may be empty).
    pub labels: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: vec![(span, String::new())],
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Puts words at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].1 = text.into();
        self
    }

    /// Adds a secondary place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// The primary place.
    pub fn span(&self) -> Span {
        self.labels[0].0
    }

    /// The message with its source lines, in plain text or with terminal colours.
    pub fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()).id(self.code));
        let mut files: Vec<_> = self.labels.iter().map(|(span, _)| span.file).collect();
        files.dedup();
        for file in files {
            let source = sources.file(file);
            let annotations = self.labels.iter().enumerate().filter(|(_, l)| l.0.file == file).map(
                |(i, (span, text))| {
                    let kind =
                        if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                    kind.span(span.range()).label((!text.is_empty()).then_some(text.as_str()))
                },
            );
            group = group.element(
                Snippet::source(source.text.as_str())
                    .path(source.path.as_str())
                    .annotations(annotations),
            );
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// Whether any of them refuses the program.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// The candidate that was probably meant by a mistyped name: at most a third of its letters differ.
pub fn suggestion<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    candidates
        .filter(|c| c.chars().count().abs_diff(length) <= limit)
        .map(|c| (distance(&name.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, c)| *d <= limit && c.chars().count() > *d)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// What may stand in place of a name that means nothing: the one that was probably meant, and all that there are.
pub fn instead_of(name: &str, known: &[&str]) -> String {
    let near = suggestion(name, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    match known {
        [] => "there is none".to_string(),
        [one] => format!("{near}there is {one}"),
        several => format!("{near}there are {}", several.join(", ")),
    }
}

/// The number of letters to insert, remove, replace or swap with their neighbour (Damerau–Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
