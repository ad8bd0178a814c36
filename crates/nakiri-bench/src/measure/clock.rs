//! The time-stamp counter, and the chain of dependent additions that tells how long a core cycle is.

/// Time-stamp cycles since some moment; everything before it has been executed.
#[cfg(target_arch = "x86_64")]
pub fn ticks() -> u64 {
    // SAFETY: both instructions exist on every x86-64 CPU and touch no memory.
    unsafe {
        std::arch::x86_64::_mm_lfence();
        let now = std::arch::x86_64::_rdtsc();
        std::arch::x86_64::_mm_lfence();
        now
    }
}

/// Nanoseconds since the first call, where there is no time-stamp counter.
#[cfg(not(target_arch = "x86_64"))]
pub fn ticks() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}

/// The length of one unrolled stretch of the chain.
const UNROLLED: u64 = 16;

/// Time-stamp cycles of a chain of this many dependent additions (rounded up to a multiple of 16), which takes as many
/// core cycles.
pub fn chain(additions: u64) -> u64 {
    let stretches = additions.div_ceil(UNROLLED);
    let start = ticks();
    let mut x = 1u64;
    for _ in 0..stretches {
        x = stretch(x);
    }
    std::hint::black_box(x);
    ticks() - start
}

/// Time-stamp cycles between two readings of the counter with nothing in between.
pub fn overhead() -> u64 {
    let pairs = (0..200).map(|_| {
        let start = ticks();
        ticks() - start
    });
    pairs.min().unwrap_or(0)
}

/// Core cycles for each time-stamp cycle, by the fastest of some chains of about 20,000 core cycles.
pub fn core_per_tick() -> f64 {
    const LENGTH: u64 = 20_000;
    let fastest = (0..25).map(|_| chain(LENGTH)).min().unwrap_or(LENGTH);
    LENGTH as f64 / fastest.saturating_sub(overhead()).max(1) as f64
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn stretch(mut x: u64) -> u64 {
    // `lea` by itself and `add` of immediates may be folded by the renamer of some cores: a register is added to itself.
    macro_rules! add {
        ($($n:literal)*) => {
            // SAFETY: additions of one register.
            unsafe {
                std::arch::asm!($(concat!("add {0}, {0} /*", $n, "*/"),)* inout(reg) x, options(nomem, nostack));
            }
        };
    }
    add!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    x
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(never)]
fn stretch(mut x: u64) -> u64 {
    for _ in 0..UNROLLED {
        x = std::hint::black_box(x.wrapping_add(x));
    }
    x
}

/// Waits until everything before it has been executed.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction exists on every x86-64 CPU.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
}
