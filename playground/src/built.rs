//! A node as C and Rust: what `nakiri build FILE` writes, byte for byte.

use crate::document::{Document, Read};
use crate::{lines, ports, price};
use nakiri::compile::legality::{legal, with_legal_short, PREFERENCE};
use nakiri::compile::{Choice, Options};
use nakiri::core::{Direction, Program};
use nakiri::cost::{self, explain, Decision};
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::count::Counts;
use nakiri::emit::library::Library;
use nakiri::emit::{c, rust};
use nakiri::isa::{self, Target};
use nakiri_library::{digest, entry, VERSION};
use nakiri_machine::machine::{self, Machine};
use serde::Deserialize;
use serde_json::{json, Value};

/// What is to be built.
#[derive(Debug, Deserialize)]
pub struct Wish {
    /// The node; without one the last.
    entry: Option<String>,
    /// The target's name.
    target: String,
    /// The slicing; without one the cheapest.
    slicing: Option<String>,
    /// The machine that choices are made for; without one the target's own.
    machine: Option<String>,
    /// In which language.
    language: Language,
}

/// A language that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Language {
    C,
    /// A crate, which every CPU of an architecture runs: it has a variant for general-purpose registers, too.
    Rust,
}

impl Wish {
    fn target(&self) -> Result<&'static Target, String> {
        isa::find(&self.target).ok_or_else(|| format!("There is no target `{}`.", self.target))
    }

    fn machine(&self, target: &Target) -> Result<&'static Machine, String> {
        let name = self.machine.as_deref().unwrap_or(target.machine);
        let found = machine::all().iter().find(|machine| machine.name == name);
        let machine = found.ok_or_else(|| format!("There is no machine `{name}`."))?;
        machine.model().runs(target).map_err(|lacking| format!("{lacking}, which it uses."))?;
        Ok(machine)
    }

    fn slicings(&self) -> Result<Vec<Direction>, String> {
        let Some(name) = &self.slicing else { return Ok(PREFERENCE.to_vec()) };
        Ok(vec![name.parse()?])
    }
}

/// A node's text in a language, and what is known of its kernel.
///
/// # Errors
/// Why it can't be built so.
pub fn built(document: Document, wish: &Wish) -> Result<Value, String> {
    let file = document.path.rsplit('/').next().unwrap_or_default().to_string();
    let read = document.read(wish.entry.clone());
    let program = read.program()?;
    let refuse = |problems: Vec<Diagnostic>| read.refusal(&problems);
    entry::interface(program).map_err(|problem| refuse(vec![problem]))?;
    let target = wish.target()?;
    let mut variants = vec![Variant::new(&read, wish, target, &wish.slicings()?)?];
    let everywhere = isa::everywhere();
    if wish.language == Language::Rust && target.guard().is_some() && target.name != everywhere.name
    {
        variants.push(Variant::new(&read, wish, everywhere, &PREFERENCE)?);
    }
    let name = entry::identifier(file.strip_suffix(".ua").unwrap_or(&file));
    let options: Vec<Options> = variants.iter().map(|variant| variant.options).collect();
    let instance = entry::instance(program, &name, &options).map_err(refuse)?;
    let library = Library {
        name,
        title: program.entry().name.clone(),
        command_line: command(wish, &file, &variants),
        specification: file,
        version: VERSION.to_string(),
        source_hash: digest::sources(&read.sources),
        evidence: Vec::new(),
        instances: vec![instance],
    };
    let kernel = &library.instances[0].functions[0].variants[0];
    let counts = Counts::of(kernel);
    let operations: serde_json::Map<String, Value> =
        counts.operations.iter().map(|(kind, n)| (format!("{kind:?}"), json!(n))).collect();
    Ok(json!({
        "name": library.name,
        "entry": library.title,
        "command": library.command_line,
        "target": kernel.target.name,
        "slicing": format!("{:?}", kernel.direction),
        "blocks": kernel.blocks(),
        "blockBytes": kernel.block_bytes(),
        "operations": operations,
        "instructions": counts.instructions,
        "explained": explain::text(std::slice::from_ref(&variants[0].decision)),
        "files": files(&read, wish.language, &library)?,
        "ports": ports::all(kernel),
        "prices": price::all(kernel),
    }))
}

/// What is built for one target.
struct Variant {
    decision: Decision,
    options: Options,
    choices: Vec<Choice>,
}

impl Variant {
    fn new(
        read: &Read,
        wish: &Wish,
        target: &'static Target,
        slicings: &[Direction],
    ) -> Result<Variant, String> {
        let (program, machine) = (read.program()?, wish.machine(target)?);
        let decision = decide(program, target, slicings, machine);
        let decision = decision.map_err(|problems| read.refusal(&problems))?;
        let short = decision.lengths.as_ref().map(|lengths| lengths.short);
        let all = decision.options.choices().into_iter();
        let choices = all.chain(short.map(Choice::Short)).collect();
        let options = Options { short: short.or(decision.options.short), ..decision.options };
        let options = with_legal_short(&[program], options);
        Ok(Variant { decision, options, choices })
    }

    /// As `--target` has it.
    fn words(&self) -> String {
        let Options { target, direction, .. } = self.options;
        let own: String = self.choices.iter().map(|choice| format!("+{choice}")).collect();
        format!("{}:{direction}{own}", target.name)
    }
}

/// The command that writes the same.
fn command(wish: &Wish, file: &str, variants: &[Variant]) -> String {
    let entry = wish.entry.iter().map(|entry| format!(" --entry {entry}")).collect::<String>();
    let targets: Vec<String> = variants.iter().map(Variant::words).collect();
    let emit = match wish.language {
        Language::C => "",
        Language::Rust => " --emit rust",
    };
    format!("nakiri build {file}{entry} --target {}{emit}", targets.join(","))
}

/// The choices that are open, made for a machine.
fn decide(
    program: &Program,
    target: &'static Target,
    slicings: &[Direction],
    machine: &Machine,
) -> Result<Decision, Vec<Diagnostic>> {
    let model = machine.model();
    let slicings = legal(&[program], slicings, Options::new(Direction::V, target))?.into_iter();
    let slicings: Vec<Options> =
        slicings.map(|options| with_legal_short(&[program], options)).collect();
    let mut decision = cost::choose_slicing(program, &slicings, &model)?;
    if decision.options.short.is_none() {
        decision.lengths = cost::short(&[program], &decision.options, &model);
    }
    Ok(decision)
}

/// The files of a library.
fn files(read: &Read, language: Language, library: &Library) -> Result<Vec<Value>, String> {
    let files = match language {
        Language::C => c::library(library).map(|files| {
            let name = |ending: &str| format!("{}.{ending}", library.name);
            vec![(name("c"), files.c), (name("h"), files.h)]
        }),
        Language::Rust => rust::files(library)
            .map(|files| files.into_iter().map(|file| (file.path, file.text)).collect()),
    };
    let files = files.map_err(|error| error.to_string())?.into_iter();
    let function = &library.instances[0].functions[0];
    let shown = |(path, text): (String, String)| {
        let places = lines::places(read, function, &path, &text);
        json!({ "path": path, "places": places, "text": text })
    };
    Ok(files.map(shown).collect())
}
