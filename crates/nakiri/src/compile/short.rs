//! What becomes of messages that don't fill a kernel's lanes.

use crate::pass::interleave::Interleave;
use std::fmt;
use std::str::FromStr;

/// Which kernels take fewer blocks than a batch has.
///
/// Its text form is `never`, or `BELOW:BATCHES` as in `9:2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The kernel itself, whose other lanes are idle.
    Never,
    /// Kernels that need fewer blocks at once, where that is legal: on rows, direction `P`, or with one word in a general-purpose
    /// register where the kernel has several.
    Few {
        /// They take fewer blocks than this.
        below: u32,
        /// There is one for each number of batches up to this one.
        batches: u32,
    },
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Short::Never => f.write_str("never"),
            Short::Few { below, batches } => write!(f, "{below}:{batches}"),
        }
    }
}

impl FromStr for Short {
    type Err = String;

    fn from_str(text: &str) -> Result<Short, String> {
        if text == "never" {
            return Ok(Short::Never);
        }
        let (below, batches) = text.split_once(':').unwrap_or((text, "1"));
        match (below.parse(), batches.parse()) {
            (Ok(below @ 2..), Ok(batches @ 1..=Interleave::MOST)) => {
                Ok(Short::Few { below, batches })
            }
            _ => Err(format!(
                "`{text}` is neither `never` nor a number of blocks, from 2 on, from which on \
                 the kernel takes all, with up to {} batches at once: write it like 9 or 9:2",
                Interleave::MOST
            )),
        }
    }
}
