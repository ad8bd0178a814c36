//! What figures take from measured rows.

use crate::results::{ModeRow, Row};
use nakiri::isa;

/// The message whose cost stands for all: of CTR before other modes, and of about this many bytes.
const BYTES: u64 = 16 * 1024;

/// Everything of one instance, the best row of each slicing and target.
pub struct Instance<'a> {
    /// Its prefix.
    pub name: &'a str,
    /// Its targets, narrowest first, each with its rows, fastest first.
    pub targets: Vec<(&'a str, Vec<&'a Row>)>,
}

impl<'a> Instance<'a> {
    /// The instances of a cipher's rows, in their order.
    pub fn all(rows: &'a [Row]) -> Vec<Instance<'a>> {
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            if !names.contains(&row.instance.as_str()) {
                names.push(&row.instance);
            }
        }
        names.into_iter().map(|name| Instance::of(name, rows)).collect()
    }

    fn of(name: &'a str, rows: &'a [Row]) -> Instance<'a> {
        let mut targets: Vec<(&str, Vec<&Row>)> = Vec::new();
        for row in rows.iter().filter(|row| row.instance == name) {
            let found = targets.iter().position(|(target, _)| *target == row.target);
            let place = found.unwrap_or_else(|| {
                targets.push((&row.target, Vec::new()));
                targets.len() - 1
            });
            let of_target = &mut targets[place].1;
            match of_target.iter_mut().find(|known| known.slicing == row.slicing) {
                Some(known) if cost(row) < cost(known) => *known = row,
                Some(_) => {}
                None => of_target.push(row),
            }
        }
        targets.sort_by_key(|(target, _)| rank(target));
        for (_, rows) in &mut targets {
            rows.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        }
        Instance { name, targets }
    }

    /// All its rows.
    pub fn rows(&self) -> impl Iterator<Item = &'a Row> + '_ {
        self.targets.iter().flat_map(|(_, rows)| rows.iter().copied())
    }

    /// Its row of a slicing and a target.
    pub fn row(&self, slicing: &str, target: &str) -> Option<&'a Row> {
        self.rows().find(|row| row.slicing == slicing && row.target == target)
    }

    /// Its slicings, best first on the widest target.
    pub fn slicings(&self) -> Vec<&'a str> {
        let mut slicings: Vec<&str> = Vec::new();
        for (_, rows) in self.targets.iter().rev() {
            for row in rows {
                if !slicings.contains(&row.slicing.as_str()) {
                    slicings.push(&row.slicing);
                }
            }
        }
        slicings
    }
}

/// Core cycles per byte by which rows are compared.
pub fn cost(row: &Row) -> f64 {
    whole(row).map_or(row.kernel.median + row.transposition.median, |mode| mode.cost.median)
}

/// The message whose cost stands for a row.
pub fn whole(row: &Row) -> Option<&ModeRow> {
    row.modes.iter().min_by_key(|mode| (mode.mode != "ctr", mode.bytes.abs_diff(BYTES)))
}

/// What a message is, such as `ctr, 16 KiB`.
pub fn message(mode: &ModeRow) -> String {
    match mode.bytes {
        bytes if bytes >= 1024 && bytes % 1024 == 0 => {
            format!("{}, {} KiB", mode.mode, bytes / 1024)
        }
        bytes => format!("{}, {bytes} bytes", mode.mode),
    }
}

/// The place of a target in the order of all; those that are unknown come last.
pub fn rank(name: &str) -> usize {
    isa::all().iter().position(|known| known.name == name).unwrap_or(usize::MAX)
}

/// A target with its registers, such as `avx2: 16 registers of 256 bits`.
pub fn describe(name: &str) -> String {
    match isa::find(name) {
        Some(known) => format!("{name}: {} registers of {} bits", known.registers, known.bits),
        None => name.to_string(),
    }
}
