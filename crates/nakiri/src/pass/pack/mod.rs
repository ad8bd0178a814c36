//! Packs the atoms of a block into rows: under P the atoms of a port's innermost dimension lie side by side in a segment.
//!
//! Needs: a monomorphic program in direction `P` whose calls are inlined and whose `forall`s are written out. Guarantees: every
//! value is a row of as many atoms as the rows of its ports. What the source does to each atom of a row by the same
//! operation becomes one operation on rows (so that the same source serves V); what moves atoms becomes
//! [`Op::Permute`](crate::core::Op::Permute).
//!
//! Three steps: [`plan`] and [`group`] find the rows, the superword-level parallelism of Larsen and Amarasinghe (PLDI 2000) with
//! the ports as seeds; [`order`] chooses in which order each holds its atoms, so that few of them must be permuted;
//! [`write`] writes the program.

mod group;
mod order;
mod plan;
mod write;

use super::tables::{self, Goal};
use super::{bytes, inline, instructions};
use crate::core::{Direction, Instruction, Layout, Op, Port, Program};
use crate::diagnostic::Diagnostic;
use crate::isa::{self, Target};
use crate::layout;
use crate::memo::Memo;
use crate::source::Span;
use plan::Plan;
use std::sync::Arc;

/// The longest row, in bits: a segment.
pub const SEGMENT: u16 = 128;

/// How many plans are remembered: those of the nodes of a cipher, for targets with circuits of their own.
const KEPT: usize = 32;

/// Packs the entry of a program in direction `P`, with calls and `forall`s or without.
///
/// # Errors
/// If it has registers, or its ports aren't rows, or its rows aren't made of others by one shuffle each, unless `gather_rows`
/// allows more.
pub fn run(program: &Program, goal: Goal, gather_rows: bool) -> Result<Program, Vec<Diagnostic>> {
    let entry = program.entry();
    let mut ports = entry.params.iter().chain(&entry.results);
    let registers = entry.params[entry.inputs().len()..].iter().map(register);
    let refused: Vec<Diagnostic> = registers.chain(ports.clone().filter_map(no_row)).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let first = ports.next().map(|port| (port.row(), port.span));
    let uneven = ports.find(|port| first.is_some_and(|(row, _)| row != port.row()));
    if let (Some((row, span)), Some(port)) = (first, uneven) {
        return Err(vec![different_rows(port, row.row_length(), span)]);
    }
    let unreached = unreached(program, goal.target);
    if !unreached.is_empty() {
        return Err(unreached);
    }
    let mut inlined = program.clone();
    bytes::lookups(&mut inlined);
    inline::all(&mut inlined, goal.target);
    tables::run(&mut inlined, goal);
    if let Some(span) = beyond(&inlined) {
        return Err(vec![too_long(span)]);
    }
    match planned(&inlined, gather_rows, goal.target) {
        Ok(plan) => write::write(&mut inlined, &plan),
        Err(refused) => {
            return Err(refused.into_iter().map(|d| with_targets(program, goal, d)).collect());
        }
    }
    Ok(inlined)
}

/// The plan of a program. Most targets have the same: all that they differ in is done before, but for windows.
fn planned(program: &Program, gather: bool, target: &Target) -> Result<Arc<Plan>, Vec<Diagnostic>> {
    type Asked = (bool, bool, Program);
    static KNOWN: Memo<Asked, Result<Arc<Plan>, Vec<Diagnostic>>> = Memo::new(KEPT);
    let windows = Plan::has_windows(program, target);
    KNOWN.of((gather, windows, program.clone()), |(gather, windows, program)| {
        Plan::of(program, *gather, *windows).map(Arc::new)
    })
}

/// Names the targets that have the instructions which a program calls and this one lacks, as a way out.
fn with_targets(program: &Program, goal: Goal, refused: Diagnostic) -> Diagnostic {
    let own = program.funcs.iter().filter_map(|func| func.instruction);
    let lacks: Vec<Instruction> = own.filter(|i| !instructions::can(goal.target, *i)).collect();
    let have = |target: &&&Target| lacks.iter().all(|i| instructions::can(target, *i));
    let names: Vec<&str> = isa::all().iter().filter(have).map(|target| target.name).collect();
    let Some(first) = lacks.first().filter(|_| !names.is_empty()) else { return refused };
    let name = first.name();
    refused.help(format!("take a target with `{name}`: {}; or slice with -V", names.join(", ")))
}

/// A port as a packed program has it: a list of rows.
pub fn packed(port: &Port) -> Port {
    let (row, count) = (port.row(), port.count());
    let length = row.row_length();
    Port {
        ty: row,
        shape: vec![count / u32::from(length)],
        layout: layout::of_rows(&port.layout, row.word(), count, length),
        ..port.clone()
    }
}

/// How many blocks a register of a target holds, if they are packed as this port.
pub fn lanes(target: &Target, port: &Port) -> u32 {
    target.lanes(Direction::P, port.row().bits())
}

/// Why a port is no list of rows.
fn no_row(port: &Port) -> Option<Diagnostic> {
    let (word, length) = (u32::from(port.ty.word()), port.shape.last().copied().unwrap_or(1));
    let bits = word * length;
    let name = format!("`{}`", port.name);
    let refusal = |message: String, help: String| {
        let label = format!("a row of {length} atoms of {word} bits");
        Some(Diagnostic::error("E0312", port.span, message).label(label).help(help))
    };
    let fit = u32::from(SEGMENT) / word.max(1);
    let rows = port.count() / fit.max(1);
    if bits > SEGMENT.into() && port.count().is_multiple_of(fit) && rows > 1 {
        let message = format!("a row of {name} has {bits} bits, a segment {SEGMENT}");
        return refusal(message, format!("write it as rows, `u{word}x{fit}[{rows}]`, or use -V"));
    }
    if bits > SEGMENT.into() || !bits.is_power_of_two() || bits < 16 || length < 2 {
        let message = format!("{name} has no rows that fit a segment of {SEGMENT} bits evenly");
        let fits = "the innermost dimension is the row: 2, 4, 8 or 16 atoms, of 128 bits at most";
        return refusal(message, format!("{fits}; or slice with -V"));
    }
    None
}

/// Why a port that is a register is refused.
fn register(port: &Port) -> Diagnostic {
    let message = format!("`{}` is a register, which is no row", port.name);
    Diagnostic::error("E0312", port.span, message)
        .label("it keeps its atoms from tick to tick")
        .help("slice with -V, -H or -B, in which registers are kept")
}

/// Why ports are refused whose rows no shuffles bring into registers, or back. Constants are not brought there so.
fn unreached(program: &Program, target: &Target) -> Vec<Diagnostic> {
    let entry = program.entry();
    let refused = |port: &Port, make: Transposition| {
        let rows = packed(port);
        make(target.into(), Direction::P, rows.ty.bits(), rows.count(), &rows.layout).err()?;
        let message =
            format!("no shuffle brings the rows of `{}` to where they lie in memory", port.name);
        let help = "under -P a layout keeps atoms together: take `@le` or `@be`; or slice with -V";
        Some(Diagnostic::error("E0312", port.span, message).label("by its layout").help(help))
    };
    let params = entry.params.iter().filter(|port| !port.constant);
    let loads = params.filter_map(|port| refused(port, layout::load));
    loads.chain(entry.results.iter().filter_map(|port| refused(port, layout::store))).collect()
}

/// What makes a network for a port.
type Transposition =
    fn(layout::Machine, Direction, u16, u32, &Layout) -> Result<layout::network::Network, String>;

/// Where a function, its calls and `forall`s written out, is longer than rows are looked for in.
fn beyond(program: &Program) -> Option<Span> {
    let (mut instructions, mut place) = (0, None);
    for stmt in &program.entry().body {
        stmt.instrs(&mut |instr| {
            instructions += 1;
            // Inlining has stopped at this length too.
            let is_call = match instr.op {
                Op::Call(callee, ..) => program.funcs[callee.index()].instruction.is_none(),
                _ => false,
            };
            if is_call || instructions == inline::LIMIT_OF_ROWS {
                place = place.or(Some(instr.span));
            }
        });
    }
    place
}

fn too_long(place: Span) -> Diagnostic {
    let message = "written out, this program is too long for -P";
    Diagnostic::error("E0314", place, message)
        .label(format!("rows are looked for in {} instructions, and these are more", inline::LIMIT_OF_ROWS))
        .help("slice with -V, under which calls and loops may stay; or are the bounds of the loops as you meant them?")
}

fn different_rows(port: &Port, length: u16, first: Span) -> Diagnostic {
    let (name, own) = (&port.name, port.row().row_length());
    let message = format!("a row of `{name}` has {own} atoms, others have {length}");
    Diagnostic::error("E0312", port.span, message)
        .label(format!("rows of {own}"))
        .also(first, format!("rows of {length}"))
        .help(format!("write its type with `x{length}`: the shape changes no meaning; or use -V"))
}
