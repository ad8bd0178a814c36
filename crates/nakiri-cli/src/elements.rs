//! How elements of a field are words or bits on each target, and what that costs.

use nakiri::core::{Direction, Field};
use nakiri::isa::{self, Target};
use nakiri::pass::{binary, limbs};
use serde_json::{json, Value};

/// How many representations are shown for a target.
const SHOWN: usize = 3;

/// A way to hold elements.
#[derive(Clone, PartialEq, Eq)]
struct Representation {
    text: String,
    /// The limbs of an element of a prime field.
    limbs: Option<usize>,
    /// Those of two products, a square, a sum and a difference.
    instructions: usize,
}

/// A field and its representations, with the targets that have the same at the same cost.
pub struct Elements {
    name: String,
    groups: Vec<(Vec<&'static str>, Vec<Representation>)>,
}

impl Elements {
    /// Of all targets.
    pub fn of(field: &Field) -> Elements {
        let mut groups: Vec<(Vec<&str>, Vec<Representation>)> = Vec::new();
        for target in isa::all().iter().filter(|target| target.holds(Direction::V, 64)) {
            let all = representations(field, target);
            match groups.iter_mut().find(|(_, known)| *known == all) {
                Some((names, _)) => names.push(target.name),
                None if !all.is_empty() => groups.push((vec![target.name], all)),
                None => {}
            }
        }
        Elements { name: field.name().to_string(), groups }
    }

    /// A list: the best few for each group of targets.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: how an element is words or bits, and the instructions of two products, a square, a sum and a difference\n",
            self.name
        );
        for (names, all) in &self.groups {
            text += &format!("  {}\n", names.join(", "));
            for own in all.iter().take(SHOWN) {
                text += &format!("  {:>7}  {}\n", own.instructions, own.text);
            }
        }
        text
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let representation = |own: &Representation| {
            json!({
                "representation": own.text,
                "limbs": own.limbs,
                "instructions": own.instructions,
            })
        };
        let mut targets = serde_json::Map::new();
        for (names, all) in &self.groups {
            let all: Value = all.iter().map(representation).collect();
            targets.extend(names.iter().map(|name| (name.to_string(), all.clone())));
        }
        json!({ "field": self.name, "targets": targets })
    }
}

/// Those of a field that a target can compute with, best first; of a field of characteristic two one for each slicing.
fn representations(field: &Field, target: &Target) -> Vec<Representation> {
    match field {
        Field::Prime(field) => limbs::candidates(field, target)
            .into_iter()
            .filter_map(|candidate| {
                let limbs = Some(candidate.form.count());
                let text = candidate.form.to_string();
                Some(Representation { text, limbs, instructions: candidate.instructions? })
            })
            .collect(),
        Field::Binary(field) => binary::candidates(field, target)
            .into_iter()
            .map(|candidate| Representation {
                text: candidate.form.to_string(),
                limbs: None,
                instructions: candidate.instructions,
            })
            .collect(),
    }
}
