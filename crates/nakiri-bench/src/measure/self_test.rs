//! The harness measures loops whose cost is known: chains of dependent instructions cost their latency, independent ones
//! that saturate their ports the number of cycles over the number of ports.

use super::{interleaved, Plan, Statistics, Workload};
use crate::machine::{Class, Machine, MissingOperation};

/// How far a measured cost may be from the known one.
pub const TOLERANCE: f64 = 0.02;

/// What came of one loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The loop.
    pub name: &'static str,
    /// What an instruction of it costs by the machine model, in core cycles.
    pub known: f64,
    /// What it costs by measurement.
    pub measured: Statistics,
}

impl Check {
    /// How far the measured median is from the known cost, as a part of it.
    pub fn error(&self) -> f64 {
        self.measured.median / self.known - 1.0
    }

    /// Whether it is near enough.
    pub fn holds(&self) -> bool {
        self.error().abs() <= TOLERANCE
    }
}

/// A loop.
struct Known {
    name: &'static str,
    class: Class,
    width: u32,
    /// Whether each instruction needs the result of the one before.
    chained: bool,
    /// Runs it so many times.
    run: fn(u32),
    /// Instructions of one time.
    instructions: u32,
}

impl Known {
    fn cost(&self, machine: &Machine) -> Result<f64, MissingOperation> {
        let row = machine.cost(self.class, self.width)?;
        let ports = row.uses.first().map_or(1, Vec::len) as f64;
        Ok(if self.chained { row.latency } else { 1.0 / row.throughput.unwrap_or(ports) })
    }
}

/// Measures the loops side by side and compares them with a machine model. What was disturbed is measured again a few
/// times. There are none on other CPUs than x86-64.
///
/// # Errors
/// If the model lacks an operation.
pub fn self_test(machine: &Machine) -> Result<Vec<Check>, MissingOperation> {
    const ATTEMPTS: usize = 5;
    let mut checks = once(machine)?;
    for _ in 1..ATTEMPTS {
        if checks.iter().all(Check::holds) {
            break;
        }
        for (best, again) in checks.iter_mut().zip(once(machine)?) {
            if again.error().abs() < best.error().abs() {
                *best = again;
            }
        }
    }
    Ok(checks)
}

fn once(machine: &Machine) -> Result<Vec<Check>, MissingOperation> {
    const TIMES: u32 = 100;
    let mut runs: Vec<_> = LOOPS.iter().map(|known| || (known.run)(TIMES)).collect();
    let mut runs: Vec<&mut dyn Workload> = runs.iter_mut().map(|run| run as _).collect();
    let costs = interleaved(&mut runs, &Plan::default());
    let check = |(known, cost): (&Known, Statistics)| {
        let measured = cost.per(f64::from(TIMES * known.instructions));
        Ok(Check { name: known.name, known: known.cost(machine)?, measured })
    };
    LOOPS.iter().zip(costs).map(check).collect()
}

#[cfg(not(target_arch = "x86_64"))]
const LOOPS: &[Known] = &[];

#[cfg(target_arch = "x86_64")]
const LOOPS: &[Known] = &[
    Known {
        name: "dependent rotations of 64 bits",
        class: Class::Rotate,
        width: 64,
        chained: true,
        run: loops::rotations,
        instructions: 64,
    },
    Known {
        name: "dependent products of 64 bits",
        class: Class::Multiply,
        width: 64,
        chained: true,
        run: loops::products,
        instructions: 64,
    },
    Known {
        name: "dependent sums of vectors of 128 bits",
        class: Class::VectorAdd,
        width: 128,
        chained: true,
        run: loops::vector_sums,
        instructions: 64,
    },
    Known {
        name: "independent logic of vectors of 128 bits",
        class: Class::VectorLogic,
        width: 128,
        chained: false,
        run: loops::vector_logic,
        instructions: 12 * 16,
    },
];

#[cfg(target_arch = "x86_64")]
mod loops {
    use std::arch::asm;

    macro_rules! sixteen {
        ($($line:literal),*) => { sixteen!(@ concat!($($line, "\n"),*)) };
        (@ $text:expr) => {
            concat!(
                $text, $text, $text, $text, $text, $text, $text, $text,
                $text, $text, $text, $text, $text, $text, $text, $text
            )
        };
    }

    pub fn rotations(times: u32) {
        let mut x = 1u64;
        for _ in 0..times {
            // SAFETY: rotations of one register.
            unsafe {
                asm!(
                    sixteen!("rol {x}, 7", "rol {x}, 7", "rol {x}, 7", "rol {x}, 7"),
                    x = inout(reg) x, options(nomem, nostack)
                );
            }
        }
        std::hint::black_box(x);
    }

    pub fn products(times: u32) {
        let mut x = 3u64;
        for _ in 0..times {
            // SAFETY: products of one register.
            unsafe {
                asm!(
                    sixteen!("imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}", "imul {x}, {x}"),
                    x = inout(reg) x, options(nomem, nostack)
                );
            }
        }
        std::hint::black_box(x);
    }

    pub fn vector_sums(times: u32) {
        for _ in 0..times {
            // Cores of Intel's take a cycle more for each read of a register that a floating-point instruction wrote.
            // SAFETY: sums of vector registers that are declared as overwritten.
            unsafe {
                asm!(
                    "pxor xmm1, xmm1",
                    sixteen!(
                        "paddd xmm0, xmm1", "paddd xmm0, xmm1", "paddd xmm0, xmm1", "paddd xmm0, xmm1"
                    ),
                    out("xmm0") _, out("xmm1") _, options(nomem, nostack)
                );
            }
        }
    }

    pub fn vector_logic(times: u32) {
        for _ in 0..times {
            // SAFETY: logic of vector registers that are declared as overwritten.
            unsafe {
                asm!(
                    sixteen!(
                        "pxor xmm0, xmm15", "pxor xmm1, xmm15", "pxor xmm2, xmm15", "pxor xmm3, xmm15",
                        "pxor xmm4, xmm15", "pxor xmm5, xmm15", "pxor xmm6, xmm15", "pxor xmm7, xmm15",
                        "pxor xmm8, xmm15", "pxor xmm9, xmm15", "pxor xmm10, xmm15", "pxor xmm11, xmm15"
                    ),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm15") _, options(nomem, nostack)
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine;

    #[test]
    fn errors_are_relative_to_the_known_cost() {
        let measured = Statistics { median: 0.26, ..Statistics::default() };
        let check = Check { name: "", known: 0.25, measured };
        assert!((check.error() - 0.04).abs() < 1e-9 && !check.holds());
    }

    #[test]
    fn every_model_of_x86_knows_the_loops() {
        for machine in machine::all().iter().filter(|machine| !machine.cpu.is_empty()) {
            for known in LOOPS {
                assert!(known.cost(machine).is_ok_and(|cost| cost > 0.0), "{}", machine.name);
            }
        }
    }
}
