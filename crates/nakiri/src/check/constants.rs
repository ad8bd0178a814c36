//! What is computed while a program is checked: the atoms of constants, and the tables that nodes stand for.

use super::includes::Files;
use super::instances::{Instance, Meaning};
use super::outcome::{fail, Fault, Outcome};
use super::signature::{Declared, Signature};
use super::tables::TableShape;
use super::{emit, Checker};
use crate::core::{interp, Op, Program, Width};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    Assign, Body, Constant, ConstantValue, Def, DefKind, Eqn, Exp, Group, Var,
};
use num_bigint::BigUint;
use std::rc::Rc;

/// How many operations may be done for one constant, or for all entries of one table.
const MAX_OPERATIONS: u64 = 1 << 26;

/// The constants of these files that are no static numbers, each as a node without parameters.
pub(super) fn nodes(files: &Files) -> Vec<Def> {
    let atoms = |constant: &Constant| match &constant.value {
        ConstantValue::Atoms(value) => Some(node(constant, value)),
        ConstantValue::Number(_) | ConstantValue::Numbers(_) => None,
    };
    files.constants().filter_map(atoms).collect()
}

fn node(constant: &Constant, value: &Exp) -> Def {
    let Constant { name, ty, span, .. } = constant;
    let var = Var { name: name.clone(), selectors: Vec::new(), span: name.span };
    let equation = Eqn::Define {
        pat: vec![var],
        parenthesized: false,
        assign: Assign::Define,
        exp: value.clone(),
        span: *span,
    };
    let body = Body { vars: Vec::new(), state: Vec::new(), eqns: vec![equation], span: *span };
    let result = Group {
        names: vec![name.clone()],
        is_const: false,
        ty: ty.clone(),
        layout: None,
        span: name.span.to(ty.span),
    };
    Def {
        options: Vec::new(),
        name: name.clone(),
        params: Vec::new(),
        returns: vec![result],
        kind: DefKind::Node(vec![body]),
        is_array: false,
        span: *span,
        is_faulty: false,
    }
}

impl<'a> Checker<'a> {
    /// Computes the atoms of a constant.
    pub fn compute(&mut self, index: usize) -> Outcome<()> {
        let def = self.definitions.all[index];
        let instance = self.instance(index, 0, Vec::new())?;
        if !instance.signature.scope.widths.is_empty() {
            return fail(
                Diagnostic::error(
                    "E0143",
                    def.returns[0].ty.span,
                    "a constant has no open word size",
                )
                .label("of how many bits are its atoms?")
                .help("write the word size out, as in `u32x4` or `b4`"),
            );
        }
        let program = self.closed(&instance, 1)?;
        self.constants.insert(index, Rc::new(interp::numbers(&program)));
        Ok(())
    }

    /// The operation that applies the table that a node stands for, with the table added to the program.
    pub fn tabulate(&mut self, instance: &Instance<'a>) -> Outcome<Op> {
        let signature = &instance.signature;
        let shape = TableShape::of(instance.def, None, signature)?;
        if !shape.lookup
            && !matches!(signature.params[0].ty.atom.width, Width::Bits(1) | Width::Param(_))
        {
            return fail(
                Diagnostic::error("E0144", instance.def.name.span, "this can't be a table")
                    .label("it takes several words of more than one bit")
                    .help("a table takes one word, or bits: `v4`, `b4`"),
            );
        }
        let program = self.closed(instance, 1 << shape.inputs)?;
        let entries = entries(&program, &shape, signature);
        Ok(self.add_table(instance.name.clone(), &shape, entries))
    }

    /// The program whose entry is the function of an instance, with all that it calls, to be run so many times.
    fn closed(&mut self, instance: &Instance<'a>, runs: u64) -> Outcome<Program> {
        let Meaning::Func(entry) = instance.meaning else { return Err(Fault::Told) };
        let error = |code, message: &str| Diagnostic::error(code, instance.def.name.span, message);
        let reached = self.elaborate_reached(entry);
        let mut funcs: Vec<_> = self.instances.of_functions().map(emit::empty).collect();
        for number in reached {
            let Some(func) = self.instances.sound(number) else { return Err(Fault::Told) };
            if !func.resets.is_empty() {
                return fail(
                    error("E0143", "this is computed by a node with registers")
                        .label("it depends on a tick, so that it is no constant")
                        .help("compute it by nodes without `state`"),
                );
            }
            funcs[number] = func.clone();
        }
        let tables = std::mem::take(&mut self.tables);
        let fields = self.fields.all().to_vec();
        let everything = Program { funcs, entry, tables, constants: Vec::new(), fields };
        let program = emit::pruned(&everything, entry);
        self.tables = everything.tables;
        if operations(&program).saturating_mul(runs) > MAX_OPERATIONS {
            return fail(
                error("E0145", "this takes too long to compute")
                    .label(format!("more than {MAX_OPERATIONS} operations"))
                    .help("write down what comes of it, or compute it by fewer operations"),
            );
        }
        Ok(program)
    }

    /// The atoms of a constant, if it has been computed.
    pub fn known(&self, index: usize) -> Outcome<Rc<Vec<BigUint>>> {
        self.constants.get(&index).cloned().ok_or(Fault::Told)
    }
}

/// How many operations a run of a program takes, whose functions stand behind those that they call.
fn operations(program: &Program) -> u64 {
    let mut all: Vec<u64> = Vec::with_capacity(program.funcs.len());
    for func in &program.funcs {
        let mut own = func.values.len() as u64;
        for stmt in &func.body {
            stmt.instrs(&mut |instr| {
                if let Op::Call(callee, ..) = instr.op {
                    own = own.saturating_add(all[callee.index()]);
                }
            });
        }
        all.push(own);
    }
    all[program.entry.index()]
}

/// The results of a program's entry for each index of a table of this shape.
fn entries(program: &Program, shape: &TableShape, signature: &Signature) -> Vec<u128> {
    let widths = vec![1; signature.scope.widths.len()];
    let entry = |index: u128| {
        let atoms = match shape.lookup {
            true => vec![index],
            false => interp::to_bits(&[index], shape.inputs as u16),
        };
        let mut rest = &atoms[..];
        let mut port = |declared: &Declared| {
            let (own, others) = rest.split_at(declared.ty.count() as usize);
            rest = others;
            own.to_vec()
        };
        let inputs: Vec<Vec<u128>> = signature.params.iter().map(&mut port).collect();
        let results = interp::run_with(program, &inputs, &widths).concat();
        match shape.lookup {
            true => results[0],
            false => interp::from_bits(&results, shape.outputs as u16)[0],
        }
    };
    (0..1 << shape.inputs).map(entry).collect()
}
