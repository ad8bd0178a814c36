module misspelt(input clk, input [7:0] d, output reg [7:0] q);
  wire [7:0] masked = d & mask;
  always @(posedge clk) q <= masked;
endmodule
