// GIFT-128 (Banik et al., CHES 2017), a round a tick: 40 ticks after `load` the ciphertext is there and stays.
module gift128 (
    input  wire         clk,
    input  wire         rst,
    input  wire         load,
    input  wire [127:0] plaintext,
    input  wire [127:0] key,
    output wire [127:0] ciphertext,
    output reg          done
);
    reg [127:0] state;
    reg [127:0] round_key;
    reg [5:0] constant;

    wire [127:0] permuted, keyed;
    genvar i;
    generate
        for (i = 0; i < 32; i = i + 1) begin : cells
            wire x0 = state[4*i], x1 = state[4*i+1], x2 = state[4*i+2], x3 = state[4*i+3];
            wire y1 = x1 ^ (x0 & x2);
            wire t0 = x0 ^ (y1 & x3);
            wire y2 = x2 ^ (t0 | y1);
            wire t3 = x3 ^ y2;
            wire z1 = y1 ^ t3;
            wire y3 = ~t3;
            wire z2 = y2 ^ (t0 & z1);
            wire [3:0] cell_out = {t0, z2, z1, y3};
        end
        for (i = 0; i < 128; i = i + 1) begin : bits
            localparam TO = 4 * (i / 16) + 32 * ((3 * ((i % 16) / 4) + (i % 4)) % 4) + (i % 4);
            assign permuted[TO] = cells[i/4].cell_out[i%4];
        end
        for (i = 0; i < 32; i = i + 1) begin : adding
            assign keyed[4*i] = permuted[4*i];
            assign keyed[4*i+1] = permuted[4*i+1] ^ round_key[i];
            assign keyed[4*i+2] = permuted[4*i+2] ^ round_key[64+i];
            if (i < 6) begin : constants
                assign keyed[4*i+3] = permuted[4*i+3] ^ constant[i];
            end else if (i == 31) begin : top
                assign keyed[4*i+3] = ~permuted[4*i+3];
            end else begin : plain
                assign keyed[4*i+3] = permuted[4*i+3];
            end
        end
    endgenerate

    assign ciphertext = state;

    always @(posedge clk) begin
        if (load) state <= plaintext;
        else if (~done) state <= keyed;
        // Round keys and constants run on: they don't matter any more.
        if (load) begin
            round_key <= key;
            constant <= 6'h01;
        end else begin
            round_key <= {round_key[17:16], round_key[31:18], round_key[11:0], round_key[15:12],
                          round_key[127:32]};
            constant <= {constant[4:0], ~(constant[5] ^ constant[4])};
        end
        if (rst) done <= 1'b1;
        else if (load) done <= 1'b0;
        // The constant of round 40, 1a: no round before has these five bits.
        else if ({constant[5], constant[3:0]} == 5'b01010) done <= 1'b1;
    end
endmodule
