module cache(input clk, input write, input [15:0] at, input [31:0] d, output reg [31:0] q);
  reg [31:0] words [0:65535];
  always @(posedge clk) begin
    if (write) words[at] <= d;
    q <= words[at];
  end
endmodule
