//! The cost of transposition: which part of a whole message is the kernel, which the way into and out of registers' form,
//! and which the mode.

use super::rows::{message, whole, Instance};
use super::scale::figure;
use super::shares::{self, Bar, Names};
use super::{Drawing, Table};
use crate::results::Row;

/// Kernel, transposition and the rest of a message, in core cycles per byte. Measured apart, the first two can add up to
/// a little more than the message; the rest is then nothing.
fn parts(row: &Row) -> [f64; 3] {
    let (kernel, transposition) = (row.kernel.median, row.transposition.median);
    let message = whole(row).map_or(0.0, |mode| mode.cost.median);
    [kernel, transposition, (message - kernel - transposition).max(0.0)]
}

/// Draws an instance's rows.
pub fn draw(instance: &Instance, title: &str) -> Drawing {
    let bar = |row: &Row| {
        let parts = parts(row);
        Bar {
            group: row.target.clone(),
            label: row.slicing.clone(),
            parts: parts.to_vec(),
            total: figure(parts.iter().sum()),
        }
    };
    let bars: Vec<Bar> = instance.rows().map(bar).collect();
    let series = ["kernel", "transposition", "mode, reading and writing"];
    shares::draw(
        &bars,
        &Names {
            title,
            axis: "per cent of the whole message",
            total: "cycles/byte",
            series: &series,
        },
    )
}

/// The numbers of the figure, with what else a user of short messages asks for.
pub fn table(instance: &Instance) -> Table {
    let mut table = Table::new(&[
        "target",
        "slicing",
        "kernel#",
        "transposition#",
        "rest#",
        "message",
        "one batch, cycles#",
        "bytes of a batch#",
        "faster than narrower from#",
    ]);
    table.rows.extend(instance.rows().map(|row| {
        let [kernel, transposition, rest] = parts(row).map(figure);
        vec![
            row.target.clone(),
            row.slicing.clone(),
            kernel,
            transposition,
            rest,
            whole(row).map_or(String::new(), message),
            format!("{:.0}", row.latency.median),
            (row.blocks * row.block_bytes).to_string(),
            row.break_even.map_or("–".to_string(), |blocks| format!("{blocks} blocks")),
        ]
    }));
    table
}
