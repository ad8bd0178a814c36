//! Functions that do the same at each bit position of their atoms, as S-boxes of words do: a loop over the positions.

use super::{flat_index, flat_port, flat_resets, BIT};
use crate::core::{Direction, Func, Index, Instr, Loop, Op, Stmt, ValueId};

/// Whether a function under B does the same at each of several bit positions.
pub fn is_alike(func: &Func) -> bool {
    let Some(ty) = func.values.first() else { return false };
    let one = |other| other == ty;
    let width = ty.bits();
    let alike = ty.direction() == Direction::B && width > 1 && func.values.iter().all(one);
    alike && func.body.iter().all(|stmt| everywhere(stmt, width))
}

/// Such a function on bits, as a loop in whose turns stand so many positions; `None` if the positions don't fill several.
pub fn looped(func: &Func, times: usize) -> Option<Func> {
    let (width, times) = (func.values.first()?.bits(), times as u16);
    let count = width / times;
    if count < 2 || count * times != width {
        return None;
    }
    let values = func.values.len() as u32;
    let turn =
        |position| func.body.iter().map(move |stmt| at(stmt, width, position, times, values));
    let body = (0..times).flat_map(turn).collect();
    let positions = Loop { count: count.into(), carried: Vec::new(), body, span: func.span };
    Some(Func {
        params: func.params.iter().map(flat_port).collect(),
        results: func.results.iter().map(flat_port).collect(),
        resets: flat_resets(func),
        values: vec![BIT; func.values.len() * usize::from(times)],
        body: vec![Stmt::Loop(positions)],
        ..func.clone()
    })
}

/// Whether a statement does the same at each position.
fn everywhere(stmt: &Stmt, width: u16) -> bool {
    match stmt {
        Stmt::Store { .. } => true,
        Stmt::Let(Instr { op, .. }) => match op {
            Op::Const(c) => *c == 0 || *c == u128::MAX >> (128 - width),
            Op::Load(..) | Op::And | Op::Or | Op::Xor | Op::Not | Op::Table(_) => true,
            _ => false,
        },
        Stmt::Forall(_) | Stmt::Loop(_) => false,
    }
}

/// A statement at one position of a turn; every turn has its own values.
fn at(stmt: &Stmt, width: u16, position: u16, times: u16, values: u32) -> Stmt {
    let here = |value: ValueId| ValueId(value.0 + u32::from(position) * values);
    let place = |index| {
        let first = flat_index(index, width, position.into());
        Index { step: times.into(), ..first }
    };
    match stmt {
        Stmt::Let(instr) => {
            let op = match &instr.op {
                Op::Const(c) => Op::Const(c & 1),
                Op::Load(param, index) => Op::Load(*param, place(*index)),
                op => op.clone(),
            };
            Stmt::Let(Instr {
                results: instr.results.iter().map(|v| here(*v)).collect(),
                args: instr.args.iter().map(|v| here(*v)).collect(),
                op,
                span: instr.span,
            })
        }
        Stmt::Store { result, index, value, span } => {
            Stmt::Store { result: *result, index: place(*index), value: here(*value), span: *span }
        }
        Stmt::Forall(_) | Stmt::Loop(_) => unreachable!("it was asked whether there are any"),
    }
}
