module divided(input clk, input d, output reg q);
  reg half = 0;
  always @(posedge clk) half <= ~half;
  always @(posedge half) q <= d;
endmodule
