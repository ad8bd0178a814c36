//! The verifier: what holds of every core program between two passes.

mod body;
mod ops;

use super::{Dir, Func, Layout, Port, Program, Table, Type, Width, MAX_WIDTH};
use body::Checker;
use rustc_hash::FxHashSet;

/// The most atoms that a port may have.
pub const MAX_ATOMS: u32 = 1 << 24;

/// Checks that a program, generic or not, is well formed. The message of a refusal names the function and the
/// statement.
///
/// Values are defined at most once, and before use: a pass may leave behind types of values that are gone.
/// A value defined in a loop is visible only there; one defined in a `forall` also after it. Operands and results
/// have the types that [`super::Op`] documents; where a width is a parameter, what depends on it is not checked.
pub fn verify(program: &Program) -> Result<(), String> {
    if program.entry.index() >= program.funcs.len() {
        return Err(format!("the entry {} does not exist", program.entry));
    }
    unique("table", program.tables.iter().map(|t| &t.name))?;
    unique("function", program.funcs.iter().map(|f| &f.name))?;
    for table in &program.tables {
        check_table(table).map_err(|e| format!("table {}: {e}", table.name))?;
    }
    for func in &program.funcs {
        let in_func = |e| format!("function {}: {e}", func.name);
        check_signature(func).map_err(in_func)?;
        let is_unknown = |ty: &&Type| matches!(ty.width, Width::Field(field) if field.index() >= program.fields.len());
        if func.values.iter().any(|ty| is_unknown(&ty)) {
            return Err(in_func("an element is of no field of the program".into()));
        }
    }
    for func in &program.funcs {
        let in_func = |e| format!("function {}: {e}", func.name);
        Checker::new(program, func).run().map_err(in_func)?;
    }
    check_calls_end(program)
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = FxHashSet::default();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("two {what}s are called {name}"));
        }
    }
    Ok(())
}

fn check_table(table: &Table) -> Result<(), String> {
    if !(1..=16).contains(&table.inputs) || !(1..=MAX_WIDTH).contains(&table.outputs.into()) {
        return Err("it has 1 to 16 inputs and 1 to 128 outputs".into());
    }
    if table.entries.len() != 1 << table.inputs {
        return Err(format!(
            "{} inputs need {} entries, not {}",
            table.inputs,
            1 << table.inputs,
            table.entries.len()
        ));
    }
    let widest = super::semantics::mask(table.outputs.into());
    match table.entries.iter().find(|&&entry| entry > widest) {
        Some(entry) => Err(format!("entry {entry:#x} has more than {} bits", table.outputs)),
        None => Ok(()),
    }
}

fn check_signature(func: &Func) -> Result<(), String> {
    unique("parameter", func.dir_params.iter().chain(&func.width_params))?;
    unique("input", func.params.iter().map(|p| &p.name))?;
    unique("result", func.results.iter().map(|p| &p.name))?;
    for &ty in &func.values {
        check_type(func, ty)?;
    }
    for port in func.params.iter().chain(&func.results) {
        check_port(func, port).map_err(|e| format!("port {}: {e}", port.name))?;
    }
    check_registers(func)
}

/// The last parameters and results are the registers, in the same order, each with a reset value that fits.
fn check_registers(func: &Func) -> Result<(), String> {
    let count = func.resets.len();
    if func.params.len() < count || func.results.len() < count {
        return Err(format!("{count} registers are among the parameters and the results"));
    }
    let after = &func.results[func.outputs().len()..];
    for ((before, after), reset) in func.registers().iter().zip(after).zip(&func.resets) {
        let refuse = |e: &str| Err(format!("register {}: {e}", before.name));
        if (&before.name, before.ty, &before.shape) != (&after.name, after.ty, &after.shape) {
            return refuse("it is not the same before and after the step");
        }
        if before.constant || before.layout != Layout::Le || after.layout != Layout::Le {
            return refuse("it is neither constant nor has it a layout");
        }
        if reset.len() != before.count() as usize {
            return refuse("its reset value has another number of atoms");
        }
        if let Width::Bits(bits) = before.ty.width {
            if reset.iter().any(|&value| value > super::semantics::mask(bits)) {
                return refuse("its reset value does not fit");
            }
        }
    }
    Ok(())
}

fn check_type(func: &Func, ty: Type) -> Result<(), String> {
    check_dir(func, ty.dir)?;
    check_width(func, ty.width)
}

fn check_dir(func: &Func, dir: Dir) -> Result<(), String> {
    match dir {
        Dir::Param(i) if usize::from(i) >= func.dir_params.len() => {
            Err(format!("there is no direction parameter {i}"))
        }
        _ => Ok(()),
    }
}

fn check_width(func: &Func, width: Width) -> Result<(), String> {
    match width {
        Width::Param(i) if usize::from(i) >= func.width_params.len() => {
            Err(format!("there is no word-size parameter {i}"))
        }
        Width::Bits(bits) if !(1..=MAX_WIDTH).contains(&bits) => {
            Err(format!("an atom has 1 to {MAX_WIDTH} bits, not {bits}"))
        }
        Width::Row(bits, count)
            if !(1..=u32::from(MAX_WIDTH)).contains(&(u32::from(bits) * u32::from(count))) =>
        {
            Err(format!("a row has 1 to {MAX_WIDTH} bits, not {count} times {bits}"))
        }
        _ => Ok(()),
    }
}

fn check_port(func: &Func, port: &Port) -> Result<(), String> {
    check_type(func, port.ty)?;
    let count = port.shape.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
    let Some(count) = count.filter(|count| (1..=MAX_ATOMS).contains(count)) else {
        return Err(format!("it has 1 to {MAX_ATOMS} atoms"));
    };
    // Slicing to bits leaves layouts as they were declared.
    let Width::Bits(bits) = port.ty.width else { return Ok(()) };
    match &port.layout {
        Layout::Planes if count % 8 != 0 => Err("@planes needs a multiple of 8 atoms".into()),
        Layout::Perm { name, entries } => {
            let total = count as usize * usize::from(bits);
            let mut sorted = entries.clone();
            sorted.sort_unstable();
            match sorted.iter().map(|&e| e as usize).eq(1..=total) {
                true => Ok(()),
                false => Err(format!("@{name} is not a permutation of {total} bits")),
            }
        }
        Layout::Planes | Layout::Le | Layout::Be => Ok(()),
    }
}

/// Every function ends: takes functions away that only call functions taken away before.
fn check_calls_end(program: &Program) -> Result<(), String> {
    let mut callers = vec![Vec::new(); program.funcs.len()];
    let mut waits_for = vec![0; program.funcs.len()];
    for (caller, func) in program.funcs.iter().enumerate() {
        for stmt in &func.body {
            stmt.instrs(&mut |instr| {
                if let super::Op::Call(callee, ..) = instr.op {
                    callers[callee.index()].push(caller);
                    waits_for[caller] += 1;
                }
            });
        }
    }
    let mut ready: Vec<_> = (0..waits_for.len()).filter(|&f| waits_for[f] == 0).collect();
    while let Some(func) = ready.pop() {
        for &caller in &callers[func] {
            waits_for[caller] -= 1;
            if waits_for[caller] == 0 {
                ready.push(caller);
            }
        }
    }
    match waits_for.iter().position(|&left| left > 0) {
        Some(func) => Err(format!("function {}: calls recur", program.funcs[func].name)),
        None => Ok(()),
    }
}
