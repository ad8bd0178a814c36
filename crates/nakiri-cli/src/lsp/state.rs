//! The documents that are open, and what is known of them.

use super::answers::lenses::Prices;
use super::messages;
use super::place;
use super::position::{Encoding, Lines};
use super::unit::Unit;
use super::worker::{Generation, Job};
use super::Settings;
use crate::session::Files;
use lsp_server::Notification;
use lsp_types::{InitializeParams, TextDocumentContentChangeEvent, Uri};
use nakiri::check::{self, Analysis};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders of things that tools make.
const MADE: [&str; 2] = ["target", "node_modules"];
/// How many sources are looked at.
const MOST_SOURCES: usize = 2000;

/// A document that is open.
pub struct Document {
    /// Its address.
    pub uri: Uri,
    version: i32,
    text: String,
    /// Which text that is.
    pub generation: Generation,
    /// The program that starts in it.
    pub unit: Arc<Unit>,
    /// What the checker says about it; nothing yet if it changed since.
    pub analysis: Option<Arc<Analysis>>,
}

/// All that the server knows.
pub struct State {
    /// How it was started.
    pub settings: Settings,
    /// How columns are counted.
    pub encoding: Encoding,
    /// Whether the client understands places to fill in.
    pub snippets: bool,
    /// The folders that the client works in.
    pub folders: Vec<PathBuf>,
    /// The documents, in the order in which they were opened.
    pub documents: Vec<Document>,
    /// What nodes cost.
    pub prices: Arc<Prices>,
}

impl State {
    /// One without documents, for a client.
    pub fn new(settings: Settings, client: &InitializeParams, encoding: Encoding) -> State {
        let text = client.capabilities.text_document.as_ref();
        let item = text.and_then(|text| text.completion.as_ref()?.completion_item.as_ref());
        let snippets = item.and_then(|item| item.snippet_support).unwrap_or(false);
        let folders = client.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        // Older clients have one folder.
        #[allow(deprecated)]
        let root = client.root_uri.iter().filter(|_| client.workspace_folders.is_none());
        let folders = folders.chain(root).filter_map(place::path).collect();
        let (documents, prices) = (Vec::new(), Arc::default());
        State { settings, encoding, snippets, folders, documents, prices }
    }

    /// The document with an address.
    pub fn document(&self, uri: &Uri) -> Option<&Document> {
        self.documents.iter().find(|document| document.uri == *uri)
    }

    /// Takes a document that was opened.
    pub fn open(&mut self, uri: Uri, version: i32, text: String) {
        self.close(&uri);
        let unit = Arc::new(self.unit(&uri, &text));
        let generation = Generation::default();
        self.documents.push(Document { uri, version, text, generation, unit, analysis: None });
    }

    /// Forgets a document.
    pub fn close(&mut self, uri: &Uri) {
        if let Some(place) = self.documents.iter().position(|document| document.uri == *uri) {
            // What is being found out about it is of no use.
            self.documents.remove(place).generation.next();
        }
    }

    /// Changes the text of a document. Changes come one after another.
    pub fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        let encoding = self.encoding;
        let Some(document) = self.documents.iter_mut().find(|d| d.uri == *uri) else { return };
        document.version = version;
        for change in changes {
            let Some(range) = change.range else {
                document.text = change.text;
                continue;
            };
            let lines = Lines::new(&document.text, encoding);
            let offset = |position| lines.offset(&document.text, position) as usize;
            let (start, end) = (offset(range.start), offset(range.end));
            document.text.replace_range(start..end.max(start), &change.text);
        }
    }

    /// Reads the programs anew that a file is a part of, those with includes that were not found among them.
    pub fn reread(&mut self, uri: &Uri) -> Vec<Job> {
        let path = place::path(uri).map(|path| path.display().to_string());
        let is_affected = |document: &Document| {
            let is_part = path.as_ref().is_some_and(|path| document.unit.has_file(path));
            document.uri == *uri || is_part || document.unit.files.is_partial()
        };
        let affected: Vec<usize> =
            (0..self.documents.len()).filter(|k| is_affected(&self.documents[*k])).collect();
        let jobs = affected.into_iter().map(|place| {
            let document = &self.documents[place];
            let unit = Arc::new(self.unit(&document.uri, &document.text));
            let document = &mut self.documents[place];
            document.generation = document.generation.next();
            document.unit = unit;
            document.analysis = None;
            let (uri, generation) = (document.uri.clone(), document.generation.clone());
            let options = check::Options { dialect: self.settings.dialect, entry: None };
            Job { uri, generation, unit: document.unit.clone(), options }
        });
        jobs.collect()
    }

    /// Takes what the checker says. If that is about the text as it is, what the client is told.
    pub fn checked(
        &mut self,
        uri: &Uri,
        generation: &Generation,
        analysis: Arc<Analysis>,
    ) -> Option<Notification> {
        if generation.is_stale() {
            return None;
        }
        let document = self.documents.iter_mut().find(|document| document.uri == *uri)?;
        let messages = messages::all(uri, document.version, &document.unit, &analysis.diagnostics);
        document.analysis = Some(analysis);
        Some(messages)
    }

    /// The program that starts in a text.
    pub fn unit(&self, uri: &Uri, text: &str) -> Unit {
        let open = |path: &Path| {
            let found =
                self.documents.iter().find(|d| place::path(&d.uri).as_deref() == Some(path));
            found.map(|document| document.text.clone())
        };
        let mut files = Files { include: &self.settings.include, open: &open };
        Unit::read(uri, text, &mut files, self.settings.dialect, self.encoding)
    }

    /// The programs that start in any file of the client's folders, and in open documents as they are.
    pub fn programs(&self) -> Vec<Arc<Unit>> {
        let mut programs: Vec<Arc<Unit>> = self.documents.iter().map(|d| d.unit.clone()).collect();
        let mut paths = Vec::new();
        self.folders.iter().for_each(|folder| sources(folder, &mut paths));
        for path in paths {
            let Some(uri) = place::uri(&path).filter(|uri| self.document(uri).is_none()) else {
                continue;
            };
            if let Ok(text) = std::fs::read_to_string(&path) {
                programs.push(Arc::new(self.unit(&uri, &text)));
            }
        }
        programs
    }
}

/// The sources below a folder, but for what is hidden or made by tools.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        // What a link names is found where it lies.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !name.starts_with('.') && !MADE.contains(&&*name) {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "ua") && found.len() < MOST_SOURCES {
            found.push(path);
        }
    }
}
