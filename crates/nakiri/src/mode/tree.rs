//! Trees: a vertex of each chunk of a stream, and one vertex of two, until one is left.

use super::{Each, Part, Piece};

/// A tree over the chunks of a stream. All chunks but the last have the same size; a stream without bytes is one chunk without any.
/// Of `n` vertices side by side, the left branch of the tree has as many as the largest power of two below `n`.
#[derive(Clone, Debug)]
pub struct Tree {
    /// What follows the names of its pieces: its number, if there are several.
    pub number: String,
    /// Which of the streams.
    pub stream: usize,
    /// The size of a chunk, in bytes.
    pub chunk: usize,
    /// What is done with a chunk: pieces, and one loop over its blocks.
    pub leaf: Vec<Part>,
    /// From two vertices to one.
    pub pair: Piece,
    /// The part of the state that vertices are values of.
    pub vertex: usize,
    /// That which is the number of the chunk, 64 bits, if a piece reads it.
    pub counted: Option<usize>,
}

impl Tree {
    /// The loop over the blocks of a chunk.
    pub fn each(&self) -> Option<&Each> {
        self.leaf.iter().find_map(|part| match part {
            Part::Each(each) => Some(&**each),
            Part::Once(..) | Part::Tree(_) | Part::Squeeze(_) => None,
        })
    }

    /// The name of the piece that makes one vertex of two.
    pub fn pair_name(&self) -> String {
        format!("pair{}", self.number)
    }

    /// The pieces around the loop over blocks, with their names.
    pub(super) fn around(&self) -> Vec<(String, &Piece)> {
        let leaf = self.leaf.iter().filter_map(|part| match part {
            Part::Once(name, piece) => Some((name.clone(), piece)),
            Part::Each(_) | Part::Tree(_) | Part::Squeeze(_) => None,
        });
        leaf.chain([(self.pair_name(), &self.pair)]).collect()
    }

    /// How many of so many vertices, at least two, the left branch has: the largest power of two below that.
    pub(super) fn left(vertices: usize) -> usize {
        1 << (vertices - 1).ilog2()
    }
}
