//! Whole modes: what a library does for a message, with secret texts, keys and counters.

use super::ciphers::{self, Cipher};
use nakiri::compile::{compile, Options};
use nakiri::core::Direction;
use nakiri::emit::c;
use nakiri::isa;
use nakiri::layout;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::constant_time::{check_object, Argument, Argument::*, Entry, Reason, Violation};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Of so many modes, one is checked unless `NAKIRI_FULL` is set.
const ONE_OF: usize = 9;

/// The size of a file, in bytes, beyond which it is checked only if `NAKIRI_FULL` is set.
const LARGE: usize = 300_000;

/// Checked always: other choices than the usual, buffers beside spilled pointers, counters in low bytes of registers or spilled
/// to vector registers, shuffles across whole registers.
const ALWAYS: &[(&str, &str)] = &[
    ("aes128", "H ssse3"),
    ("chacha20", "V avx2 interleave=2"),
    ("chacha20", "V avx512 interleave=2:3"),
    ("chacha20", "V ssse3 short=4:2"),
    ("gift128", "B avx512+gfni"),
    ("rectangle", "B gp64"),
    ("rectangle", "V gp64+swar short=3:2"),
    ("rectangle", "B avx2"),
    ("rectangle", "V avx2"),
    ("rectangle", "H avx512+gfni"),
];

/// Counter mode of one kernel, as a library.
pub struct Mode {
    name: String,
    pub files: c::CFiles,
    /// The sizes of a block and of a batch.
    pub block: usize,
    pub batch: usize,
    /// The size of the key.
    pub key: usize,
}

impl Mode {
    fn new(cipher: &Cipher, options: &Options) -> Option<Mode> {
        let (entry, counter) = cipher.counter_mode()?;
        let program = cipher.checked.program_for(&entry).expect("the manifest's node");
        let kernel = compile(&program, options, &mut |_, _| {}).ok()?;
        let bytes = |port: &nakiri::core::Port| layout::memory_bytes(port.ty.bits(), port.count());
        let block = kernel.results.iter().map(bytes).sum();
        let key = kernel.params.iter().filter(|port| port.constant).map(bytes).sum();
        let batch = kernel.blocks() * block;
        let functions = vec![c::Function { name: "block".to_string(), variants: vec![kernel] }];
        let library = library(functions, Some((key, counter)));
        let files = c::library(&library).expect("a library");
        Some(Mode { name: format!("{} {options}", cipher.name), files, block, batch, key })
    }

    pub fn with(configuration: &(&str, &str)) -> Mode {
        let options = configuration.1.parse().expect("a configuration");
        Mode::new(&Cipher::new(configuration.0), &options).expect("it is legal")
    }

    /// Checks the mode for messages of all lengths, or, where the compiler keeps something of public value beside data in
    /// a way that can't be followed so, for messages that end everywhere in a batch, of none, one and several batches, to
    /// another place and in place.
    ///
    /// # Errors
    /// What leaks.
    fn check(&self, compiler: &Compiler) -> Result<&'static str, Vec<Violation>> {
        let object = object(&self.files, compiler);
        if check_object(&object, &[entry(&[Public; 5])]).is_ok() {
            return Ok("all lengths");
        }
        let (block, batch) = (self.block as u64, self.batch as u64);
        let few = [0, 1, block, 2 * block, 3 * block];
        let many = [batch - 1, batch, batch + 1, 2 * batch, 3 * batch + block + 1];
        let [context, counter, input, elsewhere] = [1, 2, 3, 4].map(|n| n << 32);
        let lengths = few.iter().chain(&many);
        let calls = lengths.flat_map(|bytes| [input, elsewhere].map(|out| (out, *bytes)));
        let calls: Vec<_> =
            calls.map(|(out, bytes)| [context, counter, out, input, bytes].map(Number)).collect();
        let entries: Vec<_> = calls.iter().map(|arguments| entry(arguments)).collect();
        let report = check_object(&object, &entries)?;
        // What isn't followed is the choice among few and many bytes that compilers make of a copy.
        let missed = report.reachable - report.instructions;
        assert!(20 * missed < report.reachable, "{}: {report:?}", self.name);
        Ok("sampled lengths")
    }
}

fn entry(arguments: &[Argument]) -> Entry<'_> {
    Entry { name: "x_ctr_xor", arguments }
}

/// The usual modes: every cipher, slicing and target where that is legal, or one of so many of them.
fn usual(one_of: usize) -> Vec<Mode> {
    let mut modes = Vec::new();
    for (c, cipher) in ciphers::all().iter().enumerate() {
        let directions = [Direction::B, Direction::V, Direction::H, Direction::P];
        for (d, direction) in directions.into_iter().enumerate() {
            // What is known of instructions is of this architecture's.
            let here = isa::all().iter().filter(|target| cc::is_host(target.architecture));
            let here = here.enumerate().filter(|(t, _)| (c + d + t).is_multiple_of(one_of));
            let options = here.map(|(_, target)| Options::new(direction, target));
            modes.extend(options.filter_map(|options| Mode::new(cipher, &options)));
        }
    }
    modes
}

/// One compiler a mode in turn; all of them if `NAKIRI_FULL` is set.
#[test]
fn modes_of_the_ciphers_are_constant_time() {
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let compilers = cc::all();
    let mut modes: Vec<Mode> = ALWAYS.iter().map(Mode::with).collect();
    let always = modes.len();
    modes.extend(usual(if full { 1 } else { ONE_OF }));
    modes.retain(|mode| full || mode.files.c.len() < LARGE);
    let wanted = |&(mode, compiler): &(usize, usize)| {
        full || mode < always || mode % compilers.len() == compiler
    };
    let pairs = (0..modes.len()).flat_map(|mode| (0..compilers.len()).map(move |c| (mode, c)));
    let jobs: Vec<_> = pairs.filter(wanted).collect();
    let next = AtomicUsize::new(0);
    let leaks = Mutex::new(Vec::new());
    let work = || {
        while let Some(&(mode, compiler)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (mode, compiler) = (&modes[mode], &compilers[compiler]);
            let name = format!("{}, {}", mode.name, compiler.program);
            match mode.check(compiler) {
                Ok(how) => println!("{name}: {how}"),
                Err(found) => leaks.lock().unwrap().push(format!("{name}: {}", shown(&found))),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let leaks = leaks.into_inner().unwrap();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

pub fn shown(violations: &[Violation]) -> String {
    violations.iter().take(5).map(Violation::to_string).collect::<Vec<_>>().join("; ")
}

/// Leaks that are put into the text of a mode: what is found, where, and what then stands there.
const LEAKS: &[(&str, &str, &str)] = &[
    (
        "a table look-up on the way out",
        "        out += ",
        "        { static const uint8_t table[256] = { 7 }; out[0] = table[out[0]]; }\n        out += ",
    ),
    (
        "a branch on the last bytes",
        "            __builtin_memcpy(out, last, bytes);",
        "            __builtin_memcpy(out, last, last[0] == 0x5a ? bytes / 2 : bytes);",
    ),
    ("a branch on the text", "        out += ", "        if (in[1] & 4) break;\n        out += "),
];

#[test]
fn leaks_in_modes_are_refused() {
    for configuration in [("rectangle", "B gp64"), ("rectangle", "V avx2"), ("aes128", "H ssse3")] {
        for (leak, from, to) in LEAKS {
            let mut mode = Mode::with(&configuration);
            assert!(mode.files.c.contains(from), "{configuration:?}: no place for {leak}");
            mode.files.c = mode.files.c.replace(from, to);
            for compiler in cc::all() {
                let found = mode.check(&compiler);
                let found =
                    found.expect_err(&format!("{leak}, {} {}", mode.name, compiler.program));
                let leaks = |v: &Violation| matches!(v.reason, Reason::Branch | Reason::Address);
                assert!(found.iter().any(leaks), "{leak}: {}", shown(&found));
            }
        }
    }
}

/// A tick of a step function with the transpositions around it, of Trivium in every lane. Which bank is read, and which
/// variant runs, is for the function around it, which reads both from the state as the last tick left them. A tick takes
/// no length, so that one call, with arrays at any addresses, is like every other.
#[test]
fn ticks_take_constant_time() {
    let program = Cipher::new("trivium").checked.program_for("Trivium8").expect("a node");
    for name in ["gp64", "avx2"] {
        let options = Options::new(Direction::B, isa::find(name).expect("a target"));
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let functions = vec![c::Function { name: "step".to_string(), variants: vec![kernel] }];
        let files = c::library(&library(functions, None)).expect("a library");
        for compiler in cc::all() {
            let arrays = [1, 2, 3, 4, 5, 6].map(|n| Number(n << 32));
            let tick = format!("x_{name}_b1_step");
            let entry = Entry { name: &tick, arguments: &arrays };
            let report = check_object(&object(&files, &compiler), &[entry]);
            let report = report.unwrap_or_else(|found| panic!("{name}: {}", shown(&found)));
            assert!(report.instructions > 500, "{report:?}");
        }
    }
}

/// The object code of a library.
pub fn object(files: &c::CFiles, compiler: &Compiler) -> Vec<u8> {
    let work = Work::new().unwrap();
    work.write("x.h", files.h.as_bytes()).unwrap();
    let source = work.write("x.c", files.c.as_bytes()).unwrap();
    compiler.compile(&[&source], &["-O2", "-c"], &work.path("x.o")).unwrap();
    work.read("x.o").unwrap()
}

/// A library of these functions: steps, or counter mode under a key of so many bytes that is used as it is.
pub fn library(functions: Vec<c::Function>, mode: Option<(usize, c::Counter)>) -> c::Library {
    let instance = c::Instance {
        prefix: "x".to_string(),
        key: mode.map(|(bytes, _)| c::Key { bytes, schedules: Vec::new() }),
        functions,
        counter: mode.map(|(_, counter)| counter),
        ..c::Instance::default()
    };
    c::Library {
        name: "x".to_string(),
        title: "x".to_string(),
        specification: "x".to_string(),
        command_line: String::new(),
        version: String::new(),
        source_hash: String::new(),
        evidence: vec![],
        instances: vec![instance],
    }
}
