//! How elements of a field are words on each target, and what that costs.

use nakiri::core::{Direction, PrimeField};
use nakiri::isa;
use nakiri::pass::limbs::{candidates, Candidate};
use serde_json::{json, Value};

/// How many representations are shown for a target.
const SHOWN: usize = 3;

/// A field and its representations, with the targets that have the same at the same cost.
pub struct Elements {
    name: String,
    groups: Vec<(Vec<&'static str>, Vec<Candidate>)>,
}

impl Elements {
    /// Of all targets.
    pub fn of(field: &PrimeField) -> Elements {
        let mut groups: Vec<(Vec<&str>, Vec<Candidate>)> = Vec::new();
        for target in isa::all().iter().filter(|target| target.holds(Direction::V, 64)) {
            let mut all = candidates(field, target);
            all.retain(|candidate| candidate.instructions.is_some());
            let lines = |all: &[Candidate]| -> Vec<String> { all.iter().map(line).collect() };
            match groups.iter_mut().find(|(_, known)| lines(known) == lines(&all)) {
                Some((names, _)) => names.push(target.name),
                None if !all.is_empty() => groups.push((vec![target.name], all)),
                None => {}
            }
        }
        Elements { name: field.name.clone(), groups }
    }

    /// A list: the best few for each group of targets.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: how an element is words, and the instructions of two products, a square, a sum and a difference\n",
            self.name
        );
        for (names, all) in &self.groups {
            text += &format!("  {}\n", names.join(", "));
            for candidate in all.iter().take(SHOWN) {
                text += &format!("  {}\n", line(candidate));
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
        for (names, all) in &self.groups {
            let all: Value = all.iter().map(candidate).collect();
            targets.extend(names.iter().map(|name| (name.to_string(), all.clone())));
        }
        json!({ "field": self.name, "targets": targets })
    }
}

fn line(candidate: &Candidate) -> String {
    format!("{:>7}  {}", candidate.instructions.unwrap_or_default(), candidate.form)
}
