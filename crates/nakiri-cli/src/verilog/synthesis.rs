//! Verilog to netlists, by Yosys.

use super::assignments::Mixed;
use super::functions::Recursive;
use super::json;
use super::places::{Places, Seen};
use super::tables;
use super::yosys::{self, End, Yosys};
use super::{language, refusal, HardwareArgs, Language};
use crate::output::{self, say};
use crate::session::{Failure, Session};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::FileId;
use nakiri::verilog::Netlist;
use nakiri_verify::cc::Work;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long Yosys may take if nothing else is said.
const SYNTHESIS_TIME: Duration = Duration::from_secs(600);

/// Makes words fewer and narrower; memories become registers. What nothing drives is not made a constant, so that it is found. Tables
/// stay memories: they become the circuits of tables. A register without an initial value begins with 0, so that it must not be
/// taken for one that always holds what it gets (`-keepdc`).
const WORDS: &str = "\
opt -noff -mux_undef -mux_bool -fine
opt_dff -keepdc
opt -noff -mux_undef -mux_bool -fine
wreduce
peepopt
opt_clean
memory_map t:$mem_v2 r:WR_PORTS=0 r:ABITS<=8 %i r:WIDTH<=128 %i %d
opt -noff -mux_undef -mux_bool -fine
opt_dff -keepdc
opt -noff -mux_undef -mux_bool -fine
";

/// Sums of many words become one carry at the end of sums that keep theirs, so that whatever is made of them later adds in the
/// same order.
const SUMS: &str = "\
alumacc
opt -noff -fast
maccmap
";

/// From words to gates. Carries ripple: with all lanes side by side depth is free and gates are not.
const TO_GATES: &str = "\
techmap -map carry.v
techmap
";

/// Cleans gates up; of nets with several names one name is left.
const GATES: &str = "\
opt -noff -fast -mux_undef -mux_bool -fine
opt_dff -keepdc
opt -noff -fast -mux_undef -mux_bool -fine
opt_clean -purge
";

/// The same gates with all names.
const NAMED_GATES: &str = "\
opt -noff -fast -mux_undef -mux_bool -fine
opt_dff -keepdc
opt -noff -fast -mux_undef -mux_bool -fine
opt_clean
";

/// Gates for ABC, which knows no flip-flops: enables and resets become gates.
const PLAIN_FLIP_FLOPS: &str = "\
dfflegalize -cell $_DFF_P_ 01 -cell $_DFF_PP?_ 01 -cell $_ALDFF_PP_ 01 -cell $_DFFSR_PPP_ 01
setundef -zero
opt -fast -noff
opt_clean -purge
";

/// The fewest bits of memories that take long.
const LEAST_MEMORY: usize = 1024;

/// The adder of [`TO_GATES`].
const CARRY: &str = include_str!("carry.v");

/// What is tried besides, each from the gates of [`PLAIN_FLIP_FLOPS`].
const OPTIMIZATIONS: [&str; 4] = [
    "",
    "abc -g AND,XOR,MUX\n",
    "abc -g AND,XOR,ANDNOT,ORNOT,OR,MUX\n",
    "abc -g AND,XOR,ANDNOT,ORNOT,OR,MUX\nabc -g AND,XOR,ANDNOT,ORNOT,OR,MUX\n",
];

/// Yosys with the files of a design.
pub struct Synthesizer {
    /// What may be run, best first.
    pub(super) all: Vec<Yosys>,
    /// The number of that which is run.
    pub(super) chosen: usize,
    pub(super) work: Work,
    pub(super) files: Vec<FileId>,
    /// What the folders of the files are called by what is run.
    pub(super) seen: Seen,
    /// Functions of the files that call themselves.
    pub(super) recursive: Vec<Recursive>,
    end: Instant,
    limit: Duration,
}

impl Synthesizer {
    /// Reads the files.
    ///
    /// # Errors
    /// [`Failure::Usage`] if a file can't be read, is no Verilog, or Yosys is missing.
    pub fn new(
        session: &mut Session,
        files: &[PathBuf],
        args: &HardwareArgs,
    ) -> Result<Synthesizer, Failure> {
        let mut read = Vec::new();
        for file in files {
            if language(file) != Some(Language::Verilog) {
                let message =
                    format!("`{}` is no Verilog, which the first file is", file.display());
                return Err(Failure::Usage(message));
            }
            read.push(session.read(file)?);
        }
        let limit = args.synthesis_time.unwrap_or(SYNTHESIS_TIME);
        let work = Work::new().map_err(|error| Failure::Usage(error.to_string()))?;
        let (all, end) = (yosys::all()?, Instant::now() + limit);
        let mut synthesizer = Synthesizer {
            all,
            chosen: 0,
            work,
            files: read,
            seen: Seen::default(),
            recursive: Vec::new(),
            end,
            limit,
        };
        synthesizer.choose(session, 0);
        Ok(synthesizer)
    }

    /// Runs another Yosys from now on.
    pub(super) fn choose(&mut self, session: &Session, number: usize) {
        self.chosen = number;
        let sources = self.files.iter().map(|file| Path::new(&session.sources.file(*file).path));
        let folders = sources.filter_map(Path::parent);
        let folders = folders.chain(session.include.iter().map(PathBuf::as_path));
        self.seen = Seen::new(folders, &|path| self.all[number].seen(path));
    }

    /// What is run.
    pub(super) fn yosys(&self) -> &Yosys {
        &self.all[self.chosen]
    }

    /// The netlist of the module as its source says it.
    ///
    /// # Errors
    /// What Yosys refuses, at its place.
    pub fn netlist(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
    ) -> Result<Netlist, Failure> {
        let (netlist, mixed) = self.gates(session, args, GATES)?;
        let warning = |mixed: &Mixed| {
            let places = [&mixed.nonblocking, &mixed.blocking];
            let [first, second] = places.map(|place| Places::new(session, &self.seen).span(place));
            let message = format!("`{}` is assigned by `<=` and by `=` in one block", mixed.name);
            Diagnostic::warning("E0420", second, message)
                .label("by `=`")
                .also(first, "by `<=`")
                .help(
                    "the last one counts here, and the `<=` in a simulation: assign it in one way",
                )
        };
        let warnings: Vec<Diagnostic> = mixed.iter().map(warning).collect();
        session.report(&warnings);
        Ok(netlist)
    }

    /// The same netlist, with cells of the same names, and all names that the source has for its nets.
    ///
    /// # Errors
    /// Those of [`Synthesizer::netlist`], and more names than a netlist may have.
    pub fn named_netlist(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
    ) -> Result<Netlist, Failure> {
        Ok(self.gates(session, args, NAMED_GATES)?.0)
    }

    fn gates(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
        clean: &str,
    ) -> Result<(Netlist, Vec<Mixed>), Failure> {
        let mixed = self.elaborate(session, args)?;
        let words = std::fs::read_to_string(self.work.path("words.json"));
        let words = words.map_err(|_| self.nothing(""))?;
        json::check_words(&words, &mut |src| Places::new(session, &self.seen).span(src))
            .map_err(|wrong| session.refuse(&wrong))?;
        let script = format!(
            "read_rtlil {}\n{WORDS}{SUMS}write_rtlil {}\nwrite_json {}\n{}{clean}write_json {}\n",
            self.word("words.il")?,
            self.word("small.il")?,
            self.word("small.json")?,
            self.to_gates()?,
            self.word("gates.json")?
        );
        let log = self.run(session, &script)?;
        self.judge(session, &log)?;
        let netlist = self.read(session, "gates.json");
        Ok((netlist.map_err(|message| self.nothing(&message))?, mixed))
    }

    /// Netlists of the same module with fewer gates, it is hoped. What can't be had is left out with a warning.
    ///
    /// # Errors
    /// [`Failure::Usage`] if Yosys can't be started.
    pub fn optimized(&self, session: &mut Session) -> Result<Vec<Netlist>, Failure> {
        let mut bases = vec![format!("read_rtlil {}\n", self.word("small.il")?)];
        if let Some(text) = self.with_tables() {
            let written = self.work.write("tables.json", text.as_bytes());
            written.map_err(|error| Failure::Usage(error.to_string()))?;
            bases.push(format!("read_json {}\n", self.word("tables.json")?));
        }
        let to_gates = self.to_gates()?;
        let (mut script, mut names) = (String::new(), Vec::new());
        for base in bases {
            script +=
                &format!("design -reset\n{base}{to_gates}{PLAIN_FLIP_FLOPS}design -save gates\n");
            for optimization in OPTIMIZATIONS {
                names.push(format!("gates{}.json", names.len()));
                let file = self.word(&names[names.len() - 1])?;
                script += &format!(
                    "{optimization}opt_clean -purge\nwrite_json {file}\ndesign -load gates\n"
                );
            }
        }
        let bar = output::search_bar(self.limit, "optimization");
        let ran = self.yosys().run(&self.work, &script, self.left());
        bar.finish_and_clear();
        if !matches!(ran?, End::Itself { well: true, .. }) {
            say!("warning: Yosys did not optimize the gates: is ABC there, and `--synthesis-time` enough?");
        }
        names.retain(|name| self.work.path(name).is_file());
        Ok(names.iter().filter_map(|name| self.read(session, name).ok()).collect())
    }

    /// Whether most of a netlist of this design is memories: a register and a multiplexer for each bit, which no way makes smaller.
    pub fn is_memory(&self, netlist: &Netlist) -> bool {
        let words = self.work.read("words.json").unwrap_or_default();
        let bits = json::memory_bits(&String::from_utf8_lossy(&words)) as usize;
        bits >= LEAST_MEMORY && 2 * bits >= netlist.cells.len() / 4 * 3
    }

    /// The module of words with tables where its source has multiplexers of constants, if it has any.
    fn with_tables(&self) -> Option<String> {
        let text = self.work.read("small.json").ok()?;
        tables::with_memories(std::str::from_utf8(&text).ok()?)
    }

    /// How Yosys reads the design.
    ///
    /// # Errors
    /// Those of [`Synthesizer::netlist`].
    pub fn reading(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
    ) -> Result<Reading, Failure> {
        let mixed = self.elaborate(session, args)?;
        let words = self.work.read("words.il").map_err(|error| self.nothing(&error.to_string()))?;
        // Yosys writes the bits of registers whose first index is the lower one the wrong way round.
        let words = String::from_utf8_lossy(&words);
        let words = words.lines().map(|line| match line.trim_start().starts_with("wire ") {
            true => line.replace(" upto ", " ") + "\n",
            false => line.to_string() + "\n",
        });
        let words: String = words.collect();
        let written = self.work.write("unknowns.il", words.as_bytes());
        written.map_err(|error| Failure::Usage(error.to_string()))?;
        let (from, to) = (self.word("unknowns.il")?, self.word("unknowns.v")?);
        self.run(session, &format!("read_rtlil {from}\nwrite_verilog -noattr {to}\n"))?;
        let text =
            self.work.read("unknowns.v").map_err(|error| self.nothing(&error.to_string()))?;
        Ok(Reading { words: String::from_utf8_lossy(&text).into_owned(), mixed })
    }

    /// [`TO_GATES`] with the path of the adder.
    fn to_gates(&self) -> Result<String, Failure> {
        let carry = self.work.write("carry.v", CARRY.as_bytes());
        carry.map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(TO_GATES.replace("carry.v", &self.word("carry.v")?))
    }

    /// The path of a file of the work, as a word of a script.
    pub(super) fn word(&self, name: &str) -> Result<String, Failure> {
        word(&self.yosys().seen(&self.work.path(name)).display().to_string())
    }

    /// Runs a script.
    pub(super) fn run(&self, session: &mut Session, script: &str) -> Result<Log, Failure> {
        let bar = output::search_bar(self.limit, "synthesis");
        let ended = self.yosys().run(&self.work, script, self.left());
        bar.finish_and_clear();
        match ended? {
            End::Itself { well, log } => Ok(Log { well, text: self.seen.own(&log) }),
            _ if !self.recursive.is_empty() => {
                Err(refusal::of_recursion(session, &self.recursive[0]))
            }
            End::Late => Err(Failure::Wrong(format!(
                "Yosys did not end within {} s; `--synthesis-time` allows more",
                self.limit.as_secs()
            ))),
            End::Large(most) => Err(Failure::Wrong(format!(
                "Yosys takes more than {most} GiB for the design: it is too large, or loops and parameters make more of \
                 it than they should; name a smaller module with `--top`"
            ))),
        }
    }

    /// Reports the errors of a run.
    pub(super) fn judge(&self, session: &mut Session, log: &Log) -> Result<(), Failure> {
        let Log { well, text } = log;
        let hierarchy = std::fs::read_to_string(self.work.path("hierarchy.json")).ok();
        let hierarchy = hierarchy.map(|text| self.seen.own(&text));
        if !well {
            let refused = refusal::of_log(session, &self.files, text, hierarchy.as_deref());
            refused.map_or(Ok(()), Err)?;
        }
        if let Some(refused) = refusal::of_delays(session, text, hierarchy.as_deref()) {
            return Err(refused);
        }
        if text.contains("Verilog frontend")
            && !refusal::READ.iter().any(|read| text.contains(read))
        {
            return Err(Failure::Wrong("the files define no module".to_string()));
        }
        if !well {
            if let Some(recursive) = self.recursive.first() {
                return Err(refusal::of_recursion(session, recursive));
            }
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
            return Err(Failure::Wrong(format!(
                "`{}` failed; it last printed: {last}",
                self.yosys().program.display()
            )));
        }
        Ok(())
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// A netlist that was written, or what is wrong with it.
    fn read(&self, session: &mut Session, name: &str) -> Result<Netlist, String> {
        let file = std::fs::File::open(self.work.path(name)).map_err(|_| String::new())?;
        let mut places = Places::new(session, &self.seen);
        json::read(BufReader::new(file), &mut |src| places.span(src))
    }

    /// That Yosys did not do what it was told.
    fn nothing(&self, why: &str) -> Failure {
        let program = self.yosys().program.display();
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        Failure::Wrong(format!(
            "`{program}` ended without a netlist{why}; is it Yosys? `{program} -V` says its version"
        ))
    }
}

/// How a design is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// One module of words, as Verilog: what the source leaves open, as a `case` without some values does, is unknown.
    pub words: String,
    /// What is assigned in two ways.
    pub mixed: Vec<Mixed>,
}

/// What a run printed.
pub(super) struct Log {
    /// Whether Yosys says that all is well.
    pub(super) well: bool,
    pub(super) text: String,
}

/// A word of a script.
pub(super) fn word(text: &str) -> Result<String, Failure> {
    if text.contains(['"', '\n', '\\']) {
        return Err(Failure::Usage(format!("Yosys can't be told {text:?}: rename it")));
    }
    Ok(if text.contains([' ', '\t', ';', '#']) { format!("\"{text}\"") } else { text.to_string() })
}
