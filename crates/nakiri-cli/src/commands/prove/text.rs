//! What a simulation found, as text.

use nakiri_verify::hardware::{Agreement, Difference, Trial};
use nakiri_verify::simulate::{Design, Values};
use nakiri_verify::Error;
use serde_json::{json, Value};
use std::time::Duration;

/// How many ticks before a difference are shown.
const SHOWN: usize = 8;

/// How far `what` and the kernel agree.
pub fn report(what: &str, trial: &Trial, found: &Agreement, time: Duration) -> String {
    let mut text = format!(
        "{what}: {} bits of {} lanes × {} ticks {}\n",
        found.compared,
        trial.lanes,
        trial.ticks,
        match found.difference {
            Some(_) => "compared".to_string(),
            None => format!("are as in {}", trial.design.simulator.name()),
        },
    );
    if found.unknown > 0 {
        let share = 100.0 * found.unknown as f64 / (found.unknown + found.compared) as f64;
        text +=
            &format!("  {} bits ({share:.0} %) are unknown there, and not compared", found.unknown);
        text += if trial.reset.is_some() { "\n" } else { "; `--reset` names a reset\n" };
    }
    let never = never_known(found);
    if never > 0 {
        text += &format!("  {never} bits of outputs are never known\n");
    }
    if found.simulated < trial.lanes {
        text += &format!(
            "  there was time for the inputs of {} of {} lanes, which the others repeat; `--budget` gives more\n",
            found.simulated, trial.lanes
        );
    }
    if let Some(difference) = &found.difference {
        text += &shown(trial.design, difference);
    }
    text + &format!("  in {:.1} s\n", time.as_secs_f64())
}

/// The same for programs.
pub fn figures(trial: &Trial, found: &Agreement, time: Duration) -> Value {
    json!({
        "lanes": trial.lanes,
        "ticks": trial.ticks,
        "compared": found.compared,
        "unknown": found.unknown,
        "never_known": never_known(found),
        "inputs_of_lanes": found.simulated,
        "difference": found.difference.as_ref().map(|difference| shown(trial.design, difference)),
        "seconds": time.as_secs_f64(),
    })
}

fn never_known(found: &Agreement) -> usize {
    found.known.iter().flatten().filter(|known| !**known).count()
}

/// Whether most of what a simulation says is unknown.
pub fn most(found: &Agreement) -> bool {
    found.unknown > found.compared
}

/// Why a simulator doesn't take a design, in a line.
pub fn refusal(error: &Error) -> String {
    let text = match error {
        Error::Simulator { message, .. } => message.clone(),
        error => error.to_string(),
    };
    let is_note = |line: &&str| line.contains("warning:") || line.contains("are ignored");
    let told = text.lines().find(|line| !is_note(line) && !line.trim().is_empty());
    told.or(text.lines().next()).unwrap_or_default().trim().to_string()
}

/// A difference, and what led to it.
fn shown(design: &Design, difference: &Difference) -> String {
    let Difference { lane, tick, output, bit, wanted, inputs, .. } = difference;
    let name = &design.outputs[*output].name;
    let mut text = format!(
        "  `{name}[{bit}]` is {} in lane {lane} after tick {tick}, not {}\n",
        u8::from(!wanted),
        u8::from(*wanted)
    );
    let first = inputs.len().saturating_sub(SHOWN);
    for (tick, values) in inputs.iter().enumerate().skip(first) {
        text += &format!("    tick {tick}: {}\n", assignments(design, values));
    }
    text
}

fn assignments(design: &Design, values: &Values) -> String {
    let names = design.inputs.iter().map(|signal| &signal.name);
    let values: Vec<String> =
        names.zip(values).map(|(name, bits)| format!("{name} = {}", number(bits))).collect();
    values.join(", ")
}

/// A number in hexadecimal, from its bits, the least significant first.
pub fn number(bits: &[Option<bool>]) -> String {
    let digit = |bits: &[Option<bool>]| {
        let value =
            bits.iter().rev().try_fold(0, |sum, bit| bit.map(|bit| sum << 1 | u32::from(bit)));
        value.and_then(|value| char::from_digit(value, 16)).unwrap_or('x')
    };
    let digits: Vec<char> = bits.chunks(4).map(digit).collect();
    let digits: String = digits.into_iter().rev().collect();
    match digits.trim_start_matches('0') {
        "" => "0".to_string(),
        digits => format!("0x{digits}"),
    }
}
