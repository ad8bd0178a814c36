//! How the atoms of a block lie in memory and in registers, in the manner of Figure 2 of Mercadier and Dagand, "Usuba:
//! high-throughput and constant-time ciphers, by construction" (2019): what [`memory_bit`] and [`register_bit`] say, drawn.

use super::svg::{width, Anchor, Drawing};
use super::{theme, Table};
use nakiri::compile::Kernel;
use nakiri::core::{Direction, Port};
use nakiri::layout::{memory_bit, register_bit, Machine};
use nakiri::pass::pack;

const WIDTH: f64 = 780.0;
const CELL: f64 = 22.0;
const LINE: f64 = 27.0;
/// Bits of memory in one line.
const MEMORY: usize = 128;
/// The most registers that are all drawn.
const SHOWN: usize = 8;

/// How the first parameter of a kernel lies.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The target.
    pub target: String,
    /// The slicing.
    pub direction: Direction,
    /// The parameter as declared.
    pub port: Port,
    /// The target's registers.
    pub machine: Machine,
    /// Bits of a register.
    pub bits: u32,
    /// Blocks in a register.
    pub lanes: u32,
}

/// A bit of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bit {
    lane: u32,
    atom: u32,
    /// 0 is the most significant.
    position: u16,
}

impl Placement {
    /// Of a kernel; none if all that it takes is constant.
    pub fn of(kernel: &Kernel) -> Option<Placement> {
        let port = kernel.params.iter().find(|port| !port.constant)?;
        let port = match kernel.direction {
            Direction::P => pack::packed(port),
            _ => port.clone(),
        };
        let (direction, width) = (kernel.direction, port.ty.bits());
        Some(Placement {
            target: kernel.target.name.to_string(),
            direction,
            machine: kernel.target.into(),
            bits: kernel.target.register_bits(direction, width),
            lanes: kernel.target.lanes(direction, width),
            port,
        })
    }

    /// How many registers hold a batch of blocks.
    fn registers(&self) -> usize {
        let each =
            if self.direction == Direction::B { usize::from(self.port.ty.bits()) } else { 1 };
        self.port.count() as usize * each
    }

    /// What a register holds in each of its bits.
    fn register(&self, register: usize) -> Vec<Option<Bit>> {
        let mut bits = vec![None; self.bits as usize];
        let bitslice = self.direction == Direction::B;
        let word = self.port.ty.bits();
        for lane in 0..self.lanes {
            for inner in 0..if bitslice { 1 } else { word } {
                let width = if bitslice { 1 } else { word };
                let place = register_bit(self.machine, self.direction, width, lane, inner);
                let (atom, position) = match bitslice {
                    true => {
                        (register as u32 / u32::from(word), (register % usize::from(word)) as u16)
                    }
                    false => (register as u32, inner),
                };
                if let Some(bit) = bits.get_mut(place as usize) {
                    *bit = Some(Bit { lane, atom, position });
                }
            }
        }
        bits
    }

    /// The atom of each bit of a block in memory.
    fn memory(&self) -> Vec<Option<u32>> {
        let (word, count) = (self.port.ty.bits(), self.port.count());
        let mut bits = vec![None; usize::from(word) * count as usize];
        for atom in 0..count {
            for position in 0..word {
                let place = memory_bit(&self.port.layout, word, count, atom, position);
                if let Some(bit) = place.and_then(|place| bits.get_mut(place)) {
                    *bit = Some(atom);
                }
            }
        }
        bits
    }

    /// An atom as the source calls it, such as `plain[3]`.
    fn atom(&self, atom: u32) -> String {
        let mut rest = atom;
        let mut indices = String::new();
        for size in self.port.shape.iter().rev().filter(|size| **size > 0) {
            indices = format!("[{}]{indices}", rest % size);
            rest /= size;
        }
        format!("{}{indices}", self.port.name)
    }

    /// What a register holds.
    fn name(&self, register: usize) -> String {
        let word = usize::from(self.port.ty.bits());
        match self.direction {
            Direction::B if word == 1 => self.atom(register as u32),
            Direction::B => {
                let bit = word - 1 - register % word;
                format!("{}, bit {bit}", self.atom((register / word) as u32))
            }
            _ => self.atom(register as u32),
        }
    }

    /// The registers that are drawn; a gap stands after the first part.
    fn shown(&self) -> (Vec<usize>, usize) {
        let all = self.registers();
        match all {
            0..=SHOWN => ((0..all).collect(), 0),
            _ => ((0..SHOWN / 2).chain([all - 1]).collect(), all - SHOWN / 2 - 1),
        }
    }
}

/// Draws a placement: the block in memory, and below it the registers with the bits of block 0 in the colours of its
/// atoms.
pub fn draw(placement: &Placement, title: &str) -> Drawing {
    let (shown, left_out) = placement.shown();
    let memory = placement.memory();
    let lines = memory.len().div_ceil(MEMORY);
    let names = shown.iter().map(|register| width(&placement.name(*register)));
    let left = names.chain([width("byte 000")]).fold(0.0, f64::max) + 14.0;
    let registers = 24.0 + LINE * lines as f64 + 44.0;
    let height = registers + LINE * (shown.len() + usize::from(left_out > 0)) as f64 + 44.0;
    let mut drawing = Drawing::new(WIDTH, height, title);
    drawing.text(
        (0.0, 14.0),
        Anchor::Start,
        "strong",
        "One block in memory, bit 7 of each byte on the left",
    );
    for (line, bits) in memory.chunks(MEMORY).enumerate() {
        draw_memory(&mut drawing, (left, 24.0 + LINE * line as f64), placement, line, bits);
    }
    let what = match placement.lanes {
        1 => format!("In registers of {} bits, one block at once", placement.bits),
        lanes => format!(
            "In registers of {} bits, {lanes} blocks at once; block 0 in colour",
            placement.bits
        ),
    };
    drawing.text((0.0, registers - 12.0), Anchor::Start, "strong", &what);
    let mut y = registers;
    for (k, register) in shown.iter().enumerate() {
        if left_out > 0 && k + 1 == shown.len() {
            let more = format!("… {left_out} more …");
            drawing.text((left, y + CELL - 6.0), Anchor::Start, "soft", &more);
            y += LINE;
        }
        let name = placement.name(*register);
        drawing.text((left - 8.0, y + CELL - 6.0), Anchor::End, "", &name);
        draw_register(&mut drawing, (left, y), placement, *register);
        y += LINE;
    }
    draw_ticks(&mut drawing, (left, y), placement.bits);
    drawing
}

fn draw_memory(
    drawing: &mut Drawing,
    at: (f64, f64),
    placement: &Placement,
    line: usize,
    bits: &[Option<u32>],
) {
    let cell = (WIDTH - at.0) / MEMORY as f64;
    let first = format!("byte {}", line * MEMORY / 8);
    drawing.text((at.0 - 8.0, at.1 + CELL - 6.0), Anchor::End, "soft", &first);
    // In the order of the page: byte after byte, in each the most significant bit first.
    let order = |k: usize| bits.get(k / 8 * 8 + 7 - k % 8).copied().flatten();
    let atoms: Vec<Option<u32>> = (0..bits.len().div_ceil(8) * 8).map(order).collect();
    for (start, length, atom) in runs(&atoms) {
        let Some(atom) = atom else { continue };
        let (x, w) = (at.0 + cell * start as f64, cell * length as f64);
        let name = placement.atom(atom);
        drawing.rectangle((x + 0.4, at.1), (w - 0.8, CELL), theme::series(atom as usize), &name);
        if width(&name) + 6.0 < w {
            drawing.text((x + w / 2.0, at.1 + CELL - 6.0), Anchor::Middle, "on strong", &name);
        }
    }
}

/// Maximal runs of equal values: start, length, value.
fn runs<T: Copy + PartialEq>(values: &[T]) -> Vec<(usize, usize, T)> {
    let mut runs: Vec<(usize, usize, T)> = Vec::new();
    for (k, value) in values.iter().enumerate() {
        match runs.last_mut() {
            Some((_, length, last)) if last == value => *length += 1,
            _ => runs.push((k, 1, *value)),
        }
    }
    runs
}

fn draw_register(drawing: &mut Drawing, at: (f64, f64), placement: &Placement, register: usize) {
    let cell = (WIDTH - at.0) / f64::from(placement.bits);
    let mut bits = placement.register(register);
    bits.reverse();
    // Elements are runs of one block's bits where they lie together, else runs of one bit of all blocks.
    let by_lane = runs(&bits.iter().map(|bit| bit.map(|bit| bit.lane)).collect::<Vec<_>>());
    let together = by_lane.iter().any(|run| run.1 > 1);
    let elements = match together {
        true => by_lane,
        false => runs(&bits.iter().map(|b| b.map(|b| u32::from(b.position))).collect::<Vec<_>>()),
    };
    for (start, length, value) in elements {
        let (x, w) = (at.0 + cell * start as f64, cell * length as f64);
        drawing.rectangle((x + 0.4, at.1), (w - 0.8, CELL), "pale", "");
        let Some(value) = value else { continue };
        if let Some(name) = element(placement, together, value, w) {
            let class = if together && value == 0 { "on strong" } else { "" };
            own_bits(drawing, (x, at.1), cell, &bits[start..start + length]);
            drawing.text((x + w / 2.0, at.1 + CELL - 6.0), Anchor::Middle, class, &name);
        } else {
            own_bits(drawing, (x, at.1), cell, &bits[start..start + length]);
        }
    }
}

/// The name of an element, if it finds room.
fn element(placement: &Placement, together: bool, value: u32, room: f64) -> Option<String> {
    let bit = u32::from(placement.port.ty.bits()).saturating_sub(1 + value);
    let names = match (together, placement.direction) {
        (true, _) => vec![format!("block {value}"), value.to_string()],
        (false, Direction::B) => vec![format!("blocks {} … 0", placement.lanes - 1)],
        (false, _) => vec![format!("bit {bit}"), bit.to_string()],
    };
    names.into_iter().find(|name| width(name) + 14.0 < room)
}

/// The bits of block 0 among some, in the colours of their atoms.
fn own_bits(drawing: &mut Drawing, at: (f64, f64), cell: f64, bits: &[Option<Bit>]) {
    let own: Vec<Option<u32>> =
        bits.iter().map(|b| b.filter(|b| b.lane == 0).map(|b| b.atom)).collect();
    for (start, length, atom) in runs(&own) {
        let Some(atom) = atom else { continue };
        let (x, w) = (at.0 + cell * start as f64, cell * length as f64);
        drawing.rectangle(
            (x + 0.4, at.1),
            (w - 0.8, CELL),
            theme::series(atom as usize),
            "block 0",
        );
    }
}

fn draw_ticks(drawing: &mut Drawing, at: (f64, f64), bits: u32) {
    let cell = (WIDTH - at.0) / f64::from(bits);
    let step = (bits / 8).max(8);
    for bit in (0..bits).step_by(step as usize) {
        let x = WIDTH - cell * f64::from(bit);
        drawing.line((x, at.1 - 4.0), (x, at.1 + 1.0), "soft-line");
        let middle = x - cell / 2.0;
        let (x, anchor) = if bit == 0 { (WIDTH, Anchor::End) } else { (middle, Anchor::Middle) };
        drawing.text((x, at.1 + 15.0), anchor, "soft", &bit.to_string());
    }
    let middle = (at.0 + WIDTH) / 2.0;
    drawing.text((middle, at.1 + 34.0), Anchor::Middle, "soft axis", "bit of the register");
}

/// Where the first and last bit of each atom of block 0 lie.
pub fn table(placement: &Placement) -> Table {
    let mut table = Table::new(&[
        "register",
        "holds",
        "bits of block 0 in the register, most significant first",
    ]);
    for register in 0..placement.registers() {
        let mut own: Vec<(u16, usize)> = Vec::new();
        for (place, bit) in placement.register(register).iter().enumerate() {
            own.extend(bit.filter(|bit| bit.lane == 0).map(|bit| (bit.position, place)));
        }
        own.sort_unstable();
        let places: Vec<String> = own.iter().map(|(_, place)| place.to_string()).collect();
        table.rows.push(vec![register.to_string(), placement.name(register), places.join(" ")]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal() {
        assert_eq!(runs(&[1, 1, 2, 1]), [(0, 2, 1), (2, 1, 2), (3, 1, 1)]);
        assert_eq!(runs::<u8>(&[]), []);
    }
}
