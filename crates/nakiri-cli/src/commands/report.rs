//! `nakiri report`: one page, or a folder of figures, that show how fast ciphers are and why.

mod gather;

use super::bench::{self, Measurement};
use crate::interrupt;
use crate::output::{self, say};
use crate::session::{unreadable, Failure};
use crate::subjects::{self, Cipher};
use nakiri_bench::report::{self, html, Figure, Measured, Report};
use nakiri_bench::results::Results;
use std::path::{Path, PathBuf};

/// The page that is written if nothing else is asked for.
const PAGE: &str = "report.html";

/// Draws figures of ciphers: speed against bounds and others, scaling, pressure, layouts, circuits
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ciphers' folders, their names in `ciphers`, or `all`; by default those of --results, or all
    #[arg(value_name = "CIPHER")]
    ciphers: Vec<String>,
    /// The page to write: report.html if --figures is not given
    #[arg(short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
    /// A folder for the figures, each as a file of its own
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// What `nakiri bench --json` has measured, instead of measuring now
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    results: Vec<PathBuf>,
    /// Measure nothing: draw what the compiler knows
    #[arg(long, conflicts_with = "results")]
    no_measure: bool,
    #[command(flatten)]
    measurement: Measurement,
}

/// Runs the command.
///
/// # Errors
/// [`Failure`] if a cipher is wrong, nothing can be measured, or files can't be read or written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let page = page(args);
    page.map_or(Ok(()), output::try_write)?;
    args.figures.as_deref().map_or(Ok(()), folder)?;
    let known: Vec<Results> =
        args.results.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let names = names(args, &known);
    let folders = subjects::folders(&names)?;
    let ciphers: Vec<Cipher> =
        folders.iter().map(|folder| Cipher::open(folder, &[])).collect::<Result<_, _>>()?;
    let results = match (args.no_measure, args.results.is_empty()) {
        (true, _) => Vec::new(),
        (_, true) => vec![bench::results(&names, &args.measurement)?],
        (_, false) => known,
    };
    if interrupt::happened() {
        return Err(interrupt::failure("interrupted: no report was written"));
    }
    let report = whole(args, &ciphers, &results)?;
    if let Some(path) = page {
        output::write(path, &html::page(&report))?;
    }
    let figures = report::all(&report);
    args.figures.as_deref().map_or(Ok(()), |folder| write_all(folder, &figures))?;
    let (figures, ciphers) = (figures.len(), report.ciphers.len());
    say!("{} of {}", output::counted(figures, "figure"), output::counted(ciphers, "cipher"));
    Ok(())
}

/// The page to write, if one is asked for.
fn page(args: &Args) -> Option<&Path> {
    match (&args.out, &args.figures) {
        (Some(path), _) => Some(path),
        (None, Some(_)) => None,
        (None, None) => Some(Path::new(PAGE)),
    }
}

/// The ciphers that are asked for.
fn names(args: &Args, known: &[Results]) -> Vec<String> {
    if !args.ciphers.is_empty() {
        return args.ciphers.clone();
    }
    let mut names: Vec<String> = Vec::new();
    for row in known.iter().flat_map(|results| &results.rows) {
        if !names.contains(&row.cipher) {
            names.push(row.cipher.clone());
        }
    }
    if names.is_empty() {
        names.push("all".to_string());
    }
    names
}

fn read(path: &Path) -> Result<Results, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(unreadable(&name.to_string(), &error)))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Wrong(format!("`{name}`: {error}: it is not what `nakiri bench --json` writes"))
    })
}

fn whole(args: &Args, ciphers: &[Cipher], results: &[Results]) -> Result<Report, Failure> {
    let mut report = Report {
        command: command_line(),
        date: bench::date(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        measured: measured(results)?,
        ..Report::default()
    };
    for results in results {
        let new = |known: &[String], warning: &String| !known.contains(warning);
        for warning in &results.host.warnings {
            if new(&report.warnings, warning) {
                report.warnings.push(warning.clone());
            }
        }
        report.skipped.extend(results.skipped.iter().cloned());
    }
    for cipher in ciphers {
        let rows = results.iter().flat_map(|results| &results.rows);
        let rows = rows.filter(|row| row.cipher == cipher.name).cloned().collect::<Vec<_>>();
        if rows.is_empty() && !results.is_empty() {
            report.warnings.push(format!("{} was not measured", cipher.name));
        }
        report.ciphers.push(gather::cipher(cipher, rows, &args.measurement)?);
    }
    Ok(report)
}

/// Where all of this was measured.
///
/// # Errors
/// [`Failure::Usage`] if that is more than one machine.
fn measured(results: &[Results]) -> Result<Option<Measured>, Failure> {
    let Some(first) = results.first() else { return Ok(None) };
    if let Some(other) = results.iter().find(|other| other.host.cpu != first.host.cpu) {
        return Err(Failure::Usage(format!(
            "these results are of two machines, {} and {}, whose figures can't be compared: make a report of each",
            first.host.cpu, other.host.cpu
        )));
    }
    Ok(Some(Measured {
        host: first.host.clone(),
        dates: results.iter().map(|results| results.date.clone()).collect(),
        version: first.version.clone(),
    }))
}

/// The command as it was typed, without the folder of the program.
fn command_line() -> String {
    let words = std::env::args().skip(1);
    std::iter::once("nakiri".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Makes a folder unless it is there.
fn folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::Usage(format!("can't make `{}`: {error}", path.display())))?;
    output::try_write(&path.join("figure.svg"))
}

fn write_all(folder: &Path, figures: &[Figure]) -> Result<(), Failure> {
    figures.iter().try_for_each(|figure| {
        output::write(&folder.join(format!("{}.svg", figure.name)), &figure.drawing.file())
    })
}
