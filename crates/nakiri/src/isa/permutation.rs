//! Operations that move parts of a register, as the numbers of the parts that they take.

use crate::core::{Direction, Op, Type};

/// For an operation that moves the bits of one atom: which input position each output position takes, position 0
/// the most significant.
pub fn picks(op: &Op, width: u16) -> Option<Vec<Option<u16>>> {
    let pick = |p: u16| match op {
        Op::Shl(n) => Some(p + n).filter(|q| *q < width),
        Op::Shr(n) => p.checked_sub(*n),
        Op::Sar(n) => Some(p.saturating_sub(*n)),
        Op::Rotl(n) => Some((p + n) % width),
        Op::Bitmask(n) => Some(width - 1 - n),
        Op::Shuffle(picks) => picks.get(usize::from(p)).copied().flatten(),
        _ => None,
    };
    let moves = matches!(
        op,
        Op::Shl(_) | Op::Shr(_) | Op::Sar(_) | Op::Rotl(_) | Op::Bitmask(_) | Op::Shuffle(_)
    );
    moves.then(|| (0..width).map(pick).collect())
}

/// The byte shuffle of a 128-bit segment that an operation is: for each output byte the number of an input byte, or
/// −128 for zero.
pub fn segment(op: &Op, ty: Type) -> Option<[i8; 16]> {
    let width = ty.word();
    let of = |pick: &dyn Fn(u16) -> Option<u16>| {
        std::array::from_fn(|byte| pick(byte as u16).map_or(-128, |from| from as i8))
    };
    if ty.direction() == Direction::H {
        let (picks, size) = (picks(op, width)?, 16 / width);
        return Some(of(&|byte| picks[usize::from(byte / size)].map(|p| p * size + byte % size)));
    }
    let size = width / 8;
    match op {
        Op::Permute(picks) => {
            let length = picks.len() as u16;
            Some(of(&|byte| {
                let (row, atom) = (byte / size / length, byte / size % length);
                picks[usize::from(atom)].map(|p| (row * length + p) * size + byte % size)
            }))
        }
        Op::Rotl(n) => {
            let by = n / 8;
            Some(of(&|byte| Some(byte / size * size + (byte % size + size - by) % size)))
        }
        _ => None,
    }
}
