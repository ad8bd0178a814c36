//! Other libraries' functions on messages, in the process that times: each is asked for the same digest or ciphertext first.

use super::adapter::{Message, OnMessages};
use super::functions::{self, Function};
use super::{table, Competitor, Libraries, Unavailable};
use crate::bench::functions::Called;
use crate::measure::{Statistics, Workload};
use crate::subject::Buffer;
use nakiri::isa;
use nakiri_verify::cc::Compiler;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What to time beside functions of a library for a target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The other libraries, by their names on the command line.
    pub libraries: Vec<String>,
    /// The target's name.
    pub target: String,
    /// The folder for adapters.
    pub folder: PathBuf,
    /// The C compiler for adapters.
    pub compiler: String,
}

/// What a library's function costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timed {
    /// The library's name on the command line.
    pub library: String,
    /// Its version.
    pub version: String,
    /// What it may use.
    pub features: String,
    /// A message alone, in core cycles, or why there is no figure.
    pub cost: Result<Statistics, Unavailable>,
}

/// The libraries of a task.
pub struct Peers<'a> {
    task: &'a Task,
    libraries: Libraries,
}

/// A function of a library beside one of ours.
pub struct Peer {
    timed: Timed,
    ready: Option<Ready>,
}

/// A function and what it is called with.
struct Ready {
    on_messages: OnMessages,
    message: Message,
    output: Buffer,
    tag: Vec<u8>,
    // What it reads.
    _input: Buffer,
    _key: Vec<u8>,
}

impl Task {
    /// The libraries, none of which is loaded yet.
    pub fn peers(&self) -> Peers<'_> {
        let compiler = Compiler::new(self.compiler.clone());
        Peers { task: self, libraries: Libraries::new(&self.folder, &compiler) }
    }
}

impl Peers<'_> {
    /// What each library has like a function of ours. Ours is run once, and what it makes is compared.
    pub fn prepared(&mut self, name: &str, ours: &mut Called) -> Vec<Peer> {
        ours.run();
        let libraries = self.task.libraries.iter();
        let libraries: Vec<_> = libraries.filter_map(|library| table::find(library)).collect();
        libraries.into_iter().map(|library| self.peer(library, name, ours)).collect()
    }

    fn peer(&mut self, library: &'static Competitor, name: &str, ours: &Called) -> Peer {
        let target = isa::find(&self.task.target).unwrap_or(isa::everywhere());
        let mut timed = Timed {
            library: library.name.to_string(),
            version: String::new(),
            features: library.mask.features(target),
            cost: Ok(Statistics::default()),
        };
        match self.ready(library, name, ours, &mut timed.version) {
            Ok(ready) => Peer { timed, ready: Some(ready) },
            Err(why) => Peer { timed: Timed { cost: Err(why), ..timed }, ready: None },
        }
    }

    fn ready(
        &mut self,
        library: &'static Competitor,
        name: &str,
        ours: &Called,
        version: &mut String,
    ) -> Result<Ready, Unavailable> {
        let title = || library.title.to_string();
        let lacks = || Unavailable::Lacks { title: title(), what: name.to_string() };
        let (function, algorithm) = functions::find(name, library.name).ok_or_else(lacks)?;
        let adapter = self.libraries.adapter(library)?.ok_or_else(lacks)?;
        *version = adapter.version();
        let on_messages = adapter
            .function(algorithm, function.does.name())
            .map_err(|reason| Unavailable::Fails { title: title(), reason })?;
        let mut ready = Ready::new(on_messages, function, ours);
        // What is called again must do it again.
        for _ in 0..2 {
            ready.forget();
            ready.run();
            if let Some(byte) = ready.differs(function, ours) {
                return Err(Unavailable::Differs {
                    library: library.name.to_string(),
                    what: format!("{name}, {} bytes", ours.length()),
                    byte,
                });
            }
        }
        Ok(ready)
    }
}

impl Ready {
    fn new(on_messages: OnMessages, function: &Function, ours: &Called) -> Ready {
        let (bytes, key) = (ours.length(), ours.inputs().to_vec());
        let (mut input, mut output) = (Buffer::new(bytes, 0), Buffer::new(bytes, 2048 + 128));
        input.bytes_mut()[..bytes].copy_from_slice(ours.message());
        let mut tag = vec![0; function.tag];
        let message = Message {
            key: key.as_ptr(),
            key_bytes: function.key,
            nonce: key.as_ptr(),
            nonce_bytes: function.nonce,
            input: input.bytes().as_ptr(),
            output: output.bytes_mut().as_mut_ptr(),
            bytes,
            tag: tag.as_mut_ptr(),
            tag_bytes: function.tag,
        };
        Ready { on_messages, message, output, tag, _input: input, _key: key }
    }

    fn run(&self) {
        // SAFETY: the message describes memory of this, which is as large as it says; a key and a nonce are no larger than ours.
        unsafe { self.on_messages.call(&self.message) }
    }

    fn forget(&mut self) {
        let bytes = self.message.bytes;
        self.output.bytes_mut()[..bytes].fill(0);
        self.tag.fill(0);
    }

    /// The first byte in which the text or the tag is not ours.
    fn differs(&self, function: &Function, ours: &Called) -> Option<usize> {
        let (text, tag) = ours.results();
        let differ = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(a, b)| a != b);
        let texts = function.does.makes_text().then(|| differ(text, self.output.bytes())).flatten();
        let tags = || function.does.makes_tag().then(|| differ(tag, &self.tag)).flatten();
        texts.or_else(tags)
    }
}

impl Peer {
    /// A run of it, if it is to be timed.
    pub fn run(&mut self) -> Option<impl FnMut() + '_> {
        self.ready.as_ref().map(|ready| move || ready.run())
    }

    /// What it costs: the next figure, if it was timed.
    pub fn timed(self, costs: &mut impl Iterator<Item = Statistics>) -> Timed {
        match (self.ready, self.timed) {
            (Some(_), timed) => Timed { cost: Ok(costs.next().unwrap_or_default()), ..timed },
            (None, timed) => timed,
        }
    }
}
