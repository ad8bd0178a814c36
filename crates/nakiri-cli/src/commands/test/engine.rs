//! What compiles and runs a library: C compilers, and Cargo.

use super::plan::{Job, Language};
use super::Args;
use crate::output;
use crate::package::{Languages, Package, Primitive};
use crate::session::Failure;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::process::Group;
use nakiri_verify::{exec, Error};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of the library that is made.
const NAME: &str = "nakiri_tested";

/// The length of C, in bytes, beyond which compilers take minutes to optimize it.
const LONG: usize = 400_000;

/// What came of a library.
pub enum Outcome {
    /// All vectors came out right.
    Right,
    /// What is wrong.
    Wrong(String),
    /// Why it was not run.
    Lacking(String),
}

/// What there is to compile and run libraries.
pub struct Engines {
    /// Those for this CPU.
    compilers: Vec<Compiler>,
    /// What Cargo builds, for all crates.
    built: Work,
    has_cargo: bool,
    /// What is missing.
    pub lacks: Vec<String>,
}

impl Engines {
    /// Looks for them.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a compiler that isn't there, or if no temporary folder can be made.
    pub fn new(args: &Args) -> Result<Engines, Failure> {
        let usage = |error: Error| Failure::Usage(error.to_string());
        let mut lacks = Vec::new();
        let named = args.cc.iter().map(|program| Compiler::named(program).map_err(usage));
        let mut compilers = named.collect::<Result<Vec<_>, _>>()?;
        if compilers.is_empty() && args.lang.c() {
            compilers = match args.quick {
                true => Compiler::find().into_iter().collect(),
                false => cc::all(),
            };
            lacks.extend(Compiler::find().err().map(|lack| format!("C: {lack}")));
        }
        let has_cargo = cc::works("cargo") && cc::works("rustc");
        if !has_cargo && args.lang.rust() {
            lacks.push(
                "Rust: cargo and rustc are missing; install them by https://rustup.rs".to_string(),
            );
        }
        Ok(Engines { compilers, built: Work::new().map_err(usage)?, has_cargo, lacks })
    }

    /// Builds and runs a folder's library by all that is there.
    pub fn run(&self, folder: &Path, job: &Job) -> Vec<(String, Outcome)> {
        let (languages, engines) = match job.language {
            Language::C => (Languages::C, self.compilers_for(job)),
            Language::Rust if self.has_cargo => (Languages::Rust, Ok(Vec::new())),
            Language::Rust => return Vec::new(),
        };
        let name = if job.language == Language::C { "C" } else { "Rust" };
        let alone = |outcome| vec![(name.to_string(), outcome)];
        let compilers = match engines {
            Ok(compilers) => compilers,
            Err(lack) => return alone(Outcome::Lacking(lack.to_string())),
        };
        let files = match files(folder, job, languages) {
            Ok(files) => files,
            Err(outcome) => return alone(outcome),
        };
        match job.language {
            Language::Rust => alone(files.cargo(self.built.path("target")).into()),
            Language::C => {
                let run = |compiler: Compiler| {
                    (compiler.program.clone(), files.compile_and_run(&compiler).into())
                };
                compilers.into_iter().map(run).collect()
            }
        }
    }

    fn compilers_for(&self, job: &Job) -> Result<Vec<Compiler>, Error> {
        match job.target() {
            Some(target) if !cc::is_host(target.architecture) => cc::all_for(target),
            Some(target) => Ok(self.compilers.iter().map(|c| c.clone().told(target)).collect()),
            None => Ok(self.compilers.clone()),
        }
    }
}

impl From<Result<(), Error>> for Outcome {
    fn from(done: Result<(), Error>) -> Outcome {
        match done {
            Ok(()) => Outcome::Right,
            Err(lack) if lack.is_lack() => Outcome::Lacking(lack.to_string()),
            Err(error) => Outcome::Wrong(error.to_string()),
        }
    }
}

/// A package in a temporary folder.
struct Files {
    work: Work,
    /// The name of the only primitive.
    name: String,
    /// The length of its C.
    length: usize,
}

/// Writes the package of a library.
fn files(folder: &Path, job: &Job, languages: Languages) -> Result<Files, Outcome> {
    let primitive = Primitive::build(folder, job.targets().as_deref(), languages);
    let primitive = primitive.map_err(|failure| match failure.message() {
        "" => Outcome::Wrong("it can't be built; see the errors".to_string()),
        message => Outcome::Wrong(message.to_string()),
    })?;
    let name = primitive.name.clone();
    let primitives = vec![primitive];
    let package =
        Package { name: NAME.to_string(), command: "nakiri test".to_string(), primitives };
    if let Some(why) = package.not_in_rust().next() {
        return Err(Outcome::Lacking(why));
    }
    let files = package.files();
    let c = files.iter().find(|(path, _)| *path == format!("c/{name}.c"));
    let length = c.map_or(0, |(_, text)| text.len());
    let work = Work::new().map_err(|error| Outcome::Wrong(error.to_string()))?;
    let texts = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    output::fill(&work.path(""), texts).map_err(|error| Outcome::Wrong(error.to_string()))?;
    Ok(Files { work, name, length })
}

impl Files {
    /// The self test in C.
    fn compile_and_run(&self, compiler: &Compiler) -> Result<(), Error> {
        let level = if self.length > LONG { exec::unoptimized(compiler) } else { "-O1" };
        let program = self.work.path(&format!("test-{}", compiler.program.replace('/', "_")));
        let library = self.work.path(&format!("c/{}.c", self.name));
        let test = self.work.path("c/tests/self_test.c");
        let include = format!("-I{}", self.work.path("c").display());
        let flags = [&[level, &include][..], exec::linking(compiler)].concat();
        compiler.compile(&[&library, &test], &flags, &program)?;
        let said = self.said(&mut exec::command(compiler, &program)?)?;
        match said.contains("runs no variant") {
            true => Err(Error::Failed { message: said }),
            false => Ok(()),
        }
    }

    /// The tests of the crate. Its dependencies come from Cargo's cache, or else from the network.
    fn cargo(&self, target: PathBuf) -> Result<(), Error> {
        let cargo = |args: &[&str]| {
            let mut command = Command::new("cargo");
            command.args(args).current_dir(self.work.path("rust")).env("CARGO_TARGET_DIR", &target);
            self.said(&mut command)
        };
        let offline = cargo(&["fetch", "--offline"]).is_ok().then_some("--offline");
        let args = ["test", "--lib", "--quiet"].into_iter().chain(offline);
        cargo(&args.collect::<Vec<_>>()).map(|_| ())
    }

    /// What a program says, if it ends well.
    fn said(&self, command: &mut Command) -> Result<String, Error> {
        let path = self.work.path(&format!("said-{:?}", std::thread::current().id()));
        let failed = |error| Error::Io { path: path.clone(), error };
        let out = std::fs::File::create(&path).map_err(failed)?;
        let errors = out.try_clone().map_err(failed)?;
        let child = Group::spawn(command.stdin(Stdio::null()).stdout(out).stderr(errors));
        let status = child.and_then(|mut child| child.wait(None)).map_err(failed)?;
        let said = std::fs::read(&path).map_err(failed)?;
        let said = String::from_utf8_lossy(&said).into_owned();
        match status {
            Some(status) if status.success() => Ok(said),
            Some(status) => Err(Error::Failed { message: format!("{status}\n{said}") }),
            None => Err(Error::Failed { message: "it was ended".to_string() }),
        }
    }
}
