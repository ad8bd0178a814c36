//! What words and signs of other languages are in Usuba: data for messages about programs that are refused anyway.
//!
//! A word in a table is no reserved word: whoever calls a variable `if` may do so.

/// Words and signs that mean the same, and what Usuba has in their place.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    /// How they are written there.
    pub spellings: &'static [&'static str],
    /// What stands at the same place in Usuba; nothing if the line must be written anew.
    pub instead: Option<&'static str>,
    /// What Usuba has.
    pub advice: &'static str,
}

/// The row of a table with a spelling.
pub fn find(table: &'static [Foreign], text: &str) -> Option<&'static Foreign> {
    table.iter().find(|row| row.spellings.contains(&text))
}

const fn row(
    spellings: &'static [&'static str],
    instead: Option<&'static str>,
    advice: &'static str,
) -> Foreign {
    Foreign { spellings, instead, advice }
}

const CHOICE: &str = "both values are computed and a mask chooses: with `m = Bitmask(c, 0)`, `(a & m) | (b & ~m)` is `a` where the \
                      lowest bit of `c` is 1, and `b` elsewhere";
const EACH_BIT: &str = "it acts on each bit";
const ROTATION: &str = "the amount is a static number";
const COMMENT: &str = "a comment goes from `#` or `//` to the end of its line";
const ORDER: &str = "nothing is compared by size: where `a` and `b` are below half of their range, `(a - b) >> 31` is 1 if `a` is less \
                     (of words of 32 bits)";
const ORDER_OR_EQUATION: &str = "nothing is compared by size: the highest bit of `a - b` says which of two small numbers is less; an \
                                 equation is written with `=`";
const EQUALITY: &str =
    "values are not compared: `a ^ b` is 0 where they are equal, and tells which bits differ";
const BLOCK: &str = "equations stand between `let` and `tel`, those of a loop between `{` and `}`";
const PRINT: &str = "a program computes values and does nothing else; `nakiri run` shows them";

/// Words that begin a statement of another language.
pub const STATEMENTS: &[Foreign] = &[
    row(&["if", "else", "elif", "elsif", "switch", "match", "case", "when"], None, CHOICE),
    row(
        &["for", "foreach"],
        None,
        "the bounds of a loop are static, and both are included",
    ),
    row(
        &["while", "until", "loop", "do", "repeat"],
        None,
        "how often is a static number: `forall i in [0,9] { … }` repeats ten times, and `x := …` in it goes on from the time before",
    ),
    row(
        &["break", "continue", "goto"],
        None,
        "a loop is repeated as often as its bounds say; what doesn't count is left out by a mask",
    ),
    row(&["return", "yield"], None, "a result has a name and is defined like any variable"),
    row(
        &["var", "auto", "local"],
        None,
        "variables are declared once, between `vars` and `let`: `vars t:u32`",
    ),
    row(&["assign", "set"], Some(""), "an equation begins with what it defines"),
    row(&["begin", "end", "endif", "endfor", "done", "pass"], None, BLOCK),
    row(&["print", "printf", "println", "assert"], None, PRINT),
    row(&["not"], Some("~"), EACH_BIT),
];

/// Words before functions of other languages, beside types.
pub const FUNCTION_HEADS: &[&str] = &[
    "fn",
    "def",
    "function",
    "func",
    "fun",
    "proc",
    "procedure",
    "sub",
    "module",
    "void",
    "static",
    "inline",
    "extern",
    "pub",
];

/// Words that begin another definition elsewhere.
pub const DEFINITIONS: &[Foreign] = &[
    row(
        &["sbox", "lut", "lookup", "array"],
        None,
        "an S-box is a table: `table S (x:v2) returns (y:v2) { 3, 1, 0, 2 }`",
    ),
    row(
        &["struct", "class", "enum", "union", "typedef", "type", "record", "impl"],
        None,
        "types are `u32`, `u16x4`, `b64` and arrays of them such as `u32[4]`; none is given a name",
    ),
    row(
        &["import", "use", "require", "from", "using", "package", "open"],
        None,
        "another file is read by `include \"file.ua\"`",
    ),
    row(
        &["static", "let", "define", "val", "var", "constexpr"],
        None,
        "a constant of a file is defined like `const c:u32[3] = (1, 2, 4)`, static numbers like `const r:nat[2] = { 7, 13 }`, and an \
         S-box is a `table`",
    ),
];

/// Operators that are words elsewhere.
pub const OPERATORS: &[Foreign] = &[
    row(&["xor", "XOR"], Some("^"), EACH_BIT),
    row(&["and", "AND"], Some("&"), EACH_BIT),
    row(&["or", "OR"], Some("|"), EACH_BIT),
    row(&["rol", "rotl", "ROL", "ROTL"], Some("<<<"), ROTATION),
    row(&["ror", "rotr", "ROR", "ROTR"], Some(">>>"), ROTATION),
    row(&["shl", "sll", "lsl", "SHL"], Some("<<"), ROTATION),
    row(&["shr", "srl", "lsr", "SHR"], Some(">>"), ROTATION),
    row(&["sar", "sra", "asr", "SAR"], Some(">>!"), ROTATION),
    row(
        &["range"],
        None,
        "the bounds of a loop stand in brackets, and both are included: `forall i in [0,3] { … }`",
    ),
];

/// Updates that Usuba has no sign for.
pub const UPDATES: &[&str] = &["<<<=", ">>>=", "<<=", ">>="];

/// Operators and other signs.
pub const SIGNS: &[Foreign] = &[
    row(&["...", "..="], Some(".."), "both ends of a range are included"),
    row(&["===", "!==", "!=", "=="], None, EQUALITY),
    row(&["<=", ">="], None, ORDER_OR_EQUATION),
    row(&["&&"], Some("&"), EACH_BIT),
    row(&["||"], Some("|"), EACH_BIT),
    row(
        &["++", "--"],
        None,
        "`x := x + 1` makes a new version of `x`; a comment begins with `#` or `//`",
    ),
    row(&["**"], None, "there are no powers: `x * x` is a product"),
    row(&["/*", "*/", "(*"], None, COMMENT),
    row(&["<-", "<~"], Some("="), "an equation defines what stands on its left"),
    row(
        &["->", "=>"],
        None,
        "there are no pointers, fields or arrows; results are named after `returns`",
    ),
    row(&["<", ">"], None, ORDER),
    row(&["!"], Some("~"), EACH_BIT),
    row(&["?"], None, CHOICE),
    row(
        &["."],
        None,
        "there are no fields and no fractions; a variable of several atoms is an array, `x[0]`",
    ),
    row(&["-"], Some("0 - "), "there is no sign before a value, but a difference"),
];

/// Types of other languages.
pub const TYPES: &[Foreign] = &[
    row(
        &["uint8_t", "int8_t", "uint8", "int8", "i8", "s8", "char", "uchar", "byte", "BYTE"],
        Some("u8"),
        "",
    ),
    row(
        &["uint16_t", "int16_t", "uint16", "int16", "i16", "s16", "short", "ushort"],
        Some("u16"),
        "",
    ),
    row(
        &[
            "uint32_t", "int32_t", "uint32", "int32", "i32", "s32", "int", "uint", "unsigned",
            "signed", "word", "dword", "DWORD", "integer", "num",
        ],
        Some("u32"),
        "",
    ),
    row(
        &[
            "uint64_t", "int64_t", "uint64", "int64", "i64", "s64", "long", "ulong", "size_t",
            "usize", "qword",
        ],
        Some("u64"),
        "",
    ),
    row(&["uint128_t", "__uint128_t", "uint128", "i128", "__int128"], Some("u128"), ""),
    row(&["bool", "_Bool", "boolean", "bit", "logic", "reg", "wire", "std_logic"], Some("b1"), ""),
    row(&["bits", "bitvector", "bitvec"], Some("b32"), ""),
    row(&["float", "double", "f32", "f64", "half"], None, "there are no fractions"),
    row(
        &["string", "str", "String", "list", "dict", "tuple", "vec", "Vec"],
        None,
        "there are numbers of fixed size, and arrays of them",
    ),
    row(&["void", "auto", "var"], None, "each value has a size"),
    row(
        &["__m128i", "__m256i", "__m512i", "uint8x16_t", "uint32x4_t"],
        None,
        "registers are the compiler's business, by `--target`",
    ),
];

/// Values of other languages.
pub const VALUES: &[Foreign] = &[
    row(&["true", "True", "TRUE"], Some("1"), "a bit is 0 or 1"),
    row(&["false", "False", "FALSE", "null", "NULL", "None", "nil"], Some("0"), "a bit is 0 or 1"),
];

/// Orders of bytes.
pub const LAYOUTS: &[Foreign] = &[
    row(&["big", "bigendian", "big_endian", "msb", "network"], Some("be"), ""),
    row(&["little", "littleendian", "little_endian", "lsb"], Some("le"), ""),
];

/// Functions of other languages. In what stands instead, `$1` and `$2` are the arguments.
pub const FUNCTIONS: &[Foreign] = &[
    row(&["rotl", "rol", "rotateleft", "lrot", "rotleft", "leftrotate"], Some("$1 <<< $2"), ROTATION),
    row(&["rotr", "ror", "rotateright", "rrot", "rotright", "rightrotate"], Some("$1 >>> $2"), ROTATION),
    row(&["shl", "sll", "lsl", "shiftleft", "leftshift"], Some("$1 << $2"), ROTATION),
    row(&["shr", "srl", "lsr", "shiftright", "rightshift"], Some("$1 >> $2"), ROTATION),
    row(&["sar", "sra", "asr"], Some("$1 >>! $2"), ROTATION),
    row(&["xor"], Some("$1 ^ $2"), EACH_BIT),
    row(&["and"], Some("$1 & $2"), EACH_BIT),
    row(&["or"], Some("$1 | $2"), EACH_BIT),
    row(&["add"], Some("$1 + $2"), "a sum is taken modulo 2 to the number of bits"),
    row(&["sub"], Some("$1 - $2"), "a difference is taken modulo 2 to the number of bits"),
    row(&["not", "inv", "invert"], Some("~$1"), EACH_BIT),
    row(&["concat", "cat", "join"], Some("($1, $2)"), "a tuple has the atoms of all its parts"),
    row(&["shuffle"], Some("Shuffle($1, $2)"), "it moves the bits of each atom"),
    row(&["bitmask"], Some("Bitmask($1, $2)"), "it repeats one bit"),
    row(&["pack"], Some("Pack($1, $2):…"), "the type says how long the atoms become"),
    row(&["if", "select", "mux", "ite", "choose", "cmov", "ctselect", "cond"], None, CHOICE),
    row(&["min", "max", "abs", "lt", "gt", "less"], None, ORDER),
    row(&["eq", "equal", "equals", "memcmp"], None, EQUALITY),
    row(&["len", "sizeof", "range"], None, "sizes stand in types, and are written out or are `nat` parameters"),
    row(&["print", "printf", "println", "assert"], None, PRINT),
    row(
        &["u", "uint", "int", "b", "i"],
        None,
        "the size of a value is that of its variable: several atoms are taken as others by an equation between variables of as \
         many atoms of the same size, and `Pack` joins two into one",
    ),
];

/// The row of a function, written with or without a size, in any letters.
pub fn function(name: &str) -> Option<&'static Foreign> {
    let name = name.to_lowercase().replace('_', "");
    find(FUNCTIONS, name.trim_end_matches(|c: char| c.is_ascii_digit()))
}
