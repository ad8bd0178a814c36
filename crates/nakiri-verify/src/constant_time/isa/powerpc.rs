//! Power of 64 bits, with vectors (AltiVec, VSX).

use super::{file, flags, listed, number, other};
use super::{Address, Compare, Decoded, Flow, Isa, Line, Operation, Register, Step};
use super::{Term, When, Width};
use object::Architecture;

pub static ISA: Isa = Isa {
    architecture: &[Architecture::PowerPc64],
    bits: 64,
    stack: 1,
    arguments: &[3, 4, 5, 6, 7, 8, 9, 10],
    preserved: &[2, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
    decode,
};

/// What computes with general registers, with the operations that are followed.
const COMPUTED: &[(&str, Operation)] = &[
    ("li", Operation::Move),
    ("mr", Operation::Move),
    ("mtctr", Operation::Move),
    ("mtlr", Operation::Move),
    ("mflr", Operation::Move),
    ("mfctr", Operation::Move),
    ("addi", Operation::Add),
    ("addis", Operation::Add),
    ("add", Operation::Add),
    ("ori", Operation::Or),
    ("oris", Operation::Or),
    ("sldi", Operation::Left),
    ("srdi", Operation::Right),
];

/// What computes something else with them.
const OTHERS: &[&str] = &[
    "and", "andi", "andis", "andc", "or", "orc", "xor", "xori", "xoris", "nand", "nor", "not",
    "eqv", "neg", "subf", "sub", "subi", "mulli", "mullw", "mulld", "mulhwu", "mulhdu", "mulhw",
    "mulhd", "maddld", "maddhdu", "rotld*", "rotlw*", "rldi*", "rldc*", "rlw*", "clrl*", "clrr*",
    "srd", "srw", "sld", "slw", "srdi", "srwi", "slwi", "extsb", "extsh", "extsw", "extswsli",
    "extldi", "extrdi", "cntlz*", "cnttz*", "brd", "brw", "brh", "lis", "insrdi", "insrwi",
    "inslwi", "mtvsr*", "mfvsr*", "mffpr*", "mtfpr*", "mfvr*", "mtvr*",
];

/// What reads or writes the carry.
const CARRIES: &[&str] = &[
    "addc", "adde", "addze", "addme", "addic", "subfc", "subfe", "subfze", "subfme", "subfic",
    "subc", "subic", "sradi", "srawi", "srad", "sraw",
];

/// What computes with vectors; what those that end in `*` begin with.
const VECTORS: &[&str] = &[
    "vand*",
    "vor*",
    "vxor",
    "vnor",
    "vnand",
    "veqv",
    "vsel",
    "vadd*",
    "vsub*",
    "vmul*",
    "vsl*",
    "vsr*",
    "vrl*",
    "vperm*",
    "vsplt*",
    "vmrg*",
    "vpk*",
    "vupk*",
    "vcmp*",
    "vneg*",
    "vbpermq",
    "vgbbd",
    "vmr",
    "xxl*",
    "xxsel",
    "xxsplt*",
    "xxperm*",
    "xxmrg*",
    "xxsldwi",
    "xxswapd",
    "xxbr*",
    "xxeval",
    "xxinsertw",
    "xxextractuw",
    "vins*",
    "vextract*",
    "xscpsgndp",
    "fmr",
    "lvsl",
    "lvsr",
    "vmlad*",
    "vmsum*",
    "vmax*",
    "vmin*",
    "vshasigma*",
    "vcipher*",
    "vncipher*",
    "vsbox",
    "vpmsum*",
];

/// Loads and stores, without the letters for an index and a new base, with their sizes.
const ACCESSES: &[(&str, usize)] = &[
    ("lbz", 1),
    ("lhz", 2),
    ("lha", 2),
    ("lhbr", 2),
    ("lwz", 4),
    ("lwa", 4),
    ("lwbr", 4),
    ("ld", 8),
    ("ldbr", 8),
    ("lfd", 8),
    ("lfs", 4),
    ("lv", 16),
    ("lvewx", 16),
    ("lxvd2", 16),
    ("lxvw4", 16),
    ("lxvb16", 16),
    ("lxvh8", 16),
    ("lxv", 16),
    ("lxvds", 8),
    ("lxvws", 4),
    ("lxsd", 8),
    ("lxsiwz", 4),
    ("lxsiwa", 4),
    ("lxssp", 4),
    ("stb", 1),
    ("sth", 2),
    ("sthbr", 2),
    ("stw", 4),
    ("stwbr", 4),
    ("std", 8),
    ("stdbr", 8),
    ("stfd", 8),
    ("stfs", 4),
    ("stfiw", 4),
    ("stv", 16),
    ("stxvd2", 16),
    ("stxvw4", 16),
    ("stxvb16", 16),
    ("stxvh8", 16),
    ("stxv", 16),
    ("stxsd", 8),
    ("stxsiw", 4),
    ("stxssp", 4),
];

/// A register, of which the vectors' have several names.
fn register(name: &str) -> Option<Register> {
    let within = |digits: &str, count: usize| digits.parse::<usize>().ok().filter(|n| *n < count);
    if let Some(number) = name.strip_prefix("vs").and_then(|digits| within(digits, 64)) {
        return Some(file::VECTOR + number);
    }
    if let Some(number) = name.strip_prefix("cr").and_then(|digits| within(digits, 8)) {
        return Some(file::FLAGS + number);
    }
    let first = name.get(..1)?;
    let number = within(name.get(1..)?, 32)?;
    match first {
        "r" => Some(file::GENERAL + number),
        "f" => Some(file::VECTOR + number),
        "v" => Some(file::VECTOR + 32 + number),
        _ => None,
    }
}

fn term(operand: &str) -> Option<Term> {
    register(operand).map(Term::Register).or_else(|| number(operand).map(Term::Number))
}

/// A base of an address; the first register stands for zero there.
fn base(name: &str) -> Option<Term> {
    match term(name)? {
        Term::Register(0) => Some(Term::Number(0)),
        term => Some(term),
    }
}

const WHOLE: Width = Width { bits: 64, signed: true };

fn decode(line: &Line) -> Option<Decoded> {
    let full = line.mnemonic.as_str();
    // Hints of how likely branches are taken.
    let full = full.trim_end_matches(['+', '-']);
    if let Some(flow) = flow(full, line) {
        return Some(flow);
    }
    if matches!(full, "nop" | "sync" | "lwsync" | "dcbt" | "dcbtst") {
        return Some(Decoded::steps(vec![]));
    }
    let (name, sets_flags) = match full.strip_suffix('.') {
        Some(name) => (name, true),
        None => (full, false),
    };
    if let Some(steps) = compare(name, line).or_else(|| memory(name, line)) {
        return Some(Decoded::steps(steps));
    }
    let special = match name {
        "mtctr" => Some(file::COUNT),
        "mtlr" => Some(file::LINK),
        _ => None,
    };
    let to = special.or_else(|| register(line.operand(0)))?;
    let from = if special.is_some() { 0 } else { 1 };
    let mut terms: Vec<Term> = line.operands[from..].iter().filter_map(|o| term(o)).collect();
    match name {
        "mflr" => terms.push(Term::Register(file::LINK)),
        "mfctr" => terms.push(Term::Register(file::COUNT)),
        "addi" | "addis" => terms[0] = base(line.operand(1))?,
        _ => {}
    }
    if let ("addis" | "oris", [_, Term::Number(upper)]) = (name, &mut terms[..]) {
        *upper <<= 16;
    }
    let mut steps = Vec::new();
    if let Some((_, operation)) = COMPUTED.iter().find(|(known, _)| *known == name) {
        steps.push(Step::Set { to, operation: *operation, from: terms, width: WHOLE });
    } else if name == "lis" {
        let from = vec![terms[0], Term::Number(16)];
        steps.push(Step::Set {
            to,
            operation: Operation::Left,
            from,
            width: Width { bits: 32, signed: true },
        });
    } else if matches!(name, "sub" | "subf") {
        let (a, b) = if name == "sub" { (terms[0], terms[1]) } else { (terms[1], terms[0]) };
        steps.push(Step::Set {
            to,
            operation: Operation::Subtract,
            from: vec![a, b],
            width: WHOLE,
        });
    } else if let Some((operation, from, width)) = scaled(name, &terms) {
        steps.push(Step::Set { to, operation, from, width });
    } else if name.starts_with("isel") {
        // `iseleq` and its like choose by the first field.
        let field = line.operands.last().and_then(|bit| flags_of(bit));
        let flags = Term::Register(field.unwrap_or(file::FLAGS));
        steps.push(other(to, terms.into_iter().chain([flags])));
    } else if listed(name, &["div*", "mod*"]) {
        steps.extend(terms.iter().map(|on| Step::Slow { on: *on }));
        steps.push(other(to, terms));
    } else if matches!(name, "addic" | "addc") {
        // The sum takes no carry, and may replace one of its terms.
        steps.push(other(file::CARRY, terms.iter().copied()));
        steps.push(Step::Set { to, operation: Operation::Add, from: terms, width: WHOLE });
    } else if listed(name, CARRIES) {
        terms.push(Term::Register(file::CARRY));
        steps.push(other(file::CARRY, terms.iter().copied()));
        // The carry of the sum was mixed in already.
        steps.push(other(to, terms));
    } else if listed(name, OTHERS) || listed(name, VECTORS) {
        let clears = matches!(name, "xxlxor" | "vxor" | "xor");
        let same = clears && line.operand(1) == line.operand(2);
        let vector = to >= file::VECTOR
            && !matches!(
                name,
                "vspltisw"
                    | "vspltisb"
                    | "vspltish"
                    | "xxspltib"
                    | "mtvsrd"
                    | "mtfprd"
                    | "fmr"
                    | "xxspltw"
                    | "xxlor"
                    | "vmr"
                    | "lvsl"
                    | "lvsr"
            );
        let keeps = vector
            || name.starts_with("ins")
            || name.starts_with("rlwimi")
            || name.starts_with("rldimi");
        let old = (keeps && !same).then_some(Term::Register(to));
        let read = if same { vec![] } else { terms };
        steps.push(other(to, read.into_iter().chain(old)));
        let predicate = name.starts_with("vcmp") && sets_flags;
        steps.extend(predicate.then(|| other(file::FLAGS + 6, [Term::Register(to)])));
    } else {
        return None;
    }
    if sets_flags && to < file::VECTOR {
        let of = [Term::Register(to), Term::Number(0)];
        steps.push(Step::Flags { to: file::FLAGS, compare: Compare::Signed, of, bits: 64 });
    }
    Some(Decoded::steps(steps))
}

/// What indices are made of: words that are extended, and shifted to the left.
fn scaled(name: &str, terms: &[Term]) -> Option<(Operation, Vec<Term>, Width)> {
    let bits = |bits: i64| Width { bits: bits.clamp(1, 64) as u32, signed: false };
    let (word, extended) = (*terms.first()?, Width { bits: 32, signed: true });
    Some(match (name, &terms[1..]) {
        ("extsw", []) => (Operation::Move, vec![word], extended),
        ("clrldi", [Term::Number(n)]) => (Operation::Move, vec![word], bits(64 - n)),
        ("clrlwi", [Term::Number(n)]) => (Operation::Move, vec![word], bits(32 - n)),
        ("slwi", [by]) => (Operation::Left, vec![word, *by], bits(32)),
        ("srwi", [by]) => (Operation::Right, vec![word, *by], bits(32)),
        ("rldicl", [Term::Number(turn), Term::Number(by)]) if turn + by == 64 => {
            (Operation::Right, vec![word, Term::Number(*by)], bits(64))
        }
        ("rldic", [by, Term::Number(n)]) => (Operation::Left, vec![word, *by], bits(64 - n)),
        ("clrlsldi", [Term::Number(n), Term::Number(by)]) => {
            (Operation::Left, vec![word, Term::Number(*by)], bits(64 - n + by))
        }
        _ => return None,
    })
}

/// The field of flags in which a bit is: `4*cr6+eq`, `eq`.
fn flags_of(bit: &str) -> Option<Register> {
    match bit.strip_prefix("4*") {
        Some(rest) => register(rest.split('+').next()?),
        None => matches!(bit, "lt" | "gt" | "eq" | "so" | "un").then_some(file::FLAGS),
    }
}

fn compare(name: &str, line: &Line) -> Option<Vec<Step>> {
    let (compare, bits) = match name {
        "cmpd" | "cmpdi" => (Compare::Signed, 64),
        "cmpw" | "cmpwi" => (Compare::Signed, 32),
        "cmpld" | "cmpldi" => (Compare::Unsigned, 64),
        "cmplw" | "cmplwi" => (Compare::Unsigned, 32),
        _ => {
            // Bits of flags are combined.
            let combined = listed(
                name,
                &[
                    "crand", "cror", "crnor", "crxor", "creqv", "crnot", "crandc", "crorc",
                    "crnand", "crclr", "crset",
                ],
            );
            let to = combined.then(|| flags_of(line.operand(0)))??;
            let from = line.operands.iter().filter_map(|bit| flags_of(bit)).map(Term::Register);
            return Some(vec![other(to, from)]);
        }
    };
    let first = register(line.operand(0))?;
    let (to, from) = if first >= file::FLAGS { (first, 1) } else { (file::FLAGS, 0) };
    let of = [term(line.operand(from))?, term(line.operand(from + 1))?];
    Some(vec![Step::Flags { to, compare, of, bits }])
}

fn flow(name: &str, line: &Line) -> Option<Decoded> {
    match name {
        "b" => return line.address.map(|to| Decoded::flow(Flow::Jump { to, when: None })),
        "bl" => return line.address.map(|to| Decoded::flow(Flow::Call { to })),
        "blr" => return Some(Decoded::flow(Flow::Return)),
        "bctr" | "bctrl" => {
            let flow = Flow::Computed { by: file::COUNT, calls: name == "bctrl" };
            return Some(Decoded::flow(flow));
        }
        "trap" => return Some(Decoded::flow(Flow::End)),
        "bdnz" | "bdz" => {
            let count = file::COUNT;
            let from = vec![Term::Register(count), Term::Number(1)];
            let of = [Term::Register(count), Term::Number(0)];
            let steps = vec![
                Step::Set { to: count, operation: Operation::Subtract, from, width: WHOLE },
                Step::Flags { to: file::SCRATCH, compare: Compare::Unsigned, of, bits: 64 },
            ];
            let equal = flags(|_, _, equal, _| equal);
            let holds = if name == "bdz" { equal } else { !equal };
            let when = Some(When { flags: file::SCRATCH, holds });
            return Some(Decoded {
                steps,
                flow: Flow::Jump { to: line.address?, when },
                when: None,
            });
        }
        _ => {}
    }
    if matches!(name, "bc" | "bclr") {
        // The way of branching as a number: 12 and 4 are on a bit that is set or not, 20 is always.
        let way = number(line.operand(0))? & !3;
        let short = match way {
            12 => "bt",
            4 => "bf",
            20 if name == "bclr" => return Some(Decoded::flow(Flow::Return)),
            _ => return None,
        };
        let rest = Line { operands: line.operands[1..].to_vec(), ..line.clone() };
        return flow(&(short.to_string() + &name[2..]), &rest);
    }
    // A bit of flags by its name, true or false.
    let (bit, rest) = match name.strip_suffix("lr").unwrap_or(name) {
        "bt" | "bf" => (Some(line.operand(0)), name.strip_prefix("bt").map_or("bf", |_| "bt")),
        _ => (None, ""),
    };
    if let Some(bit) = bit {
        let set = match bit.rsplit('+').next()? {
            "lt" => flags(|less, _, _, _| less),
            "gt" => flags(|_, greater, _, _| greater),
            "eq" => flags(|_, _, equal, _| equal),
            _ => flags(|_, _, _, other| other),
        };
        let holds = if rest == "bt" { set } else { !set };
        let when = Some(When { flags: flags_of(bit)?, holds });
        return match name.ends_with("lr") {
            true => Some(Decoded { steps: vec![], flow: Flow::Return, when }),
            false => Some(Decoded::flow(Flow::Jump { to: line.address?, when })),
        };
    }
    let (condition, returns) = match name.strip_suffix("lr") {
        Some(condition) => (condition, true),
        None => (name, false),
    };
    let holds = match condition {
        "blt" => flags(|less, _, _, _| less),
        "bgt" => flags(|_, greater, _, _| greater),
        "beq" => flags(|_, _, equal, _| equal),
        "bge" | "bnl" => flags(|less, _, _, _| !less),
        "ble" | "bng" => flags(|_, greater, _, _| !greater),
        "bne" => flags(|_, _, equal, _| !equal),
        _ => return None,
    };
    let field = register(line.operand(0)).filter(|r| (file::FLAGS..file::FLAGS + 8).contains(r));
    let when = Some(When { flags: field.unwrap_or(file::FLAGS), holds });
    match returns {
        true => Some(Decoded { steps: vec![], flow: Flow::Return, when }),
        false => Some(Decoded::flow(Flow::Jump { to: line.address?, when })),
    }
}

/// Loads and stores.
fn memory(name: &str, line: &Line) -> Option<Vec<Step>> {
    let indexed = !line.operand(1).ends_with(')');
    let exact = |name: &str| ACCESSES.iter().find(|(known, _)| *known == name);
    let without = |name: &str, letter: char| name.strip_suffix(letter).and_then(exact);
    let (updates, access) = match indexed {
        false => match (exact(name), without(name, 'u')) {
            (Some(access), _) => (false, access),
            (None, access) => (true, access?),
        },
        true => {
            let name = name.strip_suffix('x')?;
            match (exact(name), without(name, 'u')) {
                (Some(access), _) => (false, access),
                (None, access) => (true, access?),
            }
        }
    };
    let bytes = access.1;
    let value = register(line.operand(0))?;
    let at = match indexed {
        true => {
            let Term::Register(index) = term(line.operand(2))? else { return None };
            Address { base: base(line.operand(1))?, index: Some((index, 0)), displacement: 0 }
        }
        false => {
            let (displacement, from) = line.operand(1).trim_end_matches(')').split_once('(')?;
            Address { base: base(from)?, index: None, displacement: number(displacement)? }
        }
    };
    let signed = name.starts_with("lha") || name.starts_with("lwa");
    let bits = 8 * bytes.min(8) as u32;
    let mut steps = vec![match name.starts_with('l') {
        true => {
            Step::Load { to: value, at, bytes, width: Width { bits, signed: signed || bits == 64 } }
        }
        false => Step::Store { from: Term::Register(value), at, bytes },
    }];
    if let (true, Term::Register(to)) = (updates, at.base) {
        let by = at.index.map_or(Term::Number(at.displacement), |(index, _)| Term::Register(index));
        let from = vec![at.base, by];
        steps.push(Step::Set { to, operation: Operation::Add, from, width: WHOLE });
    }
    Some(steps)
}
