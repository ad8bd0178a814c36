//! Figures and the page that shows them: pure functions from data to text, the same text for the same data.
//!
//! [`Report`] holds the data: rows that were measured ([`crate::results`]) and what kernels, layouts and circuits say of
//! themselves. [`figures`] draws them and [`html::page`] sets the page.

pub mod circuit;
mod figures;
pub mod html;
pub mod layout;
mod legend;
mod mix;
pub mod occupancy;
pub mod pressure;
mod rows;
mod scale;
mod scaling;
mod shares;
pub mod svg;
pub mod theme;
mod throughput;
mod transposition;

pub use figures::all;
pub use svg::Drawing;

use crate::results::{Host, Row, Skipped};

/// What a report shows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The command that made it.
    pub command: String,
    /// When it was drawn, as an RFC 3339 date and time in UTC.
    pub date: String,
    /// The version of Nakiri that drew it.
    pub version: String,
    /// Where and when its figures were measured, if they were.
    pub measured: Option<Measured>,
    /// What limits the figures, and what was not as expected.
    pub warnings: Vec<String>,
    /// What was asked for and not measured.
    pub skipped: Vec<Skipped>,
    /// Its ciphers.
    pub ciphers: Vec<Cipher>,
}

/// Where and when figures were measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The machine.
    pub host: Host,
    /// When, as RFC 3339 dates and times in UTC, one for each run.
    pub dates: Vec<String>,
    /// The version of Nakiri that measured.
    pub version: String,
}

/// A cipher of the report.
#[derive(Clone, Debug, Default)]
pub struct Cipher {
    /// Its name: a C identifier.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The document that defines it.
    pub specification: String,
    /// Bits of a block.
    pub block_bits: u32,
    /// What is known about it, such as how many vectors it computes: names and values.
    pub facts: Vec<(String, String)>,
    /// Its rows of all runs.
    pub rows: Vec<Row>,
    /// Its kernels, one for each slicing and target.
    pub kernels: Vec<KernelFacts>,
    /// How its block lies in registers, one for each slicing.
    pub layouts: Vec<layout::Placement>,
    /// The circuits of its tables.
    pub circuits: Vec<circuit::Named>,
}

impl Cipher {
    /// The measured row that fits a kernel: of the first instance, whose kernel it is.
    pub fn row_of(&self, kernel: &KernelFacts) -> Option<&Row> {
        let first = rows::Instance::all(&self.rows).into_iter().next()?;
        first.row(&kernel.slicing, &kernel.target)
    }
}

/// What a kernel says of itself.
#[derive(Clone, Debug)]
pub struct KernelFacts {
    /// Its slicing.
    pub slicing: String,
    /// Its target.
    pub target: String,
    /// Blocks that it processes at once.
    pub blocks: u32,
    /// How its values live.
    pub pressure: pressure::Pressure,
    /// The operations that one run executes.
    pub mix: crate::mix::Mix,
}

/// A figure with the numbers that it shows.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of its file, without the ending.
    pub name: String,
    /// What is to be seen.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// The drawing.
    pub drawing: Drawing,
    /// Its numbers.
    pub table: Table,
    /// Whether it takes the whole width of a page and is not to be shrunk.
    pub wide: bool,
}

/// A table: columns of text (left) or numbers (right).
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heads of its columns, with whether they hold numbers.
    pub columns: Vec<(String, bool)>,
    /// Its cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns; those whose names end in `#` hold numbers.
    pub fn new(columns: &[&str]) -> Table {
        let column = |name: &&str| match name.strip_suffix('#') {
            Some(name) => (name.to_string(), true),
            None => (name.to_string(), false),
        };
        Table { columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }
}
