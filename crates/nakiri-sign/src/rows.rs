//! Memory for what lanes hold, a row for each word of it, and the addresses of hash calls.

use zeroize::Zeroize;

/// The most lanes that any kernel has.
pub const MOST_LANES: usize = 16;

/// As much memory as the widest register, at its address.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Memory for rows, which is wiped when it is dropped.
pub struct Rows(Vec<Line>);

impl Rows {
    /// So many bytes of zeros.
    pub fn new(bytes: usize) -> Rows {
        Rows(vec![Line([0; 8]); bytes.div_ceil(64)])
    }

    /// As words of 64 bits.
    pub fn words(&self) -> &[u64] {
        // SAFETY: a line is an array of words and nothing else.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), 8 * self.0.len()) }
    }

    /// As words of 64 bits, to be written.
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), 8 * self.0.len()) }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.words_mut().zeroize();
    }
}

/// Where a hash call stands (FIPS 205, section 4.2; RFC 8391, section 2.5): a word for each of the fields below.
pub type Address = [u32; FIELDS];

/// How many words an address has.
pub const FIELDS: usize = 7;
/// The layer of a hypertree.
pub const LAYER: usize = 0;
/// The tree in its layer, upper word and lower word.
pub const TREE: usize = 1;
/// What is hashed.
pub const KIND: usize = 3;
/// The leaf with its one-time key.
pub const LEAF: usize = 4;
/// The chain of a one-time key, or the height of a node.
pub const CHAIN: usize = 5;
/// The height of a node.
pub const HEIGHT: usize = CHAIN;
/// The step in a chain, or the index of a node in its height.
pub const STEP: usize = 6;
/// The index of a node in its height.
pub const INDEX: usize = STEP;

/// The address of each lane.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Addresses {
    rows: [u32; FIELDS * MOST_LANES],
    lanes: usize,
}

impl Addresses {
    /// Zeros for so many lanes.
    pub fn new(lanes: usize) -> Addresses {
        Addresses { rows: [0; FIELDS * MOST_LANES], lanes }
    }

    /// The rows, one for each field.
    pub fn rows(&self) -> &[u32] {
        &self.rows[..FIELDS * self.lanes]
    }

    /// A field of all lanes.
    pub fn row(&self, field: usize) -> &[u32] {
        &self.rows[field * self.lanes..][..self.lanes]
    }

    /// A field of all lanes, to be written.
    pub fn row_mut(&mut self, field: usize) -> &mut [u32] {
        &mut self.rows[field * self.lanes..][..self.lanes]
    }

    /// Sets a lane's address.
    pub fn set(&mut self, lane: usize, address: &Address) {
        for (field, word) in address.iter().enumerate() {
            self.rows[field * self.lanes + lane] = *word;
        }
    }
}
