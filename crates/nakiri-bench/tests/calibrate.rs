//! Calibration on the machine that runs the tests: what holds on any x86-64, relative to its own clock.
#![cfg(target_arch = "x86_64")]

use nakiri_bench::calibrate::assembly::{Loop, Operation};
use nakiri_bench::calibrate::{
    calibrate, file, operations, probes, rig, Calibration, Effort, Request,
};
use nakiri_bench::machine::{Class, Machine};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// One measurement at a time: tests run side by side.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Ticks of the clock of all cores since the machine started: all, and those in which something else than this test ran, on this
/// machine or on the one that it is a part of. Only Linux says them.
fn ticks() -> Option<(i64, i64)> {
    let numbers = |line: &str| -> Vec<i64> {
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let cores = std::fs::read_to_string("/proc/stat").ok()?;
    // user, nice, system, idle, waiting, interrupts, softer ones, stolen
    let cores = numbers(cores.lines().next().expect("all cores come first"));
    let own = std::fs::read_to_string("/proc/self/stat").ok()?;
    // What follows the name, which may be anything: its own, and that of what it waited for.
    let own = numbers(own.rsplit(')').next().expect("the name ends"));
    let (all, own): (i64, i64) = (cores[..8].iter().sum(), own[10..14].iter().sum());
    let idle = cores[3] + cores[4];
    Some((all, all - idle - own))
}

/// Whether something else had more than a twentieth of the cores' time between two looks at the clock.
fn is_disturbed(before: Option<(i64, i64)>, after: Option<(i64, i64)>) -> bool {
    let both = before.zip(after);
    both.is_some_and(|(before, after)| (after.1 - before.1) * 20 > after.0 - before.0)
}

/// Tries again while what else runs on the machine spoils the figures. Where it never ends nothing is said of them.
fn eventually(mut attempt: impl FnMut() -> Result<(), String>) {
    let _turn = alone();
    let (mut said, mut spoilt) = (Vec::new(), 0);
    while said.len() < 4 && spoilt < 6 {
        let before = ticks();
        let Err(message) = attempt() else { return };
        println!("{message}");
        match is_disturbed(before, ticks()) {
            true => spoilt += 1,
            false => said.push(message),
        }
        // What disturbs one attempt lasts, mostly, longer than that.
        std::thread::sleep(Duration::from_secs(3));
    }
    assert!(said.len() < 4, "{}", said.join("\n"));
    println!("not judged: something else runs on this machine all the time");
}

fn near(what: &str, measured: f64, known: f64) -> Result<(), String> {
    match (measured / known - 1.0).abs() <= 0.02 {
        true => Ok(()),
        false => Err(format!("{what}: {measured:.3} instead of {known}")),
    }
}

fn time(loops: &[Loop]) -> Vec<f64> {
    let compiler = Compiler::find().expect("a compiler");
    rig::time(loops, &compiler, &Effort::QUICK, &mut |_, _| {}).expect("timed")
}

const ADD: Operation = ("add {g}, {kg}", 64);
const MULTIPLY: Operation = ("imul {g}, {g}, 7", 64);

#[test]
fn dependent_chains_cost_what_is_known() {
    eventually(|| {
        let cycles = time(&[
            Loop::chain(ADD, 500),
            Loop::chain(ADD, 1000),
            Loop::chain(MULTIPLY, 250),
            Loop::chain(MULTIPLY, 500),
            Loop::sequence(&[Loop::chain(ADD, 300), Loop::chain(MULTIPLY, 100)]),
        ]);
        near("500 additions", cycles[0], 500.0)?;
        near("twice the additions", cycles[1] / cycles[0], 2.0)?;
        near("twice the products", cycles[3] / cycles[2], 2.0)?;
        let product = cycles[3] / 500.0;
        near("a product, in whole cycles", product, product.round())?;
        near("one chain after the other", cycles[4], 300.0 + 100.0 * product)
    });
}

#[test]
fn loops_that_saturate_a_port_cost_what_is_known() {
    eventually(|| {
        // One product can begin in a cycle, or a few: that many ports are kept busy by any number of them.
        let product = ("imul {g}, {kg}, 7", 64);
        let cycles = time(&[
            Loop::stream(&[(product, 1)], 200),
            Loop::stream(&[(product, 1)], 400),
            Loop::stream(&[(("nop", 64), 1), (product, 1)], 200),
        ]);
        near("twice the products", cycles[1] / cycles[0], 2.0)?;
        let rate = 200.0 / cycles[0];
        near("products per cycle, a whole number", rate, rate.round())?;
        near("products with nops between them", cycles[2], cycles[0])
    });
}

#[test]
fn figures_are_those_of_a_cpu() {
    let compiler = Compiler::find().expect("a compiler");
    eventually(|| {
        let figures = operations::alone(&compiler, &Effort::QUICK, &mut |_, _| {})?;
        for each in &figures {
            let what = format!("{} {} of {} bits", each.single, each.class.name(), each.width);
            let hidden = matches!(each.class, Class::Move | Class::Store);
            // Some cores take two branches in a cycle, none takes one in two thirds of it.
            let two = each.class == Class::Branch && (0.475..0.55).contains(&each.latency);
            if !hidden && !two && each.latency < 0.95 {
                return Err(format!("{what}: a latency of {:.2}", each.latency));
            }
            // Independent operations are at least as fast as dependent ones.
            if !hidden && each.throughput * each.latency < 0.5 {
                return Err(format!("{what}: {:.2} per cycle", each.throughput));
            }
            if each.class == Class::VectorLogic && each.throughput < 0.95 {
                return Err(format!("{what}: {:.2} per cycle", each.throughput));
            }
        }
        let add = figures.iter().find(|each| each.class == Class::Add).ok_or("no addition")?;
        near("an addition", add.latency, 1.0)
    });
}

#[test]
fn the_file_that_is_written_is_read_back_as_it_was() {
    let _turn = alone();
    let compiler = Compiler::find().expect("a compiler");
    let request =
        Request { name: "here", date: "today", compiler: &compiler, effort: Effort::QUICK };
    let mut stages = BTreeSet::new();
    let Calibration { machine, remarks, .. } = calibrate(&request, &mut |stage, done, of| {
        assert!(done < of);
        stages.insert(stage);
    })
    .expect("calibrated");
    assert_eq!(stages.len(), 4);
    let text = file::text(&machine, &remarks);
    let read = Machine::parse(&text, "here.toml").unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(read, machine);
    // Every port is used, and every operation names where it goes, but for copies.
    let used: BTreeSet<&String> =
        machine.operations.iter().flat_map(|o| o.uses.iter().flatten()).collect();
    assert_eq!(used.len(), machine.ports.len());
    for operation in &machine.operations {
        assert!(!operation.uses.is_empty() || operation.class == Class::Move, "{operation:?}");
    }
}

#[test]
fn what_the_cpu_lacks_is_left_out_and_nothing_else() {
    let _turn = alone();
    let compiler = Compiler::find().expect("a compiler");
    let quick = Effort { rounds: 1, samples: 1, cycles: 100.0 };
    let figures = operations::alone(&compiler, &quick, &mut |_, _| {}).expect("measured");
    let measured: BTreeSet<(Class, u32)> = figures.iter().map(|f| (f.class, f.width)).collect();
    let here = probes::PROBES.iter().filter(|p| p.features.iter().all(|f| exec::has_feature(f)));
    let expected: BTreeSet<(Class, u32)> =
        here.flat_map(|probe| probe.widths.iter().map(|width| (probe.class, *width))).collect();
    assert_eq!(measured, expected);
}

#[test]
fn an_assembler_that_refuses_is_quoted() {
    let compiler = Compiler::new("false");
    let refused = rig::time(&[Loop::chain(ADD, 10)], &compiler, &Effort::QUICK, &mut |_, _| {});
    assert!(refused.expect_err("it always fails").contains("loops.S"));
}
