//! Vectors.

#![allow(dead_code)]

use std::collections::BTreeMap;

/// A file of the folder of vectors that is not part of the repository, if it is there.
pub fn shared(path: &str) -> Option<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors");
    std::fs::read_to_string(std::path::Path::new(folder).join(path)).ok()
}

/// Bytes of hexadecimal digits.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).expect("a digit") as u8;
    hex.trim().as_bytes().chunks(2).map(|two| digit(&two[0]) << 4 | digit(&two[1])).collect()
}

/// The records `name = value` of a text, which empty lines separate. Lines with `#` say nothing.
pub fn records(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut records = vec![BTreeMap::new()];
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some((name, value)) = line.split_once('=') {
            let last = records.last_mut().expect("there is one");
            last.insert(name.trim().to_string(), value.trim().to_string());
        } else if line.is_empty() {
            records.push(BTreeMap::new());
        }
    }
    records.retain(|record| !record.is_empty());
    records
}

/// A folder that is removed when it is dropped.
pub struct Folder(std::path::PathBuf);

impl Folder {
    /// A new one.
    pub fn new() -> Folder {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("nakiri-sign-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
