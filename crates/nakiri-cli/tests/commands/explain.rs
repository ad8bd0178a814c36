use super::nakiri;
use std::collections::BTreeSet;
use std::path::Path;

/// Every code `E0…` in the sources of the crates.
fn codes_below(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            codes_below(&path, codes);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source can be read");
            let quoted = text.split("\"E0").skip(1);
            let digits = quoted.filter_map(|rest| rest.get(..4)).filter(|rest| rest.ends_with('"'));
            codes.extend(digits.map(|rest| format!("E0{}", &rest[..3])));
        }
    }
}

#[test]
fn every_code_is_explained() {
    let mut codes = BTreeSet::new();
    for part in ["nakiri/src", "nakiri-cli/src"] {
        codes_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(part), &mut codes);
    }
    assert!(codes.len() > 50, "only {codes:?}");
    let args: Vec<&str> = ["explain"].into_iter().chain(codes.iter().map(String::as_str)).collect();
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{}", done.err);
    for code in &codes {
        assert!(done.out.contains(&format!("{code}: ")), "{code}");
    }
}

#[test]
fn passes_are_listed_in_order() {
    let done = nakiri(&["explain", "passes"]);
    let mut rest = done.out.as_str();
    for pass in nakiri::compile::pipeline::PASSES {
        let at = rest.find(pass.name).unwrap_or_else(|| panic!("{}: {}", pass.name, done.out));
        rest = &rest[at..];
    }
}
