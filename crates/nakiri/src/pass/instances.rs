//! Type classes at work: whether the target has every operation that the program asks for, in its direction and at
//! its word size. The messages name the operator in the source and what would make it legal.

use crate::core::{Direction, Func, OpKind, Program, Type};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::target::{self, Target};

/// Refuses a monomorphic program that the target has no instances for.
pub fn check(program: &Program, target: &Target, soft_arith: bool) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for func in &program.funcs {
        for (kind, ty, span) in demands(func) {
            if !has(target, kind, ty, soft_arith) {
                let diagnostic = missing(target, kind, ty, span);
                if !diagnostics.contains(&diagnostic) {
                    diagnostics.push(diagnostic);
                }
            }
        }
    }
    if diagnostics.is_empty() {
        diagnostics.extend(uneven_lanes(program, target));
    }
    if diagnostics.is_empty() {
        Ok(())
    } else {
        Err(diagnostics)
    }
}

/// Every operation of a function with the type that must have an instance for it. A port asks for logic: what
/// cannot even be held in registers is refused at its declaration.
fn demands(func: &Func) -> Vec<(OpKind, Type, Span)> {
    let ports = func.params.iter().chain(&func.results);
    let mut demands: Vec<_> = ports.map(|port| (OpKind::Xor, port.ty, port.span)).collect();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            let types = instr.args.iter().chain(&instr.results).map(|&v| func.ty(v));
            if instr.op.kind().class().is_some() {
                demands.extend(types.map(|ty| (instr.op.kind(), ty, instr.span)));
            }
        });
    }
    demands.dedup();
    demands
}

/// Whether atoms of this type have this operation on the target.
fn has(target: &Target, kind: OpKind, ty: Type, soft_arith: bool) -> bool {
    match (ty.direction(), kind) {
        (Direction::B, OpKind::Add | OpKind::Sub | OpKind::Mul) => soft_arith,
        (Direction::B, _) => true,
        (direction, OpKind::Table) => target.instance(OpKind::Xor, direction, ty.bits()).is_some(),
        (direction, kind) => target.instance(kind, direction, ty.bits()).is_some(),
    }
}

fn missing(target: &Target, kind: OpKind, ty: Type, span: Span) -> Diagnostic {
    let (direction, bits) = (ty.direction(), ty.bits());
    let message = format!(
        "`{}` has no instance for atoms of {bits} bit{} under -{direction:?} on {}",
        kind.symbol(),
        if bits == 1 { "" } else { "s" },
        target.name,
    );
    Diagnostic::error("E0310", span, message)
        .label(format!("u<{direction:?}>{bits}"))
        .help(alternatives(target, kind, ty))
}

/// What would make the operation legal.
fn alternatives(target: &Target, kind: OpKind, ty: Type) -> String {
    let (direction, bits) = (ty.direction(), ty.bits());
    let legal = |target: &Target, direction| has(target, kind, Type::new(direction, bits), false);
    let mut ways = Vec::new();
    let directions: Vec<String> = [Direction::B, Direction::V, Direction::H]
        .into_iter()
        .filter(|&d| d != direction && legal(target, d))
        .map(|d| format!("-{d:?}"))
        .collect();
    if !directions.is_empty() {
        ways.push(format!("slice it with {}", directions.join(" or ")));
    }
    let targets: Vec<&str> =
        target::all().iter().filter(|t| legal(t, direction)).map(|t| t.name).collect();
    if !targets.is_empty() {
        ways.push(format!("use another target: {}", targets.join(", ")));
    }
    if direction == Direction::B {
        ways.push("let --soft-arith build it from gates".to_owned());
    }
    if ways.is_empty() {
        return format!("no direction and no target offers `{}` on {bits} bits", kind.symbol());
    }
    ways.join(", or ")
}

/// The blocks that a register holds must be the same everywhere in the program.
fn uneven_lanes(program: &Program, target: &Target) -> Option<Diagnostic> {
    let mut types = program.funcs.iter().flat_map(|func| {
        let ports = func.params.iter().chain(&func.results).map(|p| (p.ty, p.span));
        ports.chain(func.values.iter().map(|&ty| (ty, func.span)))
    });
    let (first, first_span) = types.next()?;
    let lanes = |ty: Type| target.lanes(ty.direction(), ty.bits());
    let (other, span) =
        types.find(|&(ty, _)| lanes(ty) != lanes(first) || ty.direction() != first.direction())?;
    let name = |ty: Type| format!("u<{:?}>{}", ty.direction(), ty.bits());
    let message = format!(
        "atoms of types {} and {} in one program lie {} and {} to a register of {}",
        name(first),
        name(other),
        lanes(first),
        lanes(other),
        target.name,
    );
    Some(
        Diagnostic::error("E0311", span, message)
            .label(name(other))
            .also(first_span, name(first))
            .help("use one word size throughout, or slice with -B, or build for gp64"),
    )
}
