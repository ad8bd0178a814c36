// A counter in binary and in Gray code, and back: each bit is made in a generate loop.
module gray #(parameter WIDTH = 6) (
    input  wire             clk,
    input  wire             rst,
    input  wire             enable,
    output wire [WIDTH-1:0] code,
    output wire [WIDTH-1:0] decoded
);
    reg [WIDTH-1:0] count;

    always @(posedge clk)
        if (rst) count <= {WIDTH{1'b0}};
        else count <= count + enable;

    genvar i;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : bits
            if (i == WIDTH - 1) begin : top
                assign code[i] = count[i];
                assign decoded[i] = code[i];
            end else begin : below
                assign code[i] = count[i] ^ count[i+1];
                assign decoded[i] = code[i] ^ decoded[i+1];
            end
        end
    endgenerate
endmodule
