//! What `nakiri explain` says about each error code of slicing and instance selection.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0301",
        "The entry works for any word size 'm, and none was chosen. A kernel has one; fix it on the command line or in \
         the types of the entry.

    nakiri build gimli.ua -V -w 32        # or: node Permute (x:u32x12) …",
    ),
    (
        "E0302",
        "A node that works for any word size was used at one that something in it does not fit: a constant with too many \
         bits, a shift or a rotation as long as the word or longer, a bit that the word does not have, or a Shuffle with \
         another number of positions. Choose a word size that all of them fit, or write the intended one into the types.

    node F (x:v1) returns (y:v1) let y = x >>> 20 tel      # wrong for -w 16",
    ),
    (
        "E0310",
        "The target has no instruction for an operator on atoms of this direction and width, so the program can't be \
         sliced so. The rules are those of the hardware: -V has what vector instructions have on elements of 8, 16, 32 and \
         64 bits; -H has logic, and permutations of bits where there is a byte shuffle; -B has everything but sums and \
         products, which would be long circuits and are built only if --soft-arith asks for them.

`nakiri check FILE` shows a table of all slicings and targets and what forbids each; `nakiri targets` lists what each \
         target has.",
    ),
    (
        "E0311",
        "All atoms of a kernel lie in registers in the same direction, and as many of them to a register: a register of \
         256 bits holds 16 atoms of 16 bits but 8 of 32 bits, so lanes of one could not meet lanes of the other. Use one \
         word size throughout (split wider words in two), slice with -B, where every atom has one bit, or build for gp64, \
         where each atom has a register of its own.",
    ),
    (
        "E0312",
        "Under -P the atoms of a row lie side by side in a segment of 128 bits, and the row is the innermost dimension of a \
         parameter's or result's type: 2, 4, 8 or 16 atoms, in all of them as many. A longer list is a list of rows; \
         written so, it means the same in every other direction, and lies in memory as before.

    node Gimli (x:u32x12 @le) returns (y:u32x12 @le)          # no row: 384 bits
    node Gimli (x:u32x4[3] @le) returns (y:u32x4[3] @le)      # three rows",
    ),
    (
        "E0313",
        "Under -P the atoms of a row move by a shuffle of one register. Here a row is made of atoms of several rows, which \
         takes a shuffle for each of them and operations that join what these leave. With --gather-rows it is compiled so; \
         often the source can treat all atoms of a row alike instead, or -V, where atoms are moved for nothing, is \
         faster.",
    ),
    (
        "E0314",
        "Under -P calls and loops are written out, because rows are found across them, and nothing that ciphers need is this \
         long. Under the other slicings calls and loops may stay: slice with -V. Mostly a bound of a loop is wrong.",
    ),
    (
        "E0315",
        "An element of a field becomes words of 64 bits, each with some bits of its number, of which products are made by what the target has: \
         both halves of products of words, products of half words, or products of 52 bits. Under -B, -H and -P there are no products of words, \
         and some targets have no words of 64 bits. Elements of characteristic two are computed under -B, too, bit by bit. A sum of many elements, with no product between, may be more than a word.

    nakiri check field.ua         which representations there are, and what they cost",
    ),
    (
        "E0320",
        "`_no_unroll`, or `--unroll never`, `2` or `4`, asked for a loop, but the iterations of this `forall` can't share one body, so \
         that it is written out. They can if they do the same operations, if what they load of parameters and store to results moves \
         at a fixed step, and if what they read was made in the same iteration, the same few iterations before, or before the \
         `forall`. Other arrays are registers, through which no loop can step: what an iteration makes can be read behind the \
         `forall` only if it is an output.

    y = x[0] ^ x[1] ^ x[2]             # x made by the forall: keep a sum in it instead",
    ),
];
