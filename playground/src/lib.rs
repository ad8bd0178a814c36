//! The compiler for a browser: it answers questions in JSON ([`answer`]), and its memory is where these lie ([`memory`]).

mod built;
mod circuit;
mod document;
mod lines;
mod memory;
mod ports;
mod price;
mod shelf;
mod slicings;
mod vectors;

use document::Document;
use serde::Deserialize;
use serde_json::{json, Value};

/// What can be asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
enum Question {
    /// What there is to choose from.
    Library,
    /// The text of a file of the library.
    File { path: String },
    /// What is wrong with a program, what its words are, and what its definitions are.
    Check { document: Document },
    /// In which slicings a node can be built.
    Slicings { document: Document, entry: Option<String> },
    /// The circuit of a table.
    Circuit { document: Document, table: String },
    /// A node as C and Rust, with its price and where its bits lie.
    Build { document: Document, wish: built::Wish },
    /// Whether a folder's vectors come out right.
    Vectors { document: Document },
    /// The text as `nakiri fmt` has it.
    Format { document: Document },
    /// More about a code of an error.
    Explain { code: String },
    /// Nothing: it is the panic of which the page's test wants to see how it is said.
    Panic,
}

/// The answer to a question: `{"answer": …}`, or `{"refused": …}` with what is to be said to the user.
pub fn answer(question: &str) -> String {
    let answer = match serde_json::from_str(question) {
        Ok(question) => answered(question),
        Err(error) => Err(format!("this can't be asked: {error}")),
    };
    match answer {
        Ok(answer) => json!({ "answer": answer }).to_string(),
        Err(message) => json!({ "refused": message }).to_string(),
    }
}

fn answered(question: Question) -> Result<Value, String> {
    match question {
        Question::Library => Ok(shelf::library()),
        Question::File { path } => shelf::file(&path),
        Question::Check { document } => Ok(document.read(None).checked()),
        Question::Slicings { document, entry } => slicings::table(&document.read(entry)),
        Question::Circuit { document, table } => circuit::of_table(&document.read(None), &table),
        Question::Build { document, wish } => built::built(document, &wish),
        Question::Vectors { document } => vectors::run(document),
        Question::Format { document } => document.read(None).formatted(),
        Question::Explain { code } => shelf::explanation(&code),
        Question::Panic => panic!("as it was asked to"),
    }
}
