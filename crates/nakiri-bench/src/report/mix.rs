//! The mix of operations, drawn.

use super::scale::count;
use super::shares::{self, Bar, Names};
use super::{Cipher, Drawing, Table};
use crate::mix::CLASSES;

/// Draws the mix of a cipher's kernels.
pub fn draw(cipher: &Cipher, title: &str) -> Drawing {
    let bytes = f64::from(cipher.block_bits) / 8.0;
    let bar = |kernel: &super::KernelFacts| Bar {
        group: kernel.target.clone(),
        label: kernel.slicing.clone(),
        parts: kernel.mix.counts.iter().map(|n| *n as f64).collect(),
        total: super::scale::figure(kernel.mix.total() as f64 / (bytes * f64::from(kernel.blocks))),
    };
    let bars: Vec<Bar> = cipher.kernels.iter().map(bar).collect();
    shares::draw(
        &bars,
        &Names {
            title,
            axis: "per cent of all operations",
            total: "operations/byte",
            series: &CLASSES,
        },
    )
}

/// The numbers of the figure, and those of the object code where it was measured.
pub fn table(cipher: &Cipher) -> Table {
    let columns = ["target", "slicing", "blocks at once#"].into_iter().map(str::to_string);
    let columns = columns.chain(CLASSES.iter().map(|class| format!("{class}#")));
    let code =
        ["instructions#", "loads#", "stores#", "spills#", "bytes of code#"].map(str::to_string);
    let columns: Vec<String> = columns.chain(code).collect();
    let mut table = Table::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for kernel in &cipher.kernels {
        let mut cells =
            vec![kernel.target.clone(), kernel.slicing.clone(), kernel.blocks.to_string()];
        cells.extend(kernel.mix.counts.map(count));
        let code = cipher.row_of(kernel).map(|row| &row.code);
        cells.extend(match code {
            Some(c) => [c.instructions, c.loads, c.stores, c.spills, c.bytes].map(count),
            None => [(); 5].map(|()| "–".to_string()),
        });
        table.rows.push(cells);
    }
    table
}
