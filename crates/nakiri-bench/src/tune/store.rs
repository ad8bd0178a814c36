//! `tuned/CPU.toml` in a cipher's folder: the configurations that were found for one CPU.

use serde::{Deserialize, Serialize};

/// The configurations that were found on one CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// The CPU that they were found on.
    pub machine: Fingerprint,
    /// The fastest configuration for each instance, target and slicing.
    #[serde(default, rename = "choice")]
    pub choices: Vec<Choice>,
}

/// What the figures hold for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The machine's name, which is the file's: a machine model's, or the CPU's own name in lower case.
    pub name: String,
    /// The CPU as it names itself.
    pub cpu: String,
    /// The features that targets ask for and it has.
    pub features: Vec<String>,
}

/// The fastest configuration for one instance, target and slicing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The instance's prefix.
    pub instance: String,
    /// The target.
    pub target: String,
    /// The configuration in the text form of `nakiri::compile::Options`.
    pub configuration: String,
    /// The C compiler and its version.
    pub compiler: String,
    /// Its flags.
    pub flags: Vec<String>,
    /// Core cycles per byte of a whole message, the median.
    pub cost: f64,
    /// The same with the defaults of Nakiri and `-O3`, in the same run, if that could be timed.
    pub default_cost: Option<f64>,
    /// When, as an RFC 3339 date.
    pub date: String,
    /// The digest of the source that was compiled.
    pub source: String,
}

impl Choice {
    /// Its slicing: the first word of the configuration.
    pub fn slicing(&self) -> &str {
        self.configuration.split(' ').next().unwrap_or_default()
    }

    fn is_for_the_same(&self, other: &Choice) -> bool {
        (&self.instance, &self.target, self.slicing())
            == (&other.instance, &other.target, other.slicing())
    }
}

impl Tuned {
    /// Reads a file's text.
    ///
    /// # Errors
    /// What is wrong with it, with the place.
    pub fn parse(text: &str) -> Result<Tuned, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The file's text: choices by instance and target.
    pub fn text(&self) -> String {
        let mut sorted = self.clone();
        sorted.choices.sort_by(|a, b| {
            let place =
                |c: &Choice| (c.instance.clone(), c.target.clone(), c.slicing().to_string());
            place(a).cmp(&place(b))
        });
        let body = toml::to_string_pretty(&sorted).expect("strings and finite numbers");
        format!("# Found by `nakiri tune`, read by `nakiri build` and `nakiri bench`.\n\n{body}")
    }

    /// What was found for a target: the cheapest of all slicings, for the first instance that has any.
    pub fn best(&self, target: &str) -> Option<&Choice> {
        let first = self.choices.iter().find(|choice| choice.target == target)?;
        let same = |c: &&Choice| c.target == target && c.instance == first.instance;
        self.choices.iter().filter(same).min_by(|a, b| a.cost.total_cmp(&b.cost))
    }

    /// What was found for a target and a slicing, for the first instance that has any.
    pub fn choice(&self, target: &str, slicing: &str) -> Option<&Choice> {
        self.choices.iter().find(|c| c.target == target && c.slicing() == slicing)
    }

    /// Takes in what was found anew, in place of what was there.
    pub fn replace(&mut self, found: &Tuned) {
        self.choices.retain(|old| !found.choices.iter().any(|new| old.is_for_the_same(new)));
        self.choices.extend(found.choices.iter().cloned());
    }

    /// Takes in others' choices for the same CPU: the cheaper of two for the same place and source; the later
    /// of two of different sources.
    pub fn merge(&mut self, other: &Tuned) {
        for new in &other.choices {
            match self.choices.iter_mut().find(|old| old.is_for_the_same(new)) {
                None => self.choices.push(new.clone()),
                Some(old) => {
                    let better = match old.source == new.source {
                        true => new.cost < old.cost,
                        false => new.date >= old.date,
                    };
                    if better {
                        *old = new.clone();
                    }
                }
            }
        }
    }
}

/// The name of a CPU as a file's: letters and digits in lower case, joined by hyphens.
pub fn file_name(cpu: &str) -> String {
    let words = cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(target: &str, cost: f64, source: &str, date: &str) -> Choice {
        Choice {
            instance: "toy".to_string(),
            target: target.to_string(),
            configuration: "V".to_string(),
            compiler: "gcc 12.2.0".to_string(),
            flags: vec!["-O3".to_string()],
            cost,
            default_cost: Some(9.0),
            date: date.to_string(),
            source: source.to_string(),
        }
    }

    fn tuned(choices: Vec<Choice>) -> Tuned {
        let machine = Fingerprint {
            name: "zen5".to_string(),
            cpu: "AMD EPYC".to_string(),
            features: vec!["avx2".to_string()],
        };
        Tuned { machine, choices }
    }

    #[test]
    fn the_text_is_read_back() {
        let tuned = tuned(vec![
            choice("avx", 2.5, "s", "2026-01-01"),
            choice("avx2", 1.0, "s", "2026-01-01"),
        ]);
        assert_eq!(Tuned::parse(&tuned.text()), Ok(tuned));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let text = tuned(vec![]).text().replace("cpu =", "gpu =");
        let message = Tuned::parse(&text).unwrap_err();
        assert!(message.contains("line") && message.contains("gpu"), "{message}");
    }

    #[test]
    fn merging_keeps_the_cheaper_and_the_newer_source() {
        let mut old = tuned(vec![
            choice("avx", 2.0, "s", "2026-01-01"),
            choice("avx2", 1.0, "old", "2026-01-01"),
        ]);
        let new = tuned(vec![
            choice("avx", 3.0, "s", "2026-02-01"),
            choice("avx2", 1.5, "new", "2026-02-01"),
            choice("gp64", 7.0, "s", "2026-02-01"),
        ]);
        old.merge(&new);
        let cost = |target| old.choice(target, "V").map(|c| c.cost);
        assert_eq!((cost("avx"), cost("avx2"), cost("gp64")), (Some(2.0), Some(1.5), Some(7.0)));
    }

    #[test]
    fn what_was_found_anew_takes_the_place_of_what_was_there() {
        let mut old = tuned(vec![
            choice("avx", 1.0, "s", "2026-01-01"),
            choice("avx2", 1.0, "s", "2026-01-01"),
        ]);
        old.replace(&tuned(vec![choice("avx2", 1.5, "s", "2026-02-01")]));
        let cost = |target| old.choice(target, "V").map(|c| c.cost);
        assert_eq!((cost("avx"), cost("avx2"), old.choices.len()), (Some(1.0), Some(1.5), 2));
    }

    #[test]
    fn the_best_of_all_slicings_is_taken() {
        let mut bitsliced = choice("avx2", 0.5, "s", "2026-01-01");
        bitsliced.configuration = "B avx2".to_string();
        let mut both = tuned(vec![choice("avx2", 1.0, "s", "2026-01-01")]);
        both.merge(&tuned(vec![bitsliced]));
        assert_eq!(both.best("avx2").map(Choice::slicing), Some("B"));
        assert_eq!(both.choice("avx2", "V").map(|c| c.cost), Some(1.0));
        assert_eq!(both.best("avx"), None);
    }

    #[test]
    fn a_cpu_names_its_file() {
        assert_eq!(
            file_name("Intel(R) Core(TM) i5-6500 CPU @ 3.20GHz"),
            "intel-r-core-tm-i5-6500-cpu-3-20ghz"
        );
    }
}
