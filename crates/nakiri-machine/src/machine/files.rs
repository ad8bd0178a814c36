//! The machine models that come with Nakiri.

use super::Machine;
use std::sync::OnceLock;

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../machines/", $name, ".toml"))),)*]
    };
}

/// Name and text of each file.
pub const FILES: &[(&str, &str)] = files!(
    "zen5",
    "zen4",
    "zen3",
    "zen2",
    "redwood-cove",
    "golden-cove",
    "icelake",
    "skylake",
    "neoverse-n1",
    "cortex-x4",
    "cortex-a72",
    "cortex-m4",
    "p670",
    "power9",
    "toy",
);

/// The models that come with Nakiri.
pub fn all() -> &'static [Machine] {
    static ALL: OnceLock<Vec<Machine>> = OnceLock::new();
    ALL.get_or_init(|| {
        let machines = FILES.iter().map(|(name, text)| {
            Machine::parse(text, name).expect("the files that come with Nakiri are tested")
        });
        machines.collect()
    })
}
