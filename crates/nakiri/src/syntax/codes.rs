//! What `nakiri explain` says about each error code of the lexer and the parser.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0001",
        "A character begins no token of the language. Mathematical signs are written in ASCII: `^` for \
         exclusive or, `&` and `|` for and and or, `~` for not, `<<<` and `>>>` for rotations. Words that \
         belong to no equation go into a comment after `#` or `//`.

    y = a ⊕ b      # wrong
    y = a ^ b      # right",
    ),
    (
        "E0002",
        "A number has a digit that its base does not have, no digit at all after its prefix, or a `_` that \
         does not stand between two digits. Numbers are decimal, hexadecimal after `0x` or binary after \
         `0b`. A name can't begin with a digit.

    y = x ^ 0b102      # wrong: 2 is no binary digit
    y = x ^ 0b1_0      # right",
    ),
    (
        "E0003",
        "A string does not end on the line on which it begins. Strings name the files of `include`; both \
         double quotes stand on one line.

    include \"aes.ua      # wrong
    include \"aes.ua\"     # right",
    ),
    (
        "E0004",
        "The source holds a character that no screen shows, or one that reorders the text around it, so \
         that a reader would see another program than the compiler does. Only blanks, tabs and line ends \
         (LF or CR LF) are allowed besides text. Delete the character; a hexadecimal editor shows where it is.",
    ),
    (
        "E0005",
        "A number has more than 10,000 digits. No type of a cipher is as wide; build such a constant as a \
         tuple of shorter ones.

    y = (0x0123, 0x4567)      # two constants side by side",
    ),
    (
        "E0006",
        "A source file has more than 4 GiB, more than places in it can be counted. Split it, and `include` \
         the parts.",
    ),
    (
        "E0010",
        "At this place the grammar asks for something else than what stands there. The message names what \
         was expected. Look at what stands right before: often a word or a bracket is missing there.

    y = x ^ ;          # wrong: an operand is missing
    y = x ^ k;         # right",
    ),
    (
        "E0011",
        "A reserved word stands where a name belongs. Choose another name; an underscore or a prime is \
         enough. `state` and `next` were no keywords in old files: `--compat usubac` reads those.

    vars in:u16        # wrong
    vars in_:u16       # right",
    ),
    (
        "E0012",
        "Two equations are not separated, or an equation goes on in a way that no operator explains. Every \
         equation that is followed by another ends with `;`. A tuple stands in parentheses.

    a = x  b = y;      # wrong
    a = x; b = y;      # right",
    ),
    (
        "E0013",
        "The equations of a node end with `tel`, also before the next definition and at the end of the \
         file.

    node f (x:u16) returns (y:u16) let y = ~x tel",
    ),
    (
        "E0014",
        "Between the header of a node and its equations stand, in this order, `vars` and the local \
         variables (where there are some), `state` and the registers (where there are some), and `let`. \
         Groups of variables are separated by commas.

    node f (x:u16) returns (y:u16)
    vars a:u16, b:u16
    let a = x; b = ~a; y = b tel",
    ),
    (
        "E0015",
        "A bracket is not closed before something that can't stand inside, or one is closed that was never \
         opened. The message shows the opening bracket; count from there.

    y = (a ^ (b & c);      # wrong
    y = (a ^ (b & c));     # right",
    ),
    (
        "E0016",
        "A file without any definition or `include` has no meaning. The smallest program is a node with \
         one equation.

    node f (x:u16) returns (y:u16) let y = ~x tel",
    ),
    (
        "E0017",
        "At the top level of a file stand `include` and definitions only: `node`, `table` or `perm`, each \
         possibly after options such as `_inline`. Often this follows a definition that ended too early, \
         by a `tel` or `}` too many.",
    ),
    (
        "E0018",
        "A type is `nat`, or `u`, `b` or `v` with sizes. `u16` is one atom of 16 bits, `u16x4` four of them, \
         `b64` 64 atoms of one bit, `v4` four atoms of the word size that the node is used at; `'m` in place \
         of a word size makes it a parameter. A direction may follow the letter, dimensions in brackets \
         follow the type. Sizes are decimal and at least 1.

    x:u<V>16x4[26]",
    ),
    (
        "E0019",
        "The direction in a type says how its atoms lie in registers: `<H>` horizontally, `<V>` vertically, \
         `<B>` bitsliced, `<P>` packed, or `<'D>` for a parameter. Without one, the type has the direction \
         that the node is used at.

    x:u<V>32      y:u<'D>16x4",
    ),
    (
        "E0020",
        "`&`, `|` and `^` have one precedence and associate to the left, unlike in C, and published ciphers \
         have been mistyped that way. So different ones need parentheses. They bind tighter than `+`, `-` and \
         `*`, again unlike in C, so that these beside them need parentheses, too. Under `--compat usubac` both \
         are warnings: `& | ^` are read from left to right, before `+ - *`.

    y = a ^ b & c        # wrong
    y = a ^ (b & c)      # right
    y = a + b ^ c        # wrong
    y = (a + b) ^ c      # right",
    ),
    (
        "E0021",
        "Shifts bind loosest of all operators, and what follows them is a static amount, so `&`, `|` and `^` \
         can't follow it. Put the shift into parentheses.

    y = x <<< 3 ^ z        # wrong
    y = (x <<< 3) ^ z      # right",
    ),
    (
        "E0022",
        "Old files write a shuffle of the bits of `x` as `x{3,2,1,0}`. Without `--compat usubac` it is \
         written like a call.

    y = Shuffle(x, [3,2,1,0])",
    ),
    (
        "E0023",
        "An option stands before something that it says nothing about. `_lsb` belongs before tables, `_instruction` before nodes, \
         `_unroll` and `_no_unroll` before loops, `_inline`, `_no_inline` and `_interleave(n)` before \
         definitions.",
    ),
    (
        "E0024",
        "`lazyLift`, `_no_opt`, `_pipelined` and `_safe_exit` are accepted so that old files compile. They \
         have no effect; delete them.",
    ),
    (
        "E0025",
        "Parentheses with nothing in them stand for no value: a tuple has at least one element. Calls of nodes without parameters \
         have no arguments: `f()`.",
    ),
    (
        "E0026",
        "Only variables can be indexed. Give the result of a call, or a tuple, a name of its own.

    y = f(x)[0]          # wrong
    t = f(x); y = t[0]   # right",
    ),
    (
        "E0027",
        "Brackets, `~` or loops are nested more than 256 levels deep. The compiler limits this so that no \
         input exhausts its stack. Name intermediate results in equations of their own.",
    ),
    (
        "E0028",
        "One expression has more than 1,000 operators, not counting those in other elements of a tuple. \
         Name intermediate results in equations of their own.",
    ),
    (
        "E0029",
        "After 50 errors the rest of the file is not read: what follows is rarely of use. Mend the first \
         errors and compile again.",
    ),
    (
        "E0030",
        "After 50 warnings no more are shown. The file is still read to its end. Mend the first warnings \
         and compile again.",
    ),
    (
        "E0031",
        "On the left of an equation stands what it defines: a variable, a selection of one, or several of \
         these between parentheses. Calls, numbers and operators can't be defined.

    (a, b[0..3]) = f(x)",
    ),
    (
        "E0032",
        "An equation is written with one `=`. `:=` makes a new version of a variable, and `^=`, `&=`, `|=`, \
         `+=`, `-=` and `*=` compute it from the old one.

    x == y      # wrong
    x = y       # right",
    ),
    (
        "E0033",
        "The header of a loop names an iterator and its first and last value. The loop counts down if the \
         last one is smaller.

    forall i in [0,3] { y[i] = x[i] }",
    ),
    (
        "E0034",
        "An array of nodes, tables or permutations is written `node[] F`, `table[] S`, `perm[] P`, as in all \
         published files. This language once had the brackets after the name; that is still read, and \
         `nakiri fmt` moves them.

    table S[] (x:v2) returns (y:v2) [ {0,1,2,3} ; {3,1,0,2} ]      # old
    table[] S (x:v2) returns (y:v2) [ {0,1,2,3} ; {3,1,0,2} ]      # right",
    ),
    (
        "E0036",
        "A loop over a stream stands in a `mode`, not in a `node`: a node takes and gives values of fixed size. A mode \
         has no registers.

    mode Sum (message:bytes) returns (sum:u32)
    vars s:u32
    let s = 0; forall word:u32 in pad(message, 0x80) { s := s + word; } sum = s; tel",
    ),
    (
        "E0037",
        "A word or sign of another language stands where Usuba has something else. A node is a system of equations between values \
         of fixed sizes: there are no statements, no jumps and no pointers, and neither time nor addresses depend on data.

    C                                   Usuba
    return a ^ b;                       y = a ^ b        # y is named after `returns`
    uint32_t t = a;                     t = a            # and `vars t:u32` before `let`
    if (c & 1) y = a; else y = b;       m = Bitmask(c, 0); y = (a & m) | (b & ~m)
    for (int i = 0; i < 4; i++) {...}   forall i in [0,3] { ... }
    a && b, a || b, !a                  a & b, a | b, ~a
    rotl(x, 3), x << 3, x <<= 3         x <<< 3, x << 3, x := x << 3
    S[x]                                S(x)             # a `table`, computed in constant time
    uint32_t f(uint32_t x) {...}        node f (x:u32) returns (y:u32) let ... tel

All of these are names as well: a variable may be called `if`.",
    ),
    (
        "E0038",
        "The results of a node, table, perm or mode stand after `returns`, in parentheses, each with a name and a type: the equations \
         define them by these names.

    node f (x:u16) -> u16                  # wrong
    node f (x:u16) returns (y:u16)         # right",
    ),
    (
        "E0039",
        "A field is the integers modulo a prime, which is made of numbers by `+`, `-`, `*` and `^`, here a power; or it has 2^n elements, \
         polynomials over GF(2) modulo one of degree n, which is a sum of powers of one variable. Its name is a type, and begins with \
         a capital letter.

    field F = 2^255 - 19
    field G = 2^8 by x^8 + x^4 + x^3 + x + 1
    node Square (x:u64[4]) returns (y:u64[4])
    vars e:F
    let e = F(x); y = number(e * e) tel",
    ),
];
