//! What was optimized before: the kernels of a library, and those that are tried for one, have many a network in common, since targets
//! and widths share gates.

use super::network::Node;
use super::{Basis, Literal, Network};
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};

/// The most nodes that are kept, of 20 bytes each, and as many again for what they became.
const MOST: usize = 1_000_000;

/// A network before it was optimized.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    nodes: Vec<Node>,
    outputs: Vec<Literal>,
    basis: Basis,
}

/// What it became.
type Answer = Arc<(Vec<Node>, Vec<Literal>)>;

/// Questions with their answers.
#[derive(Default)]
struct Known {
    answers: FxHashMap<Question, Answer>,
    nodes: usize,
}

fn known() -> MutexGuard<'static, Known> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn keep(question: Question, answer: Answer) {
    let mut known = known();
    let nodes = question.nodes.len();
    if known.nodes + nodes > MOST {
        *known = Known::default();
    }
    known.nodes += nodes;
    known.answers.insert(question, answer);
}

/// Does what `optimize` does, unless that is known.
pub(super) fn or(
    network: &mut Network,
    outputs: &mut [Literal],
    basis: Basis,
    optimize: impl FnOnce(&mut Network, &mut [Literal]),
) {
    let question = Question { nodes: network.nodes().to_vec(), outputs: outputs.to_vec(), basis };
    let answer = known().answers.get(&question).cloned();
    let answer = answer.unwrap_or_else(|| {
        optimize(network, outputs);
        let answer = Arc::new((network.nodes().to_vec(), outputs.to_vec()));
        keep(question, Arc::clone(&answer));
        answer
    });
    *network = Network::of(answer.0.clone());
    outputs.copy_from_slice(&answer.1);
}
