//! A design of the folder `tests/verilog`: its source, its ports' roles, and vectors.

use nakiri::core::Program;
use nakiri::verilog::{self, Correspondence, Netlist, Period};
use nakiri_cli::session::Session;
use nakiri_cli::verilog::HardwareArgs;
use nakiri_verify::simulate::{self, Signal};
use nakiri_verify::stimuli::Reset;
use nakiri_verify::waveform::Waveform;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of the designs.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verilog")
}

/// What stands in `design.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    top: String,
    /// What the clocks do in a tick.
    clock: String,
    reset: Option<String>,
    /// The schedule of a run.
    run: Option<String>,
    #[serde(default)]
    vectors: Vec<Vector>,
}

/// What a design answers, from its power-up on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Where it is published, or that it is ours.
    pub origin: String,
    /// What happens, one after another.
    pub steps: Vec<Step>,
}

/// Some ticks with the same inputs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The inputs that change, in hexadecimal; at first all are 0.
    #[serde(default, rename = "in")]
    pub inputs: BTreeMap<String, String>,
    /// How many ticks.
    #[serde(default = "one")]
    pub ticks: usize,
    /// The outputs in the last of them.
    #[serde(default, rename = "out")]
    pub outputs: BTreeMap<String, String>,
}

fn one() -> usize {
    1
}

/// A design with its netlist.
pub struct Design {
    pub name: String,
    pub vectors: Vec<Vector>,
    pub reset: Option<String>,
    pub run: Option<String>,
    pub netlist: Netlist,
    pub hardware: simulate::Design,
    period: Period,
}

/// The names of all designs, in order.
pub fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of the designs");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let designs = folders.filter(|folder| folder.join("design.toml").is_file());
    let names = designs.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_string()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

impl Design {
    /// Reads a design and synthesizes it.
    pub fn load(name: &str) -> Design {
        let folder = folder().join(name);
        let text = std::fs::read_to_string(folder.join("design.toml")).expect("a manifest");
        let manifest: Manifest = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let source = ["v", "sv"].map(|ending| folder.join(format!("{name}.{ending}")));
        let source = source.into_iter().find(|path| path.is_file()).expect("a source");
        let args = HardwareArgs { top: Some(manifest.top.clone()), ..HardwareArgs::default() };
        let mut session = Session::new(&[]);
        let netlist =
            nakiri_cli::verilog::netlist(&mut session, std::slice::from_ref(&source), &args);
        let netlist = netlist.unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let file = session.sources.add("--clock", manifest.clock.clone());
        let period =
            Period::parse(&manifest.clock, file).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let options = verilog::Options { period: Some(period.clone()), reset: None };
        let parts = Correspondence::of(&netlist, &options);
        let parts = parts.unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let clocks = Waveform::of(&netlist, &parts.instants);
        let hardware = simulate::Design::of(&netlist, vec![source], clocks);
        Design {
            name: name.to_string(),
            vectors: manifest.vectors,
            reset: manifest.reset,
            run: manifest.run,
            netlist,
            hardware,
            period,
        }
    }

    /// What the compiler is told: the reset is an input, or, if `hidden`, what the program starts from.
    pub fn options(&self, hidden: bool) -> verilog::Options {
        let reset = self.reset.clone().filter(|_| hidden);
        verilog::Options { period: Some(self.period.clone()), reset }
    }

    /// The program by [`Design::options`].
    pub fn program(&self, hidden: bool) -> Program {
        let program = verilog::program(&self.netlist, &self.options(hidden));
        program.unwrap_or_else(|e| panic!("{}: {e:?}", self.name))
    }

    /// The reset as random stimuli use it.
    pub fn reset(&self, again: bool) -> Option<Reset> {
        let name = self.reset.as_ref()?;
        let input = self.hardware.inputs.iter().position(|signal| signal.name == *name);
        let input = input.expect("the reset is an input");
        Some(Reset { input, active: !name.ends_with("_n"), ticks: 16, again })
    }
}

/// The bits of a hexadecimal number, the least significant first.
pub fn bits(number: &str, signal: &Signal) -> Vec<bool> {
    let digits = number.chars().rev().map(|digit| digit.to_digit(16).expect("a digit"));
    let mut bits: Vec<bool> =
        digits.flat_map(|digit| (0..4).map(move |bit| digit >> bit & 1 == 1)).collect();
    assert!(bits.iter().skip(signal.bits).all(|bit| !bit), "{number} for {}", signal.name);
    bits.resize(signal.bits, false);
    bits
}
