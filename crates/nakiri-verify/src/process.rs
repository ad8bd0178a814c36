//! Programs that are run, with all that they start, and the folders in which they work. None of them outlives the program
//! that uses this, if that says so where it is interrupted.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether a program has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// What there is.
struct Present {
    groups: Vec<u32>,
    folders: Vec<PathBuf>,
    /// Whether no more are started.
    stopped: bool,
}

static PRESENT: Mutex<Present> =
    Mutex::new(Present { groups: Vec::new(), folders: Vec::new(), stopped: false });

fn present() -> MutexGuard<'static, Present> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs and removes all folders, before the program itself ends. From then on none can be started or made.
pub fn abandon() {
    /// How often a folder is removed in which what was ended may just have written.
    const ATTEMPTS: usize = 50;
    let present = present();
    present.groups.iter().for_each(|&group| kill(group));
    for folder in &present.folders {
        for _ in 0..ATTEMPTS {
            if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    std::mem::forget(present);
}

/// Ends all programs. From then on none is started, which is an error of the kind [`io::ErrorKind::Interrupted`].
pub fn stop() {
    let mut present = present();
    present.stopped = true;
    present.groups.iter().for_each(|&group| kill(group));
}

/// Says that a folder was made.
pub(crate) fn made(folder: &Path) {
    present().folders.push(folder.to_path_buf());
}

/// Says that a folder was removed.
pub(crate) fn removed(folder: &Path) {
    present().folders.retain(|other| other != folder);
}

/// A program that was started: the first of a group of processes that end together, for what a driver has started would go on
/// without it.
#[derive(Debug)]
pub struct Group {
    pub(crate) child: Child,
}

impl Group {
    /// Starts a program.
    ///
    /// # Errors
    /// Those of [`Command::spawn`].
    pub fn spawn(command: &mut Command) -> io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut present = present();
        if present.stopped {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = command.spawn()?;
        present.groups.push(child.id());
        Ok(Group { child })
    }

    /// The number of the first process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the program ended, if it did so within some time; else it is ended, with all that it started.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait(&mut self, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        self.wait_while(|| limit.is_none_or(|limit| start.elapsed() < limit))
    }

    /// How the program ended, if it did so as long as a condition held; else it is ended, with all that it started.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait_while(
        &mut self,
        mut condition: impl FnMut() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        while condition() {
            match self.child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None => std::thread::sleep(PAUSE),
            }
        }
        kill(self.id());
        self.child.kill()?;
        self.child.wait()?;
        Ok(None)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let id = self.id();
        present().groups.retain(|&group| group != id);
    }
}

/// Ends a group of processes, by the number of the first.
fn kill(group: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{kill_process_group, Pid, Signal};
        // Those that have ended by themselves can't be.
        let group = i32::try_from(group).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    }
    #[cfg(not(unix))]
    let _ = group;
}
