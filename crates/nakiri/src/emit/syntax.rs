//! What languages differ in. The walks over [kernels](super::function) and [transpositions](crate::emit::network) decide
//! the order of statements, names and expressions; a language writes them.

use super::operators::Operators;
use super::template::Fill;
use crate::isa::{Target, C};
use crate::mir::Code;

/// A language that kernels and transpositions are written in.
pub trait Syntax: Operators {
    /// How a target's registers are written.
    fn registers(&self, target: &Target) -> C;
    /// A number, of which the bits matter.
    fn literal(&self, value: u128) -> String;
    /// A pattern of 64 bits for a register of `bits` bits, which may be fewer.
    fn pattern(&self, pattern: u64, bits: u32) -> String;
    /// A word of `bits` bits of which the compiler knows nothing.
    fn barrier(&self, bits: u32, value: &str) -> String;
    /// An expression of general-purpose registers of a type.
    fn cast(&self, ty: &str, value: &str) -> String;

    /// A word as a register of a type that is as wide or wider.
    fn widen(&self, ty: &str, word: &str) -> String;

    /// The bytes of each segment of a vector whose numbers `places` has, or zeros where these are negative.
    fn shuffled(&self, vector: &str, places: &[i8; 16], fill: &Fill) -> String;

    /// A product modulo 2^64.
    fn times(&self, word: &str, number: &str) -> String;
    /// A sum modulo 2^64.
    fn plus(&self, word: &str, number: &str) -> String;

    /// How many statements may stand in a function: longer ones are called in parts.
    fn longest_function(&self) -> usize;
    /// How many statements may stand in a block.
    fn longest_block(&self) -> usize;
    /// The beginning, and the lines at the end, of a block of which these values are seen outside.
    fn block(&self, seen: &[String]) -> (String, Vec<String>);
    /// Defines a value.
    fn define(&self, ty: &str, name: &str, value: &str) -> String;
    /// Defines a variable, which may be one in name only.
    fn variable(&self, ty: &str, name: &str, value: &str, changes: bool) -> String;
    /// Says that a value is not used.
    fn unused(&self, name: &str) -> String;
    /// Room for values, which are of no interest yet: `zero` is one.
    fn room(&self, ty: &str, name: &str, count: u32, zero: &str) -> String;
    /// Room whose name is passed to functions that read or write it. If it lies `apart`, its address is in a register from which no
    /// other address is reckoned.
    fn array(&self, ty: &str, name: &str, count: u32, zero: &str, apart: bool) -> String;
    /// Room for `count` values that are spilled, with two addresses in registers of which compilers don't know that they are one.
    fn spill_room(&self, ty: &str, name: &str, count: u32, zero: &str) -> Vec<String>;
    /// The statement that stores a value at a place of such room.
    fn spill(&self, room: &str, place: u32, value: &str) -> String;
    /// The value at a place.
    fn spilled(&self, room: &str, place: u32) -> String;
    /// Names the part of an array from element `i` on, `i` a loop's variable, if the language needs a name for it: compilers must
    /// not see that what was element `i + 1` is element `i` in the next iteration, or they move it there from register to register.
    fn window(&self, ty: &str, name: &str, array: &str) -> Option<String>;
    /// A table of bytes, in a file or a function: its lines.
    fn table(&self, name: &str, lines: &[Vec<u8>]) -> Vec<String>;
    /// The head of a loop; `counter` is the type of its variable where that needs one, `read` says whether its body reads it.
    fn repeat(&self, counter: &str, variable: &str, count: u32, read: bool) -> String;
    /// `base + step · i` as an index, `i` a loop's variable.
    fn index(&self, base: usize, step: isize) -> String;
    /// The bytes of an array from an offset on.
    fn bytes(&self, array: &str, offset: &str) -> String;
    /// The head of a kernel's function, without its brace.
    fn head(&self, head: &Head) -> String;
    /// A kernel's function in assembly, with what it calls.
    fn assembled(&self, head: &Head, code: &Code) -> String;
    /// [`Syntax::byte_room`] as an argument to be written.
    fn lend(&self, array: &str) -> String;
    /// The statement that stores a word of 64 bits in an array of bytes.
    fn store_image(&self, prefix: &str, array: &str, offset: &str, word: &str) -> String;
    /// The statement that stores the first `bytes` bytes of a vector.
    fn store_front(&self, head: &Front) -> String;
    /// The definition of a type for registers that lie in memory at any address, if registers need one.
    fn memory_type(&self, register: &str, name: &str) -> Option<String>;

    /// The head of a transposition's function, with its brace.
    fn network_head(&self, network: &NetworkHead) -> String;
    /// The head of a function that makes `to` bytes `out` of `from` others by what a target has, with its brace.
    fn images_head(&self, name: &str, to: usize, from: usize, target: &Target) -> String;
    /// The statement that stores each bit of a byte as 64 bits, the most significant first, by vectors of so many bits; none where the
    /// language leaves that to words.
    fn spread_byte(&self, offset: &str, byte: &str, bits: u32) -> Option<String>;
    /// The word of `bits` bits at an offset of a transposition's memory; `adds` tells that this is a text to be added to.
    fn word(&self, bits: u32, offset: &str, way: &NetworkHead) -> String;
    /// The statement that stores the low `bits` bits of a value of general-purpose registers.
    fn store_word(&self, bits: u32, offset: &str, value: &str, way: &NetworkHead) -> String;
    /// The bytes of a transposition's memory from an offset on, to be read.
    fn source(&self, offset: &str, way: &NetworkHead) -> String;
    /// The same, to be written.
    fn sink(&self, offset: &str, way: &NetworkHead) -> String;
    /// Room for the bytes of a register.
    fn byte_room(&self, name: &str, bytes: u32) -> String;
    /// The statement that copies bytes of such room to an offset of a transposition's memory.
    fn copy_out(
        &self,
        offset: &str,
        name: &str,
        from: u32,
        bytes: u32,
        way: &NetworkHead,
    ) -> String;
    /// The name of a table of bytes within a function, by which its address goes.
    fn pattern_name(&self, number: usize) -> String;
}

/// The head of a kernel's function.
pub struct Head<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is compiled for.
    pub target: &'static Target,
    /// Whether another function of the kernel calls it, which is not to be undone by inlining.
    pub called: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a kernel's function.
pub enum Parameter {
    /// An array to be written.
    Results {
        /// Type of its elements.
        ty: String,
        /// Its name.
        name: String,
        /// Number of elements.
        count: u32,
    },
    /// An array to be read.
    Array {
        /// Type of its elements.
        ty: String,
        /// Its name.
        name: String,
        /// Number of elements.
        count: u32,
    },
    /// A value.
    Value {
        /// Its type.
        ty: String,
        /// Its name.
        name: String,
    },
    /// The images of atoms that are the same in all lanes, `bytes` bytes to be written.
    Made {
        /// Its name.
        name: String,
        /// How many there are.
        bytes: usize,
    },
    /// The images of constant atoms, `bytes` bytes.
    Images {
        /// How many there are.
        bytes: usize,
    },
}

impl Parameter {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Results { name, .. }
            | Parameter::Array { name, .. }
            | Parameter::Made { name, .. }
            | Parameter::Value { name, .. } => name,
            Parameter::Images { .. } => "constants",
        }
    }
}

/// The first bytes of a vector, to be stored.
pub struct Front<'a> {
    /// Where they go.
    pub array: &'a str,
    /// At which offset.
    pub offset: &'a str,
    /// How many they are.
    pub bytes: usize,
    /// The vector.
    pub value: &'a str,
    /// Its type.
    pub register: &'a str,
    /// Its size in bytes.
    pub size: usize,
}

/// The head of a transposition's function.
pub struct NetworkHead<'a> {
    /// Its name.
    pub name: &'a str,
    /// The prefix of the functions that move words, where these are functions of the file.
    pub prefix: &'a str,
    /// What it is compiled for.
    pub target: &'static Target,
    /// The type of its registers.
    pub register: &'a str,
    /// Whether it loads.
    pub loads: bool,
    /// Whether it adds to a text, which may be where the sums go.
    pub adds: bool,
    /// Number of its registers.
    pub registers: u32,
    /// Number of bytes on the side of memory.
    pub bytes: usize,
    /// Number of registers that all batches share.
    pub low: u32,
    /// Whether its frame is large enough not to become a part of its callers'.
    pub called: bool,
}
