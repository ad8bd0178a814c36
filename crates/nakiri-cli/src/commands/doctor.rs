//! `nakiri doctor`: the programs that Nakiri uses, and what this CPU has.

use crate::output;
use crate::session::{self, Failure, Format};
use crate::verilog::yosys;
use nakiri::isa::{self, Architecture};
use nakiri_bench::measure;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::simulate::Simulator;
use nakiri_verify::{constant_time, exec, Error};
use serde_json::json;
use std::fmt::Write;
use std::process::Command;

/// Says which of the programs that Nakiri uses are here, what each missing one would enable, and what this CPU has
///
/// In JSON there is `cpu` with `name`, `features` and what of these it `lacks`, and `tools`, each with `name`, `version` (null where
/// it is missing), what it `enables`, and what it takes to `install` it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How it is said
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// A program that Nakiri uses.
struct Tool {
    /// Its name.
    name: String,
    /// Its version, if it is here.
    version: Option<String>,
    /// What it is for.
    enables: String,
    /// What installs it.
    install: String,
}

/// Runs the command.
///
/// # Errors
/// Those of [`output::print`].
pub fn run(args: &Args) -> Result<(), Failure> {
    let (cpu, tools) = (measure::cpu_name(), tools());
    let (has, lacks) = features();
    if args.format == Format::Json {
        let tool = |tool: &Tool| {
            let Tool { name, version, enables, install } = tool;
            json!({ "name": name, "version": version, "enables": enables, "install": install })
        };
        return session::print_json(&json!({
            "cpu": { "name": cpu, "features": has, "lacks": lacks },
            "tools": tools.iter().map(tool).collect::<Vec<_>>(),
        }));
    }
    let or_none = |names: &[&str]| match names.is_empty() {
        true => "none".to_string(),
        false => names.join(" "),
    };
    let mut text = format!("{cpu}\n  has:   {}\n  lacks: {}\n", or_none(&has), or_none(&lacks));
    let (here, missing): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| tool.version.is_some());
    for (title, tools) in [("Here:", here), ("Missing:", missing)] {
        if !tools.is_empty() {
            let _ = writeln!(text, "\n{title}");
        }
        for Tool { name, version, enables, install } in tools {
            let said = version.as_ref().unwrap_or(install);
            let _ = writeln!(text, "  {name}: {said}\n      {enables}");
        }
    }
    output::print(&text)
}

/// The features that targets of this CPU's architecture ask for: those that it has, and those that it lacks.
fn features() -> (Vec<&'static str>, Vec<&'static str>) {
    let mut all: Vec<&str> = Vec::new();
    for target in isa::all().iter().filter(|target| cc::is_host(target.architecture)) {
        let new = target.features.iter().filter(|feature| !all.contains(feature));
        all.extend(new.copied().collect::<Vec<_>>());
    }
    all.into_iter().partition(|feature| exec::has_feature(feature))
}

/// All that is looked for.
fn tools() -> Vec<Tool> {
    let mut tools = vec![
        compiler("gcc", "gcc"),
        compiler("clang", cc::PACKAGE),
        program("cargo", "--version", "runs the tests of emitted Rust", "https://rustup.rs"),
        program("rustc", "--version", "compiles emitted Rust", "https://rustup.rs"),
    ];
    let has_targets = |a: &&Architecture| isa::all().iter().any(|t| t.architecture == *a);
    let others = isa::architectures().into_iter().filter(|other| !cc::is_host(other));
    tools.extend(others.filter(has_targets).flat_map(cross));
    tools.push(verilog());
    tools.extend([Simulator::Icarus, Simulator::Verilator].map(simulator));
    tools.push(disassembler());
    let undefined = "runs emitted C on undefined data in tests, where a branch on that shows";
    tools.push(program("valgrind", "--version", undefined, &apt("valgrind")));
    tools
}

/// What Debian's packages are installed with.
fn apt(package: &str) -> String {
    format!("apt-get install {package}")
}

/// A program that says its version.
fn program(name: &str, flag: &str, enables: &str, install: &str) -> Tool {
    let done = Command::new(name).arg(flag).output().ok();
    let version = done.filter(|done| done.status.success()).map(|done| {
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        said.lines().next().unwrap_or_default().trim().to_string()
    });
    let (name, enables, install) = (name.to_string(), enables.to_string(), install.to_string());
    Tool { name, version, enables, install }
}

/// A compiler for this CPU.
fn compiler(family: &str, package: &str) -> Tool {
    let found = Compiler::named(family).ok();
    Tool {
        name: found.as_ref().map_or(family.to_string(), |compiler| compiler.program.clone()),
        version: found.map(|compiler| compiler.version()),
        enables:
            "compiles C that `run`, `test`, `bench` and `tune` run; one of gcc and clang is needed"
                .to_string(),
        install: apt(package),
    }
}

/// What compiles and runs for another architecture.
fn cross(architecture: &'static Architecture) -> [Tool; 2] {
    let targets = isa::all().iter().filter(|target| target.architecture == architecture);
    let targets: Vec<&str> = targets.map(|target| target.name).collect();
    let targets = targets.join(", ");
    let (compiler, emulator) = (architecture.compiler, architecture.emulator);
    let found = Compiler::cross(architecture).ok();
    [
        Tool {
            name: [&[compiler.program], compiler.arguments].concat().join(" "),
            version: found.map(|compiler| compiler.version()),
            enables: format!("compiles C for {targets}"),
            install: apt(compiler.package),
        },
        program(emulator.program, "--version", &format!("runs {targets}"), &apt(emulator.package)),
    ]
}

/// What reads Verilog.
fn verilog() -> Tool {
    let enables = "reads Verilog for `build`, `check`, `run` and `prove`";
    let found = yosys::all().ok();
    let found = found.and_then(|all| Some(all.first()?.program.file_name()?.to_str()?.to_string()));
    program(found.as_deref().unwrap_or("yosys"), "-V", enables, &apt("yosys"))
}

/// What reads object code of other machines.
fn disassembler() -> Tool {
    let enables = "reads object code of other CPUs in `audit` and in tests of constant time";
    match constant_time::disassembler() {
        Ok(name) => program(name, "--version", enables, ""),
        Err(message) => {
            let install = message.split_once(", ").map_or("", |(_, install)| install);
            program("llvm-objdump", "--version", enables, install)
        }
    }
}

/// What simulates Verilog.
fn simulator(simulator: Simulator) -> Tool {
    let (program, enables) = match simulator {
        Simulator::Icarus => ("iverilog", "simulates Verilog beside kernels in `prove`"),
        Simulator::Verilator => ("verilator", "does the same for `prove --simulator verilator`"),
    };
    match simulator.available() {
        Err(Error::NoSimulator(tool)) => Tool {
            name: tool.program.to_string(),
            version: None,
            enables: enables.to_string(),
            install: apt(tool.package),
        },
        _ => self::program(program, "-V", enables, &apt(program)),
    }
}
