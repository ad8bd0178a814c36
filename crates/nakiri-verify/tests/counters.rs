//! Counter mode of a cipher that does nothing, so that its key stream are the counters themselves: every slicing and
//! target, around every wrap of a counter, against a byte-wise count.

mod common;

use common::*;
use nakiri::compile::{Kernel, Rest};
use nakiri::core::*;
use nakiri::emit::c::{self, Counter, Function, Instance, Library};
use nakiri::isa::{self, Target};
use nakiri::pass::interleave::{self, Interleave};
use nakiri_verify::cc::{self, Work};
use std::process::Command;

/// The results are the parameters.
fn identity(target: &'static Target, declared: &Port, interleave: u32) -> Kernel {
    let direction = declared.ty.direction();
    let bits = if direction == Direction::B { u32::from(declared.ty.bits()) } else { 1 };
    let width = if direction == Direction::B { 1 } else { declared.ty.bits() };
    let ty = Type::new(direction, width);
    let sliced = |name: &str| Port {
        layout: declared.layout.clone(),
        ..port(name, ty, declared.count() * bits)
    };
    let mut func = func("identity", vec![sliced("x")], vec![sliced("y")]);
    let mut body = vec![];
    for i in 0..declared.count() * bits {
        let value = apply(&mut func, &mut body, ty, Op::Load(0, Index::fixed(i)), &[]);
        store(&mut body, 0, Index::fixed(i), value);
    }
    func.body = body;
    let result = Port { name: "y".to_string(), ..declared.clone() };
    let single = Kernel {
        params: vec![declared.clone()],
        results: vec![result],
        ..kernel(target, vec![func], vec![])
    };
    if interleave == 1 {
        return single;
    }
    let mut kernel = single.clone();
    interleave::run(&mut kernel.program, Interleave::of(interleave));
    let below = kernel.lanes() * interleave as usize;
    let rest = Rest { below, kernel: Box::new(single) };
    Kernel { interleave, rest: Some(rest), ..kernel }
}

/// Blocks of each kind of atoms and layout, with fields of each kind.
fn instances(direction: Direction) -> Vec<(&'static str, u16, u32, Layout, Counter)> {
    let field = |offset, bytes, big_endian| Counter { offset, bytes, big_endian };
    let reversed = Layout::Perm { name: "reversed".to_string(), entries: (1..=64).rev().collect() };
    let mut all = vec![
        ("whole", 16, 8, Layout::Le, field(0, 16, true)),
        ("state", 16, 8, Layout::Le, field(0, 4, false)),
        ("planes", 16, 8, Layout::Planes, field(0, 16, true)),
        ("short", 16, 4, Layout::Be, field(0, 8, true)),
        ("inner", 16, 4, Layout::Be, field(1, 5, false)),
        ("reversed", 16, 4, reversed, field(0, 8, false)),
        ("byte", 8, 3, Layout::Le, field(2, 1, true)),
    ];
    if direction != Direction::H {
        all.push(("words", 32, 4, Layout::Le, field(4, 12, true)));
    }
    all
}

fn library(direction: Direction) -> Library {
    let interleaved = |target: &Target| if target.name == "avx2" { 3 } else { 1 };
    let fits = |target: &&Target| target.simd || direction != Direction::H;
    let instance = |(name, width, count, layout, counter): (&str, u16, u32, Layout, Counter)| {
        let declared = Port { layout, ..port("x", Type::new(direction, width), count) };
        let targets = isa::all().iter().copied().filter(fits);
        let variants = targets.map(|target| identity(target, &declared, interleaved(target)));
        Instance {
            prefix: name.to_string(),
            functions: vec![Function { name: "pass".to_string(), variants: variants.collect() }],
            counter: Some(counter),
            ..Instance::default()
        }
    };
    Library {
        name: "counters".to_string(),
        title: "Not a cipher".to_string(),
        specification: "this file".to_string(),
        command_line: String::new(),
        version: "0".to_string(),
        source_hash: "0".to_string(),
        evidence: vec![],
        instances: instances(direction).into_iter().map(instance).collect(),
    }
}

const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>

typedef void stream(unsigned variant, const uint8_t *keys, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes);

/* The counter's bytes in the order of their significance; the sum wraps with the field. */
static void add(uint8_t *block, size_t offset, size_t size, int big_endian, uint64_t high, uint64_t low)
{
    unsigned carry = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t *byte = block + (big_endian ? offset + size - 1 - i : offset + i);
        carry += *byte + (unsigned)((i < 8 ? low >> 8 * i : high >> 8 * (i - 8)) & 0xff);
        *byte = (uint8_t)carry;
        carry >>= 8;
    }
}

static int check(stream *run, unsigned variant, size_t lanes, size_t block, size_t offset, size_t size, int big_endian)
{
    /* In the units of `lanes` before a wrap of 8 to 128 bits, and of the low bits; at most this many blocks. */
    const size_t most = 2 * lanes + 3, bytes = most * block - 1;
    uint8_t *seen = malloc(bytes), *text = malloc(bytes);
    if (!seen || !text)
        exit(2);
    for (unsigned bits = 0; bits <= 128; bits += 8)
        for (unsigned step = 0; step < 9; step++) {
            uint64_t before = step < 3 ? step : step < 6 ? lanes + 3 - step : (lanes * step / 7) | 1;
            uint8_t counter[16];
            for (size_t i = 0; i < block; i++)
                counter[i] = (uint8_t)(0x5b * i + 0x37);
            for (size_t i = 0; i < size; i++)
                counter[offset + i] = 0;
            add(counter, offset, size, big_endian, bits >= 64 && bits < 128 ? 1ull << (bits - 64) : 0, bits < 64 ? 1ull << bits : 0);
            add(counter, offset, size, big_endian, ~0ull, 0 - before);
            if (before == 0)
                add(counter, offset, size, big_endian, 1, 0);
            /* Whole batches, one of few blocks, and a part of a block; not in place and in place. */
            const size_t length = step % 3 == 0 ? bytes : step % 3 == 1 ? lanes * block : (lanes / 2 + 1) * block - block / 2;
            for (size_t i = 0; i < length; i++)
                seen[i] = text[i] = (uint8_t)(i * i >> 3);
            run(variant, NULL, counter, seen, step % 2 ? seen : text, length);
            for (size_t i = 0; i < length; i++) {
                if (i > 0 && i % block == 0)
                    add(counter, offset, size, big_endian, 0, 1);
                if (seen[i] != (text[i] ^ counter[i % block])) {
                    fprintf(stderr, "bits %u, %u before: byte %zu of block %zu\n", bits, (unsigned)before, i % block, i / block);
                    return 1;
                }
            }
        }
    free(seen);
    free(text);
    return 0;
}

int main(void)
{
CHECKS    return 0;
}
"#;

fn checks(direction: Direction) -> String {
    let mut text = String::new();
    for (name, width, count, _, field) in instances(direction) {
        let block = u32::from(width) * count / 8;
        let Counter { offset, bytes, big_endian } = field;
        let big_endian = u8::from(big_endian);
        text += &format!(
            "    for (unsigned v = 0; v < sizeof {name}_lanes / sizeof *{name}_lanes; v++)\n        \
             if ({name}_runs(v) && check({name}_ctr_run, v, {name}_lanes[v], {block}, {offset}, {bytes}, {big_endian}))\n            \
             return fprintf(stderr, \"{name}, %s\\n\", {name}_names[v]), 1;\n"
        );
    }
    text
}

fn check(direction: Direction, compiler: &cc::Compiler, flags: &[&str]) {
    let files = c::library(&library(direction)).unwrap_or_else(|error| panic!("{error}"));
    let work = Work::new().expect("a folder");
    work.write("counters.h", files.h.as_bytes()).expect("written");
    let text = files.c + &MAIN.replace("CHECKS", &checks(direction));
    let source = work.write("main.c", text.as_bytes()).expect("written");
    let program = work.path("main");
    compiler.compile(&[&source], flags, &program).unwrap_or_else(|error| panic!("{error}"));
    let done = Command::new(&program).output().expect("the program starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{direction:?} {compiler:?}: {}\n{said}", done.status);
}

/// Each slicing by one compiler in turn; by all with `NAKIRI_FULL=1`.
#[test]
fn counters_wrap_as_a_byte_wise_count_does() {
    let (full, compilers) = (std::env::var_os("NAKIRI_FULL").is_some(), cc::all());
    for (turn, direction) in [Direction::V, Direction::H, Direction::B].into_iter().enumerate() {
        let count = if full { compilers.len() } else { 1 };
        for compiler in compilers.iter().cycle().skip(turn).take(count) {
            check(direction, compiler, &["-O0"]);
        }
    }
}
