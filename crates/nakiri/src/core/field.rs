//! The fields of 16 and 256 elements, and maps of bytes that instructions have: affine ones, and inversion in the latter field.

use super::{semantics, Op};
use std::sync::LazyLock;

/// A field of 2^n elements; these are polynomials over GF(2), bit `i` the coefficient of `x^i`.
#[derive(Clone, Debug)]
pub struct Field {
    /// n.
    pub bits: usize,
    /// Powers of a generator, two periods of them.
    powers: Vec<u32>,
    /// The exponent of each nonzero element.
    logarithms: Vec<usize>,
}

impl Field {
    /// The field of 2^`bits` elements; none but for 4 and 8: modulo x^4 + x + 1, and modulo x^8 + x^4 + x^3 + x + 1 as in the AES
    /// (FIPS 197, section 4). All fields of one size are the same up to linear maps.
    pub fn new(bits: usize) -> Option<Field> {
        let polynomial = match bits {
            4 => 0x13,
            8 => 0x11b,
            _ => return None,
        };
        let order = (1usize << bits) - 1;
        let (mut powers, mut logarithms) = (Vec::with_capacity(2 * order), vec![0; order + 1]);
        let mut power = 1u32;
        for exponent in 0..2 * order {
            powers.push(power);
            logarithms[power as usize] = exponent % order;
            // The next power of x + 1, which generates both fields.
            power ^= power << 1;
            power ^= if power >> bits == 0 { 0 } else { polynomial };
        }
        Some(Field { bits, powers, logarithms })
    }

    /// The number of elements.
    pub fn size(&self) -> u32 {
        1 << self.bits
    }

    /// The product.
    pub fn multiply(&self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (0, _) | (_, 0) => 0,
            _ => self.powers[self.logarithms[a as usize] + self.logarithms[b as usize]],
        }
    }

    /// A power of an element, of which zero to the zero is one.
    pub fn power(&self, a: u32, exponent: usize) -> u32 {
        match a {
            0 => u32::from(exponent == 0),
            _ => {
                let order = self.logarithms.len() - 1;
                self.powers[self.logarithms[a as usize] * (exponent % order) % order]
            }
        }
    }

    /// The inverse; that of zero is zero.
    pub fn invert(&self, a: u32) -> u32 {
        self.power(a, self.logarithms.len() - 2)
    }
}

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
