//! One core for the whole measurement.

/// Pins this thread to one of the cores that it may run on: the last, which has the fewest interrupts.
///
/// # Errors
/// What to say to the user; measuring goes on unpinned.
#[cfg(target_os = "linux")]
pub fn pin() -> Result<usize, String> {
    use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet};
    let refused = |error| {
        format!(
            "can't pin the measurement to one core ({error}): figures will scatter more; \
             run it as a user who may call sched_setaffinity, or under `taskset -c N`"
        )
    };
    let allowed = sched_getaffinity(None).map_err(refused)?;
    let core = (0..CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core)).unwrap_or(0);
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(None, &only).map_err(refused)?;
    Ok(core)
}

/// Other systems have no such call.
///
/// # Errors
/// Always, with what to say to the user.
#[cfg(not(target_os = "linux"))]
pub fn pin() -> Result<usize, String> {
    Err("this system can't pin the measurement to one core: figures will scatter more".to_string())
}
