//! Proofs that what the compiler makes of a cipher computes what it was given, and finding where it does not.

use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{interp, Direction, Op, Program, Stmt};
use nakiri::isa;
use nakiri::map::{Literal, Network};
use nakiri_circuit::equivalence::{leaves, sweep, symbols, End, Symbols, Verdict};
use nakiri_circuit::Effort;
use nakiri_verify::differential::elaborate;

/// The program of a cipher as it is sliced to bits, and its kernel.
fn kernel(cipher: &str, target: &str) -> (Program, Kernel) {
    let path = format!("{}/../../ciphers/{cipher}/{cipher}.ua", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the cipher's source");
    let core = elaborate(&text).expect("it is well formed");
    let target = *isa::all().iter().find(|t| t.name == target).expect("a target");
    let mut sliced = None;
    let mut observe = |pass: &str, program: &Program| {
        if pass == "bitslice" {
            sliced = Some(program.clone());
        }
    };
    let kernel = compile(&core, &Options::new(Direction::B, target), &mut observe);
    (sliced.expect("a pass"), kernel.expect("it compiles"))
}

/// For each result of both programs, whether they agree; and the leaves of the parameters.
fn compared(one: &Program, other: &Program) -> (Vec<Verdict>, Symbols) {
    let mut network = Network::new();
    let inputs = leaves(&one.entry().params, &mut network);
    let wanted = symbols(one, &inputs, &mut network).concat();
    let found = symbols(other, &inputs, &mut network).concat();
    let pairs: Vec<(Literal, Literal)> = wanted.into_iter().zip(found).collect();
    (sweep(&network, &pairs, Literal::FALSE.invert_if(true), &Effort::unlimited()), inputs)
}

#[test]
fn kernels_compute_what_they_were_given() {
    for cipher in ["trivium", "gift128", "present"] {
        for target in ["gp64", "avx512"] {
            let (sliced, kernel) = kernel(cipher, target);
            let (verdicts, _) = compared(&sliced, &kernel.program);
            assert!(verdicts.iter().all(|v| *v == Verdict::Equal), "{cipher} {target}");
        }
    }
}

/// One gate of the kernel becomes another, in each of several places.
#[test]
fn a_difference_is_found_and_shown() {
    let (sliced, kernel) = kernel("trivium", "gp64");
    for turn in [0, 100, 200, 300] {
        let mut damaged = kernel.program.clone();
        let entry = damaged.entry.index();
        let ands = damaged.funcs[entry].body.iter_mut().filter_map(|stmt| match stmt {
            Stmt::Let(instr) if instr.op == Op::Xor => Some(instr),
            _ => None,
        });
        ands.take(turn + 1).last().expect("an instruction").op = Op::Or;
        let (verdicts, inputs) = compared(&sliced, &damaged);
        let (place, ones) = verdicts
            .iter()
            .enumerate()
            .find_map(|(place, verdict)| match verdict {
                Verdict::Different(ones) => Some((place, ones)),
                _ => None,
            })
            .expect("the damage is found");
        let bit = |leaf: &Literal| u128::from(ones.contains(&leaf.node()));
        let block: Vec<Vec<u128>> =
            inputs.iter().map(|port| port.iter().map(bit).collect()).collect();
        let wanted = interp::run(&sliced, &block).concat();
        let found = interp::run(&damaged, &block).concat();
        assert!(wanted[place] != found[place], "{turn}: result {place} differs there");
    }
}

/// An effort that is over proves nothing that has to be looked at, and says why.
#[test]
fn what_ended_a_proof_is_known() {
    let mut network = Network::new();
    let [a, b, c] = [0; 3].map(|_| network.leaf());
    let and = |network: &mut Network, a, b| network.gate(&[a, b], 0x88);
    let (ab, bc) = (and(&mut network, a, b), and(&mut network, b, c));
    let pairs = [(and(&mut network, ab, c), and(&mut network, a, bc)), (ab, ab)];
    let always = Literal::FALSE.invert_if(true);
    let past = std::time::Instant::now();
    for (effort, end) in [
        (Effort::unlimited(), End::Complete),
        (Effort::new(Some(past), || false), End::Late),
        (Effort::new(None, || true), End::Stopped),
    ] {
        let verdicts = sweep(&network, &pairs, always, &effort);
        let first = if end == End::Complete { Verdict::Equal } else { Verdict::Unknown };
        assert_eq!(verdicts, [first, Verdict::Equal]);
        assert_eq!(End::of(&verdicts, &effort), end);
    }
}

/// What differs is equal where that is assumed for which it is.
#[test]
fn an_assumption_leaves_out_where_two_differ() {
    let mut network = Network::new();
    let [a, b] = [0; 2].map(|_| network.leaf());
    let (and, or) = (network.gate(&[a, b], 0x88), network.gate(&[a, b], 0xee));
    let same = network.gate(&[a, b], 0x99);
    let found = |assumed| sweep(&network, &[(and, or)], assumed, &Effort::unlimited());
    assert!(matches!(found(Literal::FALSE.invert_if(true))[..], [Verdict::Different(_)]));
    assert_eq!(found(same), [Verdict::Equal]);
}
