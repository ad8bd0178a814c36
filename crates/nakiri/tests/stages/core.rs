//! The core: text form, verifier, interpreter, semantics.

use crate::common;

use common::{cases, inputs, read};
use nakiri::core::arguments::{Atom, InPlace};
use nakiri::core::interp::{from_bits, run, to_bits};
use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::{
    semantics, Direction, FuncId, Index, Op, OpKind, Program, Stmt, TableId, Type, ValueId, Width,
};
use nakiri::isa::{find, verify_sliced};
use nakiri::source::{FileId, Span};

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e} in\n{text}"))
}

/// Prints, parses back, and expects the same.
fn assert_round_trip(program: &Program) {
    let text = program.to_string();
    assert_eq!(parsed(&text), program.canonical(), "{text}");
}

#[test]
fn printed_text_is_the_parsed_text() {
    let text = read("everything.txt");
    let program = parsed(&text);
    assert_eq!(program.to_string(), text);
    assert_eq!(program, program.canonical());
    assert_eq!(verify(&program), Ok(()));
}

#[test]
fn everything_has_every_operation() {
    let text = read("everything.txt");
    let mut kinds = Vec::new();
    for stmt in parsed(&text).funcs.iter().flat_map(|f| &f.body) {
        stmt.instrs(&mut |instr| kinds.push(instr.op.kind()));
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), OpKind::Call as usize + 1);
}

#[test]
fn numbers_of_values_and_comments_are_free() {
    let a = "entry func F(x: u<V>8) -> (y: u<V>8) { # to the end of the line\n\
             %70 = load x[0] : u<V>8 %3 = not %70 : u<V>8 store y[0] %3 }";
    let b = "entry func F(x:u<V>8 @le)->(y:u<V>8){%0=load x[0]:u<V>8 %1=not%0:u<V>8 store y[0]%1}";
    assert_eq!(parsed(a), parsed(b));

    let mut gaps = parsed(a);
    let func = &mut gaps.funcs[0];
    let (gone, copy) = (func.value(Type::new(Direction::B, 1)), func.value(func.ty(ValueId(1))));
    assert_eq!(gone, ValueId(2));
    for stmt in &mut func.body {
        stmt.map_uses(&mut |v| if v == ValueId(1) { copy } else { v });
        if let Stmt::Let(instr) = stmt {
            instr.results.iter_mut().filter(|r| **r == ValueId(1)).for_each(|r| *r = copy);
        }
    }
    assert_ne!(gaps, parsed(a));
    assert_eq!(gaps.canonical(), parsed(a));
    assert_eq!(verify(&gaps), Ok(()));
    assert_round_trip(&gaps);
}

/// What differs in its name and its places is the same without them; which statements are of one place is known still.
#[test]
fn programs_without_names_and_places_are_alike() {
    let text = |name: &str| {
        format!(
            "entry func {name}(x: u<V>8) -> (y: u<V>8) {{\n  %0 = load x[0] : u<V>8\n  %1 = not %0 : u<V>8\n  \
             %2 = not %1 : u<V>8\n  store y[0] %2\n}}\n"
        )
    };
    let placed = |name: &str, places: [usize; 4]| {
        let mut program = parsed(&text(name));
        for (stmt, place) in program.funcs[0].body.iter_mut().zip(places) {
            if let Stmt::Let(instr) = stmt {
                instr.span = Span::new(FileId(place as u32), place..place + 1);
            }
        }
        program
    };
    let two = placed("F", [3, 5, 7, 0]);
    assert_eq!(two.placeless(), placed("Another", [4, 1, 9, 0]).placeless());
    assert_ne!(two.placeless(), placed("F", [3, 5, 5, 0]).placeless());
    assert_eq!(placed("F", [3, 5, 5, 0]).canonical(), two.canonical());
}

#[test]
fn texts_that_are_no_program_are_refused() {
    for case in cases("syntax.txt") {
        let error = parse(&case.text).err().map(|e| e.to_string());
        assert_eq!(error.as_ref(), Some(&case.expected[0]), "{}", case.title);
    }
}

const AROUND: &str = "
table S 2 2 { 0, 1, 2, 3 }
constants0 { 1, 2, 0x1ff }
func G<'D; 'm>(a: u<'D>'m[2], b: u<V>8) -> (c: u<'D>'m) {
  %0 = load a[0] : u<'D>'m
  store c[0] %0
}
entry func F(x: u<V>8[4], n: u<V>2) -> (y: u<V>8) {
  %0 = load x[0] : u<V>8
  %1 = load n[0] : u<V>2
  BODY
  store y[0] %0
}";

#[test]
fn ill_formed_programs_are_refused() {
    assert_eq!(verify(&parsed(&AROUND.replace("BODY", ""))), Ok(()));
    for case in cases("verify.txt") {
        let whole = case.text.contains("entry func");
        let text = if whole { case.text } else { AROUND.replace("BODY", &case.text) };
        assert_eq!(verify(&parsed(&text)), Err(case.expected[0].clone()), "{}", case.title);
    }
}

/// What no text says: references to nothing.
#[test]
fn dangling_references_are_refused() {
    let instr = |program: &mut Program, op: Op| {
        let Stmt::Let(instr) = &mut program.funcs[1].body[0] else { panic!("not an instruction") };
        instr.op = op;
    };
    let type_of_x = |program: &mut Program, width| {
        program.funcs[1].params[0].ty.width = width;
    };
    type Break<'a> = &'a dyn Fn(&mut Program);
    let breaks: [(Break, &str); 8] = [
        (&|p| p.entry = FuncId(2), "the entry @2 does not exist"),
        (
            &|p| instr(p, Op::Load(2, Index::fixed(0))),
            "function F: `%0 = load \"?\"[0] : u<V>8`: there is no input 2",
        ),
        (
            &|p| instr(p, Op::Table(TableId(1))),
            "function F: `%0 = table \"?\" : u<V>8`: there is no table1",
        ),
        (
            &|p| instr(p, Op::Call(FuncId(2), vec![], vec![])),
            "function F: `%0 = call \"?\" : u<V>8`: there is no function @2",
        ),
        (
            &|p| type_of_x(p, Width::Param(0)),
            "function F: port x: there is no word-size parameter 0",
        ),
        (
            &|p| p.funcs[1].body[2].map_uses(&mut |_| ValueId(9)),
            "function F: `store y[0] %9`: there is no value %9",
        ),
        (
            &|p| {
                p.funcs[1].values.truncate(1);
            },
            "function F: `%1 = load n[0] : ?`: there is no value %1",
        ),
        (
            &|p| {
                p.funcs[1].results.clear();
            },
            "function F: `store \"?\"[0] %0`: there is no result 0",
        ),
    ];
    for (breaks, expected) in breaks {
        let mut program = parsed(&AROUND.replace("BODY", ""));
        breaks(&mut program);
        assert_eq!(verify(&program), Err(expected.to_string()));
    }
}

#[test]
fn sliced_programs_have_only_instances() {
    let xor = "entry func F(x: u<V>WIDTH) -> (y: u<V>WIDTH) {
      %0 = load x[0] : u<V>WIDTH
      %1 = OP %0, %0 : u<V>WIDTH
      store y[0] %1
    }";
    let generic = "func G<'D; >(x: u<'D>8) -> () { } entry func F() -> () { }";
    let forall = "entry func F() -> () { loop 2 { forall { } { } } }";
    let bits = "entry func F(x: u<B>1) -> (y: u<B>1) {
      %0 = load x[0] : u<B>1
      %1 = not %0 : u<B>1
      store y[0] %1
    }";
    let (v, b) = (Direction::V, Direction::B);
    let target = find("gp64").expect("it is a target");
    let xor8 = xor.replace("WIDTH", "8").replace("OP", "xor");
    let xor24 = xor.replace("WIDTH", "24").replace("OP", "xor");
    let ornot8 = xor.replace("WIDTH", "8").replace("OP", "ornot");
    for (text, direction, error) in [
        (xor8.as_str(), v, None),
        (bits, b, None),
        (&xor24, v, Some("function F: gp64 has no instance of Xor for V and 24 bits")),
        (&ornot8, v, Some("function F: gp64 has no instance of OrNot for V and 8 bits")),
        (generic, v, Some("function G: it is still generic")),
        (forall, v, Some("function F: a forall is left")),
        (&xor8, b, Some("function F: a value is not one bit in a bitsliced program")),
    ] {
        let result = verify_sliced(&parsed(text), target, direction);
        assert_eq!(result.err().as_deref(), error, "{text}");
    }
}

fn number(text: &str) -> u128 {
    let (radix, digits) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(digits), _) => (16, digits),
        (_, Some(digits)) => (2, digits),
        _ => (10, text),
    };
    u128::from_str_radix(digits, radix).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn ports(text: &str) -> Vec<Vec<u128>> {
    text.split('|').map(|port| port.split_whitespace().map(number).collect()).collect()
}

#[test]
fn programs_compute_what_they_mean() {
    for case in cases("run.txt") {
        let program = parsed(&case.text);
        assert_eq!(verify(&program), Ok(()), "{}", case.title);
        assert_round_trip(&program);
        for line in &case.expected {
            let (inputs, outputs) = line.split_once("->").expect("inputs -> outputs");
            assert_eq!(run(&program, &ports(inputs)), ports(outputs), "{}: {line}", case.title);
        }
    }
}

#[test]
fn bits_are_the_most_significant_first() {
    assert_eq!(to_bits(&[0b110, 0b001], 3), [1, 1, 0, 0, 0, 1]);
    assert_eq!(from_bits(&[1, 1, 0, 0, 0, 1], 3), [0b110, 0b001]);
    assert_eq!(from_bits(&to_bits(&[u128::MAX - 1], 128), 128), [u128::MAX - 1]);
}

/// The operations again, as statements about single bits (0 the least significant) or in wider arithmetic.
#[test]
fn operations_agree_with_their_bits_at_every_width() {
    let edges = [0, 1, 2, 0x55, u128::MAX, 1 << 127, u128::MAX / 3, 0x0123_4567_89ab_cdef << 40];
    for width in [1, 2, 7, 8, 63, 64, 65, 127, 128u16] {
        let mask = semantics::mask(width);
        assert_eq!(mask.count_ones(), width.into());
        for a in edges.map(|a| a & mask) {
            for n in [0, 1, width / 2, width - 1].into_iter().filter(|&n| n < width) {
                check_shifts(width, a, n);
            }
            let reverse: Box<[_]> = (0..width).rev().map(Some).collect();
            let sift: Box<[_]> = (0..width).map(|i| (i % 2 == 0).then_some(i)).collect();
            check_bits(&Op::Shuffle(reverse), width, &[a], |i| a >> (width - 1 - i) & 1 == 1);
            check_bits(&Op::Shuffle(sift), width, &[a], |i| {
                (width - 1 - i) % 2 == 0 && a >> i & 1 == 1
            });
            for b in edges.map(|b| b & mask) {
                check_logic(width, a, b);
                check_arithmetic(width, a, b);
            }
        }
    }
}

fn check_bits(op: &Op, width: u16, args: &[u128], bit: impl Fn(u16) -> bool) {
    let expected = (0..width).fold(0, |sum, i| sum | u128::from(bit(i)) << i);
    assert_eq!(semantics::eval(op, width, args), Some(expected), "{op:?} {width} {args:x?}");
}

fn check_shifts(width: u16, a: u128, n: u16) {
    let bit = |i: u16| a >> i & 1 == 1;
    check_bits(&Op::Shl(n), width, &[a], |i| i >= n && bit(i - n));
    check_bits(&Op::Shr(n), width, &[a], |i| i + n < width && bit(i + n));
    check_bits(&Op::Sar(n), width, &[a], |i| bit((i + n).min(width - 1)));
    check_bits(&Op::Rotl(n), width, &[a], |i| bit((i + width - n) % width));
    check_bits(&Op::Bitmask(n), width, &[a], |_| bit(n));
}

fn check_logic(width: u16, a: u128, b: u128) {
    let (bit_a, bit_b) = (|i: u16| a >> i & 1 == 1, |i: u16| b >> i & 1 == 1);
    check_bits(&Op::And, width, &[a, b], |i| bit_a(i) && bit_b(i));
    check_bits(&Op::Or, width, &[a, b], |i| bit_a(i) || bit_b(i));
    check_bits(&Op::Xor, width, &[a, b], |i| bit_a(i) != bit_b(i));
    check_bits(&Op::Not, width, &[a], |i| !bit_a(i));
    check_bits(&Op::AndNot, width, &[a, b], |i| !bit_a(i) && bit_b(i));
    check_bits(&Op::OrNot, width, &[a, b], |i| !bit_a(i) || bit_b(i));
    for lut in [0x00, 0x1e, 0x80, 0xca, 0xff] {
        check_bits(&Op::Ternary(lut), width, &[a, b, a >> 1], |i| {
            let c = i + 1 < width && bit_a(i + 1);
            lut >> (4 * u8::from(bit_a(i)) + 2 * u8::from(bit_b(i)) + u8::from(c)) & 1 == 1
        });
    }
}

/// Sum, difference and product bit by bit, as on paper.
fn check_arithmetic(width: u16, a: u128, b: u128) {
    let mask = semantics::mask(width);
    let sum = |a: u128, b: u128| {
        let mut carry = false;
        (0..width).fold(0, |sum, i| {
            let (x, y) = (a >> i & 1 == 1, b >> i & 1 == 1);
            let bit = x ^ y ^ carry;
            carry = u8::from(x) + u8::from(y) + u8::from(carry) >= 2;
            sum | u128::from(bit) << i
        })
    };
    let product = (0..width).filter(|i| b >> i & 1 == 1).fold(0, |p, i| sum(p, a << i & mask));
    let eval = |op: Op| semantics::eval(&op, width, &[a, b]);
    assert_eq!(eval(Op::Add), Some(sum(a, b)), "{a:x} + {b:x}, {width}");
    assert_eq!(eval(Op::Sub), Some(sum(sum(a, !b & mask), 1)), "{a:x} - {b:x}, {width}");
    assert_eq!(eval(Op::Mul), Some(product), "{a:x} * {b:x}, {width}");
}

/// Texts that are almost programs: never a panic, and what is accepted prints and runs.
#[test]
fn mangled_texts_are_refused_or_work() {
    let text = read("everything.txt");
    let pieces: Vec<_> = text.split_inclusive([' ', '\n', ',', '(', '[', '<', ';']).collect();
    let mut accepted = 0;
    for i in 0..pieces.len() {
        let gone = [&pieces[..i], &pieces[i + 1..]].concat();
        let twice = [&pieces[..=i], &pieces[i..]].concat();
        let ends = pieces[..i].to_vec();
        let mut other = pieces.clone();
        other[i] = pieces[(i * 7 + 3) % pieces.len()];
        for mangled in [gone, twice, ends, other] {
            let Ok(program) = parse(&mangled.concat()) else { continue };
            if verify(&program).is_ok() {
                accepted += 1;
                assert_round_trip(&program);
                let inputs = inputs(&program, i as u64).expect("the entry is not generic");
                assert_eq!(run(&program, &inputs), run(&program.canonical(), &inputs));
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}

fn list(text: &dyn Fn(usize) -> String) -> String {
    (0..9).map(text).collect::<Vec<_>>().join(", ")
}

/// The arguments in place of a loop around a call of nine atoms: `%9` to `%17` are carried, `%18` is made of `also` before
/// the call, `%20` to `%28` are its results, `%30` to `%38` are made of these.
fn in_place(also: &str, call: &str, next: &str) -> Vec<Vec<Atom>> {
    let lines = |text: &dyn Fn(usize) -> String| (0..9).map(text).collect::<Vec<_>>().join("\n");
    let text = format!(
        "func G(x: u<V>8[9]) -> (y: u<V>8[9]) {{\n{}\n{}\n}}\n\
         entry func F(x: u<V>8[9]) -> (y: u<V>8[9]) {{\n{}\n loop 3 with {} {{\n\
         %18 = not {also} : u<V>8\n {} = call \"G\" {call} : u<V>8\n{}\n next {next}\n }} -> {}\n{}\n}}",
        lines(&|k| format!("%{k} = load x[{k}] : u<V>8")),
        lines(&|k| format!("store y[{k}] %{k}")),
        lines(&|k| format!("%{k} = load x[{k}] : u<V>8")),
        list(&|k| format!("%{} = %{k} : u<V>8", 9 + k)),
        list(&|k| format!("%{}", 20 + k)),
        lines(&|k| format!("%{} = xor %{}, %18 : u<V>8", 30 + k, 20 + k)),
        list(&|k| format!("%{}", 40 + k)),
        lines(&|k| format!("store y[{k}] %{}", 40 + k)),
    );
    let program = parsed(&text);
    assert_eq!(verify(&program), Ok(()), "{text}");
    let mut body = program.entry().body.iter();
    let Some(Stmt::Loop(l)) = body.find(|stmt| matches!(stmt, Stmt::Loop(_))) else { panic!() };
    InPlace::of(&program, l).into_iter().map(|argument| argument.atoms).collect()
}

#[test]
fn arguments_stay_in_place_where_nothing_else_reads_them() {
    let carried = list(&|k| format!("%{}", 9 + k));
    let turned = list(&|k| format!("%{}", 9 + (k + 1) % 9));
    let made = list(&|k| format!("%{}", 30 + k));
    let numbers =
        |first: usize| (0..9).map(move |k| Atom::Carried((first + k) % 9)).collect::<Vec<_>>();
    assert_eq!(in_place("%0", &carried, &made), [numbers(0)]);
    assert_eq!(in_place("%0", &turned, &made), [numbers(1)]);
    let mut one_made = numbers(0);
    one_made[0] = Atom::Made(ValueId(18));
    assert_eq!(in_place("%9", &carried.replace("%9", "%18"), &made), [one_made]);
    let none: [Vec<Atom>; 0] = [];
    let all_made = list(&|_| "%18".to_string());
    assert_eq!(in_place("%0", &all_made, &made), none, "nothing stays");
    assert_eq!(in_place("%9", &carried, &made), none, "read twice");
    assert_eq!(in_place("%0", &carried.replace("%9", "%10"), &made), none, "twice in the call");
    assert_eq!(in_place("%0", &carried.replace("%9", "%0"), &made), none, "not carried");
    assert_eq!(in_place("%0", &carried, &made.replace("%30", "%18")), none, "made before the call");
    assert_eq!(in_place("%0", &carried, &made.replace("%30", "%9")), none, "handed on");
}
