//! Emitted libraries: every variant, length, alignment and mode of toy ciphers against a few lines of Rust, under both
//! compilers and the sanitizers.

mod common;

use common::*;
use nakiri::compile::{Kernel, Rest};
use nakiri::core::*;
use nakiri::emit::c::{self, Counter, CounterVector, Function, Instance, Key, Library, Vector};
use nakiri::emit::keys;
use nakiri::isa::{self, Target};
use nakiri::pass::interleave::{self, Interleave};
use nakiri_verify::cc::{self, Work, SANITIZE};
use nakiri_verify::exec;
use std::fmt::Write;
use std::process::Command;

const ROUNDS: usize = 3;

/// Builds kernels over words of 16 bits for any direction: under `B` a word is 16 values.
struct Builder {
    func: Func,
    body: Vec<Stmt>,
    declared: (Vec<Port>, Vec<Port>),
    ty: Type,
}

type Word = Vec<ValueId>;

impl Builder {
    fn new(direction: Direction, params: Vec<Port>, results: Vec<Port>) -> Builder {
        let bitslice = direction == Direction::B;
        let ty = Type::new(direction, if bitslice { 1 } else { 16 });
        let slice = |port: &Port| {
            let shape = if bitslice { vec![port.count(), 16] } else { port.shape.clone() };
            Port { ty, shape, ..port.clone() }
        };
        let func =
            func("toy", params.iter().map(slice).collect(), results.iter().map(slice).collect());
        Builder { func, body: vec![], declared: (params, results), ty }
    }

    fn bits(&self) -> u32 {
        16 / u32::from(self.ty.bits())
    }

    fn op(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        apply(&mut self.func, &mut self.body, self.ty, op, args)
    }

    fn load(&mut self, param: u32, word: u32) -> Word {
        let bits = self.bits();
        let load = |bit| Op::Load(param, Index::fixed(word * bits + bit));
        (0..bits).map(|bit| self.op(load(bit), &[])).collect()
    }

    fn store(&mut self, result: u32, word: u32, value: &Word) {
        for (bit, v) in value.iter().enumerate() {
            let index = Index::fixed(word * self.bits() + bit as u32);
            store(&mut self.body, result, index, *v);
        }
    }

    fn zip(&mut self, op: Op, a: &Word, b: &Word) -> Word {
        a.iter().zip(b).map(|(a, b)| self.op(op.clone(), &[*a, *b])).collect()
    }

    fn rotl(&mut self, a: &Word, n: u16) -> Word {
        match a[..] {
            [one] => vec![self.op(Op::Rotl(n), &[one])],
            _ => (0..16).map(|p| a[(p + usize::from(n)) % 16]).collect(),
        }
    }

    fn kernel(self, target: &'static Target) -> Kernel {
        let (params, results) = self.declared;
        let func = Func { body: self.body, ..self.func };
        let kernel = kernel(target, vec![func], vec![]);
        Kernel { params, results, ..kernel }
    }
}

fn words(name: &str, direction: Direction, count: u32) -> Port {
    port(name, Type::new(direction, 16), count)
}

/// The rounds, on words that are already loaded.
fn rounds(b: &mut Builder, mut x: Vec<Word>, key: &dyn Fn(&mut Builder, u32) -> Word) -> Vec<Word> {
    for round in 0..ROUNDS as u32 {
        let keyed: Vec<Word> = (0..4)
            .map(|i| {
                let key = key(b, 4 * round + i);
                b.zip(Op::Xor, &x[i as usize], &key)
            })
            .collect();
        x = (0..4)
            .map(|i| {
                let turned = b.rotl(&keyed[i], i as u16 + 1);
                let and = b.zip(Op::And, &keyed[(i + 1) % 4], &keyed[(i + 2) % 4]);
                b.zip(Op::Xor, &turned, &and)
            })
            .collect();
    }
    x
}

fn cipher(target: &'static Target, d: Direction) -> Kernel {
    let white = Port { constant: true, ..words("white", d, 4) };
    let key = Port { constant: true, ..words("key", d, 4 * (ROUNDS as u32 - 1)) };
    let mut b = Builder::new(d, vec![white, words("x", d, 4), key], vec![words("y", d, 4)]);
    let x = (0..4).map(|i| b.load(1, i)).collect();
    let y = rounds(&mut b, x, &|b, k| if k < 4 { b.load(0, k) } else { b.load(2, k - 4) });
    y.iter().zip(0..).for_each(|(y, i)| b.store(0, i, y));
    b.kernel(target)
}

/// From 8 bytes to 16, with a key of four words that is used as it is, in big-endian order.
fn stream(target: &'static Target, d: Direction) -> Kernel {
    let key = Port { constant: true, layout: Layout::Be, ..words("key", d, 4) };
    let mut b = Builder::new(d, vec![words("x", d, 4), key], vec![words("y", d, 8)]);
    let x: Vec<Word> = (0..4).map(|i| b.load(0, i)).collect();
    let y = rounds(&mut b, x.clone(), &|b, k| b.load(1, k % 4));
    for i in 0..4 {
        b.store(0, i, &y[i as usize]);
        let sum = b.zip(Op::Or, &y[i as usize], &x[i as usize]);
        b.store(0, 4 + i, &sum);
    }
    b.kernel(target)
}

/// Without a key, from two parameters to two results.
fn mix(target: &'static Target, d: Direction) -> Kernel {
    let params = vec![words("a", d, 1), words("b'", d, 2)];
    let results = vec![words("and", d, 1), words("xor", d, 2)];
    let mut b = Builder::new(d, params, results);
    let (x, y, z) = (b.load(0, 0), b.load(1, 0), b.load(1, 1));
    let and = b.zip(Op::And, &x, &y);
    b.store(0, 0, &and);
    for (i, word) in [y, z].iter().enumerate() {
        let xor = b.zip(Op::Xor, &x, word);
        b.store(1, i as u32, &xor);
    }
    b.kernel(target)
}

/// The round keys, in two results.
fn schedule(target: &'static Target, d: Direction) -> Kernel {
    let constant = |port: Port| Port { constant: true, ..port };
    let master = Port { layout: Layout::Be, ..words("master", d, 4) };
    let mut b = Builder::new(
        d,
        vec![constant(master)],
        [words("white", d, 4), words("keys", d, 4 * (ROUNDS as u32 - 1))].map(constant).to_vec(),
    );
    for k in 0..4 * ROUNDS as u32 {
        let word = b.load(0, k % 4);
        let word = b.rotl(&word, k as u16 / 4 * 5 + 1);
        if k < 4 {
            b.store(0, k, &word);
        } else {
            b.store(1, k - 4, &word);
        }
    }
    b.kernel(target)
}

/// Master key and round keys in Rust.
fn master(key: &[u8]) -> Vec<u16> {
    key.chunks(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect()
}

fn round_keys(key: &[u8]) -> Vec<u16> {
    let master = master(key);
    (0..4 * ROUNDS).map(|k| master[k % 4].rotate_left(k as u32 / 4 * 5 + 1)).collect()
}

fn load(block: &[u8]) -> Vec<u16> {
    block.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
}

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn cipher_words(x: &[u16], key: &dyn Fn(usize) -> u16) -> Vec<u16> {
    let mut x = x.to_vec();
    for round in 0..ROUNDS {
        let k: Vec<u16> = (0..4).map(|i| x[i] ^ key(4 * round + i)).collect();
        x = (0..4)
            .map(|i| k[i].rotate_left(i as u32 + 1) ^ (k[(i + 1) % 4] & k[(i + 2) % 4]))
            .collect();
    }
    x
}

fn encrypt(key: &[u8], block: &[u8]) -> Vec<u8> {
    let keys = round_keys(key);
    bytes(&cipher_words(&load(block), &|k| keys[k]))
}

fn stream_block(key: &[u8], block: &[u8]) -> Vec<u8> {
    let (keys, x) = (master(key), load(block));
    let y = cipher_words(&x, &|k| keys[k % 4]);
    let sum: Vec<u16> = y.iter().zip(&x).map(|(y, x)| y | x).collect();
    bytes(&[y, sum].concat())
}

/// Counter mode, block by block and byte by byte.
fn ctr(counter: &Counter, first: &[u8], text: &[u8], block: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut now = first.to_vec();
    let mut out = vec![];
    while out.len() < text.len() {
        for byte in block(&now) {
            if out.len() < text.len() {
                out.push(byte ^ text[out.len()]);
            }
        }
        let mut places: Vec<usize> = (counter.offset..counter.offset + counter.bytes).collect();
        if counter.big_endian {
            places.reverse();
        }
        for place in places {
            now[place] = now[place].wrapping_add(1);
            if now[place] != 0 {
                break;
            }
        }
    }
    out
}

const KEY: [u8; 8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
/// Wraps in its field after a few blocks, without a carry beyond it.
const TOY_COUNTER: Counter = Counter { offset: 1, bytes: 2, big_endian: true };
const TOY_FIRST: [u8; 8] = [7, 0xff, 0xfd, 0xff, 1, 2, 3, 4];
const STREAM_COUNTER: Counter = Counter { offset: 0, bytes: 3, big_endian: false };
const STREAM_FIRST: [u8; 8] = [0xf0, 0xff, 0xff, 0xff, 9, 8, 7, 6];

/// Target, direction, and how many batches are interleaved.
const FORMS: &[(&str, Direction, u32)] = &[
    ("neon", Direction::H, 1),
    ("neon", Direction::V, 2),
    ("avx512", Direction::H, 1),
    ("avx512", Direction::B, 1),
    ("avx2", Direction::V, 3),
    ("avx2", Direction::B, 1),
    ("avx", Direction::H, 1),
    ("ssse3", Direction::V, 1),
    ("sse2", Direction::B, 1),
    ("gp64", Direction::B, 2),
    ("gp64", Direction::H, 1),
    ("gp64+swar", Direction::V, 1),
    ("gp32", Direction::V, 1),
    ("gp64", Direction::V, 2),
];

/// Forms that leave fewer blocks than this to others, two batches of these, or one: to another direction, which has key images of
/// its own, or to those of another target.
const RESTS: &[(&str, Direction, usize, &str, Direction)] = &[
    ("avx2", Direction::V, 9, "avx2", Direction::H),
    ("ssse3", Direction::V, 4, "ssse3", Direction::H),
    ("gp64+swar", Direction::V, 3, "gp64", Direction::V),
    ("gp64", Direction::H, 3, "gp64", Direction::V),
];

fn rest(
    make: fn(&'static Target, Direction) -> Kernel,
    target: &'static Target,
    direction: Direction,
) -> Option<Rest> {
    let is =
        |(name, of, ..): &&(&str, Direction, _, _, _)| *name == target.name && *of == direction;
    let (.., below, other, direction) = RESTS.iter().find(is)?;
    let one = make(isa::find(other).expect("a target"), *direction);
    let beside = Rest { below: one.blocks() + 1, kernel: Box::new(one.clone()) };
    Some(Rest { below: *below, kernel: Box::new(interleaved(one, 2, Some(beside))) })
}

fn interleaved(mut kernel: Kernel, factor: u32, rest: Option<Rest>) -> Kernel {
    interleave::run(&mut kernel.program, Interleave { factor, grain: 2, lag: 3 });
    Kernel { interleave: factor, rest, ..kernel }
}

fn variants(make: fn(&'static Target, Direction) -> Kernel) -> Vec<Kernel> {
    let variant = |&(name, direction, factor): &(&str, Direction, u32)| {
        let target = isa::find(name).expect("a target");
        let rest = rest(make, target, direction);
        let single = Kernel { rest, ..make(target, direction) };
        if factor == 1 {
            return single;
        }
        let several = interleaved(single.clone(), factor, None);
        Kernel { rest: Some(Rest::one_by_one(&several, single)), ..several }
    };
    FORMS.iter().map(variant).collect()
}

fn text(bytes: usize) -> Vec<u8> {
    let mut random = Random(5);
    (0..bytes).map(|_| random.next() as u8).collect()
}

fn library(schedule_direction: Direction) -> Library {
    let gp64 = isa::find("gp64").expect("a target");
    let function = |name: &str, make| Function { name: name.to_string(), variants: variants(make) };
    let input = text(8);
    let long = text(1000);
    let vector = Vector {
        function: "encrypt".to_string(),
        key: KEY.to_vec(),
        output: encrypt(&KEY, &input),
        input,
    };
    let counter_vector = CounterVector {
        key: KEY.to_vec(),
        counter: TOY_FIRST.to_vec(),
        output: ctr(&TOY_COUNTER, &TOY_FIRST, &long, &|b| encrypt(&KEY, b)),
        input: long,
    };
    let encrypt = function("encrypt", cipher);
    // Sliced like the kernel on its own target where `schedule_direction` is its own, else on the one that every CPU has.
    let of = |kernel: &Kernel| match kernel.direction == schedule_direction {
        true => schedule(kernel.target, schedule_direction),
        false => schedule(gp64, schedule_direction),
    };
    let of_chain = |kernel| keys::imaged(kernel).into_iter().map(of).collect();
    let schedules = encrypt.variants.iter().map(of_chain).collect();
    let toy = Instance {
        prefix: "toy".to_string(),
        key: Some(Key { bytes: 8, schedules }),
        functions: vec![encrypt, function("again", cipher)],
        ecb: true,
        counter: Some(TOY_COUNTER),
        vectors: vec![vector],
        counter_vectors: vec![counter_vector],
        ..Instance::default()
    };
    let stream = Instance {
        prefix: "toystream".to_string(),
        key: Some(Key { bytes: 8, schedules: vec![] }),
        functions: vec![function("block", stream)],
        ecb: true,
        counter: Some(STREAM_COUNTER),
        ..Instance::default()
    };
    let mix = Instance {
        prefix: "toymix".to_string(),
        functions: vec![function("mix", mix)],
        ..Instance::default()
    };
    Library {
        name: "toys".to_string(),
        title: "Toys */ not a cipher".to_string(),
        specification: "this file".to_string(),
        command_line: "nakiri build toys --target gp64".to_string(),
        version: "0".to_string(),
        source_hash: "0".to_string(),
        evidence: vec!["nothing".to_string()],
        instances: vec![toy, stream, mix],
    }
}

/// More blocks than two batches of the widest variant.
const MOST: usize = 1100;

fn array(name: &str, bytes: &[u8]) -> String {
    let mut text = format!("static const uint8_t {name}[{}] = {{", bytes.len());
    bytes.iter().for_each(|byte| write!(text, "{byte},").expect("a string"));
    text + "};\n"
}

/// What the test program compares with, from Rust.
fn expectations() -> String {
    let (key, long) = (KEY, text(16 * MOST));
    let blocks = |size: usize, f: &dyn Fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
        long[..size * MOST].chunks(size).flat_map(f).collect()
    };
    let mut out = String::new();
    out += &array("key", &key);
    out += &array("text", &long);
    out += &array("encrypted", &blocks(8, &|b| encrypt(&key, b)));
    out += &array("streamed", &blocks(8, &|b| stream_block(&key, b)));
    out += &array("toy_first", &TOY_FIRST);
    out += &array("stream_first", &STREAM_FIRST);
    out += &array("toy_ctr", &ctr(&TOY_COUNTER, &TOY_FIRST, &long, &|b| encrypt(&key, b)));
    let stream = |b: &[u8]| stream_block(&key, b);
    out += &array("stream_ctr", &ctr(&STREAM_COUNTER, &STREAM_FIRST, &long, &stream));
    out
}

const MAIN: &str = include_str!("library/main.c");

/// Compiles and runs the test program; what it said if it failed.
fn run(library: &Library, compiler: &cc::Compiler, flags: &[&str], self_test: &str) {
    let files = c::library(library).unwrap_or_else(|error| panic!("{error}"));
    let work = Work::new().unwrap_or_else(|error| panic!("{error}"));
    work.write("toys.h", files.h.as_bytes()).expect("written");
    let text =
        format!("{}\n{}\n#define EXPECTED_SELF_TEST {self_test}\n{MAIN}", files.c, expectations());
    let source = work.write("main.c", text.as_bytes()).expect("written");
    let program = work.path("main");
    let flags = [flags, exec::linking(compiler)].concat();
    compiler.compile(&[&source], &flags, &program).unwrap_or_else(|error| panic!("{error}"));
    let done = exec::command(compiler, &program)
        .unwrap_or_else(|error| panic!("{error}"))
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{compiler:?} {flags:?}: {}\n{said}", done.status);
}

/// Each compiler in one of two ways, or in both if `NAKIRI_FULL` is set.
#[test]
fn every_variant_length_and_mode() {
    let guarded = ["-O1", "-DNAKIRI_WIPE", "-DGUARD_PAGES", "-D_DEFAULT_SOURCE"];
    let ways = [&["-O2"][..], &guarded];
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    for (turn, compiler) in cc::all().iter().enumerate() {
        for (_, flags) in ways.iter().enumerate().filter(|(way, _)| full || turn % 2 == *way) {
            run(&library(Direction::V), compiler, flags, "0");
        }
    }
}

/// The same file on another architecture: its own variants beside those that it leaves out.
#[test]
fn variants_of_several_architectures_stand_side_by_side() {
    for name in ["neon", "gp32"] {
        let target = isa::find(name).expect("a target");
        match exec::emulated(target).and_then(|_| cc::Compiler::for_target(target)) {
            Ok(compiler) => run(&library(Direction::V), &compiler, &["-O1"], "0"),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    let gp64 = isa::find("gp64").expect("a target");
    for architecture in isa::BIG_ENDIAN {
        let found = cc::Compiler::cross(architecture);
        match found.and_then(|compiler| exec::runs(gp64, &compiler).map(|()| compiler)) {
            Ok(compiler) => run(&library(Direction::V), &compiler, &["-O1"], "0"),
            Err(error) => eprintln!("{}: {error}", architecture.name),
        }
    }
}

#[test]
fn sanitizers_find_nothing() {
    for compiler in cc::all() {
        run(&library(Direction::B), &compiler, SANITIZE, "0");
    }
}

#[test]
fn a_wrong_vector_is_found() {
    let mut wrong = library(Direction::V);
    wrong.instances[0].vectors[0].output[3] ^= 1;
    let runs = |(name, ..): &(&str, Direction, u32)| {
        exec::runnable(isa::find(name).expect("a target")).is_ok()
    };
    let first = FORMS.iter().position(runs).expect("gp64 runs") + 1;
    let compiler = cc::Compiler::find().unwrap_or_else(|error| panic!("{error}"));
    run(&wrong, &compiler, &["-O0"], &first.to_string());
    let mut wrong = library(Direction::V);
    wrong.instances[0].counter_vectors[0].output[999] ^= 1;
    run(&wrong, &compiler, &["-O0"], &first.to_string());
}

/// The files alone: an object that needs nothing else, and a header for C and C++.
#[test]
fn files_compile_alone() {
    let files = c::library(&library(Direction::V)).expect("a library");
    let work = Work::new().expect("a folder");
    work.write("toys.h", files.h.as_bytes()).expect("written");
    let source = work.write("toys.c", files.c.as_bytes()).expect("written");
    let header = "#include \"toys.h\"\nint main() { return 0; }\n";
    let plus = work.write("plus.cpp", header.as_bytes()).expect("written");
    for compiler in cc::all() {
        let flags = ["-c", "-O3", "-Wundef", "-Wstrict-prototypes", "-Wmissing-prototypes"];
        compiler
            .compile(&[&source], &flags, &work.path("toys.o"))
            .unwrap_or_else(|error| panic!("{error}"));
        let header = Command::new(&compiler.program)
            .args(["-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .arg("-fsyntax-only")
            .arg(&plus)
            .output()
            .expect("the compiler starts");
        assert!(header.status.success(), "{}", String::from_utf8_lossy(&header.stderr));
    }
}

/// Equal functions are printed once.
#[test]
fn equal_functions_are_shared() {
    let files = c::library(&library(Direction::V)).expect("a library");
    assert!(files.c.contains("toy_encrypt_avx2_v16_kernel("));
    assert!(!files.c.contains("toy_again_avx2_v16_kernel("));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    type Spoil = fn(&mut Library);
    let spoil: [(&str, Spoil); 5] = [
        ("different variants", |l| drop(l.instances[0].functions[1].variants.pop())),
        ("4 bytes", |l| l.instances[1].key = Some(Key { bytes: 4, schedules: vec![] })),
        ("constant parameters", |l| l.instances[1].key = None),
        ("CTR needs", |l| l.instances[2].counter = Some(TOY_COUNTER)),
        ("within the block", |l| {
            l.instances[0].counter = Some(Counter { offset: 7, bytes: 2, big_endian: true });
        }),
    ];
    for (message, spoil) in spoil {
        let mut spoiled = library(Direction::V);
        spoil(&mut spoiled);
        let error = c::library(&spoiled).expect_err(message).to_string();
        let part = if message == "4 bytes" { "the key 4" } else { message };
        assert!(error.contains(part), "{error}");
    }
}
