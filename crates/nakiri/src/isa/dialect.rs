//! How transpositions are written in a target's C: networks of shuffles between memory and registers.

/// How registers of one kind are written by [`emit::network`](crate::emit::network), in C unless [`rust`](super::rust) says
/// otherwise. In the templates `$a`, `$b`, `$c` are operands, `$n` is a number, `$p` a pointer; `$i`, in shuffles, are the
/// numbers of bytes that make the result, those of the second operand behind those of the first.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Reads a register at any address.
    pub load: &'static str,
    /// Writes the register `$a` to any address.
    pub store: &'static str,
    /// All bits 0.
    pub zero: &'static str,
    /// A 64-bit pattern in all of the register.
    pub splat: &'static str,
    /// Bitwise and.
    pub and: &'static str,
    /// Bitwise or.
    pub or: &'static str,
    /// Bitwise exclusive or.
    pub xor: &'static str,
    /// A shift of 64-bit elements towards the most significant bit, by less than 64 and not 0.
    pub left: &'static str,
    /// The same towards the least significant bit.
    pub right: &'static str,
    /// Where `$a` is one, `$b`, else `$c`; if there is an instruction for it.
    pub select: Option<&'static str>,
    /// The elements of `$n` bits, `$l` to a register, of the lower or upper halves of `$a` and `$b` by turns: `$h` is the name
    /// of the half in [`Dialect::halves`].
    pub unpack: &'static str,
    /// What intrinsics call the lower and the upper half.
    pub halves: [&'static str; 2],
    /// The bytes of `$a` in each segment whose numbers `$b` has, or the numbers `$i`, of which those of a second operand make zeros.
    /// In general-purpose registers the bytes of `$a`, of `$n` bits, in the other order.
    pub bytes: &'static str,
    /// Segments of `$a` and `$b`, by the immediate `$n`.
    pub segments: &'static str,
    /// Elements of 64 bits of `$a`, by `$n`.
    pub quads: &'static str,
    /// Shuffles of whole registers, where there are any.
    pub across: Option<Across>,
    /// The bit that is `$n` below the highest of each 32-bit element, in all bits of it; in general-purpose registers that of
    /// the whole register of `$r` bits.
    pub fill: &'static str,
    /// For each byte of `$a` all ones if it has the bit of `$b`.
    pub test: &'static str,
    /// The word `$a` of 1, 2, 4, 8 bytes, or the 16 bytes at the address `$a`, in all of the register.
    pub broadcast: [&'static str; 5],
    /// A register from words of 1, 2, 4, 8 bytes: `$d` is their list from the highest on, `$u` from the lowest.
    pub gather: [&'static str; 4],
    /// A register from 128-bit pieces at the addresses `$0`, `$1`, …, lowest first.
    pub gather_segments: &'static str,
}

/// Shuffles that go across a whole vector; `$c` is a register with a constant.
#[derive(Clone, Copy, Debug)]
pub struct Across {
    /// The bytes of `$a` whose numbers `$c` has.
    pub bytes: &'static str,
    /// The bytes of `$a` and `$b` whose numbers `$c` has.
    pub bytes_of_two: &'static str,
    /// In each 8 bytes the bits of `$a` transposed, from the last byte to the first: `$c` has a byte for each bit, in which it is set.
    pub bits: &'static str,
    /// In each byte of `$a` a bit of it, in all bits: `$c` has that bit in every byte.
    pub fill: &'static str,
}
