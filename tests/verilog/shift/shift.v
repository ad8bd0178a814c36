// A shift register with enable and parallel load, and the same delay as a chain of modules.
module stage (
    input  wire clk,
    input  wire enable,
    input  wire d,
    output reg  q
);
    always @(posedge clk) if (enable) q <= d;
endmodule

module shift #(parameter LENGTH = 12) (
    input  wire              clk,
    input  wire              rst,
    input  wire              load,
    input  wire              enable,
    input  wire              serial_in,
    input  wire [LENGTH-1:0] parallel_in,
    output wire              serial_out,
    output wire              delayed,
    output reg  [LENGTH-1:0] bits
);
    assign serial_out = bits[LENGTH-1];

    always @(posedge clk)
        if (rst) bits <= 0;
        else if (load) bits <= parallel_in;
        else if (enable) bits <= {bits[LENGTH-2:0], serial_in};

    wire [LENGTH:0] chain;
    assign chain[0] = serial_in & ~rst;
    assign delayed = chain[LENGTH];
    genvar i;
    generate
        for (i = 0; i < LENGTH; i = i + 1) begin : stages
            stage s (.clk(clk), .enable(enable | rst), .d(chain[i]), .q(chain[i+1]));
        end
    endgenerate
endmodule
