//! SHA-256 (FIPS 180-4, section 6.2.2) as the instructions of x86-64 have it (Intel, Software Developer's Manual, volume 2), rows of
//! four words of which the manual writes the last one first, and as those of Arm have it (Arm Architecture Reference Manual for
//! A-profile, SHA256H), of which the first one is `a` or `e`.

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sha256 {
    /// Two turns. Of the working variables (h, g, d, c), of (f, e, b, a), and of the sums of constants and words of the message for
    /// both turns, in the first two words of the third row, the new (f, e, b, a); the old ones are the new (h, g, d, c).
    Rounds,
    /// Of four words of the message and the next four, of which one counts: σ0 of each word behind, added.
    Message1,
    /// Of sums without it and the four words before: σ1 of each word two before, added; two are those just made.
    Message2,
    /// Four turns of (a, b, c, d) and (e, f, g, h) with four sums: the new (a, b, c, d).
    Four,
    /// The same of (e, f, g, h) and (a, b, c, d): the new (e, f, g, h).
    FourSecond,
    /// Of the sums of [`Sha256::Message1`] and the eight words before: the four next words.
    Message,
}

type Words = [u32; 4];

impl Sha256 {
    /// All of them.
    pub const ALL: [Sha256; 6] = [
        Sha256::Rounds,
        Sha256::Message1,
        Sha256::Message2,
        Sha256::Four,
        Sha256::FourSecond,
        Sha256::Message,
    ];

    /// Its name in sources and in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Sha256::Rounds => "sha256rnds2",
            Sha256::Message1 => "sha256msg1",
            Sha256::Message2 => "sha256msg2",
            Sha256::Four => "sha256h",
            Sha256::FourSecond => "sha256h2",
            Sha256::Message => "sha256su1",
        }
    }

    /// How many rows it takes.
    pub fn arity(self) -> usize {
        match self {
            Sha256::Message1 | Sha256::Message2 => 2,
            _ => 3,
        }
    }

    /// What it makes of rows. `None` if they aren't as many as it takes.
    pub fn apply(self, rows: &[Words]) -> Option<Words> {
        Some(match (self, rows) {
            (Sha256::Rounds, &[hgdc, feba, sums]) => rounds(hgdc, feba, sums),
            (Sha256::Message1, &[[w0, w1, w2, w3], [w4, ..]]) => [
                w0.wrapping_add(small_sigma0(w1)),
                w1.wrapping_add(small_sigma0(w2)),
                w2.wrapping_add(small_sigma0(w3)),
                w3.wrapping_add(small_sigma0(w4)),
            ],
            (Sha256::Message2, &[sums, before]) => message(sums, before),
            (Sha256::Four, &[abcd, efgh, sums]) => four(abcd, efgh, sums)[0],
            (Sha256::FourSecond, &[efgh, abcd, sums]) => four(abcd, efgh, sums)[1],
            (Sha256::Message, &[sums, [_, w9, w10, w11], before]) => {
                let added = [w9, w10, w11, before[0]];
                message(std::array::from_fn(|k| sums[k].wrapping_add(added[k])), before)
            }
            _ => return None,
        })
    }
}

fn rounds(
    [mut h, mut g, mut d, mut c]: Words,
    [mut f, mut e, mut b, mut a]: Words,
    sums: Words,
) -> Words {
    for sum in &sums[..2] {
        let choice = (e & f) ^ (!e & g);
        let t1 = [big_sigma1(e), choice, *sum].into_iter().fold(h, u32::wrapping_add);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = big_sigma0(a).wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    [f, e, b, a]
}

/// Four turns: (a, b, c, d) and (e, f, g, h) behind them.
fn four([a, b, c, d]: Words, [e, f, g, h]: Words, [s0, s1, s2, s3]: Words) -> [Words; 2] {
    let (hgdc, feba) = ([h, g, d, c], [f, e, b, a]);
    let two = rounds(hgdc, feba, [s0, s1, 0, 0]);
    let [f, e, b, a] = rounds(feba, two, [s2, s3, 0, 0]);
    let [h, g, d, c] = two;
    [[a, b, c, d], [e, f, g, h]]
}

/// The next four words of a message.
fn message(sums: Words, [.., w14, w15]: Words) -> Words {
    let w16 = sums[0].wrapping_add(small_sigma1(w14));
    let w17 = sums[1].wrapping_add(small_sigma1(w15));
    let w18 = sums[2].wrapping_add(small_sigma1(w16));
    [w16, w17, w18, sums[3].wrapping_add(small_sigma1(w17))]
}

fn big_sigma0(x: u32) -> u32 {
    x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)
}

fn big_sigma1(x: u32) -> u32 {
    x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)
}

fn small_sigma0(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3
}

fn small_sigma1(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10
}
