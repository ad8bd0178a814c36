//! Kernels alone: register images in, register images out.

use crate::cases::{Case, Node};
use crate::table::{Cell, Table};
use crate::{compilers_for, is_sampled, parallel, turns};
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{interp, Direction, Port};
use nakiri::target;
use nakiri_cli::values::Block;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;

/// The slicings, in the order of the rows.
const DIRECTIONS: [Direction; 4] = [Direction::B, Direction::V, Direction::H, Direction::P];

/// Adds a row for each node and slicing; the C compilers take turns at the cells.
pub fn rows(case: &Case, compilers: &[Compiler], table: &mut Table) {
    let mut work = Vec::new();
    for (n, node) in case.nodes.iter().enumerate() {
        for (d, direction) in DIRECTIONS.into_iter().enumerate() {
            let turn = (n == 0).then_some(3 * case.turn + d);
            work.extend(
                target::all().iter().map(|&target| {
                    (node, Options::new(direction, target), is_sampled(target, turn))
                }),
            );
        }
    }
    let cells =
        parallel(&turns(&work, compilers), |((node, options, sampled), own)| match sampled {
            true => cell(case, node, options, own),
            false => left(case, node, options),
        });
    for ((node, options, _), cell) in work.iter().zip(cells) {
        let name = format!("{} -{:?}", node.name, options.direction);
        match table.rows.last_mut() {
            Some((row, cells)) if *row == name => cells.push(cell),
            _ => table.rows.push((name, vec![cell])),
        }
    }
}

/// A cell that is not in the sample.
fn left(case: &Case, node: &Node, options: &Options) -> Cell {
    match compile::specialize(&node.program, options) {
        Ok(_) => Cell::Left,
        Err(reasons) => Cell::Illegal(why(case, options, &reasons[0])),
    }
}

fn cell(case: &Case, node: &Node, options: &Options, compilers: &[Compiler]) -> Cell {
    let kernel = match compile::compile(&node.program, options, &mut |_, _| {}) {
        Ok(kernel) => kernel,
        Err(reasons) => return Cell::Illegal(why(case, options, &reasons[0])),
    };
    let (mut passed, mut messages, mut lacking) = (0, Vec::new(), None);
    let entry = kernel.program.entry();
    let arguments: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.params, &entry.params, &g.arguments)).collect();
    let wanted: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.results, &entry.results, &g.results)).collect();
    match interpreted(&kernel, &arguments, &wanted) {
        true => passed += 1,
        false => messages.push("the interpreter gives another result".to_string()),
    }
    let compilers = compilers_for(options.target, compilers).unwrap_or_else(|lack| {
        lacking = Some(lack.to_string());
        Vec::new()
    });
    for compiler in &compilers {
        let jobs: Vec<_> = arguments.iter().map(|group| (&kernel, &group[..])).collect();
        match exec::run_kernels(&jobs, compiler) {
            Ok(results) if results == wanted => passed += 1,
            Ok(_) => messages.push(format!("{} gives another result", compiler.program)),
            Err(error) if error.is_lack() => lacking = Some(error.to_string()),
            Err(error) => messages.push(crate::table::failure(compiler, &error)),
        }
    }
    match (messages.is_empty(), lacking) {
        (false, _) => Cell::Failed { passed, messages },
        (true, Some(why)) => Cell::NotRun(passed, why),
        (true, None) => Cell::Passed(passed),
    }
}

/// The kernel's core on the first blocks of every group, the published ones among them.
fn interpreted(kernel: &Kernel, arguments: &[Vec<Block>], wanted: &[Vec<Block>]) -> bool {
    let groups = arguments.iter().zip(wanted);
    let mut blocks = groups.flat_map(|(a, w)| a.iter().zip(w).take(24));
    blocks.all(|(arguments, wanted)| interp::run(&kernel.program, arguments) == *wanted)
}

/// Blocks as the sliced program takes or gives them.
fn convert(declared: &[Port], sliced: &[Port], blocks: &[Block]) -> Vec<Block> {
    let values =
        |((from, to), atoms): ((&Port, &Port), &Vec<u128>)| interp::slice(atoms, from.ty, to.ty);
    let ports = || declared.iter().zip(sliced);
    blocks.iter().map(|block| ports().zip(block).map(values).collect()).collect()
}

/// Why a slicing is not legal, without the target's name so that targets share a note.
pub fn why(case: &Case, options: &Options, reason: &nakiri::diagnostic::Diagnostic) -> String {
    let message = reason.message.replace(&format!(" on {}", options.target.name), "");
    format!("{message} ({})", case.session.place(reason.span()))
}
