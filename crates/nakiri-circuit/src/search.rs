//! The search for a circuit of a table, by all means.

use crate::basis::Basis;
use crate::effort::Effort;
use crate::exact::{least_gates, with_gates, Answer, Problem};
use crate::gates::in_basis;
use crate::walk::{self, walk, Objective};
use crate::window;
use nakiri::circuit::search::{construct, improve, Settings};
use nakiri::circuit::tower::{Limits, Towers};
use nakiri::circuit::{entries_for, for_table, minimize, Circuit, Table};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The most inputs and outputs for which fewest gates are proved.
const EXACT: u8 = 5;

/// The longest time of the first round of exact questions; each round takes twice as long as the one before.
const FIRST_ROUND: Duration = Duration::from_secs(1);

/// How much is built anew in one step of the search for circuits of two-input gates.
const STEPS: usize = 1000;

/// How many circuits over towers of fields are built for each that is searched from.
const TOWERS: u64 = 12;

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub struct Search {
    /// The table.
    pub table: Table,
    /// The gates.
    pub basis: Basis,
    /// What is to be small.
    pub objective: Objective,
    /// The seed of all choices. With one job and time enough the same seed gives the same circuit.
    pub seed: u64,
    /// How many searches run at once.
    pub jobs: usize,
    /// When to end.
    pub effort: Effort,
}

/// The best circuit of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The circuit.
    pub circuit: Circuit,
    /// How it was found.
    pub how: String,
    /// No circuit of the basis has fewer gates: proved. If gates are what was to be few and this is the circuit's cost,
    /// it is minimal.
    pub least: usize,
}

impl Found {
    /// Whether it is proved that no circuit of `basis` has fewer gates.
    pub fn is_minimal(&self, basis: Basis) -> bool {
        basis.cost(&self.circuit) <= self.least
    }
}

/// The state that the jobs of a search share.
struct Shared<'a> {
    search: &'a Search,
    best: Mutex<Found>,
    /// For tables that are inversion but for affine maps, and searched for few gates.
    towers: OnceLock<Option<Towers>>,
    improved: &'a (dyn Fn(&Found) + Sync),
}

impl Search {
    /// Searches until the effort is over, or the circuit is proved to be minimal. `improved` is told of each better circuit.
    pub fn run(&self, improved: &(dyn Fn(&Found) + Sync)) -> Found {
        let (circuit, origin) = for_table(&self.table);
        let how = origin.to_string();
        let circuit = in_basis(&circuit, self.basis);
        let problem = Problem::of_table(&self.table);
        let least = least_gates(&problem, self.basis);
        let best = Mutex::new(Found { circuit, how, least });
        let shared = Shared { search: self, best, towers: OnceLock::new(), improved };
        for entry in entries_for(&self.table) {
            if self.basis == Basis::Ternary || !entry.circuit.is_ternary() {
                let how = format!("the library's {}", entry.name);
                shared.offer(&in_basis(&entry.circuit, self.basis), &how);
            }
        }
        improved(&shared.best());
        std::thread::scope(|scope| {
            for job in 1..self.jobs {
                let shared = &shared;
                scope.spawn(move || shared.search_locally(self.seed + job as u64, &self.effort));
            }
            shared.first_job(&problem);
        });
        shared.best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the fewest gates are looked for by SAT: only these can be proved.
    fn is_exact(&self) -> bool {
        let is_small = self.table.inputs <= EXACT && self.table.outputs <= EXACT;
        is_small && self.objective == Objective::Gates
    }
}

impl Shared<'_> {
    fn best(&self) -> Found {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be small, the most important first.
    fn rank(&self, circuit: &Circuit) -> [usize; 2] {
        let (size, depth) = (self.search.basis.cost(circuit), circuit.depth());
        match self.search.objective {
            Objective::Gates => [size, depth],
            Objective::Depth => [depth, size],
        }
    }

    /// Keeps a circuit if it is better than what there was.
    fn offer(&self, circuit: &Circuit, how: &str) {
        let mut best = self.lock();
        if self.rank(circuit) < self.rank(&best.circuit) {
            assert!(circuit.computes(&self.search.table), "a search changed the function");
            best.circuit = circuit.clone();
            best.how = how.to_string();
            let found = best.clone();
            drop(best);
            (self.improved)(&found);
        }
    }

    /// Local search and exact questions in turn for small tables, the former alone for others.
    fn first_job(&self, problem: &Problem) {
        let search = self.search;
        if search.is_exact() {
            let mut round = FIRST_ROUND;
            while !search.effort.is_over() && !self.settle(problem, round) {
                let local = search.effort.until(Instant::now() + round);
                self.search_locally(search.seed + round.as_secs(), &local);
                round *= 2;
            }
            search.effort.stop();
            return;
        }
        self.search_locally(search.seed, &search.effort);
    }

    /// Asks for one gate fewer than the best, and for the fewest that may be, each for at most `limit`. Whether
    /// the best is now known to be minimal.
    fn settle(&self, problem: &Problem, limit: Duration) -> bool {
        let Search { basis, effort, .. } = self.search;
        loop {
            let best = self.best();
            let size = basis.cost(&best.circuit);
            if best.least >= size {
                return true;
            }
            let ask = |gates: usize| {
                let effort = effort.until(Instant::now() + limit);
                let answer = with_gates(problem, *basis, gates, &effort);
                if let Answer::Enough(solution) = &answer {
                    let circuit = solution.to_circuit(problem.given, *basis);
                    self.offer(&circuit, "exact synthesis");
                }
                answer
            };
            // Upwards: only a proof for each number proves that none of them is enough.
            match ask(best.least) {
                Answer::Enough(_) => {}
                Answer::TooFew => self.lock().least = best.least + 1,
                Answer::Unknown => match ask(size - 1) {
                    Answer::Enough(_) if basis.cost(&self.best().circuit) < size => {}
                    _ => return false,
                },
            }
            if effort.is_over() {
                return false;
            }
        }
    }

    /// Local search from the best circuit and from new ones in turn.
    fn search_locally(&self, seed: u64, effort: &Effort) {
        let search = self.search;
        for round in 0.. {
            if effort.is_over() {
                return;
            }
            let seed = seed.wrapping_add(round << 20);
            let (start, how) = match round % 2 {
                0 => (self.best().circuit, "local search".to_string()),
                _ => self.start(seed, effort),
            };
            let how = format!("{how}, seed {}", search.seed);
            self.offer(&start, &how);
            let found = self.walk(&start, seed, 1 + round / 4, effort, &how);
            if search.objective == Objective::Gates {
                let tries = 4 * (1 + round as usize);
                let smaller = window::shrink(&found, search.basis, tries, seed, effort);
                self.offer(&smaller, &format!("windows replaced by SAT, seed {}", search.seed));
            }
        }
    }

    /// Another circuit to start with, and how it came to be.
    fn start(&self, seed: u64, effort: &Effort) -> (Circuit, String) {
        let search = self.search;
        if let Some(towers) = self.towers(effort) {
            let is_over = || effort.is_over();
            let limits = Limits::long(&is_over);
            let built = (0..TOWERS).filter_map(|number| towers.build(seed + number, &limits));
            let cleaned = built.map(|circuit| in_basis(&minimize(&circuit), search.basis));
            if let Some(circuit) = cleaned.min_by_key(|circuit| self.rank(circuit)) {
                return (circuit, "local search from a tower of fields".to_string());
            }
        }
        let settings = Settings { seed, steps: 200, chain: 2, breadth: 2, uphill: 10, excess: 2 };
        let built =
            if search.table.inputs <= 6 { construct(&search.table, settings) } else { None };
        match built {
            Some(circuit) => {
                (in_basis(&circuit, search.basis), "local search from nothing".to_string())
            }
            None => (self.best().circuit, "local search".to_string()),
        }
    }

    /// The towers over which the table may be built.
    fn towers(&self, effort: &Effort) -> Option<&Towers> {
        let search = self.search;
        let find = || match search.objective {
            Objective::Gates => {
                let is_over = || effort.is_over();
                Towers::of_table(&search.table, search.seed, &Limits::long(&is_over))
            }
            Objective::Depth => None,
        };
        self.towers.get_or_init(find).as_ref()
    }

    /// A walk over circuits of the basis; what it finds is offered as it goes.
    fn walk(&self, start: &Circuit, seed: u64, longer: u64, effort: &Effort, how: &str) -> Circuit {
        let search = self.search;
        let is_large = search.table.inputs > 6;
        if search.basis == Basis::Ternary || search.objective == Objective::Depth {
            let steps = longer * if is_large { 20_000 } else { 100_000 };
            let settings =
                walk::Settings { seed, steps, objective: search.objective, ..Default::default() };
            let mut improved =
                |circuit: &Circuit| self.offer(&in_basis(circuit, search.basis), how);
            let found = walk(start, search.basis, settings, effort, &mut improved);
            return in_basis(&found, search.basis);
        }
        let steps = if is_large { STEPS / 10 } else { STEPS };
        let mut current = start.clone();
        for part in 0..4 * longer {
            if effort.is_over() {
                break;
            }
            let settings = Settings {
                seed: seed.wrapping_add(part << 40),
                steps,
                chain: 2,
                breadth: 2,
                uphill: 20,
                excess: 2,
            };
            current = in_basis(&improve(&current, settings), search.basis);
            self.offer(&current, how);
        }
        current
    }
}
