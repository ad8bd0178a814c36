//! Fuzzing of the parser, the checker, the formatter and the passes: damaged and spliced sources of the project must give
//! diagnostics or a kernel, soon, and never a panic. So many sources on any machine, or for `NAKIRI_FUZZ_SECONDS`.

use nakiri::check::{check, NoFiles, Options};
use nakiri::compile::{self, compile};
use nakiri::core::Direction;
use nakiri::diagnostic::has_errors;
use nakiri::isa;
use nakiri::source::SourceMap;
use nakiri::syntax::{printer, Dialect};
use nakiri_verify::random::Rng;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest that one source may take, in an unoptimized compiler on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Programs of more instructions are checked but not compiled: long loops are no news after the first.
const LARGE: usize = 50_000;

/// The sources to start from: those of the ciphers and of the tests.
fn corpus() -> Vec<Vec<u8>> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "ua") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    ["ciphers", "tests"].iter().for_each(|folder| walk(&root.join(folder), &mut found));
    found.sort();
    let texts = found.iter().map(|path| std::fs::read(path).expect("a readable file"));
    texts.filter(|text| text.len() < 20_000).collect()
}

/// A source with a few random changes: bytes, pieces of itself, pieces of another.
fn mutant(corpus: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    const TOKENS: [&str; 20] = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "forall i in [0,9] {",
        ":=",
        "0xffffffffffffffff",
        "..",
        "<<<",
        "u16x4",
        "table",
        "node",
        "^",
        "tel",
        "const",
        "_table",
        "= inverse(S)",
        "{ forall i in [0,9] { i } }",
    ];
    let mut text = rng.pick(corpus).clone();
    for _ in 0..rng.range(1, 6) {
        let at = rng.below(text.len() + 1);
        let end = (at + rng.below(30)).min(text.len());
        match rng.below(6) {
            0 => drop(text.drain(at..end)),
            1 if at < text.len() => text[at] = rng.draw() as u8,
            2 => {
                let piece = text[at..end].to_vec();
                let to = rng.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            3 => {
                let other = rng.pick(corpus);
                let from = rng.below(other.len() + 1);
                let piece = other[from..(from + rng.below(200)).min(other.len())].to_vec();
                text.splice(at..end, piece);
            }
            4 => {
                let digit = rng.below(10).to_string();
                text.splice(at..at, digit.into_bytes());
            }
            _ => {
                let token = rng.pick(&TOKENS).as_bytes().to_vec();
                text.splice(at..end, token);
            }
        }
    }
    text
}

/// Everything that the compiler does with a source.
fn exercise(text: &str, dialect: Dialect, number: usize) {
    let mut sources = SourceMap::default();
    let file = sources.add("fuzz.ua", text);
    let _ = printer::format(&sources, file);
    let options = Options { dialect, ..Options::default() };
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &options);
    assert_eq!(checked.is_none(), has_errors(&diagnostics));
    for diagnostic in &diagnostics {
        assert!(!diagnostic.render(&sources, false).is_empty());
    }
    let Some(checked) = checked else { return };
    let mut size = 0;
    let stmts = checked.program.funcs.iter().flat_map(|func| &func.body);
    stmts.for_each(|stmt| stmt.instrs(&mut |_| size += 1));
    if size > LARGE {
        return;
    }
    let targets = isa::all();
    for direction in [Direction::B, Direction::V, Direction::H] {
        let options = compile::Options {
            width: Some(16),
            ..compile::Options::new(direction, targets[number % targets.len()])
        };
        let _ = compile(&checked.program, &options, &mut |_, _| {});
    }
}

/// How many sources are tried unless there is a time.
const SOURCES: usize = 20_000;

#[test]
fn no_panic_and_no_hang() {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let (seconds, seed) = (number("NAKIRI_FUZZ_SECONDS"), number("NAKIRI_FUZZ_SEED").unwrap_or(1));
    let corpus = corpus();
    let (mut rng, start, mut count) = (Rng::new(seed), Instant::now(), 0);
    let goes_on = |count| match seconds {
        Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
        None => count < SOURCES,
    };
    while goes_on(count) {
        let bytes = mutant(&corpus, &mut rng);
        let text = String::from_utf8_lossy(&bytes);
        let dialect = if count % 4 == 0 { Dialect::Usubac } else { Dialect::Nakiri };
        let begun = Instant::now();
        let done = catch_unwind(AssertUnwindSafe(|| exercise(&text, dialect, count)));
        assert!(done.is_ok(), "panic on ({dialect:?}, seed {seed}, source {count}):\n{text}");
        let took = begun.elapsed();
        assert!(took < LIMIT, "{took:?} for ({dialect:?}, seed {seed}, source {count}):\n{text}");
        count += 1;
    }
    println!("{count} sources in {:.0?} from seed {seed}", start.elapsed());
}
