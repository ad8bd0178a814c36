//! Ordered items to functions of the core.

use super::elaborate::{Elaborated, ItemKind, Source};
use super::instances::Instance;
use super::order::resolve_slots;
use super::Checker;
use crate::core::{
    Forall, Func, FuncId, Index, Instr, Instruction, Op, Program, Stmt, TableId, Type, ValueId,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::OptKind;
use num_traits::ToPrimitive;

/// The function of an instance, without statements.
pub(super) fn empty(instance: &Instance) -> Func {
    let signature = &instance.signature;
    let options = || instance.def.options.iter().map(|o| &o.kind).rev();
    Func {
        name: instance.name.clone(),
        span: instance.def.name.span,
        dir_params: signature.scope.dirs.clone(),
        width_params: signature.scope.widths.clone(),
        params: signature.params.iter().map(|p| p.port()).collect(),
        results: signature.results.iter().map(|r| r.port()).collect(),
        resets: Vec::new(),
        values: Vec::new(),
        body: Vec::new(),
        inline: options().find_map(|o| match o {
            OptKind::Inline => Some(true),
            OptKind::NoInline => Some(false),
            _ => None,
        }),
        interleave: options().find_map(|o| match o {
            OptKind::Interleave(n) => n.to_u32(),
            _ => None,
        }),
        instruction: match options().any(|option| *option == OptKind::Instruction) {
            true => Instruction::of_node(&instance.name),
            false => None,
        },
    }
}

/// The function of an instance from its items in order.
pub(super) fn func(
    checker: &mut Checker,
    instance: &Instance,
    node: &Elaborated,
    order: &[u32],
) -> Func {
    let kept = kept_loops(node, order);
    for (forall, kept) in node.foralls.iter().zip(&kept) {
        if forall.unroll == Some(false) && !kept {
            checker.report(
                Diagnostic::warning("E0242", forall.span, "this `forall` can't stay a loop")
                    .label("its equations need values of later iterations or of equations between")
                    .help("order the iterations so that each needs only earlier ones"),
            );
        }
    }
    let mut writer = Writer {
        node,
        kept,
        slots: resolve_slots(node),
        func: with_registers(instance, node),
        first_result: vec![ValueId(0); node.items.len()],
        open: Vec::new(),
        body: Vec::new(),
    };
    for &item in order {
        writer.item(item);
    }
    writer.leave(0);
    Func { body: writer.body, ..writer.func }
}

/// The function of an instance with the registers that it declares.
fn with_registers(instance: &Instance, node: &Elaborated) -> Func {
    let mut func = empty(instance);
    for register in &node.registers {
        func.params.push(register.port.clone());
        func.results.push(register.port.clone());
        func.resets.push(register.reset.clone());
    }
    func
}

/// Which loops have their items side by side and their iterations in order.
fn kept_loops(node: &Elaborated, order: &[u32]) -> Vec<bool> {
    struct Extent {
        first: usize,
        last: usize,
        count: usize,
        iteration: u32,
        in_order: bool,
    }
    let mut extents: Vec<Option<Extent>> = node.foralls.iter().map(|_| None).collect();
    for (position, &item) in order.iter().enumerate() {
        let mut region = node.items[item as usize].region;
        while region != 0 {
            let info = node.regions[region as usize];
            let extent = extents[info.forall as usize].get_or_insert(Extent {
                first: position,
                last: position,
                count: 0,
                iteration: 0,
                in_order: true,
            });
            extent.last = position;
            extent.count += 1;
            extent.in_order &= info.iteration >= extent.iteration;
            extent.iteration = info.iteration;
            region = info.parent;
        }
    }
    let kept = |e: &Option<Extent>| {
        e.as_ref().is_none_or(|e| e.in_order && e.last - e.first + 1 == e.count)
    };
    extents.iter().map(kept).collect()
}

/// A loop that is being written.
struct Open {
    forall: u32,
    iterations: Vec<Vec<Stmt>>,
    /// The iteration of the loop around it in which it stands.
    outer: u32,
}

struct Writer<'n> {
    node: &'n Elaborated,
    kept: Vec<bool>,
    /// What each slot stands for.
    slots: Vec<Source>,
    func: Func,
    /// The first result of each item already written.
    first_result: Vec<ValueId>,
    open: Vec<Open>,
    body: Vec<Stmt>,
}

impl Writer<'_> {
    fn item(&mut self, index: u32) {
        let node = self.node;
        let item = &node.items[index as usize];
        let iteration = self.enter(item.region);
        let mut args: smallvec::SmallVec<[ValueId; 3]> = Default::default();
        for (i, source) in item.args.iter().enumerate() {
            let ty = match item.kind {
                ItemKind::Op(_) => None,
                ItemKind::Store(result, _) => Some(self.func.results[result as usize].ty),
            };
            // An operand that is the same as the one before it is loaded once.
            match i.checked_sub(1).filter(|before| item.args[*before] == *source) {
                Some(before) => args.push(args[before]),
                None => args.push(self.operand(*source, ty, iteration, item.span)),
            }
        }
        match &item.kind {
            ItemKind::Op(op) => {
                self.first_result[index as usize] = ValueId(self.func.values.len() as u32);
                let results = item.results.iter().map(|&ty| self.func.value(ty)).collect();
                let instr = Instr { results, op: op.clone(), args, span: item.span };
                self.statement(iteration, Stmt::Let(instr));
            }
            ItemKind::Store(result, atom) => {
                let index = Index::fixed(*atom);
                let store = Stmt::Store { result: *result, index, value: args[0], span: item.span };
                self.statement(iteration, store);
            }
        }
    }

    /// The value of an operand; loads and constants are made for each use.
    fn operand(&mut self, source: Source, ty: Option<Type>, iteration: u32, span: Span) -> ValueId {
        let origin = match source {
            Source::Slot(slot) => self.slots[slot as usize],
            other => other,
        };
        let (op, ty) = match origin {
            Source::Item(item, result) => {
                return ValueId(self.first_result[item as usize].0 + result);
            }
            Source::Load(param, atom) => {
                let ty = self.func.params[param as usize].ty;
                (Op::Load(param, Index::fixed(atom)), ty)
            }
            Source::Const(constant) => {
                let (value, ty) = self.node.constants[constant as usize];
                (Op::Const(value), ty)
            }
            // Not reached: programs with errors are not written.
            Source::Slot(_) | Source::Poison => {
                (Op::Const(0), ty.unwrap_or(Type::new(crate::core::Direction::V, 1)))
            }
        };
        let value = self.func.value(ty);
        let instr = Instr { results: [value].into(), op, args: Default::default(), span };
        self.statement(iteration, Stmt::Let(instr));
        value
    }

    /// Adds a statement to the innermost open loop.
    fn statement(&mut self, iteration: u32, stmt: Stmt) {
        match self.open.last_mut() {
            Some(open) => open.iterations[iteration as usize].push(stmt),
            None => self.body.push(stmt),
        }
    }

    /// Opens and closes loops so that the innermost open one is that of a region; returns the region's iteration.
    fn enter(&mut self, region: u32) -> u32 {
        let mut chain = Vec::new();
        let mut region = region;
        while region != 0 {
            let info = self.node.regions[region as usize];
            if self.kept[info.forall as usize] {
                chain.push(info);
            }
            region = info.parent;
        }
        chain.reverse();
        let same = self.open.iter().zip(&chain).take_while(|(o, r)| o.forall == r.forall).count();
        self.leave(same);
        for depth in same..chain.len() {
            let forall = chain[depth].forall;
            let count = self.node.foralls[forall as usize].iterations;
            let outer = depth.checked_sub(1).map_or(0, |outer| chain[outer].iteration);
            let iterations = vec![Vec::new(); count as usize];
            self.open.push(Open { forall, iterations, outer });
        }
        chain.last().map_or(0, |r| r.iteration)
    }

    /// Closes loops until `depth` are open.
    fn leave(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(closed) = self.open.pop() else { return };
            let info = &self.node.foralls[closed.forall as usize];
            let forall =
                Forall { unroll: info.unroll, iterations: closed.iterations, span: info.span };
            self.statement(closed.outer, Stmt::Forall(forall));
        }
    }
}

/// The part of a program that an entry needs, callees before their callers.
pub(super) fn pruned(program: &Program, entry: FuncId) -> Program {
    let mut number: Vec<Option<u32>> = vec![None; program.funcs.len()];
    let mut order = Vec::new();
    let mut path = vec![(entry, callees(&program.funcs[entry.index()]), 0)];
    while let Some((func, called, next)) = path.last_mut() {
        let Some(&callee) = called.get(*next) else {
            number[func.index()] = Some(order.len() as u32);
            order.push(*func);
            path.pop();
            continue;
        };
        *next += 1;
        if number[callee.index()].is_none() {
            path.push((callee, callees(&program.funcs[callee.index()]), 0));
        }
    }
    let mut tables: Vec<Option<TableId>> = vec![None; program.tables.len()];
    let mut kept = Vec::new();
    let mut funcs: Vec<Func> = order.iter().map(|f| program.funcs[f.index()].clone()).collect();
    for stmt in funcs.iter_mut().flat_map(|f| &mut f.body) {
        instrs_mut(stmt, &mut |instr| match &mut instr.op {
            Op::Call(callee, ..) => *callee = FuncId(number[callee.index()].unwrap_or(0)),
            Op::Table(table) | Op::Lookup(table) => {
                let old = table.index();
                *table = *tables[old].get_or_insert_with(|| {
                    kept.push(program.tables[old].clone());
                    TableId(kept.len() as u32 - 1)
                });
            }
            _ => {}
        });
    }
    let entry = FuncId(order.len() as u32 - 1);
    Program {
        funcs,
        entry,
        tables: kept,
        constants: program.constants.clone(),
        fields: program.fields.clone(),
    }
}

/// The functions that a function calls, in order, repetitions left out where they follow each other.
pub(super) fn callees(func: &Func) -> Vec<FuncId> {
    let mut called = Vec::new();
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if let Op::Call(callee, ..) = instr.op {
                called.push(callee);
            }
        });
    }
    called.dedup();
    called
}

fn instrs_mut(stmt: &mut Stmt, f: &mut dyn FnMut(&mut Instr)) {
    match stmt {
        Stmt::Let(instr) => f(instr),
        Stmt::Store { .. } => {}
        Stmt::Forall(forall) => {
            forall.iterations.iter_mut().flatten().for_each(|s| instrs_mut(s, f));
        }
        Stmt::Loop(l) => l.body.iter_mut().for_each(|s| instrs_mut(s, f)),
    }
}
