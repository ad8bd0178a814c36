module top(input clk, input [7:0] d, output [7:0] q);
  block_ram memory(.clk(clk), .d(d), .q(q));
endmodule
