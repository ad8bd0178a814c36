//! The CPU's own counters, where kernel and hypervisor offer them.

use serde::{Deserialize, Serialize};

/// What the CPU counted of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Core cycles.
    pub cycles: f64,
    /// Instructions that were completed.
    pub instructions: f64,
}

/// Counts some runs of something, after one to warm up; nothing where there are no counters.
pub fn counted(times: u32, run: &mut dyn FnMut()) -> Option<Counted> {
    run();
    let [cycles, instructions] = system::count(&mut || (0..times).for_each(|_| run())).ok()?;
    let each = |count: u64| count as f64 / f64::from(times);
    Some(Counted { cycles: each(cycles), instructions: each(instructions) })
}

#[cfg(target_os = "linux")]
mod system {
    use perf_event::events::{Event, Hardware};
    use perf_event::{Builder, Group};
    use std::io::Result;

    /// Cycles and instructions of this thread.
    pub fn count(run: &mut dyn FnMut()) -> Result<[u64; 2]> {
        events([Hardware::CPU_CYCLES, Hardware::INSTRUCTIONS], run)
    }

    pub fn events<const N: usize>(
        events: [impl Event; N],
        run: &mut dyn FnMut(),
    ) -> Result<[u64; N]> {
        let mut group = Group::new()?;
        let counters = events.map(|event| group.add(&Builder::new(event)));
        group.enable()?;
        run();
        group.disable()?;
        let data = group.read()?;
        let mut counts = [0; N];
        for (count, counter) in counts.iter_mut().zip(counters) {
            *count = data[&counter?];
        }
        Ok(counts)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io::{Error, ErrorKind, Result};

    pub fn count(_: &mut dyn FnMut()) -> Result<[u64; 2]> {
        Err(Error::from(ErrorKind::Unsupported))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use perf_event::events::Software;

    /// Software events are there where the CPU's are not, but containers may forbid both.
    #[test]
    fn a_group_of_events_is_counted() {
        let mut touch = || {
            std::hint::black_box(vec![1u8; 1 << 22]);
        };
        match system::events([Software::TASK_CLOCK, Software::PAGE_FAULTS], &mut touch) {
            Ok([clock, faults]) => assert!(clock > 0 && faults > 0, "{clock} {faults}"),
            Err(error) => assert!(error.raw_os_error().is_some(), "{error}"),
        }
    }

    #[test]
    fn counts_are_those_of_one_run() {
        let mut runs = 0;
        let counted = counted(10, &mut || runs += 1);
        assert!(runs == 11 || counted.is_none() && runs == 1);
        assert!(counted.is_none_or(|counted| counted.cycles > 0.0 && counted.instructions > 0.0));
    }
}
