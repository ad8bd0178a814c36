//! Where a package comes from: `provenance.json`.

use super::{File, Package, Primitive};
use crate::output::Mark;
use nakiri::source::SourceFile;
use nakiri_library::digest;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

const PATH: &str = "provenance.json";

/// How a package's folder is known: the first lines of its provenance.
pub const MARK: Mark = Mark { file: PATH, begin: "{\n  \"made_by\": \"Nakiri ", listed: written };

/// A file, and the digest of its text.
#[derive(Clone, Debug, Serialize)]
pub struct Hashed {
    file: String,
    sha256: String,
}

impl Hashed {
    /// A file that was read, without its folders.
    pub fn source(file: &SourceFile) -> Hashed {
        let name = Path::new(&file.path).file_name().unwrap_or_default();
        Hashed { file: name.to_string_lossy().into_owned(), sha256: digest::whole(&file.text) }
    }
}

#[derive(Serialize)]
struct Provenance<'a> {
    made_by: String,
    command: &'a str,
    primitives: Vec<Origin<'a>>,
    /// All that is written beside it.
    files: Vec<&'a str>,
}

/// What is known of a primitive.
#[derive(Serialize)]
struct Origin<'a> {
    name: &'a str,
    about: &'a str,
    command: &'a str,
    sources: &'a [Hashed],
    variants: &'a [String],
    /// What was found right before it was written.
    checked: &'a [String],
    /// To be run on the CPU at hand.
    vectors_in_self_tests: usize,
    emitted: Vec<Hashed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_in_rust: Option<&'a str>,
}

/// The provenance of a package with these files.
pub fn file(package: &Package, files: &[File]) -> File {
    let provenance = Provenance {
        made_by: format!("Nakiri {}", Package::version()),
        command: &package.command,
        primitives: package.primitives.iter().map(|own| origin(own, files)).collect(),
        files: files.iter().map(|(path, _)| &**path).collect(),
    };
    // There is nothing in it that JSON lacks.
    let text = serde_json::to_string_pretty(&provenance).unwrap_or_default();
    (PATH.to_string(), text + "\n")
}

fn origin<'a>(primitive: &'a Primitive, files: &[File]) -> Origin<'a> {
    let Primitive { name, heading, command, sources, targets, evidence, vectors, .. } = primitive;
    let (c, h, of_crate) = (format!("c/{name}.c"), format!("c/{name}.h"), format!("rust/{name}/"));
    let own =
        files.iter().filter(|(path, _)| *path == c || *path == h || path.starts_with(&of_crate));
    let hashed = |(path, text): &File| Hashed { file: path.clone(), sha256: digest::whole(text) };
    Origin {
        name,
        about: heading,
        command,
        sources,
        variants: targets,
        checked: evidence,
        vectors_in_self_tests: *vectors,
        emitted: own.map(hashed).collect(),
        not_in_rust: primitive.not_in_rust(),
    }
}

/// The files that a provenance says were written with it.
fn written(text: &str) -> Vec<PathBuf> {
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let files = whole["files"].as_array().into_iter().flatten();
    files.filter_map(|file| file.as_str().map(PathBuf::from)).collect()
}
