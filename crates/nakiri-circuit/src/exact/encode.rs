//! The question whether some number of gates suffices, as a formula for a SAT solver.
//!
//! Each gate selects its operands by one variable for each set of them, and has one variable for each value of its
//! function and one for its own value in each row (Kojevnikov, Kulikov and Yaroslavtsev 2009; Knuth, The Art of Computer
//! Programming 7.2.2.2, exercise 477). Without loss of generality every gate is used, two gates in a row that don't
//! depend on one another select their operands in colexicographic order, and no gate reads nothing but another gate and
//! operands of that one.

use super::problem::{Problem, Solution, Step};
use crate::basis::Basis;
use crate::effort::Effort;
use cadical::{Callbacks, Solver};

/// Ends the solver when the effort is over.
struct Watch(Effort);

impl Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.0.is_over()
    }
}

/// A variable or a value that is known.
#[derive(Clone, Copy)]
enum Value {
    Known(bool),
    Variable(i32),
}

impl Value {
    /// The literal that is true where the value is not `value`; none if that is never.
    fn differs(self, value: bool) -> Result<i32, bool> {
        match self {
            Value::Known(known) => Err(known != value),
            Value::Variable(variable) => Ok(if value { -variable } else { variable }),
        }
    }
}

/// The formula of one question.
pub(super) struct Encoding<'a> {
    problem: &'a Problem,
    basis: Basis,
    gates: usize,
    /// The wanted signals that are gates of their own.
    targets: &'a [usize],
    /// The operand sets of each gate, in colexicographic order.
    choices: Vec<Vec<Vec<usize>>>,
    select: Vec<Vec<i32>>,
    function: Vec<Vec<Value>>,
    value: Vec<Vec<Value>>,
    output: Vec<Vec<i32>>,
    variables: i32,
    solver: Solver<Watch>,
}

impl<'a> Encoding<'a> {
    /// The formula for `gates` gates. A basis that is normal wants a normalized problem.
    pub(super) fn new(
        problem: &'a Problem,
        targets: &'a [usize],
        basis: Basis,
        gates: usize,
    ) -> Encoding<'a> {
        let arity = basis.arity();
        let choices: Vec<Vec<Vec<usize>>> =
            (0..gates).map(|gate| subsets(problem.given + gate, arity)).collect();
        let mut encoding = Encoding {
            problem,
            basis,
            gates,
            targets,
            select: Vec::new(),
            function: Vec::new(),
            value: Vec::new(),
            output: Vec::new(),
            choices,
            variables: 0,
            solver: Solver::new(),
        };
        encoding.make_variables();
        for gate in 0..gates {
            encoding.gate(gate);
        }
        encoding.outputs();
        encoding.every_gate_is_used();
        (1..gates).for_each(|gate| encoding.order(gate));
        if basis.is_normal() {
            encoding.no_reapplication();
        }
        encoding
    }

    /// Whether the gates suffice, and how; none if the effort was over before that was known.
    pub(super) fn solve(mut self, effort: &Effort) -> Option<Option<Solution>> {
        self.solver.set_callbacks(Some(Watch(effort.clone())));
        let is_true = |solver: &Solver<Watch>, variable: i32| solver.value(variable) == Some(true);
        if !self.solver.solve()? {
            return Some(None);
        }
        let steps = (0..self.gates).map(|gate| {
            let selected = self.select[gate].iter().position(|&v| is_true(&self.solver, v));
            let operands = self.choices[gate][selected.unwrap_or(0)].clone();
            let bits = self.function[gate].iter().enumerate().map(|(place, value)| match *value {
                Value::Known(known) => u8::from(known) << place,
                Value::Variable(v) => u8::from(is_true(&self.solver, v)) << place,
            });
            Step { function: bits.sum(), operands }
        });
        let steps = steps.collect();
        let place =
            |row: &Vec<i32>| row.iter().position(|&v| is_true(&self.solver, v)).unwrap_or(0);
        let outputs = self.output.iter().map(|row| (self.problem.given + place(row), false));
        let outputs = outputs.collect();
        Some(Some(Solution { steps, outputs }))
    }

    fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    fn make_variables(&mut self) {
        let normal = self.basis.is_normal();
        for gate in 0..self.gates {
            let select = (0..self.choices[gate].len()).map(|_| self.variable()).collect();
            let known_zero = |this: &mut Self, index: usize| match normal && index == 0 {
                true => Value::Known(false),
                false => Value::Variable(this.variable()),
            };
            let function = (0..1 << self.basis.arity()).map(|p| known_zero(self, p)).collect();
            let value = (0..self.problem.rows.len()).map(|row| known_zero(self, row)).collect();
            self.select.push(select);
            self.function.push(function);
            self.value.push(value);
        }
        for _ in self.targets {
            let row = (0..self.gates).map(|_| self.variable()).collect();
            self.output.push(row);
        }
    }

    /// The value of a signal in a row.
    fn signal(&self, signal: usize, row: usize) -> Value {
        match signal.checked_sub(self.problem.given) {
            None => Value::Known(self.problem.rows[row].0 >> signal & 1 == 1),
            Some(gate) => self.value[gate][row],
        }
    }

    fn gate(&mut self, gate: usize) {
        let select = self.select[gate].clone();
        self.solver.add_clause(select.iter().copied());
        for (place, &a) in select.iter().enumerate() {
            for &b in &select[place + 1..] {
                self.solver.add_clause([-a, -b]);
            }
        }
        for (choice, &selected) in select.iter().enumerate() {
            for row in 0..self.problem.rows.len() {
                self.row(gate, choice, selected, row);
            }
        }
        self.functions(gate);
    }

    /// In a row, the gate has the value that its function has at its operands.
    fn row(&mut self, gate: usize, choice: usize, selected: i32, row: usize) {
        let operands = self.choices[gate][choice].clone();
        let arity = operands.len();
        let values: Vec<Value> = operands.iter().map(|&signal| self.signal(signal, row)).collect();
        let own = self.value[gate][row];
        for place in 0..1usize << arity {
            let mut clause = vec![-selected];
            let mut holds = false;
            for (operand, value) in values.iter().enumerate() {
                match value.differs(place >> (arity - 1 - operand) & 1 == 1) {
                    Ok(literal) => clause.push(literal),
                    Err(differs) => holds |= differs,
                }
            }
            if holds {
                continue;
            }
            // own == function[place]
            for value in [false, true] {
                let mut equal = clause.clone();
                let mut holds = false;
                for difference in [own.differs(value), self.function[gate][place].differs(!value)] {
                    match difference {
                        Ok(literal) => equal.push(literal),
                        Err(differs) => holds |= differs,
                    }
                }
                if !holds {
                    self.solver.add_clause(equal);
                }
            }
        }
    }

    /// The functions that the basis has.
    fn functions(&mut self, gate: usize) {
        let function = self.function[gate].clone();
        let differs = |table: u8| -> Option<Vec<i32>> {
            let mut clause = Vec::new();
            for (place, value) in function.iter().enumerate() {
                match value.differs(table >> place & 1 == 1) {
                    Ok(literal) => clause.push(literal),
                    Err(true) => return None,
                    Err(false) => {}
                }
            }
            Some(clause)
        };
        if self.basis.arity() == 3 {
            if let Some(clause) = differs(0) {
                self.solver.add_clause(clause);
            }
            return;
        }
        for table in 0..16u8 {
            let Some(clause) = differs(table) else { continue };
            if !self.basis.pairs().contains(&table) {
                self.solver.add_clause(clause);
                continue;
            }
            // An inverter has one form for each operand.
            for (choice, operands) in self.choices[gate].iter().enumerate() {
                let is_other_form = match table {
                    0b0011 => operands[0] != 0 || operands[1] != 1,
                    0b0101 => operands[0] != 0,
                    _ => false,
                };
                if is_other_form {
                    let selected = self.select[gate][choice];
                    self.solver.add_clause(clause.iter().copied().chain([-selected]));
                }
            }
        }
    }

    fn outputs(&mut self) {
        for (&target, places) in self.targets.iter().zip(self.output.clone()) {
            self.solver.add_clause(places.iter().copied());
            for (gate, &is_here) in places.iter().enumerate() {
                for row in 0..self.problem.rows.len() {
                    let wanted = self.problem.rows[row].1 >> target & 1 == 1;
                    // The literal that is true where the gate has the wanted value.
                    match self.value[gate][row].differs(!wanted) {
                        Ok(literal) => self.solver.add_clause([-is_here, literal]),
                        Err(true) => {}
                        Err(false) => self.solver.add_clause([-is_here]),
                    }
                }
            }
        }
    }

    fn every_gate_is_used(&mut self) {
        for gate in 0..self.gates {
            let signal = self.problem.given + gate;
            let outputs = self.output.iter().map(|places| places[gate]);
            let readers = (gate + 1..self.gates).flat_map(|reader| {
                let reads = self.choices[reader].iter().zip(&self.select[reader]);
                reads.filter(|(operands, _)| operands.contains(&signal)).map(|(_, &v)| v)
            });
            let clause: Vec<i32> = outputs.chain(readers).collect();
            self.solver.add_clause(clause);
        }
    }

    /// Gate `gate` reads the one before or selects no earlier operands than that one.
    fn order(&mut self, gate: usize) {
        let before = self.problem.given + gate - 1;
        for (choice, operands) in self.choices[gate].iter().enumerate() {
            if operands.contains(&before) {
                continue;
            }
            // Sets that don't have the gate before in them are numbered as they are there.
            for later in choice + 1..self.choices[gate - 1].len() {
                self.solver.add_clause([-self.select[gate - 1][later], -self.select[gate][choice]]);
            }
        }
    }

    /// No gate reads only another gate and operands of that one.
    fn no_reapplication(&mut self) {
        for gate in 0..self.gates {
            let signal = self.problem.given + gate;
            for (choice, operands) in self.choices[gate].iter().enumerate() {
                for reader in gate + 1..self.gates {
                    let readings = self.choices[reader].iter().zip(&self.select[reader]);
                    let inside = |reads: &[usize]| {
                        reads.contains(&signal)
                            && reads.iter().all(|s| *s == signal || operands.contains(s))
                    };
                    for (_, &selected) in readings.filter(|(reads, _)| inside(reads)) {
                        self.solver.add_clause([-self.select[gate][choice], -selected]);
                    }
                }
            }
        }
    }
}

/// The sets of `size` numbers below `bound`, in colexicographic order.
fn subsets(bound: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with_largest = |largest: usize| {
        subsets(largest, size - 1).into_iter().map(move |mut rest| {
            rest.push(largest);
            rest
        })
    };
    (0..bound).flat_map(with_largest).collect()
}
