//! The first half of a synthesis: files are read, and one module of words is made of them.

use super::assignments::Mixed;
use super::parameters;
use super::synthesis::{word, Log, Synthesizer};
use super::tokens::{self, Tokens};
use super::{functions, json, preprocessed, refusal, HardwareArgs};
use crate::session::{Failure, Session};
use nakiri::source::FileId;
use std::path::Path;

/// From modules to one module of words, with its memories as they are.
const ELABORATION: &str = "\
flatten
opt_clean
memory -nomap -nordff
opt_clean
";

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// As SystemVerilog, of which Verilog is a part but for names that are keywords there.
    SystemVerilog,
    /// In the languages that their endings say.
    ByEnding,
    /// By slang, which some builds of Yosys have: it knows all of SystemVerilog. It refuses delays, or is told not to see them.
    Slang {
        /// Whether it sees delays.
        delays: bool,
    },
}

impl Reader {
    /// What Yosys is told for a file.
    fn flag(self, path: &str) -> &'static str {
        match self {
            Reader::ByEnding if path.ends_with(".v") => "",
            _ => "-sv ",
        }
    }
}

impl Synthesizer {
    /// Reads the design and makes one module of words of it. Words that are keywords of SystemVerilog alone may be names in
    /// files of Verilog, if the design can't be read otherwise; what Yosys itself doesn't read, slang may. What is assigned in two
    /// ways is found.
    pub(super) fn elaborate(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
    ) -> Result<Vec<Mixed>, Failure> {
        let top = parameters::check(session, &self.raw(session), args)?;
        let top = args.top.clone().or(top);
        self.find_recursion(session, args)?;
        let read = |this: &Synthesizer, session: &mut Session, reader| {
            let script = this.elaboration(session, args, top.as_deref(), reader)?;
            this.run(session, &script)
        };
        let mut log = read(self, session, Reader::SystemVerilog)?;
        let is_plain = |file: &&FileId| session.sources.file(**file).path.ends_with(".v");
        if refusal::is_syntax(&log.text) && self.files.iter().any(|file| is_plain(&file)) {
            let plain = read(self, session, Reader::ByEnding)?;
            if plain.well {
                log = plain;
            }
        }
        if refusal::is_of_reading(&log.text) {
            log = self.by_slang(session, log, &read)?;
        }
        self.judge(session, &log)?;
        if top.is_none() {
            refusal::of_tops(&log.text).map_or(Ok(()), Err)?;
        }
        preprocessed::add_named_files(session, &log.text);
        let hierarchy = std::fs::read_to_string(self.work.path("hierarchy.json")).ok();
        let modules = hierarchy.as_deref().and_then(json::modules);
        let is_used = |name: &str| modules.as_ref().is_none_or(|used| used.contains(name));
        Ok(preprocessed::mixed_assignments(&log.text, &is_used))
    }

    /// The files as they are.
    fn raw(&self, session: &Session) -> Vec<(String, String)> {
        let files = self.files.iter().map(|file| session.sources.file(*file));
        files.map(|file| (file.path.clone(), file.text.clone())).collect()
    }

    /// Has slang read what Yosys itself does not, where there is a Yosys that has it: what is printed then, or what was before.
    fn by_slang(
        &mut self,
        session: &mut Session,
        before: Log,
        read: &dyn Fn(&Synthesizer, &mut Session, Reader) -> Result<Log, Failure>,
    ) -> Result<Log, Failure> {
        let first = self.chosen;
        for number in 0..self.all.len() {
            self.choose(session, number);
            let mut log = read(self, session, Reader::Slang { delays: true })?;
            if refusal::lacks_slang(&log.text) {
                continue;
            }
            if refusal::is_delay_for_slang(&log.text) {
                let raw = self.raw(session);
                let texts = || raw.iter().map(|(path, text)| Tokens::of_file(path, text));
                let waits = preprocessed::waits_in(texts());
                if let Some(place) =
                    refusal::delays_for_slang(&log.text).find(|at| waits.contains(at))
                {
                    return Err(refusal::of_wait(session, &place));
                }
                log = read(self, session, Reader::Slang { delays: false })?;
            }
            if log.well
                || self.files.iter().any(|file| session.sources.file(*file).path.ends_with(".sv"))
            {
                let raw = self.raw(session);
                let texts = raw.iter().map(|(path, text)| Tokens::of_file(path, text));
                preprocessed::add_named(session, texts.collect());
                return Ok(log);
            }
        }
        self.choose(session, first);
        Ok(before)
    }

    /// Refuses functions of which data decides how often they call themselves, before Yosys writes them out.
    fn find_recursion(
        &mut self,
        session: &mut Session,
        args: &HardwareArgs,
    ) -> Result<(), Failure> {
        let raw = self.raw(session);
        let texts = raw.iter().map(|(path, text)| Tokens::of_file(path, text));
        if functions::recursive(texts).is_empty() {
            return Ok(());
        }
        // What macros leave of them counts.
        let script = self.read_files(session, args, Reader::SystemVerilog, true)?;
        let log = self.run(session, &script)?;
        self.recursive = functions::recursive(preprocessed::texts(&log.text).map(Tokens::new));
        match self.recursive.iter().find(|function| function.endless) {
            Some(function) => Err(refusal::of_recursion(session, function)),
            None => Ok(()),
        }
    }

    /// The commands that read the files; if they are only stored, nothing is made of them yet.
    fn read_files(
        &self,
        session: &Session,
        args: &HardwareArgs,
        reader: Reader,
        stored: bool,
    ) -> Result<String, Failure> {
        let mut flags = "-ppdump".to_string();
        flags += if stored { " -defer" } else { "" };
        for define in &args.define {
            flags += &format!(" {}", word(&format!("-D{define}"))?);
        }
        for folder in &session.include {
            flags += &format!(" {}", word(&format!("-I{}", self.yosys().seen(folder).display()))?);
        }
        // Files of one kind are read together, so that macros of one hold in the next.
        let mut script = String::new();
        let kind = |file: &FileId| reader.flag(&session.sources.file(*file).path);
        for files in self.files.chunk_by(|a, b| kind(a) == kind(b)) {
            let mut named = String::new();
            let mut folders = String::new();
            for file in files {
                let (path, folder) = self.source(session, *file)?;
                named += &format!(" {}", word(&path)?);
                if let Some(folder) = folder {
                    folders += &format!(" {}", word(&format!("-I{folder}"))?);
                }
            }
            script += &format!("read_verilog {}{flags}{folders}{named}\n", kind(&files[0]));
        }
        Ok(script)
    }

    /// What Yosys reads for a file: a copy where it doesn't know what the file says, with the folder of the file.
    fn source(&self, session: &Session, file: FileId) -> Result<(String, Option<String>), Failure> {
        let source = session.sources.file(file);
        let path = self.yosys().seen(Path::new(&source.path));
        let Some(text) = tokens::with_known_regions(&source.text) else {
            return Ok((path.display().to_string(), None));
        };
        let name = format!("source{}.v", file.0);
        let copy = format!("`line 1 \"{}\" 0\n{text}", path.display());
        let written = self.work.write(&name, copy.as_bytes());
        let written = written.map_err(|error| Failure::Usage(error.to_string()))?;
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.map_or(".".to_string(), |folder| folder.display().to_string());
        Ok((self.yosys().seen(&written).display().to_string(), Some(folder)))
    }

    /// The command by which slang reads the files.
    fn slang(
        &self,
        session: &Session,
        args: &HardwareArgs,
        top: Option<&str>,
        delays: bool,
    ) -> Result<String, Failure> {
        // WebAssembly has no threads.
        let mut script = "read_slang --threads 1".to_string();
        script += if delays { "" } else { " --ignore-timing" };
        if let Some(top) = top {
            script += &format!(" --top {}", word(top)?);
        }
        for define in &args.define {
            script += &format!(" -D {}", word(define)?);
        }
        for folder in &session.include {
            script += &format!(" -I {}", word(&self.yosys().seen(folder).display().to_string())?);
        }
        for parameter in &args.param {
            script += &format!(" -G {}", parameters::Override::of(parameter)?.for_slang()?);
        }
        for file in &self.files {
            let path = self.yosys().seen(Path::new(&session.sources.file(*file).path));
            script += &format!(" {}", word(&path.display().to_string())?);
        }
        Ok(script + "\n")
    }

    /// The script that reads the files and makes one module of them.
    fn elaboration(
        &self,
        session: &Session,
        args: &HardwareArgs,
        top: Option<&str>,
        reader: Reader,
    ) -> Result<String, Failure> {
        let mut hierarchy = match top {
            Some(top) => format!("-top {}", word(top)?),
            None => "-auto-top".to_string(),
        };
        let mut script = match reader {
            Reader::Slang { delays } => self.slang(session, args, top, delays)?,
            // With its own parameters a module may not even be legal.
            reader => self.read_files(session, args, reader, !args.param.is_empty())?,
        };
        if !matches!(reader, Reader::Slang { .. }) {
            for parameter in &args.param {
                hierarchy +=
                    &format!(" -chparam {}", parameters::Override::of(parameter)?.for_yosys()?);
            }
        }
        let (modules, words) = (self.word("hierarchy.json")?, self.word("words.json")?);
        script += &format!("hierarchy {hierarchy}\nproc\nwrite_json {modules}\nhierarchy -check\n");
        script += ELABORATION;
        script += &format!("write_json {words}\nwrite_rtlil {}\n", self.word("words.il")?);
        Ok(script)
    }
}
