//! Decisions as text: what was weighed, what it costs, and why.

use super::{Candidate, Decision, Lengths, Run, Sliced};
use crate::compile::{Choice, Options, Short};
use crate::core::Direction;
use std::fmt::Write;

/// What was weighed for each target: a table of choices, core cycles per byte, what limits them, instructions of code,
/// values stored and loaded again for want of registers, kilobytes of memory that a run works on; then, for each choice, what the best without it would cost.
pub fn text(decisions: &[Decision]) -> String {
    let texts: Vec<String> = decisions.iter().map(decision).collect();
    texts.join("\n")
}

fn decision(decision: &Decision) -> String {
    let Options { direction, target, .. } = decision.options;
    let mut text = format!("-{direction} {} on {}\n", target.name, decision.machine);
    for sliced in &decision.slicings {
        text += &slicing(sliced, &decision.options);
    }
    let Some(taken) = decision.taken() else {
        text += "  nothing was weighed: the machine lacks what the target uses\n";
        return text;
    };
    let spill = decision.candidates.iter().any(|candidate| candidate.options.spill.is_some());
    let heads = ["unroll", "inline", "interleave", "schedule", "spill"].map(str::to_string);
    let _ = writeln!(
        text,
        "{} {:>8}  {:9} {:>6} {:>7} {:>8} {:>6}",
        choices(heads, spill),
        "c/B",
        "limit",
        "code",
        "spills",
        "reloads",
        "KiB"
    );
    for candidate in &decision.candidates {
        let mark = if candidate.options == decision.options { "  ← taken" } else { "" };
        let _ = writeln!(text, "{}{mark}", row(candidate, spill));
    }
    for choice in taken.options.choices() {
        let _ = writeln!(text, "  {}", reason(choice, taken, &decision.candidates));
    }
    if let Some(lengths) = &decision.lengths {
        let _ = writeln!(text, "  {}", short(lengths, &taken.options));
    }
    text
}

/// A slicing, and what a message costs in it.
fn slicing(sliced: &Sliced, taken: &Options) -> String {
    let Sliced { direction, target, kernel, transport, left } = *sliced;
    let least = if left { "at least " } else { "" };
    let mark = if sliced.is(taken) { "  ← taken" } else { "" };
    format!(
        "  -{direction} {}: {least}{:.4} c/B of a message: kernel {kernel:.4}, transpositions {transport:.4}{mark}\n",
        target.name,
        sliced.cost()
    )
}

/// Why so many blocks are taken by kernels for short messages.
fn short(lengths: &Lengths, options: &Options) -> String {
    let how = match options.for_short().direction {
        Direction::P => "on rows",
        _ => "with one word a register",
    };
    let run = |run: &Run| format!("{:.0} cycles for up to {}", run.cycles, run.blocks);
    let few: Vec<String> = lengths.few.iter().map(run).collect();
    let lanes = run(&lengths.lanes);
    match lengths.short {
        Short::Never => format!("short=never: the fewest blocks cost no less {how} than {lanes}"),
        short => format!("short={short}: {how} {} blocks, in lanes {lanes}", few.join(", ")),
    }
}

fn row(candidate: &Candidate, spill: bool) -> String {
    let Candidate { options, estimate, .. } = candidate;
    let names = [
        options.unroll.map(|choice| choice.to_string()),
        options.inline.map(|choice| choice.to_string()),
        options.interleave.map(|choice| choice.to_string()),
        options.schedule.map(|choice| choice.to_string()),
        options.spill.map(|choice| choice.to_string()),
    ];
    format!(
        "{} {:>8.4}  {:9} {:>6} {:>7} {:>8} {:>6.1}",
        choices(names.map(Option::unwrap_or_default), spill),
        candidate.cost(),
        estimate.binds().to_string(),
        estimate.code,
        estimate.spills,
        estimate.reloads,
        estimate.memory as f64 / 1024.0,
    )
}

/// The columns of the choices, the last of which has a column where it matters.
fn choices([unroll, inline, interleave, schedule, last]: [String; 5], spill: bool) -> String {
    let text = format!("  {unroll:7} {inline:6} {interleave:>10} {schedule:9}");
    match spill {
        true => format!("{text} {last:8}"),
        false => text,
    }
}

/// Why a choice was made: what the best candidate costs that makes another.
fn reason(choice: Choice, taken: &Candidate, candidates: &[Candidate]) -> String {
    let kind = std::mem::discriminant(&choice);
    let of = |candidate: &Candidate| {
        let mut choices = candidate.options.choices().into_iter();
        choices.find(|choice| std::mem::discriminant(choice) == kind)
    };
    let others = candidates.iter().filter(|candidate| of(candidate) != Some(choice));
    let best = others.min_by(|a, b| a.weighed().total_cmp(&b.weighed()));
    let Some((other, best)) = best.and_then(|best| Some((of(best)?, best))) else {
        return format!("{choice}: nothing else was weighed");
    };
    let (cost, limit) = (best.cost(), best.estimate.binds());
    let but = match cost {
        less if less < 0.9999 * taken.cost() => ", which is too small a gain to be relied on",
        same if same < 1.0001 * taken.cost() => ", which is no gain",
        _ => "",
    };
    format!("{choice}: with {other} at best {cost:.4} c/B, limited by {limit}{but}")
}
