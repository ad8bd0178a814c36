//! In which slicings a program can be built for a target.

use super::{specialize, Options};
use crate::core::{Direction, Program};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::pass::pack;

/// The slicings in the order in which they are tried when none is asked for.
pub const PREFERENCE: [Direction; 4] = [Direction::V, Direction::H, Direction::B, Direction::P];

/// Whether a slicing is legal for a target.
#[derive(Clone, Debug)]
pub enum Cell {
    /// It is, and so many blocks are processed at once, in this direction.
    Legal {
        /// How many.
        blocks: u32,
        /// The direction that the program itself asks for, or else the one of the options.
        direction: Direction,
    },
    /// It is not.
    Forbidden(Vec<Diagnostic>),
    /// The target has no such slicing at all.
    Absent(Vec<Diagnostic>),
}

/// Whether a program can be built so.
pub fn cell(program: &Program, options: Options) -> Cell {
    match specialize(program, &options) {
        Err(reasons) if options.target.has_direction(options.direction) => Cell::Forbidden(reasons),
        Err(reasons) => Cell::Absent(reasons),
        Ok(mono) => {
            let entry = mono.entry();
            let port = entry.params.iter().chain(&entry.results).next();
            let direction = port.map_or(options.direction, |port| port.ty.direction());
            let blocks = port.map_or(1, |port| match direction {
                Direction::P => pack::lanes(options.target, port),
                _ => options.target.lanes(direction, port.ty.bits()),
            });
            Cell::Legal { blocks, direction }
        }
    }
}

/// The options in the first of some slicings for which the target has everything that the programs ask for.
///
/// # Errors
/// Why the first one is not legal, if none is.
pub fn first_legal(
    programs: &[&Program],
    directions: &[Direction],
    options: Options,
) -> Result<Options, Vec<Diagnostic>> {
    let mut first = None;
    for &direction in directions {
        match is_legal(programs, Options { direction, ..options }) {
            Ok(options) => return Ok(options),
            Err(diagnostics) => first = first.or(Some(diagnostics)),
        }
    }
    Err(first.unwrap_or_default())
}

/// The options in each of some slicings for which the target has everything that the programs ask for; at least one, and none
/// that differs from one before in nothing but its name, as where the programs say themselves how they are sliced. Where
/// registers may hold one word or several there are two for -V.
///
/// # Errors
/// Why the first one is not legal, if none is.
pub fn legal(
    programs: &[&Program],
    directions: &[Direction],
    options: Options,
) -> Result<Vec<Options>, Vec<Diagnostic>> {
    let (mut legal, mut seen, mut first) = (Vec::new(), Vec::new(), None);
    for &direction in directions {
        let options = Options { direction, ..options };
        match specialized(programs, &options) {
            Ok(sliced) if seen.contains(&sliced) => {}
            Ok(sliced) => {
                seen.push(sliced);
                legal.extend(by_words(programs, options));
            }
            Err(diagnostics) => first = first.or(Some(diagnostics)),
        }
    }
    match legal.is_empty() {
        false => Ok(legal),
        true => Err(first.unwrap_or_default()),
    }
}

/// The slicings for which the options' target has everything that the programs ask for.
pub fn directions(programs: &[&Program], options: Options) -> Vec<Direction> {
    let legal = |direction: &Direction| {
        is_legal(programs, Options { direction: *direction, ..options }).is_ok()
    };
    PREFERENCE.into_iter().filter(legal).collect()
}

/// Whether a target has everything that the programs ask for in a slicing.
pub fn is_legal_in(programs: &[&Program], direction: Direction, target: &'static Target) -> bool {
    is_legal(programs, Options::new(direction, target)).is_ok()
}

fn specialized(programs: &[&Program], options: &Options) -> Result<Vec<Program>, Vec<Diagnostic>> {
    programs.iter().map(|program| specialize(program, options)).collect()
}

/// The options with one word in each register, and with several, as far as they are open and legal.
fn by_words(programs: &[&Program], options: Options) -> Vec<Options> {
    let several =
        options.target.several().filter(|_| options.direction == Direction::V && !options.one_word);
    let several = several.map(|target| Options { target, ..options });
    match several.and_then(|several| is_legal(programs, several).ok()) {
        Some(several) => vec![Options { one_word: true, ..options }, several],
        None => vec![options],
    }
}

fn is_legal(programs: &[&Program], options: Options) -> Result<Options, Vec<Diagnostic>> {
    let refused = programs.iter().find_map(|program| specialize(program, &options).err());
    refused.map_or(Ok(options), Err)
}

/// The options, without kernels for short messages unless these are legal for all of the programs: they share their keys.
pub fn with_legal_short(programs: &[&Program], options: Options) -> Options {
    let short = options
        .short
        .filter(|_| programs.len() == 1 || is_legal(programs, options.for_short()).is_ok());
    Options { short, ..options }
}
