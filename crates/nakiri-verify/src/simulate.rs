//! Verilog designs in a simulator of their own, Icarus Verilog or Verilator: an opinion about what they mean that has nothing in
//! common with ours.
//!
//! Many instances run side by side, each with inputs of its own. In each tick the inputs are set, the outputs are read when
//! all has settled, and then the clocks do what they do in a tick. It starts with all inputs unknown, so that an
//! asynchronous reset which is active in the first tick is an edge.

use crate::cc::Work;
use crate::preset::Preset;
use crate::process::Group;
use crate::waveform::Waveform;
use crate::Error;
use nakiri::isa::Tool;
use nakiri::verilog::netlist::{Direction, Netlist};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What simulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simulator {
    /// Icarus Verilog, for which a bit may be unknown.
    #[default]
    Icarus,
    /// Verilator, for which what is unknown is 0.
    Verilator,
}

impl Simulator {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Simulator::Icarus => "Icarus Verilog",
            Simulator::Verilator => "Verilator",
        }
    }

    /// Its programs: what compiles Verilog, and, if there is one, what runs that.
    fn tools(self) -> &'static [Tool] {
        match self {
            Simulator::Icarus => &[
                Tool { program: "iverilog", arguments: &["-g2012"], package: "iverilog" },
                Tool { program: "vvp", arguments: &["-n"], package: "iverilog" },
            ],
            Simulator::Verilator => &[Tool {
                program: "verilator",
                arguments: &[
                    "--binary",
                    "--timing",
                    "-Wno-fatal",
                    "--x-initial",
                    "0",
                    "--x-assign",
                    "0",
                    "-CFLAGS",
                    "-O0",
                ],
                package: "verilator",
            }],
        }
    }

    /// Whether it is there.
    ///
    /// # Errors
    /// [`Error::NoSimulator`] with the package that has it.
    pub fn available(self) -> Result<(), Error> {
        let works = |tool: &&Tool| Command::new(tool.program).arg("-V").output().is_err();
        match self.tools().iter().find(works) {
            Some(tool) => Err(Error::NoSimulator(*tool)),
            None => Ok(()),
        }
    }
}

/// The least time that ticks are apart, in the time unit of the sources; delays in them are shorter, or would be no part of
/// a synchronous design.
const QUARTER: u32 = 1000;

/// How many instances a simulation has: the time to compile it grows faster than their number.
const AT_ONCE: usize = 16;

/// How long one instance may take, though the limit is shorter.
const LEAST: Duration = Duration::from_secs(30);

/// A design as a simulator sees it.
#[derive(Clone, Debug)]
pub struct Design {
    /// The files, in the order in which they are compiled.
    pub sources: Vec<PathBuf>,
    /// Folders in which included files are looked for, after those of the sources.
    pub include: Vec<PathBuf>,
    /// Macros: `NAME`, or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The module at the top.
    pub top: String,
    /// The inputs that are clocks, and what they do in a tick.
    pub clocks: Waveform,
    /// The other inputs.
    pub inputs: Vec<Signal>,
    /// The outputs.
    pub outputs: Vec<Signal>,
    /// Registers that are given a value.
    pub preset: Option<Preset>,
    /// What simulates it.
    pub simulator: Simulator,
}

impl Design {
    /// The design of which a synthesizer has made a netlist.
    pub fn of(netlist: &Netlist, sources: Vec<PathBuf>, clocks: Waveform) -> Design {
        let signals = |direction: Direction| -> Vec<Signal> {
            let ports = netlist.ports.iter().filter(|port| port.direction == direction);
            let ports = ports.filter(|port| !clocks.names.contains(&port.name));
            ports.map(|port| Signal { name: port.name.clone(), bits: port.bits.len() }).collect()
        };
        let (inputs, outputs) = (signals(Direction::Input), signals(Direction::Output));
        let (include, define, top) = (Vec::new(), Vec::new(), netlist.name.clone());
        let (preset, simulator) = (None, Simulator::default());
        Design { sources, include, define, top, clocks, inputs, outputs, preset, simulator }
    }
}

/// A port of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// How many bits it has, at least one.
    pub bits: usize,
}

/// The values of some ports, one after another: of each its bits, the least significant first. A bit may be unknown.
pub type Values = Vec<Vec<Option<bool>>>;

/// Whether there is Icarus Verilog.
///
/// # Errors
/// Those of [`Simulator::available`].
pub fn available() -> Result<(), Error> {
    Simulator::Icarus.available()
}

/// What the outputs of some instances are, tick by tick, before the first edge of a clock: for each instance as many
/// ticks as `instances[0]` has inputs. With a limit only as many instances as fit in that time, the first ones; at least one,
/// if that takes no more than [`LEAST`].
///
/// # Errors
/// [`Error::NoSimulator`], [`Error::Simulator`] with what it says if it doesn't take the design, [`Error::Late`] if one
/// instance takes too long, and [`Error::Io`].
pub fn simulate(
    design: &Design,
    instances: &[Vec<Values>],
    limit: Option<Duration>,
) -> Result<Vec<Vec<Values>>, Error> {
    design.simulator.available()?;
    let ticks = instances.first().map_or(0, Vec::len);
    if ticks == 0 || design.outputs.is_empty() {
        return Ok(vec![vec![Vec::new(); ticks]; instances.len()]);
    }
    let start = Instant::now();
    let Some(limit) = limit else { return batches(design, instances, AT_ONCE, None) };
    // The first one shows how many there is time for.
    let mut results = batches(design, &instances[..1], 1, start.checked_add(limit.max(LEAST)))?;
    let each = start.elapsed();
    let fit = (limit.saturating_sub(each).as_secs_f64() / each.as_secs_f64()) as usize;
    if instances.len() > 1 && fit > 0 {
        let end = start.checked_add(limit);
        match batches(design, &instances[1..], fit.min(AT_ONCE), end) {
            Ok(mut more) => results.append(&mut more),
            Err(Error::Late { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(results)
}

/// Simulates instances, some at once, as many as there is time for.
fn batches(
    design: &Design,
    instances: &[Vec<Values>],
    at_once: usize,
    end: Option<Instant>,
) -> Result<Vec<Vec<Values>>, Error> {
    let ticks = instances[0].len();
    let work = Work::new()?;
    let at_once = instances.len().min(at_once);
    let program = compile(design, &bench(design, &work, at_once, ticks), &work, end)?;
    let mut results = Vec::with_capacity(instances.len());
    for batch in instances.chunks(at_once) {
        work.write("inputs", inputs(batch, at_once).as_bytes())?;
        match execute(design, &program, &work, end) {
            Err(Error::Late { .. }) if !results.is_empty() => break,
            done => done?,
        }
        let text = work.read("outputs")?;
        let mut found = read(&String::from_utf8_lossy(&text), design, at_once, ticks)?;
        found.truncate(batch.len());
        results.append(&mut found);
    }
    Ok(results)
}

/// The versions of the language whose keywords are kept free of names, the first that a design can be compiled in is taken: in
/// Verilog keywords of SystemVerilog may be names, in what drives the design as well. All else is SystemVerilog, in which a
/// variable has its first value before anything waits for it: else a clock that begins at 1 would rise at time 0.
const KEYWORDS: [&str; 2] = ["1800-2012", "1364-2005"];

/// Compiles a design and what drives it to a program in a folder. If it is refused in any version, the first one's complaint
/// is given.
pub(crate) fn compile(
    design: &Design,
    bench: &str,
    work: &Work,
    end: Option<Instant>,
) -> Result<PathBuf, Error> {
    let (bench, program) = (work.write("bench.v", bench.as_bytes())?, work.path("bench"));
    let with_keywords = |version: &str| {
        let before =
            work.write("before.v", format!("`begin_keywords \"{version}\"\n").as_bytes())?;
        let compiler = design.simulator.tools()[0];
        let mut compile = Command::new(compiler.program);
        compile.args(compiler.arguments);
        match design.simulator {
            Simulator::Icarus => compile.args(["-s", BENCH]),
            Simulator::Verilator => {
                compile.args(["--top-module", BENCH, "--Mdir"]).arg(work.path("made"))
            }
        };
        compile.arg("-o").arg(&program).arg(before);
        compile.args(&design.sources).arg(&bench);
        let beside = design.sources.iter().filter_map(|source| source.parent());
        let beside = beside.filter(|folder| !folder.as_os_str().is_empty());
        for folder in beside.chain(design.include.iter().map(PathBuf::as_path)) {
            compile.arg(format!("-I{}", folder.display()));
        }
        compile.args(design.define.iter().map(|define| format!("-D{define}")));
        run(&mut compile, work, end)
    };
    let mut tried = KEYWORDS.into_iter().map(with_keywords);
    let first = tried.next().unwrap_or_else(|| Ok(String::new()));
    let compiled = first.or_else(|refused| tried.find_map(Result::ok).ok_or(refused));
    compiled.map(|_| program)
}

/// Runs a simulation where the files are from which memories are read: here or, as Yosys has it, beside the sources.
fn execute(
    design: &Design,
    program: &Path,
    work: &Work,
    end: Option<Instant>,
) -> Result<(), Error> {
    let beside = design.sources.iter().filter_map(|source| source.parent());
    let beside = beside.filter(|folder| !folder.as_os_str().is_empty());
    let mut missing = None;
    for folder in std::iter::once(Path::new(".")).chain(beside) {
        let mut command = match design.simulator.tools().get(1) {
            Some(runner) => {
                let mut command = Command::new(runner.program);
                command.args(runner.arguments).arg(program);
                command
            }
            None => Command::new(program),
        };
        let said = run(command.current_dir(folder), work, end)?;
        let is_missing =
            |line: &&str| line.contains("Unable to open") || line.contains("file not found");
        match said.lines().find(is_missing) {
            None => return Ok(()),
            Some(line) => missing = missing.or_else(|| Some(line.to_string())),
        }
    }
    let message = missing.unwrap_or_default();
    Err(Error::Simulator { command: design.simulator.name().to_string(), message })
}

/// Runs a program for a limited time and gives what it says.
fn run(command: &mut Command, work: &Work, end: Option<Instant>) -> Result<String, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error| Error::Io { path: PathBuf::from(&name), error };
    let said = std::fs::File::create(work.path("said")).map_err(failed)?;
    command.stdin(Stdio::null()).stdout(said.try_clone().map_err(failed)?).stderr(said);
    let limit = end.map(|end| end.saturating_duration_since(Instant::now()));
    let status = Group::spawn(command).map_err(failed)?.wait(limit).map_err(failed)?;
    let Some(status) = status else { return Err(Error::Late { program: name }) };
    let mut message = String::from_utf8_lossy(&work.read("said")?).trim().to_string();
    if status.success() {
        return Ok(message);
    }
    if message.is_empty() {
        message = status.to_string();
    }
    Err(Error::Simulator { command: format!("{command:?}"), message })
}

/// The module that drives the design.
pub(crate) const BENCH: &str = "nakiri_bench";

/// All inputs of an instance in a tick as one number a line, the first port lowest; instance by instance, tick by tick. The
/// first instances stand for those that are missing.
fn inputs(instances: &[Vec<Values>], count: usize) -> String {
    let mut text = String::new();
    for tick in 0..instances[0].len() {
        for instance in instances.iter().cycle().take(count) {
            let bits = instance[tick].iter().flatten().rev();
            text.extend(bits.map(|bit| bit.map_or('x', |bit| if bit { '1' } else { '0' })));
            text.push('\n');
        }
    }
    text
}

/// The module that reads the inputs, drives the instances and writes what they give.
fn bench(design: &Design, work: &Work, instances: usize, ticks: usize) -> String {
    // The design may read files of its own beside those, so that it runs where the caller is.
    let (given, found) = (work.path("inputs"), work.path("outputs"));
    let (given, found) = (given.display(), found.display());
    let width = |signals: &[Signal]| signals.iter().map(|signal| signal.bits).sum::<usize>();
    let (in_bits, out_bits) = (width(&design.inputs), width(&design.outputs));
    let mut ports = Vec::new();
    // Escaped, so that a port may have any name.
    let clocks = &design.clocks;
    let named = clocks.names.iter().enumerate();
    ports.extend(named.map(|(number, name)| format!(".\\{name} (clocks[{number}])")));
    let mut place = 0;
    for Signal { name, bits } in &design.inputs {
        ports.push(format!(".\\{name} (values[{place} +: {bits}])"));
        place += bits;
    }
    let mut place = 0;
    for Signal { name, bits } in &design.outputs {
        ports.push(format!(".\\{name} (results[{place} +: {bits}])"));
        place += bits;
    }
    let mut text = String::new();
    let top = &design.top;
    let ports = ports.join(",\n                ");
    // A design without inputs still has ticks.
    let (last_in, last_out) = (in_bits.max(1) - 1, out_bits - 1);
    let load = match in_bits {
        0 => String::new(),
        _ => format!("$readmemb(\"{given}\", inputs);"),
    };
    let _ = write!(
        text,
        "module {BENCH};
    reg [{last_clock}:0] clocks = {begin};
    reg [{last_in}:0] inputs [0:{last}];
    integer tick, outputs;
    event preset, drive, sample;
    genvar copy;
    generate
        for (copy = 0; copy < {instances}; copy = copy + 1) begin : all
            reg [{last_in}:0] values;
            wire [{last_out}:0] results;
            always @(drive) values = inputs[tick*{instances}+copy];
            always @(sample) $fwrite(outputs, \"%0d %b\\n\", copy, results);
            \\{top} dut (
                {ports}
            );
{preset}        end
    endgenerate
    initial begin
        {load}
        outputs = $fopen(\"{found}\");
        for (tick = 0; tick < {ticks}; tick = tick + 1) begin
            if (tick == {known}) -> preset;
            #{QUARTER} -> drive;
            #{QUARTER} -> sample;
{edges}        end
        $finish;
    end
endmodule
",
        last = instances * ticks - 1,
        last_clock = clocks.names.len().max(1) - 1,
        begin = clocks.number(&clocks.beginning()),
        edges = clocks.statements(QUARTER),
        preset = design
            .preset
            .as_ref()
            .map_or_else(String::new, |preset| preset.statements(design.simulator)),
        known = design.preset.as_ref().map_or(0, |preset| preset.tick),
    );
    text
}

/// The outputs from what the simulation wrote: the instances of each tick, in any order, with the last port first.
fn read(
    text: &str,
    design: &Design,
    instances: usize,
    ticks: usize,
) -> Result<Vec<Vec<Values>>, Error> {
    let width: usize = design.outputs.iter().map(|signal| signal.bits).sum();
    let mut results = vec![Vec::with_capacity(ticks); instances];
    let line = |line: &str| {
        let (instance, bits) = line.split_once(' ')?;
        let instance: usize = instance.parse().ok()?;
        (bits.len() == width && instance < instances).then(|| (instance, outputs(design, bits)))
    };
    for (instance, values) in text.lines().map_while(line) {
        results[instance].push(values);
    }
    if let Some(short) = results.iter().find(|values| values.len() != ticks) {
        let message = format!("the simulation ended after {} of {ticks} ticks", short.len());
        return Err(Error::Simulator { command: design.simulator.name().to_string(), message });
    }
    Ok(results)
}

/// The values of the ports from their digits, the last first.
fn outputs(design: &Design, digits: &str) -> Values {
    let known = |digit: &u8| match digit {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    };
    let mut bits = digits.as_bytes().iter().rev().map(known);
    design.outputs.iter().map(|signal| bits.by_ref().take(signal.bits).collect()).collect()
}
