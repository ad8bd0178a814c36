//! What the compiler knows of a cipher, beside the figures that were measured.

use crate::commands::bench::Measurement;
use crate::library;
use crate::session::Failure;
use crate::subjects::Cipher;
use crate::tuned;
use nakiri::circuit::{self, Origin};
use nakiri::compile::{legality, Kernel, Options};
use nakiri::core::{Direction, Table};
use nakiri_bench::mix::Mix;
use nakiri_bench::report::circuit::Named;
use nakiri_bench::report::layout::Placement;
use nakiri_bench::report::pressure::Pressure;
use nakiri_bench::report::{self, KernelFacts};
use nakiri_bench::results::Row;

/// The most outputs of a table whose circuit is drawn.
const OUTPUTS: u8 = 32;

/// All that a report shows of a cipher.
///
/// # Errors
/// [`Failure`] if the manifest does not fit the nodes, or a row's configuration is ill-formed.
pub fn cipher(
    cipher: &Cipher,
    rows: Vec<Row>,
    measurement: &Measurement,
) -> Result<report::Cipher, Failure> {
    let kernels = kernels(cipher, &rows, measurement)?;
    let block_bytes = kernels.first().map_or(0, Kernel::block_bytes);
    Ok(report::Cipher {
        name: cipher.name.clone(),
        title: cipher.title().to_string(),
        specification: cipher.specification().to_string(),
        block_bits: 8 * block_bytes as u32,
        facts: facts(cipher, block_bytes),
        kernels: kernels.iter().map(kernel_facts).collect(),
        layouts: layouts(&kernels),
        circuits: circuits(cipher),
        rows,
    })
}

fn facts(cipher: &Cipher, block_bytes: usize) -> Vec<(String, String)> {
    let prefixes: Vec<&str> =
        cipher.instances().iter().map(|i| i.prefix.get_ref().as_str()).collect();
    let facts = [
        ("Block", format!("{} bits", 8 * block_bytes)),
        ("Instances", prefixes.join(", ")),
        ("Source", format!("{} lines", cipher.source_lines())),
        ("Evidence", library::evidence(cipher.agreed).join("; ")),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| (name.to_string(), value)).collect()
}

/// The kernels of the first instance: every legal slicing on every target, narrowest target first.
fn kernels(
    cipher: &Cipher,
    rows: &[Row],
    measurement: &Measurement,
) -> Result<Vec<Kernel>, Failure> {
    let Some(instance) = cipher.instances().first() else { return Ok(Vec::new()) };
    let mut kernels = Vec::new();
    for options in measurement.configurations()? {
        let own = |row: &&Row| {
            row.instance == *instance.prefix.get_ref()
                && row.target == options.target.name
                && row.slicing == options.direction.to_string()
        };
        let options = match rows.iter().find(own) {
            Some(row) => parsed(row)?,
            None => {
                let found = tuned::found(cipher.path(), &options)?;
                let options = found.map_or(options, |found| found.options);
                match cipher.decide(instance, &options, true)? {
                    Ok(decision) => decision.options,
                    Err(_) => continue,
                }
            }
        };
        if let Ok(compiled) = cipher.compile(instance, &options)? {
            kernels.push(compiled.kernel);
        }
    }
    Ok(kernels)
}

fn parsed(row: &Row) -> Result<Options, Failure> {
    row.configuration.parse().map_err(|why| {
        Failure::Wrong(format!(
            "the results' configuration `{}` of {}: {why}; measure it anew",
            row.configuration, row.instance
        ))
    })
}

fn kernel_facts(kernel: &Kernel) -> KernelFacts {
    KernelFacts {
        slicing: kernel.direction.to_string(),
        target: kernel.target.name.to_string(),
        blocks: kernel.blocks() as u32,
        pressure: Pressure::of(kernel),
        mix: Mix::of(kernel),
    }
}

/// The layout of each slicing, in the widest registers.
fn layouts(kernels: &[Kernel]) -> Vec<Placement> {
    let widest = |direction: &Direction| {
        kernels.iter().rev().find(|kernel| kernel.direction == *direction).and_then(Placement::of)
    };
    legality::PREFERENCE.iter().filter_map(widest).collect()
}

/// The circuit of each table that the cipher's nodes look up.
fn circuits(cipher: &Cipher) -> Vec<Named> {
    let mut tables: Vec<Table> = Vec::new();
    for node in cipher.instances().iter().flat_map(|instance| instance.nodes()) {
        let program = cipher.checked.program_for(node.get_ref());
        for table in program.into_iter().flat_map(|program| program.tables) {
            let known = tables.iter().any(|known| known.entries == table.entries);
            if !known && table.outputs <= OUTPUTS {
                tables.push(table);
            }
        }
    }
    tables.iter().map(named).collect()
}

fn named(table: &Table) -> Named {
    let entries = table.entries.iter().map(|entry| *entry as u32).collect();
    let own = circuit::Table { inputs: table.inputs, outputs: table.outputs, entries };
    let (circuit, origin) = circuit::for_table(&own);
    let origin = match origin {
        Origin::Library(name) => format!("From the library of circuits: {name}."),
        Origin::Inversion => format!("Made at once: {origin}."),
        Origin::Known | Origin::Synthesized => "Synthesized.".to_string(),
    };
    Named { name: table.name.clone(), origin, circuit }
}
