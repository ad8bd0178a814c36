module analog(input clk, input [7:0] d, output reg [7:0] q);
  real x;
  always @(posedge clk) begin
    x = d * 0.5;
    q <= x;
  end
endmodule
