//! What the pipeline makes: a kernel, and those that take what is left of a message beside it.

use crate::core::{Direction, Func, FuncId, Op, Port, Program, Stmt};
use crate::isa::Target;
use crate::layout::memory_bytes;
use crate::registers::Spill;

/// A program sliced for one direction and lowered to one target: what emitters take. Only the pipeline makes it,
/// after the verifier has accepted it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The direction it was sliced for.
    pub direction: Direction,
    /// The target.
    pub target: &'static Target,
    /// The entry's parameters as declared, monomorphic, before slicing to bits or rows.
    pub params: Vec<Port>,
    /// The entry's results likewise.
    pub results: Vec<Port>,
    /// Monomorphic and sliced: every operation is an instance of the target, calls and loops may remain.
    /// Under `B` every value has one bit, and a port of `n` atoms of M bits has become one of n·M atoms, each
    /// atom's most significant bit first; under `P` every value is a row, and so are the atoms of ports. If it is interleaved, every port that is not constant holds those of each
    /// batch, one batch after another.
    pub program: Program,
    /// How many batches it processes side by side.
    pub interleave: u32,
    /// Who stores and loads what finds no register.
    pub spill: Spill,
    /// The kernel that takes the rest of a message; without one its own last batch has idle lanes.
    pub rest: Option<Rest>,
}

/// A kernel for few blocks: one for a single batch beside one that is interleaved, or one on rows or with fewer words in its
/// registers.
#[derive(Clone, Debug)]
pub struct Rest {
    /// It takes fewer blocks than this, which are no more than a batch of the kernel that it is beside.
    pub below: usize,
    /// The kernel, of the same ports.
    pub kernel: Box<Kernel>,
}

impl Rest {
    /// A kernel for one batch beside one for several. All of these side by side, some of them idle, take less time than more than
    /// two thirds of them one by one.
    pub fn one_by_one(several: &Kernel, single: Kernel) -> Rest {
        Rest { below: several.blocks() * 2 / 3 + 1, kernel: Box::new(single) }
    }
}

impl Kernel {
    /// It, and the kernel that takes its rest, and that one's.
    pub fn chain(&self) -> impl Iterator<Item = &Kernel> {
        std::iter::successors(Some(self), |kernel| Some(&*kernel.rest.as_ref()?.kernel))
    }

    /// The fewest blocks that it processes: if they are fewer than a batch, the other lanes are idle.
    pub fn least(&self) -> usize {
        self.rest.as_ref().map_or(1, |rest| rest.below)
    }

    pub(crate) fn with_rest(self, rest: Option<Rest>) -> Kernel {
        let below = |rest: Rest| Rest { below: rest.below.min(self.blocks()), ..rest };
        Kernel { rest: rest.map(below), ..self }
    }

    /// The same, with who stores and loads what finds no register: the compiler if the target has no assembly that was asked for.
    pub(crate) fn with_spill(self, spill: Spill) -> Kernel {
        let spill = if spill.is_for(self.target) { spill } else { Spill::default() };
        Kernel { spill, ..self }
    }

    /// How many blocks lie side by side in its registers: those of one batch.
    pub fn lanes(&self) -> usize {
        lanes(self.program.entry(), self.target) as usize
    }

    /// How many blocks it processes at once: those of all its batches.
    pub fn blocks(&self) -> usize {
        self.lanes() * self.interleave as usize
    }

    /// Whether it reads this one of so many equal parts of a parameter, outside of loops.
    pub fn reads(&self, param: usize, part: usize, parts: usize) -> bool {
        let func = self.program.entry();
        let count = func.params[param].count() as usize / parts;
        let is_load = |op: &Op| {
            matches!(*op, Op::Load(own, index)
                if own as usize == param && index.base as usize / count == part)
        };
        func.body.iter().any(|stmt| matches!(stmt, Stmt::Let(instr) if is_load(&instr.op)))
    }

    /// Bytes of a block: of its input, or of its output if that is larger; registers are no part of it.
    pub fn block_bytes(&self) -> usize {
        let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
        let inputs = self.inputs().iter().filter(|port| !port.constant);
        inputs.map(bytes).sum::<usize>().max(self.outputs().iter().map(bytes).sum())
    }

    /// The parameters as declared that are no registers.
    pub fn inputs(&self) -> &[Port] {
        &self.params[..self.program.entry().inputs().len()]
    }

    /// The results as declared that are no registers.
    pub fn outputs(&self) -> &[Port] {
        &self.results[..self.program.entry().outputs().len()]
    }

    /// Bytes that one run processes.
    pub fn bytes(&self) -> f64 {
        (self.block_bytes() * self.blocks()) as f64
    }

    /// The functions that the entry needs, each after those that it calls.
    pub fn callees_first(&self) -> Vec<FuncId> {
        fn visit(program: &Program, id: FuncId, order: &mut Vec<FuncId>) {
            if order.contains(&id) {
                return;
            }
            for stmt in &program.funcs[id.index()].body {
                stmt.instrs(&mut |instr| {
                    if let Op::Call(callee, ..) = &instr.op {
                        visit(program, *callee, order);
                    }
                });
            }
            order.push(id);
        }
        let mut order = Vec::new();
        visit(&self.program, self.program.entry, &mut order);
        order
    }

    /// How many atoms of a port of its program belong to one block.
    pub fn atoms(&self, port: &Port) -> usize {
        let batches = if port.constant { 1 } else { self.interleave };
        (port.count() / batches) as usize
    }
}

/// How many blocks lie side by side in the registers of a function.
pub(super) fn lanes(func: &Func, target: &Target) -> u32 {
    let mut ports = func.params.iter().filter(|port| !port.constant).chain(&func.results);
    let lanes = |port: &Port| target.lanes(port.ty.direction(), port.ty.bits()).max(1);
    ports.next().map_or(1, lanes)
}
