//! Makes functions of tables, so that a table that is applied more than once can be one piece of code.

use crate::core::{
    Func, FuncId, Index, Instr, Layout, Op, Port, Program, Stmt, Table, TableId, Type, ValueId,
};
use rustc_hash::FxHashMap;

/// Replaces every application of a table, to atoms or to one word, by a call. The program is monomorphic.
pub fn tables(program: &mut Program) {
    let mut known: FxHashMap<(TableId, Type, usize), FuncId> = FxHashMap::default();
    let mut made = Vec::new();
    let first = program.funcs.len();
    for func in &mut program.funcs {
        let Func { body, values, .. } = func;
        for stmt in body {
            stmt.instrs_mut(&mut |instr| {
                let (Op::Table(id) | Op::Lookup(id)) = instr.op else { return };
                let ty = values[instr.results[0].index()];
                let callee = *known.entry((id, ty, instr.args.len())).or_insert_with(|| {
                    made.push(function(&program.tables[id.index()], ty, instr));
                    FuncId((first + made.len() - 1) as u32)
                });
                instr.op = Op::Call(callee, Vec::new(), Vec::new());
            });
        }
    }
    program.funcs.append(&mut made);
}

/// The function that applies a table to atoms of this type, as an instruction does.
fn function(table: &Table, ty: Type, applied: &Instr) -> Func {
    let (inputs, outputs) = (applied.args.len() as u32, applied.results.len() as u32);
    let span = applied.span;
    let port = |name: &str, count| Port {
        name: name.to_string(),
        ty,
        shape: vec![count],
        constant: false,
        layout: Layout::Le,
        span,
    };
    let (args, results) = ((0..inputs).map(ValueId), (inputs..inputs + outputs).map(ValueId));
    let loads = args.clone().map(|arg| Instr {
        results: [arg].into_iter().collect(),
        op: Op::Load(0, Index::fixed(arg.0)),
        args: [].into_iter().collect(),
        span,
    });
    let apply = Instr {
        results: results.clone().collect(),
        op: applied.op.clone(),
        args: args.clone().collect(),
        span,
    };
    let stores = results.map(|value| Stmt::Store {
        result: 0,
        index: Index::fixed(value.0 - inputs),
        value,
        span,
    });
    Func {
        params: vec![port("x", inputs)],
        results: vec![port("y", outputs)],
        values: vec![ty; (inputs + outputs) as usize],
        body: loads.chain([apply]).map(Stmt::Let).chain(stores).collect(),
        ..Func::new(format!("{} {:?}{}", table.name, ty.direction(), ty.bits()), span)
    }
}
