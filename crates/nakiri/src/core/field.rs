//! Maps of bytes that instructions have: affine ones over the two elements, and inversion in the field of 256 elements that is
//! made with X^8 + X^4 + X^3 + X + 1, that of the AES (FIPS 197, section 4).

use super::{semantics, Op};

/// `matrix · x + sum` on the bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// For each bit of the result, from the highest in the lowest byte on, the bits of `x` whose sum it is.
    pub matrix: u64,
    /// What is added.
    pub sum: u8,
}

/// The affine map that an operation on a byte is, if it is one.
pub fn affine(op: &Op) -> Option<Affine> {
    of_function(&|x| Some(semantics::eval(op, 8, &[x.into()])? as u8))
}

/// The affine map that makes a table of the table of inverses, if there is one.
pub fn affine_of_inverse(op: &Op) -> Option<Affine> {
    let Op::Substitute(table) = op else { return None };
    of_function(&|x| Some(table[usize::from(inverse(x))]))
}

/// The affine map of whose results a table has the inverses, if there is one.
pub fn inverse_of_affine(op: &Op) -> Option<Affine> {
    let Op::Substitute(table) = op else { return None };
    of_function(&|x| Some(inverse(table[usize::from(x)])))
}

fn of_function(f: &dyn Fn(u8) -> Option<u8>) -> Option<Affine> {
    let sum = f(0)?;
    let columns: Option<Vec<u8>> = (0..8).map(|bit| Some(f(1 << bit)? ^ sum)).collect();
    let columns = columns?;
    let bits = |x: u8| (0..8).filter(move |bit| x >> bit & 1 == 1);
    let holds = |x: u8| f(x) == Some(bits(x).fold(sum, |y, bit| y ^ columns[bit]));
    let row = |row: usize| (0..8).map(|bit| u64::from(columns[bit] >> row & 1) << bit).sum::<u64>();
    let matrix = (0..8).map(|bit| row(bit) << (8 * (7 - bit))).sum();
    (0..=255).all(holds).then_some(Affine { matrix, sum })
}

/// The inverse of an element of the field; 0 of 0.
pub fn inverse(x: u8) -> u8 {
    // x^254.
    let square = |x| product(x, x);
    let power = (0..6).fold(x, |power, _| product(square(power), x));
    square(power)
}

fn product(x: u8, y: u8) -> u8 {
    let double = |x: u8| x << 1 ^ if x >> 7 == 1 { 0x1b } else { 0 };
    (0..8).rev().fold(0, |sum, bit| double(sum) ^ if y >> bit & 1 == 1 { x } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(f: impl Fn(u8) -> u8) -> Op {
        Op::Substitute(Box::new(std::array::from_fn(|x| f(x as u8))))
    }

    #[test]
    fn inverses_are_inverses() {
        assert_eq!(inverse(0), 0);
        assert!((1..=255).all(|x| product(x, inverse(x)) == 1));
    }

    #[test]
    fn what_bytes_are_multiplied_by_is_a_matrix() {
        let one = Affine { matrix: 0x0102_0408_1020_4080, sum: 0 };
        assert_eq!(affine(&table(|x| x)), Some(one));
        assert_eq!(affine(&table(|x| x ^ 0x63)), Some(Affine { sum: 0x63, ..one }));
        assert_eq!(affine(&Op::Rotl(0)), Some(one));
        assert!(affine(&table(|x| product(x, 0x1d))).is_some());
        assert_eq!(affine(&table(|x| product(x, x | 2))), None);
    }

    #[test]
    fn the_boxes_of_the_aes_are_inversions() {
        // FIPS 197, section 5.1.1.
        let map = |x: u8| (1..5).fold(x, |y, by| y ^ x.rotate_left(by)) ^ 0x63;
        let forward = table(|x| map(inverse(x)));
        let backward = table(|x| inverse((0..=255).find(|y| map(*y) == x).unwrap_or(0)));
        assert_eq!(affine_of_inverse(&forward), affine(&table(map)));
        assert!(inverse_of_affine(&backward).is_some());
        assert!(affine(&forward).is_none() && inverse_of_affine(&forward).is_none());
    }
}
