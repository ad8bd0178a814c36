//! Published vectors, where they lie beside the project, in the forms in which they are published.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a file says of one vector, by names in small letters; digits are small, too.
pub type Record = BTreeMap<String, String>;

/// The keys that end a record of lines.
const LAST: [&str; 4] = ["ct", "md", "out", "output"];

/// The folder of all files, where there is one.
pub fn root() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    path.is_dir().then_some(path)
}

/// The records of a file, or of one of its sections: `file#section`.
pub fn records(root: &Path, file: &str) -> Vec<Record> {
    let (path, section) = file.split_once('#').map_or((file, None), |(p, s)| (p, Some(s)));
    let text = std::fs::read_to_string(root.join(path)).expect("a published file");
    let all = match section {
        _ if path.ends_with(".json") => of_json(&text),
        Some(section) if text.starts_with("Hash Test Vectors") => of_counts(&text, section),
        section => of_lines(&text, section),
    };
    assert!(!all.is_empty(), "{file}");
    all
}

/// The first of these that a record has, or nothing.
pub fn field(record: &Record, names: &[&str]) -> String {
    names.iter().find_map(|name| record.get(*name)).cloned().unwrap_or_default()
}

/// Whether a vector is what should come out: some files have forged ones.
pub fn is_valid(record: &Record) -> bool {
    record.get("result").is_none_or(|result| result == "valid") && !record.contains_key("error")
}

/// `key = value` in lines, below headings in brackets.
fn of_lines(text: &str, section: Option<&str>) -> Vec<Record> {
    let (mut all, mut record, mut here) = (Vec::new(), Record::new(), section.is_none());
    for line in text.lines().chain([""]).map(str::trim) {
        // Where the order of these depends on the way, an empty line ends a record.
        if line.is_empty() && ["plaintext", "ciphertext"].iter().all(|k| record.contains_key(*k)) {
            all.push(std::mem::take(&mut record));
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            here = section.is_none_or(|section| section == name);
        }
        let Some((key, value)) = line.split_once('=').filter(|_| here) else { continue };
        let key = key.trim().to_lowercase();
        let ends = LAST.contains(&&*key);
        record.insert(key, value.trim().to_lowercase());
        if ends {
            all.push(std::mem::take(&mut record));
        }
    }
    all
}

/// The texts of each test of Wycheproof's groups, or of a list.
fn of_json(text: &str) -> Vec<Record> {
    let file: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let groups = list(&file["testGroups"]);
    let tests = groups.iter().flat_map(|group| list(&group["tests"])).chain(list(&file));
    let record = |test: serde_json::Value| {
        let fields = test.as_object().cloned().unwrap_or_default();
        let text = |(key, value): (String, serde_json::Value)| Some((key, value.as_str()?.into()));
        fields.into_iter().filter_map(text).collect()
    };
    tests.map(record).collect()
}

/// LibTomCrypt's: the digests of the bytes 00 01 02 …, by their number.
fn of_counts(text: &str, section: &str) -> Vec<Record> {
    let heading = format!("Hash: {section}");
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    let lines = below.take_while(|line| !line.starts_with("Hash:"));
    let record = |line: &str| {
        let (count, digest) = line.split_once(':')?;
        let count: usize = count.trim().parse().ok()?;
        let message = (0..count).map(|byte| format!("{:02x}", byte as u8)).collect();
        let fields = [("in", message), ("out", digest.trim().to_lowercase())];
        Some(fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    };
    lines.filter_map(record).collect()
}

#[test]
fn published_files_are_read() {
    let fields = |record: &Record| record.values().cloned().collect::<Vec<_>>().join(",");
    let all = |records: Vec<Record>| records.iter().map(fields).collect::<Vec<_>>();
    let text = "Len = 8\nMsg = D3\nMD = cc\n\nLen = 0\nMsg = 00\nMD = AA\n";
    assert_eq!(all(of_lines(text, None)), ["8,cc,d3", "0,aa,00"]);
    let text = "[A]\nIn = 01\nOut = 02\n[B]\nIn =\nOut = 03\n[C]\nOut = 04\n";
    assert_eq!(all(of_lines(text, Some("B"))), [",03"]);
    let text = "PLAINTEXT = 01\nCIPHERTEXT = 02\n\nCIPHERTEXT = 03\nPLAINTEXT = 04\n";
    assert_eq!(all(of_lines(text, None)), ["02,01", "03,04"]);
    let text = "Hash: a\n  1: 05\n\nHash: b\n  0: 06\n  2: 0A\n\nHash: c\n  0: 07\n";
    assert_eq!(all(of_counts(text, "b")), [",06", "0001,0a"]);
    let text = r#"{"testGroups": [{"tests": [{"tcId": 1, "msg": "08", "result": "invalid"}]}]}"#;
    assert_eq!(all(of_json(text)), ["08,invalid"]);
    assert!(!is_valid(&of_json(text)[0]) && field(&of_json(text)[0], &["in", "msg"]) == "08");
    let forged = &of_json(r#"[{"key": "09", "error": "verification failed"}]"#)[0];
    assert!(!is_valid(forged) && field(forged, &["key"]) == "09");
}
