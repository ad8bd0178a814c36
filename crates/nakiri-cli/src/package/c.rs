//! A package's C: the primitives, a header for all, and what builds, tests, fuzzes, measures and installs them.

use super::{File, Package, Primitive};
use nakiri::emit::c;

/// The files, if there is C.
pub fn files(package: &Package) -> Vec<File> {
    if package.primitives.iter().all(|primitive| primitive.c.is_none()) {
        return Vec::new();
    }
    let header = format!("{}.h", package.name);
    let mut files: Vec<File> = TEMPLATES
        .iter()
        .map(|(path, text)| (path.to_string(), filled(package, text)))
        .chain([(header.clone(), includes(package))])
        .collect();
    let all = || package.primitives.iter().filter_map(|primitive| primitive.c.as_ref());
    let fuzz: Vec<_> = all().map(|own| own.fuzz.clone()).collect();
    let bench: Vec<_> = all().map(|own| own.bench.clone()).collect();
    let head = format!("/* {} */\n/* SPDX-License-Identifier: 0BSD */\n\n", package.maker());
    for (name, text) in
        [("fuzz", c::fuzz_file(&header, &fuzz)), ("bench", c::bench_file(&header, &bench))]
    {
        files.push((format!("tests/{name}.c"), format!("{head}{text}")));
    }
    for primitive in &package.primitives {
        let Some(own) = &primitive.c else { continue };
        files.push((format!("{}.c", primitive.name), own.files.c.clone()));
        files.push((format!("{}.h", primitive.name), own.files.h.clone()));
    }
    files.into_iter().map(|(path, text)| (format!("c/{path}"), text)).collect()
}

const TEMPLATES: [(&str, &str); 6] = [
    ("CMakeLists.txt", include_str!("c/CMakeLists.txt")),
    ("config.cmake.in", include_str!("c/config.cmake.in")),
    ("library.pc.in", include_str!("c/library.pc.in")),
    ("Makefile", include_str!("c/Makefile")),
    ("tests/self_test.c", include_str!("c/self_test.c")),
    ("tests/random.c", include_str!("c/random.c")),
];

fn filled(package: &Package, text: &str) -> String {
    let names: Vec<&str> = package.primitives.iter().map(|p| p.name.as_str()).collect();
    let tests: String = package.primitives.iter().map(tests).collect();
    let values = [
        ("$maker", &*package.maker()),
        ("$version", Package::version()),
        ("$name", &package.name),
        ("$primitives", &names.join(" ")),
        ("$tests", &tests),
    ];
    values.into_iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
}

/// The rows of the self tests of a primitive.
fn tests(primitive: &Primitive) -> String {
    let row = |prefix: &String, test: &str| {
        let name = &primitive.name;
        format!(
            "    {{ \"{name}\", \"{prefix}{test}\", {prefix}_supported, {prefix}{test}_self_test }},\n"
        )
    };
    let own = primitive.prefixes.iter().map(|prefix| row(prefix, ""));
    own.chain(primitive.multikey.iter().map(|prefix| row(prefix, "_multikey"))).collect()
}

/// The header that includes all.
fn includes(package: &Package) -> String {
    let guard = format!("{}_LIBRARY_H", package.name.to_uppercase());
    let all = package.primitives.iter().map(|primitive| {
        let about = primitive.heading.replace("*/", "* /").replace("/*", "/ *");
        format!("/* {about} */\n#include \"{}.h\"\n\n", primitive.name)
    });
    format!(
        "/* SPDX-License-Identifier: 0BSD\n *\n * {}\n */\n\n#ifndef {guard}\n#define {guard}\n\n{}#endif\n",
        package.maker(),
        all.collect::<String>()
    )
}
