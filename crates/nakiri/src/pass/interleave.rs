//! Makes one kernel process several independent batches, so that the instructions of one fill the latencies of another.
//!
//! Needs: no foralls. Guarantees: each port of the entry that is not constant is a list of those of all batches, one batch
//! after another. Constants, round keys and what is computed from these alone are shared, and so are loops, which carry the
//! values of every batch. Calls are made once for each batch.

use crate::core::{Carried, Func, Index, Instr, Layout, Loop, Op, Port, Program, Stmt, ValueId};
use std::fmt;
use std::str::FromStr;

/// How many batches a kernel processes side by side, and how their statements alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleave {
    /// The number of batches, 1 to [`Interleave::MOST`].
    pub factor: u32,
    /// How many statements of one batch stand together, at least 1.
    pub grain: u32,
    /// How many of its statements each batch is behind the one before.
    pub lag: u32,
}

impl Interleave {
    /// The most batches: more fit into no registers.
    pub const MOST: u32 = 16;

    /// This many batches, statement by statement.
    pub fn of(factor: u32) -> Interleave {
        Interleave { factor, grain: 1, lag: 0 }
    }
}

impl Default for Interleave {
    fn default() -> Interleave {
        Interleave::of(1)
    }
}

impl fmt::Display for Interleave {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.factor, self.grain)?;
        match self.lag {
            0 => Ok(()),
            lag => write!(f, ":{lag}"),
        }
    }
}

impl FromStr for Interleave {
    type Err = String;

    fn from_str(text: &str) -> Result<Interleave, String> {
        let (factor, rest) = text.split_once(':').unwrap_or((text, "1"));
        let (grain, lag) = rest.split_once(':').unwrap_or((rest, "0"));
        match (factor.parse(), grain.parse(), lag.parse()) {
            (Ok(factor @ 1..=Interleave::MOST), Ok(grain @ 1..), Ok(lag)) => {
                Ok(Interleave { factor, grain, lag })
            }
            (Ok(1..=Interleave::MOST), Ok(1..), _) => {
                Err(format!("the lag is a number, not `{lag}`: write it like 2:1:32"))
            }
            (Ok(1..=Interleave::MOST), ..) => {
                Err(format!("the grain is at least 1, not `{grain}`: write it like 2:1"))
            }
            _ => Err(format!(
                "the factor is 1 to {}, not `{factor}`: write it like 2, 2:1 or 2:1:32",
                Interleave::MOST
            )),
        }
    }
}

/// Interleaves the entry.
pub fn run(program: &mut Program, interleave: Interleave) {
    if interleave.factor == 1 {
        return;
    }
    let func = &mut program.funcs[program.entry.index()];
    let varies: Vec<bool> = batches(func, 1).iter().map(Option::is_some).collect();
    let mut names: Vec<Vec<ValueId>> = vec![(0..varies.len() as u32).map(ValueId).collect()];
    for _ in 1..interleave.factor {
        let mut copy = names[0].clone();
        for value in copy.iter_mut().filter(|value| varies[value.index()]) {
            *value = func.value(func.ty(*value));
        }
        names.push(copy);
    }
    let interleaved = Batches { func, varies, names, grain: interleave.grain as usize };
    let body = interleaved.stmts(&func.body);
    func.body = body;
    func.interleave = None;
    let ports = func.params.iter_mut().filter(|port| !port.constant).chain(&mut func.results);
    ports.for_each(|port| repeat(port, interleave.factor));
    func.resets.iter_mut().for_each(|reset| *reset = reset.repeat(interleave.factor as usize));
}

/// For each value which of so many batches it belongs to: those that depend on a parameter that is not constant belong to one.
pub(super) fn batches(func: &Func, factor: u32) -> Vec<Option<u32>> {
    let mut batches = vec![None; func.values.len()];
    mark(func, factor, &func.body, &mut batches);
    batches
}

fn mark(func: &Func, factor: u32, stmts: &[Stmt], batches: &mut [Option<u32>]) {
    for stmt in stmts {
        match stmt {
            Stmt::Let(instr) => {
                let batch = match instr.op {
                    Op::Load(param, index) if !func.params[param as usize].constant => {
                        Some(index.base * factor / func.params[param as usize].count())
                    }
                    _ => instr.args.iter().find_map(|arg| batches[arg.index()]),
                };
                if batch.is_some() {
                    instr.results.iter().for_each(|result| batches[result.index()] = batch);
                }
            }
            Stmt::Loop(l) => loop {
                for c in &l.carried {
                    let batch = batches[c.init.index()].or(batches[c.next.index()]);
                    batches[c.inside.index()] = batches[c.inside.index()].or(batch);
                    batches[c.result.index()] = batches[c.inside.index()];
                }
                mark(func, factor, &l.body, batches);
                let is_known = |c: &Carried| {
                    batches[c.inside.index()].is_some() || batches[c.next.index()].is_none()
                };
                if l.carried.iter().all(is_known) {
                    break;
                }
            },
            Stmt::Store { .. } | Stmt::Forall(_) => {}
        }
    }
}

/// The port for this many batches.
pub(super) fn repeat(port: &mut Port, factor: u32) {
    if let Layout::Perm { entries, .. } = &mut port.layout {
        let bits = entries.len() as u32;
        *entries = (0..factor).flat_map(|k| entries.iter().map(move |e| e + k * bits)).collect();
    }
    port.shape.insert(0, factor);
}

struct Batches<'a> {
    func: &'a Func,
    varies: Vec<bool>,
    /// For each batch the name of each value.
    names: Vec<Vec<ValueId>>,
    grain: usize,
}

impl Batches<'_> {
    fn stmts(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len() * self.names.len());
        // Statements of one batch that will stand together.
        let (mut grain, mut size) = (Vec::new(), 0);
        for stmt in stmts {
            if let Stmt::Loop(l) = stmt {
                self.alternate(&mut grain, &mut out);
                size = 0;
                out.push(Stmt::Loop(self.counted(l)));
                continue;
            }
            if self.differs(stmt) {
                if size == self.grain {
                    self.alternate(&mut grain, &mut out);
                    size = 0;
                }
                size += 1;
            }
            grain.push(stmt);
        }
        self.alternate(&mut grain, &mut out);
        out
    }

    /// Appends some statements for each batch in turn, shared ones with the first.
    fn alternate(&self, grain: &mut Vec<&Stmt>, out: &mut Vec<Stmt>) {
        for batch in 0..self.names.len() {
            let stmts = grain.iter().filter(|stmt| batch == 0 || self.differs(stmt));
            out.extend(stmts.map(|stmt| self.copy(stmt, batch)));
        }
        grain.clear();
    }

    /// Whether each batch needs its own copy.
    fn differs(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let(instr) => instr.results.iter().any(|r| self.varies[r.index()]),
            Stmt::Store { .. } | Stmt::Forall(_) | Stmt::Loop(_) => true,
        }
    }

    fn copy(&self, stmt: &Stmt, batch: usize) -> Stmt {
        let name = |value: &ValueId| self.names[batch][value.index()];
        match stmt {
            Stmt::Let(instr) => {
                let op = match instr.op {
                    Op::Load(param, index) if self.differs(stmt) => {
                        Op::Load(param, moved(index, &self.func.params[param as usize], batch))
                    }
                    ref op => op.clone(),
                };
                Stmt::Let(Instr {
                    results: instr.results.iter().map(name).collect(),
                    op,
                    args: instr.args.iter().map(name).collect(),
                    span: instr.span,
                })
            }
            Stmt::Store { result, index, value, span } => Stmt::Store {
                result: *result,
                index: moved(*index, &self.func.results[*result as usize], batch),
                value: name(value),
                span: *span,
            },
            Stmt::Forall(_) | Stmt::Loop(_) => unreachable!("only straight-line code alternates"),
        }
    }

    fn counted(&self, l: &Loop) -> Loop {
        let carried = l.carried.iter().flat_map(|c| {
            let batches = if self.varies[c.inside.index()] { self.names.len() } else { 1 };
            self.names[..batches].iter().map(|names| Carried {
                init: names[c.init.index()],
                inside: names[c.inside.index()],
                next: names[c.next.index()],
                result: names[c.result.index()],
            })
        });
        Loop { carried: carried.collect(), body: self.stmts(&l.body), ..*l }
    }
}

/// The same atom of another batch.
fn moved(index: Index, port: &Port, batch: usize) -> Index {
    Index { base: index.base + batch as u32 * port.count(), ..index }
}
