//! `nakiri targets`: what can be compiled for.

use crate::choice;
use crate::output;
use crate::session::Failure;
use nakiri::core::{Class, Direction, Instruction, Op, OpKind};
use nakiri::isa::{self, Target};
use nakiri_verify::exec;

/// Lists the targets and what each of them has
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Operations for each class: a target has the class where it has one of these.
const CLASSES: [(Class, &[OpKind]); 6] = [
    (Class::Logic, &[OpKind::Xor]),
    (Class::Arith, &[OpKind::Add]),
    (Class::Shift, &[OpKind::Rotl]),
    (Class::Shuffle, &[OpKind::Shuffle]),
    (Class::Lookup, &OpKind::LOOKUPS),
    (Class::Pack, &[OpKind::Pack]),
];

/// Runs the command.
///
/// # Errors
/// Those of [`output::print`].
pub fn run(_: &Args) -> Result<(), Failure> {
    let mut text = String::new();
    let native = choice::native().name;
    text +=
        &format!("{:16} {:>5} {:>9} {:12}  {}\n", "target", "bits", "registers", "here", "needs");
    let mut missing = String::new();
    for target in isa::all() {
        let here = match (exec::runnable(target), exec::emulated(target)) {
            (Ok(()), _) if target.name == native => "native",
            (Ok(()), _) => "yes",
            (_, Ok(emulator)) => emulator.program,
            (_, Err(lack)) => {
                missing += &format!("{}: {lack}\n", target.name);
                "no"
            }
        };
        let needs = match target.guard() {
            None => "any CPU".to_string(),
            Some(_) => {
                let flags = target.extension.map_or(&[][..], |extension| extension.flags);
                let needs = if flags.is_empty() { target.features } else { flags };
                [&[target.architecture.name], needs].concat().join(", ")
            }
        };
        let (name, bits, registers) = (target.name, target.bits, target.registers);
        text += &format!("{name:16} {bits:>5} {registers:>9} {here:12}  {needs}\n");
    }
    if !missing.is_empty() {
        text += &format!("\n{missing}");
    }
    text += "\nAliases: ";
    let aliases: Vec<String> =
        isa::ALIASES.iter().map(|(alias, name)| format!("{alias} = {name}")).collect();
    text += &format!("{}; native = {native} on this CPU.\n", aliases.join(", "));
    text += "\nWord sizes that each class of operators has (-B has Logic, Shift, Shuffle and tables at every size):\n";
    for target in isa::all() {
        text += &format!("\n{}: {}\n", target.name, target.title);
        for (class, ops) in CLASSES {
            text += &class_row(target, class, ops);
        }
        text += &instructions(target);
    }
    output::print(&text)
}

fn class_row(target: &Target, class: Class, ops: &[OpKind]) -> String {
    let mut cells = Vec::new();
    for direction in [Direction::V, Direction::H, Direction::P] {
        let widths: Vec<String> = (1..=nakiri::core::MAX_WIDTH)
            .filter(|&width| target.holds(direction, width))
            .filter(|&width| ops.iter().any(|&op| target.instance(op, direction, width).is_some()))
            .map(|width| width.to_string())
            .collect();
        if !widths.is_empty() {
            cells.push(format!("-{direction:?} {}", widths.join(" ")));
        }
    }
    if cells.is_empty() {
        return String::new();
    }
    format!("  {:8} {}\n", format!("{class:?}"), cells.join("   "))
}

/// The instructions on rows.
fn instructions(target: &Target) -> String {
    let has = |instruction: &Instruction| {
        let (bits, _) = instruction.row();
        target.select(&Op::Instruction(*instruction), Direction::P, bits).is_some()
    };
    let names: Vec<&str> = Instruction::all().filter(has).map(Instruction::name).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("  Rows     {}, under -P\n", names.join(" ")),
    }
}
