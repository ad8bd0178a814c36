//! Competitors: those that this machine has compute what emitted code computes, and do without the CPU features that they
//! are told to do without; those that it doesn't have are named with what installs them.

mod ours;

use nakiri::isa::{self, Target};
use nakiri_bench::against::*;
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec;
use ours::{Cipher, CIPHERS};
use std::path::Path;
use std::process::Command;

/// The target whose masks a child of this test has in its environment.
const MASKED_FOR: &str = "NAKIRI_TEST_MASKED_FOR";

/// The folder where children find the adapters.
const FOLDER: &str = "NAKIRI_TEST_ADAPTERS";

fn target() -> &'static Target {
    let name = std::env::var(MASKED_FOR).unwrap_or("gp64".to_string());
    isa::find(&name).expect("a target")
}

fn competitor(name: &str) -> &'static Competitor {
    find(name).expect("a competitor")
}

fn compiler() -> Compiler {
    Compiler::find().unwrap_or_else(|error| panic!("{error}"))
}

fn cipher(prefix: &str) -> &'static Cipher {
    CIPHERS.iter().find(|cipher| cipher.prefix == prefix).expect("a cipher")
}

fn request(prefix: &str, mode: Mode) -> Request {
    cipher(prefix).request(mode, target())
}

/// A library made ready, in a folder that doesn't matter.
fn prepare(competitor: &'static Competitor, request: &Request) -> Result<Prepared, Unavailable> {
    let work = Work::new().expect("a folder");
    Libraries::new(&work.path("against"), &compiler()).prepare(competitor, request)
}

/// Compares all libraries that are there with the emitted code of some ciphers; says which they were.
fn compare(ciphers: &[&Cipher], libraries: &mut Libraries) -> Vec<(&'static str, String, Mode)> {
    let (cc, work) = (compiler(), Work::new().expect("a folder"));
    let mut agreed = Vec::new();
    for cipher in ciphers {
        let ours = cipher.build(&cc, &work);
        for &mode in cipher.modes {
            let request = cipher.request(mode, target());
            for competitor in COMPETITORS {
                let mut theirs = match libraries.prepare(competitor, &request) {
                    Ok(theirs) => theirs,
                    Err(error @ Unavailable::Missing { .. }) => {
                        println!("{error}");
                        continue;
                    }
                    Err(Unavailable::Lacks { .. }) => continue,
                    Err(error) => panic!("{error}"),
                };
                let same = agree(&mut theirs, &mut *ours.run(&request), &request, &[16_000]);
                same.unwrap_or_else(|error| panic!("{error}"));
                println!("{} {mode}: {theirs:?} [{}]", cipher.prefix, theirs.reported);
                agreed.push((competitor.name, cipher.prefix.to_string(), mode));
            }
        }
    }
    agreed
}

#[test]
fn libraries_agree_with_emitted_code() {
    let work = Work::new().expect("a folder");
    let mut libraries = Libraries::new(&work.path("against"), &compiler());
    let ciphers: Vec<&Cipher> = CIPHERS.iter().collect();
    let agreed = compare(&ciphers, &mut libraries);
    // What is compiled into this program is always there, and so is every cipher that it has.
    for offer in competitor("rustcrypto").offers {
        for &mode in offer.modes {
            let there = agreed.contains(&("rustcrypto", offer.instance.to_string(), mode));
            assert!(there, "{offer:?}");
        }
    }
}

/// Under the masks of a target, if this is a child of [`masks_hold`], and without any.
#[test]
fn libraries_agree_under_masks() {
    let own = Work::new().expect("a folder");
    let folder = std::env::var(FOLDER).map_or_else(|_| own.path("against"), Into::into);
    let mut libraries = Libraries::new(&folder, &compiler());
    let agreed = compare(&[cipher("chacha20")], &mut libraries);
    assert!(agreed.iter().any(|(library, ..)| *library == "rustcrypto"));
}

/// What the libraries say that they use in a process with a target's masks, one line each.
fn reported(target: Option<&Target>, folder: &Path) -> String {
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    child.args(["--exact", "libraries_agree_under_masks", "--nocapture"]).env(FOLDER, folder);
    if let Some(target) = target {
        child.env(MASKED_FOR, target.name).envs(environment(target));
    }
    let done = child.output().expect("this test starts");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{out}{}", String::from_utf8_lossy(&done.stderr));
    out
}

fn lines<'a>(text: &'a str, library: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter(move |line| line.contains(&format!(": {library} ")))
}

/// Words by which libraries name features, and the target that allows them or has one.
const WORDS: &[(&str, Option<&str>)] = &[
    ("intel-aesni", Some("aes")),
    ("intel-vaes-vpclmul", Some("vaes")),
    ("intel-pclmul", Some("pclmulqdq")),
    ("intel-shaext", Some("sha")),
    ("intel-gfni", Some("gfni")),
    ("intel-avx2", Some("avx2")),
    ("intel-ssse3", Some("ssse3")),
    ("aes_ni", Some("aes")),
    ("clmul", Some("pclmulqdq")),
    ("intel_sha", Some("sha")),
    ("avx512_aes", Some("avx512+gfni+vaes")),
    ("ssse3", Some("ssse3")),
    ("avx2", Some("avx2")),
    ("avx512f", Some("avx512")),
];

#[test]
fn masks_hold() {
    let work = Work::new().expect("a folder");
    let open = reported(None, &work.path("against"));
    for target in isa::all().iter().filter(|target| exec::runnable(target).is_ok()) {
        let masked = reported(Some(target), &work.path("against"));
        let place = |name| isa::all().iter().position(|t| t.name == name);
        for library in ["libgcrypt", "botan"] {
            assert_eq!(lines(&open, library).count(), lines(&masked, library).count());
            let words = |line: &str| -> Vec<String> {
                line.split([' ', ':', '[', ']']).map(str::to_string).collect()
            };
            for (before, after) in lines(&open, library).zip(lines(&masked, library)) {
                assert!(before.contains("(as installed)"), "{before}");
                assert!(!after.contains("(as installed)"), "{after}");
                let (before, after) = (words(before), words(after));
                for (word, least) in WORDS {
                    let allowed = least.is_some_and(|least| match place(least) {
                        Some(least) => Some(least) <= place(target.name),
                        None => target.features.contains(&least),
                    });
                    let there = before.iter().any(|w| w == word);
                    let still = after.iter().any(|w| w == word);
                    assert_eq!(still, there && allowed, "{library} on {}: {word}", target.name);
                }
            }
        }
        for line in lines(&masked, "openssl") {
            let words = openssl_words(line).unwrap_or_else(|| panic!("{line}"));
            let of = |feature| target.features.contains(&feature);
            let has = |word: usize, bit: u32| words[word] >> bit & 1 == 1;
            assert!(!has(0, 57) || of("aes"), "AES-NI on {}: {line}", target.name);
            assert!(!has(1, 41) || of("vaes"), "VAES on {}: {line}", target.name);
            assert!(!has(0, 41) || target.name != "gp64", "SSSE3 on gp64: {line}");
            assert!(!has(1, 5) || place("avx2") <= place(target.name), "AVX2: {line}");
            assert!(!has(1, 16) || place("avx512") <= place(target.name), "AVX512F: {line}");
            assert!(!has(1, 40) || of("gfni"), "GFNI on {}: {line}", target.name);
            assert!(!has(0, 33) || of("pclmulqdq"), "PCLMULQDQ on {}: {line}", target.name);
            assert!(!has(1, 29) || of("sha"), "SHA on {}: {line}", target.name);
        }
        assert!(lines(&masked, "rustcrypto").all(|line| !line.contains(target.name)));
    }
}

/// The two words of `OPENSSL_ia32cap` in what OpenSSL says of itself.
fn openssl_words(line: &str) -> Option<[u64; 2]> {
    let (_, after) = line.split_once("OPENSSL_ia32cap=0x")?;
    let end = after.find([' ', ']']).unwrap_or(after.len());
    let (first, second) = after[..end].split_once(":0x")?;
    Some([u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(second, 16).ok()?])
}

#[test]
fn a_difference_is_found_and_named() {
    let request = request("chacha20", Mode::Ctr);
    let theirs = |key: u8| {
        let request = Request { key: vec![key; 32], ..request.clone() };
        prepare(competitor("rustcrypto"), &request).expect("there")
    };
    let (mut one, mut same, mut other) = (theirs(1), theirs(1), theirs(2));
    agree(&mut one, &mut *same.run, &request, &[]).expect("one cipher with one key");
    let error = agree(&mut one, &mut *other.run, &request, &[]).expect_err("two keys").to_string();
    assert!(error.contains("rustcrypto computes another ciphertext"), "{error}");
    assert!(error.contains("chacha20 in mode ctr") && error.contains("not timed"), "{error}");
    // A single bit, far in a message of the size that is to be timed.
    let mut flipped = |counter: &[u8], out: &mut [u8], message: &[u8]| {
        (same.run)(counter, out, message);
        if out.len() == 70_001 {
            out[69_999] ^= 1;
        }
    };
    agree(&mut one, &mut flipped, &request, &[70_000]).expect("equal but for one size");
    let error = agree(&mut one, &mut flipped, &request, &[70_001]).expect_err("one bit");
    assert!(error.to_string().contains("70001 bytes, byte 69999"), "{error}");
}

#[test]
fn what_a_library_lacks_is_said() {
    let lacks = |library, instance| {
        let error = prepare(competitor(library), &request(instance, Mode::Ctr));
        error.expect_err("not there").to_string()
    };
    assert_eq!(lacks("openssl", "serpent128"), "OpenSSL has no serpent128 in mode ctr");
    assert_eq!(lacks("libsodium", "des"), "libsodium has no des in mode ctr");
}

fn invented(text: &'static str, package: &'static str) -> &'static Competitor {
    let adapter = Adapter { package, language: Language::C, text, flags: &[] };
    let offers =
        Box::leak(Box::new([Offer { instance: "aes128", algorithm: "AES", modes: &[Mode::Ctr] }]));
    let invented = Competitor {
        name: "invented",
        title: "Invented",
        source: Source::Adapter(adapter),
        mask: Mask::None,
        offers,
    };
    Box::leak(Box::new(invented))
}

fn refusal(text: &'static str, folder: &Path, cc: &Compiler) -> String {
    let competitor = invented(text, "libinvented-dev");
    let mut libraries = Libraries::new(folder, cc);
    let error = libraries.prepare(competitor, &request("aes128", Mode::Ctr));
    error.expect_err("not a library").to_string()
}

#[test]
fn a_library_that_is_not_there_names_its_package() {
    let (cc, work) = (compiler(), Work::new().expect("a folder"));
    let error = refusal("#include <no/such/library.h>\n", &work.path("against"), &cc);
    assert!(error.starts_with("Invented is not installed"), "{error}");
    assert!(error.contains("no/such/library.h"), "{error}");
    assert!(error.contains("apt-get install libinvented-dev"), "{error}");
}

#[test]
fn what_can_not_be_compiled_or_loaded_is_said() {
    let (cc, work) = (compiler(), Work::new().expect("a folder"));
    let folder = work.path("against");
    let error = refusal("int against_version(void) { return missing; }\n", &folder, &cc);
    assert!(error.contains("the adapter to Invented does not compile"), "{error}");
    assert!(error.contains("missing") && error.contains(&cc.program), "{error}");
    let error = refusal("int nothing;\n", &folder, &cc);
    assert!(error.contains("Invented: no function `against_version`"), "{error}");
    let without = Compiler::new("/no/such/compiler");
    let error = refusal("int nothing;\n", &folder, &without);
    assert!(error.contains("can't run the compiler `/no/such/compiler`"), "{error}");
    let file = work.write("file", b"").expect("written");
    let error = refusal("int nothing;\n", &file.join("against"), &cc);
    assert!(error.contains("can't write its adapter"), "{error}");
}

/// A library without the algorithm in the user's build, and one that refuses the message.
#[test]
fn a_build_without_the_cipher_is_not_timed() {
    const NONE: &str = r#"
#include "against.h"
const char *against_version(void) { return "1"; }
const char *against_features(void) { return ""; }
void *against_new(const char *a, const char *m, const uint8_t *k, size_t n)
{ (void)a; (void)m; (void)k; (void)n; return NULL; }
int against_run(void *c, const uint8_t *i, uint8_t *o, const uint8_t *p, size_t n)
{ (void)c; (void)i; (void)o; (void)p; (void)n; return 1; }
void against_free(void *c) { (void)c; }
"#;
    let (cc, work) = (compiler(), Work::new().expect("a folder"));
    let error = refusal(NONE, &work.path("against"), &cc);
    assert_eq!(error, "Invented: this build of it offers no AES");
}

/// The versions that the table names are those that are linked.
#[test]
fn the_crates_are_those_that_the_table_names() {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"));
    let lock = lock.expect("a lock file");
    for offer in competitor("rustcrypto").offers {
        let (name, version) = offer.algorithm.split_once(' ').expect("a crate and its version");
        let entry = format!("name = \"{name}\"\nversion = \"{version}.");
        assert!(lock.contains(&entry), "{} is not what is linked", offer.algorithm);
    }
}
