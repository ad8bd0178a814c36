//! Type classes at work: whether the target has every operation that the program asks for, in its direction and at
//! its word size. The messages name the operator in the source and what would make it legal.

use crate::core::{Direction, Func, OpKind, Port, Program, Type};
use crate::diagnostic::Diagnostic;
use crate::isa::{self, Target};
use crate::source::Span;

/// Refuses a monomorphic program that the target has no instances for.
pub fn check(program: &Program, target: &Target, soft_arith: bool) -> Result<(), Vec<Diagnostic>> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut homeless: Vec<Type> = Vec::new();
    for func in &program.funcs {
        for (kind, ty, span) in demands(func) {
            // Of atoms that can't be held, one message says all: no operation has an instance for them.
            if homeless.contains(&ty) || has(target, kind, ty, soft_arith) {
                continue;
            }
            let held = has(target, HELD, ty, soft_arith);
            homeless.extend((!held).then_some(ty));
            let diagnostic = missing(target, if held { kind } else { HELD }, ty, span);
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
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

/// What every type that is used must offer: that its atoms can be held in registers.
const HELD: OpKind = OpKind::Load;

/// Every operation of a function with the type that must have an instance for it. A port asks for [`HELD`]: what cannot
/// be held in registers is refused where it is declared, too.
fn demands(func: &Func) -> Vec<(OpKind, Type, Span)> {
    let is_word = |port: &&Port| !port.ty.is_element();
    let ports = func.params.iter().chain(&func.results).filter(is_word);
    let mut demands: Vec<_> = ports.map(|port| (HELD, port.ty, port.span)).collect();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            let types = instr.args.iter().chain(&instr.results).map(|&v| func.ty(v));
            let of_field = types.clone().any(Type::is_element);
            if instr.op.kind().class().is_some() && !of_field {
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
        (Direction::B, _) if !target.holds(Direction::B, 1) => false,
        (Direction::B, OpKind::Add | OpKind::Sub | OpKind::Mul) => soft_arith,
        (Direction::B, _) => true,
        (direction, OpKind::Table | HELD) => target.holds(direction, ty.bits()),
        (_, OpKind::Lookup) => {
            OpKind::LOOKUPS.into_iter().any(|kind| has(target, kind, ty, soft_arith))
        }
        (direction, kind) => {
            target.holds(direction, ty.bits())
                && target.instance(kind, direction, ty.bits()).is_some()
        }
    }
}

fn missing(target: &Target, kind: OpKind, ty: Type, span: Span) -> Diagnostic {
    let (direction, bits) = (ty.direction(), ty.bits());
    let atoms = format!("atoms of {bits} bit{}", if bits == 1 { "" } else { "s" });
    let place = format!("under -{direction:?} on {}", target.name);
    let message = match kind {
        HELD if !target.has_direction(direction) => {
            format!("there is no -{direction:?} on {}", target.name)
        }
        HELD => format!("{atoms} can't be held in registers {place}"),
        // One operation for both, so that it isn't known which of them stands there.
        OpKind::Rotl | OpKind::Rotr => {
            format!("rotations (`<<<`, `>>>`) have no instance for {atoms} {place}")
        }
        kind => format!("`{}` has no instance for {atoms} {place}", kind.symbol()),
    };
    let label = match kind {
        HELD if !target.has_direction(direction) => {
            format!("{} is for {}", target.name, target.directions())
        }
        _ => format!("u<{direction:?}>{bits}"),
    };
    Diagnostic::error("E0310", span, message).label(label).help(alternatives(target, kind, ty))
}

/// What would make the operation legal.
fn alternatives(target: &Target, kind: OpKind, ty: Type) -> String {
    let (direction, bits) = (ty.direction(), ty.bits());
    let legal = |target: &Target, direction| has(target, kind, Type::new(direction, bits), false);
    let mut ways = Vec::new();
    let directions: Vec<String> = [Direction::B, Direction::V, Direction::H, Direction::P]
        .into_iter()
        .filter(|&d| d != direction && legal(target, d))
        .map(|d| format!("-{d:?}"))
        .collect();
    if !directions.is_empty() {
        ways.push(format!("slice it with {}", directions.join(" or ")));
    }
    // Optional features are named where they are what makes it legal.
    let needed = |target: &&&'static Target| {
        let base = target.base().filter(|_| target.optional);
        legal(target, direction) && !base.is_some_and(|base| legal(base, direction))
    };
    let targets: Vec<&str> = isa::all().iter().filter(needed).map(|t| t.name).collect();
    if !targets.is_empty() {
        ways.push(format!("use another target: {}", targets.join(", ")));
    }
    let gates = matches!(kind, OpKind::Add | OpKind::Sub | OpKind::Mul)
        && has(target, kind, Type::new(Direction::B, bits), true);
    if gates && direction == Direction::B {
        ways.push("let --soft-arith build it from gates".to_owned());
    } else if gates && directions.is_empty() {
        ways.push("slice it with -B and let --soft-arith build it from gates".to_owned());
    }
    if ways.is_empty() {
        ways.push(match direction {
            Direction::V | Direction::B => "use words of 8, 16, 32 or 64 bits".to_owned(),
            _ => "use another direction, or other words".to_owned(),
        });
    }
    ways.join(", or ")
}

/// The blocks that a register holds must be the same everywhere in the program.
fn uneven_lanes(program: &Program, target: &Target) -> Option<Diagnostic> {
    let mut types = program.funcs.iter().flat_map(|func| {
        let ports = func.params.iter().chain(&func.results).map(|p| (p.ty, p.span));
        ports.chain(func.values.iter().map(|&ty| (ty, func.span)))
    });
    let mut types = types.by_ref().filter(|(ty, _)| !ty.is_element());
    let (first, first_span) = types.next()?;
    let lanes = |ty: Type| target.lanes(ty.direction(), ty.bits());
    let (other, span) =
        types.find(|&(ty, _)| lanes(ty) != lanes(first) || ty.direction() != first.direction())?;
    let name = |ty: Type| format!("u<{:?}>{}", ty.direction(), ty.bits());
    let types = format!("atoms of types {} and {} in one program", name(first), name(other));
    let (message, help) = if other.direction() == first.direction() {
        let (here, there) = (lanes(first), lanes(other));
        let message = format!("{types} lie {here} and {there} to a register of {}", target.name);
        (message, "use one word size throughout, or slice with -B, or build for gp64")
    } else {
        let message = format!("{types} lie in registers in different directions");
        (
            message,
            "leave the directions out of the types, so that the flag decides, or slice with -B",
        )
    };
    Some(
        Diagnostic::error("E0311", span, message)
            .label(name(other))
            .also(first_span, name(first))
            .help(help),
    )
}
