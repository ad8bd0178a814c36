//! Classes of operations: instructions that a machine treats alike. A target's rows name them, and a machine prices them.

macro_rules! classes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)*) => {
        /// A class of operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Class {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Class {
            /// Every class.
            pub const ALL: &[Class] = &[$(Class::$name,)*];

            /// The names of all classes, in the same order.
            pub const NAMES: &[&str] = &[$($text,)*];

            /// Its name in machine files and tables.
            pub fn name(self) -> &'static str {
                match self {
                    $(Class::$name => $text,)*
                }
            }
        }
    };
}

classes! {
    /// Copies between registers of one kind.
    Move = "move",
    /// `and`, `or`, `xor`, `not`, and-not of general registers.
    Logic = "logic",
    /// Sums, differences, comparisons and address computations of general registers.
    Add = "add",
    /// Products of general registers.
    Multiply = "multiply",
    /// Shifts of general registers by a constant.
    Shift = "shift",
    /// Rotations of general registers by a constant.
    Rotate = "rotate",
    /// Jumps, calls and returns.
    Branch = "branch",
    /// Two-input logic of vectors, blends by a constant included.
    VectorLogic = "vector-logic",
    /// Three-input logic of vectors.
    VectorTernary = "vector-ternary",
    /// Sums and differences of vectors.
    VectorAdd = "vector-add",
    /// Products of vectors.
    VectorMultiply = "vector-multiply",
    /// Shifts of vectors' elements by a constant.
    VectorShift = "vector-shift",
    /// Rotations of vectors' elements by a constant, and funnel shifts.
    VectorRotate = "vector-rotate",
    /// Shuffles inside segments of 128 bits by a constant: unpack, shuffle of words, align.
    VectorShuffle = "vector-shuffle",
    /// Shuffles of bytes inside segments by a register.
    VectorShuffleBytes = "vector-shuffle-bytes",
    /// Permutations across segments.
    VectorPermute = "vector-permute",
    /// Affine maps over GF(2), with or without inversion.
    VectorAffine = "vector-affine",
    /// Products of 52-bit elements, added.
    VectorMadd52 = "vector-madd52",
    /// Rounds of AES.
    Aes = "aes",
    /// Products of polynomials over GF(2).
    Clmul = "clmul",
    /// Rounds of SHA-2.
    Sha = "sha",
    /// Copies between general and vector or mask registers.
    Transfer = "transfer",
    /// Logic of mask registers, comparisons into them.
    Mask = "mask",
    /// Reads of memory into general registers.
    Load = "load",
    /// Reads of memory into vectors, broadcasts included.
    VectorLoad = "vector-load",
    /// Writes of general registers.
    Store = "store",
    /// Writes of vectors.
    VectorStore = "vector-store",
}
