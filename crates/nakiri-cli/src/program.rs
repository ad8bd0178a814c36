//! The program that a command works on: a file, or the source of a cipher's folder.

use crate::circuits;
use crate::manifest::{self, Folder};
use crate::session::{Failure, Session};
use crate::shelves;
use crate::verilog::{self, HardwareArgs};
use nakiri::check::{Checked, Dialect, Options};
use nakiri::core::{Direction, Program};
use nakiri::isa::Target;
use nakiri::run::{Run, Schedule, Shared};
use nakiri::source::Span;
use nakiri_library::entry::identifier;
use std::path::{Path, PathBuf};

/// The flags that say how a source is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SourceArgs {
    /// A folder in which included files are looked for (may be given several times)
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The node to start with, instead of the last one
    #[arg(long, value_name = "NODE")]
    pub entry: Option<String>,
    /// Read a file written for an older compiler
    #[arg(long, value_name = "COMPILER")]
    pub compat: Option<Compat>,
    /// Do all ticks of a program with registers in one call, its control the same in all lanes: `start=1; start=0 until
    /// done`. See `nakiri explain E0530`
    #[arg(long, value_name = "SCHEDULE")]
    pub run: Option<String>,
    /// Inputs that are the same in all lanes, such as `load,rst`: what depends on them alone is computed once, not in each
    /// lane (step functions in slicing -B)
    #[arg(long, value_name = "INPUT,…")]
    pub shared: Option<String>,
    /// Take no circuits from the user's cache, where `nakiri circuit` keeps them: what is made depends on the sources alone
    #[arg(long)]
    pub no_cache: bool,
    /// How hardware is read.
    #[command(flatten)]
    pub hardware: HardwareArgs,
}

/// Compilers whose files can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Compat {
    /// The compiler of the PLDI 2019 paper
    Usubac,
}

impl SourceArgs {
    /// What the checker is told.
    pub fn options(&self) -> Options {
        let dialect = match self.compat {
            Some(Compat::Usubac) => Dialect::Usubac,
            None => Dialect::Nakiri,
        };
        Options { dialect, entry: self.entry.clone() }
    }

    /// Checks the program of an input and reports what is wrong with it, warnings too. Hardware is synthesized for a target,
    /// or only checked.
    ///
    /// # Errors
    /// [`Failure::Reported`] if it has errors, or [`Failure::Usage`] if a file can't be read, Yosys is missing, or a run of a
    /// folder is asked for.
    pub fn check(
        &self,
        session: &mut Session,
        input: &Input,
        target: Option<&'static Target>,
    ) -> Result<Source, Failure> {
        let flags = [("run", &self.run), ("shared", &self.shared)];
        if let Some((flag, _)) =
            flags.iter().find(|(_, given)| given.is_some() && input.folder.is_some())
        {
            let message =
                format!("--{flag} is for files; in a folder's manifest an instance has `{flag}`");
            return Err(Failure::Usage(message));
        }
        let schedule = self.schedule(session)?;
        if input.is_hardware() {
            let files = input.files();
            let (args, schedule) = (&self.hardware, schedule.as_ref());
            let (program, run) = verilog::program(session, &files, args, schedule, target)?;
            let mut checked = Checked::of(program);
            self.tell(&mut checked);
            return Source { checked, run, shared: None }.divided(self, session);
        }
        let mut checked = session.check(&input.source, &self.options())?;
        self.tell(&mut checked);
        let Some(schedule) = schedule else {
            return Source { checked, run: None, shared: None }.divided(self, session);
        };
        let run = Run::new(&checked.program, &schedule);
        let run = run.map_err(|diagnostics| session.refuse(&diagnostics))?;
        let checked = Checked::of(run.program.clone());
        Source { checked, run: Some(run), shared: None }.divided(self, session)
    }

    /// Tells the program of circuits that `nakiri circuit` has found, if these may be taken.
    fn tell(&self, checked: &mut Checked) {
        if !self.no_cache {
            circuits::tell(checked);
        }
    }

    /// The slicing that its options ask for: beside shared control a lane is a bit of each register.
    pub fn direction(&self) -> Option<Direction> {
        self.shared.is_some().then_some(Direction::B)
    }

    /// A program in two, if inputs are named that all lanes share.
    ///
    /// # Errors
    /// [`Failure::Reported`] if it can't be divided so, [`Failure::Usage`] if it is run as well.
    pub fn shared(
        &self,
        session: &mut Session,
        program: &Program,
    ) -> Result<Option<Shared>, Failure> {
        let Some(list) = &self.shared else { return Ok(None) };
        if self.run.is_some() {
            let message =
                "--run does all ticks by one schedule, the same in all lanes: leave out --shared";
            return Err(Failure::Usage(message.to_string()));
        }
        let file = session.sources.add("--shared", list.clone());
        let shared = Shared::new(program, list, Span::new(file, 0..list.len()));
        shared.map(Some).map_err(|wrong| session.refuse(&wrong))
    }

    /// The schedule of a run, if one is asked for.
    ///
    /// # Errors
    /// [`Failure::Reported`] if it can't be read.
    pub fn schedule(&self, session: &mut Session) -> Result<Option<Schedule>, Failure> {
        let Some(text) = &self.run else { return Ok(None) };
        let file = session.sources.add("--run", text.clone());
        let schedule = Schedule::parse(text, file);
        schedule.map(Some).map_err(|wrong| session.refuse(&[wrong]))
    }
}

/// What an input describes.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its program; of a run all ticks; beside shared control what each lane computes.
    pub checked: Checked,
    /// The run, if one is asked for.
    pub run: Option<Run>,
    /// Its program and the two that it is divided in, if inputs are named that all lanes share.
    pub shared: Option<(Program, Shared)>,
}

impl Source {
    /// Takes what all lanes share out of it.
    fn divided(self, args: &SourceArgs, session: &mut Session) -> Result<Source, Failure> {
        let Some(shared) = args.shared(session, &self.checked.program)? else { return Ok(self) };
        let checked = Checked::of(shared.lanes.clone());
        Ok(Source { checked, shared: Some((self.checked.program, shared)), ..self })
    }
}

/// A file or a folder of the command line.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file with the nodes.
    pub source: PathBuf,
    /// More files of the same hardware.
    pub more: Vec<PathBuf>,
    /// The folder, if one was named.
    pub folder: Option<Box<Folder>>,
}

impl Input {
    /// Finds out what a path names, or a name on the [`shelves`]; a folder's manifest is read.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a name that means nothing; those of [`manifest::read`].
    pub fn find(session: &mut Session, path: &Path) -> Result<Input, Failure> {
        let shelved = match path.exists() {
            true => None,
            false => shelves::find(path, &shelves::ALL)?,
        };
        let path = shelved.as_deref().unwrap_or(path);
        if !path.is_dir() {
            return match path.exists() || path.extension().is_some() || path == Path::new("-") {
                true => Ok(Input { source: path.to_path_buf(), more: Vec::new(), folder: None }),
                false => Err(shelves::unknown(path, &shelves::ALL)),
            };
        }
        let folder = manifest::read(session, path)?;
        let source = folder.source();
        Ok(Input { source, more: Vec::new(), folder: Some(Box::new(folder)) })
    }

    /// Finds out what several paths name: more than one are files of one design.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the first is no hardware and there are more; those of [`Input::find`].
    pub fn of_files(session: &mut Session, paths: &[PathBuf]) -> Result<Input, Failure> {
        let (first, more) = match paths {
            [first, more @ ..] => (first, more.to_vec()),
            [] => return Err(Failure::Usage("a file is needed".to_string())),
        };
        let input = Input { more, ..Input::find(session, first)? };
        match (input.is_hardware(), &input.more[..]) {
            (false, [second, ..]) => {
                let message = format!("one program is one file; what is `{}`?", second.display());
                Err(Failure::Usage(message))
            }
            _ => Ok(input),
        }
    }

    /// The same with some of a folder's instances alone; all where none is named.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a name that none has, and where there is no folder.
    pub fn with_instances(mut self, prefixes: &[String]) -> Result<Input, Failure> {
        if prefixes.is_empty() {
            return Ok(self);
        }
        let Some(folder) = &mut self.folder else {
            let message =
                "--instance is for a cipher's folder: of a file --entry takes a node or a mode";
            return Err(Failure::Usage(message.to_string()));
        };
        folder.keep(prefixes).map_err(Failure::Usage)?;
        Ok(self)
    }

    /// Whether it is hardware: Verilog, or a netlist.
    pub fn is_hardware(&self) -> bool {
        self.folder.is_none() && verilog::is_hardware(&self.source)
    }

    /// All files that were named.
    pub fn files(&self) -> Vec<PathBuf> {
        std::iter::once(&self.source).chain(&self.more).cloned().collect()
    }

    /// The slicing that it is made for, if there is one.
    pub fn preferred(&self) -> Option<Direction> {
        match &self.folder {
            Some(folder) => Some(folder.manifest.direction()),
            None => self.is_hardware().then_some(Direction::B),
        }
    }

    /// A name for what is made of it.
    pub fn name(&self) -> String {
        match &self.folder {
            Some(folder) => folder.manifest.name.get_ref().clone(),
            None => {
                let stem = self.source.file_stem().unwrap_or_default().to_string_lossy();
                identifier(if stem == "-" { "program" } else { &stem })
            }
        }
    }
}

/// The program of a node that a manifest names; of a mode that which takes a block.
///
/// # Errors
/// [`Failure::Reported`] if there is none.
pub fn of_node(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    node: &toml::Spanned<String>,
) -> Result<Program, Failure> {
    folder.program(checked, node).map_err(|problem| session.refuse(&[problem]))
}
