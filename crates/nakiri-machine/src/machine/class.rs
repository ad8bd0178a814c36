//! Classes of operations by name, as machine files and reports write them.

pub use nakiri::isa::Class;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the name.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(class: &Class, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(class.name())
}

/// Reads a name.
///
/// # Errors
/// That there is no class of this name.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Class, D::Error> {
    let name = String::deserialize(deserializer)?;
    let class = Class::ALL.iter().find(|class| class.name() == name);
    class.copied().ok_or_else(|| D::Error::unknown_variant(&name, Class::NAMES))
}
