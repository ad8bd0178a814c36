//! What the matrix prints.

use nakiri::isa;
use nakiri_verify::cc::Compiler;
use nakiri_verify::Error;
use std::fmt;

/// What came of one slicing for one target.
#[derive(Clone, Debug)]
pub enum Cell {
    /// So many engines gave every vector.
    Passed(u32),
    /// An engine did not; the rest did.
    Failed { passed: u32, messages: Vec<String> },
    /// There is no instance.
    Illegal(String),
    /// So many engines that need no CPU passed; why no other ran.
    NotRun(u32, String),
    /// It is legal, but not one of the sample.
    Left,
}

/// The rows of one cipher.
#[derive(Debug, Default)]
pub struct Table {
    /// Each with a cell for each target.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// Single checks beside the rows: a name, and what failed, if anything.
    pub checks: Vec<(String, Option<String>)>,
}

/// How an engine failed, in a few lines.
pub fn failure(compiler: &Compiler, error: &Error) -> String {
    let text = format!("{}: {error}", compiler.program);
    text.lines().take(6).collect::<Vec<_>>().join("\n    ")
}

/// The sums over all tables.
#[derive(Debug, Default)]
pub struct Totals {
    /// Engines × cells that gave every vector.
    pub passed: u32,
    /// Those that did not.
    pub failed: u32,
    /// Cells without an instance.
    pub illegal: u32,
    /// Cells that this machine can't run.
    pub not_run: u32,
    /// Cells that are not in the sample.
    pub left: u32,
}

impl Totals {
    /// Adds a table.
    pub fn add(&mut self, table: &Table) {
        for cell in table.rows.iter().flat_map(|(_, cells)| cells) {
            match cell {
                Cell::Passed(n) => self.passed += n,
                Cell::Failed { passed, messages } => {
                    self.passed += passed;
                    self.failed += messages.len() as u32;
                }
                Cell::Illegal(_) => self.illegal += 1,
                Cell::NotRun(passed, _) => {
                    self.passed += passed;
                    self.not_run += 1;
                }
                Cell::Left => self.left += 1,
            }
        }
        for (_, failure) in &table.checks {
            match failure {
                None => self.passed += 1,
                Some(_) => self.failed += 1,
            }
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} cells not legal, {} not run, {} not in the sample\n{} passed, {} failed",
            self.illegal, self.not_run, self.left, self.passed, self.failed
        )
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let width = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        write!(f, "  {:width$}", "")?;
        for target in isa::all() {
            write!(f, " {:>12}", target.name)?;
        }
        writeln!(f)?;
        let (mut notes, mut failures): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for (name, cells) in &self.rows {
            write!(f, "  {name:width$}")?;
            for (cell, target) in cells.iter().zip(isa::all()) {
                let mut note = |why| {
                    let known = notes.iter().position(|note| *note == why);
                    known.unwrap_or_else(|| {
                        notes.push(why);
                        notes.len() - 1
                    }) + 1
                };
                let text = match cell {
                    Cell::Passed(_) => "✓".to_string(),
                    Cell::NotRun(_, why) => format!("no [{}]", note(why)),
                    Cell::Left => "·".to_string(),
                    Cell::Illegal(why) => format!("– [{}]", note(why)),
                    Cell::Failed { messages, .. } => {
                        let place = format!("{name} {}", target.name);
                        failures.extend(messages.iter().map(|m| format!("{place}: {m}")));
                        "FAILED".to_string()
                    }
                };
                write!(f, " {text:>8}")?;
            }
            writeln!(f)?;
        }
        for (number, note) in notes.iter().enumerate() {
            writeln!(f, "  [{}] {note}", number + 1)?;
        }
        for (name, failure) in &self.checks {
            match failure {
                None => writeln!(f, "  {name}: ✓")?,
                Some(message) => writeln!(f, "  {name}: FAILED {message}")?,
            }
        }
        failures.iter().try_for_each(|failure| writeln!(f, "  FAILED {failure}"))
    }
}
