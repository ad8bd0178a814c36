//! From syntax trees to a generic core program: includes, names, types, definedness and elaboration.
//!
//! [`check`] reads the files, elaborates every definition once for each choice of its `nat` parameters
//! ([`elaborate`]), orders the equations ([`order`]) and writes the functions of the core ([`emit`]).

pub mod codes;
mod constants;
mod definedness;
mod elaborate;
mod emit;
mod families;
mod fields;
mod graph;
mod includes;
mod instances;
mod instructions;
mod inverses;
mod modes;
mod names;
mod numbers;
mod order;
mod outcome;
pub mod preludes;
mod registers;
mod runs;
mod scheme;
mod select;
mod signature;
mod statics;
mod tables;
mod types;

pub use includes::{read, Files};
pub use scheme::{Constraint, NodeInfo};

use crate::circuit::Circuit;
use crate::core::{FuncId, Program, Table};
use crate::diagnostic::{has_errors, Diagnostic};
use crate::source::{FileId, SourceMap};
pub use crate::syntax::Dialect;
use fields::Fields;
use instances::Instances;
use names::Definitions;
use num_bigint::BigUint;
use numbers::Numbers;
use outcome::Fault;
use rustc_hash::{FxHashMap, FxHashSet};
use statics::Statics;
use std::rc::Rc;

/// Finds the text of included files: in a file system, or in memory.
pub trait Loader {
    /// The file that `include "path"` in the file `from` means: its own path and its text, or a phrase that
    /// says where it was looked for.
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String>;
}

/// For programs of one file.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("there is no `{path}`: no files can be included"))
    }
}

/// What the checker must know besides the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which language the files are in.
    pub dialect: Dialect,
    /// The entry node; without one it is the last node of the root file.
    pub entry: Option<String>,
}

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What the entry needs, generic in directions and word sizes.
    pub program: Program,
    /// Every node, table and permutation, with its inferred type.
    pub nodes: Vec<NodeInfo>,
    everything: Program,
    modes: Vec<modes::Outline>,
}

impl Checked {
    /// A program that no source of the language describes.
    pub fn of(program: Program) -> Checked {
        Checked { everything: program.clone(), nodes: Vec::new(), program, modes: Vec::new() }
    }

    /// The program with another entry: any function that is not generic in `nat` parameters, by its name.
    pub fn program_for(&self, entry: &str) -> Option<Program> {
        let found = self.everything.funcs.iter().position(|f| f.name == entry)?;
        Some(emit::pruned(&self.everything, FuncId(found as u32)))
    }

    /// Tells of circuits that compute its tables, beside the library's.
    pub fn know(&mut self, circuits: &mut dyn FnMut(&Table) -> Vec<Circuit>) {
        for table in &mut self.everything.tables {
            table.known = circuits(table);
        }
        for table in &mut self.program.tables {
            let same =
                |known: &&Table| (known.inputs, &known.entries) == (table.inputs, &table.entries);
            let same = self.everything.tables.iter().find(same);
            table.known = same.map_or_else(Vec::new, |same| same.known.clone());
        }
    }

    /// Every table of the source, in its order.
    pub fn tables(&self) -> &[Table] {
        &self.everything.tables
    }
}

/// All that is known of a program, whether it has errors or not.
#[derive(Debug)]
pub struct Analysis {
    /// The program, if and only if no diagnostic is an error.
    pub checked: Option<Checked>,
    /// Every node, table and permutation that has no error and calls none that has, with its inferred type.
    pub nodes: Vec<NodeInfo>,
    /// Errors and warnings in the order of their discovery.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks the program that starts in the file `root`. Included files are added to `sources`. There is a program
/// if and only if no diagnostic is an error.
pub fn check(
    sources: &mut SourceMap,
    root: FileId,
    loader: &mut dyn Loader,
    options: &Options,
) -> (Option<Checked>, Vec<Diagnostic>) {
    let files = read(sources, root, loader, options.dialect);
    let analysis = analyse(sources, root, &files, options, &|| false);
    (analysis.checked, analysis.diagnostics)
}

/// Checks files that have been read. A definition with a syntax error is not checked, nor what calls it. Once `is_stale`
/// says that nobody waits for the answer any more, there is none.
pub fn analyse(
    sources: &SourceMap,
    root: FileId,
    files: &Files,
    options: &Options,
    is_stale: &dyn Fn() -> bool,
) -> Analysis {
    let mut diagnostics = files.diagnostics.clone();
    let numbers = Numbers::new(files, &mut diagnostics);
    let statics = Statics::of(numbers.clone());
    let (nodes, outlines) = modes::expand_all(files, &statics, &mut diagnostics);
    let constants = constants::nodes(files);
    let members = families::nodes::all(files, &statics, &mut diagnostics);
    let place = nodes.len()..nodes.len() + constants.len();
    // Before the others, so that no mode's node is what a program starts with.
    let all = nodes.iter().chain(&constants).chain(files.definitions_with(&members)).collect();
    let mut definitions = Definitions::new(all, place, options.dialect, &mut diagnostics);
    definitions.is_partial = files.is_partial() || files.modes().any(|mode| mode.is_faulty);
    let order = definitions.sorted(&mut diagnostics);
    numbers.report_defined(&definitions, &mut diagnostics);
    let fields = Rc::new(Fields::new(files, &definitions, &mut diagnostics));
    let mut checker = Checker {
        sources,
        fields,
        numbers,
        constants: FxHashMap::default(),
        definitions,
        options,
        root,
        diagnostics,
        reported: FxHashSet::default(),
        instances: Instances::default(),
        tables: Vec::new(),
        work: 0,
        is_stale,
    };
    if let Some(order) = order {
        checker.run(&order);
    }
    let checked = match has_errors(&checker.diagnostics) || checker.exhausted() {
        true => None,
        false => checker.finish(outlines),
    };
    let nodes = match &checked {
        Some(checked) => checked.nodes.clone(),
        None => checker.sound(),
    };
    let diagnostics = checker.diagnostics;
    Analysis { checked, nodes, diagnostics }
}

/// How many atoms may be handled and equations repeated in one program: beyond that it is a mistake, and
/// memory would run out.
const MAX_WORK: u64 = 1 << 22;
/// After how much work the checker looks whether anybody still waits.
const LOOKED_UP: u64 = 1 << 10;

struct Checker<'a> {
    sources: &'a SourceMap,
    definitions: Definitions<'a>,
    fields: Rc<Fields>,
    /// The static numbers of the whole program.
    numbers: Rc<Numbers>,
    /// The atoms of each constant that has been computed.
    constants: FxHashMap<usize, Rc<Vec<BigUint>>>,
    options: &'a Options,
    root: FileId,
    diagnostics: Vec<Diagnostic>,
    /// What has been reported, so that no iteration repeats a message of another.
    reported: FxHashSet<(&'static str, crate::source::Span)>,
    instances: Instances<'a>,
    tables: Vec<Table>,
    work: u64,
    /// Whether nobody waits for the answer any more.
    is_stale: &'a dyn Fn() -> bool,
}

impl Checker<'_> {
    /// Adds a message unless the same has been said about the same place.
    fn report(&mut self, fault: impl Into<Fault>) {
        if let Fault::New(diagnostic) = fault.into() {
            if self.reported.insert((diagnostic.code, diagnostic.span())) {
                self.diagnostics.push(*diagnostic);
            }
        }
    }

    /// Accounts for work that grows with loops and types.
    fn spend(&mut self, amount: usize, span: crate::source::Span) -> outcome::Outcome<()> {
        let before = self.work;
        self.work = self.work.saturating_add(amount as u64);
        if before / LOOKED_UP != self.work / LOOKED_UP && (self.is_stale)() {
            self.work = u64::MAX;
            return Err(Fault::Told);
        }
        if self.work <= MAX_WORK {
            return Ok(());
        }
        if before > MAX_WORK {
            return Err(Fault::Told);
        }
        outcome::fail(
            Diagnostic::error("E0135", span, "the program is too large")
                .label(format!("more than {MAX_WORK} atoms are handled up to here"))
                .help("are the bounds of the loops as you meant them?"),
        )
    }

    /// Whether the limit of [`Checker::spend`] has been passed.
    fn exhausted(&self) -> bool {
        self.work > MAX_WORK
    }
}
