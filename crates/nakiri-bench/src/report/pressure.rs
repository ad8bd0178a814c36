//! Register pressure: how many values are alive at each statement of a kernel, against the registers of its target.

use super::scale::{count, Scale};
use super::svg::{width, Anchor, Drawing};
use super::{Cipher, KernelFacts, Table};
use nakiri::compile::Kernel;
use nakiri::core::{Func, Loop, Stmt, ValueId};
use std::collections::BTreeSet;

const WIDTH: f64 = 520.0;
const LEFT: f64 = 60.0;
const PLOT: f64 = 120.0;
const PANEL: f64 = PLOT + 84.0;

/// How many values live at each statement, in the order of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// Live values while each statement runs: its arguments and all that is needed later, or its results and all that is
    /// needed later, whichever are more. Bodies of loops stand once.
    pub live: Vec<u32>,
    /// The loops: first statement, number of statements, number of iterations.
    pub loops: Vec<(usize, usize, u32)>,
    /// Where each function after the first begins.
    pub functions: Vec<usize>,
    /// The registers that the target has.
    pub registers: u32,
}

impl Pressure {
    /// Of a kernel: its entry, then the functions that it calls.
    pub fn of(kernel: &Kernel) -> Pressure {
        let mut pressure = Pressure { registers: kernel.target.registers, ..Pressure::default() };
        let entry = kernel.program.entry;
        let others = (0..kernel.program.funcs.len()).filter(|k| *k != entry.index());
        for k in std::iter::once(entry.index()).chain(others) {
            pressure.function(&kernel.program.funcs[k]);
        }
        pressure
    }

    /// The most values that live at once.
    pub fn most(&self) -> u32 {
        self.live.iter().copied().max().unwrap_or(0)
    }

    /// How many statements have more live values than there are registers.
    pub fn above(&self) -> usize {
        self.live.iter().filter(|live| **live > self.registers).count()
    }

    fn function(&mut self, func: &Func) {
        let start = self.live.len();
        if start > 0 {
            self.functions.push(start);
        }
        let mut walk = Walk::default();
        // The results of a function that is called go back to its caller in memory: nothing lives at its end.
        walk.backwards(&func.body, &mut BTreeSet::new());
        let length = walk.live.len();
        self.live.extend(walk.live.iter().rev());
        let forwards = |(end, statements, times)| (start + length - end, statements, times);
        self.loops.extend(walk.loops.into_iter().rev().map(forwards));
    }
}

/// What a walk from the end finds, last statement first.
#[derive(Default)]
struct Walk {
    live: Vec<u32>,
    /// Loops: how many statements have been walked at their beginning, statements, iterations.
    loops: Vec<(usize, usize, u32)>,
}

impl Walk {
    fn backwards(&mut self, body: &[Stmt], live: &mut BTreeSet<ValueId>) {
        for stmt in body.iter().rev() {
            match stmt {
                Stmt::Loop(l) => self.iterations(l, live),
                Stmt::Forall(forall) => {
                    forall.iterations.iter().rev().for_each(|stmts| self.backwards(stmts, live));
                }
                stmt => {
                    stmt.definitions(&mut |value| {
                        live.insert(value);
                    });
                    let after = live.len();
                    stmt.definitions(&mut |value| {
                        live.remove(&value);
                    });
                    stmt.uses(&mut |value| {
                        live.insert(value);
                    });
                    self.live.push(after.max(live.len()) as u32);
                }
            }
        }
    }

    fn iterations(&mut self, l: &Loop, live: &mut BTreeSet<ValueId>) {
        let before = self.live.len();
        l.carried.iter().for_each(|c| {
            live.remove(&c.result);
        });
        // What the body reads from outside is needed by the next iteration too.
        live.extend(outer(l));
        live.extend(l.carried.iter().map(|c| c.next));
        self.backwards(&l.body, live);
        l.carried.iter().for_each(|c| {
            live.remove(&c.inside);
        });
        live.extend(l.carried.iter().map(|c| c.init));
        self.loops.push((self.live.len(), self.live.len() - before, l.count));
    }
}

/// The values from outside that a loop's body reads.
fn outer(l: &Loop) -> BTreeSet<ValueId> {
    let mut read = BTreeSet::new();
    l.body.iter().for_each(|stmt| {
        stmt.uses(&mut |value| {
            read.insert(value);
        })
    });
    l.body.iter().for_each(|stmt| {
        stmt.definitions(&mut |value| {
            read.remove(&value);
        })
    });
    l.carried.iter().for_each(|c| {
        read.remove(&c.inside);
    });
    read
}

/// Draws a panel for each kernel.
pub fn draw(
    kernels: &[&KernelFacts],
    spills: impl Fn(&KernelFacts) -> Option<u64>,
    title: &str,
) -> Drawing {
    let mut drawing = Drawing::new(WIDTH, PANEL * kernels.len() as f64, title);
    for (k, kernel) in kernels.iter().enumerate() {
        draw_panel(&mut drawing, PANEL * k as f64, kernel, spills(kernel));
    }
    drawing
}

fn draw_panel(drawing: &mut Drawing, top: f64, kernel: &KernelFacts, spills: Option<u64>) {
    let pressure = &kernel.pressure;
    let spilled = spills.map_or(String::new(), |n| format!(", {}", plural(n, "spill")));
    let head =
        format!("{} {}: at most {} live{spilled}", kernel.slicing, kernel.target, pressure.most());
    drawing.text((0.0, top + 14.0), Anchor::Start, "strong", &head);
    let largest = f64::from(pressure.most().max(pressure.registers));
    let scale = Scale::new(largest * 1.02, 4, PLOT);
    let zero = top + 40.0 + PLOT;
    for (value, text) in scale.ticks() {
        let y = zero - scale.at(value);
        drawing.line((LEFT, y), (WIDTH, y), "line-line");
        drawing.text((LEFT - 6.0, y + 4.5), Anchor::End, "soft", &text);
    }
    drawing.upright((13.0, zero - PLOT / 2.0), Anchor::Middle, "soft axis", "live values");
    let across = Across { statements: pressure.live.len() };
    draw_loops(drawing, &across, pressure, zero);
    draw_curve(drawing, &across, pressure, &scale, zero);
    draw_statements(drawing, &across, pressure, zero);
    let limit = zero - scale.at(f64::from(pressure.registers));
    drawing.line((LEFT, limit), (WIDTH, limit), "mark-line");
}

fn plural(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Where statements stand.
struct Across {
    statements: usize,
}

impl Across {
    fn at(&self, statement: usize) -> f64 {
        LEFT + (WIDTH - LEFT) * statement as f64 / self.statements.max(1) as f64
    }
}

/// The curve, filled; what is above the registers in the colour of the mark. Of statements that fall on one pixel the
/// highest counts.
fn draw_curve(
    drawing: &mut Drawing,
    across: &Across,
    pressure: &Pressure,
    scale: &Scale,
    zero: f64,
) {
    let mut columns: Vec<(f64, u32)> = Vec::new();
    for (k, live) in pressure.live.iter().enumerate() {
        let x = across.at(k);
        match columns.last_mut() {
            Some((start, most)) if x - *start < 0.75 => *most = (*most).max(*live),
            _ => columns.push((x, *live)),
        }
    }
    let outline = |least: u32, most: u32| {
        let mut points = vec![(LEFT, zero - scale.at(f64::from(least)))];
        for (k, (x, live)) in columns.iter().enumerate() {
            let y = zero - scale.at(f64::from((*live).clamp(least, most)));
            let end = columns.get(k + 1).map_or(WIDTH, |next| next.0);
            points.extend([(*x, y), (end, y)]);
        }
        points.push((WIDTH, zero - scale.at(f64::from(least))));
        points
    };
    drawing.path(&outline(0, pressure.registers), "blue half");
    if pressure.most() > pressure.registers {
        drawing.path(&outline(pressure.registers, u32::MAX), "vermillion");
    }
    drawing.path(&outline(0, u32::MAX)[1..=2 * columns.len()], "ink-line");
}

fn draw_loops(drawing: &mut Drawing, across: &Across, pressure: &Pressure, zero: f64) {
    let y = zero - PLOT - 8.0;
    let mut free = f64::NEG_INFINITY;
    for (start, statements, times) in &pressure.loops {
        let (from, to) = (across.at(*start), across.at(start + statements));
        drawing.path(&[(from, y + 5.0), (from, y), (to, y), (to, y + 5.0)], "soft-line");
        let name = format!("× {times}");
        let left = (from + to - width(&name)) / 2.0;
        if left > free && left > LEFT {
            drawing.text(((from + to) / 2.0, y - 4.0), Anchor::Middle, "soft", &name);
            free = left + width(&name) + 6.0;
        }
    }
}

fn draw_statements(drawing: &mut Drawing, across: &Across, pressure: &Pressure, zero: f64) {
    for start in &pressure.functions {
        let x = across.at(*start);
        drawing.line((x, zero - PLOT), (x, zero), "ink-line dashed");
    }
    let last = across.statements;
    let legend = format!("{} registers", pressure.registers);
    drawing.text((LEFT, zero + 17.0), Anchor::Start, "soft", "0");
    drawing.text((WIDTH, zero + 17.0), Anchor::End, "soft", &count(last as u64));
    drawing.text(((LEFT + WIDTH) / 2.0, zero + 17.0), Anchor::Middle, "soft axis", "statements");
    drawing.line((LEFT, zero), (WIDTH, zero), "soft-line");
    let x = WIDTH - width(&legend);
    drawing.line((x - 24.0, zero - PLOT - 30.0), (x - 6.0, zero - PLOT - 30.0), "mark-line");
    drawing.text((WIDTH, zero - PLOT - 26.0), Anchor::End, "", &legend);
}

/// The numbers of the figure.
pub fn table(cipher: &Cipher, slicing: &str) -> Table {
    let mut table = Table::new(&[
        "target",
        "slicing",
        "registers#",
        "most live values#",
        "statements#",
        "statements above the registers#",
        "spills of one run#",
    ]);
    for kernel in cipher.kernels.iter().filter(|kernel| kernel.slicing == slicing) {
        let pressure = &kernel.pressure;
        table.rows.push(vec![
            kernel.target.clone(),
            kernel.slicing.clone(),
            pressure.registers.to_string(),
            pressure.most().to_string(),
            count(pressure.live.len() as u64),
            count(pressure.above() as u64),
            cipher.row_of(kernel).map_or("–".to_string(), |row| count(row.code.spills)),
        ]);
    }
    table
}
