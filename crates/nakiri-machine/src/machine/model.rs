//! Machine files for the compiler: ports by number instead of name.

use super::{Machine, Operation};
use nakiri::cost::{self, Ports};

/// How many turns of its own ports an operation takes at most: throughputs are multiples of 1/TURNS.
const TURNS: u32 = 4;

impl Machine {
    /// The form in which the compiler takes it.
    pub fn model(&self) -> cost::Machine {
        let mut used = self.ports.len() as u32;
        let mut operations = Vec::new();
        for row in &self.operations {
            let mut uses: Vec<Ports> = row.uses.iter().map(|names| self.port_set(names)).collect();
            uses.extend(limit(row, &mut used));
            operations.extend(row.widths.iter().map(|width| cost::Operation {
                class: row.class,
                width: *width,
                latency: row.latency,
                uses: uses.clone(),
            }));
        }
        cost::Machine {
            name: self.name.clone(),
            reorder: self.reorder,
            scheduler: self.scheduler,
            width: self.front_end.width,
            op_cache: self.front_end.op_cache.map(|instructions| cost::OpCache {
                instructions,
                entry: self.front_end.op_cache_entry,
            }),
            decode: self.front_end.decode,
            decode_bytes: self.front_end.decode_bytes,
            cache: self
                .cache
                .as_ref()
                .map(|cache| cost::Cache { bytes: cache.bytes, refill: cache.refill }),
            renaming: self
                .renaming
                .map(|renaming| cost::Renaming { bytes: renaming.bytes, cycles: renaming.cycles }),
            idle: self.idle,
            operations,
        }
    }

    /// Its ports as bits, in the order of its file.
    pub fn port_set(&self, names: &[String]) -> Ports {
        let bit = |name: &String| self.ports.iter().position(|port| port == name);
        names.iter().filter_map(bit).fold(0, |ports, bit| ports | 1 << bit)
    }
}

/// A throughput that is below that of the ports, as ports of the row's own.
fn limit(row: &Operation, used: &mut u32) -> Vec<Ports> {
    let Some(throughput) = row.throughput else { return Vec::new() };
    let whole = |turns: &u32| (throughput * f64::from(*turns)).fract() < 1e-6;
    let turns = (1..TURNS).find(whole).unwrap_or(TURNS);
    let ports = (throughput * f64::from(turns)).round().max(1.0) as u32;
    if *used + ports > Ports::BITS {
        return Vec::new();
    }
    let set = ((1 << ports) - 1) << *used;
    *used += ports;
    vec![set; turns as usize]
}
