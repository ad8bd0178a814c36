//! Kernels alone: register images in, register images out. Where C is the same for several targets of this CPU it is compiled for
//! the first of them alone: the libraries are for all.

use crate::cases::{Case, Node};
use crate::table::{Cell, Table};
use crate::{compilers_for, is_full, is_sampled, parallel};
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{interp, Direction, Port};
use nakiri::emit::c;
use nakiri::isa;
use nakiri_cli::digest;
use nakiri_cli::values::Block;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use nakiri_verify::verdict::Question;
use std::collections::HashMap;

/// The slicings, in the order of the rows.
pub const DIRECTIONS: [Direction; 4] = [Direction::B, Direction::V, Direction::H, Direction::P];

/// The length of C, in bytes, that takes a compiler five seconds and more: that of Serpent's key schedules under `-B`.
const GIANT: usize = 1_200_000;

/// Adds a row for each node and slicing.
pub fn rows(case: &Case, compilers: &[Compiler], table: &mut Table) {
    let mut work = Vec::new();
    for (n, node) in case.nodes.iter().enumerate() {
        for (d, direction) in DIRECTIONS.into_iter().enumerate() {
            work.extend(isa::all().iter().map(|&target| {
                let sampled = is_sampled(target, case.turn + d, n == 0);
                let serves = target.serves_in(direction) && target.serves(&node.program);
                let sampled = sampled && serves;
                (node, Options::new(direction, target), sampled)
            }));
        }
    }
    let prepared = parallel(&work, |(node, options, sampled)| match sampled {
        true => prepare(case, node, options),
        false => Err(left(case, node, options)),
    });
    let firsts = firsts(&prepared);
    let turns: Vec<_> =
        prepared.iter().enumerate().zip([false, true].into_iter().cycle()).collect();
    let tried = parallel(&turns, |((k, prepared), turn)| match prepared {
        Ok(ready) if firsts[*k] == *k => ready.interpreted(*turn).map(Some),
        Ok(_) => Ok(None),
        Err(cell) => Err(cell.clone()),
    });
    let results = compiled(&tried, compilers, case.turn);
    let own: Vec<Cell> = tried
        .into_iter()
        .zip(results)
        .map(|(tried, results)| match tried {
            Ok(Some(tested)) => tested.cell(results),
            Ok(None) => Cell::Left,
            Err(cell) => cell,
        })
        .collect();
    let cells = firsts.iter().map(|first| own[*first].clone());
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

/// A kernel with what it has to compute.
struct Ready {
    kernel: Kernel,
    /// For each group with the same constants, its blocks.
    arguments: Vec<Vec<Block>>,
    wanted: Vec<Vec<Block>>,
    /// The length of its C, in bytes.
    size: usize,
    /// A digest of its C but for what names the instructions that compilers may use.
    digest: String,
}

/// A kernel that compilers are given.
struct Tested<'a> {
    ready: &'a Ready,
    /// Whether the interpreter gives what it has to compute.
    interpreted: bool,
}

fn prepare(case: &Case, node: &Node, options: &Options) -> Result<Ready, Cell> {
    let kernel = compile::compile(&node.program, options, &mut |_, _| {})
        .map_err(|reasons| Cell::Illegal(why(case, options, &reasons[0])))?;
    let entry = kernel.program.entry();
    let arguments: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.params, &entry.params, &g.arguments)).collect();
    let wanted: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.results, &entry.results, &g.results)).collect();
    let text = c::kernel_file(&kernel);
    let of_any_target = text.replace(&attribute(&kernel), "");
    let (size, digest) = (text.len(), format!("{} {}", node.name, digest::short(of_any_target)));
    Ok(Ready { kernel, arguments, wanted, size, digest })
}

/// The line that names the instructions that compilers may use for a kernel.
fn attribute(kernel: &Kernel) -> String {
    let names = kernel.target.c.attribute.unwrap_or_default();
    format!("__attribute__((target(\"{names}\")))\n")
}

/// For each kernel the first of this CPU's that has the same C, which stands for it unless all are compiled: itself, mostly.
fn firsts(prepared: &[Result<Ready, Cell>]) -> Vec<usize> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let each = prepared.iter().enumerate().map(|(k, prepared)| match prepared {
        Ok(ready) if ready.joins() && !is_full() => *known.entry(&ready.digest).or_insert(k),
        _ => k,
    });
    each.collect()
}

impl Ready {
    /// It with what the interpreter says of it. Of giant kernels, compilers are given every other one.
    fn interpreted(&self, turn: bool) -> Result<Tested<'_>, Cell> {
        let interpreted = interpreted(&self.kernel, &self.arguments, &self.wanted);
        match self.size > GIANT && interpreted && !turn && !is_full() {
            true => Err(Cell::Left),
            false => Ok(Tested { ready: self, interpreted }),
        }
    }

    /// Whether its C may stand in one file with that of other targets.
    fn joins(&self) -> bool {
        let target = self.kernel.target;
        cc::is_host(target.architecture) && target.extension.is_none()
    }
}

impl Tested<'_> {
    /// What its engines say together.
    fn cell(&self, results: Vec<Outcome>) -> Cell {
        let (mut passed, mut messages, mut lacking) = (0, Vec::new(), None);
        match self.interpreted {
            true => passed += 1,
            false => messages.push("the interpreter gives another result".to_string()),
        }
        for result in results {
            match result {
                Outcome::Passed => passed += 1,
                Outcome::Failed(message) => messages.push(message),
                Outcome::Lacking(what) => lacking = Some(what),
            }
        }
        match (messages.is_empty(), lacking) {
            (false, _) => Cell::Failed { passed, messages },
            (true, Some(why)) => Cell::NotRun(passed, why),
            (true, None) => Cell::Passed(passed),
        }
    }
}

/// What came of one kernel under one compiler.
enum Outcome {
    Passed,
    Failed(String),
    Lacking(String),
}

/// For each kernel what its compilers' code does, the first file by the compiler whose `turn` it is. Kernels share a file as long
/// as compilers optimize it.
fn compiled(
    tried: &[Result<Option<Tested>, Cell>],
    compilers: &[Compiler],
    turn: usize,
) -> Vec<Vec<Outcome>> {
    let mut files: Vec<Vec<(usize, &Ready)>> = Vec::new();
    let mut room = 0;
    let tested = tried.iter().enumerate();
    for (k, ready) in tested.filter_map(|(k, t)| Some((k, t.as_ref().ok()?.as_ref()?.ready))) {
        let shared = ready.joins() && ready.size <= room;
        match files.last_mut() {
            Some(file) if shared => file.push((k, ready)),
            _ => {
                files.push(vec![(k, ready)]);
                room = if ready.joins() { exec::LARGE } else { 0 };
            }
        }
        room = room.saturating_sub(ready.size);
    }
    let mut outcomes: Vec<Vec<Outcome>> = tried.iter().map(|_| Vec::new()).collect();
    let mut work = Vec::new();
    for (f, file) in files.iter().enumerate() {
        match compilers_for(file[0].1.kernel.target, compilers) {
            Ok(own) if is_full() => work.extend(own.into_iter().map(|compiler| (file, compiler))),
            Ok(own) => work.push((file, own[(turn + f) % own.len()].clone())),
            Err(lack) => outcomes[file[0].0].push(Outcome::Lacking(lack.to_string())),
        }
    }
    let done = parallel(&work, |(file, compiler)| {
        let kernels: Vec<&Ready> = file.iter().map(|(_, ready)| *ready).collect();
        run(&kernels, compiler)
    });
    for ((file, _), done) in work.iter().zip(done) {
        file.iter().zip(done).for_each(|((k, _), outcome)| outcomes[*k].push(outcome));
    }
    outcomes
}

/// Runs kernels of one file; if something fails, each in a file of its own.
fn run(kernels: &[&Ready], compiler: &Compiler) -> Vec<Outcome> {
    let groups = kernels
        .iter()
        .flat_map(|ready| ready.arguments.iter().map(move |group| (&ready.kernel, &group[..])));
    let jobs: Vec<_> = groups.collect();
    let question = exec::question(&jobs, compiler).map(|question| {
        let wanted = kernels.iter().flat_map(|ready| ready.wanted.iter().flatten().flatten());
        wanted.flatten().fold(question, |question, atom| question.and(atom.to_le_bytes()))
    });
    let runs = kernels.iter().all(|ready| exec::runs(ready.kernel.target, compiler).is_ok());
    if runs && question.as_ref().is_ok_and(Question::is_known) {
        return kernels.iter().map(|_| Outcome::Passed).collect();
    }
    match exec::run_kernels(&jobs, compiler) {
        Ok(results) => {
            let mut rest = &results[..];
            let mut outcome = |ready: &&Ready| {
                let (own, others) = rest.split_at(ready.wanted.len());
                rest = others;
                match own == ready.wanted {
                    true => Outcome::Passed,
                    false => Outcome::Failed(format!("{} gives another result", compiler.program)),
                }
            };
            let outcomes: Vec<Outcome> = kernels.iter().map(&mut outcome).collect();
            if outcomes.iter().all(|outcome| matches!(outcome, Outcome::Passed)) {
                question.iter().for_each(Question::remember);
            }
            outcomes
        }
        Err(_) if kernels.len() > 1 => {
            kernels.iter().flat_map(|kernel| run(&[*kernel], compiler)).collect()
        }
        Err(error) if error.is_lack() => vec![Outcome::Lacking(error.to_string())],
        Err(error) => vec![Outcome::Failed(crate::table::failure(compiler, &error))],
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
