//! Processes that time. A crash of what is timed ends one of them and nothing else; and since no two processes get the same
//! physical pages, on which depends what their caches can hold, several are asked until their figures agree.

use super::worker::{Answer, Subject, Task};
use crate::measure::{addresses, Statistics};
use std::io::{Error, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Figures of two processes agree that differ by no more than this part.
const AGREEMENT: f64 = 0.01;

/// Most processes that are asked for the same figures.
const MOST_PROCESSES: usize = 9;

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

    /// Like [`Task::run_apart`], by several processes one after another: until each figure is confirmed by a second one,
    /// as far as that can be had. Each figure is that of the process in which its median was the smallest. Subjects that
    /// crash are left out.
    ///
    /// # Errors
    /// What to say if a process ends without an answer though no subject crashes when it is alone.
    pub fn measure_apart(
        &self,
        program: &Path,
        arguments: &[&str],
        variables: &[(String, String)],
    ) -> Result<Answer, String> {
        let start = |task: &Task| task.run_apart(program, arguments, variables);
        let first = match start(self) {
            Ok(answer) => answer,
            Err(message) => {
                let crashes: Vec<_> = self.subjects.iter().map(|s| crash(s, &start)).collect();
                if crashes.iter().all(Option::is_none) {
                    return Err(message);
                }
                let rest = self.without(&crashes);
                let answer = rest.measure_apart(program, arguments, variables)?;
                return Ok(answer.with(crashes, self.pairs.len()));
            }
        };
        let mut best = Best::new(first);
        for _ in 1..MOST_PROCESSES {
            if best.is_confirmed() || !best.add(start(self)?) {
                break;
            }
        }
        Ok(best.answer)
    }

    /// The task for those subjects that don't crash.
    fn without(&self, crashes: &[Option<String>]) -> Task {
        let alive = self.subjects.iter().zip(crashes).filter(|(_, crash)| crash.is_none());
        let subjects = alive.map(|(subject, _)| subject.clone()).collect();
        Task { subjects, pairs: Vec::new(), ..self.clone() }
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
    fn with(self, crashes: Vec<Option<String>>, pairs: usize) -> Answer {
        let mut alive = self.subjects.into_iter();
        let lost = || Err("it was not timed".to_string());
        let subjects = crashes.into_iter().map(|crash| match crash {
            Some(message) => Err(message),
            None => alive.next().unwrap_or_else(lost),
        });
        Answer { subjects: subjects.collect(), break_even: vec![None; pairs], ..self }
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

    /// Takes another answer. If it lacks some figures, because something failed this time, it is the one that counts,
    /// and the result is false.
    fn add(&mut self, mut other: Answer) -> bool {
        if other.figures().len() != self.confirmed.len() {
            self.answer = other;
            return false;
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
        true
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
        let mut best = Best::new(answer(&[2.0, 5.0]));
        assert!(best.add(answer(&[1.5, 5.01])) && !best.is_confirmed());
        assert!(best.add(answer(&[1.7, 4.0])) && !best.is_confirmed());
        assert!(best.add(answer(&[1.51, 4.02])) && best.is_confirmed());
        assert_eq!(kernels(&best), [1.5, 4.0]);
    }

    #[test]
    fn a_failure_counts_more_than_figures() {
        let mut best = Best::new(answer(&[2.0]));
        assert!(!best.add(Answer { subjects: vec![Err("wrong".to_string())], ..answer(&[]) }));
        assert_eq!(best.answer.subjects[0].as_ref().err(), Some(&"wrong".to_string()));
    }

    #[test]
    fn answers_are_completed_by_crashes() {
        let crashes = vec![Some("signal".to_string()), None];
        let whole = answer(&[2.0]).with(crashes, 1);
        assert!(whole.subjects[0].is_err() && whole.subjects[1].is_ok());
        assert_eq!(whole.break_even, [None]);
    }
}
