// The permutation Ascon-p[12] (NIST SP 800-232), a round a tick: 12 ticks after `load` the result is there and stays.
module ascon_p12 (
    input  wire         clk,
    input  wire         rst,
    input  wire         load,
    input  wire [319:0] in,
    output wire [319:0] out,
    output wire         done
);
    // Word 0 is the most significant: s0 = state[319:256].
    reg [319:0] state;
    reg [3:0] round;
    wire [319:0] next;

    ascon_round step (.state(state), .constant({~round, round}), .next(next));

    assign out = state;
    assign done = round == 4'd12;

    always @(posedge clk) begin
        if (load) state <= in;
        else if (!done) state <= next;
        if (rst) round <= 4'd12;
        else if (load) round <= 4'd0;
        else if (!done) round <= round + 4'd1;
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
