//! Nodes that define an instruction: whether it is known, and whether they compute what it does.

use super::emit::pruned;
use super::instances::{Instance, Meaning};
use crate::circuit::random::Random;
use crate::core::{interp, semantics, FuncId, Instruction, Port, Program, Width};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::OptKind;

/// On how many random rows a definition is compared with its instruction, after rows that are all zeros and all ones.
const COMPARED: usize = 64;

/// What is wrong with an instance that is to define an instruction, if it is.
pub(super) fn check(program: &Program, instance: &Instance) -> Result<(), Diagnostic> {
    let option = instance.def.options.iter().find(|option| option.kind == OptKind::Instruction);
    let (Some(option), Meaning::Func(id)) = (option, &instance.meaning) else { return Ok(()) };
    let name = &instance.def.name;
    let func = &program.funcs[id.index()];
    let Some(instruction) = func.instruction else {
        let known: Vec<&str> = Instruction::all()
            .filter_map(|instruction| Instruction::of_node(instruction.name()))
            .map(Instruction::name)
            .collect();
        return Err(Diagnostic::error(
            "E0230",
            name.span,
            format!("there is no instruction `{}`", instance.name),
        )
        .label("not known to the compiler")
        .also(option.span, "asked for here")
        .help(format!("delete `_instruction`; there are {}", known.join(", "))));
    };
    let is_row = |port: &Port| {
        let (bits, count) = instruction.row();
        port.ty.width == Width::Bits(bits) && port.count() == count.into() && !port.constant
    };
    let fits = func.params.len() == instruction.arity()
        && func.results.len() == 1
        && func.params.iter().chain(&func.results).all(is_row)
        && func.resets.is_empty();
    if !fits {
        let (bits, count) = instruction.row();
        let message = format!("`{}` has not the parameters of its instruction", name.name);
        let rows = instruction.arity();
        return Err(Diagnostic::error("E0230", name.span, message)
            .label(format!("it takes {rows} rows `u{bits}[{count}]`, and gives one"))
            .help("give it as many parameters, each of this type, and one such result"));
    }
    match difference(program, *id, instruction) {
        None => Ok(()),
        Some(rows) => {
            let atoms = |row: &Vec<u128>| -> Vec<String> {
                row.iter().map(|atom| format!("{atom:#x}")).collect()
            };
            let rows: Vec<String> =
                rows.iter().map(|row| format!("({})", atoms(row).join(", "))).collect();
            let message = format!("`{}` doesn't compute what its instruction does", name.name);
            Err(Diagnostic::error("E0231", name.span, message)
                .label(format!("they differ on {}", rows.join(", ")))
                .help(
                    "define it as the manual does, or delete `_instruction` and name it otherwise",
                ))
        }
    }
}

/// The first rows on which a function and an instruction differ.
fn difference(program: &Program, id: FuncId, instruction: Instruction) -> Option<Vec<Vec<u128>>> {
    let own = pruned(program, id);
    let (bits, count) = instruction.row();
    let mut random = Random::new(1);
    let mut row = |k: usize| -> Vec<u128> {
        let ones = semantics::mask(bits);
        let atom = |_| match k {
            0 => 0,
            1 => ones,
            _ => u128::from(random.bits()) & ones,
        };
        (0..count).map(atom).collect()
    };
    (0..COMPARED + 2).find_map(|k| {
        let rows: Vec<Vec<u128>> = (0..instruction.arity()).map(|_| row(k)).collect();
        let packed: Vec<u128> = rows.iter().map(|atoms| semantics::pack(atoms, bits)).collect();
        let made = interp::run(&own, &rows).remove(0);
        (Some(semantics::pack(&made, bits)) != instruction.apply(&packed)).then_some(rows)
    })
}
