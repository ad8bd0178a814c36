//! `nakiri build`: from a source or a cipher's folder to C or Rust, or to what the compiler makes on the way.

mod told;

use crate::asked;
use crate::choice::{self, ChoiceArgs, TargetChoice};
use crate::circuits;
use crate::handshake::{self, HandshakeArgs};
use crate::library::{self, Settings};
use crate::manifest::{is_identifier, Folder};
use crate::multikey;
use crate::output::say;
use crate::output::{self, Mark};
use crate::program::{Input, Source, SourceArgs};
use crate::session::{Failure, Session};
use crate::shared;
use crate::shell::{self, Base};
use crate::tuned;
use crate::vectors;
use nakiri::check::Checked;
use nakiri::compile::pipeline::PASSES;
use nakiri::compile::{self, legality, Choice, Options};
use nakiri::core::{Direction, Layout, Port, Program};
use nakiri::cost::explain;
use nakiri::diagnostic::{instead_of, Diagnostic};
use nakiri::emit::assembly;
use nakiri::emit::c::{self, supercop};
use nakiri::emit::count::Counts;
use nakiri::emit::library::{Library, LibraryError};
use nakiri::emit::rust;
use nakiri::mode::Mode;
use nakiri::registers::Spill;
use nakiri::source::Span;
use nakiri_library::digest;
use nakiri_library::entry;
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

/// Compiles a program, or a cipher's folder, to C or Rust
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// An Usuba file, a cipher's folder or its name, or files of Verilog
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// The machine that choices are made for: a model's name, a machine file, or `host`; by default this CPU for the target
    /// `native`, and the one that stands for all others
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,
    /// Print on standard error what was weighed for each choice, and why it was taken
    #[arg(long)]
    explain: bool,
    /// Add functions for which every lane has a key of its own: `…_multikey_…`
    #[arg(long)]
    multikey: bool,
    /// Build only these instances of a folder, by their prefixes
    #[arg(long, value_name = "PREFIX,…", value_delimiter = ',')]
    instance: Vec<String>,
    /// Write a test bench of one lane of a step function beside it: PREFIX_tb.c, to look at the design or to go on from
    #[arg(long)]
    testbench: bool,
    /// What to print: c, rust, asm, supercop, core, json, or after:PASS
    #[arg(long, default_value = "c")]
    emit: String,
    /// For C the folder of NAME.c and NAME.h, or their path with the ending .c; for Rust the crate's folder, by default NAME;
    /// for SUPERCOP the folder of crypto_stream and crypto_core, by default this one; otherwise a file; `-` is standard output
    #[arg(short = 'o', value_name = "OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    handshake: HandshakeArgs,
    #[command(flatten)]
    telling: told::Telling,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Reported`] if the program is wrong or can't be compiled so, [`Failure::Usage`] for what can't be asked.
pub fn run(args: &Args) -> Result<(), Failure> {
    let emit = emitted(&args.emit)?;
    if args.multikey && !matches!(emit, Emit::C) {
        let message = format!("--multikey is for C, not for --emit {}", args.emit);
        return Err(Failure::Usage(message));
    }
    let is_printed = args.out.as_deref() == Some(Path::new("-"));
    if args.testbench && (!matches!(emit, Emit::C) || is_printed) {
        let message = "--testbench makes a file of C beside that of the step function: it goes with neither --emit nor -o -";
        return Err(Failure::Usage(message.to_string()));
    }
    let mut build = Build::new(args, emit)?;
    match emit {
        Emit::C => build.c(),
        Emit::Rust => build.rust(),
        Emit::Supercop => build.supercop(),
        Emit::Assembly | Emit::Json | Emit::After(_) => {
            let text = build.one_kernel(emit)?;
            output::write(args.out.as_deref().unwrap_or(Path::new("-")), &text)
        }
    }
}

/// The library that words behind `nakiri build` ask for. `here` leaves out the variant for every CPU where this one has another, which
/// may be the longest by far.
///
/// # Errors
/// Those of [`run`].
pub fn asked(words: &[String], here: bool) -> Result<Library, Failure> {
    let args: Args = asked::arguments(words)?;
    let mut build = Build::new(&args, Emit::C)?;
    let targets = &mut build.settings.targets;
    let is_own = |choice: &TargetChoice| choice.target.guard().is_some();
    if here && args.choice.target.is_none() && targets.iter().any(is_own) {
        targets.retain(is_own);
    }
    build.library(build.input.name())
}

/// What a folder's library is made of.
pub(crate) struct Made {
    /// The library, under the command that makes it in C.
    pub library: Library,
    /// The same under the command that makes it in Rust.
    pub rust: Library,
    /// The run that read it.
    pub session: Session,
}

/// What is built of a folder for some targets, by default this CPU's.
///
/// # Errors
/// Those of [`run`].
pub(crate) fn made(folder: &Path, target: Option<&str>) -> Result<Made, Failure> {
    let choice = ChoiceArgs { target: target.map(str::to_string), ..ChoiceArgs::default() };
    let files = vec![folder.to_path_buf()];
    let args = Args { files, choice, emit: "c".to_string(), ..Args::default() };
    let mut build = Build::new(&args, Emit::C)?;
    let library = build.library(build.input.name())?;
    let command_line = command_line(&args, "rust", &build.settings, &library.instances, None);
    let rust = Library { command_line, ..library.clone() };
    Ok(Made { library, rust, session: build.session })
}

/// Refuses a slicing in the manifest that is legal nowhere, and says where the named targets get another one.
fn preferred(
    session: &Session,
    folder: &Folder,
    programs: &[&Program],
    settings: &Settings,
) -> Result<(), Failure> {
    library::preferred(folder, programs, settings).map_err(|problem| session.refuse(&[problem]))?;
    let direction = folder.manifest.direction();
    let place = Span::new(folder.manifest_file, folder.manifest.slicing.span());
    let open = settings.targets.iter().filter(|_| settings.direction.is_none());
    for choice in open.filter(|choice| choice.direction.is_none()) {
        let legal = legality::directions(programs, settings.on(choice.target));
        let Some(other) = legal.first().filter(|_| !legal.contains(&direction)) else { continue };
        let target = choice.target.name;
        let message = format!("the slicing -{direction:?} is not legal on {target}");
        session.report(&[Diagnostic::warning("E0402", place, message)
            .label("another one is taken there")
            .help(format!("name it, as in `--target {target}:{other:?}`, and nothing is said"))]);
    }
    Ok(())
}

/// Refuses what can't be had beside shared control.
fn refuse_shared(args: &Args) -> Result<(), Failure> {
    let refuse = |message: &str| Err(Failure::Usage(message.to_string()));
    if args.source.shared.is_none() {
        return Ok(());
    }
    if matches!(args.emit.as_str(), "rust" | "supercop") {
        return refuse(shared::FOR_C);
    }
    if args.choice.slicing.direction().is_some_and(|direction| direction != Direction::B) {
        return refuse(shared::FOR_B);
    }
    if args.handshake.handshake().is_some() || args.multikey {
        return refuse(
            "with --shared all lanes do the same at the same time: leave out the flags of jobs and --multikey",
        );
    }
    Ok(())
}

/// What choices are made for, the program or the first function of a folder; and all that is compiled for blocks by these choices:
/// functions of all instances, and all pieces of modes.
fn programs(
    args: &Args,
    session: &Session,
    input: &Input,
    checked: &Checked,
) -> Result<[Vec<Program>; 2], Failure> {
    let cloned = |programs: Vec<&Program>| programs.into_iter().cloned().collect();
    match (&input.folder, &args.source.entry, mode(args, checked)) {
        (Some(folder), None, _) => {
            let instances = folder.manifest.instances.iter();
            let nodes = instances.map(|own| vectors::nodes(session, folder, checked, own));
            let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
            let all = nodes.iter().flat_map(|nodes| nodes.functions()).collect();
            Ok([nodes[0].of_blocks(), all].map(cloned))
        }
        (.., Some(mode)) => {
            let pieces = mode.pieces().into_iter().map(|(_, piece)| &piece.program).collect();
            Ok([mode.main().into_iter().collect(), pieces].map(cloned))
        }
        (.., None) => Ok([(); 2].map(|()| vec![checked.program.clone()])),
    }
}

/// The mode that `--entry` names, if it is one.
fn mode(args: &Args, checked: &Checked) -> Option<Mode> {
    checked.mode(args.source.entry.as_deref()?)
}

/// What is printed.
#[derive(Clone, Copy)]
enum Emit {
    C,
    Rust,
    Assembly,
    Supercop,
    Json,
    After(&'static str),
}

fn emitted(name: &str) -> Result<Emit, Failure> {
    match name {
        "c" => return Ok(Emit::C),
        "json" => return Ok(Emit::Json),
        "core" => return Ok(Emit::After("specialize")),
        "rust" => return Ok(Emit::Rust),
        "supercop" => return Ok(Emit::Supercop),
        "asm" => return Ok(Emit::Assembly),
        "dot" => return Err(Failure::Usage(format!("--emit {name} is not supported yet"))),
        _ => {}
    }
    let passes = || std::iter::once("specialize").chain(PASSES.iter().map(|pass| pass.name));
    let Some(wanted) = name.strip_prefix("after:") else {
        let known = ["c", "rust", "asm", "supercop", "core", "json", "after:PASS"];
        return Err(Failure::Usage(format!("can't emit `{name}`; {}", instead_of(name, &known))));
    };
    passes().find(|pass| *pass == wanted).map(Emit::After).ok_or_else(|| {
        let names: Vec<&str> = passes().collect();
        Failure::Usage(format!("there is no pass `{wanted}`; {}", instead_of(wanted, &names)))
    })
}

/// What was asked for and what it was read as, with every choice made.
struct Build<'a> {
    args: &'a Args,
    session: Session,
    input: Input,
    source: Source,
    settings: Settings,
}

impl<'a> Build<'a> {
    /// Reads what is asked for, and makes every choice that is open.
    fn new(args: &'a Args, emit: Emit) -> Result<Build<'a>, Failure> {
        let handshake = args.handshake.handshake();
        // Lanes of a queue are bits too.
        let lanes = args.source.direction().or(handshake.as_ref().map(|_| Direction::B));
        let mut settings = Settings {
            targets: args.choice.targets()?,
            direction: args.choice.slicing.direction().or(lanes),
            choices: args.choice.choices(),
        };
        if matches!(emit, Emit::Assembly) {
            settings.choices.retain(|choice| !matches!(choice, Choice::Spill(_)));
            settings.choices.push(Choice::Spill(Spill::Assembly));
            choice::refuse_without_assembly(&settings.targets, &settings.choices)?;
        }
        let mut session = Session::new(&args.source.include);
        let input = Input::of_files(&mut session, &args.files)?.with_instances(&args.instance)?;
        refuse_shared(args)?;
        let source = args.source.check(&mut session, &input, Some(settings.first_target()))?;
        let checked = &source.checked;
        if let Some(handshake) = &handshake {
            if input.folder.is_some() || !matches!(emit, Emit::C) {
                let message = "--start, --done, --valid, --ready and --out-valid are for the C of files; a folder's manifest has \
                               `handshake`";
                return Err(Failure::Usage(message.to_string()));
            }
            handshake::check(&session, handshake, checked.program.entry(), None)?;
        }
        let [programs, all] = programs(args, &session, &input, checked)?;
        let [programs, all] = [&programs, &all].map(|own| own.iter().collect::<Vec<&Program>>());
        if let Some(folder) = input.folder.as_ref().filter(|_| args.source.entry.is_none()) {
            preferred(&session, folder, &programs, &settings)?;
        }
        let machine = args.machine.as_deref();
        let settings = match &input.folder {
            Some(folder) => {
                let shared = folder.manifest.instances.iter().any(|i| i.shared.is_some());
                let direction = settings.direction.or(shared.then_some(Direction::B));
                let settings = Settings { direction, ..settings };
                let settings = tuned::apply(settings, &folder.path, machine, &programs)?;
                match folder.manifest.instances.iter().any(|instance| instance.mode.is_some()) {
                    true => settings.for_texts(&programs),
                    false => settings,
                }
            }
            None => settings,
        };
        if matches!(emit, Emit::Assembly | Emit::Json | Emit::After(_)) {
            let legal = settings.legal(&programs, input.preferred());
            if legal.map_err(|diagnostics| session.refuse(&diagnostics))?.len() > 1 {
                let asked = &args.emit;
                let message = format!("--emit {asked} is for one target: name it with --target");
                return Err(Failure::Usage(message));
            }
        }
        let (settings, decisions) =
            settings.decide(&session, &programs, &all, input.preferred(), machine)?;
        if args.explain {
            say!("{}", explain::text(&decisions).trim_end());
        }
        Ok(Build { args, session, input, source, settings })
    }

    /// A file of C and its header.
    fn c(&mut self) -> Result<(), Failure> {
        let (name, place) = destination(self.args.out.as_deref(), &self.input)?;
        let library = self.library(name)?;
        let files = c::library(&library).map_err(|error| self.unfit(&error))?;
        let Some(place) = place else {
            return output::print(&format!("{}\n{}", files.h, files.c));
        };
        let benches = if self.args.testbench { c::test_benches(&library) } else { Vec::new() };
        if self.args.testbench && benches.is_empty() {
            let message = "--testbench is for step functions, and there is none";
            return Err(Failure::Usage(message.to_string()));
        }
        let [header, source] = ["h", "c"].map(|ending| place.with_extension(ending));
        output::write(&header, &files.h)?;
        output::write(&source, &files.c)?;
        for bench in benches {
            let path = place.with_file_name(&bench.file);
            match path.exists() {
                true => say!("note: {} is left as it is: it may have been changed", path.display()),
                false => output::write(&path, &bench.text)?,
            }
        }
        self.args.telling.tell(&library, &[&source, &header], files.c.len() + files.h.len());
        Ok(())
    }

    /// A crate, whose folder replaces one that was made like it.
    fn rust(&mut self) -> Result<(), Failure> {
        shared::refuse(&self.session, self.input.folder.as_deref())?;
        let name = self.input.name();
        let folder = self.folder(&name)?;
        let mark = Mark { file: "Cargo.toml", begin: rust::MARK, listed: |_| vec![] };
        output::try_write_folder(&folder, &mark)?;
        let library = self.library(name)?;
        let files = rust::files(&library).map_err(|error| self.unfit(&error))?;
        let texts = files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
        output::write_folder(&folder, &mark, texts)?;
        let bytes = files.iter().map(|file| file.text.len()).sum();
        self.args.telling.tell(&library, &[&folder], bytes);
        Ok(())
    }

    /// A folder for each implementation, which replaces one that was made like it.
    fn supercop(&mut self) -> Result<(), Failure> {
        shared::refuse(&self.session, self.input.folder.as_deref())?;
        let root = self.folder("")?;
        let all = supercop::implementations(&self.library(self.input.name())?);
        let all = all.map_err(|error| Failure::Wrong(error.to_string()))?;
        let mark = Mark { file: supercop::MARKED, begin: supercop::MARK, listed: |_| vec![] };
        for implementation in &all {
            output::try_write_folder(&root.join(&implementation.folder), &mark)?;
        }
        for implementation in &all {
            let files =
                implementation.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            output::write_folder(&root.join(&implementation.folder), &mark, files)?;
        }
        Ok(())
    }

    /// That parts make no library: at the place of the instance, if a manifest has it.
    fn unfit(&self, error: &LibraryError) -> Failure {
        let instance = self.input.folder.as_ref().and_then(|folder| {
            let mut all = folder.manifest.instances.iter();
            let prefix = &all.find(|own| *own.prefix.get_ref() == error.instance)?.prefix;
            Some(Span::new(folder.manifest_file, prefix.span()))
        });
        match instance {
            Some(place) => {
                self.session.refuse(&[Diagnostic::error("E0402", place, error.message.clone())])
            }
            None => Failure::Wrong(error.to_string()),
        }
    }

    /// The folder that takes what is made, by default this one.
    fn folder(&self, default: &str) -> Result<PathBuf, Failure> {
        match &self.args.out {
            Some(out) if out == Path::new("-") => {
                let emit = &self.args.emit;
                let message = format!(
                    "--emit {emit} makes folders, which standard output can't be: name where they go with -o"
                );
                Err(Failure::Usage(message))
            }
            Some(out) => Ok(out.clone()),
            None => Ok(PathBuf::from(default)),
        }
    }

    /// The parts of a library of this name.
    fn library(&mut self, name: String) -> Result<Library, Failure> {
        let Build { args, session, input, source, settings } = self;
        let checked = &source.checked;
        let (instances, evidence) = match &input.folder {
            Some(folder) => {
                if args.source.entry.is_some() || args.choice.width.is_some() {
                    let message =
                        "--entry and -w are for files; a folder's manifest names its nodes";
                    return Err(Failure::Usage(message.to_string()));
                }
                let agreed = vectors::check(session, folder, checked)?;
                let instances = folder.manifest.instances.iter().map(|instance| {
                    let parts = library::of_instance(session, folder, checked, instance, settings)?;
                    match args.multikey || instance.multikey {
                        true => multikey::of_instance(
                            session, folder, checked, instance, settings, parts,
                        ),
                        false => Ok(parts),
                    }
                });
                (instances.collect::<Result<Vec<_>, _>>()?, library::evidence(agreed))
            }
            None => {
                // What lanes read of shared control are constants, too.
                if source.shared.is_none() {
                    let problem = entry::interface(&checked.program).err();
                    problem.map_or(Ok(()), |problem| Err(session.refuse(&[problem])))?;
                }
                let instance = match mode(args, checked) {
                    Some(mode) => library::of_mode(session, &mode, &name, None, settings),
                    None => library::of_entry(&checked.program, &name, settings),
                };
                let mut instance = instance.map_err(|diagnostics| session.refuse(&diagnostics))?;
                let evidence = source.run.iter().map(|run| library::test_run(&mut instance, run));
                let mut evidence: Vec<String> = evidence.collect();
                if let Some((whole, shared)) = &source.shared {
                    let said = shared::share(&mut instance, whole, shared);
                    evidence.push(said.map_err(|wrong| session.refuse(&wrong))?);
                }
                let instance = match args.multikey {
                    true => multikey::of_entry(session, &checked.program, settings, instance)?,
                    false => instance,
                };
                (vec![c::Instance { handshake: args.handshake.handshake(), ..instance }], evidence)
            }
        };
        let evidence = [evidence, circuits::evidence(&instances)].concat();
        if args.explain {
            say!("{}", circuits::explain(&instances).trim_end());
        }
        let (title, specification) = match &input.folder {
            Some(folder) => (folder.manifest.title.clone(), folder.manifest.specification.clone()),
            None => {
                let program = source.run.as_ref().map_or(&checked.program, |run| &run.hardware);
                (program.entry().name.clone(), file_name(&input.source))
            }
        };
        let renamed = (name != input.name()).then(|| format!("{name}.c"));
        Ok(Library {
            name,
            title,
            specification,
            command_line: command_line(args, &args.emit, settings, &instances, renamed),
            version: nakiri_library::VERSION.to_string(),
            source_hash: digest::sources(&session.sources),
            evidence,
            instances,
        })
    }

    /// The entry for one target: its assembly, its core, or its figures.
    fn one_kernel(&self, emit: Emit) -> Result<String, Failure> {
        let Build { session, input, source, settings, .. } = self;
        let program = &source.checked.program;
        let preferred = input.preferred();
        let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
        let variants = settings.variants(&[program], preferred).map_err(refuse)?;
        let mut seen = None;
        let mut observe = |pass: &str, program: &Program| {
            if matches!(emit, Emit::After(wanted) if wanted == pass) {
                seen = Some(program.to_string());
            }
        };
        let options: &Options = &variants[0];
        let kernel = compile::compile(program, options, &mut observe).map_err(refuse)?;
        if let Some(text) = seen {
            return Ok(text);
        }
        if matches!(emit, Emit::Assembly) {
            let text = assembly::file(&kernel, &input.name());
            return Ok(text.unwrap_or_default());
        }
        let counts = Counts::of(&kernel);
        let operations: serde_json::Map<String, Value> = counts
            .operations
            .iter()
            .map(|(kind, n)| (format!("{kind:?}").to_lowercase(), json!(n)))
            .collect();
        let figures = json!({
            "entry": program.entry().name,
            "slicing": format!("{:?}", kernel.direction),
            "target": kernel.target.name,
            "blocks_at_once": kernel.blocks(),
            "params": kernel.inputs().iter().map(port).collect::<Vec<_>>(),
            "results": kernel.outputs().iter().map(port).collect::<Vec<_>>(),
            "registers": kernel.params[kernel.inputs().len()..].iter().map(port).collect::<Vec<_>>(),
            "operations": operations,
            "instructions": counts.instructions,
        });
        Ok(format!("{figures:#}\n"))
    }
}

fn port(port: &Port) -> Value {
    json!({
        "name": port.name,
        "width": port.ty.bits(),
        "shape": port.shape,
        "const": port.constant,
        "layout": match &port.layout {
            Layout::Le => "le",
            Layout::Be => "be",
            Layout::Planes => "planes",
            Layout::Perm { name, .. } => name,
        },
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The name of the library, and the path of its C file unless it is for standard output.
fn destination(out: Option<&Path>, input: &Input) -> Result<(String, Option<PathBuf>), Failure> {
    let name = input.name();
    let folder = match out {
        None => Path::new("").to_path_buf(),
        Some(out) if out == Path::new("-") => return Ok((name, None)),
        Some(out) if out.extension().is_some_and(|e| e == "c") && !out.is_dir() => {
            let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !is_identifier(&stem) {
                let message =
                    format!("`{stem}` can't be the name of a library: use letters, digits and `_`");
                return Err(Failure::Usage(message));
            }
            return Ok((stem, Some(out.to_path_buf())));
        }
        Some(out) => out.to_path_buf(),
    };
    let file = folder.join(format!("{name}.c"));
    Ok((name, Some(file)))
}

/// The command that makes the same file again on any machine, in the folder that the first file lies in: the targets and slicings
/// that were chosen are written out.
fn command_line(
    args: &Args,
    emit: &str,
    settings: &Settings,
    instances: &[c::Instance],
    file: Option<String>,
) -> String {
    let base = args.files.first().map_or(Base::of(Path::new(".")), |first| Base::of(first));
    let variants = instances.first().and_then(|i| i.functions.first()).map(|f| &f.variants);
    let targets: Vec<String> = variants
        .into_iter()
        .flatten()
        .map(|kernel| {
            let own = settings.own_choices(kernel.target).iter();
            let own: String = own.map(|choice| format!("+{choice}")).collect();
            format!("{}:{}{own}", kernel.target.name, kernel.direction)
        })
        .collect();
    let source = &args.source;
    let options = [
        ("-I", source.include.iter().map(|folder| base.name(folder)).collect()),
        ("--entry", source.entry.iter().cloned().collect()),
        (
            "--instance",
            (!args.instance.is_empty()).then(|| args.instance.join(",")).into_iter().collect(),
        ),
        ("--compat", source.compat.iter().map(|_| "usubac".to_string()).collect()),
        ("--run", source.run.iter().cloned().collect()),
        ("--shared", source.shared.iter().cloned().collect::<Vec<_>>()),
        ("--target", vec![targets.join(",")]),
        ("--emit", (emit != "c").then(|| emit.to_string()).into_iter().collect()),
        ("-o", file.into_iter().collect()),
    ];
    let options = options.into_iter();
    let mut words = vec!["nakiri".to_string(), "build".to_string()];
    words.extend(args.files.iter().map(|file| base.name(file)));
    words.extend(
        options.flat_map(|(name, all)| {
            all.into_iter().flat_map(move |value| [name.to_string(), value])
        }),
    );
    words.extend(source.no_cache.then(|| "--no-cache".to_string()));
    words.extend(source.hardware.words());
    words.extend(args.handshake.words());
    words.extend(args.multikey.then(|| "--multikey".to_string()));
    words.extend(settings.choices.iter().flat_map(|choice| match choice {
        Choice::Width(bits) => vec!["-w".to_string(), bits.to_string()],
        choice => vec![format!("--{choice}")],
    }));
    shell::command(&words)
}
