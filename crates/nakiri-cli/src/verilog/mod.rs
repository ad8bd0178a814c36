//! Hardware from files: Verilog through Yosys, or a netlist that Yosys has written.

mod assignments;
mod elaboration;
mod events;
mod functions;
mod json;
mod modules;
mod parameters;
mod places;
mod preprocessed;
mod refusal;
mod rom;
mod synthesis;
mod tables;
mod tokens;
pub mod yosys;

use crate::output;
use crate::session::{unreadable, Failure, Session};
pub use assignments::Mixed;
use nakiri::compile::{self, Options};
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::count::Counts;
use nakiri::isa::Target;
use nakiri::run::{Run, Schedule};
use nakiri::source::Span;
use nakiri::verilog::netlist::Bit;
use nakiri::verilog::{self, Module, Netlist, Period};
use nakiri_verify::cc::Work;
use places::{Places, Seen};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use synthesis::Reading;
use synthesis::Synthesizer;

/// The flags that say how hardware is read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Verilog")]
pub struct HardwareArgs {
    /// The module to compile; without it the one that no other instantiates
    #[arg(long, value_name = "MODULE")]
    pub top: Option<String>,
    /// What the clocks do in a tick: `a,b` at once, `fast,slow;fast` one instant after another, `clk;!clk` a rise and a fall;
    /// one clock is found without the flag
    #[arg(long, value_name = "INPUT,…;…")]
    pub clock: Option<String>,
    /// The reset, at whichever level it acts: the C function NAME_reset does what it does, and it is no input
    #[arg(long, value_name = "INPUT")]
    pub reset: Option<String>,
    /// Define a macro (may be given several times)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// The value of a parameter of the module: a number of Verilog or a text (may be given several times)
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Take nets that nothing drives for this, with a warning; without the flag they are refused
    #[arg(long, value_name = "0|1", value_parser = ["0", "1"])]
    pub undriven: Option<String>,
    /// How long Yosys may take, such as `90s`; 10 minutes without the flag
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub synthesis_time: Option<Duration>,
}

impl HardwareArgs {
    /// What the compiler is told.
    ///
    /// # Errors
    /// [`Failure::Reported`] if what the clocks do can't be read.
    pub fn options(&self, session: &mut Session) -> Result<verilog::Options, Failure> {
        let period = self.clock.as_ref().map(|text| {
            let file = session.sources.add("--clock", text.clone());
            Period::parse(text, file)
        });
        let period = period.transpose().map_err(|wrong| session.refuse(&[wrong]))?;
        Ok(verilog::Options { period, reset: self.reset.clone() })
    }

    /// The flags that were given, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let option = |name: &str, values: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            values.flat_map(|value| [name.to_string(), value.clone()]).collect()
        };
        [
            option("--top", &mut self.top.iter()),
            option("--clock", &mut self.clock.iter()),
            option("--reset", &mut self.reset.iter()),
            option("-D", &mut self.define.iter()),
            option("--param", &mut self.param.iter()),
            option("--undriven", &mut self.undriven.iter()),
        ]
        .concat()
    }
}

/// How a file describes hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Verilog,
    Json,
    Blif,
    Vhdl,
}

fn language(path: &Path) -> Option<Language> {
    Some(match path.extension()?.to_str()? {
        "v" | "sv" => Language::Verilog,
        "json" => Language::Json,
        "blif" => Language::Blif,
        "vhd" | "vhdl" => Language::Vhdl,
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

/// The program of a module in some files, or its run: for a target those of [`synthesize`].
///
/// # Errors
/// [`Failure::Reported`] with what is wrong with the files, [`Failure::Usage`] if Yosys is missing.
pub fn program(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
    schedule: Option<&Schedule>,
    target: Option<&'static Target>,
) -> Result<(Program, Option<Run>), Failure> {
    let (program, run) = match target {
        Some(target) => {
            let synthesized = synthesize(session, files, args, schedule, target)?;
            (synthesized.program, synthesized.run)
        }
        None => {
            let options = args.options(session)?;
            let netlist = netlist(session, files, args)?;
            let made = verilog::program(&netlist, &options);
            made.and_then(|program| with_run(program, schedule))
                .map_err(|diagnostics| session.refuse(&diagnostics))?
        }
    };
    Ok((run.as_ref().map_or(program, |run| run.program.clone()), run))
}

fn with_run(
    program: Program,
    schedule: Option<&Schedule>,
) -> Result<(Program, Option<Run>), Vec<Diagnostic>> {
    let run = schedule.map(|schedule| Run::new(&program, schedule)).transpose()?;
    Ok((program, run))
}

/// A module for a target.
#[derive(Debug)]
pub struct Synthesized {
    /// Its netlist as the source says it.
    pub netlist: Netlist,
    /// Its program.
    pub program: Program,
    /// The program's run, if there is a schedule.
    pub run: Option<Run>,
}

/// The netlist of a module in some files, as the source says it.
///
/// # Errors
/// Those of [`program`], but for what is wrong with the netlist itself.
pub fn netlist(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Netlist, Failure> {
    read(session, files, args).map(|(netlist, _)| netlist)
}

/// The most cells of a netlist that is optimized in several ways: more take minutes.
const MOST_OPTIMIZED: usize = 50_000;

/// The netlist of a module in some files, and its program for a target: unless it is large, several scripts synthesize it, and
/// the program with the fewest instructions is taken. Of a run those of its code count as well as those that are executed: it is worth a few
/// more if its ticks are a loop.
///
/// # Errors
/// Those of [`program`].
pub fn synthesize(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
    schedule: Option<&Schedule>,
    target: &'static Target,
) -> Result<Synthesized, Failure> {
    let options = args.options(session)?;
    let (netlist, synthesizer) = read(session, files, args)?;
    let module = Module::new(&netlist, &options);
    let module = module.map_err(|diagnostics| session.refuse(&diagnostics))?;
    let plain = with_run(module.program.clone(), schedule);
    let plain = plain.map_err(|diagnostics| session.refuse(&diagnostics))?;
    let others = match synthesizer {
        Some(synthesizer)
            if netlist.cells.len() <= MOST_OPTIMIZED && !synthesizer.is_memory(&netlist) =>
        {
            synthesizer.optimized(session)?
        }
        _ => Vec::new(),
    };
    let mut others = others;
    others.iter_mut().for_each(|netlist| drop(tie(netlist, args)));
    let others = others.iter().filter_map(|netlist| module.optimized(netlist, &options));
    let others = others.filter_map(|program| with_run(program, schedule).ok());
    let price = |(program, run): &(Program, Option<Run>)| {
        let program = run.as_ref().map_or(program, |run| &run.program);
        let kernel = compile::compile(program, &Options::new(Direction::B, target), &mut |_, _| {});
        kernel.map_or(u64::MAX, |kernel| {
            let code = if run.is_some() { size(&kernel.program) } else { 0 };
            Counts::of(&kernel).instructions + code
        })
    };
    let all = std::iter::once(plain.clone()).chain(others);
    let (program, run) = all.min_by_key(price).unwrap_or(plain);
    Ok(Synthesized { netlist, program, run })
}

/// How many instructions a program is.
fn size(program: &Program) -> u64 {
    let mut size = 0;
    for func in &program.funcs {
        func.body.iter().for_each(|stmt| stmt.instrs(&mut |_| size += 1));
    }
    size
}

/// The netlist of some files, and what synthesized it.
fn read(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<(Netlist, Option<Synthesizer>), Failure> {
    if let Some(file) = files.iter().find(|file| language(file) == Some(Language::Vhdl)) {
        return Err(of_vhdl(session, file));
    }
    let (mut netlist, synthesizer) = match language(&files[0]) {
        Some(Language::Json) => (of_json(session, &files[0])?, None),
        Some(Language::Blif) => (of_blif(session, &files[0])?, None),
        _ => {
            let mut synthesizer = Synthesizer::new(session, files, args)?;
            (synthesizer.netlist(session, args)?, Some(synthesizer))
        }
    };
    let tied = tie(&mut netlist, args);
    session.report(&tied);
    Ok((netlist, synthesizer))
}

/// Takes what nothing drives for what the flag says: a warning for each name of it.
fn tie(netlist: &mut Netlist, args: &HardwareArgs) -> Vec<Diagnostic> {
    let Some(value) = &args.undriven else { return Vec::new() };
    let bit = if value == "0" { Bit::Zero } else { Bit::One };
    let names = netlist.tie_undriven(bit).into_iter();
    let warn = |(name, span): (String, Span)| {
        Diagnostic::warning(
            "E0514",
            span,
            format!("nothing drives `{name}`, it is taken for {value}"),
        )
    };
    names.map(warn).collect()
}

/// Refuses VHDL, with the way that works.
fn of_vhdl(session: &mut Session, path: &Path) -> Failure {
    let file = match session.read(path) {
        Ok(file) => file,
        Err(failure) => return failure,
    };
    let text = &session.sources.file(file).text;
    let lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line.trim()))
    });
    let first = lines.into_iter().find(|(_, line)| !line.is_empty() && !line.starts_with("--"));
    let place = first.map_or(0..0, |(start, line)| start..start + line.len());
    let diagnostic = Diagnostic::error("E0432", Span::new(file, place), "VHDL isn't read")
        .label("this is VHDL, by the ending of the file")
        .help("GHDL makes a netlist of it: `yosys -m ghdl -p 'ghdl --std=08 FILE … -e TOP; synth -flatten -top TOP; write_json TOP.json'`, and TOP.json is read; or `ghdl --synth --out=verilog`");
    session.refuse(&[diagnostic])
}

/// The netlist of a module in some files of Verilog as [`netlist`] has it, but for the numbers of nets, and with all names that
/// the source has for them.
///
/// # Errors
/// Those of [`netlist`].
pub fn named_netlist(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Netlist, Failure> {
    let mut netlist = Synthesizer::new(session, files, args)?.named_netlist(session, args)?;
    tie(&mut netlist, args);
    Ok(netlist)
}

/// How Yosys reads the module in some files of Verilog.
///
/// # Errors
/// Those of [`netlist`].
pub fn reading(
    session: &mut Session,
    files: &[PathBuf],
    args: &HardwareArgs,
) -> Result<Reading, Failure> {
    Synthesizer::new(session, files, args)?.reading(session, args)
}

/// The module that is made of an assumption.
const ASSUMPTION: &str = "nakiri_assumption";

/// Gates for expressions of Verilog over some inputs, names with numbers of bits, of which all hold.
///
/// # Errors
/// What Yosys refuses.
pub fn assumption(
    session: &mut Session,
    inputs: &[(&str, usize)],
    expressions: &[String],
) -> Result<Netlist, Failure> {
    let unable = |error: nakiri_verify::Error| Failure::Usage(error.to_string());
    let ports = inputs.iter().map(|(name, bits)| format!("input wire [{}:0] \\{name} ,", bits - 1));
    let all = expressions.iter().map(|expression| format!("(\n{expression}\n)"));
    let text = format!(
        "`default_nettype none\nmodule {ASSUMPTION} (\n{}\noutput wire {ASSUMPTION}_holds);\nassign {ASSUMPTION}_holds =\n{};\n\
         endmodule\n",
        ports.collect::<Vec<_>>().join("\n"),
        all.collect::<Vec<_>>().join(" &&\n"),
    );
    let work = Work::new().map_err(unable)?;
    let file = work.write("assume.v", text.as_bytes()).map_err(unable)?;
    let args = HardwareArgs { top: Some(ASSUMPTION.to_string()), ..HardwareArgs::default() };
    netlist(session, &[file], &args)
}

/// How many bytes of a netlist are read at once: gigabytes of it are common.
const READ_AT_ONCE: usize = 1 << 16;

fn of_json(session: &mut Session, path: &Path) -> Result<Netlist, Failure> {
    let name = path.display().to_string();
    let file =
        std::fs::File::open(path).map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
    let bar = output::reading_bar(file.metadata().map_or(0, |data| data.len()), &name);
    let seen = Seen::default();
    let mut places = Places::new(session, &seen);
    let text = BufReader::with_capacity(READ_AT_ONCE, bar.wrap_read(file));
    let netlist = json::read(text, &mut |src| places.span(src));
    bar.finish_and_clear();
    netlist.map_err(|message| match json::is_too_large(&message) {
        true => Failure::Wrong(format!("{name}: {}", json::TOO_LARGE)),
        false => Failure::Wrong(format!("{name}: not a netlist of Yosys: {message}")),
    })
}

fn of_blif(session: &mut Session, path: &Path) -> Result<Netlist, Failure> {
    let file = session.read(path)?;
    let text = &session.sources.file(file).text;
    verilog::blif::read(text, file).map_err(|wrong| session.refuse(&[wrong]))
}
