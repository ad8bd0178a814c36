//! `nakiri metrics`: the counts in git are those of what is compiled now.

use super::*;
use nakiri_bench::metrics::from_csv;

#[test]
fn the_counts_in_git_are_not_stale() {
    let done = nakiri(&["metrics", "--check", "metrics"]);
    assert_eq!(done.code, 0, "{}", done.err);
}

#[test]
fn a_kernel_that_changed_is_named() {
    let folder = Folder::new("metrics");
    let (out, cache) = (folder.path("counts"), folder.path("cache"));
    let done = nakiri(&["metrics", "rectangle", "-o", &out, "--cache", &cache]);
    assert_eq!(done.code, 0, "{}", done.err);
    let done = nakiri(&["metrics", "rectangle", "--check", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let path = folder.0.join("counts/rectangle.csv");
    let text = std::fs::read_to_string(&path).expect("written");
    let rows = from_csv(&text).expect("rows");
    assert!(rows.iter().all(|row| row.instructions > 0 && row.bytes > 0 && row.logic > 0));
    let line = text.lines().find(|line| line.contains(",B,avx2,")).expect("a row");
    std::fs::write(&path, text.replace(line, &line.replacen(",256,", ",255,", 1)))
        .expect("written");
    let done = nakiri(&["metrics", "rectangle", "--check", &out]);
    assert_eq!(done.code, 1, "{}", done.err);
    for says in ["rectangle80 B avx2 has changed", "nakiri metrics rectangle -o"] {
        assert!(done.err.contains(says), "{}", done.err);
    }
    std::fs::write(&path, text.replace("instructions", "orders")).expect("written");
    let done = nakiri(&["metrics", "rectangle", "--check", &out]);
    assert_eq!((done.code, done.err.contains("rectangle.csv")), (1, true), "{}", done.err);
    let done = nakiri(&["metrics", "rectangle", "--check", "/nowhere"]);
    assert_eq!((done.code, done.err.contains("rectangle.csv")), (2, true), "{}", done.err);
}
