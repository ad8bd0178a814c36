//! Digests of what a run has read.

use nakiri::source::SourceMap;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The digest of all files: each one's name (without its folders), length and text.
pub fn sources(sources: &SourceMap) -> String {
    let mut bytes = Vec::new();
    for file in sources.files() {
        let name = Path::new(&file.path).file_name().unwrap_or_default().to_string_lossy();
        bytes.extend(format!("{name}\0{}\0", file.text.len()).into_bytes());
        bytes.extend(file.text.as_bytes());
    }
    format!("sha256 {}", whole(&bytes))
}

/// All hexadecimal digits of the digest of some bytes.
pub fn whole(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first 16 hexadecimal digits of the digest of some bytes.
pub fn short(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
