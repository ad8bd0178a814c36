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

/// The largest frame by what `-fstack-usage` writes, of self tests or of all else.
fn largest(usage: &str, of_tests: bool) -> usize {
    let name = |line: &str| line.split('\t').next().unwrap_or_default().to_string();
    let is_test = |line: &str| name(line).contains("_test_") || name(line).ends_with("_test");
    let frames = usage.lines().filter(|line| is_test(line) == of_tests);
    let bytes = frames.filter_map(|line| line.split('\t').nth(1)?.parse().ok());
    bytes.max().expect("a function")
}

/// With optimization and without, each by one compiler in turn; by all with `NAKIRI_FULL=1`.
#[cfg(target_arch = "x86_64")]
#[test]
fn frames_are_no_larger_than_the_header_says() {
    let (full, compilers) = (std::env::var_os("NAKIRI_FULL").is_some(), cc::all());
    let sources = [
        ("ciphers/serpent", "avx2:V"),
        ("ciphers/chacha20", "avx512:V"),
        ("ciphers/gift128", "gp64:B"),
        ("ciphers/des", "avx2:B"),
        ("modes/sm3", "avx2:V"),
        ("modes/cmac", "gp64:B"),
    ];
    for (turn, (source, target)) in sources.into_iter().enumerate() {
        let cipher = source.rsplit('/').next().unwrap_or(source);
        let folder = Folder::new(&format!("stack-{cipher}"));
        let done = nakiri(&["build", source, "--target", target, "-o", &folder.path("")]);
        assert_eq!(done.code, 0, "{}", done.err);
        let read = |name: String| std::fs::read_to_string(folder.path(&name)).expect("written");
        let figures = said(&read(format!("{cipher}.h")));
        let source = folder.0.join(format!("{cipher}.c"));
        for (c, compiler) in compilers.iter().enumerate() {
            let in_turn = |l: usize| full || (turn + c + l).is_multiple_of(compilers.len());
            let levels = ["-O2", "-O0"].iter().zip(figures).enumerate();
            for (_, (level, most)) in levels.filter(|(l, _)| in_turn(*l)) {
                let object = folder.0.join(format!("{cipher}.o"));
                compiler
                    .compile(&[&source], &[level, "-c", "-fstack-usage"], &object)
                    .expect("it compiles");
                let frame = largest(&read(format!("{cipher}.su")), false);
                assert!(
                    frame > 0 && frame <= most,
                    "{cipher} {} {level}: {frame} of {most}",
                    compiler.program
                );
            }
        }
    }
}

/// The stack that self tests compute on.
const OF_TESTS: usize = 64 << 10;

/// A permutation of which lanes have long blocks, and one of a cipher whose lanes have keys of their own.
#[cfg(target_arch = "x86_64")]
#[test]
fn self_tests_need_little_stack() {
    let folder = Folder::new("stack-tests");
    let long = |bytes: usize| {
        format!("node Long (x:u8[{bytes}]) returns (y:u8[{bytes}])\nlet\n  y = ~x\ntel\n")
    };
    let mut compiled = 0;
    for (name, bytes, target, is_static) in [
        ("short", 40, "avx512:B", false),
        ("long", 200, "avx512:B", true),
        ("long_words", 200, "gp64:V", false),
    ] {
        folder.write(&format!("{name}.ua"), long(bytes));
        let vector = format!("{0} = \"{1}\"\n", "plain", "0f".repeat(bytes));
        let vector = format!("{vector}cipher = \"{}\"\n", "f0".repeat(bytes));
        folder.write(
            "vectors.toml",
            format!("[[block]]\ninstance = \"{name}\"\norigin = \"by hand\"\n{vector}"),
        );
        let slicing = &target[target.len() - 1..];
        folder.write(
            "cipher.toml",
            format!(
                "name = \"{name}\"\ntitle = \"Long\"\nspecification = \"ours\"\nsource = \"{name}.ua\"\n\
                 slicing = \"{slicing}\"\n[[instance]]\nprefix = \"{name}\"\npermute = \"Long\"\nmodes = []\n"
            ),
        );
        let out = folder.path("out");
        let done = nakiri(&["build", &folder.path(""), "--target", target, "-o", &out]);
        assert_eq!(done.code, 0, "{name}: {}", done.err);
        compiled += tests_within(&folder, name, is_static);
    }
    for (cipher, target) in [("rectangle", "avx2:B"), ("present", "avx512:B")] {
        let out = folder.path("out");
        let cipher_folder = format!("ciphers/{cipher}");
        let args = ["build", &cipher_folder, "--multikey", "--target", target, "-o", &out];
        let done = nakiri(&args);
        assert_eq!(done.code, 0, "{cipher}: {}", done.err);
        compiled += tests_within(&folder, cipher, true);
    }
    assert!(compiled > 0, "no C compiler");
}

/// Compiles a library and holds the frames of its self tests against the bound; by how many compilers.
fn tests_within(folder: &Folder, name: &str, is_static: bool) -> usize {
    let place = |end: &str| folder.0.join(format!("out/{name}.{end}"));
    let read = |end: &str| std::fs::read_to_string(place(end)).expect("written");
    assert_eq!(read("h").contains("For one thread at a time"), is_static, "{name}");
    let compilers = cc::all();
    for compiler in &compilers {
        let flags = ["-O0", "-c", "-fstack-usage"];
        compiler.compile(&[&place("c")], &flags, &place("o")).expect("it compiles");
        let frame = largest(&read("su"), true);
        assert!(frame <= OF_TESTS, "{name} {}: {frame}", compiler.program);
    }
    compilers.len()
}
