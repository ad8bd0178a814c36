//! What the clocks do in a tick: every order of them is that of the hardware, and another one is not.

use crate::design::Design;
use crate::proofs::wanted;
use crate::{compiler, kernel, targets, tools};
use nakiri::core::Program;
use nakiri::source::FileId;
use nakiri::verilog::{self, Correspondence, Options, Period};
use nakiri_circuit::equivalence::{prove, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::hardware::{Agreement, Run, Trial};
use nakiri_verify::simulate;
use nakiri_verify::waveform::Waveform;

/// Designs with orders of their clocks, no two of which are the same hardware.
const ORDERS: [(&str, &[&str]); 3] = [
    ("two_speeds", &["fast,slow;fast", "fast;slow;fast", "fast;slow", "slow;fast", "fast,slow"]),
    ("double_rate", &["clk;!clk", "!clk;clk"]),
    (
        "async_fifo",
        &[
            "write_clk,read_clk",
            "write_clk;read_clk",
            "read_clk;write_clk",
            "read_clk;read_clk;write_clk",
        ],
    ),
];

/// A design whose clocks do something else in a tick.
struct Ordered {
    parts: Correspondence,
    program: Program,
    hardware: simulate::Design,
}

impl Ordered {
    /// With the reset as an input if it is not `hidden`.
    fn new(design: &Design, order: &str, hidden: bool) -> Ordered {
        let period = Some(Period::parse(order, FileId(0)).expect("a period"));
        let options = Options { period, ..design.options(hidden) };
        let parts = Correspondence::of(&design.netlist, &options).expect("clocks of the design");
        let program = verilog::program(&design.netlist, &options).expect("it is well formed");
        let clocks = Waveform::of(&design.netlist, &parts.instants);
        let hardware = simulate::Design { clocks, ..design.hardware.clone() };
        Ordered { parts, program, hardware }
    }

    /// Whether a kernel of another one's program is proved to be this hardware.
    fn is_proved(&self, design: &Design, other: &Ordered) -> bool {
        let target = targets(&["gp64"])[0];
        let program = kernel(&other.program, target).program;
        let proof = prove(&wanted(design, &self.parts), &program, &Effort::unlimited());
        let verdicts = proof.expect("cells that are known").verdicts.concat();
        verdicts.iter().all(|verdict| *verdict == Verdict::Equal)
    }

    /// Another one's program beside a simulation of this one.
    fn simulated(&self, design: &Design, other: &Ordered, hidden: bool) -> Agreement {
        let trial = Trial {
            design: &self.hardware,
            shared: &[],
            assumption: None,
            reset: design.reset(!hidden),
            lanes: 16,
            first: 0,
            ticks: 60,
            seed: 1,
            limit: None,
        };
        let target = targets(&["gp64"])[0];
        let run = Run::simulate(&other.program, &trial).expect("it runs");
        run.compiled(&kernel(&other.program, target), &compiler()).expect("it runs")
    }
}

#[test]
fn the_order_of_edges_is_that_of_the_hardware_and_no_other() {
    if !tools() {
        return;
    }
    for (name, orders) in ORDERS {
        let design = Design::load(name);
        for (turn, order) in orders.iter().enumerate() {
            let what = format!("{name}, {order}");
            for hidden in [false, true] {
                let right = Ordered::new(&design, order, hidden);
                assert!(right.is_proved(&design, &right), "{what}");
                let found = right.simulated(&design, &right, hidden);
                assert_eq!(found.difference, None, "{what}");
                assert!(found.compared > found.unknown, "{what}");
            }
            let right = Ordered::new(&design, order, true);
            let wrong = Ordered::new(&design, orders[(turn + 1) % orders.len()], true);
            assert!(!right.is_proved(&design, &wrong), "{what}");
            assert!(right.simulated(&design, &wrong, true).difference.is_some(), "{what}");
        }
    }
}

/// A name without `!` is the edge at which registers act, and a clock goes back silently where they act at one edge alone.
#[test]
fn a_name_is_the_edge_at_which_registers_act() {
    if !tools() {
        return;
    }
    let design = Design::load("two_speeds");
    let edges = |order: &str| Ordered::new(&design, order, true).parts.instants;
    assert_eq!(edges("fast ; slow"), edges("fast;slow"));
    assert_eq!(edges("fast;fast;slow").len(), 3);
    let with_falls = Ordered::new(&design, "fast,slow;!fast,!slow;fast", true);
    let without = Ordered::new(&design, "fast,slow;fast", true);
    assert!(without.is_proved(&design, &with_falls));
    assert_eq!(with_falls.simulated(&design, &without, true).difference, None);
}
