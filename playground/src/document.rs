//! The program in the editor: what is known of it, with places as the page counts them, in UTF-16.

use crate::shelf::Shelf;
use nakiri::check::{self, Analysis, Dialect, Options};
use nakiri::core::Program;
use nakiri::diagnostic::Diagnostic;
use nakiri::semantic::highlight::{self, WordKind};
use nakiri::semantic::Model;
use nakiri::source::{FileId, SourceMap, Span};
use nakiri::syntax::printer;
use nakiri_library::diagnostics;
use serde::Deserialize;
use serde_json::{json, Value};

/// What is in the editor.
#[derive(Debug, Deserialize)]
pub struct Document {
    /// Where it would be in the library, which says what it can include.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A program that was read and checked.
pub struct Read {
    /// Its files.
    pub sources: SourceMap,
    /// The document.
    pub root: FileId,
    /// What is known of it.
    pub analysis: Analysis,
    model: Model,
    /// For each byte of the document how many units of UTF-16 stand before it.
    units: Vec<u32>,
}

impl Document {
    /// Reads and checks it, and what it includes.
    pub fn read(self, entry: Option<String>) -> Read {
        let mut sources = SourceMap::default();
        let units = units(&self.text);
        let root = sources.add(self.path, self.text);
        let files = check::read(&mut sources, root, &mut Shelf, Dialect::Nakiri);
        let model = Model::of(&files);
        let options = Options { dialect: Dialect::Nakiri, entry };
        let analysis = check::analyse(&sources, root, &files, &options, &|| false);
        Read { sources, root, analysis, model, units }
    }
}

/// For each byte of a text, and its end, the units of UTF-16 before it.
fn units(text: &str) -> Vec<u32> {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut before = 0;
    for letter in text.chars() {
        units.extend(std::iter::repeat_n(before, letter.len_utf8()));
        before += letter.len_utf16() as u32;
    }
    units.push(before);
    units
}

impl Read {
    /// The program.
    ///
    /// # Errors
    /// That it has errors.
    pub fn program(&self) -> Result<&Program, String> {
        let checked = self.analysis.checked.as_ref();
        let program = checked.map(|checked| &checked.program);
        program.ok_or_else(|| "The program has errors.".to_string())
    }

    /// A place of the document, from where to where; nothing if it is in another file.
    pub fn place(&self, span: Span) -> Option<[u32; 2]> {
        let at = |byte: u32| self.units.get(byte as usize).copied();
        (span.file == self.root).then(|| Some([at(span.start)?, at(span.end)?]))?
    }

    /// A diagnostic, with its text as the command line prints it.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) -> Value {
        let mut value = diagnostics::json(&self.sources, diagnostic);
        for (number, (span, _)) in diagnostic.labels.iter().enumerate() {
            value["labels"][number]["at"] = json!(self.place(*span));
        }
        value["text"] = json!(diagnostic.render(&self.sources, false));
        value
    }

    /// Several diagnostics.
    pub fn diagnostics(&self, all: &[Diagnostic]) -> Vec<Value> {
        all.iter().map(|diagnostic| self.diagnostic(diagnostic)).collect()
    }

    /// Several diagnostics as one text.
    pub fn refusal(&self, all: &[Diagnostic]) -> String {
        let texts: Vec<String> = all.iter().map(|own| own.render(&self.sources, false)).collect();
        texts.join("\n\n")
    }

    /// The text as `nakiri fmt` has it.
    ///
    /// # Errors
    /// What can't be read.
    pub fn formatted(&self) -> Result<Value, String> {
        let formatted = printer::format(&self.sources, self.root);
        formatted.map(|text| json!(text)).map_err(|problems| self.refusal(&problems))
    }

    /// What is said as one types.
    pub fn checked(&self) -> Value {
        let words = highlight::words(&self.sources, self.root, &self.model, Dialect::Nakiri);
        let words = words.iter().filter_map(|word| {
            let [start, end] = self.place(word.span)?;
            Some(json!([start, end, class(word.kind)]))
        });
        let nodes = self.analysis.nodes.iter().filter_map(|node| {
            let at = self.place(node.span)?;
            let entry = self.analysis.checked.as_ref();
            let is_entry = entry.is_some_and(|checked| checked.program_for(&node.name).is_some());
            let scheme = &node.scheme;
            Some(json!({ "name": node.name, "scheme": scheme, "at": at, "entry": is_entry }))
        });
        let checked = self.analysis.checked.as_ref();
        let tables = checked.map_or(&[][..], |checked| checked.tables()).iter();
        let tables = tables.map(
            |table| json!({ "name": table.name, "inputs": table.inputs, "outputs": table.outputs }),
        );
        json!({
            "diagnostics": self.diagnostics(&self.analysis.diagnostics),
            "words": words.collect::<Vec<_>>(),
            "nodes": nodes.collect::<Vec<_>>(),
            "tables": tables.collect::<Vec<_>>(),
            "entry": checked.map(|checked| &checked.program.entry().name),
        })
    }
}

/// The class of a word in the page's style sheet.
fn class(kind: WordKind) -> &'static str {
    match kind {
        WordKind::Function => "function",
        WordKind::Parameter => "parameter",
        WordKind::Variable => "variable",
        WordKind::Register => "register",
        WordKind::Keyword => "keyword",
        WordKind::Number => "number",
        WordKind::String => "string",
        WordKind::Comment => "comment",
        WordKind::Type => "type",
    }
}
