//! What can be done with a definition: commands for the client to run, and its price.

use crate::choice;
use crate::lsp::place;
use crate::lsp::state::{Document, State};
use lsp_types::{CodeLens, CodeLensParams, Command, Uri};
use nakiri::check::Analysis;
use nakiri::compile::{legality, Options};
use nakiri::core::{Direction, Program};
use nakiri::cost;
use nakiri::semantic::SymbolKind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Mutex;

/// The commands of a cipher's folder: what is shown, the client's name for it, and what `nakiri` does.
const OF_FOLDER: [(&str, &str); 3] =
    [("run vectors", "nakiri.test"), ("bench", "nakiri.bench"), ("bound", "nakiri.bound")];

/// A lens that has no price yet.
#[derive(Debug, Serialize, Deserialize)]
pub struct Priced {
    /// The document.
    pub uri: Uri,
    /// The node.
    pub name: String,
}

impl Priced {
    /// What a lens is about.
    pub fn of(lens: &CodeLens) -> Option<Priced> {
        serde_json::from_value(lens.data.clone()?).ok()
    }
}

/// The lenses of a document: over what its manifest names, or else over the node that a program starts with.
pub fn lenses(state: &State, params: CodeLensParams) -> Option<Vec<CodeLens>> {
    let document = state.document(&params.text_document.uri)?;
    let (names, commands, argument) = match folder(document) {
        Some((folder, names)) => (names, &OF_FOLDER[..], folder),
        None => (entry(document), &OF_FOLDER[2..], path(document)?),
    };
    let unit = &document.unit;
    let named = unit.model.symbols().filter(|(_, symbol)| {
        symbol.kind.is_definition() && symbol.span.file == unit.root && names.contains(&symbol.name)
    });
    let mut lenses = Vec::new();
    for (_, symbol) in named {
        let range = unit.range(symbol.span);
        for (title, command) in commands {
            let argument = Some(vec![json!(argument)]);
            let command = Command::new(title.to_string(), command.to_string(), argument);
            lenses.push(CodeLens { range, command: Some(command), data: None });
        }
        if symbol.kind == SymbolKind::Node {
            let priced = Priced { uri: document.uri.clone(), name: symbol.name.clone() };
            lenses.push(CodeLens { range, command: None, data: Some(json!(priced)) });
        }
    }
    Some(lenses)
}

fn path(document: &Document) -> Option<String> {
    Some(place::path(&document.uri)?.display().to_string())
}

/// The folder of a cipher whose source a document is, and the definitions that its manifest names.
fn folder(document: &Document) -> Option<(String, Vec<String>)> {
    let path = place::path(&document.uri)?;
    let folder = path.parent()?;
    let text = std::fs::read_to_string(folder.join("cipher.toml")).ok()?;
    let manifest: toml::Table = text.parse().ok()?;
    let source = manifest.get("source")?.as_str()?;
    let instances = manifest.get("instance")?.as_array()?.iter().filter_map(|i| i.as_table());
    let values = instances.flat_map(toml::Table::values).filter_map(|value| value.as_str());
    let is_own = path.file_name().is_some_and(|name| name == source);
    is_own.then(|| (folder.display().to_string(), values.map(str::to_string).collect()))
}

/// The last node of a document that can be one to start with.
fn entry(document: &Document) -> Vec<String> {
    let model = &document.unit.model;
    let nodes = model.symbols().filter(|(id, symbol)| {
        let mut declared = model.declared_in(*id);
        symbol.kind == SymbolKind::Node
            && symbol.span.file == document.unit.root
            && !declared.any(|(_, own)| own.kind == SymbolKind::Nat)
    });
    nodes.last().map(|(_, symbol)| symbol.name.clone()).into_iter().collect()
}

/// How many prices are kept.
const KEPT: usize = 16;

/// Prices that were found: most changes of a text don't change a program.
#[derive(Debug, Default)]
pub struct Prices(Mutex<Vec<(Program, String)>>);

impl Prices {
    /// What a node costs on this machine, by its model. It is nothing to be run.
    pub fn of(&self, analysis: &Analysis, name: &str) -> Command {
        let program = analysis.checked.as_ref().and_then(|checked| checked.program_for(name));
        let price = program.and_then(|program| self.price(&program.placeless()));
        let title = price.unwrap_or_else(|| "no price here".to_string());
        Command::new(title, String::new(), None)
    }

    fn price(&self, program: &Program) -> Option<String> {
        let known = self.0.lock().ok()?.iter().find(|(own, _)| own == program).cloned();
        if let Some((_, price)) = known {
            return Some(price);
        }
        let price = priced(program)?;
        let mut known = self.0.lock().ok()?;
        if known.len() == KEPT {
            known.remove(0);
        }
        known.push((program.clone(), price.clone()));
        Some(price)
    }
}

fn priced(program: &Program) -> Option<String> {
    let target = choice::native();
    let all = [Direction::V, Direction::B, Direction::H, Direction::P];
    let legal = legality::legal(&[program], &all, Options::new(Direction::V, target)).ok()?;
    let machine = choice::machine(None, target, true).ok()?;
    let decision = cost::choose_slicing(program, &legal, &machine).ok()?;
    let cost = decision.taken()?.cost();
    let (direction, target) = (decision.options.direction, decision.options.target.name);
    let machine = &decision.machine;
    Some(format!("{cost:.2} cycles/byte by the model of {machine}, -{direction:?} on {target}"))
}
