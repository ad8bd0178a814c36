//! Several folders' libraries as one package of C, and as a workspace of Rust: their files, and what surrounds them.

mod c;
mod provenance;
mod rust;

use crate::commands::build::{self, Made};
use crate::session::Failure;
use nakiri::emit::c::{Bench, CFiles, Fuzz};
use nakiri::emit::library::Library;
use nakiri::emit::{c as emit_c, facts, rust as emit_rust};
use provenance::Hashed;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use provenance::MARK;

/// A file of a package: its path and its text.
pub type File = (String, String);

/// Which languages a package is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[allow(missing_docs)]
pub enum Languages {
    C,
    Rust,
    Both,
}

impl Languages {
    /// Whether C is among them.
    pub fn c(self) -> bool {
        self != Languages::Rust
    }

    /// Whether Rust is among them.
    pub fn rust(self) -> bool {
        self != Languages::C
    }
}

/// A package.
#[derive(Debug)]
pub struct Package {
    /// The name of the library and of its header.
    pub name: String,
    /// The command that makes it.
    pub command: String,
    /// What is in it.
    pub primitives: Vec<Primitive>,
}

/// What a folder became.
#[derive(Debug)]
pub struct Primitive {
    /// The name of its files.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// What it is, and where it is specified.
    heading: String,
    /// The command that makes it alone.
    command: String,
    /// The beginnings of its functions' names.
    prefixes: Vec<String>,
    /// Those of what has a key for each lane.
    multikey: Vec<String>,
    /// What `build` writes in C, and what tries and measures that.
    c: Option<OfC>,
    /// What `build` writes in Rust, or why it doesn't.
    rust: Option<Result<Vec<emit_rust::File>, String>>,
    /// The files that it was made of.
    sources: Vec<Hashed>,
    /// The targets and slicings of its variants, best first.
    targets: Vec<String>,
    /// How many vectors its self tests hold.
    vectors: usize,
    /// What was found right before it was written.
    evidence: Vec<String>,
}

/// A folder's C.
#[derive(Debug)]
struct OfC {
    files: CFiles,
    fuzz: Fuzz,
    bench: Bench,
}

impl Primitive {
    /// Builds a folder for some targets.
    ///
    /// # Errors
    /// Those of `nakiri build`.
    pub fn build(
        folder: &Path,
        target: Option<&str>,
        languages: Languages,
    ) -> Result<Primitive, Failure> {
        let Made { library, rust, session } = build::made(folder, target)?;
        let wrong = |error: emit_c::LibraryError| Failure::Wrong(error.to_string());
        let c = |()| {
            Ok(OfC {
                files: emit_c::library(&library)?,
                fuzz: emit_c::fuzz(&library)?,
                bench: emit_c::bench(&library)?,
            })
        };
        let c = languages.c().then_some(()).map(c).transpose().map_err(wrong)?;
        let rust = languages.rust().then(|| emit_rust::files(&rust));
        let prefixes = |all: &dyn Fn(&emit_c::Instance) -> bool| {
            let own = library.instances.iter().filter(|instance| all(instance));
            own.map(|instance| instance.prefix.clone()).collect()
        };
        Ok(Primitive {
            folder: folder.to_path_buf(),
            heading: facts::heading(&library),
            prefixes: prefixes(&|_| true),
            multikey: prefixes(&|instance| instance.multikey.is_some()),
            c,
            rust: rust.map(|files| files.map_err(|error| error.to_string())),
            sources: session.sources.files().iter().map(Hashed::source).collect(),
            targets: targets(&library),
            vectors: library.instances.iter().map(facts::vectors_of).sum(),
            evidence: library.evidence,
            command: library.command_line,
            name: library.name,
        })
    }

    /// Why there is no Rust of it, if there should be.
    fn not_in_rust(&self) -> Option<&str> {
        self.rust.as_ref().and_then(|files| files.as_ref().err()).map(String::as_str)
    }

    /// All names in C that begin like its functions, in small letters: headers' guards are not.
    fn c_names(&self) -> BTreeSet<String> {
        let Some(OfC { files: CFiles { c, h }, .. }) = &self.c else { return BTreeSet::new() };
        let own = |word: &str| {
            let is_own = |prefix: &String| {
                let rest = word.strip_prefix(&*prefix.to_lowercase());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            self.prefixes.iter().any(is_own)
        };
        let words = [c, h]
            .into_iter()
            .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        words.map(str::to_lowercase).filter(|word| own(word)).collect()
    }
}

/// The variants of a library's first function, as `--target` takes them.
pub fn targets(library: &Library) -> Vec<String> {
    let first = library.instances.first().and_then(|instance| instance.functions.first());
    let variants = first.iter().flat_map(|function| &function.variants);
    variants.map(|kernel| format!("{}:{}", kernel.target.name, kernel.direction)).collect()
}

impl Package {
    /// Refuses primitives that can't be in one program: with the same file, or the same function.
    ///
    /// # Errors
    /// [`Failure::Wrong`] with the two folders, and a way out.
    pub fn refuse_clashes(&self) -> Result<(), Failure> {
        let names: Vec<BTreeSet<String>> = self.primitives.iter().map(Primitive::c_names).collect();
        for (k, own) in self.primitives.iter().enumerate() {
            let folder = own.folder.display();
            if own.name.eq_ignore_ascii_case(&self.name) {
                return Err(Failure::Wrong(format!(
                    "`{folder}` has the name of the library, `{}`: name that otherwise with --name",
                    self.name
                )));
            }
            for (other, others) in self.primitives.iter().zip(&names).take(k) {
                let first = other.folder.display();
                if own.name.eq_ignore_ascii_case(&other.name) {
                    return Err(Failure::Wrong(format!(
                        "`{first}` and `{folder}` have the same name, `{}`: leave one out, or give it another `name` in a \
                         copy of its folder, in cipher.toml",
                        own.name
                    )));
                }
                if let Some(name) = names[k].intersection(others).next() {
                    return Err(Failure::Wrong(format!(
                        "`{first}` and `{folder}` both have `{name}`: leave one out, or give it another `prefix` in a copy \
                         of its folder, in cipher.toml and vectors.toml"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Why some of it is not in Rust, a line each.
    pub fn not_in_rust(&self) -> impl Iterator<Item = String> + '_ {
        let all = self.primitives.iter();
        all.filter_map(|p| {
            Some(format!("`{}` has no Rust: {}", p.folder.display(), p.not_in_rust()?))
        })
    }

    /// Its files.
    pub fn files(&self) -> Vec<File> {
        let mut files = c::files(self);
        files.extend(rust::files(self));
        let provenance = provenance::file(self, &files);
        files.insert(0, provenance);
        files
    }

    /// Nakiri's version, which is the package's.
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Who made it: the first line of its files.
    fn maker(&self) -> String {
        format!("Made by Nakiri {}: {}", Package::version(), facts::line(&self.command))
    }
}
