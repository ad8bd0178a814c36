// flags: --clock clk,!clk
module both(input clk, input d, output reg q);
  reg r;
  always @(posedge clk) r <= d;
  always @(negedge clk) q <= r;
endmodule
