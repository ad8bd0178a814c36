//! The parts of a kernel around its operations: loops and what they carry, delay lines too, indices that step, calls,
//! constant parameters, lists of constants.

mod common;

use common::*;
use nakiri::compile::Kernel;
use nakiri::core::*;
use nakiri::isa::{self, Target};
use nakiri::registers::Spill;
use nakiri_verify::exec::{self, Block};
use nakiri_verify::{cc, Error};

const TYPES: &[(Direction, u16)] = &[
    (Direction::B, 1),
    (Direction::V, 8),
    (Direction::V, 16),
    (Direction::V, 32),
    (Direction::V, 64),
    (Direction::H, 2),
    (Direction::H, 16),
    (Direction::H, 32),
];

const ROUNDS: u32 = 5;

fn constants(width: u16) -> Vec<u128> {
    let mut random = Random(7);
    let mut list: Vec<u128> = (0..2 * ROUNDS).map(|_| random.atom(width)).collect();
    list[0] = 0;
    list[1] = semantics::mask(width);
    list
}

/// Two words go through rounds that swap them, keys that are read backwards, constants that are read two by two, and
/// a called function with two results, one of which is not used in the last call.
fn kernel_of(target: &'static Target, ty: Type) -> Kernel {
    let mut mix = func("mix'", vec![port("a", ty, 1), port("b", ty, 1)], vec![port("r", ty, 2)]);
    let mut body = vec![];
    let a = apply(&mut mix, &mut body, ty, Op::Load(0, Index::fixed(0)), &[]);
    let b = apply(&mut mix, &mut body, ty, Op::Load(1, Index::fixed(0)), &[]);
    let or = apply(&mut mix, &mut body, ty, Op::Or, &[a, b]);
    let xor = apply(&mut mix, &mut body, ty, Op::Xor, &[a, b]);
    store(&mut body, 0, Index::fixed(0), or);
    store(&mut body, 0, Index::fixed(1), xor);
    mix.body = body;

    let key = |name, count| Port { constant: true, ..port(name, ty, count) };
    let params =
        vec![key("white", 1), port("x", ty, 2), key("keys", ROUNDS), port("unread", ty, 1)];
    let mut f = func("entry", params, vec![port("y", ty, 2), port("trace", ty, ROUNDS)]);
    let mut body = vec![];
    let white = apply(&mut f, &mut body, ty, Op::Load(0, Index::fixed(0)), &[]);
    let x0 = apply(&mut f, &mut body, ty, Op::Load(1, Index::fixed(0)), &[]);
    let x1 = apply(&mut f, &mut body, ty, Op::Load(1, Index::fixed(1)), &[]);
    let left = apply(&mut f, &mut body, ty, Op::Xor, &[x0, white]);
    let ids: Vec<ValueId> = (0..4).map(|_| f.value(ty)).collect();
    let (l, r, l_after, r_after) = (ids[0], ids[1], ids[2], ids[3]);
    let mut inner = vec![];
    let backwards = Index { base: ROUNDS - 1, step: -1 };
    let key = apply(&mut f, &mut inner, ty, Op::Load(2, backwards), &[]);
    let by_two = Op::Constants(ConstantsId(0), Index { base: 1, step: 2 });
    let c = apply(&mut f, &mut inner, ty, by_two, &[]);
    let (or, xor) = (f.value(ty), f.value(ty));
    let_(&mut inner, &[or, xor], Op::Call(FuncId(0), vec![], vec![]), &[l, key]);
    let mixed = apply(&mut f, &mut inner, ty, Op::And, &[or, c]);
    let mixed = apply(&mut f, &mut inner, ty, Op::Xor, &[mixed, xor]);
    let new = apply(&mut f, &mut inner, ty, Op::Xor, &[mixed, r]);
    store(&mut inner, 1, Index { base: 0, step: 1 }, new);
    // The new left is the old right and the other way round.
    let swap = vec![
        Carried { init: left, inside: l, next: r, result: l_after },
        Carried { init: x1, inside: r, next: l, result: r_after },
    ];
    let third = f.value(ty);
    let third_after = f.value(ty);
    let mut carried = swap;
    carried.push(Carried { init: x1, inside: third, next: new, result: third_after });
    body.push(Stmt::Loop(Loop { count: ROUNDS, carried, body: inner, span: Default::default() }));
    let list = Op::Constants(ConstantsId(0), Index::fixed(4));
    let c = apply(&mut f, &mut body, ty, list, &[]);
    let sum = apply(&mut f, &mut body, ty, Op::Xor, &[l_after, third_after]);
    let (or, unused) = (f.value(ty), f.value(ty));
    let_(&mut body, &[or, unused], Op::Call(FuncId(0), vec![], vec![]), &[sum, c]);
    store(&mut body, 0, Index::fixed(0), or);
    store(&mut body, 0, Index::fixed(1), r_after);
    f.body = body;
    kernel(target, vec![mix, f], vec![constants(ty.bits())])
}

/// The same in Rust.
fn expected(width: u16, block: &Block) -> Block {
    let constants = constants(width);
    let (mut l, mut r) = (block[1][0] ^ block[0][0], block[1][1]);
    let (mut new, mut trace) = (0, vec![]);
    for i in 0..ROUNDS as usize {
        let key = block[2][ROUNDS as usize - 1 - i];
        new = ((l | key) & constants[1 + 2 * i]) ^ (l ^ key) ^ r;
        trace.push(new);
        (l, r) = (r, l);
    }
    vec![vec![(l ^ new) | constants[4], r], trace]
}

/// How many values the kernel below hands on: a shift register, a ring, a value beside them, a second shift register.
const DELAYED: [u32; 4] = [4, 5, 1, 4];

/// The next value of each of the values that a loop hands on; `None` is the one that it makes.
fn handed_on() -> Vec<Option<usize>> {
    let shifted = [Some(1), Some(2), Some(3), None];
    let ring = (0..5).map(|k| Some(4 + (k + 2) % 5));
    let beside = [Some(1)];
    let second = [Some(11), Some(12), Some(13), Some(4)];
    shifted.into_iter().chain(ring).chain(beside).chain(second).collect()
}

/// Values that a loop hands on, of which some combine to one that it makes.
fn delayed_kernel(target: &'static Target, ty: Type) -> Kernel {
    let count: u32 = DELAYED.iter().sum();
    let mut f = func("entry", vec![port("x", ty, count)], vec![port("y", ty, count)]);
    let mut body = vec![];
    let mut load = |k| apply(&mut f, &mut body, ty, Op::Load(0, Index::fixed(k)), &[]);
    let mut inits: Vec<ValueId> = (0..count).map(&mut load).collect();
    // This one is read twice.
    inits[9] = inits[1];
    let inside: Vec<ValueId> = inits.iter().map(|_| f.value(ty)).collect();
    let results: Vec<ValueId> = inits.iter().map(|_| f.value(ty)).collect();
    let mut inner = vec![];
    let and = apply(&mut f, &mut inner, ty, Op::And, &[inside[0], inside[4]]);
    let sum = apply(&mut f, &mut inner, ty, Op::Xor, &[and, inside[5]]);
    let sum = apply(&mut f, &mut inner, ty, Op::Xor, &[sum, inside[9]]);
    let made = apply(&mut f, &mut inner, ty, Op::Xor, &[sum, inside[10]]);
    let next = |next: &Option<usize>| next.map_or(made, |k| inside[k]);
    let nexts: Vec<ValueId> = handed_on().iter().map(next).collect();
    let carried = (0..count as usize).map(|k| Carried {
        init: inits[k],
        inside: inside[k],
        next: nexts[k],
        result: results[k],
    });
    let carried: Vec<Carried> = carried.collect();
    let counted = Loop { count: ROUNDS, carried, body: inner, span: Default::default() };
    assert_eq!(delay::DelayLine::of(&counted).len(), 3);
    body.push(Stmt::Loop(counted));
    for (k, result) in (0..).zip(results) {
        store(&mut body, 0, Index::fixed(k), result);
    }
    f.body = body;
    kernel(target, vec![f], vec![])
}

/// The same in Rust.
fn delayed(block: &Block) -> Block {
    let mut held = block[0].clone();
    held[9] = held[1];
    for _ in 0..ROUNDS {
        let made = (held[0] & held[4]) ^ held[5] ^ held[9] ^ held[10];
        held = handed_on().iter().map(|next| next.map_or(made, |k| held[k])).collect();
    }
    vec![held]
}

#[test]
fn loops_calls_and_constants() {
    let mut random = Random(3);
    for target in isa::all() {
        let legal = |(d, w): &&(Direction, u16)| target.instance(OpKind::Xor, *d, *w).is_some();
        let types = || TYPES.iter().filter(legal).map(|(d, w)| Type::new(*d, *w));
        let mut kernels: Vec<Kernel> = types().map(|ty| kernel_of(target, ty)).collect();
        let first = kernels.len();
        kernels.extend(types().map(|ty| delayed_kernel(target, ty)));
        let plain = kernels.clone();
        for spill in [Spill::Always, Spill::Assembly].into_iter().filter(|s| s.is_for(target)) {
            kernels.extend(plain.iter().map(|kernel| Kernel { spill, ..kernel.clone() }));
        }
        let delayed_one = |number: usize| number % (2 * first) >= first;
        let blocks = |(number, kernel): (usize, &Kernel)| -> Vec<Block> {
            let width = kernel.program.entry().params[0].ty.bits();
            let mut atoms = |n: u32| -> Vec<u128> { (0..n).map(|_| random.atom(width)).collect() };
            let (white, keys) = (atoms(1), atoms(ROUNDS));
            let lanes = 0..kernel.blocks() + 1;
            lanes
                .map(|_| match delayed_one(number) {
                    false => vec![white.clone(), atoms(2), keys.clone(), atoms(1)],
                    true => vec![atoms(DELAYED.iter().sum())],
                })
                .collect()
        };
        let inputs: Vec<Vec<Block>> = kernels.iter().enumerate().map(blocks).collect();
        let jobs: Vec<(&Kernel, &[Block])> =
            kernels.iter().zip(&inputs).map(|(kernel, blocks)| (kernel, &blocks[..])).collect();
        let compilers = cc::all_for(target).unwrap_or_else(|error| {
            eprintln!("{error}");
            Vec::new()
        });
        for compiler in compilers {
            let outputs = match exec::run_kernels(&jobs, &compiler) {
                Err(error) if error.is_lack() => {
                    eprintln!("{error}");
                    continue;
                }
                other => other.unwrap_or_else(|error| panic!("{error}")),
            };
            for (number, (inputs, outputs)) in inputs.iter().zip(outputs).enumerate() {
                let ty = kernels[number].program.entry().params[0].ty;
                for (input, output) in inputs.iter().zip(outputs) {
                    let expected = match delayed_one(number) {
                        false => expected(ty.bits(), input),
                        true => delayed(input),
                    };
                    assert_eq!(output, expected, "{} {ty:?}", target.name);
                }
            }
        }
    }
}

#[test]
fn blocks_that_differ_in_a_constant_are_refused() {
    let target = isa::find("gp64").expect("a target");
    let kernel = kernel_of(target, Type::new(Direction::B, 1));
    let block = |white| vec![vec![white], vec![0; 2], vec![0; ROUNDS as usize], vec![0]];
    let compiler = cc::Compiler::find().unwrap_or_else(|error| panic!("{error}"));
    let refused = exec::run_kernel(&kernel, &compiler, &[block(0), block(1)]);
    assert!(matches!(refused, Err(Error::Blocks(_))));
}
