// SHA-256 (FIPS 180-4), a round a tick: one block is hashed in 64 ticks after `load` and one to add. `first` starts from
// the initial hash value, otherwise from the digest of the block before.
module sha256 (
    input  wire         clk,
    input  wire         rst,
    input  wire         load,
    input  wire         first,
    input  wire [511:0] block,
    output wire [255:0] digest,
    output wire         done
);
    localparam [255:0] INITIAL =
        256'h6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19;

    reg [255:0] hash, working;
    reg [511:0] schedule;
    reg [5:0] round;
    reg busy, adding;

    function [31:0] constant;
        input [5:0] t;
        case (t)
            6'd00: constant = 32'h428a2f98; 6'd01: constant = 32'h71374491; 6'd02: constant = 32'hb5c0fbcf;
            6'd03: constant = 32'he9b5dba5; 6'd04: constant = 32'h3956c25b; 6'd05: constant = 32'h59f111f1;
            6'd06: constant = 32'h923f82a4; 6'd07: constant = 32'hab1c5ed5; 6'd08: constant = 32'hd807aa98;
            6'd09: constant = 32'h12835b01; 6'd10: constant = 32'h243185be; 6'd11: constant = 32'h550c7dc3;
            6'd12: constant = 32'h72be5d74; 6'd13: constant = 32'h80deb1fe; 6'd14: constant = 32'h9bdc06a7;
            6'd15: constant = 32'hc19bf174; 6'd16: constant = 32'he49b69c1; 6'd17: constant = 32'hefbe4786;
            6'd18: constant = 32'h0fc19dc6; 6'd19: constant = 32'h240ca1cc; 6'd20: constant = 32'h2de92c6f;
            6'd21: constant = 32'h4a7484aa; 6'd22: constant = 32'h5cb0a9dc; 6'd23: constant = 32'h76f988da;
            6'd24: constant = 32'h983e5152; 6'd25: constant = 32'ha831c66d; 6'd26: constant = 32'hb00327c8;
            6'd27: constant = 32'hbf597fc7; 6'd28: constant = 32'hc6e00bf3; 6'd29: constant = 32'hd5a79147;
            6'd30: constant = 32'h06ca6351; 6'd31: constant = 32'h14292967; 6'd32: constant = 32'h27b70a85;
            6'd33: constant = 32'h2e1b2138; 6'd34: constant = 32'h4d2c6dfc; 6'd35: constant = 32'h53380d13;
            6'd36: constant = 32'h650a7354; 6'd37: constant = 32'h766a0abb; 6'd38: constant = 32'h81c2c92e;
            6'd39: constant = 32'h92722c85; 6'd40: constant = 32'ha2bfe8a1; 6'd41: constant = 32'ha81a664b;
            6'd42: constant = 32'hc24b8b70; 6'd43: constant = 32'hc76c51a3; 6'd44: constant = 32'hd192e819;
            6'd45: constant = 32'hd6990624; 6'd46: constant = 32'hf40e3585; 6'd47: constant = 32'h106aa070;
            6'd48: constant = 32'h19a4c116; 6'd49: constant = 32'h1e376c08; 6'd50: constant = 32'h2748774c;
            6'd51: constant = 32'h34b0bcb5; 6'd52: constant = 32'h391c0cb3; 6'd53: constant = 32'h4ed8aa4a;
            6'd54: constant = 32'h5b9cca4f; 6'd55: constant = 32'h682e6ff3; 6'd56: constant = 32'h748f82ee;
            6'd57: constant = 32'h78a5636f; 6'd58: constant = 32'h84c87814; 6'd59: constant = 32'h8cc70208;
            6'd60: constant = 32'h90befffa; 6'd61: constant = 32'ha4506ceb; 6'd62: constant = 32'hbef9a3f7;
            6'd63: constant = 32'hc67178f2;
        endcase
    endfunction

    wire [31:0] a = working[255:224], b = working[223:192], c = working[191:160], d = working[159:128];
    wire [31:0] e = working[127:96], f = working[95:64], g = working[63:32], h = working[31:0];

    wire [31:0] sum0 = {a[1:0], a[31:2]} ^ {a[12:0], a[31:13]} ^ {a[21:0], a[31:22]};
    wire [31:0] sum1 = {e[5:0], e[31:6]} ^ {e[10:0], e[31:11]} ^ {e[24:0], e[31:25]};
    wire [31:0] choice = (e & f) ^ (~e & g);
    wire [31:0] majority = (a & b) ^ (a & c) ^ (b & c);

    // The words t, t+1, t+9 and t+14 of the message schedule, of which word t is the most significant.
    wire [31:0] w0 = schedule[511:480], w1 = schedule[479:448];
    wire [31:0] w9 = schedule[223:192], w14 = schedule[63:32];
    wire [31:0] sigma0 = {w1[6:0], w1[31:7]} ^ {w1[17:0], w1[31:18]} ^ (w1 >> 3);
    wire [31:0] sigma1 = {w14[16:0], w14[31:17]} ^ {w14[18:0], w14[31:19]} ^ (w14 >> 10);
    wire [31:0] w16 = sigma1 + w9 + sigma0 + w0;

    wire [31:0] t1 = h + sum1 + choice + constant(round) + w0;
    wire [31:0] t2 = sum0 + majority;

    wire [255:0] sums;
    genvar i;
    generate
        for (i = 0; i < 8; i = i + 1) begin : words
            assign sums[32*i+:32] = hash[32*i+:32] + working[32*i+:32];
        end
    endgenerate

    assign digest = hash;
    assign done = ~busy & ~adding;

    always @(posedge clk) begin
        if (load) begin
            schedule <= block;
            working <= first ? INITIAL : hash;
            round <= 6'd0;
            if (first) hash <= INITIAL;
        end else if (busy) begin
            schedule <= {schedule[479:0], w16};
            working <= {t1 + t2, a, b, c, d + t1, e, f, g};
            round <= round + 6'd1;
        end else if (adding) hash <= sums;
        if (rst) begin
            busy <= 1'b0;
            adding <= 1'b0;
        end else begin
            busy <= load | (busy & round != 6'd63);
            adding <= busy & ~load & round == 6'd63;
        end
    end
endmodule
