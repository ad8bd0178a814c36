//! Fixes directions and word sizes: one copy of each function for each choice that is reached from the entry.
//!
//! Needs: a generic program. Guarantees: no type or call has a parameter left; rotations are all to the left.
//! Under `B` every direction becomes `B`, whatever the source says.

use crate::core::{
    semantics, Dir, Direction, Forall, Func, FuncId, Op, Port, Program, Stmt, Type, Width,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Monomorphizes the entry for a direction (explicit directions in the source win, except under `B`) and, where it
/// has a word-size parameter, for a word size. `direction: None` keeps the directions of the source.
pub fn run(
    program: &Program,
    direction: Direction,
    width: Option<u16>,
) -> Result<Program, Vec<Diagnostic>> {
    let entry = program.entry();
    if let (Some(param), None) = (entry.width_params.first(), width) {
        return Err(vec![Diagnostic::error(
            "E0301",
            entry.span,
            format!("the word size {param} of `{}` is not fixed", entry.name),
        )
        .label("generic in its word size")
        .help("choose one on the command line, for example `-w 16`")]);
    }
    let mut mono = Monomorphizer {
        source: program,
        flatten: direction == Direction::B,
        done: FxHashMap::default(),
        funcs: Vec::new(),
        diagnostics: Vec::new(),
    };
    let dirs = vec![Dir::Fixed(direction); entry.dir_params.len()];
    let widths = vec![Width::Bits(width.unwrap_or(1)); entry.width_params.len()];
    let entry = mono.func(program.entry, dirs, widths);
    if !mono.diagnostics.is_empty() {
        return Err(mono.diagnostics);
    }
    Ok(Program {
        funcs: mono.funcs,
        entry,
        tables: program.tables.clone(),
        constants: program.constants.clone(),
        fields: program.fields.clone(),
    })
}

type Choice = (FuncId, Vec<Dir>, Vec<Width>);

struct Monomorphizer<'a> {
    source: &'a Program,
    flatten: bool,
    done: FxHashMap<Choice, FuncId>,
    funcs: Vec<Func>,
    diagnostics: Vec<Diagnostic>,
}

impl Monomorphizer<'_> {
    fn func(&mut self, id: FuncId, dirs: Vec<Dir>, widths: Vec<Width>) -> FuncId {
        let choice = (id, dirs, widths);
        if let Some(&done) = self.done.get(&choice) {
            return done;
        }
        let source = &self.source.funcs[id.index()];
        let (_, dirs, widths) = &choice;
        let subst = Substitution { dirs, widths, flatten: self.flatten };
        let port = |p: &Port| Port { ty: subst.ty(p.ty), ..p.clone() };
        let values: Vec<Type> = source.values.iter().map(|&ty| subst.ty(ty)).collect();
        let body = self.stmts(&source.body, &values, &subst);
        for (register, reset) in source.registers().iter().zip(&source.resets) {
            let width = subst.ty(register.ty).bits();
            let mut consts = reset.iter().map(|&value| Op::Const(value));
            if let Some(message) = consts.find_map(|op| misfit(&op, width)) {
                self.report(register.span, message, width);
            }
        }
        let func = Func {
            name: format!("{}{}", source.name, subst.suffix()),
            dir_params: Vec::new(),
            width_params: Vec::new(),
            params: source.params.iter().map(port).collect(),
            results: source.results.iter().map(port).collect(),
            values,
            body,
            ..source.clone()
        };
        self.funcs.push(func);
        let new = FuncId(self.funcs.len() as u32 - 1);
        self.done.insert(choice, new);
        new
    }

    fn stmts(&mut self, stmts: &[Stmt], values: &[Type], subst: &Substitution) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt, values, subst)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt, values: &[Type], subst: &Substitution) -> Stmt {
        let mut stmt = stmt.clone();
        match &mut stmt {
            Stmt::Let(instr) => {
                let bits = |ty: Type| if ty.is_element() { 1 } else { ty.bits() };
                let result = instr.results.first().map_or(1, |r| bits(values[r.index()]));
                if let Some(message) = misfit(&instr.op, result) {
                    self.report(instr.span, message, result);
                }
                instr.op = match &instr.op {
                    Op::Call(callee, dirs, widths) => {
                        let dirs = dirs.iter().map(|&d| subst.dir(d)).collect();
                        let widths = widths.iter().map(|&w| subst.width(w)).collect();
                        Op::Call(self.func(*callee, dirs, widths), Vec::new(), Vec::new())
                    }
                    Op::Rotr(n) => Op::Rotl((result - n % result) % result),
                    op => op.clone(),
                };
            }
            Stmt::Store { .. } => {}
            Stmt::Forall(Forall { iterations, .. }) => {
                for iteration in iterations {
                    *iteration = self.stmts(iteration, values, subst);
                }
            }
            Stmt::Loop(l) => l.body = self.stmts(&l.body, values, subst),
        }
        stmt
    }

    fn report(&mut self, span: Span, message: String, width: u16) {
        let diagnostic = Diagnostic::error("E0302", span, message)
            .label(format!("here the word size is {width}"))
            .help("choose a word size with `-w` that every use fits");
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Why an operation of a generic node doesn't fit the word size it is now used at.
fn misfit(op: &Op, width: u16) -> Option<String> {
    match op {
        Op::Const(c) if *c > semantics::mask(width) => {
            Some(format!("the constant {c:#x} does not fit {width} bits"))
        }
        Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Rotr(n) if *n >= width => {
            Some(format!("a shift by {n} goes past a word of {width} bits"))
        }
        Op::Bitmask(n) if *n >= width => {
            Some(format!("there is no bit {n} in a word of {width} bits"))
        }
        Op::Shuffle(picks) if picks.len() != usize::from(width) => Some(format!(
            "a Shuffle of {} positions cannot rearrange a word of {width} bits",
            picks.len()
        )),
        _ => None,
    }
}

/// What a function's parameters stand for in one copy of it.
struct Substitution<'a> {
    dirs: &'a [Dir],
    widths: &'a [Width],
    flatten: bool,
}

impl Substitution<'_> {
    fn dir(&self, dir: Dir) -> Dir {
        match dir {
            _ if self.flatten => Dir::Fixed(Direction::B),
            Dir::Param(i) => self.dirs[usize::from(i)],
            fixed => fixed,
        }
    }

    fn width(&self, width: Width) -> Width {
        match width {
            Width::Param(i) => self.widths[usize::from(i)],
            fixed => fixed,
        }
    }

    fn ty(&self, ty: Type) -> Type {
        Type { dir: self.dir(ty.dir), width: self.width(ty.width) }
    }

    fn suffix(&self) -> String {
        let dirs = self.dirs.iter().map(|d| match d {
            Dir::Fixed(direction) => format!(".{direction:?}"),
            Dir::Param(i) => format!(".d{i}"),
        });
        let widths = self.widths.iter().map(|w| match w {
            Width::Bits(bits) | Width::Row(bits, _) => format!(".{bits}"),
            Width::Field(field) => format!(".{field}"),
            Width::Param(i) => format!(".w{i}"),
        });
        dirs.chain(widths).collect()
    }
}
