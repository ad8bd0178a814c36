//! The same for a loop that gives no stream: what many blocks can do side by side is all that doesn't come of what is carried, and
//! hands over the values that the rest is made of beside that.

use super::{drop_unused, entry, flatten, Split};
use crate::core::{Direction, Func, Index, Instr, Layout, Op, Port, Stmt, ValueId};
use crate::mode::{Piece, Slot};
use crate::pass::chain::{differing, Links};
use crate::pass::{dead, inline, monomorphize};

/// The parts of a piece in a direction, if there is anything to do that doesn't wait.
pub fn run(piece: &Piece, direction: Direction) -> Option<Split> {
    let mut piece = piece.clone();
    piece.program = monomorphize::run(&piece.program, direction, None).ok()?;
    inline::run(&mut piece.program, inline::Inline::All);
    flatten(&mut entry(&mut piece).body);
    let links = Links::of(&piece)?;
    let func = piece.program.entry();
    let given = (0..func.results.len()).any(|result| links.own_result(result));
    let made = handed_over(func, &links);
    let is_work = |value: &ValueId| !matches!(defined(func, *value), Some(Op::Load(..)));
    let ty = func.ty(*made.first()?);
    // Elements of fields have no bits to hand over.
    let is_other = |value: &ValueId| func.ty(*value) != ty || ty.is_element();
    if given || !made.iter().any(is_work) || made.iter().any(is_other) {
        return None;
    }
    let port = Port {
        name: "made".to_string(),
        ty,
        shape: vec![made.len() as u32],
        layout: Layout::Le,
        constant: false,
        span: func.span,
    };
    let serial = serial(&piece, &port, &made);
    let parallel = parallel(piece, port, &made, &links);
    Some(Split { parallel, serial: Some(serial), serial_first: false })
}

/// The values of a block's own that don't come of what is carried, and of which what does is made.
fn handed_over(func: &Func, links: &Links) -> Vec<ValueId> {
    let differs = differing(func, &func.body, links);
    let mut waits = vec![false; func.values.len()];
    let mut made = Vec::new();
    for stmt in &func.body {
        let (args, results): (&[ValueId], &[ValueId]) = match stmt {
            Stmt::Let(instr) => (&instr.args, &instr.results),
            Stmt::Store { value, .. } => (std::slice::from_ref(value), &[]),
            Stmt::Forall(_) | Stmt::Loop(_) => continue,
        };
        let carried = |instr: &Instr| match instr.op {
            Op::Load(param, _) => links.before(param as usize).is_some(),
            _ => instr.args.iter().any(|arg| waits[arg.index()]),
        };
        let own = match stmt {
            Stmt::Let(instr) => carried(instr),
            _ => true,
        };
        if own {
            let free = |value: &&ValueId| differs[value.index()] && !waits[value.index()];
            made.extend(args.iter().filter(free));
            results.iter().for_each(|value| waits[value.index()] = true);
        }
    }
    made.sort();
    made.dedup();
    made
}

fn defined(func: &Func, value: ValueId) -> Option<&Op> {
    func.body.iter().find_map(|stmt| match stmt {
        Stmt::Let(instr) if instr.results.contains(&value) => Some(&instr.op),
        _ => None,
    })
}

/// What makes them; what is the same for all blocks is constant.
fn parallel(mut piece: Piece, port: Port, made: &[ValueId], links: &Links) -> Piece {
    links.kept.iter().for_each(|param| entry(&mut piece).params[*param].constant = true);
    piece.results = vec![Slot::Made];
    let func = entry(&mut piece);
    func.results = vec![port];
    func.body.retain(|stmt| !matches!(stmt, Stmt::Store { .. }));
    let span = func.span;
    let store = |(k, value): (u32, &ValueId)| Stmt::Store {
        result: 0,
        index: Index::fixed(k),
        value: *value,
        span,
    };
    func.body.extend((0..).zip(made).map(store));
    dead::run(func);
    drop_unused(&mut piece);
    piece
}

/// What takes them.
fn serial(piece: &Piece, port: &Port, made: &[ValueId]) -> Piece {
    let mut piece = piece.clone();
    piece.params.push(Slot::Made);
    let func = entry(&mut piece);
    func.params.push(port.clone());
    let param = func.params.len() as u32 - 1;
    let body = std::mem::take(&mut func.body);
    let mut loaded = Vec::new();
    for (k, value) in (0..).zip(made) {
        let op = Op::Load(param, Index::fixed(k));
        loaded.push((*value, func.append(op, &[], func.ty(*value), func.span)));
    }
    let own = |value: ValueId| loaded.iter().find(|(of, _)| *of == value).map_or(value, |l| l.1);
    func.body.extend(body.into_iter().map(|mut stmt| {
        stmt.map_uses(&mut |value| own(value));
        stmt
    }));
    dead::run(func);
    drop_unused(&mut piece);
    piece
}
