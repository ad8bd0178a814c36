//! What a program is compiled for and how: one value, with a text form.

use super::Short;
use crate::core::Direction;
use crate::diagnostic::{instead_of, suggestion};
use crate::isa::{self, Target};
use crate::pass::inline::Inline;
use crate::pass::interleave::Interleave;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;
use crate::pass::tables::Goal;
use crate::registers::Spill;
use std::fmt;
use std::str::FromStr;

/// What to compile for, and how.
///
/// The text form is that of `V avx512 unroll=auto inline=all interleave=2:1 schedule=latency`: the slicing, the target, and
/// [`Choice`]s in any order. Printed and read again it is the same. What is not named has not been chosen:
/// [`crate::cost::choose`] chooses it by its price, [`super::compile`] takes what needs no thought.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The slicing.
    pub direction: Direction,
    /// The word size of an entry that is generic in it.
    pub width: Option<u16>,
    /// The target.
    pub target: &'static Target,
    /// Which foralls become loops.
    pub unroll: Option<Unroll>,
    /// Whether sums may be bitsliced, as gates.
    pub soft_arith: bool,
    /// Whether general-purpose registers hold one word each, though several would fit.
    pub one_word: bool,
    /// Whether rows may be gathered from several, which takes more than one shuffle.
    pub gather_rows: bool,
    /// Which calls become their callees' bodies.
    pub inline: Option<Inline>,
    /// How many batches are processed side by side.
    pub interleave: Option<Interleave>,
    /// The order of the statements.
    pub schedule: Option<Schedule>,
    /// Who stores and loads what finds no register.
    pub spill: Option<Spill>,
    /// Which kernels take fewer blocks than a batch has.
    pub short: Option<Short>,
    /// How many limbs an element of a field has.
    pub limbs: Option<u16>,
}

impl Options {
    /// What circuits of tables are chosen for.
    pub(super) fn circuits(&self) -> Goal {
        let copies = self.interleave.map_or(1, |interleave| interleave.factor as usize);
        Goal { target: self.target, copies }
    }

    /// No choices yet, for a slicing and a target.
    pub fn new(direction: Direction, target: &'static Target) -> Options {
        Options {
            direction,
            width: None,
            target,
            unroll: None,
            soft_arith: false,
            one_word: false,
            gather_rows: false,
            inline: None,
            interleave: None,
            schedule: None,
            spill: None,
            short: None,
            limbs: None,
        }
    }

    /// The options with some of them chosen; assembly where the target has it.
    pub fn with(self, choices: &[Choice]) -> Options {
        choices.iter().fold(self, |options, choice| match *choice {
            Choice::Width(bits) => Options { width: Some(bits), ..options },
            Choice::SoftArith => Options { soft_arith: true, ..options },
            Choice::OneWord => Options { one_word: true, ..options },
            Choice::GatherRows => Options { gather_rows: true, ..options },
            Choice::Unroll(unroll) => Options { unroll: Some(unroll), ..options },
            Choice::Inline(inline) => Options { inline: Some(inline), ..options },
            Choice::Interleave(interleave) => Options { interleave: Some(interleave), ..options },
            Choice::Schedule(schedule) => Options { schedule: Some(schedule), ..options },
            Choice::Spill(spill) if !spill.is_for(options.target) => options,
            Choice::Spill(spill) => Options { spill: Some(spill), ..options },
            Choice::Short(short) => Options { short: Some(short), ..options },
            Choice::Limbs(limbs) => Options { limbs: Some(limbs), ..options },
        })
    }

    /// The options for the kernels that take short messages: one word in a register where the bits of several are in a
    /// general-purpose one, else rows; in source order, in which batches alternate.
    pub fn for_short(&self) -> Options {
        let (direction, target) = match self.target.one_word() {
            Some(target) => (self.direction, target),
            None if !self.target.simd && self.direction == Direction::H => {
                (Direction::V, self.target)
            }
            None => (Direction::P, self.target),
        };
        Options {
            direction,
            target,
            inline: None,
            interleave: None,
            schedule: None,
            spill: None,
            short: None,
            ..*self
        }
    }

    /// What was chosen beside slicing and target.
    pub fn choices(&self) -> Vec<Choice> {
        let choices = [
            self.width.map(Choice::Width),
            self.soft_arith.then_some(Choice::SoftArith),
            self.one_word.then_some(Choice::OneWord),
            self.gather_rows.then_some(Choice::GatherRows),
            self.unroll.map(Choice::Unroll),
            self.inline.map(Choice::Inline),
            self.interleave.map(Choice::Interleave),
            self.schedule.map(Choice::Schedule),
            self.spill.map(Choice::Spill),
            self.short.map(Choice::Short),
            self.limbs.map(Choice::Limbs),
        ];
        choices.into_iter().flatten().collect()
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Options) -> bool {
        let place = |options: &Options| (options.direction, options.target.name);
        place(self) == place(other) && self.choices() == other.choices()
    }
}

impl Eq for Options {}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.direction, self.target.name)?;
        self.choices().iter().try_for_each(|choice| write!(f, " {choice}"))
    }
}

impl FromStr for Options {
    type Err = String;

    fn from_str(text: &str) -> Result<Options, String> {
        let mut words = text.split_whitespace();
        let (Some(slicing), Some(name)) = (words.next(), words.next()) else {
            return Err(format!("`{text}` doesn't begin with a slicing and a target"));
        };
        let target = isa::find(name).ok_or_else(|| {
            let known: Vec<&str> = isa::all().iter().map(|target| target.name).collect();
            format!("there is no target `{name}`; {}", instead_of(name, &known))
        })?;
        let choices = choices(words)?;
        match choices.contains(&Choice::Spill(Spill::Assembly)) && !target.is_assembled() {
            true => Err(no_assembly(&[name])),
            false => Ok(Options::new(slicing.parse()?, target).with(&choices)),
        }
    }
}

/// Says that targets have no assembly, and which have.
pub fn no_assembly(targets: &[&str]) -> String {
    let known = isa::all().iter().filter(|target| target.is_assembled());
    let known: Vec<&str> = known.map(|target| target.name).collect();
    format!("there is no assembly for {}, but for {}", targets.join(", "), known.join(", "))
}

/// The choices of some words.
///
/// # Errors
/// The first that is none, or a choice that is made twice.
pub fn choices<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<Choice>, String> {
    let mut choices: Vec<Choice> = Vec::new();
    for word in words {
        let choice = word.parse()?;
        let kind = std::mem::discriminant(&choice);
        if choices.iter().any(|other| std::mem::discriminant(other) == kind) {
            return Err(format!("`{word}` is a choice that was made already"));
        }
        choices.push(choice);
    }
    Ok(choices)
}

/// One field of [`Options`] beside slicing and target, such as `unroll=never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `width=16`: the word size of an entry that is generic in it, 1 to 128.
    Width(u16),
    /// `soft-arith`: sums may be bitsliced.
    SoftArith,
    /// `one-word`: registers hold one word each, though several would fit.
    OneWord,
    /// `gather-rows`: rows may be gathered from several.
    GatherRows,
    /// `unroll=auto`, `always`, `never`, `2` or `4`.
    Unroll(Unroll),
    /// `inline=all` or `small`.
    Inline(Inline),
    /// `interleave=FACTOR`, `interleave=FACTOR:GRAIN` or `interleave=FACTOR:GRAIN:LAG`.
    Interleave(Interleave),
    /// `schedule=source`, `pressure` or `latency`.
    Schedule(Schedule),
    /// `spill=compiler`, `explicit`, `always` or `assembly`.
    Spill(Spill),
    /// `short=never` or `short=BELOW:BATCHES`.
    Short(Short),
    /// `limbs=5`: how many limbs an element of a field has.
    Limbs(u16),
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Choice::Width(bits) => write!(f, "width={bits}"),
            Choice::SoftArith => f.write_str("soft-arith"),
            Choice::OneWord => f.write_str("one-word"),
            Choice::GatherRows => f.write_str("gather-rows"),
            Choice::Unroll(unroll) => write!(f, "unroll={unroll}"),
            Choice::Inline(inline) => write!(f, "inline={inline}"),
            Choice::Interleave(interleave) => write!(f, "interleave={interleave}"),
            Choice::Schedule(schedule) => write!(f, "schedule={schedule}"),
            Choice::Spill(spill) => write!(f, "spill={spill}"),
            Choice::Short(short) => write!(f, "short={short}"),
            Choice::Limbs(limbs) => write!(f, "limbs={limbs}"),
        }
    }
}

/// The most limbs that are worth a try: a field has up to 1024 bits.
pub const MOST_LIMBS: u16 = 64;

/// How choices begin.
const CHOICES: &[&str] = &[
    "unroll=",
    "inline=",
    "interleave=",
    "schedule=",
    "spill=",
    "short=",
    "limbs=",
    "width=",
    "soft-arith",
    "one-word",
    "gather-rows",
];

impl FromStr for Choice {
    type Err = String;

    fn from_str(word: &str) -> Result<Choice, String> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        Ok(match name {
            "width" => match value.parse() {
                Ok(bits @ 1..=128) => Choice::Width(bits),
                _ => return Err(format!("a word has 1 to 128 bits, not `{value}`")),
            },
            "soft-arith" if word == name => Choice::SoftArith,
            "one-word" if word == name => Choice::OneWord,
            "gather-rows" if word == name => Choice::GatherRows,
            "unroll" => Choice::Unroll(value.parse()?),
            "inline" => Choice::Inline(value.parse()?),
            "interleave" => Choice::Interleave(value.parse()?),
            "schedule" => Choice::Schedule(value.parse()?),
            "spill" => Choice::Spill(value.parse()?),
            "short" => Choice::Short(value.parse()?),
            "limbs" => match value.parse() {
                Ok(limbs @ 1..=MOST_LIMBS) => Choice::Limbs(limbs),
                _ => return Err(format!("an element has 1 to {MOST_LIMBS} limbs, not `{value}`")),
            },
            _ => {
                let near =
                    suggestion(name, CHOICES.iter().map(|choice| choice.trim_end_matches('=')));
                let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
                return Err(format!(
                    "`{word}` is no choice; {near}there are {}",
                    CHOICES.join(", ")
                ));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_read_back_as_printed() {
        for text in [
            "V avx512",
            "V avx512 unroll=auto inline=all schedule=source",
            "V avx512 unroll=auto inline=all interleave=2:1:16 schedule=latency",
            "H ssse3 unroll=never inline=small interleave=1:1 schedule=pressure",
            "P avx2 gather-rows",
            "V avx2+vaes spill=assembly",
            "V gp64 one-word unroll=auto",
            "V gp64+swar unroll=auto",
            "V avx2 interleave=1:1 schedule=source short=7:3",
            "V avx512 short=never",
            "V avx512 unroll=never limbs=5",
            "B gp64 schedule=pressure spill=explicit",
            "B gp64 width=16 soft-arith unroll=always inline=all interleave=16:40 schedule=source",
        ] {
            let options: Options = text.parse().expect("it is well formed");
            assert_eq!(options.to_string(), text);
            assert_eq!(options.to_string().parse(), Ok(options));
        }
        let short: Options = " B  x86-64-v3 interleave=3 ".parse().expect("it is well formed");
        assert_eq!(short.to_string(), "B avx2 interleave=3:1");
        assert_ne!(Ok(short), "B avx2".parse());
    }

    #[test]
    fn ill_formed_options_are_refused() {
        for (text, message) in [
            ("", "doesn't begin with a slicing and a target"),
            ("V", "doesn't begin with a slicing and a target"),
            ("X avx2", "there is no slicing `X`; there are B, V, H, P"),
            ("V sparc", "there is no target `sparc`"),
            ("V avx2 fast", "`fast` is no choice"),
            ("V avx2 soft-arith=yes", "`soft-arith=yes` is no choice"),
            ("V avx2 width=0", "1 to 128 bits, not `0`"),
            ("V avx2 unroll=", "there is no choice of loops ``; there are auto, always, never"),
            ("V avx2 inline=none", "there is no choice of inlining `none`"),
            ("V avx2 schedule=fast", "there is no schedule `fast`"),
            ("B gp64 spill=never", "there is no choice of spilling `never`"),
            ("B gp64 spill=assembly", "there is no assembly for gp64, but for avx, avx2"),
            ("V avx2 interleave=0", "the factor is 1 to 16"),
            ("V avx2 interleave=17:1", "the factor is 1 to 16"),
            ("V avx2 interleave=2:0", "the grain is at least 1"),
            ("V avx2 interleave=2:", "the grain is at least 1"),
            ("V avx2 interleave=2:1:", "the lag is a number"),
            ("V avx2 limbs=0", "an element has 1 to 64 limbs, not `0`"),
            ("V avx2 short=1", "`1` is neither `never` nor a number of blocks, from 2 on"),
            ("V avx2 short=5:0", "`5:0` is neither `never` nor a number of blocks"),
            ("V avx2 unroll=auto unroll=never", "`unroll=never` is a choice that was made already"),
        ] {
            let refused = text.parse::<Options>().expect_err(text);
            assert!(refused.contains(message), "{text}: {refused}");
        }
    }
}
