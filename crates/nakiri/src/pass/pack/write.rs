//! Writes the packed program: one statement for each row, at the place of the last statement that it stands for.

use super::group::begins;
use super::order::{self, Order};
use super::plan::{Operand, Plan, Source};
use crate::core::{semantics, Func, FuncId, Index, Instr, Op, Program, Stmt, Type, ValueId};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Replaces the entry by its rows.
pub fn write(program: &mut Program, plan: &Plan) {
    let needed = order::needed(plan);
    let orders = order::orders(plan, &needed);
    // Calls of instructions are operations now.
    let mut func = program.funcs.swap_remove(program.entry.index());
    let ty = func.results.first().map_or(Type::row(1, 1), |port| port.row());
    let mut writer = Writer {
        plan,
        orders,
        ty,
        values: Vec::new(),
        rows: vec![None; plan.rows.len()],
        permuted: FxHashMap::default(),
        out: Vec::new(),
        span: func.span,
    };
    let mut events: Vec<(usize, usize, Event)> = Vec::new();
    let rows = plan.rows.iter().enumerate().filter(|(row, _)| needed[*row]);
    events.extend(rows.map(|(i, row)| (row.place, i, Event::Row(i))));
    let stores = plan.stores.iter().enumerate();
    events.extend(stores.map(|(i, store)| (store.place, plan.rows.len() + i, Event::Store(i))));
    events.sort_by_key(|(place, order, _)| (*place, *order));
    let mut written: FxHashMap<usize, Vec<Stmt>> = FxHashMap::default();
    for (place, _, event) in events {
        match event {
            Event::Row(row) => writer.row(row),
            Event::Store(store) => writer.store(store),
        }
        written.entry(place).or_default().append(&mut writer.out);
    }
    func.values = writer.values;
    func.body = rebuilt(std::mem::take(&mut func.body), &mut 0, &mut written);
    pack_ports(&mut func);
    (program.funcs, program.entry) = (vec![func], FuncId(0));
}

enum Event {
    Row(usize),
    Store(usize),
}

fn pack_ports(func: &mut Func) {
    for port in func.params.iter_mut().chain(&mut func.results) {
        *port = super::packed(port);
    }
}

/// The statements, each replaced by what was written at its place.
fn rebuilt(
    stmts: Vec<Stmt>,
    place: &mut usize,
    written: &mut FxHashMap<usize, Vec<Stmt>>,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::Forall(mut forall) => {
                let iterations = forall.iterations.into_iter();
                forall.iterations = iterations.map(|body| rebuilt(body, place, written)).collect();
                out.push(Stmt::Forall(forall));
            }
            _ => {
                out.extend(written.remove(place).unwrap_or_default());
                *place += 1;
            }
        }
    }
    out
}

struct Writer<'a> {
    plan: &'a Plan,
    orders: Vec<Order>,
    ty: Type,
    values: Vec<Type>,
    /// The value of each row, once it is written.
    rows: Vec<Option<ValueId>>,
    permuted: FxHashMap<(usize, Vec<Option<u16>>), ValueId>,
    out: Vec<Stmt>,
    span: Span,
}

impl Writer<'_> {
    fn emit(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        self.values.push(self.ty);
        let value = ValueId(self.values.len() as u32 - 1);
        let results = [value].into_iter().collect();
        let args = args.iter().copied().collect();
        self.out.push(Stmt::Let(Instr { results, op, args, span: self.span }));
        value
    }

    fn row(&mut self, number: usize) {
        let row = &self.plan.rows[number];
        self.span = row.span;
        let order = self.orders[number].clone();
        let value = match &row.source {
            Source::Load(param, index) => self.emit(Op::Load(*param, Index::fixed(*index)), &[]),
            Source::Apply(op, operands) => {
                let args: Vec<ValueId> =
                    operands.iter().map(|operand| self.operand(operand, &order)).collect();
                self.emit(op.clone(), &args)
            }
            Source::Gather(parts) => match self.window(parts, &order) {
                Some((op, rows)) => self.emit(op, &rows),
                None => {
                    let parts: Vec<ValueId> =
                        parts.iter().map(|part| self.operand(part, &order)).collect();
                    let joined = parts.into_iter().reduce(|a, b| self.emit(Op::Or, &[a, b]));
                    joined.unwrap_or_else(|| self.emit(Op::Const(0), &[]))
                }
            },
        };
        self.rows[number] = Some(value);
    }

    fn store(&mut self, number: usize) {
        let store = &self.plan.stores[number];
        self.span = store.span;
        let order: Order = (0..self.plan.length as u8).collect();
        let value = self.operand(&store.operand, &order);
        let (result, index, span) = (store.result, Index::fixed(store.index), store.span);
        self.out.push(Stmt::Store { result, index, value, span });
    }

    /// The window of two rows that a row of this order is, if the target has them.
    fn window(&self, parts: &[Operand], order: &Order) -> Option<(Op, [ValueId; 2])> {
        let [Operand::Row(a, first), Operand::Row(b, second)] = parts else { return None };
        let picks = |row: usize, members: &[Option<usize>]| -> Vec<Option<usize>> {
            let held = &self.orders[row];
            let element = |member| held.iter().position(|&m| usize::from(m) == member);
            order.iter().map(|&place| members[usize::from(place)].and_then(element)).collect()
        };
        let begins = begins(&picks(*a, first), &picks(*b, second)).filter(|_| self.plan.windows)?;
        Some((Op::Window(begins), [self.rows[*a]?, self.rows[*b]?]))
    }

    /// An operand with its atoms where a row of this order has its own.
    fn operand(&mut self, operand: &Operand, order: &Order) -> ValueId {
        let members = match operand {
            Operand::Constants(constants) => {
                let atoms: Vec<u128> = order.iter().map(|&m| constants[usize::from(m)]).collect();
                return self.emit(Op::Const(semantics::pack(&atoms, self.ty.word())), &[]);
            }
            Operand::Row(_, members) => members,
        };
        let Operand::Row(row, _) = operand else { unreachable!("constants have returned") };
        let held = &self.orders[*row];
        let element = |member: usize| held.iter().position(|&m| usize::from(m) == member);
        let place = |&member: &u8| {
            members[usize::from(member)].and_then(element).map(|element| element as u16)
        };
        let picks: Vec<Option<u16>> = order.iter().map(place).collect();
        let value = self.rows[*row].expect("a row stands before those made of it");
        if picks.iter().enumerate().all(|(i, pick)| *pick == Some(i as u16)) {
            return value;
        }
        if let Some(&known) = self.permuted.get(&(*row, picks.clone())) {
            return known;
        }
        let permuted = self.emit(Op::Permute(picks.clone().into()), &[value]);
        self.permuted.insert((*row, picks), permuted);
        permuted
    }
}
