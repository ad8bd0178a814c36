// PRESENT-80 (Bogdanov et al., CHES 2007), a round a tick: 31 ticks after `load` the ciphertext is there.
module present80 (
    input  wire        clk,
    input  wire        rst,
    input  wire        load,
    input  wire [63:0] plaintext,
    input  wire [79:0] key,
    output wire [63:0] ciphertext,
    output reg         done
);
    reg [63:0] state;
    reg [79:0] round_key;
    reg [4:0] round;

    function [3:0] sbox;
        input [3:0] x;
        case (x)
            4'h0: sbox = 4'hc;
            4'h1: sbox = 4'h5;
            4'h2: sbox = 4'h6;
            4'h3: sbox = 4'hb;
            4'h4: sbox = 4'h9;
            4'h5: sbox = 4'h0;
            4'h6: sbox = 4'ha;
            4'h7: sbox = 4'hd;
            4'h8: sbox = 4'h3;
            4'h9: sbox = 4'he;
            4'ha: sbox = 4'hf;
            4'hb: sbox = 4'h8;
            4'hc: sbox = 4'h4;
            4'hd: sbox = 4'h7;
            4'he: sbox = 4'h1;
            4'hf: sbox = 4'h2;
        endcase
    endfunction

    wire [63:0] permuted;
    genvar i, j;
    generate
        for (i = 0; i < 16; i = i + 1) begin : nibble
            wire [3:0] substituted = sbox(state[4*i+3:4*i]);
            for (j = 0; j < 4; j = j + 1) begin : place
                assign permuted[i+16*j] = substituted[j];
            end
        end
    endgenerate

    wire [79:0] rotated = {round_key[18:0], round_key[79:19]};
    wire [79:0] next_key =
        {sbox(rotated[79:76]), rotated[75:20], rotated[19:15] ^ round, rotated[14:0]};

    // A key is added at the end of the round before: the first one as it comes.
    wire [79:0] added_key = load ? key : next_key;

    assign ciphertext = state;

    always @(posedge clk) begin
        if (load | ~done) state <= (load ? plaintext : permuted) ^ added_key[79:16];
        // Round keys run on: they don't matter any more.
        round_key <= added_key;
        round <= load ? 5'd1 : round + 5'd1;
        if (rst) done <= 1'b1;
        else if (load) done <= 1'b0;
        else if (round == 5'd31) done <= 1'b1;
    end
endmodule
