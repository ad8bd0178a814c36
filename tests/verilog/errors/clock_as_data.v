module phase(input clk, input d, output reg q, output y);
  always @(posedge clk) q <= d;
  assign y = q & clk;
endmodule
