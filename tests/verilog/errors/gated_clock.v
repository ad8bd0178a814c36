module gated(input clk, input enable, input d, output reg q);
  wire slow = clk & enable;
  always @(posedge slow) q <= d;
endmodule
