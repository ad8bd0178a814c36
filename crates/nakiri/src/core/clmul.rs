//! Products of polynomials over GF(2), of two halves of rows of sixteen bytes (Intel, Software Developer's Manual, volume 2,
//! PCLMULQDQ): bit i of a half, of which byte 0 has the lowest bits, is the coefficient of X^i.

/// Which halves are multiplied: of the first row and of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Clmul {
    LowLow,
    HighLow,
    LowHigh,
    HighHigh,
}

impl Clmul {
    /// All of them.
    pub const ALL: [Clmul; 4] = [Clmul::LowLow, Clmul::HighLow, Clmul::LowHigh, Clmul::HighHigh];

    /// Its name in sources and in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Clmul::LowLow => "clmul_low_low",
            Clmul::HighLow => "clmul_high_low",
            Clmul::LowHigh => "clmul_low_high",
            Clmul::HighHigh => "clmul_high_high",
        }
    }

    /// What it makes of rows.
    pub fn apply(self, a: u128, b: u128) -> u128 {
        let (low, high) = (|row: u128| row & u128::from(u64::MAX), |row: u128| row >> 64);
        match self {
            Clmul::LowLow => product(low(a), low(b)),
            Clmul::HighLow => product(high(a), low(b)),
            Clmul::LowHigh => product(low(a), high(b)),
            Clmul::HighHigh => product(high(a), high(b)),
        }
    }
}

fn product(a: u128, b: u128) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ (a << bit))
}
