//! The port bound.
//!
//! Each operation can go to any port of its set, and a port takes one in a cycle. With fractions of operations allowed,
//! as over many batches they are, all of them fit into T cycles if and only if for every set S of ports the operations
//! that can go nowhere else number at most T·|S|: this is Hall's condition for the flow from operations to ports. The
//! smallest T is therefore the maximum over S of (operations confined to S) / |S|. Of the sets S it is enough to look at
//! unions of the operations' own sets: any other S confines the same operations as the union of the sets inside it, and
//! has no fewer ports.

use std::collections::BTreeSet;

/// Ports, one bit each.
pub type Ports = u64;

/// The smallest time in which some operations fit, in core cycles, and the ports that need it: `demand` holds sets of
/// ports, none of them empty, and the number of operations that can go to each.
pub fn bound(demand: &[(Ports, f64)]) -> (f64, Ports) {
    let mut unions: BTreeSet<Ports> = BTreeSet::new();
    for (ports, _) in demand {
        let wider: Vec<Ports> = unions.iter().map(|union| union | ports).collect();
        unions.insert(*ports);
        unions.extend(wider);
    }
    let time = |union: Ports| {
        let confined = demand.iter().filter(|(ports, _)| ports & !union == 0);
        confined.map(|(_, amount)| amount).sum::<f64>() / f64::from(union.count_ones())
    };
    let times = unions.into_iter().map(|union| (time(union), union));
    // Of equal bounds, that of fewest ports explains most.
    times.fold((0.0, 0), |best, next| {
        let fewer = next.0 == best.0 && next.1.count_ones() < best.1.count_ones();
        if next.0 > best.0 || fewer {
            next
        } else {
            best
        }
    })
}

/// Which ports are taken, by cycle.
#[derive(Clone, Debug)]
pub struct Busy {
    cycles: Vec<Ports>,
    /// The ports that are wanted, the least first.
    order: Vec<Ports>,
    /// For sets of ports the cycles, from the first up to the second, in which none of them is free.
    full: Vec<(Ports, usize, usize)>,
}

impl Busy {
    /// All ports are free; `uses` are all that will be asked for, each as often as it will be: an operation that can
    /// choose takes the port that others want least.
    pub fn new(uses: impl Iterator<Item = (Ports, f64)>) -> Busy {
        let mut wanted = [0.0; Ports::BITS as usize];
        let mut all = 0;
        for (ports, times) in uses {
            all |= ports;
            let share = times / f64::from(ports.count_ones().max(1));
            (0..Ports::BITS)
                .filter(|port| ports >> port & 1 == 1)
                .for_each(|port| wanted[port as usize] += share);
        }
        let mut order: Vec<u32> = (0..Ports::BITS).filter(|port| all >> port & 1 == 1).collect();
        order.sort_by(|a, b| wanted[*a as usize].total_cmp(&wanted[*b as usize]));
        let order = order.into_iter().map(|port| 1 << port).collect();
        Busy { cycles: Vec::new(), order, full: Vec::new() }
    }

    /// Takes a port for each micro-operation, from the time when the arguments are ready; gives the time of the last.
    pub fn take(&mut self, uses: &[Ports], ready: f64) -> f64 {
        let ready = ready.ceil().max(0.0);
        let places = self.places(uses, ready);
        places.fold(ready, |last, (start, _)| last.max(start as f64))
    }

    /// The same; gives for each micro-operation its cycle and its port.
    pub fn places<'b>(
        &'b mut self,
        uses: &'b [Ports],
        ready: f64,
    ) -> impl Iterator<Item = (usize, Ports)> + 'b {
        let from = ready.ceil().max(0.0) as usize;
        uses.iter().map(move |ports| self.first(*ports, from))
    }

    fn first(&mut self, ports: Ports, from: usize) -> (usize, Ports) {
        let known = self.full.iter().position(|(set, ..)| *set == ports).unwrap_or_else(|| {
            self.full.push((ports, 0, 0));
            self.full.len() - 1
        });
        let (_, start, end) = self.full[known];
        let inside = (start..=end).contains(&from);
        let mut cycle = if inside { end } else { from };
        while self.cycles.get(cycle).is_some_and(|taken| ports & !taken == 0) {
            cycle += 1;
        }
        self.full[known] = (ports, if inside { start } else { from }, cycle);
        if cycle >= self.cycles.len() {
            self.cycles.resize(cycle + 64, 0);
        }
        let free = ports & !self.cycles[cycle];
        let port = self.order.iter().find(|port| free & **port != 0).copied().unwrap_or(0);
        self.cycles[cycle] |= port;
        (cycle, port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the operations fit into a time, by the largest flow from operations to ports.
    fn fits(demand: &[(Ports, f64)], time: f64) -> bool {
        let ports = 8;
        let mut flow = vec![[0.0f64; 8]; demand.len()];
        let mut load = [0.0f64; 8];
        for kind in 0..demand.len() {
            let mut rest = demand[kind].1;
            while rest > 1e-9 {
                // A chain from this kind over ports that are full to one that isn't, by breadth.
                let mut from: [Option<(usize, Option<usize>)>; 8] = [None; 8];
                let mut todo: Vec<usize> = Vec::new();
                for port in (0..ports).filter(|port| demand[kind].0 >> port & 1 == 1) {
                    from[port] = Some((kind, None));
                    todo.push(port);
                }
                let mut at = 0;
                let free = loop {
                    let Some(&port) = todo.get(at) else { return false };
                    at += 1;
                    if time - load[port] > 1e-9 {
                        break port;
                    }
                    for moved in (0..demand.len()).filter(|moved| flow[*moved][port] > 1e-9) {
                        for other in (0..ports).filter(|other| demand[moved].0 >> other & 1 == 1) {
                            if from[other].is_none() {
                                from[other] = Some((moved, Some(port)));
                                todo.push(other);
                            }
                        }
                    }
                };
                let mut amount = rest.min(time - load[free]);
                let mut port = free;
                while let Some((moved, Some(before))) = from[port] {
                    amount = amount.min(flow[moved][before]);
                    port = before;
                }
                load[free] += amount;
                let mut port = free;
                while let Some((moved, before)) = from[port] {
                    flow[moved][port] += amount;
                    let Some(before) = before else { break };
                    flow[moved][before] -= amount;
                    port = before;
                }
                rest -= amount;
            }
        }
        true
    }

    #[test]
    fn it_is_exact() {
        let mut state = 1u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..500 {
            let kinds = 1 + random(6);
            let demand: Vec<(Ports, f64)> =
                (0..kinds).map(|_| (1 + random(255) as Ports, random(20) as f64)).collect();
            let (time, ports) = bound(&demand);
            assert!(fits(&demand, time + 1e-6), "{demand:?} don't fit into {time}");
            assert!(
                time == 0.0 || !fits(&demand, time - 1e-3),
                "{demand:?} fit into less than {time}"
            );
            let confined = demand.iter().filter(|(set, _)| set & !ports == 0).map(|(_, n)| n);
            assert!((confined.sum::<f64>() - time * f64::from(ports.count_ones())).abs() < 1e-9);
        }
    }

    #[test]
    fn shared_ports_bind_together() {
        // Ten operations for port 0 or 1, six for port 1 alone, one for any of four.
        let (time, ports) = bound(&[(0b0011, 10.0), (0b0010, 6.0), (0b1111, 1.0)]);
        assert_eq!((time, ports), (8.0, 0b0011));
        assert_eq!(bound(&[]), (0.0, 0));
    }
}
