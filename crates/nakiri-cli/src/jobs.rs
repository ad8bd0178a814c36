//! Jobs of `tune`: self-contained parts of a search, for other processes or machines.

use crate::budget::Budget;
use crate::output::{self, say};
use crate::session::Failure;
use crate::subjects::Cipher;
use nakiri::compile::{legality, Options};
use nakiri::core::Direction;
use nakiri::isa::Target;
use nakiri_verify::cc::Work;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A part of a search: one instance on one target in one slicing with one C compiler. It holds the cipher's files, so
/// that it needs nothing but this program and that compiler.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The instance's prefix.
    pub instance: String,
    /// The target.
    pub target: String,
    /// The slicing.
    pub slicing: String,
    /// The C compiler's program.
    pub compiler: String,
    /// How much it may do.
    pub budget: String,
    /// The texts of the cipher's folder, by name.
    pub files: BTreeMap<String, String>,
}

/// Writes the jobs of a search, and says how to run them.
///
/// # Errors
/// [`Failure::Usage`] if the folder can't be written.
pub fn plan(
    folder: &Path,
    ciphers: &[Cipher],
    targets: &[&'static Target],
    slicings: &[Direction],
    compilers: &[String],
    budget: Budget,
) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Usage(format!("can't make the folder `{}`: {error}", folder.display()))
    })?;
    let mut jobs = Vec::new();
    for cipher in ciphers {
        let files = files(cipher);
        for instance in cipher.distinct_instances() {
            for target in targets {
                let asked = |s: &Direction| slicings.is_empty() || slicings.contains(s);
                let served = |s: &Direction| cipher.is_served(instance, target, *s);
                for direction in legality::PREFERENCE.into_iter().filter(asked).filter(served) {
                    if cipher.compile(instance, &Options::new(direction, target))?.is_err() {
                        continue;
                    }
                    jobs.extend(compilers.iter().map(|compiler| Job {
                        instance: instance.prefix.get_ref().clone(),
                        target: target.name.to_string(),
                        slicing: direction.to_string(),
                        compiler: compiler.clone(),
                        budget: String::new(),
                        files: files.clone(),
                    }));
                }
            }
        }
    }
    let share = budget.share(jobs.len()).to_string();
    for job in &mut jobs {
        job.budget = share.clone();
        let name = format!("{}-{}-{}-{}.job", job.instance, job.target, job.slicing, job.compiler);
        let text = serde_json::to_string_pretty(&job)
            .map_err(|error| Failure::Wrong(error.to_string()))?;
        output::write(&folder.join(name.replace('/', "_")), &(text + "\n"))?;
    }
    let place = folder.display();
    say!(
        "{} jobs with a budget of {share} each in `{place}`. One to a core at a time, with GNU parallel on two cores:\n  \
         parallel -j2 'taskset -c $(({{%}}-1)) nakiri tune --job {{}}' ::: {place}/*.job\n\
         and then:\n  nakiri tune CIPHER… --merge {place}/*.toml",
        jobs.len()
    );
    Ok(())
}

/// The texts that were read for a cipher, by their names in its folder.
fn files(cipher: &Cipher) -> BTreeMap<String, String> {
    let name = |path: &str| {
        let path = Path::new(path);
        let inside = path.strip_prefix(cipher.path()).ok().map(Path::to_path_buf);
        inside.or_else(|| path.file_name().map(PathBuf::from)).unwrap_or_default()
    };
    let files = cipher.session.sources.files().iter();
    files.map(|file| (name(&file.path).display().to_string(), file.text.clone())).collect()
}

/// Reads a job.
///
/// # Errors
/// [`Failure`] if it can't be read or is none.
pub fn read(path: &Path) -> Result<Job, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Usage(crate::session::unreadable(&path.display().to_string(), &error))
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Wrong(format!("`{}` is no job of `nakiri tune --plan`: {error}", path.display()))
    })
}

/// Lays a job's cipher into a folder of its own, which lasts as long as the first value, and opens it.
///
/// # Errors
/// [`Failure`] if it can't be written, or is wrong.
pub fn unpack(job: &Job) -> Result<(Work, Cipher), Failure> {
    let wrong = |error: nakiri_verify::Error| Failure::Wrong(error.to_string());
    let work = Work::new().map_err(wrong)?;
    for (name, text) in &job.files {
        let inside = Path::new(name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(Failure::Wrong(format!(
                "the job has a file outside of its folder: `{name}`"
            )));
        }
        if let Some(parent) = work.path(name).parent() {
            std::fs::create_dir_all(parent)
                .map_err(|error| Failure::Wrong(format!("`{}`: {error}", parent.display())))?;
        }
        work.write(name, text.as_bytes()).map_err(wrong)?;
    }
    let cipher = Cipher::open(&work.path(""), &[])?;
    Ok((work, cipher))
}

/// Where the result of a job is written.
pub fn result_path(job: &Path) -> PathBuf {
    job.with_extension("toml")
}
