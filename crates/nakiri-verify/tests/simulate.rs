//! The simulator of Verilog: instances side by side, asynchronous resets, unknown values, and designs that it refuses.

use nakiri_verify::cc::Work;
use nakiri_verify::random::Rng;
use nakiri_verify::simulate::{available, simulate, Design, Signal, Simulator};
use nakiri_verify::stimuli::{stimuli, Reset};
use nakiri_verify::waveform::Waveform;
use nakiri_verify::Error;
use std::path::Path;

/// Whether there is a simulator; without one nothing is tested.
fn simulator() -> bool {
    let lack = available().err();
    lack.iter().for_each(|lack| eprintln!("not tested: {lack}"));
    lack.is_none()
}

fn signal(name: &str, bits: usize) -> Signal {
    Signal { name: name.to_string(), bits }
}

/// A design of the tests' folder.
fn design(name: &str, inputs: Vec<Signal>, outputs: Vec<Signal>) -> Design {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verilog");
    Design {
        sources: vec![root.join(format!("{name}/{name}.v"))],
        include: Vec::new(),
        define: Vec::new(),
        top: name.to_string(),
        clocks: Waveform::one("clk"),
        inputs,
        outputs,
        preset: None,
        simulator: Simulator::default(),
    }
}

/// The bits of a number, or nothing if one is unknown.
fn number(bits: &[Option<bool>]) -> Option<u64> {
    let bits = bits.iter().rev();
    bits.map(|bit| bit.map(u64::from)).try_fold(0, |sum, bit| Some(sum << 1 | bit?))
}

#[test]
fn instances_count_for_themselves() {
    if !simulator() {
        return;
    }
    let inputs = vec![signal("rst", 1), signal("load", 1), signal("enable", 1), signal("value", 8)];
    let counter = design("counter", inputs, vec![signal("count", 8), signal("last", 1)]);
    let reset = Reset { input: 0, active: true, ticks: 1, again: true };
    let mut rng = Rng::new(1);
    let given: Vec<_> =
        (0..70).map(|_| stimuli(&counter.inputs, Some(&reset), 40, &mut rng)).collect();
    let observed = simulate(&counter, &given, None).expect("it runs");
    for (given, observed) in given.iter().zip(&observed) {
        assert_eq!(number(&observed[0][0]), None, "nothing is known before the reset");
        let mut count = 0;
        for (given, observed) in given.iter().zip(observed).skip(1) {
            let given: Vec<u64> = given.iter().filter_map(|bits| number(bits)).collect();
            let enabled = given[2] == 1;
            assert_eq!(number(&observed[0]), Some(count));
            assert_eq!(number(&observed[1]), Some(u64::from(count == 255 && enabled)));
            count = match given[..] {
                [1, ..] => 0,
                [_, 1, _, value] => value,
                _ => (count + u64::from(enabled)) & 255,
            };
        }
    }
}

#[test]
fn an_asynchronous_reset_acts_in_its_tick() {
    if !simulator() {
        return;
    }
    let inputs = vec![signal("rst_n", 1), signal("enable", 1)];
    let lfsr = design("lfsr", inputs, vec![signal("state", 16)]);
    let tick = |rst_n: bool| vec![vec![Some(rst_n)], vec![Some(true)]];
    let observed = simulate(&lfsr, &[vec![tick(false), tick(true), tick(true), tick(false)]], None);
    let states = observed.expect("it runs").remove(0);
    let states: Vec<Option<u64>> = states.iter().map(|tick| number(&tick[0])).collect();
    assert_eq!(states, [0xace1, 0xace1, 0x5670, 0xace1].map(Some));
}

#[test]
fn a_design_that_it_refuses_is_an_error_with_what_it_says() {
    if !simulator() {
        return;
    }
    let wrong = design("counter", vec![signal("no_such_port", 1)], vec![signal("count", 8)]);
    let refused = simulate(&wrong, &[vec![vec![vec![Some(true)]]]], None);
    let Err(Error::Simulator { message, .. }) = refused else { panic!("{refused:?}") };
    assert!(message.contains("no_such_port"), "{message}");
}

/// A clock that falls first begins at 1, which is no edge, whether or not words of SystemVerilog are names in the source.
#[test]
fn the_first_level_of_a_clock_is_no_edge() {
    if !simulator() {
        return;
    }
    let work = Work::new().expect("a folder");
    for name in ["d", "bit"] {
        let text = format!(
            "module edges(input clk, input {name}, output reg [1:0] y);\n  initial y = 0;\n  always @(posedge clk) \
             y[1] <= y[1] ^ {name};\n  always @(negedge clk) y[0] <= y[0] ^ {name};\nendmodule\n"
        );
        let source = work.write("edges.v", text.as_bytes()).expect("it can be written");
        for rises in [true, false] {
            let edges = Design {
                sources: vec![source.clone()],
                top: "edges".to_string(),
                clocks: Waveform {
                    names: vec!["clk".to_string()],
                    instants: vec![vec![(0, rises)], vec![(0, !rises)]],
                },
                ..design("edges", vec![signal(name, 1)], vec![signal("y", 2)])
            };
            let ticks = vec![vec![vec![Some(true)]]; 3];
            let observed = simulate(&edges, &[ticks], None).expect("it runs").remove(0);
            let values: Vec<Option<u64>> = observed.iter().map(|tick| number(&tick[0])).collect();
            assert_eq!(values, [0, 3, 0].map(Some), "{name}, {rises}");
        }
    }
}
