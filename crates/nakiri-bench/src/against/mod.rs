//! Other libraries in the same run: each is asked for the same ciphertext, kept to the same instructions where it can be,
//! and timed only after its ciphertext has been found equal to ours.
//!
//! A library's mask ([`environment`]) holds for a process and must be set before it starts. In that process [`Libraries`]
//! loads the library and [`agree`] compares; then [`Prepared::run`] can be timed.

mod adapter;
mod agree;
mod build;
mod functions;
mod mask;
pub mod messages;
mod rustcrypto;
mod table;
pub mod timing;
mod unavailable;

pub use agree::agree;
pub use functions::{Does, Function, FUNCTIONS};
pub use mask::Mask;
pub use table::{find, Adapter, Competitor, Language, Offer, Source, COMPETITORS};
pub use unavailable::Unavailable;

use build::Build;
use nakiri::emit::c::Counter;
use nakiri::isa::Target;
use nakiri_verify::cc::Compiler;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How blocks make a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Counter mode, or the stream of a stream cipher.
    Ctr,
    /// Each block by itself.
    Ecb,
    /// Each block by itself, without a key: permutations.
    Blocks,
}

impl Mode {
    /// Its name, as in [`crate::results::ModeRow::mode`].
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ctr => "ctr",
            Mode::Ecb => "ecb",
            Mode::Blocks => "blocks",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Request {
    /// The instance's prefix, such as `serpent256`.
    pub instance: String,
    /// The mode.
    pub mode: Mode,
    /// Ours is compiled for this target; the library may use no more, if it can be told so.
    pub target: &'static Target,
    /// The key; empty for permutations.
    pub key: Vec<u8>,
    /// Bytes of an input block.
    pub block_bytes: usize,
    /// Where the block counter lies in the input block, in [`Mode::Ctr`].
    pub counter: Option<Counter>,
}

/// Encrypts a message: from the third argument to the second, which has the same length. In CTR the first is the first
/// input block, otherwise it is not read.
pub type Run = dyn FnMut(&[u8], &mut [u8], &[u8]);

/// A library with its key, ready to be compared and timed.
pub struct Prepared {
    /// Its name on the command line.
    pub library: &'static str,
    /// Its version as it tells it.
    pub version: String,
    /// What it may use: the name of a target, `sse2`, or `as installed` if it could not be told.
    pub features: String,
    /// What it says it uses, in its own words; empty if it says nothing.
    pub reported: String,
    /// Its cipher. For a message that it refuses it writes nothing.
    pub run: Box<Run>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {} ({})", self.library, self.version, self.features)
    }
}

/// The environment variables that keep the libraries to a target's instructions, without those that are for a single
/// cipher, such as AES-NI. To be set for the process before it starts.
pub fn environment(target: &Target) -> Vec<(&'static str, String)> {
    COMPETITORS.iter().filter_map(|competitor| competitor.mask.variable(target)).collect()
}

/// The libraries that have been looked for in this process.
pub struct Libraries {
    work: PathBuf,
    cc: Compiler,
    adapters: BTreeMap<&'static str, Result<Rc<adapter::Adapter>, Unavailable>>,
}

impl Libraries {
    /// None yet. Adapters will be compiled in the folder `work` by `cc` or its C++ twin, unless they are there already.
    pub fn new(work: &Path, cc: &Compiler) -> Libraries {
        Libraries { work: work.to_path_buf(), cc: cc.clone(), adapters: BTreeMap::new() }
    }

    /// Makes a library ready.
    ///
    /// # Errors
    /// [`Unavailable`]: it is not installed, or doesn't have the cipher.
    pub fn prepare(
        &mut self,
        competitor: &'static Competitor,
        request: &Request,
    ) -> Result<Prepared, Unavailable> {
        let (library, title) = (competitor.name, competitor.title);
        let Some(algorithm) = competitor.algorithm(&request.instance, request.mode) else {
            let what = format!("{} in mode {}", request.instance, request.mode);
            return Err(Unavailable::Lacks { title: title.to_string(), what });
        };
        let features = competitor.mask.features(request.target);
        let fails = |reason: String| Unavailable::Fails { title: title.to_string(), reason };
        let Some(adapter) = self.adapter(competitor)? else {
            let run = rustcrypto::new(request).map_err(fails)?;
            // Their code is generic: it is compiled as this program is.
            let debug = cfg!(debug_assertions);
            let features = if debug { "debug build".to_string() } else { features };
            let (version, reported) = (algorithm.to_string(), String::new());
            return Ok(Prepared { library, version, features, reported, run });
        };
        let (version, reported) = (adapter.version(), adapter.features());
        let run = adapter.run(algorithm, request).map_err(fails)?;
        Ok(Prepared { library, version, features, reported, run })
    }
    /// The adapter of a library, compiled and loaded once; none for crates.
    fn adapter(
        &mut self,
        competitor: &'static Competitor,
    ) -> Result<Option<Rc<adapter::Adapter>>, Unavailable> {
        let Source::Adapter(source) = &competitor.source else { return Ok(None) };
        let (title, name, folder, cc) = (competitor.title, competitor.name, &self.work, &self.cc);
        let build = Build { title, name, adapter: source, folder, cc };
        let load = || adapter::load(&build).map(Rc::new);
        self.adapters.entry(name).or_insert_with(load).clone().map(Some)
    }
}
