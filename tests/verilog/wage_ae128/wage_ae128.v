// WAGE-AE-128 (Aagaard, AlTawy, Gong, Mandal, Rohit, Zidaric, NIST LWC round 2), a round of the WAGE permutation a tick, with
// its phases: initialization, associated data, message, finalization.
//
// `start` takes key and nonce. Then, while `ready`, blocks are taken with `valid`: first those of the associated data, then
// with `message` those of the message. Byte i of a block is the bits 63-8·i to 56-8·i. A block of 8 bytes is followed by
// another of its kind; associated data that is not empty and the message, always, end with a block of 0 to 7. `out` is the
// answer to a block of the message in the tick in which it is taken. `done` says that `tag` is there; it stays until the
// next start.
module wage_ae128 (
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
    // The constants are seven bits in a row of a sequence of period 127. A round takes two bits, so that those of round 111
    // come in none before it.
    localparam [6:0] FIRST = 7'h7f, LAST = 7'h0d;

    // Stage j of the shift register is the bits 7·j+6 to 7·j, the coefficient of 1 the most significant.
    reg [258:0] state;
    reg [127:0] held_key;
    reg [6:0] constant;
    // Permutations to come, the one at work included. The last two of three follow a half of the key each.
    reg [1:0] left;
    reg opening, open, finished;

    wire busy = left != 2'd0;
    assign ready = open & ~busy;
    assign done = finished & ~busy;
    wire take = ready & valid;
    wire finish = take & message & ~bytes[3];

    // The rate is nine stages and a bit.
    wire [63:0] rate = {
        state[7*8+:7], state[7*9+:7], state[7*15+:7], state[7*16+:7], state[7*18+:7],
        state[7*27+:7], state[7*28+:7], state[7*34+:7], state[7*35+:7], state[258]
    };

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

    wire begins = constant == FIRST;
    wire [63:0] key_half = left[0] ? held_key[63:0] : held_key[127:64];
    wire [63:0] absorbed = take ? padded : key_half & {64{begins & (left == 2'd1 | left == 2'd2)}};
    wire [258:0] entering = state ^ {
        absorbed[0], 6'd0, absorbed[7:1], absorbed[14:8],
        35'd0,
        absorbed[21:15], absorbed[28:22],
        56'd0,
        absorbed[35:29],
        7'd0,
        absorbed[42:36], absorbed[49:43],
        35'd0,
        absorbed[56:50], absorbed[63:57],
        49'd0,
        // The domain, in stage 0.
        {~message, message} & {2{take}}, 5'd0
    };

    // Key and nonce are groups of seven bits: even groups of the key are the first nine stages, odd ones of the nonce the
    // next; then what is left of both, and the other groups. Groups 15 and 17 of the nonce change places.
    function [6:0] group;
        input [127:0] x;
        input integer number;
        group = x >> (121 - 7 * number - number / 9);
    endfunction
    wire [258:0] loaded;
    assign loaded[7*18+:7] = {key[64], key[0], nonce[64], nonce[0], 3'd0};
    generate
        for (i = 0; i < 9; i = i + 1) begin : loading
            localparam PLACE = i == 7 ? 8 : i == 8 ? 7 : i;
            assign loaded[7*i+:7] = group(key, 2 * i);
            assign loaded[7*(9+PLACE)+:7] = group(nonce, 2 * i + 1);
            assign loaded[7*(19+i)+:7] = group(key, 2 * i + 1);
            assign loaded[7*(28+i)+:7] = group(nonce, 2 * i);
        end
    endgenerate

    // The tag is groups of seven bits one after another, with no regard for its halves, and two bits.
    wire [125:0] groups;
    generate
        for (i = 0; i < 9; i = i + 1) begin : extracting
            assign groups[125-14*i-:7] = state[7*(28+i)+:7];
            assign groups[118-14*i-:7] = state[7*(9+i)+:7];
        end
    endgenerate
    assign tag = {groups, state[7*18+4:7*18+3]};

    // The sequence of constants: x^7 + x + 1.
    function [6:0] stepped;
        input [6:0] x;
        stepped = {x[1] ^ x[0], x[6:1]};
    endfunction
    wire [6:0] second = stepped(constant);
    wire [258:0] leaving;
    wage_round round (
        .state(entering), .constant_0(constant), .constant_1(second), .next(leaving)
    );

    wire ends = constant == LAST;

    always @(posedge clk) begin
        if (start) begin
            state <= loaded;
            held_key <= key;
            opening <= decrypt;
        end else if (take | busy) state <= leaving;

        if (rst) begin
            left <= 2'd0;
            constant <= FIRST;
            open <= 1'b0;
            finished <= 1'b0;
        end else if (start) begin
            left <= 2'd3;
            constant <= FIRST;
            open <= 1'b1;
            finished <= 1'b0;
        end else begin
            if (take | busy) constant <= ends ? FIRST : stepped(second);
            if (take) left <= finish ? 2'd3 : 2'd1;
            else if (ends) left <= left - 2'd1;
            if (finish) begin
                open <= 1'b0;
                finished <= 1'b1;
            end
        end
    end
endmodule

// One of the 111 rounds, over the field GF(2^7) with x^7 + x^3 + x^2 + x + 1.
module wage_round (
    input  wire [258:0] state,
    input  wire [6:0]   constant_0,
    input  wire [6:0]   constant_1,
    output wire [258:0] next
);
    // The Welch-Gong permutation y + (y+1)^33 + (y+1)^39 + (y+1)^41 + (y+1)^104 of y = x^13.
    function [6:0] permuted;
        input [6:0] x;
        case (x)
            7'h00: permuted = 7'h00; 7'h01: permuted = 7'h12; 7'h02: permuted = 7'h0a; 7'h03: permuted = 7'h4b;
            7'h04: permuted = 7'h66; 7'h05: permuted = 7'h0c; 7'h06: permuted = 7'h48; 7'h07: permuted = 7'h73;
            7'h08: permuted = 7'h79; 7'h09: permuted = 7'h3e; 7'h0a: permuted = 7'h61; 7'h0b: permuted = 7'h51;
            7'h0c: permuted = 7'h01; 7'h0d: permuted = 7'h15; 7'h0e: permuted = 7'h17; 7'h0f: permuted = 7'h0e;
            7'h10: permuted = 7'h7e; 7'h11: permuted = 7'h33; 7'h12: permuted = 7'h68; 7'h13: permuted = 7'h36;
            7'h14: permuted = 7'h42; 7'h15: permuted = 7'h35; 7'h16: permuted = 7'h37; 7'h17: permuted = 7'h5e;
            7'h18: permuted = 7'h53; 7'h19: permuted = 7'h4c; 7'h1a: permuted = 7'h3f; 7'h1b: permuted = 7'h54;
            7'h1c: permuted = 7'h58; 7'h1d: permuted = 7'h6e; 7'h1e: permuted = 7'h56; 7'h1f: permuted = 7'h2a;
            7'h20: permuted = 7'h1d; 7'h21: permuted = 7'h25; 7'h22: permuted = 7'h6d; 7'h23: permuted = 7'h65;
            7'h24: permuted = 7'h5b; 7'h25: permuted = 7'h71; 7'h26: permuted = 7'h2f; 7'h27: permuted = 7'h20;
            7'h28: permuted = 7'h06; 7'h29: permuted = 7'h18; 7'h2a: permuted = 7'h29; 7'h2b: permuted = 7'h3a;
            7'h2c: permuted = 7'h0d; 7'h2d: permuted = 7'h7a; 7'h2e: permuted = 7'h6c; 7'h2f: permuted = 7'h1b;
            7'h30: permuted = 7'h19; 7'h31: permuted = 7'h43; 7'h32: permuted = 7'h70; 7'h33: permuted = 7'h41;
            7'h34: permuted = 7'h49; 7'h35: permuted = 7'h22; 7'h36: permuted = 7'h77; 7'h37: permuted = 7'h60;
            7'h38: permuted = 7'h4f; 7'h39: permuted = 7'h45; 7'h3a: permuted = 7'h55; 7'h3b: permuted = 7'h02;
            7'h3c: permuted = 7'h63; 7'h3d: permuted = 7'h47; 7'h3e: permuted = 7'h75; 7'h3f: permuted = 7'h2d;
            7'h40: permuted = 7'h40; 7'h41: permuted = 7'h46; 7'h42: permuted = 7'h7d; 7'h43: permuted = 7'h5c;
            7'h44: permuted = 7'h7c; 7'h45: permuted = 7'h59; 7'h46: permuted = 7'h26; 7'h47: permuted = 7'h0b;
            7'h48: permuted = 7'h09; 7'h49: permuted = 7'h03; 7'h4a: permuted = 7'h57; 7'h4b: permuted = 7'h5d;
            7'h4c: permuted = 7'h27; 7'h4d: permuted = 7'h78; 7'h4e: permuted = 7'h30; 7'h4f: permuted = 7'h2e;
            7'h50: permuted = 7'h44; 7'h51: permuted = 7'h52; 7'h52: permuted = 7'h3b; 7'h53: permuted = 7'h08;
            7'h54: permuted = 7'h67; 7'h55: permuted = 7'h2c; 7'h56: permuted = 7'h05; 7'h57: permuted = 7'h6b;
            7'h58: permuted = 7'h2b; 7'h59: permuted = 7'h1a; 7'h5a: permuted = 7'h21; 7'h5b: permuted = 7'h38;
            7'h5c: permuted = 7'h07; 7'h5d: permuted = 7'h0f; 7'h5e: permuted = 7'h4a; 7'h5f: permuted = 7'h11;
            7'h60: permuted = 7'h50; 7'h61: permuted = 7'h6a; 7'h62: permuted = 7'h28; 7'h63: permuted = 7'h31;
            7'h64: permuted = 7'h10; 7'h65: permuted = 7'h4d; 7'h66: permuted = 7'h5f; 7'h67: permuted = 7'h72;
            7'h68: permuted = 7'h39; 7'h69: permuted = 7'h16; 7'h6a: permuted = 7'h5a; 7'h6b: permuted = 7'h13;
            7'h6c: permuted = 7'h04; 7'h6d: permuted = 7'h3c; 7'h6e: permuted = 7'h34; 7'h6f: permuted = 7'h1f;
            7'h70: permuted = 7'h76; 7'h71: permuted = 7'h1e; 7'h72: permuted = 7'h14; 7'h73: permuted = 7'h23;
            7'h74: permuted = 7'h1c; 7'h75: permuted = 7'h32; 7'h76: permuted = 7'h4e; 7'h77: permuted = 7'h7b;
            7'h78: permuted = 7'h24; 7'h79: permuted = 7'h74; 7'h7a: permuted = 7'h7f; 7'h7b: permuted = 7'h3d;
            7'h7c: permuted = 7'h69; 7'h7d: permuted = 7'h64; 7'h7e: permuted = 7'h62; 7'h7f: permuted = 7'h6f;
        endcase
    endfunction

    // The S-box SB: bits of a word are numbered from the most significant.
    function [6:0] mixed;
        input [0:6] x;
        mixed = {
            x[0] ^ (x[2] & x[3]), x[1], x[2], ~(x[3] ^ (x[5] & x[6])), x[4], ~(x[5] ^ (x[2] & x[4])), x[6]
        };
    endfunction
    function [6:0] substituted;
        input [6:0] x;
        integer i;
        reg [0:6] y;
        begin
            y = x;
            for (i = 0; i < 5; i = i + 1) begin
                y = mixed(y);
                y = {y[6], y[3], y[0], y[4], y[2], y[5], y[1]};
            end
            substituted = mixed(y) ^ 7'b1010000;
        end
    endfunction

    wire [6:0] s0 = state[6:0];
    wire [6:0] fed = {1'b0, s0[6:1]} ^ (7'h78 & {7{s0[0]}})
        ^ state[7*6+:7] ^ state[7*8+:7] ^ state[7*12+:7] ^ state[7*13+:7] ^ state[7*19+:7]
        ^ state[7*24+:7] ^ state[7*26+:7] ^ state[7*30+:7] ^ state[7*31+:7]
        ^ permuted(state[7*36+:7]) ^ constant_1;

    // Stage j+1 becomes stage j.
    assign next = {
        fed,
        state[258:7*31],
        state[7*30+:7] ^ substituted(state[7*34+:7]),
        state[7*30-1:7*25],
        state[7*24+:7] ^ substituted(state[7*27+:7]),
        state[7*24-1:7*20],
        state[7*19+:7] ^ permuted(state[7*18+:7]) ^ constant_0,
        state[7*19-1:7*12],
        state[7*11+:7] ^ substituted(state[7*15+:7]),
        state[7*11-1:7*6],
        state[7*5+:7] ^ substituted(state[7*8+:7]),
        state[7*5-1:7]
    };
endmodule
