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
