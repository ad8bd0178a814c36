// GIFT-COFB (Banik et al., GIFT-COFB v1.1, NIST LWC finalist), a round of GIFT-128 a tick, with its phases: nonce,
// associated data, message, tag.
//
// `start` takes key and nonce. Then, while `ready`, blocks are taken with `valid`: first those of the associated data, at
// least one, which has 0 bytes if there is none; then with `message` those of the message, of which there are none if
// there is no message. `last` marks the last block of its kind, `closing` the very last. Byte i of a block is the bits
// 127-8·i to 120-8·i. `out` is the answer to a block of the message in the tick in which it is taken. `done` says that
// `tag` is there; it stays until the next start.
module gift_cofb (
    input  wire         clk,
    input  wire         rst,
    input  wire         start,
    input  wire         decrypt,
    input  wire [127:0] key,
    input  wire [127:0] nonce,
    input  wire         valid,
    input  wire         message,
    input  wire         last,
    input  wire         closing,
    input  wire [4:0]   bytes,
    input  wire [127:0] block,
    output wire         ready,
    output wire [127:0] out,
    output wire [127:0] tag,
    output wire         done
);
    reg [127:0] state, held_key, round_key;
    reg [63:0] mask;
    reg [5:0] constant;
    reg busy, opening, open, fresh;

    assign ready = open & ~busy;
    assign done = ~open & ~busy;
    assign tag = state;
    wire take = ready & valid;

    // The mask: multiplications by 2 and 3 modulo x^64 + x^4 + x^3 + x + 1.
    function [63:0] doubled;
        input [63:0] x;
        doubled = {x[62:0], 1'b0} ^ {59'd0, x[63], x[63], 1'b0, x[63], x[63]};
    endfunction
    function [63:0] tripled;
        input [63:0] x;
        tripled = doubled(x) ^ x;
    endfunction

    wire whole = bytes[4];
    wire [63:0] earlier = fresh ? state[127:64] : mask;
    wire [63:0] once = last ? tripled(earlier) : doubled(earlier);
    wire [63:0] twice = last & ~whole ? tripled(once) : once;
    // Nothing follows the associated data.
    wire [63:0] mask_now = closing & ~message ? tripled(tripled(twice)) : twice;

    // The block, what the receiver makes of it, and its padding.
    wire [127:0] answer = block ^ state;
    wire [127:0] plain = message & opening ? answer : block;
    wire [127:0] padded;
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : lanes
            wire given = i < bytes;
            wire padding = i == bytes;
            assign padded[127-8*i-:8] = given ? plain[127-8*i-:8] : {padding, 7'd0};
            assign out[127-8*i-:8] = answer[127-8*i-:8] & {8{given}};
        end
    endgenerate

    wire [127:0] fed = {state[63:0], state[126:64], state[127]};
    wire [127:0] entering = padded ^ fed ^ {mask_now, 64'd0};

    wire [5:0] stepped = {constant[4:0], ~(constant[5] ^ constant[4])};
    wire last_round = stepped == 6'h1a;
    wire [127:0] next;
    gift_round round (.state(state), .round_key(round_key), .constant(stepped), .next(next));

    always @(posedge clk) begin
        if (start) begin
            state <= nonce;
            held_key <= key;
            opening <= decrypt;
        end else if (busy) state <= next;
        else if (take) state <= entering;

        if (start) round_key <= key;
        else if (busy)
            round_key <= {round_key[17:16], round_key[31:18], round_key[11:0], round_key[15:12],
                          round_key[127:32]};
        else round_key <= held_key;

        if (take) mask <= mask_now;
        constant <= busy ? stepped : 6'd0;

        if (rst) begin
            busy <= 1'b0;
            open <= 1'b0;
        end else if (start) begin
            busy <= 1'b1;
            open <= 1'b1;
            fresh <= 1'b1;
        end else if (take) begin
            busy <= 1'b1;
            open <= ~closing;
            fresh <= 1'b0;
        end else if (busy) busy <= ~last_round;
    end
endmodule

// A round of GIFT-128 on four words of 32 bits, the first the most significant: bit i of each is nibble i of the cipher.
module gift_round (
    input  wire [127:0] state,
    input  wire [127:0] round_key,
    input  wire [5:0]   constant,
    output wire [127:0] next
);
    wire [31:0] s0 = state[127:96], s1 = state[95:64], s2 = state[63:32], s3 = state[31:0];

    wire [31:0] t1 = s1 ^ (s0 & s2);
    wire [31:0] t0 = s0 ^ (t1 & s3);
    wire [31:0] t2 = s2 ^ (t0 | t1);
    wire [31:0] t3 = s3 ^ t2;
    wire [31:0] u1 = t1 ^ t3;
    wire [31:0] u3 = ~t3;
    wire [31:0] u2 = t2 ^ (t0 & u1);

    // The words after the S-box, in the order in which the cipher numbers their bits.
    wire [31:0] cells [0:3];
    assign cells[0] = u3;
    assign cells[1] = u1;
    assign cells[2] = u2;
    assign cells[3] = t0;

    wire [31:0] permuted [0:3];
    genvar i, j;
    generate
        for (j = 0; j < 4; j = j + 1) begin : words
            for (i = 0; i < 32; i = i + 1) begin : bits
                localparam PLACE = 4 * i + j;
                localparam TO = 4 * (PLACE / 16)
                              + 32 * ((3 * ((PLACE % 16) / 4) + (PLACE % 4)) % 4) + (PLACE % 4);
                assign permuted[j][TO/4] = cells[j][i];
            end
        end
    endgenerate

    assign next = {
        permuted[0],
        permuted[1] ^ round_key[31:0],
        permuted[2] ^ round_key[95:64],
        permuted[3] ^ {1'b1, 25'd0, constant}
    };
endmodule
