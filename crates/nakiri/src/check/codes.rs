//! What `nakiri explain` says about each error code of the checker.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0100",
        "An included file was not found. Files are looked for beside the including file, then in the folders \
         given with `-I`, in order.

    include \"sbox/aes.ua\"      # beside this file, or below an -I folder",
    ),
    (
        "E0101",
        "A file includes itself, directly or through others; the message shows the chain. Move what both \
         files need into a third one that each of them includes. A file that is included twice, but not by \
         itself, is read once.",
    ),
    (
        "E0102",
        "Two nodes, tables or permutations have the same name. Rename or remove one. Old files did this on \
         purpose: under `--compat usubac` it is a warning, and the later definition holds.",
    ),
    (
        "E0103",
        "A call names a node, table or permutation that no file of the program defines. Look for a typing \
         error, or `include` the file that defines it. The order of definitions doesn't matter.",
    ),
    (
        "E0104",
        "An equation uses a variable that the node doesn't declare. Variables are inputs, outputs, or declared \
         under `vars`; each node sees only its own. A table or another node is no variable, but called.

    node f (x:u8) returns (y:u8)
    vars t:u8                       # without this line, t is unknown
    let t = ~x; y = t ^ x tel

    y = S[x]      # wrong if S is a table
    y = S(x)      # right",
    ),
    (
        "E0105",
        "An index, a bound, a shift amount or a `nat` argument uses a name that is no iterator and no `nat` \
         parameter. These numbers are known when the program is compiled; a value of the cipher can't stand \
         there, because an index or a shift that depends on data would not be constant-time. What data chooses is \
         computed in all cases, and masks take one; a value is looked up in a `table`.

    y = x <<< n      # wrong if n is an input of type u8
    m0 = Bitmask(n, 0); t = (x & ~m0) | ((x <<< 1) & m0);      # right: a step for each bit of n
    m1 = Bitmask(n, 1); y = (t & ~m1) | ((t <<< 2) & m1)       # and so on
    node f (n:nat, x:u8) returns (y:u8) let y = x <<< n tel      # right",
    ),
    (
        "E0106",
        "A node calls itself, directly or through others; the message shows the cycle. Nodes are circuits of \
         a fixed size, so that recursion has no end. Repeat with `forall`.",
    ),
    (
        "E0107",
        "A node declares a name twice among its inputs, outputs and local variables. Each name stands for one \
         variable: rename one of them.",
    ),
    (
        "E0108",
        "There is no node to build or run. The entry is the last node of the file that has no `nat` \
         parameters, or the one that `--entry` names. Tables and permutations can't be entries: wrap them in \
         a node.",
    ),
    (
        "E0110",
        "`_interleave(n)` asks for n copies of the node's code to run side by side. One copy means no \
         interleaving; more than a few never fit in registers.",
    ),
    (
        "E0120",
        "A dimension is zero or negative. Every list has at least one atom. A dimension that is computed from \
         a `nat` parameter must be positive for each call.",
    ),
    (
        "E0121",
        "An atom has more bits than any supported register element: at most 128. A longer string of bits is a \
         list: `b256` is 256 atoms of one bit, `u64x4` four words of 64.",
    ),
    (
        "E0122",
        "A direction or word size is a parameter that no input or output determines, so that no call can fix \
         it. Write it out, or use a parameter that the signature mentions.

    node f (x:u8) returns (y:u8)
    vars t:v1          # wrong: which word size?
    vars t:u8          # right",
    ),
    (
        "E0123",
        "An iterator, a `nat` parameter or a constant is defined where a variable is needed. It has its value already; one of \
         another name is declared under `vars`.

    i = x + 1          # wrong: i is an iterator
    y = x + i          # right: a static number is a constant of the type that is needed",
    ),
    (
        "E0124",
        "`nat` is the type of a static number: a constant of the file (`const turns:nat[4] = { 1, 3, 6, 11 }`), \
         or a parameter of a node, single, without `const` and layout. Outputs, local variables, tables and permutations can't have it.",
    ),
    (
        "E0125",
        "A layout says how the bits of an input or output lie in memory. `@le` and `@be` fit every type, \
         `@planes` groups of 8 atoms, and the name of a `perm` a type with as many bits \
         as the permutation, which has each bit once. Local variables have no layout.",
    ),
    (
        "E0126",
        "The type parameters of a node are too many, or one name is used for a direction and for a word size. \
         Rename: `u<'D>'m`.",
    ),
    (
        "E0127",
        "A word that begins with a capital letter, where a type is wanted, is the name of a field: `field F = 2^255 - 19`.",
    ),
    (
        "E0128",
        "The number of a field is no prime, negative, or too large. The message has a factor, or a base for which the test of Miller and Rabin \
         shows that there are factors: modulo a product of primes not everything has an inverse. A field by a polynomial has 2^n elements.

    field F = 2^255 - 21     # 3 divides it
    field F = 2^255 - 19     # right",
    ),
    (
        "E0129",
        "The polynomial of a field of 2^n elements has degree n and is irreducible: modulo a product not everything has an inverse. The message \
         has a factor, or the degree of the factors.

    field F = 2^8 by x^8 + x^4 + x^3 + x^2           # x divides it
    field F = 2^8 by x^8 + x^4 + x^3 + x + 1         # right",
    ),
    (
        "E0130",
        "A static expression divides by zero, or takes a remainder by zero. The message says for which values \
         of the iterators.",
    ),
    ("E0131", "A static number needs more than 127 bits. No index or bound is that large."),
    (
        "E0132",
        "A shift amount or a `nat` argument is negative. Shift in the other direction, or check the bounds of \
         the loop around it.",
    ),
    (
        "E0133",
        "The argument for a `nat` parameter is a value that is known only when the cipher runs. It must be \
         made of numbers, iterators and `nat` parameters.",
    ),
    (
        "E0134",
        "An iterator has the name of something else in the node. Give it a name of its own, so that no reader \
         must ask which one is meant.",
    ),
    (
        "E0135",
        "The program is larger when written out than any cipher, or one run of a node executes more than any cipher \
         does: loops are repeated, lists are flat and calls are of calls, and time or memory would run out. Mostly a \
         bound is wrong.",
    ),
    (
        "E0136",
        "`/` and `%` compute with static numbers: in indices, bounds, shift amounts, sizes and arguments for `nat` \
         parameters. There is no division of values, since no target has one that takes constant time. A quotient \
         by a power of two is a shift, a remainder a mask.

    y = x / 8        # wrong
    y = x >> 3       # right
    y = Rot(x, n / 2)  # right, if that parameter of `Rot` is a `nat`",
    ),
    (
        "E0137",
        "A list of static numbers is indexed once for each of its dimensions, and nothing else is indexed where a static number stands. It is \
         defined outside of nodes.

    const r:nat[2] = { 7, 13 }
    y = x <<< r         # wrong
    y = x <<< r[1]      # right",
    ),
    (
        "E0138",
        "The type of a list of static numbers says how many there are. Several dimensions are one list, the last index first to change: \
         `const r:nat[2][2] = { 0, 1, 62, 28 }` has `r[1][0] = 62`.",
    ),
    (
        "E0139",
        "Entries of tables and permutations and positions of bits are natural numbers. Mostly a formula is off by one for some value of its \
         iterator, which the message says.",
    ),
    (
        "E0140",
        "An index lies outside its dimension. Indices count from 0; both ends of a range are included. The \
         message says for which values of the iterators.

    x : u16[4]
    x[0..4]      # wrong: five elements
    x[0..3]      # right",
    ),
    (
        "E0141",
        "A single atom is indexed. `u32` is one word whose bits are reached by shifts; `b32` is a list of 32 \
         bits, of which index 0 is the most significant.",
    ),
    (
        "E0142",
        "A variable is indexed more often than it has dimensions. `u16x4[26]` has two: 26 outside, 4 inside; \
         the 16 bits of each word can't be indexed.",
    ),
    (
        "E0143",
        "A constant is computed once, while the program is checked: its word size must be known, and no register may have a part in it.

    const c:v4 = 5      # wrong
    const c:b4 = 5      # right",
    ),
    (
        "E0144",
        "`_table` computes a node for all of its inputs, and makes a table of what it gives. Like a table it takes one word, or bits \
         (`v8`, `b8`), up to 16 in all.",
    ),
    (
        "E0145",
        "What is computed while a program is checked, a constant or all entries of a `_table`, takes too many operations: an editor checks \
         at each key. Calls in loops count as often as they are done.",
    ),
    (
        "E0150",
        "A table from k atoms has exactly 2^k entries, one for each input. Count the entries, or the atoms of \
         the inputs.",
    ),
    (
        "E0151",
        "An entry of a table has more bits than the table has output atoms (for a table indexed by a word: \
         than the result has bits).",
    ),
    (
        "E0152",
        "The inputs and outputs of a table or permutation don't fit together. A table works at each bit \
         position of its atoms, so that all of them have the same type; a permutation moves atoms without \
         changing them. A table from one word of M bits to another is a lookup by the word's value, M at most \
         16.",
    ),
    (
        "E0153",
        "A permutation has one entry for each output atom: entry i is the number, from 1, of the input atom \
         that becomes output i.",
    ),
    (
        "E0154",
        "An entry of a permutation names no input atom. Entries count from 1; they may repeat or leave atoms \
         out.",
    ),
    (
        "E0155",
        "A call names an element that an array of definitions doesn't have. Elements count from 0.",
    ),
    (
        "E0156",
        "An array of definitions is called without saying which one.

    table[] S (x:v4) returns (y:v4) [ {…} ; {…} ]
    y = S(x)         # wrong
    y = S<i % 2>(x)  # right",
    ),
    (
        "E0157",
        "A call names an element of a definition that is no array. Call it plainly, or define it as an array: \
         `table[] S …`.",
    ),
    (
        "E0158",
        "`inverse(S)` is the table, or the permutation, that undoes another. There is one if the other takes each value to a value of its own.

    table S (x:v2) returns (y:v2) { 0, 0, 1, 2 }      # 0 and 1 go to 0: nothing undoes it
    table T (x:v2) returns (y:v2) = inverse(S)",
    ),
    (
        "E0159",
        "`node id = family(n, …)` is a node that calls another one with these numbers for its `nat` parameters, in order, and takes and \
         gives what that does. `mode id = family(n, …)` is a mode with these numbers for its `nat` parameters, and these nodes for those \
         that are `node`.

    node Forth (rounds:nat, x:u32[2], key:u32[rounds]) returns (y:u32[2]) let … tel
    node Encrypt96 = Forth(26)
    node Encrypt128 = Forth(27)",
    ),
    (
        "E0160",
        "A mode is loops over streams of bytes with equations around them: one loop for each parameter of type \
         `bytes`, which says how the last block is filled up, or that every block is `whole(…)`. A last loop \
         may go over one a second time to give a stream beside it, once the results are known. A mode may have other parameters of fixed size. Its results \
         are of fixed size too; one may be a stream that is made beside one that is taken, or else the only result \
         may be a stream of any length that a last loop makes. What goes from block to block is a variable that is \
         defined before the loop and updated in it. With parameters of type `nat` or `node` it is a family, of which \
         `mode Name = Family(21, Step)` makes one. A tree stands where a loop does: its block is a chunk of the stream, \
         of type `bytes[n]`, with a loop over its own blocks; it makes a vertex of each chunk, and one of each two.

    mode Hash (message:bytes) returns (digest:u32[8] @be)
    vars h:u32[8]
    let
      h = Initial();
      forall block:u32[16] @be in pad(message, 0x80, length:u64 @be) { h := Compress(h, block); }
      digest = h;
    tel

    mode Seal (key:const u64[2], nonce:u64[2], ad, plain:bytes) returns (sealed:bytes, tag:u64[2])
    vars s:u64[5]
    let
      s = Start(key, nonce);
      forall block:u64[2] in pad(ad, 0x01) unless empty { s := Absorb(s, block); }
      forall p:u64[2] in pad(plain, 0x01), c:u64[2] in sealed { c = s[0..1] ^ p; s := Absorb(s, p); }
      tag = Tag(s, key);
    tel

    mode Tree (message:bytes) returns (digest:u32[8])
    vars h, top:u32[8]
    let
      forall chunk:bytes[1024] in message {
        h = Initial();
        forall block:u32[16] in pad(chunk, 0x80) { h := Compress(h, block); }
        top = h;
      } pair left, right in top { top = Both(left, right); }
      digest = top;
    tel",
    ),
    (
        "E0200",
        "Two flat lists of atoms that must match differ in length. Shapes need not agree, `u16x4` and \
         `(u16[2], u16[2])` are the same, but the total number of atoms must.",
    ),
    (
        "E0201",
        "Two atoms that meet have different word sizes. Nothing is widened or cut off silently: `Pack(a, b)` \
         joins two atoms into a wider one.",
    ),
    (
        "E0202",
        "Two atoms that meet have different directions: they lie differently in registers, and moving one \
         would be a transposition. Give both the same direction, or leave it out: then the node works for \
         every direction.",
    ),
    (
        "E0203",
        "A constant has more bits than the atoms it defines. Nothing is cut off silently.

    y : b4
    y = 16      # wrong: five bits
    y = 15      # right",
    ),
    (
        "E0204",
        "A constant takes its type from the other operand, from what it defines, or from the parameter it is \
         passed for. Here there is none of these, or it is generic. Write the type after the number: `5:u16`.",
    ),
    (
        "E0205",
        "One number is to stand for several words, and it is not said how. Zero is the same in every order; for \
         others write a tuple with one number for each atom. For lists of bits there is no question: the first \
         one is the most significant.",
    ),
    (
        "E0206",
        "A shift or rotation goes past the width of the word, or past the end of the list. The result would be \
         zero, or a rotation by another amount; mostly the type or the amount is wrong.",
    ),
    (
        "E0207",
        "`>>!` copies the sign bit of one word. Of a list of atoms it has no meaning: repeat the first atom in a \
         tuple.",
    ),
    (
        "E0208",
        "`Shuffle(x, [p, …])` needs one position for each bit of the atom; output bit i is input bit p, and \
         position 0 is the most significant bit.",
    ),
    (
        "E0209",
        "`Bitmask(x, n)` copies bit n of a word to all bits of the result; n counts from the least significant \
         bit and must be less than the width.",
    ),
    (
        "E0210",
        "`Pack(a, b) : t` joins each atom of a with the atom of b in the same place. Both lists have as many \
         atoms as t, and an atom of t has the bits of both, in the same direction.",
    ),
    (
        "E0211",
        "A call gives more or fewer atoms than the callee takes. Arguments are one flat list: (u16[2], u16[2]) \
         fills a parameter of type `u16x4`. A node with `nat` parameters needs one argument for each \
         parameter.",
    ),
    (
        "E0212",
        "`refresh(x)` gives a masked value new randomness. Code is not masked here, so it would do nothing, in silence. \
         Leave it out; under `--compat usubac`, where published sources have it, it is x.",
    ),
    (
        "E0214",
        "An element of a field has no bits: how it lies in words is chosen for each target. It has `+`, `-` and `*`, `inverse(x)`, and \
         `choose(word, a, b)`, which is `a` if the word is odd. `number(x)` are the words of its number, the least significant first.",
    ),
    (
        "E0215",
        "What a program takes, gives and keeps lies in memory, as bits. `F(x)` is the element of the words `x`, each of 64 bits, the least \
         significant first; a number that is not below the prime is taken modulo it. `number(y)` are the words of an element.",
    ),
    (
        "E0216",
        "What is made of words, `F(x)`, takes words of 64 bits; `number`, `inverse` and `choose` take elements of fields. There are no other conversions.",
    ),
    (
        "E0220",
        "An atom is used that no equation defines. The order of equations doesn't matter, but a value made by \
         `:=` is seen only by what stands below it in the text.",
    ),
    (
        "E0221",
        "An atom is defined by two equations. Equations hold all at once, so that each atom has one definition; \
         a sequential update is written `:=` (or `^=`, `+=` and so on). Under `--compat usubac` a second `=` is \
         such an update.",
    ),
    ("E0222", "An output, or some atoms of it, has no defining equation."),
    (
        "E0223",
        "An equation defines an input, whose value comes from the caller. To go on with a changed version of \
         it, write `:=`: equations below see the new version.",
    ),
    (
        "E0224",
        "An atom depends on itself; the message shows the cycle. A system of equations must be well founded. \
         Either an index is wrong, or a sequential update was meant: `x := x ^ k`. A call needs all of its \
         arguments for each of its results.",
    ),
    (
        "E0225",
        "Some atoms of a local variable are defined and others are not, though nothing uses these. Define all, \
         or declare the variable smaller.",
    ),
    (
        "E0226",
        "The reset value of a register is something else than a number, or a tuple of numbers. A reset puts the \
         registers to fixed values; what a register takes from an input it takes in a tick.

    state s:u16 = 0x1234, t:u8[2] = (1, 2)
    next s = load & key | ~load & f(s)      # with an input `load` that is all ones in the first tick",
    ),
    (
        "E0227",
        "`next` stands before a variable that is no register. Only what is declared under `state` has a value after \
         the tick; an output or a local variable is defined without `next`.",
    ),
    (
        "E0228",
        "An equation defines a register, by `=` or `:=`. A register holds the value that it had before the tick until \
         the tick is over; `next` says what it holds in the following one.

    state s:u16
    next s = s + 1",
    ),
    (
        "E0229",
        "A register, or some atoms of it, has no next value. Every register has exactly one equation with `next` for \
         each of its atoms; one that keeps its value says so.

    next s = s",
    ),
    (
        "E0230",
        "`_instruction` stands before a node that is none of the instructions that the compiler knows, or that has other \
         parameters. `nakiri targets` lists them. The option says that the node is that instruction: where a target has \
         it, a call under -P is one instruction; elsewhere the definition is compiled.",
    ),
    (
        "E0231",
        "A node with `_instruction` doesn't compute what the instruction of its name does. Both are run on the same \
         random rows; the first on which they differ are shown, parameter by parameter.",
    ),
    (
        "E0240",
        "A node with `nat` parameters is never called. Its equations can be checked only for given values, so \
         that they have not been checked at all.",
    ),
    (
        "E0241",
        "Nothing reads an input or a local variable. Remove it; a name that begins with `_` says that this is \
         meant.",
    ),
    (
        "E0242",
        "`_no_unroll` was asked for, but the iterations of this `forall` can't run one after another as \
         written: an iteration needs a later one, or an equation outside that needs the loop. It is written \
         out. Order the iterations so that each needs only earlier ones.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    fn used(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                used(&path, found);
            } else if !path.ends_with("codes.rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let codes = text.split('"').filter(|s| s.len() == 5 && s.starts_with("E0"));
                found.extend(codes.map(str::to_string));
            }
        }
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_used() {
        let mut found = BTreeSet::new();
        used(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check"), &mut found);
        let explained: BTreeSet<String> = super::CODES.iter().map(|(c, _)| c.to_string()).collect();
        assert_eq!(explained.len(), super::CODES.len(), "a code is explained twice");
        assert_eq!(found, explained);
    }
}
