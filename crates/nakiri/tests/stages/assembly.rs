//! Assembly by texts: `tests/assembly/*.txt` hold a comment with options, a program, a line `----`, and the program's assembly.
//! `NAKIRI_BLESS=1 cargo test` writes the latter.

use nakiri::check::{self, check, NoFiles};
use nakiri::compile::{compile, Options};
use nakiri::emit::assembly;
use nakiri::source::SourceMap;
use std::path::{Path, PathBuf};

fn assembled(text: &str) -> String {
    let (options, program) = text.split_once('\n').expect("a program follows");
    let options = options.strip_prefix("# ").expect("options come first");
    let options: Options = options.parse().expect("they are options");
    let mut sources = SourceMap::default();
    let file = sources.add("program.ua", program);
    let (checked, diagnostics) =
        check(&mut sources, file, &mut NoFiles, &check::Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = checked.expect("it is right").program;
    let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
    assembly::file(&kernel, "kernel").expect("its target has assembly")
}

#[test]
fn programs_are_the_assembly_of_their_texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/assembly");
    let entries = std::fs::read_dir(folder).expect("there is the folder");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    assert!(!paths.is_empty());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let (program, expected) = text.split_once("----\n").expect("assembly follows");
        let found = assembled(program);
        if std::env::var_os("NAKIRI_BLESS").is_some() {
            std::fs::write(&path, format!("{program}----\n{found}")).expect("it can be written");
        } else {
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}
