//! `nakiri check`: what is wrong with a program, and what it can be built for.

use crate::asked;
use crate::choice::SoftArgs;
use crate::elements::Elements;
use crate::library::{self, Settings};
use crate::manifest::Folder;
use crate::output;
use crate::program::{self, Input, SourceArgs};
use crate::session::{self, Failure, Format, Session};
use crate::shared;
use crate::vectors;
use nakiri::check::Checked;
use nakiri::compile::legality::{cell, Cell};
use nakiri::compile::{Choice, Options};
use nakiri::core::{Direction, Program};
use nakiri::diagnostic::Diagnostic;
use nakiri::isa::{self, Target};
use nakiri::source::Span;
use nakiri_library::entry;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Checks a program and shows which slicings and targets it can be built for
#[derive(Debug, clap::Args)]
pub struct Args {
    /// An Usuba file, a cipher's folder or its name, or files of Verilog
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    /// Show each node's inferred type
    #[arg(long)]
    types: bool,
    /// The word size of entries that are generic in it
    #[arg(short = 'w', value_name = "M", value_parser = clap::value_parser!(u16).range(1..=128))]
    width: Option<u16>,
    #[command(flatten)]
    soft: SoftArgs,
    /// How to show what was found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Reported`] if the program is wrong, or can't be built in any slicing for any target.
pub fn run(args: &Args) -> Result<(), Failure> {
    let found = Found::of(args)?;
    match args.format {
        Format::Json => session::print_json(&found.json())?,
        Format::Human => {
            found.session.report(&found.diagnostics);
            output::print(&found.text(args.types))?;
            found.session.report(&found.problems);
        }
    }
    found.refuse(args)
}

/// What words behind `nakiri check` ask for, as `--format json` has it.
///
/// # Errors
/// Those of [`run`].
pub fn asked(words: &[String]) -> Result<Value, Failure> {
    let args: Args = asked::arguments(words)?;
    let found = Found::of(&args)?;
    found.session.report(&found.diagnostics);
    found.session.report(&found.problems);
    found.refuse(&args)?;
    Ok(found.json())
}

/// What was found.
struct Found {
    session: Session,
    input: Input,
    checked: Option<Checked>,
    diagnostics: Vec<Diagnostic>,
    tables: Vec<Table>,
    fields: Vec<Elements>,
    problems: Vec<Diagnostic>,
}

impl Found {
    fn of(args: &Args) -> Result<Found, Failure> {
        let mut session = Session::new(&args.source.include);
        let input = Input::of_files(&mut session, &args.files)?;
        let flags = [&args.source.run, &args.source.shared];
        let (checked, diagnostics) = match input.is_hardware() || flags.iter().any(|f| f.is_some())
        {
            true => (Some(args.source.check(&mut session, &input, None)?.checked), Vec::new()),
            false => session.diagnose(&input.source, &args.source.options())?,
        };
        let (tables, problems) = match &checked {
            Some(checked) => {
                let tables = entries(&session, args, &input, checked)?;
                let problems = problems(args, &input, checked, &tables);
                (tables, problems)
            }
            None => (Vec::new(), Vec::new()),
        };
        let fields = checked.iter().flat_map(|checked| &checked.program.fields);
        let fields = fields.map(Elements::of).collect();
        Ok(Found { session, input, checked, diagnostics, tables, fields, problems })
    }

    fn json(&self) -> Value {
        let all = self.diagnostics.iter().chain(&self.problems);
        let nodes = self.checked.iter().flat_map(|c| &c.nodes).map(|node| node.scheme.clone());
        json!({
            "diagnostics": all.map(|d| self.session.json(d)).collect::<Vec<_>>(),
            "nodes": nodes.collect::<Vec<_>>(),
            "entries": self.tables.iter().map(|table| table.json(&self.session)).collect::<Vec<_>>(),
            "fields": self.fields.iter().map(Elements::json).collect::<Vec<_>>(),
        })
    }

    fn text(&self, types: bool) -> String {
        let nodes = self.checked.iter().flat_map(|c| &c.nodes).filter(|_| types);
        let mut text: String = nodes.map(|node| format!("{}\n", node.scheme)).collect();
        for table in &self.tables {
            text += if text.is_empty() { "" } else { "\n" };
            text += &table.text(&self.session);
        }
        for field in &self.fields {
            text += &format!("\n{}", field.text());
        }
        text
    }

    /// Refuses what can't be built.
    fn refuse(&self, args: &Args) -> Result<(), Failure> {
        let Some(checked) = self.checked.as_ref().filter(|_| self.problems.is_empty()) else {
            return Err(Failure::Reported);
        };
        match &self.input.folder {
            Some(folder) if args.source.entry.is_none() => {
                parts(&self.session, folder, checked, args.soft.choices())
            }
            _ => Ok(()),
        }
    }
}

/// Why what was checked can't be built, whatever it is built for.
fn problems(args: &Args, input: &Input, checked: &Checked, tables: &[Table]) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> =
        tables.iter().filter_map(|table| table.problem.clone()).collect();
    if input.folder.is_none() && args.source.shared.is_none() {
        problems.extend(entry::interface(&checked.program).err());
    }
    problems
}

/// Refuses a folder whose parts don't fit together, or compute something else than its vectors, as `build` would.
fn parts(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    choices: Vec<Choice>,
) -> Result<(), Failure> {
    let settings = Settings { targets: Vec::new(), direction: None, choices };
    for instance in &folder.manifest.instances {
        let nodes = library::nodes(session, folder, checked, instance)?;
        let refuse = |diagnostics: Vec<_>| session.refuse(&diagnostics);
        let shared = shared::of_instance(folder, instance, &nodes.forward).map_err(refuse)?;
        let tick = shared.as_ref().map_or(&nodes.forward, |shared| &shared.lanes);
        let mut programs = nodes.functions();
        programs[0] = tick;
        let preferred = library::preferred(folder, &programs, &settings);
        preferred.map_err(|problem| session.refuse(&[problem]))?;
    }
    vectors::check(session, folder, checked).map(|_| ())
}

/// The entry, or every node that a folder's manifest names.
fn entries(
    session: &Session,
    args: &Args,
    input: &Input,
    checked: &Checked,
) -> Result<Vec<Table>, Failure> {
    let all = [Direction::B, Direction::V, Direction::H, Direction::P];
    let asked = args.source.direction();
    let directions: Vec<Direction> =
        all.into_iter().filter(|direction| asked.is_none_or(|asked| asked == *direction)).collect();
    match &input.folder {
        Some(folder) if args.source.entry.is_none() => {
            let programs = folder
                .nodes()
                .into_iter()
                .map(|node| program::of_node(session, folder, checked, node));
            programs.map(|program| Ok(Table::of(&program?, args, &directions))).collect()
        }
        _ => Ok(vec![Table::of(&checked.program, args, &directions)]),
    }
}

/// What one entry can be built for.
struct Table {
    entry: String,
    /// The targets that are of use for it.
    targets: Vec<&'static Target>,
    rows: Vec<Row>,
    /// That it is nothing, with what would be a way.
    problem: Option<Diagnostic>,
}

/// A slicing, with a cell for each target.
struct Row {
    direction: Direction,
    width: Option<u16>,
    cells: Vec<Cell>,
}

impl Row {
    /// Whether it is for one target at least.
    fn is_legal(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Legal { .. }))
    }
}

impl Table {
    fn of(program: &Program, args: &Args, directions: &[Direction]) -> Table {
        let choices = args.soft.choices();
        let rows_with = |choices: &[Choice]| rows(program, args.width, directions, choices);
        let rows = rows_with(&choices);
        let problem = (!rows.iter().any(Row::is_legal)).then(|| {
            let softer = SoftArgs::ALL.choices().into_iter().map(|choice| {
                let choices = [&choices[..], &[choice]].concat();
                (choice, rows_with(&choices))
            });
            let softer = softer.into_iter().find(|(_, rows)| rows.iter().any(Row::is_legal));
            nowhere(program, &rows, softer)
        });
        Table { entry: program.entry().name.clone(), targets: targets(program), rows, problem }
    }

    fn json(&self, session: &Session) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|row| {
            let mut targets = serde_json::Map::new();
            for (target, cell) in self.targets.iter().zip(&row.cells) {
                targets.insert(target.name.to_string(), match cell {
                    Cell::Legal { blocks, .. } => json!({ "blocks": blocks }),
                    Cell::Forbidden(reasons) | Cell::Absent(reasons) => {
                        let reasons: Vec<Value> = reasons.iter().map(|d| session.json(d)).collect();
                        json!({ "forbidden": reasons })
                    }
                });
            }
            json!({ "slicing": format!("{:?}", row.direction), "width": row.width, "targets": targets })
        }).collect();
        json!({ "entry": self.entry, "slicings": rows })
    }

    fn text(&self, session: &Session) -> String {
        let mut notes: Vec<String> = Vec::new();
        let mut text = format!("{}: blocks at once\n", self.entry);
        let name = |row: &Row| {
            let width = row.width.map_or(String::new(), |width| format!(" -w {width}"));
            format!("-{:?}{width}", row.direction)
        };
        let longest = self.targets.iter().map(|target| target.name.len()).max().unwrap_or(0);
        let slicings: String = self.rows.iter().map(|row| format!(" {:>9}", name(row))).collect();
        text += &format!("  {:longest$}{slicings}\n", "");
        for (k, target) in self.targets.iter().enumerate() {
            text += &format!("  {:longest$}", target.name);
            for row in &self.rows {
                let shown = match &row.cells[k] {
                    Cell::Legal { blocks, direction } if *direction == row.direction => {
                        format!("✓ {blocks}")
                    }
                    Cell::Legal { blocks, direction } => format!("✓ {blocks} {direction:?}"),
                    Cell::Forbidden(reasons) => footnotes(session, target, reasons, &mut notes),
                    Cell::Absent(_) => "–".to_string(),
                };
                text += &format!(" {shown:>9}");
            }
            text += "\n";
        }
        for (number, note) in notes.iter().enumerate() {
            text += &format!("  [{}] {note}\n", number + 1);
        }
        text + &self.absent()
    }

    /// Notes on the targets that have no such slicing as a row.
    fn absent(&self) -> String {
        let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
        for (k, target) in self.targets.iter().enumerate() {
            if !self.rows.iter().any(|row| matches!(row.cells[k], Cell::Absent(_))) {
                continue;
            }
            let directions = target.directions();
            match notes.iter_mut().find(|(known, _)| *known == directions) {
                Some((_, names)) => names.push(target.name),
                None => notes.push((directions, vec![target.name])),
            }
        }
        let note = |(directions, names): (String, Vec<&str>)| {
            format!("  [–] {}: for {directions}\n", names.join(", "))
        };
        notes.into_iter().map(note).collect()
    }
}

/// The targets that are of use for a program.
fn targets(program: &Program) -> Vec<&'static Target> {
    isa::all().iter().copied().filter(|target| target.serves(program)).collect()
}

/// What is legal with these choices.
fn rows(
    program: &Program,
    width: Option<u16>,
    directions: &[Direction],
    choices: &[Choice],
) -> Vec<Row> {
    let mut rows = Vec::new();
    for &direction in directions {
        for width in widths(program, direction, width) {
            let cell = |target: &&'static Target| {
                let options = Options { width, ..Options::new(direction, target) };
                cell(program, options.with(choices))
            };
            rows.push(Row { direction, width, cells: targets(program).iter().map(cell).collect() });
        }
    }
    rows
}

/// That a program can't be built, whatever it is built for: what one more choice would make legal, or else what forbids the
/// slicing that the fewest things forbid.
fn nowhere(program: &Program, rows: &[Row], softer: Option<(Choice, Vec<Row>)>) -> Diagnostic {
    let entry = program.entry();
    let message = format!("no slicing of `{}` is legal on any target", entry.name);
    let error = Diagnostic::error("E0410", entry.span, message).label("it can't be built");
    if let Some((choice, rows)) = softer {
        let legal = rows.iter().find(|row| row.is_legal());
        let direction = legal.map_or(String::new(), |row| format!("-{:?} ", row.direction));
        return error.help(format!("with `{direction}--{choice}` it can be built"));
    }
    let forbidden = rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match cell {
        Cell::Forbidden(reasons) => Some(reasons),
        Cell::Legal { .. } | Cell::Absent(_) => None,
    });
    let nearest = forbidden.min_by_key(|reasons| reasons.len()).and_then(|reasons| reasons.first());
    let Some(nearest) = nearest else { return error };
    let way = nearest.help.as_ref().map_or(String::new(), |help| format!(": {help}"));
    error.also(nearest.span(), "").help(format!("the nearest way: {}{way}", nearest.message))
}

/// The word sizes to show for an entry that is generic in them; otherwise none.
fn widths(program: &Program, direction: Direction, chosen: Option<u16>) -> Vec<Option<u16>> {
    match (program.entry().width_params.is_empty(), chosen, direction) {
        (true, ..) => vec![None],
        (_, Some(width), _) => vec![Some(width)],
        (.., Direction::B) => vec![Some(1)],
        (.., Direction::H) => vec![Some(4), Some(8), Some(16), Some(32), Some(64)],
        _ => vec![Some(8), Some(16), Some(32), Some(64)],
    }
}

/// The numbers of the notes that say why a cell is forbidden; new ones are added. A note is for one operator and names
/// its first place.
fn footnotes(
    session: &Session,
    target: &Target,
    reasons: &[Diagnostic],
    notes: &mut Vec<String>,
) -> String {
    let mut places: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for reason in reasons {
        // Reasons differ between targets by the target's name only, which the row says already.
        let message = reason.message.replace(&format!(" on {}", target.name), "");
        places.entry(message).or_default().push(reason.span());
    }
    let mut found: Vec<(Span, String)> = places
        .into_iter()
        .map(|(message, mut spans)| {
            spans.sort();
            spans.dedup();
            let more = match spans.len() - 1 {
                0 => String::new(),
                1 => ", and at one more place".to_string(),
                n => format!(", and at {n} more places"),
            };
            (spans[0], format!("{}: {message}{more}", session.place(spans[0])))
        })
        .collect();
    found.sort();
    let mut numbers: Vec<usize> = Vec::new();
    for (_, note) in found {
        let number = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
            notes.push(note);
            notes.len() - 1
        });
        numbers.push(number + 1);
    }
    numbers.sort_unstable();
    match numbers[..] {
        [] => "–".to_string(),
        [one] => format!("[{one}]"),
        [first, .., last] if last - first + 1 == numbers.len() => format!("[{first}–{last}]"),
        [first, ..] => format!("[{first},…]"),
    }
}
