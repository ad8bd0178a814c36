//! The mix of operations: what a kernel executes, by class.

use nakiri::compile::Kernel;
use nakiri::core::{Direction, FuncId, Op, Stmt};

/// The classes, in the order of [`Mix::counts`].
pub const CLASSES: [&str; 8] = [
    "logic",
    "ternary logic",
    "add, multiply",
    "shift, rotate",
    "shuffle",
    "load",
    "store",
    "constant",
];

const STORE: usize = 6;

/// How many operations of each class one run of a kernel executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mix {
    /// A count for each of [`CLASSES`].
    pub counts: [u64; 8],
}

impl Mix {
    /// Counts a kernel, iterations and called functions included.
    pub fn of(kernel: &Kernel) -> Mix {
        function(kernel, kernel.program.entry)
    }

    /// All operations.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn add(&mut self, other: &Mix, times: u64) {
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            *own += other * times;
        }
    }
}

fn function(kernel: &Kernel, id: FuncId) -> Mix {
    statements(kernel, &kernel.program.funcs[id.index()].body)
}

fn statements(kernel: &Kernel, body: &[Stmt]) -> Mix {
    let mut mix = Mix::default();
    let elements = kernel.direction == Direction::H && kernel.target.simd;
    for stmt in body {
        match stmt {
            Stmt::Store { .. } => mix.counts[STORE] += 1,
            Stmt::Forall(forall) => {
                forall.iterations.iter().for_each(|stmts| mix.add(&statements(kernel, stmts), 1));
            }
            Stmt::Loop(l) => mix.add(&statements(kernel, &l.body), u64::from(l.count)),
            Stmt::Let(instr) => match &instr.op {
                Op::Call(callee, ..) => mix.add(&function(kernel, *callee), 1),
                op => mix.counts[class(op, elements)] += 1,
            },
        }
    }
    mix
}

/// The class of an operation. What moves bits inside an atom may move elements of the register.
fn class(op: &Op, elements: bool) -> usize {
    match op {
        Op::And | Op::Or | Op::Xor | Op::Not | Op::AndNot | Op::OrNot | Op::Table(_) => 0,
        Op::Ternary(_) => 1,
        Op::Add | Op::Sub | Op::Mul | Op::MulHalves | Op::Product => 2,
        Op::AddLow52 | Op::AddHigh52 | Op::ClmulLow | Op::ClmulHigh => 2,
        Op::Shl(_)
        | Op::Shr(_)
        | Op::Sar(_)
        | Op::Rotl(_)
        | Op::Rotr(_)
        | Op::RotlAnd { .. }
        | Op::Bitmask(_) => {
            if elements {
                4
            } else {
                3
            }
        }
        Op::Shuffle(_)
        | Op::Permute(_)
        | Op::Window(_)
        | Op::Pack
        | Op::Widen
        | Op::Low
        | Op::Lookup(_)
        | Op::Substitute(_)
        | Op::Nibble(_)
        | Op::Affine(_)
        | Op::Invert(_)
        | Op::Instruction(_) => 4,
        // Gone before there is a kernel.
        Op::Element | Op::Number | Op::Choose => 7,
        Op::Load(..) | Op::Call(..) => 5,
        Op::Const(_) | Op::Constants(..) => 7,
    }
}
