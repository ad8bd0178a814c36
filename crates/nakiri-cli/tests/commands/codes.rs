//! Message authentication codes by modes give what is published.

use super::modes::{compiled, full, printed, published, with_instructions};
use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::path::PathBuf;

/// Keys, messages and codes of AES-128 in published files.
const FILES: [&str; 2] = ["botan-mac/cmac.vec", "wycheproof/aes_cmac_test.json"];

/// Key, message and code as digits, and whether that is its code.
type Vector = (String, String, String, bool);

fn of_lines(text: &str) -> Vec<Vector> {
    let section = text.split("[CMAC(AES-128)]").nth(1).unwrap_or_default();
    let section = section.split('[').next().unwrap_or_default();
    let (mut all, mut key, mut message) = (Vec::new(), String::new(), String::new());
    for (name, value) in section.lines().filter_map(|line| line.split_once('=')) {
        let value = value.trim().to_lowercase();
        match name.trim() {
            "Key" => key = value,
            "In" => message = value,
            "Out" => all.push((key.clone(), message.clone(), value, true)),
            _ => {}
        }
    }
    all
}

fn of_json(text: &str) -> Vec<Vector> {
    let file: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let list =
        |value: &serde_json::Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let groups = list(&file, "testGroups");
    let tests = groups.iter().flat_map(|group| list(group, "tests"));
    let vector = |test: serde_json::Value| {
        let text = |key: &str| test[key].as_str().unwrap_or_default().to_string();
        (text("key"), text("msg"), text("tag"), text("result") == "valid")
    };
    // Others are of longer keys, or of a part of the code.
    tests.map(vector).filter(|v| v.0.len() == 32 && v.2.len() == 32).collect()
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
        let Some(root) = published() else { continue };
        for file in FILES {
            let text = std::fs::read_to_string(root.join(file)).expect("a published file");
            let all = if file.ends_with("json") { of_json(&text) } else { of_lines(&text) };
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
