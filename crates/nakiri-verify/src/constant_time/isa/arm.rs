//! Arm of 32 bits, both encodings, with vectors (VFP, NEON).

use super::{condition, file, listed, number, other};
use super::{Address, Compare, Decoded, Flow, Isa, Line, Operation, Register, Step};
use super::{Term, When, Width};
use object::Architecture;

pub static ISA: Isa = Isa {
    architecture: &[Architecture::Arm],
    bits: 32,
    stack: STACK,
    arguments: &[0, 1, 2, 3],
    preserved: &[4, 5, 6, 7, 8, 9, 10, 11, LINK],
    decode,
};

const STACK: Register = 13;
const LINK: Register = 14;
const COUNTER: Register = 15;

/// What computes with general registers, with the operations that are followed.
const COMPUTED: &[(&str, Operation)] = &[
    ("mov", Operation::Move),
    ("movw", Operation::Move),
    ("add", Operation::Add),
    ("addw", Operation::Add),
    ("sub", Operation::Subtract),
    ("subw", Operation::Subtract),
    ("and", Operation::And),
    ("lsl", Operation::Left),
    ("lsr", Operation::Right),
];

/// What computes something else with them.
const OTHERS: &[&str] = &[
    "mvn", "rsb", "orr", "orn", "eor", "bic", "lsr", "asr", "ror", "rrx", "neg", "mul", "mla",
    "mls", "sbfx", "ubfx", "uxtb", "uxth", "sxtb", "sxth", "uxtab", "uxtah", "sxtab", "sxtah",
    "rev", "rev16", "revsh", "rbit", "clz", "pkhbt", "pkhtb", "uxtb16", "smmul", "smmla", "smulbb",
    "smulbt", "smultb", "smultt", "smlabb", "smlabt", "smlatb", "smlatt", "smuad", "smlad",
];

/// What reads flags without a condition.
const CARRIES: &[&str] = &["adc", "sbc", "rsc", "rrx"];

/// What writes two registers.
const DOUBLE: &[&str] = &["umull", "smull", "umlal", "smlal", "umaal"];

/// What compares.
const COMPARISONS: &[(&str, Option<Compare>)] = &[
    ("cmp", Some(Compare::Difference)),
    ("cmn", Some(Compare::Sum)),
    ("tst", Some(Compare::Common)),
    ("teq", None),
];

/// What computes with vectors, but for the kind of its elements.
const VECTORS: &[&str] = &[
    "vadd", "vsub", "vand", "vorr", "veor", "vbic", "vorn", "vmvn", "vneg", "vmul", "vmla", "vmls",
    "vshl", "vshr", "vsra", "vsli", "vsri", "vbsl", "vbit", "vbif", "vext", "vtbl", "vtbx", "vzip",
    "vuzp", "vtrn", "vrev16", "vrev32", "vrev64", "vtst", "vceq", "vcgt", "vcge", "vclt", "vcle",
    "vdup", "vmov", "vswp", "vmovn", "vmovl", "vshll", "vshrn", "vmull", "vmlal", "vaddl", "vaddw",
    "vpadd", "vabs", "vcnt", "vmin", "vmax",
];

fn general(name: &str) -> Option<Register> {
    match name {
        "sp" => Some(STACK),
        "lr" => Some(LINK),
        "pc" => Some(COUNTER),
        "r12" | "ip" => Some(12),
        _ => name.strip_prefix('r')?.parse().ok().filter(|n| *n < 16),
    }
}

/// The words of a vector register; the upper sixteen of 64 bits have no names of their own.
fn vector(name: &str) -> Option<Vec<Register>> {
    let name = name.split('[').next()?;
    let kind = name.get(..1)?;
    let number: usize = name.get(1..)?.parse().ok().filter(|n| *n < 32)?;
    let words = match kind {
        "s" => number..number + 1,
        "d" => 2 * number..2 * number + 2,
        "q" if number < 16 => 4 * number..4 * number + 4,
        _ => return None,
    };
    Some(words.map(|word| file::VECTOR + word).collect())
}

/// The registers of a list: `{r4, r5, lr}`, `{d8-d9}`.
fn list(operand: &str) -> Vec<&str> {
    let names = operand.trim_matches(['{', '}', ' ']).split(',');
    names.map(str::trim).filter(|name| !name.is_empty()).collect()
}

const WHOLE: Width = Width { bits: 32, signed: true };

/// A mnemonic's parts.
struct Name<'a> {
    base: &'a str,
    /// Whether it sets flags.
    flags: bool,
    when: Option<When>,
}

/// Whether there is such an instruction that can set flags.
fn computes(base: &str) -> bool {
    let computed = COMPUTED.iter().any(|(known, _)| *known == base);
    computed || [OTHERS, CARRIES, DOUBLE].iter().any(|list| listed(base, list))
}

fn known(base: &str) -> bool {
    let compares = COMPARISONS.iter().any(|(known, _)| *known == base);
    let rest = &[
        "b", "bl", "bx", "blx", "push", "pop", "ldm", "stm", "ldmia", "stmia", "ldmdb", "stmdb",
        "ldmib", "stmib", "ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldrd", "str", "strb", "strh",
        "strd", "udiv", "sdiv", "movt", "bfi", "bfc", "nop", "adr", "vldr", "vstr", "vldmia",
        "vstmia", "vldmdb", "vpush", "vpop", "cbz", "cbnz", "udf", "sel", "vmrs", "pld",
    ];
    computes(base) || compares || listed(base, rest)
}

/// A condition. What shifts and logic leave as it was of the flags is kept as [`file::CARRY`], with a copy of the others.
fn when(name: &str) -> Option<When> {
    let flags = if matches!(name, "eq" | "ne" | "mi" | "pl") { file::FLAGS } else { file::CARRY };
    Some(When { flags, holds: condition(name)? })
}

/// A mnemonic without the letters for flags and for a condition.
fn name(mnemonic: &str) -> Option<Name<'_>> {
    let whole = mnemonic.strip_suffix(".w").or_else(|| mnemonic.strip_suffix(".n"));
    let whole = whole.unwrap_or(mnemonic);
    if known(whole) {
        return Some(Name { base: whole, flags: false, when: None });
    }
    if let Some(base) = whole.strip_suffix('s').filter(|base| computes(base)) {
        return Some(Name { base, flags: true, when: None });
    }
    let at = whole.len().checked_sub(2)?;
    let (base, suffix) = (whole.get(..at)?, whole.get(at..)?);
    let when = Some(when(suffix)?);
    if known(base) {
        return Some(Name { base, flags: false, when });
    }
    let base = base.strip_suffix('s').filter(|base| computes(base))?;
    Some(Name { base, flags: true, when })
}

fn decode(line: &Line) -> Option<Decoded> {
    let mnemonic = line.mnemonic.as_str();
    if mnemonic.starts_with("it") && mnemonic[1..].chars().all(|c| c == 't' || c == 'e') {
        return Some(Decoded::steps(vec![]));
    }
    if let Some(steps) = vectors(line) {
        return Some(Decoded::steps(steps));
    }
    let name = name(mnemonic)?;
    if let Some(flow) = flow(&name, line) {
        return Some(flow);
    }
    let mut decoded = match name.base {
        "nop" | "pld" => Decoded::steps(vec![]),
        "udf" => Decoded::flow(Flow::End),
        base if listed(base, &["ldr*", "str*", "vldr", "vstr"]) => memory(base, line)?,
        base if listed(
            base,
            &["push", "pop", "ldm*", "stm*", "vpush", "vpop", "vldm*", "vstm*"],
        ) =>
        {
            several(base, line)?
        }
        _ => Decoded::steps(computed(&name, line)?),
    };
    decoded.when = decoded.when.or(name.when);
    Some(decoded)
}

fn flow(name: &Name, line: &Line) -> Option<Decoded> {
    let returns = |when| Some(Decoded { steps: vec![], flow: Flow::Return, when });
    match name.base {
        "b" => Some(Decoded::flow(Flow::Jump { to: line.address?, when: name.when })),
        "bl" | "blx" if line.address.is_some() => {
            let flow = Flow::Call { to: line.address? };
            Some(Decoded { steps: vec![], flow, when: name.when })
        }
        "bx" if line.operand(0) == "lr" => returns(name.when),
        "mov" if line.operand(0) == "pc" && line.operand(1) == "lr" => returns(name.when),
        "bx" | "blx" => {
            let flow = Flow::Computed { by: general(line.operand(0))?, calls: name.base == "blx" };
            Some(Decoded { steps: vec![], flow, when: name.when })
        }
        "cbz" | "cbnz" => {
            let of = [Term::Register(general(line.operand(0))?), Term::Number(0)];
            let compare = Compare::Difference;
            let steps = vec![Step::Flags { to: file::SCRATCH, compare, of, bits: 32 }];
            let holds = condition(if name.base == "cbz" { "eq" } else { "ne" })?;
            let when = Some(When { flags: file::SCRATCH, holds });
            Some(Decoded { steps, flow: Flow::Jump { to: line.address?, when }, when: None })
        }
        _ => None,
    }
}

/// The terms of operands; a shift of the last is a step before it.
fn operands(operands: &[String]) -> Option<(Vec<Step>, Vec<Term>)> {
    let (mut steps, mut terms) = (Vec::new(), Vec::new());
    for operand in operands {
        if let Some(term) =
            general(operand).map(Term::Register).or_else(|| number(operand).map(Term::Number))
        {
            // Where the code lies is nobody's secret, and no place on the stack.
            terms.push(if term == Term::Register(COUNTER) { Term::Number(0) } else { term });
            continue;
        }
        let last = terms.pop()?;
        steps.push(shifted(operand, last)?);
        terms.push(Term::Register(file::SCRATCH));
    }
    Some((steps, terms))
}

fn shifted(by: &str, term: Term) -> Option<Step> {
    let mut words = by.split_whitespace();
    let (kind, amount) = (words.next()?, words.next());
    match (kind, amount.and_then(number)) {
        ("lsl", Some(amount)) => Some(Step::Set {
            to: file::SCRATCH,
            operation: Operation::Left,
            from: vec![term, Term::Number(amount)],
            width: WHOLE,
        }),
        ("rrx", None) => Some(other(file::SCRATCH, [term, Term::Register(file::CARRY)])),
        ("lsl" | "lsr" | "asr" | "ror", _) => {
            let by = amount.and_then(general).map(Term::Register);
            Some(other(file::SCRATCH, [term].into_iter().chain(by)))
        }
        _ => None,
    }
}

fn computed(name: &Name, line: &Line) -> Option<Vec<Step>> {
    let base = name.base;
    let carry = Term::Register(file::CARRY);
    if let Some((_, compare)) = COMPARISONS.iter().find(|(known, _)| *known == base) {
        let (mut steps, terms) = operands(&line.operands)?;
        steps.extend(flags_of(*compare, &terms));
        return Some(steps);
    }
    let to = general(line.operand(0))?;
    if to == COUNTER {
        return None;
    }
    if listed(base, DOUBLE) {
        let second = general(line.operand(1))?;
        let (mut steps, mut terms) = operands(&line.operands[2..])?;
        if base.ends_with("al") {
            terms.extend([Term::Register(to), Term::Register(second)]);
        }
        steps.push(other(file::SCRATCH, terms));
        steps.extend([to, second].map(|to| other(to, [Term::Register(file::SCRATCH)])));
        return Some(steps);
    }
    if base == "movt" {
        let from =
            vec![Term::Register(to), Term::Number(number(line.operand(1))?), Term::Number(16)];
        return Some(vec![Step::Set { to, operation: Operation::Insert, from, width: WHOLE }]);
    }
    // With one operand less the first is read too.
    let unary = matches!(
        base,
        "mov"
            | "movw"
            | "mvn"
            | "neg"
            | "rev"
            | "rev16"
            | "revsh"
            | "rbit"
            | "clz"
            | "adr"
            | "uxtb"
            | "uxth"
            | "sxtb"
            | "sxth"
            | "rrx"
    );
    let shift = line.operands.last().is_some_and(|o| o.contains(' '));
    let count = line.operands.len() - usize::from(shift);
    let from = usize::from(unary || count > 2);
    let (mut steps, mut terms) = operands(&line.operands[from..])?;
    if listed(base, CARRIES) {
        terms.push(carry);
    }
    if matches!(base, "bfi" | "bfc") {
        terms.push(Term::Register(to));
    }
    if matches!(base, "udiv" | "sdiv") {
        steps.extend(terms.iter().map(|on| Step::Slow { on: *on }));
    }
    let operation = COMPUTED.iter().find(|(known, _)| *known == base);
    if name.flags {
        steps.extend(match base {
            "sub" => flags_of(Some(Compare::Difference), &terms),
            "add" => flags_of(Some(Compare::Sum), &terms),
            "and" => flags_of(Some(Compare::Common), &terms),
            _ => flags_of(None, &terms),
        });
    }
    steps.push(match operation {
        Some((_, operation)) => Step::Set { to, operation: *operation, from: terms, width: WHOLE },
        None if base == "adr" => other(to, []),
        None => other(to, terms),
    });
    Some(steps)
}

fn flags_of(compare: Option<Compare>, terms: &[Term]) -> [Step; 2] {
    match (compare, terms) {
        (Some(compare @ (Compare::Difference | Compare::Sum)), &[a, b]) => {
            [file::FLAGS, file::CARRY].map(|to| Step::Flags { to, compare, of: [a, b], bits: 32 })
        }
        (compare, terms) => {
            let carry = terms.iter().copied().chain([Term::Register(file::CARRY)]);
            let flags = match (compare, terms) {
                (Some(compare), &[a, b]) => {
                    Step::Flags { to: file::FLAGS, compare, of: [a, b], bits: 32 }
                }
                _ => other(file::FLAGS, terms.iter().copied()),
            };
            [flags, other(file::CARRY, carry)]
        }
    }
}

/// Loads and stores of one or two registers.
fn memory(base: &str, line: &Line) -> Option<Decoded> {
    let bracket = line.operands.iter().position(|operand| operand.starts_with('['));
    let names = &line.operands[..bracket.unwrap_or(1)];
    let loads = base.starts_with("ld") || base.starts_with("vld");
    let size = match base.trim_start_matches("ldr").trim_start_matches("str") {
        "b" | "sb" => 1,
        "h" | "sh" => 2,
        _ => 4,
    };
    let words: Vec<Register> = names
        .iter()
        .map(|name| general(name).map(|register| vec![register]).or_else(|| vector(name)))
        .collect::<Option<Vec<_>>>()?
        .concat();
    let bracket = match (bracket, line.address) {
        (Some(bracket), _) => bracket,
        _ => return None,
    };
    let inside = line.operand(bracket).trim_end_matches('!').trim_matches(['[', ']']);
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    let pointer = general(parts[0])?;
    if pointer == COUNTER {
        let at = line.address?;
        let literals = words.iter().enumerate();
        let literal =
            |(k, to): (usize, &Register)| Step::Literal { to: *to, at: at + 4 * k as u64 };
        return Some(Decoded::steps(literals.map(literal).collect()));
    }
    let mut steps = Vec::new();
    let mut at = Address { base: Term::Register(pointer), index: None, displacement: 0 };
    if let Some(index) = parts.get(1) {
        match number(index) {
            Some(n) => at.displacement = n,
            None => {
                let (negative, index) = match index.strip_prefix('-') {
                    Some(index) => (true, index),
                    None => (false, *index),
                };
                let register = general(index)?;
                at.index = match parts.get(2) {
                    _ if negative => {
                        steps.push(other(file::SCRATCH, [Term::Register(register)]));
                        Some((file::SCRATCH, 0))
                    }
                    None => Some((register, 0)),
                    Some(by) => match by.strip_prefix("lsl ").and_then(number) {
                        Some(by) => Some((register, by as u32)),
                        None => {
                            steps.push(shifted(by, Term::Register(register))?);
                            Some((file::SCRATCH, 0))
                        }
                    },
                };
            }
        }
    }
    let written = match (line.operand(bracket).ends_with('!'), line.operands.get(bracket + 1)) {
        (true, _) => Some(match at.index {
            None => (vec![Term::Register(pointer), Term::Number(at.displacement)], true),
            Some((index, 0)) => (vec![Term::Register(pointer), Term::Register(index)], true),
            Some((index, _)) => (vec![Term::Register(pointer), Term::Register(index)], false),
        }),
        (false, Some(by)) => {
            let negative = by.starts_with("-r");
            let by = match number(by) {
                Some(n) => Term::Number(n),
                None => Term::Register(general(by.trim_start_matches('-'))?),
            };
            Some((
                vec![Term::Register(pointer), by],
                !negative && line.operands.len() == bracket + 2,
            ))
        }
        _ => None,
    };
    // The new base is made before anything is loaded, perhaps to the index.
    let moved = written.is_some();
    if let Some((from, exact)) = written {
        let operation = if exact { Operation::Add } else { Operation::Other };
        steps.push(Step::Set { to: file::COUNT, operation, from, width: WHOLE });
    }
    for (k, word) in words.iter().enumerate() {
        let at = Address { displacement: at.displacement + 4 * k as i64, ..at };
        steps.push(match loads {
            true => Step::Load {
                to: *word,
                at,
                bytes: size,
                width: Width { bits: 8 * size as u32, signed: size == 4 || base.contains("rs") },
            },
            false => Step::Store { from: Term::Register(*word), at, bytes: size },
        });
    }
    if moved {
        let from = vec![Term::Register(file::COUNT)];
        steps.push(Step::Set { to: pointer, operation: Operation::Move, from, width: WHOLE });
    }
    let flow = match loads && words.contains(&COUNTER) {
        true => Flow::Return,
        false => Flow::Next,
    };
    if words.len() > 1 && words[0] == pointer && loads {
        // The base is needed for the second word.
        steps.reverse();
    }
    Some(Decoded { steps, flow, when: None })
}

/// Loads and stores of lists of registers.
fn several(base: &str, line: &Line) -> Option<Decoded> {
    let stack = matches!(base, "push" | "pop" | "vpush" | "vpop");
    let names = line.operands.last()?;
    let words: Vec<Register> = list(names)
        .into_iter()
        .map(|name| general(name).map(|register| vec![register]).or_else(|| vector(name)))
        .collect::<Option<Vec<_>>>()?
        .concat();
    let pointer = if stack { STACK } else { general(line.operand(0).trim_end_matches('!'))? };
    let written = stack || line.operand(0).ends_with('!');
    let loads = base.contains("ld") || base.contains("pop");
    let bytes = 4 * words.len() as i64;
    let first = match base {
        _ if base.ends_with("push") || base.ends_with("db") => -bytes,
        _ if base.ends_with("ib") => 4,
        _ => 0,
    };
    let down = first < 0;
    let from = vec![Term::Register(pointer), Term::Number(if down { -bytes } else { bytes })];
    let moved = Step::Set { to: pointer, operation: Operation::Add, from, width: WHOLE };
    // The pointer is kept, as it may be in the list.
    let kept = file::SCRATCH;
    let old = vec![Term::Register(pointer)];
    let mut steps =
        vec![Step::Set { to: kept, operation: Operation::Move, from: old, width: WHOLE }];
    if written && !words.contains(&pointer) {
        steps.push(moved);
    }
    for (k, word) in words.iter().enumerate() {
        let displacement = first + 4 * k as i64;
        let at = Address { base: Term::Register(kept), index: None, displacement };
        steps.push(match loads {
            true => Step::Load { to: *word, at, bytes: 4, width: WHOLE },
            false => Step::Store { from: Term::Register(*word), at, bytes: 4 },
        });
    }
    let flow = if loads && words.contains(&COUNTER) { Flow::Return } else { Flow::Next };
    Some(Decoded { steps, flow, when: None })
}

/// What is done with vectors.
fn vectors(line: &Line) -> Option<Vec<Step>> {
    let name = line.mnemonic.split('.').next()?;
    if let Some(structure) = name.strip_prefix("vld").or_else(|| name.strip_prefix("vst")) {
        if structure.chars().next().is_some_and(|c| c.is_ascii_digit()) {
            return structures(line, name.starts_with("vld"));
        }
    }
    if !listed(name, VECTORS) {
        return None;
    }
    let words = |operand: &str| -> Vec<Register> {
        let names = list(operand).into_iter().map(|name| name.split('[').next().unwrap_or(name));
        names
            .filter_map(|name| general(name).map(|r| vec![r]).or_else(|| vector(name)))
            .flatten()
            .collect()
    };
    let all: Vec<Vec<Register>> = line.operands.iter().map(|operand| words(operand)).collect();
    if name == "vmov" && !line.operands.iter().any(|operand| operand.contains('[')) {
        let targets = if all.len() == 3 && line.operand(2).starts_with(['d', 's']) || all.len() == 4
        {
            all.len() / 2
        } else {
            1
        };
        let targets = if all.len() == 3 && line.operand(0).starts_with('r') { 2 } else { targets };
        let (to, from) = (all[..targets].concat(), all[targets..].concat());
        if to.len() == from.len() {
            let moved = to.iter().zip(from).map(|(to, from)| Step::Set {
                to: *to,
                operation: Operation::Move,
                from: vec![Term::Register(from)],
                width: WHOLE,
            });
            return Some(moved.collect());
        }
    }
    let same = name == "veor" && line.operand(1) == line.operand(2);
    let constant = all[1..].iter().all(Vec::is_empty) && matches!(name, "vmov" | "vmvn");
    // Those of two results write both.
    let written = if matches!(name, "vzip" | "vuzp" | "vtrn" | "vswp") { 2 } else { 1 };
    let to = all.get(..written)?.concat();
    let read = if same || constant { vec![] } else { all.concat() };
    let terms: Vec<Term> = read.into_iter().map(Term::Register).collect();
    let kept = other(file::SCRATCH, terms);
    let to = to.into_iter().map(|to| other(to, [Term::Register(file::SCRATCH)]));
    Some([kept].into_iter().chain(to).collect())
}

/// `vld1` and its like.
fn structures(line: &Line, loads: bool) -> Option<Vec<Step>> {
    let operand = line.operand(1);
    let inside = operand.trim_end_matches('!').trim_matches(['[', ']']);
    let pointer = general(inside.split(':').next()?.trim())?;
    let names = list(line.operand(0));
    let partial = names.iter().any(|name| name.contains('['));
    let words: Vec<Register> =
        names.iter().map(|name| vector(name)).collect::<Option<Vec<_>>>()?.concat();
    let mut steps = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let displacement = if partial { 0 } else { 4 * k as i64 };
        let at = Address { base: Term::Register(pointer), index: None, displacement };
        steps.push(match loads {
            true => Step::Load { to: *word, at, bytes: 4, width: WHOLE },
            false => Step::Store { from: Term::Register(*word), at, bytes: 4 },
        });
    }
    let old = Term::Register(pointer);
    let (operation, from) = match (operand.ends_with('!'), line.operands.get(2)) {
        (true, _) if !partial => (Operation::Add, vec![old, Term::Number(4 * words.len() as i64)]),
        (true, _) => (Operation::Other, vec![old]),
        (false, Some(by)) => (Operation::Add, vec![old, Term::Register(general(by)?)]),
        _ => return Some(steps),
    };
    steps.push(Step::Set { to: pointer, operation, from, width: WHOLE });
    Some(steps)
}
