//! What the parameters of audited functions are, from the command line.

use crate::session::Failure;
use nakiri_verify::constant_time::Argument;
use std::collections::BTreeMap;
use std::str::FromStr;

/// How many parameters have a say: those beyond are secret.
pub const MOST: usize = 6;

/// `FUNCTION:1,3=64`: parameters of a function, counted from 1, some with the number that they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub function: String,
    pub parameters: Vec<(usize, Option<u64>)>,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let Some((function, list)) =
            text.rsplit_once(':').filter(|(function, _)| !function.is_empty())
        else {
            return Err(
                "write a function and its parameters, as in `f:1,2` or `f:1,3=64`".to_string()
            );
        };
        let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
        let parameters = words.map(parameter).collect::<Result<_, _>>()?;
        Ok(Named { function: function.to_string(), parameters })
    }
}

fn parameter(word: &str) -> Result<(usize, Option<u64>), String> {
    let (place, number) = word.split_once('=').map_or((word, None), |(place, n)| (place, Some(n)));
    let place = place.parse().ok().filter(|place| (1..=MOST).contains(place));
    let place = place
        .ok_or_else(|| format!("`{word}` is no parameter: they are counted from 1 to {MOST}"))?;
    let number = number.map(|digits| match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    });
    let number = number.transpose().map_err(|_| format!("`{word}` doesn't end in a number"))?;
    Ok((place, number))
}

/// What the parameters of each function are.
#[derive(Clone, Debug, Default)]
pub struct Parameters(BTreeMap<String, Vec<Argument>>);

impl Parameters {
    /// Of the functions in `public` only these parameters are public, of those in `secret` all others.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a function that is named twice, or a secret number.
    pub fn new(public: &[Named], secret: &[Named]) -> Result<Parameters, Failure> {
        let mut all = BTreeMap::new();
        let told = public
            .iter()
            .map(|named| (named, true))
            .chain(secret.iter().map(|named| (named, false)));
        for (Named { function, parameters }, is_public) in told {
            let rest = if is_public { Argument::Secret } else { Argument::Public };
            let mut arguments = vec![rest; MOST];
            for (place, number) in parameters {
                arguments[place - 1] = match (is_public, number) {
                    (true, None) => Argument::Public,
                    (true, Some(number)) => Argument::Number(*number),
                    (false, None) => Argument::Secret,
                    (false, Some(_)) => {
                        let message = format!("parameter {place} of `{function}` can't be secret and a number that is known");
                        return Err(Failure::Usage(message));
                    }
                };
            }
            if all.insert(function.clone(), arguments).is_some() {
                let message = format!("`{function}` is named twice: name all its parameters in one --public or --secret");
                return Err(Failure::Usage(message));
            }
        }
        Ok(Parameters(all))
    }

    /// Those of a function: all are public where nothing else was said.
    pub fn of(&self, function: &str) -> Vec<Argument> {
        self.0.get(function).cloned().unwrap_or_else(|| vec![Argument::Public; MOST])
    }

    /// The functions about which something was said.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// `public`, `secret` or a number.
pub fn shown(argument: Argument) -> String {
    match argument {
        Argument::Public => "public".to_string(),
        Argument::Secret => "secret".to_string(),
        Argument::Number(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Argument::{Number, Public, Secret};

    #[test]
    fn parameters_are_those_that_were_named() {
        let parse = |text: &str| text.parse::<Named>();
        let public = [parse("f:1,3=0x40").expect("well-formed"), parse("g:").expect("well-formed")];
        let secret = [parse("h:2").expect("well-formed")];
        let all = Parameters::new(&public, &secret).expect("each once");
        assert_eq!(all.of("f"), [Public, Secret, Number(64), Secret, Secret, Secret]);
        assert_eq!(all.of("g"), [Secret; MOST]);
        assert_eq!(all.of("h"), [Public, Secret, Public, Public, Public, Public]);
        assert_eq!(all.of("other"), [Public; MOST]);
        for wrong in ["f", ":1", "f:0", "f:7", "f:x", "f:1=y"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(Parameters::new(&public, &public).is_err(), "named twice");
        let known = [parse("f:1=2").expect("well-formed")];
        assert!(Parameters::new(&[], &known).is_err(), "secret and known");
    }
}
