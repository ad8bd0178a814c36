//! Modes that give a text and nothing beside it: libraries in C and Rust give published texts there and back, alone and in lanes,
//! and refuse lengths that the mode has no text of.

use super::forms::{self_testing, self_tests};
use super::modes::{
    compiled, in_turn, library, object, printed, with_instructions, READER, SANITIZED,
};
use super::published::{self, field, is_valid, records, Record};
use super::Folder;
use nakiri_verify::cc;
use std::path::PathBuf;

/// A folder of `modes`, with its modes and the bytes of their keys.
struct Subject {
    folder: &'static str,
    modes: &'static [(&'static str, usize)],
    /// A length beyond what the mode allows, as an expression of C; 0 if it allows all.
    beyond: &'static str,
}

const SUBJECTS: [Subject; 2] = [
    Subject { folder: "cbc", modes: &[("aes128_cbc", 16), ("aes256_cbc", 32)], beyond: "0" },
    Subject { folder: "xts", modes: &[("aes128_xts", 32), ("aes256_xts", 64)], beyond: "16777232" },
];

/// Published files, with the mode that each is of.
const FILES: [(&str, &str); 13] = [
    ("aes128_cbc", "nist-aes/CBCGFSbox128.rsp"),
    ("aes128_cbc", "nist-aes/CBCKeySbox128.rsp"),
    ("aes128_cbc", "nist-aes/CBCVarKey128.rsp"),
    ("aes128_cbc", "nist-aes/CBCVarTxt128.rsp"),
    ("aes128_cbc", "nist-aes/CBCMMT128.rsp"),
    ("aes128_cbc", "wycheproof/aes_cbc_pkcs5_test.json"),
    ("aes256_cbc", "nist-aes/CBCGFSbox256.rsp"),
    ("aes256_cbc", "nist-aes/CBCVarKey256.rsp"),
    ("aes256_cbc", "nist-aes/CBCVarTxt256.rsp"),
    ("aes256_cbc", "nist-aes/CBCMMT256.rsp"),
    ("aes256_cbc", "wycheproof/aes_cbc_pkcs5_test.json"),
    ("aes128_xts", "wycheproof/aes_xts_test.json"),
    ("aes256_xts", "wycheproof/aes_xts_test.json"),
];

/// The key, the initial value, the plain text and what becomes of it, as digits; none of what is no text of whole blocks.
fn vector(record: &Record, file: &str) -> Option<[String; 4]> {
    let mut plain = field(record, &["plaintext", "msg"]);
    if file.contains("pkcs5") {
        let left = 16 - plain.len() / 2 % 16;
        plain.push_str(&format!("{left:02x}").repeat(left));
    }
    let text = [field(record, &["key"]), field(record, &["iv"]), plain];
    let cipher = field(record, &["ciphertext", "ct"]);
    let fits = text[2].len() == cipher.len() && text[1].len() == 32;
    let whole = text[2].len().is_multiple_of(32) && fits;
    let [key, iv, plain] = text;
    (whole && is_valid(record)).then_some([key, iv, plain, cipher])
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1024

static uint8_t keys[MOST][64], ivs[MOST][16], *plains[MOST], *ciphers[MOST], *texts[MOST];
static size_t lengths[MOST];

$reader
#define RUN(P, KEY) \
    if (strcmp(argv[1], #P) == 0) { \
        static uint8_t text[1 << 15], own[MOST][16]; \
        if (P##_use_variant(argv[2]) != 0) \
            return 3; \
        for (size_t k = 0; k < count; k++) { \
            if (P##_encrypt(text, keys[k], ivs[k], plains[k], lengths[k]) != 0 || memcmp(text, ciphers[k], lengths[k]) != 0) \
                return 10; \
            if (P##_decrypt(text, keys[k], ivs[k], text, lengths[k]) != 0 || memcmp(text, plains[k], lengths[k]) != 0) \
                return 11; \
            memcpy(own[k], ivs[k], 16); \
        } \
        for (size_t from = 0, same; from < count; from += same) { \
            for (same = 1; from + same < count && memcmp(keys[from + same], keys[from], KEY) == 0;) \
                same++; \
            for (size_t k = from; k < from + same; k++) \
                memcpy(texts[k], plains[k], lengths[k]); \
            if (P##_encrypt_many(same, keys[from], own[from], texts + from, lengths + from) != 0) \
                return 12; \
            for (size_t k = from; k < from + same; k++) \
                if (memcmp(texts[k], ciphers[k], lengths[k]) != 0) \
                    return 13; \
            if (P##_decrypt_many(same, keys[from], own[from], texts + from, lengths + from) != 0) \
                return 14; \
            for (size_t k = from; k < from + same; k++) \
                if (memcmp(texts[k], plains[k], lengths[k]) != 0) \
                    return 15; \
        } \
        /* Nothing is written of a length that is refused. */ \
        memset(text, 7, 64); \
        for (size_t length = 1; length < 50; length++) { \
            if (length % 16 == 0) \
                continue; \
            uint8_t *both[2] = { text, text + 32 }; \
            const size_t two[2] = { 16, length }; \
            if (P##_encrypt(text, keys[0], ivs[0], text + 64, length) != -1 || P##_decrypt(text, keys[0], ivs[0], text + 64, length) != -1) \
                return 16; \
            if (P##_encrypt_many(2, keys[0], own[0], both, two) != -1 || P##_decrypt_many(2, keys[0], own[0], both, two) != -1) \
                return 17; \
            for (size_t k = 0; k < 64; k++) \
                if (text[k] != 7) \
                    return 18; \
        } \
        if ($beyond > 0 && P##_encrypt(text, keys[0], ivs[0], text, $beyond) != -1) \
            return 19; \
        return 0; \
    }

int main(int argc, char **argv)
{
    if (argc < 3)
        return $tests;
    size_t count = 0, limit, size;
    if (scanf("%zu", &limit) != 1 || limit > MOST)
        return 4;
    for (; count < limit; count++) {
        uint8_t *key = bytes(&size);
        memcpy(keys[count], key, size);
        free(key);
        uint8_t *iv = bytes(&size);
        memcpy(ivs[count], iv, sizeof ivs[count]);
        free(iv);
        plains[count] = bytes(lengths + count);
        ciphers[count] = bytes(&size);
        texts[count] = malloc(size + 1);
        if (size != lengths[count])
            return 7;
    }
$runs    return 4;
}
"#;

/// The C of a folder, and a program that holds it against texts.
fn built(subject: &Subject, work: &Folder, targets: &str) -> [PathBuf; 2] {
    let Subject { folder, modes, beyond } = subject;
    let runs: String =
        modes.iter().map(|(mode, key)| format!("    RUN({mode}, {key})\n")).collect();
    let driver = DRIVER
        .replace("$reader", READER)
        .replace("$tests", &self_tests(&format!("modes/{folder}")));
    let driver = driver.replace("$runs", &runs).replace("$beyond", beyond);
    let driver = format!("#include \"{folder}.h\"\n{driver}");
    [library(folder, work, targets), PathBuf::from(work.write("texts.c", driver))]
}

/// Holds a program against the published files, in a variant; how many texts these had.
fn agrees(subject: &Subject, cc: &cc::Compiler, program: &std::path::Path, variant: &str) -> usize {
    let Some(root) = published::root() else { return 0 };
    let mut total = 0;
    for (mode, file) in FILES {
        let Some((_, key)) = subject.modes.iter().find(|(own, _)| *own == mode) else { continue };
        let read = records(&root, file);
        let all = read.iter().filter_map(|record| vector(record, file));
        let mut all: Vec<[String; 4]> = all.filter(|[own, ..]| own.len() == 2 * key).collect();
        assert!(!all.is_empty(), "{file}");
        all.sort();
        let mut lines = vec![all.len().to_string()];
        lines.extend(all.iter().map(|parts| format!("x{}", parts.join(" x"))));
        printed(cc, program, &[mode, variant], &(lines.join("\n") + "\n"));
        println!("{file}: {} texts by {mode}, {variant}, {}", all.len(), cc.identity());
        total += all.len();
    }
    total
}

#[test]
fn texts_go_there_and_back() {
    for (number, subject) in SUBJECTS.iter().enumerate() {
        let targets = with_instructions();
        let work = Folder::new(&format!("texts-{}", subject.folder));
        let [source, driver] = built(subject, &work, &targets.join(","));
        for cc in &in_turn(number) {
            let object = object(cc, &source, "-O1");
            let program = PathBuf::from(work.path("program"));
            compiled(cc, &[object, driver.clone()], &[], &program);
            assert!(printed(cc, &program, &[], "").is_empty());
            for target in &targets {
                let texts = agrees(subject, cc, &program, target);
                assert!(texts > 0 || published::root().is_none());
            }
        }
    }
}

/// By circuits, which compilers take minutes to optimize.
#[test]
fn machines_without_instructions_give_the_same() {
    for (number, folder) in ["cbc", "ccm", "xts"].into_iter().enumerate() {
        let work = Folder::new(&format!("texts-{folder}-gp64"));
        let sources = self_testing(&format!("modes/{folder}"), &work, "gp64");
        for cc in &in_turn(number) {
            let program = PathBuf::from(work.path("program"));
            compiled(cc, &sources, &["-O0"], &program);
            assert!(printed(cc, &program, &[], "").is_empty());
        }
    }
}

/// Where there are instructions; compilers take minutes for sanitized circuits.
#[test]
fn nothing_is_read_or_written_outside() {
    let targets = with_instructions();
    let work = Folder::new("texts-sanitized");
    let subject = &SUBJECTS[1];
    let sources = built(subject, &work, targets[0]);
    let cc = &cc::all()[0];
    let program = PathBuf::from(work.path("program"));
    compiled(cc, &sources, &SANITIZED, &program);
    assert!(printed(cc, &program, &[], "").is_empty());
    assert!(agrees(subject, cc, &program, targets[0]) > 0 || published::root().is_none());
}
