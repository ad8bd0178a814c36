//! The fields of 16 and 256 elements.

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
