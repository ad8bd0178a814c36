//! Words whose bits are bits of memory, in any order and as often as need be: how images are made of bytes.
//!
//! A word is a few loads, shifts, masks and products with constants. What repeats itself at a fixed distance is a loop.

/// Words one after another, each of 64 bits: `words` from memory, the same from `step` bytes further on, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// What each turn makes.
    pub words: Vec<Word>,
    /// How many turns there are.
    pub turns: usize,
    /// By how many bytes the next turn's memory is further on.
    pub step: usize,
}

impl Gather {
    /// How many operations it takes, loads and stores among them, where bytes are spread over vectors of so many bits, or over
    /// words.
    pub fn operations(&self, vectors: Option<u32>) -> usize {
        let (mut first, mut all) = (0, 0);
        while let Some(word) = self.words.get(first) {
            let spread = vectors.filter(|_| self.spread_byte(first).is_some());
            let (operations, made) = match spread {
                // A byte in all elements; products, shifts and stores.
                Some(bits) => (2 + 3 * 8 * BITS / bits as usize, 8),
                None => (word.operations() + 1, 1),
            };
            all += operations;
            first += made;
        }
        self.turns * all
    }

    /// The byte whose bits, from the most significant on, are eight words from this one on: each is one bit everywhere.
    pub fn spread_byte(&self, first: usize) -> Option<usize> {
        let words = self.words.get(first..first + 8)?;
        let byte = words[0].filled()? / 8;
        let is_next = |(k, word): (usize, &Word)| word.filled() == Some(8 * byte + 7 - k);
        words.iter().enumerate().all(is_next).then_some(byte)
    }
}

/// A word of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// That of `bits` bits at an offset, its first byte the least significant.
    Load {
        /// 8, 16, 32 or 64.
        bits: u32,
        /// In bytes.
        offset: usize,
    },
    /// The same with its bytes in the other order.
    Reversed {
        /// 16, 32 or 64.
        bits: u32,
        /// In bytes.
        offset: usize,
    },
    /// Shifted towards the most significant bit.
    Left(Box<Word>, u32),
    /// Shifted towards the least significant bit.
    Right(Box<Word>, u32),
    /// The bits that a mask has.
    And(Box<Word>, u64),
    /// A sum modulo 2^64.
    Plus(Box<Word>, u64),
    /// A product modulo 2^64.
    Times(Box<Word>, u64),
    /// All bits of all.
    Or(Vec<Word>),
}

impl Word {
    /// Its value in a turn that begins at `memory`.
    pub fn value(&self, memory: &[u8]) -> u64 {
        let bytes = |bits: u32, offset: usize| memory[offset..offset + bits as usize / 8].iter();
        let join = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
        match self {
            Word::Load { bits, offset } => bytes(*bits, *offset).rev().fold(0, join),
            Word::Reversed { bits, offset } => bytes(*bits, *offset).fold(0, join),
            Word::Left(word, by) => word.value(memory) << by,
            Word::Right(word, by) => word.value(memory) >> by,
            Word::And(word, mask) => word.value(memory) & mask,
            Word::Plus(word, number) => word.value(memory).wrapping_add(*number),
            Word::Times(word, number) => word.value(memory).wrapping_mul(*number),
            Word::Or(words) => words.iter().fold(0, |all, word| all | word.value(memory)),
        }
    }

    /// The bit of memory that all of its bits are, if they are one.
    fn filled(&self) -> Option<usize> {
        let Word::Times(word, u64::MAX) = self else { return None };
        let Word::And(word, 1) = &**word else { return None };
        match &**word {
            Word::Load { offset, .. } => Some(8 * offset),
            Word::Right(word, by) => match **word {
                Word::Load { offset, .. } => Some(8 * offset + *by as usize),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many operations it takes, loads among them.
    fn operations(&self) -> usize {
        match self {
            Word::Load { .. } => 1,
            Word::Reversed { .. } => 2,
            Word::Left(word, _) | Word::Right(word, _) | Word::And(word, _) => {
                1 + word.operations()
            }
            Word::Plus(word, _) | Word::Times(word, _) => 1 + word.operations(),
            Word::Or(words) => words.len() - 1 + words.iter().map(Word::operations).sum::<usize>(),
        }
    }

    fn times(self, number: u64) -> Word {
        if number == 1 {
            self
        } else {
            Word::Times(Box::new(self), number)
        }
    }

    /// Bit `from` at the place of bit `to`.
    fn moved(self, from: usize, to: usize) -> Word {
        match from.cmp(&to) {
            std::cmp::Ordering::Less => Word::Left(Box::new(self), (to - from) as u32),
            std::cmp::Ordering::Equal => self,
            std::cmp::Ordering::Greater => Word::Right(Box::new(self), (from - to) as u32),
        }
    }
}

/// Bits of a word.
const BITS: usize = 64;

/// The words whose bits, from the least significant on, are these bits of `bytes` bytes of memory.
pub fn gather(sources: &[usize], bytes: usize) -> Gather {
    let all = sources.len() / BITS;
    let (length, step) = turn(sources).unwrap_or((all, 0));
    let turns = all / length.max(1);
    let end = bytes - step * turns.saturating_sub(1);
    let words = sources[..length * BITS].chunks(BITS).map(|bits| word(bits, end)).collect();
    Gather { words, turns, step }
}

/// The fewest words after which everything is the same but for a number of bytes, with that number.
fn turn(sources: &[usize]) -> Option<(usize, usize)> {
    let all = sources.len() / BITS;
    let lengths = (1..=all / 2).filter(|length| all.is_multiple_of(*length));
    let step = |length: &usize| {
        let later = &sources[length * BITS..];
        let step = later[0].checked_sub(sources[0]).filter(|bits| bits.is_multiple_of(8))?;
        let same = later.iter().zip(sources).all(|(later, first)| *later == first + step);
        same.then_some((*length, step / 8))
    };
    lengths.into_iter().find_map(|length| step(&length))
}

/// The word of these bits of memory, of which turns may read `end` bytes.
fn word(bits: &[usize], end: usize) -> Word {
    let repeats = |period: &usize| (0..BITS).all(|i| bits[i] == bits[i % period]);
    let runs = |run: &usize| (0..BITS).all(|i| bits[i] == bits[i / run * run]);
    let run = [64, 32, 16, 8, 4, 2].into_iter().find(runs).unwrap_or(1);
    let period = [8, 16, 32].into_iter().find(repeats).unwrap_or(BITS).max(run);
    let every = |distance: usize| (0..BITS / distance).fold(0, |all, k| all | 1 << (k * distance));
    if let Some(word) = bytes_of(&bits[..period]) {
        return word.times(every(period));
    }
    let places: Vec<(usize, usize)> = (0..period).step_by(run).map(|i| (i, bits[i])).collect();
    let word = match run {
        8.. if spread_bytes(&places).len() < groups(&places, end).len() => spread(&places),
        _ => moved(&places, end),
    };
    let ones = u64::MAX >> (BITS - run);
    // A run of bits and its repetitions are one product: they do not meet.
    word.times(ones.wrapping_mul(every(period)))
}

/// A word of bytes as they lie in memory, in one order or the other.
fn bytes_of(bits: &[usize]) -> Option<Word> {
    let (bytes, first) = (bits.len() / 8, bits[0]);
    let offset = |byte: usize| bits[8 * byte] / 8;
    let whole = |chunk: &[usize]| {
        chunk[0].is_multiple_of(8) && chunk.windows(2).all(|pair| pair[0] + 1 == pair[1])
    };
    if bits.len() < 8 || !bits.chunks(8).all(whole) {
        return None;
    }
    let width = bits.len() as u32;
    if (0..bytes).all(|byte| offset(byte) == first / 8 + byte) {
        return Some(Word::Load { bits: width, offset: first / 8 });
    }
    let reversed = (0..bytes).all(|byte| offset(byte) + byte == first / 8);
    reversed.then(|| Word::Reversed { bits: width, offset: first / 8 + 1 - bytes })
}

/// Bits that are in the same word of memory as far from their places, as (offset of the word, its bits, bit there, place) of
/// the first, with the mask of the places.
type Group = ((usize, u32, isize), u64);

fn groups(places: &[(usize, usize)], end: usize) -> Vec<Group> {
    let first = places.iter().map(|(_, bit)| bit / 8).min().unwrap_or(0);
    let mut groups: Vec<Group> = Vec::new();
    for &(place, bit) in places {
        let chunk = first + (bit / 8 - first) / 8 * 8;
        let (offset, bits) = if chunk + 8 <= end { (chunk, 64) } else { (bit / 8, 8) };
        let key = (offset, bits, bit as isize - 8 * offset as isize - place as isize);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, mask)) => *mask |= 1 << place,
            None => groups.push((key, 1 << place)),
        }
    }
    groups
}

/// Bits by shifts and masks.
fn moved(places: &[(usize, usize)], end: usize) -> Word {
    let term = |((offset, bits, distance), mask): Group| {
        let word = Word::Load { bits, offset };
        let word = word.moved(distance.max(0) as usize, (-distance).max(0) as usize);
        Word::And(Box::new(word), mask)
    };
    let mut words: Vec<Word> = groups(places, end).into_iter().map(term).collect();
    if words.len() == 1 {
        words.remove(0)
    } else {
        Word::Or(words)
    }
}

/// The bytes of memory that bits are in, each with where in a word of copies of it these are.
fn spread_bytes(places: &[(usize, usize)]) -> Vec<(usize, u64)> {
    let mut bytes: Vec<(usize, u64)> = Vec::new();
    for &(place, bit) in places {
        let mask = 1 << (place / 8 * 8 + bit % 8);
        match bytes.iter_mut().find(|(byte, _)| *byte == bit / 8) {
            Some((_, known)) => *known |= mask,
            None => bytes.push((bit / 8, mask)),
        }
    }
    bytes
}

/// Bits at the lowest places of bytes: each is looked for in a copy of the byte that it is in.
fn spread(places: &[(usize, usize)]) -> Word {
    const EVERY: u64 = 0x0101_0101_0101_0101;
    let term =
        |(offset, mask)| Word::And(Box::new(Word::Load { bits: 8, offset }.times(EVERY)), mask);
    let mut words: Vec<Word> = spread_bytes(places).into_iter().map(term).collect();
    let found = if words.len() == 1 { words.remove(0) } else { Word::Or(words) };
    // A bit that is not zero is carried into the highest of its byte.
    let carried = Word::Plus(Box::new(found), 0x7f * EVERY);
    let lowest = places.iter().fold(0, |all, (place, _)| all | 1 << place);
    Word::And(Box::new(Word::Right(Box::new(carried), 7)), lowest)
}
