//! Processes that time. A crash of what is timed ends one of them and nothing else; and since no two processes get the same
//! physical pages, on which depends what their caches can hold, and what else runs on the machine comes and goes, several are
//! asked until their figures agree.

use super::worker::{Answer, Subject, Task};
use crate::measure::{addresses, Statistics};
use std::io::{Error, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Figures of two processes agree that differ by no more than this part.
const AGREEMENT: f64 = 0.01;

/// Fewest and most processes that are asked for the same figures.
const PROCESSES: std::ops::RangeInclusive<usize> = 5..=9;

impl Task {
    /// Has the task done by a process of its own: `program` with `arguments`, which must call [`serve`]. The variables
    /// are added to its environment.
    ///
    /// # Errors
    /// What to say if it ends without an answer.
    pub fn run_apart(
        &self,
        program: &Path,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<Answer, String> {
        let failed = |error: Error| format!("can't start the process that times: {error}");
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
        addresses::fix(&mut command);
        // Ctrl-C is for this program, which prints what was measured before it ends.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let task = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        if let Some(mut stdin) = child.stdin.take() {
            // If it has ended already, its exit status says more than the closed pipe.
            let _ = stdin.write_all(&task);
        }
        let done = child.wait_with_output().map_err(failed)?;
        if !done.status.success() {
            return Err(format!("the process that times ended early: {}", done.status));
        }
        serde_json::from_slice(&done.stdout)
            .map_err(|error| format!("the process that times gave no answer: {error}"))
    }

    /// The task for those subjects that don't crash.
    fn without(&self, crashes: &[Option<String>]) -> Task {
        let alive = self.subjects.iter().zip(crashes).filter(|(_, crash)| crash.is_none());
        let subjects = alive.map(|(subject, _)| subject.clone()).collect();
        Task { subjects, pairs: Vec::new(), ..self.clone() }
    }
}

/// A task that several processes are given, one after another, and better not at once: until each figure is confirmed by a
/// second process, as far as that can be had. Each figure is that of the process in which its median was the smallest.
/// Subjects that crash are left out.
pub struct Repeated<'a> {
    task: Task,
    worker: Worker<'a>,
    /// How each subject crashes, if any does.
    crashes: Vec<Option<String>>,
    best: Option<Result<Best, String>>,
    processes: usize,
}

/// How a process that times is started; see [`Task::run_apart`].
#[derive(Clone, Debug)]
pub struct Worker<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Variables that are added to its environment.
    pub variables: Vec<(String, String)>,
}

impl<'a> Repeated<'a> {
    /// A task that no process has been given yet.
    pub fn new(task: Task, worker: Worker<'a>) -> Repeated<'a> {
        let crashes = vec![None; task.subjects.len()];
        Repeated { task, worker, crashes, best: None, processes: 0 }
    }

    /// Whether no more processes are needed.
    pub fn is_settled(&self) -> bool {
        let confirmed = match &self.best {
            None => return false,
            Some(Err(_)) => return true,
            Some(Ok(best)) => best.is_confirmed(),
        };
        let needed = if confirmed { *PROCESSES.start() } else { *PROCESSES.end() };
        self.processes >= needed
    }

    /// Gives the task to one more process.
    pub fn again(&mut self) {
        self.processes += 1;
        self.best = Some(match (self.start(&self.task), self.best.take()) {
            (Ok(answer), None) => Ok(Best::new(answer)),
            (Ok(answer), Some(best)) => best.map(|best| best.or(answer)),
            (Err(message), None) => self.survivors(message),
            (Err(message), Some(_)) => Err(message),
        });
    }

    fn start(&self, task: &Task) -> Result<Answer, String> {
        let Worker { program, arguments, variables } = &self.worker;
        task.run_apart(program, arguments, variables)
    }

    /// The figures of those subjects that don't crash, which the task is reduced to.
    fn survivors(&mut self, message: String) -> Result<Best, String> {
        let start = |task: &Task| self.start(task);
        self.crashes = self.task.subjects.iter().map(|subject| crash(subject, &start)).collect();
        if self.crashes.iter().all(Option::is_none) {
            return Err(message);
        }
        self.task = self.task.without(&self.crashes);
        self.start(&self.task).map(Best::new)
    }

    /// The figures.
    ///
    /// # Errors
    /// What to say if a process ended without an answer though no subject crashes when it is alone, or if none was
    /// started.
    pub fn answer(self) -> Result<Answer, String> {
        let best = self.best.unwrap_or_else(|| Err("it was not timed".to_string()))?;
        Ok(best.answer.with(self.crashes))
    }
}

/// How a process ends that is given one subject alone, if it ends early.
fn crash(subject: &Subject, start: &dyn Fn(&Task) -> Result<Answer, String>) -> Option<String> {
    let alone = Task {
        subjects: vec![subject.clone()],
        sizes: vec![1],
        samples: 1,
        parts: true,
        pairs: Vec::new(),
        against: None,
    };
    start(&alone).err()
}

impl Answer {
    /// The answer to the task with those subjects too that crash.
    fn with(self, crashes: Vec<Option<String>>) -> Answer {
        let mut alive = self.subjects.into_iter();
        let lost = || Err("it was not timed".to_string());
        let subjects = crashes.into_iter().map(|crash| match crash {
            Some(message) => Err(message),
            None => alive.next().unwrap_or_else(lost),
        });
        Answer { subjects: subjects.collect(), ..self }
    }

    /// All figures, in an order that is the same for the same task.
    fn figures(&mut self) -> Vec<&mut Statistics> {
        let ours = self.subjects.iter_mut().flatten().flat_map(|measured| {
            let parts = [&mut measured.kernel, &mut measured.transposition, &mut measured.latency];
            parts.into_iter().chain(&mut measured.messages)
        });
        let theirs = self.others.iter_mut().flatten().flat_map(|timed| &mut timed.messages);
        ours.chain(theirs).collect()
    }
}

/// The smallest figures so far, and whether a second process confirmed each.
struct Best {
    answer: Answer,
    confirmed: Vec<bool>,
}

impl Best {
    fn new(mut answer: Answer) -> Best {
        let confirmed = vec![false; answer.figures().len()];
        Best { answer, confirmed }
    }

    fn is_confirmed(&self) -> bool {
        self.confirmed.iter().all(|confirmed| *confirmed)
    }

    /// With the smaller ones of another answer. If that lacks some figures, because something failed this time, it is the
    /// one that counts.
    fn or(mut self, mut other: Answer) -> Best {
        if other.figures().len() != self.confirmed.len() {
            return Best::new(other);
        }
        let figures = self.answer.figures().into_iter().zip(other.figures());
        for ((best, other), confirmed) in figures.zip(&mut self.confirmed) {
            let agree = (best.median - other.median).abs() <= AGREEMENT * best.median;
            let faster = other.median < best.median;
            *confirmed = agree || *confirmed && !faster;
            if faster {
                *best = *other;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::worker::Measured;

    fn answer(kernels: &[f64]) -> Answer {
        let measured = |median: &f64| {
            let kernel = Statistics { median: *median, ..Statistics::default() };
            let (transposition, latency) = (kernel, kernel);
            let (blocks, block_bytes, mode) = (1, 1, "blocks".to_string());
            Ok(Measured {
                blocks,
                block_bytes,
                mode,
                kernel,
                transposition,
                latency,
                messages: Vec::new(),
                counted: None,
            })
        };
        Answer {
            core_per_tick: 1.0,
            warnings: Vec::new(),
            subjects: kernels.iter().map(measured).collect(),
            break_even: Vec::new(),
            others: Vec::new(),
        }
    }

    fn kernels(best: &Best) -> Vec<f64> {
        best.answer.subjects.iter().flatten().map(|measured| measured.kernel.median).collect()
    }

    #[test]
    fn the_smallest_figure_that_two_processes_agree_on_counts() {
        let best = Best::new(answer(&[2.0, 5.0])).or(answer(&[1.5, 5.01]));
        assert!(!best.is_confirmed());
        let best = best.or(answer(&[1.7, 4.0]));
        assert!(!best.is_confirmed());
        let best = best.or(answer(&[1.51, 4.02]));
        assert!(best.is_confirmed());
        assert_eq!(kernels(&best), [1.5, 4.0]);
    }

    #[test]
    fn a_failure_counts_more_than_figures() {
        let wrong = Answer { subjects: vec![Err("wrong".to_string())], ..answer(&[]) };
        let best = Best::new(answer(&[2.0])).or(wrong);
        assert_eq!(best.answer.subjects[0].as_ref().err(), Some(&"wrong".to_string()));
    }

    #[test]
    fn answers_are_completed_by_crashes() {
        let whole = answer(&[2.0]).with(vec![Some("signal".to_string()), None]);
        assert!(whole.subjects[0].is_err() && whole.subjects[1].is_ok());
    }
}
