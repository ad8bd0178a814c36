//! Sorting of small graphs.

/// A step along a cycle: a vertex, and which of its edges leads on.
pub(super) type Step = (usize, usize);

/// The vertices in an order in which each comes after those that its edges lead to, as near to their own order
/// as that allows; or a cycle.
pub(super) fn sorted(edges: &[Vec<usize>]) -> Result<Vec<usize>, Vec<Step>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut state = vec![Visit::New; edges.len()];
    let mut order = Vec::with_capacity(edges.len());
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..edges.len() {
        if state[root] == Visit::New {
            state[root] = Visit::Open;
            path.push((root, 0));
        }
        while let Some((vertex, next)) = path.last_mut() {
            let vertex = *vertex;
            let Some(&target) = edges[vertex].get(*next) else {
                state[vertex] = Visit::Done;
                order.push(vertex);
                path.pop();
                continue;
            };
            *next += 1;
            match state[target] {
                Visit::New => {
                    state[target] = Visit::Open;
                    path.push((target, 0));
                }
                Visit::Open => {
                    let start = path.iter().position(|(v, _)| *v == target).unwrap_or(0);
                    return Err(path[start..].iter().map(|(v, next)| (*v, next - 1)).collect());
                }
                Visit::Done => {}
            }
        }
    }
    Ok(order)
}
