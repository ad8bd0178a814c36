// Ascon-AEAD128 (NIST SP 800-232), a round a tick, with its phases: initialization, associated data, message, tag.
//
// `start` takes key and nonce. Then, while `ready`, blocks are taken with `valid`: first those of the associated data, then
// with `message` those of the message. Byte i of a block is the bits 8·i+7 to 8·i, as in the standard. A block of 16
// bytes is followed by another of its kind; associated data that is not empty and the message, always, end with a block
// of 0 to 15. `out` is the answer to a block of the message in the tick in which it is taken. `done` says that `tag` is
// there; it stays until the next start.
module ascon_aead128 (
    input  wire         clk,
    input  wire         rst,
    input  wire         start,
    input  wire         decrypt,
    input  wire [127:0] key,
    input  wire [127:0] nonce,
    input  wire         valid,
    input  wire         message,
    input  wire [4:0]   bytes,
    input  wire [127:0] block,
    output wire         ready,
    output wire [127:0] out,
    output wire [127:0] tag,
    output wire         done
);
    localparam [63:0] IV = 64'h00001000808c0001;
    // Rounds are counted so that each permutation ends before this one.
    localparam [3:0] IDLE = 4'd12;

    localparam [1:0] NONE = 2'd0, FRESH = 2'd1, DATA = 2'd2, MESSAGE = 2'd3;

    // Word 0 is the most significant: s0 = state[319:256].
    reg [319:0] state;
    reg [127:0] held_key;
    reg [3:0] round;
    // What was taken last: nothing, key and nonce, associated data, message.
    reg [1:0] phase;
    reg opening, finished;

    wire idle = round == IDLE;
    assign ready = idle & (phase != NONE) & ~finished;
    assign done = idle & finished;

    wire take = ready & valid;
    wire last = ~bytes[4];
    wire separate = take & message & (phase != MESSAGE);
    wire finish = take & message & last;

    // The first 16 bytes of the state, and key in the order of words.
    wire [127:0] rate = {state[255:192], state[319:256]};
    wire [127:0] key_words = {held_key[63:0], held_key[127:64]};

    // What is added to the rate: the block's bytes, or in their place what makes the state the ciphertext; then a one.
    wire [127:0] answer = rate ^ block;
    wire [127:0] data = message & opening ? answer : block;
    wire [127:0] absorbed, shown;
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : lanes
            wire given = i < bytes;
            wire padding = i == bytes;
            assign absorbed[8*i+:8] = take ? given ? data[8*i+:8] : {7'd0, padding} : 8'd0;
            assign shown[8*i+:8] = answer[8*i+:8] & {8{given}};
        end
    endgenerate
    assign out = shown;
    assign tag = {state[63:0], state[127:64]} ^ held_key;

    wire [319:0] entering = state ^ {
        absorbed[63:0],
        absorbed[127:64],
        key_words & {128{finish}},
        64'd0
    } ^ {
        192'd0,
        key_words & {128{take & phase == FRESH}}
    } ^ {256'd0, separate, 63'd0};

    wire [3:0] number = take ? (finish ? 4'd0 : 4'd4) : round;
    // The tail of associated data and the whole blocks are followed by 8 rounds, the tail of the message by 12.
    wire [319:0] leaving;
    ascon_round step (.state(entering), .constant({~number, number}), .next(leaving));

    always @(posedge clk) begin
        if (start) begin
            state <= {IV, key[63:0], key[127:64], nonce[63:0], nonce[127:64]};
            held_key <= key;
            opening <= decrypt;
        end else if (take | ~idle) state <= leaving;

        if (rst) begin
            round <= IDLE;
            phase <= NONE;
            finished <= 1'b0;
        end else if (start) begin
            round <= 4'd0;
            phase <= FRESH;
            finished <= 1'b0;
        end else begin
            if (take | ~idle) round <= number + 4'd1;
            if (take) phase <= message ? MESSAGE : DATA;
            if (finish) finished <= 1'b1;
        end
    end
endmodule

// One round: constant addition, the S-box on each of 64 columns, the linear layer.
module ascon_round (
    input  wire [319:0] state,
    input  wire [7:0]   constant,
    output wire [319:0] next
);
    function [63:0] rotated;
        input [63:0] x;
        input integer by;
        rotated = (x >> by) | (x << (64 - by));
    endfunction

    wire [63:0] s0 = state[319:256], s1 = state[255:192], s2 = state[191:128];
    wire [63:0] s3 = state[127:64], s4 = state[63:0];

    wire [63:0] a0 = s0 ^ s4;
    wire [63:0] a2 = s2 ^ s1 ^ {56'd0, constant};
    wire [63:0] a4 = s4 ^ s3;
    wire [63:0] b0 = a0 ^ (~s1 & a2);
    wire [63:0] b1 = s1 ^ (~a2 & s3);
    wire [63:0] b2 = a2 ^ (~s3 & a4);
    wire [63:0] b3 = s3 ^ (~a4 & a0);
    wire [63:0] b4 = a4 ^ (~a0 & s1);
    wire [63:0] c0 = b0 ^ b4;
    wire [63:0] c1 = b1 ^ b0;
    wire [63:0] c2 = ~b2;
    wire [63:0] c3 = b3 ^ b2;

    assign next = {
        c0 ^ rotated(c0, 19) ^ rotated(c0, 28),
        c1 ^ rotated(c1, 61) ^ rotated(c1, 39),
        c2 ^ rotated(c2, 1) ^ rotated(c2, 6),
        c3 ^ rotated(c3, 10) ^ rotated(c3, 17),
        b4 ^ rotated(b4, 7) ^ rotated(b4, 41)
    };
endmodule
