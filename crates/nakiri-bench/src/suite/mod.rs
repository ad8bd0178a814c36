//! Suites: tables that others have published, to be measured again here and printed side by side.

mod render;

pub use render::render;

use nakiri::compile::Options;
use serde::Deserialize;
use std::collections::BTreeSet;

/// What a suite compares.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Tables of a published implementation, the published compiler, and ours.
    #[serde(default)]
    pub comparison: Vec<Comparison>,
    /// How much faster wider registers make a kernel.
    #[serde(default)]
    pub scaling: Vec<Scaling>,
    /// Slicings and targets in a grid.
    #[serde(default)]
    pub grid: Vec<Grid>,
    /// Functions on messages.
    #[serde(default)]
    pub functions: Vec<Functions>,
}

/// What of a row of the results stands in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The kernel alone.
    Kernel,
    /// A whole message.
    Mode,
}

/// A table of others' implementations and ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Its title.
    pub title: String,
    /// Where it was published, and how that was measured.
    pub origin: String,
    /// What is compared.
    pub measure: Measure,
    /// Its rows.
    pub rows: Vec<Published>,
}

/// A published row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Our instance of the cipher.
    pub instance: String,
    /// The slicing.
    pub slicing: String,
    /// Our target.
    pub target: String,
    /// The instruction set as published.
    pub set: String,
    /// Source lines of the reference and of Usuba's source.
    #[serde(default)]
    pub lines: Option<[u32; 2]>,
    /// Cycles per byte of the implementation that was compared with.
    #[serde(default)]
    pub reference: Option<f64>,
    /// Cycles per byte of the published compiler's code.
    pub usuba: f64,
}

/// Speed-ups along the instruction sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    /// Its title.
    pub title: String,
    /// Where it was published.
    pub origin: String,
    /// The targets; the first is the one that the others are compared with.
    pub targets: Vec<String>,
    /// The slicing.
    pub slicing: String,
    /// Its rows.
    pub rows: Vec<Said>,
}

/// A kernel, and what was published about its widest target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Our instance of the cipher.
    pub instance: String,
    /// The published statement.
    #[serde(default)]
    pub said: String,
}

/// Kernels on all targets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Its title.
    pub title: String,
    /// Where the published figures come from.
    pub origin: String,
    /// What is compared.
    pub measure: Measure,
    /// The targets.
    pub targets: Vec<String>,
    /// Its rows.
    pub rows: Vec<GridRow>,
}

/// One kernel on all targets of a grid.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridRow {
    /// Our instance of the cipher.
    pub instance: String,
    /// The slicing.
    pub slicing: String,
    /// Published cycles per byte for each target; not a number where nothing was published, empty if none were.
    pub usuba: Vec<f64>,
    /// Configurations that are measured beside those which `tune` has found for whole messages, such as
    /// `V avx512 interleave=6:1`: those published are the best of many.
    #[serde(default)]
    pub also: Vec<String>,
}

/// Functions on messages, over lengths or over numbers of messages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Functions {
    /// Its title.
    pub title: String,
    /// Where figures were published, and how that was measured.
    pub origin: String,
    /// Bytes of a message.
    pub bytes: Vec<u32>,
    /// Messages at once. One of the two has one number only.
    pub messages: Vec<u32>,
    /// Its rows.
    pub rows: Vec<FunctionsRow>,
}

/// A function in one variant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionsRow {
    /// The folder in `ciphers` or `modes`.
    pub folder: String,
    /// Our function.
    pub function: String,
    /// Our target, with choices after it.
    pub target: String,
    /// The published statement about one like it.
    #[serde(default)]
    pub said: String,
}

/// An instance in a slicing on a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// The instance's prefix.
    pub instance: String,
    /// The slicing.
    pub slicing: String,
    /// The target.
    pub target: String,
}

const FILES: &[(&str, &str)] =
    &[("papers", include_str!("papers.toml")), ("instructions", include_str!("instructions.toml"))];

impl Suite {
    /// Their names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, _)| *name)
    }

    /// The suite of this name, if there is one.
    pub fn find(name: &str) -> Option<Suite> {
        let (_, text) = FILES.iter().find(|(own, _)| *own == name)?;
        // The file is ours and a test reads it.
        Some(toml::from_str(text).expect("suite"))
    }

    /// Whether it is of functions on messages alone.
    pub fn is_of_functions(&self) -> bool {
        self.comparison.is_empty() && self.scaling.is_empty() && self.grid.is_empty()
    }

    /// Further configurations of an instance.
    pub fn also(&self, instance: &str) -> Vec<Options> {
        let rows = self.grid.iter().flat_map(|grid| &grid.rows);
        let also = rows.filter(|row| row.instance == instance).flat_map(|row| &row.also);
        // The file is ours and a test reads it.
        also.map(|configuration| configuration.parse().expect("a configuration")).collect()
    }

    /// Everything that it compares, each once.
    pub fn wanted(&self) -> BTreeSet<Wanted> {
        let wanted = |instance: &str, slicing: &str, target: &str| Wanted {
            instance: instance.to_string(),
            slicing: slicing.to_string(),
            target: target.to_string(),
        };
        let mut all = BTreeSet::new();
        for row in self.comparison.iter().flat_map(|table| &table.rows) {
            all.insert(wanted(&row.instance, &row.slicing, &row.target));
        }
        for table in &self.scaling {
            for row in &table.rows {
                all.extend(table.targets.iter().map(|t| wanted(&row.instance, &table.slicing, t)));
            }
        }
        for grid in &self.grid {
            for row in &grid.rows {
                all.extend(grid.targets.iter().map(|t| wanted(&row.instance, &row.slicing, t)));
            }
        }
        all
    }
}
