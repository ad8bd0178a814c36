//! The program that a command works on: a file, or the source of a cipher's folder.

use crate::manifest::Folder;
use crate::session::{Failure, Session};
use nakiri::check::{Checked, Dialect, Options};
use nakiri::core::Program;
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
}

/// A file or a folder of the command line.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file with the nodes.
    pub source: PathBuf,
    /// The folder, if one was named.
    pub folder: Option<Box<Folder>>,
}

impl Input {
    /// Finds out what a path names; a folder's manifest is read.
    ///
    /// # Errors
    /// Those of [`Folder::read`].
    pub fn find(session: &mut Session, path: &Path) -> Result<Input, Failure> {
        if !path.is_dir() {
            return Ok(Input { source: path.to_path_buf(), folder: None });
        }
        let folder = Folder::read(session, path)?;
        Ok(Input { source: folder.source(), folder: Some(Box::new(folder)) })
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

/// A text made into an identifier of C.
pub fn identifier(text: &str) -> String {
    let name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name.chars().next() {
        Some(c) if !c.is_ascii_digit() => name,
        _ => format!("_{name}"),
    }
}

/// The program of a node that a manifest names.
///
/// # Errors
/// [`Failure::Reported`] if there is none.
pub fn of_node(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    node: &toml::Spanned<String>,
) -> Result<Program, Failure> {
    checked.program_for(node.get_ref()).ok_or_else(|| session.refuse(&[folder.no_such_node(node)]))
}
