//! Searches for circuits of the S-box of AES and its inverse over a tower of fields, and prints
//! them in the form of the library.
//!
//! An element of GF(2^8) is `a Y^16 + b Y` with `a` and `b` in GF(2^4); its inverse is
//! `d b Y^16 + d a Y` with `1/d = n (a + b)^2 + t^2 a b`, where `t = Y + Y^16` and `n = Y^17`
//! (Itoh and Tsujii; Canright). Products in GF(2^4) take nine bit products (Karatsuba). The linear
//! layers, the inversion in GF(2^4) and finally the whole are then searched for.
//!
//! `cargo run --release -p nakiri-circuit --example search_aes -- aes|aes_inverse SECONDS SEED`

use std::time::{Duration, Instant};

use nakiri::circuit::linear::{sums, Sums};
use nakiri::circuit::search::{construct, improve, Settings};
use nakiri::circuit::{Circuit, Gate, Output, Signal, Table};
use sboxes::multiply;

#[allow(dead_code)]
#[path = "../../nakiri/tests/sboxes/mod.rs"]
mod sboxes;

fn power(x: u32, exponent: u32) -> u32 {
    (0..exponent).fold(1, |product, _| multiply(product, x))
}

/// GF(2^4) inside GF(2^8), and its 15 nonzero linear forms.
struct Subfield {
    elements: Vec<u32>,
    /// The forms, as values on the elements, in five groups of three: multiples over GF(2^2).
    forms: Vec<Vec<u32>>,
}

impl Subfield {
    fn new() -> Subfield {
        let elements: Vec<u32> = (0..256).filter(|&x| power(x, 16) == x).collect();
        let generator = *elements
            .iter()
            .find(|&&x| x != 0 && power(x, 5) != 1 && power(x, 3) != 1)
            .expect("a generator");
        let trace = |x: u32| (x ^ power(x, 2) ^ power(x, 4) ^ power(x, 8)) & 1;
        // The exponents 0, 5, 10 apart are multiples by elements of GF(2^2).
        let forms = (0..15)
            .map(|place| {
                let factor = power(generator, place / 3 + 5 * (place % 3));
                elements.iter().map(|&x| trace(multiply(factor, x))).collect()
            })
            .collect();
        Subfield { elements, forms }
    }

    fn value(&self, form: usize, x: u32) -> u32 {
        let place = self.elements.iter().position(|&element| element == x).expect("an element");
        self.forms[form][place]
    }

    /// The nine constants with `x y = sum of c_k f_k(x) f_k(y)` for three groups of forms.
    fn constants(&self, forms: &[usize]) -> Vec<u32> {
        // Each bit of a constant solves 256 equations in nine unknowns.
        let mut constants = vec![0u32; forms.len()];
        for bit in 0..8 {
            let mut rows: Vec<u32> = Vec::new();
            for &x in &self.elements {
                for &y in &self.elements {
                    let left = forms.iter().enumerate().fold(0, |row, (k, &form)| {
                        row | (self.value(form, x) & self.value(form, y)) << k
                    });
                    rows.push(left | (multiply(x, y) >> bit & 1) << forms.len());
                }
            }
            for (k, solution) in solve(rows, forms.len()).into_iter().enumerate() {
                constants[k] |= solution << bit;
            }
        }
        constants
    }
}

/// Solves equations whose bit `unknowns` is the right-hand side.
fn solve(mut rows: Vec<u32>, unknowns: usize) -> Vec<u32> {
    let mut pivots = Vec::new();
    for k in 0..unknowns {
        let Some(place) = rows.iter().position(|row| row >> k & 1 == 1) else { continue };
        let pivot = rows.swap_remove(place);
        rows.iter_mut().chain(pivots.iter_mut().map(|(_, row)| row)).for_each(|row| {
            *row ^= if *row >> k & 1 == 1 { pivot } else { 0 };
        });
        pivots.push((k, pivot));
    }
    assert!(rows.iter().all(|&row| row == 0), "inconsistent equations");
    let mut solution = vec![0; unknowns];
    pivots.iter().for_each(|&(k, row)| solution[k] = row >> unknowns & 1);
    solution
}

/// One way to write the S-box: the tower's element `Y` and three of the five groups of forms.
struct Tower {
    /// The nine forms on GF(2^4), and the constants that go with them.
    forms: Vec<usize>,
    constants: Vec<u32>,
    /// The square of the trace of `Y`, and its norm.
    trace_squared: u32,
    norm: u32,
    /// The 9 forms of `a` and the 9 of `b` in the inputs, input 0 in bit 0.
    top: Vec<u64>,
    /// The outputs in the 9 products of `d` and `b` and the 9 of `d` and `a`.
    bottom: Vec<u64>,
    /// The parts `a` and `b` of each unit input.
    parts: [[u32; 2]; 8],
}

/// The linear maps before and after the inversion, on bits of a byte; their constants are left to
/// the choice of inverters.
struct Maps {
    before: [u32; 8],
    after: Box<dyn Fn(u32) -> u32>,
    output_constant: u32,
    input_constant: u32,
}

fn affine(x: u32) -> u32 {
    let rotate = |by: u32| x << by | x >> (8 - by);
    (x ^ rotate(1) ^ rotate(2) ^ rotate(3) ^ rotate(4)) & 255
}

fn maps(inverse: bool) -> Maps {
    if !inverse {
        let before = std::array::from_fn(|input| 0x80 >> input);
        return Maps { before, after: Box::new(affine), output_constant: 0x63, input_constant: 0 };
    }
    let undo = |y: u32| (0..256).find(|&x| affine(x) == y).expect("affine is invertible");
    let before = std::array::from_fn(|input| undo(0x80 >> input));
    let input_constant = undo(0x63);
    Maps { before, after: Box::new(|x| x), output_constant: 0, input_constant }
}

impl Tower {
    fn new(field: &Subfield, y: u32, groups: [usize; 3], maps: &Maps) -> Option<Tower> {
        let conjugate = power(y, 16);
        if conjugate == y {
            return None;
        }
        let split = |x: u32| {
            field.elements.iter().find_map(|&a| {
                field
                    .elements
                    .iter()
                    .find_map(|&b| (multiply(a, conjugate) ^ multiply(b, y) == x).then_some([a, b]))
            })
        };
        let mut parts = [[0; 2]; 8];
        for (part, &x) in parts.iter_mut().zip(&maps.before) {
            *part = split(x)?;
        }
        let forms: Vec<usize> =
            groups.iter().flat_map(|&group| [3 * group, 3 * group + 1, 3 * group + 2]).collect();
        let constants = field.constants(&forms);
        let side = |side: usize| {
            let parts = &parts;
            forms.iter().map(move |&form| {
                (0..8).fold(0, |sum, input| {
                    sum | u64::from(field.value(form, parts[input][side])) << input
                })
            })
        };
        let top = side(0).chain(side(1)).collect();
        let column = |k: usize, by: u32| (maps.after)(multiply(constants[k], by));
        let columns: Vec<u32> =
            (0..9).map(|k| column(k, conjugate)).chain((0..9).map(|k| column(k, y))).collect();
        let bottom = (0..8)
            .map(|output| {
                columns
                    .iter()
                    .enumerate()
                    .fold(0, |sum, (k, column)| sum | u64::from(column >> (7 - output) & 1) << k)
            })
            .collect();
        let trace_squared = power(y ^ conjugate, 2);
        let norm = multiply(y, conjugate);
        Some(Tower { forms, constants, trace_squared, norm, top, bottom, parts })
    }

    /// What the middle needs on top of the products: the choice of `kinds` turns product k into
    /// itself plus either factor (bit 0: that of `a`, bit 1: that of `b`); `basis` are four forms
    /// of `1/d`. Targets are over 8 inputs, then 9 products.
    fn middle(&self, field: &Subfield, kinds: &[u32], basis: &[usize]) -> Vec<u64> {
        let scaled: Vec<u32> =
            self.constants.iter().map(|&c| multiply(c, self.trace_squared)).collect();
        basis
            .iter()
            .map(|&form| {
                let mut target = 0;
                for (input, &[a, b]) in self.parts.iter().enumerate() {
                    let mut sum = multiply(self.norm, power(a ^ b, 2));
                    for k in 0..9 {
                        let [p, q] = [a, b].map(|x| field.value(self.forms[k], x));
                        let extra = (kinds[k] & p) ^ (kinds[k] >> 1 & q);
                        sum ^= if extra == 1 { scaled[k] } else { 0 };
                    }
                    target |= u64::from(field.value(form, sum)) << input;
                }
                for (k, &constant) in scaled.iter().enumerate() {
                    target |= u64::from(field.value(form, constant)) << (8 + k);
                }
                target
            })
            .collect()
    }
}

/// A small generator for the choices among towers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % bound
    }
}

/// The bits of products; those of later stages must not be used for earlier ones.
const PRODUCTS: u64 = 0x1ff << 8;

/// The choices for the first half, and its linear program.
struct Middle {
    kinds: Vec<u32>,
    basis: Vec<usize>,
    program: Sums,
}

/// A good first half: random walk over the kinds of products and bases.
fn search_middle(field: &Subfield, tower: &Tower, tries: usize, random: &mut Random) -> Middle {
    let random_basis = |random: &mut Random| loop {
        let basis: Vec<usize> = (0..4).map(|_| random.below(15)).collect();
        let mut images: Vec<u32> = (0..16)
            .map(|x| basis.iter().fold(0, |image, &form| image << 1 | field.forms[form][x]))
            .collect();
        images.sort_unstable();
        images.dedup();
        if images.len() == 16 {
            return basis;
        }
    };
    let evaluate = |kinds: &[u32], basis: &[usize], steps: usize, seed: u64| {
        let middle = tower.middle(field, kinds, basis);
        let targets: Vec<u64> = tower.top.iter().copied().chain(middle).collect();
        sums(17, &targets, PRODUCTS, steps, seed).expect("sums of inputs and products")
    };
    let mut kinds: Vec<u32> = (0..9).map(|_| random.below(4) as u32).collect();
    let mut basis = random_basis(random);
    let mut size = evaluate(&kinds, &basis, 0, 1).len();
    for number in 0..tries {
        let (mut new_kinds, mut new_basis) = (kinds.clone(), basis.clone());
        match random.below(8) {
            0 => new_basis = random_basis(random),
            1..=3 => new_basis[random.below(4)] = random.below(15),
            _ => new_kinds[random.below(9)] = random.below(4) as u32,
        }
        if random.below(3) == 0 {
            new_kinds[random.below(9)] = random.below(4) as u32;
        }
        let images = (1..16).all(|x| new_basis.iter().any(|&form| field.forms[form][x] == 1));
        if !images {
            continue;
        }
        let new = evaluate(&new_kinds, &new_basis, 0, number as u64).len();
        if new <= size {
            (kinds, basis, size) = (new_kinds, new_basis, new);
        }
    }
    let program = (0..4)
        .map(|seed| evaluate(&kinds, &basis, 30_000, seed))
        .min_by_key(Sums::len)
        .expect("four programs");
    Middle { kinds, basis, program }
}

/// The map from the four bits of `1/d` to the nine forms of `d`.
fn inversion(field: &Subfield, tower: &Tower, basis: &[usize]) -> Table {
    let mut entries = vec![0; 16];
    for &x in &field.elements {
        let index = basis.iter().fold(0, |index, &form| index << 1 | field.value(form, x));
        let inverse = power(x, 14);
        entries[index as usize] =
            tower.forms.iter().fold(0, |entry, &form| entry << 1 | field.value(form, inverse));
    }
    Table { inputs: 4, outputs: 9, entries }
}

/// Puts the parts together: signals are made as the stages go.
fn assemble(middle: &Middle, inverse: &Circuit, bottom: &Sums, maps: &Maps) -> Circuit {
    let mut gates: Vec<Gate> = Vec::new();
    let push = |gates: &mut Vec<Gate>, gate: Gate| {
        gates.push(gate);
        Signal(8 + gates.len() as u32 - 1)
    };
    // The constant of an affine input turns into inverters, which the clean-up absorbs.
    let mut inputs: Vec<Signal> = (0..8).map(Signal).collect();
    let flip = input_flips(maps);
    for (input, signal) in inputs.iter_mut().enumerate() {
        if flip >> input & 1 == 1 {
            *signal = push(&mut gates, Gate::Not(*signal));
        }
    }
    let program = &middle.program;
    let mut signals: Vec<Option<Signal>> = inputs.into_iter().map(Some).collect();
    signals.resize(program.values.len(), None);
    let early = |value: u64| value & PRODUCTS == 0;
    let run =
        |gates: &mut Vec<Gate>, signals: &mut Vec<Option<Signal>>, wanted: &dyn Fn(u64) -> bool| {
            for (index, &(a, b)) in program.additions.iter().enumerate() {
                if wanted(program.values[17 + index]) {
                    let gate = Gate::Xor(signals[a].expect("ready"), signals[b].expect("ready"));
                    signals[17 + index] = Some(push(gates, gate));
                }
            }
        };
    run(&mut gates, &mut signals, &early);
    let top: Vec<Signal> =
        program.targets[..18].iter().map(|&target| signals[target].expect("a form")).collect();
    for k in 0..9 {
        let (p, q) = (top[k], top[9 + k]);
        let gate = match middle.kinds[k] {
            0 => Gate::And(p, q),
            // p q + p = p & !q.
            1 => Gate::AndNot(q, p),
            2 => Gate::AndNot(p, q),
            _ => Gate::Or(p, q),
        };
        signals[8 + k] = Some(push(&mut gates, gate));
    }
    run(&mut gates, &mut signals, &|value| !early(value));
    let norm: Vec<Signal> =
        program.targets[18..].iter().map(|&target| signals[target].expect("a bit")).collect();
    let base = 8 + gates.len() as u32;
    let at = |signal: Signal| match signal.0 {
        input @ 0..=3 => norm[input as usize],
        gate => Signal(base + gate - 4),
    };
    for gate in &inverse.gates {
        gates.push(gate.map(at));
    }
    let forms: Vec<Signal> = inverse
        .outputs
        .iter()
        .map(|output| match *output {
            Output::Signal(signal) => at(signal),
            Output::Constant(_) => unreachable!("no form of the inverse is constant"),
        })
        .collect();
    let mut values: Vec<Signal> = Vec::new();
    for k in 0..9 {
        values.push(push(&mut gates, Gate::And(forms[k], top[9 + k])));
    }
    for k in 0..9 {
        values.push(push(&mut gates, Gate::And(forms[k], top[k])));
    }
    for &(a, b) in &bottom.additions {
        let sum = push(&mut gates, Gate::Xor(values[a], values[b]));
        values.push(sum);
    }
    let mut outputs = Vec::new();
    for (output, &target) in bottom.targets.iter().enumerate() {
        let flipped = maps.output_constant >> (7 - output) & 1 == 1;
        let signal = values[target];
        outputs.push(Output::Signal(if flipped {
            push(&mut gates, Gate::Not(signal))
        } else {
            signal
        }));
    }
    Circuit { inputs: 8, gates, outputs }
}

/// The inputs to invert so that the linear map gains the constant.
fn input_flips(maps: &Maps) -> u32 {
    (0..256u32)
        .find(|flips| {
            let columns = maps.before.iter().enumerate();
            let image = columns.fold(0, |sum, (input, column)| {
                sum ^ if flips >> input & 1 == 1 { *column } else { 0 }
            });
            image == maps.input_constant
        })
        .expect("the map is invertible")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: u64| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let name = arguments.first().map_or("aes", String::as_str);
    let Some(table) = sboxes::table(name) else { return };
    let end = Instant::now() + Duration::from_secs(number(1, 60));
    let maps = maps(name == "aes_inverse");
    let field = Subfield::new();
    let mut random = Random(number(2, 1));

    let mut towers: Vec<(usize, Tower, Sums)> = Vec::new();
    for y in 0..256 {
        for left_out in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let groups: Vec<usize> =
                (0..5).filter(|&group| group != left_out.0 && group != left_out.1).collect();
            let groups = [groups[0], groups[1], groups[2]];
            if let Some(tower) = Tower::new(&field, y, groups, &maps) {
                let bottom = sums(18, &tower.bottom, 0, 300, 1).expect("sums of products");
                let top = sums(8, &tower.top, 0, 300, 1).expect("sums of inputs");
                towers.push((top.len() + bottom.len(), tower, bottom));
            }
        }
    }
    towers.sort_by_key(|tower| tower.0);
    eprintln!("{} towers, linear layers from {}", towers.len(), towers[0].0);
    let mut best = usize::MAX;
    let mut promising: Vec<(usize, Circuit)> = Vec::new();
    for place in 0.. {
        if Instant::now() > end {
            break;
        }
        let (estimate, tower, _) = &towers[random.below((place + 1).min(60).min(towers.len()))];
        let bottom = (0..3)
            .filter_map(|seed| sums(18, &tower.bottom, 0, 100_000, seed))
            .min_by_key(Sums::len)
            .expect("three programs");
        let middle = search_middle(&field, tower, 1500, &mut random);
        let inversion = inversion(&field, tower, &middle.basis);
        let settings =
            Settings { seed: 1, steps: 10_000, chain: 2, breadth: 3, uphill: 5, excess: 4 };
        let inverse = (0..4)
            .filter_map(|seed| construct(&inversion, Settings { seed, ..settings }))
            .min_by_key(Circuit::size)
            .expect("a circuit");
        let circuit = assemble(&middle, &inverse, &bottom, &maps);
        assert!(circuit.computes(&table), "the tower is wrong");
        let small = improve(&circuit, Settings { steps: 0, ..settings });
        eprintln!(
            "{estimate}: first {} inverse {} last {}: {} {}",
            middle.program.len(),
            inverse.size(),
            bottom.len(),
            circuit.size(),
            small.size()
        );
        promising.push((small.size(), small.clone()));
        if small.size() < best {
            best = small.size();
            print_entry(name, &small, "the parts", number(2, 1));
        }
    }
    promising.sort_by_key(|circuit| circuit.0);
    for (size, circuit) in promising.iter().take(3) {
        let settings =
            Settings { seed: 1, steps: 60_000, chain: 1, breadth: 1, uphill: 40, excess: 1 };
        let better = improve(circuit, settings);
        eprintln!("{size} improved to {}", better.size());
        if better.size() < best {
            best = better.size();
            print_entry(name, &better, "the parts and the whole", number(2, 1));
        }
    }
}

fn print_entry(name: &str, circuit: &Circuit, what: &str, seed: u64) {
    println!("{name} 8 | {} gates, tower field, search of {what}, seed {seed}", circuit.size());
    println!("{circuit}\n");
}
