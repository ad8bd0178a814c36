//! How elements of a field are words on each target, and what that costs.

use nakiri::core::{Direction, PrimeField};
use nakiri::isa;
use nakiri::pass::limbs::{candidates, Candidate};
use serde_json::{json, Value};

/// How many representations are shown for a target.
const SHOWN: usize = 3;

/// A field and its representations on each target that has any.
pub struct Elements {
    name: String,
    targets: Vec<(&'static str, Vec<Candidate>)>,
}

impl Elements {
    /// Of all targets; one that computes as its base does is left out.
    pub fn of(field: &PrimeField) -> Elements {
        let mut targets: Vec<(&str, Vec<Candidate>)> = Vec::new();
        for target in isa::all().iter().filter(|target| target.holds(Direction::V, 64)) {
            let mut all = candidates(field, target);
            all.retain(|candidate| candidate.instructions.is_some());
            let shown = |all: &[Candidate]| -> Vec<String> { all.iter().map(line).collect() };
            let base = target.base().map(|base| base.name);
            let same = |(name, known): &(&str, Vec<Candidate>)| {
                Some(*name) == base && shown(known) == shown(&all)
            };
            if !all.is_empty() && !targets.iter().any(same) {
                targets.push((target.name, all));
            }
        }
        Elements { name: field.name.clone(), targets }
    }

    /// A table: the best few of each target.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: how an element is words, and the instructions of two products, a square, a sum and a difference\n",
            self.name
        );
        let longest = self.targets.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, all) in &self.targets {
            for (k, candidate) in all.iter().take(SHOWN).enumerate() {
                let name = if k == 0 { name } else { "" };
                text += &format!("  {name:longest$}  {}\n", line(candidate));
            }
        }
        text
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let candidate = |candidate: &Candidate| {
            json!({
                "representation": candidate.form.to_string(),
                "limbs": candidate.form.count(),
                "instructions": candidate.instructions,
            })
        };
        let mut targets = serde_json::Map::new();
        for (name, all) in &self.targets {
            targets.insert(name.to_string(), all.iter().map(candidate).collect());
        }
        json!({ "field": self.name, "targets": targets })
    }
}

fn line(candidate: &Candidate) -> String {
    format!("{:>5}  {}", candidate.instructions.unwrap_or_default(), candidate.form)
}
