use super::{nakiri, nakiri_with, Folder};

#[test]
fn a_new_cipher_is_formatted_builds_runs_and_tests_itself() {
    let folder = Folder::new("new");
    let dir = folder.0.display().to_string();
    let done = nakiri(&["new", "tiny", "--dir", &dir]);
    assert_eq!(done.code, 0, "{}", done.err);
    let cipher = folder.path("tiny");
    assert_eq!(nakiri(&["fmt", "--check", &format!("{cipher}/tiny.ua")]).code, 0);
    let done = nakiri(&["build", &cipher, "-o", &dir]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = folder
        .write("main.c", "#include \"tiny.h\"\nint main(void) { return tiny_self_test(); }\n");
    let program = folder.path("main");
    let compiled = std::process::Command::new(
        nakiri_verify::cc::Compiler::find().expect("a compiler").program,
    )
    .args([&main, &folder.path("tiny.c"), "-o", &program])
    .status();
    assert!(compiled.is_ok_and(|status| status.success()));
    assert!(std::process::Command::new(program).status().is_ok_and(|status| status.success()));
    let input = r#"{"x": [1, 2, 4, 8]}"#;
    let done = nakiri_with(&["run", &cipher, "--entry", "ShiftRows", "--in", "-"], input);
    assert_eq!(done.out, "{\"y\": [1, 4, 32, 128]}\n", "{}", done.err);
    let again = nakiri(&["new", "tiny", "--dir", &dir]);
    assert!(again.code == 2 && again.err.contains("exists already"), "{}", again.err);
}

/// By the program's own place in its tree, and by `NAKIRI_LIBRARY`; what is there is meant first.
#[test]
fn names_mean_ciphers_everywhere() {
    let folder = Folder::new("names");
    let library = folder.path("library/ciphers");
    std::fs::create_dir_all(&library).expect("a folder");
    assert_eq!(nakiri(&["new", "tiny", "--dir", &library]).code, 0);
    let there = |args: &[&str], set: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_nakiri"));
        command.args(args).current_dir(&folder.0);
        set.map(|place| command.env("NAKIRI_LIBRARY", place));
        let done = command.output().expect("nakiri starts");
        let err = String::from_utf8(done.stderr).expect("UTF-8");
        (done.status.code(), err)
    };
    for (name, set, out) in [("cmac", None, "cmac.c"), ("tiny", Some("library"), "tiny.c")] {
        let (code, err) = there(&["build", name, "--target", "gp64"], set);
        assert_eq!(code, Some(0), "{err}");
        assert!(folder.0.join(out).is_file(), "{out}");
    }
    for (args, said) in [
        (&["build", "tiny"][..], "there is no cipher `tiny`"),
        (&["check", "aes182"], "did you mean `aes128`?"),
        (&["bench", "serpant"], "did you mean `serpent`?"),
        (&["ciphers", "nothing_like_it"], "`nakiri ciphers` lists what there is"),
        (&["check", "cmac.ua"], "there is no file `cmac.ua`"),
    ] {
        let (code, err) = there(args, None);
        assert!(code == Some(2) && err.contains(said), "{args:?}: {err}");
    }
    // A file of that name is meant first.
    folder.write("sha3", "node Not (x:u8) returns (y:u8)\nlet\n  y = ~x\ntel\n");
    assert_eq!(there(&["check", "sha3"], None).0, Some(0));
}
