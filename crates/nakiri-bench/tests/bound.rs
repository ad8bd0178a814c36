//! Lower bounds: the programs of a lecture, loops and functions of object files, kernels.

mod common;

use nakiri::core::Direction;
use nakiri_bench::bound::program::{execute, Execution};
use nakiri_bench::bound::{self, kernel, object, Bound, Limit, Repeated};
use nakiri_bench::machine::{find, Class, Machine};
use nakiri_bench::object::path::{path, Error};
use nakiri_verify::cc;
use nakiri_verify::image::Image;

fn machine(name: &str) -> Machine {
    find(name).unwrap()
}

fn executed(program: &str) -> Execution {
    execute(program, &machine("toy")).unwrap().unwrap()
}

/// Declarations, and then `lines`.
fn program(variables: &str, lines: impl IntoIterator<Item = String>) -> String {
    let declared = variables.split(' ').map(|name| format!("int32 {name}"));
    declared.chain(lines).collect::<Vec<_>>().join("\n")
}

fn load(name: &str, k: usize) -> String {
    format!("{name} = mem32[START+{}]", 4 * k)
}

fn sum(name: &str, other: &str) -> String {
    format!("{name} += {other}")
}

/// The four programs of the lecture on its toy machine: the sum of 1000 integers.
#[test]
fn sums_of_1000_integers() {
    // A loop: 8 cycles an iteration.
    let text = include_str!("../../../tests/bound/sum1.q");
    let looped = executed(text);
    assert_eq!(looped.loops.len(), 1);
    assert_eq!((looped.loops[0].count, looped.loops[0].cycles), (1000, 8.0));
    assert_eq!(looped.loops[0].count as f64 * looped.loops[0].cycles, 8000.0);
    assert!(looped.cycles > 8000.0 && looped.cycles < 8008.0);

    // Unrolled: 3 cycles for each load and addition.
    let pairs = (0..1000).flat_map(|k| [load("tmp", k), sum("result", "tmp")]);
    let unrolled = program("result tmp", ["result = 0".to_string()].into_iter().chain(pairs));
    assert_eq!(executed(&unrolled).cycles, 3000.0);

    // Loads three ahead of their additions: 2 cycles each, the latency of an addition.
    let mut lines = vec![load("result", 0), load("tmp0", 1), load("tmp1", 2), load("tmp2", 3)];
    for k in 4..1000 {
        let name = format!("tmp{}", (k - 1) % 3);
        lines.extend([sum("result", &name), load(&name, k)]);
    }
    lines.extend([0, 1, 2].map(|k| sum("result", &format!("tmp{k}"))));
    assert_eq!(executed(&program("result tmp0 tmp1 tmp2", lines)).cycles, 2000.0);

    // Two sums: nothing waits but at the ends.
    let first = [("result0", 0), ("tmp0", 2), ("result1", 1), ("tmp1", 3), ("tmp2", 4)];
    let mut lines: Vec<String> = first.iter().map(|(name, k)| load(name, *k)).collect();
    for k in 5..1000 {
        let name = format!("tmp{}", (k - 5) % 3);
        lines.extend([sum(["result0", "result1"][(k - 5) % 2], &name), load(&name, k)]);
    }
    lines.extend(
        [("result1", "tmp2"), ("result0", "tmp0"), ("result1", "tmp1")].map(|(r, t)| sum(r, t)),
    );
    lines.push(sum("result0", "result1"));
    let best = executed(&program("result0 result1 tmp0 tmp1 tmp2", lines));
    assert_eq!(best.cycles, 1004.0);

    // Whatever the order, 1000 loads take 1000 cycles, 999 additions and 1999 instructions only 500 each.
    for execution in [&looped, &best] {
        assert_eq!(execution.bound.limits[&Limit::Loads], 1000.0);
    }
    assert_eq!(best.bound.limits[&Limit::FrontEnd], 499.75);
    assert_eq!(best.bound.binds(), (Limit::Ports, 1000.0));
}

#[test]
fn wrong_programs_are_refused_with_their_line() {
    let cases = [
        ("x = 1", 1, "declare it with `int32 x`"),
        ("int32 x\nx = 1\nwhatever", 3, "no statement"),
        ("int32 x\ngoto end", 2, "no label `end`"),
        ("int32 x\nx = mem32[A]\n=? x - 1\ngoto y if =\ny:", 4, "depends on what was loaded"),
        ("int32 x\ny:\ngoto y if =", 3, "nothing was compared"),
        ("y:\ngoto y", 2, "executes more than"),
    ];
    for (text, line, expected) in cases {
        let error = execute(text, &machine("toy")).unwrap_err();
        assert!(error.line == line && error.message.contains(expected), "{error:?}");
    }
}

/// A function in assembly: the bound of its only loop, or of the whole function.
fn assembled(machine: &Machine, body: &str) -> Bound {
    let lines: Vec<String> =
        body.split(';').map(|line| format!("\"{}\\n\"", line.trim())).collect();
    let text = format!(
        "typedef int nothing;\n__asm__(\".intel_syntax noprefix\\n.globl f\\n.type f, @function\\nf:\\n\"\n\
         {}\n\".att_syntax prefix\\n\");\n",
        lines.join("\n")
    );
    let object = common::object(&cc::Compiler::find().unwrap(), &text, &[]);
    let image = Image::read(&object).unwrap();
    match &object::loops(&image, "f").unwrap()[..] {
        [only] => bound::of_sequence(machine, &only.sequence, Repeated::Looped).unwrap(),
        [] => {
            let path = path(&image, "f", &[]).unwrap();
            bound::of_sequence(machine, &path.sequence, Repeated::Independently).unwrap()
        }
        _ => panic!("several loops"),
    }
}

#[test]
fn loops_have_the_bounds_that_one_finds_by_hand() {
    let zen4 = machine("zen4");
    // A multiplication and an addition in a circle: 3 + 1.
    let bound = assembled(&zen4, "1: imul rax, rcx; add rax, rdx; dec rsi; jnz 1b; ret");
    assert_eq!(bound.limits[&Limit::Recurrence], 4.0);
    assert_eq!(bound.binds().0, Limit::Recurrence);
    assert_eq!(bound.predicted, Some(4.0));
    // The decrement is executed with its jump.
    assert_eq!(bound.instructions, 3);
    // Through a slot of the stack: the store gives its value to the next iteration's load.
    let bound = assembled(
        &zen4,
        "1: vpaddd xmm0, xmm1, [rsp - 24]; vmovdqu [rsp - 24], xmm0; dec rsi; jnz 1b; ret",
    );
    let forward = zen4.cost(Class::VectorStore, 128).unwrap().latency;
    assert_eq!(bound.limits[&Limit::Recurrence], 1.0 + forward);
    // Two iterations of one value: what goes round is shared by two registers.
    let bound = assembled(
        &zen4,
        "1: vaesenc xmm2, xmm0, xmm3; vmovdqa xmm0, xmm1; vmovdqa xmm1, xmm2; dec rsi; jnz 1b; ret",
    );
    assert_eq!(bound.limits[&Limit::Recurrence], 2.0);
    // Five shuffles of bytes for two ports.
    let bound = assembled(
        &zen4,
        "1: vpshufb ymm0, ymm8, ymm9; vpshufb ymm1, ymm8, ymm9; vpshufb ymm2, ymm8, ymm9; \
         vpshufb ymm3, ymm8, ymm9; vpshufb ymm4, ymm8, ymm9; dec rsi; jnz 1b; ret",
    );
    assert_eq!(bound.binds(), (Limit::Ports, 2.5));
    assert_eq!(bound.bottleneck, "fp1 fp2");
    // Registers that are cleared depend on nothing, and copies cost a place in the front end only.
    let copied = "1: xor eax, eax; mov rcx, rax; add rcx, 1; dec rsi; jnz 1b; ret";
    let bound = assembled(&zen4, copied);
    assert_eq!(bound.limits[&Limit::Recurrence], 1.0);
    assert_eq!(bound.limits[&Limit::FrontEnd], 4.0 / 6.0);
    // Some cores take the copy and the addition as one.
    let bound = assembled(&machine("redwood-cove"), copied);
    assert_eq!((bound.instructions, bound.limits[&Limit::FrontEnd]), (4, 3.0 / 6.0));
}

#[test]
fn one_call_is_bounded_by_its_latency_and_many_are_not() {
    let zen4 = machine("zen4");
    let bound =
        assembled(&zen4, "mov rax, [rdi]; imul rax, rax; imul rax, rax; mov [rsi], rax; ret");
    assert_eq!(bound.latency, Some(4.0 + 3.0 + 3.0));
    assert_eq!(bound.binds(), (Limit::Ports, 2.0));
    assert!(bound.predicted.unwrap() < 3.0);
}

#[test]
fn code_beyond_the_op_cache_is_decoded() {
    let zen4 = machine("zen4");
    let text = "vpaddd zmm0, zmm8, zmm9; vpxord zmm1, zmm8, zmm9; ".repeat(4000) + "ret";
    let bound = assembled(&zen4, &text);
    let held = f64::from(zen4.front_end.op_cache.unwrap());
    let decoded = (8001.0 - held) / zen4.front_end.decode;
    assert!(bound.limits[&Limit::FrontEnd] >= decoded);
    assert_eq!(bound.limits[&Limit::Ports], 4000.0);
    // Short of the cache, the prediction is the bound; beyond it, decoding 6-byte instructions takes longer.
    assert!(bound.predicted.unwrap() >= 8000.0 * 6.0 / zen4.front_end.decode_bytes);
}

#[test]
fn loops_are_found_inside_functions() {
    let text = "void f(unsigned *x, unsigned n);\nvoid f(unsigned *x, unsigned n)\n{\n\
                for (unsigned i = 0; i < n; i++)\n        x[i] = x[i] * 3 + 1;\n}\n";
    for compiler in cc::all() {
        let object = common::object(&compiler, text, &["-O1", "-fno-unroll-loops"]);
        let image = Image::read(&object).unwrap();
        let loops = object::loops(&image, "f").unwrap();
        assert!(!loops.is_empty(), "{}", compiler.program);
        for found in loops {
            assert!(found.start < found.end && found.sequence.steps.len() > 2);
            let bound = bound::of_sequence(&machine("zen3"), &found.sequence, Repeated::Looped);
            assert!(bound.unwrap().binds().1 >= 1.0);
        }
        let missing = object::loops(&image, "g").unwrap_err();
        assert_eq!(missing, Error::NoFunction("g".to_string()));
    }
}

#[test]
fn kernels_are_bounded_on_machines_of_all_kinds() {
    for (cipher, entry, direction, target) in [
        ("rectangle", "Encrypt", Direction::V, "avx2"),
        ("chacha20", "Block", Direction::V, "avx512"),
        ("aes128", "Encrypt", Direction::H, "ssse3"),
    ] {
        let compiled = common::kernel(cipher, entry, direction, target).unwrap();
        for name in ["zen5", "zen4"] {
            let machine = machine(name);
            let needed = kernel::operations(&compiled, &machine);
            let instructions = kernel::instructions(&needed);
            let ideal = bound::of_operations(&machine, &needed, instructions).unwrap();
            assert!(ideal.binds().1 > 0.0);
            for compiler in cc::all() {
                let object = common::kernel_object(&compiler, &compiled);
                let path = path(&Image::read(&object).unwrap(), "kernel", &[]).unwrap();
                let real = bound::of_sequence(&machine, &path.sequence, Repeated::Independently);
                let real = real.unwrap();
                // Compilers may save a little, by merging constants, say, but not much.
                assert!(real.binds().1 > 0.9 * ideal.binds().1, "{cipher} {}", compiler.program);
                assert!(real.predicted.unwrap() >= 0.99 * real.binds().1);
                assert!(real.latency.unwrap() > 0.0);
            }
        }
        if target != "avx512" {
            for name in ["cortex-a72", "neoverse-n1", "skylake"] {
                let machine = machine(name);
                let needed = kernel::operations(&compiled, &machine);
                assert!(bound::of_operations(&machine, &needed, 0).unwrap().binds().1 > 0.0);
            }
        }
    }
    // 64-bit words are two operations each where registers have 32 bits.
    let ascon = common::kernel("ascon", "P12", Direction::V, "gp64").unwrap();
    let count = |name: &str| -> u64 {
        let operations = kernel::operations(&ascon, &machine(name));
        operations.iter().filter(|(micro, _)| micro.class == Class::Logic).map(|(_, n)| n).sum()
    };
    assert_eq!(count("cortex-m4"), 2 * count("zen4"));
}

#[test]
fn a_missing_operation_is_named() {
    let kernel = common::kernel("chacha20", "Block", Direction::V, "avx512").unwrap();
    let object = common::kernel_object(&cc::Compiler::find().unwrap(), &kernel);
    let path = path(&Image::read(&object).unwrap(), "kernel", &[]).unwrap();
    let missing = bound::of_sequence(&machine("zen3"), &path.sequence, Repeated::Independently);
    assert!(missing.unwrap_err().to_string().contains("512 bits"));
}
