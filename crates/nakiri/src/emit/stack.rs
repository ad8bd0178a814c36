//! How much stack the functions of a library take. Compilers decide; this is what is to be expected of gcc and clang.

use super::library::{Function, Instance, Library};
use super::ports::{ports, PortPair};
use crate::compile::Kernel;
use crate::core::{Func, Op, Stmt};
use crate::isa::Target;
use std::collections::BTreeSet;

/// Bytes of stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// With optimization: what is alive at the same time, one and a half times.
    pub optimized: usize,
    /// Without: each value has a place of its own, and with clang each argument and result of an intrinsic.
    pub unoptimized: usize,
}

impl Need {
    fn max(self, other: Need) -> Need {
        Need {
            optimized: self.optimized.max(other.optimized),
            unoptimized: self.unoptimized.max(other.unoptimized),
        }
    }

    fn plus(self, other: Need) -> Need {
        Need {
            optimized: self.optimized + other.optimized,
            unoptimized: self.unoptimized + other.unoptimized,
        }
    }
}

/// What the functions of a library need, but for its self tests.
pub fn need(library: &Library) -> Need {
    let needs = library.instances.iter().flat_map(kernels).map(of_kernel);
    needs.fold(Need::default(), Need::max)
}

/// What stands in the header of it.
pub fn text(library: &Library) -> String {
    let Need { optimized, unoptimized } = need(library);
    let tests = library.instances.iter().map(test_bytes).max().unwrap_or(0);
    let kib = |bytes: usize| bytes.div_ceil(1024);
    format!(
        "Stack: up to about {} KiB if compiled with optimization, {} KiB without; in self tests {} KiB more.",
        kib(optimized),
        kib(unoptimized),
        kib(tests)
    )
}

/// The arrays of a self test, and the context in it.
fn test_bytes(instance: &Instance) -> usize {
    let functions = instance.functions.iter();
    let each = functions.flat_map(|function| &function.variants).map(|kernel| {
        let ports = ports(kernel);
        let blocks = ports.inputs.iter().chain(&ports.outputs).map(|port| port.bytes());
        let images = ports
            .constants
            .iter()
            .map(|port| kernel.target.image_bytes(port.sliced.ty) * port.sliced.count() as usize);
        (kernel.blocks() + 1) * blocks.sum::<usize>() + images.sum::<usize>() + FRAME
    });
    each.max().unwrap_or(0)
}

/// The kernels of an instance.
fn kernels(instance: &Instance) -> Vec<&Kernel> {
    let lanes = instance.multikey.iter().flat_map(|lanes| &lanes.functions);
    let functions = instance.functions.iter().chain(lanes);
    let variants = functions.flat_map(|function: &Function| &function.variants);
    let variants =
        variants.chain(instance.key.iter().flat_map(|key| key.schedules.iter().flatten()));
    let chain = |kernel| {
        std::iter::successors(Some(kernel), |kernel: &&Kernel| {
            kernel.rest.as_ref().map(|rest| &*rest.kernel)
        })
    };
    variants.flat_map(chain).collect()
}

/// What a kernel needs, and the function on blocks around it.
fn of_kernel(kernel: &Kernel) -> Need {
    let ports = ports(kernel);
    let bytes = |ports: &[PortPair]| -> Vec<usize> {
        ports.iter().map(|port| kernel.target.port_bytes(port.sliced)).collect()
    };
    let (inputs, outputs) = (bytes(&ports.inputs), bytes(&ports.outputs));
    // A copy of last blocks lies where it finds room.
    let most = |ports: &[usize]| ports.iter().copied().max().unwrap_or(0);
    let (input, output) = (most(&inputs), most(&outputs));
    let copies = if input == output { 0 } else { input.max(output) };
    let arrays = inputs.iter().chain(&outputs).sum::<usize>() + copies;
    let around = Need { optimized: arrays + FRAME, unoptimized: arrays + FRAME };
    around.plus(of_function(kernel, kernel.program.entry()))
}

/// What every function may have beside its values.
const FRAME: usize = 512;

/// The places that a value takes without optimization: its own, and those of arguments and results of the functions that are
/// intrinsics. clang makes functions of most for registers of 256 bits, macros of most for wider ones.
fn slots(target: &Target) -> usize {
    if target.bits == 256 {
        9
    } else {
        5
    }
}

fn of_function(kernel: &Kernel, func: &Func) -> Need {
    let own = Alive::of(func, kernel.target);
    let own = Need {
        optimized: own.most() * 3 / 2 + FRAME,
        unoptimized: own.all() * slots(kernel.target) + FRAME,
    };
    let mut callees = BTreeSet::new();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if let Op::Call(callee, ..) = &instr.op {
                callees.insert(callee.index());
            }
        });
    }
    let called = callees.into_iter().map(|id| of_function(kernel, &kernel.program.funcs[id]));
    own.plus(called.fold(Need::default(), Need::max))
}

/// When each value of a function is alive.
struct Alive<'a> {
    func: &'a Func,
    target: &'static Target,
    /// When it is made and when it is read last, by its number.
    spans: Vec<Option<(usize, usize)>>,
    now: usize,
}

impl Alive<'_> {
    fn of<'a>(func: &'a Func, target: &'static Target) -> Alive<'a> {
        let mut alive = Alive { func, target, spans: vec![None; func.values.len()], now: 0 };
        alive.walk(&func.body);
        alive
    }

    fn walk(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let begin = self.now;
            match stmt {
                Stmt::Forall(forall) => forall.iterations.iter().for_each(|body| self.walk(body)),
                Stmt::Loop(l) => {
                    self.now += 1;
                    for carried in &l.carried {
                        self.spans[carried.inside.index()] = Some((begin, begin));
                    }
                    self.walk(&l.body);
                }
                _ => {}
            }
            self.now += 1;
            // What is read in a loop and was made before it is alive until its end.
            let now = self.now;
            stmt.uses(&mut |value| {
                if let Some((made, read)) = &mut self.spans[value.index()] {
                    if *made <= begin {
                        *read = now;
                    }
                }
            });
            stmt.definitions(&mut |value| {
                self.spans[value.index()].get_or_insert((now, now));
            });
        }
    }

    fn sizes(&self) -> impl Iterator<Item = (usize, (usize, usize))> + '_ {
        let spans = self.spans.iter().zip(&self.func.values);
        spans.filter_map(|(span, ty)| Some((self.target.register_bytes(*ty), (*span)?)))
    }

    /// The bytes of all values.
    fn all(&self) -> usize {
        self.sizes().map(|(bytes, _)| bytes).sum()
    }

    /// The most bytes at any time.
    fn most(&self) -> usize {
        let mut changes = vec![0isize; self.now + 2];
        for (bytes, (made, read)) in self.sizes() {
            changes[made] += bytes as isize;
            changes[read + 1] -= bytes as isize;
        }
        let sums = changes.iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        sums.max().unwrap_or(0).unsigned_abs()
    }
}
