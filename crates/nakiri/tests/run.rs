//! Runs: every `tests/run/NAME.ua` has comments `# run: SCHEDULE`; `NAME.txt` has for each the program that it becomes, or
//! what is wrong. `NAKIRI_BLESS=1` rewrites it. Programs compute what the interpreter does tick by tick.

mod common;

use common::{inputs, source::open};
use nakiri::check::check;
use nakiri::core::interp::run;
use nakiri::core::verify::verify;
use nakiri::run::{Run, Schedule};
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
    for schedule in text.lines().filter_map(|line| line.strip_prefix("# run: ")) {
        let place = sources.add("--run", schedule);
        let made = Schedule::parse(schedule, place).map_err(|wrong| vec![wrong]);
        let said = match made.and_then(|schedule| Run::new(&program, &schedule)) {
            Ok(made) => {
                assert_eq!(verify(&made.program), Ok(()), "{schedule}");
                for seed in 0..BLOCKS {
                    let data = inputs(&made.program, seed).expect("word sizes are fixed");
                    assert_eq!(run(&made.program, &data), made.stepped(&data), "{schedule}");
                }
                made.program.canonical().to_string()
            }
            Err(wrong) => {
                let said = wrong.iter().map(|wrong| wrong.render(&sources, false) + "\n");
                said.collect::<Vec<_>>().join("\n")
            }
        };
        all += &format!("==== {schedule}\n{said}\n");
    }
    all
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
