//! Small programs in the notation of P. Schwabe's lectures (that of D. J. Bernstein's qhasm): a statement a line, one
//! instruction each.
//!
//! ```text
//! int32 sum                      a variable
//! sum = 0                        a constant; `sum = other` is a copy
//! tmp = mem32[START+ctr]         a load; `mem32[…] = tmp` is a store
//! sum += tmp                     also -=, ^=, &=, |=, *=, <<=, >>=
//! unsigned<? ctr - 4000          a comparison; also signed<? and =?
//! looptop:                       a label
//! goto looptop if unsigned<      a jump; `if !unsigned<` for the opposite, or no condition
//! ```
//! `#` begins a comment. Names in capital letters are addresses that are known. The program is executed with the numbers that
//! it computes; what it loads is not known, so that no jump may depend on it.

use super::window::{self, Core};
use super::{costs, of_operations, Bound};
use crate::machine::{Class, Machine, MissingOperation};
use crate::sequence::{Instruction, Micro, Registers, Sequence, Step, Work};
use std::collections::{BTreeMap, HashMap};

/// The longest execution that is followed.
const LIMIT: usize = 4_000_000;

/// The bit of the flag that comparisons set.
const FLAG: usize = Registers::COUNT - 1;

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A number, a variable.
#[derive(Clone, Debug)]
enum Operand {
    Number(u64),
    Variable(usize),
}

#[derive(Clone, Debug)]
enum Action {
    /// The variable, how it is computed from its old value and the operand.
    Compute(usize, char, Operand),
    Load(usize, Vec<Operand>),
    Store(Vec<Operand>, usize),
    /// The condition's name, and the two operands.
    Compare(String, Operand, Operand),
    /// The label's number, and the condition with whether it must hold.
    Jump(String, Option<(String, bool)>),
}

/// What an execution of a program on a machine shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// What any order of the same operations takes at least.
    pub bound: Bound,
    /// The cycle in which the last instruction starts, the first starting in cycle 0, as the program is written.
    pub cycles: f64,
    /// Its loops, in the order of their jumps.
    pub loops: Vec<Iterations>,
}

/// A loop as it was executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterations {
    /// The line of the jump.
    pub line: usize,
    /// How often its body was executed.
    pub count: u64,
    /// Core cycles from one iteration to the next, on average.
    pub cycles: f64,
}

/// Executes a program on a machine.
///
/// # Errors
/// What is wrong with the program.
pub fn execute(
    text: &str,
    machine: &Machine,
) -> Result<Result<Execution, MissingOperation>, Error> {
    let program = Program::parse(text, machine.widest(Class::Load))?;
    let sequence = program.path()?;
    Ok(program.times(&sequence, machine))
}

/// The instructions that a program executes on a machine, and for each of [`Sequence::code`] the statement that it is.
///
/// # Errors
/// What is wrong with the program.
pub fn sequence(text: &str, machine: &Machine) -> Result<(Sequence, Vec<String>), Error> {
    let program = Program::parse(text, machine.widest(Class::Load))?;
    let lines: Vec<&str> = text.lines().collect();
    let statement = |(number, _): &(usize, Action)| {
        let line = lines[number - 1];
        line.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Ok((program.path()?, program.actions.iter().map(statement).collect()))
}

struct Program {
    actions: Vec<(usize, Action)>,
    code: Vec<Instruction>,
    labels: HashMap<String, usize>,
    variables: usize,
}

impl Program {
    /// Reads a program for a machine whose registers have so many bits.
    fn parse(text: &str, width: u32) -> Result<Program, Error> {
        let mut names: HashMap<&str, usize> = HashMap::new();
        let mut program =
            Program { actions: Vec::new(), code: Vec::new(), labels: HashMap::new(), variables: 0 };
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            let error = |message: String| Error { line: number + 1, message };
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix("int32 ").map(str::trim) {
                let next = names.len();
                names.insert(name, next);
                if names.len() >= FLAG {
                    return Err(error(format!("a program has at most {} variables", FLAG - 1)));
                }
            } else if let Some(label) = line.strip_suffix(':') {
                program.labels.insert(label.trim().to_string(), program.actions.len());
            } else {
                let action = Line { names: &names }.action(line).map_err(error)?;
                program.code.push(instruction(&action, width));
                program.actions.push((number + 1, action));
            }
        }
        program.variables = names.len();
        Ok(program)
    }

    /// Executes the program with the numbers that are known.
    fn path(&self) -> Result<Sequence, Error> {
        let mut values: Vec<Option<u64>> = vec![None; self.variables];
        let mut compared: HashMap<&str, Option<bool>> = HashMap::new();
        let mut sequence = Sequence { code: self.code.clone(), ..Sequence::default() };
        let mut next = 0;
        while let Some((line, action)) = self.actions.get(next) {
            let error = |message: String| Error { line: *line, message };
            if sequence.steps.len() == LIMIT {
                return Err(error(format!("the program executes more than {LIMIT} instructions")));
            }
            let value = |operand: &Operand, values: &[Option<u64>]| match operand {
                Operand::Number(number) => Some(*number),
                Operand::Variable(variable) => values[*variable],
            };
            let sum = |parts: &[Operand], values: &[Option<u64>]| {
                parts
                    .iter()
                    .try_fold(0u64, |sum, part| Some(sum.wrapping_add(value(part, values)?)))
            };
            let mut address = None;
            let code = next as u32;
            next += 1;
            match action {
                Action::Compute(variable, operator, operand) => {
                    let operand = value(operand, &values);
                    values[*variable] = match operator {
                        '=' => operand,
                        operator => {
                            values[*variable].zip(operand).map(|(a, b)| apply(*operator, a, b))
                        }
                    };
                }
                Action::Load(variable, parts) => {
                    address = sum(parts, &values);
                    values[*variable] = None;
                }
                Action::Store(parts, _) => address = sum(parts, &values),
                Action::Compare(name, a, b) => {
                    let pair = value(a, &values).zip(value(b, &values));
                    let holds = pair.map(|(a, b)| match name.as_str() {
                        "unsigned<" => a < b,
                        "signed<" => (a as i64) < b as i64,
                        _ => a == b,
                    });
                    compared.insert(name, holds);
                }
                Action::Jump(label, condition) => {
                    let holds = match condition {
                        None => true,
                        Some((name, wanted)) => match compared.get(name.as_str()) {
                            None => {
                                return Err(error(format!("nothing was compared for `{name}`")))
                            }
                            Some(None) => {
                                return Err(error(
                                    "the jump depends on what was loaded".to_string(),
                                ))
                            }
                            Some(Some(holds)) => holds == wanted,
                        },
                    };
                    if holds {
                        next = *self.labels.get(label).ok_or_else(|| {
                            error(format!(
                                "there is no label `{label}`; write `{label}:` before a line"
                            ))
                        })?;
                    }
                }
            }
            sequence.steps.push(Step { code, address });
        }
        Ok(sequence)
    }

    fn times(&self, sequence: &Sequence, machine: &Machine) -> Result<Execution, MissingOperation> {
        let costs = costs::costs(machine, sequence)?;
        let mut operations: BTreeMap<Micro, u64> = BTreeMap::new();
        for micro in sequence.instructions().flat_map(|instruction| instruction.work.parts()) {
            *operations.entry(micro).or_default() += 1;
        }
        let bound = of_operations(machine, &operations, sequence.steps.len() as u64)?;
        let core = Core {
            width: machine.front_end.width,
            bytes: f64::INFINITY,
            reorder: machine.reorder.map(|size| size as usize),
            ports: true,
            front_end: &machine.front_end,
        };
        // First and last start of each jump, and how often it was executed.
        let mut jumps: BTreeMap<u32, (f64, f64, u64)> = BTreeMap::new();
        let mut cycles = 0.0;
        window::run(&core, &costs, sequence, 1, &mut |executed| {
            let (code, start) = (sequence.steps[executed.step].code, executed.issued);
            cycles = f64::max(cycles, start);
            if matches!(self.actions[code as usize].1, Action::Jump(..)) {
                let entry = jumps.entry(code).or_insert((start, start, 0));
                *entry = (entry.0, start, entry.2 + 1);
            }
        });
        let loops = jumps.into_iter().filter(|(_, (.., count))| *count > 1);
        let loops = loops.map(|(code, (first, last, count))| Iterations {
            line: self.actions[code as usize].0,
            count,
            cycles: (last - first) / (count - 1) as f64,
        });
        Ok(Execution { bound, cycles, loops: loops.collect() })
    }
}

fn apply(operator: char, a: u64, b: u64) -> u64 {
    match operator {
        '+' => a.wrapping_add(b),
        '-' => a.wrapping_sub(b),
        '*' => a.wrapping_mul(b),
        '^' => a ^ b,
        '&' => a & b,
        '|' => a | b,
        '<' => a.wrapping_shl(b as u32),
        _ => a.wrapping_shr(b as u32),
    }
}

/// What a model needs of a statement.
fn instruction(action: &Action, width: u32) -> Instruction {
    let micro = |class| Some(Micro { class, width });
    let mut made = Instruction { bytes: 4, issued: true, ..Instruction::default() };
    let variables = |set: &mut Registers, operands: &[Operand]| {
        for operand in operands {
            if let Operand::Variable(variable) = operand {
                set.insert(*variable);
            }
        }
    };
    match action {
        Action::Compute(variable, operator, operand) => {
            let class = match operator {
                '=' => Class::Move,
                '+' | '-' => Class::Add,
                '*' => Class::Multiply,
                '<' | '>' => Class::Shift,
                _ => Class::Logic,
            };
            made.work = Work { compute: micro(class), ..Work::default() };
            variables(&mut made.data, std::slice::from_ref(operand));
            if *operator != '=' {
                made.data.insert(*variable);
            }
            made.written.insert(*variable);
        }
        Action::Load(variable, parts) => {
            made.work = Work { load: micro(Class::Load), ..Work::default() };
            variables(&mut made.address, parts);
            made.written.insert(*variable);
            made.memory = 4;
        }
        Action::Store(parts, variable) => {
            made.work = Work { store: micro(Class::Store), ..Work::default() };
            variables(&mut made.address, parts);
            made.data.insert(*variable);
            made.memory = 4;
        }
        Action::Compare(_, a, b) => {
            made.work = Work { compute: micro(Class::Add), ..Work::default() };
            variables(&mut made.data, &[a.clone(), b.clone()]);
            made.written.insert(FLAG);
        }
        Action::Jump(_, condition) => {
            made.work = Work { compute: micro(Class::Branch), ..Work::default() };
            made.branch = true;
            if condition.is_some() {
                made.data.insert(FLAG);
            }
        }
    }
    made
}

/// The names that a line may use.
struct Line<'a> {
    names: &'a HashMap<&'a str, usize>,
}

impl Line<'_> {
    fn action(&self, line: &str) -> Result<Action, String> {
        if let Some(rest) = line.strip_prefix("goto ") {
            return Ok(match rest.split_once(" if ") {
                None => Action::Jump(rest.trim().to_string(), None),
                Some((label, condition)) => {
                    let condition = condition.trim();
                    let (name, wanted) = match condition.strip_prefix('!') {
                        Some(name) => (name, false),
                        None => (condition, true),
                    };
                    Action::Jump(label.trim().to_string(), Some((name.to_string(), wanted)))
                }
            });
        }
        for name in ["unsigned<", "signed<", "="] {
            if let Some(rest) = line.strip_prefix(name).and_then(|rest| rest.strip_prefix('?')) {
                let (a, b) = rest.split_once('-').ok_or("a comparison is written `a - b`")?;
                return Ok(Action::Compare(name.to_string(), self.operand(a)?, self.operand(b)?));
            }
        }
        let (left, right) = line.split_once('=').ok_or_else(|| {
            format!(
                "`{line}` is no statement; there are =, +=, mem32[…], <?, goto, labels and int32"
            )
        })?;
        if let Some(parts) = memory(left) {
            return Ok(Action::Store(self.sum(parts)?, self.variable(right)?));
        }
        let operator = ["<<", ">>", "+", "-", "*", "^", "&", "|"]
            .into_iter()
            .find_map(|op| left.trim().strip_suffix(op).map(|name| (name, op)));
        match (operator, memory(right)) {
            (None, Some(parts)) => Ok(Action::Load(self.variable(left)?, self.sum(parts)?)),
            (None, None) => Ok(Action::Compute(self.variable(left)?, '=', self.operand(right)?)),
            (Some((name, op)), _) => {
                let operator = op.chars().next().unwrap_or('=');
                Ok(Action::Compute(self.variable(name)?, operator, self.operand(right)?))
            }
        }
    }

    fn variable(&self, text: &str) -> Result<usize, String> {
        let name = text.trim();
        let known = self.names.get(name).copied();
        known
            .ok_or_else(|| format!("there is no variable `{name}`; declare it with `int32 {name}`"))
    }

    fn operand(&self, text: &str) -> Result<Operand, String> {
        let text = text.trim();
        if let Ok(number) = text.parse::<i64>() {
            return Ok(Operand::Number(number as u64));
        }
        let constant = text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        match constant && !self.names.contains_key(text) {
            // Any address will do that is far from those of other names.
            true => Ok(Operand::Number(
                text.bytes().fold(1, |h, c| (h * 31 + u64::from(c)) % 65521) << 32,
            )),
            false => self.variable(text).map(Operand::Variable),
        }
    }

    fn sum(&self, text: &str) -> Result<Vec<Operand>, String> {
        text.split('+').map(|part| self.operand(part)).collect()
    }
}

/// What is between the brackets of `mem32[…]`.
fn memory(text: &str) -> Option<&str> {
    text.trim().strip_prefix("mem32[")?.strip_suffix(']')
}
