//! `nakiri library`: several folders as one package of C, and as a workspace of Rust.

use crate::output::{self, say};
use crate::package::{Languages, Package, Primitive, MARK};
use crate::session::Failure;
use crate::shell::{self, Base};
use crate::subjects;
use nakiri_bench::parallel;
use std::path::{Path, PathBuf};

/// Writes a library of several ciphers, hashes and so on, in C and Rust, with what builds, tests and installs it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with a cipher.toml, their names in `ciphers` and `modes`, or `all`
    #[arg(required = true, value_name = "PRIMITIVE")]
    primitives: Vec<String>,
    /// The folder that is written: DIR/c, DIR/rust and DIR/provenance.json
    #[arg(short = 'o', value_name = "DIR")]
    out: PathBuf,
    /// Targets such as `avx2` or `gp64,avx2,avx512`, as of `nakiri build`; by default this CPU's, so name them for what is given away
    #[arg(long, value_name = "T,…")]
    target: Option<String>,
    /// The languages
    #[arg(long, value_enum, default_value = "both")]
    lang: Languages,
    /// The name of the C library and of its header
    #[arg(long, value_name = "NAME", default_value = "nakiri", value_parser = name)]
    name: String,
}

fn name(name: &str) -> Result<String, String> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letters);
    match fits {
        true => Ok(name.to_string()),
        false => Err("use small letters, digits and `_`, a letter first".to_string()),
    }
}

/// Runs the command.
///
/// # Errors
/// [`Failure`] if a primitive is wrong, two have the same names, or the folder can't be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folders = subjects::primitives(&args.primitives)?;
    if args.out == Path::new("-") {
        let message = "a library is a folder, which standard output can't be: name it with -o";
        return Err(Failure::Usage(message.to_string()));
    }
    output::try_write_folder(&args.out, &MARK)?;
    let bar = output::progress(folders.len(), "building");
    let primitives = parallel::map(&folders, |folder| {
        let built = Primitive::build(folder, args.target.as_deref(), args.lang);
        bar.inc(1);
        built
    });
    bar.finish_and_clear();
    let primitives = primitives.into_iter().collect::<Result<Vec<_>, _>>()?;
    let package = Package { name: args.name.clone(), command: command(args, &folders), primitives };
    package.refuse_clashes()?;
    package.not_in_rust().for_each(|line| say!("note: {line}"));
    let files = package.files();
    if files.len() == 1 {
        return Err(Failure::Wrong("nothing of that is in Rust: ask for --lang c".to_string()));
    }
    output::write_folder(&args.out, &MARK, files.iter().map(|(path, text)| (&**path, &**text)))
}

/// The command that makes the same again: anywhere, if what it names are no paths, else in the folder that the first primitive lies in.
fn command(args: &Args, folders: &[PathBuf]) -> String {
    let base = folders.first().map_or(Base::of(Path::new(".")), |first| Base::of(first));
    let mut words = vec!["nakiri".to_string(), "library".to_string()];
    words.extend(args.primitives.iter().map(|name| match Path::new(name) {
        path if path.exists() => base.name(path),
        _ => name.clone(),
    }));
    words.extend(args.target.iter().flat_map(|target| ["--target".to_string(), target.clone()]));
    let languages = match args.lang {
        Languages::Both => None,
        Languages::C => Some("c"),
        Languages::Rust => Some("rust"),
    };
    words.extend(languages.iter().flat_map(|name| ["--lang".to_string(), name.to_string()]));
    words.extend(["--name".to_string(), args.name.clone(), "-o".to_string(), args.name.clone()]);
    shell::command(&words)
}
