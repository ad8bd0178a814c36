//! What is searched: the compiler's choices, and the C compiler's.

use super::search::{Axis, Point};
use nakiri::compile::Options;
use nakiri::core::Direction;
use nakiri::pass::interleave::Interleave;
use nakiri::registers::Spill;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// One point of the space, in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The text form of `nakiri::compile::Options`.
    pub configuration: String,
    /// The C compiler's program.
    pub compiler: String,
    /// Its flags.
    pub flags: Vec<String>,
}

/// The axes of the compiler's own choices: how each is written, and its values.
const CHOICES: &[(&str, &[&str])] = &[
    ("interleave", &["1", "2", "3", "4", "5", "6", "7", "8"]),
    ("schedule", &["source", "latency", "pressure"]),
    ("grain", &["1", "2", "4", "8", "16"]),
    ("lag", &["0", "8", "16", "32", "64", "128"]),
    ("unroll", &["auto", "never", "always", "2", "4"]),
    ("inline", &["all", "small"]),
    ("spill", &["compiler", "explicit", "always", "assembly"]),
];

/// The flags that are tried with each family of C compilers, as far as a compiler takes them, those of `build` first.
const FLAGS: &[(&str, &[&str])] = &[
    (
        "gcc",
        &[
            "-O3",
            "-O2",
            "-O1",
            "-O3 -fno-tree-ter",
            "-O3 -fno-tree-coalesce-vars",
            "-O3 -fschedule-insns -fsched-pressure",
            "-O3 -fno-schedule-insns2",
            "-O3 -fno-tree-vectorize",
        ],
    ),
    (
        "clang",
        &[
            "-O3",
            "-O2",
            "-O1",
            // The same, before LLVM 20 and since.
            "-O3 -mllvm -misched-topdown",
            "-O3 -mllvm -misched-prera-direction=topdown",
            "-O3 -fno-slp-vectorize",
        ],
    ),
];

/// A C compiler, and what is tried with it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its program.
    program: String,
    flags: Vec<&'static str>,
}

impl Tried {
    /// The flags for a compiler by its program's name, those that it takes.
    pub fn new(program: &str, takes: &dyn Fn(&[String]) -> bool) -> Tried {
        let family = if program.contains("clang") { "clang" } else { "gcc" };
        let flags = FLAGS.iter().filter(|(name, _)| *name == family).flat_map(|(_, flags)| *flags);
        let flags = flags.copied().filter(|flags| takes(&words(flags))).collect();
        Tried { program: program.to_string(), flags }
    }
}

fn words(flags: &str) -> Vec<String> {
    flags.split_whitespace().map(str::to_string).collect()
}

/// The configurations of one instance on one target.
#[derive(Clone, Debug)]
pub struct Space {
    target: String,
    compilers: Vec<Tried>,
    axes: Vec<Axis>,
}

/// The axes by their places in a point, the weightiest first: compiler, slicing, those of [`CHOICES`], flags.
const COMPILER: usize = 0;
const SLICING: usize = 1;
const FIRST_CHOICE: usize = 2;
const FLAG: usize = FIRST_CHOICE + CHOICES.len();

impl Space {
    /// The space for a target, the slicings that are legal there (the preferred first) and the C compilers at hand.
    pub fn new(target: &str, slicings: &[String], compilers: Vec<Tried>) -> Space {
        let most_flags = compilers.iter().map(|c| c.flags.len()).max().unwrap_or(1);
        let programs = compilers.iter().map(|c| c.program.clone()).collect();
        let mut axes = vec![
            Axis { name: "compiler", values: programs },
            Axis { name: "slicing", values: slicings.to_vec() },
        ];
        for (name, values) in CHOICES {
            axes.push(Axis { name, values: values.iter().map(|v| v.to_string()).collect() });
        }
        let flags = (0..most_flags).map(|n| n.to_string()).collect();
        axes.push(Axis { name: "flags", values: flags });
        Space { target: target.to_string(), compilers, axes }
    }

    /// Its axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Where to begin: each of these configurations, which leave nothing open, with each compiler. What the axes can't say
    /// is left out.
    pub fn starts(&self, configurations: &[String]) -> Vec<Point> {
        let points = configurations.iter().filter_map(|configuration| self.point(configuration));
        let with = |point: Point, compiler| {
            let mut point = point;
            point[COMPILER] = compiler;
            point
        };
        points
            .flat_map(|point| (0..self.compilers.len()).map(move |c| with(point.clone(), c)))
            .collect()
    }

    /// The point that stands for a candidate, if the axes can say it.
    pub fn point_of(&self, candidate: &Candidate) -> Option<Point> {
        let mut point = self.point(&candidate.configuration)?;
        let Candidate { compiler, flags: wanted, .. } = candidate;
        point[COMPILER] = self.compilers.iter().position(|known| known.program == *compiler)?;
        let mut known = self.compilers[point[COMPILER]].flags.iter();
        point[FLAG] = known.position(|flags| words(flags) == *wanted)?;
        Some(point)
    }

    /// The point of a configuration, with the first compiler and its first flags.
    fn point(&self, configuration: &str) -> Option<Point> {
        let mut point = vec![0; self.axes.len()];
        let (slicing, rest) = configuration.split_once(' ')?;
        let mut set = |name: &str, value: &str| {
            let axis = self.axes.iter().position(|axis| axis.name == name)?;
            point[axis] = self.axes[axis].values.iter().position(|known| known == value)?;
            Some(())
        };
        set("slicing", slicing)?;
        for (name, value) in rest.split(' ').filter_map(|word| word.split_once('=')) {
            match name {
                "interleave" => {
                    let Interleave { factor, grain, lag } = value.parse().ok()?;
                    set("interleave", &factor.to_string())?;
                    set("grain", &grain.to_string())?;
                    set("lag", &lag.to_string())?;
                }
                _ => set(name, value)?,
            }
        }
        Some(point)
    }

    /// What a point stands for; `None` if it says the same as another point.
    pub fn candidate(&self, point: &Point) -> Option<Candidate> {
        let Tried { program, flags } = &self.compilers[point[COMPILER]];
        let (compiler, flags) = (program.clone(), words(flags.get(point[FLAG])?));
        let value = |name: &str| {
            let k = CHOICES.iter().position(|(known, _)| *known == name)?;
            Some(self.axes[FIRST_CHOICE + k].values[point[FIRST_CHOICE + k]].as_str())
        };
        let interleave = Interleave {
            factor: value("interleave")?.parse().ok()?,
            grain: value("grain")?.parse().ok()?,
            lag: value("lag")?.parse().ok()?,
        };
        if interleave.factor == 1 && interleave != Interleave::of(1) {
            return None;
        }
        let slicing = &self.axes[SLICING].values[point[SLICING]];
        let options = Options::from_str(&format!("{slicing} {}", self.target)).ok()?;
        let bits = options.direction == Direction::B;
        // Elsewhere it is the compiler's business, and goes without saying.
        let said = Spill::matters(options.direction, options.target);
        let spill = match value("spill")? {
            "compiler" if !said => String::new(),
            "assembly" if !Spill::Assembly.is_for(options.target) => return None,
            spill if bits || spill == "assembly" => format!(" spill={spill}"),
            _ => return None,
        };
        let configuration = format!(
            "{slicing} {} unroll={} inline={} interleave={interleave} schedule={}{spill}",
            self.target,
            value("unroll")?,
            value("inline")?,
            value("schedule")?,
        );
        Some(Candidate { configuration, compiler, flags })
    }

    /// Every candidate, each once, in a fixed order.
    pub fn all(&self) -> Vec<Candidate> {
        let mut points = vec![Point::new()];
        for axis in &self.axes {
            let choices = axis.values.len();
            points = points
                .iter()
                .flat_map(|point| (0..choices).map(move |choice| [&point[..], &[choice]].concat()))
                .collect();
        }
        points.iter().filter_map(|point| self.candidate(point)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn space() -> Space {
        let compilers = ["gcc", "clang-19"].map(|program| Tried::new(program, &|_| true)).into();
        Space::new("avx2", &["V", "B"].map(str::to_string), compilers)
    }

    #[test]
    fn flags_that_a_compiler_refuses_are_not_tried() {
        let compilers = vec![Tried::new("gcc", &|flags| flags == ["-O2"])];
        let all = Space::new("avx2", &["V".to_string()], compilers).all();
        assert!(!all.is_empty() && all.iter().all(|candidate| candidate.flags == ["-O2"]));
    }

    #[test]
    fn every_candidate_is_a_configuration_and_none_comes_twice() {
        let all = space().all();
        let distinct: BTreeSet<&Candidate> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        for candidate in &all {
            let options: Options = candidate.configuration.parse().expect("a configuration");
            assert_eq!(options.to_string(), candidate.configuration);
        }
    }

    #[test]
    fn the_starts_are_what_was_asked_for_with_each_compiler() {
        let space = space();
        let asked = [
            "B avx2 unroll=2 inline=small interleave=1:1 schedule=pressure".to_string(),
            "V avx2 unroll=never inline=all interleave=7:4 schedule=latency".to_string(),
        ];
        let starts: Vec<Candidate> =
            space.starts(&asked).iter().map(|point| space.candidate(point).expect("one")).collect();
        let said: Vec<(&str, &str)> =
            starts.iter().map(|s| (&*s.configuration, &*s.compiler)).collect();
        let expected = asked.iter().flat_map(|a| [(&**a, "gcc"), (&**a, "clang-19")]);
        assert_eq!(said, expected.collect::<Vec<_>>());
        assert!(starts.iter().all(|start| start.flags == ["-O3"]));
        assert!(space.starts(&["V avx2 unroll=3 inline=all".to_string()]).is_empty());
    }

    #[test]
    fn a_candidate_has_its_point() {
        let space = space();
        for candidate in space.all().into_iter().step_by(97) {
            let point = space.point_of(&candidate).expect("a point");
            assert_eq!(space.candidate(&point), Some(candidate.clone()));
            let other = Candidate { compiler: "tcc".to_string(), ..candidate };
            assert_eq!(space.point_of(&other), None);
        }
    }
}
