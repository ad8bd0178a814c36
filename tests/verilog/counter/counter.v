// A counter with synchronous reset, load and enable; `last` says that it is about to wrap.
module counter #(parameter WIDTH = 8) (
    input  wire             clk,
    input  wire             rst,
    input  wire             load,
    input  wire             enable,
    input  wire [WIDTH-1:0] value,
    output reg  [WIDTH-1:0] count,
    output wire             last
);
    assign last = &count & enable;

    always @(posedge clk)
        if (rst) count <= 0;
        else if (load) count <= value;
        else if (enable) count <= count + 1'b1;
endmodule
