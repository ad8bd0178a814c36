module two(input [1:0] clk, input d, output reg q);
  reg r;
  always @(posedge clk[0]) r <= d;
  always @(posedge clk[1]) q <= r;
endmodule
