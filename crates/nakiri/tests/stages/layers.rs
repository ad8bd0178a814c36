//! Each module uses only those before it in the list of ARCHITECTURE.md, and none reaches beyond texts.

use std::path::{Path, PathBuf};

/// The list.
fn layers() -> Vec<String> {
    let text = include_str!("../../../../ARCHITECTURE.md");
    let (_, list) = text.split_once("```layers\n").expect("a list");
    let (list, _) = list.split_once("```").expect("its end");
    list.split_whitespace().map(str::to_string).collect()
}

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| sources(&entry.path(), found)),
        Err(_) => found.push(path.to_path_buf()),
    }
}

/// The modules that a text names, each with its line; comments may name any.
fn uses(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.flat_map(|(number, line)| {
        line.split("crate::").skip(1).map(move |rest| {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            (number + 1, &rest[..end.unwrap_or(rest.len())])
        })
    })
}

/// The sources of the compiler: the path of each, its layer, and its text.
fn modules() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let module = |file: &PathBuf| {
        let inside = file.strip_prefix(&root).expect("a source").display().to_string();
        let layer = inside.split(['/', '\\', '.']).next().expect("a name").to_string();
        (inside, layer, std::fs::read_to_string(file).expect("text"))
    };
    files.iter().map(module).collect()
}

#[test]
fn modules_use_those_before_them() {
    let layers = layers();
    let place = |name: &str| layers.iter().position(|layer| layer == name);
    let (mut wrong, mut used) = (Vec::new(), 0);
    for (file, layer, text) in modules() {
        if matches!(&*layer, "lib" | "named") {
            continue;
        }
        let Some(own) = place(&layer) else {
            wrong.push(format!("{file}: `{layer}` is no layer"));
            continue;
        };
        for (line, name) in uses(&text) {
            used += 1;
            if place(name).is_some_and(|other| other > own) {
                wrong.push(format!("{file}:{line}: `{name}` comes later"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(used > 300, "{used} imports");
}

/// What texts don't need: files, processes, the environment, clocks, threads, output.
const BEYOND: [&str; 8] = [
    "std::fs",
    "std::process",
    "std::env",
    "std::net",
    "std::time",
    "std::thread",
    "print!(",
    "println!(",
];

#[test]
fn the_compiler_makes_texts_of_texts() {
    for (file, _, text) in modules() {
        let code = text.split("#[cfg(test)]").next().expect("a text");
        let found = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found = found.filter(|line| BEYOND.iter().any(|beyond| line.contains(beyond)));
        let found: Vec<&str> = found.collect();
        assert!(found.is_empty(), "{file}: {found:?}");
    }
}
