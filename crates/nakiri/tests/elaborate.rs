//! Every `tests/core/elaborate/NAME.ua` elaborates, without a message, to the text of its `NAME.txt`: the inferred
//! type of each node, then the core of what the entry needs.
//!
//! `NAKIRI_BLESS=1 cargo test -p nakiri --test elaborate` rewrites the expectations.

mod common;

use common::source::open;
use nakiri::check::check;
use nakiri::core::verify::verify;
use std::path::Path;

/// What comes of one file.
fn elaborated(path: &Path) -> String {
    let (mut sources, file, options, mut folder) = open(path);
    let (checked, diagnostics) = check(&mut sources, file, &mut folder, &options);
    let mut text = String::new();
    for diagnostic in &diagnostics {
        text += &diagnostic.render(&sources, false);
        text += "\n";
    }
    let Some(checked) = checked else { return text };
    assert_eq!(verify(&checked.program), Ok(()), "{}", path.display());
    for node in &checked.nodes {
        text += &format!("# {}\n", node.scheme);
    }
    text + "\n" + &checked.program.to_string()
}

#[test]
fn programs_elaborate_as_expected() {
    let folder = common::folder().join("elaborate");
    let bless = std::env::var_os("NAKIRI_BLESS").is_some();
    let entries = std::fs::read_dir(&folder).expect("the folder exists");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let mut cases = 0;
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "ua")) {
        cases += 1;
        let actual = elaborated(path);
        let expectation = path.with_extension("txt");
        if bless {
            std::fs::write(&expectation, &actual).expect("the expectation can be written");
        }
        let expected = std::fs::read_to_string(&expectation).expect("a .ua has its .txt");
        assert_eq!(expected, actual, "{}", path.display());
    }
    assert_eq!(paths.len(), 2 * cases, "each file belongs to a case");
    assert!(cases > 0);
}
