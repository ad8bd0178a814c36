//! `build --emit rust`: crates that compile without warnings and pass their vectors.

use super::{nakiri, Folder, ADD};
use std::path::Path;
use std::process::Command;

/// A machine that is emulated here.
struct Machine {
    /// What rustc calls it.
    target: &'static str,
    /// What Debian's tools call it.
    name: &'static str,
    emulator: &'static str,
}

/// Those whose words begin with their most significant bytes.
const BIG_ENDIAN: [Machine; 2] = [
    Machine { target: "s390x-unknown-linux-gnu", name: "s390x-linux-gnu", emulator: "qemu-s390x" },
    Machine {
        target: "powerpc64-unknown-linux-gnu",
        name: "powerpc64-linux-gnu",
        emulator: "qemu-ppc64",
    },
];

/// 64-bit Arm, with every feature that there is.
const ARM: Machine = Machine {
    target: "aarch64-unknown-linux-gnu",
    name: "aarch64-linux-gnu",
    emulator: "qemu-aarch64",
};

/// Runs `cargo` on an emitted crate, with the dependencies that this workspace has; crates share what is compiled, which nobody
/// debugs or compiles again.
pub fn cargo(folder: &Path, args: &[&str]) {
    let emulated = BIG_ENDIAN.iter().chain([&ARM]).flat_map(|machine| {
        let variable = machine.target.to_uppercase().replace('-', "_");
        let runner = format!("{} -L /usr/{}", machine.emulator, machine.name);
        [("LINKER", format!("{}-gcc", machine.name)), ("RUNNER", runner)]
            .map(|(what, value)| (format!("CARGO_TARGET_{variable}_{what}"), value))
    });
    let done = Command::new(env!("CARGO"))
        .args(args)
        .envs(emulated)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust"))
        .env("RUSTFLAGS", "-D warnings")
        .envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")])
        .output()
        .expect("cargo starts");
    let messages = String::from_utf8_lossy(&done.stderr) + String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{}: {args:?}\n{messages:.4000}", folder.display());
}

/// Builds a crate, and has it do this.
fn crate_does(source: &str, targets: &str, tasks: &[&[&str]]) {
    let name = source.rsplit('/').next().unwrap_or(source);
    let folder = Folder::new(&format!("rust-{name}"));
    let out = folder.path(name);
    let done = nakiri(&["build", source, "--emit", "rust", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    for task in tasks {
        cargo(Path::new(&out), &[*task, &["--quiet"]].concat());
    }
}

/// Builds a crate, which lints find nothing in, and runs its tests: all are the library's own.
pub fn passes_its_vectors(source: &str, targets: &str) {
    let tasks = [&["clippy", "--all-features"][..], &["test", "--lib", "--all-features"]];
    crate_does(source, targets, &tasks);
}

#[test]
fn a_block_cipher_passes_its_vectors() {
    passes_its_vectors("ciphers/rectangle", "gp64:V,ssse3:V,avx2:V,avx512:V");
}

#[test]
fn modes_pass_their_vectors() {
    passes_its_vectors("modes/sm3", "gp64,ssse3,avx2");
    passes_its_vectors("modes/sha1", "gp64");
    passes_its_vectors("modes/ascon_hash", "gp64,avx2");
    passes_its_vectors("modes/poly1305", "gp64");
    passes_its_vectors("modes/chacha20_poly1305", "gp64");
}

/// An AEAD and a hash function in one crate.
#[test]
fn modes_are_clean_without_traits() {
    crate_does("modes/ace_ae", "gp64", &[&["clippy", "--no-default-features"]]);
}

impl Machine {
    /// Whether there is all that it takes to run Rust for it.
    fn runs(&self) -> bool {
        let args = ["--print", "target-libdir", "--target", self.target];
        let library = Command::new("rustc").args(args).output();
        let library = library.map(|done| String::from_utf8_lossy(&done.stdout).trim().to_string());
        let found = library.is_ok_and(|path| Path::new(&path).is_dir());
        if !found {
            eprintln!("not tested: `rustup target add {}`", self.target);
        }
        found && super::tools(&[&format!("{}-gcc", self.name), self.emulator])
    }
}

/// Runs the tests of a cipher's crate on these machines.
fn passes_its_vectors_on(machines: &[&Machine], source: &str, targets: &str) {
    let name = source.rsplit('/').next().unwrap_or(source);
    let folder = Folder::new(&format!("rust-emulated-{name}"));
    let out = folder.path(name);
    let done = nakiri(&["build", source, "--emit", "rust", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    for machine in machines {
        cargo(Path::new(&out), &["test", "--lib", "--quiet", "--target", machine.target]);
    }
}

#[test]
fn big_endian_machines_give_the_vectors() {
    let machines: Vec<_> = BIG_ENDIAN.iter().filter(|machine| machine.runs()).collect();
    passes_its_vectors_on(&machines, "ciphers/chacha20", "gp64:V,avx2:V");
    passes_its_vectors_on(&machines, "modes/sha1", "gp64");
    if std::env::var_os("NAKIRI_FULL").is_some() {
        for cipher in library() {
            for slicing in ["gp64:V", "gp64:H", "gp64:B", "gp32:V"] {
                let source = format!("ciphers/{cipher}");
                if nakiri(&["build", &source, "--target", slicing, "-o", "-"]).code == 0 {
                    passes_its_vectors_on(&machines, &source, slicing);
                }
            }
        }
    }
}

/// By NEON, and by the instructions for AES, SHA-256 and SHA-3.
#[test]
fn arm_gives_the_vectors_by_its_instructions() {
    let machines: Vec<_> = [&ARM].into_iter().filter(|machine| machine.runs()).collect();
    passes_its_vectors_on(&machines, "ciphers/rectangle", "gp64:V,neon:H");
    passes_its_vectors_on(&machines, "ciphers/aes128_bytes", "gp64:B,neon+aes:P");
    passes_its_vectors_on(&machines, "ciphers/keccak1600", "gp64:V,neon+sha3:V");
    passes_its_vectors_on(&machines, "modes/sha2", "gp64,neon,neon+sha2");
}

/// Every variant can be asked for, and gives the same.
#[test]
fn a_variant_can_be_asked_for() {
    let folder = Folder::new("rust-variant");
    let out = folder.path("rectangle");
    let targets = "gp64:V,ssse3:V,avx2:V";
    let done =
        nakiri(&["build", "ciphers/rectangle", "--emit", "rust", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    std::fs::create_dir(Path::new(&out).join("tests")).expect("a folder");
    std::fs::write(Path::new(&out).join("tests/variants.rs"), VARIANTS).expect("a test");
    cargo(Path::new(&out), &["test", "--quiet", "--test", "variants"]);
}

const VARIANTS: &str = r#"
use rectangle::cipher::{BlockCipherEncrypt, KeyInit};

#[test]
fn each_gives_the_same() {
    let encrypted = || {
        let mut block = Default::default();
        rectangle::Rectangle80::new(&[7; 10].into()).encrypt_block(&mut block);
        block
    };
    let (best, wanted) = (rectangle::variant(), encrypted());
    let names: Vec<&str> = rectangle::variants().collect();
    assert_eq!(names[0], best);
    assert!(names[names.len() - 1].starts_with("gp64"));
    for name in names {
        assert!(rectangle::use_variant(Some(name)));
        assert_eq!(rectangle::variant(), name);
        assert_eq!(encrypted(), wanted, "{name}");
        assert!(!rectangle::use_variant(Some("neon")));
        assert_eq!(rectangle::variant(), name, "what is refused changes nothing");
    }
    assert!(rectangle::use_variant(None));
    assert_eq!(rectangle::variant(), best);
}
"#;

#[test]
fn a_stream_cipher_passes_its_vectors() {
    passes_its_vectors("ciphers/chacha20", "gp64:V,avx:V,avx2:V");
}

#[test]
fn bits_and_called_functions_are_clean() {
    passes_its_vectors("ciphers/present", "gp64:B");
}

/// A node of another name than those of a block cipher's ways; what the loop carries to the call is made early in a long body.
const LONG: &str = "\
_no_inline node Mix (x:b16) returns (y:b16)
let
  y = x ^ ((x <<< 1) & (x <<< 5))
tel

node Long (x:b16, k:const b16) returns (y:b16)
vars round:b16[9], mixed:b16[8], sum:b16[8]
let
  round[0] = x;
  forall i in [0,7] {
    mixed[i] = Mix(round[i]);
    sum[i] = (mixed[i] ^ k) & (mixed[i] <<< 3);
    round[i+1] = sum[i] ^ (sum[i] <<< 7) ^ (mixed[i] & (sum[i] <<< 9)) ^ (sum[i] & (mixed[i] <<< 4))
  };
  y = round[8]
tel
";

#[test]
fn what_a_loop_carries_to_a_call_is_clean() {
    let folder = Folder::new("rust-long");
    let (file, out) = (folder.write("long.ua", LONG), folder.path("long"));
    let choices = ["--target", "gp64", "--inline", "small", "--unroll", "never"];
    let done =
        nakiri(&[&["build", &file, "-B", "--emit", "rust", "-o", &out][..], &choices].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(Path::new(&out).join("src/gp64.rs")).expect("the kernels");
    assert!(text.contains("for _ in 0.."), "a loop in {text}");
    cargo(Path::new(&out), &["clippy", "--quiet"]);
}

#[test]
fn every_cipher_passes_its_vectors() {
    if std::env::var_os("NAKIRI_FULL").is_none() {
        return;
    }
    for cipher in library() {
        passes_its_vectors(&format!("ciphers/{cipher}"), "gp64,ssse3,avx2,avx512");
    }
}

/// The ciphers that can be written in Rust: step functions are refused, see below.
fn library() -> Vec<String> {
    let stepped = ["counter4", "grain128a", "lfsr16", "trivium"];
    let ciphers = std::fs::read_dir("../../ciphers").expect("the ciphers").flatten();
    let names = ciphers.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !stepped.contains(&name.as_str())).collect()
}

#[test]
fn a_crate_replaces_only_a_crate() {
    let folder = Folder::new("rust-replace");
    let file = folder.write("adder.ua", ADD);
    let build =
        |out: &str| nakiri(&["build", &file, "--emit", "rust", "--target", "gp64", "-o", out]);
    let out = folder.path("adder");
    for _ in 0..2 {
        let done = build(&out);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    assert!(Path::new(&out).join("src/lib.rs").is_file());
    let done = build(&folder.0.display().to_string());
    assert_eq!(done.code, 2);
    assert!(done.err.contains("name another folder with -o"), "{}", done.err);
    assert!(Path::new(&file).is_file(), "what was there is still there");
}

#[test]
fn what_rust_lacks_is_refused() {
    let folder = Folder::new("rust-refused");
    let out = folder.path("crate");
    for (cipher, targets, reason) in [
        ("rectangle", "avx2", "add gp64 to --target"),
        ("rectangle", "gp64,sse2", "sse2 is not written in Rust"),
        ("trivium", "gp64", "use --emit c"),
    ] {
        let source = format!("ciphers/{cipher}");
        let done = nakiri(&["build", &source, "--emit", "rust", "--target", targets, "-o", &out]);
        assert_eq!(done.code, 1, "{}", done.err);
        assert!(done.err.contains(reason), "{}", done.err);
        assert!(!Path::new(&out).exists(), "nothing is left");
    }
}
