//! Why iterations can't share one body: what a warning says of a forall that was to be a loop.

use crate::core::{Func, Index, Instr, Op, Stmt, ValueId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The iteration that differs, numbered from 0 in the order in which they run, and how.
struct Difference {
    iteration: usize,
    how: String,
    span: Option<Span>,
}

/// The warning about a forall of these iterations.
pub fn warning(
    iterations: &[Vec<Stmt>],
    func: &Func,
    used_after: &dyn Fn(ValueId) -> bool,
    forall: Span,
) -> Diagnostic {
    // The first iteration may stand before the loop, so that it is to blame only if nothing else is.
    let others = 2..iterations.len();
    let found = shape(iterations, others.clone())
        .or_else(|| steps(iterations, func))
        .or_else(|| later(iterations, used_after))
        .or_else(|| origins(iterations, others))
        .or_else(|| shape(iterations, 1..2))
        .or_else(|| origins(iterations, 1..2));
    let Difference { iteration, how, span } = found.unwrap_or(Difference {
        iteration: 1,
        how: "takes what it reads from places that move otherwise".to_string(),
        span: None,
    });
    let message = format!("this `forall` becomes no loop: iteration {iteration} differs");
    let warning = Diagnostic::warning("E0320", forall, message)
        .label(format!("iteration {iteration}, counted from 0, {how}"))
        .help("let all iterations do the same, with indices that move at a fixed step, or leave `_no_unroll` and `--unroll` out");
    match span {
        Some(span) if span != forall => warning.also(span, "here"),
        _ => warning,
    }
}

/// The first of these iterations that doesn't do the same operations as the one before.
fn shape(iterations: &[Vec<Stmt>], mut of: Range<usize>) -> Option<Difference> {
    let same = |a: &Stmt, b: &Stmt| match (a, b) {
        (Stmt::Let(a), Stmt::Let(b)) => match (&a.op, &b.op) {
            (Op::Const(_), Op::Const(_)) => true,
            (Op::Load(a, _), Op::Load(b, _)) => a == b,
            (a, b) => a == b,
        },
        (Stmt::Store { result: a, .. }, Stmt::Store { result: b, .. }) => a == b,
        _ => false,
    };
    let differs = |iteration: usize| {
        let (before, now) = (&iterations[iteration - 1], &iterations[iteration]);
        let at = before.iter().zip(now).position(|(a, b)| !same(a, b));
        let at = at.or_else(|| (before.len() != now.len()).then(|| before.len().min(now.len())))?;
        let span = now.get(at).or(now.last()).map(span);
        let how = "does other operations than the one before".to_string();
        Some(Difference { iteration, how, span })
    };
    of.find_map(differs)
}

/// The first iteration whose loads or stores don't move as those of the iterations before.
fn steps(iterations: &[Vec<Stmt>], func: &Func) -> Option<Difference> {
    let place = |stmt: &Stmt| match stmt {
        Stmt::Let(Instr { op: Op::Load(param, Index { base, .. }), .. }) => {
            Some((&func.params[*param as usize].name, *base))
        }
        Stmt::Store { result, index, .. } => {
            Some((&func.results[*result as usize].name, index.base))
        }
        _ => None,
    };
    let base = |iteration: usize, at: usize| place(iterations[iteration].get(at)?);
    let step = |to: usize, at: usize| {
        let ((_, from), (_, to)) = (base(to - 1, at)?, base(to, at)?);
        Some(i64::from(to) - i64::from(from))
    };
    let first = if shape(iterations, 1..2).is_some() { 3 } else { 2 };
    for (iteration, stmts) in iterations.iter().enumerate().skip(first) {
        for (at, stmt) in stmts.iter().enumerate() {
            let Some((name, now)) = base(iteration, at) else { continue };
            let (Some(before), Some(step)) = (step(iteration - 1, at), step(iteration, at)) else {
                continue;
            };
            if step != before {
                let how = format!(
                    "goes to atom {now} of `{name}`, {step} from that of the one before and not {before}"
                );
                return Some(Difference { iteration, how, span: Some(span(stmt)) });
            }
        }
    }
    None
}

/// The first iteration but the last that makes what is read behind the forall.
fn later(iterations: &[Vec<Stmt>], used_after: &dyn Fn(ValueId) -> bool) -> Option<Difference> {
    let (_, inner) = iterations.split_last()?;
    inner.iter().enumerate().find_map(|(iteration, stmts)| {
        let made = stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let(instr) if instr.results.iter().any(|v| used_after(*v)) => Some(instr.span),
            _ => None,
        })?;
        let how = "makes what equations behind the `forall` read".to_string();
        Some(Difference { iteration, how, span: Some(made) })
    })
}

/// The first of these iterations that has an operand from elsewhere than the one before, seen from itself.
fn origins(iterations: &[Vec<Stmt>], mut of: Range<usize>) -> Option<Difference> {
    let mut made: FxHashMap<ValueId, (usize, usize)> = FxHashMap::default();
    for (iteration, stmts) in iterations.iter().enumerate() {
        for (at, stmt) in stmts.iter().enumerate() {
            stmt.instrs(&mut |instr| {
                made.extend(instr.results.iter().map(|v| (*v, (iteration, at))))
            });
        }
    }
    // How many iterations ago, and by which statement.
    let origin = |iteration: usize, value: &ValueId| {
        made.get(value).map(|(from, at)| (iteration.saturating_sub(*from), *at))
    };
    let operands = |iteration: usize| -> Vec<(usize, Option<(usize, usize)>)> {
        let mut all = Vec::new();
        for (at, stmt) in iterations[iteration].iter().enumerate() {
            stmt.uses(&mut |value| all.push((at, origin(iteration, &value))));
        }
        all
    };
    of.find_map(|iteration| {
        let (before, now) = (operands(iteration - 1), operands(iteration));
        // What comes from before the forall may give way to what earlier iterations made.
        let differs = |(a, b): &(&(usize, Option<_>), &(usize, Option<_>))| a.1.is_some() && a != b;
        let at = before.iter().zip(&now).find(|pair| differs(pair)).map(|(_, now)| now.0)?;
        let how = "reads what was made elsewhere, seen from it, than what the one before reads"
            .to_string();
        Some(Difference { iteration, how, span: Some(span(&iterations[iteration][at])) })
    })
}

fn span(stmt: &Stmt) -> Span {
    match stmt {
        Stmt::Let(instr) => instr.span,
        Stmt::Store { span, .. } => *span,
        Stmt::Loop(l) => l.span,
        Stmt::Forall(forall) => forall.span,
    }
}
