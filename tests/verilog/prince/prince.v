// PRINCE (Borghoff et al., ASIACRYPT 2012), unrolled: twelve rounds in one tick between registers. `decrypt` uses the
// alpha reflection: the same circuit with k1 ^ alpha and the whitening keys swapped.
module prince (
    input  wire        clk,
    input  wire        rst,
    input  wire        valid,
    input  wire        decrypt,
    input  wire [63:0] k0,
    input  wire [63:0] k1,
    input  wire [63:0] in,
    output reg  [63:0] out,
    output reg         out_valid
);
    localparam [63:0] ALPHA = 64'hc0ac29b7c97c50dd;

    function [3:0] sbox;
        input [3:0] x;
        case (x)
            4'h0: sbox = 4'hb; 4'h1: sbox = 4'hf; 4'h2: sbox = 4'h3; 4'h3: sbox = 4'h2;
            4'h4: sbox = 4'ha; 4'h5: sbox = 4'hc; 4'h6: sbox = 4'h9; 4'h7: sbox = 4'h1;
            4'h8: sbox = 4'h6; 4'h9: sbox = 4'h7; 4'ha: sbox = 4'h8; 4'hb: sbox = 4'h0;
            4'hc: sbox = 4'he; 4'hd: sbox = 4'h5; 4'he: sbox = 4'hd; 4'hf: sbox = 4'h4;
        endcase
    endfunction

    function [3:0] sbox_inverse;
        input [3:0] x;
        case (x)
            4'hb: sbox_inverse = 4'h0; 4'hf: sbox_inverse = 4'h1; 4'h3: sbox_inverse = 4'h2;
            4'h2: sbox_inverse = 4'h3; 4'ha: sbox_inverse = 4'h4; 4'hc: sbox_inverse = 4'h5;
            4'h9: sbox_inverse = 4'h6; 4'h1: sbox_inverse = 4'h7; 4'h6: sbox_inverse = 4'h8;
            4'h7: sbox_inverse = 4'h9; 4'h8: sbox_inverse = 4'ha; 4'h0: sbox_inverse = 4'hb;
            4'he: sbox_inverse = 4'hc; 4'h5: sbox_inverse = 4'hd; 4'hd: sbox_inverse = 4'he;
            4'h4: sbox_inverse = 4'hf;
        endcase
    endfunction

    function [63:0] substitute;
        input [63:0] x;
        integer i;
        for (i = 0; i < 64; i = i + 4) substitute[i+:4] = sbox(x[i+:4]);
    endfunction

    function [63:0] substitute_inverse;
        input [63:0] x;
        integer i;
        for (i = 0; i < 64; i = i + 4) substitute_inverse[i+:4] = sbox_inverse(x[i+:4]);
    endfunction

    // M': in each 16-bit chunk bit j of nibble i is the sum of the bits j of all nibbles but one. Chunks 0 and 3 are
    // M0, chunks 1 and 2 are M1; chunk 0 and nibble 0 are the most significant.
    function [63:0] mix;
        input [63:0] x;
        integer chunk, nibble, bitpos, leave;
        reg [15:0] part;
        reg sum;
        for (chunk = 0; chunk < 4; chunk = chunk + 1) begin
            part = x[48-16*chunk+:16];
            for (bitpos = 0; bitpos < 4; bitpos = bitpos + 1) begin
                sum = part[bitpos] ^ part[4+bitpos] ^ part[8+bitpos] ^ part[12+bitpos];
                for (nibble = 0; nibble < 4; nibble = nibble + 1) begin
                    leave = (7 - bitpos - nibble - (chunk == 1 || chunk == 2)) % 4;
                    mix[48-16*chunk+12-4*nibble+bitpos] = sum ^ part[12-4*leave+bitpos];
                end
            end
        end
    endfunction

    // Nibble i moves to where ShiftRows of AES puts byte i.
    function [63:0] shift;
        input [63:0] x;
        integer i;
        for (i = 0; i < 16; i = i + 1) shift[60-4*i+:4] = x[60-4*((5*i)%16)+:4];
    endfunction

    function [63:0] shift_inverse;
        input [63:0] x;
        integer i;
        for (i = 0; i < 16; i = i + 1) shift_inverse[60-4*((5*i)%16)+:4] = x[60-4*i+:4];
    endfunction

    function [63:0] constant;
        input integer round;
        case (round)
            1: constant = 64'h13198a2e03707344;
            2: constant = 64'ha4093822299f31d0;
            3: constant = 64'h082efa98ec4e6c89;
            4: constant = 64'h452821e638d01377;
            5: constant = 64'hbe5466cf34e90c6c;
            6: constant = 64'h7ef84f78fd955cb1;
            7: constant = 64'h85840851f1ac43aa;
            8: constant = 64'hc882d32f25323c54;
            9: constant = 64'h64a51195e0e3610d;
            10: constant = 64'hd3b5a399ca0c2399;
            11: constant = 64'hc0ac29b7c97c50dd;
            default: constant = 64'h0;
        endcase
    endfunction

    wire [63:0] k0_out = {k0[0], k0[63:2], k0[1] ^ k0[63]};
    wire [63:0] first = decrypt ? k0_out : k0;
    wire [63:0] last = decrypt ? k0 : k0_out;
    wire [63:0] core_key = k1 ^ (ALPHA & {64{decrypt}});

    reg [63:0] s;
    integer round;
    always @* begin
        s = in ^ first ^ core_key ^ constant(0);
        for (round = 1; round <= 5; round = round + 1)
            s = shift(mix(substitute(s))) ^ constant(round) ^ core_key;
        s = substitute_inverse(mix(substitute(s)));
        for (round = 6; round <= 10; round = round + 1)
            s = substitute_inverse(mix(shift_inverse(s ^ constant(round) ^ core_key)));
        s = s ^ constant(11) ^ core_key ^ last;
    end

    always @(posedge clk) begin
        out <= s;
        if (rst) out_valid <= 1'b0;
        else out_valid <= valid;
    end
endmodule
