//! Authenticated encryption by modes: libraries in C and Rust give published results, alone and in lanes, and open nothing that is
//! forged.

use super::modes::{compiled, full, printed, published, targets, SANITIZED};
use super::{nakiri, Folder};
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use std::path::{Path, PathBuf};

/// Published files of the modes of `modes/ascon_aead`.
const FILES: [(&str, &str); 5] = [
    ("ascon_aead128", "sp800-232/asconaead128/LWC_AEAD_KAT_128_128.txt"),
    ("ascon_aead128", "botan-aead/ascon_aead128.vec"),
    ("ascon_aead128", "wycheproof/ascon_sp800_232_aead128_test.json"),
    ("ascon128", "wycheproof/ascon128_test.json"),
    ("ascon128a", "wycheproof/ascon128a_test.json"),
];

/// Key, nonce, associated data, plain text, what it becomes and its tag as digits, and whether that is its tag.
#[derive(Clone, Debug, Default)]
struct Vector {
    key: String,
    nonce: String,
    ad: String,
    plain: String,
    cipher: String,
    tag: String,
    valid: bool,
}

/// The vectors of a published file: with keys and nonces of 16 bytes, and tags of as many.
fn vectors(text: &str) -> Vec<Vector> {
    let all = if text.trim_start().starts_with('{') { of_json(text) } else { of_lines(text) };
    let size = |v: &Vector| [&v.key, &v.nonce, &v.tag].iter().all(|part| part.len() == 32);
    all.into_iter().filter(size).collect()
}

fn of_lines(text: &str) -> Vec<Vector> {
    let (mut all, mut own) = (Vec::new(), Vector { valid: true, ..Vector::default() });
    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
        let value = value.trim().to_lowercase();
        match key.trim() {
            "Key" => own.key = value,
            "Nonce" => own.nonce = value,
            "AD" => own.ad = value,
            "PT" | "In" => own.plain = value,
            "CT" | "Out" => {
                let (cipher, tag) = value.split_at(value.len() - 32);
                (own.cipher, own.tag) = (cipher.to_string(), tag.to_string());
                all.push(own.clone());
            }
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
        Vector {
            key: text("key"),
            nonce: text("iv"),
            ad: text("aad"),
            plain: text("msg"),
            cipher: text("ct"),
            tag: text("tag"),
            valid: text("result") == "valid",
        }
    };
    tests.map(vector).collect()
}

/// Seals and opens each line's text, alone and among all others with the first one's key.
const DRIVER: &str = r#"
#include "ascon_aead.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

static uint8_t *ads[MOST], *plains[MOST], *ciphers[MOST], *sealed[MOST], *copies[MOST];
static size_t ad_lengths[MOST], lengths[MOST], cipher_lengths[MOST];
static uint8_t keys[MOST][16], nonces[MOST][16], tags[MOST][16], own[MOST][16], others[MOST][16];
static uint8_t opened[MOST];
static int verdicts[MOST];

static uint8_t *bytes(size_t *length)
{
    static char digits[1 << 20];
    if (scanf(" x%1048575[0-9a-f]", digits) != 1) {
        if (scanf("x") != 0)
            exit(5);
        digits[0] = 0;
    }
    *length = strlen(digits) / 2;
    uint8_t *to = malloc(*length + 1);
    for (size_t k = 0; k < *length; k++) {
        unsigned value;
        if (sscanf(digits + 2 * k, "%2x", &value) != 1)
            exit(6);
        to[k] = (uint8_t)value;
    }
    return to;
}

static void print(const uint8_t *from, size_t length)
{
    for (size_t k = 0; k < length; k++)
        printf("%02x", from[k]);
    printf("|");
}

#define RUN(P) \
    if (strcmp(argv[1], #P) == 0) { \
        if (P##_use_variant(argv[2]) != 0) \
            return 3; \
        for (size_t k = 0; k < count; k++) { \
            P##_seal(sealed[k], own[k], keys[k], nonces[k], ads[k], ad_lengths[k], plains[k], lengths[k]); \
            verdicts[k] = P##_open(copies[k], tags[k], keys[k], nonces[k], ads[k], ad_lengths[k], ciphers[k], cipher_lengths[k]); \
            print(sealed[k], lengths[k]); \
            print(own[k], 16); \
            printf("%d|", verdicts[k]); \
            print(copies[k], cipher_lengths[k]); \
            printf("\n"); \
        } \
        P##_seal_many(same, others[0], keys[0], nonces[0], (const uint8_t *const *)ads, ad_lengths, plains, lengths); \
        for (size_t k = 0; k < same; k++) \
            if (memcmp(plains[k], sealed[k], lengths[k]) != 0 || memcmp(own[k], others[k], 16) != 0) \
                return 2; \
        const int all = P##_open_many(same, opened, tags[0], keys[0], nonces[0], (const uint8_t *const *)ads, ad_lengths, ciphers, cipher_lengths); \
        int each = 0; \
        for (size_t k = 0; k < same; k++) { \
            each |= verdicts[k]; \
            if (memcmp(ciphers[k], copies[k], cipher_lengths[k]) != 0 || opened[k] != (verdicts[k] == 0 ? 255 : 0)) \
                return 2; \
        } \
        return all != each; \
    }

int main(int argc, char **argv)
{
    if (argc < 3)
        return ascon_aead128_self_test() != 0 || ascon128_self_test() != 0 || ascon128a_self_test() != 0;
    size_t count = 0, same = 0, size, limit;
    if (scanf("%zu", &limit) != 1 || limit > MOST)
        return 4;
    for (; count < limit; count++) {
        uint8_t *parts[3] = { keys[count], nonces[count], tags[count] };
        for (size_t k = 0; k < 3; k++) {
            uint8_t *from = bytes(&size);
            if (size != 16)
                return 4;
            memcpy(parts[k], from, 16);
            free(from);
        }
        ads[count] = bytes(ad_lengths + count);
        plains[count] = bytes(lengths + count);
        ciphers[count] = bytes(cipher_lengths + count);
        sealed[count] = malloc(lengths[count] + 1);
        copies[count] = malloc(cipher_lengths[count] + 1);
        if (same == count && memcmp(keys[count], keys[0], 16) == 0)
            same++;
    }
    RUN(ascon_aead128)
    RUN(ascon128)
    RUN(ascon128a)
    return 4;
}
"#;

fn built(work: &Folder, targets: &str) -> [PathBuf; 2] {
    let out = work.path("ascon_aead.c");
    let done = nakiri(&["build", "modes/ascon_aead", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    [PathBuf::from(out), PathBuf::from(work.write("main.c", DRIVER))]
}

/// Holds a program against the published files, in a variant; how many texts these had.
fn agrees(cc: &Compiler, program: &Path, variant: &str) -> usize {
    let Some(root) = published() else { return 0 };
    let mut total = 0;
    for (mode, file) in FILES {
        let text = std::fs::read_to_string(root.join(file)).expect("a published file");
        let mut all = vectors(&text);
        assert!(!all.is_empty(), "{file}");
        // Those of one key side by side, for lanes.
        all.sort_by(|a, b| a.key.cmp(&b.key));
        let mut lines = vec![all.len().to_string()];
        lines.extend(all.iter().map(|v| {
            format!("x{} x{} x{} x{} x{} x{}", v.key, v.nonce, v.tag, v.ad, v.plain, v.cipher)
        }));
        let got = printed(cc, program, &[mode, variant], &lines.join("\n"));
        assert_eq!(got.len(), all.len(), "{file}");
        for (line, v) in got.iter().zip(&all) {
            let parts: Vec<&str> = line.split('|').collect();
            if v.valid {
                assert_eq!(parts[..3], [&*v.cipher, &v.tag, "0"], "{file}: {v:?}");
                assert_eq!(parts[3], v.plain, "{file}: {v:?}");
            } else {
                assert_eq!(parts[2], "-1", "{file}: {v:?}");
                assert!(parts[3].bytes().all(|digit| digit == b'0'), "{file}: {v:?}");
            }
        }
        println!("{file}: {} texts by {mode}, {variant}, {}", all.len(), cc.identity());
        total += all.len();
    }
    total
}

#[test]
fn texts_become_what_is_published_and_forged_ones_nothing() {
    let work = Folder::new("aead-ascon");
    let targets = targets();
    let sources = built(&work, &targets.join(","));
    let compilers = cc::all();
    for (k, cc) in compilers.iter().enumerate().filter(|(k, _)| full() || *k == 0) {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &["-O1"], &program);
        assert!(printed(cc, &program, &[], "").is_empty());
        for target in &targets {
            assert!(agrees(cc, &program, target) > 0 || published().is_none());
        }
    }
    let listed = if full() { targets.join(",") } else { "gp64,ssse3".to_string() };
    super::rust::passes_its_vectors("modes/ascon_aead", &listed);
}

/// What surrounds the kernels is the same for all targets: one has the least for compilers to do.
#[test]
fn nothing_is_read_or_written_outside() {
    let work = Folder::new("aead-sanitized");
    let sources = built(&work, "gp64");
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
        assert!(agrees(cc, &program, "gp64") > 0 || published().is_none());
    }
}

/// Words that begin with their most significant bytes, and other architectures.
#[test]
fn other_machines_seal_and_open() {
    for (architecture, target) in [("s390x", "gp64"), ("aarch64", "neon"), ("riscv64", "gp64")] {
        let known = nakiri::isa::architectures();
        let architecture = known.iter().find(|known| known.name == architecture);
        let Some(cc) = architecture.and_then(|known| Compiler::cross(known).ok()) else {
            eprintln!("not tested: {target} has no compiler or emulator here");
            continue;
        };
        let work = Folder::new(&format!("aead-{}", cc.machine()));
        let sources = built(&work, target);
        let program = PathBuf::from(work.path("program"));
        compiled(&cc, &sources, &[&["-O1"], exec::linking(&cc)].concat(), &program);
        assert!(printed(&cc, &program, &[], "").is_empty());
    }
}

/// Keys, nonces, data, texts and tags are undefined to memcheck, which reports each branch and address that depends on them.
const UNDEFINED: &str = r#"
#include "ascon_aead.h"
#include <valgrind/memcheck.h>

#define COUNT 40

int main(void)
{
    static uint8_t key[16], nonces[COUNT][16], ad[500], buffers[COUNT][500], tags[COUNT][16], opened[COUNT];
    const uint8_t *ads[COUNT];
    uint8_t *texts[COUNT];
    size_t ad_lengths[COUNT], lengths[COUNT];
    VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    VALGRIND_MAKE_MEM_UNDEFINED(nonces, sizeof nonces);
    VALGRIND_MAKE_MEM_UNDEFINED(ad, sizeof ad);
    VALGRIND_MAKE_MEM_UNDEFINED(buffers, sizeof buffers);
    for (size_t k = 0; k < COUNT; k++) {
        ads[k] = ad;
        texts[k] = buffers[k];
        ad_lengths[k] = 7 * k;
        lengths[k] = 11 * (COUNT - 1 - k);
    }
    ascon_aead128_seal(buffers[0], tags[0], key, nonces[0], ad, 33, buffers[0], 100);
    ascon_aead128_seal_many(COUNT, tags[0], key, nonces[0], ads, ad_lengths, texts, lengths);
    VALGRIND_MAKE_MEM_UNDEFINED(tags, sizeof tags);
    int one = ascon_aead128_open(buffers[0], tags[0], key, nonces[0], ad, 33, buffers[0], 100);
    int all = ascon_aead128_open_many(COUNT, opened, tags[0], key, nonces[0], ads, ad_lengths, texts, lengths);
    /* What says whether texts are authentic is public. */
    VALGRIND_MAKE_MEM_DEFINED(&one, sizeof one);
    VALGRIND_MAKE_MEM_DEFINED(&all, sizeof all);
    return one == 0 || all == 0;
}
"#;

#[test]
fn lengths_alone_decide_what_is_done() {
    let header = Path::new("/usr/include/valgrind/memcheck.h").exists();
    if !header || !cfg!(target_arch = "x86_64") || !super::tools(&["valgrind"]) {
        return eprintln!("not tested: on Debian, apt-get install valgrind");
    }
    let work = Folder::new("aead-undefined");
    let [source, _] = built(&work, targets().last().expect("a target"));
    let main = PathBuf::from(work.write("undefined.c", UNDEFINED));
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("undefined{k}")));
        cc.compile(&[&source, &main], &[["-O1", "-O3"][k % 2]], &program).expect("it compiles");
        let mut command = std::process::Command::new("valgrind");
        let done = command.args(["--quiet", "--error-exitcode=9"]).arg(&program).output();
        let done = done.expect("valgrind starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

/// A counter mode, a code of two streams with their lengths, and a chain, which has no way back.
const TOYS: &str = r#"
# A toy in counter mode, and a code of two streams.
mode Ctr (key:const u32, counter:u32, plain:bytes) returns (sealed:bytes)
vars n:u32
let
  n = counter;
  forall p:u32 in pad(plain), c:u32 in sealed {
    c = p ^ ((n * 0x9e3779b1) ^ key);
    n := n + 1;
  }
tel
mode Mac (key:const u64, a, b:bytes) returns (tag:u64)
vars s:u64
let
  s = key ^ length(a);
  forall x:u64 in pad(a) { s := (s ^ x) <<< 7; }
  forall x:u64 in pad(b, 0x80) { s := (s + x) <<< 9; } last { s := (s + x) ^ key; }
  tag = s ^ length(b);
tel
mode Chain (iv:u8[2], plain:bytes) returns (sealed:bytes)
vars s:u8[2]
let
  s = iv;
  forall p:u8[2] in pad(plain, 0x80), c:u8[2] in sealed {
    s := (s ^ p) + s;
    c = s;
  }
tel
"#;

const MANIFEST: &str = r#"
name = "toy"
title = "Toys"
specification = "none"
source = "toy.ua"
slicing = "V"

[[instance]]
prefix = "toy_ctr"
mode = "Ctr"

[[instance]]
prefix = "toy_mac"
mode = "Mac"

[[instance]]
prefix = "toy_chain"
mode = "Chain"
"#;

/// Computed by programs of their own.
const VECTORS: &str = r#"
[[message]]
instance = "toy_ctr"
inputs = "0700000003000000"
in = "000102030405060708"
out = "146ca4d9c7e3db7f7a"
origin = "none"

[[message]]
instance = "toy_mac"
inputs = "0700000003000000"
streams = ["0001020304050607080102030405", "0102"]
out = "d547dd01c2424381"
origin = "none"

[[message]]
instance = "toy_chain"
inputs = "0102"
in = "000102"
out = "020502"
origin = "none"
"#;

#[test]
fn other_forms_of_modes_are_libraries_too() {
    let work = Folder::new("modes-toys");
    let folder = work.0.join("toy");
    std::fs::create_dir(&folder).expect("a folder");
    let files = [("toy.ua", TOYS), ("cipher.toml", MANIFEST), ("vectors.toml", VECTORS)];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let (source, out) = (folder.display().to_string(), work.path("toy.c"));
    let done = nakiri(&["build", &source, "--target", "gp64,ssse3", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = "#include \"toy.h\"\n\nint main(void)\n{\n    return toy_ctr_self_test() != 0 || toy_mac_self_test() != 0 || toy_chain_self_test() != 0;\n}\n";
    let sources = [PathBuf::from(out), PathBuf::from(work.write("main.c", main))];
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
    }
    super::rust::passes_its_vectors(&source, "gp64,ssse3");
}
