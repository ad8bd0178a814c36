//! Random libraries: what users call. Random programs, whose ports have all layouts, become libraries of several variants; each
//! variant processes messages of all lengths at odd addresses, in place too, and must give what the interpreter gives, byte for
//! byte, under compilers with all warnings and under the sanitizers.
//!
//! A few programs; `NAKIRI_FULL=1` makes it 1,000, `NAKIRI_SEED=n` starts elsewhere, `NAKIRI_COUNT=n` takes so many.

mod subject;

use nakiri::emit::c::{self, Library};
use nakiri_verify::cc::{self, Compiler, Work, SANITIZE};
use nakiri_verify::differential::quietly;
use nakiri_verify::{exec, Error};
use subject::Subject;

/// How many programs are one library.
const BATCH: u64 = 8;

/// What the tests of all subjects need.
const HELPERS: &str = include_str!("helpers.c");

/// The library of some subjects with the program that tests it.
fn text(subjects: &[&Subject]) -> Result<(String, String), String> {
    let library = Library {
        name: "random".to_string(),
        title: "Random".to_string(),
        specification: "a generator".to_string(),
        command_line: "none".to_string(),
        version: "0".to_string(),
        source_hash: "0".to_string(),
        evidence: Vec::new(),
        instances: subjects.iter().map(|subject| subject.instance.clone()).collect(),
    };
    let files = c::library(&library).map_err(|error| error.to_string())?;
    let tests: String = subjects.iter().map(|subject| subject.test()).collect();
    let calls: String = subjects.iter().map(|subject| subject.call()).collect();
    let main = format!("int main(void)\n{{\n{calls}    return 0;\n}}\n");
    Ok((files.h, format!("{}\n{HELPERS}{tests}{main}", files.c)))
}

/// What is wrong with the library of some subjects.
fn fault(subjects: &[&Subject], compiler: &Compiler, flags: &[&str]) -> Option<String> {
    let tried = || -> Result<(), Error> {
        let (h, c) = quietly(|| text(subjects)).map_err(|message| Error::Failed { message })?;
        let work = Work::new()?;
        work.write("random.h", h.as_bytes())?;
        let source = work.write("main.c", c.as_bytes())?;
        let program = work.path("main");
        compiler.compile(&[&source], flags, &program)?;
        let done = exec::command(compiler, &program)?
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .output()
            .map_err(|error| Error::Io { path: program, error })?;
        match done.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&done.stderr);
                Err(Error::Failed { message: format!("{}: {said}", done.status) })
            }
        }
    };
    tried().err().map(|error| error.to_string())
}

#[test]
fn random_libraries_mean_what_their_programs_mean() {
    let number =
        |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let first = number("NAKIRI_SEED").unwrap_or(0);
    let count = number("NAKIRI_COUNT").unwrap_or(if full { 1000 } else { 2 * BATCH });
    println!("seeds {first} to {}", first + count - 1);
    let compilers = cc::all();
    assert!(!compilers.is_empty(), "no C compiler");
    let (mut failures, mut variants, mut programs) = (Vec::new(), 0, 0);
    for (round, start) in (first..first + count).step_by(BATCH as usize).enumerate() {
        let compiler = &compilers[round % compilers.len()];
        let flags: &[&str] = if round % 4 < 2 { &["-O1"] } else { SANITIZE };
        let seeds = start..(start + BATCH).min(first + count);
        let subjects: Vec<Subject> = seeds
            .filter_map(|seed| match quietly(|| Subject::new(seed)) {
                Ok(subject) => subject,
                Err(message) => {
                    failures.push(format!("seed {seed}: {message}"));
                    None
                }
            })
            .collect();
        programs += subjects.len();
        variants += subjects.iter().map(|subject| subject.ways.len()).sum::<usize>();
        let all: Vec<&Subject> = subjects.iter().collect();
        if all.is_empty() || fault(&all, compiler, flags).is_none() {
            continue;
        }
        for subject in &subjects {
            if let Some(message) = fault(&[subject], compiler, flags) {
                let message: String = message.chars().take(2000).collect();
                failures.push(format!("{}\n{message}", subject.described()));
            }
        }
    }
    println!("{programs} programs, {variants} variants");
    assert!(programs > 0, "no program became a library");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
