module crossing(input clk_a, input clk_b, input d, output reg q);
  reg p;
  always @(posedge clk_a) p <= d;
  always @(posedge clk_b) q <= p;
endmodule
