//! Shared control of designs: libraries with and without it give the same in every lane, from tick to tick.

use crate::design::Design;
use crate::{compiler, full, targets, tools};
use nakiri::core::{Direction, Port, Program};
use nakiri::emit::c::{self, Instance, Library};
use nakiri::isa::Target;
use nakiri::layout::memory_bytes;
use nakiri::run::Shared;
use nakiri::source::{FileId, Span};
use nakiri_cli::choice::TargetChoice;
use nakiri_cli::library::{of_entry, Settings};
use nakiri_cli::shared::share;
use nakiri_verify::cc::{self, Work, SANITIZE};
use std::process::Command;

/// A design, and inputs that its lanes share.
const CASES: [(&str, &str); 5] = [
    ("gift128", "load"),
    ("gift128", "load,key"),
    ("ascon_p12", "load"),
    ("sha256", "load,first"),
    ("async_fifo", "write,read"),
];

/// For each design more ticks than a job has.
const TICKS: usize = 200;

#[test]
fn lanes_do_what_they_do_without_shared_control() {
    if !tools() {
        return;
    }
    let compilers = if full() { cc::all() } else { vec![compiler()] };
    let names: &[&str] = if full() { &["gp64", "avx2", "avx512"] } else { &["gp64"] };
    let flags = if full() { SANITIZE } else { &["-O0"] };
    for (name, list) in CASES {
        let program = Design::load(name).program(true);
        for target in targets(names) {
            for compiler in &compilers {
                let work = Work::new().expect("a folder");
                let (main, plain, shared) = sources(&work, &program, list, target);
                let executable = work.path("compared");
                let files = [&*main, &*plain, &*shared];
                compiler.compile(&files, flags, &executable).expect("it compiles");
                let done = Command::new(&executable).output().expect("it runs");
                let said = String::from_utf8_lossy(&done.stdout).into_owned();
                let what = format!("{name} {list} {} {}", target.name, compiler.program);
                assert!(done.status.success(), "{what}: {said}{:?}", done.stderr);
            }
        }
    }
}

/// The program that compares, and the library without and with shared control.
fn sources(
    work: &Work,
    program: &Program,
    list: &str,
    target: &'static Target,
) -> (std::path::PathBuf, std::path::PathBuf, std::path::PathBuf) {
    let settings = Settings {
        targets: vec![TargetChoice::plain(target)],
        direction: Some(Direction::B),
        choices: Vec::new(),
    };
    let plain = of_entry(program, "plain", &settings).expect("gates are on every target");
    let place = Span::new(FileId(0), 0..list.len());
    let divided = Shared::new(program, list, place).expect("it has control");
    let shared = of_entry(&divided.lanes, "shared", &settings);
    let mut shared = shared.expect("gates are on every target");
    share(&mut shared, program, &divided).expect("gates are on every target");
    let write = |instance: Instance| {
        let name = instance.prefix.clone();
        let library = Library {
            name: name.clone(),
            title: name.clone(),
            specification: "tests/verilog".to_string(),
            instances: vec![instance],
            ..Library::default()
        };
        let files = c::library(&library).expect("a library");
        work.write(&format!("{name}.h"), files.h.as_bytes()).expect("it can be written");
        work.write(&format!("{name}.c"), files.c.as_bytes()).expect("it can be written")
    };
    let (plain, shared) = (write(plain), write(shared));
    let main = work.write("main.c", comparison(program, list).as_bytes());
    (main.expect("it can be written"), plain, shared)
}

/// Steps both with random data in every lane; shared inputs mostly rest. In between both are reset, and one goes on with a
/// copy of its state.
fn comparison(program: &Program, list: &str) -> String {
    let entry = program.entry();
    let is_shared = |port: &&Port| list.split(',').any(|name| name == port.name);
    let bits = |port: &Port| u32::from(port.ty.bits()) * port.count();
    let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
    let (mut arrays, mut drawn, mut compared) = (String::new(), String::new(), String::new());
    let (mut plain, mut shared) = (Vec::new(), Vec::new());
    for port in entry.outputs() {
        let (name, size) = (&port.name, bytes(port));
        arrays += &format!("static uint8_t p_{name}[LANES * {size}], s_{name}[LANES * {size}], ");
        arrays += &format!("before_{name}[LANES * {size}];\n");
        compared += &format!("        if (memcmp(p_{name}, s_{name}, lanes * {size})) return printf(\"{name}, tick %d\\n\", tick), 1;\n");
        compared +=
            &format!("        changed += memcmp(p_{name}, before_{name}, lanes * {size}) != 0;\n");
        compared += &format!("        memcpy(before_{name}, p_{name}, lanes * {size});\n");
        plain.push(format!("p_{name}"));
        shared.push(format!("s_{name}"));
    }
    let mut last = Vec::new();
    for port in entry.inputs() {
        let (name, size) = (&port.name, bytes(port));
        let mask = 0xff >> (size as u32 * 8 - bits(port));
        arrays += &format!("static uint8_t {name}[LANES * {size}];\n");
        plain.push(name.clone());
        drawn += &format!("        for (size_t i = 0; i < lanes; i++)\n            draw({name} + {size} * i, {size}, {mask});\n");
        if is_shared(&port) {
            drawn += &format!("        if (tick % 90 > 3) memset({name}, 0, {size});\n");
            drawn += &format!("        for (size_t i = 1; i < lanes; i++) memcpy({name} + {size} * i, {name}, {size});\n");
            last.push(name.clone());
        } else {
            shared.push(name.clone());
        }
    }
    shared.extend(last);
    MAIN.replace("$arrays", &arrays)
        .replace("$drawn", &drawn)
        .replace("$compared", &compared)
        .replace("$plain", &plain.join(", "))
        .replace("$shared", &shared.join(", "))
        .replace("$ticks", &TICKS.to_string())
}

const MAIN: &str = r#"#include "plain.h"
#include "shared.h"
#include <stdio.h>
#include <string.h>

enum { LANES = 512 };

$arrays
static void draw(uint8_t *bytes, size_t size, unsigned mask)
{
    static uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes[i] = (uint8_t)(x >> 32);
    }
    bytes[size - 1] &= (uint8_t)mask;
}

int main(void)
{
    static plain_state p;
    static shared_state s, copy;
    const size_t lanes = plain_parallel_blocks();
    int changed = 0;
    if (shared_self_test()) return printf("the self test\n"), 1;
    if (lanes != shared_parallel_blocks() || lanes > LANES) return printf("lanes\n"), 1;
    plain_reset(&p);
    shared_reset(&s);
    for (int tick = 0; tick < $ticks; tick++) {
$drawn        if (tick == 30) {
            plain_reset(&p);
            shared_reset(&s);
        }
        if (tick == 50) {
            copy = s;
            shared_wipe(&s);
            s = copy;
        }
        plain_step(&p, $plain);
        shared_step(&s, $shared);
$compared    }
    return printf("%d outputs changed\n", changed), changed < 4;
}
"#;
