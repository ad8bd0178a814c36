//! Reading a program: the root file and what it includes, each file once.

use super::{preludes, Dialect, Loader};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::ast::{Constant, Def, FieldDef, File, Item, Member, MemberKind, Mode};
use crate::syntax::parser;
use rustc_hash::FxHashMap;

/// How deep includes may nest.
const MAX_NESTING: usize = 100;

/// All files of a program.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Each file's tree.
    trees: Vec<(FileId, File)>,
    /// Its items in the order of the program: (index in `trees`, index of the item).
    order: Vec<(usize, usize)>,
    /// What each `include` that was followed leads to.
    includes: Vec<(Span, FileId)>,
    /// Whether an included file is missing.
    is_partial: bool,
    /// What is wrong with the syntax of the files, and with what they include.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Files {
    /// The tree of each file, in the order in which they were read.
    pub fn trees(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.trees.iter().map(|(file, tree)| (*file, tree))
    }

    /// The place of each `include` with the file that it names.
    pub fn includes(&self) -> &[(Span, FileId)] {
        &self.includes
    }

    /// Whether the trees have all that stands in the files.
    pub fn is_whole(&self) -> bool {
        let has_fault = |tree: &File| tree.items.iter().any(Item::is_faulty);
        !self.is_partial() && !self.trees.iter().any(|(_, tree)| has_fault(tree))
    }

    /// Whether there may be definitions that could not be read.
    pub fn is_partial(&self) -> bool {
        self.is_partial || self.trees.iter().any(|(_, tree)| tree.is_partial)
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.order.iter().map(|&(tree, item)| &self.trees[tree].1.items[item])
    }

    /// The definitions, those of an included file where it is included.
    pub fn definitions(&self) -> impl Iterator<Item = &Def> {
        self.items().filter_map(|item| match item {
            Item::Def(def) => Some(def),
            _ => None,
        })
    }

    /// The fields, in the same order.
    pub fn fields(&self) -> impl Iterator<Item = &FieldDef> {
        self.items().filter_map(|item| match item {
            Item::Field(field) => Some(field),
            _ => None,
        })
    }

    /// The constants, in the same order.
    pub fn constants(&self) -> impl Iterator<Item = &Constant> {
        self.items().filter_map(|item| match item {
            Item::Constant(constant) => Some(&**constant),
            _ => None,
        })
    }

    /// The modes, in the same order.
    pub fn modes(&self) -> impl Iterator<Item = &Mode> {
        self.items().filter_map(|item| match item {
            Item::Mode(mode) => Some(mode),
            _ => None,
        })
    }

    /// The nodes or modes of families, in the same order.
    pub fn members(&self, kind: MemberKind) -> impl Iterator<Item = &Member> {
        self.items().filter_map(move |item| match item {
            Item::Member(member) if member.kind == kind => Some(member),
            _ => None,
        })
    }

    /// The definitions, and among them what the nodes of families are, in the same order.
    pub fn definitions_with<'a>(&'a self, nodes: &'a [Def]) -> impl Iterator<Item = &'a Def> {
        let mut nodes = nodes.iter();
        self.items().filter_map(move |item| match item {
            Item::Def(def) => Some(def),
            Item::Member(member) if member.kind == MemberKind::Node => nodes.next(),
            _ => None,
        })
    }
}

/// Reads the root file and everything it includes. Included files are added to `sources`.
pub fn read(
    sources: &mut SourceMap,
    root: FileId,
    loader: &mut dyn Loader,
    dialect: Dialect,
) -> Files {
    let mut reader = Reader {
        sources,
        loader,
        dialect,
        files: Files::default(),
        known: FxHashMap::default(),
        open: Vec::new(),
    };
    reader.read(root, Span::new(root, 0..0));
    reader.files
}

struct Reader<'r> {
    sources: &'r mut SourceMap,
    loader: &'r mut dyn Loader,
    dialect: Dialect,
    files: Files,
    /// The paths of all files seen.
    known: FxHashMap<String, FileId>,
    /// The files being read, outermost first, with the `include` that led to each.
    open: Vec<(String, Span)>,
}

impl Reader<'_> {
    fn read(&mut self, file: FileId, from: Span) {
        let path = self.sources.file(file).path.clone();
        self.known.insert(path.clone(), file);
        self.open.push((path, from));
        let parsed = parser::parse(self.sources, file, self.dialect);
        self.files.diagnostics.extend(parsed.diagnostics);
        let tree = self.files.trees.len();
        self.files.trees.push((file, File::default()));
        for (i, item) in parsed.file.items.iter().enumerate() {
            match item {
                Item::Include { path, span } => self.include(path, *span),
                Item::Def(_)
                | Item::Mode(_)
                | Item::Member(_)
                | Item::Field(_)
                | Item::Constant(_) => {
                    self.files.order.push((tree, i));
                }
            }
        }
        self.files.trees[tree].1 = parsed.file;
        self.open.pop();
    }

    fn include(&mut self, path: &str, span: Span) {
        let from = self.sources.file(span.file).path.clone();
        let prelude = preludes::text(path).map(|text| Ok((format!("<{path}>"), text.to_string())));
        let loaded = prelude.unwrap_or_else(|| self.loader.load(path, &from));
        let (path, text) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => {
                self.files.is_partial = true;
                let error = Diagnostic::error("E0100", span, format!("can't include `{path}`"))
                    .label(reason)
                    .help("files are looked for beside the including file, then in the -I folders");
                return self.files.diagnostics.push(error);
            }
        };
        if let Some(file) = self.known.get(&path) {
            self.files.includes.push((span, *file));
        }
        if let Some(first) = self.open.iter().position(|(open, _)| *open == path) {
            let mut chain: Vec<_> = self.open[first..].iter().map(|(p, _)| p.as_str()).collect();
            chain.push(&path);
            let mut error = Diagnostic::error("E0101", span, format!("`{path}` includes itself"))
                .label(chain.join(" → "))
                .help("move what both files need into a third one");
            for (open, place) in &self.open[first + 1..] {
                error = error.also(*place, format!("`{open}` is included here"));
            }
            return self.files.diagnostics.push(error);
        }
        if self.open.len() >= MAX_NESTING {
            self.files.is_partial = true;
            let error = Diagnostic::error("E0101", span, "includes are nested too deeply")
                .label(format!("more than {MAX_NESTING} files deep"));
            return self.files.diagnostics.push(error);
        }
        if !self.known.contains_key(&path) {
            let file = self.sources.add(path, text);
            self.files.includes.push((span, file));
            self.read(file, span);
        }
    }
}
