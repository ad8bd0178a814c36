//! `nakiri bench --against`: others beside ours.

use super::*;

fn bench(folder: &Folder, more: &[&str]) -> Vec<String> {
    let cache = folder.path("cache");
    let common =
        ["bench", "--target", "gp64", "--cflags=-O1", "--samples", "3", "--size", "1000,4096"];
    let all = common.iter().copied().chain(["--cache", &cache]).chain(more.iter().copied());
    all.map(str::to_string).collect()
}

fn run(args: &[String]) -> Done {
    nakiri(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn others_stand_beside_ours() {
    let folder = Folder::new("against");
    let ciphers = ["chacha20", "ascon", "--slicing", "V", "--against", "rustcrypto", "--json"];
    let done = run(&bench(&folder, &ciphers));
    assert_eq!(done.code, 0, "{}", done.err);
    let results: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let rows = results["rows"].as_array().expect("rows");
    let row = |instance: &str| rows.iter().find(|row| row["instance"] == instance).expect("a row");
    for (instance, version) in [("chacha20", "chacha20 0.10"), ("ascon_p12", "ascon 0.5")] {
        for mode in row(instance)["modes"].as_array().expect("modes") {
            let other = &mode["against"][0];
            assert_eq!(other["library"], "rustcrypto");
            assert_eq!(other["version"], version);
            let median = |of: &serde_json::Value| of["cost"]["median"].as_f64().expect("a figure");
            let ratio = other["ratio"].as_f64().expect("a ratio");
            assert!((ratio - median(other) / median(mode)).abs() < 1e-9 * ratio, "{mode}");
            assert!(median(other) > 0.0);
        }
    }
    assert_eq!(row("ascon_p8")["modes"][0]["against"].as_array().map(Vec::len), Some(0));
    let skipped = results["skipped"].to_string();
    assert!(skipped.contains("RustCrypto has no ascon_p8 in mode blocks"), "{skipped}");
}

#[test]
fn libraries_are_named_on_the_command_line() {
    let unknown = nakiri(&["bench", "chacha20", "--against", "openssl,wolfssl"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("'wolfssl'"), "{}", unknown.err);
    assert!(unknown.err.contains("openssl, libgcrypt, nettle, botan"), "{}", unknown.err);
    let alone = nakiri(&["bench", "chacha20", "--features", "all"]);
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("--against"), "{}", alone.err);
}

/// A library that was named and can't be had is said and ends with 1; our figures are printed all the same.
#[test]
fn a_library_without_a_compiler_is_said() {
    let folder = Folder::new("against-cxx");
    let args = bench(&folder, &["chacha20", "--slicing", "V", "--against", "cryptopp"]);
    let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(args)
        .env("CXX", "/no/such/compiler")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("nakiri runs");
    let out = String::from_utf8_lossy(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{out}");
    assert!(out.contains("chacha20, 64 bytes of output a block"), "{out}");
    assert!(out.contains("not run: cryptopp beside chacha20: Crypto++: can't run"), "{out}");
    assert!(out.contains("/no/such/compiler"), "{out}");
}
