//! Proofs that kernels are their netlists.

use crate::design::{self, Design};
use crate::{full, kernel};
use nakiri::target;
use nakiri::verilog::{self, Correspondence};
use nakiri_circuit::equivalence::{prove, Verdict};
use nakiri_circuit::Effort;

#[test]
fn kernels_are_their_netlists() {
    for name in design::names() {
        let design = Design::load(&name);
        for hidden in [false, true] {
            let reset = design.reset.clone().filter(|_| hidden);
            let options = verilog::Options { clocks: design.hardware.clocks.clone(), reset };
            let parts = Correspondence::of(&design.netlist, &options).expect("it is well formed");
            let program = design.program(hidden);
            let names: &[&str] = if full() { &["gp32", "gp64", "avx512"] } else { &["gp64"] };
            for target in target::all().iter().filter(|target| names.contains(&target.name)) {
                let kernel = kernel(&program, target);
                let proof = prove(&design.netlist, &parts, &kernel.program, &Effort::unlimited());
                let verdicts = proof.expect("cells that are known").verdicts.concat();
                let equal = verdicts.iter().filter(|v| **v == Verdict::Equal).count();
                assert_eq!(equal, verdicts.len(), "{name}, {}", target.name);
            }
        }
    }
}
