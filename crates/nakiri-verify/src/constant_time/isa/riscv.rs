//! RISC-V of 64 bits, without vectors.

use super::{condition, file, listed, number, other, registers, BACK};
use super::{Address, Compare, Decoded, Flow, Isa, Line, Operation, Register, Step};
use super::{Term, When, Width};
use object::Architecture;

pub static ISA: Isa = Isa {
    architecture: &[Architecture::Riscv64],
    bits: 64,
    stack: 2,
    arguments: &[10, 11, 12, 13, 14, 15, 16, 17],
    preserved: &[1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
    decode,
};

/// General registers, by number.
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// What computes, with the operations that are followed and the bits of their results.
const COMPUTED: &[(&str, Operation, u32)] = &[
    ("li", Operation::Move, 64),
    ("mv", Operation::Move, 64),
    ("addi", Operation::Add, 64),
    ("add", Operation::Add, 64),
    ("sub", Operation::Subtract, 64),
    ("andi", Operation::And, 64),
    ("and", Operation::And, 64),
    ("slli", Operation::Left, 64),
    ("srli", Operation::Right, 64),
    ("addiw", Operation::Add, 32),
    ("addw", Operation::Add, 32),
    ("subw", Operation::Subtract, 32),
    ("slliw", Operation::Left, 32),
    ("sext.w", Operation::Move, 32),
];

/// What computes something else.
const OTHERS: &[&str] = &[
    "xor", "xori", "or", "ori", "not", "neg", "negw", "sll", "srl", "sra", "srli", "srai", "sllw",
    "srlw", "sraw", "srliw", "sraiw", "slt", "sltu", "slti", "sltiu", "seqz", "snez", "sltz",
    "sgtz", "sgt", "sgtu", "mul", "mulw", "mulh", "mulhu", "mulhsu", "zext.b", "zext.h", "zext.w",
    "sext.b", "sext.h", "fmv.x.d", "fmv.d.x", "fmv.x.w", "fmv.w.x", "fmv.d", "lui", "auipc",
];

/// Branches, with the conditions of Arm's names under which they are taken.
const BRANCHES: &[(&str, &str)] = &[
    ("beq", "eq"),
    ("bne", "ne"),
    ("blt", "lt"),
    ("bge", "ge"),
    ("bltu", "lo"),
    ("bgeu", "hs"),
    ("bgt", "gt"),
    ("ble", "le"),
    ("bgtu", "hi"),
    ("bleu", "ls"),
];

fn register(name: &str) -> Option<Term> {
    if name == "zero" {
        return Some(Term::Number(0));
    }
    if let Some(number) = NAMES.iter().position(|known| *known == name) {
        return Some(Term::Register(number));
    }
    // Those of floating-point numbers keep what is spilled.
    let rest = name.strip_prefix('f')?;
    let groups: [(&str, usize); 4] = [("t", 0), ("a", 12), ("s", 20), ("", 32)];
    let (kind, first) = groups.iter().find(|(kind, _)| rest.starts_with(kind))?;
    let number: usize = rest.strip_prefix(kind)?.parse().ok().filter(|n| *n < 12)?;
    Some(Term::Register(file::VECTOR + first + number))
}

fn read(name: &str) -> Option<Vec<Register>> {
    match register(name)? {
        Term::Register(register) => Some(vec![register]),
        Term::Number(_) => None,
    }
}

fn decode(line: &Line) -> Option<Decoded> {
    let name = line.mnemonic.as_str();
    if let Some(flow) = flow(line) {
        return Some(flow);
    }
    if matches!(name, "nop" | "fence") {
        return Some(Decoded::steps(vec![]));
    }
    let last = line.operands.last().map_or("", String::as_str);
    if last.ends_with(')') {
        return memory(line).map(|step| Decoded::steps(vec![step]));
    }
    let to = match register(line.operand(0))? {
        Term::Register(to) => to,
        Term::Number(_) => return Some(Decoded::steps(vec![])),
    };
    let terms: Vec<Term> = line.operands[1..]
        .iter()
        .filter_map(|o| register(o).or(number(o).map(Term::Number)))
        .collect();
    let computed = COMPUTED.iter().find(|(known, ..)| *known == name);
    let step = match computed {
        Some((_, operation, bits)) => {
            let width = Width { bits: *bits, signed: true };
            Step::Set { to, operation: *operation, from: terms, width }
        }
        None if name == "lui" => {
            let from = vec![terms[0], Term::Number(12)];
            Step::Set {
                to,
                operation: Operation::Left,
                from,
                width: Width { bits: 32, signed: true },
            }
        }
        None if listed(name, &["div*", "rem*"]) => {
            let from = registers(&line.operands[1..], read);
            let slow = from.iter().map(|on| Step::Slow { on: *on });
            let result = other(to, from.iter().copied());
            return Some(Decoded::steps(slow.chain([result]).collect()));
        }
        None if listed(name, OTHERS) => {
            let zero = name == "xor" && line.operand(1) == line.operand(2);
            other(to, if zero { vec![] } else { terms })
        }
        None => return None,
    };
    Some(Decoded::steps(vec![step]))
}

fn flow(line: &Line) -> Option<Decoded> {
    let name = line.mnemonic.as_str();
    match name {
        "j" => return line.address.map(|to| Decoded::flow(Flow::Jump { to, when: None })),
        "jal" => return line.address.map(|to| Decoded::flow(Flow::Call { to })),
        // Calls are of two instructions: if a linker fills in an address, the first one has it, and the second does nothing more.
        "auipc" if line.linked && matches!(line.operand(0), "ra" | "t1") => {
            return Some(Decoded::flow(Flow::Call { to: u64::MAX }));
        }
        // Functions that were made of repeated code return by the alternate link register.
        "auipc" if line.linked && line.operand(0) == "t0" => {
            let Term::Register(to) = register("t0")? else { return None };
            let from = vec![Term::Number(BACK as i64)];
            let width = Width { bits: 64, signed: false };
            let steps = vec![Step::Set { to, operation: Operation::Move, from, width }];
            return Some(Decoded { steps, flow: Flow::Call { to: u64::MAX }, when: None });
        }
        "jalr" if line.linked && matches!(line.operand(0), "ra" | "t0") => {
            return Some(Decoded::steps(vec![]));
        }
        "jr" if line.linked && line.operand(0) == "t1" => {
            return Some(Decoded::flow(Flow::Return));
        }
        "jalr" if line.operand(0).ends_with("(ra)") => {
            return line.address.map(|to| Decoded::flow(Flow::Call { to }));
        }
        "jr" if line.operand(0).ends_with("(t1)") => {
            return line.address.map(|to| Decoded::flow(Flow::Jump { to, when: None }));
        }
        "jalr" | "jr" => {
            let by = *read(line.operand(0))?.first()?;
            return Some(Decoded::flow(Flow::Computed { by, calls: name == "jalr" }));
        }
        "ret" => return Some(Decoded::flow(Flow::Return)),
        "unimp" | "ebreak" => return Some(Decoded::flow(Flow::End)),
        _ => {}
    }
    let (name, zero) = match name.strip_suffix('z') {
        Some(name) => (name, Some(Term::Number(0))),
        None => (name, None),
    };
    let (_, when) = BRANCHES.iter().find(|(known, _)| *known == name)?;
    let b = zero.or_else(|| register(line.operand(1)))?;
    let of = [register(line.operand(0))?, b];
    let flags = file::SCRATCH;
    let steps = vec![Step::Flags { to: flags, compare: Compare::Difference, of, bits: 64 }];
    let when = Some(When { flags, holds: condition(when)? });
    Some(Decoded { steps, flow: Flow::Jump { to: line.address?, when }, when: None })
}

/// Loads and stores.
fn memory(line: &Line) -> Option<Step> {
    let (displacement, base) = line.operand(1).trim_end_matches(')').split_once('(')?;
    let displacement = number(displacement)?;
    let at = Address { base: register(base)?, index: None, displacement };
    let value = register(line.operand(0))?;
    let (bytes, signed, loads) = match line.mnemonic.as_str() {
        "lb" => (1, true, true),
        "lbu" => (1, false, true),
        "lh" => (2, true, true),
        "lhu" => (2, false, true),
        "lw" | "flw" => (4, true, true),
        "lwu" => (4, false, true),
        "ld" | "fld" => (8, false, true),
        "sb" => (1, false, false),
        "sh" => (2, false, false),
        "sw" | "fsw" => (4, false, false),
        "sd" | "fsd" => (8, false, false),
        _ => return None,
    };
    Some(match (loads, value) {
        (true, Term::Register(to)) => {
            Step::Load { to, at, bytes, width: Width { bits: 8 * bytes as u32, signed } }
        }
        (true, Term::Number(_)) => Step::Touch { at },
        (false, from) => Step::Store { from, at, bytes },
    })
}
