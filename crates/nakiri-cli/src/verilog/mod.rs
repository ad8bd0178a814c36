//! Hardware from files: Verilog through Yosys, or a netlist that Yosys has written.

mod json;
mod yosys;

use crate::output;
use crate::session::{Failure, Session};
use nakiri::core::Program;
use nakiri::diagnostic::Diagnostic;
use nakiri::source::{FileId, Span};
use nakiri::verilog::{self, netlist::Netlist};
use nakiri_verify::cc::Work;
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The flags that say how hardware is read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Verilog")]
pub struct HardwareArgs {
    /// The module to compile; without it the one that no other instantiates
    #[arg(long, value_name = "MODULE")]
    pub top: Option<String>,
    /// The clocks, all of which tick together; one is found without the flag
    #[arg(long, value_name = "INPUT,…", value_delimiter = ',')]
    pub clock: Vec<String>,
    /// The reset, at whichever level it acts: the C function NAME_reset does what it does, and it is no input
    #[arg(long, value_name = "INPUT")]
    pub reset: Option<String>,
    /// Define a macro (may be given several times)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// How long Yosys may take, such as `90s`; 10 minutes without the flag
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub synthesis_time: Option<Duration>,
}

impl HardwareArgs {
    /// What the compiler is told.
    pub fn options(&self) -> verilog::Options {
        verilog::Options { clocks: self.clock.clone(), reset: self.reset.clone() }
    }

    /// The flags that were given, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let top = self.top.iter().map(|top| format!("--top {top}"));
        let clock = (!self.clock.is_empty()).then(|| format!("--clock {}", self.clock.join(",")));
        let reset = self.reset.iter().map(|reset| format!("--reset {reset}"));
        let define = self.define.iter().map(|define| format!("-D {define}"));
        top.chain(clock).chain(reset).chain(define).collect()
    }
}

/// How long Yosys may take if nothing else is said.
const SYNTHESIS_TIME: Duration = Duration::from_secs(600);

/// How a file describes hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Verilog,
    Json,
    Blif,
}

fn language(path: &Path) -> Option<Language> {
    Some(match path.extension()?.to_str()? {
        "v" | "sv" => Language::Verilog,
        "json" => Language::Json,
        "blif" => Language::Blif,
        _ => return None,
    })
}

/// Whether a file describes hardware, by its ending: Verilog, or a netlist in JSON or BLIF.
pub fn is_hardware(path: &Path) -> bool {
    language(path).is_some()
}

/// Whether a file is Verilog, by its ending.
pub fn is_verilog(path: &Path) -> bool {
    language(path) == Some(Language::Verilog)
}

/// The program of a module in some files.
///
/// # Errors
/// [`Failure::Reported`] with what is wrong with the files, [`Failure::Usage`] if Yosys is missing.
pub fn program(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Program, Failure> {
    let netlist = netlist(session, files, args)?;
    verilog::program(&netlist, &args.options()).map_err(|diagnostics| session.refuse(&diagnostics))
}

/// The netlist of a module in some files.
///
/// # Errors
/// Those of [`program`], but for what is wrong with the netlist itself.
pub fn netlist(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Netlist, Failure> {
    match language(&files[0]) {
        Some(Language::Json) => of_json(session, &files[0]),
        Some(Language::Blif) => Err(Failure::Usage("BLIF".to_string())),
        _ => of_verilog(session, files, args),
    }
}

fn of_json(session: &mut Session, path: &Path) -> Result<Netlist, Failure> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path)
        .map_err(|error| Failure::Usage(crate::session::unreadable(&name, &error)))?;
    let mut places = Places::new(session);
    let netlist = json::read(BufReader::new(file), &mut |src| places.span(src));
    netlist.map_err(|message| Failure::Wrong(format!("{name}: not a netlist of Yosys: {message}")))
}

fn of_verilog(
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
    let program = yosys::find()?;
    let place = Work::new().map_err(|error| Failure::Usage(error.to_string()))?;
    let out = place.path("netlist.json");
    let script = script(session, &read, args, &out)?;
    let limit = args.synthesis_time.unwrap_or(SYNTHESIS_TIME);
    let bar = output::search_bar(limit, "synthesis");
    let ran = yosys::run(&program, &place, &script, limit);
    bar.finish_and_clear();
    let (well, log) = ran?;
    if let Some((at, message)) = yosys::error(&log) {
        return Err(refused(session, &read, at, message));
    }
    let netlist = std::fs::File::open(&out).ok().filter(|_| well).ok_or_else(|| {
        let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        Failure::Wrong(format!(
            "`{}` ended without a netlist; it last printed: {last}",
            program.display()
        ))
    })?;
    let mut places = Places::new(session);
    let netlist = json::read(BufReader::new(netlist), &mut |src| places.span(src));
    netlist.map_err(|message| {
        Failure::Wrong(format!("`{}` wrote no netlist: {message}", program.display()))
    })
}

/// From Verilog to gates; XORs and multiplexers stay what they are.
const SYNTHESIS: &str = "\
proc
flatten
opt_expr
opt_clean
opt -full
wreduce
peepopt
opt_clean
memory -nomap
opt_clean
memory_map
opt -full
techmap
opt -fast -full
opt_clean -purge
";

/// What Yosys is told.
fn script(
    session: &Session,
    files: &[FileId],
    args: &HardwareArgs,
    out: &Path,
) -> Result<String, Failure> {
    let mut script = "read_verilog -sv".to_string();
    for define in &args.define {
        script += &format!(" {}", word(&format!("-D{define}"))?);
    }
    for folder in &session.include {
        script += &format!(" {}", word(&format!("-I{}", folder.display()))?);
    }
    for file in files {
        script += &format!(" {}", word(&session.sources.file(*file).path)?);
    }
    script += &match &args.top {
        Some(top) => format!("\nhierarchy -top {}\n", word(top)?),
        None => "\nhierarchy -auto-top\n".to_string(),
    };
    script += SYNTHESIS;
    script += &format!("write_json {}\n", word(&out.display().to_string())?);
    Ok(script)
}

/// A word of a script.
fn word(text: &str) -> Result<String, Failure> {
    if text.contains(['"', '\n', '\\']) {
        return Err(Failure::Usage(format!("Yosys can't be told {text:?}: rename it")));
    }
    Ok(if text.contains([' ', '\t', ';', '#']) { format!("\"{text}\"") } else { text.to_string() })
}

/// Reports an error of Yosys at the place that it names.
fn refused(session: &Session, files: &[FileId], at: Option<&str>, message: &str) -> Failure {
    let named = |text: &str| {
        files.iter().find_map(|file| {
            let source = session.sources.file(*file);
            let rest = text.split_once(&format!("{}:", source.path))?.1;
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
            let range = verilog::range(
                &source.text,
                rest[..end.unwrap_or(rest.len())].trim_end_matches('.'),
            )?;
            Some(Span::new(*file, range))
        })
    };
    let place = at.map(|at| format!("{at}:")).and_then(|at| named(&at)).or_else(|| named(message));
    match place {
        Some(span) => session.refuse(&[Diagnostic::error("E0405", span, message)
            .help("this is what Yosys says; what it can't synthesize can't be compiled")]),
        None => Failure::Wrong(format!("Yosys: {message}")),
    }
}

/// The places that `src` attributes name, in files that are read when they are first named.
struct Places<'s> {
    session: &'s mut Session,
    files: BTreeMap<String, Option<FileId>>,
    known: BTreeMap<String, Option<Span>>,
}

impl Places<'_> {
    fn new(session: &mut Session) -> Places<'_> {
        let files = session.sources.files().iter().enumerate();
        let files = files.map(|(k, file)| (file.path.clone(), Some(FileId(k as u32)))).collect();
        Places { session, files, known: BTreeMap::new() }
    }

    /// The place of the first part that names one: parts further back are where that was used, or a library's.
    fn span(&mut self, src: &str) -> Span {
        src.split('|').find_map(|part| self.part(part)).unwrap_or_default()
    }

    fn part(&mut self, part: &str) -> Option<Span> {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let (path, place) = part.rsplit_once(':')?;
        let file = match self.files.get(path) {
            Some(file) => *file,
            None => {
                let file = std::fs::read_to_string(path).ok();
                let file = file.map(|text| self.session.sources.add(path, text));
                self.files.insert(path.to_string(), file);
                file
            }
        };
        let span = file.and_then(|file| {
            let range = verilog::range(&self.session.sources.file(file).text, place)?;
            Some(Span::new(file, range))
        });
        self.known.insert(part.to_string(), span);
        span
    }
}
