//! The cost model: small programs whose costs are worked out by hand, on a machine of two ports that computes, one that
//! loads and one that stores.

use nakiri::compile::{compile, Options};
use nakiri::core::text::parse;
use nakiri::core::Program;
use nakiri::cost::{
    choose, estimate, estimate_kernel, estimate_text, explain, Cache, Estimate, Limit, Machine,
    OpCache, Operation, Ports, Renaming,
};
use nakiri::isa::{self, Class};
use nakiri::pass::chain::Links;
use nakiri::pass::interleave::Interleave;
use nakiri::registers::Spill;

fn machine() -> Machine {
    const COMPUTE: Ports = 0b0011;
    let operation = |class: Class| {
        let (latency, uses) = match class {
            Class::Move => (0.0, vec![]),
            Class::Load | Class::VectorLoad => (4.0, vec![0b0100]),
            Class::Store | Class::VectorStore => (5.0, vec![0b1000]),
            Class::VectorMultiply => (3.0, vec![COMPUTE]),
            _ => (1.0, vec![COMPUTE]),
        };
        Operation { class, width: 256, latency, uses }
    };
    Machine {
        name: "two".to_string(),
        reorder: Some(64),
        scheduler: None,
        width: 4.0,
        op_cache: Some(OpCache { instructions: 200, entry: None }),
        decode: 1.2,
        decode_bytes: 1000.0,
        cache: None,
        renaming: None,
        idle: None,
        operations: Class::ALL.iter().map(|class| operation(*class)).collect(),
    }
}

/// A function of three atoms to some, with this body.
fn program(results: usize, body: &str) -> Program {
    let text = format!(
        "entry func F(x: u<V>32[3]) -> (y: u<V>32[{results}]) {{\n  %0 = load x[0] : u<V>32\n  \
         %1 = load x[1] : u<V>32\n{body}}}\n"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error:?}:\n{text}"))
}

fn avx2(program: &Program) -> Estimate {
    estimate(program, isa::find("avx2").unwrap(), &machine()).unwrap()
}

/// So many operations on the same two values, and stores of the first results.
fn independent(operations: usize, stores: usize) -> Program {
    let op = |k: usize| format!("  %{} = xor %0, %1 : u<V>32\n", k + 2);
    let store = |k: usize| format!("  store y[{k}] %{}\n", k + 2);
    let body = (0..operations).map(op).chain((0..stores).map(store));
    program(stores, &body.collect::<String>())
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 0.02 * expected, "{found} instead of {expected}");
}

#[test]
fn a_chain_takes_its_latencies() {
    let body = "  loop 1000 with %2 = %0 : u<V>32 {\n    %3 = mul %2, %1 : u<V>32\n    next %3\n  } -> %4\n  store y[0] %4\n";
    let cost = avx2(&program(1, body));
    // A product takes 3 cycles; the next run begins while the last 64 wait in the reorder buffer.
    close(cost.cycles, 3.0 * (1000.0 - 64.0));
    assert_eq!(cost.binds(), Limit::Latency);
    // The product with its load, the loop's two instructions; loads, and the store of the result.
    assert_eq!(cost.ports, 500.0);
    assert_eq!((cost.spills, cost.reloads), (0, 0));
}

#[test]
fn independent_operations_fill_the_ports() {
    let cost = avx2(&independent(100, 1));
    // 100 operations on two ports.
    close(cost.cycles, 50.0);
    assert_eq!((cost.ports, cost.loads, cost.stores), (50.0, 2.0, 1.0));
    assert_eq!(cost.binds(), Limit::Ports);
}

#[test]
fn stores_have_a_port_too() {
    let cost = avx2(&independent(14, 14));
    assert_eq!((cost.ports, cost.stores), (7.0, 14.0));
    close(cost.cycles, 14.0);
    assert_eq!((cost.binds(), cost.spills), (Limit::Stores, 0));
}

#[test]
fn code_beyond_the_op_cache_is_decoded() {
    let (held, decoded) = (avx2(&independent(190, 1)), avx2(&independent(240, 1)));
    assert!(!held.decoded && decoded.decoded);
    close(held.cycles, 95.0);
    // 240 operations, 2 loads and a store.
    close(decoded.cycles, 243.0 / 1.2);
    assert_eq!(decoded.binds(), Limit::FrontEnd);
    // Whatever the decoders take, code comes in 16 bytes a cycle: here 4.4 an instruction, and 5 more for each in memory.
    let (program, target) = (independent(240, 1), isa::find("avx2").unwrap());
    let operation = |class: Class| Operation { class, width: 256, latency: 1.0, uses: vec![] };
    let operations = Class::ALL.iter().map(|class| operation(*class)).collect();
    let fetching = Machine { decode: 4.0, operations, ..machine() };
    let fetched = estimate(&program, target, &fetching).unwrap();
    close(fetched.cycles, (243.0 * 4.4 + 3.0 * 5.0) / 16.0);
}

#[test]
fn a_loop_that_the_op_cache_holds_is_decoded_once() {
    let loops = |bodies: usize| {
        let body = (0..bodies).map(|k| {
            let first = 1000 * k;
            let op = |i: usize| format!("    %{} = xor %{}, %1 : u<V>32\n", first + i + 11, first + i + 10);
            let ops: String = (0..150).map(op).collect();
            format!(
                "  loop 100 with %{} = %0 : u<V>32 {{\n{ops}    next %{}\n  }} -> %{}\n  store y[{k}] %{}\n",
                first + 10, first + 160, first + 900, first + 900
            )
        });
        program(bodies, &body.collect::<String>())
    };
    let (one, two) = (avx2(&loops(1)), avx2(&loops(2)));
    assert!(!one.decoded && two.decoded);
    // 15,200 instructions at four a cycle; then twice as many, 1.2 a cycle in each loop's first turn.
    close(one.front_end, 15_200.0 / 4.0);
    close(two.front_end, 2.0 * (15_048.0 / 4.0 + 152.0 / 1.2));
    // What is no loop is decoded in each run.
    close(avx2(&independent(240, 1)).front_end, 243.0 / 1.2);
}

#[test]
fn an_entry_of_the_op_cache_ends_with_its_line() {
    let op_cache = |entry| OpCache { instructions: 1200, entry };
    // Lines of 14 to 18 instructions, four bytes each: three entries of six, the last of them hardly filled.
    assert!(op_cache(None).holds(1200, 4800.0));
    assert!(!op_cache(Some(6)).holds(900, 3600.0));
    assert!(op_cache(Some(6)).holds(700, 2800.0));
    // Long instructions leave entries half empty.
    assert!(!op_cache(Some(6)).holds(700, 9.0 * 700.0));
}

#[test]
fn values_beyond_the_last_register_are_stored_and_loaded() {
    // Both arguments and 14 results fill 16 registers; of the next 5 each takes the register of the one before, whose use
    // is furthest; the last finds those of the arguments.
    let cost = avx2(&independent(20, 20));
    assert_eq!((cost.spills, cost.reloads), (5, 5));
    assert_eq!((cost.stores, cost.loads), (25.0, 7.0));
    let wide = estimate(&independent(20, 20), isa::find("avx512").unwrap(), &machine()).unwrap();
    assert_eq!((wide.spills, wide.reloads), (0, 0));
}

#[test]
fn loads_that_are_taken_for_others_take_longer() {
    let gp64 = |renaming, values| {
        let machine = Machine { renaming, ..machine() };
        estimate(&independent(values, values), isa::find("gp64").unwrap(), &machine).unwrap()
    };
    let renaming = Some(Renaming { bytes: 256, cycles: 20.0 });
    // 8 bytes for each value that was spilled: below 256 in all, and above.
    let (small, large) = (gp64(None, 30), gp64(None, 100));
    assert!(8 * small.spills < 256 && 8 * large.spills > 512, "{} {}", small.spills, large.spills);
    assert_eq!(gp64(renaming, 30), small);
    let priced = gp64(renaming, 100);
    let each = (priced.cycles - large.cycles) / large.reloads as f64;
    assert!(each > 0.0 && each < 20.0, "{each} cycles a load");
    assert!(priced.loads > large.loads);
    let avx2 = |renaming| {
        let machine = Machine { renaming, ..machine() };
        estimate(&independent(100, 100), isa::find("avx2").unwrap(), &machine).unwrap()
    };
    assert_eq!(avx2(renaming), avx2(None), "vectors are not renamed through memory");
}

#[test]
fn an_operand_that_lives_on_is_copied_where_instructions_overwrite_theirs() {
    let of = |name: &str| estimate(&independent(10, 1), isa::find(name).unwrap(), &machine());
    let (three, two) = (of("avx").unwrap(), of("ssse3").unwrap());
    // All but the last operation copy.
    assert_eq!(two.instructions, three.instructions + 9);
}

#[test]
fn memory_beyond_the_cache_is_moved_there_and_back() {
    let cache = Some(Cache { bytes: 512, refill: 16.0 });
    let of = |results: usize| {
        let machine = Machine { cache, ..machine() };
        estimate(&independent(14, results), isa::find("avx2").unwrap(), &machine).unwrap()
    };
    // 3 parameters and as many results of 32 bytes fit exactly.
    let (held, more) = (of(13), of(14));
    assert_eq!((held.memory, held.cache), (512, 0.0));
    // Of 544 bytes, a sixteenth too much, half are missing: they come and go.
    assert_eq!((more.memory, more.cache), (544, 34.0));
    close(more.cycles, 14.0 + 34.0);
}

/// A chain of products, for which the choices matter.
fn chain() -> Program {
    let op = |k: usize| format!("  %{} = mul %{}, %1 : u<V>32\n", k + 3, k + 2);
    let body: String = (0..90).map(op).collect();
    program(1, &format!("  %2 = xor %0, %1 : u<V>32\n{body}  store y[0] %92\n"))
}

#[test]
fn latencies_are_filled_by_interleaving() {
    let (program, open) = (chain(), "V avx2".parse::<Options>().unwrap());
    let machine = Machine { op_cache: None, ..machine() };
    let decision = choose(&program, &open, &machine).unwrap();
    // Six chains of latency 3 fill two ports; what a run leaves to be filled, the next one does in part.
    let factor = decision.options.interleave.unwrap().factor;
    assert!((3..=6).contains(&factor), "{factor}");
    assert_eq!(decision.options.choices().len(), 4);
    let again = choose(&program, &open, &machine).unwrap();
    assert_eq!(
        (again.options, again.candidates.len()),
        (decision.options, decision.candidates.len())
    );
}

/// Batches that just fill both ports are enough where these don't idle; where they do, more are at hand.
#[test]
fn what_idles_is_filled_by_more_batches() {
    let (program, open) = (chain(), "V avx2".parse::<Options>().unwrap());
    let factor = |idle| {
        let machine = Machine { op_cache: None, idle, ..machine() };
        choose(&program, &open, &machine).unwrap().options.interleave.unwrap().factor
    };
    let factors = [None, Some(0.0), Some(0.36)].map(factor);
    assert_eq!(factors[0], factors[1], "nothing is known, or nothing idles");
    assert!(factors[1] < factors[2], "{factors:?}");
}

/// What stands around a turn is shared by its batches, where turns are short.
#[test]
fn turns_on_rows_have_more_batches() {
    // A chain of products of as many atoms, and so of one word or one row.
    let factor = |direction: &str, atoms: usize| {
        let ty = format!("u<{direction}>32");
        let load = |k: usize| format!("  %{k} = load x[{k}] : {ty}\n");
        let product = |k: usize| {
            format!("  %{} = mul %{}, %{} : {ty}\n", 2 * atoms + k, atoms + k, k % atoms)
        };
        let store = |k: usize| format!("  store y[{k}] %{}\n", 10 * atoms + k);
        let body: String = (0..2 * atoms)
            .map(load)
            .chain((0..9 * atoms).map(product))
            .chain((0..atoms).map(store))
            .collect();
        let text =
            format!("entry func F(x: {ty}[2][{atoms}]) -> (y: {ty}[{atoms}]) {{\n{body}}}\n");
        let open: Options = format!("{direction} avx2").parse().unwrap();
        let machine = Machine { op_cache: None, ..machine() };
        let decision = choose(&parse(&text).unwrap(), &open, &machine).unwrap();
        decision.options.interleave.unwrap().factor
    };
    let (words, rows) = (factor("V", 1), factor("P", 4));
    assert!(words < rows, "{words}, {rows}");
}

#[test]
fn what_was_chosen_stays() {
    let asked: Options = "V avx2 interleave=2:3 schedule=pressure inline=small".parse().unwrap();
    let decision = choose(&chain(), &asked, &machine()).unwrap();
    for candidate in decision.candidates.iter().map(|c| c.options).chain([decision.options]) {
        assert_eq!((candidate.interleave, candidate.schedule), (asked.interleave, asked.schedule));
        assert_eq!(candidate.inline, asked.inline);
    }
}

#[test]
fn the_text_spills_where_loads_would_be_taken_for_others() {
    let load = |k: usize| format!("  %{k} = load x[{k}] : u<B>1\n");
    let op = |k: usize| format!("  %{} = and %{k}, %{} : u<B>1\n", k + 201, k + 1);
    let store = |k: usize| format!("  store y[{k}] %{}\n", k + 201);
    let body: String =
        (0..201).map(load).chain((0..200).map(op)).chain((0..200).map(store)).collect();
    let text = format!("entry func F(x: u<B>1[201]) -> (y: u<B>1[200]) {{\n{body}}}\n");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error:?}"));
    let chosen = |asked: &str, renaming| {
        let machine = Machine { renaming, ..machine() };
        let asked: Options = format!("{asked} schedule=source").parse().unwrap();
        let decision = choose(&program, &asked, &machine).unwrap();
        let taken = decision.taken().expect("it has a price");
        assert_eq!(taken.options.spill, decision.options.spill);
        (decision.options.spill, taken.estimate.mistaken > 0.0)
    };
    let renaming = Some(Renaming { bytes: 256, cycles: 20.0 });
    assert_eq!(chosen("B gp64", renaming), (Some(Spill::Explicit), false));
    assert_eq!(chosen("B gp64", None), (Some(Spill::Compiler), false));
    assert_eq!(chosen("B gp64 spill=compiler", renaming), (Some(Spill::Compiler), true));
    assert_eq!(chosen("B avx2", renaming), (None, false));
}

#[test]
fn what_the_machine_lacks_has_no_price() {
    let lacking = Machine { operations: Vec::new(), ..machine() };
    assert!(lacking.runs(isa::find("avx2").unwrap()).is_err());
    let decision = choose(&chain(), &"V avx2".parse().unwrap(), &lacking).unwrap();
    assert!(decision.candidates.is_empty());
    assert_eq!(decision.options.interleave, Some(Interleave::default()));
}

#[test]
fn reasons_are_given() {
    let asked: Options = "V avx2 unroll=auto inline=all schedule=source".parse().unwrap();
    let decision = choose(&chain(), &asked, &machine()).unwrap();
    let text = explain::text(&[decision]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/explain/chain.txt");
    if std::env::var_os("NAKIRI_BLESS").is_some() {
        std::fs::write(path, &text).expect("it can be written");
    }
    assert_eq!(text, std::fs::read_to_string(path).expect("there is the text"));
}

/// Runs that take what the one before made wait for it: for each sum of a chain, and for the store that the next run loads.
#[test]
fn blocks_of_a_text_wait_for_its_state() {
    let sum =
        |k: usize| format!("  %{} = add %{}, %1 : u<V>32\n", k + 2, if k == 0 { 0 } else { k + 1 });
    let stores = "  store y[0] %11\n  store y[1] %1\n  store y[2] %1\n";
    let body = (0..10).map(sum).chain([stores.to_string()]);
    let program = program(3, &body.collect::<String>());
    let options: Options = "V avx2".parse().expect("options");
    let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
    let state = Links { carried: vec![(0, 0)], kept: Vec::new() };
    let alone = estimate_kernel(&kernel, &machine()).unwrap();
    let chained = estimate_text(&kernel, &state, &machine()).unwrap();
    assert!((5.0..5.1).contains(&alone.cycles), "{}", alone.cycles);
    assert_eq!(chained.cycles, 15.0);
    assert_eq!(estimate_text(&kernel, &Links::default(), &machine()).unwrap(), alone);
}
