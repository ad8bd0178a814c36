//! Every instance of every target against the semantics of its operation, by every C compiler at hand. Arguments are parts of
//! the names of targets.

mod common;

use common::*;
use nakiri::compile::Kernel;
use nakiri::core::field::ByteMap;
use nakiri::core::*;
use nakiri::isa::{self, Target};
use nakiri_verify::exec::{self, Block};
use nakiri_verify::{cc, Error};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The operations of a kind that are tested on atoms of a width: all amounts, all tables of three inputs, and
/// permutations of every sort.
fn operations(kind: OpKind, width: u16, random: &mut Random) -> Vec<Op> {
    let amounts = 0..width;
    match kind {
        OpKind::And => vec![Op::And],
        OpKind::Or => vec![Op::Or],
        OpKind::Xor => vec![Op::Xor],
        OpKind::Not => vec![Op::Not],
        OpKind::AndNot => vec![Op::AndNot],
        OpKind::MulHalves => vec![Op::MulHalves],
        OpKind::OrNot => vec![Op::OrNot],
        OpKind::Ternary => (0..=255).map(Op::Ternary).collect(),
        OpKind::Add => vec![Op::Add],
        OpKind::Sub => vec![Op::Sub],
        OpKind::Mul => vec![Op::Mul],
        OpKind::AddLow52 => vec![Op::AddLow52],
        OpKind::AddHigh52 => vec![Op::AddHigh52],
        OpKind::ClmulLow => vec![Op::ClmulLow],
        OpKind::ClmulHigh => vec![Op::ClmulHigh],
        OpKind::Shl => amounts.map(Op::Shl).collect(),
        OpKind::Shr => amounts.map(Op::Shr).collect(),
        OpKind::Sar => amounts.map(Op::Sar).collect(),
        OpKind::Rotl => amounts.map(Op::Rotl).collect(),
        OpKind::RotlAnd => kept(width, random),
        OpKind::Bitmask => amounts.map(Op::Bitmask).collect(),
        OpKind::Substitute => (0..4)
            .map(|_| Op::Substitute(Box::new(std::array::from_fn(|_| byte(random)))))
            .collect(),
        OpKind::Nibble => {
            (0..16).map(|_| Op::Nibble(Box::new(std::array::from_fn(|_| byte(random))))).collect()
        }
        OpKind::Affine => (0..16).map(|_| Op::Affine(map(random))).collect(),
        OpKind::Invert => (0..16).map(|_| Op::Invert(map(random))).collect(),
        OpKind::Instruction => {
            let here = Instruction::all().filter(|instruction| instruction.row().0 == width);
            here.map(Op::Instruction).collect()
        }
        OpKind::Window => (1..128 / width).map(Op::Window).collect(),
        OpKind::Permute => permutations(128 / width, random).into_iter().map(Op::Permute).collect(),
        OpKind::Shuffle => permutations(width, random).into_iter().map(Op::Shuffle).collect(),
        other => panic!("{other:?} has an instance but no test"),
    }
}

/// Rotations by all amounts, of which all bits are kept, some, or those of one side.
fn kept(width: u16, random: &mut Random) -> Vec<Op> {
    let (mut all, ones) = (Vec::new(), semantics::mask(width));
    for by in 0..width {
        let (right, some) = (semantics::mask(by), random.atom(width));
        let sides = [0, ones, right, ones ^ right, some, some & right, some & !right];
        all.extend(sides.map(|kept| Op::RotlAnd { by, kept }));
    }
    all
}

fn byte(random: &mut Random) -> u8 {
    random.atom(8) as u8
}

fn map(random: &mut Random) -> ByteMap {
    ByteMap { columns: std::array::from_fn(|_| byte(random)), constant: byte(random) }
}

fn permutations(width: u16, random: &mut Random) -> Vec<Box<[Option<u16>]>> {
    let mut all: Vec<Box<[Option<u16>]>> = Vec::new();
    all.push((0..width).rev().map(Some).collect());
    all.push((0..width).map(|_| None).collect());
    for by in 0..width {
        all.push((0..width).map(|p| Some((p + by) % width)).collect());
        all.push((0..width).map(|_| Some(by)).collect());
        all.push((0..width).map(|p| Some(p).filter(|p| *p == by)).collect());
    }
    for _ in 0..16 {
        let mut pick = || Some(random.below(u64::from(width) + 1) as u16).filter(|p| *p < width);
        all.push((0..width).map(|_| pick()).collect());
    }
    all
}

fn arguments(op: &Op) -> u32 {
    match op {
        Op::Ternary(_) | Op::AddLow52 | Op::AddHigh52 => 3,
        Op::Instruction(instruction) => instruction.arity() as u32,
        Op::And | Op::Or | Op::Xor | Op::AndNot | Op::OrNot => 2,
        Op::Add | Op::Sub | Op::Mul | Op::MulHalves | Op::Window(_) => 2,
        Op::ClmulLow | Op::ClmulHigh => 2,
        _ => 1,
    }
}

/// One kernel that applies all operations to the same arguments.
fn kernel_of(target: &'static Target, ty: Type, ops: &[Op]) -> Kernel {
    let count = ops.iter().map(arguments).max().unwrap_or(1);
    let (params, results) = (vec![port("x", ty, count)], vec![port("y", ty, ops.len() as u32)]);
    let mut f = func("operations", params, results);
    let mut body = vec![];
    let load = |k| Op::Load(0, Index::fixed(k));
    let args: Vec<ValueId> =
        (0..count).map(|k| apply(&mut f, &mut body, ty, load(k), &[])).collect();
    for (k, op) in ops.iter().enumerate() {
        let args = &args[..arguments(op) as usize];
        let value = apply(&mut f, &mut body, ty, op.clone(), args);
        store(&mut body, 0, Index::fixed(k as u32), value);
    }
    f.body = body;
    kernel(target, vec![f], vec![])
}

/// Every combination of edge values, then random ones, more than fill two batches.
fn blocks(kernel: &Kernel, random: &mut Random) -> Vec<Block> {
    let port = &kernel.program.entry().params[0];
    let (width, count) = (port.ty.bits(), port.count());
    let all = semantics::mask(width);
    let sign = 1u128 << (width - 1);
    let edges = BTreeSet::from([0, 1, all, all ^ 1, sign, sign ^ all, all / 3, sign >> 1 | 1]);
    let edges: Vec<u128> = edges.into_iter().map(|e| e & all).collect();
    let combinations = edges.len().pow(count);
    let edge = |mut n: usize| {
        let mut digit = || {
            let digit = n % edges.len();
            n /= edges.len();
            edges[digit]
        };
        vec![(0..count).map(|_| digit()).collect()]
    };
    let mut blocks: Vec<Block> = (0..combinations).map(edge).collect();
    for _ in 0..2 * kernel.blocks() + 3 {
        blocks.push(vec![(0..count).map(|_| random.atom(width)).collect()]);
    }
    blocks
}

/// Every type for which a target's table has an operation, each once.
fn instances(target: &Target) -> BTreeSet<(OpKind, Direction, u16)> {
    let types = |row: &isa::Instance| {
        let op = row.op;
        row.types.iter().flat_map(move |(d, widths)| widths.iter().map(move |w| (op, *d, *w)))
    };
    // What products of words make is in no port: products of elements are what shows that it is right (`fields.rs`).
    let is_double = |&(kind, _, width): &(OpKind, Direction, u16)| {
        let narrows = matches!(kind, OpKind::Product | OpKind::Widen | OpKind::Low);
        !target.simd && (width == 128 || narrows)
    };
    target.rows().flat_map(types).filter(|instance| !is_double(instance)).collect()
}

fn check_target(target: &'static Target, compiler: &cc::Compiler) {
    let mut random = Random(1);
    let cases: Vec<(Vec<Op>, Kernel)> = instances(target)
        .into_iter()
        .map(|(kind, direction, width)| {
            let mut ops = operations(kind, width, &mut random);
            ops.retain(|op| target.select(op, direction, width).is_some());
            let ty = match direction {
                Direction::P => Type::row(width, 128 / width),
                _ => Type::new(direction, width),
            };
            let kernel = kernel_of(target, ty, &ops);
            (ops, kernel)
        })
        .collect();
    let inputs: Vec<Vec<Block>> =
        cases.iter().map(|(_, kernel)| blocks(kernel, &mut random)).collect();
    let jobs: Vec<(&Kernel, &[Block])> =
        cases.iter().zip(&inputs).map(|((_, kernel), blocks)| (kernel, &blocks[..])).collect();
    let outputs = match exec::run_kernels(&jobs, compiler) {
        Err(error) if error.is_lack() => return lacking(&error),
        other => other.unwrap_or_else(|error| panic!("{error}")),
    };
    for (((ops, kernel), inputs), outputs) in cases.iter().zip(&inputs).zip(&outputs) {
        let ty = kernel.program.entry().params[0].ty;
        assert_eq!(inputs.len(), outputs.len());
        for (block, (input, output)) in inputs.iter().zip(outputs).enumerate() {
            for (op, got) in ops.iter().zip(&output[0]) {
                let (word, length) = (ty.word(), ty.row_length());
                let want =
                    semantics::eval_row(op, word, length, &input[0][..arguments(op) as usize])
                        .expect("an operation");
                let what = format!("{} {op:?} {ty:?} block {block} {:#x?}", target.name, input[0]);
                assert_eq!(*got, want, "{what}");
            }
        }
    }
}

/// Says what was not run; where the tests must be complete, that is a failure.
fn lacking(error: &Error) {
    let complete = std::env::var("CI").is_ok_and(|v| v == "true");
    assert!(!complete || matches!(error, Error::NotRunnable { .. }), "{error}");
    eprintln!("{error}");
}

/// The compilers for a target: those for its architecture, and where its C is for every machine, those for all.
fn compilers_for(target: &Target) -> Vec<cc::Compiler> {
    let found = |compilers: Result<Vec<cc::Compiler>, Error>| {
        compilers.unwrap_or_else(|error| {
            lacking(&error);
            Vec::new()
        })
    };
    let mut compilers = found(cc::all_for(target));
    if target.guard().is_none() {
        compilers.extend(cc::all());
        let others = isa::architectures().into_iter().filter(|a| !cc::is_host(a));
        compilers.extend(others.flat_map(|a| found(cc::Compiler::cross(a).map(|cc| vec![cc]))));
    }
    let mut known: Vec<cc::Compiler> = Vec::new();
    compilers.retain(|compiler| {
        let new = !known.contains(compiler);
        known.push(compiler.clone());
        new
    });
    compilers
}

/// All targets, or those whose names have an argument of the test in them.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let asked = |target: &&&Target| {
        arguments.is_empty() || arguments.iter().any(|part| target.name.contains(part.as_str()))
    };
    assert!(!cc::all().is_empty(), "{}", cc::Compiler::find().unwrap_err());
    let targets: Vec<&&Target> = isa::all().iter().filter(asked).collect();
    let jobs: Vec<(&Target, cc::Compiler)> = targets
        .iter()
        .flat_map(|target| compilers_for(target).into_iter().map(move |cc| (**target, cc)))
        .collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((target, compiler)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    check_target(target, compiler);
                    println!("{}: {}", target.name, compiler.machine());
                }
            });
        }
    });
}
