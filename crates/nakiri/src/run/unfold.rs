//! From a plan to the program of all its ticks.

use super::fold::{self, Folded, Value};
use super::plan::{Drive, Ending, Plan, Planned};
use super::shape::{self, After, Form, From, Place, Shape, Tick};
use super::trace::Causes;
use crate::core::{
    semantics, Forall, Func, FuncId, Index, Instr, Op, Port, Program, Stmt, ValueId,
};
use crate::diagnostic::Diagnostic;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most ticks of a run.
const MOST_TICKS: usize = 1 << 14;

/// The most ticks that are repeated together.
const MAX_PERIOD: usize = 16;

/// A run.
pub struct Unfolded {
    pub program: Program,
    /// What each input is, tick by tick.
    pub ticks: Vec<Vec<Drive>>,
    /// For each result the tick and the output that it is taken from.
    pub taken: Vec<(usize, usize)>,
}

/// Does the ticks of a plan.
///
/// # Errors
/// An end that depends on data or does not come; a run that computes nothing from data.
pub fn unfold(program: &Program, plan: &Plan) -> Result<Unfolded, Diagnostic> {
    let mut unfolder = Unfolder::new(program, plan);
    for (number, phase) in plan.phases.iter().enumerate() {
        unfolder.phase(phase, number + 1 == plan.phases.len())?;
    }
    let program = Writer::new(&unfolder).program();
    let Unfolder { drives, results, .. } = unfolder;
    let taken = results.iter().map(|result| (result.tick, result.output)).collect();
    Ok(Unfolded { program, ticks: drives, taken })
}

/// A result of a run.
struct Taken {
    port: Port,
    tick: usize,
    output: usize,
}

/// Ticks done so far.
struct Unfolder<'a> {
    program: &'a Program,
    plan: &'a Plan,
    /// The atoms of each register that are known.
    registers: Vec<Vec<Option<u128>>>,
    causes: Causes,
    shapes: Vec<Shape>,
    /// For each tick its shape, constants, and results: those that are taken, then the registers.
    ticks: Vec<(usize, Vec<u128>, Vec<Vec<After>>)>,
    drives: Vec<Vec<Drive>>,
    results: Vec<Taken>,
}

impl<'a> Unfolder<'a> {
    fn new(program: &'a Program, plan: &'a Plan) -> Unfolder<'a> {
        let known = |atoms: &Vec<u128>| atoms.iter().copied().map(Some).collect();
        Unfolder {
            program,
            plan,
            registers: program.entry().resets.iter().map(known).collect(),
            causes: Causes::default(),
            shapes: Vec::new(),
            ticks: Vec::new(),
            drives: Vec::new(),
            results: Vec::new(),
        }
    }

    fn entry(&self) -> &'a Func {
        self.program.entry()
    }

    /// Does the ticks of a phase.
    fn phase(&mut self, phase: &Planned, last: bool) -> Result<(), Diagnostic> {
        // Brent's search for a state that comes again.
        let mut before = self.registers.clone();
        let (mut since, mut length) = (0, 1);
        for count in 1.. {
            if self.ticks.len() == MOST_TICKS {
                let message = format!("the run has more than {MOST_TICKS} ticks");
                return Err(Diagnostic::error("E0534", phase.span, message)
                    .help("run a part of it, or step the program: leave `--run` out"));
            }
            let folded = fold::tick(self.program, &self.known(phase));
            let ends = self.ends(phase, &folded, count)?;
            let taken = match ends {
                true => self.taken(phase, last, &folded)?,
                false => Vec::new(),
            };
            let finished = ends && last;
            self.tick(folded, taken, phase, finished);
            if ends {
                return Ok(());
            }
            since += 1;
            if let (Ending::Until(output, span), true) = (phase.end, self.registers == before) {
                let name = &self.entry().outputs()[output].name;
                let message = format!("`{name}` never becomes 1");
                let label = format!("from tick {} on all control repeats itself", self.ticks.len());
                return Err(Diagnostic::error("E0534", span, message)
                    .label(label)
                    .help("is something to be started first, or held longer? `nakiri run --ticks` shows each tick"));
            }
            if since == length {
                before = self.registers.clone();
                (since, length) = (0, 2 * length);
            }
        }
        Ok(())
    }

    /// What is known of the parameters of the entry in the next tick.
    fn known(&self, phase: &Planned) -> Vec<Vec<Option<u128>>> {
        let inputs = self.entry().inputs().iter().zip(&phase.drives);
        let inputs = inputs.map(|(port, drive)| match drive {
            Drive::Number(atoms) => atoms.iter().copied().map(Some).collect(),
            Drive::Data(_) => vec![None; port.count() as usize],
        });
        inputs.chain(self.registers.iter().cloned()).collect()
    }

    /// Whether a phase ends with a tick, its `count`th.
    fn ends(&self, phase: &Planned, folded: &Folded, count: u32) -> Result<bool, Diagnostic> {
        let (output, span) = match phase.end {
            Ending::For(ticks) => return Ok(count == ticks),
            Ending::Until(output, span) => (output, span),
        };
        let port = &self.entry().outputs()[output];
        let all = semantics::mask(port.ty.bits());
        let mut ends = true;
        for value in &folded.results[output] {
            match *value {
                Value::Known(known) => ends &= known.number == all,
                Value::Data(value) => {
                    let path = self.causes.path(folded, value, &self.entry().params);
                    return Err(self.depends(port, span, &path));
                }
            }
        }
        Ok(ends)
    }

    /// An end that depends on data through these ports.
    fn depends(&self, output: &Port, span: crate::source::Span, path: &[&Port]) -> Diagnostic {
        let inputs = self.entry().inputs().len();
        let is_input =
            |port: &Port| self.entry().params[..inputs].iter().any(|p| std::ptr::eq(p, port));
        let through: Vec<String> = path
            .iter()
            .map(|port| match is_input(port) {
                true => format!("the input `{}`", port.name),
                false => format!("the register `{}`", port.name),
            })
            .collect();
        let message = format!("when `{}` becomes 1 depends on data", output.name);
        let mut wrong = Diagnostic::error("E0533", span, message).label(format!(
            "in tick {} it is computed from {}",
            self.ticks.len() + 1,
            through.join(", that from ")
        ));
        if let Some(input) = path.iter().find(|port| is_input(port)) {
            wrong = wrong.also(input.span, "data: the schedule doesn't set it");
            let help = format!(
                "set `{}` in the schedule if it is the same in all lanes, or end the run after a number of ticks, `for 10`",
                input.name
            );
            wrong = wrong.help(help);
        }
        wrong
    }

    /// The outputs that are taken in the last tick of a phase. By default those of the last tick of all that are data.
    fn taken(
        &mut self,
        phase: &Planned,
        last: bool,
        folded: &Folded,
    ) -> Result<Vec<usize>, Diagnostic> {
        let mut taken = phase.taken.clone();
        if last && self.results.is_empty() && taken.is_empty() {
            let is_data = |output: &usize| {
                folded.results[*output].iter().any(|value| matches!(value, Value::Data(_)))
            };
            let outputs = self.entry().outputs();
            let data = (0..outputs.len()).filter(is_data);
            taken = data.map(|output| (output, outputs[output].clone())).collect();
            if taken.is_empty() {
                let message = "no output of the last tick depends on data".to_string();
                return Err(Diagnostic::error("E0535", self.plan.span, message)
                    .label(format!("that is tick {}", self.ticks.len() + 1))
                    .help(
                        "is it long enough, and are inputs left that the schedule does not set?",
                    ));
            }
        }
        let tick = self.ticks.len();
        let results = taken.iter().cloned();
        self.results.extend(results.map(|(output, port)| Taken { port, tick, output }));
        Ok(taken.into_iter().map(|(output, _)| output).collect())
    }

    /// Appends a tick.
    fn tick(&mut self, folded: Folded, taken: Vec<usize>, phase: &Planned, finished: bool) {
        let (inputs, outputs) = (self.entry().inputs().len(), self.entry().outputs().len());
        let mut wanted = taken;
        if !finished {
            for register in 0..self.registers.len() {
                for (atom, value) in folded.results[outputs + register].iter().enumerate() {
                    let place = ((inputs + register) as u32, atom as u32);
                    let known = &mut self.registers[register][atom];
                    match *value {
                        Value::Known(value) => *known = Some(value.number),
                        Value::Data(value) => {
                            if known.take().is_some() {
                                self.causes.note(&folded, place, value);
                            }
                        }
                    }
                }
                wanted.push(outputs + register);
            }
        }
        let Tick { shape, constants, after } = shape::of(folded, &wanted);
        let known = self.shapes.iter().position(|other| *other == shape);
        let number = known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        self.ticks.push((number, constants, after));
        self.drives.push(phase.drives.clone());
    }
}

/// Writes the program of ticks.
struct Writer<'a> {
    unfolder: &'a Unfolder<'a>,
    /// How ticks of each shape are called, if they compute anything.
    forms: Vec<Option<Form>>,
    entry: Func,
    /// The value of each atom of a register that depends on data.
    registers: FxHashMap<Place, ValueId>,
    /// The value of each atom of each parameter that is read.
    data: FxHashMap<(usize, u32), ValueId>,
    loads: Vec<Stmt>,
    stores: Vec<Stmt>,
}

impl<'a> Writer<'a> {
    fn new(unfolder: &'a Unfolder<'a>) -> Writer<'a> {
        let mut forms = Vec::new();
        let mut called = 0;
        for (k, shape) in unfolder.shapes.iter().enumerate() {
            let ticks = unfolder.ticks.iter().filter(|tick| tick.0 == k);
            let constants: Vec<&[u128]> = ticks.map(|tick| &*tick.1).collect();
            forms.push(shape.computes().then(|| Form::new(shape, &constants, FuncId(called))));
            called += u32::from(shape.computes());
        }
        let entry = Func {
            name: "run".to_string(),
            params: unfolder.plan.params.clone(),
            results: unfolder.results.iter().map(|taken| taken.port.clone()).collect(),
            resets: Vec::new(),
            values: Vec::new(),
            body: Vec::new(),
            inline: None,
            ..unfolder.program.entry().clone()
        };
        Writer {
            unfolder,
            forms,
            entry,
            registers: FxHashMap::default(),
            data: FxHashMap::default(),
            loads: Vec::new(),
            stores: Vec::new(),
        }
    }

    fn program(mut self) -> Program {
        let shapes: Vec<usize> = self.unfolder.ticks.iter().map(|tick| tick.0).collect();
        let mut body = Vec::new();
        let mut tick = 0;
        while tick < shapes.len() {
            // Results are used behind all ticks, and roll looks for loops of which only the last iteration is.
            let taken = self.unfolder.results.iter().map(|result| result.tick);
            let end = taken.filter(|taken| *taken > tick).min().unwrap_or(shapes.len());
            let (period, times) = repetition(&shapes[tick..end]);
            let mut iterations = Vec::new();
            for _ in 0..times {
                let mut iteration = Vec::new();
                for _ in 0..period {
                    self.tick(tick, &mut iteration);
                    tick += 1;
                }
                iterations.push(iteration);
            }
            match times {
                1 => body.append(&mut iterations.concat()),
                _ => {
                    let span = self.entry.span;
                    body.push(Stmt::Forall(Forall { unroll: None, iterations, span }));
                }
            }
        }
        self.entry.body = [self.loads, body, self.stores].concat();
        let mut funcs: Vec<Func> = self.forms.into_iter().flatten().map(|form| form.func).collect();
        let entry = FuncId(funcs.len() as u32);
        funcs.push(self.entry);
        let tables = self.unfolder.program.tables.clone();
        Program { funcs, entry, tables, constants: Vec::new(), fields: Vec::new() }
    }

    /// Writes the call of a tick.
    fn tick(&mut self, tick: usize, body: &mut Vec<Stmt>) {
        let unfolder = self.unfolder;
        let (shape, constants, after) = &unfolder.ticks[tick];
        let reads = &unfolder.shapes[*shape].reads;
        let read = reads.iter().map(|place| self.read(tick, *place)).collect();
        let results = match &self.forms[*shape] {
            Some(form) => form.call(read, constants, &mut self.entry, body),
            None => SmallVec::new(),
        };
        let taken: Vec<u32> = (0u32..)
            .zip(&unfolder.results)
            .filter(|(_, t)| t.tick == tick)
            .map(|(k, _)| k)
            .collect();
        let (outputs, registers) = after.split_at(taken.len());
        for (&result, atoms) in taken.iter().zip(outputs) {
            for (atom, after) in (0..).zip(atoms) {
                let value = self.value(tick, after, &results, result);
                let (index, span) = (Index::fixed(atom), self.entry.span);
                self.stores.push(Stmt::Store { result, index, value, span });
            }
        }
        let inputs = unfolder.entry().inputs().len();
        let mut next = FxHashMap::default();
        for (register, atoms) in (inputs as u32..).zip(registers) {
            for (atom, after) in (0..).zip(atoms) {
                if let After::Data(from) = after {
                    next.insert((register, atom), self.from(tick, *from, &results));
                }
            }
        }
        if !registers.is_empty() {
            self.registers = next;
        }
    }

    /// The value of a place before a tick.
    fn read(&mut self, tick: usize, place: Place) -> ValueId {
        let (param, atom) = place;
        let Some(Drive::Data(data)) = self.unfolder.drives[tick].get(param as usize) else {
            return self.registers[&place];
        };
        if let Some(&value) = self.data.get(&(*data, atom)) {
            return value;
        }
        let load = Op::Load(*data as u32, Index::fixed(atom));
        let value = self.instr(load, self.entry.params[*data].ty);
        self.data.insert((*data, atom), value);
        value
    }

    fn from(&mut self, tick: usize, from: From, results: &[ValueId]) -> ValueId {
        match from {
            From::Place(place) => self.read(tick, place),
            From::Result(number) => results[number],
        }
    }

    fn value(&mut self, tick: usize, after: &After, results: &[ValueId], result: u32) -> ValueId {
        match *after {
            After::Data(from) => self.from(tick, from, results),
            After::Known(number) => {
                let ty = self.entry.results[result as usize].ty;
                self.instr(Op::Const(number), ty)
            }
        }
    }

    /// An instruction before all ticks.
    fn instr(&mut self, op: Op, ty: crate::core::Type) -> ValueId {
        let value = self.entry.value(ty);
        let (results, span) = ([value].into(), self.entry.span);
        self.loads.push(Stmt::Let(Instr { results, op, args: SmallVec::new(), span }));
        value
    }
}

/// How long what stands at the beginning is, and how often it stands there: the most ticks in the shortest period.
fn repetition(shapes: &[usize]) -> (usize, usize) {
    let times = |period: usize| {
        let again = shapes.iter().zip(&shapes[period..]).take_while(|(a, b)| a == b).count();
        again / period + 1
    };
    let periods = (1..=MAX_PERIOD.min(shapes.len() / 2)).map(|period| (period, times(period)));
    let repeated = periods.filter(|(_, times)| *times > 1);
    let longest = |best: (usize, usize), next: (usize, usize)| {
        if next.0 * next.1 > best.0 * best.1 {
            next
        } else {
            best
        }
    };
    repeated.fold((1, 1), longest)
}
