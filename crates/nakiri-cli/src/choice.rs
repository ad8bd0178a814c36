//! What to compile for: slicings and targets, from the command line or by choice.

use crate::session::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nakiri::compile::{self, Choice, Short};
use nakiri::core::{Direction, Program};
use nakiri::cost;
use nakiri::diagnostic::instead_of;
use nakiri::isa::{self, Target};
use nakiri::pass::inline::Inline;
use nakiri::pass::interleave::Interleave;
use nakiri::pass::roll::Unroll;
use nakiri::pass::schedule::Schedule;
use nakiri::registers::Spill;
use nakiri_bench::machine::{self, Machine};
use nakiri_verify::exec;
use std::str::FromStr;

/// The slicing flags.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[group(multiple = false)]
pub struct SlicingArgs {
    /// Bitslice: every bit in a register of its own
    #[arg(short = 'B')]
    pub bitslice: bool,
    /// Vertical: a word in one element of a register
    #[arg(short = 'V')]
    pub vertical: bool,
    /// Horizontal: a word spread over a register, one bit an element
    #[arg(short = 'H')]
    pub horizontal: bool,
    /// Packed: the words of a row side by side in a segment of 128 bits
    #[arg(short = 'P')]
    pub packed: bool,
}

impl SlicingArgs {
    /// The slicing that was asked for, if any.
    pub fn direction(self) -> Option<Direction> {
        match self {
            SlicingArgs { bitslice: true, .. } => Some(Direction::B),
            SlicingArgs { vertical: true, .. } => Some(Direction::V),
            SlicingArgs { horizontal: true, .. } => Some(Direction::H),
            SlicingArgs { packed: true, .. } => Some(Direction::P),
            _ => None,
        }
    }
}

/// The flags that say what to compile for, and how.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ChoiceArgs {
    /// The slicing.
    #[command(flatten)]
    pub slicing: SlicingArgs,
    /// Targets such as `avx2`, `gp64:B,avx2:H` or `avx512:V+interleave=2+schedule=latency`; by default this CPU's
    #[arg(long, value_name = "T,…")]
    pub target: Option<String>,
    /// The word size of an entry that is generic in it
    #[arg(short = 'w', value_name = "M", value_parser = clap::value_parser!(u16).range(1..=128))]
    pub width: Option<u16>,
    /// Which foralls become loops; by default what the machine's model prices lowest, as for the flags that follow
    #[arg(long, value_parser = named::<Unroll>(Unroll::NAMES))]
    pub unroll: Option<Unroll>,
    /// Which calls become their callees' bodies
    #[arg(long, value_parser = named::<Inline>(Inline::NAMES))]
    pub inline: Option<Inline>,
    /// Process K batches side by side, alternating every GRAIN statements, each batch LAG statements behind the one before
    #[arg(long, value_name = "K[:GRAIN[:LAG]]")]
    pub interleave: Option<Interleave>,
    /// The order of the statements
    #[arg(long, value_parser = named::<Schedule>(Schedule::NAMES))]
    pub schedule: Option<Schedule>,
    /// Who stores and loads what finds no register: the compiler of C or Rust, or the text
    #[arg(long, value_parser = named::<Spill>(Spill::NAMES))]
    pub spill: Option<Spill>,
    /// Let kernels on rows, where -P is legal, or with one word in a general-purpose register take fewer than BELOW blocks, up to
    /// BATCHES registers of them side by side; or `never`
    #[arg(long, value_name = "BELOW[:BATCHES]")]
    pub short: Option<Short>,
    /// How many limbs an element of a field has
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub limbs: Option<u16>,
    /// What makes more legal.
    #[command(flatten)]
    pub soft: SoftArgs,
    /// Keep one word in each general-purpose register under -V, where several would fit
    #[arg(long)]
    pub one_word: bool,
}

/// The flags that make more legal, at a price.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct SoftArgs {
    /// Build sums and products from gates under -B
    #[arg(long)]
    pub soft_arith: bool,
    /// Let rows be gathered from several under -P, which takes more than one shuffle each
    #[arg(long)]
    pub gather_rows: bool,
}

impl SoftArgs {
    /// All of them.
    pub const ALL: SoftArgs = SoftArgs { soft_arith: true, gather_rows: true };

    /// What was chosen.
    pub fn choices(self) -> Vec<Choice> {
        let choices = [
            self.soft_arith.then_some(Choice::SoftArith),
            self.gather_rows.then_some(Choice::GatherRows),
        ];
        choices.into_iter().flatten().collect()
    }
}

fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

impl ChoiceArgs {
    /// What was chosen for all targets, in the order of [`Options::choices`].
    pub fn choices(&self) -> Vec<Choice> {
        let choices = [
            self.width.map(Choice::Width),
            self.soft.soft_arith.then_some(Choice::SoftArith),
            self.one_word.then_some(Choice::OneWord),
            self.soft.gather_rows.then_some(Choice::GatherRows),
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

    /// The targets, each once; none were named without the flag.
    ///
    /// # Errors
    /// Those of [`targets`], and [`Failure::Usage`] for a repeated target.
    pub fn targets(&self) -> Result<Vec<TargetChoice>, Failure> {
        let chosen = self.variants()?;
        let names: Vec<&str> = chosen.iter().map(|choice| choice.target.name).collect();
        match names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)) {
            Some((_, name)) => Err(Failure::Usage(format!("the target {name} is named twice"))),
            None => Ok(chosen),
        }
    }

    /// The targets, which may be repeated with other choices; none were named without the flag.
    ///
    /// # Errors
    /// Those of [`targets`], and of [`refuse_without_assembly`].
    pub fn variants(&self) -> Result<Vec<TargetChoice>, Failure> {
        let chosen = self.target.as_deref().map_or(Ok(Vec::new()), targets)?;
        refuse_without_assembly(&chosen, &self.choices())?;
        Ok(chosen)
    }
}

/// Refuses assembly for a target that has none, or for all targets if none of them has it.
///
/// # Errors
/// [`Failure::Usage`] with those that have.
pub fn refuse_without_assembly(targets: &[TargetChoice], all: &[Choice]) -> Result<(), Failure> {
    let asks = |choices: &[Choice]| choices.contains(&Choice::Spill(Spill::Assembly));
    let without = targets.iter().filter(|choice| !choice.target.is_assembled());
    let names = |choices: Vec<&TargetChoice>| -> Vec<&str> {
        choices.iter().map(|choice| choice.target.name).collect()
    };
    let own = names(without.clone().filter(|choice| asks(&choice.choices)).collect());
    let lacking = names(without.collect());
    let none = asks(all) && !lacking.is_empty() && lacking.len() == targets.len();
    match (own.is_empty(), none) {
        (false, _) => Err(Failure::Usage(compile::no_assembly(&own))),
        (true, true) => Err(Failure::Usage(compile::no_assembly(&lacking))),
        (true, false) => Ok(()),
    }
}

/// A target of `--target`, with what was chosen for it alone.
#[derive(Clone, Debug)]
pub struct TargetChoice {
    /// The target.
    pub target: &'static Target,
    /// The slicing after the colon.
    pub direction: Option<Direction>,
    /// What comes after each `+`.
    pub choices: Vec<Choice>,
    /// Whether it is for this very CPU, and not for all that run the target.
    pub here: bool,
    /// Whether optional features of this CPU may be added to it.
    pub extensible: bool,
    /// Whether the slicing and the choices were made by price, for one program: others may need another.
    pub priced: bool,
    /// Whether the choices were found by measuring: nobody has to be warned of what they cost.
    pub measured: bool,
}

impl TargetChoice {
    /// A target without choices of its own.
    pub fn plain(target: &'static Target) -> TargetChoice {
        TargetChoice {
            target,
            direction: None,
            choices: Vec::new(),
            here: false,
            extensible: false,
            priced: false,
            measured: false,
        }
    }

    /// The fastest target that this CPU runs, for this CPU.
    pub fn native() -> TargetChoice {
        TargetChoice { here: true, extensible: true, ..TargetChoice::plain(native()) }
    }

    /// It, with those optional features that add something to one of these programs.
    #[must_use]
    pub fn extended(self, programs: &[&Program]) -> TargetChoice {
        let target = match self.extensible && !self.measured {
            true => extended(self.target, programs),
            false => self.target,
        };
        TargetChoice { target, ..self }
    }
}

/// The machine that choices on a target are made for: that of a name or a file; or else this CPU, if they are for this one,
/// which runs the target, and there is a model of it; or else the target's own.
///
/// # Errors
/// [`Failure`] if there is no such machine, or it can't run the target.
pub fn machine(named: Option<&str>, target: &Target, here: bool) -> Result<cost::Machine, Failure> {
    let here = here && exec::runnable(target).is_ok();
    let model = match (named, machine::host().filter(|_| here)) {
        (Some(name), _) => find_machine(name)?.model(),
        (None, Some(host)) => host.model(),
        (None, None) => find_machine(target.machine)?.model(),
    };
    model.runs(target).map_err(|lacking| {
        let name = target.name;
        Failure::Usage(format!("{lacking}, which {name} uses; name one that runs {name}"))
    })?;
    Ok(model)
}

/// The machine model of a name or a file.
///
/// # Errors
/// [`Failure::Usage`] if there is none, [`Failure::Wrong`] if the file is wrong.
pub fn find_machine(name: &str) -> Result<Machine, Failure> {
    machine::find(name).map_err(|error| match error {
        machine::find::Error::Wrong(_) => Failure::Wrong(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    })
}

/// The target whose code is the fastest that this CPU runs.
pub fn native() -> &'static Target {
    isa::native(&|target| exec::runnable(target).is_ok())
}

/// The targets where none is asked for: this CPU's, and the one that stands for all others.
pub fn default_targets() -> Vec<TargetChoice> {
    let (native, everywhere) = (TargetChoice::native(), isa::everywhere());
    let mut targets = vec![native.clone()];
    if native.target.name != everywhere.name {
        targets.push(TargetChoice::plain(everywhere));
    }
    targets
}

/// The target with those optional features of this CPU that add something to one of these programs.
pub fn extended(target: &'static Target, programs: &[&Program]) -> &'static Target {
    target.extended(programs, &|target| exec::runnable(target).is_ok())
}

/// Targets with other registers than this one that the CPU runs too, and that have instructions which these programs call.
pub fn beside(target: &Target, programs: &[&Program]) -> Vec<&'static Target> {
    let calls = |other: &Target| programs.iter().any(|program| other.is_called_by(program));
    let other = |other: &&Target| {
        other.optional && other.bits != target.bits && calls(other) && exec::runnable(other).is_ok()
    };
    isa::all().iter().copied().filter(other).collect()
}

/// The target with the narrowest registers by whose optional features these programs gain, of those that the CPU runs; none if no
/// registers are narrower than those of the target.
pub fn narrowest(target: &Target, programs: &[&Program]) -> Option<&'static Target> {
    let serves = |other: &Target| programs.iter().any(|program| other.serves(program));
    let other = |other: &&Target| {
        other.optional && other.bits < target.bits && serves(other) && exec::runnable(other).is_ok()
    };
    isa::all().iter().copied().filter(other).min_by_key(|other| other.bits)
}

/// The target of this name, `native` included.
///
/// # Errors
/// [`Failure::Usage`] with the names that there are.
pub fn target(name: &str) -> Result<&'static Target, Failure> {
    if name == "native" {
        return Ok(native());
    }
    isa::find(name).ok_or_else(|| {
        let names = std::iter::once("native").chain(isa::all().iter().map(|target| target.name));
        let names: Vec<&str> = names.collect();
        let known = name.split_once('+').filter(|(base, _)| isa::find(base).is_some());
        let why = match known {
            Some((base, features)) => format!("`{features}` is no feature that {base} can have"),
            None => format!("there is no target `{name}`"),
        };
        Failure::Usage(format!("{why}; {}", instead_of(name, &names)))
    })
}

/// How many of the words between the `+` of an item are its target, of whose name features are a part, with its slicing.
fn words_of_target(words: &[&str]) -> usize {
    let is_target = |&count: &usize| {
        let (last, others) = words[..count].split_last().expect("one word at least");
        let last = last.split(':').next().unwrap_or_default();
        isa::find(&[others, &[last]].concat().join("+")).is_some()
    };
    (1..=words.len()).rev().find(is_target).unwrap_or(1)
}

/// The targets of a list such as `gp64:B,avx2+schedule=latency,neon+sha3`.
///
/// # Errors
/// [`Failure::Usage`] for an unknown target, an unknown slicing, an ill-formed choice, or a feature that a target can't have.
pub fn targets(list: &str) -> Result<Vec<TargetChoice>, Failure> {
    let mut chosen: Vec<TargetChoice> = Vec::new();
    for item in list.split(',') {
        let words: Vec<&str> = item.split('+').map(str::trim).collect();
        let (place, words) = words.split_at(words_of_target(&words));
        let place = place.join("+");
        let (name, slicing) = match place.split_once(':') {
            Some((name, slicing)) => (name, Some(slicing)),
            None => (&*place, None),
        };
        let direction = slicing.map(|name| name.parse().map_err(Failure::Usage)).transpose()?;
        let target = target(name)?;
        let choices = compile::choices(words.iter().copied()).map_err(|message| {
            let feature = words.iter().find(|word| word.parse::<Choice>().is_err());
            let feature = feature.filter(|word| !word.contains('='));
            let why = feature.map_or(String::new(), |feature| {
                format!("`{feature}` is no feature that {name} can have: ")
            });
            Failure::Usage(why + &message)
        })?;
        let here = name == "native";
        let plain = TargetChoice::plain(target);
        chosen.push(TargetChoice { direction, choices, here, extensible: here, ..plain });
    }
    Ok(chosen)
}
