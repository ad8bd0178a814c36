//! Timing: time-stamp cycles of code that runs pinned to one core, next to a chain of dependent additions whose length
//! in core cycles is known, so that the clock's drift cancels out.

pub mod addresses;
pub mod clock;
pub mod counters;
pub mod pin;
pub mod places;
pub mod sample;
mod self_test;

pub use sample::{interleaved, Plan, Statistics, Workload};
pub use self_test::{self_test, Check, TOLERANCE};

/// The CPU as it names itself.
pub fn cpu_name() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        if __cpuid(0x8000_0000).eax >= 0x8000_0004 {
            let words = (0x8000_0002..=0x8000_0004).map(__cpuid);
            let words = words.flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]);
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            return String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ']).to_string();
        }
    }
    std::env::consts::ARCH.to_string()
}
