//! What is proved of a kernel, said as text and as figures.

use super::said::Said;
use super::{text, waveform, Args, Subject};
use crate::interrupt;
use crate::output;
use crate::session::Failure;
use nakiri::compile::Kernel;
use nakiri::core::{Func, Port};
use nakiri::run::Run;
use nakiri_circuit::equivalence::{self, Divided, End, Proof, Verdict};
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
    let Subject { program, kernel, shared, .. } = subject;
    let (lanes, whole) = (&kernel.program, program);
    let wanted = subject.wanted();
    let proof = match shared {
        None => equivalence::prove(&wanted, lanes, &effort),
        Some((shared, control)) => {
            let divided = Divided { whole, shared, control: &control.program, lanes };
            equivalence::prove_divided(&wanted, &divided, &effort)
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
    let open = unproved(&entry.results, &proof.verdicts);
    text += &said_of(&open);
    let different = first_difference(args, entry, &proof)?;
    let seconds = start.elapsed().as_secs_f64();
    text += different.as_deref().unwrap_or_default();
    said.print(&format!("{text}  in {seconds:.1} s{}\n", ended(proof.end)))?;
    said.add(
        "proofs",
        json!({
            "of": "tick",
            "ended": end(proof.end),
            "not_proved": open,
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
    let proof = equivalence::prove_run(&subject.wanted(), run, &kernel.program, &effort);
    bar.finish_and_clear();
    let proof = proof.map_err(|what| Failure::Wrong(format!("no proof: {what}")))?;
    let (equal, all) = equal(&proof.verdicts);
    let different = first_difference(args, run.program.entry(), &proof)?;
    let seconds = start.elapsed().as_secs_f64();
    let open = unproved(&run.program.entry().results, &proof.verdicts);
    said.print(&format!(
        "proof of the run: {equal} of {all} bits of results equal the netlist's after {} ticks\n{}{}  in {seconds:.1} s{}\n",
        run.ticks(),
        said_of(&open),
        different.as_deref().unwrap_or_default(),
        ended(proof.end),
    ))?;
    said.add(
        "proofs",
        json!({
            "of": "run",
            "ended": end(proof.end),
            "not_proved": open,
            "ticks": run.ticks(),
            "results": counts(&proof.verdicts),
            "difference": different.as_deref().map(str::trim),
            "seconds": seconds,
        }),
    );
    Ok(proof)
}

/// How a proof ended, for programs.
fn end(end: End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::Hard => "too hard",
        End::Late => "budget",
        End::Stopped => "interrupted",
    }
}

/// The same for people.
fn ended(end: End) -> &'static str {
    match end {
        End::Complete | End::Hard => "",
        End::Late => ", which is the budget",
        End::Stopped => ", interrupted",
    }
}

/// What is not proved of some ports, the words of a memory together, and of how many bits; those with the most first.
fn unproved(ports: &[Port], verdicts: &[Vec<Verdict>]) -> Vec<Unproved> {
    let mut all: Vec<Unproved> = Vec::new();
    for (port, verdicts) in ports.iter().zip(verdicts) {
        let bits = verdicts.iter().filter(|verdict| **verdict == Verdict::Unknown).count();
        if bits == 0 {
            continue;
        }
        let (name, word) = match port.name.strip_suffix(']').and_then(|name| name.rsplit_once('['))
        {
            Some((memory, word)) => (memory, word.parse::<u64>().ok()),
            None => (&*port.name, None),
        };
        let name = if word.is_some() { name } else { &port.name };
        let together = all.iter_mut().find(|other| other.name == name && word.is_some());
        match (together, word) {
            (Some(Unproved { words: Some((first, last)), bits: sum, .. }), Some(word)) => {
                (*first, *last) = ((*first).min(word), (*last).max(word));
                *sum += bits;
            }
            _ => all.push(Unproved {
                name: name.to_string(),
                words: word.map(|word| (word, word)),
                bits,
            }),
        }
    }
    all.sort_by_key(|unproved| std::cmp::Reverse(unproved.bits));
    all
}

/// Some bits that are not proved.
#[derive(Debug, serde::Serialize)]
struct Unproved {
    name: String,
    /// The first and the last word, if it is a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<(u64, u64)>,
    bits: usize,
}

/// One line for all that is not proved.
fn said_of(open: &[Unproved]) -> String {
    let Some((first, others)) = open.split_first() else { return String::new() };
    let bits: usize = open.iter().map(|unproved| unproved.bits).sum();
    let words = match first.words {
        Some((first, last)) if first == last => format!("[{first}]"),
        Some((first, last)) => format!("[{first}..{last}]"),
        None => String::new(),
    };
    let others = match others.len() {
        0 => String::new(),
        1 => format!(" and {}", others[0].name),
        more => format!(" and {more} others"),
    };
    format!("  not proved: {bits} bits of {}{words}{others}\n", first.name)
}

/// Why some proofs are not complete.
pub struct Open(End);

impl Open {
    /// Nothing if they are.
    pub fn of(proofs: &[Proof]) -> Option<Open> {
        let ends = proofs.iter().map(|proof| proof.end).filter(|end| *end != End::Complete);
        ends.max().map(Open)
    }

    /// In words.
    pub fn why(&self) -> &'static str {
        match self.0 {
            End::Late => "for there was no time for more: `--budget` gives it",
            _ => "for the others are too hard for the solver",
        }
    }
}

/// How many bits some proofs prove, of how many.
pub fn total(proofs: &[Proof]) -> (usize, usize) {
    let each = proofs.iter().map(|proof| equal(&proof.verdicts));
    each.fold((0, 0), |sum, (equal, all)| (sum.0 + equal, sum.1 + all))
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

/// A bit that differs, and for what.
struct Counterexample<'a> {
    /// The name of what it is a bit of.
    port: &'a str,
    bit: usize,
    /// The inputs and registers for which it does, by name, each with its bits from the lowest.
    values: Vec<(&'a str, Vec<Option<bool>>)>,
}

impl Counterexample<'_> {
    fn first<'a>(entry: &'a Func, proof: &Proof) -> Option<Counterexample<'a>> {
        let bits = entry.results.iter().zip(&proof.verdicts).flat_map(|(port, verdicts)| {
            verdicts.iter().enumerate().map(move |(bit, verdict)| (port, bit, verdict))
        });
        let (port, bit, ones) =
            bits.into_iter().find_map(|(port, bit, verdict)| match verdict {
                Verdict::Different(ones) => Some((port, bit, ones)),
                _ => None,
            })?;
        let zeros = |port: &'a Port| (&*port.name, vec![Some(false); port.count() as usize]);
        let mut values: Vec<_> = entry.params.iter().map(zeros).collect();
        for one in ones {
            // A kernel of several batches has as many times the atoms.
            let (param, atom) = proof.places[one];
            let bits = &mut values[param].1;
            let length = bits.len().max(atom + 1);
            bits.resize(length, Some(false));
            bits[atom] = Some(true);
        }
        Some(Counterexample { port: &port.name, bit, values })
    }

    fn text(&self) -> String {
        let values = self.values.iter();
        let values = values.map(|(name, bits)| format!("{name} = {}", text::number(bits)));
        let values: Vec<String> = values.collect();
        format!("  `{}[{}]` differs where {}\n", self.port, self.bit, values.join(", "))
    }

    /// Writes it as a waveform of one tick, if that is wanted; says so.
    fn waveform(&self, args: &Args) -> Result<String, Failure> {
        let Some(path) = &args.vcd else { return Ok(String::new()) };
        waveform::write_tick(path, &self.values)?;
        Ok(format!("  its waveform is in {}\n", path.display()))
    }
}

/// The first bit that differs in words, written as a waveform if that is wanted.
fn first_difference(args: &Args, entry: &Func, proof: &Proof) -> Result<Option<String>, Failure> {
    let difference = Counterexample::first(entry, proof);
    difference.map(|difference| Ok(difference.text() + &difference.waveform(args)?)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nakiri::core::text;

    /// A difference in words and as a waveform: zeros but for what the verdict names.
    #[test]
    fn a_difference_is_what_the_verdict_says() {
        let source = "entry func F(a: u<B>1[4], r: u<B>1) -> (y: u<B>1[2]) {\n  \
                      %0 = load a[3] : u<B>1\n  store y[0] %0\n  store y[1] %0\n}\n";
        let program = text::parse(source).expect("a program");
        let proof = Proof {
            verdicts: vec![vec![Verdict::Equal, Verdict::Different(vec![7, 9])]],
            places: [(7, (0, 2)), (9, (1, 0))].into_iter().collect(),
            end: End::Complete,
        };
        let found = Counterexample::first(program.entry(), &proof).expect("a difference");
        assert_eq!(found.text(), "  `y[1]` differs where a = 0x4, r = 0x1\n");

        let path = std::env::temp_dir().join(format!("nakiri-proof-{}.vcd", std::process::id()));
        waveform::write_tick(&path, &found.values).expect("written");
        let waveform = std::fs::read_to_string(&path).expect("text");
        std::fs::remove_file(&path).expect("removed");
        assert!(waveform.contains("b0100 ") && waveform.contains(" a [3:0] $end"), "{waveform}");
    }
}
