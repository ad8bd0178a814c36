//! Reading of sources that tests check.

use nakiri::check::{Loader, Options};
use nakiri::compile;
use nakiri::core::Direction;
use nakiri::isa;
use nakiri::source::{FileId, SourceMap};
use nakiri::syntax::Dialect;
use std::path::{Path, PathBuf};

/// Includes from one folder.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder of a text that includes nothing.
    pub fn none() -> Folder {
        Folder(PathBuf::new())
    }
}

impl Loader for Folder {
    fn load(&mut self, path: &str, _from: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(self.0.join(path));
        text.map(|text| (path.to_string(), text)).map_err(|_| "no such file".to_string())
    }
}

/// The flags of the slicings.
const SLICINGS: [(&str, Direction); 4] =
    [("-B", Direction::B), ("-V", Direction::V), ("-H", Direction::H), ("-P", Direction::P)];

/// What the first line `# flags: …` asks to slice for (`-B`, `-V`, `-H` or `-P`, with `--target T` and perhaps `-w M`), if it
/// names a slicing.
pub fn slicing(text: &str) -> Option<compile::Options> {
    let flags = text.lines().next()?.strip_prefix("# flags: ")?;
    let words: Vec<&str> = flags.split_whitespace().collect();
    let after = |flag: &str| words.iter().position(|word| *word == flag).map(|i| words[i + 1]);
    let (_, direction) = SLICINGS.iter().find(|(flag, _)| words.contains(flag))?;
    let target = isa::find(after("--target").unwrap_or("gp64")).expect("a target");
    let width = after("-w").map(|bits| bits.parse().expect("a word size"));
    Some(compile::Options { width, ..compile::Options::new(*direction, target) })
}

/// A source with what its first line `# flags: …` asks the checker for (`--compat usubac`, `--entry NODE`), and its folder.
pub fn open(path: &Path) -> (SourceMap, FileId, Options, Folder) {
    let bytes = std::fs::read(path).expect("the case can be read");
    let text = String::from_utf8(bytes).expect("the case is UTF-8");
    let flags = text.lines().next().and_then(|line| line.strip_prefix("# flags: ")).unwrap_or("");
    let mut options = Options::default();
    let mut words = flags.split_whitespace();
    while let Some(word) = words.next() {
        if SLICINGS.iter().any(|(flag, _)| *flag == word) {
            continue;
        }
        match (word, words.next()) {
            ("--target" | "-w", Some(_)) => {}
            ("--compat", Some("usubac")) => options.dialect = Dialect::Usubac,
            ("--entry", Some(name)) => options.entry = Some(name.to_string()),
            other => panic!("{}: unknown flags {other:?}", path.display()),
        }
    }
    let folder = Folder(path.parent().expect("a case is in a folder").to_path_buf());
    let mut sources = SourceMap::default();
    let file = sources.add(path.file_name().expect("a case has a name").to_string_lossy(), text);
    (sources, file, options, folder)
}
