//! Random programs: the checker's core, the core after each pass and the compiled kernels of all targets agree.
//!
//! 400 programs; `NAKIRI_FULL=1` makes it 50,000, `NAKIRI_SEED=n` starts elsewhere. A failure is shrunk and kept
//! in `target/tmp/regressions`.

use nakiri::compile::Options;
use nakiri::core::Direction;
use nakiri::cost::{self, Machine, OpCache, Operation};
use nakiri::isa::Class;
use nakiri::isa::{self, Target};
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::differential::{check_format, damaged, elaborate, passes, quietly, Job};
use nakiri_verify::random::{self, Program, Rng};
use nakiri_verify::{exec, shrink, Error};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// How many programs are compiled as one C file.
const BATCH: u64 = 20;

/// Each program is tried in each direction on one target, all targets in turn. The other choices are drawn.
fn ways(program: &Program) -> Vec<Options> {
    let targets = isa::all();
    let round = program.seed as usize / random::PROFILES.len();
    let mut rng = Rng::new(program.seed);
    let directions = [Direction::B, Direction::V, Direction::H, Direction::P];
    let way = |(i, direction)| {
        let target = targets[(round + 2 * i) % targets.len()];
        let open = Options { width: program.width, ..Options::new(direction, target) };
        // Products of long words are thousands of gates.
        let soft_arith = program.bits <= 8 && rng.one_in(2);
        let drawn = random::options(&mut rng, Options { soft_arith, ..open });
        // What the model of a machine chooses is as right as any other choice.
        match rng.one_in(4) {
            true => by_price(program, random::reopened(&mut rng, drawn)).unwrap_or(drawn),
            false => drawn,
        }
    };
    directions.into_iter().enumerate().map(way).collect()
}

/// The options with what they leave open chosen for a machine on which latencies differ; `None` if they are not legal.
fn by_price(program: &Program, open: Options) -> Option<Options> {
    let operation = |(k, class): (usize, &Class)| Operation {
        class: *class,
        width: 64,
        latency: (k % 4) as f64,
        uses: vec![0b1111],
    };
    let machine = Machine {
        name: "uneven".to_string(),
        reorder: Some(100),
        scheduler: Some(50),
        width: 4.0,
        op_cache: Some(OpCache { instructions: 1000, entry: None }),
        decode: 2.0,
        decode_bytes: 16.0,
        cache: None,
        renaming: None,
        idle: None,
        operations: Class::ALL.iter().enumerate().map(operation).collect(),
    };
    let core = elaborate(&program.text).ok()?;
    cost::choose(&core, &open, &machine).ok().map(|decision| decision.options)
}

/// Everything but the C compiler; `None` where the way is not legal.
fn compiled(program: &Program, way: Options) -> Result<Option<Job>, String> {
    quietly(|| {
        let core = elaborate(&program.text)?;
        let with_text = program.seed.is_multiple_of(8);
        let job = passes(&core, &way, &mut Rng::new(program.seed), with_text)?;
        if with_text {
            let again = passes(&core, &way, &mut Rng::new(program.seed), false)?;
            let text = |job: &Option<Job>| job.as_ref().map(|j| j.kernel.program.to_string());
            if text(&job) != text(&again) {
                return Err("compiling twice gives two kernels".to_string());
            }
        }
        Ok(job)
    })
}

fn run(jobs: &[&Job], cc: &Compiler) -> Result<Vec<Vec<exec::Block>>, Error> {
    let jobs: Vec<_> = jobs.iter().map(|job| (&job.kernel, &job.blocks[..])).collect();
    exec::run_kernels(&jobs, cc)
}

/// The compiler for a target: a cross compiler for one of another architecture.
fn compiler_for(target: &Target, here: &Compiler) -> Result<Compiler, Error> {
    match cc::is_host(target.architecture) {
        true => Ok(here.clone().told(target)),
        false => Compiler::for_target(target),
    }
}

/// How a way fails, the C compiler included; `None` if it doesn't.
fn fault(program: &Program, way: Options, cc: &Compiler) -> Option<String> {
    match compiled(program, way) {
        Err(message) => Some(message),
        Ok(None) => None,
        Ok(Some(job)) => {
            let done = compiler_for(way.target, cc).and_then(|cc| run(&[&job], &cc));
            match done {
                Ok(results) if results[0] == job.expected => None,
                Ok(_) => Some(format!("the C for {} computes something else", way.target.name)),
                Err(error) if error.is_lack() => None,
                Err(error) => Some(error.to_string()),
            }
        }
    }
}

/// The first line of a message without its numbers: what a smaller program must share to show the same bug.
fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.chars().take(24).filter(|c| !c.is_ascii_digit()).collect()
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Shrinks and keeps a failing program.
    fn fail(&mut self, program: &Program, way: Option<Options>, cc: &Compiler, message: String) {
        if self.failures.len() >= 5 {
            return;
        }
        let wanted = kind(&message);
        let mut steps = 0;
        let small = shrink::shrink(&program.text, &mut |text| {
            steps += 1;
            let program = Program { text: text.to_string(), ..program.clone() };
            let found = match way {
                Some(way) => fault(&program, way, cc),
                None => quietly(|| formats(&program)).err(),
            };
            steps < 2000 && found.is_some_and(|message| kind(&message) == wanted)
        });
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("regressions");
        let path = folder.join(format!("{}.ua", program.seed));
        let way = way.map_or(String::new(), |way| way.to_string());
        let head = format!("# seed {} {way}: {}\n", program.seed, kind(&message));
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        std::fs::write(&path, format!("{head}{small}")).expect("the program can be kept");
        let message: String = message.chars().take(2000).collect();
        self.failures.push(format!("{}\n{head}{small}\n{message}", path.display()));
    }
}

fn formats(program: &Program) -> Result<(), String> {
    check_format(&program.text, &elaborate(&program.text)?)
}

/// Ill-formed programs get messages, not panics.
fn damage(program: &Program) -> Result<(), String> {
    let mut rng = Rng::new(program.seed);
    let text = damaged(program, &mut rng);
    quietly(|| match elaborate(&text) {
        Err(messages) if messages.is_empty() => Err("refused without a message".to_string()),
        _ => Ok(()),
    })
    .map_err(|message| format!("{message}\n{text}"))
}

fn batch(seeds: std::ops::Range<u64>, cc: &Compiler, tally: &Mutex<Tally>) {
    let mut jobs = Vec::new();
    let mut sources = Vec::new();
    for program in seeds.map(random::program) {
        if let Err(message) = quietly(|| formats(&program)) {
            tally.lock().unwrap().fail(&program, None, cc, message);
            continue;
        }
        if let Err(message) = damage(&program) {
            tally.lock().unwrap().failures.push(message);
        }
        for way in ways(&program) {
            let name = format!("-{:?} {}", way.direction, way.target.name);
            match compiled(&program, way) {
                Ok(Some(job)) => {
                    tally.lock().unwrap().count(name);
                    jobs.push(job);
                    sources.push((program.clone(), way));
                }
                Ok(None) if program.profile.must_compile(way.direction, way.target) => {
                    let message = format!("{} is not legal for {name}", program.profile.name);
                    tally.lock().unwrap().failures.push(format!("{message}\n{}", program.text));
                }
                Ok(None) => tally.lock().unwrap().count("not legal"),
                Err(message) => tally.lock().unwrap().fail(&program, Some(way), cc, message),
            }
        }
    }
    let mut rest: Vec<usize> = (0..jobs.len()).collect();
    while let Some(first) = rest.first() {
        // What one compiler makes a program of.
        let like = |k: usize| {
            let target = jobs[k].kernel.target;
            (target.architecture.name, target.extension)
        };
        let (own, others): (Vec<usize>, Vec<usize>) =
            rest.iter().partition(|k| like(**k) == like(*first));
        rest = others;
        let first = &own[0];
        let those: Vec<&Job> = own.iter().map(|k| &jobs[*k]).collect();
        let done = compiler_for(jobs[*first].kernel.target, cc).and_then(|cc| run(&those, &cc));
        for (n, &k) in own.iter().enumerate() {
            let fine = done.as_ref().is_ok_and(|results| results[n] == jobs[k].expected);
            if fine || done.as_ref().is_err_and(Error::is_lack) {
                continue;
            }
            let (program, way) = &sources[k];
            if let Some(message) = fault(program, *way, cc) {
                tally.lock().unwrap().fail(program, Some(*way), cc, message);
            }
        }
        if let Err(error) = done {
            tally.lock().unwrap().count(error.to_string().lines().next().unwrap_or_default());
        }
    }
}

#[test]
fn random_programs_mean_the_same_everywhere() {
    let full = std::env::var_os("NAKIRI_FULL").is_some() || std::env::args().any(|a| a == "--full");
    let first: u64 = std::env::var("NAKIRI_SEED").map_or(0, |s| s.parse().expect("a number"));
    let count: u64 = match std::env::var("NAKIRI_COUNT") {
        Ok(count) => count.parse().expect("a number"),
        Err(_) if full => 50_000,
        Err(_) => 400,
    };
    println!("seeds {first} to {}", first + count - 1);
    let compilers = cc::all();
    assert!(!compilers.is_empty(), "no C compiler");
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let start = first + number * BATCH;
                if start >= first + count {
                    break;
                }
                let cc = &compilers[number as usize % compilers.len()];
                batch(start..(start + BATCH).min(first + count), cc, &tally);
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    for (what, count) in &tally.counts {
        println!("{count:6} {what}");
    }
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n\n"));
}
