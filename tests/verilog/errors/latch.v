module latch(input enable, input [3:0] d, output reg [3:0] q);
  always @(*)
    if (enable) q = d;
endmodule
