//! Modes: what they mean, and what they can't be.

use nakiri::check::{self, check, Checked, NoFiles};
use nakiri::mode::evaluate;
use nakiri::source::SourceMap;

fn checked(text: &str) -> Checked {
    let mut sources = SourceMap::default();
    let file = sources.add("mode.ua", text);
    let (checked, diagnostics) =
        check(&mut sources, file, &mut NoFiles, &check::Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    checked.expect("a program")
}

#[test]
fn sha256_is_what_the_standard_says() {
    let text = std::fs::read_to_string("/tmp/m/s.ua").unwrap();
    let mode = checked(&text).mode("Sha256").expect("a mode");
    let digest = evaluate(&mode, &[], b"abc", 32).expect("a digest");
    assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
}
