// ACE-AE-128 (Aagaard, AlTawy, Gong, Mandal, Rohit, NIST LWC round 2), a step of the ACE permutation a tick, with its phases:
// initialization, associated data, message, finalization.
//
// `start` takes key and nonce. Then, while `ready`, blocks are taken with `valid`: first those of the associated data, then
// with `message` those of the message. Byte i of a block is the bits 63-8·i to 56-8·i. A block of 8 bytes is followed by
// another of its kind; associated data that is not empty and the message, always, end with a block of 0 to 7. `out` is the
// answer to a block of the message in the tick in which it is taken. `done` says that `tag` is there; it stays until the
// next start.
module ace_ae128 (
    input  wire         clk,
    input  wire         rst,
    input  wire         start,
    input  wire         decrypt,
    input  wire [127:0] key,
    input  wire [127:0] nonce,
    input  wire         valid,
    input  wire         message,
    input  wire [3:0]   bytes,
    input  wire [63:0]  block,
    output wire         ready,
    output wire [63:0]  out,
    output wire [127:0] tag,
    output wire         done
);
    // Word A is the most significant: state[319:256].
    reg [319:0] state;
    reg [127:0] held_key;
    reg [3:0] number;
    // Permutations to come, the one at work included. The last two of three follow a half of the key each.
    reg [1:0] left;
    reg opening, open, finished;

    wire busy = left != 2'd0;
    assign ready = open & ~busy;
    assign done = finished & ~busy;
    wire take = ready & valid;
    wire finish = take & message & ~bytes[3];

    // The rate is the first half of each of A and C.
    wire [63:0] rate = {state[319:288], state[191:160]};
    assign tag = {state[319:256], state[191:128]};

    // What is added to the rate: the block's bytes, or in their place what makes the state the ciphertext; then a one.
    wire [63:0] answer = rate ^ block;
    wire [63:0] data = message & opening ? answer : block;
    wire [63:0] padded;
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : lanes
            wire given = i < bytes;
            wire padding = i == bytes;
            assign padded[63-8*i-:8] = given ? data[63-8*i-:8] : {padding, 7'd0};
            assign out[63-8*i-:8] = answer[63-8*i-:8] & {8{given}};
        end
    endgenerate

    wire begins = number == 4'd0;
    wire [63:0] key_half = left[0] ? held_key[63:0] : held_key[127:64];
    wire [63:0] absorbed = take ? padded : key_half & {64{begins & (left == 2'd1 | left == 2'd2)}};
    wire [319:0] entering = state ^ {
        absorbed[63:32], 32'd0,
        64'd0,
        absorbed[31:0], 32'd0,
        64'd0,
        // The domain.
        62'd0, {message, ~message} & {2{take}}
    };
    wire [319:0] leaving;
    ace_step step (.state(entering), .number(number), .next(leaving));

    always @(posedge clk) begin
        if (start) begin
            state <= {key[127:64], nonce[127:64], key[63:0], 64'd0, nonce[63:0]};
            held_key <= key;
            opening <= decrypt;
        end else if (take | busy) state <= leaving;

        if (rst) begin
            left <= 2'd0;
            number <= 4'd0;
            open <= 1'b0;
            finished <= 1'b0;
        end else if (start) begin
            left <= 2'd3;
            number <= 4'd0;
            open <= 1'b1;
            finished <= 1'b0;
        end else begin
            if (take | busy) number <= number + 4'd1;
            if (take) left <= finish ? 2'd3 : 2'd1;
            else if (number == 4'd15) left <= left - 2'd1;
            if (finish) begin
                open <= 1'b0;
                finished <= 1'b1;
            end
        end
    end
endmodule

// One of the 16 steps: boxes on A, C and E, their sums with B and D, the words in another order.
module ace_step (
    input  wire [319:0] state,
    input  wire [3:0]   number,
    output wire [319:0] next
);
    // The constants of the rounds in the boxes of A, C and E, then those of the steps.
    function [47:0] constants;
        input [3:0] number;
        case (number)
            4'd0: constants = 48'h075343_502814;
            4'd1: constants = 48'h0a5de4_5cae57;
            4'd2: constants = 48'h9b495e_914824;
            4'd3: constants = 48'he07fcc_8dc663;
            4'd4: constants = 48'hd1be32_53a954;
            4'd5: constants = 48'h1a1d4e_603018;
            4'd6: constants = 48'h222875_68349a;
            4'd7: constants = 48'hf76c25_e17038;
            4'd8: constants = 48'h6282fd_f67bbd;
            4'd9: constants = 48'h9647f9_9dce67;
            4'd10: constants = 48'h716b76_402010;
            4'd11: constants = 48'haa88a0_4f2713;
            4'd12: constants = 48'h2bdcb0_be5f2f;
            4'd13: constants = 48'he98b09_5badd6;
            4'd14: constants = 48'hcf591e_e974ba;
            4'd15: constants = 48'hb7c6ad_7f3f1f;
        endcase
    endfunction

    wire [47:0] constant = constants(number);
    wire [63:0] a, c, e;
    simeck_box box_a (.in(state[319:256]), .constants(constant[47:40]), .out(a));
    simeck_box box_c (.in(state[191:128]), .constants(constant[39:32]), .out(c));
    simeck_box box_e (.in(state[63:0]), .constants(constant[31:24]), .out(e));

    wire [55:0] ones = {56{1'b1}};
    wire [63:0] b = state[255:192] ^ c ^ {ones, constant[23:16]};
    wire [63:0] d = state[127:64] ^ e ^ {ones, constant[15:8]};
    assign next = {d, c, a, e ^ a ^ {ones, constant[7:0]}, b};
endmodule

// Eight rounds of Simeck with a block of 64 bits, whose constants are the bits of a byte, the least significant first.
module simeck_box (
    input  wire [63:0] in,
    input  wire [7:0]  constants,
    output wire [63:0] out
);
    wire [63:0] words [0:8];
    assign words[0] = in;
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : rounds
            wire [31:0] x = words[i][63:32];
            wire [31:0] fed = (x & {x[26:0], x[31:27]}) ^ {x[30:0], x[31]};
            assign words[i+1] = {fed ^ words[i][31:0] ^ {{31{1'b1}}, constants[i]}, x};
        end
    endgenerate
    assign out = words[8];
endmodule
