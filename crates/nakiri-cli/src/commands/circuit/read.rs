//! What a circuit is searched for: a table or a matrix, from the command line, a file or an Usuba source.

use crate::program::{Input, SourceArgs};
use crate::session::{unreadable, Failure, Session};
use crate::subjects;
use nakiri::circuit::Table;
use nakiri_circuit::linear::Matrix;
use std::path::{Path, PathBuf};

/// The most bits of a table's index and of its entries.
const BITS: u8 = 8;

/// The most rows and columns of a matrix.
const SIDE: usize = 64;

/// A table and its name.
pub struct Named {
    /// A name for people.
    pub name: String,
    /// The table.
    pub table: Table,
}

/// Reads a table: `SOURCE:NAME`, a file of numbers, or numbers.
///
/// # Errors
/// [`Failure`] if it is none of these, or no function of its size.
pub fn table(text: &str, outputs: Option<u8>, source: &SourceArgs) -> Result<Named, Failure> {
    if let Some((place, name)) = text.rsplit_once(':') {
        return of_source(place, name, source);
    }
    if Path::new(text).is_file() {
        let content = std::fs::read_to_string(text)
            .map_err(|error| Failure::Usage(unreadable(text, &error)))?;
        return of_numbers(&content, outputs, &format!("`{text}`"), text);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Failure::Usage(format!(
            "`{text}` is neither a table nor a file: give its entries, such as \"6 5 12 10\", a file \
             with them, or SOURCE.ua:NAME for a table of an Usuba source or a cipher"
        )));
    }
    of_numbers(text, outputs, "the table", "sbox")
}

/// The table of these entries.
fn of_numbers(text: &str, outputs: Option<u8>, place: &str, name: &str) -> Result<Named, Failure> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words = line.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
        for word in words.filter(|word| !word.is_empty()) {
            let wrong = || {
                Failure::Wrong(format!(
                    "{place}, line {}, entry {}: `{word}` is no number; entries are decimal or 0x…",
                    number + 1,
                    entries.len()
                ))
            };
            entries.push(number_of(word).ok_or_else(wrong)?);
        }
    }
    of_entries(entries, outputs, place).map(|table| Named { name: name.to_string(), table })
}

fn number_of(word: &str) -> Option<u128> {
    match word.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn of_entries(entries: Vec<u128>, outputs: Option<u8>, place: &str) -> Result<Table, Failure> {
    let count = entries.len();
    if !count.is_power_of_two() || count < 2 {
        let below = if count < 2 { 0 } else { 1usize << count.ilog2() };
        return Err(Failure::Wrong(format!(
            "{place} has {count} entries, and a function of k bits has 2^k: {} are missing or {} too many",
            count.next_power_of_two().max(2) - count,
            count - below
        )));
    }
    let inputs = count.ilog2() as u8;
    if inputs > BITS {
        return Err(Failure::Wrong(format!(
            "{place} has {inputs} input bits; circuits are searched for up to {BITS}"
        )));
    }
    let largest = entries.iter().copied().max().unwrap_or(0);
    let needed = (128 - largest.leading_zeros()).max(1);
    let outputs = outputs.map_or(needed, u32::from);
    if let Some(index) =
        entries.iter().position(|entry| entry.checked_shr(outputs).unwrap_or(0) > 0)
    {
        return Err(Failure::Wrong(format!(
            "{place}, entry {index}: {} doesn't fit into {outputs} output bits",
            entries[index]
        )));
    }
    if outputs > u32::from(BITS) {
        let index = entries.iter().position(|entry| *entry == largest).unwrap_or(0);
        return Err(Failure::Wrong(format!(
            "{place}, entry {index}: {largest} has {outputs} bits; circuits are searched for up to {BITS}"
        )));
    }
    let entries = entries.into_iter().map(|entry| entry as u32).collect();
    Ok(Table { inputs, outputs: outputs as u8, entries })
}

/// A table of an Usuba source or a cipher.
fn of_source(place: &str, name: &str, source: &SourceArgs) -> Result<Named, Failure> {
    let path = PathBuf::from(place);
    let path = match path.exists() || place.ends_with(".ua") {
        true => path,
        false => subjects::folders(&[place.to_string()])?.remove(0),
    };
    let mut session = Session::new(&source.include);
    let input = Input::find(&mut session, &path)?;
    let checked = session.check(&input.source, &source.options())?;
    let Some(table) = checked.tables().iter().find(|table| table.name == name) else {
        let names: Vec<&str> = checked.tables().iter().map(|table| table.name.as_str()).collect();
        return Err(Failure::Wrong(match names.is_empty() {
            true => format!("`{place}` has no tables"),
            false => format!("`{place}` has no table `{name}`; there are {}", names.join(", ")),
        }));
    };
    let entries = table.entries.clone();
    let place = format!("the table {name} of `{place}`");
    if table.outputs > BITS {
        let message = format!(
            "{place} has {} output bits; circuits are searched for up to {BITS}",
            table.outputs
        );
        return Err(Failure::Wrong(message));
    }
    of_entries(entries, Some(table.outputs), &place)
        .map(|table| Named { name: name.to_string(), table })
}

/// Reads a matrix: a file or a text of rows, each of digits 0 and 1 or a number 0x… whose most significant bit is the
/// first column.
///
/// # Errors
/// [`Failure`] if a row is neither, or rows differ in length.
pub fn matrix(text: &str) -> Result<Matrix, Failure> {
    let (content, place) = match Path::new(text).is_file() {
        true => {
            let content = std::fs::read_to_string(text)
                .map_err(|error| Failure::Usage(unreadable(text, &error)))?;
            (content, format!("`{text}`"))
        }
        false => (text.to_string(), "the matrix".to_string()),
    };
    let words = content.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let Some(first) = words.first() else {
        return Err(Failure::Wrong(format!("{place} is empty")));
    };
    // Hexadecimal rows are of a square matrix.
    let columns = if first.starts_with("0x") { words.len() } else { first.len() };
    if columns > SIDE || words.len() > SIDE {
        return Err(Failure::Wrong(format!(
            "{place} has {} rows and {columns} columns; there may be {SIDE} of each",
            words.len()
        )));
    }
    let rows = words.iter().enumerate().map(|(number, word)| {
        row(word, columns)
            .map_err(|why| Failure::Wrong(format!("{place}, row {number}: `{word}` {why}")))
    });
    Ok(Matrix { columns, rows: rows.collect::<Result<_, _>>()? })
}

/// A row, its first column in bit 0.
fn row(word: &str, columns: usize) -> Result<u64, String> {
    if let Some(digits) = word.strip_prefix("0x") {
        let value = u64::from_str_radix(digits, 16).map_err(|_| "is no number")?;
        if columns < 64 && value >> columns != 0 {
            return Err(format!("doesn't fit into {columns} columns, as many as there are rows"));
        }
        return Ok((0..columns)
            .map(|column| (value >> (columns - 1 - column) & 1) << column)
            .sum());
    }
    if word.len() != columns {
        return Err(format!("has {} columns, the first row {columns}", word.len()));
    }
    word.chars().enumerate().try_fold(0, |row, (column, digit)| match digit {
        '0' => Ok(row),
        '1' => Ok(row | 1 << column),
        _ => Err("is no row of digits 0 and 1".to_string()),
    })
}
