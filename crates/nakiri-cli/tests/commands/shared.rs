//! Shared control: what can't be shared is refused; libraries with it test themselves.

use super::{nakiri, Folder};
use nakiri_verify::cc::{self, SANITIZE, STRICT};
use std::path::Path;
use std::process::Command;

/// A core of three rounds. The key may be shared or not; `mode` is as wide as a word.
const CORE: &str = "\
node Core (start:b1, mode:u16 @be, x:u16[2], key:u16) returns (y:u16[2], done:b1)
vars go:u16, key1:u16
state s:u16[2], ring:b3, keys:u16
let
  y = s;
  done = ring[2];
  go = mode & 0x00ff;
  key1 = (go & key) | (~go & ((keys <<< 1) ^ mode));
  next keys = key1;
  next ring[0] = start;
  next ring[1] = ring[0];
  next ring[2] = ring[1] | (ring[2] & ~start);
  next s[0] = (go & x[0]) | (~go & (s[1] ^ key1));
  next s[1] = (mode & x[1]) | (~mode & ((s[0] <<< 3) & s[1]));
tel
";

const FREE: &str = "\
node Free (x:b1) returns (y:b1)
state n:b2
let
  y = x ^ n[1];
  next n[0] = ~n[0];
  next n[1] = n[1] ^ n[0];
tel
";

#[test]
fn what_can_not_be_shared_is_refused() {
    let folder = Folder::new("not_shared");
    let file = folder.write("core.ua", CORE);
    let plain = folder.write("plain.ua", "node Not (x:b8) returns (y:b8)\nlet\n  y = ~x\ntel\n");
    let out = folder.path("out");
    let queue = ["--start", "start", "--done", "done"];
    for (file, list, more, code, said) in [
        (&*file, "start,strt", &[][..], 1, "--shared:1:7"),
        (&file, "start,strt", &[], 1, "the inputs are `start`, `mode`, `x`, `key`"),
        (&file, "start,done", &[], 1, "`done` is an output"),
        (&file, "x", &[], 1, "no register and no operation depends on `x` alone"),
        (&file, "", &[], 1, "no register is the same in all lanes"),
        (&plain, "x", &[], 1, "leave `--shared` out"),
        (&file, "start", &["--emit", "rust"], 2, "shared control is for C"),
        ("ciphers/counter4", "rst", &[], 2, "in a folder's manifest an instance has `shared`"),
        (&file, "start", &queue, 2, "leave out the flags of jobs"),
        (&file, "start", &["--run", "start=1; start=0 until done"], 2, "leave out --shared"),
        (&file, "start", &["-V"], 2, "for slicing -B"),
        (&file, "start", &["--target", "gp64:V"], 1, "slice it with -B"),
    ] {
        let args = ["build", file, "-o", &out, "--shared", list];
        let done = nakiri(&[&args[..], more].concat());
        assert!(done.code == code && done.err.contains(said), "{list} {more:?}: {}", done.err);
        assert!(!Path::new(&out).join("core.c").exists(), "{list} {more:?}");
    }
}

/// Compiles a library with every compiler, under the sanitizers, and runs its self test.
pub fn tests_itself(folder: &Folder, name: &str) {
    let text = format!("#include \"{name}.h\"\nint main(void) {{ return {name}_self_test(); }}\n");
    let main = folder.write("main.c", text);
    let (library, program) = (folder.path(&format!("{name}.c")), folder.path("program"));
    let compilers = cc::all();
    assert!(!compilers.is_empty(), "no C compiler");
    for compiler in compilers {
        let files = [Path::new(&main), Path::new(&library)];
        let flags = [STRICT, SANITIZE].concat();
        compiler.compile(&files, &flags, Path::new(&program)).expect("it compiles");
        let done = Command::new(&program).status().expect("it runs");
        assert!(done.success(), "{name} by {}: {done}", compiler.program);
    }
}

#[test]
fn libraries_with_shared_control_test_themselves() {
    let folder = Folder::new("shared");
    let core = folder.write("core.ua", CORE);
    let free = folder.write("free.ua", FREE);
    for (name, file, list, more) in [
        ("start", &core, "start", &["--target", "gp64"][..]),
        ("modes", &core, "mode,start", &["--target", "gp64,sse2"]),
        ("key", &core, "mode,start,key", &["--target", "gp64", "--interleave", "2"]),
        ("all", &core, "key,mode,start,x", &["--target", "gp32"]),
        ("none", &free, "", &["--target", "sse2"]),
    ] {
        let out = folder.path(&format!("{name}.c"));
        let args = ["build", file, "--shared", list, "-o", &out];
        let done = nakiri(&[&args[..], more].concat());
        assert_eq!(done.code, 0, "{name}: {}", done.err);
        tests_itself(&folder, name);
    }
    let header = std::fs::read_to_string(folder.path("modes.h")).expect("a header");
    for expected in [
        "const uint8_t *in_x, const uint8_t *in_key, const uint8_t *shared_start, const uint8_t *shared_mode);",
        "What is shared has one block, the same for every instance; its bits: shared_start 1, shared_mode 16.",
    ] {
        assert!(header.contains(expected), "{header}");
    }
    let text = std::fs::read_to_string(folder.path("modes.c")).expect("a library");
    assert!(text.contains("with the registers ring"), "{text}");
    assert!(text.contains("--shared mode,start "), "{text}");
}

/// The manifest of the core, of which an instance has more to say.
fn manifest(slicing: &str, more: &str) -> String {
    format!(
        "name = \"core\"\ntitle = \"Core\"\nspecification = \"ours\"\nsource = \"core.ua\"\nslicing = \"{slicing}\"\n\
         [[instance]]\nprefix = \"core\"\nstep = \"Core\"\nmodes = []\n{more}\n"
    )
}

#[test]
fn a_manifest_says_what_is_shared() {
    let folder = Folder::new("shared_manifest");
    folder.write("core.ua", CORE);
    let place = folder.0.display().to_string();
    let out = folder.path("core.c");
    for (slicing, more, said) in [
        ("V", "shared = \"start\"", "shared control is for slicing B"),
        ("B", "shared = \"start\"\nrun = \"for 3\"", "`shared` is for a `step` without `run`"),
        ("B", "shared = \"start,strt\"", "cipher.toml:10:17"),
    ] {
        folder.write("cipher.toml", manifest(slicing, more));
        let done = nakiri(&["build", &place, "-o", &out]);
        assert!(done.code == 1 && done.err.contains(said), "{more}: {}", done.err);
    }
    folder.write("cipher.toml", manifest("B", "shared = \"start,mode\""));
    // Inputs stand in the order of the node: start, mode, x, key.
    let vectors = "[[ticks]]\ninstance = \"core\"\norigin = \"by the interpreter\"\nrun = [\n\
                   { in = \"01ffff123456789abc\", ticks = 1 },\n\
                   { in = \"00000f123456789abc\", ticks = 2, out = \"12ff5678006287167800\" }]\n";
    folder.write("vectors.toml", vectors);
    let done = nakiri(&["build", &place, "--target", "gp64,sse2", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let header = std::fs::read_to_string(folder.path("core.h")).expect("a header");
    assert!(
        header.contains("const uint8_t *shared_start, const uint8_t *shared_mode);"),
        "{header}"
    );
    tests_itself(&folder, "core");
    for emit in ["rust", "supercop"] {
        let done = nakiri(&["build", &place, "--emit", emit, "-o", &folder.path("crate")]);
        assert!(done.code == 1 && done.err.contains("shared control is for C"), "{}", done.err);
    }
}

#[test]
fn runs_with_shared_control_are_those_without() {
    let folder = Folder::new("shared_run");
    let file = folder.write("core.ua", CORE);
    let tick = |start: u32, x: u32| {
        format!("{{\"start\": {start}, \"mode\": {}, \"x\": [{x}, 7], \"key\": {x}}}", 77 + start)
    };
    let block = |x: u32| format!("[{}, {}, {}]", tick(1, x), tick(0, x + 1), tick(0, x));
    let input = folder.write("in.json", format!("[{}, {}]", block(5), block(9000)));
    let run = |more: &[&str]| {
        let args = ["run", &file, "--in", &input, "--ticks", "12", "-B"];
        nakiri(&[&args[..], more].concat())
    };
    let plain = run(&[]);
    assert_eq!(plain.code, 0, "{}", plain.err);
    for engine in ["interp", "c"] {
        for list in ["start", "mode,start"] {
            let done = run(&["--shared", list, "--engine", engine, "--target", "gp64"]);
            assert_eq!((done.code, &done.out), (0, &plain.out), "{list} {engine}: {}", done.err);
        }
    }
    let done = run(&["--shared", "start,key"]);
    assert_eq!(done.code, 1);
    let said = "`key` is shared, but in tick 1 it is not the same in blocks 1 and 2";
    assert!(done.err.contains(said), "{}", done.err);
}
