//! Instructions: one source has variants with them and without, which programs take by what the CPU has.

use super::{nakiri, Folder};
use nakiri::isa;
use nakiri_verify::{cc, exec};
use std::path::Path;
use std::process::Command;

/// The digest of "abc" (FIPS 180-4's example), and of messages alone and among others, by the best variant and by each that the CPU
/// runs.
const MAIN: &str = r#"#include "sha256.h"
#include <string.h>
enum { COUNT = 12 };
static const uint8_t want[4] = { 0xba, 0x78, 0x16, 0xbf };
static const size_t lengths[COUNT] = { 3, 0, 300, 55, 56, 64, 255, 256, 257, 1999, 1024, 700 };
static uint8_t text[2100] = "abc";
static int wrong(void)
{
    const uint8_t *messages[COUNT];
    uint8_t out[32], outs[COUNT * 32];
    int bad = 0;
    for (size_t k = 0; k < sizeof text; k++)
        text[k] = k < 3 ? "abc"[k] : (uint8_t)(k * k >> 3);
    for (size_t k = 0; k < COUNT; k++)
        messages[k] = text + k;
    sha256_many(COUNT, outs, messages, lengths);
    for (size_t k = 0; k < COUNT; k++) {
        sha256(out, messages[k], lengths[k]);
        bad |= memcmp(outs + 32 * k, out, 32) != 0;
    }
    return bad || memcmp(outs, want, 4) != 0;
}
int main(void)
{
    int bad = wrong();
    for (const char *const *name = sha256_variants(); *name != NULL; name++)
        if (sha256_use_variant(*name) == 0)
            bad |= wrong();
    return bad;
}
"#;

/// Wide registers hold blocks of several texts: where no target is asked for, one that holds a block takes eight of a text alone.
#[test]
fn a_text_alone_has_registers_of_its_own() {
    let runs = |name: &&str| exec::runnable(isa::find(name).expect("a target")).is_ok();
    if !runs(&"ssse3+aes") || !["avx2+vaes", "avx512+gfni+vaes"].iter().any(runs) {
        return;
    }
    let folder = Folder::new("alone");
    let file = folder.path("xts.c");
    let done = nakiri(&["build", "modes/xts", "-o", &file]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("aes128_xts_absorb_stretch_alone[3] = { 0, 8, 0 }"));
}

/// The head and the rest of what a mode becomes where there are rounds of AES and carry-less products.
fn on_instructions(source: &str, mode: &str) -> (String, String) {
    let folder = Folder::new(mode);
    let file = folder.path("mode.c");
    let done = nakiri(&["build", source, "--entry", mode, "--target", "ssse3+aes", "-o", &file]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&file).expect("it was written");
    let (_, text) = text.split_once("Variants, best first").expect("the head lists the variants");
    let (head, rest) = text.split_once("*/").expect("it ends");
    (head.to_string(), rest.to_string())
}

/// Sections of modes are rows of instructions, and a text alone takes several blocks at once: another slicing would do the same, but
/// not as fast.
#[test]
fn modes_are_made_of_instructions() {
    let (head, rest) = on_instructions("modes/gcm/gcm.ua", "Aes128Gcm");
    for piece in ["absorb1", "absorb2", "open2"] {
        let stretch = format!("{piece}, ssse3+aes P8x16: 8 of one text at once");
        assert!(head.contains(&stretch), "no stretch of {piece}: {head}");
        // Eight blocks are multiplied by powers and added up.
        assert!(rest.contains(&format!("{piece}_powers")), "no powers for {piece}");
    }
    for piece in ["start", "finish"] {
        let rows = format!("{piece}, ssse3+aes P8x16");
        assert!(head.contains(&rows), "{piece} is on no rows: {head}");
    }
    for intrinsic in ["_mm_aesenc_si128(", "_mm_clmulepi64_si128("] {
        assert!(rest.contains(intrinsic), "{intrinsic} is not taken");
    }
    for mode in ["Aes128GcmSiv", "Aes256GcmSiv"] {
        let (head, _) = on_instructions("modes/gcm_siv/gcm_siv.ua", mode);
        let rows = "start, ssse3+aes P8x16";
        assert!(head.contains(rows), "round keys of {mode} are on no rows: {head}");
    }
    let (head, _) = on_instructions("modes/aegis/aegis.ua", "Aegis128L");
    for piece in ["start", "absorb1", "absorb2", "open2", "finish"] {
        let rows = format!("{piece}, ssse3+aes P8x16");
        assert!(head.contains(&rows), "{piece} is on no rows: {head}");
    }
}

#[test]
fn one_source_has_variants_with_instructions_and_without() {
    let folder = Folder::new("instructions");
    let source = "modes/sha2/sha2.ua";
    let (file, targets) = (folder.path("sha256.c"), "gp64,ssse3+sha,avx2");
    let done = nakiri(&["build", source, "--entry", "Sha256", "--target", targets, "-o", &file]);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("_mm_sha256rnds2_epu32("), "SHA-NI is not taken");
    // Those with AVX2 take one message alone by SHA-NI, if they have it.
    assert!(text.contains("own = (sha256_runs(1) ? 1 : 2) + 1;"), "nothing is chosen at run time");
    // So they do with many, two at once, since the rounds of one wait for each other.
    assert!(text.contains("own = (sha256_runs(1) ? 1 : 0) + 1;"), "many are not taken by SHA-NI");
    assert!(text.contains("ssse3+sha P32x4: 4 of each of 2 texts at once"), "one after another");
    // Whoever asks for a variant has that.
    assert_eq!(text.matches("    if (sha256_is_asked())").count(), 2);
    let main = folder.write("main.c", MAIN);
    let program = folder.path("main");
    for compiler in cc::all() {
        let (sources, program) = ([Path::new(&main), Path::new(&file)], Path::new(&program));
        compiler.compile(&sources, &[], program).unwrap_or_else(|error| panic!("{error}"));
        let status = Command::new(program).status().expect("it starts");
        assert!(status.success(), "{}", compiler.machine());
    }
}
