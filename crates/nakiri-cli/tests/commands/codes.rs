//! Message authentication codes by modes give what is published.

use super::modes::{compiled, full, printed, targets, with_instructions};
use super::published::{self, field, is_valid, records, Record};
use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::path::{Path, PathBuf};

/// A mode of a folder, with the bytes of its keys.
struct Subject {
    mode: &'static str,
    folder: &'static str,
    key: usize,
    files: &'static [&'static str],
    targets: fn() -> Vec<&'static str>,
}

const SUBJECTS: [Subject; 2] = [
    Subject {
        mode: "aes128_cmac",
        folder: "cmac",
        key: 16,
        files: &["botan-mac/cmac.vec#CMAC(AES-128)", "wycheproof/aes_cmac_test.json"],
        targets: with_instructions,
    },
    Subject {
        mode: "poly1305",
        folder: "poly1305",
        key: 32,
        files: &["botan-mac/poly1305.vec#Poly1305"],
        targets,
    },
];

/// Key, message and code as digits, and whether that is its code: others are of longer keys, or of a part of the code.
fn vector(record: &Record, key_bytes: usize) -> Option<(String, String, String, bool)> {
    let (key, message) = (field(record, &["key"]), field(record, &["in", "msg"]));
    let code = field(record, &["out", "tag"]);
    let fits = key.len() == 2 * key_bytes && code.len() == 32;
    fits.then(|| (key, message, code, is_valid(record)))
}

/// The code of each line's message, alone, in two parts, and among messages of its first bytes.
const DRIVER: &str = r#"
#include "$folder.h"
#include <stdio.h>
#include <string.h>

#define MANY 70

static uint8_t message[1 << 16], keys[MANY][$key], codes[MANY][16], code[16];

static size_t bytes(uint8_t *to, size_t room)
{
    size_t count = 0;
    unsigned value;
    if (scanf(" x") != 0)
        return 0;
    while (count < room && scanf("%2x", &value) == 1)
        to[count++] = (uint8_t)value;
    return count;
}

int main(int argc, char **argv)
{
    size_t left;
    if (argc < 2)
        return $P_self_test();
    if ($P_use_variant(argv[1]) != 0 || scanf("%zu", &left) != 1)
        return 3;
    for (; left > 0; left--) {
        const uint8_t *messages[MANY];
        size_t lengths[MANY];
        bytes(keys[0], sizeof keys[0]);
        const size_t length = bytes(message, sizeof message);
        $P(code, keys[0], message, length);
        if ($P_verify(code, keys[0], message, length) != 0)
            return 4;
        for (unsigned bit = 0; bit < 128; bit++) {
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if ($P_verify(code, keys[0], message, length) != -1)
                return 5;
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t k = 0; k < 16; k++)
            printf("%02x", code[k]);
        printf("\n");
        for (size_t k = 0; k < MANY; k++) {
            messages[k] = message;
            lengths[k] = k < length ? length - k : 0;
            memcpy(keys[k], keys[0], sizeof keys[0]);
        }
        $P_many(MANY, codes[0], keys[0], messages, lengths);
        for (size_t k = 0; k < MANY; k++) {
            $P_state state;
            $P_init(&state, keys[0]);
            $P_update(&state, message, lengths[k] / 2);
            $P_update(&state, message + lengths[k] / 2, lengths[k] - lengths[k] / 2);
            $P_final(&state, code);
            if (memcmp(code, codes[k], 16) != 0)
                return 2;
            $P_init(&state, keys[0]);
            $P_update(&state, message, lengths[k]);
            $P_wipe(&state);
            for (size_t j = 0; j < sizeof state; j++)
                if (((const uint8_t *)&state)[j] != 0)
                    return 6;
        }
    }
    return 0;
}
"#;

#[test]
fn codes_are_what_is_published() {
    SUBJECTS.iter().for_each(are_published);
}

fn are_published(subject: &Subject) {
    let Subject { mode, folder, .. } = subject;
    let (work, targets) = (Folder::new(folder), (subject.targets)());
    let out = work.path(&format!("{folder}.c"));
    let source = format!("modes/{folder}");
    let done = nakiri(&["build", &source, "--target", &targets.join(","), "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let names = [("$folder", *folder), ("$P", mode), ("$key", &subject.key.to_string())];
    let driver = names.iter().fold(DRIVER.to_string(), |text, (of, name)| text.replace(of, name));
    let sources = [PathBuf::from(out), PathBuf::from(work.write("main.c", driver))];
    for (k, cc) in cc::all().iter().enumerate().filter(|(k, _)| full() || *k == 0) {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &["-O1"], &program);
        assert!(printed(cc, &program, &[], "").is_empty());
        let Some(root) = published::root() else { continue };
        for file in subject.files {
            let all = records(&root, file);
            let all: Vec<_> = all.iter().filter_map(|r| vector(r, subject.key)).collect();
            assert!(all.len() > 20, "{file}");
            let mut lines = vec![all.len().to_string()];
            lines.extend(all.iter().map(|(key, message, ..)| format!("x{key} x{message}")));
            for target in &targets {
                let got = printed(cc, &program, &[target], &lines.join("\n"));
                assert_eq!(got.len(), all.len(), "{file}");
                for (code, vector) in got.iter().zip(&all) {
                    assert_eq!(*code == vector.2, vector.3, "{file}, {target}: {vector:?}");
                }
                println!("{file}: {} messages, {target}, {}", all.len(), cc.identity());
            }
        }
    }
}

/// A code, a key and a message that are undefined to memcheck: it reports each branch and address that depends on them.
const UNDEFINED: &str = r#"
#include "poly1305.h"
#include <valgrind/memcheck.h>

int main(void)
{
    static uint8_t key[32] = { 1, 2, 3 }, message[100] = { 4, 5 }, code[16];
    poly1305(code, key, message, sizeof message);
    VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    VALGRIND_MAKE_MEM_UNDEFINED(message, sizeof message);
    VALGRIND_MAKE_MEM_UNDEFINED(code, sizeof code);
    int verdict = poly1305_verify(code, key, message, sizeof message);
    /* What says whether a message is authentic is public. */
    VALGRIND_MAKE_MEM_DEFINED(&verdict, sizeof verdict);
    return verdict;
}
"#;

#[test]
fn where_codes_differ_is_told_by_nothing() {
    if !super::has_memcheck() {
        return;
    }
    let work = Folder::new("codes-undefined");
    let out = work.path("poly1305.c");
    assert_eq!(nakiri(&["build", "poly1305", "--target", "gp64", "-o", &out]).code, 0);
    let main = PathBuf::from(work.write("undefined.c", UNDEFINED));
    for cc in cc::all() {
        for level in ["-O1", "-O2", "-O3"] {
            let program = PathBuf::from(work.path("undefined"));
            cc.compile(&[Path::new(&out), &main], &[level], &program).expect("it compiles");
            super::passes_memcheck(&program, &format!("{} {level}", cc.program));
        }
    }
}
