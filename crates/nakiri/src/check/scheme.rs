//! Inferred types: the parameters of each node and the classes that its operators ask for.

use super::emit::callees;
use super::instances::{Instance, Meaning};
use super::signature::{is_nat, names, Declared};
use super::types::Scope;
use crate::core::{Class, Dir, Func, Op, OpKind, Program, Type, Width};
use crate::source::Span;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What is known about a node, table or permutation.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// Its name; `f.3` for a `nat` argument of 3, `f.e2` for element 2 of an array.
    pub name: String,
    /// Where it is defined.
    pub span: Span,
    /// Its type: `SubColumn : Logic 'm ⇒ u<'D>'m x4 → u<'D>'m x4`.
    pub scheme: String,
    /// The operators that it and its callees need, each class, operator and type once.
    pub constraints: Vec<Constraint>,
}

/// An operator that must exist for a type.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The class.
    pub class: Class,
    /// The operator.
    pub op: OpKind,
    /// The type of its first operand, in terms of the node's own parameters.
    pub ty: Type,
    /// The operator's place in the source.
    pub span: Span,
}

/// The types of all instances, in the order of the source.
pub(super) fn describe(program: &Program, instances: &[Rc<Instance>]) -> Vec<NodeInfo> {
    let of_funcs = constraints(program);
    let mut sorted: Vec<&Rc<Instance>> = instances.iter().collect();
    sorted.sort_by_key(|i| (i.definition, i.element));
    let info = |instance: &&Rc<Instance>| {
        let constraints = match &instance.meaning {
            Meaning::Func(id) => of_funcs[id.index()].clone(),
            Meaning::Table(op) => table_constraint(instance, op),
            Meaning::Perm(_) => Vec::new(),
        };
        NodeInfo {
            name: instance.name.clone(),
            span: instance.def.name.span,
            scheme: scheme(instance, &constraints),
            constraints,
        }
    };
    sorted.iter().map(info).collect()
}

fn table_constraint(instance: &Instance, op: &Op) -> Vec<Constraint> {
    let (Some(class), Some(input)) = (op.kind().class(), instance.signature.params.first()) else {
        return Vec::new();
    };
    let span = instance.def.name.span;
    vec![Constraint { class, op: op.kind(), ty: input.ty.atom, span }]
}

/// What each function and its callees need.
fn constraints(program: &Program) -> Vec<Vec<Constraint>> {
    let mut done: Vec<Option<Vec<Constraint>>> = vec![None; program.funcs.len()];
    for root in 0..program.funcs.len() {
        let mut path = vec![root];
        while let Some(&func) = path.last() {
            let waiting: Vec<usize> = callees(&program.funcs[func])
                .into_iter()
                .map(|callee| callee.index())
                .filter(|callee| done[*callee].is_none())
                .collect();
            if waiting.is_empty() {
                path.pop();
                if done[func].is_none() {
                    done[func] = Some(of_func(&program.funcs[func], &done));
                }
            } else {
                path.extend(waiting);
            }
        }
    }
    done.into_iter().map(Option::unwrap_or_default).collect()
}

fn of_func(func: &Func, done: &[Option<Vec<Constraint>>]) -> Vec<Constraint> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut add = |c: Constraint| {
        if seen.insert((c.class, c.op, c.ty)) {
            found.push(c);
        }
    };
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if let Op::Call(callee, dirs, widths) = &instr.op {
                for c in done[callee.index()].iter().flatten() {
                    add(Constraint { ty: substitute(c.ty, dirs, widths), ..c.clone() });
                }
            } else if let (Some(class), Some(&operand)) =
                (instr.op.kind().class(), instr.args.first())
            {
                let (op, ty, span) = (instr.op.kind(), func.ty(operand), instr.span);
                add(Constraint { class, op, ty, span });
            }
        });
    }
    found
}

/// A callee's type, for the caller.
pub(super) fn substitute(ty: Type, dirs: &[Dir], widths: &[Width]) -> Type {
    Type {
        dir: match ty.dir {
            Dir::Param(p) => dirs[usize::from(p)],
            fixed => fixed,
        },
        width: match ty.width {
            Width::Param(p) => widths[usize::from(p)],
            bits => bits,
        },
    }
}

/// `name : classes ⇒ inputs → results`.
fn scheme(instance: &Instance, constraints: &[Constraint]) -> String {
    let scope = &instance.signature.scope;
    let mut classes: Vec<(Class, String)> = Vec::new();
    for c in constraints {
        let width = match c.ty.width {
            Width::Bits(bits) | Width::Row(bits, _) => bits.to_string(),
            Width::Field(field) => scope.fields().get(field).name().to_string(),
            Width::Param(p) => scope.widths[usize::from(p)].clone(),
        };
        if !classes.contains(&(c.class, width.clone())) {
            classes.push((c.class, width));
        }
    }
    classes.sort();
    let shown: Vec<_> = classes.iter().map(|(class, width)| format!("{class:?} {width}")).collect();
    let context = match &shown[..] {
        [] => String::new(),
        [one] => format!("{one} ⇒ "),
        several => format!("({}) ⇒ ", several.join(", ")),
    };
    let mut declared = instance.signature.params.iter();
    let mut inputs: Vec<String> = Vec::new();
    for (_, group) in names(&instance.def.params) {
        match (is_nat(group), declared.len()) {
            (true, _) => inputs.push("nat".into()),
            (false, _) => inputs.extend(declared.next().map(|d| port(d, scope))),
        }
    }
    let outputs: Vec<_> = instance.signature.results.iter().map(|d| port(d, scope)).collect();
    let outputs = match &outputs[..] {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    };
    let inputs = if inputs.is_empty() { "()".to_string() } else { inputs.join(" → ") };
    format!("{} : {context}{inputs} → {outputs}", instance.name)
}

fn port(declared: &Declared, scope: &Scope) -> String {
    let constant = if declared.constant { "const " } else { "" };
    let count = match declared.ty.count() {
        1 => String::new(),
        n => format!(" x{n}"),
    };
    format!("{constant}{}{count}", scope.show(declared.ty.atom, true))
}
