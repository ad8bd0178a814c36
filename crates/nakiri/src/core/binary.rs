//! Fields of characteristic two: polynomials over GF(2) modulo an irreducible one. Bit i of a number is the coefficient of x^i.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The polynomials over GF(2) modulo an irreducible one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinaryField {
    /// Its name in the source.
    pub name: String,
    /// The exponents of the polynomial, the degree first, 0 last.
    pub exponents: Vec<u32>,
}

/// The bits of a digit of a number.
const DIGIT: u32 = u64::BITS;

impl BinaryField {
    /// The degree of the polynomial, and the bits of an element.
    pub fn bits(&self) -> u32 {
        self.exponents[0]
    }

    /// The element of a number.
    pub fn element(&self, number: &BigUint) -> BigUint {
        remainder(number, &self.exponents)
    }

    /// The product of two elements.
    pub fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        self.element(&product(a, b))
    }
}

/// The polynomial with these exponents.
pub fn polynomial(exponents: &[u32]) -> BigUint {
    let mut polynomial = BigUint::zero();
    exponents.iter().for_each(|exponent| polynomial.set_bit((*exponent).into(), true));
    polynomial
}

/// The exponents of a polynomial, the highest first.
pub fn exponents(polynomial: &BigUint) -> Vec<u32> {
    let all = (0..polynomial.bits()).rev().filter(|bit| polynomial.bit(*bit));
    all.map(|bit| bit as u32).collect()
}

/// A polynomial as it is written: `x^8 + x^4 + x^3 + x + 1`.
pub fn written(polynomial: &BigUint) -> String {
    let term = |exponent: &u32| match exponent {
        0 => "1".to_string(),
        1 => "x".to_string(),
        _ => format!("x^{exponent}"),
    };
    let terms: Vec<String> = exponents(polynomial).iter().map(term).collect();
    if terms.is_empty() {
        "0".to_string()
    } else {
        terms.join(" + ")
    }
}

/// The product of two polynomials.
fn product(a: &BigUint, b: &BigUint) -> BigUint {
    let (a, b) = (a.to_u64_digits(), b.to_u64_digits());
    let mut digits = vec![0u64; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let both = (0..DIGIT).filter(|bit| y >> bit & 1 == 1);
            let both = both.fold(0u128, |sum, bit| sum ^ u128::from(*x) << bit);
            digits[i + j] ^= both as u64;
            digits[i + j + 1] ^= (both >> DIGIT) as u64;
        }
    }
    from_digits(&digits)
}

/// The remainder of a polynomial modulo one with these exponents, the highest first.
fn remainder(number: &BigUint, exponents: &[u32]) -> BigUint {
    let degree = exponents[0];
    let mut digits = number.to_u64_digits();
    for bit in (degree..number.bits() as u32).rev() {
        if digits[(bit / DIGIT) as usize] >> (bit % DIGIT) & 1 == 0 {
            continue;
        }
        for exponent in exponents {
            let flipped = bit - degree + exponent;
            digits[(flipped / DIGIT) as usize] ^= 1 << (flipped % DIGIT);
        }
    }
    from_digits(&digits)
}

fn from_digits(digits: &[u64]) -> BigUint {
    let halves = digits.iter().flat_map(|digit| [*digit as u32, (digit >> 32) as u32]);
    BigUint::new(halves.collect())
}

/// The quotient of x^n and a polynomial with these exponents, the highest first.
pub fn quotient(power: u32, exponents: &[u32]) -> BigUint {
    let divisor = polynomial(exponents);
    let (mut rest, mut quotient) = (polynomial(&[power]), BigUint::zero());
    while rest.bits() >= divisor.bits() {
        let by = rest.bits() - divisor.bits();
        rest ^= &divisor << by;
        quotient.set_bit(by, true);
    }
    quotient
}

/// The greatest common divisor of two polynomials.
fn common(mut a: BigUint, mut b: BigUint) -> BigUint {
    while !b.is_zero() {
        if a.bits() >= b.bits() {
            let by = a.bits() - b.bits();
            a ^= &b << by;
        }
        if a.bits() < b.bits() {
            std::mem::swap(&mut a, &mut b);
        }
    }
    a
}

/// Why a polynomial is not irreducible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reducible {
    /// It divides the polynomial.
    Factor(BigUint),
    /// The polynomial is a product of several ones of this degree.
    Factors(u32),
}

/// Whether a polynomial with these exponents, the highest first and at least 1, is irreducible: whether it has a divisor in common with x^(2^d) + x,
/// the product of all irreducible polynomials whose degrees divide d, for no d up to half its degree (M. Ben-Or, "Probabilistic algorithms in
/// finite fields", FOCS 1981).
pub fn check_irreducible(exponents: &[u32]) -> Result<(), Reducible> {
    let whole = polynomial(exponents);
    let x = BigUint::from(2u32);
    let mut power = x.clone();
    for degree in 1..=exponents[0] / 2 {
        power = remainder(&product(&power, &power), exponents);
        let divisor = common(whole.clone(), &power ^ &x);
        if divisor == whole {
            return Err(Reducible::Factors(degree));
        }
        if !divisor.is_one() {
            return Err(Reducible::Factor(divisor));
        }
    }
    Ok(())
}

/// The exponents of an irreducible polynomial of a degree from 2 on, of the fewest and lowest terms: three or five.
pub fn irreducible(degree: u32) -> Option<Vec<u32>> {
    let three = (1..=degree / 2).map(|a| vec![degree, a, 0]);
    let five = (3..degree)
        .flat_map(move |a| (2..a).flat_map(move |b| (1..b).map(move |c| vec![degree, a, b, c, 0])));
    three.chain(five).find(|exponents| check_irreducible(exponents).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(exponents: &[u32]) -> BinaryField {
        BinaryField { name: "F".into(), exponents: exponents.to_vec() }
    }

    #[test]
    fn products_are_those_of_published_fields() {
        let number = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).expect("hexadecimal");
        // FIPS 197, section 4.2.
        let aes = field(&[8, 4, 3, 1, 0]);
        assert_eq!(aes.mul(&number("57"), &number("83")), number("c1"));
        // RFC 8452, section 7, where the first byte is the lowest.
        let polyval = field(&[128, 127, 126, 121, 0]);
        let [a, b, product] = [
            "2e2b34ca59fa4c883b2c8aefd44be966",
            "000000000000000000000000000000ff",
            "e90aaa71616dbc6ef29ddce975618537",
        ];
        assert_eq!(polyval.mul(&number(a), &number(b)), number(product));
        // x^n is what is left of the polynomial.
        let x = BigUint::from(2u32);
        let power = (1..571).fold(x.clone(), |power, _| field(&[571, 10, 5, 2, 0]).mul(&power, &x));
        assert_eq!(power, polynomial(&[10, 5, 2, 0]));
        assert_eq!(quotient(10, &[8, 4, 3, 1, 0]), polynomial(&[2]));
        assert_eq!(quotient(4, &[3, 2, 0]), polynomial(&[1, 0]));
    }

    #[test]
    fn irreducible_polynomials_are_told_from_others() {
        // FIPS 186-4, appendix D.1.3; IEEE 802.15.3; and the smallest.
        for standard in [
            vec![571, 10, 5, 2, 0],
            vec![409, 87, 0],
            vec![283, 12, 7, 5, 0],
            vec![233, 74, 0],
            vec![163, 7, 6, 3, 0],
            vec![2, 1, 0],
            vec![1, 0],
        ] {
            assert_eq!(check_irreducible(&standard), Ok(()), "{standard:?}");
        }
        let factor = |exponents: &[u32]| Err(Reducible::Factor(polynomial(exponents)));
        assert_eq!(check_irreducible(&[3, 2, 1, 0]), factor(&[1, 0]));
        // (x^2 + x + 1)^2 and (x^3 + x + 1)(x^3 + x^2 + 1).
        assert_eq!(check_irreducible(&[4, 2, 0]), factor(&[2, 1, 0]));
        assert_eq!(check_irreducible(&[6, 5, 4, 3, 2, 1, 0]), Err(Reducible::Factors(3)));
        assert_eq!(irreducible(163), Some(vec![163, 7, 6, 3, 0]));
        assert_eq!(irreducible(8), Some(vec![8, 4, 3, 1, 0]));
        assert_eq!(irreducible(2), Some(vec![2, 1, 0]));
        assert_eq!(written(&polynomial(&[8, 4, 3, 1, 0])), "x^8 + x^4 + x^3 + x + 1");
    }
}
