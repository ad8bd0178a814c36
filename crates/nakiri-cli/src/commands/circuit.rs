//! `nakiri circuit`: small circuits of tables and matrices.

mod read;

use crate::circuits;
use crate::interrupt;
use crate::output::{self, say};
use crate::program::SourceArgs;
use crate::session::{self, Failure};
use clap::ValueEnum;
use nakiri::circuit::{Circuit, Gate, Table};
use nakiri_bench::report::circuit as drawing;
use nakiri_circuit::linear::{self, Matrix};
use nakiri_circuit::search::{Found, Search};
use nakiri_circuit::{write, Basis, Effort, Objective};
use nakiri_library::entry::identifier;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Searches for a small circuit of a table or a matrix
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Entries such as "6 5 12 10", a file with them, or a table SOURCE.ua:NAME or CIPHER:NAME
    #[arg(value_name = "TABLE", required_unless_present = "matrix")]
    table: Option<String>,
    /// A matrix over GF(2) instead: rows of 0 and 1, or 0x…, or a file with them
    #[arg(long, value_name = "ROWS|FILE", conflicts_with = "table")]
    matrix: Option<String>,
    /// The output bits of the table, if its entries don't use all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8), conflicts_with = "matrix")]
    outputs: Option<u8>,
    /// The gates
    #[arg(long, value_enum)]
    basis: Option<Gates>,
    /// What is to be small
    #[arg(long, value_enum, default_value_t)]
    minimize: Minimize,
    /// How long the search may take, such as 90s or 10m
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration)]
    budget: Duration,
    /// The seed of the random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many searches run at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
    /// The form of the circuit
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    emit: Form,
    /// Where to write it, instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Print the circuit and what is known of it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: SourceArgs,
}

/// Sets of gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Gates {
    /// `&`, `|`, `^`, `~a & b`, `~a | b` and `~`, each counted
    Standard,
    /// `&`, `|`, `^` and `~`, each counted
    Plain,
    /// Every function of two inputs, inverters not counted
    FreeNot,
    /// Every function of three inputs
    Ternary,
}

/// What is to be small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Minimize {
    /// The number of gates, then the depth
    #[default]
    Gates,
    /// The depth, then the number of gates
    Depth,
    /// The number of three-input tables: `--basis ternary`
    Ternary,
}

/// Forms of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// As in the library of circuits
    #[default]
    Text,
    /// A graph for Graphviz
    Dot,
    /// A drawing
    Svg,
    /// A node
    Usuba,
}

/// What was found, of a table or a matrix.
struct Shown {
    name: String,
    inputs: usize,
    outputs: usize,
    basis: Basis,
    cost: usize,
    circuit: Circuit,
    how: String,
    /// No circuit has fewer gates: proved.
    least: Option<usize>,
    claim: String,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if the table is no function of its size; [`Failure::Usage`] for flags that contradict one another.
pub fn run(args: &Args) -> Result<(), Failure> {
    let basis = basis(args)?;
    output::try_write(&args.output)?;
    let shown = match (&args.matrix, &args.table) {
        (Some(rows), _) => of_matrix(args, &read::matrix(rows)?, basis)?,
        (None, Some(text)) => {
            let named = read::table(text, args.outputs, &args.source)?;
            let shown = of_table(args, &named.name, &named.table, basis);
            if !args.source.no_cache {
                circuits::keep(&named.table, &shown.circuit, &shown.text(Form::Text));
            }
            shown
        }
        (None, None) => return Err(Failure::Usage("a table or --matrix is needed".to_string())),
    };
    if args.json {
        return session::print_json(&shown.json());
    }
    say!("{}", shown.claim);
    output::write(&args.output, &shown.text(args.emit))
}

fn basis(args: &Args) -> Result<Basis, Failure> {
    match (args.minimize, args.basis) {
        (Minimize::Ternary, Some(other)) if other != Gates::Ternary => Err(Failure::Usage(
            "--minimize ternary counts three-input tables, which the --basis given doesn't have: \
             leave one of the two out"
                .to_string(),
        )),
        (Minimize::Ternary, _) | (_, Some(Gates::Ternary)) => Ok(Basis::Ternary),
        (_, None | Some(Gates::Standard)) => Ok(Basis::Standard),
        (_, Some(Gates::Plain)) => Ok(Basis::Plain),
        (_, Some(Gates::FreeNot)) => Ok(Basis::FreeNot),
    }
}

fn effort(budget: Duration) -> Effort {
    interrupt::watch();
    Effort::new(Instant::now().checked_add(budget), interrupt::happened)
}

fn of_table(args: &Args, name: &str, table: &Table, basis: Basis) -> Shown {
    let objective = match args.minimize {
        Minimize::Depth => Objective::Depth,
        Minimize::Gates | Minimize::Ternary => Objective::Gates,
    };
    let search = Search {
        table: table.clone(),
        basis,
        objective,
        seed: args.seed,
        jobs: args.jobs.into(),
        effort: effort(args.budget),
    };
    let bar = output::search_bar(args.budget, "searching");
    let describe = |found: &Found| {
        let (cost, depth) = (basis.cost(&found.circuit), found.circuit.depth());
        bar.set_message(format!("{cost} gates, depth {depth}: {}", found.how));
    };
    let found = search.run(&describe);
    bar.finish_and_clear();
    let is_exact = objective == Objective::Gates;
    let cost = basis.cost(&found.circuit);
    let claim = match (is_exact && found.is_minimal(basis), cost) {
        (true, 0) => "minimal: no gate is needed".to_string(),
        (true, cost) => {
            format!("minimal: no circuit with {} gates exists (proved)", cost - 1)
        }
        (false, _) => format!(
            "{}the best so far, not proved minimal{}",
            if interrupt::happened() { "interrupted: " } else { "the budget is used up: " },
            match is_exact {
                true => format!("; it is proved that fewer than {} gates are too few", found.least),
                false => String::new(),
            }
        ),
    };
    Shown {
        name: name.to_string(),
        inputs: table.inputs.into(),
        outputs: table.outputs.into(),
        basis,
        cost,
        how: found.how,
        least: is_exact.then_some(found.least),
        circuit: found.circuit,
        claim,
    }
}

fn of_matrix(args: &Args, matrix: &Matrix, basis: Basis) -> Result<Shown, Failure> {
    if args.minimize == Minimize::Depth {
        let message =
            "--minimize depth is for tables: a matrix's sums are searched for fewest gates";
        return Err(Failure::Usage(message.to_string()));
    }
    let bar = output::search_bar(args.budget, "searching");
    let describe = |circuit: &Circuit| bar.set_message(format!("{} gates", circuit.size()));
    let effort = effort(args.budget);
    let jobs = args.jobs.into();
    let circuit = linear::search(matrix, basis, args.seed, jobs, &effort, &describe);
    bar.finish_and_clear();
    assert!(matrix.is_computed_by(&circuit), "the search changed the matrix");
    Ok(Shown {
        name: "matrix".to_string(),
        inputs: matrix.columns,
        outputs: matrix.rows.len(),
        basis,
        cost: circuit.size(),
        how: format!("sums, seed {}", args.seed),
        least: None,
        circuit,
        claim: format!(
            "{}the best so far, not proved minimal",
            if interrupt::happened() { "interrupted: " } else { "the budget is used up: " }
        ),
    })
}

impl Shown {
    fn title(&self) -> String {
        let what = if self.basis == Basis::Ternary { "tables, three inputs" } else { "gates" };
        format!(
            "{} {} | {} {what}, {}, depth {}, {}",
            identifier(&self.name),
            self.inputs,
            self.cost,
            self.basis.name(),
            self.circuit.depth(),
            self.how
        )
    }

    fn text(&self, form: Form) -> String {
        match form {
            Form::Text => format!("{}\n{}\n", self.title(), self.circuit),
            Form::Dot => write::graph(&self.circuit, &self.title()),
            Form::Svg => drawing::draw(&self.circuit, &self.title()).file(),
            Form::Usuba => write::usuba(&self.circuit, &identifier(&self.name)),
        }
    }

    fn json(&self) -> serde_json::Value {
        let inverters = self.circuit.gates.iter().filter(|g| matches!(g, Gate::Not(_))).count();
        json!({
            "name": self.name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "basis": self.basis.name(),
            "gates": self.cost,
            "inverters": inverters,
            "depth": self.circuit.depth(),
            "found": self.how,
            "at_least": self.least,
            "minimal": self.least.is_some_and(|least| least >= self.cost),
            "circuit": self.circuit.to_string(),
        })
    }
}
