//! What takes longer than a keystroke: done in threads of their own, and left where nobody waits for it any more.

use super::unit::Unit;
use crossbeam_channel::{unbounded, Sender};
use lsp_server::Response;
use lsp_types::Uri;
use nakiri::check::{self, Analysis};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Deep trees need a deep stack.
const STACK: usize = 64 << 20;

/// Which text of a document something belongs to.
#[derive(Clone, Debug, Default)]
pub struct Generation {
    own: u64,
    newest: Arc<AtomicU64>,
}

impl Generation {
    /// The one of the next text: all before it are stale.
    pub fn next(&self) -> Generation {
        let newest = self.newest.clone();
        Generation { own: newest.fetch_add(1, Ordering::SeqCst) + 1, newest }
    }

    /// Whether there is a newer text.
    pub fn is_stale(&self) -> bool {
        self.newest.load(Ordering::SeqCst) != self.own
    }
}

/// A program to be checked.
pub struct Job {
    /// The document that it starts in.
    pub uri: Uri,
    /// Which text of it that is.
    pub generation: Generation,
    /// The program.
    pub unit: Arc<Unit>,
    /// How it is checked.
    pub options: check::Options,
}

/// What came of something.
pub enum Event {
    /// A program was checked.
    Checked(Uri, Generation, Arc<Analysis>),
    /// A request has its answer.
    Answered(Response),
}

/// An answer that takes a while.
pub type Slow = Box<dyn FnOnce() -> Response + Send>;

/// How long an answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// About as long as one may wait for it.
    Soon,
    /// Seconds, while nothing else waits for it.
    Late,
}

/// The threads: one that checks programs, and one for the answers of each pace.
pub struct Workers {
    /// Programs to be checked.
    pub check: Sender<Job>,
    soon: Sender<Slow>,
    late: Sender<Slow>,
}

impl Workers {
    /// Starts them; what they find out goes to `events`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(events: &Sender<Event>) -> std::io::Result<Workers> {
        let (check, jobs) = unbounded::<Job>();
        let checked = events.clone();
        deep().spawn(move || {
            for job in jobs.iter().filter(|job| !job.generation.is_stale()) {
                let analysis = Arc::new(analysis(&job));
                let event = Event::Checked(job.uri, job.generation, analysis);
                if checked.send(event).is_err() {
                    return;
                }
            }
        })?;
        Ok(Workers { check, soon: answering(events)?, late: answering(events)? })
    }

    /// Has an answer found.
    pub fn find(&self, pace: Pace, find: Slow) {
        let thread = match pace {
            Pace::Soon => &self.soon,
            Pace::Late => &self.late,
        };
        // The thread ends with this one.
        let _ = thread.send(find);
    }
}

/// A thread that finds one answer after another.
fn answering(events: &Sender<Event>) -> std::io::Result<Sender<Slow>> {
    let (sender, questions) = unbounded::<Slow>();
    let events = events.clone();
    deep().spawn(move || {
        for question in questions {
            if events.send(Event::Answered(question())).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// A thread with a stack for deep trees.
pub fn deep() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(STACK)
}

/// What the checker says. If it panics, that is our bug, and nothing is known.
fn analysis(job: &Job) -> Analysis {
    let is_stale = || job.generation.is_stale();
    let unit = &job.unit;
    let check = || check::analyse(&unit.sources, unit.root, &unit.files, &job.options, &is_stale);
    let nothing = |_| Analysis { checked: None, nodes: Vec::new(), diagnostics: Vec::new() };
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(nothing)
}
