//! What `nakiri explain` says about each error code of the command itself.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0401",
        "A file is not UTF-8. Sources, manifests and vectors are UTF-8 text; the message names the first byte that is \
         not. Older editors save accented letters in Latin-1: save the file as UTF-8, or convert it:

    iconv -f latin1 -t utf-8 old.ua > new.ua",
    ),
    (
        "E0402",
        "A cipher.toml does not say what it must. It holds `name`, `title`, `specification`, `source` and `slicing` \
         (\"B\", \"V\", \"H\" or \"P\"; legal on one target at least), may hold `status` (\"standard\", \"published\", \"legacy\", \
         \"broken\" or \"example\") and `security`, a text, and holds for each size of key an `[[instance]]`:

    [[instance]]
    prefix = \"aes128\"                            # how its C functions begin
    key = { bytes = 16, schedule = \"KeySchedule\" }  # without a schedule the key itself is the context
    encrypt = \"Encrypt\"                          # nodes of the source; a permutation has `permute` instead
    decrypt = \"Decrypt\"                          # may be left out
    modes = [\"ecb\", \"ctr\"]                       # may be left out
    counter = { offset = 0, bytes = 16, order = \"be\" }  # with \"ctr\"
    multikey = true                              # functions with a key for each lane, as by --multikey

    [[instance]]
    prefix = \"counter\"
    step = \"Counter\"                             # a node with registers, alone in its instance
    run = \"start=1; start=0 until done\"           # may be left out; with it all ticks in one call, see E0530
    shared = \"start\"                             # may be left out, or in place of `run`: inputs that are the same in all lanes, see E0537
    handshake = { start = \"load\", done = \"done\" } # may be left out: a queue of jobs, see E0408

    [[instance]]
    prefix = \"sha256\"
    mode = \"Sha256\"                              # a mode, which takes whole messages, alone in its instance

Nothing else may stand in it; the book's chapter \"A cipher's folder\" has all keys. The nodes that it names have no `nat` parameters and fixed word sizes.",
    ),
    (
        "E0403",
        "A vectors.toml does not say what it must. It holds blocks, and messages in CTR; bytes are hexadecimal digits, two \
         a byte:

    [[block]]
    instance = \"aes128\"                          # a prefix of cipher.toml
    key = \"2b7e151628aed2a6abf7158809cf4f3c\"     # not for a permutation
    plain = \"3243f6a8885a308d313198a2e0370734\"
    cipher = \"3925841d02dc09fbdc118597196a0b32\"
    origin = \"FIPS 197, Appendix B\"              # where the vector was published

    [[ctr]]                                      # has `counter` besides, and texts of any length

    [[ticks]]
    instance = \"counter\"                         # one with a `step`
    run = [                                      # from a reset; all parameters in one, and all results of each tick
      { in = \"07\", ticks = 3 },
      { in = \"07\", ticks = 2, out = \"0304\" },
    ]
    origin = \"counted by hand\"

    [[message]]
    instance = \"sha256\"                          # one with a `mode`
    in = \"616263\"                                # the message; `repeat` times, if that is given
    out = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"
    origin = \"FIPS 180-2, appendix B.1\"

    [[message]]
    instance = \"ascon_aead128\"
    inputs = \"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"   # key and nonce
    streams = [\"30\", \"\"]                       # each stream that it takes
    out = \"cccb674fe18a09a285d6ab11b35675c0\"     # the stream that it gives, and its results
    origin = \"ascon-c, LWC_AEAD_KAT_128_128.txt, count 2\"

Key, texts and counter have the sizes that the nodes' parameters have in memory.",
    ),
    (
        "E0404",
        "The nodes do not compute a vector of vectors.toml, so nothing is built. Either a node is wrong, or the layout of a \
         parameter (`@le`, `@be`, `@planes`, a `perm`) is not that of the specification, or the vector was mistyped. \
         `nakiri run --entry NODE` shows what a single node computes.",
    ),
    (
        "E0405",
        "Yosys, which reads Verilog for us, refuses the source; the message is Yosys' own. It takes synthesizable Verilog-2005 \
         and the part of SystemVerilog that `read_verilog -sv` knows: no `real`, no unbounded loops, no classes or packages \
         with functions of time. If another tool takes the source, convert it first (sv2v), or synthesize it yourself and \
         give the netlist:

    yosys -p 'read_verilog design.v; synth -flatten -top top; write_json design.json'
    nakiri build design.json --target avx2",
    ),
    (
        "E0406",
        "A statement begins with a delay. Yosys would leave the delay out without a word, and the program would do something \
         else than the simulation. Delays of assignments, `q <= #1 d`, mean nothing to hardware and may stay. Clocks and \
         stimuli belong into a testbench; what has to wait in hardware counts ticks:

    always @(posedge clk) count <= done ? 0 : count + 1;",
    ),
    (
        "E0407",
        "The memories of a module have too many bits. Every word of every lane is kept in registers, and a read looks at all \
         of them, because an address is data and must not decide which memory is touched. Keep a large memory outside: give \
         the module ports for address and data, as a memory controller has.",
    ),
    (
        "E0408",
        "The ports that say how a step function works off jobs do not fit. Each is one bit, and each is named by a flag of \
         `nakiri build`, or in the `handshake` of an instance in cipher.toml:

    nakiri build core.v --reset rst --start load --done done             # all inputs at the start, all outputs at the end
    nakiri build core.v --reset rst --valid in_valid --ready in_ready    # words, one after another
    handshake = { start = \"load\", done = \"done\" }

`start` and `valid` are inputs, `done`, `ready` and `out-valid` outputs. Something must say when a job ends: `done`, or \
`valid` and the last word. The reset that `--reset` names is no input any more.",
    ),
    (
        "E0409",
        "Synthesis would make more gates of the design than can be compiled: 1,048,576. Every gate of a tick becomes an \
         instruction, and C compilers give up long before. Mostly a parameter is too large, or a loop in a `generate` runs \
         where a register should count. Name a smaller module with `--top`, or give the large part ports.",
    ),
    (
        "E0410",
        "No target has what the program asks for in any slicing, so that it can't be built. The help says what is the \
         nearest way. Mostly it computes sums of words of 13 bits, say, which no instruction has: under -B, `--soft-arith` builds \
         them from gates. Or it works for any word size, and no size fits all that it \
         does.

    nakiri check FILE --soft-arith
    nakiri build FILE -B --soft-arith",
    ),
    (
        "E0411",
        "A function of a library takes blocks and gives blocks. A node without a result gives none; one whose parameters \
         are all `const` computes one value, which is no function of blocks, unless it has registers.",
    ),
    (
        "E0420",
        "A variable is assigned by `<=` and by `=` in one block:

    always @(posedge clk) begin
      y <= x;
      y = ~x;
    end

In a simulation the `=` acts at once and the `<=` at the end of the tick, so that y becomes x. Yosys takes the two for one kind, \
         so that the last one counts and y becomes ~x; so does what is compiled. Assign a variable in one way: registers by \
         `<=`, what is used in the same tick by `=`.",
    ),
    (
        "E0430",
        "A function or task calls itself, and what decides how often is data. Synthesis makes a copy of a function for each call of \
         it, so that this would be hardware without end. A constant may decide it, since its calls are counted when the design is \
         read:

    function automatic [7:0] power(input [7:0] v, input integer n);
      if (n == 0) power = 8'd1;
      else power = times(v, power(v, n - 1));
    endfunction
    assign y = power(a, 254);

It has to be tested by `if` or `case`: of `?` both sides are copied. Otherwise write a loop with a constant number of turns, in which data decides what each turn does.",
    ),
    (
        "E0431",
        "`--param` names a parameter that the module doesn't have. It overrides those of the module that is compiled, as its \
         instance would; a number is written as in Verilog, and any other text is a string:

    nakiri build fifo.v --top fifo --param DEPTH=16 --param INIT=8'hff
    nakiri build ram.v --top ram --param FILE=program.hex

A `localparam` can't be overridden. Macros are defined by `-D`.",
    ),
    (
        "E0432",
        "The file is VHDL, which Nakiri doesn't read. GHDL (https://ghdl.github.io/ghdl) does; with its plug-in for Yosys it gives the \
         netlist, which is read in place of sources:

    ghdl -a --std=08 package.vhd core.vhd
    yosys -m ghdl -p 'ghdl --std=08 core; synth -flatten -top core; write_json core.json'
    nakiri build core.json --target avx2

Without the plug-in GHDL writes Verilog, which Nakiri reads:

    ghdl --synth --std=08 --out=verilog core > core.v
    nakiri build core.v --top core --target avx2",
    ),
    (
        "E0433",
        "A process has an asynchronous reset, but its first condition is not that reset alone. What stands in the list of events acts \
         at once; data beside it acts at the edge of the clock, and no flip-flop does both by one input. Synthesizers take this form:

    always @(posedge clk or negedge rst_n)
      if (!rst_n) q <= 0;
      else if (clear) q <= 0;
      else q <= d;",
    ),
];
