//! How a stream ends.

/// What is put around a stream before it is cut into blocks: bytes and its length in front; behind it bytes, as many zeros as are
/// needed, and an end; or zeros alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The bytes that everything begins with.
    pub front: Vec<u8>,
    /// The length of the stream, in front of it.
    pub prefix: Option<Prefix>,
    /// The bytes behind the stream, in front of [`Padding::first`].
    pub suffix: Vec<u8>,
    /// The byte behind the stream's last; zeros alone without it.
    pub first: Option<u8>,
    /// How the last block ends.
    pub last: Last,
}

/// How the length of a stream is written in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// The number of its bytes.
    Bytes(Encoding),
    /// The number of its bits, in as many bytes as that needs, from 1 to [`MOST_DIGITS`], behind one that says how many
    /// (`left_encode` of SP 800-185, section 2.3.1).
    Bits,
}

/// The most bytes in which a number of bits is written that says itself how many these are.
pub const MOST_DIGITS: usize = 4;

/// From how many bytes on the number of their bits needs one byte more than so many.
pub const fn more_digits(than: usize) -> usize {
    1 << (8 * than - 3)
}

impl Prefix {
    /// The most bytes of a stream whose length it has room for, if that is a limit.
    pub fn most(self) -> Option<u64> {
        match self {
            Prefix::Bytes(Encoding { bytes, .. }) => (bytes < 8).then(|| (1 << (8 * bytes)) - 1),
            Prefix::Bits => Some(more_digits(MOST_DIGITS) as u64 - 1),
        }
    }

    fn written(self, length: usize) -> Vec<u8> {
        match self {
            Prefix::Bytes(encoding) => encoding.written(length as u128),
            Prefix::Bits => {
                let more = (1..MOST_DIGITS).filter(|k| length >= more_digits(*k)).count();
                let bits = Encoding { bytes: 1 + more, big_endian: true };
                [vec![bits.bytes as u8], bits.written(8 * length as u128)].concat()
            }
        }
    }
}

/// How the last block of a padded stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// With zeros.
    Zeros,
    /// This is added to the last byte by an exclusive or, and that byte may be the one behind the stream's last (FIPS 202's
    /// `pad10*1`).
    Byte(u8),
    /// With the length of the stream in bits (FIPS 180-4, section 5.1).
    Length(Encoding),
}

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// In so many bytes.
    pub bytes: usize,
    /// In this byte order.
    pub big_endian: bool,
}

impl Encoding {
    fn written(self, value: u128) -> Vec<u8> {
        match self.big_endian {
            true => value.to_be_bytes()[16 - self.bytes..].to_vec(),
            false => value.to_le_bytes()[..self.bytes].to_vec(),
        }
    }
}

impl Padding {
    /// Zeros alone.
    pub const NONE: Padding = Padding {
        front: Vec::new(),
        prefix: None,
        suffix: Vec::new(),
        first: None,
        last: Last::Zeros,
    };

    /// Whether anything stands in front of the stream.
    pub fn has_front(&self) -> bool {
        self.prefix.is_some() || !self.front.is_empty()
    }

    /// The most bytes that may stand in front of a stream.
    pub fn most_in_front(&self) -> usize {
        let number = match self.prefix {
            None => 0,
            Some(Prefix::Bytes(encoding)) => encoding.bytes,
            Some(Prefix::Bits) => 1 + MOST_DIGITS,
        };
        self.front.len() + number
    }

    /// A block of which a stream has these bytes, filled up if it is short.
    pub fn filled(&self, own: &[u8], size: usize) -> Vec<u8> {
        match own.len() < size {
            true => self.padded(own, size),
            false => own.to_vec(),
        }
    }

    /// The bytes at the end that the stream leaves free.
    pub fn reserved(&self) -> usize {
        match self.last {
            Last::Length(number) => number.bytes,
            Last::Zeros | Last::Byte(_) => 0,
        }
    }

    /// What stands in front of a stream of so many bytes.
    fn begun(&self, length: usize) -> Vec<u8> {
        let number = self.prefix.map_or(vec![], |prefix| prefix.written(length));
        [&self.front[..], &number].concat()
    }

    /// How many blocks of `block` bytes a stream of `length` bytes becomes: at least one with a byte behind its last.
    pub fn blocks(&self, length: usize, block: usize) -> usize {
        let length = self.begun(length).len() + length + self.suffix.len();
        match self.first {
            Some(_) => (length + self.reserved()) / block + 1,
            None => length.div_ceil(block),
        }
    }

    /// A stream, filled up to `end` bytes.
    pub fn padded(&self, stream: &[u8], end: usize) -> Vec<u8> {
        let mut bytes = self.begun(stream.len());
        bytes.extend(stream);
        bytes.extend(&self.suffix);
        bytes.extend(self.first);
        bytes.resize(end, 0);
        match self.last {
            Last::Zeros => {}
            Last::Byte(last) => bytes[end - 1] ^= last,
            Last::Length(number) => {
                let length = number.written(8 * stream.len() as u128);
                bytes[end - number.bytes..].copy_from_slice(&length);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_decide_how_many_blocks_there_are() {
        let none = Padding::NONE;
        let number = Encoding { bytes: 8, big_endian: true };
        let length = Padding { first: Some(0x80), last: Last::Length(number), ..none.clone() };
        assert_eq!(
            [0, 55, 56, 63, 64, 119, 120].map(|n| length.blocks(n, 64)),
            [1, 1, 2, 2, 2, 2, 3]
        );
        let plain = Padding { first: Some(6), last: Last::Byte(0x80), ..none.clone() };
        assert_eq!([0, 7, 8, 9].map(|n| plain.blocks(n, 8)), [1, 1, 2, 2]);
        assert_eq!(plain.padded(&[1; 7], 8), [1, 1, 1, 1, 1, 1, 1, 0x86]);
        let padded = length.padded(b"abc", 64);
        assert_eq!((padded[3], padded[4], padded[62], padded[63]), (0x80, 0, 0, 24));
        assert_eq!([0, 1, 8, 9].map(|n| none.blocks(n, 8)), [0, 1, 1, 2]);
        assert_eq!(none.padded(&[1; 3], 4), [1, 1, 1, 0]);
        let two = Prefix::Bytes(Encoding { bytes: 2, big_endian: true });
        let front = Padding { prefix: Some(two), ..none };
        assert_eq!([0, 6, 7].map(|n| front.blocks(n, 8)), [1, 1, 2]);
        assert_eq!(front.padded(&[1; 3], 8), [0, 3, 1, 1, 1, 0, 0, 0]);
        let suffix = Padding { suffix: vec![2, 3], ..plain };
        assert_eq!([5, 6, 13, 14].map(|n| suffix.blocks(n, 8)), [1, 2, 2, 3]);
        assert_eq!(suffix.padded(&[1; 7], 16)[6..11], [1, 2, 3, 6, 0]);
    }

    #[test]
    fn numbers_of_bits_have_as_many_bytes_as_they_need() {
        let padding = Padding { front: vec![7], prefix: Some(Prefix::Bits), ..Padding::NONE };
        let begun = |length| padding.begun(length);
        assert_eq!(begun(0), [7, 1, 0]);
        assert_eq!(begun(31), [7, 1, 248]);
        assert_eq!(begun(32), [7, 2, 1, 0]);
        assert_eq!(begun(8191), [7, 2, 0xff, 0xf8]);
        assert_eq!(begun(8192), [7, 3, 1, 0, 0]);
        assert_eq!(begun(more_digits(3)), [7, 4, 1, 0, 0, 0]);
        assert_eq!(Prefix::Bits.most(), Some((1 << 29) - 1));
        assert_eq!(padding.most_in_front(), begun((1 << 29) - 1).len());
    }
}
