//! Runs: every `tests/run/NAME.ua` has comments `# run: SCHEDULE`; `NAME.txt` has for each the program that it becomes, or
//! what is wrong. `NAKIRI_BLESS=1` rewrites it. Programs compute what the interpreter does tick by tick. Comments
//! `# shared: INPUTS` likewise ask for what is computed once for all lanes, and for what is left of a lane.

use crate::common;

use common::{inputs, source::open};
use nakiri::check::check;
use nakiri::core::interp::{run, Machine};
use nakiri::core::verify::verify;
use nakiri::core::Program;
use nakiri::diagnostic::Diagnostic;
use nakiri::run::{Run, Schedule, Shared};
use nakiri::source::{SourceMap, Span};
use std::path::{Path, PathBuf};

/// How many random blocks each run is tried on.
const BLOCKS: u64 = 16;

/// What becomes of a source by each of its schedules.
fn unfolded(path: &Path) -> String {
    let (mut sources, file, options, mut folder) = open(path);
    let text = sources.file(file).text.clone();
    let (checked, diagnostics) = check(&mut sources, file, &mut folder, &options);
    let program = checked.unwrap_or_else(|| panic!("{}: {diagnostics:?}", path.display())).program;
    let mut all = String::new();
    for line in text.lines() {
        let (title, said) = match (line.strip_prefix("# run: "), line.strip_prefix("# shared:")) {
            (Some(schedule), _) => (schedule.to_string(), of_run(&program, schedule, &mut sources)),
            (_, Some(list)) => {
                (format!("shared:{list}"), divided(&program, list.trim(), &mut sources))
            }
            _ => continue,
        };
        let said = said.unwrap_or_else(|wrong| {
            let said = wrong.iter().map(|wrong| wrong.render(&sources, false) + "\n");
            said.collect::<Vec<_>>().join("\n")
        });
        all += &format!("==== {title}\n{said}\n");
    }
    all
}

fn of_run(
    program: &Program,
    schedule: &str,
    sources: &mut SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let place = sources.add("--run", schedule);
    let made = Schedule::parse(schedule, place).map_err(|wrong| vec![wrong]);
    let made = Run::new(program, &made?)?;
    assert_eq!(verify(&made.program), Ok(()), "{schedule}");
    for seed in 0..BLOCKS {
        let data = inputs(&made.program, seed).expect("word sizes are fixed");
        assert_eq!(run(&made.program, &data), made.stepped(&data), "{schedule}");
    }
    Ok(made.program.canonical().to_string())
}

/// The two programs, which together do what the whole does, tick by tick.
fn divided(
    program: &Program,
    list: &str,
    sources: &mut SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let place = Span::new(sources.add("--shared", list), 0..list.len());
    let Shared { control, lanes, inputs: shared, .. } = Shared::new(program, list, place)?;
    assert_eq!((verify(&control), verify(&lanes)), (Ok(()), Ok(())), "{list}");
    let (mut whole, mut once, mut lane) =
        (Machine::new(program), Machine::new(&control), Machine::new(&lanes));
    for seed in 0..BLOCKS {
        let entry = program.entry();
        let values = inputs(program, seed).expect("word sizes are fixed");
        let values = &values[..entry.inputs().len()];
        let of = |control: bool| -> Vec<Vec<u128>> {
            let values = values.iter().zip(&shared);
            values.filter(|(_, shared)| **shared == control).map(|(v, _)| v.clone()).collect()
        };
        let signals = once.step(&of(true));
        let got = lane.step(&[of(false), signals].concat());
        assert_eq!(got, whole.step(values), "{list}, tick {seed}");
    }
    Ok(format!("{}\n{}", control.canonical(), lanes.canonical()))
}

#[test]
fn runs_are_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let entries = std::fs::read_dir(&folder).expect("the folder exists");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ua"));
    files.sort();
    let mut failures = Vec::new();
    for file in files {
        let (found, expectation) = (unfolded(&file), file.with_extension("txt"));
        if std::env::var_os("NAKIRI_BLESS").is_some() {
            std::fs::write(&expectation, &found).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
        if found != expected {
            failures.push(format!("{}: expected\n{expected}found\n{found}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
