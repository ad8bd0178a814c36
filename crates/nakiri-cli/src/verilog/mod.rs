//! Hardware from files: Verilog through Yosys, or a netlist that Yosys has written.

mod json;
mod places;
mod refusal;
mod synthesis;
mod yosys;

use crate::session::{unreadable, Failure, Session};
use nakiri::core::Program;
use nakiri::verilog::{self, Netlist};
use places::Places;
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
        Some(Language::Blif) => of_blif(session, &files[0]),
        _ => synthesis::netlist(session, files, args),
    }
}

fn of_json(session: &mut Session, path: &Path) -> Result<Netlist, Failure> {
    let name = path.display().to_string();
    let file =
        std::fs::File::open(path).map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
    let mut places = Places::new(session);
    let netlist = json::read(BufReader::new(file), &mut |src| places.span(src));
    netlist.map_err(|message| Failure::Wrong(format!("{name}: not a netlist of Yosys: {message}")))
}

fn of_blif(session: &mut Session, path: &Path) -> Result<Netlist, Failure> {
    let file = session.read(path)?;
    let text = &session.sources.file(file).text;
    verilog::blif::read(text, file).map_err(|wrong| session.refuse(&[wrong]))
}
