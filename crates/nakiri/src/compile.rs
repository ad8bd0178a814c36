//! From an elaborated program to a kernel for one direction and one target.

use crate::core::{Direction, Port, Program};
use crate::target::Target;

/// A program sliced for one direction and lowered to one target: what emitters take. Only the pipeline makes it,
/// after the verifier has accepted it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The direction it was sliced for.
    pub direction: Direction,
    /// The target.
    pub target: &'static Target,
    /// The entry's inputs as declared, monomorphic, before slicing to bits.
    pub params: Vec<Port>,
    /// The entry's outputs likewise.
    pub results: Vec<Port>,
    /// Monomorphic and sliced: every operation is an instance of the target, calls and loops may remain.
    /// Under `B` every value has one bit, and a port of `n` atoms of M bits has become one of n·M atoms, each
    /// atom's most significant bit first.
    pub program: Program,
}
