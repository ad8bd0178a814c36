//! A schedule as text: a line a cycle, a column a port.

use super::schedule::{Executed, Schedule};
use crate::machine::Machine;
use crate::sequence::Sequence;
use nakiri::cost::Ports;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// The most letters of an instruction.
const LETTERS: usize = 18;

/// What a picture says of a sequence beside its schedule.
#[derive(Clone, Copy, Debug)]
pub struct Legend<'a> {
    /// What is executed.
    pub sequence: &'a Sequence,
    /// For each of [`Sequence::code`] what it is called.
    pub names: &'a [String],
    /// Kinds of registers, by their bits, whose number is told.
    pub banks: &'a [(&'a str, u64)],
}

impl Legend<'_> {
    /// What stands for an instruction: marked if it is on the longest chain, in parentheses if it is of another execution.
    fn cell(&self, schedule: &Schedule, executed: &Executed) -> String {
        let name = &self.names[self.sequence.steps[executed.step].code as usize];
        let name: String = name.chars().take(LETTERS).collect();
        let mark = if schedule.critical[executed.step] { "*" } else { "" };
        match executed.run {
            0 => format!("{name}{mark}"),
            _ => format!("({name})"),
        }
    }
}

/// The ports in some cycles, counted from that in which the execution is issued, and how much of each port is taken.
pub fn picture(
    schedule: &Schedule,
    machine: &Machine,
    legend: &Legend,
    shown: &Range<usize>,
) -> String {
    let first = schedule.cycles.start;
    let shown = first + shown.start..first + shown.end;
    let mut cells: BTreeMap<(usize, Ports), String> = BTreeMap::new();
    let mut alive: BTreeMap<usize, usize> = BTreeMap::new();
    for executed in &schedule.executed {
        let own = executed.started.iter().filter(|(cycle, _)| shown.contains(cycle));
        cells.extend(own.map(|place| (*place, legend.cell(schedule, executed))));
        if executed.run == 0 {
            alive.insert(executed.issued as usize, executed.step);
        }
    }
    let shares = schedule.shares(machine);
    // Ports that are free in all of these cycles have no column.
    let column = |(port, _): &(usize, f64)| {
        let (bit, name) = (1 << port, machine.ports[*port].as_str());
        let own = cells.iter().filter(|((_, own), _)| *own == bit);
        let widest = own.map(|(_, cell)| cell.chars().count()).max()?;
        Some((bit, name, widest.max(name.len())))
    };
    let columns: Vec<(Ports, &str, usize)> = shares.iter().filter_map(column).collect();
    let mut text = format!("{:>7}", "cycle");
    for (_, name, width) in &columns {
        let _ = write!(text, "  {name:width$}");
    }
    for (bank, _) in legend.banks {
        let _ = write!(text, "  {bank}");
    }
    text.push('\n');
    for cycle in shown {
        let mut line = format!("{:>7}", cycle - first);
        for (bit, _, width) in &columns {
            let cell = cells.get(&(cycle, *bit)).map_or("·", String::as_str);
            let _ = write!(line, "  {cell:width$}");
        }
        let step = alive.range(..=cycle).next_back().map(|(_, step)| *step);
        for (bank, bits) in legend.banks {
            let count = step.map(|step| (schedule.alive[step].0 & bits).count_ones());
            let count = count.map_or(String::new(), |count| count.to_string());
            let _ = write!(line, "  {count:>width$}", width = bank.len());
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let taken = shares
        .iter()
        .map(|(port, share)| format!("{} {:.0} %", machine.ports[*port], 100.0 * share));
    let _ = writeln!(text, "  ports taken: {}", taken.collect::<Vec<_>>().join(", "));
    let most = legend.banks.iter().map(|(bank, bits)| {
        let counts = schedule.alive.iter().map(|own| (own.0 & bits).count_ones());
        format!("{bank} {}", counts.max().unwrap_or(0))
    });
    let _ = writeln!(text, "  registers alive at most: {}", most.collect::<Vec<_>>().join(", "));
    text
}
