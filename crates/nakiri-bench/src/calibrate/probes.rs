//! What is measured: for each class of operations one instruction or a few that stand for it.
//!
//! A template names registers by what they are there for:
//!
//! | name | register |
//! |---|---|
//! | `{g}` `{v}` `{m}` | general, vector, mask register that is written: always the same in a chain, the next in a stream |
//! | `{w}` | such a vector register that is also an argument; not all instructions can name it |
//! | `{x}` | the low 128 bits of `{v}` |
//! | `{a}` `{ax}` | `{v}` `{x}` in a chain, registers that are never written in a stream |
//! | `{kg}` `{kv}` `{kx}` `{km}` | registers that are never written; they hold zero |
//! | `{tg}` `{tv}` | a second register of a chain |
//! | `{p}` | a pointer to memory that holds this pointer |
//! | `{load}` `{store}` | addresses: the next in each instruction; loads and stores never meet |
//! | `{stack}` | the address of a spilled value |

use crate::machine::Class;

/// Instructions that stand for a class.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The class.
    pub class: Class,
    /// The widths in bits at which these instructions exist.
    pub widths: &'static [u32],
    /// The CPU features that they need.
    pub features: &'static [&'static str],
    /// One link of a chain, each instruction of which needs the result of the one before.
    pub link: &'static str,
    /// Operations of the class in a link that follow each other.
    pub steps: u32,
    /// A class, and a width in bits, whose latency is in the link too.
    pub less: Option<(Class, u32)>,
    /// One operation that doesn't depend on others.
    pub single: &'static str,
    /// Whether they only stand for the class where nothing else does.
    pub makeshift: bool,
}

/// An instruction that makes both chains and streams.
const fn both(
    class: Class,
    widths: &'static [u32],
    features: &'static [&'static str],
    text: &'static str,
) -> Probe {
    Probe {
        class,
        widths,
        features,
        link: text,
        steps: 1,
        less: None,
        single: text,
        makeshift: false,
    }
}

impl Probe {
    /// Chains of their own, whose links have so many operations of the class.
    const fn chained(self, link: &'static str, steps: u32) -> Probe {
        Probe { link, steps, ..self }
    }

    /// Only where there is nothing better.
    const fn makeshift(self) -> Probe {
        Probe { makeshift: true, ..self }
    }

    /// The link also has the latency of another class.
    const fn less(self, class: Class, width: u32) -> Probe {
        Probe { less: Some((class, width)), ..self }
    }
}

const GENERAL: &[u32] = &[64];
const NARROW: &[u32] = &[128, 256];
const WIDE: &[u32] = &[512];
const ALL: &[u32] = &[128, 256, 512];
const VL: &[&str] = &["avx512f", "avx512vl"];

/// All probes.
#[rustfmt::skip]
pub const PROBES: &[Probe] = &[
    both(Class::Move, GENERAL, &[], "mov {g}, {kg}").chained("mov {tg}, {g}; mov {g}, {tg}", 2),
    both(Class::Logic, GENERAL, &[], "xor {g}, {kg}"),
    both(Class::Logic, GENERAL, &["bmi1"], "andn {g}, {g}, {kg}"),
    both(Class::Add, GENERAL, &[], "add {g}, {kg}"),
    both(Class::Multiply, GENERAL, &[], "imul {g}, {kg}, 7").chained("imul {g}, {g}, 7", 1),
    both(Class::Shift, GENERAL, &[], "shl {g}, 7"),
    both(Class::Rotate, GENERAL, &[], "rol {g}, 7"),
    both(Class::Rotate, GENERAL, &["bmi2"], "rorx {g}, {g}, 7"),
    // Carry is never set: no operation here carries from zero.
    both(Class::Branch, GENERAL, &[], "jc 9f").chained("jmp 2f; .p2align 4; 2:", 1),

    both(Class::Move, NARROW, &["avx"], "vmovdqa {v}, {kv}").chained("vmovdqa {tv}, {v}; vmovdqa {v}, {tv}", 2),
    both(Class::Move, WIDE, &["avx512f"], "vmovdqa64 {v}, {kv}").chained("vmovdqa64 {tv}, {v}; vmovdqa64 {v}, {tv}", 2),
    both(Class::VectorLogic, NARROW, &["avx2"], "vpxor {v}, {a}, {kv}"),
    both(Class::VectorLogic, WIDE, &["avx512f"], "vpxord {v}, {a}, {kv}"),
    both(Class::VectorTernary, NARROW, VL, "vpternlogd {w}, {kv}, {kv}, 0x96"),
    both(Class::VectorTernary, WIDE, &["avx512f"], "vpternlogd {w}, {kv}, {kv}, 0x96"),
    both(Class::VectorAdd, NARROW, &["avx2"], "vpaddd {v}, {a}, {kv}"),
    both(Class::VectorAdd, WIDE, &["avx512f"], "vpaddd {v}, {a}, {kv}"),
    both(Class::VectorMultiply, NARROW, &["avx2"], "vpmuludq {v}, {a}, {kv}"),
    both(Class::VectorMultiply, WIDE, &["avx512f"], "vpmuludq {v}, {a}, {kv}"),
    both(Class::VectorShift, NARROW, &["avx2"], "vpslld {v}, {a}, 7"),
    both(Class::VectorShift, WIDE, &["avx512f"], "vpslld {v}, {a}, 7"),
    both(Class::VectorRotate, NARROW, VL, "vprold {v}, {a}, 7"),
    both(Class::VectorRotate, WIDE, &["avx512f"], "vprold {v}, {a}, 7"),
    both(Class::VectorRotate, NARROW, &["avx512vbmi2", "avx512vl"], "vpshldd {v}, {a}, {kv}, 7"),
    both(Class::VectorRotate, WIDE, &["avx512vbmi2"], "vpshldd {v}, {a}, {kv}, 7"),
    both(Class::VectorShuffle, NARROW, &["avx2"], "vpunpckldq {v}, {a}, {kv}"),
    both(Class::VectorShuffle, WIDE, &["avx512f"], "vpunpckldq {v}, {a}, {kv}"),
    both(Class::VectorShuffle, NARROW, &["avx2"], "vpshufd {v}, {a}, 0x1b"),
    both(Class::VectorShuffle, WIDE, &["avx512f"], "vpshufd {v}, {a}, 0x1b"),
    both(Class::VectorShuffleBytes, NARROW, &["avx2"], "vpshufb {v}, {a}, {kv}"),
    both(Class::VectorShuffleBytes, WIDE, &["avx512bw"], "vpshufb {v}, {a}, {kv}"),
    both(Class::VectorPermute, &[256], &["avx2"], "vpermd {v}, {kv}, {a}"),
    both(Class::VectorPermute, WIDE, &["avx512f"], "vpermd {v}, {kv}, {a}"),
    both(Class::VectorPermute, &[256], &["avx2"], "vpermq {v}, {a}, 0x1b"),
    both(Class::VectorPermute, NARROW, &["avx512vbmi", "avx512vl"], "vpermb {v}, {kv}, {a}"),
    both(Class::VectorPermute, WIDE, &["avx512vbmi"], "vpermb {v}, {kv}, {a}"),
    both(Class::VectorPermute, NARROW, &["avx512vbmi", "avx512vl"], "vpermi2b {w}, {kv}, {kv}"),
    both(Class::VectorPermute, WIDE, &["avx512vbmi"], "vpermi2b {w}, {kv}, {kv}"),
    both(Class::VectorPermute, WIDE, &["avx512f"], "vshufi32x4 {v}, {a}, {kv}, 0x1b"),
    both(Class::VectorPermute, &[128], &["avx2"], "vpbroadcastd {v}, {ax}").makeshift(),
    both(Class::VectorAffine, NARROW, &["gfni", "avx"], "vgf2p8affineqb {v}, {a}, {kv}, 0"),
    both(Class::VectorAffine, WIDE, &["gfni", "avx512f"], "vgf2p8affineqb {v}, {a}, {kv}, 0"),
    both(Class::VectorAffine, NARROW, &["gfni", "avx"], "vgf2p8affineinvqb {v}, {a}, {kv}, 0"),
    both(Class::VectorAffine, WIDE, &["gfni", "avx512f"], "vgf2p8affineinvqb {v}, {a}, {kv}, 0"),
    both(Class::VectorMadd52, NARROW, &["avx512ifma", "avx512vl"], "vpmadd52luq {w}, {kv}, {kv}"),
    both(Class::VectorMadd52, WIDE, &["avx512ifma"], "vpmadd52luq {w}, {kv}, {kv}"),
    both(Class::Aes, &[128], &["aes", "avx"], "vaesenc {v}, {a}, {kv}"),
    both(Class::Aes, &[256], &["vaes"], "vaesenc {v}, {a}, {kv}"),
    both(Class::Aes, WIDE, &["vaes", "avx512f"], "vaesenc {v}, {a}, {kv}"),
    both(Class::Clmul, &[128], &["pclmulqdq", "avx"], "vpclmulqdq {v}, {a}, {kv}, 0"),
    both(Class::Clmul, &[256], &["vpclmulqdq"], "vpclmulqdq {v}, {a}, {kv}, 0"),
    both(Class::Clmul, WIDE, &["vpclmulqdq", "avx512f"], "vpclmulqdq {v}, {a}, {kv}, 0"),
    both(Class::Sha, &[128], &["sha", "avx"], "sha256rnds2 {v}, {kv}"),

    both(Class::Transfer, GENERAL, &["avx512bw"], "kmovq {m}, {kg}").chained("kmovq {m}, {g}; kmovq {g}, {m}", 2),
    both(Class::Transfer, &[128], &["avx"], "vmovq {x}, {kg}").chained("vmovq {x}, {g}; vmovq {g}, {x}", 2),
    both(Class::Transfer, &[128], &["avx"], "vmovq {g}, {kx}").chained("vmovq {x}, {g}; vmovq {g}, {x}", 2),
    both(Class::Transfer, &[256], VL, "vpbroadcastq {v}, {kg}").chained("vpbroadcastq {v}, {g}; vmovq {g}, {x}", 2),
    both(Class::Transfer, &[256], &["avx2"], "vpmovmskb {g}, {kv}").chained("vmovq {x}, {g}; vpmovmskb {g}, {v}", 2).makeshift(),
    both(Class::Transfer, WIDE, &["avx512f"], "vpbroadcastq {v}, {kg}").chained("vpbroadcastq {v}, {g}; vmovq {g}, {x}", 2),
    both(Class::Mask, GENERAL, &["avx512bw"], "kxorq {m}, {m}, {km}"),
    both(Class::Mask, NARROW, &["avx512dq", "avx512vl"], "vpcmpeqd {m}, {kv}, {kv}").chained("vpcmpeqd {m}, {v}, {kv}; vpmovm2d {v}, {m}", 2),
    both(Class::Mask, WIDE, &["avx512dq"], "vpcmpeqd {m}, {kv}, {kv}").chained("vpcmpeqd {m}, {v}, {kv}; vpmovm2d {v}, {m}", 2),

    both(Class::Load, GENERAL, &[], "mov {g}, {load}").chained("mov {p}, [{p}]", 1),
    both(Class::VectorLoad, NARROW, &["avx"], "vmovdqu {v}, {load}").chained("vmovdqu {v}, [{p}]; vmovq {p}, {x}", 1).less(Class::Transfer, 128),
    both(Class::VectorLoad, WIDE, &["avx512f"], "vmovdqu64 {v}, {load}").chained("vmovdqu64 {v}, [{p}]; vmovq {p}, {x}", 1).less(Class::Transfer, 128),
    // A store and the load that reads it back.
    both(Class::Store, GENERAL, &[], "mov {store}, {kg}").chained("mov {stack}, {g}; mov {g}, {stack}", 1),
    both(Class::VectorStore, NARROW, &["avx"], "vmovdqu {store}, {kv}").chained("vmovdqu {stack}, {v}; vmovdqu {v}, {stack}", 1),
    both(Class::VectorStore, WIDE, &["avx512f"], "vmovdqu64 {store}, {kv}").chained("vmovdqu64 {stack}, {v}; vmovdqu64 {v}, {stack}", 1),
];

/// Streams that a machine file has no place for: they are measured and said.
#[rustfmt::skip]
pub const REMARKABLE: &[Probe] = &[
    both(Class::Logic, GENERAL, &[], "xor {g}, {g}"),
    both(Class::Logic, GENERAL, &[], "xor {g}, {load}"),
    both(Class::VectorLogic, NARROW, &["avx2"], "vpxor {v}, {v}, {v}"),
    both(Class::VectorLogic, WIDE, &["avx512f"], "vpxord {v}, {v}, {v}"),
    both(Class::VectorLogic, NARROW, &["avx2"], "vpxor {v}, {kv}, {load}"),
    both(Class::VectorLogic, WIDE, &["avx512f"], "vpxord {v}, {kv}, {load}"),
    // A load at an offset that may look like that of the store before it.
    both(Class::Load, GENERAL, &[], "mov {store}, {kg}; mov {g}, {far}"),
    // Of three registers: there may be too few ports to read them all.
    both(Class::VectorTernary, ALL, VL, "vpternlogd {w}, {v}, {a}, 0x96"),
    both(Class::VectorLoad, ALL, VL, "vpbroadcastd {v}, {load32}"),
];
