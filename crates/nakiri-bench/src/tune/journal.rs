//! What a search has found so far, line by line: an interrupted search goes on where it was.

use super::space::Candidate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The costs of candidates, on disk.
#[derive(Debug)]
pub struct Journal {
    file: File,
    known: BTreeMap<Candidate, f64>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    candidate: Candidate,
    cost: f64,
}

impl Journal {
    /// Opens a journal and reads what is in it; with `anew` it is emptied. A last line that was not finished is
    /// forgotten.
    ///
    /// # Errors
    /// If it can't be read or written.
    pub fn open(path: &Path, anew: bool) -> io::Result<Journal> {
        let text = match (anew, std::fs::read_to_string(path)) {
            (false, Ok(text)) => text,
            (false, Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => String::new(),
        };
        let whole: Vec<&str> = text.split_inclusive('\n').filter(|l| l.ends_with('\n')).collect();
        let lines = whole.iter().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known = lines.map(|line| (line.candidate, line.cost)).collect();
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
        file.write_all(whole.concat().as_bytes())?;
        Ok(Journal { file, known })
    }

    /// The cost of a candidate, if it is known.
    pub fn get(&self, candidate: &Candidate) -> Option<f64> {
        self.known.get(candidate).copied()
    }

    /// How many candidates are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Writes down what a candidate costs.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put(&mut self, candidate: &Candidate, cost: f64) -> io::Result<()> {
        let line = Line { candidate: candidate.clone(), cost };
        let text = serde_json::to_string(&line)?;
        // One call, so that an interruption leaves at most the last line unfinished.
        self.file.write_all(format!("{text}\n").as_bytes())?;
        self.known.insert(line.candidate, line.cost);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nakiri_verify::cc::Work;

    fn candidate(configuration: &str) -> Candidate {
        Candidate {
            configuration: configuration.to_string(),
            compiler: "gcc".to_string(),
            flags: vec!["-O3".to_string()],
        }
    }

    #[test]
    fn what_was_written_is_there_after_an_interruption() {
        let work = Work::new().expect("folder");
        let path = work.path("journal");
        let mut journal = Journal::open(&path, false).expect("journal");
        journal.put(&candidate("V avx2"), 1.5).expect("written");
        journal.put(&candidate("B avx2"), 3.5).expect("written");
        drop(journal);
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, format!("{text}{{\"candidate\": {{\"conf")).expect("written");
        let mut journal = Journal::open(&path, false).expect("journal");
        assert_eq!(journal.get(&candidate("V avx2")), Some(1.5));
        assert_eq!(journal.get(&candidate("B avx2")), Some(3.5));
        journal.put(&candidate("H avx2"), 2.0).expect("written");
        drop(journal);
        assert_eq!(Journal::open(&path, false).expect("journal").len(), 3);
        assert!(Journal::open(&path, true).expect("journal").is_empty());
    }
}
