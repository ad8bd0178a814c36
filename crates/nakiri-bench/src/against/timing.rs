//! Libraries beside emitted code, in the process that times.

use super::{agree, table, Libraries, Mode, Prepared, Request, Unavailable};
use crate::bench::probed::Probed;
use crate::measure::Statistics;
use crate::subject::Buffer;
use nakiri::emit::c::Counter;
use nakiri::isa;
use nakiri_verify::cc::Compiler;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What to time beside emitted code of an instance on a target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The libraries, by their names on the command line.
    pub libraries: Vec<String>,
    /// The instance's prefix.
    pub instance: String,
    /// The target's name.
    pub target: String,
    /// The counter's first byte, its size in bytes, and whether it is big-endian, if there is a counter mode.
    pub counter: Option<(usize, usize, bool)>,
    /// The folder for adapters.
    pub folder: PathBuf,
    /// The C compiler for adapters.
    pub compiler: String,
}

/// What a library costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timed {
    /// The library's version.
    pub version: String,
    /// What it may use.
    pub features: String,
    /// A message of each length, in core cycles.
    pub messages: Vec<Statistics>,
}

/// A library that computes what the emitted code computes, and the memory that it works on.
pub struct Other {
    prepared: Prepared,
    block_bytes: usize,
    counter: Vec<u8>,
    input: Buffer,
    output: Buffer,
}

impl Task {
    /// Every library of the task, compared with the emitted code for messages of these lengths; `key` and `counter` are
    /// those of the emitted code.
    pub fn prepare(
        &self,
        ours: &mut Probed,
        key: &[u8],
        counter: &[u8],
        sizes: &[usize],
    ) -> Vec<Result<Other, Unavailable>> {
        let compiler = Compiler::new(self.compiler.clone());
        let mut libraries = Libraries::new(&self.folder, &compiler);
        let request = self.request(ours, key);
        let sizes: Vec<usize> = sizes.iter().map(|bytes| whole(*bytes, &request)).collect();
        let longest = sizes.iter().copied().max().unwrap_or(0);
        let mut one = |name: &String| {
            let unknown = || "there is no such library".to_string();
            let fails = |reason| Unavailable::Fails { title: name.clone(), reason };
            let competitor = table::find(name).ok_or_else(unknown).map_err(fails)?;
            let mut prepared = libraries.prepare(competitor, &request)?;
            let mut run = |counter: &[u8], out: &mut [u8], message: &[u8]| {
                ours.encrypt(counter, out, message);
            };
            agree(&mut prepared, &mut run, &request, &sizes)?;
            Ok(Other {
                prepared,
                block_bytes: if request.mode == Mode::Ctr { 1 } else { request.block_bytes },
                counter: counter.to_vec(),
                // As the emitted code has them.
                input: Buffer::new(longest, 0),
                output: Buffer::new(longest, 2048 + 128),
            })
        };
        self.libraries.iter().map(&mut one).collect()
    }

    fn request(&self, ours: &Probed, key: &[u8]) -> Request {
        let mode = ours.mode();
        let counter = self.counter.filter(|_| mode == Mode::Ctr);
        Request {
            instance: self.instance.clone(),
            mode,
            target: isa::find(&self.target).unwrap_or(isa::everywhere()),
            key: key.to_vec(),
            block_bytes: ours.sizes.block_in,
            counter: counter.map(|(offset, bytes, big_endian)| Counter {
                offset,
                bytes,
                big_endian,
            }),
        }
    }
}

/// The bytes of a message that are processed: in CTR all, otherwise those of whole blocks.
fn whole(bytes: usize, request: &Request) -> usize {
    let rest = if request.mode == Mode::Ctr { 0 } else { bytes % request.block_bytes };
    bytes - rest
}

impl Other {
    /// Processes a message of no more bytes than the longest that it was prepared for: its whole blocks, unless in CTR.
    pub fn message(&mut self, bytes: usize) {
        let bytes = bytes - bytes % self.block_bytes;
        let output = &mut self.output.bytes_mut()[..bytes];
        (self.prepared.run)(&self.counter, output, &self.input.bytes()[..bytes]);
    }

    /// What it costs.
    pub fn timed(&self, messages: Vec<Statistics>) -> Timed {
        let Prepared { version, features, .. } = &self.prepared;
        Timed { version: version.clone(), features: features.clone(), messages }
    }
}
