//! `nakiri test`: what it runs, and that it notices what is wrong.

use super::{nakiri, Folder};

#[test]
fn vectors_go_through_compiled_c() {
    let done = nakiri(&["test", "counter4", "--lang", "c", "--target", "gp64,neon", "--cc", "gcc"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for line in ["  interpreter: 31 vectors\n", "  gcc: -B gp64\n", ": all is right\n"] {
        assert!(done.out.contains(line), "{}", done.out);
    }
    // By an emulator, or it is said what is missing.
    assert!(
        ["-B neon\n", "not run: neon: "].iter().any(|line| done.out.contains(line)),
        "{}",
        done.out
    );
    let quick = nakiri(&["test", "counter4", "--quick"]);
    assert_eq!(quick.code, 0, "{}{}", quick.out, quick.err);
    assert!(quick.out.contains("Rust: ") && quick.out.contains("not run: "), "{}", quick.out);
}

/// A mode that no other test compiles.
#[test]
fn modes_have_vectors_too() {
    let done = nakiri(&["test", "xchacha20", "--quick"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn vectors_go_through_rust() {
    let folder = Folder::new("test-rust");
    assert_eq!(nakiri(&["new", "tiny", "--dir", &folder.path("")]).code, 0);
    let tiny = folder.path("tiny");
    let done = nakiri(&["test", &tiny, "--lang", "rust", "--target", "gp64", "--slicing", "V"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("  Rust: -V gp64\n"), "{}", done.out);
}

#[test]
fn a_wrong_vector_ends_with_1() {
    let folder = Folder::new("test-wrong");
    assert_eq!(nakiri(&["new", "tiny", "--dir", &folder.path("")]).code, 0);
    let vectors = folder.path("tiny/vectors.toml");
    let text = std::fs::read_to_string(&vectors).expect("written");
    let place = text.find("cipher = \"").expect("a vector") + "cipher = \"".len();
    let wrong = if text[place..].starts_with('0') { "1" } else { "0" };
    let text = [&text[..place], wrong, &text[place + 1..]].concat();
    std::fs::write(&vectors, text).expect("written");
    let done = nakiri(&["test", &folder.path("tiny"), "--quick"]);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.err.contains("E0404") && done.err.contains("1 FAILED"), "{}", done.err);
}

/// A compiler whose programs end with 1.
#[cfg(unix)]
#[test]
fn a_wrong_program_ends_with_1() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("test-compiler");
    let script = "#!/bin/sh\nfor word; do last=$word; done\ncase $1 in\n  --version) echo cc 1.0;;\n  -dumpmachine) echo x86_64-none;;\n  \
                  *) printf '#!/bin/sh\\necho counter4: FAILED\\nexit 1\\n' > \"$last\"; chmod +x \"$last\";;\nesac\n";
    let compiler = folder.write("cc", script.replace("x86_64", std::env::consts::ARCH));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&compiler, executable).expect("it may run");
    let args = ["test", "counter4", "--lang", "c", "--target", "gp64", "--cc", &compiler];
    let done = nakiri(&args);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.out.contains("counter4: FAILED"), "{}", done.out);
    assert!(done.err.contains("1 compiled program: 1 FAILED"), "{}", done.err);
}

#[test]
fn what_is_not_there_is_said() {
    for (args, said) in [
        (&["test", "conuter4"][..], "did you mean `counter4`?"),
        (&["test", "counter4", "--target", "itanium"], "there is no target `itanium`"),
        (&["test", "counter4", "--cc", "no-such-cc"], "no C compiler found"),
        (&["test", "counter4", "--quick", "--emulate"], "cannot be used with"),
    ] {
        let done = nakiri(args);
        assert!(done.code == 2 && done.err.contains(said), "{args:?}: {}", done.err);
    }
}
