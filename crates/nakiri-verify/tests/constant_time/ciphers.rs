//! The ciphers of the repository.

use nakiri::check;
use nakiri::layout::Counter;
use nakiri::source::SourceMap;
use std::path::{Path, PathBuf};

/// A cipher's checked source and its manifest.
pub struct Cipher {
    pub name: String,
    pub checked: check::Checked,
    manifest: toml::Table,
}

/// Files beside those that include them.
struct Files;

impl check::Loader for Files {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let path = Path::new(from).with_file_name("").join(path);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), text))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers")
}

/// Every cipher, by name.
pub fn all() -> Vec<Cipher> {
    let folders = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> =
        folders.filter(|folder| folder.join("cipher.toml").exists()).collect();
    folders.sort();
    folders
        .iter()
        .map(|folder| Cipher::new(&folder.file_name().unwrap().to_string_lossy()))
        .collect()
}

impl Cipher {
    pub fn new(name: &str) -> Cipher {
        let read = |file: &str| std::fs::read_to_string(folder().join(name).join(file)).unwrap();
        let mut sources = SourceMap::default();
        let source = format!("{name}.ua");
        let path = folder().join(name).join(&source).display().to_string();
        let root = sources.add(path, read(&source));
        let options = check::Options::default();
        let (checked, _) = check::check(&mut sources, root, &mut Files, &options);
        let checked = checked.expect("the cipher is legal");
        let manifest = read("cipher.toml").parse().expect("a manifest");
        Cipher { name: name.to_string(), checked, manifest }
    }

    /// The nodes that the manifest names.
    pub fn entries(&self) -> Vec<String> {
        let mut entries = Vec::new();
        for instance in self.instances() {
            let keys = ["encrypt", "decrypt", "permute", "step"].map(|key| instance.get(key));
            let schedule = instance.get("key").and_then(|key| key.get("schedule"));
            entries.extend(keys.into_iter().chain([schedule]).flatten().map(text));
        }
        entries.sort();
        entries.dedup();
        entries
    }

    /// The node and the counter of its counter mode, if it has one.
    pub fn counter_mode(&self) -> Option<(String, Counter)> {
        let instance =
            self.instances().iter().find(|instance| instance.get("counter").is_some())?;
        let counter = &instance["counter"];
        let number = |key: &str| counter[key].as_integer().unwrap() as usize;
        let (offset, bytes) = (number("offset"), number("bytes"));
        let counter = Counter { offset, bytes, big_endian: text(&counter["order"]) == "be" };
        Some((text(&instance["encrypt"]), counter))
    }

    fn instances(&self) -> &[toml::Value] {
        self.manifest["instance"].as_array().unwrap()
    }
}

fn text(value: &toml::Value) -> String {
    value.as_str().unwrap().to_string()
}
