//! From instructions to classes of operations: a table of mnemonics.

use crate::machine::Class;
use crate::sequence::{Micro, Work};
use iced_x86::{
    EncodingKind, FlowControl, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register,
};

/// Mnemonics of general registers by class.
const GENERAL: &[(Class, &[&str])] = &[
    (Class::Move, &["mov", "movzx", "xchg", "movbe"]),
    (
        Class::Logic,
        &[
            "and", "or", "xor", "not", "andn", "test", "bswap", "movsx", "movsxd", "cbw", "cwde",
            "cdqe", "cwd", "cdq", "cqo", "bt", "btc", "btr", "bts", "blsi", "blsr", "blsmsk",
            "bzhi", "bextr", "clc", "stc", "cmc", "sahf", "lahf",
        ],
    ),
    (
        Class::Add,
        &[
            "add", "sub", "adc", "sbb", "adcx", "adox", "neg", "inc", "dec", "cmp", "lea",
            "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "xadd", "cmpxchg",
        ],
    ),
    (Class::Multiply, &["imul", "mul", "mulx", "pdep", "pext"]),
    (Class::Shift, &["shl", "sal", "shr", "sar", "shld", "shrd", "shlx", "shrx", "sarx"]),
    (Class::Rotate, &["rol", "ror", "rorx", "rcl", "rcr"]),
];

/// Mnemonics of vector registers by class, without the `v` of the newer encodings; `*` stands for any ending. The first
/// row that fits holds.
const VECTOR: &[(Class, &[&str])] = &[
    // Tests and comparisons into mask registers are told from others by their result, see `mask`.
    (
        Class::VectorLogic,
        &[
            "pand*", "por*", "pxor*", "andps", "andpd", "andnps", "andnpd", "orps", "orpd",
            "xorps", "xorpd", "pblendw", "pblendd", "blendps", "blendpd", "pblendvb", "blendvps",
            "blendvpd", "pblendm*", "blendmps", "blendmpd",
        ],
    ),
    (Class::VectorTernary, &["pternlog*"]),
    (
        Class::VectorAdd,
        &[
            "padd*",
            "psub*",
            "pcmpeq*",
            "pcmpgt*",
            "pmin*",
            "pmax*",
            "pabs*",
            "pavg*",
            "psign*",
            "sha1*",
            "sha256msg*",
        ],
    ),
    (Class::VectorMadd52, &["pmadd52*"]),
    (Class::VectorMultiply, &["pmul*", "pmadd*", "psadbw"]),
    (Class::VectorShuffle, &["pslldq", "psrldq"]),
    (Class::VectorShift, &["psll*", "psrl*", "psra*"]),
    (Class::VectorRotate, &["prol*", "pror*", "pshld*", "pshrd*"]),
    (Class::VectorShuffleBytes, &["pshufb"]),
    (
        Class::VectorShuffle,
        &[
            "punpck*", "unpck*", "pshuf*", "shufps", "shufpd", "palignr", "pack*", "permil*",
            "movhlps", "movlhps", "movddup", "movshdup", "movsldup", "insertps", "movss", "movsd",
        ],
    ),
    (
        Class::VectorPermute,
        &[
            "perm*",
            "shufi*",
            "shuff*",
            "align*",
            "pmovzx*",
            "pmovsx*",
            "pmov?b",
            "pmov?w",
            "pmov?d",
            "pcompress*",
            "pexpand*",
            "extracti*",
            "extractf*",
            "inserti*",
            "insertf*",
            "pbroadcast*",
            "broadcast*",
            "pmultishift*",
        ],
    ),
    (Class::VectorAffine, &["gf2p8*"]),
    (Class::Aes, &["aes*"]),
    (Class::Clmul, &["pclmul*"]),
    (Class::Sha, &["sha256rnds2"]),
    (
        Class::Transfer,
        &["movd", "movq", "pextr*", "pinsr*", "pmovmskb", "movmsk*", "ptest", "testp?"],
    ),
];

/// Copies of vectors, masked or not; from memory, load units duplicate parts too.
const VECTOR_MOVES: &[&str] = &[
    "movdqa*",
    "movdqu*",
    "movaps",
    "movapd",
    "movups",
    "movupd",
    "lddqu",
    "movnt*",
    "movhps",
    "movhpd",
    "movlps",
    "movlpd",
    "movddup",
    "movshdup",
    "movsldup",
    "movd",
    "movq",
    "movss",
    "movsd",
    "extract*",
    "broadcast*",
    "pbroadcastd",
    "pbroadcastq",
];

/// What needs no execution unit, or, as `vzeroupper`, none that matters.
const NOTHING: &[&str] =
    &["nop", "endbr64", "zeroupper", "zeroall", "pause", "lfence", "mfence", "sfence", "prefetch*"];

/// Copies of memory, one or many elements.
const STRINGS: &[Mnemonic] =
    &[Mnemonic::Movsb, Mnemonic::Movsq, Mnemonic::Stosb, Mnemonic::Stosd, Mnemonic::Stosq];

/// What an instruction executes; `None` if the tables don't know it.
///
/// Where machines differ, it is what the most capable of them do: a `lea` of three parts is one addition, a copy from
/// register to register may be free. A bound made from it stays a bound.
pub fn classify(instruction: &Instruction, info: &InstructionInfo) -> Option<Work> {
    let name = base_name(instruction);
    if fits(&name, NOTHING) {
        return Some(Work::default());
    }
    let string = STRINGS.contains(&instruction.mnemonic())
        || (instruction.is_string_instruction() && name == "movsd");
    let register = widest_vector(instruction);
    let memory = memory(instruction, info, register.is_some());
    if string {
        return Some(memory);
    }
    let compute = match (instruction.flow_control(), register) {
        (FlowControl::Next, _) if zero_idiom(instruction) => None,
        (FlowControl::Next, Some(width)) => vector(instruction, &name, width, memory)?,
        (FlowControl::Next, None) if mask(instruction) => masks(instruction, &name, memory)?,
        (FlowControl::Next, None) => general(instruction, &name, memory)?,
        (FlowControl::IndirectBranch | FlowControl::IndirectCall, _)
        | (FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch, _)
        | (FlowControl::Call | FlowControl::Return, _) => {
            Some(Micro { class: Class::Branch, width: 64 })
        }
        _ => return None,
    };
    Some(Work { compute, ..memory })
}

/// Whether the result is zero whatever the operands are, which renamers know.
pub fn zero_idiom(instruction: &Instruction) -> bool {
    let same = |a: u32, b: u32| {
        instruction.op_kind(a) == OpKind::Register
            && instruction.op_kind(b) == OpKind::Register
            && instruction.op_register(a) == instruction.op_register(b)
    };
    let (a, b) = match instruction.op_count() {
        2 => (0, 1),
        3 => (1, 2),
        _ => return false,
    };
    let name = base_name(instruction);
    let zero = ["xor", "sub", "xorps", "xorpd"].contains(&name.as_str())
        || ["pxor", "psub", "pandn", "andnp", "pcmpgt"].iter().any(|start| name.starts_with(start));
    zero && same(a, b)
        && !instruction.op_register(a).is_gpr8()
        && !instruction.op_register(a).is_gpr16()
}

/// The mnemonic in small letters, without the `v` of the newer encodings.
fn base_name(instruction: &Instruction) -> String {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let newer = instruction.code().encoding() != EncodingKind::Legacy;
    match name.strip_prefix('v') {
        Some(rest) if newer => rest.to_string(),
        _ => name,
    }
}

/// Whether a name is one of a list; `*` at the end stands for anything, `?` for one letter.
fn fits(name: &str, list: &[&str]) -> bool {
    let equal = |name: &str, pattern: &str| {
        name.len() == pattern.len()
            && name.bytes().zip(pattern.bytes()).all(|(n, p)| n == p || p == b'?')
    };
    list.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => equal(name, pattern),
    })
}

fn class_of(name: &str, table: &[(Class, &[&str])]) -> Option<Class> {
    table.iter().find(|(_, names)| fits(name, names)).map(|(class, _)| *class)
}

fn operands(instruction: &Instruction) -> impl Iterator<Item = Register> + '_ {
    (0..instruction.op_count())
        .filter(|i| instruction.op_kind(*i) == OpKind::Register)
        .map(|i| instruction.op_register(i))
}

/// Bits of the widest vector register among the operands.
fn widest_vector(instruction: &Instruction) -> Option<u32> {
    let vectors = operands(instruction).filter(|register| register.is_vector_register());
    vectors.map(|register| register.size() as u32 * 8).max()
}

/// Whether an operand is a mask register.
fn mask(instruction: &Instruction) -> bool {
    operands(instruction).any(|register| register.is_k())
}

/// The loads and stores of an instruction.
fn memory(instruction: &Instruction, info: &InstructionInfo, vector: bool) -> Work {
    use OpAccess::*;
    let mut work = Work::default();
    for memory in info.used_memory() {
        let bits = memory.memory_size().size() as u32 * 8;
        // What is less than a vector register goes through the same units.
        let width = if vector { bits.max(128) } else { 64 };
        let (load, store) = match vector {
            true => (Class::VectorLoad, Class::VectorStore),
            false => (Class::Load, Class::Store),
        };
        if matches!(memory.access(), Read | CondRead | ReadWrite | ReadCondWrite) {
            work.load = Some(Micro { class: load, width });
        }
        if matches!(memory.access(), Write | CondWrite | ReadWrite | ReadCondWrite) {
            work.store = Some(Micro { class: store, width });
        }
    }
    if instruction.mnemonic() == Mnemonic::Lea {
        return Work::default();
    }
    work
}

fn general(instruction: &Instruction, name: &str, memory: Work) -> Option<Option<Micro>> {
    let conditional = name.starts_with("cmov") || (name.starts_with("set") && name.len() <= 5);
    let class = if conditional { Some(Class::Logic) } else { class_of(name, GENERAL) };
    let stack = instruction.is_stack_instruction();
    match class {
        Some(Class::Move) if memory != Work::default() => Some(None),
        Some(class) => Some(Some(Micro { class, width: 64 })),
        None if stack => Some(None),
        None => None,
    }
}

fn masks(instruction: &Instruction, name: &str, memory: Work) -> Option<Option<Micro>> {
    let general = operands(instruction).any(|register| register.is_gpr());
    match name {
        _ if !name.starts_with('k') => None,
        _ if name.starts_with("kmov") && memory != Work::default() => Some(None),
        _ if name.starts_with("kmov") && general => {
            Some(Some(Micro { class: Class::Transfer, width: 64 }))
        }
        _ => Some(Some(Micro { class: Class::Mask, width: 64 })),
    }
}

fn vector(
    instruction: &Instruction,
    name: &str,
    width: u32,
    memory: Work,
) -> Option<Option<Micro>> {
    let micro = |class| Some(Some(Micro { class, width }));
    let in_memory = memory != Work::default();
    // A masked copy with merging is a blend.
    let merges = instruction.op_mask() != Register::None && !instruction.zeroing_masking();
    if fits(name, VECTOR_MOVES) && in_memory {
        return if merges && memory.load.is_some() {
            micro(Class::VectorLogic)
        } else {
            Some(None)
        };
    }
    if mask(instruction) || name.starts_with("pmovm2") {
        let known = ["pcmp", "ptest", "pmov", "cmp"].iter().any(|start| name.starts_with(start));
        return if known { micro(Class::Mask) } else { None };
    }
    if operands(instruction).any(|register| register.is_gpr()) {
        // `vpbroadcastd zmm, eax` and the like.
        return micro(Class::Transfer);
    }
    let inserted = name.starts_with("inserti") || name.starts_with("insertf");
    match name {
        "movq" | "movd" => micro(Class::VectorShuffle),
        // The part that comes from memory needs no permutation, only to be put in its place.
        _ if inserted && in_memory => micro(Class::VectorLogic),
        _ if (name.starts_with("pinsr")
            || name.starts_with("pmovzx")
            || name.starts_with("pmovsx"))
            && in_memory =>
        {
            micro(Class::VectorShuffle)
        }
        _ if name.starts_with("pbroadcast") && in_memory => Some(None),
        _ if fits(name, &["movdqa*", "movdqu*", "movap?", "movup?"]) => {
            let blend = instruction.op_mask() != Register::None;
            micro(if blend { Class::VectorLogic } else { Class::Move })
        }
        _ => class_of(name, VECTOR).map(|class| Some(Micro { class, width })),
    }
}
