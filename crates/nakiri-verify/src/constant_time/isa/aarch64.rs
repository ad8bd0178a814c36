//! AArch64, with vectors (NEON).

use super::{condition, file, listed, number, other, registers};
use super::{Address, Compare, Decoded, Flow, Isa, Line, Operation, Register, Step};
use super::{Term, When, Width};
use object::Architecture;

pub static ISA: Isa = Isa {
    architecture: &[Architecture::Aarch64],
    bits: 64,
    stack: STACK,
    arguments: &[0, 1, 2, 3, 4, 5, 6, 7],
    preserved: &[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
    decode,
};

const STACK: Register = 31;

/// What computes with general registers, and sets no flags.
const LOGIC: &[&str] = &[
    "and", "orr", "eor", "bic", "orn", "eon", "mvn", "neg", "lsl", "lsr", "asr", "ror", "extr",
    "sbfiz", "sbfx", "ubfiz", "ubfx", "sxtw", "sxth", "sxtb", "uxtw", "uxth", "uxtb", "rev",
    "rev16", "rev32", "rbit", "clz", "cls", "mul", "madd", "msub", "mneg", "umull", "smull",
    "umulh", "smulh", "umaddl", "smaddl", "umsubl", "smsubl", "umnegl", "add", "sub", "mov",
    "movz", "movn", "adr", "adrp",
];

/// Those of general registers that read what they write.
const INSERTED: &[&str] = &["bfi", "bfxil", "bfm", "bfc"];

/// What sets flags as well, with the comparison whose flags they are, if numbers of them are followed.
const FLAGGED: &[(&str, Option<Compare>)] = &[
    ("adds", Some(Compare::Sum)),
    ("subs", Some(Compare::Difference)),
    ("cmp", Some(Compare::Difference)),
    ("cmn", Some(Compare::Sum)),
    ("ands", Some(Compare::Common)),
    ("tst", Some(Compare::Common)),
    ("bics", None),
    ("negs", None),
    ("adcs", None),
    ("sbcs", None),
    ("ngcs", None),
];

/// What reads flags.
const CONDITIONAL: &[&str] = &[
    "csel", "csinc", "csinv", "csneg", "cset", "csetm", "cinc", "cinv", "cneg", "adc", "sbc",
    "ngc", "fcsel",
];

/// What computes with vectors.
const VECTORS: &[&str] = &[
    "add", "sub", "and", "orr", "eor", "bic", "orn", "mvn", "not", "neg", "mul", "mla", "mls",
    "shl", "sshr", "ushr", "sshl", "ushl", "ssra", "usra", "sli", "sri", "bsl", "bit", "bif",
    "ext", "tbl", "tbx", "zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2", "rev16", "rev32", "rev64",
    "rbit", "cmtst", "cmeq", "cmgt", "cmge", "cmhi", "cmhs", "cmlt", "cmle", "movi", "mvni", "dup",
    "mov", "ins", "umov", "smov", "fmov", "xtn", "xtn2", "ushll", "ushll2", "sshll", "sshll2",
    "uxtl", "uxtl2", "sxtl", "sxtl2", "shrn", "shrn2", "shll", "shll2", "umull", "umull2", "umlal",
    "umlal2", "smull", "smull2", "addp", "addv", "addhn", "uaddlp", "uadalp", "saddlp", "sadalp",
    "uaddlv", "rshrn", "pmul", "pmull", "pmull2", "cmeq", "addhn2", "cnt", "abs", "eor3", "bcax",
    "rax1", "xar", "umin", "umax", "smin", "smax", "uaddl", "uaddw", "uaddw2", "uaddl2", "saddw",
];

/// Instructions for AES and SHA-256.
const CRYPTOGRAPHY: &[&str] =
    &["aese", "aesd", "aesmc", "aesimc", "sha256h", "sha256h2", "sha256su0", "sha256su1"];

/// The shapes of vectors of eight bytes.
const HALVES: &[&str] = &[".8b", ".4h", ".2s", ".1d"];

/// What does nothing that is followed.
const NOTHING: &[&str] = &["nop", "bti", "hint", "paciasp", "autiasp", "prfm", "udf"];

fn general(name: &str) -> Option<Term> {
    match name {
        "sp" | "wsp" => return Some(Term::Register(STACK)),
        "xzr" | "wzr" => return Some(Term::Number(0)),
        _ => {}
    }
    let digits = name.strip_prefix('x').or_else(|| name.strip_prefix('w'))?;
    let number: usize = digits.parse().ok().filter(|n| *n < 31)?;
    Some(Term::Register(file::GENERAL + number))
}

fn vector(name: &str) -> Option<Register> {
    let name = name.split(['.', '[']).next()?;
    let kind = name.chars().next().filter(|kind| "vqdshb".contains(*kind))?;
    let number: usize = name.strip_prefix(kind)?.parse().ok().filter(|n| *n < 32)?;
    Some(file::VECTOR + number)
}

fn any(name: &str) -> Option<Vec<Register>> {
    match general(name) {
        Some(Term::Register(register)) => Some(vec![register]),
        Some(_) => None,
        None => vector(name).map(|register| vec![register]),
    }
}

/// The width of a general register or what a vector register of this name holds, in bytes.
fn bytes(name: &str) -> usize {
    match name.chars().next() {
        Some('w' | 's') if name != "sp" => 4,
        Some('q' | 'v') => 16,
        Some('h') => 2,
        Some('b') => 1,
        _ => 8,
    }
}

fn width(name: &str) -> Width {
    Width { bits: if name.starts_with('w') { 32 } else { 64 }, signed: false }
}

fn decode(line: &Line) -> Option<Decoded> {
    let name = line.mnemonic.as_str();
    if let Some(flow) = flow(line) {
        return Some(flow);
    }
    if listed(name, NOTHING) {
        return Some(Decoded::steps(vec![]));
    }
    if name.starts_with("ld") || name.starts_with("st") {
        return memory(line).map(Decoded::steps);
    }
    let first = line.operand(0);
    let vectors = line.operands.iter().any(|operand| vector(operand).is_some());
    if vectors {
        return (listed(name, VECTORS) || listed(name, CRYPTOGRAPHY))
            .then(|| Decoded::steps(on_vectors(line)))
            .filter(|d| !d.steps.is_empty());
    }
    if matches!(name, "udiv" | "sdiv") {
        let from = registers(&line.operands[1..], any);
        let slow = from.iter().map(|on| Step::Slow { on: *on });
        let to = any(first)?[0];
        return Some(Decoded::steps(slow.chain([other(to, from.iter().copied())]).collect()));
    }
    let flagged = FLAGGED.iter().find(|(known, _)| *known == name);
    let reads_flags = listed(name, CONDITIONAL) || matches!(name, "adcs" | "sbcs" | "ngcs");
    if let Some((_, compare)) = flagged {
        let compares = matches!(name, "cmp" | "cmn" | "tst");
        let from = if compares { 0 } else { 1 };
        let (mut steps, terms) = operands(line, from)?;
        let of = match (compare, terms.as_slice()) {
            (Some(compare), [a, b]) => Step::Flags {
                to: file::FLAGS,
                compare: *compare,
                of: [*a, *b],
                bits: width(first).bits,
            },
            _ => {
                let flags = reads_flags.then_some(Term::Register(file::FLAGS));
                other(file::FLAGS, terms.iter().copied().chain(flags))
            }
        };
        let flags = reads_flags.then_some(Term::Register(file::FLAGS));
        let result = (!compares).then(|| match operation(name.trim_end_matches('s')) {
            Some(operation) => set(first, operation, terms.clone()),
            None => target(first).map(|to| other(to, terms.iter().copied().chain(flags))),
        });
        steps.extend(result.flatten());
        // The flags last: the result may be one of the terms, which `SCRATCH` and the order keep apart.
        let at = steps.len() - usize::from(result_is_last(&steps, first));
        steps.insert(at, of);
        return Some(Decoded::steps(steps));
    }
    if matches!(name, "ccmp" | "ccmn") {
        let terms = registers(&line.operands, any);
        let flags = [Term::Register(file::FLAGS)];
        return Some(Decoded::steps(vec![other(file::FLAGS, terms.into_iter().chain(flags))]));
    }
    if listed(name, CONDITIONAL) {
        let terms = registers(&line.operands[1..], any);
        let flags = [Term::Register(file::FLAGS)];
        return Some(Decoded::steps(
            target(first).map(|to| other(to, terms.into_iter().chain(flags))).into_iter().collect(),
        ));
    }
    let (mut steps, terms) = operands(line, 1)?;
    let to = target(first);
    let step = match name {
        "movk" => {
            let place = line.operand(2).strip_prefix("lsl ").and_then(number).unwrap_or(0);
            let part = number(line.operand(1))?;
            let old = general(first)?;
            let from = vec![old, Term::Number(part), Term::Number(place)];
            set(first, Operation::Insert, from)
        }
        "movz" | "movn" => return None,
        _ if listed(name, INSERTED) => {
            to.map(|to| other(to, terms.iter().copied().chain([Term::Register(to)])))
        }
        _ if listed(name, LOGIC) => match operation(name).filter(|_| !terms.is_empty()) {
            Some(operation) => set(first, operation, terms),
            None => to.map(|to| other(to, terms)),
        },
        _ => return None,
    };
    steps.extend(step);
    Some(Decoded::steps(steps))
}

/// Whether the last step writes the register of this name.
fn result_is_last(steps: &[Step], name: &str) -> bool {
    matches!((steps.last(), target(name)), (Some(Step::Set { to, .. }), Some(name)) if *to == name)
}

fn target(name: &str) -> Option<Register> {
    match general(name)? {
        Term::Register(register) => Some(register),
        Term::Number(_) => None,
    }
}

/// A register becomes what an operation makes; nothing if it is the one that is always zero.
fn set(to: &str, operation: Operation, from: Vec<Term>) -> Option<Step> {
    Some(Step::Set { to: target(to)?, operation, from, width: width(to) })
}

fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "mov" => Operation::Move,
        "add" => Operation::Add,
        "sub" => Operation::Subtract,
        "and" => Operation::And,
        "lsl" => Operation::Left,
        "lsr" => Operation::Right,
        _ => return None,
    })
}

/// The terms that an instruction reads from an operand on; a shift of the last is a step before it.
fn operands(line: &Line, from: usize) -> Option<(Vec<Step>, Vec<Term>)> {
    let mut steps = Vec::new();
    let mut terms = Vec::new();
    for operand in &line.operands[from.min(line.operands.len())..] {
        match (general(operand), number(operand)) {
            (Some(term), _) => terms.push(term),
            (None, Some(n)) => terms.push(Term::Number(n)),
            (None, None) => {
                let last = terms.pop()?;
                steps.push(shifted(operand, last)?);
                terms.push(Term::Register(file::SCRATCH));
            }
        }
    }
    Some((steps, terms))
}

/// What is left of a term when it is shifted or extended.
fn shifted(by: &str, term: Term) -> Option<Step> {
    let mut words = by.split_whitespace();
    let (kind, amount) = (words.next()?, words.next().and_then(number).unwrap_or(0));
    match kind {
        "lsl" | "uxtx" => Some(Step::Set {
            to: file::SCRATCH,
            operation: Operation::Left,
            from: vec![term, Term::Number(amount)],
            width: Width { bits: 64, signed: false },
        }),
        "lsr" | "asr" | "ror" | "sxtw" | "uxtw" | "sxtx" | "uxth" | "uxtb" | "sxth" | "sxtb" => {
            Some(other(file::SCRATCH, [term]))
        }
        _ => None,
    }
}

/// What is done with vectors; whatever is written may keep something of what it was.
/// What keeps nothing of what was in the vector that it writes, unless that is an element.
const REPLACING: &[&str] =
    &["fmov", "mov", "movi", "mvni", "dup", "umov", "smov", "xtn", "cm*", "add", "sub"];

fn on_vectors(line: &Line) -> Vec<Step> {
    let first = line.operand(0);
    let to = any(first.trim_end_matches(']').split('[').next().unwrap_or_default());
    let Some(to) = to.and_then(|to| to.first().copied()) else { return vec![] };
    let read = registers(&line.operands[1..], any);
    let name = line.mnemonic.as_str();
    let whole = !first.contains('[') && listed(name, REPLACING);
    if let (true, "fmov" | "mov", [from]) = (whole, name, read.as_slice()) {
        if !line.operand(1).contains('[') {
            let bits = 8 * bytes(first).min(8) as u32;
            let width = Width { bits, signed: false };
            return vec![Step::Set { to, operation: Operation::Move, from: vec![*from], width }];
        }
    }
    let same = line.operands.len() == 3 && line.operand(1) == line.operand(2) && name == "eor";
    let read = if same { vec![] } else { read };
    let old = (!whole && !same).then_some(Term::Register(to));
    vec![other(to, read.into_iter().chain(old))]
}

fn flow(line: &Line) -> Option<Decoded> {
    let name = line.mnemonic.as_str();
    let jump = |when| line.address.map(|to| Decoded::flow(Flow::Jump { to, when }));
    match name {
        "b" => return jump(None),
        "bl" => return line.address.map(|to| Decoded::flow(Flow::Call { to })),
        "ret" => return Some(Decoded::flow(Flow::Return)),
        "br" | "blr" => {
            let by = target(line.operand(0))?;
            return Some(Decoded::flow(Flow::Computed { by, calls: name == "blr" }));
        }
        "brk" => return Some(Decoded::flow(Flow::End)),
        _ => {}
    }
    if let Some(holds) = name.strip_prefix("b.").and_then(condition) {
        return jump(Some(When { flags: file::FLAGS, holds }));
    }
    let (compare, b, holds) = match name {
        "cbz" => (Compare::Difference, 0, condition("eq")?),
        "cbnz" => (Compare::Difference, 0, condition("ne")?),
        "tbz" => (Compare::Common, 1 << number(line.operand(1))?, condition("eq")?),
        "tbnz" => (Compare::Common, 1 << number(line.operand(1))?, condition("ne")?),
        _ => return None,
    };
    let of = [general(line.operand(0))?, Term::Number(b)];
    let bits = width(line.operand(0)).bits;
    let steps = vec![Step::Flags { to: file::SCRATCH, compare, of, bits }];
    let when = Some(When { flags: file::SCRATCH, holds });
    Some(Decoded { steps, flow: Flow::Jump { to: line.address?, when }, when: None })
}

/// Loads and stores.
fn memory(line: &Line) -> Option<Vec<Step>> {
    let name = line.mnemonic.as_str();
    let bracket = line.operands.iter().position(|operand| operand.starts_with('['))?;
    let inside = line.operand(bracket).trim_end_matches('!').trim_matches(['[', ']']);
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    let base = general(parts[0])?;
    let mut at = Address { base, index: None, displacement: 0 };
    let mut steps = Vec::new();
    if let Some(index) = parts.get(1) {
        match number(index) {
            Some(n) => at.displacement = n,
            None => at.index = index_of(&mut steps, general(index)?, parts.get(2))?,
        }
    }
    let loads = name.starts_with("ld");
    let names: Vec<&str> = line.operands[..bracket]
        .iter()
        .flat_map(|operand| operand.trim_matches(['{', '}', ' ']).split(','))
        .map(|name| name.trim().trim_start_matches('{'))
        .collect();
    let structures = name.starts_with("ld1") || name.starts_with("st1");
    let structures = structures
        || matches!(&name[..3.min(name.len())], "ld2" | "ld3" | "ld4" | "st2" | "st3" | "st4");
    let mut place = at.displacement;
    for name_of in &names {
        let register = if structures { Term::Register(vector(name_of)?) } else { either(name_of)? };
        let partial = line.operand(0).contains("}[") || name.ends_with('r') && structures;
        let size = match name.trim_start_matches("ldu").trim_start_matches("stu") {
            _ if structures && partial => element(name_of),
            _ if structures && listed(name_of.trim_start_matches(|c| c != '.'), HALVES) => 8,
            _ if structures => 16,
            n if n.ends_with("sw") => 4,
            n if n.ends_with('h') => 2,
            n if n.ends_with('b') => 1,
            _ => bytes(name_of),
        };
        let at = Address { displacement: place, ..at };
        steps.push(match (loads, register) {
            (true, Term::Register(to)) => {
                let bits = 8 * size.min(8) as u32;
                let signed = name.contains("rs") && bits < 64;
                Step::Load { to, at, bytes: size, width: Width { bits, signed } }
            }
            (true, Term::Number(_)) => Step::Touch { at },
            (false, from) => Step::Store { from, at, bytes: size },
        });
        place += size as i64;
    }
    let first = steps.iter().position(|step| matches!(step, Step::Load { .. })).unwrap_or(0);
    if matches!(steps.get(first), Some(Step::Load { to, .. }) if Term::Register(*to) == base) {
        // The base is needed for the second register.
        steps[first..].reverse();
    }
    let moved = match (line.operand(bracket).ends_with('!'), line.operands.get(bracket + 1)) {
        (true, _) => Some((Term::Number(at.displacement), base)),
        (false, Some(by)) => Some((number(by).map(Term::Number).or_else(|| general(by))?, base)),
        _ => None,
    };
    if let Some((by, Term::Register(to))) = moved {
        let width = Width { bits: 64, signed: false };
        let from = vec![base, by];
        steps.push(Step::Set { to, operation: Operation::Add, from, width });
    }
    Some(steps)
}

/// The size of an element of a vector, in bytes.
fn element(name: &str) -> usize {
    match name
        .split('.')
        .nth(1)
        .and_then(|kind| kind.trim_start_matches(char::is_numeric).chars().next())
    {
        Some('b') => 1,
        Some('h') => 2,
        Some('s') => 4,
        _ => 8,
    }
}

fn either(name: &str) -> Option<Term> {
    general(name).or_else(|| vector(name).map(Term::Register))
}

/// An index of an address, with what has to be done to it before.
fn index_of(
    steps: &mut Vec<Step>,
    index: Term,
    shift: Option<&&str>,
) -> Option<Option<(Register, u32)>> {
    let Term::Register(register) = index else { return Some(None) };
    let Some(shift) = shift else { return Some(Some((register, 0))) };
    match shift.strip_prefix("lsl ").and_then(number) {
        Some(by) => Some(Some((register, by as u32))),
        None => {
            steps.push(shifted(shift, index)?);
            Some(Some((file::SCRATCH, 0)))
        }
    }
}
