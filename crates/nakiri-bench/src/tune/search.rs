//! The search: hill climbing over the choices of a space, from given starts, guided by bounds.
//!
//! Nothing here knows what a choice means; the judge does. A point is timed at most once, and never if its bound says
//! that it can't beat what has been timed.

use std::collections::BTreeMap;

/// One choice on each axis, as an index into the axis.
pub type Point = Vec<usize>;

/// An axis of the space.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is chosen, such as `schedule`.
    pub name: &'static str,
    /// The choices.
    pub values: Vec<String>,
}

/// What knows the points.
pub trait Judge {
    /// A lower bound on the cost, as cheaply as it can be had; `None` if nothing is known.
    fn bound(&mut self, point: &Point) -> Option<f64>;

    /// Whether a point stands for something that no other point does.
    fn exists(&self, point: &Point) -> bool;

    /// Told of points before they are asked for, one after another.
    fn prepare(&mut self, points: &[Point]);

    /// The measured cost, or why there is none.
    ///
    /// # Errors
    /// Why this point has no cost: not legal, refused by the compiler.
    fn measure(&mut self, point: &Point) -> Result<f64, String>;

    /// Whether the time is up.
    fn stop(&mut self) -> bool;
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Everything that was timed, the cheapest first.
    pub timed: Vec<(Point, f64)>,
    /// What could not be timed, and why.
    pub failed: Vec<(Point, String)>,
    /// How many points were left out because of their bounds.
    pub hopeless: usize,
    /// Whether the search ended by itself: no neighbour of the best is better.
    pub complete: bool,
}

/// Starts that cost more than this many times the best one are not climbed from.
const WORTH_CLIMBING: f64 = 1.5;

/// How many points the judge is told of at once.
const PREPARED: usize = 4;

/// A neighbour must be this much better to be moved to: less is noise.
const BETTER: f64 = 0.995;

/// Searches a space for its cheapest points: times the starts, in their order, then climbs from the good ones.
pub fn search(axes: &[Axis], starts: &[Point], judge: &mut dyn Judge) -> Found {
    let mut search =
        Search { judge, seen: BTreeMap::new(), best: f64::INFINITY, found: Found::default() };
    search.time(starts);
    let mut starts: Vec<(Point, f64)> =
        starts.iter().filter_map(|start| Some((start.clone(), search.cost(start)?))).collect();
    starts.sort_by(|a, b| a.1.total_cmp(&b.1));
    search.found.complete = true;
    for (start, cost) in starts {
        if cost <= search.best * WORTH_CLIMBING {
            search.climb(axes, start, cost);
        }
    }
    search.found.complete &= !search.judge.stop();
    let Search { seen, mut found, .. } = search;
    for (point, outcome) in seen {
        match outcome {
            Outcome::Cost(cost) => found.timed.push((point, cost)),
            Outcome::Failed(why) => found.failed.push((point, why)),
            Outcome::Hopeless => found.hopeless += 1,
        }
    }
    found.timed.sort_by(|a, b| a.1.total_cmp(&b.1));
    found
}

/// The points that differ in one choice.
fn neighbours(axes: &[Axis], point: &Point) -> Vec<Point> {
    let mut all = Vec::new();
    for (k, axis) in axes.iter().enumerate() {
        for choice in (0..axis.values.len()).filter(|choice| *choice != point[k]) {
            let mut other = point.clone();
            other[k] = choice;
            all.push(other);
        }
    }
    all
}

enum Outcome {
    Cost(f64),
    Failed(String),
    Hopeless,
}

struct Search<'a> {
    judge: &'a mut dyn Judge,
    seen: BTreeMap<Point, Outcome>,
    /// The smallest cost so far.
    best: f64,
    found: Found,
}

impl Search<'_> {
    /// Moves to the best neighbour until none is better.
    fn climb(&mut self, axes: &[Axis], mut point: Point, mut cost: f64) {
        loop {
            let around = neighbours(axes, &point);
            self.time(&around);
            let costs = around.into_iter().filter_map(|p| Some((p.clone(), self.cost(&p)?)));
            match costs.min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((next, better)) if better < cost * BETTER => (point, cost) = (next, better),
                _ => return,
            }
        }
    }

    /// Times the points that were not timed yet, but none that can't be the cheapest, and none when the time is up.
    fn time(&mut self, points: &[Point]) {
        let known = |point: &Point| {
            matches!(self.seen.get(point), Some(Outcome::Cost(_) | Outcome::Failed(_)))
        };
        // A kept choice may be a default too. Twice would be once too often: its bound may be its cost.
        let mut new: Vec<Point> = Vec::new();
        for point in points {
            if !known(point) && !new.contains(point) && self.judge.exists(point) {
                new.push(point.clone());
            }
        }
        for some in new.chunks(PREPARED) {
            self.judge.prepare(some);
            for point in some {
                if self.judge.stop() {
                    return;
                }
                let outcome = self.outcome(point);
                self.seen.insert(point.clone(), outcome);
            }
        }
    }

    fn outcome(&mut self, point: &Point) -> Outcome {
        match self.judge.bound(point) {
            Some(bound) if bound >= self.best => Outcome::Hopeless,
            _ => match self.judge.measure(point) {
                Ok(cost) => {
                    self.best = self.best.min(cost);
                    Outcome::Cost(cost)
                }
                Err(why) => Outcome::Failed(why),
            },
        }
    }

    fn cost(&self, point: &Point) -> Option<f64> {
        match self.seen.get(point) {
            Some(Outcome::Cost(cost)) => Some(*cost),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs as a function; bounds as another.
    struct Model<C, B> {
        cost: C,
        bound: B,
        timed: Vec<Point>,
        limit: usize,
    }

    impl<C: Fn(&Point) -> Result<f64, String>, B: Fn(&Point) -> f64> Judge for Model<C, B> {
        fn bound(&mut self, point: &Point) -> Option<f64> {
            Some((self.bound)(point))
        }
        fn exists(&self, point: &Point) -> bool {
            *point != [0, 0, 1]
        }
        fn prepare(&mut self, _: &[Point]) {}
        fn measure(&mut self, point: &Point) -> Result<f64, String> {
            self.timed.push(point.clone());
            (self.cost)(point)
        }
        fn stop(&mut self) -> bool {
            self.timed.len() >= self.limit
        }
    }

    fn axes() -> Vec<Axis> {
        let axis =
            |name, count: usize| Axis { name, values: (0..count).map(|n| n.to_string()).collect() };
        vec![axis("slicing", 3), axis("interleave", 4), axis("schedule", 3)]
    }

    fn starts() -> Vec<Point> {
        (0..3).map(|slicing| vec![slicing, 0, 0]).collect()
    }

    fn cost(point: &Point) -> Result<f64, String> {
        let slicing = [5.0, 4.0, 9.0][point[0]];
        Ok(slicing * [1.0, 0.6, 0.7, 0.9][point[1]] * [1.0, 0.9, 0.8][point[2]])
    }

    #[test]
    fn the_best_of_separable_costs_is_found_without_timing_all() {
        let mut model =
            Model { cost, bound: |p: &Point| cost(p).unwrap() * 0.9, timed: vec![], limit: 999 };
        let found = search(&axes(), &starts(), &mut model);
        assert_eq!(found.timed[0].0, [1, 1, 2]);
        assert!(found.complete && found.hopeless > 0 && found.failed.is_empty());
        assert!(!model.timed.contains(&vec![0, 0, 1]));
        assert!(model.timed.len() < 36, "{}", model.timed.len());
        let mut once = model.timed.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), model.timed.len());
    }

    #[test]
    fn what_is_hopeless_is_never_timed() {
        let bound = |point: &Point| if point[1] == 1 { 100.0 } else { 0.0 };
        let mut model = Model { cost, bound, timed: vec![], limit: 999 };
        let found = search(&axes(), &starts(), &mut model);
        assert!(model.timed.iter().all(|point| point[1] != 1));
        assert_eq!(found.timed[0].0, [1, 2, 2]);
    }

    #[test]
    fn failures_are_kept_and_the_search_goes_on() {
        let cost =
            |point: &Point| if point[0] == 1 { Err("refused".to_string()) } else { cost(point) };
        let mut model = Model { cost, bound: |_: &Point| 0.0, timed: vec![], limit: 999 };
        let found = search(&axes(), &starts(), &mut model);
        assert_eq!(found.timed[0].0, [0, 1, 2]);
        assert!(found.failed.iter().any(|(point, why)| point[0] == 1 && why == "refused"));
    }

    /// Its bound can't be beaten, but it is its own.
    #[test]
    fn a_start_given_twice_that_reaches_its_bound_is_climbed_from() {
        let cost = |p: &Point| Ok(p.iter().sum::<usize>() as f64);
        let bound = |p: &Point| p.iter().sum::<usize>() as f64;
        let mut model = Model { cost, bound, timed: vec![], limit: 999 };
        let start = vec![2, 0, 0];
        let found = search(&axes(), &[start.clone(), start.clone()], &mut model);
        assert_eq!(found.timed[0].0, [0, 0, 0]);
        assert_eq!(model.timed.iter().filter(|point| **point == start).count(), 1);
    }

    #[test]
    fn the_starts_are_timed_first_and_in_their_order() {
        let mut model = Model { cost, bound: |_: &Point| 0.0, timed: vec![], limit: 999 };
        let starts = [vec![1, 3, 2], vec![0, 2, 1]];
        search(&axes(), &starts, &mut model);
        assert_eq!(model.timed[..2], starts);
    }

    #[test]
    fn it_stops_when_the_time_is_up_with_the_best_so_far() {
        let mut model = Model { cost, bound: |_: &Point| 0.0, timed: vec![], limit: 4 };
        let found = search(&axes(), &starts(), &mut model);
        assert_eq!(found.timed.len(), 4);
        assert!(!found.complete);
    }
}
