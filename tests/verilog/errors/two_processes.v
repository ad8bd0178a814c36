module twice(input clk, input [1:0] s, input [3:0] d, output reg [3:0] q);
  reg [3:0] r;
  always @(posedge clk) begin
    if (s == 0) r = d;
    else if (s == 1) r = ~d;
    q <= r;
  end
  always @(posedge clk) if (q == 15) r <= 0;
endmodule
