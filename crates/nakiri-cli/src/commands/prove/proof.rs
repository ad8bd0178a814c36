//! What is proved of a kernel, said as text and as figures.

use super::said::Said;
use super::{text, Args, Subject};
use crate::interrupt;
use crate::output;
use crate::session::Failure;
use nakiri::compile::Kernel;
use nakiri::core::{Func, Port};
use nakiri::run::Run;
use nakiri_circuit::equivalence::{self, Divided, Proof, Verdict};
use nakiri_circuit::Effort;
use serde_json::{json, Value};
use std::time::Instant;

/// Compares all bits for all inputs and states.
///
/// # Errors
/// [`Failure::Wrong`] if the netlist has cells that are not known.
pub fn of_tick(args: &Args, subject: &Subject, said: &mut Said) -> Result<Proof, Failure> {
    let start = Instant::now();
    let effort = Effort::new(start.checked_add(args.budget), interrupt::happened);
    let bar = output::search_bar(args.budget, "proof");
    let Subject { netlist, parts, program, kernel, shared, .. } = subject;
    let (lanes, whole) = (&kernel.program, program);
    let proof = match shared {
        None => equivalence::prove(netlist, parts, lanes, &effort),
        Some((shared, control)) => {
            let divided = Divided { whole, shared, control: &control.program, lanes };
            equivalence::prove_divided(netlist, parts, &divided, &effort)
        }
    };
    bar.finish_and_clear();
    let proof = proof.map_err(|what| Failure::Wrong(format!("no proof: {what}")))?;
    let entry = program.entry();
    let outputs = entry.outputs().len();
    let mut text = String::new();
    for (what, verdicts) in
        [("outputs", &proof.verdicts[..outputs]), ("registers", &proof.verdicts[outputs..])]
    {
        let (equal, all) = equal(verdicts);
        text += &format!("proof: {equal} of {all} bits of {what} equal the netlist's\n");
    }
    let open = |verdict: &Verdict| *verdict == Verdict::Unknown;
    for (port, verdicts) in entry.results.iter().zip(&proof.verdicts) {
        let count = verdicts.iter().filter(|v| open(v)).count();
        if count > 0 {
            text += &format!("  not proved: {count} bits of {}\n", port.name);
        }
    }
    let different = first_difference(entry, &proof);
    let seconds = start.elapsed().as_secs_f64();
    text += different.as_deref().unwrap_or_default();
    said.print(&format!("{text}  in {seconds:.1} s\n"))?;
    said.add(
        "proofs",
        json!({
            "of": "tick",
            "outputs": counts(&proof.verdicts[..outputs]),
            "registers": counts(&proof.verdicts[outputs..]),
            "difference": different.as_deref().map(str::trim),
            "seconds": seconds,
        }),
    );
    Ok(proof)
}

/// Compares all bits of the results of a run for all data with the netlist, stepped.
///
/// # Errors
/// Those of [`of_tick`].
pub fn of_run(
    args: &Args,
    subject: &Subject,
    (run, kernel): &(Run, Kernel),
    said: &mut Said,
) -> Result<Proof, Failure> {
    let start = Instant::now();
    let effort = Effort::new(start.checked_add(args.budget), interrupt::happened);
    let bar = output::search_bar(args.budget, "proof of the run");
    let Subject { netlist, parts, .. } = subject;
    let proof = equivalence::prove_run(netlist, parts, run, &kernel.program, &effort);
    bar.finish_and_clear();
    let proof = proof.map_err(|what| Failure::Wrong(format!("no proof: {what}")))?;
    let (equal, all) = equal(&proof.verdicts);
    let different = first_difference(run.program.entry(), &proof);
    let seconds = start.elapsed().as_secs_f64();
    said.print(&format!(
        "proof of the run: {equal} of {all} bits of results equal the netlist's after {} ticks\n{}  in {seconds:.1} s\n",
        run.ticks(),
        different.as_deref().unwrap_or_default(),
    ))?;
    said.add(
        "proofs",
        json!({
            "of": "run",
            "ticks": run.ticks(),
            "results": counts(&proof.verdicts),
            "difference": different.as_deref().map(str::trim),
            "seconds": seconds,
        }),
    );
    Ok(proof)
}

/// Whether a bit differs.
pub fn differs(proof: &Proof) -> bool {
    proof.verdicts.iter().flatten().any(|verdict| matches!(verdict, Verdict::Different(_)))
}

/// How many bits are proved equal, of how many.
pub fn equal(verdicts: &[Vec<Verdict>]) -> (usize, usize) {
    let all = verdicts.iter().flatten();
    (all.clone().filter(|verdict| **verdict == Verdict::Equal).count(), all.count())
}

fn counts(verdicts: &[Vec<Verdict>]) -> Value {
    let (equal, all) = equal(verdicts);
    json!({ "bits": all, "proved": equal })
}

/// The bits of some ports that are neither proved nor among those that are `known`, by name. Of several batches they have as many
/// times the verdicts.
pub fn untested(ports: &[Port], verdicts: &[Vec<Verdict>], known: &[Vec<bool>]) -> Vec<String> {
    let mut names = Vec::new();
    for (number, (port, verdicts)) in ports.iter().zip(verdicts).enumerate() {
        for (bit, verdict) in verdicts.iter().enumerate() {
            let is_known = known.get(number).is_some_and(|known| known[bit % known.len().max(1)]);
            if *verdict != Verdict::Equal && !is_known {
                names.push(format!("{}[{bit}]", port.name));
            }
        }
    }
    names
}

/// A bit that differs, with the inputs and registers for which it does.
fn first_difference(entry: &Func, proof: &Proof) -> Option<String> {
    let bits = entry.results.iter().zip(&proof.verdicts).flat_map(|(port, verdicts)| {
        verdicts.iter().enumerate().map(move |(bit, verdict)| (port, bit, verdict))
    });
    let (port, bit, ones) = bits.into_iter().find_map(|(port, bit, verdict)| match verdict {
        Verdict::Different(ones) => Some((port, bit, ones)),
        _ => None,
    })?;
    let mut values: Vec<Vec<Option<bool>>> =
        entry.params.iter().map(|port| vec![Some(false); port.count() as usize]).collect();
    for one in ones {
        // A kernel of several batches has as many times the atoms.
        let (param, atom) = proof.places[one];
        let length = values[param].len().max(atom + 1);
        values[param].resize(length, Some(false));
        values[param][atom] = Some(true);
    }
    let names = entry.params.iter().map(|port| port.name.as_str());
    let values: Vec<String> =
        names.zip(&values).map(|(name, bits)| format!("{name} = {}", text::number(bits))).collect();
    Some(format!("  `{}[{bit}]` differs where {}\n", port.name, values.join(", ")))
}
