//! Rounds of AES (FIPS 197) as instructions have them: on a row of the sixteen bytes of a state in the order of a block, of which
//! bytes 4c … 4c+3 are column c. On x86-64 the round key goes in last, on Arm first.

use super::field::{inverse, ByteMap};
use std::sync::LazyLock;

/// The bytes of a state.
pub type State = [u8; 16];

/// What an instruction does to a state and, but for the last, a round key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aes {
    /// `MixColumns(ShiftRows(SubBytes(state))) ^ key`.
    Round,
    /// `ShiftRows(SubBytes(state)) ^ key`.
    Last,
    /// `InvMixColumns(InvShiftRows(InvSubBytes(state))) ^ key`.
    InverseRound,
    /// `InvShiftRows(InvSubBytes(state)) ^ key`.
    InverseLast,
    /// `InvMixColumns(state)`.
    Unmix,
    /// `MixColumns(ShiftRows(SubBytes(state ^ key)))`.
    KeyedRound,
    /// `ShiftRows(SubBytes(state ^ key))`.
    KeyedLast,
    /// `InvMixColumns(InvShiftRows(InvSubBytes(state ^ key)))`.
    KeyedInverseRound,
    /// `InvShiftRows(InvSubBytes(state ^ key))`.
    KeyedInverseLast,
}

/// `ShiftRows`: which byte each byte of the result is.
pub const SHIFT_ROWS: [usize; 16] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];

/// `InvShiftRows`.
pub const UNSHIFT_ROWS: [usize; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];

/// The map after the inversion of `SubBytes` (section 5.1.1).
pub const SUB_BYTES: ByteMap =
    ByteMap { columns: [0x1f, 0x3e, 0x7c, 0xf8, 0xf1, 0xe3, 0xc7, 0x8f], constant: 0x63 };

impl Aes {
    /// All of them.
    pub const ALL: [Aes; 9] = [
        Aes::Round,
        Aes::Last,
        Aes::InverseRound,
        Aes::InverseLast,
        Aes::Unmix,
        Aes::KeyedRound,
        Aes::KeyedLast,
        Aes::KeyedInverseRound,
        Aes::KeyedInverseLast,
    ];

    /// Those into which the key goes last, or not at all: what programs are found to compute.
    pub const ROUNDS: [Aes; 5] =
        [Aes::Round, Aes::Last, Aes::InverseRound, Aes::InverseLast, Aes::Unmix];

    /// Its name in the text of programs.
    pub fn name(self) -> &'static str {
        match self {
            Aes::Round => "aes_round",
            Aes::Last => "aes_last",
            Aes::InverseRound => "aes_inverse_round",
            Aes::InverseLast => "aes_inverse_last",
            Aes::Unmix => "aes_unmix",
            Aes::KeyedRound => "aes_keyed_round",
            Aes::KeyedLast => "aes_keyed_last",
            Aes::KeyedInverseRound => "aes_keyed_inverse_round",
            Aes::KeyedInverseLast => "aes_keyed_inverse_last",
        }
    }

    /// How many rows it takes: a state and a key, or a state.
    pub fn arity(self) -> usize {
        if self == Aes::Unmix {
            1
        } else {
            2
        }
    }

    /// The same round with the key going in first, if there is one.
    pub fn keyed(self) -> Option<Aes> {
        match self {
            Aes::Round => Some(Aes::KeyedRound),
            Aes::Last => Some(Aes::KeyedLast),
            Aes::InverseRound => Some(Aes::KeyedInverseRound),
            Aes::InverseLast => Some(Aes::KeyedInverseLast),
            _ => None,
        }
    }

    /// The round that it is of the sum of a state and a key, if the key goes in first.
    fn of_sum(self) -> Option<Aes> {
        Aes::ROUNDS.into_iter().find(|round| round.keyed() == Some(self))
    }

    /// What it makes of a state and a key, which is zero for those that take none.
    pub fn apply(self, state: State, key: State) -> State {
        match self.of_sum() {
            Some(round) => round.unkeyed(sum(state, key)),
            None => sum(self.unkeyed(state), key),
        }
    }

    fn unkeyed(self, state: State) -> State {
        self.moved(match self {
            Aes::Round | Aes::Last => state.map(|byte| SUB_BYTES.apply(inverse(byte))),
            Aes::InverseRound | Aes::InverseLast => state.map(unsubstituted),
            _ => state,
        })
    }

    /// What it does to the bytes once they are substituted: a linear map of their bits.
    pub fn moved(self, state: State) -> State {
        match self.of_sum().unwrap_or(self) {
            Aes::Round => mix(Aes::Last.moved(state), [2, 3, 1, 1]),
            Aes::Last => SHIFT_ROWS.map(|byte| state[byte]),
            Aes::InverseRound => mix(Aes::InverseLast.moved(state), UNMIX),
            Aes::InverseLast => UNSHIFT_ROWS.map(|byte| state[byte]),
            _ => mix(state, UNMIX),
        }
    }
}

fn sum(a: State, b: State) -> State {
    std::array::from_fn(|byte| a[byte] ^ b[byte])
}

/// The first row of the matrix of `InvMixColumns` (section 5.3.3).
const UNMIX: [u8; 4] = [14, 11, 13, 9];

/// `InvSubBytes` of a byte (section 5.3.2).
pub fn unsubstituted(byte: u8) -> u8 {
    static BYTES: LazyLock<[u8; 256]> = LazyLock::new(|| {
        let mut bytes = [0; 256];
        (0..=255).for_each(|x| bytes[usize::from(SUB_BYTES.apply(inverse(x)))] = x);
        bytes
    });
    BYTES[usize::from(byte)]
}

/// Each column times the circulant matrix with this first row.
fn mix(state: State, row: [u8; 4]) -> State {
    std::array::from_fn(|byte| {
        let (column, r) = (byte / 4 * 4, byte % 4);
        (0..4).fold(0, |sum, k| sum ^ times(state[column + (r + k) % 4], row[k]))
    })
}

/// The product of two bytes modulo X^8 + X^4 + X^3 + X + 1 (section 4.2).
fn times(mut a: u8, b: u8) -> u8 {
    (0..8).fold(0, |sum, bit| {
        let term = if b >> bit & 1 == 1 { a } else { 0 };
        a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
        sum ^ term
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix B: round 1, and back.
    #[test]
    fn a_round_is_that_of_the_standard() {
        let state = 0x193d_e3be_a0f4_e22b_9ac6_8d2a_e9f8_4808_u128.to_be_bytes();
        let shifted = 0xd4bf_5d30_e0b4_52ae_b841_11f1_1e27_98e5_u128.to_be_bytes();
        let mixed = 0x0466_81e5_e0cb_199a_48f8_d37a_2806_264c_u128.to_be_bytes();
        let key = 0xa0fa_fe17_8854_2cb1_23a3_3939_2a6c_7605_u128.to_be_bytes();
        let zero = [0; 16];
        assert_eq!(Aes::Last.apply(state, zero), shifted);
        assert_eq!(Aes::Round.apply(state, zero), mixed);
        assert_eq!(Aes::Unmix.apply(mixed, zero), shifted);
        assert_eq!(Aes::InverseLast.apply(shifted, zero), state);
        assert_eq!(Aes::InverseRound.apply(shifted, zero), Aes::Unmix.apply(state, zero));
        assert_eq!(Aes::Round.apply(state, key), sum(mixed, key));
        assert_eq!(Aes::KeyedRound.apply(sum(state, key), key), mixed);
        assert_eq!(Aes::KeyedInverseLast.apply(key, sum(shifted, key)), state);
    }
}
