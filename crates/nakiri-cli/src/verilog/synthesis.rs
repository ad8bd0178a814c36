//! Verilog to netlists, by Yosys.

use super::json;
use super::places::Places;
use super::{language, refusal, yosys, HardwareArgs, Language};
use crate::output;
use crate::session::{Failure, Session};
use nakiri::source::FileId;
use nakiri::verilog::Netlist;
use nakiri_verify::cc::Work;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long Yosys may take if nothing else is said.
const SYNTHESIS_TIME: Duration = Duration::from_secs(600);

/// From modules to one module of words, with its memories as they are.
const ELABORATION: &str = "\
flatten
opt_clean
memory -nomap -nordff
opt_clean
";

/// From words to gates: memories become registers; exclusive-ors and multiplexers stay what they are. What nothing drives
/// is not made a constant, so that it is found.
const GATES: &str = "\
opt -mux_undef -mux_bool -fine
wreduce
peepopt
opt_clean
memory_map
opt -mux_undef -mux_bool -fine
techmap
opt -fast -mux_undef -mux_bool -fine
opt_clean -purge
";

/// The netlist of a module.
///
/// # Errors
/// What Yosys refuses, at its place; [`Failure::Usage`] if it is missing.
pub fn netlist(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Netlist, Failure> {
    let mut read = Vec::new();
    for file in files {
        if language(file) != Some(Language::Verilog) {
            let message = format!("`{}` is no Verilog, which the first file is", file.display());
            return Err(Failure::Usage(message));
        }
        read.push(session.read(file)?);
    }
    let limit = args.synthesis_time.unwrap_or(SYNTHESIS_TIME);
    let work = Work::new().map_err(|error| Failure::Usage(error.to_string()))?;
    let mut synthesizer = Synthesizer {
        program: yosys::find()?,
        work,
        session,
        files: read,
        end: Instant::now() + limit,
        limit,
    };
    let bar = output::search_bar(limit, "synthesis");
    let netlist = synthesizer.netlist(args);
    bar.finish_and_clear();
    netlist
}

struct Synthesizer<'s> {
    program: PathBuf,
    work: Work,
    session: &'s mut Session,
    files: Vec<FileId>,
    end: Instant,
    limit: Duration,
}

impl Synthesizer<'_> {
    fn netlist(&mut self, args: &HardwareArgs) -> Result<Netlist, Failure> {
        let script = self.elaboration(args)?;
        self.run(&script)?;
        let words = self.read("words.json")?;
        json::check_memories(&words, &mut |src| Places::new(self.session).span(src))
            .map_err(|wrong| self.session.refuse(&wrong))?;
        let script = format!(
            "read_rtlil {}\n{GATES}write_json {}\n",
            self.word("words.il")?,
            self.word("gates.json")?
        );
        self.run(&script)?;
        let path = self.work.path("gates.json");
        let file = std::fs::File::open(&path).map_err(|_| self.nothing(""))?;
        let mut places = Places::new(self.session);
        let netlist = json::read(BufReader::new(file), &mut |src| places.span(src));
        netlist.map_err(|message| self.nothing(&message))
    }

    /// The script that reads the files.
    fn elaboration(&self, args: &HardwareArgs) -> Result<String, Failure> {
        let mut script = "read_verilog -sv -ppdump".to_string();
        for define in &args.define {
            script += &format!(" {}", word(&format!("-D{define}"))?);
        }
        for folder in &self.session.include {
            script += &format!(" {}", word(&format!("-I{}", folder.display()))?);
        }
        for file in &self.files {
            script += &format!(" {}", word(&self.session.sources.file(*file).path)?);
        }
        let top = match &args.top {
            Some(top) => format!("-top {}", word(top)?),
            None => "-auto-top".to_string(),
        };
        let (hierarchy, words) = (self.word("hierarchy.json")?, self.word("words.json")?);
        script += &format!("\nhierarchy {top}\nproc\nwrite_json {hierarchy}\nhierarchy -check\n");
        script += ELABORATION;
        script += &format!("write_json {words}\nwrite_rtlil {}\n", self.word("words.il")?);
        Ok(script)
    }

    /// The path of a file of the work, as a word of a script.
    fn word(&self, name: &str) -> Result<String, Failure> {
        word(&self.work.path(name).display().to_string())
    }

    /// Runs a script; its errors are reported.
    fn run(&mut self, script: &str) -> Result<(), Failure> {
        let left = self.end.saturating_duration_since(Instant::now());
        let Some((well, log)) = yosys::run(&self.program, &self.work, script, left)? else {
            return Err(Failure::Wrong(format!(
                "Yosys did not end within {} s; `--synthesis-time` allows more",
                self.limit.as_secs()
            )));
        };
        let hierarchy = std::fs::read_to_string(self.work.path("hierarchy.json")).ok();
        if let Some(refused) =
            refusal::of_log(self.session, &self.files, &log, hierarchy.as_deref())
        {
            return Err(refused);
        }
        if let Some(refused) = refusal::of_delays(self.session, &self.files, &log) {
            return Err(refused);
        }
        if log.contains("Verilog frontend") && !log.contains(refusal::READ) {
            return Err(Failure::Wrong("the files define no module".to_string()));
        }
        if !well {
            let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
            return Err(Failure::Wrong(format!(
                "`{}` failed; it last printed: {last}",
                self.program.display()
            )));
        }
        Ok(())
    }

    fn read(&self, name: &str) -> Result<String, Failure> {
        std::fs::read_to_string(self.work.path(name)).map_err(|_| self.nothing(""))
    }

    /// That Yosys did not do what it was told.
    fn nothing(&self, why: &str) -> Failure {
        let program = self.program.display();
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        Failure::Wrong(format!(
            "`{program}` ended without a netlist{why}; is it Yosys? `{program} -V` says its version"
        ))
    }
}

/// A word of a script.
fn word(text: &str) -> Result<String, Failure> {
    if text.contains(['"', '\n', '\\']) {
        return Err(Failure::Usage(format!("Yosys can't be told {text:?}: rename it")));
    }
    Ok(if text.contains([' ', '\t', ';', '#']) { format!("\"{text}\"") } else { text.to_string() })
}
