//! `nakiri bound`: how fast a machine could at best execute a kernel, a loop of an object file, or a small program.

mod schedule;

use crate::choice::{self, ChoiceArgs};
use crate::library::Settings;
use crate::output::{self, say};
use crate::program::{Input, SourceArgs};
use crate::session::{self, unreadable, Failure, Session};
use crate::subjects;
use crate::verilog;
use nakiri::check::Checked;
use nakiri::compile::{self, Kernel};
use nakiri::core::{Port, Program};
use nakiri::cost;
use nakiri::emit::c;
use nakiri_bench::bound::{self, kernel, measured, object, program, table, Bound, Repeated};
use nakiri_bench::machine::Machine;
use nakiri_bench::measure::{pin, Statistics};
use nakiri_bench::object::path;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::exec;
use nakiri_verify::image::Image;
use schedule::{Cycles, Drawn};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

/// Computes lower bounds: what limits a kernel, an object file's loop or a small program on a machine
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A cipher's folder, its name in `ciphers`, an Usuba file, or files of Verilog
    #[arg(value_name = "CIPHER|FILE", required_unless_present_any = ["object", "program"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// The machine: a model's name, a machine file, or `host`
    #[arg(long, value_name = "NAME|FILE", default_value = "host")]
    machine: String,
    /// The C compilers; by default the first that is found
    #[arg(long, value_name = "CC,…", value_delimiter = ',')]
    cc: Vec<String>,
    /// The flags of the C compilers, in one word
    #[arg(long, default_value = "-O3", allow_hyphen_values = true)]
    cflags: String,
    /// Each batch needs the results of the one before, and K such chains are interleaved
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    chained: Option<u32>,
    /// Time the kernel as well
    #[arg(long)]
    measure: bool,
    /// An object file of x86-64, of which --symbol is bounded
    #[arg(long, value_name = "FILE", requires = "symbol", conflicts_with_all = ["files", "program", "measure"])]
    object: Option<PathBuf>,
    /// The function of the object file
    #[arg(long, value_name = "NAME", requires = "object")]
    symbol: Option<String>,
    /// Which innermost loop of the function, counted from 1; 0 for the whole function; by default the longest loop
    #[arg(long = "loop", value_name = "N", requires = "object")]
    number: Option<usize>,
    /// The integer arguments of the function: numbers, and `-` for pointers to memory of their own
    #[arg(long, value_name = "N|-,…", value_delimiter = ',', requires = "object", allow_hyphen_values = true,
        value_parser = argument)]
    arguments: Vec<Argument>,
    /// A program in the notation of a lecture's toy machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "measure"])]
    program: Option<PathBuf>,
    /// Draw a schedule of the machine code: which instruction starts on which port, by cycles; the first 48 without any
    #[arg(long, value_name = "FROM..TO", num_args = 0..=1, require_equals = true, default_missing_value = "0..48")]
    cycles: Option<Cycles>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if the machine file is wrong or lacks an operation, or the code can't be followed.
pub fn run(args: &Args) -> Result<(), Failure> {
    let machine = choice::find_machine(&args.machine)?;
    let shown = match (&args.object, &args.program) {
        (Some(path), _) => vec![of_object(args, path, &machine)?],
        (_, Some(path)) => vec![of_program(args, path, &machine)?],
        _ => of_kernels(args, &machine)?,
    };
    if args.json {
        let values: Vec<Value> = shown.into_iter().map(|shown| shown.json).collect();
        return session::print_json(&Value::from(values));
    }
    let texts: Vec<String> = shown.into_iter().map(|shown| shown.text).collect();
    output::print(&texts.join("\n"))
}

/// A number, or a pointer.
#[derive(Clone, Copy, Debug)]
struct Argument(Option<u64>);

fn argument(text: &str) -> Result<Argument, String> {
    match text {
        "-" => Ok(Argument(None)),
        number => number
            .parse()
            .map(|n| Argument(Some(n)))
            .map_err(|_| "neither a number nor `-`".to_string()),
    }
}

/// A bound for people and for programs.
struct Shown {
    text: String,
    json: Value,
}

fn wrong(error: impl ToString) -> Failure {
    Failure::Wrong(error.to_string())
}

/// The figures of a bound: all in core cycles.
fn figures(bound: &Bound) -> Result<Value, Failure> {
    let (limit, cycles) = bound.binds();
    let mut value = serde_json::to_value(bound).map_err(wrong)?;
    value["bound"] = json!(cycles);
    value["binds"] = json!(limit.name());
    Ok(value)
}

fn of_object(args: &Args, path: &Path, machine: &Machine) -> Result<Shown, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Usage(unreadable(&path.display().to_string(), &error)))?;
    let place = |error: String| Failure::Wrong(format!("`{}`: {error}", path.display()));
    let image = Image::read(&bytes).map_err(place)?;
    let symbol = args.symbol.as_deref().unwrap_or_default();
    if image.function(symbol).is_none() {
        let names: Vec<&str> = image.functions().take(20).collect();
        let message = format!("no function `{symbol}`; there are {}", names.join(", "));
        return Err(place(message));
    }
    let loops = match args.number {
        Some(0) => Vec::new(),
        _ => object::loops(&image, symbol).map_err(|error| place(error.to_string()))?,
    };
    let longest = loops.iter().max_by_key(|found| found.sequence.steps.len());
    let chosen = match args.number {
        None | Some(0) => longest,
        Some(n) if n <= loops.len() => loops.get(n - 1),
        Some(n) => {
            let message = format!("`{symbol}` has {} innermost loops, not {n}", loops.len());
            return Err(Failure::Usage(message));
        }
    };
    let (title, path, repeated) = match chosen {
        Some(found) => {
            let title =
                format!("{symbol}, an iteration of the loop {:#x}..{:#x}", found.start, found.end);
            let (sequence, code) = (found.sequence.clone(), found.code.clone());
            (title, path::Path { sequence, code }, Repeated::Looped)
        }
        None => {
            let arguments: Vec<Option<u64>> = args.arguments.iter().map(|a| a.0).collect();
            let path =
                path::path(&image, symbol, &arguments).map_err(|error| place(error.to_string()))?;
            (format!("{symbol}, one call"), path, repeated(args))
        }
    };
    let sequence = &path.sequence;
    let bound = bound::of_sequence(machine, sequence, repeated).map_err(wrong)?;
    let mut text = table::table(&bound, &title, None);
    text += &left_out(&sequence.left_out);
    let mut json = figures(&bound)?;
    draw(args, machine, &Drawn::of(&path, repeated), &mut text, &mut json)?;
    json["what"] = json!(title);
    json["left_out"] = json!(sequence.left_out);
    Ok(Shown { text, json })
}

fn repeated(args: &Args) -> Repeated {
    args.chained.map_or(Repeated::Independently, Repeated::Chained)
}

fn left_out(what: &[String]) -> String {
    match what {
        [] => String::new(),
        what => format!("  not counted: {}\n", what.join(", ")),
    }
}

/// Adds the schedule if it is asked for.
fn draw(
    args: &Args,
    machine: &Machine,
    drawn: &Drawn,
    text: &mut String,
    json: &mut Value,
) -> Result<(), Failure> {
    if let Some(cycles) = &args.cycles {
        let (picture, value) = drawn.draw(machine, cycles)?;
        *text += &picture;
        json["schedule"] = value;
    }
    Ok(())
}

fn of_program(args: &Args, path: &Path, machine: &Machine) -> Result<Shown, Failure> {
    let name = path.display().to_string();
    let source =
        std::fs::read_to_string(path).map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
    let place =
        |error: program::Error| Failure::Wrong(format!("{name}:{}: {}", error.line, error.message));
    let execution = program::execute(&source, machine).map_err(place)?.map_err(wrong)?;
    let mut text = table::table(&execution.bound, &name, None);
    let loops = execution.loops.iter().map(|l| {
        let total = l.count as f64 * l.cycles;
        text += &format!(
            "  the loop of line {}: {} iterations of {:.2} cycles, {total:.0} cycles\n",
            l.line, l.count, l.cycles
        );
        json!({ "line": l.line, "count": l.count, "cycles": l.cycles, "total": total })
    });
    let loops: Vec<Value> = loops.collect();
    text +=
        &format!("  as written, the last instruction starts in cycle {:.0}\n", execution.cycles);
    let mut json = figures(&execution.bound)?;
    json["what"] = json!(name);
    json["loops"] = json!(loops);
    json["as_written"] = json!(execution.cycles);
    let (sequence, names) = program::sequence(&source, machine).map_err(place)?;
    let variables = [("variables", u64::MAX >> 1)];
    let drawn = Drawn { sequence: &sequence, names, banks: &variables, repeated: None };
    draw(args, machine, &drawn, &mut text, &mut json)?;
    Ok(Shown { text, json })
}

/// The kernels that a file or a cipher's folder has for one target, by all compilers.
fn of_kernels(args: &Args, machine: &Machine) -> Result<Vec<Shown>, Failure> {
    let settings = Settings {
        targets: args.choice.targets()?,
        direction: args.choice.slicing.direction().or(args.source.direction()),
        choices: args.choice.choices(),
    };
    let mut session = Session::new(&args.source.include);
    let input = match &args.files[..] {
        [name] if !name.exists() && !verilog::is_hardware(name) => {
            let folders = subjects::folders(&[name.display().to_string()])?;
            Input::find(&mut session, &folders[0])?
        }
        files => Input::of_files(&mut session, files)?,
    };
    let source = args.source.check(&mut session, &input, Some(settings.first_target()))?;
    let checked = source.checked;
    let compilers = match &args.cc[..] {
        [] => Compiler::find().map(|compiler| vec![compiler]),
        names => names.iter().map(|name| Compiler::named(name)).collect(),
    };
    let compilers = compilers.map_err(wrong)?;
    let preferred = input.preferred();
    let mut shown = Vec::new();
    for program in programs(args, &input, &checked) {
        let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
        let mut variants = settings.legal(&[&program], preferred).map_err(refuse)?;
        if settings.targets.is_empty() {
            variants.truncate(1);
        }
        for slicings in variants {
            let decision =
                cost::choose_slicing(&program, &slicings, &machine.model()).map_err(refuse)?;
            let options = decision.options;
            let kernel = compile::compile(&program, &options, &mut |_, _| {}).map_err(refuse)?;
            let beside = source.shared.as_ref().map_or("", |_| ", without shared control");
            let title = format!("{} -{options}{beside}", program.entry().name);
            shown.push(of_kernel(args, machine, &compilers, &kernel, &title)?);
        }
    }
    Ok(shown)
}

/// The node that was asked for, or those of a manifest that process blocks, each once.
fn programs(args: &Args, input: &Input, checked: &Checked) -> Vec<Program> {
    let instances = input.folder.iter().flat_map(|folder| &folder.manifest.instances);
    let nodes = instances.filter_map(|instance| instance.forward());
    let mut names: Vec<&String> = nodes.map(|node| node.get_ref()).collect();
    names.dedup();
    match names.is_empty() || args.source.entry.is_some() {
        true => vec![checked.program.clone()],
        false => names.into_iter().filter_map(|name| checked.program_for(name)).collect(),
    }
}

fn of_kernel(
    args: &Args,
    machine: &Machine,
    compilers: &[Compiler],
    compiled: &Kernel,
    title: &str,
) -> Result<Shown, Failure> {
    let needed = kernel::operations(compiled, machine);
    let instructions = kernel::instructions(&needed);
    let ideal = bound::of_operations(machine, &needed, instructions).map_err(wrong)?;
    let bytes = compiled.bytes();
    let mut text = table::table(&ideal, &format!("{title}: the operations needed"), Some(bytes));
    let mut json = json!({
        "what": title,
        "bytes": bytes,
        "needed": figures(&ideal)?,
    });
    // A machine that lacks an operation of the target has a bound of what is needed, but no estimate.
    if let Ok(estimate) = cost::estimate_kernel(compiled, &machine.model()) {
        text += &format!(
            "  {:11} {:>10.1} {:>9.4}  ordered as chosen, bound by {}\n",
            "estimate",
            estimate.cycles,
            estimate.cycles / bytes,
            estimate.binds()
        );
        json["estimate"] = json!({
            "cycles": estimate.cycles,
            "binds": estimate.binds().to_string(),
            "instructions": estimate.instructions,
            "code": estimate.code,
            "spills": estimate.spills,
            "reloads": estimate.reloads,
        });
    }
    // Machines of another architecture than the compilers', and than the target's, don't execute what these make.
    if machine.architecture == "x86-64" && cc::is_host(compiled.target.architecture) {
        let mut objects = Vec::new();
        for compiler in compilers {
            let (added, value) = by_compiler(args, machine, compiler, compiled, bytes)?;
            text += &added;
            objects.push(value);
        }
        json["compiled"] = json!(objects);
    } else if args.measure {
        exec::runnable(compiled.target).map_err(wrong)?;
        let message = format!("--measure needs a model of this CPU, which {} isn't", machine.title);
        return Err(Failure::Usage(message));
    } else if args.cycles.is_some() {
        let message = "--cycles draws machine code of x86-64, on a machine that executes it";
        return Err(Failure::Usage(message.to_string()));
    }
    Ok(Shown { text, json })
}

/// The bound of what a compiler makes of a kernel, and what that takes.
fn by_compiler(
    args: &Args,
    machine: &Machine,
    compiler: &Compiler,
    compiled: &Kernel,
    bytes: f64,
) -> Result<(String, Value), Failure> {
    const SYMBOL: &str = "kernel";
    let work = Work::new().map_err(wrong)?;
    let source = c::kernels_file(&[(SYMBOL, compiled)]);
    let source = work.write("kernel.c", source.as_bytes()).map_err(wrong)?;
    let mut flags: Vec<&str> = args.cflags.split_whitespace().collect();
    flags.push("-fPIC");
    let build = |kind: &str, name: &str| -> Result<PathBuf, Failure> {
        let flags: Vec<&str> = flags.iter().copied().chain([kind]).collect();
        compiler.compile(&[&source], &flags, &work.path(name)).map_err(wrong)?;
        Ok(work.path(name))
    };
    build("-c", "kernel.o")?;
    let image = Image::read(&work.read("kernel.o").map_err(wrong)?).map_err(wrong)?;
    let path = path::path(&image, SYMBOL, &[]).map_err(wrong)?;
    let bound = bound::of_sequence(machine, &path.sequence, repeated(args)).map_err(wrong)?;
    let title = format!("\n{} {}", compiler.version(), args.cflags);
    let mut text = table::table(&bound, &title, Some(bytes));
    text += &left_out(&path.sequence.left_out);
    let mut json = figures(&bound)?;
    json["compiler"] = json!(compiler.version());
    json["left_out"] = json!(path.sequence.left_out);
    let drawn = Drawn::of(&path, repeated(args));
    draw(args, machine, &drawn, &mut text, &mut json)?;
    if args.cycles.is_some() {
        let spills = nakiri_bench::object::count::of_path(&path).spills;
        text += &format!("  values stored to the frame and read back: {spills}\n");
        json["schedule"]["spills"] = json!(spills);
    }
    if args.measure {
        exec::runnable(compiled.target).map_err(wrong)?;
        let shared = build("-shared", "kernel.so")?;
        let Statistics { min, median, spread, .. } = measure(&shared, SYMBOL, compiled)?;
        let (_, least) = bound.binds();
        text += &format!(
            "  {:11} {median:>10.1} {:>9.4}  {:.2} times the bound (least {min:.1}, spread {:.1} %)\n",
            "measured",
            median / bytes,
            median / least,
            spread * 100.0
        );
        json["measured"] = json!({ "median": median, "min": min, "spread": spread });
    }
    Ok((text, json))
}

fn measure(shared: &Path, symbol: &str, compiled: &Kernel) -> Result<Statistics, Failure> {
    // No register and no image of a constant is larger.
    const LARGEST: usize = 64;
    if let Err(message) = pin::pin() {
        say!("warning: {message}");
    }
    let entry = compiled.program.entry();
    let atoms: u32 = entry.params.iter().chain(&entry.results).map(Port::count).sum();
    // SAFETY: it was compiled just now from that text, for a target that runs here; it has no more atoms than these.
    unsafe { measured::kernel(shared, symbol, LARGEST * atoms as usize) }.map_err(wrong)
}
