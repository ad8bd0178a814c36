//! The text that says what the clocks do in a tick.
//!
//! ```text
//! period  = instant { ";" instant }
//! instant = edge { "," edge }
//! edge    = [ "!" ] input
//! ```

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// What the clocks do in a tick: instants, one after another, at each of which some of them act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// At least one, each with at least one edge.
    pub(super) instants: Vec<Vec<Named>>,
    /// The whole text.
    pub(super) span: Span,
}

/// An edge of a clock, as it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub clock: String,
    /// Whether `!` says that it falls. Without, it does what registers act at.
    pub falls: bool,
    pub span: Span,
}

impl Period {
    /// Reads a period, which is the text of a file of its own.
    ///
    /// # Errors
    /// The first instant that is empty, or has a clock twice.
    pub fn parse(text: &str, file: FileId) -> Result<Period, Diagnostic> {
        let mut at = 0;
        let instants = text.split(';').map(|part| {
            let start = at;
            at += part.len() + 1;
            instant(part, start, file)
        });
        let instants = instants.collect::<Result<_, _>>()?;
        Ok(Period { instants, span: Span::new(file, 0..text.len()) })
    }
}

/// The edges of an instant whose text begins at `start`.
fn instant(text: &str, start: usize, file: FileId) -> Result<Vec<Named>, Diagnostic> {
    let mut edges: Vec<Named> = Vec::new();
    let mut at = start;
    for part in text.split(',') {
        let word = part.trim();
        let begin = at + part.len() - part.trim_start().len();
        let span = Span::new(file, begin..begin + word.len());
        at += part.len() + 1;
        let clock = word.trim_start_matches('!').trim_start();
        if clock.is_empty() {
            return Err(nothing(text, span));
        }
        if let Some(first) = edges.iter().find(|edge| edge.clock == clock) {
            let message = format!("the clock `{clock}` is named twice in one instant");
            return Err(Diagnostic::error("E0524", span, message)
                .also(first.span, "the first")
                .help("`;` begins the next instant, and `,` stands between clocks that act at the same one"));
        }
        edges.push(Named { clock: clock.to_string(), falls: word.starts_with('!'), span });
    }
    Ok(edges)
}

fn nothing(instant: &str, span: Span) -> Diagnostic {
    let message = match instant.trim() {
        "" => "an instant without a clock",
        _ => "a clock is missing",
    };
    Diagnostic::error("E0524", span, message).help(
        "name the clocks whose edge is there; `,` stands between clocks, and `;` between instants: `--clock 'fast,slow;fast'`",
    )
}
