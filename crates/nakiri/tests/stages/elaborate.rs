//! Every `tests/elaborate/NAME.ua` elaborates, without a message, to the text of its `NAME.txt`: the inferred
//! type of each node, then the core of what the entry needs.
//!
//! `NAKIRI_BLESS=1 cargo test -p nakiri --test stages elaborate` rewrites the expectations.

use crate::common;

use common::source::open;
use nakiri::check::{check, NoFiles, Options};
use nakiri::core::interp;
use nakiri::core::verify::verify;
use nakiri::source::SourceMap;
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
        let program = checked.program_for(&node.name);
        assert!(program.is_none_or(|p| p.entry().name == node.name && verify(&p) == Ok(())));
        text += &format!("# {}\n", node.scheme);
    }
    text + "\n" + &checked.program.to_string()
}

#[test]
fn programs_elaborate_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/elaborate");
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

/// What the entry of a source computes.
fn computed(text: &str, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ua", text);
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &Options::default());
    let checked = checked.unwrap_or_else(|| panic!("{}", diagnostics[0].render(&sources, false)));
    interp::run(&checked.program, inputs)
}

/// RFC 8439, section 2.1.1.
#[test]
fn chacha_quarter_round_has_its_published_value() {
    let source = "
        node quarter (a, b, c, d:u32) returns (out:u32x4)
        let
            a := a + b; d := (d ^ a) <<< 16;
            c := c + d; b := (b ^ c) <<< 12;
            a += b; d := (d ^ a) <<< 8;
            c += d; b := (b ^ c) >>> 25;
            out = (a, b, c, d)
        tel";
    let inputs = [0x11111111, 0x01020304, 0x9b8d6f43, 0x01234567].map(|word| vec![word]);
    let outputs = computed(source, &inputs);
    assert_eq!(outputs, [vec![0xea2a92f4, 0xcb1cf8ce, 0x4581472e, 0x5881c4bb]]);
}

/// Equation 2 of the Rectangle paper: row 0 of the state holds the least significant bits.
#[test]
fn tables_number_their_bits_as_declared() {
    let entries = [6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2u128];
    let list = entries.map(|e| e.to_string()).join(",");
    let node = "node f (x:b4) returns (y:b4) let y = s(x) tel";
    for (option, bit) in [("_lsb", [0, 1, 2, 3]), ("", [3, 2, 1, 0])] {
        let source = format!("{option} table s (x:v4) returns (y:v4) {{{list}}} {node}");
        for (value, entry) in (0u128..).zip(entries) {
            let bits = |n: u128| bit.map(|b| n >> b & 1).to_vec();
            assert_eq!(computed(&source, &[bits(value)]), [bits(entry)], "{source}");
        }
    }
}
