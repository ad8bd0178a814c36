module endless(input [7:0] d, output reg [7:0] q);
  always @(*) begin
    q = d;
    while (q != 0) q = q >> 1;
  end
endmodule
