//! Kernels alone: register images in, register images out.

use crate::cases::{Case, Node};
use crate::table::{Cell, Table};
use crate::{compilers_for, is_full, is_interpreted, is_sampled, parallel};
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{interp, Direction, Port};
use nakiri::emit::c;
use nakiri::isa;
use nakiri::registers::Spill;
use nakiri_cli::values::Block;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use nakiri_verify::verdict::Question;

/// The slicings, in the order of the rows.
pub const DIRECTIONS: [Direction; 4] = [Direction::B, Direction::V, Direction::H, Direction::P];

/// Adds a row for each node and slicing.
pub fn rows(case: &Case, compilers: &[Compiler], table: &mut Table) {
    let mut work = Vec::new();
    for (n, node) in case.nodes.iter().enumerate() {
        for (d, direction) in DIRECTIONS.into_iter().enumerate() {
            work.extend(isa::all().iter().map(|&target| {
                let turn = case.turn + n + d;
                let sampled = is_sampled(target, turn, n == 0);
                let serves = target.serves_in(direction, &node.program);
                let tried = serves && (sampled || is_interpreted(target, turn));
                (node, Options::new(direction, target), sampled, tried)
            }));
        }
    }
    let prepared = parallel(&work, |(node, options, sampled, tried)| match tried {
        true => prepare(case, node, options, *sampled),
        false => Err(left(case, node, options)),
    });
    let each: Vec<&Result<Ready, Cell>> = prepared.iter().collect();
    let tried = parallel(&each, |prepared| match prepared {
        Ok(ready) => ready.interpreted(),
        Err(cell) => Err(cell.clone()),
    });
    let results = compiled(&tried, compilers, case.turn);
    let cells = tried.into_iter().zip(results);
    let cells = cells.map(|(tried, results)| tried.map_or_else(|cell| cell, |t| t.cell(results)));
    for ((node, options, ..), cell) in work.iter().zip(cells) {
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
    /// It in assembly, where its target has that.
    assembled: Option<Kernel>,
    /// For each group with the same constants, its blocks.
    arguments: Vec<Vec<Block>>,
    wanted: Vec<Vec<Block>>,
    /// The length of its C, in bytes.
    size: usize,
    /// Whether compilers are given it.
    sampled: bool,
}

/// A kernel that compilers are given.
struct Tested<'a> {
    ready: &'a Ready,
    /// Whether the interpreter gives what it has to compute.
    interpreted: bool,
}

fn prepare(case: &Case, node: &Node, options: &Options, sampled: bool) -> Result<Ready, Cell> {
    let kernel = compile::compile(&node.program, options, &mut |_, _| {})
        .map_err(|reasons| Cell::Illegal(why(case, options, &reasons[0])))?;
    let entry = kernel.program.entry();
    let arguments: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.params, &entry.params, &g.arguments)).collect();
    let wanted: Vec<Vec<Block>> =
        node.groups.iter().map(|g| convert(&kernel.results, &entry.results, &g.results)).collect();
    let size = c::kernel_file(&kernel).len();
    let assembled = Spill::Assembly.is_for(kernel.target);
    let assembled = assembled.then(|| Kernel { spill: Spill::Assembly, ..kernel.clone() });
    Ok(Ready { kernel, assembled, arguments, wanted, size, sampled })
}

impl Ready {
    /// It with what the interpreter says of it, if compilers are given it or that is wrong.
    fn interpreted(&self) -> Result<Tested<'_>, Cell> {
        let interpreted = interpreted(&self.kernel, &self.arguments, &self.wanted);
        match interpreted && !self.sampled {
            true => Err(Cell::Left),
            false => Ok(Tested { ready: self, interpreted }),
        }
    }

    /// It as C, and as assembly where there is that.
    fn texts(&self) -> impl Iterator<Item = &Kernel> {
        std::iter::once(&self.kernel).chain(&self.assembled)
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
    tried: &[Result<Tested, Cell>],
    compilers: &[Compiler],
    turn: usize,
) -> Vec<Vec<Outcome>> {
    let mut files: Vec<Vec<(usize, &Ready)>> = Vec::new();
    let mut room = 0;
    let tested = tried.iter().enumerate();
    for (k, ready) in tested.filter_map(|(k, t)| Some((k, t.as_ref().ok()?.ready))) {
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
    let mut jobs: Vec<(&Kernel, &[Block])> = Vec::new();
    for ready in kernels {
        for text in ready.texts() {
            jobs.extend(ready.arguments.iter().map(|group| (text, &group[..])));
        }
    }
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
                let (own, others) = rest.split_at(ready.texts().count() * ready.wanted.len());
                rest = others;
                let mut results = own.chunks(ready.wanted.len()).map(|own| own == ready.wanted);
                match [results.next(), results.next()] {
                    [Some(false), _] => {
                        Outcome::Failed(format!("{} gives another result", compiler.program))
                    }
                    [_, Some(false)] => {
                        Outcome::Failed("assembly gives another result".to_string())
                    }
                    _ => Outcome::Passed,
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
