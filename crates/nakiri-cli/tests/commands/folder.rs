//! The book's chapter on manifests and vectors has every key that is read, and no other.

use nakiri_cli::manifest::{
    BlockVector, Counter, CtrVector, Instance, Key, Manifest, Ports, TickRun, TickVector, Vectors,
};
use serde::de::DeserializeOwned;
use std::path::Path;

/// The keys of a table, as they are told to who writes another one.
fn keys<T: DeserializeOwned>() -> Vec<String> {
    let error = toml::from_str::<T>("\"?\" = 0").err().expect("there is no such key");
    let told = error.message().split_once("expected ").expect("the keys").1;
    let mut keys: Vec<String> = told.split('`').skip(1).step_by(2).map(str::to_string).collect();
    keys.sort();
    keys
}

/// The keys in the table of the chapter under this heading.
fn documented(chapter: &str, heading: &str) -> Vec<String> {
    let (_, section) = chapter.split_once(&format!("\n{heading}\n")).expect(heading);
    let section = section.split("\n#").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let mut keys: Vec<String> = rows.map(|(key, _)| key.to_string()).collect();
    keys.sort();
    keys
}

#[test]
fn the_chapter_has_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/folder.md");
    let chapter = std::fs::read_to_string(path).expect("the chapter");
    for (heading, keys) in [
        ("## `cipher.toml`", keys::<Manifest>()),
        ("### `[[instance]]`", keys::<Instance>()),
        ("### `key`", keys::<Key>()),
        ("### `counter`", keys::<Counter>()),
        ("### `handshake`", keys::<Ports>()),
        ("## `vectors.toml`", keys::<Vectors>()),
        ("### `[[block]]`", keys::<BlockVector>()),
        ("### `[[ctr]]`", keys::<CtrVector>()),
        ("### `[[ticks]]`", keys::<TickVector>()),
        ("### `run` of `[[ticks]]`", keys::<TickRun>()),
    ] {
        assert!(!keys.is_empty());
        assert_eq!(documented(&chapter, heading), keys, "{heading}");
    }
}
