//! In which order each row holds its atoms.
//!
//! An operation needs no permutation of those operands whose atoms lie where its own do. Which order is best depends on all
//! that follows, so that the rows are ordered one after another in a beam of alternatives: fewest permutations first,
//! then the shortest way.

use super::plan::{Operand, Plan, Source};
use crate::core::Op;
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// For each element of a row the member that it holds.
pub type Order = SmallVec<[u8; 16]>;

/// How many alternatives are kept, at most.
const BEAM: usize = 24;

/// How many rows that are still needed are weighed in all steps and alternatives together: long programs have fewer
/// alternatives.
const WEIGHED: usize = 1 << 22;

/// In how many orders a row is known to be there: copies beyond are made and forgotten.
const MOST_ORDERS: usize = 8;

/// The members of an operand in the elements of a row of this order, if they are all of one row.
pub fn wanted(members: &[Option<usize>], order: &[u8]) -> Option<Order> {
    order.iter().map(|&member| members[usize::from(member)].map(|m| m as u8)).collect()
}

/// Which rows are needed for the results.
pub fn needed(plan: &Plan) -> Vec<bool> {
    let mut needed = vec![false; plan.rows.len()];
    let mark = |needed: &mut Vec<bool>, operand: &Operand| {
        if let Operand::Row(row, _) = operand {
            needed[*row] = true;
        }
    };
    plan.stores.iter().for_each(|store| mark(&mut needed, &store.operand));
    for row in (0..plan.rows.len()).rev().collect::<Vec<_>>() {
        if needed[row] {
            plan.rows[row].operands().iter().for_each(|operand| mark(&mut needed, operand));
        }
    }
    needed
}

/// The order of every row.
pub fn orders(plan: &Plan, needed: &[bool]) -> Vec<Order> {
    let identity: Order = (0..plan.length as u8).collect();
    let last = last_uses(plan, needed);
    let alive = |(number, last): (usize, &usize)| last.min(&plan.rows.len()).saturating_sub(number);
    let alive: usize = last.iter().enumerate().map(alive).sum();
    let alternatives = (WEIGHED / alive.max(1)).clamp(1, BEAM);
    let mut beam = vec![State::default()];
    for (number, row) in plan.rows.iter().enumerate().filter(|(number, _)| needed[*number]) {
        let mut next: FxHashMap<u64, State> = FxHashMap::default();
        let mut keys = Vec::new();
        for state in &beam {
            for order in state.candidates(&row.source, &identity) {
                let mut state = state.clone();
                state.place(number, row.operands(), order);
                state.live.retain(|live| last[live.row] > number);
                let key = state.key();
                match next.get(&key) {
                    Some(known) if known.cost() <= state.cost() => {}
                    known => {
                        if known.is_none() {
                            keys.push(key);
                        }
                        next.insert(key, state);
                    }
                }
            }
        }
        beam = keys.iter().filter_map(|key| next.remove(key)).collect();
        beam.sort_by_key(State::cost);
        beam.truncate(alternatives);
    }
    for state in &mut beam {
        for store in &plan.stores {
            state.take(&store.operand, &identity);
        }
    }
    let best = beam.into_iter().min_by_key(State::cost).unwrap_or_default();
    let mut orders = vec![identity; plan.rows.len()];
    let mut chosen = best.chosen.as_deref();
    while let Some(choice) = chosen {
        orders[choice.row].clone_from(&choice.order);
        chosen = choice.before.as_deref();
    }
    orders
}

/// The last row that each row is an operand of; beyond all rows for results.
fn last_uses(plan: &Plan, needed: &[bool]) -> Vec<usize> {
    let mut last = vec![0; plan.rows.len()];
    for (number, row) in plan.rows.iter().enumerate().filter(|(number, _)| needed[*number]) {
        for operand in row.operands() {
            if let Operand::Row(from, _) = operand {
                last[*from] = number;
            }
        }
    }
    for store in &plan.stores {
        if let Operand::Row(from, _) = store.operand {
            last[from] = usize::MAX;
        }
    }
    last
}

/// One alternative.
#[derive(Clone, Default)]
struct State {
    permutations: u32,
    /// The longest way to a row so far, in operations.
    depth: u32,
    live: Vec<Rc<Live>>,
    chosen: Option<Rc<Choice>>,
}

/// A row that is still needed, in each order that there is of it: its own is the first.
#[derive(Clone)]
struct Live {
    row: usize,
    orders: SmallVec<[(Order, u32); 2]>,
    /// A digest of the row and its orders, in whatever sequence the copies were made.
    digest: u64,
}

struct Choice {
    row: usize,
    order: Order,
    before: Option<Rc<Choice>>,
}

impl State {
    fn cost(&self) -> (u32, u32) {
        (self.permutations, self.depth)
    }

    /// A digest of what is there in which orders.
    fn key(&self) -> u64 {
        digest(&self.live.iter().map(|live| live.digest).collect::<SmallVec<[u64; 64]>>())
    }

    /// The orders in which a row takes one of its operands as it is. Instructions have one.
    fn candidates(&self, source: &Source, identity: &Order) -> Vec<Order> {
        let mut candidates: Vec<Order> = Vec::new();
        if let Source::Apply(op, operands) = source {
            let any = !matches!(op, Op::Instruction(_));
            for operand in operands.iter().filter(|_| any) {
                let Operand::Row(row, members) = operand else { continue };
                for (order, _) in self.live(*row).map_or(&[][..], |live| &live.orders) {
                    let holder = |member: &u8| {
                        members
                            .iter()
                            .position(|m| *m == Some(usize::from(*member)))
                            .map(|m| m as u8)
                    };
                    let natural: Option<Order> = order.iter().map(holder).collect();
                    candidates.extend(natural.filter(is_permutation));
                }
            }
        }
        if candidates.is_empty() {
            candidates.push(identity.clone());
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    fn live(&self, row: usize) -> Option<&Live> {
        self.live.iter().find(|live| live.row == row).map(Rc::as_ref)
    }

    fn place(&mut self, row: usize, operands: &[Operand], order: Order) {
        let ready = operands.iter().map(|operand| self.take(operand, &order)).max();
        let depth = ready.map_or(0, |ready| ready + 1);
        self.depth = self.depth.max(depth);
        let before = self.chosen.take();
        self.chosen = Some(Rc::new(Choice { row, order: order.clone(), before }));
        let digest = digest(&(row, &order));
        self.live.push(Rc::new(Live { row, orders: smallvec![(order, depth)], digest }));
    }

    /// Permutes an operand, unless it is there in the order wanted. When it is ready.
    fn take(&mut self, operand: &Operand, order: &Order) -> u32 {
        let Operand::Row(row, members) = operand else { return 0 };
        let Some(live) = self.live.iter_mut().find(|live| live.row == *row) else { return 0 };
        let wanted = wanted(members, order);
        if let Some((_, depth)) = live.orders.iter().find(|(o, _)| Some(o) == wanted.as_ref()) {
            return *depth;
        }
        self.permutations += 1;
        let depth = live.orders[0].1 + 1;
        if let Some(wanted) = wanted.filter(|_| live.orders.len() < MOST_ORDERS) {
            let live = Rc::make_mut(live);
            live.digest = live.digest.wrapping_add(digest(&wanted));
            live.orders.push((wanted, depth));
        }
        depth
    }
}

/// Of 64 bits on every machine, so that none takes two alternatives for the same that another doesn't.
fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn is_permutation(order: &Order) -> bool {
    (0..order.len() as u8).all(|member| order.contains(&member))
}
