//! Answers that are kept, since several ask the same: who judges a program, who prices it and who compiles it specialize it alike.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Questions with their answers, the last of so many. Who asks while another thread works on the same waits for it.
#[derive(Debug)]
pub struct Memo<Q, A> {
    most: usize,
    kept: Mutex<VecDeque<Arc<Asked<Q, A>>>>,
}

/// A question, and its answer once there is one.
type Asked<Q, A> = (Q, OnceLock<A>);

impl<Q, A> Memo<Q, A> {
    /// No answers yet, and never more than so many.
    pub const fn new(most: usize) -> Memo<Q, A> {
        Memo { most, kept: Mutex::new(VecDeque::new()) }
    }
}

impl<Q: PartialEq, A: Clone> Memo<Q, A> {
    /// What was answered before, or is now.
    pub fn of(&self, question: Q, answer: impl FnOnce(&Q) -> A) -> A {
        let asked = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            // What was asked last is asked again most often.
            let known = kept.iter().rev().find(|asked| asked.0 == question).map(Arc::clone);
            known.unwrap_or_else(|| {
                let new = Arc::new((question, OnceLock::new()));
                kept.push_back(Arc::clone(&new));
                if kept.len() > self.most {
                    kept.pop_front();
                }
                new
            })
        };
        asked.1.get_or_init(|| answer(&asked.0)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_last_answers_are_kept() {
        let (memo, asked) = (Memo::new(2), Cell::new(0));
        let square = |n: u32| {
            memo.of(n, |n| {
                asked.set(asked.get() + 1);
                n * n
            })
        };
        assert_eq!([square(3), square(3), square(4), square(3)], [9, 9, 16, 9]);
        assert_eq!(asked.get(), 2);
        assert_eq!([square(5), square(3), square(4)], [25, 9, 16]);
        assert_eq!(asked.get(), 5, "each was forgotten for the next one");
    }
}
