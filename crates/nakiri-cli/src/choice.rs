//! What to compile for: slicings and targets, from the command line or by choice.

use crate::session::Failure;
use nakiri::compile::{self, Options};
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::pass::roll::Unroll;
use nakiri::target::{self, Target};
use nakiri_verify::exec;

/// The slicings in the order in which they are tried when none is asked for.
pub const PREFERENCE: [Direction; 3] = [Direction::V, Direction::H, Direction::B];

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
    /// Packed: the words of a row side by side (not supported yet)
    #[arg(short = 'P')]
    pub packed: bool,
}

impl SlicingArgs {
    /// The slicing that was asked for, if any.
    ///
    /// # Errors
    /// [`Failure::Usage`] for `-P`.
    pub fn direction(self) -> Result<Option<Direction>, Failure> {
        match self {
            SlicingArgs { packed: true, .. } => {
                Err(Failure::Usage("-P is not supported yet; use -B, -V or -H".to_string()))
            }
            SlicingArgs { bitslice: true, .. } => Ok(Some(Direction::B)),
            SlicingArgs { vertical: true, .. } => Ok(Some(Direction::V)),
            SlicingArgs { horizontal: true, .. } => Ok(Some(Direction::H)),
            _ => Ok(None),
        }
    }
}

/// How foralls are compiled, as on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum UnrollArg {
    /// Large ones become loops
    #[default]
    Auto,
    /// None become loops
    Always,
    /// All that can become loops
    Never,
}

impl UnrollArg {
    /// The compiler's name for it.
    pub fn unroll(self) -> Unroll {
        match self {
            UnrollArg::Auto => Unroll::Auto,
            UnrollArg::Always => Unroll::Always,
            UnrollArg::Never => Unroll::Never,
        }
    }
}

/// A target of `--target`, with its own slicing if it has one.
#[derive(Clone, Copy, Debug)]
pub struct TargetChoice {
    /// The target.
    pub target: &'static Target,
    /// The slicing after the colon.
    pub direction: Option<Direction>,
}

/// The target whose code is the fastest that this CPU runs.
pub fn native() -> &'static Target {
    target::native(&exec::has_feature)
}

/// The target of this name, `native` included.
///
/// # Errors
/// [`Failure::Usage`] with the names that there are.
pub fn target(name: &str) -> Result<&'static Target, Failure> {
    if name == "native" {
        return Ok(native());
    }
    target::find(name).ok_or_else(|| {
        let names: Vec<&str> = target::all().iter().map(|target| target.name).collect();
        Failure::Usage(format!(
            "there is no target `{name}`; there are native, {}",
            names.join(", ")
        ))
    })
}

/// The targets of a list such as `gp64:B,avx2`.
///
/// # Errors
/// [`Failure::Usage`] for an unknown or repeated target or an unknown slicing.
pub fn targets(list: &str) -> Result<Vec<TargetChoice>, Failure> {
    let mut choices: Vec<TargetChoice> = Vec::new();
    for item in list.split(',') {
        let (name, slicing) = match item.split_once(':') {
            Some((name, slicing)) => (name, Some(slicing)),
            None => (item, None),
        };
        let direction = slicing.map(slicing_named).transpose()?;
        let target = target(name.trim())?;
        if choices.iter().any(|choice| choice.target.name == target.name) {
            return Err(Failure::Usage(format!("the target {} is named twice", target.name)));
        }
        choices.push(TargetChoice { target, direction });
    }
    Ok(choices)
}

fn slicing_named(name: &str) -> Result<Direction, Failure> {
    match name {
        "B" => Ok(Direction::B),
        "V" => Ok(Direction::V),
        "H" => Ok(Direction::H),
        "P" => Err(Failure::Usage("the slicing P is not supported yet".to_string())),
        other => {
            Err(Failure::Usage(format!("there is no slicing `{other}`; there are B, V and H")))
        }
    }
}

/// The first of some slicings for which the target has everything that the program asks for.
///
/// # Errors
/// Why the first one is not legal, if none is.
pub fn first_legal(
    program: &Program,
    directions: &[Direction],
    options: Options,
) -> Result<Options, Vec<Diagnostic>> {
    let mut first = None;
    for &direction in directions {
        let options = Options { direction, ..options };
        match compile::specialize(program, &options) {
            Ok(_) => return Ok(options),
            Err(diagnostics) => first = first.or(Some(diagnostics)),
        }
    }
    Err(first.unwrap_or_default())
}
