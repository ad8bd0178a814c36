//! Which items each item needs, through the variables between them, and the cycles that are errors.

use crate::check::elaborate::{Elaborated, ItemKind, Source};
use crate::core::Op;
use crate::diagnostic::Diagnostic;
use smallvec::SmallVec;

/// The most places that a message about a cycle shows.
const SHOWN: usize = 8;

/// What each item needs.
pub(super) struct Dependencies {
    /// For each item the items whose results it uses.
    pub needs: Vec<SmallVec<[u32; 3]>>,
    /// All items in an order that respects `needs`, each as early as its first user wants it.
    pub order: Vec<u32>,
    live: Vec<bool>,
}

/// An item, or a version of an atom of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vertex {
    Item(u32),
    Slot(u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

impl Dependencies {
    /// Follows every operand to its definition; a cycle on the way is returned as an error.
    pub fn new(node: &Elaborated) -> Result<Dependencies, Diagnostic> {
        let live: Vec<bool> = node.items.iter().map(|item| is_live(node, item)).collect();
        let order = Search::new(node).run(&live)?;
        let resolved = resolve_slots(node);
        let mut needs = Vec::with_capacity(node.items.len());
        for item in &node.items {
            let sources = item.args.iter().map(|source| match source {
                Source::Slot(slot) => resolved[*slot as usize],
                other => *other,
            });
            let items = sources.filter_map(|source| match source {
                Source::Item(needed, _) => Some(needed),
                _ => None,
            });
            needs.push(items.collect());
        }
        Ok(Dependencies { needs, order, live })
    }

    /// Whether nothing is used before the place in the text where it is computed.
    pub fn textual_order_is_legal(&self) -> bool {
        self.needs
            .iter()
            .enumerate()
            .all(|(i, needs)| !self.live[i] || needs.iter().all(|&needed| (needed as usize) < i))
    }

    /// All items as they stand in the text.
    pub fn textual(&self) -> Vec<u32> {
        (0..self.live.len() as u32).filter(|&i| self.live[i as usize]).collect()
    }
}

/// Everything but stores of versions that are replaced later.
fn is_live(node: &Elaborated, item: &crate::check::elaborate::Item) -> bool {
    match (&item.kind, item.args.first()) {
        (ItemKind::Store(..), Some(Source::Slot(slot))) => {
            let stored = &node.slots[*slot as usize];
            let variable = &node.variables[stored.variable as usize];
            node.current[(variable.first + stored.atom) as usize] == *slot
        }
        _ => true,
    }
}

/// For each slot what it stands for, copies followed to their origin; the slots form no cycle.
pub(in crate::check) fn resolve_slots(node: &Elaborated) -> Vec<Source> {
    let mut resolved: Vec<Option<Source>> = vec![None; node.slots.len()];
    let mut path = Vec::new();
    for start in 0..node.slots.len() {
        let mut slot = start;
        let origin = loop {
            if let Some(known) = resolved[slot] {
                break known;
            }
            path.push(slot);
            match node.slots[slot].definition {
                Some(Source::Slot(next)) => slot = next as usize,
                Some(origin) => break origin,
                None => break Source::Poison,
            }
        };
        path.drain(..).for_each(|slot| resolved[slot] = Some(origin));
    }
    resolved.into_iter().map(|source| source.unwrap_or(Source::Poison)).collect()
}

/// Depth-first search from each item in textual order.
struct Search<'n> {
    node: &'n Elaborated,
    items: Vec<Visit>,
    slots: Vec<Visit>,
    path: Vec<(Vertex, usize)>,
    order: Vec<u32>,
}

impl<'n> Search<'n> {
    fn new(node: &'n Elaborated) -> Search<'n> {
        Search {
            node,
            items: vec![Visit::New; node.items.len()],
            slots: vec![Visit::New; node.slots.len()],
            path: Vec::new(),
            order: Vec::with_capacity(node.items.len()),
        }
    }

    fn run(mut self, live: &[bool]) -> Result<Vec<u32>, Diagnostic> {
        for item in (0..live.len()).filter(|&i| live[i]) {
            self.visit(Vertex::Item(item as u32))?;
        }
        // Copies that nothing uses can be circular too.
        for slot in 0..self.slots.len() {
            self.visit(Vertex::Slot(slot as u32))?;
        }
        Ok(self.order)
    }

    fn visit(&mut self, root: Vertex) -> Result<(), Diagnostic> {
        self.enter(root)?;
        while let Some((vertex, next)) = self.path.last_mut() {
            let vertex = *vertex;
            let index = *next;
            *next += 1;
            match self.needed(vertex, index) {
                Some(Source::Item(item, _)) => self.enter(Vertex::Item(item))?,
                Some(Source::Slot(slot)) => self.enter(Vertex::Slot(slot))?,
                Some(_) => {}
                None => {
                    self.path.pop();
                    *self.state(vertex) = Visit::Done;
                    if let Vertex::Item(item) = vertex {
                        self.order.push(item);
                    }
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, vertex: Vertex) -> Result<(), Diagnostic> {
        match *self.state(vertex) {
            Visit::Done => Ok(()),
            Visit::Open => Err(self.cycle(vertex)),
            Visit::New => {
                *self.state(vertex) = Visit::Open;
                self.path.push((vertex, 0));
                Ok(())
            }
        }
    }

    fn state(&mut self, vertex: Vertex) -> &mut Visit {
        match vertex {
            Vertex::Item(item) => &mut self.items[item as usize],
            Vertex::Slot(slot) => &mut self.slots[slot as usize],
        }
    }

    fn needed(&self, vertex: Vertex, index: usize) -> Option<Source> {
        match vertex {
            Vertex::Item(item) => self.node.items[item as usize].args.get(index).copied(),
            Vertex::Slot(slot) if index == 0 => self.node.slots[slot as usize].definition,
            Vertex::Slot(_) => None,
        }
    }

    /// Whether a call or a table is on the path from here on.
    fn passes_call(&self, start: usize) -> bool {
        self.path[start..].iter().any(|(vertex, _)| match vertex {
            Vertex::Item(item) => matches!(
                self.node.items[*item as usize].kind,
                ItemKind::Op(Op::Call(..) | Op::Table(_))
            ),
            Vertex::Slot(_) => false,
        })
    }

    /// The error for a path that has come back to one of its vertices.
    fn cycle(&self, again: Vertex) -> Diagnostic {
        let start = self.path.iter().position(|(v, _)| *v == again).unwrap_or(0);
        let mut slots: Vec<u32> = self.path[start..]
            .iter()
            .filter_map(|(vertex, _)| match vertex {
                Vertex::Slot(slot) => Some(*slot),
                Vertex::Item(_) => None,
            })
            .collect();
        // Start with what stands first in the text, however the cycle was found.
        let first = (0..slots.len())
            .min_by_key(|&i| (self.node.slots[slots[i] as usize].span.start, slots[i]));
        slots.rotate_left(first.unwrap_or(0));
        let name = |slot: u32| {
            let slot = &self.node.slots[slot as usize];
            self.node.variables[slot.variable as usize].show(slot.atom)
        };
        let mut names: Vec<String> = slots.iter().map(|&slot| name(slot)).collect();
        names.push(names[0].clone());
        let span = self.node.slots[slots[0] as usize].span;
        let mut shown = names.clone();
        if shown.len() > SHOWN + 1 {
            shown.splice(SHOWN / 2..shown.len() - SHOWN / 2, ["…".to_string()]);
        }
        let mut error =
            Diagnostic::error("E0224", span, format!("`{}` depends on itself", names[0]))
                .label(shown.join(" → "))
                .help(match self.passes_call(start) {
                    true => {
                        "a call needs all of its arguments for each of its results; split the node, or feed back \
                         the value that a register had before the tick"
                    }
                    false => "equations hold all at once; for a sequential update write `:=`",
                });
        for (i, &slot) in slots.iter().enumerate().skip(1).take(SHOWN) {
            let place = self.node.slots[slot as usize].span;
            if error.labels.iter().all(|(shown, _)| *shown != place) {
                error = error.also(place, format!("`{}` needs `{}`", names[i], names[i + 1]));
            }
        }
        error
    }
}
