//! Elements of fields of characteristic two: bits and words of many fields against polynomials of any size, and published facts.

use nakiri::check::{check, NoFiles, Options};
use nakiri::core::binary::{check_irreducible, exponents, irreducible, polynomial, written};
use nakiri::core::verify::verify;
use nakiri::core::{interp, prime, Direction, Program};
use nakiri::isa;
use nakiri::pass::{binary, monomorphize};
use nakiri::source::SourceMap;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// Degrees around those of words, and of standards; each has its first polynomial of few terms.
const DEGREES: &[u32] = &[2, 3, 8, 17, 31, 63, 64, 65, 113, 127, 131, 163, 233];

/// Others of standards: GCM's turned round, GCM's, SM4's, K-409's and B-571's.
const POLYNOMIALS: &[&[u32]] = &[
    &[128, 127, 126, 121, 0],
    &[128, 7, 2, 1, 0],
    &[8, 7, 6, 5, 4, 2, 0],
    &[409, 87, 0],
    &[571, 10, 5, 2, 0],
];

/// Targets with gates of two and three inputs; with products of numbers of a word, of half a word, and of polynomials.
const SLICINGS: &[(Direction, &str)] = &[
    (Direction::B, "gp64"),
    (Direction::B, "avx512"),
    (Direction::V, "gp64"),
    (Direction::V, "avx2"),
    (Direction::V, "avx512+gfni+vaes"),
];

/// Products of what is not known, of numbers with few and with many terms, squares, and elements that cross calls and iterations.
const PROGRAM: &str = "
field F = 2^$DEGREE by $POLYNOMIAL

node Step (x:F, y:F, bit:u64) returns (u:F, v:F)
vars s, d:F
let
  s = (x + y * 3) * (x - y);
  d = x * x - y;
  u = choose(bit, s * d, d + s);
  v = choose(bit, d, s) * $MANY - 1;
tel

node Main (a:u64[$WORDS], b:u64[$LONG], bits:u64) returns (z:u64[$WORDS], w:u64[$WORDS], i:u64[$WORDS])
vars x, y:F[4]
let
  x[0] = F(a);
  y[0] = F(b);
  forall k in [0,2] { (x[k+1], y[k+1]) = Step(x[k], y[k], bits >> k); }
  z = number(x[3]);
  w = number(y[3] + x[0] * x[0]);
  i = number(inverse(x[1]));
tel
";

fn monomorphic(text: &str, direction: Direction) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("field.ua", text);
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = checked.expect("a program").program;
    monomorphize::run(&program, direction, None).expect("no word size is open")
}

/// A field as the test computes in it: bit by bit.
struct Field {
    polynomial: BigUint,
    degree: u32,
}

impl Field {
    fn new(exponents: &[u32]) -> Field {
        Field { polynomial: polynomial(exponents), degree: exponents[0] }
    }

    fn words(&self) -> usize {
        self.degree.div_ceil(64) as usize
    }

    fn element(&self, number: &BigUint) -> BigUint {
        let mut rest = number.clone();
        while rest.bits() > self.degree.into() {
            rest ^= &self.polynomial << (rest.bits() - 1 - u64::from(self.degree));
        }
        rest
    }

    fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        let bits = (0..b.bits()).filter(|bit| b.bit(*bit));
        self.element(&bits.fold(BigUint::zero(), |sum, bit| sum ^ (a << bit)))
    }

    /// What times an element is 1, by Euclid's algorithm; 0 of 0.
    fn inverse(&self, of: &BigUint) -> BigUint {
        let (mut a, mut b) = (of.clone(), self.polynomial.clone());
        let (mut x, mut y) = (BigUint::one(), BigUint::zero());
        while a.bits() > 1 {
            if a.bits() < b.bits() {
                (a, b, x, y) = (b, a, y, x);
            }
            let by = a.bits() - b.bits();
            (a, x) = (&a ^ (&b << by), &x ^ (&y << by));
        }
        if a.is_zero() {
            a
        } else {
            self.element(&x)
        }
    }

    /// A number with many terms.
    fn many(&self) -> BigUint {
        (BigUint::one() << self.degree) - 1u32 - (BigUint::one() << (self.degree / 2))
    }

    fn program(&self, direction: Direction) -> Program {
        let text = PROGRAM
            .replace("$DEGREE", &self.degree.to_string())
            .replace("$POLYNOMIAL", &written(&self.polynomial))
            .replace("$MANY", &self.many().to_string())
            .replace("$WORDS", &self.words().to_string())
            .replace("$LONG", &(self.words() + 1).to_string());
        monomorphic(&text, direction)
    }

    /// What the program computes.
    fn wanted(&self, input: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let [first, mut y] = [0, 1].map(|place| self.element(&prime::from_words(&input[place])));
        let (mut x, mut second) = (first.clone(), first.clone());
        let three = self.element(&BigUint::from(3u32));
        for k in 0..3 {
            let s = self.mul(&(&x ^ self.mul(&y, &three)), &(&x ^ &y));
            let d = self.mul(&x, &x) ^ &y;
            let is_odd = input[2][0] >> k & 1 == 1;
            x = if is_odd { self.mul(&s, &d) } else { &d ^ &s };
            y = self.mul(if is_odd { &d } else { &s }, &self.many()) ^ BigUint::one();
            if k == 0 {
                second = x.clone();
            }
        }
        let w = y ^ self.mul(&first, &first);
        let all = [x, w, self.inverse(&second)];
        all.map(|number| prime::to_words(&number, self.words())).to_vec()
    }
}

fn random() -> impl FnMut() -> u128 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        u128::from(state >> 29 ^ state << 31)
    }
}

/// Zero, one, all ones, and others.
fn inputs(field: &Field) -> Vec<Vec<Vec<u128>>> {
    let mut random = random();
    let ones = u128::from(u64::MAX);
    let mut inputs = Vec::new();
    for (first, second) in [(0, 1), (1, ones), (ones, ones), (2, 2), (3, 4)] {
        let mut list = |kind: u128, count: usize| -> Vec<u128> {
            (0..count)
                .map(|at| match kind {
                    0 => 0,
                    1 => u128::from(at == 0),
                    kind if kind == ones => ones,
                    _ => random(),
                })
                .collect()
        };
        let (a, b) = (list(first, field.words()), list(second, field.words() + 1));
        inputs.push(vec![a, b, vec![random() & 7]]);
    }
    inputs
}

fn compare(exponents: &[u32], slicings: &[(Direction, &str)]) {
    let field = Field::new(exponents);
    let inputs: Vec<_> =
        inputs(&field).into_iter().map(|input| (field.wanted(&input), input)).collect();
    let what = written(&field.polynomial);
    for &(direction, target) in slicings {
        let program = field.program(direction);
        let mut units = program.clone();
        let target = isa::find(target).expect("a target");
        let outcome = binary::run(&mut units, target);
        let what = format!("{what} under -{direction:?} on {}", target.name);
        assert!(outcome.is_ok(), "{what}: {outcome:?}");
        units.fields.clear();
        assert_eq!(verify(&units), Ok(()), "{what}");
        for (wanted, input) in &inputs {
            assert_eq!(interp::run(&program, input), *wanted, "{what}: {input:x?}");
            assert_eq!(interp::run(&units, input), *wanted, "{what}: {input:x?}");
        }
    }
}

#[test]
fn bits_and_words_compute_what_polynomials_do() {
    for degree in DEGREES {
        compare(&irreducible(*degree).expect("there is one"), SLICINGS);
    }
    for exponents in POLYNOMIALS {
        compare(exponents, SLICINGS);
    }
}

#[test]
fn any_polynomial_does() {
    let mut random = random();
    for degree in [5, 12, 40, 70, 100] {
        let mut odd = || {
            let words: Vec<u128> = (0..2).map(|_| random() & u128::from(u64::MAX)).collect();
            let top = BigUint::one() << degree;
            exponents(&((prime::from_words(&words) % &top) | BigUint::one() | top))
        };
        let found = std::iter::repeat_with(&mut odd).find(|own| check_irreducible(own).is_ok());
        compare(&found.expect("one in a hundred"), &[SLICINGS[1], SLICINGS[2], SLICINGS[3]]);
    }
}

/// Words, the least significant first, of a number in hexadecimal.
fn words(hex: &str, count: usize) -> Vec<u128> {
    prime::to_words(&BigUint::parse_bytes(hex.as_bytes(), 16).expect("hexadecimal"), count)
}

#[test]
fn ghash_is_what_is_published() {
    let text = include_str!("../../../../tests/fields/ghash.ua");
    // D. McGrew and J. Viega, "The Galois/Counter Mode of Operation (GCM)", test cases 1 and 2: the key, two blocks, and the hash.
    let key = [0x66e94bd4ef8a2c3b, 0x884cfa59ca342b2e].to_vec();
    let blocks = [0x0388dace60b6a392, 0xf328c2b971b2fe78, 0, 0x80].to_vec();
    let wanted = vec![vec![0xf38cbb1ad69223dc, 0xc3457ae5b6b0f885]];
    for &(direction, target) in SLICINGS {
        let mut program = monomorphic(text, direction);
        let input = [key.clone(), blocks.clone()];
        assert_eq!(interp::run(&program, &input), wanted);
        binary::run(&mut program, isa::find(target).expect("a target")).expect("it is legal");
        assert_eq!(interp::run(&program, &input), wanted, "-{direction:?} on {target}");
    }
}

#[test]
fn multiples_of_a_point_go_round() {
    let text = include_str!("../../../../tests/fields/k163.ua");
    let program = monomorphic(text, Direction::V);
    // FIPS 186-4, appendix D.1.3.1: the order of the base point, and its coordinate.
    let order = BigUint::parse_bytes(b"4000000000000000000020108a2e0cc0d99f8a5ef", 16).expect("it");
    let point = words("2fe13c0537bbc11acaa07d793de4e6d5e5c94eee8", 3);
    let multiple = |program: &Program, scalar: &BigUint| {
        let input = [prime::to_words(scalar, 3), point.clone()];
        interp::run(program, &input).concat()
    };
    // A point and its negative have the same coordinate.
    assert_eq!(multiple(&program, &BigUint::one()), point);
    assert_eq!(multiple(&program, &(&order - 1u32)), point);
    assert_eq!(multiple(&program, &order), vec![0; 3]);
    let double = multiple(&program, &BigUint::from(2u32));
    assert_ne!(double, point);
    assert_eq!(multiple(&program, &(&order - 2u32)), double);
    let mut units = program;
    binary::run(&mut units, isa::find("gp64").expect("a target")).expect("it is legal");
    assert_eq!(multiple(&units, &(&order - 2u32)), double);
}

#[test]
fn the_book_has_the_plans_costs() {
    let book = include_str!("../../../../docs/src/fields.md");
    for bits in [8, 16, 32, 64, 113, 128, 131, 163, 233, 251, 283, 409, 571] {
        let [two, three] = [false, true].map(|ternary| binary::gates(bits, ternary));
        let row = format!("| {bits} | {two} | {three} |");
        assert!(book.contains(&row), "{row}");
    }
}
