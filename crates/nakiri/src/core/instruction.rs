//! Instructions made for cryptography, and others that see more in a row than its atoms: operations on rows that processors have as
//! one, and that sources describe as nodes.

use super::aes::Aes;
use super::clmul::Clmul;
use super::sha1::Sha1;
use super::sha256::Sha256;
use super::Type;

/// An instruction on rows of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// A round of AES: found by the pass `rounds`.
    Aes(Aes),
    /// A product of polynomials.
    Clmul(Clmul),
    /// The sums of the words of 32 bits in two rows of bytes, of each the byte with the lowest bits first.
    Add32,
    /// A part of the compression of SHA-1.
    Sha1(Sha1),
    /// A part of the compression of SHA-256.
    Sha256(Sha256),
}

impl Instruction {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Instruction> {
        let aes = Aes::ALL.into_iter().map(Instruction::Aes);
        let sha1 = Sha1::ALL.into_iter().map(Instruction::Sha1);
        let products = Clmul::ALL.into_iter().map(Instruction::Clmul);
        let sums = [Instruction::Add32];
        let all = aes.chain(products).chain(sums).chain(sha1);
        all.chain(Sha256::ALL.into_iter().map(Instruction::Sha256))
    }

    /// The instruction of this name.
    pub fn named(name: &str) -> Option<Instruction> {
        Instruction::all().find(|instruction| instruction.name() == name)
    }

    /// The instruction that a node of this name defines. Rounds of AES are found in programs, by what they compute.
    pub fn of_node(name: &str) -> Option<Instruction> {
        Instruction::named(name).filter(|instruction| !matches!(instruction, Instruction::Aes(_)))
    }

    /// Its name in sources and in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Instruction::Aes(aes) => aes.name(),
            Instruction::Clmul(product) => product.name(),
            Instruction::Add32 => "add32",
            Instruction::Sha1(step) => step.name(),
            Instruction::Sha256(step) => step.name(),
        }
    }

    /// How many rows it takes.
    pub fn arity(self) -> usize {
        match self {
            Instruction::Aes(aes) => aes.arity(),
            Instruction::Clmul(_) | Instruction::Add32 | Instruction::Sha1(_) => 2,
            Instruction::Sha256(step) => step.arity(),
        }
    }

    /// The rows that it takes and gives: the bits of an atom, and how many atoms.
    pub fn row(self) -> (u16, u16) {
        match self {
            Instruction::Aes(_) | Instruction::Clmul(_) | Instruction::Add32 => (8, 16),
            Instruction::Sha1(_) | Instruction::Sha256(_) => (32, 4),
        }
    }

    /// Whether it is one on rows of a type.
    pub fn fits(self, row: Option<Type>) -> bool {
        let (bits, count) = self.row();
        row == Some(Type::row(bits, count))
    }

    /// What it makes of rows, the first atom of each in the lowest bits. `None` if they aren't as many as it takes.
    pub fn apply(self, rows: &[u128]) -> Option<u128> {
        match (self, rows) {
            (Instruction::Aes(aes), [state, key @ ..]) if rows.len() == aes.arity() => {
                let key = key.first().copied().unwrap_or(0);
                Some(u128::from_le_bytes(aes.apply(state.to_le_bytes(), key.to_le_bytes())))
            }
            (Instruction::Clmul(product), [a, b]) => Some(product.apply(*a, *b)),
            (Instruction::Add32, [a, b]) => {
                let (a, b) = (words(*a), words(*b));
                Some(row(std::array::from_fn(|k| a[k].wrapping_add(b[k]))))
            }
            (Instruction::Sha1(step), [a, b]) => Some(row(step.apply(words(*a), words(*b)))),
            (Instruction::Sha256(step), rows) => {
                let rows: Vec<[u32; 4]> = rows.iter().copied().map(words).collect();
                step.apply(&rows).map(row)
            }
            _ => None,
        }
    }
}

/// The words of a row, that in the lowest bits first.
fn words(row: u128) -> [u32; 4] {
    std::array::from_fn(|k| (row >> (32 * k)) as u32)
}

fn row(words: [u32; 4]) -> u128 {
    words.iter().rev().fold(0, |row, word| row << 32 | u128::from(*word))
}
