module product(input clk, input [65535:0] a, b, output reg [65535:0] y);
  always @(posedge clk) y <= a * b;
endmodule
