//! What `nakiri explain` says about each error code of hardware.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0510",
        "A module has an instance of something that no file defines, or a netlist a cell that is neither a gate nor a \
         flip-flop. Name every file of the design:

    nakiri build top.v sbox.v --top top --target avx2

What only a vendor's library defines (block RAMs, clock managers) can't be compiled; write a model of it in Verilog.",
    ),
    (
        "E0511",
        "A latch is transparent while its enable is on, so it has no value per tick. Mostly it is one by accident: a \
         combinational block that doesn't assign a variable on every way through it keeps the old value.

    always @(*) if (a) y = b;            // a latch: nothing is said for a = 0
    always @(*) y = a ? b : 1'b0;        // logic",
    ),
    (
        "E0512",
        "An inout port or a tri-state driver is a wire with several drivers that take turns. A step function has inputs and \
         outputs. Make an input, an output and an enable of an inout, and a multiplexer of a bus.",
    ),
    (
        "E0513",
        "Two drivers of one net: two `assign`s, two `always` blocks that assign one variable, an input that is assigned, or \
         two instances whose outputs are connected. What the net carries is not defined if they differ.",
    ),
    (
        "E0514",
        "Something reads a net that nothing drives. In a simulation it would be `x` for ever. Assign it, or connect the \
         output that was meant to drive it; Verilog declares a misspelt name as a new wire without a word (put \
         `` `default_nettype none`` first). Where the source is not yours, or what is left open doesn't matter, `--undriven 0` takes \
         all such nets for 0, as synthesizers do, and warns of them.",
    ),
    (
        "E0515",
        "Gates in a circle without a register between them: a net depends on itself within one tick. A synthesizer can't \
         know that such a loop settles, and a program can't be ordered. Loops over bits of one variable count too, if they \
         are real for each bit.",
    ),
    (
        "E0516",
        "The registers of the module are clocked by several inputs, and `--clock` doesn't say what all of these do. A call of \
         the step function is one tick. If each tick is an edge of all of these clocks, name them with a comma between; if \
         they run at different speeds, name them instant after instant, with a semicolon between:

    nakiri build design.v --top top --clock clk_a,clk_b
    nakiri build design.v --top top --clock 'fast,slow;fast'

With the second a tick has two edges of `fast` and one of `slow`, together with the first of these. At each instant the \
         logic sees the registers as the instant before left them and the inputs of the tick, and the registers of the clocks \
         that are named take their next values, all at once. The outputs are those before the first instant.",
    ),
    (
        "E0517",
        "A clock that is made inside the module (gated or divided), or one that is read as data. Clock all registers by the \
         input itself, and let an enable say at which ticks they act:

    always @(posedge clk) if (enable) q <= d;",
    ),
    (
        "E0518",
        "Some registers act at the rising edge of a clock, and some at the falling one. `--clock` says in which order they are \
         in a tick; `!` stands before the clock that falls:

    nakiri build design.v --top top --clock 'clk;!clk'",
    ),
    (
        "E0519",
        "`--clock` or `--reset` names something that is no input of the module, or a clock that clocks nothing. A clock that \
         is the only one is found without the flag; it is needed where there are several, or where both edges of one act.",
    ),
    (
        "E0520",
        "A port without bits, or a module without outputs: there is nothing to compute. Testbenches have no ports; name the \
         module that they test with `--top`.",
    ),
    (
        "E0521",
        "`--reset` names an input that resets nothing: with everything else unknown, no more registers become known at one of \
         its levels than at the other. Leave the flag out: then the input is one like others, in every lane of its own. \
         With it, NAME_reset puts the registers to the values that the module's reset gives them, and the input is gone.",
    ),
    (
        "E0522",
        "Two inputs or two outputs have names that differ only in characters that C's names don't have. Rename one.",
    ),
    (
        "E0523",
        "A file of BLIF can't be read. It holds one flat model: `.inputs`, `.outputs`, tables (`.names`), flip-flops (`.latch`) \
         and Yosys' gates (`.gate` or `.subckt` with `$_AND_` and so on). The netlist in JSON tells more, because it \
         remembers the places of the source:

    yosys -p 'read_verilog design.v; synth -flatten -top top; write_json design.json'",
    ),
    (
        "E0524",
        "What `--clock` says can't be what clocks do. Instants are separated by `;`, and at each one clock at least has an edge; \
         clocks whose edges are at the same instant are separated by `,`. No clock has two edges at one instant. If registers \
         act at both edges of a clock, it has to rise and fall in turn, from a tick to the next one as well: a fall that is not \
         named would be one at which they don't act.

    --clock 'clk;!clk'
    --clock 'fast,slow;!fast;fast;!fast'

With many instants a large design is too large: its cells count once for each of them.",
    ),
    (
        "E0525",
        "A memory becomes registers, with one clock for all of them. This one is written at edges of several clocks, at both \
         edges of one, or whenever an enable is on. Let one clock write it, and choose what is written where:

    always @(posedge clk) if (write) memory[address] <= data;",
    ),
    (
        "E0526",
        "An operator that synthesis makes no gates of, or a netlist that still has cells of words. Of `**` one side has to be a \
         constant: `a ** 3` is two multiplications and `2 ** n` a shift, but `3 ** n` is a table or a loop that the source has to say. \
         A netlist is read when it consists of gates and flip-flops of one bit:

    yosys -p 'read_verilog design.v; synth -flatten -top top; write_json design.json'",
    ),
];
