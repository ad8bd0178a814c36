//! Functions with atoms in place of elements of fields: what is the same whatever the atoms are.
//!
//! An array of elements is one of as many atoms of each, and a call hands all of them over.

use crate::core::{Forall, Func, Index, Instr, Op, Port, Stmt, Type, ValueId};
use crate::source::Span;
use smallvec::SmallVec;

/// So many atoms of a type.
pub type Atoms = (usize, Type);

/// Writes a function with atoms in place of elements.
pub trait Writer {
    /// The atoms that stand for a value, if it is an element of which some are made.
    fn form(&self, value: ValueId) -> Option<Atoms>;

    /// A value of the function that is written.
    fn value(&mut self, ty: Type) -> ValueId;

    /// The atoms of an element as they go into an array or a call.
    ///
    /// # Errors
    /// The place where there is no room.
    fn handed_on(
        &mut self,
        element: ValueId,
        span: Span,
        written: &mut Vec<Stmt>,
    ) -> Result<Vec<ValueId>, Span>;

    /// From here on an element is these atoms, which come from a call.
    fn taken(&mut self, element: ValueId, atoms: Vec<ValueId>);

    /// An instruction other than a call.
    ///
    /// # Errors
    /// The place where there is no room.
    fn instr(&mut self, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span>;
}

/// Where a function first computes with an element.
pub fn place(func: &Func) -> Span {
    let is_element = |instr: &Instr| {
        let mut values = instr.results.iter().chain(&instr.args);
        values.any(|value| func.ty(*value).is_element())
    };
    let mut place: Option<Span> = None;
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            if place.is_none() && is_element(instr) {
                place = Some(instr.span);
            }
        });
    }
    place.unwrap_or(func.span)
}

/// A function without statements, of which elements have become atoms; `None` if there are none.
pub fn emptied(func: &Func, form: &dyn Fn(Type) -> Option<Atoms>) -> Option<Func> {
    let ports = func.params.iter().chain(&func.results).map(|port| port.ty);
    func.values.iter().copied().chain(ports).find_map(form)?;
    let port = |port: &Port| match form(port.ty) {
        Some((count, ty)) => {
            let mut shape = port.shape.clone();
            shape.push(count as u32);
            Port { ty, shape, ..port.clone() }
        }
        None => port.clone(),
    };
    Some(Func {
        params: func.params.iter().map(port).collect(),
        results: func.results.iter().map(port).collect(),
        values: func.values.iter().map(|&ty| form(ty).map_or(ty, |(_, atom)| atom)).collect(),
        body: Vec::new(),
        ..func.clone()
    })
}

/// Statements with atoms in place of elements.
///
/// # Errors
/// The place where there is no room.
pub fn stmts(writer: &mut impl Writer, body: &[Stmt]) -> Result<Vec<Stmt>, Span> {
    let mut written = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Let(instr) if matches!(instr.op, Op::Call(..)) => {
                call(writer, instr, &mut written)?;
            }
            Stmt::Let(instr) => writer.instr(instr, &mut written)?,
            Stmt::Store { result, index, value, span } => match writer.form(*value) {
                None => written.push(stmt.clone()),
                Some((count, _)) => {
                    let atoms = writer.handed_on(*value, *span, &mut written)?;
                    for (k, value) in atoms.into_iter().enumerate() {
                        let (result, index, span) = (*result, within(*index, count, k), *span);
                        written.push(Stmt::Store { result, index, value, span });
                    }
                }
            },
            Stmt::Forall(forall) => {
                let iterations = forall.iterations.iter().map(|body| stmts(writer, body));
                let iterations = iterations.collect::<Result<_, _>>()?;
                written.push(Stmt::Forall(Forall { iterations, ..forall.clone() }));
            }
            Stmt::Loop(_) => written.push(stmt.clone()),
        }
    }
    Ok(written)
}

fn call(writer: &mut impl Writer, instr: &Instr, written: &mut Vec<Stmt>) -> Result<(), Span> {
    let mut args: SmallVec<[ValueId; 3]> = SmallVec::new();
    for &arg in &instr.args {
        match writer.form(arg) {
            None => args.push(arg),
            Some(_) => args.extend(writer.handed_on(arg, instr.span, written)?),
        }
    }
    let mut results: SmallVec<[ValueId; 1]> = SmallVec::new();
    for &result in &instr.results {
        let Some((count, ty)) = writer.form(result) else {
            results.push(result);
            continue;
        };
        let atoms: Vec<ValueId> = (0..count).map(|_| writer.value(ty)).collect();
        results.extend(atoms.iter().copied());
        writer.taken(result, atoms);
    }
    written.push(Stmt::Let(Instr { results, args, ..instr.clone() }));
    Ok(())
}

/// Gives words the names of an instruction's results: shifts by nothing.
pub fn name_results(
    instr: &Instr,
    words: impl IntoIterator<Item = ValueId>,
    written: &mut Vec<Stmt>,
) {
    for (result, word) in instr.results.iter().zip(words) {
        let (op, results, args) = (Op::Shl(0), [*result].into(), [word][..].into());
        written.push(Stmt::Let(Instr { results, op, args, span: instr.span }));
    }
}

/// An atom of an element of a list.
pub fn within(index: Index, count: usize, atom: usize) -> Index {
    let count = count as u32;
    Index { base: index.base * count + atom as u32, step: index.step * count as i32 }
}
