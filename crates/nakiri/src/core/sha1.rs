//! SHA-1 (FIPS 180-4, section 6.1.2) as the instructions of x86-64 have it (Intel, Software Developer's Manual, volume 2): rows of
//! four words, the last one first.

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sha1 {
    /// Four turns of a kind, 0 to 3: of the working variables (d, c, b, a), and words 3 … 0 of the message, e added to the last. The
    /// constant is the kind's.
    Rounds(u8),
    /// The last word of the first row, rotated by 30 bits, added to that of the second.
    NextE,
    /// Of words 3 … 0 and 7 … 4 of the message, each of words 0 … 3 and the one two behind it added.
    Message1,
    /// Of sums without it and words 15 … 12: the word three before added, and all rotated; the last is of the one just made.
    Message2,
}

type Words = [u32; 4];

impl Sha1 {
    /// All of them.
    pub const ALL: [Sha1; 7] = [
        Sha1::Rounds(0),
        Sha1::Rounds(1),
        Sha1::Rounds(2),
        Sha1::Rounds(3),
        Sha1::NextE,
        Sha1::Message1,
        Sha1::Message2,
    ];

    /// Its name in sources and in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Sha1::Rounds(0) => "sha1rnds4_0",
            Sha1::Rounds(1) => "sha1rnds4_1",
            Sha1::Rounds(2) => "sha1rnds4_2",
            Sha1::Rounds(_) => "sha1rnds4_3",
            Sha1::NextE => "sha1nexte",
            Sha1::Message1 => "sha1msg1",
            Sha1::Message2 => "sha1msg2",
        }
    }

    /// What it makes of two rows.
    pub fn apply(self, a: Words, b: Words) -> Words {
        match self {
            Sha1::Rounds(kind) => rounds(kind, a, b),
            Sha1::NextE => [b[0], b[1], b[2], b[3].wrapping_add(a[3].rotate_left(30))],
            Sha1::Message1 => [a[0] ^ b[2], a[1] ^ b[3], a[2] ^ a[0], a[3] ^ a[1]],
            Sha1::Message2 => {
                let word = |k: usize, before: u32| (a[k] ^ before).rotate_left(1);
                let w16 = word(3, b[2]);
                [word(0, w16), word(1, b[0]), word(2, b[1]), w16]
            }
        }
    }
}

fn rounds(kind: u8, [mut d, mut c, mut b, mut a]: Words, words: Words) -> Words {
    let mut e = 0u32;
    for word in words.into_iter().rev() {
        let (mixed, constant) = match kind {
            0 => ((b & c) ^ (!b & d), 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) ^ (b & d) ^ (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let sum = [mixed, constant, word, e].into_iter().fold(a.rotate_left(5), u32::wrapping_add);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
    }
    [d, c, b, a]
}
