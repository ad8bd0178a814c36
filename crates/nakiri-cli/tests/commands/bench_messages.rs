//! `nakiri bench` of modes: functions on messages, of each length, alone and at once, beside other libraries.

use super::*;
use nakiri_bench::against::FUNCTIONS;
use nakiri_bench::results::Results;

/// `nakiri bench` with few samples and a cache of its own.
fn bench(folder: &Folder, more: &[&str]) -> Done {
    let cache = folder.path("cache");
    let common = ["bench", "--cache", &cache, "--cflags=-O1", "--samples", "3"];
    nakiri(&[&common, more].concat())
}

const SM3: [&str; 7] = ["sm3", "--target", "gp64", "--size", "64,1000", "--messages", "1,3"];

fn has_header(library: &str) -> bool {
    let header = match library {
        "openssl" => "/usr/include/openssl/evp.h",
        _ => "/usr/include/gcrypt.h",
    };
    Path::new(header).is_file()
}

#[test]
fn functions_are_timed_alone_and_at_once_beside_other_libraries() {
    let folder = Folder::new("bench-messages");
    let more = ["--json", "--variants", "--against", "all"];
    let done = bench(&folder, &[&SM3[..], &more].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let results: Results = serde_json::from_str(&done.out).expect("JSON");
    assert!(results.rows.is_empty() && results.functions.len() == 4, "{results:?}");
    for row in &results.functions {
        assert_eq!((&*row.folder, &*row.function, &*row.target), ("sm3", "sm3", "gp64"));
        let counts: Vec<u32> = row.costs.iter().map(|(count, _)| *count).collect();
        assert_eq!(counts, [1, 3]);
        let others = row.against.iter().map(|other| other.cost);
        for cost in row.costs.iter().map(|(_, cost)| *cost).chain(others) {
            assert!(0.0 < cost.min && cost.min <= cost.median, "{row:?}");
        }
        let is_called = row.variant.is_empty();
        assert!(is_called || row.variant == "gp64 V32", "{row:?}");
        for library in ["openssl", "libgcrypt"] {
            let there = row.against.iter().any(|other| other.library == library);
            assert_eq!(there, is_called && has_header(library), "{library}: {row:?}");
        }
    }
    let lengths: Vec<u64> = results.functions.iter().map(|row| row.bytes).collect();
    assert_eq!(lengths, [64, 1000, 64, 1000]);
}

/// Other libraries take one message at a time: beside several there is nothing to compare.
#[test]
fn several_messages_have_no_library_beside_them() {
    let folder = Folder::new("bench-several");
    let what = ["sm3", "--target", "gp64", "--size", "64", "--messages", "3", "--against", "all"];
    let done = bench(&folder, &[&what[..], &["--json"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let results: Results = serde_json::from_str(&done.out).expect("JSON");
    assert!(results.functions.iter().all(|row| row.against.is_empty()), "{results:?}");
    assert_eq!(results.functions.len(), 1);
}

#[test]
fn texts_that_go_back_are_those_that_were_made() {
    let folder = Folder::new("bench-back");
    let what = ["spix", "--target", "gp64", "--size", "40", "--messages", "1"];
    let done = bench(&folder, &[&what[..], &["--csv"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let functions: Vec<&str> = done.out.lines().filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(functions, ["function", "spix_seal", "spix_open"], "{}", done.out);
    let columns: Vec<usize> = done.out.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(columns, [15; 3], "{}", done.out);
}

#[test]
fn text_stands_beside_that_of_kernels() {
    let folder = Folder::new("bench-both");
    let what = ["sm3", "rectangle", "--target", "gp64", "--slicing", "V", "--size", "64"];
    let done = bench(&folder, &what);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("\nrectangle80, 8 bytes a block; "), "{}", done.out);
    assert!(done.out.contains("\nsm3; "), "{}", done.out);
    let head = done.out.lines().any(|line| line.ends_with("alone     64 at once"));
    assert!(head, "{}", done.out);
}

#[test]
fn what_there_is_not_is_said() {
    let folder = Folder::new("bench-nothing");
    let done = bench(&folder, &[&SM3[..], &["--function", "md5"]].concat());
    assert_eq!(done.code, 1);
    assert!(
        done.err.contains("it has no such function on messages of such lengths"),
        "{}",
        done.err
    );
    let done = bench(&folder, &["--suite", "paper"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("there are papers, instructions"), "{}", done.err);
    let done = bench(&folder, &[&SM3[..5], &["--messages", "65"]].concat());
    assert_eq!(done.code, 2, "{}", done.err);
}

/// Names of functions that other libraries have too are those of functions that there are.
#[test]
fn functions_that_are_compared_are_there() {
    let modes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../modes");
    let manifests = std::fs::read_dir(modes).expect("modes").flatten();
    let manifests =
        manifests.filter_map(|mode| std::fs::read_to_string(mode.path().join("cipher.toml")).ok());
    let prefixes: Vec<String> = manifests
        .flat_map(|manifest| {
            let prefix = |line: &str| {
                Some(line.strip_prefix("prefix = \"")?.trim_end_matches('"').to_string())
            };
            manifest.lines().filter_map(prefix).collect::<Vec<_>>()
        })
        .collect();
    for function in FUNCTIONS {
        let name = function.name;
        let ends = ["", "_seal", "_encrypt", "_decrypt"];
        let is_there = ends.iter().any(|end| {
            name.strip_suffix(end)
                .is_some_and(|prefix| prefixes.iter().any(|known| known == prefix))
        });
        assert!(is_there, "{name}");
    }
}
