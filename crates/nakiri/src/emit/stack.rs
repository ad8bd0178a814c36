//! How much stack the functions of a library take. Compilers decide; this is what is to be expected of gcc and clang.

use super::assembly;
use super::check::one_to_one;
use super::library::{Function, Instance, Library, Parallel, Stretch};
use super::ports::{image_bytes, ports, PortPair};
use crate::compile::Kernel;
use crate::core::{Func, Op, Stmt};
use crate::emit::shell::mode;
use crate::isa::Target;
use crate::registers::Spill;
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
    let needs = library.instances.iter().map(|instance| {
        let kernels = kernels(instance).into_iter().map(of_kernel);
        kernels.fold(Need::default(), Need::max).plus(of_mode(instance))
    });
    needs.fold(Need::default(), Need::max)
}

/// What the functions of a mode need around its kernels.
fn of_mode(instance: &Instance) -> Need {
    let shell = mode::of(instance).ok().flatten();
    let bytes = shell.map_or(0, |shell| shell.stack() + FRAME);
    Need { optimized: bytes, unoptimized: bytes }
}

/// What stands in the header of it.
pub fn text(library: &Library) -> String {
    let Need { optimized, unoptimized } = need(library);
    let on_stack = |instance| match Storage::of_tests(instance) {
        Storage::Stack => test_bytes(instance) + FRAME,
        Storage::Static => FRAME,
    };
    let tests = library.instances.iter().map(on_stack).max().unwrap_or(0);
    let kib = |bytes: usize| bytes.div_ceil(1024);
    format!(
        "Stack: up to about {} KiB if compiled with optimization, {} KiB without; in self tests {} KiB more.",
        kib(optimized),
        kib(unoptimized),
        kib(tests)
    )
}

/// Where the blocks and keys of an instance's self tests lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Each thread has its own.
    Stack,
    /// There are too many bytes for small stacks.
    Static,
}

/// The most bytes that a self test computes on if they are on the stack: with all else it is to need 64 KiB.
const MOST: usize = 56 << 10;

impl Storage {
    /// That of an instance.
    pub fn of_tests(instance: &Instance) -> Storage {
        let has_vectors = !instance.vectors.is_empty()
            || !instance.counter_vectors.is_empty()
            || !instance.tick_vectors.is_empty();
        // Those of modes have messages for all lanes.
        let messages = !instance.message_vectors.is_empty();
        match messages || (has_vectors && test_bytes(instance) > MOST) {
            true => Storage::Static,
            false => Storage::Stack,
        }
    }

    /// What stands before the types of arrays in C.
    pub fn specifier(self) -> &'static str {
        match self {
            Storage::Stack => "",
            Storage::Static => "static ",
        }
    }

    /// What the declaration of a self test says of it.
    pub fn said(self) -> &'static str {
        match self {
            Storage::Stack => "",
            Storage::Static => "\n * For one thread at a time: what it computes on is static.",
        }
    }
}

/// The bytes that a self test computes on.
fn test_bytes(instance: &Instance) -> usize {
    let variants = || instance.functions.iter().flat_map(|function| &function.variants);
    let blocks = |kernel: &Kernel| -> usize {
        let ports = ports(kernel);
        let blocks = ports.inputs.iter().chain(&ports.outputs).map(PortPair::bytes);
        let images = ports.constants.iter().map(|port| image_bytes(kernel.target, port.sliced));
        (kernel.blocks() + 1) * blocks.sum::<usize>() + images.sum::<usize>()
    };
    let texts = instance.counter_vectors.iter().map(|vector| vector.input.len());
    let state = |kernel: &Kernel| -> usize {
        let registers = kernel.program.entry().registers();
        2 * registers.iter().map(|port| kernel.target.port_bytes(port)).sum::<usize>()
    };
    let most = variants().map(blocks).chain(texts).max().unwrap_or(0);
    most + variants().map(state).max().unwrap_or(0) + lanes_bytes(instance)
}

/// The keys and blocks of all lanes, where each has a key of its own.
fn lanes_bytes(instance: &Instance) -> usize {
    let own = instance.multikey.iter().flat_map(|own| &own.functions);
    let pairs = own.zip(&instance.functions);
    let kernels =
        || pairs.clone().flat_map(|(own, plain)| own.variants.iter().zip(&plain.variants));
    let lanes = kernels().map(|(own, _)| own.lanes()).max().unwrap_or(0);
    let registers = |(own, plain): (&Kernel, &Kernel)| -> usize {
        let inputs = own.program.entry().inputs().iter().zip(plain.program.entry().inputs());
        let keys = inputs.filter(|(_, plain)| plain.constant);
        lanes / own.lanes() * keys.map(|(port, _)| own.target.port_bytes(port)).sum::<usize>()
    };
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    let blocks = instance.functions.iter().filter_map(one_to_one);
    // The blocks, what they become and should become, and two pointers and a length.
    let of_lane = blocks.map(|(from, to)| 2 * key + from + 2 * to + 3 * 8).max().unwrap_or(0);
    kernels().map(registers).max().unwrap_or(0) + lanes * of_lane
}

/// The kernels of an instance.
fn kernels(instance: &Instance) -> Vec<&Kernel> {
    let lanes = instance.multikey.iter().flat_map(|lanes| &lanes.functions);
    let functions = instance.functions.iter().chain(lanes);
    let variants = functions.flat_map(|function: &Function| &function.variants);
    let stretches = instance.all_stretches().flat_map(Stretch::functions);
    let variants = variants.chain(stretches.flat_map(|(_, own)| own.iter().flatten()));
    let parallels = instance.parallels.iter().flat_map(Parallel::functions);
    let variants = variants.chain(parallels.flat_map(|(_, own)| own.iter().flatten()));
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
    around.plus(match kernel.spill {
        Spill::Assembly => {
            let bytes = assembly::stack(kernel);
            Need { optimized: bytes, unoptimized: bytes }
        }
        _ => of_function(kernel, kernel.program.entry()),
    })
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
