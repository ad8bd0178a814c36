module edges(input clk, input d, output reg q);
  reg p;
  always @(posedge clk) p <= d;
  always @(negedge clk) q <= p;
endmodule
