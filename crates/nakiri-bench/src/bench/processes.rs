//! Processes that time. A crash of what is timed ends one of them and nothing else. Several are asked, since what else runs on
//! the machine comes and goes, and since some code has a fast and a slow state, one of which a process is in most of the time.

use super::messages;
use super::worker::{Answer, Subject, Task};
use crate::measure::{addresses, Statistics};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Error, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// How well the processes must agree on a figure, all but the slowest sixteenth: that may have been disturbed. A larger part is
/// a second state.
const RANGE: f64 = 0.02;

/// Fewest and most processes that are asked for the same figures.
const PROCESSES: std::ops::RangeInclusive<usize> = 5..=40;

/// What a process that times is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Asked {
    /// What the parts of libraries cost; the answer is an [`Answer`].
    Parts(Task),
    /// What functions on messages cost; the answer is a [`messages::Answer`], or why there is none.
    Messages(messages::Task),
}

impl Worker<'_> {
    /// Has a process of its own answer: the program, which must call [`serve`](super::worker::serve).
    ///
    /// # Errors
    /// What to say if it ends without an answer.
    pub fn ask<A: DeserializeOwned>(&self, asked: &Asked) -> Result<A, String> {
        let failed = |error: Error| format!("can't start the process that times: {error}");
        let mut command = Command::new(self.program);
        command.args(self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        addresses::fix(&mut command);
        // Ctrl-C is for this program, which prints what was measured before it ends.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let asked = serde_json::to_vec(asked).map_err(|error| error.to_string())?;
        if let Some(mut stdin) = child.stdin.take() {
            // If it has ended already, its exit status says more than the closed pipe.
            let _ = stdin.write_all(&asked);
        }
        let done = child.wait_with_output().map_err(failed)?;
        if !done.status.success() {
            return Err(format!("the process that times ended early: {}", done.status));
        }
        serde_json::from_slice(&done.stdout)
            .map_err(|error| format!("the process that times gave no answer: {error}"))
    }
}

impl Task {
    /// The task for those subjects that don't crash.
    fn without(&self, crashes: &[Option<String>]) -> Task {
        let alive = self.subjects.iter().zip(crashes).filter(|(_, crash)| crash.is_none());
        let subjects = alive.map(|(subject, _)| subject.clone()).collect();
        Task { subjects, pairs: Vec::new(), ..self.clone() }
    }
}

/// A task that several processes are given, one after another, and better not at once: until they agree on each figure, as far as
/// that can be had. The figure is the mean of all but the slowest quarter, since a median would jump from one state to the other.
/// Subjects that crash are left out.
pub struct Repeated<'a> {
    task: Task,
    worker: Worker<'a>,
    /// How each subject crashes, if any does.
    crashes: Vec<Option<String>>,
    answers: Option<Result<Answers<Answer>, String>>,
}

/// How a process that times is started.
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
        Repeated { task, worker, crashes, answers: None }
    }

    /// Whether no more processes are needed.
    pub fn is_settled(&self) -> bool {
        match &self.answers {
            None => false,
            Some(Err(_)) => true,
            Some(Ok(answers)) => answers.are_settled(),
        }
    }

    /// Gives the task to one more process.
    pub fn again(&mut self) {
        self.answers = Some(match (self.start(&self.task), self.answers.take()) {
            (Ok(answer), None) => Ok(Answers::new(answer)),
            (Ok(answer), Some(answers)) => answers.map(|answers| answers.and(answer)),
            (Err(message), None) => self.survivors(message),
            (Err(message), Some(_)) => Err(message),
        });
    }

    fn start(&self, task: &Task) -> Result<Answer, String> {
        self.worker.ask(&Asked::Parts(task.clone()))
    }

    /// The figures of those subjects that don't crash, which the task is reduced to.
    fn survivors(&mut self, message: String) -> Result<Answers<Answer>, String> {
        let start = |task: &Task| self.start(task);
        self.crashes = self.task.subjects.iter().map(|subject| crash(subject, &start)).collect();
        if self.crashes.iter().all(Option::is_none) {
            return Err(message);
        }
        self.task = self.task.without(&self.crashes);
        self.start(&self.task).map(Answers::new)
    }

    /// The figures.
    ///
    /// # Errors
    /// What to say if a process ended without an answer though no subject crashes when it is alone, or if none was
    /// started.
    pub fn answer(self) -> Result<Answer, String> {
        let answers = self.answers.unwrap_or_else(|| Err("it was not timed".to_string()))?;
        Ok(answers.agreed().with(self.crashes))
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
}

impl Figures for Answer {
    fn figures(&mut self) -> Vec<&mut Statistics> {
        let ours = self.subjects.iter_mut().flatten().flat_map(|measured| {
            let parts = [&mut measured.kernel, &mut measured.transposition, &mut measured.latency];
            parts.into_iter().chain(&mut measured.key).chain(&mut measured.messages)
        });
        let theirs = self.others.iter_mut().flatten().flat_map(|timed| &mut timed.messages);
        ours.chain(theirs).collect()
    }
}

/// An answer, as far as it is figures.
pub trait Figures {
    /// All of them, in an order that is the same for the same task.
    fn figures(&mut self) -> Vec<&mut Statistics>;
}

/// What the processes have answered so far, and all their figures.
pub struct Answers<A> {
    first: A,
    /// For each figure that of each process.
    figures: Vec<Vec<Statistics>>,
    processes: usize,
}

impl<A: Figures> Answers<A> {
    /// That of one process.
    pub fn new(mut first: A) -> Answers<A> {
        let figures = first.figures().into_iter().map(|figure| vec![*figure]).collect();
        Answers { first, figures, processes: 1 }
    }

    /// With one more. If it lacks some figures, because something failed this time, it is the one that counts.
    #[must_use]
    pub fn and(mut self, mut other: A) -> Answers<A> {
        self.processes += 1;
        if other.figures().len() != self.figures.len() {
            return Answers { processes: self.processes, ..Answers::new(other) };
        }
        for (figures, other) in self.figures.iter_mut().zip(other.figures()) {
            let place = figures.partition_point(|figure| figure.median <= other.median);
            figures.insert(place, *other);
        }
        self
    }

    /// Whether no more processes are needed.
    pub fn are_settled(&self) -> bool {
        let needed = if self.are_known() { *PROCESSES.start() } else { *PROCESSES.end() };
        self.processes >= needed
    }

    /// Whether the processes agree on each figure.
    fn are_known(&self) -> bool {
        self.figures.iter().all(|figures| {
            let undisturbed = all_but_the_slowest(16, figures);
            undisturbed[undisturbed.len() - 1].median <= (1.0 + RANGE) * undisturbed[0].median
        })
    }

    /// The answer with the means of all but the slowest quarter of the processes.
    pub fn agreed(mut self) -> A {
        for (figure, all) in self.first.figures().into_iter().zip(&self.figures) {
            let counted = all_but_the_slowest(4, all);
            let sum: f64 = counted.iter().map(|figure| figure.median).sum();
            *figure = Statistics {
                min: all.iter().map(|figure| figure.min).fold(f64::INFINITY, f64::min),
                median: sum / counted.len() as f64,
                ..counted[counted.len() / 2]
            };
        }
        self.first
    }
}

/// Sorted figures without the last one of so many.
fn all_but_the_slowest(part: usize, figures: &[Statistics]) -> &[Statistics] {
    &figures[..figures.len() - figures.len() / part]
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
                key: None,
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

    fn kernels(answers: Answers<Answer>) -> Vec<f64> {
        answers.agreed().subjects.iter().flatten().map(|measured| measured.kernel.median).collect()
    }

    #[test]
    fn all_but_the_slowest_quarter_count() {
        let mut answers = Answers::new(answer(&[1.73, 5.0]));
        for kernels in [[1.7, 5.03], [1.71, 5.01]] {
            answers = answers.and(answer(&kernels));
        }
        assert!(answers.are_known(), "1.7 to 1.73, 5.0 to 5.03");
        answers = answers.and(answer(&[1.69, 5.04]));
        assert!(!answers.are_known(), "1.69 to 1.73");
        assert_eq!(kernels(answers), [(1.69 + 1.7 + 1.71) / 3.0, (5.0 + 5.01 + 5.03) / 3.0]);
    }

    #[test]
    fn two_states_are_seen() {
        let mut answers = Answers::new(answer(&[1.8]));
        for _ in 0..14 {
            answers = answers.and(answer(&[1.7]));
            assert!(!answers.are_known());
        }
        answers = answers.and(answer(&[1.7]));
        assert!(answers.are_known(), "one of sixteen may have been disturbed");
        answers = answers.and(answer(&[1.8]));
        assert!(!answers.are_known());
    }

    #[test]
    fn a_failure_counts_more_than_figures() {
        let wrong = Answer { subjects: vec![Err("wrong".to_string())], ..answer(&[]) };
        let answers = Answers::new(answer(&[2.0])).and(wrong);
        assert_eq!(answers.agreed().subjects[0].as_ref().err(), Some(&"wrong".to_string()));
    }

    #[test]
    fn answers_are_completed_by_crashes() {
        let whole = answer(&[2.0]).with(vec![Some("signal".to_string()), None]);
        assert!(whole.subjects[0].is_err() && whole.subjects[1].is_ok());
    }
}
