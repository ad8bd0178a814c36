//! What is known of a kernel in the end.

use super::proof::{self, Open};
use super::simulation::{listed, Tried, Verdict as Simulated};
use super::{Args, Subject};
use crate::interrupt;
use crate::session::Failure;
use nakiri_circuit::equivalence::Proof;

/// What is known of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every bit is proved, and what was simulated agrees.
    Proved(&'static str),
    /// Nothing differs, but not all was compared for all inputs and states, or nothing could be simulated.
    Agrees(String),
    /// The source means something else to its simulator than to Yosys.
    Unclear,
    /// The kernel computes something else.
    Differs,
    /// A signal came first.
    Interrupted(String),
}

impl Verdict {
    /// That of all that was found.
    pub fn of(subject: &Subject, proofs: &[Proof], tried: &[Tried]) -> Verdict {
        let worst = tried.iter().map(|tried| tried.verdict).max();
        if proofs.iter().any(proof::differs) || worst == Some(Simulated::Different) {
            return Verdict::Differs;
        }
        if worst == Some(Simulated::Unclear) {
            return Verdict::Unclear;
        }
        let open = Open::of(proofs);
        match worst {
            Some(Simulated::Source) if open.is_none() => {
                Verdict::Proved("the kernel is the hardware")
            }
            Some(Simulated::Netlist) if open.is_none() => {
                Verdict::Proved("the kernel is the netlist")
            }
            _ => Verdict::Agrees(compared(subject, proofs, tried, worst)),
        }
    }

    /// That a signal came, after some proofs.
    pub fn interrupted(proofs: &[Proof], simulated: bool) -> Verdict {
        let (equal, all) = proof::total(proofs);
        let simulation =
            if simulated { "the simulation did not end" } else { "nothing was simulated" };
        Verdict::Interrupted(format!("{equal} of {all} bits were proved, {simulation}"))
    }

    /// The verdict in words.
    pub fn text(&self) -> String {
        match self {
            Verdict::Proved(what) => format!("proved: {what}"),
            Verdict::Agrees(how) => format!("agrees as far as compared, not proved: {how}"),
            Verdict::Unclear => "no verdict: the kernel is what Yosys makes of the source, but a simulation of the source does \
                                 something else"
                .to_string(),
            Verdict::Differs => "the kernel is not the hardware".to_string(),
            Verdict::Interrupted(what) => format!("interrupted, no verdict: {what}"),
        }
    }

    /// How the command ends.
    ///
    /// # Errors
    /// All but [`Verdict::Proved`].
    pub fn end(self, args: &Args) -> Result<(), Failure> {
        match self {
            Verdict::Proved(_) => Ok(()),
            Verdict::Agrees(_) if args.require_proof => {
                Err(Failure::Wrong("not proved, which `--require-proof` asks for".to_string()))
            }
            Verdict::Agrees(_) => Err(Failure::Open),
            Verdict::Interrupted(_) => Err(Failure::Interrupted(interrupt::code())),
            verdict => Err(Failure::Wrong(verdict.text())),
        }
    }
}

/// How far it agrees.
fn compared(
    subject: &Subject,
    proofs: &[Proof],
    tried: &[Tried],
    worst: Option<Simulated>,
) -> String {
    let (equal, all) = proof::total(proofs);
    let mut text = format!("{equal} of {all} bits are proved equal to the netlist's");
    if let Some(open) = Open::of(proofs) {
        text += &format!(", {}", open.why());
    }
    text += match worst {
        Some(Simulated::Source) => "; the simulation of the source agrees",
        Some(Simulated::Netlist) => "; the simulation of the netlist agrees",
        _ => {
            "; nothing could be simulated: neither what Yosys made of the source is checked, nor what the C compiler makes of \
             the kernel"
        }
    };
    let run = subject.run.as_ref().map(|(run, _)| &run.program);
    let programs = std::iter::once(&subject.program).chain(run);
    let untested = programs.zip(proofs).enumerate().flat_map(|(k, (program, proof))| {
        let known = tried.get(k).map_or(&[][..], |tried| &tried.known);
        proof::untested(program.entry().outputs(), &proof.verdicts, known)
    });
    let untested: Vec<String> = untested.collect();
    if !untested.is_empty() {
        text += &format!(
            "; {} bits of outputs are neither proved nor known in a simulation: {}; a reset or initial values make them \
             known",
            untested.len(),
            listed(&untested)
        );
    }
    text
}
