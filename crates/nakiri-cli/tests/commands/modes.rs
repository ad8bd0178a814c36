//! Modes: libraries of them, in C and Rust, give published results in one piece, in parts and in lanes.

use super::forms::self_tests;
use super::published::{self, field, records, Record};
use super::{nakiri, Folder};
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A folder of `modes`, and its modes whose results have so many bytes; 0 is what the vector has.
struct Subject {
    folder: &'static str,
    modes: &'static [(&'static str, usize)],
}

const SUBJECTS: [Subject; 6] = [
    Subject { folder: "sha1", modes: &[("sha1", 20)] },
    Subject {
        folder: "sha2",
        modes: &[
            ("sha224", 28),
            ("sha256", 32),
            ("sha384", 48),
            ("sha512", 64),
            ("sha512_224", 28),
            ("sha512_256", 32),
        ],
    },
    Subject {
        folder: "sha3",
        modes: &[
            ("sha3_224", 28),
            ("sha3_256", 32),
            ("sha3_384", 48),
            ("sha3_512", 64),
            ("shake128", 0),
            ("shake256", 0),
            ("turboshake128", 0),
            ("turboshake256", 0),
        ],
    },
    Subject { folder: "ascon_hash", modes: &[("ascon_hash256", 32), ("ascon_xof128", 0)] },
    Subject { folder: "sm3", modes: &[("sm3", 32)] },
    Subject {
        folder: "blake2",
        modes: &[
            ("blake2s_128", 16),
            ("blake2s_256", 32),
            ("blake2b_256", 32),
            ("blake2b_384", 48),
            ("blake2b_512", 64),
        ],
    },
];

/// Published files, with the mode that each is of.
const FILES: [(&str, &str); 31] = [
    ("sha1", "nist-sha-pycryptodome/SHA1ShortMsg.rsp"),
    ("sha224", "nist-sha2/SHA224ShortMsg.rsp"),
    ("sha224", "nist-sha2/SHA224LongMsg.rsp"),
    ("sha256", "nist-sha2/SHA256ShortMsg.rsp"),
    ("sha256", "nist-sha2/SHA256LongMsg.rsp"),
    ("sha384", "nist-sha2/SHA384ShortMsg.rsp"),
    ("sha512", "nist-sha2/SHA512ShortMsg.rsp"),
    ("sha512", "nist-sha-pycryptodome/SHA512ShortMsg.rsp"),
    ("sha512_224", "nist-sha-pycryptodome/SHA512_224ShortMsg.rsp"),
    ("sha512_256", "nist-sha-pycryptodome/SHA512_256ShortMsg.rsp"),
    ("sha3_224", "nist-sha-pycryptodome/ShortMsgKAT_SHA3-224.txt"),
    ("sha3_256", "nist-sha-pycryptodome/ShortMsgKAT_SHA3-256.txt"),
    ("sha3_384", "nist-sha-pycryptodome/ShortMsgKAT_SHA3-384.txt"),
    ("sha3_512", "nist-sha-pycryptodome/ShortMsgKAT_SHA3-512.txt"),
    ("shake128", "nist-sha-pycryptodome/ShortMsgKAT_SHAKE128.txt"),
    ("shake256", "nist-sha-pycryptodome/ShortMsgKAT_SHAKE256.txt"),
    ("sha224", "botan-hash/sha2_32.vec#SHA-224"),
    ("sha256", "botan-hash/sha2_32.vec#SHA-256"),
    ("sha384", "botan-hash/sha2_64.vec#SHA-384"),
    ("sha512", "botan-hash/sha2_64.vec#SHA-512"),
    ("sha3_224", "botan-hash/sha3.vec#SHA-3(224)"),
    ("sha3_256", "botan-hash/sha3.vec#SHA-3(256)"),
    ("sm3", "botan-hash/sm3.vec#SM3"),
    ("ascon_hash256", "botan-hash/ascon_hash256.vec#Ascon-Hash256"),
    ("ascon_hash256", "sp800-232/asconhash256/LWC_HASH_KAT_128_256.txt"),
    ("ascon_xof128", "sp800-232/asconxof128/LWC_XOF_KAT_128_512.txt"),
    ("blake2s_128", "libtomcrypt/hash_tv.txt#blake2s-128"),
    ("blake2s_256", "libtomcrypt/hash_tv.txt#blake2s-256"),
    ("blake2b_256", "libtomcrypt/hash_tv.txt#blake2b-256"),
    ("blake2b_384", "libtomcrypt/hash_tv.txt#blake2b-384"),
    ("blake2b_512", "libtomcrypt/hash_tv.txt#blake2b-512"),
];

/// A message and what comes out of it, if it is of whole bytes.
fn vector(record: &Record) -> Option<(String, String)> {
    let (message, out) = (field(record, &["msg", "in"]), field(record, &["md", "out", "output"]));
    match record.get("len").and_then(|bits| bits.parse::<usize>().ok()) {
        Some(0) => Some((String::new(), out)),
        Some(bits) if bits % 8 != 0 => None,
        _ => Some((message, out)),
    }
}

/// A program that runs a self test, or reads messages as digits and prints what comes out of each: alone, and among the others.
fn driver(subject: &Subject) -> String {
    let mut text = format!("#include \"{}.h\"\n", subject.folder);
    text.push_str(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#define MOST 4096\n\
         static uint8_t *messages[MOST];\nstatic size_t lengths[MOST], count;\n\
         static int byte(void)\n{\n    unsigned value;\n    return scanf(\"%2x\", &value) == 1 ? (int)value : -1;\n}\n\
         static void read_all(void)\n{\n    size_t length;\n\
             while (count < MOST && scanf(\"%zu\", &length) == 1) {\n\
                 uint8_t *message = malloc(length + 1);\n\
                 for (size_t k = 0; k < length; k++)\n            message[k] = (uint8_t)byte();\n\
                 messages[count] = message;\n        lengths[count++] = length;\n    }\n}\n\n",
    );
    let mut cases = String::new();
    for (mode, size) in subject.modes {
        let (result, more, all) = match size {
            0 => ("out, length", "length", "outs, length"),
            _ => ("out", "length", "outs"),
        };
        let _ = write!(
            cases,
            "    if (strcmp(argv[1], \"{mode}\") == 0) {{\n\
                 const size_t length = (size_t)atoi(argv[2]);\n\
                 uint8_t *outs = malloc(MOST * {more} + 1), *out = malloc({more} + 1);\n\
                 if (argc > 3 && {mode}_use_variant(argv[3]) != 0)\n            return 3;\n\
                 read_all();\n\
                 {mode}_many(count, {all}, (const uint8_t *const *)messages, lengths);\n\
                 for (size_t k = 0; k < count; k++) {{\n\
                     {mode}({result}, messages[k], lengths[k]);\n\
                     if (memcmp(out, outs + k * length, length) != 0)\n                return 2;\n\
                     for (size_t i = 0; i < length; i++)\n                printf(\"%02x\", out[i]);\n\
                     printf(\"\\n\");\n            free(messages[k]);\n        }}\n\
                 free(outs);\n        free(out);\n        return 0;\n    }}\n"
        );
    }
    let tests = self_tests(&format!("modes/{}", subject.folder));
    let _ = write!(
        text,
        "int main(int argc, char **argv)\n{{\n    if (argc < 3)\n        return {tests};\n{cases}    return 4;\n}}\n"
    );
    text
}

const STRICT: [&str; 5] = ["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
/// Unoptimized: compilers take several times as long for both at once.
pub const SANITIZED: [&str; 3] =
    ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

/// A function of C that reads bytes as digits behind an `x`.
pub const READER: &str = r#"static uint8_t *bytes(size_t *length)
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

"#;

/// The C of a folder of `modes`.
pub fn library(folder: &str, work: &Folder, targets: &str) -> PathBuf {
    of_instances(folder, &[], work, targets)
}

/// The C of one of its modes.
pub fn instance(folder: &str, prefix: &str, work: &Folder, targets: &str) -> PathBuf {
    of_instances(folder, &["--instance", prefix], work, targets)
}

fn of_instances(folder: &str, instances: &[&str], work: &Folder, targets: &str) -> PathBuf {
    let (source, out) = (format!("modes/{folder}"), work.path(&format!("{folder}.c")));
    let args = ["build", &source, "--target", targets, "-o", &out];
    let done = nakiri(&[&args, instances].concat());
    assert_eq!(done.code, 0, "{folder}: {}", done.err);
    PathBuf::from(out)
}

/// The C of a folder, and its driver.
fn built(subject: &Subject, work: &Folder, targets: &str) -> [PathBuf; 2] {
    let source = library(subject.folder, work, targets);
    let main = PathBuf::from(work.path("main.c"));
    std::fs::write(&main, driver(subject)).expect("written");
    [source, main]
}

pub fn compiled(cc: &Compiler, sources: &[PathBuf; 2], flags: &[&str], program: &Path) {
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    let flags = [&STRICT[..], flags].concat();
    if let Err(error) = cc.compile(&sources, &flags, program) {
        panic!("{error}");
    }
}

/// The compiler whose turn it is; all of them with `NAKIRI_FULL=1`.
pub fn in_turn(number: usize) -> Vec<Compiler> {
    let all = cc::all();
    match full() {
        true => all,
        false => vec![all[number % all.len()].clone()],
    }
}

/// The target and the compiler whose turn it is, so that each target comes, and in time by each compiler; all of both with
/// `NAKIRI_FULL=1`.
pub fn in_turns(targets: Vec<&str>, number: usize) -> (Vec<&str>, Vec<Compiler>) {
    match full() || targets.is_empty() {
        true => (targets, cc::all()),
        false => {
            let count = targets.len();
            (vec![targets[number % count]], in_turn(number / count))
        }
    }
}

/// A library as an object, with which several programs are linked.
pub fn object(cc: &Compiler, source: &Path, level: &str) -> PathBuf {
    let object = source.with_extension("o");
    if let Err(error) = cc.compile(&[source], &[&STRICT[..], &[level, "-c"]].concat(), &object) {
        panic!("{error}");
    }
    object
}

/// What a program prints, given these messages.
fn given(cc: &Compiler, program: &Path, args: &[&str], messages: &[&str]) -> Vec<String> {
    let lines: Vec<String> =
        messages.iter().map(|message| format!("{} {message}\n", message.len() / 2)).collect();
    printed(cc, program, args, &lines.concat())
}

/// What a program prints, given a text.
pub fn printed(cc: &Compiler, program: &Path, args: &[&str], text: &str) -> Vec<String> {
    let mut command = exec::command(cc, program).expect("an emulator where one is needed");
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut stdin, text) = (child.stdin.take().expect("a pipe"), text.to_string());
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is read");
    assert!(done.status.success(), "{args:?}: {:?}", done.status);
    String::from_utf8_lossy(&done.stdout).lines().map(str::to_string).collect()
}

/// Holds a program against all published files of a folder's modes, in a variant; how many messages these had.
fn agrees(subject: &Subject, cc: &Compiler, program: &Path, variant: &str) -> usize {
    let Some(root) = published::root() else { return 0 };
    let mut total = 0;
    for (mode, file) in FILES {
        let Some((_, size)) = subject.modes.iter().find(|(own, _)| *own == mode) else { continue };
        let mut all: Vec<_> = records(&root, file).iter().filter_map(vector).collect();
        all.truncate(4096);
        let lengths: std::collections::BTreeSet<usize> =
            all.iter().map(|(_, out)| out.len()).collect();
        for length in lengths {
            let own: Vec<_> = all.iter().filter(|(_, out)| out.len() == length).collect();
            let messages: Vec<&str> = own.iter().map(|(message, _)| &**message).collect();
            assert!(*size == 0 || *size == length / 2, "{file}");
            let bytes = (length / 2).to_string();
            let got = given(cc, program, &[mode, &bytes, variant], &messages);
            assert!(got.iter().eq(own.iter().map(|(_, out)| out)), "{file}, {variant}");
        }
        println!("{file}: {} messages by {mode}, {variant}, {}", all.len(), cc.identity());
        total += all.len();
    }
    total
}

/// The targets that this machine runs, best last.
pub fn targets() -> Vec<&'static str> {
    runnable(&["gp64", "ssse3", "avx2", "avx512"])
}

/// Those with rounds of AES and products, where there are any; all with `NAKIRI_FULL=1`. Compilers take minutes for the circuits.
pub fn with_instructions() -> Vec<&'static str> {
    let own = runnable(&["ssse3+aes", "avx2+vaes", "avx512+gfni+vaes"]);
    match full() || own.is_empty() {
        true => [vec!["gp64"], own].concat(),
        false => own,
    }
}

fn runnable(names: &[&'static str]) -> Vec<&'static str> {
    let runs = |name: &&str| {
        let target = nakiri::isa::find(name).expect("a target");
        cc::is_host(target.architecture) && exec::runnable(target).is_ok()
    };
    names.iter().copied().filter(runs).collect()
}

/// Whether everything is done, and not a sample.
pub fn full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

/// Each folder by one compiler on one target, the next by others; with `NAKIRI_FULL=1` by all, on all.
#[test]
fn modes_give_what_is_published() {
    for (number, subject) in SUBJECTS.iter().enumerate() {
        let (mut targets, compilers) = in_turns(targets(), number);
        if targets == ["avx512"] {
            // Valgrind knows no registers of 512 bits, and takes the other.
            targets.push("gp64");
        }
        let work = Folder::new(&format!("modes-{}", subject.folder));
        let sources = built(subject, &work, &targets.join(","));
        for (k, cc) in compilers.iter().enumerate() {
            let level = ["-O1", "-O2", "-O3"][(number + k) % 3];
            let object = object(cc, &sources[0], level);
            let program = PathBuf::from(work.path("program"));
            compiled(cc, &[object.clone(), sources[1].clone()], &[], &program);
            assert!(printed(cc, &program, &[], "").is_empty());
            for target in &targets {
                let messages = agrees(subject, cc, &program, target);
                assert!(messages > 0 || published::root().is_none());
            }
            if full() || subject.modes.len() < 3 {
                let program = PathBuf::from(work.path("sanitized"));
                compiled(cc, &sources, &SANITIZED, &program);
                assert!(printed(cc, &program, &[], "").is_empty());
            }
            nothing_depends_on_messages(subject, &work, cc, &object, level);
        }
    }
}

/// A program that gives undefined messages to all modes of a folder.
fn on_undefined_data(subject: &Subject) -> String {
    let name = subject.folder;
    let mut text = format!(
        "#include \"{name}.h\"\n#include <valgrind/memcheck.h>\n\n#define COUNT 40\n\
         static uint8_t message[1000], out[400], outs[COUNT * 400];\n\n\
         int main(void)\n{{\n    const uint8_t *messages[COUNT];\n    size_t lengths[COUNT];\n    \
         VALGRIND_MAKE_MEM_UNDEFINED(message, sizeof message);\n    \
         for (size_t k = 0; k < COUNT; k++)\n        messages[k] = message + k, lengths[k] = 23 * k;\n"
    );
    for (mode, size) in subject.modes {
        let (end, all) = if *size == 0 { (", 400", ", 400") } else { ("", "") };
        let _ = write!(
            text,
            "    {{\n        {mode}_state state;\n        {mode}_init(&state);\n        \
             {mode}_update(&state, message, 150);\n        {mode}_update(&state, message, 850);\n        \
             {mode}_final(&state, out{end});\n        {mode}_many(COUNT, outs{all}, messages, lengths);\n    }}\n"
        );
    }
    text + "    return 0;\n}\n"
}

/// Lengths alone decide what is done: memcheck reports each branch and address that depends on a message.
fn nothing_depends_on_messages(
    subject: &Subject,
    work: &Folder,
    cc: &Compiler,
    object: &Path,
    level: &str,
) {
    if !super::has_memcheck() {
        return;
    }
    let main = PathBuf::from(work.write("undefined.c", on_undefined_data(subject)));
    let program = PathBuf::from(work.path("undefined"));
    cc.compile(&[object, &main], &[], &program).expect("it compiles");
    super::passes_memcheck(&program, &format!("{}, {level}", subject.folder));
}

/// A mode of a file, which takes a key.
const KEYED: &str = "
mode Mac (key:const u32[2] @be, message:bytes) returns (code:u32[2] @be)
vars s:u32[2]
let
  s = key;
  forall block:u32[2] @be in pad(message, 0x80) {
    s[0] := (s[0] + block[0]) ^ (s[1] <<< 7);
    s[1] := (s[1] + block[1]) ^ (s[0] <<< 13);
  }
  code = s ^ key;
tel

node Other (x:u32) returns (y:u32)
let y = ~x; tel
";

const KEYED_MAIN: &str = "
#include \"mac.h\"
#include <string.h>

int main(void)
{
    const uint8_t key[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    uint8_t text[40], out[8], many[41 * 8];
    const uint8_t *messages[41];
    size_t lengths[41];
    for (size_t k = 0; k < sizeof text; k++)
        text[k] = (uint8_t)(11 * k);
    for (size_t k = 0; k <= sizeof text; k++) {
        messages[k] = text;
        lengths[k] = k;
    }
    mac_many(41, many, key, messages, lengths);
    for (size_t k = 0; k <= sizeof text; k++) {
        mac_state state;
        mac(out, key, text, k);
        if (memcmp(out, many + 8 * k, 8) != 0)
            return 1;
        mac_init(&state, key);
        for (size_t i = 0; i < k; i++)
            mac_update(&state, text + i, 1);
        mac_update(&state, NULL, 0);
        mac_final(&state, out);
        if (memcmp(out, many + 8 * k, 8) != 0)
            return 2;
    }
    /* One block, 80 00 00 00 00 00 00 00: s = key but for it. */
    mac(out, key, NULL, 0);
    {
        const uint32_t a = (0x01020304u + 0x80000000u) ^ (0x05060708u << 7 | 0x05060708u >> 25);
        const uint32_t b = 0x05060708u ^ (a << 13 | a >> 19);
        const uint32_t code[2] = { a ^ 0x01020304u, b ^ 0x05060708u };
        for (size_t k = 0; k < 8; k++)
            if (out[k] != (uint8_t)(code[k / 4] >> (24 - 8 * (k % 4))))
                return 3;
    }
    return 0;
}
";

#[test]
fn a_mode_of_a_file_is_built_by_its_name() {
    let work = Folder::new("modes-keyed");
    let (file, out) = (work.write("mac.ua", KEYED), work.path("mac.c"));
    let targets = targets().join(",");
    let done = nakiri(&["build", &file, "--entry", "Mac", "--target", &targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let sources = [PathBuf::from(out), PathBuf::from(work.write("main.c", KEYED_MAIN))];
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
    }
    let done = nakiri(&["check", &file, "--types"]);
    assert!(done.code == 0 && done.out.contains("Mac.absorb"), "{} {}", done.out, done.err);
}

/// Runs what a program of this name tests on other architectures; on s390x words begin with their most significant bytes.
pub fn on_other_machines(name: &str, built: impl Fn(&Folder, &str) -> [PathBuf; 2]) {
    for (architecture, target) in [("s390x", "gp64"), ("aarch64", "neon"), ("riscv64", "gp64")] {
        let known = nakiri::isa::architectures();
        let architecture = known.iter().find(|known| known.name == architecture);
        let Some(cc) = architecture.and_then(|known| Compiler::cross(known).ok()) else {
            eprintln!("not tested: {target} has no compiler or emulator here");
            continue;
        };
        let work = Folder::new(&format!("{name}-{}", cc.machine()));
        let sources = built(&work, target);
        let program = PathBuf::from(work.path("program"));
        compiled(&cc, &sources, &[&["-O1"], exec::linking(&cc)].concat(), &program);
        assert!(printed(&cc, &program, &[], "").is_empty());
    }
}

/// A sum leads back only where what is added doesn't depend on the block.
#[test]
fn what_depends_on_its_block_has_no_way_back() {
    let folder = Folder::new("modes-one-way");
    for (vars, body, goes_back) in [
        ("", "c = p ^ (p + k);", false),
        ("vars t:u32\n", "t = p + k; c = p ^ t;", false),
        ("vars t:u32\n", "t = k + k; c = p ^ t;", true),
        ("vars x:u32\n", "x := x + p; c = p ^ x;", false),
        ("vars x:u32\n", "c = p ^ x; x := x + p;", true),
    ] {
        let before = if vars.contains('x') { "x = k; " } else { "" };
        let text = format!(
            "mode M (k:const u32, plain:bytes) returns (sealed:bytes)\n{vars}let\n  \
             {before}forall p:u32 in whole(plain), c:u32 in sealed {{ {body} }}\ntel\n"
        );
        let file = folder.write("m.ua", text);
        let done = nakiri(&["build", &file, "--entry", "M", "--target", "gp64", "-o", "-"]);
        assert_eq!(done.code, 0, "{body}: {}", done.err);
        assert_eq!(done.out.contains("_decrypt("), goes_back, "{body}");
    }
}

#[test]
fn other_machines_give_the_vectors() {
    for subject in &SUBJECTS[..if full() { SUBJECTS.len() } else { 1 }] {
        let name = format!("modes-{}", subject.folder);
        on_other_machines(&name, |work, target| built(subject, work, target));
    }
}
