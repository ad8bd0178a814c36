module forced(input clk, input d, output reg q);
  always @(posedge clk) q <= d;
  initial force q = 1;
endmodule
