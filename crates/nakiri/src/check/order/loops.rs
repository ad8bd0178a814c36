//! An order in which the items of each `forall` stay together, iteration by iteration, so that it can become a
//! loop.
//!
//! On each level, first of the whole body and then of each iteration, a `forall` counts as one unit. Where units
//! need each other, or an iteration needs a later one, the `forall` is *dissolved*: its items are ordered one by
//! one. That is repeated until it works, which is nearly always at once.

use super::dependencies::Dependencies;
use crate::check::elaborate::Elaborated;
use crate::check::graph::sorted;
use rustc_hash::FxHashMap;

/// How often loops are dissolved before the attempt is given up.
const MAX_ATTEMPTS: usize = 64;

/// The items in an order that keeps loops together; `None` if that takes too many attempts.
pub(super) fn keeping_loops(node: &Elaborated, dependencies: &Dependencies) -> Option<Vec<u32>> {
    let mut sorter = Sorter {
        node,
        dependencies,
        dissolved: vec![false; node.foralls.len()],
        set: vec![0; node.items.len()],
        sets: 0,
        unit: vec![0; node.items.len()],
        order: Vec::new(),
    };
    (0..MAX_ATTEMPTS).find_map(|_| sorter.attempt())
}

/// A loop had to be dissolved; try again.
struct Dissolved;

/// What is ordered as a whole on one level.
struct Unit {
    /// The loop, unless the unit is a single item.
    forall: Option<u32>,
    /// Its items in textual order, each with the region of its iteration.
    items: Vec<(u32, u32)>,
}

struct Sorter<'n> {
    node: &'n Elaborated,
    dependencies: &'n Dependencies,
    dissolved: Vec<bool>,
    /// The number of the set of items that is being ordered, for each of its items.
    set: Vec<u32>,
    sets: u32,
    /// The unit of each item of that set.
    unit: Vec<u32>,
    order: Vec<u32>,
}

impl Sorter<'_> {
    fn attempt(&mut self) -> Option<Vec<u32>> {
        self.order.clear();
        let all = self.dependencies.textual();
        self.sort(&all, 0).ok()?;
        let mut position = vec![u32::MAX; self.node.items.len()];
        for (i, &item) in self.order.iter().enumerate() {
            position[item as usize] = i as u32;
        }
        let order = std::mem::take(&mut self.order);
        let dependencies = self.dependencies;
        let mut legal = true;
        for &item in &order {
            for &needed in &dependencies.needs[item as usize] {
                if position[needed as usize] > position[item as usize] {
                    legal = false;
                    self.dissolve_around(item, needed);
                }
            }
        }
        legal.then_some(order)
    }

    /// Orders items that stand, as far as the loops that are kept go, directly in one region.
    fn sort(&mut self, items: &[u32], region: u32) -> Result<(), Dissolved> {
        self.sets += 1;
        let set = self.sets;
        let mut units: Vec<Unit> = Vec::new();
        let mut unit_of_forall: FxHashMap<u32, u32> = FxHashMap::default();
        for &item in items {
            self.set[item as usize] = set;
            let inner = self.iteration_below(region, self.node.items[item as usize].region);
            let forall = inner.map(|r| self.node.regions[r as usize].forall);
            let unit = match forall {
                Some(forall) => *unit_of_forall.entry(forall).or_insert(units.len() as u32),
                None => units.len() as u32,
            };
            if unit as usize == units.len() {
                units.push(Unit { forall, items: Vec::new() });
            }
            units[unit as usize].items.push((item, inner.unwrap_or(region)));
            self.unit[item as usize] = unit;
        }
        for unit in self.sorted_units(&units, set)? {
            let unit = &units[unit];
            if unit.forall.is_none() {
                self.order.extend(unit.items.iter().map(|(item, _)| item));
                continue;
            }
            for iteration in unit.items.chunk_by(|a, b| a.1 == b.1) {
                let items: Vec<u32> = iteration.iter().map(|(item, _)| *item).collect();
                self.sort(&items, iteration[0].1)?;
            }
        }
        Ok(())
    }

    /// The units of a set, each after those it needs.
    fn sorted_units(&mut self, units: &[Unit], set: u32) -> Result<Vec<usize>, Dissolved> {
        let mut needs = Vec::with_capacity(units.len());
        for (index, unit) in units.iter().enumerate() {
            let items = unit.items.iter().flat_map(|(i, _)| &self.dependencies.needs[*i as usize]);
            let inside = items.filter(|needed| self.set[**needed as usize] == set);
            let needed = inside.map(|needed| self.unit[*needed as usize] as usize);
            needs.push(needed.filter(|needed| *needed != index).collect());
        }
        sorted(&needs).map_err(|cycle| {
            for forall in cycle.iter().filter_map(|(unit, _)| units[*unit].forall) {
                self.dissolved[forall as usize] = true;
            }
            Dissolved
        })
    }

    /// The outermost iteration of a kept loop that lies inside `outer` and holds `inner`.
    fn iteration_below(&self, outer: u32, inner: u32) -> Option<u32> {
        let mut found = None;
        let mut region = inner;
        while region != outer {
            let Some(info) = self.node.regions.get(region as usize) else { break };
            if !self.dissolved.get(info.forall as usize).copied().unwrap_or(true) {
                found = Some(region);
            }
            if region == 0 {
                break;
            }
            region = info.parent;
        }
        found
    }

    /// Dissolves the loop of which one item needs another in a later iteration.
    fn dissolve_around(&mut self, item: u32, needed: u32) {
        let loops = |item: u32| {
            let mut found = Vec::new();
            let mut region = self.node.items[item as usize].region;
            while region != 0 {
                let info = self.node.regions[region as usize];
                found.push((info.forall, info.iteration));
                region = info.parent;
            }
            found
        };
        let others = loops(needed);
        let crossing = loops(item)
            .into_iter()
            .find(|(forall, iteration)| others.iter().any(|(f, i)| f == forall && i != iteration));
        if let Some((forall, _)) = crossing {
            self.dissolved[forall as usize] = true;
        }
    }
}
