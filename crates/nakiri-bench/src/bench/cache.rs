//! Compiled files, kept by what they are made of: the source, the compiler, its version and its flags.

use nakiri_verify::cc::Compiler;
use nakiri_verify::verdict;
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder in which compiled files are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// A compiled source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The relocatable object.
    pub object: PathBuf,
    /// The shared object made of it.
    pub shared: PathBuf,
}

impl Cache {
    /// The folder that was asked for, or that of the environment variable `NAKIRI_CACHE`, or `nakiri` in the user's
    /// folder for caches. It is made, and tried.
    ///
    /// # Errors
    /// What to say if nothing can be written there.
    pub fn open(asked: Option<&Path>) -> Result<Cache, String> {
        let folder = asked.map(Path::to_path_buf).or_else(verdict::cache_folder).ok_or_else(|| {
            "there is no folder for compiled files: name one with --cache DIR, or set NAKIRI_CACHE"
                .to_string()
        })?;
        let refused = |error: io::Error| {
            format!(
                "can't write to the folder for compiled files `{}`: {error}; name another one with \
                 --cache DIR",
                folder.display()
            )
        };
        std::fs::create_dir_all(&folder).map_err(refused)?;
        let trial = folder.join(format!(".trial.{}", std::process::id()));
        std::fs::write(&trial, "").and_then(|()| std::fs::remove_file(&trial)).map_err(refused)?;
        Ok(Cache { folder })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Compiles a source to an object and a shared object, unless that was done before. A compiler that takes longer than
    /// `limit` is ended.
    ///
    /// # Errors
    /// What the compiler or the system says.
    pub fn build(
        &self,
        source: &str,
        compiler: &Compiler,
        flags: &[String],
        limit: Option<Duration>,
    ) -> Result<Built, String> {
        let version = compiler.version();
        let mut digest = Sha256::new();
        for part in [&compiler.program, version.as_str(), &flags.join(" "), source] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let name: String = digest.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
        let built = Built {
            object: self.folder.join(format!("{name}.o")),
            shared: self.folder.join(format!("{name}.so")),
        };
        if built.object.is_file() && built.shared.is_file() {
            return Ok(built);
        }
        let text = self.folder.join(format!("{name}.c"));
        self.put(&text, &|new| std::fs::write(new, source).map_err(|error| error.to_string()))?;
        let mut all = vec!["-c", "-fPIC"];
        all.extend(flags.iter().map(String::as_str));
        let compile = |sources: &[&Path], flags: &[&str], new: &Path| {
            compiler.compile_within(sources, flags, new, limit).map_err(|error| error.to_string())
        };
        self.put(&built.object, &|new| compile(&[&text], &all, new))?;
        self.put(&built.shared, &|new| compile(&[&built.object], &["-shared"], new))?;
        Ok(built)
    }

    /// Makes a file in a folder of its own, then moves it: it is there whole or not at all, and what compilers that were ended
    /// leave beside it goes with the folder.
    fn put(&self, path: &Path, make: &dyn Fn(&Path) -> Result<(), String>) -> Result<(), String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let thread = format!("{:?}", std::thread::current().id());
        let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
        let own = self.folder.join(format!("{name}.{}.{thread}", std::process::id()));
        let cant_write = |error| format!("can't write `{}`: {error}", path.display());
        std::fs::create_dir_all(&own).map_err(cant_write)?;
        let new = own.join(&*name);
        let made = make(&new).and_then(|()| std::fs::rename(&new, path).map_err(cant_write));
        // Nothing can be done about a folder that stays.
        let _ = std::fs::remove_dir_all(&own);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nakiri_verify::cc::Work;

    #[test]
    fn a_source_is_compiled_once_for_each_set_of_flags() {
        let work = Work::new().expect("folder");
        let cache = Cache::open(Some(&work.path("cache"))).expect("cache");
        let compiler = Compiler::find().expect("a C compiler");
        let source = "int one(void);\nint one(void) { return 1; }\n";
        let build =
            |flag: &str| cache.build(source, &compiler, &[flag.to_string()], None).expect("built");
        let first = build("-O1");
        let time = |built: &Built| std::fs::metadata(&built.shared).and_then(|m| m.modified()).ok();
        let made = time(&first);
        assert_eq!((build("-O1"), time(&build("-O1"))), (first.clone(), made));
        assert_ne!(build("-O2"), first);
    }

    /// What is in a cache, sources aside.
    fn compiled(cache: &Cache) -> Vec<PathBuf> {
        let files = std::fs::read_dir(cache.folder()).expect("folder").flatten();
        files.map(|f| f.path()).filter(|p| p.extension() != Some("c".as_ref())).collect()
    }

    #[test]
    fn a_refused_source_leaves_no_object() {
        let work = Work::new().expect("folder");
        let cache = Cache::open(Some(&work.path("cache"))).expect("cache");
        let compiler = Compiler::find().expect("a C compiler");
        let message = cache.build("int f(", &compiler, &[], None).expect_err("it is no C");
        assert!(message.contains("error"), "{message}");
        assert_eq!(compiled(&cache), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_compiler_that_takes_too_long_is_ended_and_leaves_nothing() {
        let work = Work::new().expect("folder");
        let cache = Cache::open(Some(&work.path("cache"))).expect("cache");
        let script = b"#!/bin/sh\n[ \"$1\" = --version ] && exit\n\
            while [ \"$1\" != -o ]; do shift; done; touch \"$2.tmp\"; sleep 20\n";
        let program = work.write("slow", script).expect("file");
        std::process::Command::new("chmod").arg("+x").arg(&program).status().expect("chmod");
        let compiler = Compiler::new(program.display().to_string());
        let limit = Some(Duration::from_millis(300));
        let message = cache.build("", &compiler, &[], limit).expect_err("it sleeps");
        assert!(message.contains("took too long"), "{message}");
        assert_eq!(compiled(&cache), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_refused() {
        let work = Work::new().expect("folder");
        let file = work.write("file", b"").expect("file");
        let message = Cache::open(Some(&file.join("cache"))).expect_err("a file is no folder");
        assert!(message.contains("--cache DIR"), "{message}");
    }
}
