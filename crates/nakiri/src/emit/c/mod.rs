//! C: kernels alone, and libraries of them.

mod api;
mod batch;
mod bench;
mod control;
mod counter;
mod counter_block;
mod expand;
mod fuzz;
mod head;
mod library;
mod message;
mod multikey;
mod operators;
pub mod probes;
mod queue;
mod self_test;
mod shell;
mod step;
pub mod supercop;
mod support;
mod syntax;
mod test_bench;
mod timed;

use crate::compile::Kernel;
use crate::core::Port;
use crate::emit::function::Signature;
pub use crate::emit::library::{
    CounterVector, Function, Instance, Key, Lanes, Library, LibraryError, MessageVector, Multikey,
    Parallel, Powers, Run, Serial, Stretch, TickVector, Vector,
};
use crate::isa::Target;
pub use crate::layout::Counter;
use crate::registers::Spill;
pub use bench::{bench, bench_file, Bench};
pub use fuzz::{fuzz, fuzz_file, Fuzz};
pub use head::word_functions;
pub use library::{library, probed, timed, CFiles};
use std::collections::BTreeMap;
use std::fmt::Write;
pub use syntax::C11;
pub use test_bench::{test_benches, TestBench};

/// A C file that exports `void nakiri_kernel(void *out, const void *in, const void *constants)`, which runs a kernel
/// once. `in` holds the registers of all parameters that are not constant, one after another, `constants` the images of
/// the atoms of those that are, and `out` receives the registers of all results, least significant byte first; none need be aligned. See
/// [`layout::register_bit`](crate::layout::register_bit) for where the bits lie.
pub fn kernel_file(kernel: &Kernel) -> String {
    kernels_file(&[("nakiri_kernel", kernel)])
}

/// Like [`kernel_file`], for several kernels, each under its own name.
pub fn kernels_file(kernels: &[(&str, &Kernel)]) -> String {
    let mut body = String::new();
    for (name, kernel) in kernels {
        let inner = format!("{name}_registers");
        let signature = Signature {
            kernel,
            syntax: &C11,
            name: &inner,
            load64: "load64",
            at_any_address: false,
        };
        body.push_str(&signature.definitions());
        body.push_str(&exported(&signature, name));
    }
    let before = head::load("", 64) + REGISTERS + barriers(&body);
    format!("{}{before}{body}", includes(kernels.iter().map(|(_, kernel)| *kernel)))
}

fn exported(signature: &Signature, name: &str) -> String {
    let head = format!("void {name}(void *out, const void *in, const void *constants)");
    let mut text = format!("{head};\n{}{head}\n{{\n", syntax::attribute(signature.kernel.target));
    let (mut args, mut copy_in, mut copy_out) = (Vec::new(), String::new(), String::new());
    let mut offset = 0;
    for (k, port) in signature.outputs().enumerate() {
        text.push_str(&registers(signature, &format!("out{k}"), port));
        let _ = write!(
            copy_out,
            "    nakiri_registers(out{k}, sizeof *out{k}, sizeof out{k});\n    \
             __builtin_memcpy((unsigned char *)out + {offset}, out{k}, sizeof out{k});\n"
        );
        args.push(format!("out{k}"));
        offset += signature.kernel.target.port_bytes(port);
    }
    offset = 0;
    for (k, port) in signature.inputs().enumerate() {
        text.push_str(&registers(signature, &format!("in{k}"), port));
        let _ = write!(
            copy_in,
            "    __builtin_memcpy(in{k}, (const unsigned char *)in + {offset}, sizeof in{k});\n    \
             nakiri_registers(in{k}, sizeof *in{k}, sizeof in{k});\n"
        );
        args.push(format!("in{k}"));
        offset += signature.kernel.target.port_bytes(port);
    }
    if copy_in.is_empty() {
        copy_in.push_str("    (void)in;\n");
    }
    if copy_out.is_empty() {
        copy_in.push_str("    (void)out;\n");
    }
    args.push("constants".to_string());
    let _ = write!(text, "{copy_in}    {}({});\n{copy_out}}}\n\n", signature.name, args.join(", "));
    text
}

fn registers(signature: &Signature, name: &str, port: &Port) -> String {
    format!("    {} {name}[{}];\n", signature.register(port.ty), port.count())
}

/// What stands before some kernels, and a refusal where none of them can be compiled.
fn includes<'a>(kernels: impl Iterator<Item = &'a Kernel>) -> String {
    let kernels: Vec<&Kernel> = kernels.collect();
    let spilling = kernels.iter().any(|kernel| kernel.spill != Spill::Compiler);
    let targets: Vec<&Target> = kernels.iter().map(|kernel| kernel.target).collect();
    let guarded = targets.iter().filter_map(|target| Some((target.guard()?, target)));
    let mut preludes: BTreeMap<&str, (String, String, bool)> = BTreeMap::new();
    for (guard, target) in guarded {
        let alone = guard == target.architecture.guard;
        preludes.insert(guard, (target.c.prelude.concat(), needs(target), alone));
    }
    let mut text = String::new();
    // Several extensions can be there at once, and what they extend with them.
    for (guard, (prelude, _, alone)) in &preludes {
        if !alone {
            let _ = write!(text, "#if {guard}\n{prelude}#endif\n");
        }
    }
    let mut directive = "#if";
    for (guard, (prelude, _, alone)) in &preludes {
        if *alone {
            let _ = write!(text, "{directive} {guard}\n{prelude}");
            directive = "#elif";
        }
    }
    if !preludes.is_empty() && targets.iter().all(|target| target.guard().is_some()) {
        let others = preludes.iter().filter(|(_, (.., alone))| !alone).map(|(guard, _)| *guard);
        let others: Vec<&str> = others.collect();
        let _ = match (&others[..], directive) {
            ([], _) => writeln!(text, "#else"),
            (_, "#if") => writeln!(text, "#if !(({}))", others.join(") || (")),
            _ => writeln!(text, "#elif !(({}))", others.join(") || (")),
        };
        let names: Vec<&str> = preludes.values().map(|(_, needs, _)| needs.as_str()).collect();
        let _ = writeln!(text, "#error \"this file is for {} only, where words begin with their least significant bytes\"\n#endif", names.join(", "));
    } else if directive == "#elif" {
        text.push_str("#endif\n");
    }
    text.push_str("#include <stddef.h>\n#include <stdint.h>\n\n");
    if kernels.iter().any(|kernel| has_doubles(kernel)) {
        text.push_str("/* What products of words make. */\n__extension__ typedef unsigned __int128 uint128_t;\n\n");
    }
    text + if spilling { SANITIZED } else { "" }
}

/// Says whether sanitizers watch, of which compilers tell in different ways; gcc tells nothing of that for undefined behaviour.
const SANITIZED: &str = "\
#ifdef __SANITIZE_ADDRESS__
#define NAKIRI_SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define NAKIRI_SANITIZED
#endif
#endif

";

/// Whether a kernel has values of two words.
fn has_doubles(kernel: &Kernel) -> bool {
    let mut values = kernel.program.funcs.iter().flat_map(|func| &func.values);
    !kernel.target.simd && values.any(|ty| ty.bits() > 64)
}

/// The value barriers that a text calls, if it does: what else would be a condition for the compiler is a word.
pub fn barriers(text: &str) -> &'static str {
    if text.contains("nakiri_barrier") {
        BARRIERS
    } else {
        ""
    }
}

/// `NAKIRI_NO_BARRIER` is for measuring what barriers cost, and for tests of what they are for.
pub const BARRIERS: &str = "\
/* Words of which compilers know nothing: of those that they know to have two values they make branches. */
#ifndef NAKIRI_BARRIER
#ifdef NAKIRI_NO_BARRIER
#define NAKIRI_BARRIER(word) ((void)0)
#else
#define NAKIRI_BARRIER(word) __asm__(\"\" : \"+r\"(word))
#endif
__attribute__((always_inline, unused)) static inline uint8_t nakiri_barrier8(uint8_t word)
{
    NAKIRI_BARRIER(word);
    return word;
}

__attribute__((always_inline, unused)) static inline uint16_t nakiri_barrier16(uint16_t word)
{
    NAKIRI_BARRIER(word);
    return word;
}

__attribute__((always_inline, unused)) static inline uint32_t nakiri_barrier32(uint32_t word)
{
    NAKIRI_BARRIER(word);
    return word;
}

__attribute__((always_inline, unused)) static inline uint64_t nakiri_barrier64(uint64_t word)
{
#if UINTPTR_MAX > 0xffffffffu
    NAKIRI_BARRIER(word);
    return word;
#else
    return (uint64_t)nakiri_barrier32((uint32_t)(word >> 32)) << 32 | nakiri_barrier32((uint32_t)word);
#endif
}
#endif

";

/// The architecture that a target's C is compiled for, and what compilers must be told.
fn needs(target: &Target) -> String {
    let name = target.architecture.name;
    match target.extension {
        Some(extension) => format!("{name} with {}", extension.flags.join(" ")),
        None => name.to_string(),
    }
}

/// Reverses the bytes of each register where memory has them the other way round.
const REGISTERS: &str = "\
__attribute__((always_inline)) static inline void nakiri_registers(void *registers, size_t size, size_t bytes)
{
    (void)registers, (void)size, (void)bytes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (unsigned char *p = registers; bytes > 0; bytes -= size, p += size) {
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = byte;
        }
    }
#endif
}

";
