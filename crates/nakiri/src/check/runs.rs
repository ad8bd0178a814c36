//! How long one run of a function is: calls of calls grow faster than their sources, and are not written out.

use super::outcome::{fail, Outcome};
use super::MAX_WORK;
use crate::core::{Func, FuncId, Op, Program};
use crate::diagnostic::Diagnostic;

/// An error for the first function of which one run executes more operations than compilation, which goes through them to price
/// them, can.
pub fn check(program: &Program) -> Outcome<()> {
    let mut known = vec![None; program.funcs.len()];
    for id in (0..program.funcs.len() as u32).map(FuncId) {
        operations(program, id, &mut known)?;
    }
    Ok(())
}

/// The operations that one run of a function executes.
fn operations(program: &Program, id: FuncId, known: &mut [Option<u64>]) -> Outcome<u64> {
    if let Some(known) = known[id.index()] {
        return Ok(known);
    }
    let func = &program.funcs[id.index()];
    let (mut sum, mut callees) = (0, Vec::new());
    for stmt in &func.body {
        stmt.instrs(&mut |instr| match instr.op {
            Op::Call(callee, ..) => callees.push(callee),
            _ => sum += 1,
        });
    }
    for callee in callees {
        sum += operations(program, callee, known)?;
        if sum > MAX_WORK {
            return fail(too_long(func));
        }
    }
    known[id.index()] = Some(sum);
    Ok(sum)
}

fn too_long(func: &Func) -> Diagnostic {
    Diagnostic::error("E0135", func.span, format!("one run of `{}` is too long", func.name))
        .label(format!("more than {MAX_WORK} operations, with those of what it calls"))
        .help("are the calls, and the bounds of the loops, as you meant them?")
}
