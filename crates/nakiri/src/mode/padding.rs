//! How a stream ends.

/// What is put around a stream before it is cut into blocks: its length in front; behind it a byte, as many zeros as are needed,
/// and an end; or zeros alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// How many bytes the stream has, in front of it.
    pub prefix: Option<Encoding>,
    /// The byte behind the stream's last; zeros alone without it.
    pub first: Option<u8>,
    /// How the last block ends.
    pub last: Last,
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
    pub const NONE: Padding = Padding { prefix: None, first: None, last: Last::Zeros };

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

    /// The bytes in front of the stream.
    pub fn front(&self) -> usize {
        self.prefix.map_or(0, |prefix| prefix.bytes)
    }

    /// How many blocks of `block` bytes a stream of `length` bytes becomes: at least one with a byte behind its last.
    pub fn blocks(&self, length: usize, block: usize) -> usize {
        let length = length + self.front();
        match self.first {
            Some(_) => (length + self.reserved()) / block + 1,
            None => length.div_ceil(block),
        }
    }

    /// A stream, filled up to `end` bytes.
    pub fn padded(&self, stream: &[u8], end: usize) -> Vec<u8> {
        let mut bytes = self.prefix.map_or(vec![], |prefix| prefix.written(stream.len() as u128));
        bytes.extend(stream);
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
        let none = Padding { prefix: None, first: None, last: Last::Zeros };
        let number = Encoding { bytes: 8, big_endian: true };
        let length = Padding { first: Some(0x80), last: Last::Length(number), ..none };
        assert_eq!(
            [0, 55, 56, 63, 64, 119, 120].map(|n| length.blocks(n, 64)),
            [1, 1, 2, 2, 2, 2, 3]
        );
        let plain = Padding { first: Some(6), last: Last::Byte(0x80), ..none };
        assert_eq!([0, 7, 8, 9].map(|n| plain.blocks(n, 8)), [1, 1, 2, 2]);
        assert_eq!(plain.padded(&[1; 7], 8), [1, 1, 1, 1, 1, 1, 1, 0x86]);
        let padded = length.padded(b"abc", 64);
        assert_eq!((padded[3], padded[4], padded[62], padded[63]), (0x80, 0, 0, 24));
        assert_eq!([0, 1, 8, 9].map(|n| none.blocks(n, 8)), [0, 1, 1, 2]);
        assert_eq!(none.padded(&[1; 3], 4), [1, 1, 1, 0]);
        let front = Padding { prefix: Some(Encoding { bytes: 2, big_endian: true }), ..none };
        assert_eq!([0, 6, 7].map(|n| front.blocks(n, 8)), [1, 1, 2]);
        assert_eq!(front.padded(&[1; 3], 8), [0, 3, 1, 1, 1, 0, 0, 0]);
    }
}
