//! From jobs to shared objects.

use super::plan::Job;
use super::Outcome;
use crate::interrupt;
use crate::output;
use nakiri_bench::bench::cache::{Built, Cache};
use nakiri_bench::parallel;

/// Compiles what was not compiled before, on all cores. What a compiler refuses is noted in `outcome`.
pub fn all(cache: &Cache, jobs: Vec<Job>, outcome: &mut Outcome) -> Vec<(Job, Built)> {
    let bar = output::progress(jobs.len(), "compiling");
    let built = parallel::map(&jobs, |job| {
        if interrupt::happened() {
            return Err("interrupted".to_string());
        }
        let built = cache.build(&job.compiled.source, &job.compiler, &job.flags, None);
        bar.inc(1);
        built
    });
    bar.finish_and_clear();
    let mut good = Vec::new();
    for (job, built) in jobs.into_iter().zip(built) {
        match built {
            Ok(built) => good.push((job, built)),
            Err(message) => outcome.fail(job.what(), first_lines(&message)),
        }
    }
    good
}

/// The beginning of what a compiler says.
pub fn first_lines(message: &str) -> String {
    const LINES: usize = 6;
    message.lines().take(LINES).collect::<Vec<_>>().join("\n  ")
}
