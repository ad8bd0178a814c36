//! `nakiri bench`: every figure of every row, and what is not timed.

use super::*;
use nakiri::isa;
use nakiri_bench::results::Results;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use std::os::unix::fs::PermissionsExt;

/// `nakiri bench` with few samples and a cache of its own.
fn bench(folder: &Folder, more: &[&str]) -> Done {
    let cache = folder.path("cache");
    let common = ["bench", "--cache", &cache, "--cflags=-O1", "--samples", "5"];
    nakiri(&[&common, more].concat())
}

fn results(done: &Done) -> Results {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {}", done.err))
}

/// A C compiler that includes a text before each source.
fn compiler(folder: &Folder, name: &str, text: &str) -> String {
    let header = folder.write(&format!("{name}.h"), text);
    let real = Compiler::find().expect("a compiler").program;
    script(folder, name, &format!("exec {real} -include {header} \"$@\""))
}

fn script(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.write(name, format!("#!/bin/sh\n{text}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it can be made executable");
    path
}

/// `gp64`, and `avx2` where it runs.
fn targets() -> &'static str {
    match isa::find("avx2").is_some_and(|target| exec::runnable(target).is_ok()) {
        true => "gp64,avx2",
        false => "gp64",
    }
}

#[test]
fn every_row_has_every_figure() {
    let folder = Folder::new("bench");
    let what = ["rectangle", "--target", targets(), "--slicing", "V", "--size", "64,4096"];
    let done = bench(&folder, &[&what[..], &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let results = results(&done);
    let again = serde_json::to_string(&results).expect("JSON");
    assert_eq!(serde_json::from_str::<Results>(&again).expect("the same"), results);
    let found: Vec<&str> = results.rows.iter().map(|row| &*row.target).collect();
    assert_eq!(found.join(","), targets());
    for row in &results.rows {
        let modes: Vec<(&str, u64)> = row.modes.iter().map(|m| (&*m.mode, m.bytes)).collect();
        assert_eq!(modes, [("ctr", 64), ("ctr", 4096)]);
        let key = row.key.expect("it has a key");
        let parts = [row.kernel, row.transposition, row.latency, key];
        for cost in parts.into_iter().chain(row.modes.iter().map(|mode| mode.cost)) {
            assert!(0.0 < cost.min && cost.min <= cost.median, "{row:?}");
            assert!([5, 10, 15].contains(&cost.samples), "{row:?}");
        }
        let code = &row.code;
        assert!(code.instructions > code.loads && code.bytes > 0 && code.stores > 0, "{row:?}");
        let bytes = f64::from(row.blocks * row.block_bytes);
        let bound = row.bound.as_ref().map_or(0.0, |bound| bound.cost * bytes);
        assert!(bound < code.instructions as f64, "{row:?}");
    }
    assert_eq!(results.rows[0].break_even, None, "nothing is narrower than gp64");
}

#[test]
fn tables_fit_terminals_and_csv_has_a_cell_for_each_column() {
    let folder = Folder::new("bench-text");
    let what = ["rectangle", "--target", "gp64:V", "--size", "64,1000"];
    let text = bench(&folder, &what);
    assert_eq!((text.code, &*text.err), (0, ""), "{}", text.out);
    assert!(text.out.contains("\nrectangle80, 8 bytes a block; "), "{}", text.out);
    for line in text.out.lines() {
        assert!(line.chars().count() <= 120 || line.starts_with("not run"), "{line}");
    }
    let csv = bench(&folder, &[&what[..], &["--csv"]].concat());
    let columns: Vec<usize> = csv.out.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(columns, [27; 7], "{}", csv.out);
    let out = folder.path("out.csv");
    let written = bench(&folder, &[&what[..], &["--csv", "-o", &out]].concat());
    assert_eq!((written.code, &*written.out), (0, ""));
    let head = |text: &str| text.lines().next().map(str::to_string);
    assert_eq!(head(&std::fs::read_to_string(out).expect("a file")), head(&csv.out));
}

#[test]
fn the_bytes_that_are_counted_are_said_and_can_be_those_of_the_message() {
    let folder = Folder::new("bench-message");
    folder.write("f.ua", "node F (x:u32x3, m:u32) returns (y:u32x3)\nlet y = x + (m, m, m) tel\n");
    let manifest = |more: &str| {
        let head = "name = \"f\"\ntitle = \"F\"\nspecification = \"none\"\nsource = \"f.ua\"\n";
        let instance = "[[instance]]\nprefix = \"f\"\npermute = \"F\"\nmodes = []\n";
        format!("{head}slicing = \"V\"\n{instance}{more}")
    };
    let path = folder.0.display().to_string();
    for (more, title, block, message) in [
        ("", "\nf, 16 bytes of all inputs a block; ", 16, 96),
        ("message = \"m\"\n", "\nf, 4 bytes of `m` a block; ", 4, 100),
    ] {
        folder.write("cipher.toml", manifest(more));
        let what = [&*path, "--target", "gp64:V", "--size", "100"];
        let text = bench(&folder, &what);
        assert!(text.code == 0 && text.out.contains(title), "{}{}", text.out, text.err);
        let results = results(&bench(&folder, &[&what[..], &["--json"]].concat()));
        let row = &results.rows[0];
        assert_eq!((row.block_bytes, row.modes[0].bytes), (block, message));
    }
}

#[test]
fn what_is_no_whole_number_of_blocks_is_measured_as_far_as_it_goes() {
    let folder = Folder::new("bench-blocks");
    let what = ["ascon", "--target", "gp64:V", "--size", "1,100", "--json"];
    let results = results(&bench(&folder, &what));
    let modes = &results.rows[0].modes;
    let bytes: Vec<(&str, u64)> = modes.iter().map(|mode| (&*mode.mode, mode.bytes)).collect();
    assert_eq!(bytes, [("blocks", 40), ("blocks", 80)]);
}

#[test]
fn a_compiler_that_fails_costs_its_own_rows_only() {
    let folder = Folder::new("bench-cc");
    let refuses =
        script(&folder, "refuses", "[ \"$1\" = --version ] || { echo 'no luck' >&2; exit 1; }");
    let crashes = compiler(
        &folder,
        "crashes",
        "static void __attribute__((constructor)) crash(void) { __builtin_trap(); }\n",
    );
    let wrong = compiler(
        &folder,
        "wrong",
        "#define __builtin_memcmp(a, b, bytes) ((void)(a), (void)(b), (void)(bytes), 1)\n",
    );
    let real = Compiler::find().expect("a compiler").program;
    let all = [&real, &refuses, &crashes, &wrong].map(|program| program.as_str()).join(",");
    let done = bench(&folder, &["rectangle", "--target", "gp64:V", "--json", "--cc", &all]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("3 of what was asked for could not be measured"), "{}", done.err);
    let results = results(&done);
    assert_eq!(results.rows.len(), 1);
    for (program, why) in [
        (refuses, "no luck"),
        (crashes, "the process that times ended early"),
        (wrong, "its self test fails"),
    ] {
        let what = format!("rectangle80 V gp64 with {program}");
        let skipped = results.skipped.iter().find(|skipped| skipped.what == what);
        assert!(skipped.is_some_and(|s| s.why.contains(why)), "{what}: {:?}", results.skipped);
    }
}

#[test]
fn a_cipher_that_does_not_compute_its_vectors_is_never_timed() {
    let folder = Folder::new("bench-vectors");
    let rectangle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers/rectangle");
    for name in ["cipher.toml", "rectangle.ua", "vectors.toml"] {
        let text = std::fs::read_to_string(rectangle.join(name)).expect("a file");
        let broken = text.replacen("cipher = \"", "cipher = \"0", 1).replacen("0\"", "\"", 1);
        folder.write(name, if name == "vectors.toml" { broken } else { text });
    }
    let done = bench(&folder, &[&folder.0.display().to_string(), "--json"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("error[E040"), "{}", done.err);
    let results = results(&done);
    assert_eq!((results.rows.len(), results.skipped.len()), (0, 1));
    let built = std::fs::read_dir(folder.path("cache")).map_or(0, Iterator::count);
    assert_eq!(built, 0, "nothing is compiled");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = Folder::new("bench-wrong");
    let file = folder.write("file", "");
    for (args, code, message) in [
        (&["present2"][..], 2, "there is no cipher `present2`"),
        (&[], 2, "<CIPHER>"),
        (&["rectangle", "--size", "0"], 2, "0 is not in 1.."),
        (&["rectangle", "--slicing", "Q"], 2, "there is no slicing `Q`"),
        (&["rectangle", "--target", "vax"], 2, "there is no target `vax`"),
        (&["rectangle", "--cc", "no-such-cc"], 1, "(looked for no-such-cc); install one: apt-get"),
        (&["rectangle", "--target", "gp64", "-P"], 1, "nothing could be measured"),
    ] {
        let done = bench(&folder, args);
        assert_eq!(done.code, code, "{args:?}: {}", done.err);
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
    let done = nakiri(&["bench", "rectangle", "--cache", &format!("{file}/cache")]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("name another one with --cache DIR"), "{}", done.err);
}

/// Loops of known cost, where a machine model knows them: the verdict is that of the figures, which are those of a machine that may be
/// busy. With `NAKIRI_FULL=1` they are right in one of ten runs.
#[test]
fn the_harness_measures_what_is_known() {
    let mut done = nakiri(&["bench", "--self-test"]);
    if nakiri_bench::machine::host().is_none() {
        assert!(done.err.contains("no machine model fits"), "{}", done.err);
        return;
    }
    let off = |line: &str| -> Option<f64> {
        line.strip_suffix(" %")?.split_whitespace().last()?.parse().ok()
    };
    let off: Vec<f64> = done.out.lines().filter_map(off).map(f64::abs).collect();
    assert!(off.len() >= 4, "{}", done.out);
    let more_than = |limit: f64| off.iter().filter(|off| **off > limit).count();
    let said = done.err.split_once(" of these differ by more than 2 %");
    let said = said.and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok()).unwrap_or(0);
    // Figures are rounded to tenths.
    assert!((more_than(2.0)..=more_than(1.9)).contains(&said), "{}{}", done.out, done.err);
    assert_eq!(done.code, i32::from(said > 0), "{}{}", done.out, done.err);
    if std::env::var_os("NAKIRI_FULL").is_some() {
        for _ in 1..10 {
            if done.code != 0 {
                done = nakiri(&["bench", "--self-test"]);
            }
        }
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    }
}

#[test]
fn a_signal_keeps_what_was_measured() {
    let folder = Folder::new("bench-interrupt");
    let cache = folder.path("cache");
    let child = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(["bench", "rectangle", "--target", "gp64:V", "--json", "--cflags=-O1"])
        .args(["--samples", "5000", "--cache", &cache])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nakiri starts");
    let pause = std::time::Duration::from_millis(500);
    while !Path::new(&cache).is_dir() {
        std::thread::sleep(pause / 10);
    }
    std::thread::sleep(pause);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let done = child.wait_with_output().expect("nakiri ends");
    let err = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(143), "{err}");
    assert!(err.contains("the rest is missing"), "{err}");
    serde_json::from_slice::<Results>(&done.stdout).expect("whole JSON");
}
