//! Maps of bytes that instructions have: affine ones, and inversion in the field of 256 elements.

use super::{semantics, Op};
use crate::circuit::field::Field;
use std::sync::LazyLock;

/// The inverse of an element of the field of 256 elements; that of zero is zero.
pub fn inverse(x: u8) -> u8 {
    static INVERSES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let field = Field::new(8).expect("it exists");
        (0..field.size()).map(|x| field.invert(x) as u8).collect()
    });
    INVERSES[usize::from(x)]
}

/// An affine map of the bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteMap {
    /// The image of each bit without the constant, the least significant bit first.
    pub columns: [u8; 8],
    /// The image of zero.
    pub constant: u8,
}

impl ByteMap {
    /// The image of a byte.
    pub fn apply(&self, x: u8) -> u8 {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(bit, _)| x >> bit & 1 == 1).fold(self.constant, |sum, (_, y)| sum ^ y)
    }

    /// The map that a function is, if it is one.
    pub fn of(f: impl Fn(u8) -> Option<u8>) -> Option<ByteMap> {
        let constant = f(0)?;
        let mut map = ByteMap { columns: [0; 8], constant };
        for (bit, column) in map.columns.iter_mut().enumerate() {
            *column = f(1 << bit)? ^ constant;
        }
        (0..=255).all(|x| f(x) == Some(map.apply(x))).then_some(map)
    }

    /// The map that an operation is, but for an inversion before it.
    pub fn of_operation(op: &Op) -> Option<ByteMap> {
        match op {
            Op::Affine(map) | Op::Invert(map) => Some(*map),
            _ => ByteMap::of(|x| Some(semantics::eval(op, 8, &[x.into()])? as u8)),
        }
    }

    /// For each bit of the image, from the highest in the lowest byte on, the bits whose sum it is, as `gf2p8affineqb` has them.
    pub fn matrix(&self) -> u64 {
        let row = |image: usize| {
            let bits = self.columns.iter().enumerate();
            bits.map(|(bit, column)| u64::from(column >> image & 1) << bit).sum::<u64>()
        };
        (0..8).map(|image| row(image) << (8 * (7 - image))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_inverses() {
        let field = Field::new(8).expect("it exists");
        assert_eq!(inverse(0), 0);
        assert!((1..=255u8).all(|x| field.multiply(x.into(), inverse(x).into()) == 1));
        // FIPS 197, section 4.2.
        assert_eq!(field.multiply(0x57, 0x83), 0xc1);
    }

    #[test]
    fn affine_functions_are_found() {
        let identity = ByteMap { columns: [1, 2, 4, 8, 16, 32, 64, 128], constant: 0 };
        assert_eq!(ByteMap::of(Some), Some(identity));
        assert_eq!(identity.matrix(), 0x0102_0408_1020_4080);
        assert_eq!(ByteMap::of(|x| Some(x ^ 0x63)), Some(ByteMap { constant: 0x63, ..identity }));
        assert_eq!(ByteMap::of_operation(&Op::Rotl(0)), Some(identity));
        assert_eq!(ByteMap::of(|x| Some(inverse(x))), None);
        assert_eq!(ByteMap::of(|x| (x < 255).then_some(x)), None);
    }
}
