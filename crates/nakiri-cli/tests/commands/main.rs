//! The commands end to end: what they print, what they write, and how they end.

mod aead;
mod against;
mod audit;
mod bench;
mod bench_messages;
mod bound;
mod build;
mod calibrate;
mod check;
mod choices;
mod circuit;
mod codes;
mod cross;
mod doctor;
mod editors;
mod explain;
mod fields;
mod folder;
mod forms;
mod home;
mod instructions;
mod kept;
mod lanes;
mod library;
mod lsp;
mod manifests;
mod metrics;
mod modes;
mod multikey;
mod names;
mod new;
mod output;
mod parallel;
mod prove;
mod published;
mod rectangle;
mod report;
mod run;
mod runs;
mod rust;
mod several;
mod shared;
mod stack;
mod steps;
mod supercop;
mod test;
mod testbench;
mod texts;
mod tune;
mod verdicts;
mod verilog;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What came of a command.
struct Done {
    code: i32,
    out: String,
    err: String,
}

/// Runs `nakiri` at the repository's root with this standard input.
fn nakiri_with(args: &[&str], input: &str) -> Done {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nakiri starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its arguments does not read its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let done = child.wait_with_output().expect("nakiri ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Done { code: done.status.code().unwrap_or(-1), out: text(done.stdout), err: text(done.stderr) }
}

fn nakiri(args: &[&str]) -> Done {
    nakiri_with(args, "")
}

/// Whether some programs are there; without them nothing is tested, but with `CI=true` that is a failure.
fn tools(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| Command::new(name).arg("-V").output().is_err());
    if let Some(name) = missing {
        eprintln!("not tested: there is no {name}");
        assert!(!std::env::var("CI").is_ok_and(|v| v == "true"), "there is no {name}");
    }
    missing.is_none()
}

/// Whether there is valgrind, and what programs need to tell it what is undefined.
fn has_memcheck() -> bool {
    let header = Path::new("/usr/include/valgrind/memcheck.h").exists();
    let has = header && cfg!(target_arch = "x86_64") && tools(&["valgrind"]);
    if !has {
        eprintln!("not tested: on Debian, apt-get install valgrind");
    }
    has
}

/// Runs a program under memcheck, which must find no branch and no address that depends on what is undefined.
fn passes_memcheck(program: &Path, what: &str) {
    let mut command = Command::new("valgrind");
    let done = command.args(["--quiet", "--error-exitcode=9"]).arg(program).output();
    let done = done.expect("valgrind starts");
    assert!(done.status.success(), "{what}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("nakiri-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A node that adds, rotates and has a constant parameter.
const ADD: &str = "node Add (x:u32, k:const u32) returns (y:u32)\nlet\n  y = (x + k) <<< 3\ntel\n";

#[test]
fn wrong_command_lines_end_with_2() {
    let folder = Folder::new("usage");
    let file = folder.write("a.ua", ADD);
    let folder_path = folder.0.display().to_string();
    for (args, message) in [
        (&["frobnicate"][..], "unrecognized subcommand"),
        (&["check", "nowhere.ua"], "there is no file `nowhere.ua`"),
        (&["check", &folder_path], "a folder without a cipher.toml"),
        (&["fmt", &folder_path], "is a folder"),
        (&["run", &file, "--target", "gp64,avx2", "--in", "-"], "name only one"),
        (&["build", &file, "-B", "-V"], "cannot be used with"),
        (&["build", &file, "-w", "0"], "invalid value"),
        (&["build", &file, "--target", "itanium"], "there is no target `itanium`"),
        (&["build", &file, "--target", "avx2,avx2:B"], "named twice"),
        (&["build", &file, "--target", "neon+gfni"], "`gfni` is no feature that neon can have"),
        (&["build", &file, "--target", "avx2:V+vbmi"], "`vbmi` is no feature that avx2 can have"),
        (&["run", &file, "--target", "avx2+vbmi"], "`vbmi` is no feature that avx2 can have"),
        (&["build", &file, "--emit", "dot"], "not supported yet"),
        (&["build", &file, "--emit", "asm"], "is for one target"),
        (&["build", &file, "--emit", "asm", "--target", "neon"], "there is no assembly for neon"),
        (&["build", &file, "--emit", "after:lunch"], "there is no pass `lunch`"),
        (&["build", &file, "--emit", "core", "--target", "avx,avx2"], "is for one target"),
        (&["run", &file, "--in", "nowhere.json"], "there is no file"),
        (&["explain", "E9999"], "there is no code"),
        (&["new", "my-cipher", "--dir", &folder_path], "letters, digits and `_`"),
    ] {
        let done = nakiri(args);
        assert_eq!(done.code, 2, "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
}

#[test]
fn fmt_formats_in_place_and_checks() {
    let folder = Folder::new("fmt");
    let file = folder.write("a.ua", "node F(x:u8)returns(y:u8)let y=x tel");
    let before = nakiri(&["fmt", "--check", &file]);
    assert_eq!((before.code, before.out), (1, format!("{file} is not formatted\n")));
    assert_eq!(nakiri(&["fmt", &file]).code, 0);
    let formatted = std::fs::read_to_string(&file).expect("it is still there");
    assert_eq!(formatted, "node F (x:u8) returns (y:u8)\nlet\n  y = x;\ntel\n");
    assert_eq!(nakiri(&["fmt", "--check", &file]).code, 0);
    let piped = nakiri_with(&["fmt", "-"], "node F(x:u8)returns(y:u8)let y=x tel");
    assert_eq!((piped.code, piped.out), (0, formatted));
    let broken = nakiri_with(&["fmt", "-"], "node");
    assert_eq!((broken.code, broken.out.as_str()), (1, ""));
}

#[test]
fn our_sources_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for shelf in ["ciphers", "modes", "crates/nakiri-sign-kernels"] {
        for folder in std::fs::read_dir(root.join(shelf)).expect("a shelf").flatten() {
            let files = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let paths = files.map(|file| file.path().display().to_string());
            sources.extend(paths.filter(|path| path.ends_with(".ua")));
        }
    }
    assert!(sources.len() > 100, "{sources:?}");
    let names: Vec<&str> = sources.iter().map(String::as_str).collect();
    let done = nakiri(&[&["fmt", "--check"], &names[..]].concat());
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
}

#[test]
fn targets_lists_every_target() {
    let done = nakiri(&["targets"]);
    assert_eq!(done.code, 0);
    for target in nakiri::isa::all() {
        assert!(
            done.out.contains(&format!("\n{}: {}\n", target.name, target.title)),
            "{}",
            done.out
        );
    }
}
