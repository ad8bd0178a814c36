//! The stack that the header of a library says.

use super::{nakiri, Folder};
use nakiri_verify::cc;

/// The two figures of a header, in bytes: with optimization and without.
fn said(header: &str) -> [usize; 2] {
    let line =
        header.lines().find(|line| line.contains("Stack: up to about ")).expect("it is said");
    let words: Vec<&str> = line.split_whitespace().collect();
    let figures = words.windows(2).filter(|pair| pair[1] == "KiB");
    let figures: Vec<usize> =
        figures.map(|pair| pair[0].parse::<usize>().expect("a number") * 1024).collect();
    [figures[0], figures[1]]
}

/// The largest frame by what `-fstack-usage` writes, but for self tests.
fn largest(usage: &str) -> usize {
    let frames = usage.lines().filter(|line| !line.contains("_test_"));
    let bytes = frames.filter_map(|line| line.split('\t').nth(1)?.parse().ok());
    bytes.max().expect("a function")
}

#[cfg(target_arch = "x86_64")]
#[test]
fn frames_are_no_larger_than_the_header_says() {
    for (cipher, target) in
        [("serpent", "avx2:V"), ("chacha20", "avx512:V"), ("gift128", "gp64:B"), ("des", "avx2:B")]
    {
        let folder = Folder::new(&format!("stack-{cipher}"));
        let done = nakiri(&[
            "build",
            &format!("ciphers/{cipher}"),
            "--target",
            target,
            "-o",
            &folder.path(""),
        ]);
        assert_eq!(done.code, 0, "{}", done.err);
        let read = |name: String| std::fs::read_to_string(folder.path(&name)).expect("written");
        let figures = said(&read(format!("{cipher}.h")));
        let source = folder.0.join(format!("{cipher}.c"));
        for compiler in cc::all() {
            for (level, most) in ["-O2", "-O0"].iter().zip(figures) {
                let object = folder.0.join(format!("{cipher}.o"));
                compiler
                    .compile(&[&source], &[level, "-c", "-fstack-usage"], &object)
                    .expect("it compiles");
                let frame = largest(&read(format!("{cipher}.su")));
                assert!(
                    frame > 0 && frame <= most,
                    "{cipher} {} {level}: {frame} of {most}",
                    compiler.program
                );
            }
        }
    }
}
