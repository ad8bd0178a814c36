//! The intrinsics of vectors of each size that networks are printed with.

/// How registers of one size are written in C. In the templates `$a`, `$b`, `$c` are operands, `$n` is a number,
/// `$p` a pointer.
pub struct Dialect {
    pub bits: u32,
    pub register: &'static str,
    pub load: &'static str,
    pub store: &'static str,
    pub zero: &'static str,
    /// A 64-bit pattern in all of the register.
    pub splat: &'static str,
    pub and: &'static str,
    pub or: &'static str,
    pub xor: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    /// Where `$a` is one, `$b`, else `$c`; if there is an instruction for it.
    pub select: Option<&'static str>,
    pub unpack: &'static str,
    pub bytes: &'static str,
    pub segments: &'static str,
    pub quads: &'static str,
    /// The bit that is `$n` below the highest of each 32-bit element, in all bits of it.
    pub fill: &'static str,
    /// For each byte of `$a` all ones if it has the bit of `$b`.
    pub test: &'static str,
    /// The piece `$a` of 1, 2, 4, 8, 16 bytes in all of the register.
    pub broadcast: [&'static str; 5],
    /// A register from pieces of 1, 2, 4, 8 bytes, highest first.
    pub gather: [&'static str; 4],
    /// A register from 128-bit pieces, lowest first as `$0`, `$1`, …
    pub gather_segments: &'static str,
}

/// General-purpose registers.
pub const SCALAR: Dialect = Dialect {
    bits: 64,
    register: "",
    load: "",
    store: "",
    zero: "0",
    splat: "$n",
    and: "$a & $b",
    or: "$a | $b",
    xor: "$a ^ $b",
    left: "$a << $n",
    right: "$a >> $n",
    select: None,
    unpack: "",
    bytes: "__builtin_bswap$n($a)",
    segments: "",
    quads: "",
    fill: "(int64_t)($a << $n) >> 63",
    test: "",
    broadcast: [""; 5],
    gather: [""; 4],
    gather_segments: "",
};

/// Vectors, narrowest first.
pub const DIALECTS: [Dialect; 3] = [
    Dialect {
        bits: 128,
        register: "__m128i",
        load: "_mm_loadu_si128((const __m128i *)($p))",
        store: "_mm_storeu_si128((__m128i *)($p), $a)",
        zero: "_mm_setzero_si128()",
        splat: "_mm_set1_epi64x((long long)$n)",
        and: "_mm_and_si128($a, $b)",
        or: "_mm_or_si128($a, $b)",
        xor: "_mm_xor_si128($a, $b)",
        left: "_mm_slli_epi64($a, $n)",
        right: "_mm_srli_epi64($a, $n)",
        select: None,
        unpack: "_mm_unpack$n($a, $b)",
        bytes: "_mm_shuffle_epi8($a, $b)",
        segments: "",
        quads: "",
        fill: "_mm_srai_epi32(_mm_slli_epi32($a, $n), 31)",
        test: "_mm_cmpeq_epi8(_mm_and_si128($a, $b), $b)",
        broadcast: [
            "_mm_set1_epi8((char)$a)",
            "_mm_set1_epi16((short)$a)",
            "_mm_set1_epi32((int)$a)",
            "_mm_set1_epi64x((long long)$a)",
            "",
        ],
        gather: ["_mm_set_epi8", "_mm_set_epi16", "_mm_set_epi32", "_mm_set_epi64x"],
        gather_segments: "",
    },
    Dialect {
        bits: 256,
        register: "__m256i",
        load: "_mm256_loadu_si256((const __m256i *)($p))",
        store: "_mm256_storeu_si256((__m256i *)($p), $a)",
        zero: "_mm256_setzero_si256()",
        splat: "_mm256_set1_epi64x((long long)$n)",
        and: "_mm256_and_si256($a, $b)",
        or: "_mm256_or_si256($a, $b)",
        xor: "_mm256_xor_si256($a, $b)",
        left: "_mm256_slli_epi64($a, $n)",
        right: "_mm256_srli_epi64($a, $n)",
        select: None,
        unpack: "_mm256_unpack$n($a, $b)",
        bytes: "_mm256_shuffle_epi8($a, $b)",
        segments: "_mm256_permute2x128_si256($a, $b, $n)",
        quads: "_mm256_permute4x64_epi64($a, $n)",
        fill: "_mm256_srai_epi32(_mm256_slli_epi32($a, $n), 31)",
        test: "_mm256_cmpeq_epi8(_mm256_and_si256($a, $b), $b)",
        broadcast: [
            "_mm256_set1_epi8((char)$a)",
            "_mm256_set1_epi16((short)$a)",
            "_mm256_set1_epi32((int)$a)",
            "_mm256_set1_epi64x((long long)$a)",
            "_mm256_broadcastsi128_si256($a)",
        ],
        gather: ["_mm256_set_epi8", "_mm256_set_epi16", "_mm256_set_epi32", "_mm256_set_epi64x"],
        gather_segments: "_mm256_inserti128_si256(_mm256_castsi128_si256($0), $1, 1)",
    },
    Dialect {
        bits: 512,
        register: "__m512i",
        load: "_mm512_loadu_si512((const void *)($p))",
        store: "_mm512_storeu_si512((void *)($p), $a)",
        zero: "_mm512_setzero_si512()",
        splat: "_mm512_set1_epi64((long long)$n)",
        and: "_mm512_and_si512($a, $b)",
        or: "_mm512_or_si512($a, $b)",
        xor: "_mm512_xor_si512($a, $b)",
        left: "_mm512_slli_epi64($a, $n)",
        right: "_mm512_srli_epi64($a, $n)",
        select: Some("_mm512_ternarylogic_epi64($a, $b, $c, 0xca)"),
        unpack: "_mm512_unpack$n($a, $b)",
        bytes: "_mm512_shuffle_epi8($a, $b)",
        segments: "_mm512_shuffle_i64x2($a, $b, $n)",
        quads: "_mm512_permutexvar_epi64(_mm512_set_epi64($n), $a)",
        fill: "_mm512_srai_epi32(_mm512_slli_epi32($a, $n), 31)",
        test: "_mm512_movm_epi8(_mm512_test_epi8_mask($a, $b))",
        broadcast: [
            "_mm512_set1_epi8((char)$a)",
            "_mm512_set1_epi16((short)$a)",
            "_mm512_set1_epi32((int)$a)",
            "_mm512_set1_epi64((long long)$a)",
            "_mm512_broadcast_i32x4($a)",
        ],
        gather: ["_mm512_set_epi8", "_mm512_set_epi16", "_mm512_set_epi32", "_mm512_set_epi64"],
        gather_segments: "_mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(\
            _mm512_castsi128_si512($0), $1, 1), $2, 2), $3, 3)",
    },
];

/// The C type of registers of this many bits.
pub fn register_type(bits: u32) -> String {
    match DIALECTS.iter().find(|dialect| dialect.bits == bits) {
        Some(dialect) => dialect.register.to_string(),
        None => format!("uint{bits}_t"),
    }
}
