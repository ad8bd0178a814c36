//! Message authentication codes by modes give what is published.

use super::modes::{compiled, full, printed, with_instructions};
use super::published::{self, field, is_valid, records, Record};
use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::path::PathBuf;

/// Keys, messages and codes of AES-128 in published files.
const FILES: [&str; 2] = ["botan-mac/cmac.vec#CMAC(AES-128)", "wycheproof/aes_cmac_test.json"];

/// Key, message and code as digits, and whether that is its code: others are of longer keys, or of a part of the code.
fn vector(record: &Record) -> Option<(String, String, String, bool)> {
    let (key, message) = (field(record, &["key"]), field(record, &["in", "msg"]));
    let code = field(record, &["out", "tag"]);
    (key.len() == 32 && code.len() == 32).then(|| (key, message, code, is_valid(record)))
}

/// The code of each line's message, alone, in two parts, and among messages of its first bytes.
const DRIVER: &str = r#"
#include "cmac.h"
#include <stdio.h>
#include <string.h>

#define MANY 70

static uint8_t message[1 << 16], key[16], codes[MANY][16], code[16];

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
        return aes128_cmac_self_test();
    if (aes128_cmac_use_variant(argv[1]) != 0 || scanf("%zu", &left) != 1)
        return 3;
    for (; left > 0; left--) {
        const uint8_t *messages[MANY];
        size_t lengths[MANY];
        bytes(key, sizeof key);
        const size_t length = bytes(message, sizeof message);
        aes128_cmac(code, key, message, length);
        for (size_t k = 0; k < 16; k++)
            printf("%02x", code[k]);
        printf("\n");
        for (size_t k = 0; k < MANY; k++) {
            messages[k] = message;
            lengths[k] = k < length ? length - k : 0;
        }
        aes128_cmac_many(MANY, codes[0], key, messages, lengths);
        for (size_t k = 0; k < MANY; k++) {
            aes128_cmac_state state;
            aes128_cmac_init(&state, key);
            aes128_cmac_update(&state, message, lengths[k] / 2);
            aes128_cmac_update(&state, message + lengths[k] / 2, lengths[k] - lengths[k] / 2);
            aes128_cmac_final(&state, code);
            if (memcmp(code, codes[k], 16) != 0)
                return 2;
        }
    }
    return 0;
}
"#;

#[test]
fn cmac_is_what_is_published() {
    let (work, targets) = (Folder::new("cmac"), with_instructions());
    let out = work.path("cmac.c");
    let done = nakiri(&["build", "modes/cmac", "--target", &targets.join(","), "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let sources = [PathBuf::from(out), PathBuf::from(work.write("main.c", DRIVER))];
    for (k, cc) in cc::all().iter().enumerate().filter(|(k, _)| full() || *k == 0) {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &["-O1"], &program);
        assert!(printed(cc, &program, &[], "").is_empty());
        let Some(root) = published::root() else { continue };
        for file in FILES {
            let all: Vec<_> = records(&root, file).iter().filter_map(vector).collect();
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
