//! Orders of a function's steps: that of the core, and some in which steps wait until what they make is read. No order needs the
//! fewest registers for all functions: what waits holds none, but keeps what it reads.

use super::{Action, Base, Function, Home, Item, Step, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which computations wait until what they make is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// None: the order of the core.
    Nothing,
    /// Those that read nothing which is made since a loop began or ended, as where a key is added to a state in memory.
    Leaves,
    /// All: after what one result needs comes what the next one needs.
    All,
}

/// A function with its steps in several orders, of which the first is the core's.
pub fn orders(function: &Function) -> impl Iterator<Item = Function> + '_ {
    let all = [Waiting::Nothing, Waiting::Leaves, Waiting::All];
    all.into_iter().map(|waiting| ordered(function, waiting))
}

fn ordered(function: &Function, waiting: Waiting) -> Function {
    let order = |steps: Vec<Step>| Order::new(function, waiting, steps).run();
    let (mut body, mut straight) = (Vec::with_capacity(function.body.len()), Vec::new());
    for item in &function.body {
        match item {
            Item::Step(step) => straight.push(step.clone()),
            Item::Loop(l) => {
                body.extend(order(std::mem::take(&mut straight)).into_iter().map(Item::Step));
                let mut l = l.clone();
                l.body = order(l.body);
                body.push(Item::Loop(l));
            }
        }
    }
    body.extend(order(straight).into_iter().map(Item::Step));
    Function { body, ..function.clone() }
}

/// Steps without loops while they are put in order.
struct Order<'a> {
    function: &'a Function,
    waiting: Waiting,
    /// Those that have not been placed.
    steps: Vec<Option<Step>>,
    /// What they make.
    made: FxHashSet<Value>,
    /// What they read.
    read: FxHashSet<Value>,
    /// For what is waited with, the step that makes it.
    makers: FxHashMap<Value, usize>,
    out: Vec<Step>,
}

impl Order<'_> {
    fn new(function: &Function, waiting: Waiting, steps: Vec<Step>) -> Order<'_> {
        Order {
            function,
            waiting,
            made: steps.iter().filter_map(|step| step.result).collect(),
            read: steps.iter().flat_map(|step| step.args.iter().copied()).collect(),
            makers: FxHashMap::default(),
            out: Vec::with_capacity(steps.len()),
            steps: steps.into_iter().map(Some).collect(),
        }
    }

    fn run(mut self) -> Vec<Step> {
        let all = 0..self.steps.len();
        for at in all.clone() {
            match self.steps[at].as_ref().and_then(|step| self.waits(step)) {
                Some(result) => drop(self.makers.insert(result, at)),
                None => self.place(at),
            }
        }
        // What others read later is left; first what nothing here reads, and before it what it reads.
        let is_last = |step: &Step| step.result.is_some_and(|result| !self.read.contains(&result));
        let last = |at: &usize| self.steps[*at].as_ref().is_some_and(is_last);
        let last: Vec<usize> = all.clone().filter(last).collect();
        last.into_iter().chain(all).for_each(|at| self.place(at));
        self.out
    }

    /// What a step makes, if it waits until that is read. What reads an array doesn't, for the array may be overwritten.
    fn waits(&self, step: &Step) -> Option<Value> {
        let in_array = |arg: &Value| match self.function.homes[*arg as usize] {
            Some(Home::Memory(memory)) => matches!(memory.base, Base::Array(_)),
            _ => false,
        };
        let waits = match self.waiting {
            Waiting::Nothing => false,
            Waiting::Leaves => !step.args.iter().any(|arg| self.made.contains(arg)),
            Waiting::All => true,
        };
        let may = matches!(step.action, Action::Compute(_)) && !step.args.iter().any(in_array);
        step.result.filter(|_| waits && may)
    }

    /// Places a step, and before it those that make what it reads.
    fn place(&mut self, at: usize) {
        let mut todo = vec![at];
        while let Some(&at) = todo.last() {
            let before = todo.len();
            let args = self.steps[at].iter().flat_map(|step| step.args.iter().rev());
            todo.extend(args.filter_map(|arg| self.makers.get(arg)));
            if todo.len() > before {
                continue;
            }
            todo.pop();
            if let Some(step) = self.steps[at].take() {
                step.result.and_then(|result| self.makers.remove(&result));
                self.out.push(step);
            }
        }
    }
}
