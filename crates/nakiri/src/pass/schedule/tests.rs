use super::list::First;
use super::*;
use crate::core::text::parse;
use crate::isa;

const CHAINS: usize = 32;
const LENGTH: usize = 60;

/// Chains of complements, one after another, the order of which is the graph's own.
fn chains() -> (Func, Graph, Vec<u32>) {
    let chain = |k: usize| {
        let first = k * (LENGTH + 1);
        let links = (first..first + LENGTH).map(|v| format!("%{} = not %{v} : u<V>8\n", v + 1));
        let links: String = links.collect();
        format!("%{first} = load x[{k}] : u<V>8\n{links}store y[{k}] %{}\n", first + LENGTH)
    };
    let body: String = (0..CHAINS).map(chain).collect();
    let text = format!("entry func F(x: u<V>8[{CHAINS}]) -> (y: u<V>8[{CHAINS}]) {{\n{body}}}");
    let mut func = parse(&text).expect("a program").funcs.remove(0);
    let stmts = std::mem::take(&mut func.body);
    let live = Liveness::new(func.values.len(), &stmts);
    let graph = Graph::new(stmts, &live.reads, live.count, &mut vec![None; func.values.len()]);
    let latencies = judge::latencies(&graph, &func, target());
    (func, graph, latencies)
}

fn target() -> &'static Target {
    isa::find("avx2").expect("a target")
}

/// The chain of each computation in an order.
fn chain_by_chain(order: &[At], latencies: &[u32]) -> Vec<usize> {
    let computed = order.iter().filter(|at| latencies[**at] > 0);
    computed.map(|at| at / (LENGTH + 2)).collect()
}

#[test]
fn later_statements_move_up_as_far_as_registers_suffice() {
    let (_, graph, latencies) = chains();
    let source = list::as_in_source(&graph, RULES[0]);
    let one_after_another = chain_by_chain(&source, &latencies);
    assert!(one_after_another.is_sorted());
    let with = |registers| {
        let order = list::for_latency(&graph, &First::Ordered(&source), &latencies, 4, registers);
        chain_by_chain(&order, &latencies)
    };
    assert_eq!(with(1), one_after_another);
    assert_eq!(with(16)[..12], [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3]);
}

#[test]
fn chains_one_after_another_leave_a_core_waiting() {
    let (func, graph, latencies) = chains();
    let source = list::as_in_source(&graph, RULES[0]);
    let overlapping = fastest(&graph, &func, target());
    let cycles = |order: &[At]| judge::cycles(&graph, order, &latencies, target());
    let all = CHAINS * LENGTH;
    assert!(cycles(&overlapping) < all / 4 + 16, "{}", cycles(&overlapping));
    // Zen 5 starts 1.84 a cycle of chains that are so long.
    let rate = all as f64 / cycles(&source) as f64;
    assert!((1.6..2.1).contains(&rate), "{rate}");
}
