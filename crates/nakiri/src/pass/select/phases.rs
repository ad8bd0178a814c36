//! Which nodes are kept as their complements, and which as both.
//!
//! A table can be had either way. A two-input gate passes a complement on: an and-not or an or takes complemented operands, a
//! sum of one is the complement of a sum. So complements travel to where they cancel; what reaches an output wrong is made
//! right there, or once at a node before several outputs, or by another constant. Where there are tables, one is kept as its
//! complement if two-input gates behind it then are no tables: a table reads a third operand, for which a store waits.

use super::gates::{Choice, Gates, Stored};
use super::region::Region;
use super::trials::{Places, Trial, Trials};
use crate::core::{Op, Stmt};
use crate::map::{Basis, Gate, Network};

/// How many nodes before a wrong output are tried.
const CANDIDATES: usize = 20;
/// How many gates are followed behind each: first few, so that what is near is done, then those that a select of a register has.
const REACHES: [usize; 2] = [120, 600];
/// How many nodes are tried together with another: so many before a wrong output, so many for each of these, and in all.
const PAIRS: (usize, usize, usize) = (4, 24, 1000);

/// What there is of each node.
pub(super) struct Phases<'a> {
    network: &'a Network,
    gates: &'a Gates,
    /// The nodes that outputs need, operands first, and where each stands.
    order: Vec<u32>,
    position: Vec<usize>,
    readers: Vec<Vec<u32>>,
    /// Whether an output is each node, or its complement.
    wanted: Vec<[bool; 2]>,
    pub(super) stored: Vec<Stored>,
    /// Whether the complement costs nothing: another constant.
    free: Vec<bool>,
    missing: Vec<usize>,
    /// Whether a table that no output is makes the complement.
    complemented: Vec<bool>,
    /// Room for [`Phases::toggle`], which is called most often: what it changed, and the places that it has to look at.
    changed: Vec<(u32, Stored, usize)>,
    pending: Places,
    trials: Trials,
}

impl<'a> Phases<'a> {
    /// Those with few complements.
    pub(super) fn new(region: &'a Region, stmts: &[Stmt], gates: &'a Gates) -> Phases<'a> {
        let network = &region.network;
        let order = network.order(&region.outputs);
        let mut phases = Phases {
            network,
            gates,
            position: vec![0; network.len()],
            readers: vec![Vec::new(); network.len()],
            wanted: vec![[false; 2]; network.len()],
            stored: vec![Stored::default(); network.len()],
            free: vec![false; network.len()],
            missing: vec![0; network.len()],
            complemented: vec![false; network.len()],
            changed: Vec::new(),
            pending: Places::none_of(network.len()),
            trials: Trials::new(network.len()),
            order,
        };
        for output in &region.outputs {
            phases.wanted[output.node() as usize][usize::from(output.is_inverted())] = true;
        }
        for (place, &node) in phases.order.iter().enumerate() {
            phases.position[node as usize] = place;
            for &fanin in network.fanins(node) {
                let readers = &mut phases.readers[fanin as usize];
                if readers.last() != Some(&node) {
                    readers.push(node);
                }
            }
        }
        for place in 0..phases.order.len() {
            let node = phases.order[place];
            if gates.basis == Basis::Two && region.constant(stmts, node).is_some() {
                phases.stored[node as usize].both = true;
                phases.free[node as usize] = true;
            }
            phases.update(node);
        }
        match gates.basis {
            Basis::Two => {
                // Two nodes once no single one saves anything, so that the second step takes nothing from the first.
                for mut pairs in [0, PAIRS.2] {
                    REACHES.into_iter().for_each(|reach| phases.improve(reach, &mut pairs));
                }
            }
            Basis::Three => phases.complement_tables(),
        }
        phases
    }

    /// The operation of a gate, given what there is of its fanins.
    pub(super) fn choice(&self, node: u32) -> Option<Choice> {
        let (gate, stored, want) = self.question(node)?;
        Some(self.gates.choose(gate, &stored[..gate.fanins().len()], want))
    }

    /// What an operation is chosen by: a gate, what there is of its fanins, and whether the complement is wanted.
    fn question(&self, node: u32) -> Option<(&'a Gate, [Stored; 3], bool)> {
        let gate = self.network.gate_of(node).filter(|gate| gate.fanins().len() > 1)?;
        let mut stored = [Stored::default(); 3];
        for (stored, &fanin) in stored.iter_mut().zip(gate.fanins()) {
            *stored = self.stored[fanin as usize];
        }
        let [positive, negative] = self.wanted[node as usize];
        Some((gate, stored, (negative && !positive) != self.complemented[node as usize]))
    }

    /// Complements each table before a two-input gate that would be a table, if fewer of these are left then.
    fn complement_tables(&mut self) {
        for place in 0..self.order.len() {
            let node = self.order[place];
            if !self.is_needless_table(node) {
                continue;
            }
            for &fanin in self.network.fanins(node) {
                let is_free = self.wanted[fanin as usize] == [false; 2];
                if !is_free || self.network.fanins(fanin).len() < 3 {
                    continue;
                }
                let before = self.needless_tables_behind(fanin);
                self.complement(fanin);
                if self.needless_tables_behind(fanin) < before {
                    break;
                }
                self.complement(fanin);
            }
        }
    }

    fn complement(&mut self, table: u32) {
        self.complemented[table as usize] ^= true;
        self.stored[table as usize].negative ^= true;
    }

    fn needless_tables_behind(&self, node: u32) -> usize {
        let readers = self.readers[node as usize].iter();
        readers.filter(|reader| self.is_needless_table(**reader)).count()
    }

    fn is_needless_table(&self, node: u32) -> bool {
        self.network.fanins(node).len() == 2
            && self.choice(node).is_some_and(|choice| matches!(choice.op, Op::Ternary(_)))
    }

    /// Computes anew what a gate makes; whether that changed.
    fn update(&mut self, node: u32) -> bool {
        let Some((gate, stored, want)) = self.question(node) else { return false };
        let (negative, missing) = self.gates.made(gate, &stored[..gate.fanins().len()], want);
        self.missing[node as usize] = missing;
        std::mem::replace(&mut self.stored[node as usize].negative, negative) != negative
    }

    /// How many complements must be made at a node and for it.
    fn cost(&self, node: u32) -> usize {
        let at = node as usize;
        if self.free[at] {
            return 0;
        }
        let wrong = self.wanted[at][usize::from(!self.stored[at].negative)];
        self.missing[at] + usize::from(self.stored[at].both || wrong)
    }

    /// Makes both of a node, or no longer both, wherever that saves complements, as far as `reach` gates behind it; or of two
    /// nodes, of which so many more `pairs` are tried.
    fn improve(&mut self, reach: usize, pairs: &mut usize) {
        for place in 0..self.order.len() {
            let node = self.order[place];
            while self.cost(node) > 0 {
                let candidates = self.candidates(node);
                let saved = candidates.iter().map(|&c| (self.toggle(c, reach, false), c));
                let saved: Vec<_> = saved.collect();
                let best = saved.iter().min().filter(|best| best.0 < 0);
                if let Some(&(_, candidate)) = best {
                    self.toggle(candidate, reach, true);
                    continue;
                }
                let near = if *pairs > 0 { PAIRS.0 } else { 0 };
                let even = saved.iter().take(near).filter(|(change, _)| *change == 0);
                let even: Vec<u32> = even.map(|(_, candidate)| *candidate).collect();
                if !even.into_iter().any(|first| self.improve_with(first, reach, pairs)) {
                    break;
                }
            }
        }
    }

    /// Makes both of a node which saves nothing alone, but moves complements, and of another, if the two save some.
    fn improve_with(&mut self, first: u32, reach: usize, pairs: &mut usize) -> bool {
        self.toggle(first, reach, true);
        let mut seconds = Vec::new();
        let readers = self.readers[first as usize].iter();
        let behind = readers.flat_map(|&reader| {
            [reader].into_iter().chain(self.readers[reader as usize].iter().copied())
        });
        for node in behind.filter(|node| self.cost(*node) > 0) {
            for second in self.candidates(node) {
                if second != first && !seconds.contains(&second) && seconds.len() < PAIRS.1 {
                    seconds.push(second);
                }
            }
        }
        for second in seconds.into_iter().take(*pairs) {
            *pairs -= 1;
            if self.toggle(second, reach, false) < 0 {
                self.toggle(second, reach, true);
                return true;
            }
        }
        self.toggle(first, reach, true);
        false
    }

    /// The nodes before a node, nearest first.
    fn candidates(&self, node: u32) -> Vec<u32> {
        let mut found = vec![node];
        let mut next = 0;
        while next < found.len() && found.len() < CANDIDATES {
            for &fanin in self.network.fanins(found[next]) {
                if !found.contains(&fanin) && !self.free[fanin as usize] {
                    found.push(fanin);
                }
            }
            next += 1;
        }
        found
    }

    /// How many complements more there are if both of a node are made or, if they are, only one; too many if too much
    /// depends on it. Nothing changes unless it is to be kept.
    fn toggle(&mut self, node: u32, reach: usize, keep: bool) -> isize {
        // Each of those behind it is looked at.
        if self.readers[node as usize].len() > reach {
            return isize::MAX;
        }
        if let Some(known) = self.trials.known(node, reach).filter(|_| !keep) {
            return known;
        }
        let trial = self.try_both(node, reach);
        if keep {
            self.trials.change(trial.places);
        } else {
            for &(node, stored, missing) in self.changed.iter().rev() {
                self.stored[node as usize] = stored;
                self.missing[node as usize] = missing;
            }
            self.trials.made(node, reach, trial);
        }
        self.changed.clear();
        trial.change.unwrap_or(isize::MAX)
    }

    /// Makes both of a node or, if they are, only one, and what follows from that, which `changed` then has with what there was.
    fn try_both(&mut self, node: u32, reach: usize) -> Trial {
        let mut undo = std::mem::take(&mut self.changed);
        let mut pending = std::mem::take(&mut self.pending);
        undo.push((node, self.stored[node as usize], self.missing[node as usize]));
        let mut change = -(self.cost(node) as isize);
        self.stored[node as usize].both ^= true;
        change += self.cost(node) as isize;
        self.places(node).for_each(|place| pending.insert(place));
        let first = self.position[node as usize];
        let (mut last, mut is_whole) = (first, true);
        // What follows a node stands behind it.
        while let Some(place) = pending.take_from(last) {
            last = place;
            let node = self.order[place];
            if undo.len() > reach {
                is_whole = false;
                break;
            }
            undo.push((node, self.stored[node as usize], self.missing[node as usize]));
            change -= self.cost(node) as isize;
            let changed = self.update(node);
            change += self.cost(node) as isize;
            if changed {
                self.places(node).for_each(|place| pending.insert(place));
            }
        }
        pending.clear_from(last);
        let looked = undo.len();
        (self.changed, self.pending) = (undo, pending);
        Trial { change: is_whole.then_some(change), looked, places: (first, last) }
    }

    fn places(&self, node: u32) -> impl Iterator<Item = usize> + '_ {
        self.readers[node as usize].iter().map(|&reader| self.position[reader as usize])
    }
}
