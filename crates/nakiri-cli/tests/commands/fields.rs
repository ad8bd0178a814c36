//! Fields on the command line: what representations there are, which one is taken, and a mode around a formula.

use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::path::Path;
use std::process::Command;

const X25519: &str = "tests/fields/x25519.ua";
const K163: &str = "tests/fields/k163.ua";

/// A code beside that of `modes/poly1305`, which computes with limbs by hand: messages of all lengths up to some blocks.
const MAIN: &str = r#"#include "formula.h"
#include "poly1305.h"
#include <string.h>
int main(void)
{
    uint8_t key[32], text[150], own[16], other[16];
    int bad = formula_self_test();
    for (size_t k = 0; k < sizeof text; k++)
        text[k] = (uint8_t)(255 - (k * k >> 2));
    for (size_t k = 0; k < sizeof key; k++)
        key[k] = (uint8_t)(251 * k + 255);
    for (size_t length = 0; length <= sizeof text; length++) {
        formula(own, key, text, length);
        poly1305(other, key, text, length);
        bad |= memcmp(own, other, sizeof own) != 0;
    }
    return bad;
}
"#;

#[test]
fn representations_are_shown_and_one_can_be_forced() {
    let shown = nakiri(&["check", X25519]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for line in ["5 limbs of 51 bits, whole products", "products of 52 bits, sums of them folded"] {
        assert!(shown.out.contains(line), "{}", shown.out);
    }
    let refused = nakiri(&["build", X25519, "--target", "gp64", "-V", "--limbs", "3", "-o", "-"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("E0315") && refused.err.contains("limbs=5"), "{}", refused.err);
    let sliced = nakiri(&["build", X25519, "--target", "gp64", "-B", "-o", "-"]);
    assert_eq!(sliced.code, 1);
    assert!(sliced.err.contains("are not computed under -B"), "{}", sliced.err);
}

#[test]
fn elements_of_characteristic_two_are_bits_or_words() {
    let shown = nakiri(&["check", K163]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for line in ["163 bits, of as many elements", "3 words, carry-less products"] {
        assert!(shown.out.contains(line), "{}", shown.out);
    }
    let packed = nakiri(&["build", K163, "--target", "avx2", "-P", "-o", "-"]);
    assert_eq!(packed.code, 1);
    assert!(packed.err.contains("are not computed under -P"), "{}", packed.err);
}

#[test]
fn a_mode_around_a_formula_is_the_mode_around_limbs() {
    let folder = Folder::new("formula");
    let files = ["formula.c", "poly1305.c"].map(|name| folder.path(name));
    for (source, file) in ["tests/fields/poly1305", "modes/poly1305"].iter().zip(&files) {
        let done = nakiri(&["build", source, "--target", "gp64", "-o", file]);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let main = folder.write("main.c", MAIN);
    let program = folder.path("main");
    for compiler in cc::all() {
        let sources = [&main, &files[0], &files[1]].map(Path::new);
        compiler.compile(&sources, &["-O1"], Path::new(&program)).expect("it compiles");
        let status = Command::new(&program).status().expect("it starts");
        assert!(status.success(), "{}", compiler.machine());
    }
}
