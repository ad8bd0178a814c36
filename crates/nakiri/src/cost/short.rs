//! How few blocks are cheaper on rows, direction `P`, or with one word in a register, than in lanes most of which are idle.

use super::{estimate_kernel, transport, Machine};
use crate::compile::{self, Few, Kernel, Options, Short};
use crate::core::{Direction, Program};
use crate::pass::interleave::Interleave;

/// The most batches that are tried.
const MOST: u32 = 4;

/// What one run of a kernel costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// How many blocks it processes, at most.
    pub blocks: usize,
    /// Core cycles, with what brings the blocks into registers and back.
    pub cycles: f64,
}

/// The kernels for short messages that were priced.
#[derive(Clone, Debug)]
pub struct Lengths {
    /// What was chosen.
    pub short: Short,
    /// One batch of the kernel.
    pub lanes: Run,
    /// One batch of the kernel for short messages, two, and so on.
    pub few: Vec<Run>,
}

/// Chooses which kernels take short messages of vertical kernels, of horizontal ones in general-purpose registers, or of those on bits in
/// vectors, of these options, with all other choices made. `None` where there is nothing to choose: no such kernel is legal for all of the programs,
/// or the machine lacks what they need. The first program is priced.
pub fn short(programs: &[&Program], options: &Options, machine: &Machine) -> Option<Lengths> {
    let single = Options { interleave: Some(Interleave::default()), ..*options };
    let lanes = compile::compile(programs[0], &single, &mut |_, _| {}).ok()?;
    let sliced = match lanes.direction {
        Direction::V => true,
        Direction::B => lanes.target.simd,
        Direction::H => !lanes.target.simd,
        Direction::P => false,
    };
    if !sliced || lanes.blocks() == 1 {
        return None;
    }
    let all: Option<Vec<_>> = programs.iter().map(|p| Few::new(p, options)).collect();
    let kernels = all?.into_iter().next()?;
    let lanes = run(&lanes, transport::cycles(&lanes, machine)?, machine)?;
    let mut few: Vec<Run> = Vec::new();
    let mut moved = 0.0;
    for factor in 1..=MOST {
        let kernel = kernels.kernel(factor);
        if factor == 1 {
            moved = transport::cycles(&kernel, machine)?;
        }
        let next = run(&kernel, f64::from(factor) * moved, machine)?;
        let useful = few.last().is_none_or(|last| last.blocks + 1 < lanes.blocks);
        if !useful || next.cycles >= lanes.cycles {
            break;
        }
        few.push(next);
    }
    let cheaper = |blocks: &usize| cycles(&few, *blocks).is_some_and(|c| c < lanes.cycles);
    let below = (1..lanes.blocks).take_while(cheaper).count() as u32 + 1;
    let batches = few.len() as u32;
    let short = if below > 1 { Short::Few { below, batches } } else { Short::Never };
    Some(Lengths { short, lanes, few })
}

/// What a number of blocks costs: as often as they are filled the most batches, then the fewest that suffice.
fn cycles(few: &[Run], blocks: usize) -> Option<f64> {
    let most = few.last()?;
    let rest = blocks % most.blocks;
    let last = few.iter().find(|run| rest > 0 && run.blocks >= rest);
    Some((blocks / most.blocks) as f64 * most.cycles + last.map_or(0.0, |run| run.cycles))
}

/// One run of a kernel, whose blocks are moved in so many cycles. `None` if the machine lacks something.
fn run(kernel: &Kernel, moving: f64, machine: &Machine) -> Option<Run> {
    let computing = estimate_kernel(kernel, machine).ok()?.cycles;
    Some(Run { blocks: kernel.blocks(), cycles: computing + moving })
}
