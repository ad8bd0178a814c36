//! Authenticated encryption by modes: libraries in C and Rust give published results, alone and in lanes, and open nothing that is
//! forged.

use super::forms::self_tests;
use super::modes::{
    compiled, full, in_turns, instance, library, object, on_other_machines, printed, targets,
    with_instructions, READER, SANITIZED,
};
use super::published::{self, field, is_valid, records, Record};
use super::Folder;
use nakiri_verify::cc::{self, Compiler};
use std::path::{Path, PathBuf};

/// A folder of `modes`, and those of its modes with keys, nonces and tags of so many bytes.
struct Subject {
    folder: &'static str,
    modes: &'static [&'static str],
    key: usize,
    nonce: usize,
    tag: usize,
    /// Lengths of data and of a text that the modes refuse, where they refuse some: 0 where any goes.
    beyond: [u64; 2],
    /// The targets that it is tried on.
    targets: fn() -> Vec<&'static str>,
}

const ASCON: Subject = Subject {
    folder: "ascon_aead",
    modes: &["ascon_aead128", "ascon128", "ascon128a"],
    key: 16,
    nonce: 16,
    tag: 16,
    beyond: [0, 0],
    targets,
};
const ON_AES: Subject = Subject { targets: with_instructions, ..ASCON };
const AEGIS: Subject = Subject { folder: "aegis", modes: &["aegis128l"], ..ON_AES };
const GCM: Subject = Subject {
    folder: "gcm",
    modes: &["aes128_gcm"],
    nonce: 12,
    beyond: [0, (1 << 36) - 31],
    ..ON_AES
};
const GCM_SIV: Subject =
    Subject { folder: "gcm_siv", modes: &["aes128_gcm_siv"], beyond: [(1 << 36) + 1; 2], ..GCM };
const CCM: Subject = Subject {
    folder: "ccm",
    modes: &["aes128_ccm"],
    nonce: 12,
    beyond: [65_280, 1 << 24],
    ..ON_AES
};
const CCM13: Subject = Subject { nonce: 13, beyond: [65_280, 1 << 16], ..CCM };
const EAX: Subject = Subject { folder: "eax", modes: &["aes128_eax"], ..ON_AES };
const OCB: Subject = Subject {
    folder: "ocb",
    modes: &["aes128_ocb"],
    nonce: 12,
    beyond: [(1 << 36) - 15; 2],
    ..ON_AES
};
const CHACHA: Subject = Subject {
    folder: "chacha20_poly1305",
    modes: &["chacha20_poly1305"],
    key: 32,
    nonce: 12,
    beyond: [0, (1 << 38) - 63],
    ..ASCON
};
const SUBJECTS: [Subject; 25] = [
    ASCON,
    Subject { folder: "gift_cofb", modes: &["gift_cofb"], targets: on_vectors, ..ASCON },
    Subject { folder: "xoodyak", modes: &["xoodyak_v1"], targets: on_vectors, ..ASCON },
    GCM,
    Subject { modes: &["aes256_gcm"], key: 32, ..GCM },
    GCM_SIV,
    Subject { modes: &["aes256_gcm_siv"], key: 32, ..GCM_SIV },
    CCM,
    Subject { modes: &["aes128_ccm_tag8"], tag: 8, ..CCM },
    Subject { modes: &["aes128_ccm_nonce13"], ..CCM13 },
    Subject { modes: &["aes128_ccm_nonce13_tag8"], tag: 8, ..CCM13 },
    Subject { modes: &["aes256_ccm"], key: 32, ..CCM },
    Subject { modes: &["aes256_ccm_tag8"], key: 32, tag: 8, ..CCM },
    AEGIS,
    Subject { folder: "aegis", modes: &["aegis128l_tag256"], tag: 32, ..ON_AES },
    Subject { folder: "aegis", modes: &["aegis256"], key: 32, nonce: 32, ..ON_AES },
    Subject { folder: "aegis", modes: &["aegis256_tag256"], key: 32, nonce: 32, tag: 32, ..ON_AES },
    EAX,
    Subject { modes: &["aes192_eax"], key: 24, ..EAX },
    Subject { modes: &["aes256_eax"], key: 32, ..EAX },
    OCB,
    Subject { modes: &["aes192_ocb"], key: 24, ..OCB },
    Subject { modes: &["aes256_ocb"], key: 32, ..OCB },
    CHACHA,
    Subject { modes: &["xchacha20_poly1305"], nonce: 24, ..CHACHA },
];

/// Targets with vectors: words of 32 bits may be several in a general-purpose register, by another target's name.
fn on_vectors() -> Vec<&'static str> {
    let all = targets();
    all.get(1..).map_or(all.clone(), <[_]>::to_vec)
}

/// Published files, with the mode that each is of.
const FILES: [(&str, &str); 38] = [
    ("ascon_aead128", "sp800-232/asconaead128/LWC_AEAD_KAT_128_128.txt"),
    ("ascon_aead128", "botan-aead/ascon_aead128.vec"),
    ("ascon_aead128", "wycheproof/ascon_sp800_232_aead128_test.json"),
    ("ascon128", "wycheproof/ascon128_test.json"),
    ("ascon128a", "wycheproof/ascon128a_test.json"),
    ("gift_cofb", "lwc-final/giftcofb128v1/LWC_AEAD_KAT_128_128.txt"),
    ("xoodyak_v1", "lwc-round2/Xoodyak.txt"),
    ("aes128_gcm", "botan-aead/gcm.vec#AES-128/GCM"),
    ("aes128_gcm", "wycheproof/aes_gcm_test.json"),
    ("aes256_gcm", "botan-aead/gcm.vec#AES-256/GCM"),
    ("aes256_gcm", "wycheproof/aes_gcm_test.json"),
    ("aes128_gcm_siv", "botan-aead/gcm_siv.vec#AES-128/GCM-SIV"),
    ("aes128_gcm_siv", "wycheproof/aes_gcm_siv_test.json"),
    ("aes256_gcm_siv", "botan-aead/gcm_siv.vec#AES-256/GCM-SIV"),
    ("aes256_gcm_siv", "wycheproof/aes_gcm_siv_test.json"),
    ("aes128_ccm", "botan-aead/ccm.vec#AES-128/CCM(16,3)"),
    ("aes128_ccm", "wycheproof/aes_ccm_test.json"),
    ("aes128_ccm_tag8", "wycheproof/aes_ccm_test.json"),
    ("aes128_ccm_nonce13", "botan-aead/ccm.vec#AES-128/CCM(16,2)"),
    ("aes128_ccm_nonce13", "wycheproof/aes_ccm_test.json"),
    ("aes128_ccm_nonce13_tag8", "botan-aead/ccm.vec#AES-128/CCM(8,2)"),
    ("aes256_ccm", "wycheproof/aes_ccm_test.json"),
    ("aes256_ccm_tag8", "wycheproof/aes_ccm_test.json"),
    ("aegis128l", "aegis-draft/aegis-128l-test-vectors.json"),
    ("aegis128l", "wycheproof/aegis128L_test.json"),
    ("aegis128l_tag256", "aegis-draft/aegis-128l-test-vectors.json"),
    ("aegis256", "aegis-draft/aegis-256-test-vectors.json"),
    ("aegis256", "wycheproof/aegis256_test.json"),
    ("aegis256_tag256", "aegis-draft/aegis-256-test-vectors.json"),
    ("aes128_eax", "botan-aead/eax.vec#AES-128/EAX"),
    ("aes128_eax", "wycheproof/aes_eax_test.json"),
    ("aes192_eax", "botan-aead/eax.vec#AES-192/EAX"),
    ("aes192_eax", "wycheproof/aes_eax_test.json"),
    ("aes256_eax", "botan-aead/eax.vec#AES-256/EAX"),
    ("aes256_eax", "wycheproof/aes_eax_test.json"),
    ("aes128_ocb", "botan-aead/ocb.vec#AES-128/OCB"),
    ("chacha20_poly1305", "wycheproof/chacha20_poly1305_test.json"),
    ("xchacha20_poly1305", "wycheproof/xchacha20_poly1305_test.json"),
];

/// Key, nonce, associated data, plain text, what it becomes and its tag as digits, and whether that is its tag.
#[derive(Debug)]
struct Vector {
    key: String,
    nonce: String,
    ad: String,
    plain: String,
    cipher: String,
    tag: String,
    valid: bool,
}

/// A vector of a published file with tags of so many bytes. Some have the tag behind the text, some tags of several sizes.
fn vector(record: &Record, size: usize) -> Vector {
    let mut cipher = field(record, &["ct", "out"]);
    let tag = match record.get("tag").or_else(|| record.get(&format!("tag{}", 8 * size))) {
        Some(tag) => tag.clone(),
        None => cipher.split_off(cipher.len().saturating_sub(2 * size)),
    };
    Vector {
        key: field(record, &["key"]),
        nonce: field(record, &["nonce", "iv"]),
        ad: field(record, &["ad", "aad"]),
        plain: field(record, &["pt", "in", "msg"]),
        cipher,
        tag,
        valid: is_valid(record),
    }
}

/// Seals and opens each line's text, alone and among all others with the first one's key.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

static uint8_t *ads[MOST], *plains[MOST], *ciphers[MOST], *sealed[MOST], *copies[MOST];
static size_t ad_lengths[MOST], lengths[MOST], cipher_lengths[MOST];
static uint8_t keys[MOST][KEY], nonces[MOST][NONCE], tags[MOST][TAG], own[MOST][TAG], others[MOST][TAG];
static uint8_t opened[MOST];
static int verdicts[MOST];

$readerstatic void print(const uint8_t *from, size_t length)
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
            print(own[k], TAG); \
            printf("%d|", verdicts[k]); \
            print(copies[k], cipher_lengths[k]); \
            printf("\n"); \
        } \
        P##_seal_many(same, others[0], keys[0], nonces[0], (const uint8_t *const *)ads, ad_lengths, plains, lengths); \
        for (size_t k = 0; k < same; k++) \
            if (memcmp(plains[k], sealed[k], lengths[k]) != 0 || memcmp(own[k], others[k], TAG) != 0) \
                return 2; \
$refused        const int all = P##_open_many(same, opened, tags[0], keys[0], nonces[0], (const uint8_t *const *)ads, ad_lengths, ciphers, cipher_lengths); \
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
        return $tests;
    size_t count = 0, same = 0, size, limit;
    if (scanf("%zu", &limit) != 1 || limit > MOST)
        return 4;
    for (; count < limit; count++) {
        uint8_t *parts[3] = { keys[count], nonces[count], tags[count] };
        const size_t sizes[3] = { KEY, NONCE, TAG };
        for (size_t k = 0; k < 3; k++) {
            uint8_t *from = bytes(&size);
            if (size != sizes[k])
                return 4;
            memcpy(parts[k], from, size);
            free(from);
        }
        ads[count] = bytes(ad_lengths + count);
        plains[count] = bytes(lengths + count);
        ciphers[count] = bytes(cipher_lengths + count);
        sealed[count] = malloc(lengths[count] + 1);
        copies[count] = malloc(cipher_lengths[count] + 1);
        if (same == count && memcmp(keys[count], keys[0], KEY) == 0)
            same++;
    }
$runs    return 4;
}
"#;

fn built(subject: &Subject, work: &Folder, targets: &str) -> [PathBuf; 2] {
    [library(subject.folder, work, targets), driver(subject, work)]
}

/// Lines of the driver: lengths beyond those that modes allow are refused, and nothing is written then.
fn refused(subject: &Subject) -> String {
    let [ad, text] = subject.beyond;
    let lengths = [(ad, 0), (0, text)].into_iter().filter(|(ad, text)| ad + text > 0);
    let line = |(ad, text): (u64, u64)| {
        let (sealed, opened) = (
            format!("ads[0], {ad}u, plains[0], {text}u"),
            format!("ads[0], {ad}u, ciphers[0], {text}u"),
        );
        format!(
            "        if (P##_seal(NULL, NULL, keys[0], nonces[0], {sealed}) != -1 || P##_open(NULL, NULL, keys[0], nonces[0], {opened}) != -1) \\\n            return 8; \\\n"
        )
    };
    lengths.map(line).collect()
}

/// A program for modes of a folder that have keys, nonces and tags of one size each.
fn driver(subject: &Subject, work: &Folder) -> PathBuf {
    let Subject { folder, modes, key, nonce, tag, .. } = subject;
    let runs: String = modes.iter().map(|mode| format!("    RUN({mode})\n")).collect();
    let tests = self_tests(&format!("modes/{folder}"));
    let driver =
        DRIVER.replace("$reader", READER).replace("$tests", &tests).replace("$runs", &runs);
    let driver = driver.replace("$refused", &refused(subject));
    let sizes = format!("#define KEY {key}\n#define NONCE {nonce}\n#define TAG {tag}\n");
    let driver = format!("#include \"{folder}.h\"\n{sizes}{driver}");
    PathBuf::from(work.write(&format!("{}-main.c", modes[0]), driver))
}

/// Holds a program against the published files, in a variant; how many texts these had.
fn agrees(subject: &Subject, cc: &Compiler, program: &Path, variant: &str) -> usize {
    let Some(root) = published::root() else { return 0 };
    let mut total = 0;
    for (mode, file) in FILES.into_iter().filter(|(mode, _)| subject.modes.contains(mode)) {
        let sizes = [2 * subject.key, 2 * subject.nonce, 2 * subject.tag];
        let fits = |v: &Vector| [&v.key, &v.nonce, &v.tag].map(String::len) == sizes;
        let read = records(&root, file);
        let all = read.iter().map(|record| vector(record, subject.tag));
        let mut all: Vec<Vector> = all.filter(fits).collect();
        assert!(!all.is_empty(), "{file}");
        // Those of one key side by side, for lanes.
        all.sort_by(|a, b| a.key.cmp(&b.key));
        let mut lines = vec![all.len().to_string()];
        lines.extend(all.iter().map(|v| {
            format!("x{} x{} x{} x{} x{} x{}", v.key, v.nonce, v.tag, v.ad, v.plain, v.cipher)
        }));
        let got = printed(cc, program, &[mode, variant], &(lines.join("\n") + "\n"));
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

/// Each folder by one compiler on one target, the next by others; with `NAKIRI_FULL=1` by all, on all.
#[test]
fn texts_become_what_is_published_and_forged_ones_nothing() {
    for (number, subjects) in SUBJECTS.chunk_by(|a, b| a.folder == b.folder).enumerate() {
        let (folder, targets) = (subjects[0].folder, (subjects[0].targets)());
        let (targets, compilers) = in_turns(targets, number);
        let work = Folder::new(&format!("aead-{folder}"));
        let source = library(folder, &work, &targets.join(","));
        for cc in &compilers {
            let object = object(cc, &source, ["-O1", "-O2", "-O3"][number % 3]);
            for subject in subjects {
                let program = PathBuf::from(work.path(subject.modes[0]));
                compiled(cc, &[object.clone(), driver(subject, &work)], &[], &program);
                assert!(printed(cc, &program, &[], "").is_empty());
                for target in &targets {
                    let texts = agrees(subject, cc, &program, target);
                    let has_files = FILES.iter().any(|(mode, _)| subject.modes.contains(mode));
                    assert!(texts > 0 || !has_files || published::root().is_none());
                }
            }
        }
    }
    let listed = if full() { targets().join(",") } else { "gp64,ssse3".to_string() };
    super::rust::passes_its_vectors("modes/ascon_aead", &listed);
}

/// What surrounds the kernels is the same for all targets: one has the least for compilers to do.
#[test]
fn nothing_is_read_or_written_outside() {
    let work = Folder::new("aead-sanitized");
    let sources = built(&ASCON, &work, "gp64");
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
        assert!(agrees(&ASCON, cc, &program, "gp64") > 0 || published::root().is_none());
    }
}

#[test]
fn other_machines_seal_and_open() {
    on_other_machines("aead", |work, target| built(&ASCON, work, target));
}

/// Keys, nonces, data, texts and tags are undefined to memcheck, which reports each branch and address that depends on them.
const UNDEFINED: &str = r#"
#include "$header.h"
#include <valgrind/memcheck.h>

#define COUNT 40

int main(void)
{
    static uint8_t key[$key], nonces[COUNT][$nonce], ad[500], buffers[COUNT][500], tags[COUNT][16], opened[COUNT];
    const uint8_t *ads[COUNT];
    uint8_t *texts[COUNT];
    size_t ad_lengths[COUNT], lengths[COUNT];
    nonces[1][0] = 1;
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
    $P_seal(buffers[0], tags[0], key, nonces[1], ad, 33, buffers[0], 100);
    $P_seal_many(COUNT, tags[0], key, nonces[0], ads, ad_lengths, texts, lengths);
    VALGRIND_MAKE_MEM_UNDEFINED(tags, sizeof tags);
    int one = $P_open(buffers[0], tags[0], key, nonces[0], ad, 33, buffers[0], 100);
    int all = $P_open_many(COUNT, opened, tags[0], key, nonces[0], ads, ad_lengths, texts, lengths);
    /* What says whether texts are authentic is public. */
    VALGRIND_MAKE_MEM_DEFINED(&one, sizeof one);
    VALGRIND_MAKE_MEM_DEFINED(&all, sizeof all);
    return one == 0 || all == 0;
}
"#;

#[test]
fn lengths_alone_decide_what_is_done() {
    if !super::has_memcheck() {
        return;
    }
    // Valgrind knows no registers of 512 bits.
    let mut known = targets().into_iter().rev().filter(|target| !target.starts_with("avx512"));
    let own = known.next().expect("a target");
    // Long texts go through stretches there, and powers.
    let rounds = with_instructions().into_iter().find(|target| *target == "ssse3+aes");
    let subjects = rounds.map(|target| [AEGIS, GCM, OCB].map(|subject| (subject, target)));
    let words = [(ASCON, own), (CHACHA, own), (CHACHA, "gp64")];
    for (subject, target) in words.into_iter().chain(subjects.into_iter().flatten()) {
        let work = Folder::new(&format!("{}-undefined", subject.folder));
        let source = instance(subject.folder, subject.modes[0], &work, target);
        let [key, nonce] = [subject.key, subject.nonce].map(|size| size.to_string());
        let names = [
            ("$header", subject.folder),
            ("$P", subject.modes[0]),
            ("$key", &key),
            ("$nonce", &nonce),
        ];
        let text =
            names.iter().fold(UNDEFINED.to_string(), |text, (of, name)| text.replace(of, name));
        let main = PathBuf::from(work.write("undefined.c", &text));
        for (k, cc) in cc::all().iter().enumerate() {
            let program = PathBuf::from(work.path(&format!("undefined{k}")));
            cc.compile(&[&source, &main], &[["-O1", "-O3"][k % 2]], &program).expect("it compiles");
            super::passes_memcheck(&program, target);
        }
    }
}

/// RFC 7253, appendix A: 128 texts of up to 127 bytes under each key size, their results under one more nonce.
const ITERATED: &str = r#"
#include "ocb.h"
#include <stdio.h>
#include <string.h>

static const uint8_t zeros[127];
static uint8_t key[32], all[22400];

static void nonce_of(uint8_t nonce[12], unsigned number)
{
    memset(nonce, 0, 12);
    nonce[10] = (uint8_t)(number >> 8);
    nonce[11] = (uint8_t)number;
}

#define ITERATE(P, BYTES) \
    do { \
        uint8_t nonce[12], tag[16]; \
        size_t length = 0; \
        memset(key, 0, sizeof key); \
        key[BYTES - 1] = 128; \
        for (unsigned k = 0; k < 128; k++) \
            for (unsigned part = 1; part <= 3; part++) { \
                const size_t text = part == 3 ? 0 : k, ad = part == 2 ? 0 : k; \
                nonce_of(nonce, 3 * k + part); \
                P##_seal(all + length, all + length + text, key, nonce, zeros, ad, zeros, text); \
                length += text + 16; \
            } \
        nonce_of(nonce, 385); \
        P##_seal(NULL, tag, key, nonce, all, length, NULL, 0); \
        for (size_t k = 0; k < sizeof tag; k++) \
            printf("%02X", tag[k]); \
        printf("\n"); \
    } while (0)

int main(void)
{
    ITERATE(aes128_ocb, 16);
    ITERATE(aes192_ocb, 24);
    ITERATE(aes256_ocb, 32);
    return 0;
}
"#;

#[test]
fn ocb_gives_what_is_published_of_many_texts() {
    let Some(target) = with_instructions().into_iter().next() else {
        return eprintln!("not tested: this CPU has no instructions for AES");
    };
    let work = Folder::new("aead-iterated");
    let source = library("ocb", &work, target);
    let main = PathBuf::from(work.write("main.c", ITERATED));
    let program = PathBuf::from(work.path("program"));
    let cc = &cc::all()[0];
    compiled(cc, &[object(cc, &source, "-O1"), main], &[], &program);
    let published = [
        "67E944D23256C5E0B6C61FA22FDF1EA2",
        "F673F2C3E7174AAE7BAE986CA9F29E17",
        "D90EB8E9C977C88B79DD793D7FFA161C",
    ];
    assert_eq!(printed(cc, &program, &[], ""), published);
}
