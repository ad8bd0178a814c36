//! `nakiri bound --cycles`: which instruction starts on which port, cycle by cycle.

use super::{wrong, Failure, Machine};
use nakiri_bench::bound::picture::{picture, Legend};
use nakiri_bench::bound::schedule::{schedule, Schedule};
use nakiri_bench::bound::Repeated;
use nakiri_bench::object::decode::{mnemonic, BANKS};
use nakiri_bench::object::path::Path;
use nakiri_bench::sequence::Sequence;
use serde_json::{json, Value};
use std::ops::Range;

/// Cycles of an execution, the first being that in which it is issued.
#[derive(Clone, Debug)]
pub struct Cycles(Range<usize>);

impl std::str::FromStr for Cycles {
    type Err = String;

    fn from_str(text: &str) -> Result<Cycles, String> {
        let ends = text.split_once("..").map(|(from, to)| (from.parse(), to.parse()));
        match ends {
            Some((Ok(from), Ok(to))) if from < to => Ok(Cycles(from..to)),
            _ => Err("cycles are written like `0..48`, the second number larger".to_string()),
        }
    }
}

/// The most instructions of an execution: what is known of each is kept.
const LONGEST: usize = 1_000_000;

/// Code whose schedule is drawn.
pub struct Drawn<'a> {
    pub sequence: &'a Sequence,
    /// For each of [`Sequence::code`] what it is called.
    pub names: Vec<String>,
    /// Kinds of registers that are counted, by their bits.
    pub banks: &'a [(&'a str, u64)],
    /// How executions follow each other; nothing stands before and after one without it.
    pub repeated: Option<Repeated>,
}

impl Drawn<'_> {
    /// Machine code of x86-64.
    pub fn of(path: &Path, repeated: Repeated) -> Drawn<'_> {
        let names = path.code.iter().map(mnemonic).collect();
        Drawn { sequence: &path.sequence, names, banks: &BANKS, repeated: Some(repeated) }
    }

    /// The picture, and all of it for programs.
    ///
    /// # Errors
    /// An operation that the machine lacks, or cycles that there are not.
    pub fn draw(
        &self,
        machine: &Machine,
        Cycles(asked): &Cycles,
    ) -> Result<(String, Value), Failure> {
        if self.sequence.steps.len() > LONGEST {
            let message = format!(
                "it executes {} instructions, and no more than {LONGEST} are drawn: draw a loop of it (--loop)",
                self.sequence.steps.len()
            );
            return Err(Failure::Usage(message));
        }
        let schedule = schedule(machine, self.sequence, self.repeated).map_err(wrong)?;
        let length = schedule.cycles.len();
        if asked.start >= length {
            let message = format!("it takes {length} cycles: ask for --cycles=0..{length}");
            return Err(Failure::Usage(message));
        }
        let end = asked.end.min(length);
        let Drawn { sequence, names, banks, .. } = self;
        let legend = Legend { sequence, names, banks };
        let among = match self.repeated {
            Some(_) => "; one among many, ( ) is of those before and behind it",
            None => "",
        };
        let mut text = format!(
            "\n  cycles {} to {} of {length}; * is on the longest chain of results{among}\n\n",
            asked.start,
            end - 1
        );
        text += &picture(&schedule, machine, &legend, &(asked.start..end));
        if end < length {
            let next = length.min(end + asked.len());
            text += &format!("  what follows: --cycles={end}..{next}\n");
        }
        Ok((text, self.json(&schedule, machine)))
    }

    /// All instructions of an execution, with cycles counted from that in which it is issued.
    fn json(&self, schedule: &Schedule, machine: &Machine) -> Value {
        let first = schedule.cycles.start;
        let own = schedule.executed.iter().filter(|executed| executed.run == 0);
        let instructions = own.map(|executed| {
            let started = executed.started.iter().filter(|(_, port)| *port != 0);
            let started = started.map(|(cycle, port)| {
                let name = &machine.ports[port.trailing_zeros() as usize];
                json!({ "cycle": cycle - first, "port": name })
            });
            let alive = self.banks.iter().map(|(bank, bits)| {
                let count = (schedule.alive[executed.step].0 & bits).count_ones();
                (bank.to_string(), json!(count))
            });
            json!({
                "text": self.names[self.sequence.steps[executed.step].code as usize],
                "issued": executed.issued - first as f64,
                "done": executed.done - first as f64,
                "started": started.collect::<Vec<_>>(),
                "critical": schedule.critical[executed.step],
                "alive": alive.collect::<serde_json::Map<_, _>>(),
            })
        });
        json!({ "cycles": schedule.cycles.len(), "instructions": instructions.collect::<Vec<_>>() })
    }
}
