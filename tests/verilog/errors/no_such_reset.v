// flags: --reset rst_n
module flop(input clk, input rst, input d, output reg q);
  always @(posedge clk) if (rst) q <= 0; else q <= d;
endmodule
