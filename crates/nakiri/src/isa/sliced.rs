//! What holds of every program that emitters take.

use super::Target;
use crate::core::verify::verify;
use crate::core::{Direction, Func, Instr, OpKind, Program, Stmt, Type, Width};

/// Checks beside what [`verify`] does that a program is ready for the emitters: monomorphic, without `forall`, every operation an
/// instance of the target for its atoms' direction and width (constants, loads and calls are always instances), and
/// for bitslicing every atom a bit.
pub fn verify_sliced(
    program: &Program,
    target: &Target,
    direction: Direction,
) -> Result<(), String> {
    verify(program)?;
    for func in &program.funcs {
        let refuse = |e: String| Err(format!("function {}: {e}", func.name));
        if !func.dir_params.is_empty() || !func.width_params.is_empty() {
            return refuse("it is still generic".into());
        }
        let bit = Type::new(Direction::B, 1);
        if direction == Direction::B && func.values.iter().any(|&ty| ty != bit) {
            return refuse("a value is not one bit in a bitsliced program".into());
        }
        let is_row = |ty: &Type| matches!(ty.width, Width::Row(..));
        if direction == Direction::P && !func.values.iter().all(is_row) {
            return refuse("a value is not a row in a packed program".into());
        }
        let mut error = Ok(());
        for stmt in &func.body {
            if contains_forall(stmt) {
                return refuse("a forall is left".into());
            }
            stmt.instrs(&mut |instr| {
                if error.is_ok() {
                    error = check_instance(func, instr, target);
                }
            });
        }
        error.or_else(refuse)?;
    }
    Ok(())
}

fn contains_forall(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Forall(_) => true,
        Stmt::Loop(l) => l.body.iter().any(contains_forall),
        Stmt::Let(_) | Stmt::Store { .. } => false,
    }
}

fn check_instance(func: &Func, instr: &Instr, target: &Target) -> Result<(), String> {
    let kind = instr.op.kind();
    let free = matches!(kind, OpKind::Const | OpKind::Constants | OpKind::Load | OpKind::Call);
    let Some(&operand) = instr.args.last().filter(|_| !free) else { return Ok(()) };
    let ty = func.ty(operand);
    match target.select(&instr.op, ty.direction(), ty.word()) {
        Some(_) => Ok(()),
        None => Err(format!(
            "{} has no instance of {kind:?} for {:?} and {} bits",
            target.name,
            ty.direction(),
            ty.word()
        )),
    }
}
