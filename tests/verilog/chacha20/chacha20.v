// The block function of ChaCha20 (RFC 8439), a round a tick: 20 ticks after `load` the key stream is there and stays.
// Words are numbered as in the RFC; word i is the bits 32·i+31 to 32·i.
module chacha20 (
    input  wire         clk,
    input  wire         rst,
    input  wire         load,
    input  wire [255:0] key,
    input  wire [31:0]  counter,
    input  wire [95:0]  nonce,
    output wire [511:0] keystream,
    output wire         done
);
    localparam [127:0] CONSTANTS = 128'h6b206574_79622d32_3320646e_61707865;

    reg [383:0] start;
    reg [511:0] state;
    reg [4:0] round;
    wire [511:0] initial_state = {start, CONSTANTS};
    wire [511:0] next;

    // Rows are rotated between rounds so that diagonals are columns: row i by i words, and back by i after an odd round.
    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : columns
            wire [31:0] a, b, c, d;
            quarter_round quarter (
                .a(state[32*i+:32]), .b(state[128+32*i+:32]),
                .c(state[256+32*i+:32]), .d(state[384+32*i+:32]),
                .a_out(a), .b_out(b), .c_out(c), .d_out(d)
            );
        end
        for (i = 0; i < 4; i = i + 1) begin : turned
            assign next[32*i+:32] = columns[i].a;
            assign next[128+32*i+:32] = round[0] ? columns[(i+3)%4].b : columns[(i+1)%4].b;
            assign next[256+32*i+:32] = columns[(i+2)%4].c;
            assign next[384+32*i+:32] = round[0] ? columns[(i+1)%4].d : columns[(i+3)%4].d;
        end
        for (i = 0; i < 16; i = i + 1) begin : sums
            assign keystream[32*i+:32] = state[32*i+:32] + initial_state[32*i+:32];
        end
    endgenerate

    assign done = round == 5'd20;

    always @(posedge clk) begin
        if (load) begin
            start <= {nonce, counter, key};
            state <= {nonce, counter, key, CONSTANTS};
        end else if (!done) state <= next;
        if (rst) round <= 5'd20;
        else if (load) round <= 5'd0;
        else if (!done) round <= round + 5'd1;
    end
endmodule

module quarter_round (
    input  wire [31:0] a, b, c, d,
    output wire [31:0] a_out, b_out, c_out, d_out
);
    wire [31:0] a1 = a + b, d1 = d ^ a1;
    wire [31:0] d2 = {d1[15:0], d1[31:16]};
    wire [31:0] c1 = c + d2, b1 = b ^ c1;
    wire [31:0] b2 = {b1[19:0], b1[31:20]};
    wire [31:0] d3 = d2 ^ a_out;
    wire [31:0] b3 = b2 ^ c_out;

    assign a_out = a1 + b2;
    assign d_out = {d3[23:0], d3[31:24]};
    assign c_out = c1 + d_out;
    assign b_out = {b3[24:0], b3[31:25]};
endmodule
