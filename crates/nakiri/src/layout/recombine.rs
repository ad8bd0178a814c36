//! The layouts that no permutation of address bits gives: atoms in registers are recombined from atoms in
//! little-endian order, for all blocks at once. The work grows with the number of different distances by which bits
//! move, not with the number of blocks.

use super::network::{Array, Gate, Local, Network, Pass, Place, Step, Way, ZERO};
use super::register_bit;
use super::synthesis::{AtomBit, Port};
use crate::core::Direction;

/// Adds the pass that makes the port's atoms from the words that `network` loads, or, before it, the pass that makes
/// the words that it stores from the port's atoms. There are more words than atoms where bits of atoms lie in the padding
/// of the words.
pub fn recombine(port: &Port, way: Way, mut network: Network) -> Network {
    let words = port.words().count;
    if way == Way::Load && words > port.count {
        network.load_words();
    }
    network.registers = port.registers();
    let (from, to, source, sink) = match way {
        Way::Load if words > port.count => (words, port.count, Array::Words, Array::Registers),
        Way::Load => (words, port.count, Array::Registers, Array::Registers),
        Way::Store => (port.count, words, Array::Registers, Array::Words),
    };
    let mut pass = Recombination { port, sources: from, steps: Vec::new(), locals: from };
    let read = |atom| Step::Read { to: atom, array: source, at: Place::fixed(atom) };
    pass.steps.extend((0..from).map(read));
    let bits = moved_bits(port, way);
    let results: Vec<Local> = (0..to).map(|to| pass.atom(&bits, to)).collect();
    for (to, from) in (0..).zip(results) {
        pass.steps.push(Step::Write { from, array: sink, at: Place::fixed(to) });
    }
    let mut pass = Pass { loops: Vec::new(), locals: pass.locals, steps: pass.steps };
    pass.prune();
    match way {
        Way::Load => network.passes.push(pass),
        Way::Store => network.passes.insert(0, pass),
    }
    network
}

/// All pairs of source and destination bits.
fn moved_bits(port: &Port, way: Way) -> Vec<(AtomBit, AtomBit)> {
    let width = usize::from(port.width);
    let pair = |(bit, atom): (usize, &Option<AtomBit>)| {
        let atom = atom.filter(|atom| atom.atom < port.count)?;
        let position = (width - 1 - bit % width) as u16;
        let word = AtomBit { atom: (bit / width) as u32, position };
        Some(match way {
            Way::Load => (word, atom),
            Way::Store => (atom, word),
        })
    };
    port.bits.iter().enumerate().filter_map(pair).collect()
}

struct Recombination<'a> {
    port: &'a Port,
    /// How many values bits are taken from: the first locals.
    sources: u32,
    steps: Vec<Step>,
    locals: u32,
}

impl Recombination<'_> {
    fn local(&mut self) -> Local {
        self.locals += 1;
        self.locals - 1
    }

    /// The atom `to`, from all its sources.
    fn atom(&mut self, bits: &[(AtomBit, AtomBit)], to: u32) -> Local {
        let mut result = None;
        for source in 0..self.sources {
            let positions: Vec<(u16, u16)> = bits
                .iter()
                .filter(|(from, into)| into.atom == to && from.atom == source)
                .map(|(from, into)| (from.position, into.position))
                .collect();
            result = match self.port.direction {
                Direction::H if self.port.machine.simd => self.spread(result, source, &positions),
                _ => self.shift(result, source, &positions),
            };
        }
        result.unwrap_or_else(|| {
            let to = self.local();
            self.steps.push(Step::Zero { to });
            to
        })
    }

    /// Adds bits of elements: one deposit for each distance.
    fn shift(
        &mut self,
        mut onto: Option<Local>,
        from: Local,
        positions: &[(u16, u16)],
    ) -> Option<Local> {
        let width = i32::from(self.port.width);
        // How far apart the positions of an atom are.
        let apart = match self.port.direction {
            Direction::H => self.port.lanes() as i32,
            _ => 1,
        };
        for distance in 1 - width..width {
            let matching = positions
                .iter()
                .filter(|(from, into)| i32::from(*from) - i32::from(*into) == distance);
            let mask = matching.fold(0, |mask, (_, into)| mask | self.in_all_lanes(*into));
            if mask != 0 {
                let (to, shift) = (self.local(), distance * apart);
                self.steps.push(Step::Deposit { to, onto, from, shift, mask });
                onto = Some(to);
            }
        }
        onto
    }

    /// The bits of a position, as a pattern of 64 bits that elements repeat.
    fn in_all_lanes(&self, position: u16) -> u64 {
        let Port { machine, direction, width, .. } = *self.port;
        let bit = |lane| register_bit(machine, direction, width, lane, position);
        (0..self.port.lanes()).fold(0, |mask, lane| mask | 1 << (bit(lane) % 64))
    }

    /// Adds bits of a horizontal atom, each some bytes of a segment: one shuffle for each distance of 128-bit
    /// segments.
    fn spread(
        &mut self,
        mut onto: Option<Local>,
        from: Local,
        positions: &[(u16, u16)],
    ) -> Option<Local> {
        let segments = (self.port.machine.segment_bits(self.port.width) / 128) as usize;
        for distance in 0..segments {
            let Some(pick) = self.pattern(positions, distance, segments) else { continue };
            let mut turned = from;
            if distance > 0 {
                turned = self.local();
                let source = |to: usize| (to + distance) % segments;
                let pick = (0..4).map(|to| (source(to) + if to < 2 { 0 } else { 4 }) as u8);
                let pick = pick.collect();
                self.steps.push(Step::Segments { to: turned, from: [from, from], pick });
            }
            let mut to = self.local();
            self.steps.push(Step::Bytes { to, from: turned, pick });
            if let Some(onto) = onto {
                let from = [onto, to];
                to = self.local();
                self.steps.push(Step::Logic { to, gate: Gate::Or, from });
            }
            onto = Some(to);
        }
        onto
    }

    /// The bytes of the segments this far on, for the positions that are there.
    fn pattern(
        &self,
        positions: &[(u16, u16)],
        distance: usize,
        segments: usize,
    ) -> Option<Vec<u8>> {
        let mut pick = vec![ZERO; self.port.register_bits() as usize / 8];
        let byte = |lane: u32, position: u16| {
            let Port { machine, direction, width, .. } = *self.port;
            (register_bit(machine, direction, width, lane, position) / 8) as usize
        };
        for &(from, into) in positions {
            for lane in (0..self.port.lanes()).step_by(8) {
                let (from, into) = (byte(lane, from), byte(lane, into));
                if (into / 16 + distance) % segments == from / 16 % segments {
                    pick[into] = (from % 16) as u8;
                }
            }
        }
        pick.iter().any(|&byte| byte != ZERO).then_some(pick)
    }
}
